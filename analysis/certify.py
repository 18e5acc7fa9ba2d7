"""``tdcert certify``: after how many steps θ_t is close to θ*, at one time and for ever, with a given probability."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile, tee
from math import log10, sqrt

import numpy as np

from tdcert.algorithms import as_written, called, for_model, one
from tdcert.algorithms.schedules import TITLES
from tdcert.sims.last_exit import distances
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.error_process import ErrorProcess, error_process
from tdcert.theory.engine.for_ever import (
    ForEver,
    NotCertifiedError,
    SecondMomentBounds,
    affordable,
    envelopes,
    least_time,
    least_time_once,
    no_start,
)
from tdcert.theory.engine.proposed_steps import RATIOS, propose
from tdcert.theory.errors import BudgetExceededError, InputError, short
from tdcert.theory.figures import Figure, Series
from tdcert.theory.files.numerals import number
from tdcert.theory.laws.decreasing_steps import DecreasingSteps
from tdcert.theory.model.mdp import Model
from tdcert.theory.progress import Progress, silently

RUNS, HORIZON = 200, 100_000
"""Simulated runs of the figure, and their length."""
PROPAGATED = 10_000
"""Steps over which the figure propagates second moments; beyond them it shows their bound."""
SHARE = Fraction(9, 10)
"""Probability of the envelope that is drawn."""
HIGHEST = 10**24
"""Squares of distances beyond it are not drawn."""
POINTS = 8
"""Places for each factor of ten at which bounds are drawn."""


PROPOSED = "auto"
"""The word for steps that are to be proposed."""
LARGEST_RATIO = Fraction(10**6)
"""The largest ratio of two step sizes; the matrices of both algorithms are then well within the range of floats."""


@dataclass(frozen=True)
class Question:
    """What is asked: from when on P(|θ_t − θ*| ≤ ``within``) ≥ ``probability``, θ being the first parameter as long as
    φ, from θ_0 = ``theta0`` (zeros) and zeros elsewhere. ``steps``: None asks for a proposal. ``ratio``: of the later
    step sizes to the first; where it is not given, ones, or part of the proposal. Raises :class:`InputError` for what
    no answer exists to.
    """

    algorithm: Algorithm
    steps: DecreasingSteps | None
    within: Fraction
    probability: Fraction
    ratio: tuple[Fraction, ...] | None = None
    theta0: tuple[Fraction, ...] | None = None

    @property
    def ratios(self) -> tuple[Fraction, ...]:
        """The ratio of each step size to the first."""
        return Fraction(1), *(self.ratio or (Fraction(1),) * (len(self.algorithm.steps) - 1))

    def __post_init__(self) -> None:
        if self.within <= 0:
            raise InputError(f"the distance is {self.within}; give one above zero")
        if not 0 < self.probability < 1:
            raise InputError(f"the probability is {self.probability}; give a number between 0 and 1, such as 0.95")
        if self.ratio is None:
            return
        name, (first, *others) = self.algorithm.name, self.algorithm.steps
        if not others:
            raise InputError(f"a ratio of step sizes is given, and {name} has one step size; leave the ratio out")
        if len(self.ratio) != len(others):
            wanted = ", ".join(f"{step}/{first}" for step in others)
            raise InputError(f"{name} takes {len(others)} ratios of step sizes, {wanted}, not {len(self.ratio)}")
        for ratio, step in zip(self.ratio, others, strict=True):
            said = f"the ratio {step}/{first} is {short(ratio)}"
            if ratio <= 0:
                raise InputError(f"{said}; give a number above zero")
            if not 1 / LARGEST_RATIO <= ratio <= LARGEST_RATIO:
                raise InputError(
                    f"{said}, and a bound is searched for in floats; give one between {1 / LARGEST_RATIO} and "
                    f"{LARGEST_RATIO}"
                )

    @staticmethod
    def of_words(
        algorithm: str | Algorithm,
        steps: str,
        within: str,
        probability: str,
        ratio: str | None = None,
        theta0: str | None = None,
    ) -> Question:
        """The question in words as people write them: ``"tdrc[ridge=1/2]"``, ``"2,100,3/4"`` or ``"auto"``, ``"0.1"``.

        Raises :class:`InputError`.
        """
        return Question(
            one(algorithm) if isinstance(algorithm, str) else algorithm,
            None if steps.strip() == PROPOSED else DecreasingSteps.of_words(steps),
            Fraction(number(within.strip(), "the distance")),
            Fraction(number(probability.strip(), "the probability")),
            _numbers(ratio, "the ratio of step sizes"),
            _numbers(theta0, "θ_0"),
        )


def _numbers(words: str | None, what: str) -> tuple[Fraction, ...] | None:
    return None if words is None else tuple(Fraction(number(word.strip(), what)) for word in words.split(","))


@dataclass(frozen=True)
class Answer:
    """``one_time`` T, and whether it is the least (``exact``); ``ever_after``, or None with the reason in ``why``;
    ``note``: what was taken for granted, empty where nothing was. ``steps``: those asked about, or ``proposed``.
    """

    question: Question
    steps: DecreasingSteps
    proposed: bool
    process: ErrorProcess
    one_time: int | None
    exact: bool
    ever_after: ForEver | None
    why: str | None
    note: str = ""


def certify(model: Model, question: Question, on_progress: Progress = silently) -> Answer:
    """The answer for a model whose first state is drawn evenly from all.

    Raises :class:`InputError` as :func:`process_of`.
    """
    within, probability, steps = question.within, question.probability, question.steps
    found, why, proposed = None, None, steps is None
    if steps is None:
        several = question.ratio is None and len(question.algorithm.steps) > 1
        later = [(x,) * (len(question.algorithm.steps) - 1) for x in RATIOS] if several else [question.ratios[1:]]
        processes = [process_of(model, question.algorithm, (Fraction(1), *x), question.theta0) for x in later]
        try:
            process, steps = propose(processes, within, probability, on_progress)
        except NotCertifiedError as reason:
            raise InputError(f"no steps can be proposed: {reason}") from None
    else:
        process = process_of(model, question.algorithm, question.ratios, question.theta0)
    for_ever, at_once = tee(envelopes(process, steps, on_progress=on_progress))
    try:
        found = least_time(process, steps, within, probability, for_ever)
    except BudgetExceededError as reason:
        why = str(reason)
    once = least_time_once(process, steps, within, probability, at_once, on_progress)
    note = for_model(question.algorithm, model)[1] or as_written(question.algorithm, model)
    return Answer(question, steps, proposed, process, once and once[0], bool(once and once[1]), found, why, note)


def process_of(
    model: Model, algorithm: Algorithm, ratios: Sequence[Fraction], theta0: Sequence[Fraction] | None = None
) -> ErrorProcess:
    """The error process of the algorithm with the model's schedule, from a first state drawn evenly from all.
    ``ratios``: the ratio of each step size to the first.

    Raises :class:`InputError` as :func:`tdcert.theory.engine.error_process.error_process`, and for a memory of too many
    values.
    """
    start = (Fraction(1, model.n),) * model.n
    try:
        return error_process(model, for_model(algorithm, model)[0], ratios, start, theta0)
    except BudgetExceededError as reason:
        raise InputError(f"the model is too large to certify: {reason}") from None


def mean_square_bound(process: ErrorProcess, steps: DecreasingSteps, t: int) -> Fraction | None:
    """An upper bound of E|θ_t − θ*|² by the forms that fall for ever, not by propagation up to t; None where they begin
    later. Raises what :func:`~tdcert.theory.engine.for_ever.envelopes` does.
    """
    begun = takewhile(lambda part: part.begin <= t, envelopes(process, steps, min(t, PROPAGATED)))
    *_, last = None, *begun
    floor = None if last is None else last.floor(t)
    return None if last is None or floor is None else last.chance(t, floor, Fraction(1), once=True)


@dataclass(frozen=True)
class DistanceCurves:
    """The distance of θ from θ* over time under steps that decrease: its ``figure``, None where nothing is known of it.

    ``last``: what its last point says, with all that a certificate of it needs, or None; ``why``: a sentence that says
    why nothing is certified then, and what to change.
    """

    algorithm: str
    steps: DecreasingSteps
    figure: Figure | None
    last: ForEver | None
    why: str

    @property
    def title(self) -> str:
        """What the algorithm is called."""
        return TITLES.get(self.algorithm, self.algorithm)


def distance_curves(
    model: Model,
    update: Algorithm,
    steps: DecreasingSteps,
    theta0: Sequence[Fraction],
    seed: int | None,
    ratio: Fraction = Fraction(1),
) -> DistanceCurves:
    """Root mean square error and bounds of one algorithm with β = ``ratio`` α, from ``theta0``; with a ``seed`` the
    quantiles of simulated runs beside them.
    """
    algorithm = called(for_model(update, model)[0], model)
    ratios = (Fraction(1), *[ratio] * (len(update.steps) - 1))
    try:
        process = process_of(model, update, ratios, theta0)
    except InputError as reason:
        return DistanceCurves(algorithm, steps, None, None, str(reason))
    try:
        found = envelopes(process, steps, PROPAGATED)
        parts = list(takewhile(lambda part: part.begin <= HORIZON, found))
        why = "" if parts else no_start(process, steps, PROPAGATED)
    except BudgetExceededError as reason:
        parts, why = [], str(reason)
    grid = sorted({round(10 ** (k / POINTS)) for k in range(round(log10(HORIZON)) * POINTS + 1)})
    moments, propagated = SecondMomentBounds(process, steps), min(affordable(process, steps), PROPAGATED)
    root = []
    for t in (t for t in grid if t <= propagated):
        try:
            moments.advance(t)
        except NotCertifiedError:
            break
        if moments.squared_error() < HIGHEST:
            root.append((float(t), sqrt(float(moments.squared_error()))))
    bounds, latest = [], None
    for part in parts:
        for t in (t for t in grid if part.begin <= t < part.end and 2 * (t + steps.t0) > 1):
            floor = part.floor(t)
            if floor is not None:
                once, ever = (part.chance(t, floor, Fraction(1), once) for once in (True, False))
                bounds.append((float(t), sqrt(float(once)), sqrt(float(ever / (1 - SHARE)))))
                latest = part, t, floor
    last = None
    if latest is not None:
        part, t, floor = latest
        within = Fraction(f"{bounds[-1][-1] * 1.01:.2e}")  # three digits: less than 1/100 is lost
        last = ForEver(part, within, SHARE, t, floor)
    series = [
        Series.through("root mean square error", root, "line"),
        Series.through("bound of it", ((t, mean) for t, mean, _ in bounds), "line"),
        Series.through(
            f"stays below for ever, probability {float(SHARE):g}: bound", ((t, ever) for t, _, ever in bounds), "line"
        ),
    ]
    if seed is not None:
        series.append(_simulated(process, steps, grid, seed))
    series = [one for one in series if one.x]
    beta = "" if len(ratios) == 1 else f", β = {'' if ratio == 1 else f'{ratio} '}α, w_0 = 0"
    caption = (
        f"Steps {steps}, θ_0 = {_brief(theta0)}, the first state drawn evenly"
        f"{beta}. The root mean square error is propagated in integers, "
        "rounded upwards. "
        + ("The bounds are computed in exact arithmetic, each time by itself. " if bounds else "")
        + ("" if last is None else f"Certified: {last.in_words}. ")
        + (f"Nothing is certified for ever: {why}. " if why else "")
        + ("Simulated runs decide nothing." if seed is not None else "")
    )
    figure = Figure(
        f"for_ever_{re.sub(r'[^a-zA-Z0-9_]+', '_', algorithm).strip('_')}",
        None,
        f"{TITLES.get(algorithm, algorithm)}: distance of θ from θ* over time",
        "updates t",
        "|θ − θ*|",
        tuple(series),
        caption.strip(),
        log_x=True,
        log_y=True,
    )
    return DistanceCurves(algorithm, steps, figure if series else None, last, why)


def _simulated(process: ErrorProcess, steps: DecreasingSteps, grid: Sequence[int], seed: int) -> Series:
    """The quantile over runs of the largest distance from t on, for each t; the last tenth of the runs is not shown."""
    seen = distances(process, steps, HORIZON, RUNS, seed)
    shown = [t for t in grid if t <= HORIZON // 10]
    later = seen.later(float(SHARE))[np.searchsorted(seen.times, shown)]
    return Series(
        f"largest distance from t to {HORIZON:,}, quantile {float(SHARE):g} of {RUNS} runs",
        tuple(map(float, shown)),
        tuple(map(float, later)),
        marks="points",
    )


def _brief(vector: Sequence[Fraction]) -> str:
    words = ", ".join(map(str, vector[:4]))
    return f"({words}, …)" if len(vector) > 4 else f"({words})"
