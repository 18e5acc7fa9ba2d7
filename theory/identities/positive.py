"""Determinants on symbols, as polynomials whose monomials are to be looked at: are they sums of positive ones?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import Any


def additive_compound(X: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """The second additive compound of a square matrix X of n ≥ 2 rows, as
    :meth:`~tdcert.theory.arithmetic.RationalMatrix.additive_compound`, of any entries.
    """
    zero = X[0][0] - X[0][0]
    pairs = list(combinations(range(len(X)), 2))

    def entry(i: int, j: int, k: int, m: int) -> Any:
        at = ((j == m, X[i][k]), (i == k, X[j][m]), (j == k, -X[i][m]), (i == m, -X[j][k]))
        return sum((x for met, x in at if met), start=zero)

    return [[entry(i, j, k, m) for k, m in pairs] for i, j in pairs]


def determinant(X: Sequence[Sequence[Any]]) -> Any:
    """The determinant of a square matrix of any entries, without a division: by minors of its last rows."""
    n, zero = len(X), X[0][0] - X[0][0]

    @cache
    def minor(i: int, columns: tuple[int, ...]) -> Any:
        if i == n:
            return zero + 1
        parts = ((-1) ** k * X[i][c] * minor(i + 1, columns[:k] + columns[k + 1 :]) for k, c in enumerate(columns))
        return sum(parts, start=zero)

    return minor(0, tuple(range(n)))
