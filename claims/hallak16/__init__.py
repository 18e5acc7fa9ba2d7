"""Hallak, Tamar, Munos and Mannor 2016, emphatic TD with a decay β of its own: one file for each statement."""
