"""Sutton, Mahmood and White 2016, emphatic TD: one file for each statement that is decided."""
