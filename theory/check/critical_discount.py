"""At which discounts κ takes a given value: exact roots of a polynomial, never points of a grid."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq_poly

from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.check.step_size_ratio import positive_roots
from tdcert.theory.model.schedule import Schedule, return_weights

Enclosure = tuple[Fraction, Fraction]


def critical_discounts(schedule: Schedule, kappa: Fraction) -> tuple[Enclosure, ...]:
    """Rational enclosures of all γ in (0, 1) with κ(γ) = ``kappa`` > 0, increasing; 2^−32 wide or less.

    κ = Σ w_n γⁿ (§2); for λ without end γ(1 − λ)/(1 − γλ), and then the enclosure is a point.
    """
    lam = schedule.tail
    if lam:
        if lam == 1:
            return ()  # κ = 0 for every γ
        gamma = kappa / (1 - lam + lam * kappa)
        return ((gamma, gamma),) if 0 < gamma < 1 else ()
    polynomial = fmpq_poly([to_fmpq(x) for x in (-kappa, *return_weights(schedule.lambdas))])
    return tuple(root for root in positive_roots(polynomial) if root[1] < 1)
