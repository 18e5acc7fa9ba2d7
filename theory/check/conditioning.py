r"""How much a matrix, and a chain, make of small things: numbers behind warnings, each with both its ends.

* cond_∞(A) = ‖A‖_∞ ‖A⁻¹‖_∞: a relative change ε of A or b moves the solution of Aθ = −b by up to about cond·ε.
* The inflation of a function f of the state, with mean zero under the law d: σ²/‖f‖²_D, where σ² = 2⟨f, g⟩ − ⟨f, f⟩ is
  the long-run variance of f(s_t) and g solves the Poisson equation (I − P)g = f. An average of f along the chain takes
  so many times more steps than one of independent draws. Any f gives a lower bound of the largest; floats propose the
  slowest. On a reversible chain the largest is (1 + λ)/(1 − λ), λ the second eigenvalue.
* A stable J has an eigenvalue μ with Re μ = a, its abscissa, and the mean recursion I + αJ can shrink only if
  |tr(I + αJ)| < d, so α < 2d/|tr J|. As |1 + αμ| ≥ 1 − α|a|, no constant step shrinks the mean error by the factor e in
  fewer than |tr J|/(2d|a|) − 1 updates (−log(1 − x) ≤ x/(1 − x)).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeVar

import numpy as np

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import Floats, MidRadMatrix
from tdcert.theory.errors import SingularMatrixError

Mat = TypeVar("Mat", RationalMatrix, MidRadMatrix)
Ends = tuple[Fraction, Fraction]
"""A number lies between them; they are equal where it is exact."""

SUMMED = 1 - Fraction(1, 2**40)
"""Covers the rounding of sums of up to 8,000 non-negative floats, n·2^−53 of themselves."""
PROPOSED = 2**20
"""Largest entry of a function that floats propose."""


def condition_number(A: RationalMatrix | MidRadMatrix) -> Ends:
    """cond_∞ of a square matrix. SingularMatrixError where it is, or may be, singular, or has no finite radius."""
    if isinstance(A, MidRadMatrix) and not np.isfinite(A.row_sums).all():
        raise SingularMatrixError("entries of the matrix left the range of floats")
    low, high = _row_norm(A)
    inverse = A.solve(A.identity(A.shape[0]))  # type: ignore[arg-type]
    if isinstance(inverse, MidRadMatrix) and not np.isfinite(inverse.row_sums).all():
        raise SingularMatrixError("entries of the inverse left the range of floats")
    inverse_low, inverse_high = _row_norm(inverse)
    return low * inverse_low, high * inverse_high


def _row_norm(A: RationalMatrix | MidRadMatrix) -> Ends:
    """‖A‖_∞."""
    if isinstance(A, RationalMatrix):
        norm = max(sum((abs(x) for x in row), Fraction(0)) for row in A.rows)
        return norm, norm
    sums = np.sum(np.maximum(np.abs(A.mid) - np.nextafter(A.rad, np.inf), 0.0), axis=1)
    return Fraction(float(np.max(sums))) * SUMMED, Fraction(float(np.max(A.row_sums)))


def inflation(P: Mat, d: Mat, f: RationalMatrix) -> tuple[Mat, Mat]:
    """σ² and ‖f − dᵀf‖²_D of a function f (m×1) on an irreducible chain P (m×m) with law d (m×1), each 1×1."""
    m = P.shape[0]
    ones = P.from_rationals([[Fraction(1)]] * m)
    given = P.from_rationals(f.rows)
    centred = given - ones @ (d.T @ given)
    # I − P + 1uᵀ is nonsingular for every law u: its eigenvalues are 1 and those of I − P that are not 0
    spread = ones @ P.from_rationals([[Fraction(1, m)] * m])
    g = (P.identity(m) - P + spread).solve(centred)
    weighted = centred.scale_rows(d)
    square = weighted.T @ centred
    return (weighted.T @ g).scaled(2) - square, square


def slow_function(P: Floats, d: Floats) -> RationalMatrix:
    """Whole numbers near the function that mixes slowest (m×1), proposed by floats from P (m×m) and its law d (m,)."""
    m = len(d)
    root = np.sqrt(d)
    fundamental = np.linalg.inv(np.eye(m) - P + np.outer(np.ones(m), d))
    symmetric = root[:, None] * fundamental / root[None, :]
    symmetric = symmetric + symmetric.T - 2 * np.outer(root, root)
    f = np.linalg.eigh(symmetric)[1][:, -1] / root
    return RationalMatrix.column([int(x) for x in np.rint(f / np.max(np.abs(f)) * PROPOSED)])


def updates_per_e_fold(trace: Fraction, size: int, abscissa: Fraction) -> Fraction:
    """|tr J|/(2d|a|) − 1 for a stable J of ``size`` rows; ``abscissa``: a lower end of a < 0."""
    return abs(trace) / (2 * size * abs(abscissa)) - 1
