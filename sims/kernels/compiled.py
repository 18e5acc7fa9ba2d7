r"""The compiled loops: sample, trace, update, a tile of time for :data:`~sims.kernels.lanes.LANES` runs at once.

Every array has the shape (rows, LANES); the row of feature i at time t of a tile is t·d + i. θ feeds back neither into
the trajectory nor into the trace, so each of the three is a loop of its own over a tile that stays in cache. Nothing is
kept of a trajectory but what the next tile's traces need.

**The trace by its recursion.** Write q_t for Γ_t, off-policy Γ_t ρ_t, times λ for a constant schedule. Then z_t = y_t,
off-policy ρ_t y_t, where y_t sums c_k q_{t−k}…q_{t−1} φ_{t−k}. For constant schedules and n-step returns the c_k inside
q are all that remains: a window of W equal weights. Time is cut into blocks of W steps; a window is the end of one
block, summed from the block's last step backwards, and the beginning of the next, summed forwards:

    y_t = U_t + P_t A_{p+1},    U_t = φ_t + q_{t−1} U_{t−1},    A_j = A_{j+1} + q_j…q_{W−1} φ_j,

p the place of t in its block and P_t the product of q from the block's first step to t − 1. So each step costs a few
operations a feature whatever W is, and nothing is subtracted or divided: ρ = 0 and huge ρ do no harm.

EqualWeights(n1, n2) is such a window of n1, then, n1 steps late, weights that fall from (m−1)/m to 1/m, m = n2−n1+1.
These come from a second pair of blocks of W = m − 1 steps: forwards (W − p) U + I with I = Σ_j j q… φ_j over the places
j of the block, backwards the sum of sums R_p = Σ_{j>p} (j − p) q… φ_j. Again all terms have the sign of their φ.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from sims.kernels.lanes import LANES, all_below, below, fill, gather, load, store

TD, OFF_POLICY_TD, GTD, TDC = range(4)
WINDOW, ENDLESS, BLOCKS = range(3)

DIVERGED = 1e100
"""A run counts as diverged at the first t where an entry of θ_t or w_t exceeds this; it stops there."""


class Law(NamedTuple):
    """What a run draws from, one record of four words for each (state, column): the threshold of the column, the link
    of its own transition and that of its alias. A link holds the next state and the number of a row of ``values``:
    R, Γ, ρ, and one place to spare."""

    start_bits: Any
    start: Any
    bits: Any
    picks: Any
    values: Any


class Recursion(NamedTuple):
    """How z_t is found: ``kind``, λ, the length of the flat window, m, and c_0 … c_L for the window itself."""

    kind: Any
    lam: Any
    flat: Any
    m: Any
    c: Any


class Recorded(NamedTuple):
    """Paths that were drawn before: states (runs, T+1), and (runs, T) each R, Γ, ρ. Without runs: draw them."""

    states: Any
    rewards: Any
    discounts: Any
    rho: Any


class Problem(NamedTuple):
    """Algorithm, step sizes, start, the times to be recorded, and the length of a tile."""

    code: Any
    alphas: Any
    betas: Any
    times: Any
    theta0: Any
    w0: Any
    tile: Any


class Tile(NamedTuple):
    """Work space for one tile. ``phi``: history, tile and one step more; ``scalars``: rows 3t, 3t+1, 3t+2 are R, Γ, ρ
    of step t; ``q``: as in the module's docstring, with history."""

    states: Any
    scalars: Any
    phi: Any
    q: Any
    z: Any
    theta: Any
    w: Any


@njit(nogil=True)
def _next_words(rng):
    """xoshiro256** (Blackman and Vigna 2021) for every run, twin of ``sims.streams.xoshiro``."""
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


@njit(nogil=True)
def _link(picks, bits, state, words):
    """The link of what ``words`` draw in ``state``: twin of ``AliasTable.outcome``."""
    column = words >> (64 - bits)
    rest = words & fill(np.uint64((np.uint64(1) << np.uint64(64 - bits)) - np.uint64(1)))
    place = ((state << bits) + column) << 2
    return below(rest, gather(picks, place, 0), gather(picks, place, 1), gather(picks, place, 2))


@njit(nogil=True)
def _draw(law, rng, steps, tile):
    """States and scalars of the next ``steps`` steps; row 0 of ``states`` is where they begin."""
    state = load(tile.states, 0)
    low = fill(np.uint64(0xFFFFFFFF))
    for t in range(steps):
        link = _link(law.picks, law.bits, state, _next_words(rng))
        row = (link & low) << 2
        state = link >> 32
        store(tile.states, t + 1, state)
        for k in range(3):
            store(tile.scalars, 3 * t + k, gather(law.values, row, k))


@njit(nogil=True)
def _copy_recorded(recorded, first, begin, steps, tile):
    """The same from recorded paths; lanes beyond the last run repeat it."""
    runs = len(recorded.states)
    for lane in range(LANES):
        r = min(first + lane, runs - 1)
        for t in range(steps):
            tile.states[t + 1, lane] = recorded.states[r, begin + t + 1]
            tile.scalars[3 * t, lane] = recorded.rewards[r, begin + t]
            tile.scalars[3 * t + 1, lane] = recorded.discounts[r, begin + t]
            tile.scalars[3 * t + 2, lane] = recorded.rho[r, begin + t]


@njit(nogil=True)
def _features(Phi, d, first, last, history, tile):
    """φ of the steps first … last − 1 of the tile."""
    width = fill(np.uint64(d))
    for t in range(first, last):
        place = load(tile.states, t) * width
        row = (history + t) * d
        for i in range(d):
            store(tile.phi, row + i, gather(Phi, place, i))


@njit(nogil=True)
def _transitions(code, lam, steps, history, tile):
    """q of every step of the tile."""
    weight = fill(lam)
    for t in range(steps):
        q = weight * load(tile.scalars, 3 * t + 1)
        if code != TD:
            q = q * load(tile.scalars, 3 * t + 2)
        store(tile.q, history + t, q)


@njit(nogil=True)
def _scaled_by_ratio(code, t, d, tile):
    """z_t = ρ_t y_t."""
    if code != TD:
        rho = load(tile.scalars, 3 * t + 2)
        for i in range(t * d, (t + 1) * d):
            store(tile.z, i, rho * load(tile.z, i))


@njit(nogil=True)
def _window_traces(code, c, begin, steps, d, tile, weights):
    """Any schedule: the window of each step, summed; four features at a time share a weight."""
    L = len(c) - 1
    for t in range(steps):
        length = min(L, begin + t) + 1
        product = fill(1.0)
        store(weights, 0, fill(c[0]))
        for k in range(1, length):
            product = product * load(tile.q, L + t - k)
            store(weights, k, fill(c[k]) * product)
        i = 0
        while i + 4 <= d:
            y0, y1, y2, y3 = fill(0.0), fill(0.0), fill(0.0), fill(0.0)
            row = (L + t) * d + i
            for k in range(length):
                weight = load(weights, k)
                y0 = y0 + weight * load(tile.phi, row)
                y1 = y1 + weight * load(tile.phi, row + 1)
                y2 = y2 + weight * load(tile.phi, row + 2)
                y3 = y3 + weight * load(tile.phi, row + 3)
                row -= d
            store(tile.z, t * d + i, y0)
            store(tile.z, t * d + i + 1, y1)
            store(tile.z, t * d + i + 2, y2)
            store(tile.z, t * d + i + 3, y3)
            i += 4
        while i < d:
            y0 = fill(0.0)
            row = (L + t) * d + i
            for k in range(length):
                y0 = y0 + load(weights, k) * load(tile.phi, row)
                row -= d
            store(tile.z, t * d + i, y0)
            i += 1
        _scaled_by_ratio(code, t, d, tile)


@njit(nogil=True)
def _endless_traces(code, begin, steps, d, tile, carried):
    """y_t = φ_t + q_{t−1} y_{t−1}; row d of ``carried`` is q_{t−1}."""
    q = load(carried, d)
    for t in range(steps):
        for i in range(d):
            y = load(tile.phi, t * d + i) + q * load(carried, i)
            store(carried, i, y)
            store(tile.z, t * d + i, y)
        q = load(tile.q, t)
        _scaled_by_ratio(code, t, d, tile)
    store(carried, d, q)


@njit(nogil=True)
def _zero(array):
    for row in range(len(array)):
        store(array, row, fill(0.0))


class Blocks(NamedTuple):
    """Two neighbouring blocks of W steps. ``old``: the sums A or R of the last block, each overwritten by φ once it has
    been used, and a zero row; ``q``: the products q_j…q_{W−1}, then q; ``sums``: U and I, and the sums of a closing
    block; ``now``: P_t and q_{t−1}."""

    old: Any
    q: Any
    sums: Any
    now: Any


@njit(nogil=True)
def _close_flat(blocks, W, d):
    """A_j and q_j…q_{W−1} of the block that ends here."""
    product = fill(1.0)
    for j in range(W - 1, -1, -1):
        product = product * load(blocks.q, j)
        store(blocks.q, j, product)
        for i in range(j * d, (j + 1) * d):
            store(blocks.old, i, load(blocks.old, i + d) + product * load(blocks.old, i))


@njit(nogil=True)
def _close_falling(blocks, W, d):
    """R_{j−1} = R_j + Σ_{l≥j} q_l…q_{W−1} φ_l of the block that ends here, in place j."""
    for i in range(2 * d, 3 * d):
        store(blocks.sums, i, fill(0.0))
    product = fill(1.0)
    for j in range(W - 1, -1, -1):
        product = product * load(blocks.q, j)
        for i in range(d):
            row = j * d + i
            total = load(blocks.sums, 2 * d + i) + product * load(blocks.old, row)
            store(blocks.sums, 2 * d + i, total)
            store(blocks.old, row, load(blocks.old, row + d) + total)


@njit(nogil=True)
def _block_traces(code, W, m, begin, steps, d, tile, flat, falling, late, late_q):
    """EqualWeights, n-step and finite constant schedules; ``late`` holds φ and q of the last W steps."""
    V = m - 1
    one, zero = fill(1.0), fill(0.0)
    P, q = load(flat.now, 0), load(flat.now, 1)
    P_late, q_late = load(falling.now, 0), load(falling.now, 1)
    for t in range(steps):
        time = begin + t
        p = time % W
        row, after = p * d, (p + 1) * d
        if W == 1:
            for i in range(d):
                store(tile.z, t * d + i, load(tile.phi, t * d + i))
        else:
            if p == 0:
                P, q = one, zero
            for i in range(d):
                phi = load(tile.phi, t * d + i)
                U = phi + q * load(flat.sums, i)
                store(flat.sums, i, U)
                store(tile.z, t * d + i, U + P * load(flat.old, after + i))
                store(flat.old, row + i, phi)
        if V > 0:
            if time >= W:
                p_late = (time - W) % V
                if p_late == 0:
                    P_late, q_late = one, zero
                share = fill(1.0 / m) * (load(flat.q, p) if W == 1 else P * load(flat.q, p))
                left, place = fill(float(V - p_late)), fill(float(p_late))
                for i in range(d):
                    phi = load(late, row + i)
                    U = phi + q_late * load(falling.sums, i)
                    first = place * phi + q_late * load(falling.sums, d + i)
                    store(falling.sums, i, U)
                    store(falling.sums, d + i, first)
                    old = load(falling.old, (p_late + 1) * d + i)
                    store(tile.z, t * d + i, load(tile.z, t * d + i) + share * (left * U + first + P_late * old))
                    store(falling.old, p_late * d + i, phi)
                q_late = load(late_q, p)
                store(falling.q, p_late, q_late)
                P_late = P_late * q_late
                if p_late == V - 1:
                    _close_falling(falling, V, d)
            for i in range(d):
                store(late, row + i, load(tile.phi, t * d + i))
            store(late_q, p, load(tile.q, t))
        q = load(tile.q, t)
        store(flat.q, p, q)
        P = P * q
        if p == W - 1 and W > 1:
            _close_flat(flat, W, d)
        _scaled_by_ratio(code, t, d, tile)
    store(flat.now, 0, P)
    store(flat.now, 1, q)
    store(falling.now, 0, P_late)
    store(falling.now, 1, q_late)


@njit(nogil=True)
def _td_step(t, d, alpha, history, tile):
    """θ_{t+1} = θ_t + α_t δ_t z_t; Σ θ_i²."""
    v, v_next = fill(0.0), fill(0.0)
    row = (history + t) * d
    for i in range(d):
        theta = load(tile.theta, i)
        v = v + load(tile.phi, row + i) * theta
        v_next = v_next + load(tile.phi, row + d + i) * theta
    delta = load(tile.scalars, 3 * t) + load(tile.scalars, 3 * t + 1) * v_next - v
    step = fill(alpha) * delta
    size = fill(0.0)
    for i in range(d):
        theta = load(tile.theta, i) + step * load(tile.z, t * d + i)
        store(tile.theta, i, theta)
        size = size + theta * theta
    return size


@njit(nogil=True)
def _gradient_step(code, t, d, alpha, beta, history, tile):
    """GTD and TDC, θ and w both from the old values; Σ θ_i² + w_i²."""
    v, v_next, zw, phi_w = fill(0.0), fill(0.0), fill(0.0), fill(0.0)
    row = (history + t) * d
    for i in range(d):
        theta, w, phi = load(tile.theta, i), load(tile.w, i), load(tile.phi, row + i)
        v = v + phi * theta
        v_next = v_next + load(tile.phi, row + d + i) * theta
        zw = zw + load(tile.z, t * d + i) * w
        phi_w = phi_w + phi * w
    gamma = load(tile.scalars, 3 * t + 1)
    delta = load(tile.scalars, 3 * t) + gamma * v_next - v
    a, b = fill(alpha), fill(beta)
    along_z = a * delta if code == TDC else fill(0.0)
    along_phi = a * phi_w if code == TDC else fill(0.0)
    along_difference, w_along_z, w_along_phi = a * zw, b * delta, b * phi_w
    size = fill(0.0)
    for i in range(d):
        phi, z = load(tile.phi, row + i), load(tile.z, t * d + i)
        difference = phi - gamma * load(tile.phi, row + d + i)
        theta = load(tile.theta, i) + along_difference * difference
        if code == TDC:
            theta = theta + along_z * z - along_phi * phi
        w = load(tile.w, i) + w_along_z * z - w_along_phi * phi
        store(tile.theta, i, theta)
        store(tile.w, i, w)
        size = size + theta * theta + w * w
    return size


@njit(nogil=True)
def _note_divergence(first, now, d, tile, diverged_at):
    """Runs with an entry beyond the bound: noted once, and set to zero to go on without being recorded."""
    for lane in range(min(LANES, len(diverged_at) - first)):
        beyond = False
        for i in range(d):
            beyond |= not (abs(tile.theta[i, lane]) <= DIVERGED and abs(tile.w[i, lane]) <= DIVERGED)
        if beyond:
            if diverged_at[first + lane] < 0:
                diverged_at[first + lane] = now
            tile.theta[:, lane] = 0.0
            tile.w[:, lane] = 0.0


@njit(nogil=True)
def _record(first, index, d, tile, thetas, ws, diverged_at):
    for lane in range(min(LANES, len(diverged_at) - first)):
        if diverged_at[first + lane] < 0:
            for i in range(d):
                thetas[first + lane, index, i] = tile.theta[i, lane]
                ws[first + lane, index, i] = tile.w[i, lane]


@njit(nogil=True)
def _updates(problem, first, begin, steps, d, history, wanted, tile, thetas, ws, diverged_at):
    """The updates of one tile; the index of the next time to be recorded."""
    bound = fill(DIVERGED * DIVERGED)
    for t in range(steps):
        now = begin + t
        if problem.code <= OFF_POLICY_TD:
            size = _td_step(t, d, problem.alphas[now], history, tile)
        else:
            size = _gradient_step(problem.code, t, d, problem.alphas[now], problem.betas[now], history, tile)
        # the largest entry is at most the root of the sum of squares: only if that is beyond, look closer
        if not all_below(size, bound):
            _note_divergence(first, now + 1, d, tile, diverged_at)
        if wanted < len(problem.times) and problem.times[wanted] == now + 1:
            _record(first, wanted, d, tile, thetas, ws, diverged_at)
            wanted += 1
    return wanted


@njit(nogil=True)
def _keep_last(first, last, problem, thetas, ws, diverged_at):
    """The rows of a diverged run from there on repeat the one before."""
    for r in range(first, last):
        if diverged_at[r] >= 0:
            for index in range(len(problem.times)):
                if problem.times[index] >= diverged_at[r]:
                    thetas[r, index] = thetas[r, index - 1] if index > 0 else problem.theta0
                    ws[r, index] = ws[r, index - 1] if index > 0 else problem.w0


@njit(nogil=True)
def _blocks(W, d):
    return Blocks(
        np.zeros(((W + 1) * d, LANES)), np.zeros((W, LANES)), np.zeros((3 * d, LANES)), np.zeros((2, LANES))
    )


def build(folder: Path) -> tuple[Any, Any]:
    """(run, walk). Compiled code is kept between processes, as long as no source in ``folder`` changes: all of them
    are inside it, and Numba by itself would look at one only."""
    sources = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))).hexdigest()

    @njit(cache=True, nogil=True)
    def walk(law, rngs, states, places):
        """Recorded paths: states (runs, T+1), and places (runs, T) in the tables of the law."""
        _ = sources  # what a closure holds is part of the cache's key
        runs, T = places.shape
        rng = np.zeros((4, LANES), dtype=np.uint64)
        links = np.zeros((1, LANES), dtype=np.uint64)
        for first in range(0, runs, LANES):
            for lane in range(LANES):
                rng[:, lane] = rngs[min(first + lane, runs - 1)]
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

    @njit(cache=True, nogil=True)
    def run(law, recorded, Phi, recursion, problem, rngs, first_group, last_group, thetas, ws, diverged_at):
        """Groups first_group … last_group − 1 of LANES runs each, whole runs, into thetas, ws (runs, times, d)."""
        _ = sources
        runs, d, T = len(diverged_at), len(problem.theta0), len(problem.alphas)
        kind, length = recursion.kind, problem.tile
        history = len(recursion.c) - 1 if kind == WINDOW else 0
        tile = Tile(
            np.zeros((length + 1, LANES), dtype=np.uint64), np.zeros((3 * length, LANES)),
            np.zeros(((history + length + 1) * d, LANES)), np.zeros((history + length, LANES)),
            np.zeros((length * d, LANES)), np.zeros((d, LANES)), np.zeros((d, LANES)),
        )  # fmt: skip
        rng = np.zeros((4, LANES), dtype=np.uint64)
        weights = np.zeros((history + 1, LANES))
        carried = np.zeros((d + 1, LANES))
        W = recursion.flat
        flat, falling = _blocks(W, d), _blocks(recursion.m - 1, d)
        late, late_q = np.zeros((W * d, LANES)), np.zeros((W, LANES))
        for group in range(first_group, last_group):
            first = group * LANES
            last = min(first + LANES, runs)
            for lane in range(LANES):
                tile.theta[:, lane] = problem.theta0
                tile.w[:, lane] = problem.w0
                r = min(first + lane, runs - 1)
                if len(recorded.states) == 0:
                    rng[:, lane] = rngs[r]
                else:
                    tile.states[0, lane] = recorded.states[r, 0]
            if len(recorded.states) == 0:
                link = _link(law.start, law.start_bits, fill(np.uint64(0)), _next_words(rng))
                store(tile.states, 0, link >> 32)
            _features(Phi, d, 0, 1, history, tile)
            for array in (carried, flat.old, flat.sums, falling.old, falling.sums):
                _zero(array)
            wanted = 0
            if problem.times[0] == 0:
                _record(first, 0, d, tile, thetas, ws, diverged_at)
                wanted = 1
            begin = 0
            while begin < T:
                steps = min(length, T - begin)
                if len(recorded.states) == 0:
                    _draw(law, rng, steps, tile)
                else:
                    _copy_recorded(recorded, first, begin, steps, tile)
                _features(Phi, d, 1, steps + 1, history, tile)
                _transitions(problem.code, recursion.lam, steps, history, tile)
                if kind == WINDOW:
                    _window_traces(problem.code, recursion.c, begin, steps, d, tile, weights)
                elif kind == ENDLESS:
                    _endless_traces(problem.code, begin, steps, d, tile, carried)
                else:
                    _block_traces(problem.code, W, recursion.m, begin, steps, d, tile, flat, falling, late, late_q)
                wanted = _updates(problem, first, begin, steps, d, history, wanted, tile, thetas, ws, diverged_at)
                # what the next tile needs of this one
                store(tile.states, 0, load(tile.states, steps))
                for row in range((history + 1) * d):
                    store(tile.phi, row, load(tile.phi, steps * d + row))
                for row in range(history):
                    store(tile.q, row, load(tile.q, steps + row))
                begin += steps
            _keep_last(first, last, problem, thetas, ws, diverged_at)

    return run, walk
