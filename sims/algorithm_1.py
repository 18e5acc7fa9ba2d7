r"""Algorithm 1 as printed, line by line: the readable twin of the pseudo-code, with its two slips.

    4  choose an action a_t ~ π(·|s_{t−1})           (meant: s_t, where it is performed)
    5  perform a_t in s_t and observe R_{t+1}, s_{t+1}
    6  compute the eligibility trace z_t
    7  δ_t ← R_t + γ φ(s_{t+1})ᵀθ − φ(s_t)ᵀθ         (meant: R_{t+1})
    8  θ ← θ + α_t δ_t z_t

The loop needs s_{t−1} and R_t before its first step, so it starts from a whole previous step (s_{t−1}, a_{t−1}, s_t).
It walks the model itself, by its own draws: nothing here knows the reward process on (s_{t−1}, a_{t−1}, s_t) whose
moments it is compared with (``tdcert.claims.dgb22.algorithm_1_indices``).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.algorithms import TD, SimulatedTransition
from tdcert.sims.comparison_frame import Simulator
from tdcert.sims.kernels import Replicates
from tdcert.sims.streams import generator
from tdcert.sims.trajectories import AliasTable
from tdcert.theory.model.mdp import Model

Step = tuple[int, int, int]
"""(s_{t−1}, a_{t−1}, s_t)."""


def as_printed(
    walked: Model, previous: Sequence[Step], late_reward: bool = True, late_policy: bool = True
) -> Simulator:
    """A simulator of Algorithm 1 on the model ``walked``; ``start`` laws are over the steps ``previous``.

    ``late_reward``: R_t in line 7, else R_{t+1}. ``late_policy``: s_{t−1} in line 4, else s_t.
    """
    n, actions = walked.n, len(walked.actions)
    policy = AliasTable.build(walked.target.rows)
    moves = AliasTable.build([P.rows[s] for s in range(n) for P in walked.transitions])
    rewards, discounts = _per_transition(walked.rewards, n), _per_transition(walked.discounts, n)
    Phi = walked.features.to_float()
    lambdas = [float(x) for x in walked.schedule.lambdas]

    def simulate_as_printed(*asked: Any, start: Sequence[Fraction], theta0: Any = None, w0: Any = None) -> Replicates:
        _, _, step_sizes, times, runs, seed, name = asked  # as of ``kernels.simulate``
        rng = generator(seed, name)

        def draw(table: AliasTable, rows: Any) -> NDArray[np.int64]:
            return outcomes(table, rows, rng.integers(0, 1 << 64, size=runs, dtype=np.uint64))

        first = np.array(previous)[draw(AliasTable.build([list(start)]), np.zeros(runs, dtype=np.int64))]
        before, action, s = first.T
        reward = rewards[action, before, s]
        twin = TD()
        twin.reset(lambdas=lambdas, theta0=np.zeros((runs, walked.d)))
        theta = twin.theta + (0.0 if theta0 is None else np.asarray(theta0, dtype=np.float64))
        found = [theta]
        for t, alpha in enumerate(step_sizes.arrays(times[-1])[0].tolist()):
            action = draw(policy, before if late_policy else s)
            after = draw(moves, s * actions + action)
            next_reward, gamma = rewards[action, s, after], discounts[action, s, after]
            one = SimulatedTransition(s, action, next_reward, after, Phi[s], Phi[after], np.ones(runs), gamma, t == 0)
            z = twin.trace(one)
            seen = reward if late_reward else next_reward
            delta = seen + gamma * np.sum(Phi[after] * theta, axis=1) - np.sum(Phi[s] * theta, axis=1)
            theta = theta + alpha * delta[:, None] * z
            before, s, reward = s, after, next_reward
            found.append(theta)
        thetas = np.stack([found[t] for t in times], axis=1)
        return Replicates(thetas, np.zeros_like(thetas), np.full(runs, -1, dtype=np.int64))

    return simulate_as_printed


def outcomes(table: AliasTable, rows: Any, words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """``AliasTable.outcome`` for many rows and 64-bit words at a time."""
    shift = np.uint64(64 - table.bits)
    column = (words >> shift).astype(np.int64)
    rest = words & ((np.uint64(1) << shift) - np.uint64(1))
    return np.where(rest < table.keep[rows, column], column, table.alias[rows, column])


def _per_transition(tables: Sequence[Any], n: int) -> NDArray[np.float64]:
    """(action, state, successor) from tables that are n×n, or n×1."""
    return np.stack([np.broadcast_to(table.to_float(), (n, n)) for table in tables])
