"""Requests in, compiled loops run over chunks of runs, results out."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdcert.algorithms.schedules import PAPER, scheduled
from tdcert.sims.kernels.records import (
    DENSE,
    ENDLESS,
    ENTRIES,
    LANES,
    LAZY,
    QUAD,
    WINDOW,
    DrawLaw,
    Recorded,
    Results,
    RunRequest,
    TraceRecursion,
)
from tdcert.sims.kernels.recursions import recursion, steady
from tdcert.sims.step_sizes import StepSizes
from tdcert.sims.streams import run_states
from tdcert.sims.trajectories import AliasTable, Sampler, Trajectory
from tdcert.theory.errors import InputError
from tdcert.theory.extras import require
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import trace_weights

Array = NDArray[np.float64]

CHUNK = 64 * LANES
"""Runs that one thread works on before it asks for more."""

THREADS_FROM = 300_000
"""Updates times features below which one thread is done before a second one has started."""

LAZY_FROM = 12
"""Features, and states of a window, from which reading θ lazily costs least."""

TURN = 6
"""Entries of a trace whose update costs as much as that of a feature at the end of an epoch of ``lazy``."""

CACHE = 16 * 1024
"""Bytes that the traces of a tile take up, about half of a core's first cache."""


@cache
def _loops() -> tuple[Any, Any]:
    """update_runs and walk_paths: Numba is imported by the first run, for most analyses simulate nothing."""
    require("a simulation", "numba")
    from tdcert.sims.kernels import compiled

    return compiled.build(Path(__file__).parent)


_CODES = {name: code for code, name in enumerate(PAPER)}


@dataclass(frozen=True)
class Replicates:
    """θ and w of independent runs at the asked times: ``thetas`` and ``ws`` (runs, times, d).

    ``diverged_at``: the t at which a run passed :data:`DIVERGED`, −1 where it did not. From there on its rows
    repeat the last one before (the start where there is none).
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
    threads: int | None = None,
) -> Replicates:
    """Independent runs of one algorithm: s_0 from ``start``, then steps 0 … max(times) − 1 under the behaviour policy.

    ``theta0``, ``w0``: length d (default zero). ``times`` increasing; θ_t is the iterate after t updates.
    ``threads``: at most so many (default: one for each core); the result is the same bit for bit.
    Raises :class:`InputError` for an unknown algorithm, an empty request or times that do not increase.
    """
    scheduled(algorithm)
    if runs < 1 or not times or times[0] < 0 or any(a >= b for a, b in pairwise(times)):
        raise InputError(f"{runs} runs at times {list(times)}: give at least one run, and increasing times from 0 on")
    sampler = Sampler.of(model, start)
    recorded = Recorded(np.empty((0, 1), dtype=np.int64), *(np.empty((0, 0)) for _ in range(3)))
    return _run(
        law_of(sampler),
        recorded,
        run_states(seed, name, runs),
        sampler.Phi,
        model,
        algorithm,
        step_sizes.arrays(times[-1]),
        times,
        theta0,
        w0,
        threads,
    )


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
    threads: int | None = None,
) -> Replicates:
    """Update along recorded trajectories (runs, T); α_t and β_t for t = 0 … T − 1, or for a beginning of it.

    Raises :class:`InputError` where step sizes, times and trajectory do not fit together.
    """
    recorded = Recorded(
        np.ascontiguousarray(trajectory.states),
        *(np.ascontiguousarray(x) for x in (trajectory.rewards, trajectory.discounts, trajectory.rho)),
    )
    rngs = np.empty((len(trajectory.states), 4), dtype=np.uint64)
    words, doubles = np.empty(0, dtype=np.uint64), np.empty(0)
    step_sizes = np.array(alphas, dtype=np.float64), np.array(betas, dtype=np.float64)
    known = {len(x) for x in step_sizes}
    if len(known) != 1 or max(known) > trajectory.steps or not times or times[-1] > max(known):
        raise InputError(
            f"{len(step_sizes[0])} and {len(step_sizes[1])} step sizes and times up to {max(times, default=0)} along "
            f"{trajectory.steps} transitions: give as many α as β, for every time asked for and no more than there are"
        )
    nothing = DrawLaw(1, words, 1, words, doubles)
    return _run(nothing, recorded, rngs, trajectory.Phi, model, algorithm, step_sizes, times, theta0, w0, threads)


def sample(sampler: Sampler, run_states: NDArray[np.uint64], steps: int) -> Trajectory:
    """One trajectory of ``steps`` transitions per generator state (runs, 4)."""
    runs = len(run_states)
    states = np.empty((runs, steps + 1), dtype=np.int64)
    places = np.empty((runs, steps), dtype=np.int64)
    _loops()[1](law_of(sampler), np.ascontiguousarray(run_states), states, places)
    return sampler.along(states, places % (1 << sampler.steps.bits))


def float_schedule(model: Model) -> tuple[Array, float]:
    """c_0 … c_L as the nearest floats, and the λ of a constant schedule without end (0 where it ends)."""
    return np.array([float(c) for c in trace_weights(model.schedule.lambdas)]), float(model.schedule.tail)


def tile_length(d: int) -> int:
    """Steps that are drawn, traced and updated together: a multiple of four, the window's own unit, on which no result
    depends."""
    return max(8, min(64, CACHE // (8 * LANES * d)) // 4 * 4)


def _run(
    law: DrawLaw,
    recorded: Recorded,
    rngs: NDArray[np.uint64],
    Phi: Array,
    model: Model,
    algorithm: str,
    step_sizes: tuple[Array, Array],
    times: Sequence[int],
    theta0: ArrayLike | None,
    w0: ArrayLike | None,
    threads: int | None,
) -> Replicates:
    runs, d = len(rngs), Phi.shape[1]
    way, law_of_traces = way_of(Phi, algorithm, model, recorded.discounts)
    problem = RunRequest(
        _CODES[algorithm],
        *step_sizes,
        np.array(times, dtype=np.int64),
        _vector(theta0, d),
        _vector(w0, d),
        tile_length(8 if way else d),
    )
    shape = runs, len(times), d
    out = Results(np.empty(shape), np.empty(shape), np.full(runs, -1, dtype=np.int64))
    features = np.pad(Phi, ((0, 1), (0, -d % QUAD)))
    starts = Phi.argmax(axis=1) if way else np.arange(len(Phi)) * features.shape[1]
    update_runs, given = _loops()[0], (features.ravel(), starts.astype(np.uint64), way)

    def work(first: int, last: int) -> None:
        update_runs(law, recorded, *given, law_of_traces, problem, rngs, first, last, out)

    _share(work, -(-runs // LANES), threads, runs * len(step_sizes[0]) * d)
    return Replicates(*out)


def is_one_hot(Phi: Array) -> bool:
    """Whether every state has one feature that is one, and no other."""
    return bool(np.all((Phi == 0) | (Phi == 1)) and np.all(Phi.sum(axis=1) == 1))


def one_discount(model: Model, recorded: Array) -> float | None:
    """The discount of all transitions of a model and of paths ``recorded`` in it; None where there is more than one."""
    if model.gamma is None:
        return None
    gamma = float(model.gamma)
    return gamma if bool(np.all(recorded == gamma)) else None


def way_of(Phi: Array, algorithm: str, model: Model, recorded: Array) -> tuple[int, TraceRecursion]:
    """How features are used and traces found: what costs least."""
    law = recursion(model.schedule)
    found = steady(law, one_discount(model, recorded)) if algorithm == "td" else law
    if is_one_hot(Phi):
        d, K, endless = Phi.shape[1], found.epoch, law.kind == ENDLESS
        window = d if endless else len(law.c)
        if K and min(d, window) >= LAZY_FROM and TURN * (d if endless else min(d, window + K)) <= K * window:
            return LAZY, found
        if law.kind != ENDLESS and (law.kind == WINDOW or len(law.c) <= 2 * Phi.shape[1]):
            return ENTRIES, law
    return DENSE, found


def _share(work: Callable[[int, int], None], groups: int, threads: int | None, size: int) -> None:
    """``work`` on the groups 0 … groups − 1, in chunks handed out to threads."""
    if threads is None:
        threads = 1 if size < THREADS_FROM else len(os.sched_getaffinity(0))
    if min(threads, groups) == 1:
        work(0, groups)
        return
    from concurrent.futures import ThreadPoolExecutor  # which takes as long to import as the kernels

    chunk = max(1, min(CHUNK // LANES, groups // (4 * threads)))
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, a, min(a + chunk, groups)) for a in range(0, groups, chunk)]:
            done.result()


def law_of(sampler: Sampler) -> DrawLaw:
    """The records of ``tdcert.sims.kernels.records.DrawLaw`` for a sampler."""
    columns = 1 << sampler.steps.bits
    n, width = sampler.next_states.shape
    following = np.zeros((n, columns), dtype=np.int64)
    following[:, :width] = sampler.next_states
    values = np.zeros((n, columns, 4))
    for k, entries in enumerate((sampler.rewards, sampler.discounts, sampler.rho)):
        values[:, :width, k] = entries
    start_bits = sampler.start.bits
    start = _records(sampler.start, np.arange(1 << start_bits).reshape(1, -1))
    return DrawLaw(start_bits, start, sampler.steps.bits, _records(sampler.steps, following), values.ravel())


def _records(table: AliasTable, following: NDArray[np.int64]) -> NDArray[np.uint64]:
    links = following << 32 | np.arange(following.size).reshape(following.shape)
    aliases = np.take_along_axis(links, table.alias, axis=1)
    unused = np.zeros_like(links)
    return np.stack([table.keep, *(x.astype(np.uint64) for x in (links, aliases, unused))], axis=-1).ravel()


def _vector(given: ArrayLike | None, d: int) -> Array:
    vector = np.zeros(d) if given is None else np.array(given, dtype=np.float64)
    if vector.shape != (d,):
        raise InputError(f"a start vector has shape {vector.shape}; give {d} numbers")
    return vector
