r"""The bound (1 − κ²)⁻¹ of the error, for every update that rests where TD does.

Theorem ``error_bound`` of the paper is about a point: where Φθ is the fixed point of TD with a λ-schedule, policies are
equal on the recurrent class, λ's lie in [0, 1] and κ = Σ w_n γⁿ < 1, ‖Φθ − V‖²_D ≤ (1 − κ²)⁻¹‖V − ΠV‖²_D. So it bounds
the error of any update that rests at that point, GTD and TDC among them; whether one does is decided exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.check.fixed_point import (
    Rest,
    bound_factor,
    modulus,
    predictions,
    projection_error_squared,
    true_value,
)
from tdcert.theory.check.margins import largest_discount
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule


def _held(algorithm: Algorithm, model: Model) -> Schedule:
    """The schedule in its options: one λ for all steps, or λ's and the one that follows them. That of TD(0) where
    transitions are drawn independently: a λ may stand in an increment without a trace, and κ is that of a trace.
    """
    if model.sampling is not None:
        return Schedule()
    values: list[Any] = [algorithm.exact_options()[name] for name in algorithm.schedule]
    if len(values) < 2:
        return Schedule.constant(_number(values[0])) if values else Schedule()
    lambdas, tail = values
    return Schedule(tuple(map(_number, lambdas)), _number((*tail, 0)[0]))


def _number(value: Any) -> Fraction:
    return Fraction(value) if isinstance(value, int | Fraction) else to_fraction(value.constant)


@dataclass(frozen=True)
class ErrorBound:
    """κ, ‖V − ΠV‖²_D, and what ‖Φθ* − V‖²_D is at most."""

    kappa: Fraction
    projected: Fraction
    bound: Fraction


def error_bound(model: Model, algorithm: Algorithm, states: tuple[int, ...], rest: Rest) -> ErrorBound | str:
    """The bound at the point of ``rest`` on a recurrent class, or the hypothesis that fails, in a sentence.

    It is held against TD under the schedule that the algorithm's options are, TD(0) where it has none.
    """
    if algorithm.by_state and model.sampling is None:
        return "the bound is for one λ-schedule, and λ is given by state"
    inner = model.with_schedule(_held(algorithm, model))
    if not model.is_on_policy_when_recurrent:
        return "the bound is for equal policies"
    law = model.sampling
    if law is not None and model.behaviour_kernel.P.T @ law != law:  # M contracts in the norm of a stationary law alone
        return "the bound is for a stationary law"
    kappa, factor = modulus(inner.schedule, largest_discount(model)), None
    if inner.has_trace_sum_on(states):
        factor = bound_factor(True, inner.schedule, largest_discount(model))
    value = true_value(model)
    if kappa is None or factor is None or value is None:
        return "the bound is for λ's in [0, 1] and κ < 1"
    wanted = predictions(inner, states)
    if wanted is None or not isinstance(rest.predictions, RationalMatrix):
        return "it has no one prediction Φθ at rest"
    if wanted.take(rows=states) != rest.predictions:
        return "it rests elsewhere than TD, whose fixed point the bound is of"
    projected = projection_error_squared(inner, states, value)
    return ErrorBound(kappa, projected, projected * factor)
