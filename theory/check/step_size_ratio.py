r"""TDC at a fixed ratio η = β/α of its step sizes: for which η is the joint mean dynamics stable?

    (θ, w)' = J(η)(θ, w),   J(η) = [[A, −(Aᵀ + C)], [ηA, −ηC]].

The characteristic polynomial of J(η) has coefficients that are polynomials in η. As η moves, stability changes only
where an eigenvalue meets the imaginary axis: there the last-but-one Hurwitz determinant is zero (det J = ±ηᵈ(det A)²
is not). It is a polynomial in η, found exactly by interpolation; between its positive roots the verdict is constant,
and is decided at one rational η (:func:`tdcert.theory.check.stability.spectral_abscissa`).

With steps whose ratio varies, α_t ≤ εβ_t from some t on is enough for almost-sure convergence if ε is below
:class:`RatioBound`'s ε̄: V = |w − C⁻¹A(θ − θ*)|² + τ|θ − θ*|² then descends in the mean
(``theory/formal/time_scale_ratio_suffices.v``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isqrt
from typing import Any

import flint
from flint import fmpq, fmpq_mat, fmpq_poly

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.ball import exact_value, precision
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.check.stability import spectral_abscissa
from tdcert.theory.limits import RATIO_FEATURES, LimitError, raised
from tdcert.theory.model.key_matrices import joint_matrix


@dataclass(frozen=True)
class RatioBound:
    """ε̄ = 2c/(K₁²/(Bτ) + 2K₂), with K = C⁻¹A: c|x|² ≤ xᵀCx, B|x|² ≤ xᵀAᵀKx, |(KAᵀK − τ(A + C))ᵀx|² ≤ K₁²|x|² and
    xᵀK(Aᵀ + C)x ≤ K₂|x|². ``epsilon`` None: the denominator is not positive, so that every ratio will do."""

    c: Fraction
    B: Fraction
    tau: Fraction
    K1_squared: Fraction
    K2: Fraction

    @property
    def epsilon(self) -> Fraction | None:
        """ε̄ itself."""
        slope = self.K1_squared / (self.B * self.tau) + 2 * self.K2
        return 2 * self.c / slope if slope > 0 else None


def ratio_bound(A: RationalMatrix, C: RationalMatrix) -> RatioBound:
    """Bounds from A (nonsingular) and C (positive definite), exact; for one feature none of them is lossy.

    1/tr S⁻¹ is at most the least eigenvalue of S > 0; the largest of a symmetric S is at most its mean plus √(d − 1)
    times the standard deviation of its eigenvalues (Wolkowicz and Styan 1980); |X|² is at most the sum of squares of X.
    """
    d, identity = A.shape[0], A.identity(A.shape[0])
    K = C.solve(A)
    slow, cross, sums = A.T @ K, K @ A.T @ K, A + C
    S = (K @ (A.T + C)).symmetric_part()
    mean = S.trace() / d
    K2 = mean + root_above(Fraction(d - 1, d) * (squares(S) - d * mean**2))
    # K₁²/τ is least where τ is the root of this quotient
    tau = root_above(squares(cross) / squares(sums)) if squares(sums) else Fraction(1)
    K1_squared = squares(cross - sums.scaled(tau))
    return RatioBound(1 / C.solve(identity).trace(), 1 / slow.solve(identity).trace(), tau, K1_squared, K2)


def squares(X: RationalMatrix) -> Fraction:
    """Σ_ij X_ij²."""
    return sum((x * x for row in X.rows for x in row), start=Fraction(0))


def root_above(x: Fraction) -> Fraction:
    """A rational y ≥ √x, exact where √x is rational, else at most about a thousandth too large; x ≥ 0."""
    top, bottom = isqrt(x.numerator), isqrt(x.denominator)
    if top * top == x.numerator and bottom * bottom == x.denominator:
        return Fraction(top, bottom)
    shift = 10 + max(0, (x.denominator.bit_length() - x.numerator.bit_length()) // 2 + 1)
    return Fraction(isqrt(x.numerator * 4**shift // x.denominator) + 1, 2**shift)


@dataclass(frozen=True)
class RatioInterval:
    """An open interval of ratios between two consecutive critical ones (``right`` None: no end), and the verdict on it.

    The ends are rational enclosures of algebraic numbers: ``left`` and ``right`` are (lower, upper) pairs. ``sample``:
    the simplest ratio inside (for one without end, among those within 2 of its left end).
    """

    left: tuple[Fraction, Fraction]
    right: tuple[Fraction, Fraction] | None
    sample: Fraction
    stable: bool


def is_stable(A: RationalMatrix, C: RationalMatrix, eta: Fraction) -> bool:
    """Whether J(η) is Hurwitz; exact."""
    return spectral_abscissa(joint_matrix(A, C, eta), bits=8).sign < 0


def stable_intervals(A: RationalMatrix, C: RationalMatrix) -> list[RatioInterval]:
    """All intervals of η > 0 between critical ratios, each with its verdict.

    Raises :class:`BudgetExceededError` above :data:`RATIO_FEATURES` features; the critical polynomial is
    not zero where A is
    nonsingular and C ≻ 0, since J(η) is then Hurwitz for large η.
    """
    d = A.shape[0]
    if d > raised(RATIO_FEATURES):
        said = f"the intervals of the ratio are found for up to {raised(RATIO_FEATURES)} features; the model has {d}"
        raise LimitError(said, d / RATIO_FEATURES)
    # coefficient k has degree at most k in η, so the determinant of order 2d − 1 has at most Σ_{k<2d} k = d(2d − 1)
    degree = d * (2 * d - 1)
    values = [(Fraction(k + 1), hurwitz_determinant(joint_matrix(A, C, Fraction(k + 1)))) for k in range(degree + 1)]
    return between(interpolated(values), lambda eta: is_stable(A, C, eta))


def stable_ratios(slow: RationalMatrix, fast: RationalMatrix) -> list[RatioInterval]:
    """All intervals of η > 0 between critical ratios of J(η) = ``slow`` + η·``fast`` (m×m each), each with its verdict.

    Stability changes where the Hurwitz determinant of order m is zero, the one of order m − 1 times ±det J(η). Where
    that polynomial is zero no J(η) is Hurwitz. Raises :class:`BudgetExceededError` where m passes
    2·:data:`RATIO_FEATURES`.
    """
    m = slow.shape[0]
    most = 2 * RATIO_FEATURES
    if m > raised(most):
        said = f"the intervals of the ratio are found for up to {raised(most)} parameters; there are {m}"
        raise LimitError(said, m / most)

    def joint(eta: Fraction) -> RationalMatrix:
        return slow + fast.scaled(eta)

    # minors of order k have degree at most k in η
    values = []
    for k in range(m * (m + 1) // 2 + 1):
        J = joint(Fraction(k + 1))
        values.append((Fraction(k + 1), hurwitz_determinant(J) * J.determinant()))
    critical = interpolated(values)
    if critical.degree() < 0:
        return [RatioInterval((Fraction(0), Fraction(0)), None, Fraction(1), False)]
    return between(critical, lambda eta: spectral_abscissa(joint(eta), bits=8).sign < 0)


def between(critical: fmpq_poly, stable: Callable[[Fraction], bool]) -> list[RatioInterval]:
    """The intervals between the positive roots of a polynomial that is not zero, each decided at one ratio."""
    ends = positive_roots(critical)
    found = []
    for k in range(len(ends) + 1):
        left = ends[k - 1] if k else (Fraction(0), Fraction(0))
        right = ends[k] if k < len(ends) else None
        sample = simplest_between(left[1], right[0] if right is not None else left[1] + 2)
        found.append(RatioInterval(left, right, sample, stable(sample)))
    return found


def simplest_between(a: Fraction, b: Fraction) -> Fraction:
    """The fraction with the least denominator strictly between 0 ≤ a < b, the smallest of these."""
    whole = a.numerator // a.denominator
    if whole + 1 < b:
        return Fraction(whole + 1)
    # then b ≤ whole + 1, and x = whole + 1/y with y between 1/(b − whole) and 1/(a − whole)
    low = 1 / (b - whole)
    if a == whole:
        return whole + 1 / Fraction(low.numerator // low.denominator + 1)
    return whole + 1 / simplest_between(low, 1 / (a - whole))


def hurwitz_determinant(J: RationalMatrix) -> Fraction:
    """Hurwitz determinant of order m − 1 of the m×m matrix J: ±Π_{i<j}(λ_i + λ_j) over its eigenvalues (Orlando)."""
    m = J.shape[0]
    coefficients = [
        to_fmpq(Fraction(int(x), int(J.denominator) ** (m - k))) for k, x in enumerate(J.numerator.charpoly().coeffs())
    ]
    a = coefficients[::-1]  # a_0 = 1, …, a_m
    rows = [[a[2 * j - i + 1] if 0 <= 2 * j - i + 1 <= m else fmpq(0) for j in range(m - 1)] for i in range(m - 1)]
    return to_fraction(fmpq_mat(rows).det())


def interpolated(values: list[tuple[Fraction, Fraction]]) -> fmpq_poly:
    """The polynomial through these points (Newton)."""
    table = [to_fmpq(y) for _, y in values]
    x = [to_fmpq(x) for x, _ in values]
    for order in range(1, len(values)):
        for i in range(len(values) - 1, order - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (x[i] - x[i - order])
    total = fmpq_poly([table[-1]])
    for i in range(len(values) - 2, -1, -1):
        total = total * fmpq_poly([-x[i], 1]) + table[i]
    return total


def positive_roots(p: fmpq_poly) -> list[tuple[Fraction, Fraction]]:
    """Disjoint rational enclosures of the distinct positive roots, increasing."""
    integral = p.numer()
    working = 128
    while True:
        with precision(working):
            balls = [root for root, _ in list[Any](integral.complex_roots()) if root.imag == 0 and root.real > 0]
            ends = sorted((exact_value(x.real.lower()), exact_value(x.real.upper())) for x in balls)
            ends = [_outward(end) for end in ends]
            if all(a[1] < b[0] for a, b in pairwise([(Fraction(0), Fraction(0)), *ends])):
                return ends
        working *= 2


def _outward(end: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """A wider enclosure with short ends, at least half as precise (in bits) as the one given."""
    low, high = end
    width = max(high - low, Fraction(1, 2**flint.ctx.prec) * high)
    unit = Fraction(1, 2 ** max(0, (width.denominator.bit_length() - width.numerator.bit_length()) // 2))
    return low // unit * unit, -(-high // unit) * unit
