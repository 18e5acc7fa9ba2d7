"""GTD(λ) as A5.3 prints it, along trajectories (Maei 2011, *Gradient Temporal-Difference Learning Algorithms*, ch. 6).

Textbooks call it GTD(λ) (Sutton and Barto 2018, §12.11) or TDC(λ), for at λ = 0 it is TDC.

    θ_{t+1} = θ_t + α_t (δ_t z_t − γ(1 − λ)(z_tᵀw_t) φ_{t+1}),   w_{t+1} = w_t + β_t (δ_t z_t − (w_tᵀφ_t) φ_t),

with the trace z_t = ρ_t(φ_t + γλ z_{t−1}) of a constant λ. Its fast twin is in ``tdcert.sims.growth``, its mean in
``tdcert.theory.model.key_matrices.gtd_lambda_correction``.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from tdcert.algorithms import named
from tdcert.algorithms.schedules import TDC, scheduled
from tdcert.sims.algorithms import ALGORITHMS, Twin
from tdcert.theory.errors import InputError
from tdcert.theory.laws.schedule_update import CHANGE, PHI, TRACE, ScheduleTerm, ScheduleUpdate

GTD_LAMBDA = "gtd_lambda"


class GTDLambda(Twin):
    """Equation (gtd_theta) of A5.3; λ is ``tail`` of :meth:`reset`, or the number that all of ``lambdas`` are."""

    declared = named(GTD_LAMBDA)


def gtd_lambda_terms(lam: Fraction) -> ScheduleUpdate:
    """Its update as outer products of z, x and φ, with γφ' = x + φ; that of w is TDC's."""
    of_tdc, size = scheduled(TDC), lam - 1
    theta = [
        ScheduleTerm(0, 0, 0, TRACE, CHANGE),
        ScheduleTerm(0, 0, 1, CHANGE, TRACE, size),
        ScheduleTerm(0, 0, 1, PHI, TRACE, size),
    ]
    return replace(of_tdc, name=GTD_LAMBDA, terms=(*theta, *(term for term in of_tdc.terms if term.row == 1)))


ONE_LAMBDA: dict[str, type[Twin]] = {GTD_LAMBDA: GTDLambda, "tdc_lambda": GTDLambda}
"""Algorithms of one λ that the paper has no schedule of: one algorithm, under both of its names."""

EVERY: dict[str, type[Twin]] = {**ALGORITHMS, **ONE_LAMBDA}
WITHOUT_RATIOS = tuple(name for name in ALGORITHMS if not scheduled(name).off_policy)
"""The paper's four, and those of one λ."""


def any_algorithm_named(name: str) -> type[Twin]:
    """The class of one of :data:`EVERY`; raises :class:`InputError` for another name."""
    if name not in EVERY:
        raise InputError(f"there is no algorithm '{name}'; give one of {', '.join(EVERY)}")
    return EVERY[name]
