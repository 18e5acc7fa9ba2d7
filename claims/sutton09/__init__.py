"""Gradient TD of 2008 and 2009, not read: one file per claim; ``gradient`` has what they share."""
