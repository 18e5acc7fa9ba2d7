"""Comparisons with proven error rates, and the budget they share."""
