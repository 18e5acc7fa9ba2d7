"""Korda, Prashanth, *On TD(0) with function approximation*: one file per claim, named as its id.

``paper.toml`` is the table, in paper order.
"""
