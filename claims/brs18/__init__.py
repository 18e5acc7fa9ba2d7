"""Bhandari, Russo, Singal, *A Finite Time Analysis of Temporal Difference Learning With Linear Function Approximation*,
in a draft of its section on Markov chains: one file per claim, named as its id.

``paper.toml`` is the table, in paper order.
"""
