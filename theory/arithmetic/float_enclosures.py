r"""Float matrices that carry a bound of every rounding: midpoints and radii, for large dense models.

A matrix stands for all real matrices X̃ with |X̃ − X| ≤ R entry by entry: X the midpoints, R the radii, both float64.
Each operation returns midpoints and radii that enclose every result on members of its operands. What that rests on,
with u = 2⁻⁵³ (binary64, rounding to nearest) and γ_k = ku/(1 − ku):

1. One operation: fl(a ∘ b) = (a ∘ b)(1 + ε), |ε| ≤ u, plus at most 2⁻¹⁰⁷⁵ where a product falls below 2⁻¹⁰²²; sums
   never need the second term.
2. A product of matrices with inner length k: |fl(XY) − XY| ≤ γ_k |X||Y|, in whatever order the k products are added, by
   however many threads, with or without fused multiply-add: each product meets at most k roundings (Higham,
   *Accuracy and Stability of Numerical Algorithms*, §3.1 and §3.5). It holds for conventional multiplication, as BLAS
   libraries do it, not for Strassen's.
3. Members instead of midpoints: |X̃Ỹ − XY| ≤ |X| R_Y + R_X |Y| + R_X R_Y.
4. Radii are computed in floats too, from non-negative numbers by sums and products alone: after m roundings the true
   value is at most (1 − u)⁻ᵐ times the computed one, and :func:`_up` multiplies by more than that.
5. Underflow: the smallest non-zero factors are looked at first. If none is below 2⁻⁴⁵⁰ nothing can underflow; else a
   term covers what all products together could lose, each at most 2⁻¹⁰⁷⁴ times a factor that was multiplied later.
6. Overflow leaves infinite radii: such a matrix says nothing, and nothing is concluded from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdcert.theory.arithmetic.rational import RationalMatrix
from tdcert.theory.errors import SingularMatrixError

Floats = NDArray[np.float64]

UNIT = 2.0**-53
"""u: the largest relative error of one rounding."""
_SMALL = 2.0**-450
_LOST = 2.0**-1021
"""More than what one underflow can lose, inflated by rule 4; a power of two times u above the smallest float."""


def round_up(value: Fraction) -> float:
    """A float that is not below the rational value."""
    return float(np.nextafter(float(value), np.inf))


@cache
def gamma(k: int) -> float:
    """γ_k = ku/(1 − ku), rounded up: k roundings in a row change a product by at most this factor."""
    return round_up(Fraction(k, 2**53 - k))


def _up(value: Floats, roundings: int) -> Floats:
    """An upper bound of a non-negative expression that was computed with so many roundings (rule 4).

    fl(x f) ≥ x f (1 − u) ≥ x (1 − u)⁻ᵐ for f ≥ 1 + γ_{m+1}.
    """
    return np.asarray(value * (1.0 + gamma(roundings + 2)), dtype=np.float64)


def _has_small(values: Floats) -> bool:
    """Whether some positive entry is below :data:`_SMALL`."""
    return bool(((values < _SMALL) & (values > 0)).any())


def _lost(count: int, *factors: Floats) -> float:
    """What sums of ``count`` products of two such factors can lose to underflow (rule 5): mostly nothing."""
    if not any(map(_has_small, factors)):
        return 0.0
    largest = max(float(np.max(values, initial=1.0)) for values in factors)
    return count * len(factors) * _LOST * max(largest, 1.0)


class MidRadMatrix:
    """Midpoints and radii behind the :class:`~tdcert.theory.arithmetic.protocol.Matrix` protocol (see the module's
    rules).

    ``mid`` and ``rad``: float64 arrays of one shape (rows, columns), ``rad`` ≥ 0. ``solve`` raises
    SingularMatrixError where the radii do not exclude a singular matrix.
    """

    mid: Floats
    rad: Floats

    def __init__(self, mid: Floats, rad: Floats | float = 0.0) -> None:
        midpoints = np.ascontiguousarray(mid, dtype=np.float64)
        radii = np.asarray(rad, dtype=np.float64)
        if radii.shape != midpoints.shape:
            radii = np.broadcast_to(radii, midpoints.shape)
        finite = np.isfinite(midpoints) & np.isfinite(radii)
        if not finite.all():
            midpoints, radii = np.where(finite, midpoints, 0.0), np.where(finite, radii, np.inf)
        self.mid, self.rad = midpoints, radii

    @classmethod
    def enclosing(cls, matrix: RationalMatrix) -> MidRadMatrix:
        """The rational matrix: nearest floats, each wrong by at most u of itself, or by underflow."""
        mid = _quotients(matrix)
        if int(matrix.denominator) == 1 and bool(np.all(np.abs(mid) <= 2.0**53)):
            return cls(mid)
        small = np.abs(mid) < _SMALL
        if small.any() and 1 / int(matrix.denominator) < _SMALL:  # else they are zeros, and have no radius
            exact_zero = np.array([entry == 0 for entry in matrix.numerator.entries()]).reshape(mid.shape)
            return cls(mid, np.where(exact_zero, 0.0, np.where(small, _LOST + 0 * mid, 0.0) + _nearest(mid)))
        return cls(mid, _nearest(mid))

    # ---- the protocol -------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.mid.shape
        return rows, columns

    @property
    def T(self) -> MidRadMatrix:
        return MidRadMatrix(self.mid.T, self.rad.T)

    def __matmul__(self, other: MidRadMatrix) -> MidRadMatrix:
        """Rules 2 and 3.

        Where both radii are small multiples of the midpoints, |X̃Ỹ − XY| ≤ (ρ + σ + ρσ)|X||Y| spares the products of
        radii, and |X||Y| is XY itself for non-negative midpoints: a power of a kernel costs one multiplication.
        """
        k = self.shape[1]
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            mid = self.mid @ other.mid
            X, Y = np.abs(self.mid), np.abs(other.mid)
            rounding, few = gamma(k), 16 * gamma(k + 1)
            rho, sigma = self.relative, other.relative
            lost = _lost(k, X, Y, self.rad, other.rad)
            if rho <= few and sigma <= few:
                product = mid if self.is_nonnegative and other.is_nonnegative else X @ Y
                rad = _up(product * (rounding + rho + sigma + rho * sigma), k + 5)
            elif rho <= few:
                inner = Y * (rounding + rho) + other.rad * (1.0 + rho)
                rad = _up(X @ inner, k + 4)
            elif sigma <= few:
                inner = X * (rounding + sigma) + self.rad * (1.0 + sigma)
                rad = _up(inner @ Y, k + 4)
            else:
                left, right = Y * rounding + other.rad, Y + other.rad
                rad = _up(X @ left + self.rad @ right, k + 3)
            return MidRadMatrix(mid, _up(rad + lost, 1) if lost else rad)

    def __add__(self, other: MidRadMatrix) -> MidRadMatrix:
        with np.errstate(over="ignore"):
            return self._rounded_sum(self.mid + other.mid, other.rad)

    def __sub__(self, other: MidRadMatrix) -> MidRadMatrix:
        with np.errstate(over="ignore"):
            return self._rounded_sum(self.mid - other.mid, other.rad)

    def __neg__(self) -> MidRadMatrix:
        return MidRadMatrix(-self.mid, self.rad)

    def _rounded_sum(self, mid: Floats, rad: Floats) -> MidRadMatrix:
        # |fl(a + b) − (a + b)| ≤ u |fl(a + b)| as well. Where u|fl(a + b)| falls below 2⁻¹⁰²² the sum had no error
        # above what is added here.
        rounding = np.abs(mid) * UNIT
        if _has_small(np.abs(mid)):
            rounding = rounding + _LOST * (mid != 0)
        return MidRadMatrix(mid, _up(self.rad + rad + rounding, 3))

    def scaled(self, scalar: Fraction | int) -> MidRadMatrix:
        exact = Fraction(scalar)
        nearest = float(exact)
        wrong = 0.0 if Fraction(nearest) == exact else round_up(abs(Fraction(nearest) - exact))
        return self._times(np.full((1, 1), nearest), np.full((1, 1), wrong))

    def scale_rows(self, column: MidRadMatrix) -> MidRadMatrix:
        return self._times(column.mid, column.rad)

    def hadamard(self, other: MidRadMatrix) -> MidRadMatrix:
        if other.shape != self.shape:
            raise ValueError(f"hadamard needs equal shapes, got {self.shape} and {other.shape}")
        return self._times(other.mid, other.rad)

    def _times(self, mid: Floats, rad: Floats) -> MidRadMatrix:
        """Entry-wise product with factors of this or a broadcast shape: rules 1 and 3."""
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            if not rad.any() and bool(np.all((mid == 0) | (np.abs(mid) == 1))):
                return MidRadMatrix(self.mid * mid, self.rad * np.abs(mid))
            product = self.mid * mid
            X, Y = np.abs(self.mid), np.abs(mid)
            lost = _lost(1, X, Y, self.rad, rad)
            radii = np.abs(product) * UNIT + self.rad * Y + (X + self.rad) * rad
            if lost:
                touched = ((X > 0) | (self.rad > 0)) & ((Y > 0) | (rad > 0))
                radii = radii + lost * touched
            return MidRadMatrix(product, _up(radii, 6))

    def solve(self, right: MidRadMatrix) -> MidRadMatrix:
        """All X̃ with B̃X̃ = c̃, B̃ and c̃ members of self and right.

        R: any approximate inverse of the midpoints; G = I − RB̃. Where q = ‖G‖_∞ < 1 every B̃ is nonsingular, and for
        any x̂, with z = R(c̃ − B̃x̂),

            X̃ − x̂ = (I − G)⁻¹ z = z + G (I − G)⁻¹ z,   |X̃ − x̂| ≤ |z| + (Σ_j |G_ij|) ‖z‖_∞ / (1 − q).
        """
        inverse = self.approximate_inverse
        start = MidRadMatrix(inverse) @ right
        x = start.mid
        x = x + inverse @ self._defect(x, right).mid  # one step of refinement; any x̂ will do
        distance = (MidRadMatrix(inverse) @ self._defect(x, right)).largest
        rows = self.inverse_residual
        q = float(np.max(rows, initial=0.0))
        # 1 − q is computed with one rounding: _up covers it with the other operations.
        spread = rows[:, None] * (np.max(distance, axis=0, initial=0.0)[None, :] / (1.0 - q))
        return MidRadMatrix(x, _up(distance + spread + 2.0**-1000 * (spread > 0), 6))

    def _defect(self, x: Floats, right: MidRadMatrix) -> MidRadMatrix:
        """c̃ − B̃x for a float x. A few columns are summed in the machine's longer floats, with their own unit v:
        |fl(c − Bx) − (c − Bx)| ≤ γ_{k+1}(v) (|c| + |B||x|), then one rounding to 53 bits. Only IEEE formats will do (64
        or 113 bits), not pairs of floats.
        """
        k = self.shape[1]
        if x.shape[1] > 4 or np.finfo(np.longdouble).nmant not in (63, 112):
            return right - self @ MidRadMatrix(x)
        v = Fraction(float(np.finfo(np.longdouble).eps)) / 2
        rounding = round_up((k + 1) * v / (1 - (k + 1) * v))
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            mid = (right.mid - self.mid.astype(np.longdouble) @ x.astype(np.longdouble)).astype(np.float64)
            X = np.abs(x)
            size = np.abs(self.mid) @ X
            rad = self.rad @ X + right.rad + rounding * (size + np.abs(right.mid)) + np.abs(mid) * UNIT
            lost = _lost(k + 1, np.abs(self.mid), self.rad, X, np.abs(mid))
            return MidRadMatrix(mid, _up(rad + lost, k + 6))

    def block(self, *, right: MidRadMatrix, below: MidRadMatrix, corner: MidRadMatrix) -> MidRadMatrix:
        """``[[self, right], [below, corner]]``."""
        parts = [[self, right], [below, corner]]
        return MidRadMatrix(
            np.block([[x.mid for x in row] for row in parts]), np.block([[x.rad for x in row] for row in parts])
        )

    def beside(self, *others: MidRadMatrix) -> MidRadMatrix:
        """``[self, others[0], others[1], …]``."""
        parts = (self, *others)
        return MidRadMatrix(np.hstack([x.mid for x in parts]), np.hstack([x.rad for x in parts]))

    def identity(self, n: int) -> MidRadMatrix:
        return MidRadMatrix(np.eye(n))

    def from_rationals(self, rows: Sequence[Sequence[Fraction]]) -> MidRadMatrix:
        return MidRadMatrix.enclosing(RationalMatrix(rows))

    # ---- parts and views ----------------------------------------------------------------------

    @cached_property
    def approximate_inverse(self) -> Floats:
        """R with ‖I − RB̃‖_∞ < 1 for every member B̃ of self (n×n), which shows that none is singular.

        Raises SingularMatrixError where none was found.
        """
        try:
            inverse = np.asarray(np.linalg.inv(self.mid), dtype=np.float64)
        except np.linalg.LinAlgError as error:
            raise SingularMatrixError("the midpoint matrix of the linear system is singular in floats") from error
        norms = (MidRadMatrix(np.eye(self.shape[0])) - MidRadMatrix(inverse) @ self).row_sums
        if not float(np.max(norms, initial=0.0)) < 1.0:
            raise SingularMatrixError("the matrix of the linear system may be singular within its radii")
        self.inverse_residual = norms
        return inverse

    @property
    def is_regular(self) -> bool:
        """Whether the radii exclude a singular matrix (n×n)."""
        try:
            _ = self.approximate_inverse
        except SingularMatrixError:
            return False
        return True

    @property
    def nonzero_rows(self) -> set[int]:
        """The rows in which an entry may differ from zero."""
        return set(np.flatnonzero(((self.mid != 0) | (self.rad > 0)).any(axis=1)).tolist())

    inverse_residual: Floats
    """Upper bounds of Σ_j |I − RB̃|_ij, known once :attr:`approximate_inverse` is."""

    @cached_property
    def relative(self) -> float:
        """The least ρ with R ≤ ρ|X| entry by entry, rounded up; infinite where a zero has a radius."""
        X = np.abs(self.mid)
        if bool(np.any((X == 0) & (self.rad > 0))):
            return float("inf")
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratios = np.where(X > 0, self.rad / X, 0.0)
        return float(np.max(ratios, initial=0.0)) * (1.0 + 4 * UNIT) + (_LOST if self.rad.any() else 0.0)

    @cached_property
    def is_nonnegative(self) -> bool:
        """Whether no midpoint is negative."""
        return bool(np.all(self.mid >= 0))

    @property
    def largest(self) -> Floats:
        """|X| + R, rounded up: no member exceeds it in absolute value."""
        return _up(np.abs(self.mid) + self.rad, 1)

    @property
    def row_sums(self) -> Floats:
        """Upper bounds of Σ_j |X̃_ij|, one per row."""
        return _up(np.sum(np.abs(self.mid) + self.rad, axis=1), self.shape[1] + 1)

    @property
    def lower(self) -> Floats:
        """A float below every member, entry by entry."""
        return np.nextafter(self.mid - self.rad, -np.inf)

    @property
    def upper(self) -> Floats:
        """A float above every member, entry by entry."""
        return np.nextafter(self.mid + self.rad, np.inf)

    def take(self, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None) -> MidRadMatrix:
        """The submatrix with these rows and columns, in this order (None: all)."""
        r = np.arange(self.shape[0]) if rows is None else np.asarray(rows, dtype=np.intp)
        c = np.arange(self.shape[1]) if columns is None else np.asarray(columns, dtype=np.intp)
        place = np.ix_(r, c)
        return MidRadMatrix(self.mid[place], self.rad[place])

    def symmetric_part(self) -> MidRadMatrix:
        """``(self + self.T) / 2``."""
        return (self + self.T).scaled(Fraction(1, 2))

    def contains(self, matrix: RationalMatrix) -> bool:
        """Whether a rational matrix of the same shape is a member, decided in exact arithmetic."""
        entries = (x for row in matrix.rows for x in row)
        pairs = zip(self.mid.ravel(), self.rad.ravel(), entries, strict=True)
        return all(r == np.inf or abs(Fraction(float(m)) - x) <= Fraction(float(r)) for m, r, x in pairs)

    def to_float(self) -> Any:
        """The midpoints."""
        return self.mid

    def radius(self) -> Any:
        """The radii."""
        return self.rad


def _quotients(matrix: RationalMatrix) -> Floats:
    """The nearest floats of a rational matrix, infinite beyond their range."""
    denominator = int(matrix.denominator)
    try:
        values = [int(entry) / denominator if entry else 0.0 for entry in matrix.numerator.entries()]
    except OverflowError:
        return np.asarray(matrix.to_float(), dtype=np.float64)
    return np.array(values, dtype=np.float64).reshape(matrix.shape)


def _nearest(mid: Floats) -> Floats:
    """How far a number may lie from its nearest float, barring underflow."""
    return np.asarray(np.abs(mid) * (UNIT * (1.0 + 4 * UNIT)), dtype=np.float64)
