"""Touati, Bacon, Precup and Vincent 2018, tree backup and Retrace with features: one file for each statement."""
