r"""Matrices of rational functions of one number: polynomials over Q (python-flint) above one common denominator.

No degree is bounded and no value is tried. Systems are solved and determinants found by elimination without fractions
(Bareiss), in which every division leaves no remainder.

Source: Bareiss, *Sylvester's identity and multistep integer-preserving Gaussian elimination*, Math. Comp. 22 (1968).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np
from flint import fmpq, fmpq_poly, fmpz, fmpz_poly

from tdcert.theory.arithmetic.rational import RationalMatrix, to_fmpq, to_fraction
from tdcert.theory.errors import SingularMatrixError

Table = list[list[fmpq_poly]]
"""Polynomials, row after row."""
ZERO, UNIT = fmpq_poly([0]), fmpq_poly([1])
THE_NUMBER = fmpq_poly([0, 1])
"""x itself."""


class FunctionMatrix:
    """``table`` / ``below``: polynomials in x over one that is not zero, whether in lowest terms or not; behind the
    protocol of :class:`~tdcert.theory.arithmetic.protocol.Flint`.

    Scalars are python-flint's polynomials and rationals, and 1×1 matrices of this class. ``solve`` raises
    SingularMatrixError where the determinant is the polynomial zero.
    """

    __slots__ = ("below", "shape", "table")

    def __init__(self, table: Table, below: fmpq_poly = UNIT, columns: int | None = None) -> None:
        self.table, self.below = table, below
        self.shape = len(table), len(table[0]) if columns is None else columns

    @classmethod
    def enclosing(cls, matrix: RationalMatrix) -> FunctionMatrix:
        """The rational matrix, its entries as constants."""
        return cls([[fmpq_poly([x]) for x in row] for row in matrix.scalars], UNIT, matrix.shape[1])

    @classmethod
    def combined(cls, parts: Sequence[tuple[fmpq, FunctionMatrix]]) -> FunctionMatrix:
        """Σ x W, of at least one pair (x, W)."""
        first, *others = (W.scaled(x) for x, W in parts)
        return sum(others, start=first)

    @classmethod
    def of_scalars(cls, entries: Sequence[Any], columns: int = 1) -> FunctionMatrix:
        """Row after row; a column unless ``columns`` says otherwise."""
        given = [entry if isinstance(entry, FunctionMatrix) else cls([[_polynomial(entry)]]) for entry in entries]
        parts, below = _over_one(given)
        every = [part[0][0] for part in parts]
        rows = [every[at : at + columns] for at in range(0, len(every), columns)] if columns else []
        return cls(rows, below, columns)

    # ---- the protocol -------------------------------------------------------------------------

    @property
    def T(self) -> FunctionMatrix:
        return self._made(([row[j] for row in self.table] for j in range(self.shape[1])), self.shape[0])

    def _made(self, rows: Iterable[list[fmpq_poly]], columns: int, below: fmpq_poly | None = None) -> FunctionMatrix:
        return FunctionMatrix(list(rows), self.below if below is None else below, columns)

    def __matmul__(self, other: FunctionMatrix) -> FunctionMatrix:
        columns = other.T.table
        return self._made(
            (
                [_sum(x * y for x, y in zip(row, column, strict=True) if x and y) for column in columns]
                for row in self.table
            ),
            other.shape[1],
            self.below * other.below,
        )

    def __add__(self, other: FunctionMatrix) -> FunctionMatrix:
        (left, right), below = _over_one((self, other))
        pairs = zip(left, right, strict=True)
        return self._made(([x + y for x, y in zip(*rows, strict=True)] for rows in pairs), self.shape[1], below)

    def __sub__(self, other: FunctionMatrix) -> FunctionMatrix:
        return self + -other

    def __neg__(self) -> FunctionMatrix:
        return self._made(([-x for x in row] for row in self.table), self.shape[1])

    def scaled(self, scalar: Any) -> FunctionMatrix:
        if isinstance(scalar, FunctionMatrix):
            return self._times(scalar.table[0][0], scalar.below)
        return self._times(_polynomial(scalar), UNIT)

    def _times(self, above: fmpq_poly, below: fmpq_poly) -> FunctionMatrix:
        return self._made(([above * x for x in row] for row in self.table), self.shape[1], self.below * below)

    def scale_rows(self, column: FunctionMatrix) -> FunctionMatrix:
        rows = zip(column.table, self.table, strict=True)
        return self._made(([f * x for x in row] for (f,), row in rows), self.shape[1], self.below * column.below)

    def hadamard(self, other: FunctionMatrix) -> FunctionMatrix:
        pairs = zip(self.table, other.table, strict=True)
        rows = ([x * y for x, y in zip(*rows, strict=True)] for rows in pairs)
        return self._made(rows, self.shape[1], self.below * other.below)

    def solve(self, right: FunctionMatrix) -> FunctionMatrix:
        n = self.shape[0]
        rows, determinant = _eliminated([[*a, *b] for a, b in zip(self.table, right.table, strict=True)], n)
        if not determinant:
            raise SingularMatrixError("the matrix of the linear system is singular for every value")
        above = ([fmpq_poly(x) for x in row[n:]] for row in rows)
        solution = self._made(above, right.shape[1], fmpq_poly(determinant) * right.below)
        return solution._times(self.below, UNIT).reduced

    @property
    def reduced(self) -> FunctionMatrix:
        """These functions in lowest terms, as a whole, with a denominator that is monic."""
        common = self.below
        for row in self.table:
            for x in row:
                if common.degree() < 1:
                    break
                common = common.gcd(x)
        divisor = common * self.below.leading_coefficient() / common.leading_coefficient()
        return self._made(([x // divisor for x in row] for row in self.table), self.shape[1], self.below // divisor)

    @property
    def determinant(self) -> fmpq_poly:
        """The determinant of the polynomials above the bar (n×n), up to a constant factor."""
        return determinant_of(self.table)

    @property
    def is_regular(self) -> bool:
        """Whether it is nonsingular for all but finitely many values (n×n)."""
        return bool(self.determinant)

    @property
    def nonzero_rows(self) -> set[int]:
        """The rows in which an entry is not zero for every value."""
        return {i for i, row in enumerate(self.table) if any(row)}

    def identity(self, n: int) -> FunctionMatrix:
        return FunctionMatrix([[UNIT if i == j else ZERO for j in range(n)] for i in range(n)], UNIT, n)

    def from_rationals(self, rows: Sequence[Sequence[Fraction]]) -> FunctionMatrix:
        return self.enclosing(RationalMatrix(rows))

    # ---- parts and views ----------------------------------------------------------------------

    @property
    def scalars(self) -> list[list[Any]]:
        """All entries, as 1×1 matrices."""
        return [[FunctionMatrix([[x]], self.below) for x in row] for row in self.table]

    def take(self, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None) -> FunctionMatrix:
        """The submatrix with these rows and columns, in this order (None: all)."""
        row_index = range(self.shape[0]) if rows is None else rows
        column_index = range(self.shape[1]) if columns is None else columns
        return self._made(([self.table[i][j] for j in column_index] for i in row_index), len(column_index))

    def beside(self, *others: FunctionMatrix) -> FunctionMatrix:
        """``[self, others[0], others[1], …]``."""
        parts, below = _over_one((self, *others))
        width = sum(part.shape[1] for part in (self, *others))
        return self._made(([x for row in rows for x in row] for rows in zip(*parts, strict=True)), width, below)

    def at(self, x: Fraction) -> RationalMatrix:
        """The matrix at a value of x. Raises ZeroDivisionError where the denominator is zero."""
        place = to_fmpq(x)
        below = self.below(place)
        return RationalMatrix([[to_fraction(entry(place) / below) for entry in row] for row in self.table])

    def to_float(self) -> Any:
        """The values at x = 0, rounded to floats."""
        return np.array(self.at(Fraction(0)).to_float())

    @property
    def characteristic(self) -> list[fmpq_poly]:
        """a_0 = 1, …, a_n with zⁿ + a_1 zⁿ⁻¹ + … + a_n the characteristic polynomial of the polynomials above the bar
        (n×n), whose eigenvalues are those of the matrix times the denominator (Faddeev and LeVerrier).
        """
        above = FunctionMatrix(self.table, UNIT, self.shape[1])
        n, found, M = self.shape[0], [UNIT], self.identity(self.shape[0])
        for k in range(1, n + 1):
            product = above @ M
            found.append(-_sum(product.table[i][i] for i in range(n)) / k)
            M = product + self.identity(n).scaled(found[-1])
        return found


def determinant_of(table: Table) -> fmpq_poly:
    """The determinant of polynomials, up to a constant factor."""
    return fmpq_poly(_eliminated(table, len(table))[1])


def _polynomial(x: Any) -> fmpq_poly:
    return x if isinstance(x, fmpq_poly) else fmpq_poly([to_fmpq(x)])


def _sum(terms: Iterable[fmpq_poly]) -> fmpq_poly:
    return sum(terms, start=ZERO)


def _over_one(parts: Sequence[FunctionMatrix]) -> tuple[list[Table], fmpq_poly]:
    """The polynomials of each above one denominator, and that."""
    below = UNIT
    for part in parts:
        if part.below != below:
            below = below * (part.below // below.gcd(part.below))
    factors = [below // part.below for part in parts]
    return [
        part.table if factor.is_one() else [[factor * x for x in row] for row in part.table]
        for part, factor in zip(parts, factors, strict=True)
    ], below


def _primitive(row: Sequence[fmpq_poly]) -> list[fmpz_poly]:
    """The row times a number, such that its polynomials have whole coefficients without a common divisor."""
    common = fmpz(lcm(*(int(x.denom()) for x in row)))
    whole = [x.numer() * (common // x.denom()) for x in row]
    content = fmpz(gcd(*(int(x.content()) for x in whole))) or fmpz(1)
    return [x / content for x in whole]


def _eliminated(table: Sequence[Sequence[fmpq_poly]], n: int) -> tuple[list[list[fmpz_poly]], fmpz_poly]:
    """(d [I X], d) for the rows [M B], M of n columns with M X = B and d its determinant times a number; d = 0 where M
    is singular. Rows are scaled to whole coefficients first, which changes no X.
    """
    rows, before = [_primitive(row) for row in table], fmpz_poly([1])
    for k in range(n):
        pivots = [i for i in range(k, n) if rows[i][k]]
        if not pivots:
            return rows, fmpz_poly([0])
        pivot = min(pivots, key=lambda i: rows[i][k].degree())
        rows[k], rows[pivot] = rows[pivot], rows[k]
        head = rows[k][k]
        for i, row in enumerate(rows):
            if i != k:
                factor = row[k]
                rows[i] = [
                    (head * x - factor * y) // before if factor and y else (head * x) // before if x else x
                    for x, y in zip(row, rows[k], strict=True)
                ]
        before = head
    return rows, before
