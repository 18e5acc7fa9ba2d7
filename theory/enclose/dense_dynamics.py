r"""Mean dynamics of enclosed matrices: Lyapunov's inertia theorem, and rates.

Where A is not negative definite, floats solve AᵀP + PA = −I for P, and the bounds look at what came out: if
Q = −(AᵀP + PA) ≻ 0 for the P at hand, whatever computed it, A has as many eigenvalues with positive real part as P has
negative ones, and none on the axis (Ostrowski and Schneider 1962). So P ≻ 0 makes A Hurwitz, and xᵀPx ≤ 0 for an x ≠ 0
makes A unstable.

A rate encloses the spectral abscissa (:mod:`tdcert.theory.check.spectrum`); it is at least the mean of the real parts,
tr A/d, and at most zero where A is stable.
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
from tdcert.theory.check.spectrum import abscissa_bounds, gtd_abscissa_bounds, tdc_abscissa_bounds
from tdcert.theory.enclose.definite import FLOAT_BITS, Conclusion, positive_definite

FloatRate = tuple[float, float]

LYAPUNOV_LIMIT = 500
"""Most features for which P is computed (d³ operations with a large constant: seconds)."""


def stable_by_definiteness(A: Any, negative: Conclusion, bits: int) -> Dynamics[float]:
    """TD with A ≺ 0."""
    return Dynamics(MeanDynamics.STABLE, "A", rate_of_stable(A, bits), negative.why)


def rate_of_stable(A: Any, bits: int) -> FloatRate:
    """The rate of a stable A (d×d): at least the mean of the real parts."""
    return within(mean_real_part(A)[0], abscissa(A, bits), 0.0)


def abscissa(A: Any, bits: int) -> FloatRate:
    """Bounds of the largest real part of the eigenvalues of A (d×d)."""

    def stable_beyond(c: float) -> bool | None:
        shifted = A - A.identity(A.shape[0]).scaled(Fraction(c))
        return decided_by_lyapunov(shifted, bits, LYAPUNOV_LIMIT)

    return abscissa_bounds(_floats_around(A), stable_beyond)


def within(least: float, found: FloatRate, most: float) -> FloatRate:
    """What was found, cut off at bounds that are known."""
    return max(least, found[0]), min(most, found[1])


def unsettled(A: Any, negative: Conclusion, bits: int) -> Dynamics[float]:
    """TD with A not shown to be negative definite: a positive trace, or Lyapunov's matrix, may still decide.

    The Lyapunov matrix comes from floats whatever the bits: twice as many count its roundings, more bring nothing.
    """
    mean, largest = mean_real_part(A)[0], float(np.max(_floats_around(A).row_sums))
    if mean > 0:
        why = "the trace of A is positive, so some eigenvalue has positive real part"
        return Dynamics(MeanDynamics.UNSTABLE, "A", within(mean, abscissa(A, bits), largest), why)
    stable = decided_by_lyapunov(A, bits, LYAPUNOV_LIMIT)
    if stable is None:
        needed = negative.precision_needed or (2 * FLOAT_BITS if bits == FLOAT_BITS else None)
        why = f"{negative.why}; no Lyapunov matrix, computed in floats, decided either"
        return Dynamics(MeanDynamics.UNDECIDED, "A", None, why, precision_needed=needed)
    if stable:
        return Dynamics(MeanDynamics.STABLE, "A", rate_of_stable(A, bits), "a Lyapunov matrix shows that A is Hurwitz")
    why = "an indefinite Lyapunov matrix: some eigenvalue has positive real part"
    return Dynamics(MeanDynamics.UNSTABLE, "A", within(0.0, abscissa(A, bits), largest), why)


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


def gtd_rate(A: Any, C: Any, W: Any = None) -> FloatRate:
    """diag(W, W)G at η = 1, stable: its trace is −tr WC, over 2d eigenvalues. W is I where it is left out."""
    around = None if W is None else _floats_around(W)
    found = gtd_abscissa_bounds(_floats_around(A), _floats_around(C), around)
    least = float(np.nextafter(-mean_real_part(C if W is None else W @ C)[1] / 2, -np.inf))
    return within(least, found, 0.0)


def tdc_rate(A: Any, C: Any, W: Any = None) -> FloatRate | None:
    """−W AᵀC⁻¹A, stable, C and W positive definite; W is I where it is left out. None where nothing was shown."""
    low, high = tdc_abscissa_bounds(_floats_around(A), _floats_around(C), None if W is None else _floats_around(W))
    return (low, high) if np.isfinite(low) else None


def mean_real_part(A: Any) -> tuple[float, float]:
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
