"""Declared updates on a model: what each does, exactly or with every rounding bounded."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import ctx

from tdcert.algorithms import as_written, for_model
from tdcert.analysis.choose_arithmetic import choose, in_floats
from tdcert.analysis.request import FLOAT_BITS, Arithmetic, Request, StepQuestion
from tdcert.sims.judge.agreement import Agreement, ErrorBudget
from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.arithmetic.sparse_products import Columns
from tdcert.theory.check.fixed_point import differential_value, true_value
from tdcert.theory.check.mean_dynamics import MeanDynamics
from tdcert.theory.check.step_size_ratio import RatioInterval
from tdcert.theory.enclose.safe_steps import StepBracket
from tdcert.theory.enclose.sparse import CLASSES
from tdcert.theory.enclose.sparse_law import EnclosedLaw, stationary_law, structure
from tdcert.theory.enclose.sparse_value import value_function
from tdcert.theory.engine.certificates import (
    at_step_certificates,
    covariance_certificates,
    memory_certificates,
    moments_certificate,
    rest_certificates,
    stability_certificates,
    time_scale_certificates,
)
from tdcert.theory.engine.declare import Algorithm, Estimate
from tdcert.theory.engine.dynamics import (
    Rest,
    TimeScales,
    Verdict,
    at_ratios,
    predictor,
    ratio_set,
    rest_of,
    time_scales,
    two_time_scales,
)
from tdcert.theory.engine.finite_times import AtTime, moments_in_time
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.growth import Growth
from tdcert.theory.engine.jumps import at_constant_step
from tdcert.theory.engine.largest import ENTRIES, largest_of
from tdcert.theory.engine.means import Stationary
from tdcert.theory.engine.memory import Kind
from tdcert.theory.engine.nodes import node_chain
from tdcert.theory.engine.noise import Noise, noise_of
from tdcert.theory.engine.sparse_regime import sparse_regime
from tdcert.theory.engine.tables import Tables, tables
from tdcert.theory.errors import BudgetExceededError, InputError, SingularMatrixError
from tdcert.theory.files.numerals import quoted
from tdcert.theory.laws.mean_square import LargestStep
from tdcert.theory.laws.phase_cell import Sign
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.sparse_model import SparseModel
from tdcert.theory.progress import Progress
from tdcert.theory.verdict import Certificate

MOMENTS = 1_000
"""Most second moments of the memory, contexts × pairs of entries, that are computed (seconds)."""
SYSTEMS = 3_000
"""Most contexts × D² for which covariances are computed (seconds)."""
ROOM_IN_BALLS = 40
"""The factor by which these limits are larger in balls, whose numbers do not grow (half a minute)."""
BALL_BITS = 128
"""Precision of balls, unless more than that of floats is asked for."""
TIMES = 8
"""Most updates at a constant step after which moments are computed."""
NODES = 20_000
"""Most transitions between values of state and memory, × (D + 1)², with which moments at a time have a certificate."""
MEANS = "sparse arithmetic answers about means alone"
UPDATES, RUNS, SHARE = 4, 4_000, 1e-7
"""Updates of a simulated run, the most runs, and the rate of false alarms of all comparisons of one analysis."""


@dataclass(frozen=True)
class AtConstantStep:
    """Differences of two runs, all step sizes equal to ``alpha``: −1 they die out, 1 they grow from some start, 0 the
    mean does neither, None undecided, and why. ``moments``: of the parameters after the first updates, from ones, s_0
    uniform on the class; those times for which they were computed. ``under_way``: mean and mean square of runs under
    way, where these differ from those from time zero (:mod:`tdcert.theory.laws.step_signs`).
    """

    alpha: Fraction
    mean: Sign
    mean_square: Sign
    why: str
    moments: tuple[AtTime, ...] = ()
    under_way: tuple[Sign, Sign] | None = None


@dataclass(frozen=True)
class UpdateAnswer:
    """One algorithm on one recurrent class, all step sizes equal.

    ``why_not``: why there are no mean dynamics, empty where there are; then ``verdict`` and what follows it are None.
    ``first_order``: whether the mean dynamics, and what follows them, are those for steps → 0, by the first order of an
    update that is not linear in its steps.
    ``memory_mean``, ``memory_square``: whether the memory's first and second moments are finite, None undecided.
    ``moments``: E m (M×1) and E mmᵀ (M×M) where they were computed. ``error_squared``: ‖Φθ* − V‖²_D, V what it is
    declared to estimate; ``noise``: at rest, and ``variance``: t times E‖Φ(θ̄ − θ*)‖²_D of averages θ̄ over t updates
    in the limit, or ``why_no_noise``.
    Enclosed numbers are balls, or floats with radii, one by itself a 1×1 matrix.
    ``largest``: the largest constant step in mean square (a bracket by single steps where the update is not linear in
    them), or ``why_no_largest``, and ``growth`` where there is none;
    ``safe``: a step up to which differences of two runs die out in mean square, where the largest is not known.
    """

    algorithm: Algorithm
    states: tuple[int, ...]
    why_not: str = ""
    first_order: bool = False
    memory_mean: bool | None = None
    memory_square: bool | None = None
    verdict: Verdict | None = None
    slow_and_fast: Verdict | None = None
    ratios: tuple[RatioInterval, ...] | None = None
    rest: Rest | None = None
    moments: tuple[RationalMatrix, RationalMatrix] | tuple[BallMatrix, BallMatrix] | None = None
    error_squared: Fraction | BallMatrix | MidRadMatrix | None = None
    noise: Noise | None = None
    variance: Fraction | BallMatrix | None = None
    why_no_noise: str = ""
    largest: LargestStep | StepBracket | None = None
    why_no_largest: str = ""
    growth: Growth | None = None
    safe: Fraction | None = None
    at_step: AtConstantStep | None = None
    certificates: tuple[Certificate, ...] = ()


@dataclass(frozen=True)
class UpdatesAnswer:
    """``notes``: what was taken for granted. ``comparisons``: by algorithm, the agreement of runs, or why none.
    ``bits``: of the numbers that enclose the answers; None where they are exact.
    """

    model: Model | SparseModel
    rows: tuple[UpdateAnswer, ...]
    notes: tuple[str, ...]
    comparisons: tuple[tuple[Algorithm, Agreement | str], ...] = ()
    bits: int | None = None
    arithmetic: Arithmetic = Arithmetic.EXACT


def analyse_updates(
    model: Model | SparseModel,
    algorithms: Sequence[Algorithm],
    on_progress: Progress,
    *,
    simulate: bool = False,
    seed: int = 0,
    step: Fraction | None = None,
    certify: bool = False,
    request: Request | None = None,
) -> UpdatesAnswer:
    """Every algorithm on every recurrent class; ``simulate``: and runs of it against its exact moments; ``step``: a
    constant step (> 0) that is asked about; ``certify``: with certificates; ``request``: of arithmetic and bits.

    Raises :class:`InputError` for a function that is not an affine update.
    """
    if not algorithms:
        raise InputError("no algorithm was given; name one, or 'all'")
    asked = request or Request()
    choice = choose(model, asked)
    if choice.arithmetic is Arithmetic.SPARSE:
        for option, given in (("--simulate", simulate), ("--steps", step is not None)):
            if given:
                raise InputError(f"{option} was asked of a model in sparse arithmetic; give --arithmetic enclosed too")
    exact = choice.arithmetic is Arithmetic.EXACT
    certify = certify and exact
    kind: Kind = RationalMatrix if exact else BallMatrix
    bits = None if exact else asked.bits if asked.bits > FLOAT_BITS else BALL_BITS
    chosen, notes = zip(*(for_model(algorithm, model) for algorithm in algorithms), strict=True)
    rows, comparisons = list[UpdateAnswer](), list[tuple[Algorithm, Agreement | str]]()
    if choice.arithmetic is Arithmetic.SPARSE:
        model, bits = in_floats(model) if isinstance(model, Model) else model, FLOAT_BITS
        rows = _sparse_rows(model, chosen, on_progress)
    else:
        model = model if isinstance(model, Model) else model.exact()
        for done, algorithm in enumerate(chosen, start=1):
            if len(chosen) > 1:
                on_progress(done, len(chosen), algorithm.name)
            for states in model.behaviour_chain.recurrent_classes:
                with nullcontext() if bits is None else precision(bits):
                    rows.append(_row(model, algorithm, states, step, certify, kind))
        budget = ErrorBudget(SHARE)
        for place, algorithm in enumerate(chosen if simulate else ()):
            on_progress(place, len(chosen), f"simulating {algorithm.name}")
            comparisons.append((algorithm, _compared(model, algorithm, place, seed, budget, len(chosen))))
    limits = ", ".join(dict.fromkeys(row.algorithm.name for row in rows if row.first_order))
    small = f"mean dynamics for steps → 0, by the first order in the step sizes: {limits}" if limits else ""
    written = (as_written(algorithm, model) for algorithm in algorithms)
    said = tuple(dict.fromkeys(note for note in (*notes, *written, small) if note))
    words = "sparse matrices of floats" if choice.arithmetic is Arithmetic.SPARSE else f"balls of {bits} bits"
    enclosed = () if bits is None else (f"answers are enclosed in {words}: {choice.why}",)
    return UpdatesAnswer(model, tuple(rows), (*enclosed, *said), tuple(comparisons), bits, choice.arithmetic)


def _sparse_rows(model: SparseModel, algorithms: Sequence[Algorithm], on_progress: Progress) -> list[UpdateAnswer]:
    """Every algorithm on every recurrent class of a sparse model; laws and values are found once."""
    chain = structure(model.behaviour_kernel.weights, CLASSES)
    if chain.count > CLASSES:
        raise InputError(f"the chain has {chain.count:,} recurrent classes, a law for each; give up to {CLASSES}")
    with np.errstate(all="ignore"):  # what overflows ends in infinite radii, from which nothing is concluded
        laws = [(states, *stationary_law(model.behaviour_kernel, states)) for states in chain.recurrent]
        V, rows = value_function(model)[0], list[UpdateAnswer]()
        for done, algorithm in enumerate(algorithms, start=1):
            on_progress(done, len(algorithms), algorithm.name)
            rows += [_sparse_row(model, algorithm, states, law, why, V) for states, law, why in laws]
    return rows


def _sparse_row(
    model: SparseModel, algorithm: Algorithm, states: Any, law: EnclosedLaw | None, why: str, V: Columns | None
) -> UpdateAnswer:
    of = tuple(states.tolist())
    if law is None:
        return UpdateAnswer(algorithm, of, verdict=Verdict(MeanDynamics.UNDECIDED, why))
    ratios = [Fraction(1)] * len(algorithm.steps)
    try:
        found = sparse_regime(model, algorithm, states, law)
        answer = UpdateAnswer(
            algorithm, of, memory_mean=found.has_mean, first_order=found.cut, why_no_noise=MEANS, why_no_largest=MEANS
        )
        verdict = at_ratios(found, ratios)
        if not found.has_mean:
            return replace(answer, verdict=verdict)
        rest = rest_of(found, ratios)
        drift = None if rest.drift is None else found.parameters_at(rest.drift)
        return replace(
            answer,
            verdict=verdict,
            slow_and_fast=two_time_scales(found),
            rest=replace(rest, drift=drift),
            error_squared=None if V is None or rest.seen is None else found.error_squared(rest.seen, V),
        )
    except (BudgetExceededError, InputError) as error:
        return UpdateAnswer(algorithm, of, str(error))


def constant_step(words: str) -> Fraction:
    """A constant step, larger than zero. Raises :class:`InputError`."""
    found = StepQuestion.of_words(words).constant
    if found is None:
        raise InputError(
            f"the step is {quoted(words)}; with --algorithms give one number larger than zero, such as 0.1"
        )
    return found


def _row(
    model: Model, algorithm: Algorithm, states: tuple[int, ...], step: Fraction | None, certify: bool, kind: Kind
) -> UpdateAnswer:
    try:
        answer = _answer(model, algorithm, states, certify, kind)
    except SingularMatrixError as error:
        if kind is RationalMatrix:
            raise
        why = f"balls of {ctx.prec} bits are too wide: {error}"
        answer = UpdateAnswer(algorithm, states, verdict=Verdict(MeanDynamics.UNDECIDED, why))
    return answer if step is None else _at_step(model, answer, step, certify, kind)


def _answer(model: Model, algorithm: Algorithm, states: tuple[int, ...], certify: bool, kind: Kind) -> UpdateAnswer:
    try:
        found = with_mean_dynamics(model, algorithm, states, kind=kind)
        answer = _found(found, certify)
    except BudgetExceededError as error:
        return UpdateAnswer(algorithm, states, str(error))
    except InputError as error:  # there may be answers at one step
        tables(model, algorithm, states, steps=dict.fromkeys(algorithm.steps, Fraction(1, 8)))
        return UpdateAnswer(algorithm, states, f"{error}; or ask about constant steps only")
    rest = answer.rest
    if rest is None or rest.drift is None:
        return answer
    return replace(answer, rest=replace(rest, drift=found.parameters_at(rest.drift)))


def _found(found: Stationary, certify: bool) -> UpdateAnswer:
    algorithm, states = found.algorithm, found.states
    ratios = [Fraction(1)] * len(algorithm.steps)
    answer = UpdateAnswer(algorithm, states, memory_mean=found.has_mean, first_order=found.cut)
    verdict = at_ratios(found, ratios)
    if not found.has_mean:
        return replace(answer, memory_square=found.memory.has_second_moments, verdict=verdict)
    rest = rest_of(found, ratios)
    try:
        intervals = ratio_set(found)
    except BudgetExceededError:
        intervals = None
    answer = replace(
        answer,
        verdict=verdict,
        slow_and_fast=two_time_scales(found),
        ratios=None if intervals is None else tuple(intervals),
        rest=rest,
        error_squared=_error_squared(found, rest),
    )
    try:
        answer = replace(answer, memory_square=found.memory.has_second_moments)
    except BudgetExceededError as error:  # from here on everything is about single entries
        return replace(answer, why_no_largest=str(error), why_no_noise=str(error))
    if certify:
        made = stability_certificates(found, ratios) + rest_certificates(found, ratios, rest)
        made += time_scale_certificates(found)
        if found.memory.without_end is not None and _moments(found.tables) <= MOMENTS:
            made += memory_certificates(found)
        answer = replace(answer, certificates=tuple(made))
    answer = _with_moments(answer, found)
    stable = verdict.mean_dynamics in (MeanDynamics.STABLE, MeanDynamics.STABLE_MODULO_NULL_SPACE)
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


def _room(found: Stationary) -> int:
    return 1 if found.kind is RationalMatrix else ROOM_IN_BALLS


def _moments(found: Tables) -> int:
    return len(found.contexts) * found.M * (found.M + 1) // 2


def _systems(found: Tables) -> int:
    return len(found.contexts) * found.D**2


def _with_moments(answer: UpdateAnswer, found: Stationary) -> UpdateAnswer:
    """Also of what is memory, where its second moments are finite and few."""
    M = found.tables.M
    if not M or not answer.memory_square or _moments(found.tables) > MOMENTS * _room(found):
        return answer
    total = sum(found.memory.second[1:], start=found.memory.second[0])
    return replace(answer, moments=(total.take(range(M), [M]), total.take(range(M), range(M))))


def _stable_scales(answer: UpdateAnswer, found: Stationary) -> TimeScales | None:
    """Where both are stable, and updates see all parameters."""
    apart = answer.slow_and_fast is not None and answer.slow_and_fast.mean_dynamics is MeanDynamics.STABLE
    scales = time_scales(found) if apart else None
    return scales if isinstance(scales, TimeScales) else None


def _with_noise(
    answer: UpdateAnswer,
    found: Stationary,
    ratios: Sequence[Fraction],
    stable: bool,
    scales: TimeScales | None,
    certify: bool,
) -> UpdateAnswer:
    rest = answer.rest
    if rest is None or rest.seen is None:
        nothing = not found.visible[0]
        why = "no update depends on the parameters" if nothing else "balls do not determine where it rests"
        return replace(answer, why_no_noise=why)
    if not answer.memory_square:
        what = "are infinite" if answer.memory_square is False else "are not decided to be finite"
        return replace(answer, why_no_noise=f"the second moments of the memory {what}")
    if found.tables.M and answer.moments is None:
        return replace(answer, why_no_noise=f"the memory has more than {MOMENTS * _room(found)} second moments")
    size, most = _systems(found.tables), SYSTEMS * _room(found)
    if size > most:
        return replace(answer, why_no_noise=f"contexts × parameters² are {size}, more than {most}")
    noise = noise_of(found, ratios, rest, stable, scales)
    if certify:
        made = covariance_certificates(found, ratios, rest, noise, scales)
        answer = replace(answer, certificates=(*answer.certificates, *made))
    if noise.predictions is None:
        return replace(answer, noise=noise)
    diagonal = found.kind.of_scalars([row[k] for k, row in enumerate(noise.predictions.scalars)])
    return replace(answer, noise=noise, variance=_number(found.law.T @ diagonal))


def _number(product: Any) -> Fraction | BallMatrix:
    """The entry of a 1×1 matrix."""
    found: Fraction | BallMatrix = product[0, 0] if isinstance(product, RationalMatrix) else product
    return found


def _at_step(model: Model, answer: UpdateAnswer, alpha: Fraction, certify: bool, kind: Kind) -> UpdateAnswer:
    ratios = [Fraction(1)] * len(answer.algorithm.steps)
    try:
        found = at_constant_step(model, answer.algorithm, answer.states, ratios, alpha, ENTRIES, kind)
    except (BudgetExceededError, InputError, SingularMatrixError) as error:
        return replace(answer, at_step=AtConstantStep(alpha, None, None, str(error)))
    made = at_step_certificates(found, ratios, alpha) if certify else []
    own, count = found.own, len(answer.states)
    start, y0 = [Fraction(1, count)] * count, [Fraction(1)] * own.D
    moments = tuple(moments_in_time(own, start, y0, TIMES))
    made += [moments_certificate(own, start, y0, at) for at in _few_nodes(own, moments)] if certify else []
    said = AtConstantStep(alpha, found.mean, found.mean_square, found.why, moments, found.under_way)
    if answer.safe is not None and alpha <= answer.safe:
        said = AtConstantStep(alpha, -1, -1, "", moments)
    return replace(answer, at_step=said, certificates=(*answer.certificates, *made))


def _few_nodes(own: Tables, moments: Sequence[AtTime]) -> Sequence[AtTime]:
    """The last of these times up to which state and memory take few values, if there is one."""
    for at in reversed(moments):
        try:
            node_chain(own, until=at.t, most=NODES // (own.D + 1) ** 2)
        except BudgetExceededError:
            continue
        return [at]
    return []


def _error_squared(found: Stationary, rest: Rest) -> Fraction | BallMatrix | None:
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


def _compared(
    model: Model, algorithm: Algorithm, place: int, seed: int, budget: ErrorBudget, count: int
) -> Agreement | str:
    from tdcert.sims.comparison_frame import Sampling
    from tdcert.sims.updates.comparison import simulate_update

    ratios = [Fraction(1)] * len(algorithm.steps)
    largest = max(sum(x * x for x in row) for row in model.features.rows)
    alpha = float(Fraction(1, 8) / max(largest, Fraction(1)))
    sampling = Sampling(f"{place + 1}: {algorithm.name}", RUNS, seed, budget, SHARE / (2 * count))
    try:
        ones = [1.0] * sum(slot.size for slot in algorithm.slots(model.d)[0])
        return simulate_update(model, algorithm, ratios, [alpha] * UPDATES, sampling, y0=ones)
    except (BudgetExceededError, InputError) as error:
        return str(error)
