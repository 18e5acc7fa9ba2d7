r"""The bound (1 − κ²)⁻¹ of the error, for every update that rests where TD does.

Theorem ``error_bound`` of the paper is about a point: where Φθ is the fixed point of TD with a λ-schedule, policies are
equal on the recurrent class, λ's lie in [0, 1] and κ = Σ w_n γⁿ < 1, ‖Φθ − V‖²_D ≤ (1 − κ²)⁻¹‖V − ΠV‖²_D. So it bounds
the error of any update that rests at that point, GTD and TDC among them; whether one does is decided exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.fixed_point import bound_factor, modulus, predictions, projection_error_squared, true_value
from tdcert.theory.check.margins import largest_discount
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.dynamics import Rest
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule


@dataclass(frozen=True)
class ErrorBound:
    """κ, ‖V − ΠV‖²_D, and what ‖Φθ* − V‖²_D is at most."""

    kappa: Fraction
    projected: Fraction
    bound: Fraction


def error_bound(model: Model, algorithm: Algorithm, states: tuple[int, ...], rest: Rest) -> ErrorBound | str:
    """The bound at the point of ``rest`` on a recurrent class, or the hypothesis that fails, in a sentence.

    ``algorithm``: under the model's schedule, which it has; one without a schedule is held against TD(0).
    """
    inner = model if algorithm.schedule else model.with_schedule(Schedule())
    if not model.is_on_policy_when_recurrent:
        return "the bound is for equal policies"
    kappa, factor = modulus(inner.schedule, largest_discount(model)), None
    if inner.has_trace_sum_on(states):
        factor = bound_factor(True, inner.schedule, largest_discount(model))
    value = true_value(model)
    if kappa is None or factor is None or value is None:
        return "the bound is for λ's in [0, 1] and κ < 1"
    wanted = predictions(inner, states)
    if wanted is None or not isinstance(rest.predictions, RationalMatrix):
        return "there is no one point at rest"
    if wanted.take(rows=states) != rest.predictions:
        return "it rests elsewhere than TD, whose fixed point the bound is of"
    projected = projection_error_squared(inner, states, value)
    return ErrorBound(kappa, projected, projected * factor)
