r"""TDC at a fixed ratio η = β/α of its step sizes: for which η is the joint mean dynamics stable?

    (θ, w)' = J(η)(θ, w),   J(η) = [[A, −(Aᵀ + C)], [ηA, −ηC]].

The characteristic polynomial of J(η) has coefficients that are polynomials in η. As η moves, stability changes only
where an eigenvalue meets the imaginary axis: there the last-but-one Hurwitz determinant is zero (det J = ±ηᵈ(det A)²
is not). It is a polynomial in η, found exactly by interpolation; between its positive roots the verdict is constant,
and is decided at one rational η (:func:`tdcert.theory.check.stability.spectral_abscissa`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import flint
from flint import fmpq, fmpq_mat, fmpq_poly

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.ball import exact_value, precision
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.check.stability import spectral_abscissa
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.model.key_matrices import joint_matrix

LARGEST = 5
"""Features up to which the intervals are found (a polynomial of degree about 3d² in η)."""


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

    Raises :class:`BudgetExceededError` above :data:`LARGEST` features; the critical polynomial is not zero where A is
    nonsingular and C ≻ 0, since J(η) is then Hurwitz for large η.
    """
    d = A.shape[0]
    if d > LARGEST:
        raise BudgetExceededError(
            f"the intervals of the ratio are found for up to {LARGEST} features; the model has {d}"
        )
    # coefficient k has degree at most k in η, so the determinant of order 2d − 1 has at most Σ_{k<2d} k = d(2d − 1)
    degree = d * (2 * d - 1)
    values = [(Fraction(k + 1), hurwitz_determinant(joint_matrix(A, C, Fraction(k + 1)))) for k in range(degree + 1)]
    critical = interpolated(values)
    ends = positive_roots(critical)
    found = []
    for k in range(len(ends) + 1):
        left = ends[k - 1] if k else (Fraction(0), Fraction(0))
        right = ends[k] if k < len(ends) else None
        sample = simplest_between(left[1], right[0] if right is not None else left[1] + 2)
        found.append(RatioInterval(left, right, sample, is_stable(A, C, sample)))
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
    value = fmpq_mat(rows).det()
    return Fraction(int(value.p), int(value.q))


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
