r"""Mean dynamics of enclosed matrices: Lyapunov's inertia theorem, and rates.

Where A is not negative definite, floats solve AᵀP + PA = −I for P, and the bounds look at what came out: if
Q = −(AᵀP + PA) ≻ 0 for the P at hand, whatever computed it, A has as many eigenvalues with positive real part as P has
negative ones, and none on the axis (Ostrowski and Schneider 1962). So P ≻ 0 makes A Hurwitz, and xᵀPx ≤ 0 for an x ≠ 0
makes A unstable.

A rate encloses the spectral abscissa: it is at least the mean of the real parts, tr A/d, and at most the largest
eigenvalue of sym A.
"""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.linalg

from tdcert.theory.arithmetic import BallMatrix
from tdcert.theory.arithmetic.float_enclosures import Floats, MidRadMatrix
from tdcert.theory.check.mean_dynamics import Dynamics, MeanDynamics
from tdcert.theory.enclose.definite import FLOAT_BITS, Conclusion, positive_definite
from tdcert.theory.errors import SingularMatrixError

LYAPUNOV_LIMIT = 500
"""Most features for which P is computed (d³ operations with a large constant: seconds)."""


def stable_by_definiteness(A: Any, negative: Conclusion, bits: int) -> Dynamics[float]:
    """TD with A ≺ 0; the rate's upper end from a second factor, that of −sym A − cI."""
    lower, upper = _mean(A)[0], 0.0
    symmetric = A.to_float() + A.to_float().T
    if A.shape[0] <= LYAPUNOV_LIMIT and np.all(np.isfinite(symmetric)):
        margin = Fraction(float(-np.linalg.eigvalsh(symmetric)[-1]) * 0.49)
        if margin > 0 and positive_definite(A.scaled(-1) - A.identity(A.shape[0]).scaled(margin), "", bits).holds:
            upper = float(np.nextafter(float(-margin), np.inf))
    return Dynamics(MeanDynamics.STABLE, "A", (lower, upper), negative.why)


def unsettled(A: Any, negative: Conclusion, bits: int) -> Dynamics[float]:
    """TD with A not shown to be negative definite: a positive trace, or Lyapunov's matrix, may still decide.

    The Lyapunov matrix comes from floats whatever the bits: twice as many count its roundings, more bring nothing.
    """
    mean, largest = _mean(A)[0], float(np.max(_floats_around(A).row_sums))
    if mean > 0:
        why = "the trace of A is positive, so some eigenvalue has positive real part"
        return Dynamics(MeanDynamics.UNSTABLE, "A", (mean, largest), why)
    stable = decided_by_lyapunov(A, bits, LYAPUNOV_LIMIT)
    if stable is None:
        needed = negative.precision_needed or (2 * FLOAT_BITS if bits == FLOAT_BITS else None)
        why = f"{negative.why}; no Lyapunov matrix, computed in floats, decided either"
        return Dynamics(MeanDynamics.UNDECIDED, "A", None, why, precision_needed=needed)
    if stable:
        return Dynamics(MeanDynamics.STABLE, "A", (mean, 0.0), "a Lyapunov matrix shows that A is Hurwitz")
    why = "an indefinite Lyapunov matrix: some eigenvalue has positive real part"
    return Dynamics(MeanDynamics.UNSTABLE, "A", (0.0, largest), why)


def decided_by_lyapunov(A: Any, bits: int, most: float = np.inf) -> bool | None:
    """Whether A is Hurwitz (False: unstable), None where this does not tell, or A has more than ``most`` rows."""
    d = A.shape[0]
    floats = A.to_float()
    if d > most or not np.all(np.isfinite(floats)):
        return None
    try:
        with warnings.catch_warnings():  # eigenvalues λ, −λ: a poor P, which will not pass
            warnings.simplefilter("ignore", RuntimeWarning)
            found = scipy.linalg.solve_continuous_lyapunov(floats.T, -np.eye(d))
    except (ValueError, np.linalg.LinAlgError):
        return None
    if not np.all(np.isfinite(found)):
        return None
    P = _exactly((found + found.T) / 2, A)
    if not positive_definite((P @ A).scaled(-2), "", bits).holds:
        return None
    return positive_definite(P, "", bits).holds


def gtd_rate(C: Any) -> tuple[float, float]:
    """G at η = 1, stable: its trace is −tr C, over 2d eigenvalues."""
    return float(np.nextafter(-_mean(C)[1] / 2, -np.inf)), 0.0


def tdc_rate(A: Any, C: Any) -> tuple[float, float] | None:
    """−AᵀC⁻¹A, symmetric and stable: at least −(Ae)ᵀC⁻¹(Ae) for any unit vector e; None where C was not solved for."""
    k = int(np.argmin(np.linalg.norm(A.to_float(), axis=0)))
    image = A.take(columns=[k])
    try:
        return -_bounds(image.T @ C.solve(image))[1], 0.0
    except SingularMatrixError:
        return None


def _mean(A: Any) -> tuple[float, float]:
    """Bounds of tr A/d."""
    d = A.shape[0]
    ones = A.from_rationals([[Fraction(1)]] * d)
    return _bounds((ones.T @ (A.hadamard(A.identity(d)) @ ones)).scaled(Fraction(1, d)))


def _bounds(number: MidRadMatrix | BallMatrix) -> tuple[float, float]:
    """Floats below and above a 1×1 matrix."""
    around = _floats_around(number)
    return float(around.lower[0, 0]), float(around.upper[0, 0])


def _floats_around(A: MidRadMatrix | BallMatrix) -> MidRadMatrix:
    return MidRadMatrix(A.to_float(), A.radius())


def _exactly(values: Floats, like: Any) -> Any:
    """Floats as exact members of the number system of another matrix."""
    if isinstance(like, BallMatrix):
        return BallMatrix([[Fraction(float(x)) for x in row] for row in values])
    return MidRadMatrix(values)
