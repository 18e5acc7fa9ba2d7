"""Yu 2015: one file per claim, named as its id; ``claims/emphasis.py`` has what they share."""
