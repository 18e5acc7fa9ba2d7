"""Kolter 2011, fixed points of off-policy TD(0): one file for each statement that is decided."""
