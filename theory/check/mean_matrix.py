r"""Is the mean dynamics x' = Bx stable, and how fast? The words, and the decision of any rational matrix B.

Up to :data:`TIGHT_RATE_LIMIT` rows the characteristic polynomial decides and encloses the spectral abscissa tightly;
beyond that a Lyapunov matrix decides, the polynomial only where none is found, and the rate comes from an enclosed
spectrum (:mod:`tdcert.theory.check.spectrum`). For enclosed matrices: :mod:`tdcert.theory.enclose.mean_matrix`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import isfinite
from typing import Generic, TypeVar

import numpy as np

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.check.spectrum import abscissa_bounds, gtd_abscissa_bounds, tdc_abscissa_bounds
from tdcert.theory.check.stability import LyapunovProof, prove_stable, prove_unstable, spectral_abscissa
from tdcert.theory.limits import POLYNOMIAL_ROWS, beyond, raised
from tdcert.theory.verdict import Certificate

TIGHT_RATE_LIMIT = 40
"""Largest matrix whose rate is taken from its characteristic polynomial; beyond it, from an enclosed spectrum."""
GROWS = "an eigenvalue has positive real part"


class MeanDynamics(StrEnum):
    """The contract's words for ``algorithms.*.mean_dynamics``, and undecided."""

    STABLE = "stable"
    UNSTABLE = "unstable"
    STABLE_MODULO_NULL_SPACE = "stable_modulo_null_space"
    MARGINAL = "marginal"
    UNDECIDED = "undecided"

    @property
    def is_stable(self) -> bool:
        """Whether predictions converge, whatever parameters in the null space of the features do."""
        return self in (MeanDynamics.STABLE, MeanDynamics.STABLE_MODULO_NULL_SPACE)


Number = TypeVar("Number", Fraction, float)


@dataclass(frozen=True)
class Dynamics(Generic[Number]):
    """What the mean dynamics of one algorithm does on one recurrent class, in any arithmetic.

    ``rate`` encloses the spectral abscissa of ``matrix``, None where unknown; ``precision_needed``: where undecided,
    the bits to compute with next; ``proof``: the Lyapunov matrix that decided, if one did.
    """

    mean_dynamics: MeanDynamics
    reason: str
    rate: tuple[Number, Number] | None = None
    matrix: str = ""
    certificate: Certificate | None = None
    precision_needed: int | None = None
    proof: LyapunovProof | None = None


ExactDynamics = Dynamics[Fraction]
Rate = tuple[Fraction, Fraction]


def decided(B: RationalMatrix) -> ExactDynamics:
    """Whether x' = Bx is stable, B n×n."""
    n = B.shape[0]
    if n > TIGHT_RATE_LIMIT:
        if (proof := prove_stable(B)) is not None:
            return Dynamics(MeanDynamics.STABLE, "a Lyapunov matrix shows it", rate_of_stable(B), proof=proof)
        if (proof := prove_unstable(B)) is not None:
            largest = max(sum((abs(x) for x in row), start=Fraction(0)) for row in B.rows)
            return Dynamics(MeanDynamics.UNSTABLE, GROWS, _rate(B, proof.shift, largest), proof=proof)
        if n > raised(POLYNOMIAL_ROWS):
            why = "no Lyapunov matrix was found, and characteristic polynomials end at"
            said = f"for {n}×{n} numbers {why} {raised(POLYNOMIAL_ROWS)} rows"
            return Dynamics(MeanDynamics.UNDECIDED, beyond(said, n / POLYNOMIAL_ROWS))
    abscissa = spectral_abscissa(B)
    state, reason = {
        -1: (MeanDynamics.STABLE, "every eigenvalue has negative real part"),
        0: (MeanDynamics.MARGINAL, "eigenvalues on the imaginary axis, none beyond"),
        1: (MeanDynamics.UNSTABLE, GROWS),
    }[abscissa.sign]
    return Dynamics(state, reason, (abscissa.lower, abscissa.upper))


def rate_of_stable(B: RationalMatrix) -> Rate:
    """The rate of a stable B (n×n): at least the mean of the real parts."""
    return _rate(B, B.trace() / B.shape[0], Fraction(0))


def _rate(B: RationalMatrix, least: Fraction, most: Fraction) -> Rate:
    """The abscissa of B (n×n), known to lie between ``least`` and ``most``, from an enclosure in floats."""
    unit, one = _unit(B), B.identity(B.shape[0])

    def stable_beyond(c: float) -> bool | None:
        shifted = B - one.scaled(unit * Fraction(c))
        return True if prove_stable(shifted) is not None else None if prove_unstable(shifted) is None else False

    return within(least, abscissa_bounds(_in_unit(B, unit), stable_beyond), unit, most)


def gtd_rate(A: RationalMatrix, C: RationalMatrix, W: RationalMatrix) -> Rate:
    """The rate of diag(W, W)G at η = 1 (2d×2d), stable."""
    unit = max(_unit(A), _unit(C))
    found = gtd_abscissa_bounds(_in_unit(A, unit), _in_unit(C, unit), _in_unit(W, Fraction(1)))
    return within(-(W @ C).trace() / (2 * A.shape[0]), found, unit)


def tdc_rate(A: RationalMatrix, C: RationalMatrix, W: RationalMatrix) -> Rate:
    """The rate of −W AᵀC⁻¹A (d×d), stable."""
    of_A, of_C = _unit(A), _unit(C)
    found = tdc_abscissa_bounds(_in_unit(A, of_A), _in_unit(C, of_C), _in_unit(W, Fraction(1)))
    return within(rayleigh_bound(A, C, W), found, of_A**2 / of_C)


def within(least: Fraction, found: tuple[float, float], unit: Fraction, most: Fraction = Fraction(0)) -> Rate:
    """What was found in floats, as multiples of the unit, cut off at bounds that are known; 0 if B is stable."""
    low, high = (unit * Fraction(end) if isfinite(end) else None for end in found)
    return least if low is None else max(least, low), most if high is None else min(most, high)


def rayleigh_bound(A: RationalMatrix, C: RationalMatrix, W: RationalMatrix) -> Fraction:
    """A lower bound of the abscissa of −W AᵀC⁻¹A: −(eᵀAᵀC⁻¹Ae)/(eᵀW⁻¹e) at one basis vector e.

    −W H with H symmetric positive semidefinite is similar to −W^{1/2} H W^{1/2}; its largest eigenvalue is at
    least the Rayleigh quotient −(xᵀHx)/(xᵀW⁻¹x) of any x.
    """
    n = A.shape[0]
    norms = np.linalg.norm(_in_unit(A, _unit(A)).mid, axis=0)
    unit = RationalMatrix.column([int(i == int(np.argmin(norms))) for i in range(n)])
    image = A @ unit
    top = (image.T @ C.solve(image))[0, 0]
    bottom = (unit.T @ W.solve(unit))[0, 0]
    return -top / bottom


def _unit(B: RationalMatrix) -> Fraction:
    """A power of two, as a multiple of which the entries are within the range of floats."""
    return Fraction(2) ** B.magnitude


def _in_unit(B: RationalMatrix, unit: Fraction) -> MidRadMatrix:
    return MidRadMatrix.enclosing(B.scaled(1 / unit))
