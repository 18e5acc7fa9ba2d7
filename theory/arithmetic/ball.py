"""Ball matrices (Arb, through python-flint): midpoints with radii that contain every rounding error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import chain
from typing import Any

import flint
import numpy as np
from flint import arb, arb_mat, fmpq

from tdcert.theory.arithmetic.rational import RationalMatrix, to_fmpq
from tdcert.theory.errors import SingularMatrixError


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Balls are computed with so many bits inside."""
    saved = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        yield
    finally:
        flint.ctx.prec = saved


class BallMatrix:
    """A real matrix known up to radii, behind the :class:`~tdcert.theory.arithmetic.protocol.Matrix` protocol.

    Every operation returns a matrix that contains all results on members of its operands. ``solve`` raises
    SingularMatrixError where the balls do not exclude a singular matrix.
    """

    __slots__ = ("balls",)

    balls: arb_mat

    def __init__(self, rows: Sequence[Sequence[Any]]) -> None:
        entries = [x if isinstance(x, arb) else arb(to_fmpq(x)) for row in rows for x in row]
        self.balls = arb_mat(len(rows), len(rows[0]) if rows else 0, entries)

    @classmethod
    def _of(cls, balls: arb_mat) -> BallMatrix:
        made = cls.__new__(cls)
        made.balls = balls
        return made

    @classmethod
    def enclosing(cls, matrix: RationalMatrix) -> BallMatrix:
        """The rational matrix, each entry in a ball."""
        return cls._of(arb_mat(matrix.numerator) / arb(matrix.denominator))

    @classmethod
    def combined(cls, parts: Sequence[tuple[fmpq, BallMatrix]]) -> BallMatrix:
        """Σ x W, of at least one pair (x, W)."""
        first, *others = (W.scaled(x) for x, W in parts)
        return sum(others, start=first)

    @classmethod
    def of_scalars(cls, entries: Sequence[Any], columns: int = 1) -> BallMatrix:
        """Row after row, from balls and scalars of python-flint."""
        balls = [x if isinstance(x, arb) else arb(x) for x in entries]
        return cls._of(arb_mat(len(balls) // columns if columns else 0, columns, balls))

    # ---- the protocol -------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        return self.balls.nrows(), self.balls.ncols()

    @property
    def T(self) -> BallMatrix:
        return self._of(self.balls.transpose())

    def __matmul__(self, other: BallMatrix) -> BallMatrix:
        return self._of(self.balls * other.balls)

    def __add__(self, other: BallMatrix) -> BallMatrix:
        return self._of(self.balls + other.balls)

    def __sub__(self, other: BallMatrix) -> BallMatrix:
        return self._of(self.balls - other.balls)

    def __neg__(self) -> BallMatrix:
        return self._of(-self.balls)

    def scaled(self, scalar: Fraction | int | fmpq | arb) -> BallMatrix:
        return self._of(self.balls * (scalar if isinstance(scalar, arb) else arb(to_fmpq(scalar))))

    def scale_rows(self, column: BallMatrix) -> BallMatrix:
        factors = [row[0] for row in column.rows]
        return BallMatrix([[f * x for x in row] for f, row in zip(factors, self.rows, strict=True)])

    def hadamard(self, other: BallMatrix) -> BallMatrix:
        if other.shape != self.shape:
            raise ValueError(f"hadamard needs equal shapes, got {self.shape} and {other.shape}")
        entries = [a * b for a, b in zip(self.balls.entries(), other.balls.entries(), strict=True)]
        return self._of(arb_mat(*self.shape, entries))

    def solve(self, right: BallMatrix) -> BallMatrix:
        try:
            return self._of(self.balls.solve(right.balls))
        except ZeroDivisionError as error:
            raise SingularMatrixError("the matrix of the linear system may be singular within its balls") from error

    @property
    def is_regular(self) -> bool:
        """Whether the balls exclude a singular matrix (n×n)."""
        try:
            self.solve(self.identity(self.shape[0]).take(columns=[0]))
        except SingularMatrixError:
            return False
        return True

    @property
    def nonzero_rows(self) -> set[int]:
        """The rows in which an entry may differ from zero."""
        return {i for i, row in enumerate(self.balls.table()) if not all(x == 0 for x in row)}

    def beside(self, *others: BallMatrix) -> BallMatrix:
        """``[self, others[0], others[1], …]``."""
        tables = zip(*(part.rows for part in (self, *others)), strict=True)
        return BallMatrix([list(chain(*rows)) for rows in tables])

    def identity(self, n: int) -> BallMatrix:
        return self.enclosing(RationalMatrix.zeros(n, n).identity(n))

    def from_rationals(self, rows: Sequence[Sequence[Fraction]]) -> BallMatrix:
        return BallMatrix(rows)

    # ---- parts and views ----------------------------------------------------------------------

    @property
    def rows(self) -> tuple[tuple[arb, ...], ...]:
        """All entries as balls."""
        return tuple(tuple(row) for row in self.balls.table())

    @property
    def scalars(self) -> list[list[arb]]:
        """All entries as balls, as :attr:`RationalMatrix.scalars`."""
        return list(map(list, self.balls.table()))

    def __getitem__(self, index: tuple[int, int]) -> arb:
        return self.balls[index]

    def take(self, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None) -> BallMatrix:
        """The submatrix with these rows and columns, in this order (None: all)."""
        row_index = range(self.shape[0]) if rows is None else rows
        column_index = range(self.shape[1]) if columns is None else columns
        table = self.balls.table()
        entries = [table[i][j] for i in row_index for j in column_index]
        return self._of(arb_mat(len(row_index), len(column_index), entries))

    def to_float(self) -> Any:
        """Midpoints, rounded to floats."""
        values = [[float(x.mid()) for x in row] for row in self.balls.table()]
        return np.array(values, dtype=np.float64).reshape(self.shape)

    def radius(self) -> Any:
        """How far an entry may lie from :meth:`to_float`, as floats rounded up (infinite where a ball is)."""
        offsets = [[(x - arb(float(x.mid()))).abs_upper() for x in row] for row in self.balls.table()]
        rounded = [[0.0 if x == 0 else float(np.nextafter(float(x), np.inf)) for x in row] for row in offsets]
        return np.array(rounded, dtype=np.float64).reshape(self.shape)

    def contains(self, matrix: RationalMatrix) -> bool:
        """Whether every entry of a rational matrix lies in its ball; exact, the balls being finite."""
        balls = zip(self.balls.entries(), (x for row in matrix.rows for x in row), strict=True)
        return all(abs(exact_value(ball.mid()) - x) <= exact_value(ball.rad()) for ball, x in balls)


def exact_value(point: arb) -> Fraction:
    """The rational value of an exact ball (radius zero)."""
    mantissa, exponent = point.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
