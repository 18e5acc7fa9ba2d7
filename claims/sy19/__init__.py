"""Srikant, Ying, *Finite-Time Error Bounds For Linear Stochastic Approximation and TD Learning*: one file per claim;
``recursion`` has what they share, ``example`` the example of App. E.

``paper.toml`` is the table, in paper order.
"""
