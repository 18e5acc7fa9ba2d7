"""Simulation of declared updates: the user's own function, on many runs side by side."""
