"""Manek and Kolter 2022: statements of our own about a ridge on temporal differences. Its text was not seen."""
