"""Bhandari, Russo, Singal 2018, a draft of a section: one file per claim; ``projected`` has what they share."""
