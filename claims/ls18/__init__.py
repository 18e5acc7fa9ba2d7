"""Lakshminarayanan, Szepesvári, *Linear Stochastic Approximation: How Far Does Constant Step-Size and Iterate Averaging
Go?*: one file per claim, named as its id.

``paper.toml`` is the table, in paper order.
"""
