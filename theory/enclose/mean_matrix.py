r"""The mean dynamics x' = Bx of an enclosed matrix B, and the lemmas of TD, GTD and TDC on enclosed A and C.

Where A is not negative definite, floats solve AᵀP + PA = −I for P, and the bounds look at what came out: if
Q = −(AᵀP + PA) ≻ 0 for the P at hand, whatever computed it, A has as many eigenvalues with positive real part as P has
negative ones, and none on the axis (Ostrowski and Schneider 1962). So P ≻ 0 makes A Hurwitz, and xᵀPx ≤ 0 for an x ≠ 0
makes A unstable. There is no P where two eigenvalues are opposite, so A − cI is asked too, c below the abscissa in
floats: if it is unstable, and c > 0, A is.

A rate encloses the spectral abscissa (:mod:`tdcert.theory.check.spectrum`); it is at least the mean of the real parts,
tr A/d, and at most zero where A is stable. Features that are dependent on the class are Φ = Φ_B T with independent ones
Φ_B; matrices are then those of Φ_B, and W = T Tᵀ (:mod:`tdcert.theory.check.mean_dynamics`, 3).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

import numpy as np

from tdcert.theory.arithmetic import BallMatrix
from tdcert.theory.arithmetic.float_enclosures import Floats, MidRadMatrix
from tdcert.theory.check.mean_dynamics import MEAN_A, MEAN_G, MEAN_SLOW, MEANS
from tdcert.theory.check.mean_matrix import GROWS, Dynamics, MeanDynamics
from tdcert.theory.check.spectrum import abscissa_bounds, gtd_abscissa_bounds, tdc_abscissa_bounds
from tdcert.theory.check.stability import float_lyapunov_solution
from tdcert.theory.enclose.definite import FLOAT_BITS, Conclusion, positive_definite
from tdcert.theory.limits import ENCLOSED_LYAPUNOV_ROWS, FLOAT_LYAPUNOV_ROWS, beyond, raised

Mat = TypeVar("Mat", MidRadMatrix, BallMatrix)
FloatRate = tuple[float, float]
PARTS = (Fraction(1, 2), Fraction(1, 3))
"""Parts of an abscissa by which a matrix is shifted; what is opposite after one is not after the other."""


def decided(B: Mat, bits: int) -> Dynamics[float]:
    """Whether x' = Bx is stable, B d×d: a positive trace, or Lyapunov's matrix, may decide.

    The Lyapunov matrix comes from floats whatever the bits: twice as many count its roundings, more bring nothing.
    """
    mean, largest = mean_real_part(B)[0], float(np.max(_floats_around(B).row_sums))
    grows, limit, stable = mean > 0, _most_rows(bits), is_stable(B, bits)
    if stable:
        return Dynamics(MeanDynamics.STABLE, "a Lyapunov matrix shows it", rate_of_stable(B, bits))
    if stable is False:
        found, why = abscissa(B, bits), f"{GROWS}, as {'the trace is positive' if grows else 'a Lyapunov matrix shows'}"
        return Dynamics(MeanDynamics.UNSTABLE, why, _within(max(mean, 0.0), found, largest))
    why = "no Lyapunov matrix, computed in floats, decides: an eigenvalue is too near to the imaginary axis"
    if B.shape[0] > raised(limit):
        why = f"no Lyapunov matrix is sought for {B.shape[0]:,} parameters, more than {raised(limit):,}"
        why = beyond(why, B.shape[0] / limit)
    needed = 2 * FLOAT_BITS if bits == FLOAT_BITS else None
    return Dynamics(MeanDynamics.UNDECIDED, why, precision_needed=needed)


def is_stable(B: Mat, bits: int) -> bool | None:
    """Whether x' = Bx is stable (False: an eigenvalue has a positive real part), by the trace or by Lyapunov's matrix;
    None where neither decides.
    """
    if mean_real_part(B)[0] > 0:
        return False
    most = raised(_most_rows(bits))
    found = _by_lyapunov(B, bits, most)
    if found is None and B.shape[0] <= most and np.all(np.isfinite(floats := B.to_float())):
        top = float(np.max(np.linalg.eigvals(floats).real))
        shifts = (Fraction(top) * part for part in PARTS if top > 0)
        shifted = (B - B.identity(B.shape[0]).scaled(c) for c in shifts)
        return False if any(_by_lyapunov(matrix, bits, most) is False for matrix in shifted) else None
    return found


def _most_rows(bits: int) -> int:
    return FLOAT_LYAPUNOV_ROWS if bits == FLOAT_BITS else ENCLOSED_LYAPUNOV_ROWS


def rows_of_the_paper(
    A: Mat, C: Mat, negative: Conclusion, regular: Conclusion, bits: int, W: Mat | None = None, depends: str = ""
) -> dict[str, Dynamics[float]]:
    """TD, GTD at η = 1 and TDC on one class, each under its matrix: TD is stable where A is ``negative`` definite, the
    gradient methods where A is ``regular`` and C ≻ 0, which is to be part of it. ``W``: on dependent features;
    ``depends`` says that they are.
    """
    said = f"{depends}; on independent columns, " if depends else ""
    rows = {MEAN_A: td_row(A, negative, bits, W, said)}
    for name, rate in ((MEAN_G, gtd_rate), (MEAN_SLOW, tdc_rate)):
        found = Dynamics[float](MeanDynamics.UNDECIDED, regular.why, precision_needed=regular.precision_needed)
        if regular.holds:
            found = Dynamics(MeanDynamics.STABLE, said + regular.why, rate(A, C, W))
        rows[name] = _on_quotient(found, name, W)
    return rows


def nothing_moves(why: str) -> dict[str, Dynamics[float]]:
    """The rows where Φ vanishes on the class."""
    return {name: Dynamics(MeanDynamics.STABLE_MODULO_NULL_SPACE, why, (0.0, 0.0), name) for name in MEANS}


def td_row(A: Mat, negative: Conclusion, bits: int, W: Mat | None = None, said: str = "") -> Dynamics[float]:
    """TD as of :func:`rows_of_the_paper`; ``said``: before the reason of what is negative definite."""
    B = A if W is None else W @ A
    if negative.holds:
        found = Dynamics[float](MeanDynamics.STABLE, said + negative.why, rate_of_stable(B, bits))
    else:
        found = decided(B, bits)
        if found.mean_dynamics is MeanDynamics.UNDECIDED:
            needed = negative.precision_needed or found.precision_needed
            found = replace(found, reason=f"{negative.why}; {found.reason}", precision_needed=needed)
    return _on_quotient(found, MEAN_A, W)


def _on_quotient(found: Dynamics[float], matrix: str, W: Mat | None) -> Dynamics[float]:
    if W is None:
        return replace(found, matrix=matrix)
    stable, word = found.mean_dynamics is MeanDynamics.STABLE, MeanDynamics.STABLE_MODULO_NULL_SPACE
    matrix = f"{matrix} on the quotient by the null space"
    return replace(found, matrix=matrix, mean_dynamics=word if stable else found.mean_dynamics)


def rate_of_stable(A: Mat, bits: int) -> FloatRate:
    """The rate of a stable A (d×d): at least the mean of the real parts."""
    return _within(mean_real_part(A)[0], abscissa(A, bits), 0.0)


def abscissa(A: Mat, bits: int) -> FloatRate:
    """Bounds of the largest real part of the eigenvalues of A (d×d)."""

    def stable_beyond(c: float) -> bool | None:
        return _by_lyapunov(A - A.identity(A.shape[0]).scaled(Fraction(c)), bits, raised(ENCLOSED_LYAPUNOV_ROWS))

    return abscissa_bounds(_floats_around(A), stable_beyond)


def _within(least: float, found: FloatRate, most: float) -> FloatRate:
    """What was found, cut off at bounds that are known."""
    return max(least, found[0]), min(most, found[1])


def _by_lyapunov(A: Mat, bits: int, most: int) -> bool | None:
    """Whether A is Hurwitz (False: unstable); None where this does not tell, or A has more than ``most`` rows."""
    d = A.shape[0]
    floats = A.to_float()
    if d > most or not np.all(np.isfinite(floats)):
        return None
    found = float_lyapunov_solution(floats, -np.eye(d))
    if found is None:
        return None
    P = _exactly(found, A)
    if not positive_definite((P @ A).scaled(-2), "", bits).holds:
        return None
    return positive_definite(P, "", bits).holds


def gtd_rate(A: Mat, C: Mat, W: Mat | None = None) -> FloatRate:
    """diag(W, W)G at η = 1, stable: its trace is −tr WC, over 2d eigenvalues. W is I where it is left out."""
    around = None if W is None else _floats_around(W)
    found = gtd_abscissa_bounds(_floats_around(A), _floats_around(C), around)
    least = float(np.nextafter(-mean_real_part(C if W is None else W @ C)[1] / 2, -np.inf))
    return _within(least, found, 0.0)


def tdc_rate(A: Mat, C: Mat, W: Mat | None = None) -> FloatRate | None:
    """−W AᵀC⁻¹A, stable, C and W positive definite; W is I where it is left out. None where nothing was shown."""
    low, high = tdc_abscissa_bounds(_floats_around(A), _floats_around(C), None if W is None else _floats_around(W))
    return (low, high) if np.isfinite(low) else None


def mean_real_part(A: Mat) -> FloatRate:
    """Bounds of tr A/d."""
    d = A.shape[0]
    ones = A.from_rationals([[Fraction(1)]] * d)
    trace = _floats_around((ones.T @ (A.hadamard(A.identity(d)) @ ones)).scaled(Fraction(1, d)))
    return float(trace.lower[0, 0]), float(trace.upper[0, 0])


def _floats_around(A: Mat) -> MidRadMatrix:
    return MidRadMatrix(A.to_float(), A.radius())


def _exactly(values: Floats, like: Mat) -> Mat:
    """Floats as exact members of the number system of another matrix."""
    if isinstance(like, BallMatrix):
        return BallMatrix([[Fraction(float(x)) for x in row] for row in values])
    return MidRadMatrix(values)
