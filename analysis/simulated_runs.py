"""``--simulate``: the algorithms run on the user's own model, against what theory says of these very runs.

For each algorithm one comparison decides, at the grade ``consistent`` and a false-alarm rate: mean and covariance of
the iterates after :data:`TIME` updates against their exact values where windows are few, else the mean of one update at
the fixed point against zero. What is drawn decides nothing: the mean square error of predictions over runs with a band,
and its exact mean where windows are few, with one standard deviation on either side where fourth moments are few too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from tdcert.algorithms import for_model
from tdcert.algorithms.schedules import TITLES, applicable, chain_of, scheduled
from tdcert.analysis.at_step import AtStep
from tdcert.analysis.averages import AveragedErrors
from tdcert.analysis.drawn_updates import simulate_any
from tdcert.analysis.request import SimulationRequest, step_text
from tdcert.analysis.run_results import Judged, SimulatedRun, judged, shorter, undecided
from tdcert.sims.comparison_frame import Sampling, Simulator, Target
from tdcert.sims.finite_time_comparison import simulate_against_moments, simulate_fixed_point
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.kernels import simulate
from tdcert.sims.step_sizes import StepSizes
from tdcert.sims.trajectories import uniform_start
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_dynamics import reduce_features
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.errors import BudgetExceededError, InputError, SingularMatrixError
from tdcert.theory.figures import Figure, Series
from tdcert.theory.laws.moments import finite_time_moments
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Status

TIME = 12
"""Updates after which the law of the iterates is compared."""
RUNS, SAMPLES = 20_000, 100_000
"""Most runs of that comparison, and most samples of the other."""
START = "s_0 uniform, every entry of θ_0 one, w_0 = 0"
"""Where the drawn runs start."""
SHARE = 1e-8
"""False-alarm rate of one comparison."""
BUDGET = 1e-7
"""False-alarm rate of all comparisons together."""
WORK = 5e8
"""Most multiplications for one exact law (seconds)."""


@dataclass(frozen=True)
class Simulation:
    """The runs of an experiment; ``false_alarm_rate``: of all comparisons together; ``averages``: errors of averaged
    iterates by schedule.
    """

    asked: SimulationRequest
    runs: tuple[SimulatedRun, ...]
    false_alarm_rate: float
    averages: tuple[AveragedErrors, ...] = ()

    @property
    def figures(self) -> tuple[Figure, ...]:
        """One of each algorithm."""
        return tuple(run.figure for run in self.runs)

    @property
    def contradicted(self) -> tuple[str, ...]:
        """Algorithms that contradict theory."""
        return tuple(run.algorithm for run in self.runs if run.judged.status is Status.REFUTED)


def simulate_model(
    model: Model,
    experiment: SimulationRequest,
    algorithms: Sequence[str | Algorithm] | None = None,
    share: float = SHARE,
    simulator: Simulator = simulate,
    at_steps: Mapping[str, AtStep] | None = None,
) -> Simulation:
    """The ``algorithms``, each compared at the false-alarm rate ``share``: the paper's by their names, with compiled
    kernels, others as they are declared; None for those of the paper that apply. ``at_steps``: what is known of the
    constant step that they run with.

    Raises :class:`InputError` where there is no one rest point to hold them against. Another ``simulator`` takes the
    place of the kernel in the comparisons, to see whether its mistakes are noticed.
    """
    budget, known, runs = ErrorBudget(BUDGET), at_steps or {}, list[SimulatedRun]()
    for algorithm in algorithms or applicable(model):
        if isinstance(algorithm, Algorithm):
            drawn = simulate_any(model, for_model(algorithm, model)[0], experiment, budget, share)
            runs.append(replace(drawn, at_step=known.get(algorithm.name)))
            continue
        states, rest = rest_predictions(model)
        steps = experiment.step_sizes(model, algorithm)
        judged = _verdict(model, algorithm, steps, states, experiment.seed, budget, share, simulator)
        figure, gone, is_exact = _curve(model, algorithm, steps, states, rest, experiment)
        beta = None if scheduled(algorithm).blocks == 1 else step_text(steps.beta)
        by = max(gone) if gone else None
        alpha, count = step_text(steps.alpha), len(gone)
        runs.append(SimulatedRun(algorithm, alpha, beta, judged, figure, count, is_exact, by, known.get(algorithm)))
    return Simulation(experiment, tuple(runs), sum(budget.spent.values()))


def rest_predictions(model: Model) -> tuple[tuple[int, ...], RationalMatrix]:
    """The one recurrent class, and Φθ there at the point where the algorithms rest (n×1).

    Raises :class:`InputError` where there is no such class or point.
    """
    classes = model.behaviour_chain.recurrent_classes
    if len(classes) > 1:
        raise InputError(
            f"--simulate needs one recurrent class, and the chain has {len(classes)}; give a model of one of them"
        )
    if not model.has_trace_sum_on(classes[0]):
        raise InputError("--simulate needs the series Σ Nᵏ to have a sum; give the schedule a length, or a discount")
    reduced = reduce_features(model, classes[0])
    if reduced is None:
        raise InputError("--simulate needs features that do not vanish on the recurrent states; give others")
    try:
        theta = behaviour_matrices(reduced.model, classes[0]).theta_star
    except SingularMatrixError:
        raise InputError(
            "--simulate needs a fixed point, and A is singular; give other features, or a discount below one"
        ) from None
    return classes[0], reduced.model.features @ theta


def _verdict(
    model: Model,
    algorithm: str,
    steps: StepSizes,
    states: tuple[int, ...],
    seed: int,
    budget: ErrorBudget,
    share: float,
    simulator: Simulator,
) -> Judged:
    """One comparison, or why there is none."""
    name = f"{algorithm} on {model.digest[:12]}"
    try:
        _require_few_windows(model, algorithm, TIME, order=4)
        found = simulate_against_moments(
            Target(model, algorithm, steps, theta0=[1.0] * model.d, simulator=simulator),
            TIME,
            Sampling(f"{name}: moments", RUNS, seed, budget, share),
        )
        return judged(found, f"mean and covariance of the iterates after {TIME} updates")
    except (BudgetExceededError, InputError, OverflowError) as first:
        why = str(first)
    if not model.schedule.is_finite:
        return undecided(f"{why}; the other comparison needs a schedule with an end")
    try:
        theta = behaviour_matrices(model, states).theta_star
        dual = None if scheduled(algorithm).blocks == 1 else [1.0] * model.d  # at w = 0 GTD does not move θ
        found = simulate_fixed_point(
            Target(model, algorithm, simulator=simulator),
            theta,
            Sampling(f"{name}: fixed point", SAMPLES, seed, budget, share),
            w=dual,
            states=states,
        )
        return judged(found, "mean of one update at the fixed point")
    except SingularMatrixError:
        return undecided(f"{why}; and θ* is not unique")
    except (BudgetExceededError, InputError, OverflowError) as second:
        return undecided(f"{why}; {second}")


def _curve(
    model: Model,
    algorithm: str,
    steps: StepSizes,
    states: tuple[int, ...],
    rest: RationalMatrix,
    asked: SimulationRequest,
) -> tuple[Figure, list[int], bool]:
    """Mean square error of predictions over runs with its band, beside the exact one; the updates at which runs
    diverged, and whether the exact expectation is there.
    """
    start, ones = uniform_start(model), [1.0] * model.d  # at zero a model without rewards would not move
    name = f"{algorithm}: drawn"
    out = simulate(model, algorithm, steps, asked.times, asked.runs, asked.seed, name, start=start, theta0=ones)
    law = model.behaviour_chain.stationary_law(states).to_float()[:, 0]
    Phi, p = model.features.to_float(), rest.to_float()[:, 0]
    with np.errstate(over="ignore", invalid="ignore"):
        errors = ((out.thetas @ Phi.T - p) ** 2) @ law  # runs × times
        gone = (out.diverged_at[:, None] >= 0) & (out.diverged_at[:, None] <= np.array(asked.times)[None, :])
        errors[gone] = np.inf
        mean = errors.mean(axis=0)
        low, high = (np.quantile(errors, q, axis=0, method="inverted_cdf") for q in asked.quantiles)
    seen = np.isfinite(mean) & np.isfinite(high)
    x = tuple(float(t) for t in asked.times)
    kept = [k for k in range(len(x)) if seen[k]]
    series = [
        Series(
            f"mean over {asked.runs} runs",
            tuple(x[k] for k in kept),
            tuple(float(mean[k]) for k in kept),
            tuple(float(low[k]) for k in kept),
            tuple(float(high[k]) for k in kept),
            marks="line",
        )
    ]
    exact = _expected(model, algorithm, steps, start, Phi, p, law, asked.times)
    if exact:
        series.append(Series("expectation, exactly propagated", tuple(map(float, exact)), tuple(exact.values())))
    spread = _spread(model, algorithm, steps, start, Phi, law, states, asked.times)
    if spread:
        times, means, deviations = zip(*spread, strict=True)
        low_end = tuple(max(0.0, m - d) for m, d in zip(means, deviations, strict=True))
        high_end = tuple(m + d for m, d in zip(means, deviations, strict=True))
        label = "± one standard deviation, exactly propagated"
        series.append(Series(label, tuple(map(float, times)), means, low_end, high_end, marks="line"))
    gone_at = out.diverged_at[out.diverged_at >= 0].tolist()
    first, last = asked.quantiles
    caption = (
        f"α_t = {step_text(steps.alpha)}"
        + ("" if scheduled(algorithm).blocks == 1 else f", β_t = {step_text(steps.beta)}")
        + f"; the band of the runs lies between their {first:.3g} and {last:.3g} quantiles."
        + ("" if exact else " The exact expectation was not computed: too many windows, or numbers beyond floats.")
        + ("" if spread else " The exact standard deviation was not computed: it takes fourth moments.")
        + (f" {len(gone_at)} of {asked.runs} runs diverged, by update {max(gone_at):,}." if gone_at else "")
    )
    figure = Figure(
        f"simulation_{algorithm}",
        None,
        f"{TITLES[algorithm]} on this model",
        "updates t",
        "E ‖Φθ_t − Φθ*‖²_D",
        tuple(series),
        caption,
        log_x=True,
        log_y=True,
    )
    return figure, gone_at, bool(exact)


def _expected(
    model: Model,
    algorithm: str,
    steps: StepSizes,
    start: Sequence[Fraction],
    Phi: Any,
    p: Any,
    law: Any,
    all_times: Sequence[int],
) -> dict[int, float]:
    """E ‖Φθ_t − p‖²_D by time, as far as windows and floats allow; empty where they do not."""
    weighted = Phi.T @ (law[:, None] * Phi)
    for times in shorter(all_times):
        try:
            _require_few_windows(model, algorithm, times[-1], order=2)
            chain = chain_of(model, algorithm, start, until=times[-1])
            found = finite_time_moments(chain, steps.arrays(times[-1]), times, chain.first([1.0] * model.d))
        except (BudgetExceededError, OverflowError):  # products of many ratios leave the range of floats
            continue
        errors = {}
        for moments in found:
            second, mean = moments.second[: model.d, : model.d], moments.mean[: model.d]
            errors[moments.t] = float(np.sum(weighted * second) - 2 * (law * p) @ (Phi @ mean) + (law * p) @ p)
        return errors
    return {}


def _spread(
    model: Model,
    algorithm: str,
    steps: StepSizes,
    start: Sequence[Fraction],
    Phi: Any,
    law: Any,
    states: tuple[int, ...],
    all_times: Sequence[int],
) -> list[tuple[int, float, float]]:
    """(t, mean, standard deviation) of ‖Φ(θ_t − θ*)‖²_D by fourth moments, as far as they are affordable.

    The moments are those of θ_t − θ*, which obeys the same updates with δ_t(θ*) for the rewards: about zero the squares
    of small errors do not drown in rounding. Empty where θ* is not unique.
    """
    reduced = reduce_features(model, states)
    if reduced is None or not reduced.is_full:
        return []
    theta = behaviour_matrices(model, states).theta_star
    still = replace(model, rewards=errors_at(model, theta))
    first = [1.0 - x for x in theta.to_float()[:, 0]]
    weighted = Phi.T @ (law[:, None] * Phi)
    for times in shorter(all_times)[:2]:
        try:
            _require_few_windows(still, algorithm, times[-1], order=4)
            chain = chain_of(still, algorithm, start, until=times[-1])
            found = finite_time_moments(chain, steps.arrays(times[-1]), times, chain.first(first), order=4)
        except (BudgetExceededError, OverflowError):
            continue
        return [(moments.t, *moments.of_form(weighted)) for moments in found]
    return []


def errors_at(model: Model, theta: RationalMatrix) -> tuple[RationalMatrix, ...]:
    """δ at θ (d×1) of every transition, n×n for each action: R + γφ(s')ᵀθ − φ(s)ᵀθ."""
    values = model.features @ theta
    ones = RationalMatrix.column([1] * model.n)

    def whole(given: RationalMatrix) -> RationalMatrix:
        return given if given.shape[1] == model.n else given @ ones.T

    return tuple(
        whole(R) + whole(G).hadamard(ones @ values.T) - whole(values)
        for R, G in zip(model.rewards, model.discounts, strict=True)
    )


def _require_few_windows(model: Model, algorithm: str, t: int, order: int) -> None:
    """Raises :class:`BudgetExceededError` where an exact law would take more than :data:`WORK` multiplications."""
    width = scheduled(algorithm).blocks * model.d + 1
    size = width if order == 2 else width * (width + 1) // 2
    most = int(WORK / (4.0 * t * size**3))
    if most < 1:
        raise BudgetExceededError(f"moments of order {order} of {width - 1} parameters are too many")
    chain_of(model, algorithm, uniform_start(model), until=t, most=most)
