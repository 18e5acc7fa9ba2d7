"""The readable twins (or wrong variants of them) in the place of the kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from tdcert.sims.algorithms import ALGORITHMS, Twin, run
from tdcert.sims.comparison_frame import Simulator
from tdcert.sims.kernels import DIVERGED, Replicates, sample
from tdcert.sims.step_sizes import StepSizes
from tdcert.sims.streams import run_states
from tdcert.sims.trajectories import Sampler, Trajectory
from tdcert.theory.model.mdp import Model

Paths = Callable[[Model, Sequence[Fraction], int, int, int, str], Trajectory]
"""Paths of a model from a law of starts: so many runs of so many steps, by a seed and the name of a stream."""


def of_the_kernels(model: Model, start: Sequence[Fraction], runs: int, steps: int, seed: int, name: str) -> Trajectory:
    """The trajectories that the kernels walk."""
    return sample(Sampler.of(model, start), run_states(seed, name, runs), steps)


def readable_simulator(classes: Mapping[str, type[Twin]] = ALGORITHMS, paths: Paths = of_the_kernels) -> Simulator:
    """A simulator that steps the readable twins (or variants of them) over the kernel's own trajectories, or others."""

    def simulate_readable(
        model: Model,
        algorithm: str,
        step_sizes: StepSizes,
        times: Sequence[int],
        runs: int,
        seed: int,
        name: str,
        *,
        start: Sequence[Fraction],
        theta0: ArrayLike | None = None,
        w0: ArrayLike | None = None,
    ) -> Replicates:
        trajectory = paths(model, start, runs, times[-1], seed, name)
        with np.errstate(over="ignore", invalid="ignore"):  # the twins go on after divergence; it is reported below
            thetas, ws = run(
                classes[algorithm](),
                trajectory,
                [float(x) for x in model.schedule.lambdas],
                *step_sizes.arrays(times[-1]),
                theta0=theta0,
                tail=float(model.schedule.tail),
                w0=w0,
            )
        asked = list(times)
        # NaN counts as beyond the bound; iterates are asked from the first update on, as the kernels do
        size = np.maximum(np.abs(thetas[1:]).max(axis=2), np.abs(ws[1:]).max(axis=2))
        beyond = np.concatenate([~(size <= DIVERGED), np.ones((1, runs), dtype=bool)])
        first = beyond.argmax(axis=0)
        passed = np.where(first < times[-1], first + 1, -1)
        return Replicates(thetas[asked].transpose(1, 0, 2), ws[asked].transpose(1, 0, 2), passed)

    return simulate_readable
