"""GridExperiment: runs of the algorithms over a grid of parameters, many times each.

    [experiment]
    problem = "model"          # or "baird" (A5.3), "random_chain" (A5.2), "random_walk_100" (A5.1)
    model = "my_model.json"    # for problem = "model": a path beside this file, read once, part of the sweep's digest
    algorithms = ["td"]        # any of `tdcert algorithms`, with options, or "FILE.py:NAME"
    schedules = ["td0", "equal_weights:2,4"]
    alpha = [0.01, 0.05]       # α_t = alpha·(t0/(t + t0))^power, every later step size eta·α_t
    eta = [1]
    power = 0                  # 0: constant steps
    t0 = 1
    gammas = []                # other discounts than the problem's, for Baird's star at least one
    times = [0, 100, 1_000]    # when errors are recorded
    runs = 10                  # runs of one index

Index i runs cell i mod c of the c cells of the grid. Errors are of values, ‖Φθ − V‖_D with θ the first parameter as
long as φ and V what the update estimates, and of the projected Bellman equation, √J(θ). Updates with the terms of the
paper's four are run by compiled kernels, every other one as it is written. A5.1 has its own grid (its two steps and its
schedules, TD alone) on another MDP for each index, and its errors are over all states alike; of the keys above only
``runs`` may then be given.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from tdcert.algorithms import under
from tdcert.algorithms.schedules import OFF_POLICY_TD, TD, compiled_as
from tdcert.sims.experiments import baird, random_walk_100
from tdcert.sims.kernels import simulate
from tdcert.sims.step_sizes import Polynomial, StepSizes
from tdcert.sims.trajectories import stationary_start, uniform_start
from tdcert.sims.updates.runs import UpdateRuns
from tdcert.sweeps.asked_algorithms import asked_algorithms, without_schedule
from tdcert.sweeps.question import Result, SweepQuestion, by_column, by_index
from tdcert.sweeps.questions.runs import COLUMNS, summary_of_runs
from tdcert.sweeps.spec import Spec
from tdcert.sweeps.tables import Table
from tdcert.theory.check.fixed_point import differential_value, true_value
from tdcert.theory.engine.declare import Algorithm, Estimate, ratios_of
from tdcert.theory.errors import InputError
from tdcert.theory.files.model_file import model_from_document
from tdcert.theory.files.overrides import Overrides
from tdcert.theory.files.schedule_forms import one_schedule_from_text
from tdcert.theory.model import gallery
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

PROBLEMS = ("model", "baird", "random_chain", "random_walk_100")


@dataclass(frozen=True)
class StartedModel:
    """A model with its start: the law of s_0, and θ_0 (zero where None)."""

    model: Model
    start: tuple[Fraction, ...]
    theta0: tuple[float, ...] | None = None


@dataclass(frozen=True)
class GridPoint:
    """One point of the grid: an algorithm by its name, and as an ``update`` under the schedule; ``kernel``: by which
    compiled kernel it is run, None where it is run as it is written. ``gamma`` is empty where the problem's own
    discount is kept.
    """

    problem: StartedModel
    algorithm: str
    update: Algorithm
    kernel: str | None
    schedule: str
    gamma: str
    alpha: Fraction
    eta: Fraction


@dataclass(frozen=True)
class GridExperiment:
    """The question; see the module docstring."""

    key: str
    seed: int
    cells: tuple[GridPoint, ...]
    power: Fraction
    t0: Fraction
    times: tuple[int, ...]
    runs: int

    columns = COLUMNS

    def rows(self, first: int, count: int) -> Mapping[str, Sequence[Any]]:
        """The rows of these indices by column, ordered by run, then by time."""
        return by_index(COLUMNS, self._rows, first, count)

    def _rows(self, index: int) -> Iterator[tuple[Any, ...]]:
        cell = self.cells[index % len(self.cells)]
        thetas, gone_at = self._thetas(cell, f"{self.key}/{index}")
        with np.errstate(over="ignore", invalid="ignore"):
            values, residuals = errors(cell.problem.model, thetas, cell.update.estimates)
        for run in range(self.runs):
            for k, t in enumerate(self.times):
                gone = 0 <= gone_at[run] <= t
                both = (math.inf, math.inf) if gone else (float(values[run, k]), float(residuals[run, k]))
                named = (cell.algorithm, cell.schedule, cell.gamma, float(cell.alpha), float(cell.eta))
                yield (index, *named, run, t, *both, bool(gone))

    def _thetas(self, cell: GridPoint, name: str) -> tuple[Any, Any]:
        """θ of all runs (runs, times, d), and the update at which each diverged, −1 where it did not."""
        problem = cell.problem
        a, p = float(cell.alpha) * float(self.t0) ** float(self.power), float(self.power)
        alpha, beta = (Polynomial(x, float(self.t0), p) for x in (a, a * float(cell.eta)))
        to_record = self.times, self.runs, self.seed, name
        if cell.kernel is not None:
            start: Any = {"start": problem.start, "theta0": problem.theta0}
            found = simulate(problem.model, cell.kernel, StepSizes(alpha, beta), *to_record, **start, threads=1)
            return found.thetas, found.diverged_at
        place = _predictor(cell.update, problem.model)
        y0 = np.zeros(cell.update.width(problem.model.d))
        y0[place] = 0.0 if problem.theta0 is None else problem.theta0
        runs = UpdateRuns(problem.model, cell.update, ratios_of(cell.update, cell.eta), problem.start)
        drawn, gone_at = runs.at_times(StepSizes(alpha).arrays(self.times[-1])[0], *to_record, y0.tolist())
        return np.stack([y[:, place] for _, y in drawn], axis=1), gone_at

    def finish(self, table: pa.Table, complete: bool) -> Result:
        """Quantiles of the errors over runs, with exact limits, and how many runs diverged."""
        several = {cell.algorithm for cell in self.cells if len(cell.update.steps) > 1}
        found = summary_of_runs(table, complete, several)
        schedules = dict.fromkeys(cell.problem.model.schedule for cell in self.cells)
        said = without_schedule({cell.algorithm: cell.update for cell in self.cells}, list(schedules))
        return replace(found, summary=(*found.summary, *said))


@dataclass(frozen=True)
class RandomWalk:
    """A5.1: index k is the k-th drawn MDP, ``runs`` runs of every schedule along common trajectories."""

    seed: int
    runs: int

    columns = COLUMNS

    def rows(self, first: int, count: int) -> Mapping[str, Sequence[Any]]:
        """The rows of these indices by column, ordered by curve, then by run."""
        found: list[tuple[Any, ...]] = []
        for k in range(first, first + count):
            for curves in random_walk_100.experiment(self.seed, k, self.runs).from_zero:
                for label, rmse in curves.rmse.items():
                    for run, t in product(range(len(rmse)), range(len(curves.times))):
                        error = float(rmse[run, t])
                        found.append(
                            (k, TD, label, "", curves.alpha, 1.0, run, curves.times[t], error, float("nan"), False)
                        )
        return by_column(COLUMNS, found)

    def finish(self, table: pa.Table, complete: bool) -> Result:
        """Quantiles of the errors over runs, with exact limits, and how many runs diverged."""
        return summary_of_runs(table, complete, ())


def errors(
    model: Model, thetas: np.ndarray[Any, np.dtype[np.float64]], estimates: Estimate = Estimate.DISCOUNTED
) -> tuple[Any, Any]:
    """‖Φθ − V‖_D and √J(θ) for θ's of shape (…, d); D the law of the first recurrent class, V what predictions are to
    be, the least over constants where that is known up to one. Not a number without V.
    """
    states = model.behaviour_chain.recurrent_classes[0]
    d, Phi = behaviour_matrices(model, states).d.to_float()[:, 0], model.features.to_float()
    V = np.full(model.n, np.nan)
    if estimates is Estimate.DIFFERENTIAL:
        value = differential_value(model, states)
        V[list(states)] = np.nan if value is None else value.to_float()[:, 0]
        V[d == 0] = 0.0
    elif estimates is not Estimate.OTHER:
        value = true_value(model)
        V = V if value is None else value.to_float()[:, 0]
    gap = np.einsum("...i,si->...s", thetas, Phi) - V
    if estimates.up_to_a_constant:
        gap = gap - (gap @ d)[..., None]
    return np.sqrt(np.einsum("...s,s->...", gap * gap, d)), baird.rmspbe(model, thetas)


def experiment(spec: Spec) -> SweepQuestion:
    """The question of a spec of kind ``experiment``. Raises :class:`InputError`."""
    top = Table(spec.question, "the sweep")
    table = top.table("experiment")
    top.done()
    problem = table.word("problem", "model", PROBLEMS)
    runs = table.whole("runs", 10)
    if problem == "random_walk_100":
        table.done()
        return RandomWalk(spec.seed, runs)
    times = tuple(table.wholes("times", [0, 100, 1_000, 10_000], least=0))
    if list(times) != sorted(set(times)):
        raise InputError(f"times in {table.where} must increase")
    algorithms = asked_algorithms(table.words("algorithms", [TD if problem == "model" else OFF_POLICY_TD]))
    table.raw("sources")  # the digests of files, which make it another sweep where a file changes
    texts = table.words("schedules", ["td0"])
    schedules = [one_schedule_from_text(text, f"schedules in {table.where}") for text in texts]
    alphas, etas = table.numbers("alpha", [Fraction(1, 100)]), table.numbers("eta", [Fraction(1)])
    powers, t0s = table.numbers("power", [Fraction(0)]), table.numbers("t0", [Fraction(1)])
    if len(powers) > 1 or len(t0s) > 1:
        raise InputError(f"power and t0 in {table.where} must each be one number")
    power, t0 = powers[0], t0s[0]
    if min(*alphas, *etas, t0) <= 0 or power < 0:
        raise InputError(f"alpha, eta and t0 in {table.where} must be positive, and power not negative")
    gammas: list[Fraction | None] = [*table.numbers("gammas", [])]
    given = table.raw("model")
    table.done()
    if given is not None and problem != "model":
        raise InputError(f'{table.where} names a model, which problem = "{problem}" does not use; leave one out')
    updates = [
        (name, text, schedule, under(algorithm, schedule)[0])
        for (text, schedule), (name, algorithm) in product(zip(texts, schedules, strict=True), algorithms)
    ]
    cells = tuple(
        GridPoint(
            _problem(problem, given, gamma, schedule),
            name,
            update,
            compiled_as(update, schedule),
            text,
            str(gamma or ""),
            alpha,
            eta,
        )
        for gamma, (name, text, schedule, update), alpha, eta in product(gammas or [None], updates, alphas, etas)
    )
    for cell in {cell.algorithm: cell for cell in cells if cell.kernel is None}.values():
        model, update = cell.problem.model, cell.update
        _predictor(update, model)
        UpdateRuns(model, update, ratios_of(update, cell.eta), cell.problem.start).run([0.0], 1, 0, "one update")
    return GridExperiment(spec.digest, spec.seed, cells, power, t0, times, runs)


def _predictor(update: Algorithm, model: Model) -> list[int]:
    """The places of the first parameter as long as φ. Raises :class:`InputError` where there is none."""
    slots = update.slots(model.d)[0]
    first = next((k for k, slot in enumerate(slots) if slot.shape == (model.d,)), None)
    if first is None:
        raise InputError(
            f"the update '{update.name}' has no one prediction Φθ, whose error an experiment records; give another"
        )
    start = sum(slot.size for slot in slots[:first])
    return list(range(start, start + model.d))


def _problem(name: str, given: Any, gamma: Fraction | None, schedule: Schedule) -> StartedModel:
    if name == "baird":
        if gamma is None:
            raise InputError("A5.3 does not say its discount; give gammas, at least one")
        model = gallery.bairds_star(gamma, schedule)
        return StartedModel(model, uniform_start(model), baird.THETA_0)
    if name == "random_chain":
        model = gallery.random_chain(Fraction(9, 10) if gamma is None else gamma)
    elif not isinstance(given, Mapping):
        raise InputError('problem = "model" needs model = "FILE", a model file beside the sweep')
    else:
        overrides = Overrides() if gamma is None else Overrides(discount=str(gamma))
        model = model_from_document(given, overrides, "the sweep's model").model
    model = model.with_schedule(schedule)
    return StartedModel(model, stationary_start(model, model.behaviour_chain.recurrent_classes[0]))
