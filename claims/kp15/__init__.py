"""Korda, Prashanth 2015: one file per claim, named as its id; ``rates`` has the numbers of Theorem 1."""
