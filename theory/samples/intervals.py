r"""Matrices of intervals with rational ends, and expectations over sets of rows.

With p a law of row s, x_j in [l_j, u_j] and p ≥ 0, the mean Σ p_j x_j lies between the least Σ p_j l_j and the largest
Σ p_j u_j over the row's set; both are found exactly (:meth:`~tdcert.theory.samples.row_set.RowSet.most`), so that
Σ p_j = 1 is used. :class:`RowKernel` applies a discounted kernel in this way, so Horner's rules of
:mod:`tdcert.theory.model.key_matrices` run on intervals unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.samples.row_set import RowSet

GRID = 2**60
"""Ends are rounded outward to multiples of 1/GRID after each product, or their denominators would grow with λ's."""

Rows = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class IntervalMatrix:
    """All matrices between ``lower`` and ``upper`` (n×d, entry by entry)."""

    lower: Rows
    upper: Rows

    def __post_init__(self) -> None:
        pairs = [(a, b) for x, y in zip(self.lower, self.upper, strict=True) for a, b in zip(x, y, strict=True)]
        if any(a > b for a, b in pairs):
            raise ValueError("a lower end lies above its upper end")

    @staticmethod
    def around(matrix: RationalMatrix) -> IntervalMatrix:
        """One matrix."""
        return IntervalMatrix(matrix.rows, matrix.rows)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.lower), len(self.lower[0])

    @property
    def middle(self) -> RationalMatrix:
        """The midpoints."""
        return _each(lambda a, b: (a + b) / 2, self.lower, self.upper)

    @property
    def radius(self) -> RationalMatrix:
        """Half of the widths."""
        return _each(lambda a, b: (b - a) / 2, self.lower, self.upper)

    def __add__(self, other: IntervalMatrix) -> IntervalMatrix:
        return IntervalMatrix(_sum(self.lower, other.lower), _sum(self.upper, other.upper))

    def __sub__(self, other: IntervalMatrix) -> IntervalMatrix:
        return self + other.scaled(Fraction(-1))

    def scaled(self, x: Fraction) -> IntervalMatrix:
        """``x · self``."""
        ends = [tuple(tuple(x * entry for entry in row) for row in end) for end in (self.lower, self.upper)]
        return IntervalMatrix(*ends) if x >= 0 else IntervalMatrix(ends[1], ends[0])

    def contains(self, matrix: RationalMatrix) -> bool:
        """Whether a matrix lies between the ends."""
        rows = zip(self.lower, matrix.rows, self.upper, strict=True)
        return all(a <= x <= b for lows, row, highs in rows for a, x, b in zip(lows, row, highs, strict=True))


def _each(made: Callable[[Fraction, Fraction], Fraction], left: Rows, right: Rows) -> RationalMatrix:
    return RationalMatrix([[made(a, b) for a, b in zip(x, y, strict=True)] for x, y in zip(left, right, strict=True)])


def _sum(left: Rows, right: Rows) -> Rows:
    return tuple(tuple(a + b for a, b in zip(x, y, strict=True)) for x, y in zip(left, right, strict=True))


def rounded_down(x: Fraction) -> Fraction:
    """The largest multiple of 1/GRID that is not above x."""
    return Fraction(floor(x * GRID), GRID)


def rounded_up(x: Fraction) -> Fraction:
    """The smallest multiple of 1/GRID that is not below x."""
    return Fraction(ceil(x * GRID), GRID)


@dataclass(frozen=True)
class RowKernel:
    """N = Σ_a w(a|s) P_a, times a factor for each row, of which only the sets of its rows are known.

    ``rows``: for each of the n states, one set per action; ``weights``: w(a|s) ≥ 0, n×m; ``factors``: the discount of
    each state left, n numbers in [0, 1]. ``corners``: for each state the corners of the set of its weights, where these
    are not known.
    """

    rows: tuple[tuple[RowSet, ...], ...]
    weights: Rows
    factors: tuple[Fraction, ...]
    corners: tuple[Rows, ...] | None = None

    def __matmul__(self, X: IntervalMatrix) -> IntervalMatrix:
        """A box that holds N X for every kernel of the sets and every member of X."""
        low, high = (tuple(zip(*end, strict=True)) for end in (X.lower, X.upper))  # by columns
        lower = tuple(tuple(rounded_down(self.least(s, column)) for column in low) for s in range(len(self.rows)))
        upper = tuple(tuple(rounded_up(self.most(s, column)) for column in high) for s in range(len(self.rows)))
        return IntervalMatrix(lower, upper)

    def most(self, s: int, values: Sequence[Fraction]) -> Fraction:
        """An upper bound of row s of N times ``values``."""
        if self.factors[s] == 0:
            return Fraction(0)
        known = (self.weights[s],) if self.corners is None else self.corners[s]
        most = [row.most(values) if any(w[a] for w in known) else Fraction(0) for a, row in enumerate(self.rows[s])]
        return self.factors[s] * max(
            sum((w * x for w, x in zip(law, most, strict=True) if w), start=Fraction(0)) for law in known
        )

    def least(self, s: int, values: Sequence[Fraction]) -> Fraction:
        """A lower bound of it."""
        return -self.most(s, [-x for x in values])
