"""Dalal, Szörényi, Thoppe, Mannor, *Finite Sample Analysis of Two-Timescale Stochastic Approximation with Applications
to Reinforcement Learning*: one file per claim; ``gradient`` has what they share.

``paper.toml`` is the table, in paper order.
"""
