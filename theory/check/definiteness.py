r"""Is a symmetric rational matrix positive definite? Decided exactly, with a witness either way.

A float eigenvalue decomposition proposes; exact integers decide:

* **yes**: a :class:`Factor`. With a positive diagonal T (powers of two) and a lower-triangular integer matrix
  R over 2^k, the residual E = T S T − R Rᵀ is strictly diagonally dominant with positive diagonal. Then E is
  positive definite (Gershgorin), so is T S T = R Rᵀ + E (R Rᵀ is semidefinite), so is S (congruence).
  R is a rounded Cholesky factor of T S T − δI with δ about half the smallest eigenvalue, so E ≈ δI up to
  rounding. This is the method of verified Cholesky factorisations (S. M. Rump, *Verification of positive
  definiteness*, BIT 46, 2006) with the floating-point error replaced by an exact residual.
* **no**: a vector x ≠ 0 with xᵀSx ≤ 0, a rounded eigenvector accepted exactly.
* Margins too thin for floats: a singular S (first asked modulo a prime) has an exact kernel vector x, and xᵀSx = 0.
  Otherwise Cholesky factors in integers of 96, 192, 384, … bits decide: one that exists for T S T − δI gives R, the
  first pivot that is not positive gives a vector. Both are accepted exactly, so rounding never decides; for a
  nonsingular S some number of bits suffices. Beyond ``DEFINITE_WORK`` the answer is "undecided", never a guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, isqrt, log2
from operator import mul

import numpy as np
from flint import fmpz, fmpz_mat
from numpy.typing import NDArray

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.limits import DEFINITE_WORK, LimitError, raised

SMALL = 8
"""Largest matrices that are decided by their minors where no witness is wanted."""
BITS_LIMIT = 100_000
"""Longest factors that the independent checker reads."""


@dataclass(frozen=True)
class Factor:
    """Proof that a symmetric matrix is positive definite: see the module docstring."""

    scale: tuple[Fraction, ...]
    bits: int
    rows: tuple[tuple[int, ...], ...]

    @cached_property
    def as_witness(self) -> dict[str, object]:
        """The sub-witness ``factor`` of docs/certificates.md."""
        return {
            "scale": [str(t) for t in self.scale],
            "bits": self.bits,
            "rows": [[str(entry) for entry in row] for row in self.rows],
        }


@dataclass(frozen=True)
class Definiteness:
    """``positive`` True with a factor, False with a vector x ≠ 0, xᵀSx ≤ 0 (n×1)."""

    positive: bool
    factor: Factor | None = None
    vector: RationalMatrix | None = None


def decide_positive_definite(S: RationalMatrix) -> Definiteness:
    """Whether the symmetric matrix S (n×n) is positive definite.

    Raises :class:`BudgetExceededError` where it takes more bits than ``DEFINITE_WORK`` and :data:`BITS_LIMIT` allow.
    """
    n = S.shape[0]
    for i in range(n):
        if S.numerator[i, i] <= 0:
            return Definiteness(False, vector=_unit(n, i))
    scale = tuple(_power_of_two(S[i, i]) for i in range(n))
    column = RationalMatrix.column(scale)
    scaled = S.scale_rows(column).T.scale_rows(column)
    floats = scaled.to_float()
    if not np.all(np.isfinite(floats)):
        # The diagonal of T S T is at most 4, so this entry lies off it, and S_ii S_jj < S_ij². For
        # x = S_ii e_j − S_ij e_i the form is xᵀSx = S_ii (S_ii S_jj − S_ij²).
        i, j = (int(k) for k in np.unravel_index(np.argmax(np.abs(floats)), floats.shape))
        return Definiteness(False, vector=_unit(n, j).scaled(S[i, i]) - _unit(n, i).scaled(S[i, j]))
    eigenvalues, eigenvectors = np.linalg.eigh(floats)
    smallest = float(eigenvalues[0])
    noise = 8 * n * float(np.finfo(np.float64).eps) * float(max(eigenvalues[-1], -smallest))
    if smallest > 4 * noise:
        factor = _factor_from_floats(scaled, scale, floats, smallest)
        if factor is not None:
            return Definiteness(True, factor=factor)
    if smallest < noise:
        vector = _accepted_vector(S, _scaled_back(eigenvectors[:, 0], scale))
        if vector is not None:
            return Definiteness(False, vector=vector)
    return _decide_thin(S, scaled, scale)


def is_positive_definite(S: RationalMatrix) -> bool:
    """Whether the symmetric matrix S (n×n) is positive definite, without a witness; exact.

    A small matrix is decided by its leading minors, which must all be positive (Sylvester). A larger one is decided by
    :func:`decide_positive_definite`, and raises what that raises.
    """
    if S.shape[0] > SMALL:
        return decide_positive_definite(S).positive
    rows = S.numerator.table()
    before = fmpz(1)
    for k, top in enumerate(rows):  # Bareiss: the pivots are the leading minors, and divisions leave no rest
        if top[k] <= 0:
            return False
        for i in range(k + 1, len(rows)):
            rows[i] = [(x * top[k] - rows[i][k] * y) // before for x, y in zip(rows[i], top, strict=True)]
        before = top[k]
    return True


def accepts(S: RationalMatrix, factor: Factor) -> bool:
    """Whether the factor proves S positive definite: the exact residual test."""
    column = RationalMatrix.column(factor.scale)
    return _dominant(S.scale_rows(column).T.scale_rows(column), factor)


def _dominant(scaled: RationalMatrix, factor: Factor) -> bool:
    n = scaled.shape[0]
    R = fmpz_mat(n, n, [entry for row in factor.rows for entry in (*row, *[0] * (n - len(row)))])
    shift = fmpz(4) ** factor.bits
    residual = (scaled.numerator * shift - R * R.transpose() * scaled.denominator).table()
    sums = [sum((abs(entry) for entry in row), start=fmpz(0)) for row in residual]
    return all(2 * row[i] > total for i, (row, total) in enumerate(zip(residual, sums, strict=True)))


def _factor_from_floats(
    scaled: RationalMatrix, scale: tuple[Fraction, ...], floats: NDArray[np.float64], smallest: float
) -> Factor | None:
    n = scaled.shape[0]
    delta = smallest / 2
    # A rounding of 2^-bits in R changes a row of R Rᵀ by at most about 2 n^1.5 2^-bits in absolute sum.
    bits = max(8, ceil(log2(8 * n**1.5 / delta)))
    try:
        lower = np.linalg.cholesky(floats - delta * np.eye(n))
    except np.linalg.LinAlgError:
        return None
    if bits > 50:
        return None
    rounded = np.rint(np.ldexp(lower, bits))
    rows = tuple(tuple(int(rounded[i, j]) for j in range(i + 1)) for i in range(n))
    factor = Factor(scale, bits, rows)
    return factor if _dominant(scaled, factor) else None


def _scaled_back(vector: NDArray[np.float64], scale: tuple[Fraction, ...]) -> NDArray[np.float64]:
    """``T vector`` up to a factor that keeps it within the range of floats."""
    exponents = np.array([t.numerator.bit_length() - t.denominator.bit_length() for t in scale])
    top = np.max((exponents + np.frexp(vector)[1])[vector != 0])
    return np.asarray(np.ldexp(vector, exponents - top))


def _accepted_vector(S: RationalMatrix, direction: NDArray[np.float64]) -> RationalMatrix | None:
    """The coarsest rounding x of the direction with xᵀSx ≤ 0, if one is found."""
    vectors = roundings(direction, (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64, 256, 2**12, 2**20, 2**40))
    return next((x for x in vectors if not x.is_zero() and S.quadratic_form(x) <= 0), None)


def roundings(direction: NDArray[np.float64], steps: Iterable[int]) -> Iterator[RationalMatrix]:
    """Columns of whole numbers near a direction, the largest entry so many units, coarse ones first."""
    direction = direction / np.max(np.abs(direction))
    return (RationalMatrix.column([int(x) for x in np.rint(direction * k)]) for k in steps)


def _decide_thin(S: RationalMatrix, scaled: RationalMatrix, scale: tuple[Fraction, ...]) -> Definiteness:
    """Decides by a kernel vector, or by Cholesky factors in integers of more and more bits."""
    n = S.shape[0]
    null = S.null_vector() if scaled.rank < n else None
    if null is not None:
        return Definiteness(False, vector=null)
    bits = 96
    while bits <= min(BITS_LIMIT, raised(DEFINITE_WORK) // n**3):
        # δ = 2^(−bits/2) leaves rounding, some n·2^−bits in the residual, far below it.
        lower, failed = _integer_cholesky(scaled, bits, 1 << (2 * bits - bits // 2))
        if failed is None:
            factor = Factor(scale, bits, tuple(tuple(row) for row in lower))
            if _dominant(scaled, factor):
                return Definiteness(True, factor=factor)
        else:
            lower, failed = _integer_cholesky(scaled, bits, 0)
        if failed is not None:
            vector = _negative_vector(lower, failed, bits, scale)
            if S.quadratic_form(vector) <= 0:
                return Definiteness(False, vector=vector)
        bits *= 2
    said = f"the margin of a {n}×{n} matrix is too thin for the {bits // 2} bits that were tried"
    raise LimitError(said, bits * n**3 / DEFINITE_WORK) if bits <= BITS_LIMIT else BudgetExceededError(said)


def _integer_cholesky(S: RationalMatrix, bits: int, shift: int) -> tuple[list[list[int]], list[int] | None]:
    """Rows R with R Rᵀ ≈ 4^bits S − shift·I; and, where a pivot is not positive, the row begun there, else None."""
    common = int(S.denominator)
    rows: list[list[int]] = []
    for i, entries in enumerate(S.numerator.table()):
        row: list[int] = []
        for done, entry in zip(rows, entries, strict=False):
            target = (int(entry) << 2 * bits) // common
            row.append((target - sum(map(mul, done, row))) // done[-1])
        pivot = (int(entries[i]) << 2 * bits) // common - shift - sum(x * x for x in row)
        if pivot <= 0:
            return rows, row
        rows.append([*row, isqrt(pivot)])
    return rows, None


def _negative_vector(lower: list[list[int]], row: list[int], bits: int, scale: tuple[Fraction, ...]) -> RationalMatrix:
    """T(−R⁻ᵀ row, 1, 0, …), on which the form of S is about the pivot that was not positive."""
    x = [1 << bits]
    for j in range(len(row) - 1, -1, -1):
        below = [done[j] for done in lower[j + 1 :]]
        x.insert(0, -((row[j] << bits) + sum(map(mul, below, x))) // lower[j][j])
    padded = [*x, *[0] * (len(scale) - len(x))]
    return RationalMatrix.column([value * t for value, t in zip(padded, scale, strict=True)]).primitive()


def _power_of_two(diagonal: Fraction) -> Fraction:
    """A power of two near 1/√diagonal: T S T has diagonal entries between 1/4 and 4."""
    exponent = -round((diagonal.numerator.bit_length() - diagonal.denominator.bit_length()) / 2)
    return Fraction(2) ** exponent


def _unit(n: int, index: int) -> RationalMatrix:
    return RationalMatrix.column([int(i == index) for i in range(n)])


def largest_eigenvalue(S: RationalMatrix) -> Fraction:
    """An upper bound of the largest eigenvalue of a symmetric S (d×d), near it where it is not below zero; never below
    zero.
    """
    one = S.identity(S.shape[0])
    guess, slack = Fraction(float(np.linalg.eigvalsh(S.to_float())[-1])), Fraction(1, 2**30)
    for _ in range(60):
        bound = max(guess, Fraction(0)) * (1 + slack) + slack * Fraction(1, 2**30)
        if is_positive_definite(one.scaled(bound) - S):
            return bound
        slack *= 2
    return sum((abs(x) for row in S.rows for x in row), start=Fraction(0))
