"""Sutton, Szepesvári and Maei 2008, and Sutton, Maei, Precup, Bhatnagar, Silver, Szepesvári and Wiewiora 2009: gradient
TD, one file for each statement that is decided.
"""
