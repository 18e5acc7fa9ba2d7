"""One schedule of a comparison, computed exactly (variances of larger windows in balls).

Everything comes from the formulas that the claims are decided with: κ and the bound of ``error_bound``, the mean
dynamics, the long-run covariance of ``clt_covariance``, constant steps of ``mean_square_stability``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from claims.advice.candidates import Candidate, schedule_option
from claims.advice.quantity import Pace, Quantity, digits, text_of
from theory.arithmetic import BallMatrix, RationalMatrix
from theory.arithmetic.ball import precision
from theory.check.averaging import averaging, is_silent
from theory.check.fixed_point import (
    bound_factor,
    modulus,
    predictions,
    projection_error_squared,
    squared_norm,
    true_value,
)
from theory.check.margins import largest_discount
from theory.check.mean_dynamics import Reduced, gradient_dynamics, reduce_features, td_dynamics
from theory.check.mean_square import decide_near_zero, jump_system, largest_step, quotient_system
from theory.check.traces import exact, has_second_moments
from theory.errors import BudgetExceededError, SingularMatrixError
from theory.model.key_matrices import behaviour_matrices, theorem_matrices
from theory.model.mdp import Model
from theory.model.schedule import Schedule

EXACT_MOMENTS = 300
"""Largest n(L + 1)d for which second moments are found in fractions, whose digits grow with n and L (a tenth of a
second)."""
ENCLOSED_MOMENTS = 200_000
"""Largest n(L + 1)d² for which they are enclosed in balls (a second or two)."""
BITS = 320
WINDOWS = 400
"""Most windows × D² for which the largest constant step is sought (a tenth of a second)."""


@dataclass(frozen=True)
class Row:
    """A schedule's numbers; None where one is not known, with the reason under its name in ``missing``.

    ``kappa``: Σ w_n γⁿ, γ the largest discount; ``error``: ‖Φθ* − V‖²_D; ``bound``: what ``error_bound`` guarantees
    of it; ``variance``: v of :mod:`theory.check.averaging`; ``trace_square``: E ‖z‖²; ``step``: the largest constant
    step of TD.
    """

    candidate: Candidate
    kappa: Fraction | None
    error: Quantity | None = None
    bound: Quantity | None = None
    algorithms: Mapping[str, Pace | None] = field(default_factory=dict)
    variance: Quantity | None = None
    trace_square: Quantity | None = None
    step: Mapping[str, Any] | None = None
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The schedule's."""
        return self.candidate.name

    @property
    def td(self) -> Pace | None:
        """TD with this schedule, off-policy TD where the policies differ; None where it was not asked about."""
        return self.algorithms.get("off_policy_td")

    def document(self) -> dict[str, Any]:
        """As analysis.json holds it."""
        schedule = self.candidate.schedule
        return {
            "name": self.name,
            "of_the_model": self.candidate.own,
            "schedule": schedule_option(schedule),
            "schedule_length": schedule.length,
            "kappa": None if self.kappa is None else digits(self.kappa),
            "error_bound_squared": text_of(self.bound),
            "fixed_point_error_squared": text_of(self.error),
            "algorithms": {name: pace and pace.document() for name, pace in self.algorithms.items()},
            "asymptotic_variance": text_of(self.variance),
            "trace_second_moment": text_of(self.trace_square),
            "largest_step": None if self.step is None else dict(self.step),
            "missing": dict(self.missing),
        }


@dataclass(frozen=True)
class Common:
    """What all schedules of a comparison share: the largest discount, V^π (None where it is not unique), and the
    projection error ‖V − ΠV‖²_D.
    """

    gamma: Fraction
    value: RationalMatrix | None
    projected: Fraction | None

    @staticmethod
    def of(model: Model, states: tuple[int, ...]) -> Common:
        """Of a model on a recurrent class."""
        value = true_value(model)
        left = None if value is None else projection_error_squared(model, states, value)
        return Common(largest_discount(model), value, left)


def exact_row(model: Model, candidate: Candidate, states: tuple[int, ...], about: Common) -> Row:
    """A schedule on the one recurrent class of an exact model with coverage."""
    inner, value, projected = model.with_schedule(candidate.schedule), about.value, about.projected
    kappa = modulus(inner.schedule, about.gamma)
    if not inner.has_trace_sum:
        why = "λ = 1 without end, and I − N is singular: the trace has no stationary law"
        return Row(candidate, kappa, missing=dict.fromkeys(COMPUTED, why))
    missing: dict[str, str] = {}
    predicted = predictions(inner, states)
    keys = theorem_matrices(inner, states)
    error = None if value is None or predicted is None else Quantity.exact(squared_norm(keys, predicted - value))
    if error is None:
        missing["fixed_point_error_squared"] = NO_VALUE if value is None else "Φθ* is not unique"
    factor = bound_factor(inner.is_on_policy, inner.schedule, about.gamma)
    bound = None if projected is None or factor is None else Quantity.exact(projected * factor)
    if bound is None:
        missing["error_bound_squared"] = NO_VALUE if projected is None else why_no_bound(inner.is_on_policy)
    reduced = reduce_features(inner, states)
    variance, square, why = second_moments(inner, reduced, states)
    if variance is None:
        missing["asymptotic_variance"] = why
    if square is None:
        missing["trace_second_moment"] = why
    step, why = _largest_step(inner, reduced, states)
    if step is None:
        missing["largest_step"] = why
    td = td_dynamics(inner, states)
    gtd, tdc = gradient_dynamics(inner, states)
    own, dual, slow = (Pace.exact(found.mean_dynamics, found.rate) for found in (td, gtd, tdc))
    algorithms = {"td": own if inner.is_on_policy else None, "off_policy_td": own, "gtd": dual, "tdc": slow}
    return Row(candidate, kappa, error, bound, algorithms, variance, square, step, missing)


COMPUTED = (
    "error_bound_squared", "fixed_point_error_squared", "algorithms", "asymptotic_variance", "trace_second_moment",
    "largest_step",
)  # fmt: skip
"""What may be missing from a row."""

NO_VALUE = "the true value is not unique: I − N is singular"


def why_no_bound(on_policy: bool) -> str:
    """Why ``error_bound`` says nothing."""
    return "κ is not below one, or is not defined" if on_policy else "no bound is known off-policy"


def second_moments(
    model: Model, reduced: Reduced | None, states: tuple[int, ...]
) -> tuple[Quantity | None, Quantity | None, str]:
    """Asymptotic variance and E ‖z‖², or why not; in fractions where these are short, else in balls."""
    if reduced is None:
        zero = Quantity.exact(Fraction(0))
        return zero, zero, ""
    if not has_second_moments(model, states):
        return None, None, "λ without end, and the second moment of the trace is not known to be finite"
    # the trace in the features as given; variances do not depend on the basis
    size = model.n * (len(model.schedule.lambdas) + 1)
    if size * model.d**2 > ENCLOSED_MOMENTS:
        return None, None, f"n(L + 1)d² = {size * model.d**2:,} is beyond {ENCLOSED_MOMENTS:,}"
    if behaviour_matrices(reduced.model, states).A.rank < reduced.model.d:
        return None, None, "A is singular: there is no one point to be averaged about"
    if size * model.d <= EXACT_MOMENTS:
        found = averaging(reduced.model, states, exact)
        return Quantity.exact(found.variance[0, 0]), Quantity.exact(found.trace_square[0, 0]), ""
    with precision(BITS):
        try:
            about = averaging(reduced.model, states, BallMatrix.enclosing)
        except SingularMatrixError:
            return None, None, f"balls of {BITS} bits do not exclude that A is singular"
        variance = Quantity.exact(Fraction(0)) if is_silent(reduced.model, states) else Quantity.of(about.variance)
        return variance, Quantity.of(about.trace_square), ""


def _largest_step(
    model: Model, reduced: Reduced | None, states: tuple[int, ...]
) -> tuple[dict[str, Any] | None, str]:
    """Constant steps of TD with a bounded mean square, or why none is named."""
    schedule: Schedule = model.schedule
    if not schedule.is_finite:
        return None, "without an end there are no windows"
    if reduced is None:
        return None, "the features vanish on the recurrent states"
    algorithm = "td" if model.is_on_policy else "off_policy_td"
    build = jump_system if reduced.is_full else quotient_system
    try:
        system = build(model, algorithm, Fraction(1), states, WINDOWS)
    except BudgetExceededError:
        return None, f"more than {WINDOWS} windows × d²"
    near = decide_near_zero(system)
    if near is None:
        return None, "the mean dynamics are not stable, or too close to the edge"
    if near.vector is not None:
        return None, f"no constant step: the mean square is unbounded for every α ≤ {near.upto}"
    found = largest_step(system, near=near)
    if found is None:
        return None, "the search for it failed"
    crossing = found.crossing
    return {
        "bounded_up_to": str(near.upto if crossing is None else crossing[0]),
        "bounded_at": str(found.bounded.alpha),
        "unbounded_at": str(found.unbounded.alpha),
        "crossing": None if crossing is None else {"lower": str(crossing[0]), "upper": str(crossing[1])},
    }, ""
