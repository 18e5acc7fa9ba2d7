r"""The fast twins (numba): sample, trace, update, for many independent runs side by side.

Sampling does not depend on θ, so it is a stage of its own: :func:`sample` fills arrays for a chunk of runs
that stays in cache, :func:`replay` updates along recorded arrays. The result depends on the seed and the name
alone, not on the chunk size: every run owns its generator. Tests hold both stages equal to their readable
twins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from sims.algorithms import ALGORITHMS, algorithm_named
from sims.step_sizes import StepSizes
from sims.streams import run_states
from sims.trajectories import Sampler, Trajectory
from theory.errors import InputError
from theory.model.mdp import Model
from theory.model.schedule import trace_weights

Array = NDArray[np.float64]

CHUNK = 1024
"""Runs that are sampled and updated together."""

DIVERGED = 1e100
"""A run counts as diverged at the first t where an entry of θ_t or w_t exceeds this; it stops there."""

_CODES = {name: code for code, name in enumerate(ALGORITHMS)}


@dataclass(frozen=True)
class Replicates:
    """θ and w of independent runs at the asked times: ``thetas`` and ``ws`` (runs, times, d).

    ``diverged_at``: the t at which a run passed :data:`DIVERGED`, −1 where it did not. From there on its rows
    repeat the last iterate inside the bound.
    """

    thetas: Array
    ws: Array
    diverged_at: NDArray[np.int64]


def simulate(
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
    """Independent runs of one algorithm: s_0 from ``start``, then steps 0 … max(times) − 1 under the
    behaviour policy.

    ``theta0``, ``w0``: length d (default zero). ``times`` increasing; θ_t is the iterate after t updates.
    Raises :class:`InputError` for an unknown algorithm, an empty request or times that do not increase.
    """
    algorithm_named(algorithm)
    if runs < 1 or not times or times[0] < 0 or any(a >= b for a, b in pairwise(times)):
        raise InputError(f"{runs} runs at times {list(times)}: give at least one run, and increasing times from 0 on")
    sampler = Sampler.of(model, start)
    alphas, betas = step_sizes.arrays(times[-1])
    states = run_states(seed, name, runs)
    parts = []
    for first in range(0, runs, CHUNK):
        trajectory = sample(sampler, states[first : first + CHUNK], times[-1])
        parts.append(replay(trajectory, model, algorithm, alphas, betas, times, theta0=theta0, w0=w0))
    return Replicates(
        np.concatenate([part.thetas for part in parts]),
        np.concatenate([part.ws for part in parts]),
        np.concatenate([part.diverged_at for part in parts]),
    )


def sample(sampler: Sampler, run_states: NDArray[np.uint64], steps: int) -> Trajectory:
    """One trajectory of ``steps`` transitions per generator state (runs, 4)."""
    runs = len(run_states)
    states = np.empty((runs, steps + 1), dtype=np.int64)
    actions = np.empty((runs, steps), dtype=np.int64)
    rewards, discounts, rho = (np.empty((runs, steps)) for _ in range(3))
    _sample(
        sampler.start.bits, sampler.start.keep, sampler.start.alias,
        sampler.steps.bits, sampler.steps.keep, sampler.steps.alias,
        sampler.actions, sampler.next_states, sampler.rewards, sampler.discounts, sampler.rho,
        np.ascontiguousarray(run_states), states, actions, rewards, discounts, rho,
    )  # fmt: skip
    return Trajectory(states, actions, rewards, discounts, rho, sampler.Phi)


def replay(
    trajectory: Trajectory,
    model: Model,
    algorithm: str,
    alphas: ArrayLike,
    betas: ArrayLike,
    times: Sequence[int],
    *,
    theta0: ArrayLike | None = None,
    w0: ArrayLike | None = None,
) -> Replicates:
    """Update along recorded trajectories (runs, T); α_t and β_t for t = 0 … T − 1."""
    runs, d = len(trajectory.states), trajectory.Phi.shape[1]
    c, tail = float_schedule(model)
    thetas, ws = np.empty((runs, len(times), d)), np.empty((runs, len(times), d))
    diverged_at = np.full(runs, -1, dtype=np.int64)
    _replay(
        _CODES[algorithm], np.ascontiguousarray(trajectory.Phi), c, tail,
        trajectory.states, trajectory.rewards, trajectory.discounts, trajectory.rho,
        np.asarray(alphas, dtype=np.float64), np.asarray(betas, dtype=np.float64),
        np.asarray(times, dtype=np.int64), _vector(theta0, d), _vector(w0, d), DIVERGED,
        thetas, ws, diverged_at,
    )  # fmt: skip
    return Replicates(thetas, ws, diverged_at)


def float_schedule(model: Model) -> tuple[Array, float]:
    """c_0 … c_L as the nearest floats, and the λ of a constant schedule without end (0 where it ends)."""
    return np.array([float(c) for c in trace_weights(model.schedule.lambdas)]), float(model.schedule.tail)


def _vector(given: ArrayLike | None, d: int) -> Array:
    vector = np.zeros(d) if given is None else np.array(given, dtype=np.float64)
    if vector.shape != (d,):
        raise InputError(f"a start vector has shape {vector.shape}; give {d} numbers")
    return vector


@njit(cache=True, nogil=True)
def _next_word(rng: Any) -> Any:
    """xoshiro256** (Blackman and Vigna 2021), twin of ``sims.streams.xoshiro``."""
    x = rng[1] * np.uint64(5)
    result = ((x << np.uint64(7)) | (x >> np.uint64(57))) * np.uint64(9)
    shifted = rng[1] << np.uint64(17)
    rng[2] ^= rng[0]
    rng[3] ^= rng[1]
    rng[1] ^= rng[2]
    rng[0] ^= rng[3]
    rng[2] ^= shifted
    rng[3] = (rng[3] << np.uint64(45)) | (rng[3] >> np.uint64(19))
    return result


@njit(cache=True, nogil=True)
def _outcome(bits: int, keep: Any, alias: Any, row: int, word: Any) -> Any:
    """Twin of ``AliasTable.outcome``."""
    shift = np.uint64(64 - bits)
    column = np.int64(word >> shift)
    rest = word & ((np.uint64(1) << shift) - np.uint64(1))
    if rest < keep[row, column]:
        return column
    return alias[row, column]


@njit(cache=True, nogil=True)
def _sample(
    start_bits: int, start_keep: Any, start_alias: Any, bits: int, keep: Any, alias: Any,
    action_of: Any, next_of: Any, reward_of: Any, discount_of: Any, rho_of: Any,
    rngs: Any, states: Any, actions: Any, rewards: Any, discounts: Any, rho: Any,
) -> None:  # fmt: skip
    runs, steps = rewards.shape
    for r in range(runs):
        rng = rngs[r].copy()
        s = _outcome(start_bits, start_keep, start_alias, 0, _next_word(rng))
        states[r, 0] = s
        for t in range(steps):
            o = _outcome(bits, keep, alias, s, _next_word(rng))
            actions[r, t] = action_of[s, o]
            rewards[r, t] = reward_of[s, o]
            discounts[r, t] = discount_of[s, o]
            rho[r, t] = rho_of[s, o]
            s = next_of[s, o]
            states[r, t + 1] = s


@njit(cache=True, nogil=True)
def _replay(
    code: int, Phi: Any, c: Any, tail: float, states: Any, rewards: Any, discounts: Any, rho: Any,
    alphas: Any, betas: Any, times: Any, theta0: Any, w0: Any, limit: float,
    thetas: Any, ws: Any, diverged_at: Any,
) -> None:  # fmt: skip
    runs, steps = rewards.shape
    d = Phi.shape[1]
    L = len(c) - 1
    theta, w, z = np.empty(d), np.empty(d), np.empty(d)
    for r in range(runs):
        theta[:] = theta0
        w[:] = w0
        z[:] = 0.0
        wanted = 0
        if times[0] == 0:
            thetas[r, 0] = theta
            ws[r, 0] = w
            wanted = 1
        for t in range(steps):
            phi, phi_next = Phi[states[r, t]], Phi[states[r, t + 1]]
            ratio = 1.0 if code == 0 else rho[r, t]
            # the trace
            if tail != 0.0:
                before = tail * discounts[r, t - 1] if t > 0 else 0.0
                for i in range(d):
                    z[i] = ratio * (phi[i] + before * z[i])
            else:
                for i in range(d):
                    z[i] = ratio * phi[i]
                product = ratio
                for k in range(1, min(L, t) + 1):
                    product *= discounts[r, t - k]
                    if code != 0:
                        product *= rho[r, t - k]
                    weight = c[k] * product
                    past = Phi[states[r, t - k]]
                    for i in range(d):
                        z[i] += weight * past[i]
            # δ_t, z_tᵀw_t, φ_tᵀw_t
            gamma = discounts[r, t]
            delta = rewards[r, t]
            zw, phi_w = 0.0, 0.0
            for i in range(d):
                delta += (gamma * phi_next[i] - phi[i]) * theta[i]
                zw += z[i] * w[i]
                phi_w += phi[i] * w[i]
            # the update; θ and w both from the old values
            largest = 0.0
            for i in range(d):
                difference = phi[i] - gamma * phi_next[i]
                if code <= 1:
                    theta[i] += alphas[t] * delta * z[i]
                elif code == 2:
                    theta[i] += alphas[t] * difference * zw
                else:
                    theta[i] += alphas[t] * (delta * z[i] + difference * zw - phi[i] * phi_w)
                if code >= 2:
                    w[i] += betas[t] * (delta * z[i] - phi_w * phi[i])
                largest = max(largest, abs(theta[i]), abs(w[i]))
            if not largest <= limit:
                diverged_at[r] = t + 1
                break
            if wanted < len(times) and times[wanted] == t + 1:
                thetas[r, wanted] = theta
                ws[r, wanted] = w
                wanted += 1
        for index in range(wanted, len(times)):
            thetas[r, index] = thetas[r, wanted - 1] if wanted > 0 else theta0
            ws[r, index] = ws[r, wanted - 1] if wanted > 0 else w0
