"""Tagorti, Scherrer, *On the Rate of Convergence and Error Bounds for LSTD(λ)*: one file per claim, named as its id.

``paper.toml`` is the table, in paper order.
"""
