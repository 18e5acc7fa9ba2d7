"""Srikant, Ying, *Finite-Time Error Bounds For Linear Stochastic Approximation and TD Learning*: one file per claim, named
as its id.

``paper.toml`` is the table, in paper order.
"""
