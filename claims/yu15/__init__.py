"""Yu, *On Convergence of Emphatic Temporal-Difference Learning*: one file per claim, named as its id; ``emphasis`` has
what they share.

``paper.toml`` is the table, in paper order.
"""
