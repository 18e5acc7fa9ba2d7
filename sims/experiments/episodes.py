"""Episodes of a fixed length, one after the other, as one recorded path for the kernels.

An episode is cut off after so many steps; its last state is not terminal, so the discount of its last transition
stays what it is. Between two episodes stands one more transition, from the last state to the next start: its discount
is zero, which begins the trace anew, and its step size is zero, so nothing is learnt from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.kernels import replay, sample
from tdcert.sims.streams import run_states
from tdcert.sims.trajectories import Sampler, Trajectory
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Episodes:
    """Independent ``runs``, each of ``count`` episodes of ``length`` steps under the behaviour policy of ``model``.

    ``path``: all of them, joined (runs, count·(length + 1)). ``law_distance``: total variation, over all runs, between
    what was sampled and the model's law.
    """

    model: Model
    path: Trajectory
    count: int
    length: int
    law_distance: float

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(self.path.rewards)

    def iterates(
        self, schedule: Schedule, alpha: float, times: Sequence[int], theta0: float, algorithm: str = "td"
    ) -> Array:
        """θ after so many steps, counted without the joints: (runs, times, d); a constant step, θ_0 the same in each
        entry. Raises :class:`InputError` for times beyond the episodes.
        """
        if times[-1] > self.count * self.length:
            raise InputError(f"{self.count} episodes of {self.length} steps end before step {times[-1]}; ask earlier")
        steps = np.tile(np.append(np.full(self.length, alpha), 0.0), self.count)
        places = [t + (t - 1) // self.length for t in times]
        model = self.model.with_schedule(schedule)
        found = replay(self.path, model, algorithm, steps, steps, places, theta0=np.full(model.d, theta0))
        return found.thetas


def draw_episodes(
    model: Model, start: Sequence[Fraction], runs: int, count: int, length: int, seed: int, name: str
) -> Episodes:
    """Episodes from the start law ``start``; every one of them has a generator of its own on the stream ``name``."""
    if min(runs, count, length) < 1:
        raise InputError(f"{runs} runs of {count} episodes of {length} steps: give at least one of each")
    sampler = Sampler.of(model, start)
    drawn = sample(sampler, run_states(seed, name, runs * count), length)

    def joined(values: NDArray[Any], at_the_joint: float) -> NDArray[Any]:
        joint = np.full((runs, count, 1), at_the_joint, dtype=values.dtype)
        return np.concatenate([values.reshape(runs, count, length), joint], axis=2).reshape(runs, -1)

    states = drawn.states.reshape(runs, -1)
    path = Trajectory(
        np.concatenate([states, states[:, -1:]], axis=1),
        joined(drawn.actions, 0),
        joined(drawn.rewards, 0.0),
        joined(drawn.discounts, 0.0),
        joined(drawn.rho, 1.0),
        drawn.Phi,
    )
    return Episodes(model, path, count, length, runs * count * sampler.distance(length))
