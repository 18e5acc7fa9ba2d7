"""``tdcert certify``: after how many steps θ_t is close to θ*, at one time and for ever, with a given probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile, tee
from math import log10, sqrt

import numpy as np

from tdcert.algorithms.schedules import TITLES, scheduled
from tdcert.sims.last_exit import distances
from tdcert.theory.errors import BudgetExceededError, InputError, short
from tdcert.theory.figures import Figure, Series
from tdcert.theory.files.numerals import number
from tdcert.theory.laws.decreasing_steps import DecreasingSteps
from tdcert.theory.laws.error_process import ErrorProcess, error_process
from tdcert.theory.laws.for_ever import (
    ForEver,
    NotCertifiedError,
    SecondMoments,
    affordable,
    envelopes,
    least_time,
    least_time_once,
    no_start,
)
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


LARGEST_RATIO = Fraction(10**6)
"""Of the two step sizes: the matrices of both algorithms are then well within the range of floats."""


@dataclass(frozen=True)
class Question:
    """What is asked: from when on P(|θ_t − θ*| ≤ ``within``) ≥ ``probability``, with β = ``ratio`` α, from θ_0 and 0.

    ``ratio``: of GTD and TDC, 1 where it is not given; TD has one step size.
    Raises :class:`InputError` for what no answer exists to.
    """

    algorithm: str
    steps: DecreasingSteps
    within: Fraction
    probability: Fraction
    ratio: Fraction | None = None
    theta0: tuple[Fraction, ...] | None = None

    @property
    def eta(self) -> Fraction:
        """β/α."""
        return Fraction(1) if self.ratio is None else self.ratio

    def __post_init__(self) -> None:
        update = scheduled(self.algorithm)
        if self.within <= 0:
            raise InputError(f"the distance is {self.within}; give one above zero")
        if not 0 < self.probability < 1:
            raise InputError(f"the probability is {self.probability}; give a number between 0 and 1, such as 0.95")
        if self.ratio is None:
            return
        if update.steps == 1:
            raise InputError(
                f"the ratio β/α is {short(self.ratio)}, and {self.algorithm} has one step size; leave the ratio out, "
                "or give gtd or tdc"
            )
        if self.ratio <= 0:
            raise InputError(f"the ratio β/α is {short(self.ratio)}; give a number above zero")
        if not 1 / LARGEST_RATIO <= self.ratio <= LARGEST_RATIO:
            raise InputError(
                f"the ratio β/α is {short(self.ratio)}, and a bound is searched for in floats; give one between "
                f"{1 / LARGEST_RATIO} and {LARGEST_RATIO}"
            )

    @staticmethod
    def of_words(
        algorithm: str,
        steps: str,
        within: str,
        probability: str,
        ratio: str | None = None,
        theta0: str | None = None,
    ) -> Question:
        """From words as people write them: ``"2,100,3/4"``, ``"0.1"``. Raises :class:`InputError`."""
        first = None
        if theta0 is not None:
            first = tuple(Fraction(number(word.strip(), "θ_0")) for word in theta0.split(","))
        return Question(
            algorithm,
            DecreasingSteps.of_words(steps),
            Fraction(number(within.strip(), "the distance")),
            Fraction(number(probability.strip(), "the probability")),
            None if ratio is None else Fraction(number(ratio.strip(), "the ratio β/α")),
            first,
        )


@dataclass(frozen=True)
class Answer:
    """``one_time`` T, and whether it is the least (``exact``); ``ever_after``, or None with the reason in ``why``."""

    question: Question
    process: ErrorProcess
    one_time: int | None
    exact: bool
    ever_after: ForEver | None
    why: str | None


def certify(model: Model, question: Question, on_progress: Progress = silently) -> Answer:
    """The answer for a model whose first state is drawn evenly from all.

    Raises :class:`InputError` where A is singular, there is more than one recurrent class, or no end of the schedule.
    """
    process = process_of(model, question.algorithm, question.eta, question.theta0)
    steps, within, probability = question.steps, question.within, question.probability
    found, why = None, None
    for_ever, at_once = tee(envelopes(process, steps, on_progress=on_progress))
    try:
        found = least_time(process, steps, within, probability, for_ever)
    except BudgetExceededError as reason:
        why = str(reason)
    once = least_time_once(process, steps, within, probability, at_once, on_progress)
    return Answer(question, process, once and once[0], bool(once and once[1]), found, why)


def process_of(model: Model, algorithm: str, ratio: Fraction, theta0: Sequence[Fraction] | None = None) -> ErrorProcess:
    """From a first state drawn evenly from all, and from θ_0 = 0 where none is given."""
    start = (Fraction(1, model.n),) * model.n
    try:
        return error_process(model, scheduled(algorithm), ratio, start, theta0 or (Fraction(0),) * model.d)
    except BudgetExceededError as reason:
        raise InputError(f"the model is too large to certify: {reason}") from None


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


def distance_curves(
    model: Model,
    algorithm: str,
    steps: DecreasingSteps,
    theta0: Sequence[Fraction],
    seed: int | None,
    ratio: Fraction = Fraction(1),
) -> DistanceCurves:
    """Root mean square error and bounds of one algorithm with β = ``ratio`` α, from ``theta0``; with a ``seed`` the
    quantiles of simulated runs beside them.
    """
    try:
        process = process_of(model, algorithm, ratio, theta0)
    except InputError as reason:
        return DistanceCurves(algorithm, steps, None, None, str(reason))
    try:
        found = envelopes(process, steps, PROPAGATED)
        parts = list(takewhile(lambda part: part.begin <= HORIZON, found))
        why = "" if parts else no_start(process, steps, PROPAGATED)
    except BudgetExceededError as reason:
        parts, why = [], str(reason)
    grid = sorted({round(10 ** (k / POINTS)) for k in range(round(log10(HORIZON)) * POINTS + 1)})
    moments, propagated = SecondMoments(process, steps), min(affordable(process, steps), PROPAGATED)
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
        Series("root mean square error", *_columns(root), marks="line"),
        Series("bound of it", *_columns([x[:2] for x in bounds]), marks="line"),
        Series(
            f"stays below for ever, probability {float(SHARE):g}: bound",
            *_columns([x[::2] for x in bounds]),
            marks="line",
        ),
    ]
    if seed is not None:
        series.append(_simulated(process, steps, grid, seed))
    series = [one for one in series if one.x]
    beta = "" if scheduled(algorithm).steps == 1 else f", β = {'' if ratio == 1 else f'{ratio} '}α, w_0 = 0"
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
        f"for_ever_{algorithm}",
        None,
        f"{TITLES[algorithm]}: distance of θ from θ* over time",
        "updates t",
        "|θ − θ*|",
        tuple(series),
        caption.strip(),
        log_x=True,
        log_y=True,
    )
    return DistanceCurves(algorithm, steps, figure if series else None, last, why)


def _simulated(process: ErrorProcess, steps: DecreasingSteps, grid: Sequence[int], seed: int) -> Series:
    """By time t the quantile over runs of the largest distance from t on; the last tenth of the runs is not shown."""
    seen = distances(process, steps, HORIZON, RUNS, seed)
    shown = [t for t in grid if t <= HORIZON // 10]
    later = seen.later(float(SHARE))[np.searchsorted(seen.times, shown)]
    return Series(
        f"largest distance from t to {HORIZON:,}, quantile {float(SHARE):g} of {RUNS} runs",
        tuple(map(float, shown)),
        tuple(map(float, later)),
        marks="points",
    )


def _columns(points: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return tuple(x for x, _ in points), tuple(y for _, y in points)


def _brief(vector: Sequence[Fraction]) -> str:
    words = ", ".join(map(str, vector[:4]))
    return f"({words}, …)" if len(vector) > 4 else f"({words})"
