"""Tsitsiklis, Van Roy, *An Analysis of Temporal-Difference Learning with Function Approximation*: one file per claim.

Most of its statements are those of ``dgb22`` and ``ts15`` at one λ, by the same functions.

``paper.toml`` is the table. The text was not read.
"""
