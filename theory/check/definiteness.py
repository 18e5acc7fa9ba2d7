r"""Is a symmetric rational matrix positive definite? Decided exactly, with a witness either way.

Search dirty, check clean. A float eigenvalue decomposition proposes; exact integers decide:

* **yes**: a :class:`Factor`. With a positive diagonal T (powers of two) and a lower-triangular integer matrix
  R over 2^k, the residual E = T S T − R Rᵀ is strictly diagonally dominant with positive diagonal. Then E is
  positive definite (Gershgorin), so is T S T = R Rᵀ + E (R Rᵀ is semidefinite), so is S (congruence).
  R is a rounded Cholesky factor of T S T − δI with δ about half the smallest eigenvalue, so E ≈ δI up to
  rounding. This is the method of verified Cholesky factorisations (S. M. Rump, *Verification of positive
  definiteness*, BIT 46, 2006) with the floating-point error replaced by an exact residual.
* **no**: a vector x ≠ 0 with xᵀSx ≤ 0, a rounded eigenvector accepted exactly.
* Margins too thin for floats go to an exact LDLᵀ elimination, which always decides: its first non-positive
  pivot gives the vector, and if all are positive, its rounding at enough bits gives the factor. Beyond
  :data:`EXACT_LIMIT` rows the answer is then "undecided", never a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, gcd, isqrt, lcm, log2

import numpy as np
from flint import fmpq, fmpz, fmpz_mat
from numpy.typing import NDArray

from theory.arithmetic import RationalMatrix
from theory.errors import BudgetExceededError

EXACT_LIMIT = 60
"""Largest size for exact LDLᵀ elimination (seconds; digits grow with the size)."""


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

    Raises :class:`BudgetExceededError` where floats cannot tell and S is too large for exact elimination.
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
    if n > EXACT_LIMIT:
        raise BudgetExceededError(
            f"the smallest eigenvalue of the scaled {n}×{n} matrix is about {smallest:.1e}: too thin for 53 "
            f"bits, and exact elimination is limited to {EXACT_LIMIT} rows"
        )
    return _decide_by_elimination(S, scaled, scale)


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
    direction = direction / np.max(np.abs(direction))
    for steps in (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64, 256, 2**12, 2**20, 2**40):
        rounded = [int(x) for x in np.rint(direction * steps)]
        if any(rounded):
            vector = RationalMatrix.column(rounded)
            if S.quadratic_form(vector) <= 0:
                return vector
    return None


def _decide_by_elimination(
    S: RationalMatrix, scaled: RationalMatrix, scale: tuple[Fraction, ...]
) -> Definiteness:
    pivots, lower = _ldl(scaled)
    n = S.shape[0]
    if len(pivots) < n or pivots[-1] <= 0:
        # With all earlier pivots positive, xᵀ(TST)x is the last pivot for x = L^{-T} e_k.
        k = len(pivots) - 1
        x = [fmpq(0)] * n
        x[k] = fmpq(1)
        for i in range(k - 1, -1, -1):
            x[i] = -sum((lower[j][i] * x[j] for j in range(i + 1, k + 1)), start=fmpq(0))
        entries = [Fraction(int(v.p), int(v.q)) * t for v, t in zip(x, scale, strict=True)]
        return Definiteness(False, vector=_primitive(entries))
    bits = 64
    while True:
        delta = Fraction(1, 2 ** (bits // 2))
        shifted = scaled - scaled.identity(n).scaled(delta)
        shifted_pivots, shifted_lower = _ldl(shifted)
        if len(shifted_pivots) == n and shifted_pivots[-1] > 0:
            roots = [_root(p, bits) for p in shifted_pivots]
            rows = tuple(
                tuple(_round(shifted_lower[i][j] * roots[j]) if j < i else roots[i] for j in range(i + 1))
                for i in range(n)
            )
            factor = Factor(scale, bits, rows)
            if _dominant(scaled, factor):
                return Definiteness(True, factor=factor)
        bits *= 2  # ends: S is positive definite, so some δ > 0 and some precision suffice


def _ldl(S: RationalMatrix) -> tuple[list[fmpq], list[list[fmpq]]]:
    """Pivots and unit lower factor of S = L diag(p) Lᵀ, up to and including the first non-positive pivot."""
    n = S.shape[0]
    work = [[fmpq(entry, S.denominator) for entry in row] for row in S.numerator.table()]
    lower = [[fmpq(int(i == j)) for j in range(n)] for i in range(n)]
    pivots: list[fmpq] = []
    for k in range(n):
        pivots.append(work[k][k])
        if pivots[-1] <= 0:
            break
        for i in range(k + 1, n):
            lower[i][k] = work[i][k] / pivots[k]
        for i in range(k + 1, n):
            factor = lower[i][k]
            if factor != 0:
                for j in range(k + 1, i + 1):
                    work[i][j] -= factor * work[j][k]
        for i in range(k + 1, n):
            for j in range(i + 1, n):
                work[i][j] = work[j][i]
    return pivots, lower


def _root(value: fmpq, bits: int) -> int:
    """round(√value · 2^bits) up to one unit."""
    return isqrt((int(value.p) << (2 * bits)) // int(value.q))


def _round(value: fmpq) -> int:
    return int((2 * value.p + value.q) // (2 * value.q))


def _power_of_two(diagonal: Fraction) -> Fraction:
    """A power of two near 1/√diagonal: T S T has diagonal entries between 1/4 and 4."""
    exponent = -round((diagonal.numerator.bit_length() - diagonal.denominator.bit_length()) / 2)
    return Fraction(2) ** exponent


def _unit(n: int, index: int) -> RationalMatrix:
    return RationalMatrix.column([int(i == index) for i in range(n)])


def _primitive(entries: Sequence[Fraction]) -> RationalMatrix:
    """The shortest integer multiple of a rational vector."""
    common = lcm(*(entry.denominator for entry in entries))
    integers = [int(entry * common) for entry in entries]
    content = gcd(*integers)
    return RationalMatrix.column([entry // content for entry in integers])
