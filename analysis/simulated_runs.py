"""``--simulate``: algorithms run on the user's own model, against what theory says of these very runs.

For each algorithm one comparison decides, at the grade ``consistent`` and a false-alarm rate: mean and covariance of
the parameters after a few updates against their exact values where the memory takes few values, else, for sums of outer
products with the trace of a λ-schedule, the mean of one update at the fixed point against zero. Those are run by
compiled kernels; any other update is run as it was written.

What is drawn decides nothing: the mean square distance of predictions from those at rest, Φθ with θ the first parameter
as long as φ, over runs with a band; its exact mean where the memory takes few values, with one standard deviation on
either side where fourth moments are few too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tdcert.algorithms import called, for_model, named
from tdcert.algorithms.schedules import TITLES, applicable, compiled_as, scheduled
from tdcert.analysis.averages import AveragedErrors
from tdcert.analysis.limits import EXACT_LAW_WORK
from tdcert.analysis.request import SimulationRequest, step_text
from tdcert.analysis.run_results import Judged, SimulatedRun, judged, shorter, undecided
from tdcert.sims.comparison_frame import Sampling, Simulator, Target
from tdcert.sims.finite_time_comparison import simulate_against_moments, simulate_fixed_point
from tdcert.sims.judge.agreement import Agreement, ErrorBudget
from tdcert.sims.kernels import simulate
from tdcert.sims.step_sizes import Constant, StepSizes
from tdcert.sims.trajectories import uniform_start
from tdcert.sims.updates.comparison import simulate_update
from tdcert.sims.updates.runs import UpdateRuns
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.check.mean_dynamics import reduce_features
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.dynamics import rest_of
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.means import Stationary
from tdcert.theory.engine.nodes import Nodes, nodes
from tdcert.theory.errors import BudgetExceededError, InputError, SingularMatrixError
from tdcert.theory.figures import Figure, Series
from tdcert.theory.laws.moments import Moments, finite_time_moments
from tdcert.theory.laws.nodes import NodeChain, Updates
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Status

if TYPE_CHECKING:
    from tdcert.analysis.at_step import AtStep

TIMES = (12, 8, 4, 2)
"""Updates after which the law of the parameters is compared: the first of these for which it is affordable."""
RUNS, SAMPLES = 20_000, 100_000
"""Most runs of that comparison, and most samples at the fixed point."""
SHARE = 1e-8
"""False-alarm rate of one comparison."""
BUDGET = 1e-7
"""False-alarm rate of all comparisons together, which is shared evenly where they are many."""
GREEK = {"alpha": "α", "beta": "β"}


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
    def agreements(self) -> tuple[Agreement | str, ...]:
        """How the runs of each algorithm agree with theory, or why nothing is compared."""
        return tuple(run.judged.agreement or run.judged.detail for run in self.runs)

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
    """The ``algorithms``, shipped ones by their names too, each compared at the false-alarm rate ``share``; None for
    those of the paper that apply. ``at_steps``: what is known of the constant step that they run with.

    Raises :class:`InputError` for a function that fails on floats, and where nothing is listed and there is no one rest
    point to hold runs against. Another ``simulator`` takes the place of the kernel
    in the comparisons, to see whether its mistakes are noticed.
    """
    if algorithms is None:
        rest_predictions(model)
    listed = applicable(model) if algorithms is None else algorithms
    share = min(share, BUDGET / (2 * max(1, len(listed))))  # rounding may blur a comparison that was paid for
    budget, known, runs = ErrorBudget(BUDGET), at_steps or {}, list[SimulatedRun]()
    for place, given in enumerate(listed):
        algorithm = for_model(named(given) if isinstance(given, str) else given, model)[0]
        label = called(algorithm, model)
        name = label if label not in [run.algorithm for run in runs] else f"{label} ({place + 1})"
        of = _Experiment(model, algorithm, name, experiment, compiled_as(algorithm, model.schedule))
        drawn = _run(of, _verdict(of, budget, share, simulator))
        runs.append(replace(drawn, at_step=known.get(label)))
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


# ---- what is run ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Experiment:
    """One algorithm under the model's schedule, by its ``name`` here. ``kernel``: by whose compiled kernel it is run,
    None where the function itself is.
    """

    model: Model
    algorithm: Algorithm
    name: str
    asked: SimulationRequest
    kernel: str | None

    @cached_property
    def steps(self) -> StepSizes:
        """The first step size and, where a kernel runs, the second one."""
        if self.kernel is not None:
            return self.asked.step_sizes(self.model, self.kernel)
        return StepSizes(self.asked.first_steps(self.model))

    @cached_property
    def ratios(self) -> tuple[Fraction, ...]:
        """The ratio of each step size to the first where no kernel runs."""
        return Fraction(1), *[self.asked.ratio] * (len(self.algorithm.steps) - 1)

    @cached_property
    def found(self) -> Stationary[RationalMatrix] | None:
        """The update on the first recurrent class; None where it has no mean dynamics."""
        try:
            return with_mean_dynamics(self.model, self.algorithm, self.model.classes[0])
        except (BudgetExceededError, InputError):
            return None

    @property
    def is_constant(self) -> bool:
        """Whether all steps of the runs are equal."""
        return isinstance(self.steps.alpha, Constant)

    @property
    def is_linear(self) -> bool:
        """Whether the update is linear in its steps."""
        return self.found is not None and not self.found.cut

    @property
    def width(self) -> int:
        """D, the number of entries of all parameters."""
        return self.algorithm.width(self.model.d)

    def sizes(self, until: int) -> list[Floats]:
        """The values of each step size at t = 0 … ``until`` − 1."""
        first, second = self.steps.arrays(until)
        return [first, second][: len(self.ratios)] if self.kernel else [first * float(x) for x in self.ratios]

    def chain(self, until: int, order: int = 2, *, fixed: bool = False) -> Nodes:
        """The nodes up to a time; ``fixed``: with the first steps as numbers, for updates that are not linear in them.

        Raises :class:`BudgetExceededError` where moments of this order would take more than :data:`EXACT_LAW_WORK`.
        """
        width = self.width + 1
        size = width if order == 2 else width * (width + 1) // 2
        most = int(EXACT_LAW_WORK / (4.0 * until * size**3))
        if most < 1:
            raise BudgetExceededError(f"moments of order {order} of {width - 1} parameters are too many")
        steps = None
        if fixed:
            alpha = Fraction(self.steps.alpha(0))
            steps = {name: alpha * x for name, x in zip(self.algorithm.steps, self.ratios, strict=True)}
        return nodes(self.model, self.algorithm, uniform_start(self.model), steps=steps, until=until, most=most)

    def expected(
        self, of: Callable[[Nodes], NodeChain], begin: Floats, times: Sequence[int], order: int = 2
    ) -> list[Moments]:
        """Exact moments at these times from ``begin``, of the chain that ``of`` makes from the nodes; none where steps
        that vary do not enter linearly, or where they are not affordable.
        """
        if not (self.is_linear or self.is_constant):
            return []
        try:
            chain = of(self.chain(times[-1], order, fixed=not self.is_linear))
            return finite_time_moments(chain, self.sizes(times[-1]), times, [*begin, 1.0], order=order)
        except (BudgetExceededError, InputError, OverflowError):  # products of many ratios leave the range of floats
            return []

    def drawn(self, begin: Floats) -> tuple[Iterator[tuple[int, Floats]], NDArray[np.int64]]:
        """The parameters (runs × D) at each time asked for, and the update at which each run diverged, −1 for none,
        known once all times were taken.
        """
        asked, name = self.asked, f"{self.name}: drawn"
        if self.kernel is not None:
            start, d = uniform_start(self.model), self.model.d
            theta, w = begin[:d], begin[d:] if self.width > d else None
            given = (self.model, self.kernel, self.steps, asked.times, asked.runs, asked.seed, name)
            out = simulate(*given, start=start, theta0=theta, w0=w)
            whole = np.concatenate([out.thetas, out.ws], axis=2)[:, :, : self.width]
            return ((t, whole[:, k]) for k, t in enumerate(asked.times)), out.diverged_at
        runs = UpdateRuns(self.model, self.algorithm, self.ratios, uniform_start(self.model))
        sizes = self.steps.arrays(asked.times[-1])[0]
        return runs.at_times(sizes, asked.times, asked.runs, asked.seed, name, begin.tolist())


# ---- what is compared -----------------------------------------------------------------------------------------------


def _verdict(of: _Experiment, budget: ErrorBudget, share: float, simulator: Simulator) -> Judged:
    """The first comparison that is affordable, or why there is none."""
    why = ""
    for compared, compare in _comparisons(of, budget, share, simulator):
        if budget.left < share:
            break
        try:
            return judged(compare(), compared)
        except SingularMatrixError:
            why += "; and θ* is not unique"
        except (BudgetExceededError, InputError, OverflowError) as error:
            why = why or str(error)
    return undecided(why)


def _comparisons(
    of: _Experiment, budget: ErrorBudget, share: float, simulator: Simulator
) -> Iterator[tuple[str, Callable[[], Agreement]]]:
    """What is compared, in words, and the comparison; the most telling one first."""
    model, algorithm, seed, d = of.model, of.algorithm, of.asked.seed, of.model.d
    name, moments = f"{of.name} on {model.digest[:12]}", "mean and covariance of the iterates after"
    ones = [1.0] * of.width

    def by_kernel() -> Agreement:
        assert of.kernel is not None
        of.chain(TIMES[0], order=4)
        target = Target(model, of.kernel, of.steps, theta0=ones[:d], simulator=simulator)
        return simulate_against_moments(target, TIMES[0], Sampling(f"{name}: moments", RUNS, seed, budget, share))

    def at_rest() -> Agreement:
        assert of.kernel is not None
        scheduled(of.kernel).require_policies(model)  # θ* is that with importance ratios
        states = model.behaviour_chain.recurrent_classes[0]
        theta = behaviour_matrices(model, states).theta_star
        w = ones[d:] or None  # at w = 0 GTD does not move θ
        sampling = Sampling(f"{name}: fixed point", SAMPLES, seed, budget, share)
        return simulate_fixed_point(Target(model, of.kernel, simulator=simulator), theta, sampling, w=w, states=states)

    def by_function(t: int, kept: bool, said: str) -> Agreement:
        sizes = of.steps.arrays(t)[0]
        taken = [float(sizes[0])] * t if kept else sizes.tolist()
        sampling = Sampling(f"{name}: {t} updates{said}", RUNS, seed, budget, share)
        return simulate_update(model, algorithm, of.ratios, taken, sampling, y0=ones, constant=kept)

    if of.kernel is not None:
        yield f"{moments} {TIMES[0]} updates", by_kernel
        if model.schedule.is_finite and len(model.behaviour_chain.recurrent_classes) == 1:
            yield "mean of one update at the fixed point", at_rest
    steps = [of.is_constant] if of.is_constant else [False, True]
    for kept in steps:
        at = f", all with the first step, {of.steps.alpha(0):g}" if kept and not of.is_constant else ""
        for t in TIMES:
            yield f"{moments} {t} updates{at}", partial(by_function, t, kept, at)


# ---- what is drawn --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Distance:
    """‖Fy − p‖² weighted with ``law``: F the predictions from all parameters, or these themselves; ``rest``: where all
    parameters rest, None where no one point is at rest and p is zero; ``begin``: θ of ones and zeros elsewhere, or all
    ones.
    """

    F: Floats
    p: Floats
    law: Floats
    begin: Floats
    of_predictions: bool
    from_rest: bool
    rest: Floats | None

    @staticmethod
    def of(asked: _Experiment) -> _Distance:
        """The distance of an experiment; from zero, of all parameters, where there are several recurrent classes."""
        found, width, model = asked.found, asked.width, asked.model
        alone = len(model.classes) == 1
        place = found.predictor if found is not None and alone else None
        F, law, begin = np.eye(width), np.full(width, 1 / width), np.ones(width)
        if found is not None and place is not None:
            law = model.law_of(found.states).take(rows=found.states).to_float()[:, 0]
            F = np.zeros((len(found.states), width))
            begin = np.array([float(i in place) for i in range(width)])
            F[:, place.start : place.stop] = model.features.take(rows=found.states).to_float()
        rest = rest_of(found, asked.ratios) if found is not None and alone and found.has_mean is True else None
        point = None if rest is None else rest.parameters if place is None else rest.predictions
        whole = None if rest is None or rest.parameters is None else rest.parameters.to_float()[:, 0]
        p = np.zeros(len(F)) if point is None else point.to_float()[:, 0]
        return _Distance(F, p, law, begin, place is not None, point is not None, whole)

    @property
    def weights(self) -> Floats:
        """Fᵀ D F."""
        return np.asarray(self.F.T @ (self.law[:, None] * self.F))

    def mean(self, at: Moments) -> float:
        """Its expectation by moments."""
        against = self.law * self.p
        second, mean = at.second[:-1, :-1], at.mean
        return float(np.sum(self.weights * second) - 2 * against @ (self.F @ mean) + against @ self.p)


def _run(of: _Experiment, verdict: Judged) -> SimulatedRun:
    """The mean square distance over runs with its band, beside the exact one."""
    asked, to = of.asked, _Distance.of(of)
    times, errors = asked.times, list[Floats]()
    drawn, gone_at = of.drawn(to.begin)
    with np.errstate(over="ignore", invalid="ignore"):
        for t, y in drawn:
            gone = (gone_at >= 0) & (gone_at <= t)
            errors.append(np.where(gone, np.inf, ((y @ to.F.T - to.p) ** 2) @ to.law))
        each = np.array(errors)  # times × runs
        mean = each.mean(axis=1)
        low, high = (np.quantile(each, q, axis=1, method="inverted_cdf") for q in asked.quantiles)
    kept = [k for k in range(len(times)) if np.isfinite(mean[k]) and np.isfinite(high[k])]
    middle, lower, upper = (tuple(float(values[k]) for k in kept) for values in (mean, low, high))
    x = tuple(float(times[k]) for k in kept)
    exact = next(filter(None, (of.expected(lambda chain: chain, to.begin, shown) for shown in shorter(times))), [])
    spread = _spread(of, to)
    series = [Series(f"mean over {asked.runs} runs", x, middle, lower, upper, marks="line")]
    if exact:
        at, means = tuple(float(one.t) for one in exact), tuple(to.mean(one) for one in exact)
        series.append(Series("expectation, exactly propagated", at, means))
    if spread is not None:
        series.append(spread)
    lost = gone_at[gone_at >= 0].tolist()
    by = max(lost) if lost else None
    alpha, later = step_text(of.steps.alpha), _later(of)
    caption = (
        f"{_symbol(of.algorithm.steps[0])}_t = {alpha}"
        + "".join(f", {_symbol(name)}_t = {said}" for name, said in later.items())
        + ("" if to.of_predictions else "; all parameters begin at one")
        + ("" if to.from_rest else "; the distance is that from zero, for no one point is at rest")
        + "; the band of the runs lies between their {:.3g} and {:.3g} quantiles.".format(*asked.quantiles)
        + ("" if exact else f" The exact expectation was not computed: {_why_no_expectation(of)}.")
        + ("" if spread is not None else " The exact standard deviation was not computed: it takes fourth moments.")
        + (f" {len(lost)} of {asked.runs} runs diverged, by update {by:,}." if lost else "")
    )
    title = f"{TITLES.get(of.name, of.name)} on this model"
    label = "E ‖Φθ_t − Φθ*‖²_D" if to.of_predictions else "E |y_t − y*|² / D"
    file = "simulation_" + re.sub(r"\W+", "_", of.name)
    figure = Figure(file, None, title, "updates t", label, tuple(series), caption, log_x=True, log_y=True)
    beta = ", ".join(f"{_symbol(name)} = {said}" if len(later) > 1 else said for name, said in later.items()) or None
    return SimulatedRun(of.name, alpha, beta, verdict, figure, len(lost), bool(exact), by)


def _symbol(step: str) -> str:
    return GREEK.get(step, step)


def _later(of: _Experiment) -> dict[str, str]:
    """The later step sizes by their names, in words."""
    first = step_text(of.steps.alpha)
    if of.kernel is not None:
        return dict.fromkeys(of.algorithm.steps[1:], step_text(of.steps.beta or of.steps.alpha))
    words = first if of.asked.ratio == 1 else f"{of.asked.ratio} {_symbol(of.algorithm.steps[0])}"
    return dict.fromkeys(of.algorithm.steps[1:], words)


def _why_no_expectation(of: _Experiment) -> str:
    if not (of.is_linear or of.is_constant):
        return "the update is not linear in its steps, and they vary"
    return "the memory takes too many values, or numbers leave the range of floats"


def _spread(of: _Experiment, to: _Distance) -> Series | None:
    """The expectation with one standard deviation on either side, by fourth moments, as far as they are affordable.

    The moments are those of y_t − y*: about zero the squares of small distances would drown in rounding. None where
    not all parameters have one point of rest.
    """
    if to.rest is None or not to.of_predictions:
        return None
    rest = to.rest
    for times in shorter(of.asked.times)[:2]:
        found = of.expected(lambda chain: _About(**_fields(chain), of=chain, point=rest), to.begin - rest, times, 4)
        if found:
            each = [at.of_form(to.weights) for at in found]
            means = tuple(mean for mean, _ in each)
            low, high = tuple(max(0.0, m - s) for m, s in each), tuple(m + s for m, s in each)
            label = "± one standard deviation, exactly propagated"
            return Series(label, tuple(float(at.t) for at in found), means, low, high, marks="line")
    return None


def _fields(chain: NodeChain) -> dict[str, Any]:
    return {name: getattr(chain, name) for name in NodeChain.__dataclass_fields__}


@dataclass(frozen=True, eq=False)
class _About(NodeChain):
    """A chain of nodes in coordinates y − ``point``: a term K y + k becomes K (y − point) + (K point + k)."""

    of: NodeChain
    point: Floats

    def updates(self, kind: Any) -> Updates:
        """The transitions in floats. The bounds of rounding leave out that of the shift itself."""
        made = self.of.updates(kind)
        shift = np.eye(self.width)
        shift[:-1, -1] = self.point
        parts, plain = (tuple(part @ x for part in of) for of, x in ((made.parts, shift), (made.plain, np.abs(shift))))
        return replace(made, parts=parts, plain=plain)
