"""Which schedule should I use? Schedules compared on one model, by numbers that are exact or enclosed.

A comparison needs one recurrent class and coverage of its states: then A and b are those of the theorems. Everything
comes from the formulas that the claims are decided with: κ and the bound of ``error_bound``, the mean dynamics, the
long-run covariance of ``clt_covariance``, constant steps of ``mean_square_stability``. Of models too large for
fractions κ is exact, and the rest comes in floats with a bound of every rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from tdcert.algorithms.schedules import applicable, declared, scheduled
from tdcert.analysis.advice.compared_schedules import (
    COMPARED,
    Candidate,
    Compared,
    ScheduleComparison,
    candidates,
)
from tdcert.analysis.advice.model_numbers import ModelNumbers, lean_keys
from tdcert.analysis.budget import UNBOUNDED, Budget, LeftOut
from tdcert.analysis.estimates import schedules_seconds, steps_seconds, work
from tdcert.analysis.exact_analysis import algorithms
from tdcert.analysis.facts import AlgorithmDynamics, Algorithms, ModelFacts, Quantity, by_algorithm
from tdcert.analysis.limits import COMPARED_FEATURES, COMPARED_WINDOWS, COMPARED_WORK, ENCLOSED_MOMENTS, MOMENT_STATES
from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.check.fixed_point import bound_factor, fixed_point_error_squared, modulus
from tdcert.theory.check.margins import largest_discount
from tdcert.theory.check.mean_dynamics import MEAN_A, Reduced, reduce_features, unreduced
from tdcert.theory.check.trace_law import exact, has_second_moments
from tdcert.theory.enclose.definite import FLOAT_BITS, positive_definite
from tdcert.theory.enclose.dense_class import ClassInEnclosures
from tdcert.theory.enclose.mean_matrix import td_row
from tdcert.theory.enclose.safe_steps import StepBracket
from tdcert.theory.enclose.steps_by_states import StepsByStates
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.second_moments import OfSchedule, largest_of
from tdcert.theory.errors import BudgetExceededError, SingularMatrixError
from tdcert.theory.laws.averaging import averaging, is_silent, trace_square
from tdcert.theory.laws.long_run_covariance import InNumbers, shows_second_moments
from tdcert.theory.laws.mean_square import LargestStep
from tdcert.theory.limits import raised
from tdcert.theory.model.key_matrices import KeyMatrices, behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

EXACT_MOMENTS = 300
"""Largest n(L + 1)d for which second moments are found in fractions, whose digits grow with n and L (a tenth of a
second)."""
BITS = 320
VANISH = "the features vanish on the recurrent states"


def compare(
    numbers: ModelNumbers,
    others: Sequence[Schedule] = COMPARED,
    *,
    rows: Budget = UNBOUNDED,
    steps: Budget = UNBOUNDED,
) -> ScheduleComparison:
    """Compares the model's own schedule with the ``others``. ``rows``: the budget of the comparison; ``steps``: that of
    its constant steps in enclosed arithmetic.
    """
    facts, model, states = numbers.facts, numbers.model, numbers.states
    if states is None:
        count = facts.chain.count
        return ScheduleComparison((), f"the chain has {count} recurrent classes, and schedules are compared on one")
    if model.uncovered_when_recurrent:
        why = "the target policy takes an action in a recurrent state that the behaviour policy never takes"
        return ScheduleComparison((), f"{why}, and schedules are compared under coverage")
    compared = candidates(model.schedule, others)
    part = None if numbers.small else numbers.part
    if not numbers.small and (part is None or work(model, compared) > raised(COMPARED_WORK)):
        return ScheduleComparison((), f"{model.n:,} states and {model.d:,} features would take it too long")
    estimated = schedules_seconds(model, compared, numbers.small)
    if beyond := rows.beyond("Other schedules", estimated, "--what schedules"):
        return ScheduleComparison((), beyond.why, left_out=beyond)
    if part is None:
        assert facts.single is not None
        found = tuple(exact_row(model, facts, candidate) for candidate in compared)
        return ScheduleComparison(found, None, facts.single.projection_error_squared)
    estimated = steps_seconds(model, compared)
    beyond = steps.beyond("Constant steps under schedules", estimated, "--steps largest")
    try:
        left = Quantity.of(projection_error(part))
        enclosed = _with_moments(enclosed_rows(part, compared), part, model, beyond)
        return ScheduleComparison(tuple(enclosed), None, left, beyond)
    except (BudgetExceededError, SingularMatrixError) as error:
        return ScheduleComparison((), str(error))


def _with_moments(
    rows: Sequence[Compared], part: ClassInEnclosures, model: Model, without_steps: LeftOut | None
) -> list[Compared]:
    """The rows of an enclosed comparison with variances and sizes of traces, where these can be had, and constant steps
    where they are not left out.
    """
    states, found = part.states, []
    reduced = unreduced(model) if part.rank.holds else reduce_features(model, states)
    shared = None if reduced is None else InNumbers(reduced.model, states, MidRadMatrix.enclosing, part.full_law)
    steps = None if reduced is None or shared is None else StepsByStates(model, reduced, shared)
    for row in rows:
        schedule = row.candidate.schedule
        variance, square, why = second_moments(model.with_schedule(schedule), reduced, states, shared)
        step: LargestStep | StepBracket | str = without_steps.why if without_steps else VANISH
        if not without_steps and steps is not None:
            step = _largest_step(model.with_schedule(schedule), states, 0, steps)
        numbers = {"asymptotic_variance": variance, "trace_second_moment": square}
        missing = {**row.missing, **{key: why for key, number in numbers.items() if number is None}}
        if isinstance(step, str):
            missing["largest_step"] = step
        known = None if isinstance(step, str) else step
        found.append(replace(row, variance=variance, trace_square=square, step=known, missing=missing))
    return found


def exact_row(model: Model, facts: ModelFacts, candidate: Candidate) -> Compared:
    """A schedule on the one recurrent class of an exact model with coverage. ``facts``: of the model with its own
    schedule; what they say of that is not computed again.
    """
    about = facts.single
    assert about is not None
    states, gamma, inner = about.states, largest_discount(model), model.with_schedule(candidate.schedule)
    kappa = modulus(inner.schedule, gamma)
    if not inner.has_trace_sum_on(states):
        why = "λ = 1 without end, and I − N is singular: the series Σ Nᵏ behind the trace has no sum"
        return Compared(candidate, kappa, missing=dict.fromkeys(COMPUTED, why))
    missing: dict[str, str] = {}
    value, projected = facts.value, about.projection_error_squared
    assert value is None or isinstance(value, RationalMatrix)
    if candidate.own:
        error, dynamics = about.fixed_point_error_squared, about.algorithms
    else:
        error = None if value is None else Quantity.of(fixed_point_error_squared(inner, states, value))
        dynamics = algorithms(inner, states)
    if error is None:
        missing["fixed_point_error_squared"] = NO_VALUE if value is None else NOT_UNIQUE
    factor = bound_factor(inner.is_on_policy_when_recurrent, inner.schedule, gamma)
    bound = None if projected is None or factor is None else Quantity.exact(projected.lower * factor)
    if bound is None:
        missing["error_bound_squared"] = NO_VALUE if projected is None else NO_BOUND
    reduced = reduce_features(inner, states)
    variance, square, why = second_moments(inner, reduced, states)
    if variance is None:
        missing["asymptotic_variance"] = why
    if square is None:
        missing["trace_second_moment"] = why
    step = VANISH if reduced is None else _largest_step(inner, states, COMPARED_WINDOWS)
    if isinstance(step, str):
        missing["largest_step"] = step
    found = None if isinstance(step, str) else step
    return Compared(candidate, kappa, error, bound, dynamics, variance, square, found, missing)


COMPUTED = (
    "error_bound_squared",
    "fixed_point_error_squared",
    "algorithms",
    "asymptotic_variance",
    "trace_second_moment",
    "largest_step",
)
"""What may be missing from a row."""

NO_VALUE = "the true value is not unique: I − N is singular"
NOT_UNIQUE = "Φθ* is not unique on the recurrent states"
NO_BOUND = "the bound (1 − κ²)⁻¹ is for equal policies, λ's in [0, 1] and κ < 1"


def second_moments(
    model: Model, reduced: Reduced | None, states: tuple[int, ...], shared: InNumbers[MidRadMatrix] | None = None
) -> tuple[Quantity | None, Quantity | None, str]:
    """The asymptotic variance and E ‖z‖², or why they are not known: in fractions where these are short, else in floats
    with a bound of every rounding, and in balls where that shows nothing of a small model. ``shared``: on the features
    of ``reduced``.
    """
    if reduced is None:
        zero = Quantity.exact(Fraction(0))
        return zero, zero, ""
    inner, weight = reduced.model.with_schedule(model.schedule), reduced.weight
    size = model.n * (len(model.schedule.lambdas) + 1)
    short = shared is None and size * model.d <= EXACT_MOMENTS
    if not short:
        about = shared or InNumbers(reduced.model, states, MidRadMatrix.enclosing)
        variance, square, why = _moments_in_floats(inner, about, weight)
        settled = variance is not None and variance.lower > 0
        if settled or model.n > raised(MOMENT_STATES) or size * model.d**2 > raised(ENCLOSED_MOMENTS):
            return variance, square, why
    if not has_second_moments(model, states):
        return None, None, NO_SECOND_MOMENT
    singular = behaviour_matrices(inner, states).A.rank < inner.d
    no_point = "A is singular: there is no one point to be averaged about"
    if short:
        if singular:
            return None, Quantity.exact(trace_square(inner, states, exact, weight)[0, 0]), no_point
        found = averaging(inner, states, exact, weight)
        return Quantity.exact(found.variance[0, 0]), Quantity.exact(found.trace_square[0, 0]), ""
    with precision(BITS):
        try:
            if singular:
                return None, Quantity.of(trace_square(inner, states, BallMatrix.enclosing, weight)), no_point
            in_balls = averaging(inner, states, BallMatrix.enclosing, weight)
        except SingularMatrixError:
            return None, None, f"balls of {BITS} bits do not exclude that a matrix is singular"
        variance = Quantity.of(in_balls.variance)
        if (variance is None or variance.lower <= 0) and is_silent(inner, states):
            variance = Quantity.exact(Fraction(0))
        return variance, Quantity.of(in_balls.trace_square), ""


NO_SECOND_MOMENT = "λ without end, and the second moment of the trace is not known to be finite"


def _moments_in_floats(
    model: Model, shared: InNumbers[MidRadMatrix], weight: RationalMatrix
) -> tuple[Quantity | None, Quantity | None, str]:
    """The moments of :func:`second_moments` in floats with every rounding bounded, and why one is not known."""
    tail, given = model.schedule.tail, (shared.states, MidRadMatrix.enclosing, weight, shared)
    if tail and not shows_second_moments(shared, tail):
        return None, None, NO_SECOND_MOMENT
    try:
        found = averaging(model, *given)
    except SingularMatrixError:
        return None, Quantity.of(trace_square(model, *given)), "floats do not exclude that A is singular"
    return Quantity.of(found.variance), Quantity.of(found.trace_square), "the numbers left the range of floats"


def _largest_step(
    model: Model, states: tuple[int, ...], entries: int, by_states: StepsByStates | None = None
) -> LargestStep | StepBracket | str:
    """Constant steps of TD with a bounded mean square, or why none is named."""
    if not model.schedule.is_finite:
        return "without an end there are no windows"
    update = declared(applicable(model)[0], model)
    form = OfSchedule(scheduled(update.name), by_states)
    found = largest_of(with_mean_dynamics(model, update, states), [Fraction(1)], entries=entries, form=form)
    return found.largest or found.why


def enclosed_rows(part: ClassInEnclosures, compared: Sequence[Candidate]) -> list[Compared]:
    """One row for each schedule, on the one recurrent class of a model with coverage.

    Raises SingularMatrixError and :class:`~tdcert.theory.errors.BudgetExceededError` where the law has no enclosure.
    """
    projected = projection_error(part)
    return [_enclosed_row(part, candidate, projected) for candidate in compared]


def projection_error(part: ClassInEnclosures) -> MidRadMatrix | None:
    """‖V − ΠV‖²_D, the same for every schedule."""
    V, Phi = part.value, part.model.features
    if V is None:
        return None
    if _spans(part):
        return MidRadMatrix(np.zeros((1, 1)))
    try:
        fitted: MidRadMatrix = Phi @ part.theorem.C.solve(Phi.T @ V.scale_rows(part.full_law))
    except SingularMatrixError:
        return None
    left: MidRadMatrix = part.squared_norm(V - fitted)
    return left


def _spans(part: ClassInEnclosures) -> bool:
    """Whether the features span every function on the class: then Φθ* = V there, exactly (``representable_value``)."""
    return bool(part.rank.holds) and part.model.d == len(part.states)


def _enclosed_row(part: ClassInEnclosures, candidate: Candidate, projected: MidRadMatrix | None) -> Compared:
    schedule = candidate.schedule
    keys = lean_keys(part, schedule)
    missing: dict[str, str] = {}
    error = bound = None
    try:
        theta = keys.theta_star
    except SingularMatrixError:
        missing["fixed_point_error_squared"] = "A, or I − λN, was not shown to be nonsingular"
    else:
        if _spans(part) and part.value is not None:
            error = Quantity.exact(Fraction(0))
        elif part.value is not None:
            error = Quantity.of(part.squared_norm(keys.Phi @ theta - part.value))
    factor = bound_factor(part.model.on_policy_when_recurrent, schedule, part.model.largest_discount)
    if projected is not None and factor is not None:
        bound = Quantity.of(projected.scaled(factor))
    if bound is None:
        why = NO_VALUE if part.value is None else "Π was not enclosed" if projected is None else None
        missing["error_bound_squared"] = why or NO_BOUND
    if error is None:
        missing.setdefault("fixed_point_error_squared", NO_VALUE)
    dynamics, why = _enclosed_dynamics(part, keys)
    if why:
        missing["algorithms"] = why
    return Compared(candidate, modulus(schedule, part.model.largest_discount), error, bound, dynamics, missing=missing)


def _enclosed_dynamics(part: ClassInEnclosures, keys: KeyMatrices[Any]) -> tuple[Algorithms, str]:
    """The mean dynamics of TD alone, or why not."""
    if keys.Phi.shape[1] > raised(COMPARED_FEATURES):
        return {}, f"asked about up to {raised(COMPARED_FEATURES)} features"
    if not part.rank.holds:
        return {}, part.rank.why
    try:
        negative = positive_definite(keys.A.scaled(-1), "−sym A", FLOAT_BITS)
    except SingularMatrixError:
        return {}, "I − λN was not shown to be nonsingular"
    found = td_row(keys.A, negative, FLOAT_BITS)
    td = AlgorithmDynamics(found.mean_dynamics, found.rate)
    return by_algorithm(part.model.on_policy, {MEAN_A: td}), ""
