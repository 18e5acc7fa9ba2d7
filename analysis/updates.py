"""The rows of algorithms that are asked for: what each does by its function, exactly or with every rounding bounded."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import ctx

from tdcert.algorithms import as_written, called, for_model
from tdcert.analysis.choose_arithmetic import choose, in_floats
from tdcert.analysis.facts import AlgorithmDynamics
from tdcert.analysis.limits import COVARIANCE_ENTRIES, MOMENTS_AT_A_TIME
from tdcert.analysis.request import FLOAT_BITS, Arithmetic, Request, StepQuestion
from tdcert.analysis.row import AlgorithmRow, AtConstantStep, Rows
from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.protocol import Dense
from tdcert.theory.arithmetic.sparse_products import Columns
from tdcert.theory.check.fixed_point import Rest, differential_value, true_value
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.enclose import sparse_value
from tdcert.theory.enclose.sparse import too_many
from tdcert.theory.enclose.sparse_law import EnclosedLaw, stationary_law, structure
from tdcert.theory.engine.certificates import (
    at_step_certificates,
    covariance_certificates,
    memory_certificates,
    moments_certificate,
    rest_certificates,
    stability_certificates,
    time_scale_certificates,
)
from tdcert.theory.engine.declare import Algorithm, Estimate, ratios_of
from tdcert.theory.engine.decreasing import at_decreasing_steps
from tdcert.theory.engine.dynamics import (
    Decided,
    TimeScales,
    at_ratios,
    predictor,
    ratio_set,
    rest_of,
    time_scales,
    two_time_scales,
)
from tdcert.theory.engine.error_bound import ErrorBound, error_bound
from tdcert.theory.engine.finite_times import AtTime, moments_in_time
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.means import Stationary, is_exact
from tdcert.theory.engine.nodes import node_chain
from tdcert.theory.engine.noise import noise_of
from tdcert.theory.engine.second_moments import at_constant_step, largest_of
from tdcert.theory.engine.sparse_regime import sparse_regime
from tdcert.theory.engine.tables import Tables, tables
from tdcert.theory.errors import BudgetExceededError, InputError, SingularMatrixError
from tdcert.theory.limits import LARGEST_STEP_ENTRIES, MEMORY_MOMENTS, MOST_CLASSES, raised
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.sparse_model import SparseModel
from tdcert.theory.progress import Progress

ROOM_IN_BALLS = 40
"""The factor by which limits of moments and covariances are larger in balls, whose numbers do not grow."""
BALL_BITS = 128
"""Precision of balls, unless more than that of floats is asked for."""
TIMES = 8
"""Most updates at a constant step after which moments are computed."""
MEANS = "sparse arithmetic answers about means alone"
ONE = Fraction(1)
MEAN, SLOW = "the mean matrix", "the mean matrix of the slow parameters"
"""What the mean dynamics of a row are of."""


def analyse_updates(
    model: Model | SparseModel,
    algorithms: Sequence[Algorithm],
    on_progress: Progress,
    *,
    step: Fraction | None = None,
    certify: bool = False,
    request: Request | None = None,
    ratio: Fraction = ONE,
    decreasing: StepQuestion | None = None,
) -> Rows:
    """Every algorithm on every recurrent class; ``step``: a constant step (> 0) that is asked about; ``certify``: with
    certificates; ``request``: of arithmetic and bits; ``ratio``: of all later step sizes to the first; ``decreasing``:
    steps a/(t + t0)^p that are asked about.

    Raises :class:`InputError` for a function that is not an affine update.
    """
    if not algorithms:
        raise InputError("no algorithm was given; name one, or 'all'")
    asked = request or Request()
    choice = choose(model, asked)
    exact = choice.arithmetic is Arithmetic.EXACT
    certify = certify and exact
    bits = None if exact else asked.bits if asked.bits > FLOAT_BITS else BALL_BITS
    chosen, notes = zip(*(for_model(algorithm, model) for algorithm in algorithms), strict=True)
    rows = list[AlgorithmRow]()
    if choice.arithmetic is Arithmetic.SPARSE:
        model, bits = in_floats(model) if isinstance(model, Model) else model, FLOAT_BITS
        rows = _sparse_rows(model, chosen, on_progress, ratio)
    else:
        model = model if isinstance(model, Model) else model.exact()
        for done, algorithm in enumerate(chosen, start=1):
            if len(chosen) > 1:
                on_progress(done, len(chosen), algorithm.name)
            for states in model.classes:
                with nullcontext() if bits is None else precision(bits):
                    given = model, algorithm, states, step, certify, ratio, decreasing
                    rows.append(_row(RationalMatrix, *given) if exact else _row(BallMatrix, *given))
    rows = [replace(row, label=called(row.algorithm, model), features=model.d, bits=bits) for row in rows]
    limits = ", ".join(dict.fromkeys(row.algorithm.name for row in rows if row.first_order))
    small = f"mean dynamics for steps → 0, by the first order in the step sizes: {limits}" if limits else ""
    written = (as_written(algorithm, model) for algorithm in algorithms)
    said = tuple(dict.fromkeys(note for note in (*notes, *written, small) if note))
    words = "sparse matrices of floats" if choice.arithmetic is Arithmetic.SPARSE else f"balls of {bits} bits"
    enclosed = () if bits is None else (f"answers are enclosed in {words}: {choice.why}",)
    return Rows(tuple(rows), (*enclosed, *said), bits, choice.arithmetic)


def _sparse_rows(
    model: SparseModel, algorithms: Sequence[Algorithm], on_progress: Progress, ratio: Fraction
) -> list[AlgorithmRow]:
    """Every algorithm on every recurrent class of a sparse model; laws and values are found once."""
    chain = structure(model.behaviour_kernel.weights, raised(MOST_CLASSES))
    if chain.count > raised(MOST_CLASSES):
        raise InputError(too_many(chain.count))
    with np.errstate(all="ignore"):  # what overflows ends in infinite radii, from which nothing is concluded
        laws = [(states, *stationary_law(model.behaviour_kernel, states)) for states in chain.recurrent]
        differential = any(algorithm.estimates is Estimate.DIFFERENTIAL for algorithm in algorithms)
        values = {Estimate.DIFFERENTIAL: sparse_value.differential_value(model) if differential else None}
        V, rows = sparse_value.value_function(model)[0], list[AlgorithmRow]()
        for done, algorithm in enumerate(algorithms, start=1):
            on_progress(done, len(algorithms), algorithm.name)
            estimated = values.get(algorithm.estimates, V)
            rows += [_sparse_row(model, algorithm, states, law, why, estimated, ratio) for states, law, why in laws]
    return rows


def _sparse_row(
    model: SparseModel,
    algorithm: Algorithm,
    states: Any,
    law: EnclosedLaw | None,
    why: str,
    V: Columns | None,
    ratio: Fraction,
) -> AlgorithmRow:
    of = tuple(states.tolist())
    if law is None:
        return AlgorithmRow(algorithm, of, verdict=AlgorithmDynamics(MeanDynamics.UNDECIDED, reason=why))
    ratios = ratios_of(algorithm, ratio)
    try:
        found = sparse_regime(model, algorithm, states, law)
        answer = AlgorithmRow(
            algorithm, of, memory_mean=found.has_mean, first_order=found.cut, why_no_noise=MEANS, why_no_largest=MEANS
        )
        verdict = _dynamics(at_ratios(found, ratios), MEAN)
        if not found.has_mean:
            return replace(answer, verdict=verdict)
        rest = rest_of(found, ratios)
        drift = None if rest.drift is None else found.parameters_at(rest.drift)
        return replace(
            answer,
            verdict=verdict,
            slow_and_fast=_dynamics(two_time_scales(found), SLOW),
            rest=replace(rest, drift=drift),
            error_squared=None if V is None or rest.seen is None else found.error_squared(rest.seen, V),
        )
    except (BudgetExceededError, InputError) as error:
        return AlgorithmRow(algorithm, of, str(error))


def _row(
    kind: type[Dense],
    model: Model,
    algorithm: Algorithm,
    states: tuple[int, ...],
    step: Fraction | None,
    certify: bool,
    ratio: Fraction,
    decreasing: StepQuestion | None,
) -> AlgorithmRow:
    ratios = ratios_of(algorithm, ratio)
    try:
        answer = _answer(model, algorithm, states, certify, kind, ratios, decreasing)
    except SingularMatrixError as error:
        if kind is RationalMatrix:
            raise
        why = f"balls of {ctx.prec} bits are too wide: {error}"
        answer = AlgorithmRow(algorithm, states, verdict=AlgorithmDynamics(MeanDynamics.UNDECIDED, reason=why))
    return answer if step is None else _at_step(model, answer, step, certify, kind, ratios)


def _dynamics(found: Decided | None, matrix: str) -> AlgorithmDynamics | None:
    return None if found is None else AlgorithmDynamics(found.mean_dynamics, found.rate, matrix, found.reason)


def _answer(
    model: Model,
    algorithm: Algorithm,
    states: tuple[int, ...],
    certify: bool,
    kind: type[Dense],
    ratios: Sequence[Fraction],
    decreasing: StepQuestion | None,
) -> AlgorithmRow:
    try:
        found = with_mean_dynamics(model, algorithm, states, kind=kind)
        answer = _found(found, certify, ratios)
        if decreasing is not None and decreasing.a is not None and decreasing.t0 is not None:
            said = at_decreasing_steps(found, ratios, decreasing.a, decreasing.t0, decreasing.p)
            answer = replace(answer, decreasing=said)
    except BudgetExceededError as error:
        return AlgorithmRow(algorithm, states, str(error))
    except InputError as error:  # there may be answers at one step
        tables(model, algorithm, states, steps=dict.fromkeys(algorithm.steps, Fraction(1, 8)))
        return AlgorithmRow(algorithm, states, f"{error}; or ask about constant steps only")
    rest = answer.rest
    if rest is None or rest.drift is None:
        return answer
    return replace(answer, rest=replace(rest, drift=found.parameters_at(rest.drift)))


def _found(found: Stationary[Dense], certify: bool, ratios: Sequence[Fraction]) -> AlgorithmRow:
    algorithm, states = found.algorithm, found.states
    answer = AlgorithmRow(algorithm, states, memory_mean=found.has_mean, first_order=found.cut)
    verdict = at_ratios(found, ratios)
    if not found.has_mean:
        return replace(answer, memory_square=found.memory.has_second_moments, verdict=_dynamics(verdict, MEAN))
    rest = rest_of(found, ratios)
    try:
        intervals = ratio_set(found)
    except BudgetExceededError:
        intervals = None
    answer = replace(
        answer,
        verdict=_dynamics(verdict, MEAN),
        slow_and_fast=_dynamics(two_time_scales(found), SLOW),
        ratios=None if intervals is None else tuple(intervals),
        rest=rest,
        error_squared=_error_squared(found, rest),
        bound=_bound(found, rest),
    )
    try:
        has_end = found.whole_memory is not None
        answer = replace(answer, memory_square=has_end or found.memory.has_second_moments)
    except BudgetExceededError as error:  # from here on everything is about single entries
        return replace(answer, why_no_largest=str(error), why_no_noise=str(error))
    if certify and is_exact(found):
        made = stability_certificates(found, ratios) + rest_certificates(found, ratios, rest)
        made += time_scale_certificates(found)
        if not has_end and found.memory.without_end is not None and _moments(found) <= raised(MEMORY_MOMENTS):
            made += memory_certificates(found)
        answer = replace(answer, certificates=tuple(made))
    answer = _with_moments(answer, found)
    stable = verdict.mean_dynamics.is_stable
    scales = _stable_scales(answer, found)
    why = "" if stable else "the mean dynamics are not stable"
    if not stable and scales is None:
        return replace(answer, why_no_largest=why, why_no_noise=why)
    answer = _with_noise(answer, found, ratios, stable, scales, certify)
    if not stable:
        return replace(answer, why_no_largest=why)
    steps = largest_of(found, ratios, certify)
    return replace(
        answer,
        largest=steps.largest,
        why_no_largest=steps.why,
        growth=steps.growth,
        safe=steps.safe,
        certificates=(*answer.certificates, *steps.certificates),
    )


def _bound(found: Stationary[Dense], rest: Rest) -> ErrorBound | str | None:
    """What bounds the error at rest; None unless the arithmetic is exact and the error is held against the discounted
    value.
    """
    if found.kind is not RationalMatrix or found.algorithm.estimates is not Estimate.DISCOUNTED:
        return None
    return error_bound(found.model, found.algorithm, found.states, rest)


def _room(found: Stationary[Dense]) -> int:
    return 1 if found.kind is RationalMatrix else ROOM_IN_BALLS


def _moments(found: Stationary[Dense]) -> int:
    contexts, M = found.extent
    return contexts * M * (M + 1) // 2


def _systems(found: Stationary[Dense]) -> int:
    return found.extent[0] * found.D**2


def _with_moments(answer: AlgorithmRow, found: Stationary[Dense]) -> AlgorithmRow:
    """Also of what is memory, where its second moments are finite and few."""
    M = found.extent[1]
    if not M or not answer.memory_square or _moments(found) > raised(MEMORY_MOMENTS) * _room(found):
        return answer
    total = sum(found.memory.second[1:], start=found.memory.second[0])
    return replace(answer, moments=_of_one_kind(total.take(range(M), [M]), total.take(range(M), range(M))))


def _of_one_kind(one: Dense, other: Dense) -> tuple[RationalMatrix, RationalMatrix] | tuple[BallMatrix, BallMatrix]:
    if isinstance(one, RationalMatrix) and isinstance(other, RationalMatrix):
        return one, other
    assert isinstance(one, BallMatrix) and isinstance(other, BallMatrix)
    return one, other


def _stable_scales(answer: AlgorithmRow, found: Stationary[Dense]) -> TimeScales[Dense] | None:
    """Where both are stable, and updates see all parameters."""
    apart = answer.slow_and_fast is not None and answer.slow_and_fast.mean_dynamics is MeanDynamics.STABLE
    scales = time_scales(found) if apart else None
    return scales if isinstance(scales, TimeScales) else None


def _with_noise(
    answer: AlgorithmRow,
    found: Stationary[Dense],
    ratios: Sequence[Fraction],
    stable: bool,
    scales: TimeScales[Dense] | None,
    certify: bool,
) -> AlgorithmRow:
    rest = answer.rest
    if rest is None or rest.seen is None:
        nothing = not found.visible[0]
        why = "no update depends on the parameters" if nothing else "balls do not determine where it rests"
        return replace(answer, why_no_noise=why)
    if found.noise_beside:
        return replace(answer, why_no_noise=found.noise_beside)
    if not answer.memory_square:
        what = "are infinite" if answer.memory_square is False else "are not decided to be finite"
        return replace(answer, why_no_noise=f"the second moments of the memory {what}")
    if found.extent[1] and answer.moments is None:
        return replace(
            answer, why_no_noise=f"the memory has more than {raised(MEMORY_MOMENTS) * _room(found)} second moments"
        )
    size, most = _systems(found), raised(COVARIANCE_ENTRIES) * _room(found)
    if size > most:
        return replace(answer, why_no_noise=f"contexts × parameters² are {size}, more than {most}")
    noise = noise_of(found, ratios, rest, stable, scales)
    if certify and is_exact(found):
        made = covariance_certificates(found, ratios, rest, noise)
        answer = replace(answer, certificates=(*answer.certificates, *made))
    if noise.predictions is None:
        return replace(answer, noise=noise)
    diagonal = found.kind.of_scalars([row[k] for k, row in enumerate(noise.predictions.scalars)])
    return replace(answer, noise=noise, variance=_number(found.law.T @ diagonal))


def _number(product: Any) -> Fraction | BallMatrix:
    """The entry of a 1×1 matrix."""
    found: Fraction | BallMatrix = product[0, 0] if isinstance(product, RationalMatrix) else product
    return found


def _at_step(
    model: Model, answer: AlgorithmRow, alpha: Fraction, certify: bool, kind: type[Dense], ratios: Sequence[Fraction]
) -> AlgorithmRow:
    try:
        found = at_constant_step(model, answer.algorithm, answer.states, ratios, alpha, LARGEST_STEP_ENTRIES, kind)
    except (BudgetExceededError, InputError, SingularMatrixError) as error:
        return replace(answer, at_step=AtConstantStep(alpha, None, None, str(error)))
    made = at_step_certificates(found, ratios, alpha) if certify else []
    try:
        own = found.own
    except BudgetExceededError:  # entry by entry it is too large
        said = AtConstantStep(alpha, found.mean, found.mean_square, found.why, (), found.under_way, found.has_one_law)
        return replace(answer, at_step=said, certificates=(*answer.certificates, *made))
    count = own.starts
    start, y0 = [Fraction(1, count)] * count, [Fraction(1)] * own.D
    moments = tuple(moments_in_time(own, start, y0, TIMES))
    made += [moments_certificate(own, start, y0, at) for at in _few_nodes(own, moments)] if certify else []
    said = AtConstantStep(alpha, found.mean, found.mean_square, found.why, moments, found.under_way, found.has_one_law)
    return replace(answer, at_step=said, certificates=(*answer.certificates, *made))


def _few_nodes(own: Tables, moments: Sequence[AtTime]) -> Sequence[AtTime]:
    """The last of these times up to which state and memory take few values, if there is one."""
    for at in reversed(moments):
        try:
            node_chain(own, until=at.t, most=MOMENTS_AT_A_TIME // (own.D + 1) ** 2)
        except BudgetExceededError:
            continue
        return [at]
    return []


def _error_squared(found: Stationary[Dense], rest: Rest) -> Fraction | BallMatrix | None:
    """‖Φθ* − V‖²_D for the V that the algorithm estimates; the least over constants where that is V up to one."""
    what, model, states = found.algorithm.estimates, found.model, found.states
    if what in (Estimate.DISTRIBUTION, Estimate.OTHER):
        return None
    columns, T = found.visible
    read = predictor(found, T, up_to_a_constant=what.up_to_a_constant)
    if what is Estimate.DIFFERENTIAL:
        value = differential_value(model, states, found.kind)
    else:
        value = true_value(model, found.kind)
        value = None if value is None else value.take(rows=states)
    if value is None or read is None or rest.seen is None:
        return None
    Phi: Any = found.kind.enclosing(read.take(columns=columns))
    off = Phi @ rest.seen - value
    if what.up_to_a_constant:
        ones: Any = found.kind.enclosing(RationalMatrix.column([1] * len(states)))
        off = off - ones @ (found.law.T @ off)
    return _number(off.T @ off.scale_rows(found.law))
