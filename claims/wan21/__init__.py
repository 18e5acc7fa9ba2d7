"""Wan, Naik and Sutton 2021: statements of our own about differential TD. Its text was not seen."""
