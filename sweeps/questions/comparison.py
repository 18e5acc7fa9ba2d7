"""GridExperiment: runs of the algorithms over a grid of parameters, many times each.

    [experiment]
    problem = "model"          # or "baird" (A5.3), "random_chain" (A5.2), "random_walk_100" (A5.1)
    model = "my_model.json"    # for problem = "model": a path beside this file, read once, part of the sweep's digest
    algorithms = ["td"]        # td, off_policy_td, gtd, tdc
    schedules = ["td0", "equal_weights:2,4"]
    alpha = [0.01, 0.05]       # α_t = alpha·(t0/(t + t0))^power, β_t = eta·α_t
    eta = [1]
    power = 0                  # 0: constant steps
    t0 = 1
    gammas = []                # other discounts than the problem's, for Baird's star at least one
    times = [0, 100, 1_000]    # when errors are recorded
    runs = 10                  # runs of one index

Index i runs cell i mod c of the c cells of the grid. Errors are of values, ‖Φθ − V‖_D, and of the projected Bellman
equation, √J(θ). A5.1 has its own grid (its two steps and its schedules, TD alone) on another MDP for each index, and
its errors are over all states alike; of the keys above only ``runs`` may then be given.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from tdcert.algorithms.schedules import OFF_POLICY_TD, PAPER, TD
from tdcert.sims.experiments import baird, random_walk_100
from tdcert.sims.kernels import simulate
from tdcert.sims.step_sizes import Polynomial, StepSizes
from tdcert.sims.trajectories import stationary_start, uniform_start
from tdcert.sweeps.question import Result, SweepQuestion, by_column
from tdcert.sweeps.questions.runs import COLUMNS, summary_of_runs
from tdcert.sweeps.spec import Spec
from tdcert.sweeps.tables import Table
from tdcert.theory.errors import InputError, SingularMatrixError
from tdcert.theory.files.model_file import model_from_document
from tdcert.theory.files.overrides import Overrides
from tdcert.theory.files.schedule_forms import schedule_from_text
from tdcert.theory.model import gallery
from tdcert.theory.model.key_matrices import behaviour_matrices, value_function
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
    """One point of the grid; ``gamma`` is empty where the problem's own discount is kept."""

    problem: StartedModel
    algorithm: str
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
        return by_column(COLUMNS, (row for index in range(first, first + count) for row in self._rows(index)))

    def _rows(self, index: int) -> Iterator[tuple[Any, ...]]:
        cell = self.cells[index % len(self.cells)]
        model = cell.problem.model
        a, p = float(cell.alpha) * float(self.t0) ** float(self.power), float(self.power)
        steps = StepSizes(Polynomial(a, float(self.t0), p), Polynomial(a * float(cell.eta), float(self.t0), p))
        found = simulate(
            model,
            cell.algorithm,
            steps,
            self.times,
            self.runs,
            self.seed,
            f"{self.key}/{index}",
            start=cell.problem.start,
            theta0=cell.problem.theta0,
            threads=1,
        )
        values, residuals = errors(model, found.thetas)
        for run in range(self.runs):
            for k, t in enumerate(self.times):
                gone = 0 <= found.diverged_at[run] <= t
                both = (math.inf, math.inf) if gone else (float(values[run, k]), float(residuals[run, k]))
                named = (cell.algorithm, cell.schedule, cell.gamma, float(cell.alpha), float(cell.eta))
                yield (index, *named, run, t, *both, bool(gone))

    def finish(self, table: pa.Table, complete: bool) -> Result:
        """Quantiles of the errors over runs, with exact limits, and how many runs diverged."""
        return summary_of_runs(table, complete)


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
        return summary_of_runs(table, complete)


def errors(model: Model, thetas: np.ndarray[Any, np.dtype[np.float64]]) -> tuple[Any, Any]:
    """‖Φθ − V‖_D and √J(θ) for θ's of shape (…, d); D the law of the first recurrent class, not a number without V."""
    d, Phi = (
        behaviour_matrices(model, model.behaviour_chain.recurrent_classes[0]).d.to_float()[:, 0],
        model.features.to_float(),
    )
    try:
        V = value_function(model).to_float()[:, 0]
    except SingularMatrixError:
        V = np.full(model.n, np.nan)
    gap = np.einsum("...i,si->...s", thetas, Phi) - V
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
    algorithms = table.words("algorithms", [TD if problem == "model" else OFF_POLICY_TD])
    for name in algorithms:
        if name not in PAPER:
            raise InputError(f"algorithms in {table.where} names '{name}'; give some of {', '.join(PAPER)}")
    texts = table.words("schedules", ["td0"])
    schedules = [schedule_from_text(text, f"schedules in {table.where}") for text in texts]
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
    cells = tuple(
        GridPoint(_problem(problem, given, gamma, schedule), algorithm, text, str(gamma or ""), alpha, eta)
        for gamma, (text, schedule), algorithm, alpha, eta in product(
            gammas or [None], list(zip(texts, schedules, strict=True)), algorithms, alphas, etas
        )
    )
    return GridExperiment(spec.digest, spec.seed, cells, power, t0, times, runs)


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
