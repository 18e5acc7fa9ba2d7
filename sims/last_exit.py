"""How far runs are from θ*, and when they leave a ball around it for the last time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tdcert.algorithms import is_shipped
from tdcert.algorithms.schedules import PAPER
from tdcert.sims.kernels import simulate
from tdcert.sims.step_sizes import Polynomial, StepSizes
from tdcert.sims.updates.runs import UpdateRuns
from tdcert.theory.engine.error_process import ErrorProcess
from tdcert.theory.laws.decreasing_steps import DecreasingSteps

PLACES = 1_500
"""Times at which runs are looked at, spread evenly on a log axis: what happens in between is not seen."""


@dataclass(frozen=True)
class Distances:
    """|θ_t − θ*| of independent runs (runs × times)."""

    times: NDArray[np.int64]
    distance: NDArray[np.float64]

    def later(self, share: float) -> NDArray[np.float64]:
        """By time t the quantile over runs of the largest distance from t on, as far as the runs go."""
        largest = np.maximum.accumulate(self.distance[:, ::-1], axis=1)[:, ::-1]
        return np.asarray(np.quantile(largest, share, axis=0, method="inverted_cdf"))

    def least_time(self, within: float, share: float) -> int:
        """The first of the times from which on this quantile is at most ``within``."""
        outside = np.flatnonzero(self.later(share) > within)
        last = -1 if len(outside) == 0 else int(outside[-1])
        return int(self.times[min(last + 1, len(self.times) - 1)])


def distances(process: ErrorProcess, steps: DecreasingSteps, horizon: int, runs: int, seed: int) -> Distances:
    """Runs of the algorithm up to ``horizon``, from the start of the process; by a kernel where it has one."""
    times = np.unique(np.concatenate([[0], np.geomspace(1, horizon, PLACES).astype(np.int64)]))
    name = f"{process.algorithm.name}: last exit"
    star = np.array([float(x) for x in process.theta_star])
    if not (process.algorithm.name in PAPER and is_shipped(process.algorithm, process.model)):
        run = UpdateRuns(process.model, process.algorithm, process.ratios, process.start)
        begin, sizes = [float(x) for x in process.begin], steps.floats(horizon)
        asked, seen = set(times.tolist()), list[NDArray[np.float64]]()
        with np.errstate(over="ignore", invalid="ignore"):
            for t, y in enumerate(run.path(sizes, runs, seed, name, begin)):
                if t in asked:
                    seen.append(np.linalg.norm(y[:, process.measured] - star, axis=1))
        distance = np.array(seen).T
        return Distances(times, np.where(np.isfinite(distance), distance, np.inf))
    first, later = (
        Polynomial(float(steps.a * ratio), float(steps.t0), float(steps.p))
        for ratio in (process.ratios[0], process.ratios[-1])
    )
    out = simulate(
        process.model,
        process.algorithm.name,
        StepSizes(first, later),
        [int(t) for t in times],
        runs,
        seed,
        name,
        start=process.start,
        theta0=[float(x) for x in process.theta0],
    )
    distance = np.linalg.norm(out.thetas - star, axis=2)
    gone = (out.diverged_at[:, None] >= 0) & (out.diverged_at[:, None] <= times[None, :])
    return Distances(times, np.where(gone, np.inf, distance))
