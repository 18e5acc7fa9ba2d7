"""Rational matrices that are never brought to lowest terms: what is fastest for small models with small numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Any

from flint import fmpq_mat, fmpz, fmpz_mat

from tdcert.theory.arithmetic.rational import QuotientMatrix
from tdcert.theory.errors import SingularMatrixError


class UnreducedMatrix(QuotientMatrix):
    """``numerator / denominator`` behind the Matrix protocol; the denominator is positive and shared."""

    def __init__(self, numerator: fmpz_mat, denominator: fmpz) -> None:
        self.numerator, self.denominator = numerator, denominator

    def __add__(self, other: UnreducedMatrix) -> UnreducedMatrix:
        p, q = self.denominator, other.denominator
        if p == q:
            return UnreducedMatrix(self.numerator + other.numerator, p)
        return UnreducedMatrix(self.numerator * q + other.numerator * p, p * q)

    def __sub__(self, other: UnreducedMatrix) -> UnreducedMatrix:
        return self + other.scaled(-1)

    def solve(self, right: UnreducedMatrix) -> UnreducedMatrix:
        try:
            solution, common = _rational(self.numerator.solve(right.numerator)).numer_denom()
        except ZeroDivisionError as error:
            raise SingularMatrixError("the matrix of the linear system is singular") from error
        return UnreducedMatrix(solution * self.denominator, common * right.denominator)

    def from_rationals(self, rows: Sequence[Sequence[Fraction]]) -> UnreducedMatrix:
        return unreduced(rows)

    def is_positive_definite(self) -> bool:
        """Whether a symmetric matrix is positive definite: every leading minor is positive (Sylvester)."""
        return all(self._minor(range(k)) > 0 for k in range(1, self.shape[0] + 1))

    def is_positive_semidefinite(self) -> bool:
        """Whether a symmetric matrix is positive semidefinite: none of its 2ⁿ − 1 principal minors is negative."""
        n = self.shape[0]
        return all(self._minor(chosen) >= 0 for k in range(1, n + 1) for chosen in combinations(range(n), k))

    def is_nonsingular(self) -> bool:
        """Whether det ≠ 0."""
        return bool(self.numerator.det() != 0)

    def is_hurwitz(self) -> bool:
        """Whether every eigenvalue has negative real part, decided by all Hurwitz determinants (exact)."""
        n = self.shape[0]
        rising = self.numerator.charpoly().coeffs()
        falling = dict(enumerate(reversed(rising)))
        zero = fmpz(0)
        H = [[falling.get(2 * (j + 1) - (i + 1), zero) for j in range(n)] for i in range(n)]
        return all(fmpz_mat([row[:k] for row in H[:k]]).det() > 0 for k in range(1, n + 1))

    def _minor(self, chosen: Sequence[int]) -> fmpz:
        table = self.numerator.table()
        if len(chosen) == 1:
            return table[chosen[0]][chosen[0]]
        return fmpz_mat([[table[i][j] for j in chosen] for i in chosen]).det()


def unreduced(rows: Sequence[Sequence[Fraction | int]]) -> UnreducedMatrix:
    """A matrix with these entries."""
    common = lcm(*(x.denominator for row in rows for x in row))
    entries = [x.numerator * (common // x.denominator) for row in rows for x in row]
    return UnreducedMatrix(fmpz_mat(len(rows), len(rows[0]), entries), fmpz(common))


def _rational(matrix: Any) -> fmpq_mat:
    """What ``solve`` returns; python-flint's types do not say that it is rational."""
    assert isinstance(matrix, fmpq_mat)
    return matrix


def weighted_laws(weights: Sequence[Sequence[int]]) -> UnreducedMatrix:
    """The laws of rows of integer weights."""
    totals = [sum(row) for row in weights]
    common = lcm(*totals)
    entries = [w * (common // total) for row, total in zip(weights, totals, strict=True) for w in row]
    return UnreducedMatrix(fmpz_mat(len(weights), len(weights[0]), entries), fmpz(common))
