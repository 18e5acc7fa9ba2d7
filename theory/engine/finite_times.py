r"""Moments of the parameters after finitely many updates at constant steps, exact, for every memory.

No recursion in t alone exists for moments of the parameters: parameters and memory are multiplied, so E[y_{t+1}]
needs E[y_t m_t], that E[y_{t−1} m_{t−1} m_{t−1}], and so on. Backwards from a time the chain of needs ends at the
start, where the memory is zero. With f(h) a polynomial in parameters and memory for every context h,

    (Pf)(h)(y, m) = Σ_{h → h'} p f(h')(y', m')

is one again, of the same degree in y, and E[f(y_t, m_t)] = (Pᵗf)(h_0)(y_0, 0). Its degree in m grows by that of f in y
with each step, so the number of terms grows as a power of t where enumerating paths takes an exponential.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

from flint import fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.engine.tables import Edge, Tables

TERMS = 10_000
"""Most terms, times edges out of a context, that one step is taken with (about a second)."""


@dataclass(frozen=True)
class AtTime:
    """After ``t`` updates: the mean of the parameters (D×1) and their covariance (D×D)."""

    t: int
    mean: RationalMatrix
    covariance: RationalMatrix


def moments_in_time(
    found: Tables, start: Sequence[Fraction], y0: Sequence[Fraction], until: int, terms: int = TERMS
) -> Iterator[AtTime]:
    """At the times 1, 2, … ``until``, or up to the last one that ``terms`` allow.

    ``found``: tables with numbers for step sizes, from ``found.states``; ``start``: law of s_0 over them, or one where
    transitions are drawn independently; ``y0``: where all D parameters start.
    """
    D = found.D
    symbols = [symbol.value for symbol in found.algorithm.symbols(found.model.d)]
    context: fmpq_mpoly_ctx = symbols[0].context()  # type: ignore[union-attr]
    nothing = context.constant(0)
    gens = [context.gen(i) for i in range(context.nvars())]

    def after(edge: Edge) -> list[fmpq_mpoly]:
        """What becomes of every symbol; step sizes stay, and stand nowhere."""
        new = [*gens[:D], *[nothing] * found.M, *gens[D + found.M :]]
        for part in edge.increments.values():
            for (entry, row, column), x in part.items():
                term = x if entry is None else x * gens[D + entry]
                new[row] += term if column == D else term * gens[column]
        R, s = edge.recursion
        for (i, j), x in R.items():
            new[D + i] += x * gens[D + j]
        for i, x in s.items():
            new[D + i] += x
        return new

    maps = {edge: after(edge) for edge in found.edges}
    y = gens[:D]
    pairs = list(combinations_with_replacement(range(D), 2))
    values = [[*y, *(y[i] * y[j] for i, j in pairs)] for _ in found.contexts]
    begin = [*map(to_fmpq, y0), *[fmpq(0)] * (context.nvars() - D)]
    for t in range(1, until + 1):
        if any(sum(map(len, values[e.target])) * len(found.leaving[e.source]) > terms for e in found.edges):
            return
        values = [
            [
                sum(
                    (values[e.target][k].compose(*maps[e]) * to_fmpq(e.outcome.probability) for e in edges),
                    start=nothing,
                )
                for k in range(D + len(pairs))
            ]
            for edges in found.leaving
        ]
        expected = [
            sum((to_fraction(values[h][k](*begin)) * p for h, p in enumerate(start)), start=Fraction(0))
            for k in range(D + len(pairs))
        ]
        mean = RationalMatrix.column(expected[:D])
        second = dict(zip(pairs, expected[D:], strict=True))
        both = RationalMatrix([[second[min(i, j), max(i, j)] for j in range(D)] for i in range(D)])
        yield AtTime(t, mean, both - mean @ mean.T)
