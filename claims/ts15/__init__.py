"""Tagorti, Scherrer 2015: one file per claim, named as its id; ``geometric`` and ``first_n`` are shared."""
