r"""Definiteness, rank and regularity of enclosed matrices: a float proposes, a bound decides.

A symmetric S known up to radii is positive definite (every symmetric member of it) if for some matrix R, whatever
computed it,

    F = S − RᵀR   has   F_ii > Σ_{j≠i} |F_ij|   in every row:

S is then the sum of a positive semidefinite matrix and a strictly diagonally dominant one. R is the Cholesky factor, in
floats, of S − cI, with c a little more than what the rounding of RᵀR and the radii can add up to in a row (the shift of
Rump, *Verification of positive definiteness*, BIT 46, 2006; the residual is formed here, so that nothing is assumed
about how the factor was computed). S is scaled to a diagonal near one first, by powers of two.

It is not positive definite if xᵀSx ≤ 0 for some x ≠ 0, every rounding of xᵀSx counted.

Balls with more bits: S is positive definite exactly if a leading block B is, and the Schur complement S' − EᵀB⁻¹E of
it; halved until one number is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log2
from typing import Any

import numpy as np
import scipy

from tdcert.theory.arithmetic import BallMatrix
from tdcert.theory.arithmetic.float_enclosures import UNIT, Floats, MidRadMatrix, gamma
from tdcert.theory.errors import SingularMatrixError

Enclosed = MidRadMatrix | BallMatrix

FLOAT_BITS = 53
SMALL = 200
"""Columns up to which a triangular system is solved without SciPy, whose import takes longer."""
MOST_BITS = 2**13
"""No more bits than these are named as what to try next: what they leave open is singular, for all one knows."""


@dataclass(frozen=True)
class Conclusion:
    """Whether a statement about every member of an enclosed matrix holds; None: not decided.

    ``precision_needed``: where not decided, the bits to compute with next; None where more bits do not help.
    """

    holds: bool | None
    why: str
    precision_needed: int | None = None

    def __post_init__(self) -> None:
        if self.holds is not None and self.precision_needed is not None:
            raise ValueError("a decision that was made names a precision to try next")


def next_bits(bits: int) -> int | None:
    """Twice as many, as long as that may help."""
    return 2 * bits if 2 * bits <= MOST_BITS else None


def positive_definite(S: Enclosed, name: str, bits: int = FLOAT_BITS) -> Conclusion:
    """Whether the symmetric part of S (n×n) is positive definite; ``name`` is what the sentence calls it."""
    if isinstance(S, BallMatrix):
        return _by_balls((S + S.T).scaled(Fraction(1, 2)), name, bits)
    return _by_floats(S.symmetric_part(), name)


def _by_floats(S: MidRadMatrix, name: str) -> Conclusion:
    n = S.shape[0]
    diagonal = S.mid.diagonal()
    if not np.all(np.isfinite(S.rad)):
        return Conclusion(None, f"{name} left the range of floats", 2 * FLOAT_BITS)
    worst = int(np.argmin(S.upper.diagonal()))
    if S.upper[worst, worst] <= 0:
        return Conclusion(False, f"{name} has the diagonal entry {worst + 1} at most zero")
    if np.min(diagonal) <= 0:
        return Conclusion(None, f"the sign of a diagonal entry of {name} is not known", 2 * FLOAT_BITS)
    powers = np.exp2(-np.rint(np.log2(diagonal) / 2))
    T = S.hadamard(MidRadMatrix(np.outer(powers, powers)))
    noise = float(np.max(np.sum(T.rad, axis=1))) + gamma(n + 4) * n * 2.0 + 8 * n * UNIT
    shift = 1.5 * noise
    if shift < 1 and dominant_remainder(T, shift):
        return Conclusion(True, f"{name} is positive definite: it has a verified factor")
    return _by_direction(T, name, noise)


def dominant_remainder(T: MidRadMatrix, shift: float) -> bool:
    """Whether T − RᵀR is strictly diagonally dominant for R the float Cholesky factor of T − shift·I."""
    try:
        R = np.asarray(np.linalg.cholesky(T.mid - shift * np.eye(T.shape[0])).T, dtype=np.float64)
    except np.linalg.LinAlgError:
        return False
    factor = MidRadMatrix(R)
    F = T - factor.T @ factor
    off = MidRadMatrix(F.mid - np.diag(F.mid.diagonal()), F.rad - np.diag(F.rad.diagonal()))
    return bool(np.all(F.lower.diagonal() > off.row_sums))


def _by_direction(T: MidRadMatrix, name: str, noise: float) -> Conclusion:
    """An x with xᵀTx ≤ 0, or how many bits would tell: those by which the noise exceeds the smallest eigenvalue."""
    n = T.shape[0]
    direction = _lowest(T.mid)
    x = MidRadMatrix(direction / np.linalg.norm(direction))
    form = x.T @ (T @ x)
    if form.upper[0, 0] <= 0:
        return Conclusion(False, f"xᵀSx ≤ 0 for an x ≠ 0 and S = {name}")
    value, blur = float(form.mid[0, 0]), 16 * n * UNIT
    smallest = abs(value)
    if smallest <= blur:
        return Conclusion(
            None,
            f"{name} is singular to working precision: if it is singular, only exact arithmetic tells",
            2 * FLOAT_BITS,
        )
    excess = min(noise / smallest, 2.0**1000)
    bits = FLOAT_BITS + 8 + max(0, ceil(log2(excess)))
    return Conclusion(
        None,
        f"the smallest eigenvalue of {name}, scaled, is about {value:.1e}, the roundings may reach {noise:.1e}",
        bits,
    )


def _lowest(T: Floats) -> Floats:
    """A column x in floats for which xᵀTx is small, negative where T is indefinite: a search, no proof.

    Where elimination meets a pivot that is not positive, after the block B with the column s beside it, the pivot is
    xᵀTx for x = (−B⁻¹s, 1, 0 …). Else some steps of inverse iteration.
    """
    n = T.shape[0]
    factor, info = scipy.linalg.lapack.dpotrf(T, lower=0, clean=1)
    if info > 0:
        k = info - 1
        x = np.zeros((n, 1))
        x[k] = 1.0
        if k:
            x[:k, 0] = -scipy.linalg.cho_solve((factor[:k, :k], False), T[:k, k], check_finite=False)
        return x
    x = np.ones((n, 1))
    for step in range(8):
        x[step % n] += 0.5 * np.max(np.abs(x))  # not orthogonal to what is looked for, whatever that is
        x = scipy.linalg.cho_solve((factor, False), x / np.linalg.norm(x), check_finite=False)
    for _ in range(3):
        x = scipy.linalg.cho_solve((factor, False), x / np.linalg.norm(x), check_finite=False)
    return np.asarray(x, dtype=np.float64)


def _by_balls(S: BallMatrix, name: str, bits: int) -> Conclusion:
    positive = _blocks_positive(S.balls)
    if positive is None:
        why = f"{name} is not decided with {bits} bits; if it is singular, only exact arithmetic tells"
        return Conclusion(None, why, next_bits(bits))
    word = "positive definite" if positive else "not positive definite"
    return Conclusion(positive, f"{name} is {word}, by Schur complements in balls of {bits} bits")


def _blocks_positive(S: Any) -> bool | None:
    """Whether the symmetric arb_mat S is positive definite; None where a pivot's ball contains zero."""
    n = S.nrows()
    if n == 1:
        pivot = S[0, 0]
        return True if pivot > 0 else False if pivot <= 0 else None
    half = n // 2
    first, rest = range(half), range(half, n)
    matrix = BallMatrix._of(S)
    B, E = matrix.take(first, first), matrix.take(first, rest)
    leading = _blocks_positive(B.balls)
    if not leading:
        return leading
    try:
        complement = matrix.take(rest, rest) - E.T @ B.solve(E)
    except SingularMatrixError:
        return None
    return _blocks_positive((complement + complement.T).scaled(Fraction(1, 2)).balls)


def full_column_rank(Phi: Enclosed, name: str, bits: int = FLOAT_BITS) -> Conclusion:
    """Whether every member of Φ (n×d) has independent columns: ‖I − RΦ‖_∞ < 1 for a float left inverse R."""
    if isinstance(Phi, BallMatrix):
        return positive_definite(Phi.T @ Phi, f"the Gram matrix of {name}", bits)
    n, d = Phi.shape
    if d > n:
        return Conclusion(False, f"{name} has more columns than states")
    left = _left_inverse(Phi.mid)
    if left is not None:
        rest = MidRadMatrix(np.eye(d)) - MidRadMatrix(left) @ Phi
        if float(np.max(rest.row_sums)) < 1.0:
            return Conclusion(True, f"{name} has independent columns: it has a left inverse")
    return Conclusion(
        None, f"independence of the columns of {name} was not shown with {FLOAT_BITS} bits", 2 * FLOAT_BITS
    )


def _left_inverse(Phi: Floats) -> Floats | None:
    """(QR)⁻¹ in floats, with columns scaled to length one; None where R is singular."""
    lengths = np.linalg.norm(Phi, axis=0)
    if not np.all(lengths > 0):
        return None
    Q, R = np.linalg.qr(Phi / lengths)
    if np.min(np.abs(R.diagonal())) <= UNIT:
        return None
    if len(R) <= SMALL:
        return np.asarray(np.linalg.solve(R, Q.T) / lengths[:, None])
    return np.asarray(scipy.linalg.solve_triangular(R, Q.T, check_finite=False) / lengths[:, None], dtype=np.float64)


def nonsingular(B: Enclosed, name: str, bits: int = FLOAT_BITS) -> Conclusion:
    """Whether every member of B (n×n) is nonsingular: some float R has ‖I − RB‖_∞ < 1, or the balls solve."""
    try:
        if isinstance(B, BallMatrix):
            B.solve(B.identity(B.shape[0]).take(columns=[0]))
        else:
            _ = B.approximate_inverse
    except SingularMatrixError:
        why = f"{name} may be singular within {bits} bits; if it is, only exact arithmetic tells"
        return Conclusion(None, why, next_bits(bits))
    return Conclusion(True, f"{name} is nonsingular: its rounding errors exclude a singular matrix")
