"""Runs of any declared update on a model, against its exact moments, and its error over time.

What decides is the comparison of :mod:`tdcert.sims.updates.comparison`. What is drawn is the mean square distance of
predictions from those at rest, Φθ with θ the first parameter as long as φ: over runs of the function itself with a
band, and its exact expectation where the memory takes few values and steps enter linearly, or are constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tdcert.analysis.request import SimulationRequest, step_text
from tdcert.analysis.run_results import Judged, SimulatedRun, judged, shorter, undecided
from tdcert.sims.comparison_frame import Sampling
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.step_sizes import Constant
from tdcert.sims.trajectories import uniform_start
from tdcert.sims.updates.comparison import simulate_update
from tdcert.sims.updates.runs import UpdateRuns
from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.dynamics import rest_of
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.means import Stationary
from tdcert.theory.engine.nodes import nodes
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.figures import Figure, Series
from tdcert.theory.laws.moments import finite_time_moments
from tdcert.theory.model.mdp import Model

COMPARED = (12, 8, 4, 2)
"""Updates after which moments are compared: the first of these for which they are affordable."""
RUNS = 20_000
"""Most runs of that comparison."""
WORK = 5e8
"""Most multiplications for one exact law (seconds)."""
LARGEST = 1e150
"""A run with a parameter beyond it has diverged."""


def simulate_any(
    model: Model, algorithm: Algorithm, experiment: SimulationRequest, budget: ErrorBudget, share: float
) -> SimulatedRun:
    """One algorithm, all of its later step sizes in the ratio of the experiment to the first; from ones.

    Raises :class:`InputError` for a model of several recurrent classes, and for a function that is not an affine update
    or fails on floats.
    """
    classes = model.behaviour_chain.recurrent_classes
    if len(classes) > 1:
        raise InputError(f"--simulate needs one recurrent class, and the chain has {len(classes)}; give a model of one")
    ratios = [Fraction(1), *[experiment.ratio] * (len(algorithm.steps) - 1)]
    alpha = experiment.first_steps(model)
    sizes = np.array([alpha(t) for t in range(experiment.times[-1])])
    verdict = _compared(model, algorithm, ratios, sizes, isinstance(alpha, Constant), experiment.seed, budget, share)
    found = with_mean_dynamics(model, algorithm, classes[0])
    figure, gone, is_exact = _curve(found, ratios, sizes, isinstance(alpha, Constant), experiment, step_text(alpha))
    later = ", ".join(
        f"{name} = {ratio} {algorithm.steps[0]}" for name, ratio in zip(algorithm.steps, ratios, strict=True)
    )
    beta = None if len(ratios) == 1 else later.partition(", ")[2]
    by = max(gone) if gone else None
    return SimulatedRun(algorithm.name, step_text(alpha), beta, verdict, figure, len(gone), is_exact, by)


def _compared(
    model: Model,
    algorithm: Algorithm,
    ratios: Sequence[Fraction],
    sizes: Floats,
    constant: bool,
    seed: int,
    budget: ErrorBudget,
    share: float,
) -> Judged:
    """Mean and covariance of all parameters after a few updates; where steps do not enter linearly, at the first of
    them, kept.
    """
    ones, why = [1.0] * sum(slot.size for slot in algorithm.slots(model.d)[0]), ""
    for t, kept in [*((t, constant) for t in COMPARED), *((t, True) for t in COMPARED if not constant)]:
        taken = [float(sizes[0])] * t if kept else sizes[:t].tolist()
        at = f", all with the first step, {taken[0]:g}" if kept and not constant else ""
        sampling = Sampling(f"{algorithm.name} on {model.digest[:12]}: {t} updates{at}", RUNS, seed, budget, share)
        try:
            found = simulate_update(model, algorithm, ratios, taken, sampling, y0=ones, constant=kept)
            return judged(found, f"mean and covariance of the iterates after {t} updates{at}")
        except (BudgetExceededError, InputError, OverflowError) as error:
            why = why or str(error)
    return undecided(why)


@dataclass(frozen=True)
class _Distance:
    """‖Fy − p‖² weighted with ``law``: F the predictions from all parameters, or these themselves; ``from_rest``:
    whether p is where the update rests, else zero. ``begin``: θ of ones and zeros elsewhere, or all ones.
    """

    F: Floats
    p: Floats
    law: Floats
    from_rest: bool
    begin: Floats


def _distance(found: Stationary, ratios: Sequence[Fraction]) -> _Distance:
    model, place = found.model, found.predictor
    width = sum(slot.size for slot in found.algorithm.slots(model.d)[0])
    F, law, begin = np.eye(width), np.full(width, 1 / width), np.ones(width)
    if place is not None:
        law = model.behaviour_chain.stationary_law(found.states).take(rows=found.states).to_float()[:, 0]
        F = np.zeros((len(found.states), width))
        begin = np.array([float(i in place) for i in range(width)])
        F[:, place.start : place.stop] = model.features.take(rows=found.states).to_float()
    rest = rest_of(found, ratios) if found.has_mean is True else None
    point = None if rest is None else rest.parameters if place is None else rest.predictions
    return _Distance(F, np.zeros(len(F)) if point is None else point.to_float()[:, 0], law, point is not None, begin)


def _curve(
    found: Stationary,
    ratios: Sequence[Fraction],
    sizes: Floats,
    constant: bool,
    asked: SimulationRequest,
    alpha: str,
) -> tuple[Figure, list[int], bool]:
    """The distance over time; the updates at which runs diverged; whether its exact expectation is there."""
    model, algorithm, times = found.model, found.algorithm, asked.times
    to = _distance(found, ratios)
    runs = UpdateRuns(model, algorithm, ratios, uniform_start(model))
    wanted, errors, gone_at = set(times), [], np.full(asked.runs, -1)
    with np.errstate(over="ignore", invalid="ignore"):
        for t, y in enumerate(runs.path(sizes, asked.runs, asked.seed, f"{algorithm.name}: drawn", to.begin.tolist())):
            gone_at[~(np.abs(y).max(axis=1) <= LARGEST) & (gone_at < 0)] = t
            if t in wanted:
                errors.append(np.where(gone_at >= 0, np.inf, ((y @ to.F.T - to.p) ** 2) @ to.law))
        each = np.array(errors)  # times × runs
        mean = each.mean(axis=1)
        low, high = (np.quantile(each, q, axis=1, method="inverted_cdf") for q in asked.quantiles)
    kept = [k for k in range(len(times)) if np.isfinite(mean[k]) and np.isfinite(high[k])]
    middle, lower, upper = (tuple(float(values[k]) for k in kept) for values in (mean, low, high))
    x = tuple(float(times[k]) for k in kept)
    series = [Series(f"mean over {asked.runs} runs", x, middle, lower, upper, marks="line")]
    exact = _expected(found, ratios, sizes, constant, times, to)
    if exact:
        series.append(Series("expectation, exactly propagated", tuple(map(float, exact)), tuple(exact.values())))
    gone = gone_at[gone_at >= 0].tolist()
    first, last = asked.quantiles
    caption = (
        f"{algorithm.steps[0]}_t = {alpha}; s_0 uniform, θ_0 of ones, other parameters zero; the distance is that from "
        f"{'rest' if to.from_rest else 'zero, for no one point is at rest'}; the band of the runs lies between their "
        f"{first:.3g} and {last:.3g} quantiles."
        + ("" if exact else f" The exact expectation was not computed: {_why_no_expectation(found, constant)}.")
        + (f" {len(gone)} of {asked.runs} runs diverged, by update {max(gone):,}." if gone else "")
    )
    name, label = algorithm.name, "E ‖Φθ_t − Φθ*‖²_D" if found.predictor is not None else "E |y_t − y*|² / D"
    title = f"{name} on this model"
    figure = Figure(
        f"simulation_{name}", None, title, "updates t", label, tuple(series), caption, log_x=True, log_y=True
    )
    return figure, gone, bool(exact)


def _why_no_expectation(found: Stationary, constant: bool) -> str:
    if found.cut and not constant:
        return "the update is not linear in its steps, and they vary"
    return "the memory takes too many values, or numbers leave the range of floats"


def _expected(
    found: Stationary,
    ratios: Sequence[Fraction],
    sizes: Floats,
    constant: bool,
    times: Sequence[int],
    to: _Distance,
) -> dict[int, float]:
    """The expectation of the distance by time, at as many of the times as are affordable; empty where steps that vary
    do not enter linearly.
    """
    model, algorithm, width = found.model, found.algorithm, to.F.shape[1]
    fixed = None
    if found.cut:
        if not constant:
            return {}
        fixed = {name: Fraction(sizes[0]) * ratio for name, ratio in zip(algorithm.steps, ratios, strict=True)}
    for shown in shorter(times):
        try:
            most = int(WORK / (4.0 * shown[-1] * (width + 1) ** 3))
            chain = nodes(model, algorithm, uniform_start(model), steps=fixed, until=shown[-1], most=most)
            taken = [sizes[: shown[-1]] * float(ratio) for ratio in ratios]
            moments = finite_time_moments(chain, taken, shown, [*to.begin, 1.0])
        except (BudgetExceededError, InputError, OverflowError):
            continue
        weighted, against = to.F.T @ (to.law[:, None] * to.F), to.law * to.p
        return {
            at.t: float(np.sum(weighted * at.second[:-1, :-1]) - 2 * against @ (to.F @ at.mean) + against @ to.p)
            for at in moments
        }
    return {}
