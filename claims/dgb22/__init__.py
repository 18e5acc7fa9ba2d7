"""Deb, Gandhi, Bhatnagar, *Schedule Based Temporal Difference Algorithms*: one file per claim, named as its id.

``paper.toml`` is the table, in paper order.
"""
