"""How far runs are from θ*, and when they leave a ball around it for the last time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.kernels import simulate
from tdcert.sims.step_sizes import Polynomial, StepSizes
from tdcert.theory.laws.decreasing_steps import DecreasingSteps
from tdcert.theory.laws.error_process import ErrorProcess

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
    """Runs of the algorithm up to ``horizon``, from the start law and θ_0 of the process, w_0 = 0."""
    times = np.unique(np.concatenate([[0], np.geomspace(1, horizon, PLACES).astype(np.int64)]))
    alpha = Polynomial(float(steps.a), float(steps.t0), float(steps.p))
    beta = Polynomial(float(steps.a * process.eta), float(steps.t0), float(steps.p))
    asked: Sequence[int] = [int(t) for t in times]
    name = f"{process.algorithm.name}: last exit"
    theta0 = [float(x) for x in process.theta0]
    out = simulate(
        process.model,
        process.algorithm.name,
        StepSizes(alpha, beta),
        asked,
        runs,
        seed,
        name,
        start=process.start,
        theta0=theta0,
    )
    away = out.thetas - np.array([float(x) for x in process.theta_star])
    distance = np.linalg.norm(away, axis=2)
    gone = (out.diverged_at[:, None] >= 0) & (out.diverged_at[:, None] <= times[None, :])
    return Distances(times, np.where(gone, np.inf, distance))
