# The loops below are compiled for the types they are called with; Numba carries no types of its own.
# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"
r"""The compiled loops: sample, trace, update, a tile of time for :data:`~tdcert.sims.kernels.lanes.LANES` runs at once.

θ feeds back neither into the trajectory nor into the trace, so each of the three is a loop of its own over a tile that
stays in cache. What is a number of each run stands side by side, shape (…, LANES); features stand in fours, run by run,
filled up with zeros. Nothing is kept of a trajectory but what the next tile's traces need: where the features of the
last states begin, and q.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from tdcert.sims.compile_once import compiled_once
from tdcert.sims.kernels.lanes import INNER, below, entry, fill, gather, load, put, quad, store
from tdcert.sims.kernels.lazy import begin_sums, lazy_updates, sums
from tdcert.sims.kernels.one_hot import one_hot_updates
from tdcert.sims.kernels.records import BLOCKS, CARRIED, ENDLESS, ENTRIES, LANES, LAZY, OFF_POLICY_TD, TD, WINDOW, Tile
from tdcert.sims.kernels.trace_kernels import block_traces, blocks, carried_traces, endless_traces, window_traces
from tdcert.sims.kernels.update_kernels import gradient_updates, keep_last, record, td_updates


@njit(**INNER)
def _next_words(rng):
    """xoshiro256** (Blackman and Vigna 2021) for every run, twin of ``tdcert.sims.streams.xoshiro``."""
    a, b, c, e = load(rng, 0), load(rng, 1), load(rng, 2), load(rng, 3)
    x = b + (b << 2)
    x = (x << 7) | (x >> 57)
    result = x + (x << 3)
    shifted = b << 17
    c = c ^ a
    e = e ^ b
    b = b ^ c
    a = a ^ e
    c = c ^ shifted
    e = (e << 45) | (e >> 19)
    store(rng, 0, a)
    store(rng, 1, b)
    store(rng, 2, c)
    store(rng, 3, e)
    return result


@njit(**INNER)
def _link(picks, bits, state, words):
    """The link of what ``words`` draw in ``state``: twin of ``AliasTable.outcome``."""
    column = words >> (64 - bits)
    rest = words & fill(np.uint64((np.uint64(1) << np.uint64(64 - bits)) - np.uint64(1)))
    place = ((state << bits) + column) << 2
    return below(rest, gather(picks, place, 0), gather(picks, place, 1), gather(picks, place, 2))


@njit(**INNER)
def _draw(law, starts, rng, begin, steps, tile):
    """Draws the next ``steps`` transitions."""
    states, links, rows, mask, scalars = tile.state, tile.links, tile.rows, tile.mask, tile.scalars
    picks, bits, values = law.picks, law.bits, law.values
    state = load(states, 0)
    low = fill(np.uint64(0xFFFFFFFF))
    for t in range(steps):
        link = _link(picks, bits, state, _next_words(rng))
        row = (link & low) << 2
        state = link >> 32
        store(rows, (begin + t + 1) & mask, gather(starts, state, 0))
        store(links, 0, row)
        for lane in range(LANES):
            put(scalars, 4 * (t * LANES + lane), quad(values, entry(links, 0, lane)))
    store(states, 0, state)


@njit(**INNER)
def _copy_recorded(recorded, starts, first, begin, steps, tile):
    """Copies the next ``steps`` transitions from recorded paths; lanes beyond the last run repeat that run."""
    rows, mask, scalars = tile.rows, tile.mask, tile.scalars
    states, rewards, discounts, rhos = recorded.states, recorded.rewards, recorded.discounts, recorded.rho
    runs = len(states)
    for lane in range(LANES):
        r = min(first + lane, runs - 1)
        for t in range(steps):
            rows[(begin + t + 1) & mask, lane] = starts[states[r, begin + t + 1]]
            own = 4 * (t * LANES + lane)
            scalars[own] = rewards[r, begin + t]
            scalars[own + 1] = discounts[r, begin + t]
            scalars[own + 2] = rhos[r, begin + t]


@njit(**INNER)
def _transitions(code, lam, begin, steps, tile):
    """q of every step of a tile."""
    scalars, qs, mask = tile.scalars, tile.q, tile.mask
    for t in range(steps):
        for lane in range(LANES):
            own = 4 * (t * LANES + lane)
            q = lam * scalars[own + 1]
            if code != TD:
                q *= scalars[own + 2]
            qs[(begin + t) & mask, lane] = q


def build(folder: Path) -> tuple[Any, Any]:
    """(update_runs, walk_paths). Compiled code is kept between processes, as long as no source in ``folder`` changes.

    All of them are inside it, and Numba by itself would look at one only.
    """
    sources = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))).hexdigest()

    @compiled_once
    def walk_paths(law, rngs, states, places):
        """Recorded paths: states (runs, T+1), and places (runs, T) in the tables of the law."""
        _ = sources  # what a closure holds is part of the cache's key
        runs, T = places.shape
        rng = np.zeros((4, LANES), dtype=np.uint64)
        links = np.zeros((1, LANES), dtype=np.uint64)
        for first in range(0, runs, LANES):
            for lane in range(LANES):
                for word in range(4):
                    rng[word, lane] = rngs[min(first + lane, runs - 1), word]
            used = min(LANES, runs - first)
            state = _link(law.start, law.start_bits, fill(np.uint64(0)), _next_words(rng)) >> 32
            for t in range(T + 1):
                store(links, 0, state)
                for lane in range(used):
                    states[first + lane, t] = np.int64(links[0, lane])
                if t < T:
                    link = _link(law.picks, law.bits, state, _next_words(rng))
                    store(links, 0, link & fill(np.uint64(0xFFFFFFFF)))
                    for lane in range(used):
                        places[first + lane, t] = np.int64(links[0, lane])
                    state = link >> 32

    @compiled_once
    def update_runs(law, recorded, Phi, starts, way, recursion, problem, rngs, first_group, last_group, out):
        """Groups first_group … last_group − 1 of LANES runs each, of whole runs, into ``out``."""
        _ = sources
        runs, d, T = len(out.diverged_at), len(problem.theta0), len(problem.alphas)
        kind, length, W, m = recursion.kind, problem.tile, recursion.flat, recursion.m
        one_step = kind != ENDLESS and len(recursion.c) == 1
        ring, width = 1, -(-d // 4) * 4
        while ring < length + len(recursion.c) + recursion.epoch + 2:
            ring *= 2
        tile = Tile(
            np.zeros(1, dtype=np.int64),
            np.zeros((1, LANES), dtype=np.uint64),
            np.zeros((1, LANES), dtype=np.uint64),
            np.zeros(4 * length * LANES),
            np.zeros((ring, LANES), dtype=np.uint64),
            np.zeros((ring, LANES)),
            np.zeros(length * LANES * width),
            np.zeros(LANES * width),
            np.zeros(LANES * width),
            ring - 1,
            length,
            width,
        )
        rng = np.zeros((4, LANES), dtype=np.uint64)
        c = np.zeros(len(recursion.c) + 4)
        for k in range(len(recursion.c)):
            c[k] = recursion.c[k]
        work, shares, carried = np.zeros((len(c) + 16, LANES)), np.zeros((length, LANES)), np.zeros(2 * LANES * width)
        flat, falling = blocks(W, tile), blocks(m - 1, tile)
        lazy = sums(recursion, width if way == LAZY else 0)
        for group in range(first_group, last_group):
            first = group * LANES
            last = min(first + LANES, runs)
            tile.lanes[0] = last - first
            tile.theta[:] = 0.0
            tile.w[:] = 0.0
            for lane in range(LANES):
                for i in range(d):
                    tile.theta[lane * width + i], tile.w[lane * width + i] = problem.theta0[i], problem.w0[i]
                r = min(first + lane, runs - 1)
                if len(recorded.states) == 0:
                    for word in range(4):
                        rng[word, lane] = rngs[r, word]
                else:
                    tile.state[0, lane] = recorded.states[r, 0]
            if len(recorded.states) == 0:
                link = _link(law.start, law.start_bits, fill(np.uint64(0)), _next_words(rng))
                store(tile.state, 0, link >> 32)
            tile.rows[:] = len(Phi) - width  # the last one, of zeros: no state's
            carried[:] = 0.0
            store(tile.rows, 0, gather(starts, load(tile.state, 0), 0))
            if kind == BLOCKS:
                for pair in (flat, falling):
                    pair.old[:] = 0.0
                    pair.sums[:] = 0.0  # q = 0 alone would not undo an infinite sum
                    pair.now[:] = 0.0
            if way == LAZY:
                begin_sums(lazy, tile.theta)
            wanted = 0
            if problem.times[0] == 0:
                record(first, 0, tile, out)
                wanted = 1
            for begin in range(0, T, length):
                steps = min(length, T - begin)
                if len(recorded.states) == 0:
                    _draw(law, starts, rng, begin, steps, tile)
                else:
                    _copy_recorded(recorded, starts, first, begin, steps, tile)
                if way != LAZY and kind != CARRIED and not one_step:
                    _transitions(problem.code, 1.0 if way == ENTRIES else recursion.lam, begin, steps, tile)
                if way == LAZY:
                    wanted = lazy_updates(problem, recursion, d, first, begin, steps, wanted, tile, lazy, out)
                    continue
                if way == ENTRIES:
                    wanted = one_hot_updates(problem, recursion.c, first, begin, steps, wanted, tile, work, out)
                    continue
                if kind == WINDOW:
                    window_traces(c, begin, steps, Phi, tile, work)
                elif kind == ENDLESS:
                    endless_traces(begin, steps, Phi, tile, carried)
                elif kind == CARRIED:
                    carried_traces(W, m, recursion.steady, begin, steps, Phi, tile, carried)
                elif not one_step:
                    block_traces(W, m, begin, steps, Phi, tile, flat, falling, shares)
                if problem.code <= OFF_POLICY_TD:
                    wanted = td_updates(problem, first, begin, steps, wanted, Phi, one_step, tile, out)
                else:
                    wanted = gradient_updates(problem, first, begin, steps, wanted, Phi, one_step, tile, out)
            keep_last(first, last, problem, out)

    return update_runs, walk_paths
