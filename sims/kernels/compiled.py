# The loops below are compiled for the types they are called with; Numba carries no types of its own.
# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"
r"""The compiled loops: sample, trace, update, a tile of time for :data:`~sims.kernels.lanes.LANES` runs at once.

θ feeds back neither into the trajectory nor into the trace, so each of the three is a loop of its own over a tile that
stays in cache. What is a number of each run stands side by side, shape (…, LANES); features stand in fours, run by run,
filled up with zeros. Nothing is kept of a trajectory but what the next tile's traces need: where the features of the
last states begin, and q.

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

from sims.kernels.lanes import LANES, below, entry, fill, gather, load, put, quad, spread, store, total

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


class Results(NamedTuple):
    """θ and w (runs, times, d), and when a run diverged (−1: it did not)."""

    thetas: Any
    ws: Any
    diverged_at: Any


class Tile(NamedTuple):
    """Work space for one tile. ``lanes``: how many of the lanes are runs. ``scalars``: rows 3t, 3t+1, 3t+2 are R, Γ, ρ
    of its step t. ``rows`` (where φ begins) and ``q`` (as in the module's docstring) are rings: time τ in row τ & mask.
    ``y``: the traces before ρ_t, that of a run's step t from (t·LANES + run)·d on. ``theta``, ``w``: a run's from run·d
    on."""

    lanes: Any
    state: Any
    scalars: Any
    rows: Any
    q: Any
    y: Any
    theta: Any
    w: Any
    mask: Any
    length: Any
    d: Any


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
def _draw(law, rng, begin, steps, tile):
    """The next ``steps`` transitions."""
    states, d, rows, mask, scalars = tile.state, tile.d, tile.rows, tile.mask, tile.scalars
    picks, bits, values = law.picks, law.bits, law.values
    state = load(states, 0)
    low, width = fill(np.uint64(0xFFFFFFFF)), fill(np.uint64(d))
    for t in range(steps):
        link = _link(picks, bits, state, _next_words(rng))
        row = (link & low) << 2
        state = link >> 32
        store(rows, (begin + t + 1) & mask, state * width)
        for k in range(3):
            store(scalars, 3 * t + k, gather(values, row, k))
    store(states, 0, state)


@njit(nogil=True)
def _copy_recorded(recorded, first, begin, steps, tile):
    """The same from recorded paths; lanes beyond the last run repeat it."""
    rows, mask, d, scalars = tile.rows, tile.mask, tile.d, tile.scalars
    states, rewards, discounts, rhos = recorded.states, recorded.rewards, recorded.discounts, recorded.rho
    runs = len(states)
    for lane in range(LANES):
        r = min(first + lane, runs - 1)
        for t in range(steps):
            rows[(begin + t + 1) & mask, lane] = states[r, begin + t + 1] * d
            scalars[3 * t, lane] = rewards[r, begin + t]
            scalars[3 * t + 1, lane] = discounts[r, begin + t]
            scalars[3 * t + 2, lane] = rhos[r, begin + t]


@njit(nogil=True)
def _transitions(code, lam, begin, steps, tile):
    """q of every step of a tile."""
    scalars, qs, mask = tile.scalars, tile.q, tile.mask
    weight = fill(lam)
    for t in range(steps):
        q = weight * load(scalars, 3 * t + 1)
        if code != TD:
            q = q * load(scalars, 3 * t + 2)
        store(qs, (begin + t) & mask, q)


@njit(nogil=True)
def _window_traces(c, begin, steps, Phi, tile, work):
    """Any schedule, four steps at a time: what was before them is common to the four but for c and the products since.

    y_t = h_t Σ_j c_{t−j} G_j φ_j for the j before the four, G_j = q_j… up to them, h_t = q… from their first to t − 1;
    then the few within. ``c`` ends in four zeros. ``work``: G, h (4 rows), the weights within the four (16).
    """
    lanes = tile.lanes[0]
    qs, mask, d, rows, traces = tile.q, tile.mask, tile.d, tile.rows, tile.y
    L = len(c) - 5
    h, within = L, L + 4
    for t in range(0, steps, 4):
        some, now = min(4, steps - t), begin + t
        before = min(L, now)
        product = fill(1.0)
        for k in range(before):
            product = product * load(qs, (now - 1 - k) & mask)
            store(work, k, product)
        for a in range(some):
            product = fill(1.0)
            for b in range(a, -1, -1):
                store(work, within + 4 * a + b, fill(c[a - b]) * product)
                if b > 0:
                    product = product * load(qs, (now + b - 1) & mask)
            store(work, h + a, product)
        for lane in range(lanes):
            out = (t * LANES + lane) * d
            for i in range(0, d, 4):
                y0, y1, y2, y3 = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
                for k in range(before):
                    row = entry(rows, (now - 1 - k) & mask, lane)
                    phi = spread(entry(work, k, lane)) * quad(Phi, row + np.uint64(i))
                    y0 = y0 + spread(c[k + 1]) * phi
                    y1 = y1 + spread(c[k + 2]) * phi
                    y2 = y2 + spread(c[k + 3]) * phi
                    y3 = y3 + spread(c[k + 4]) * phi
                for a in range(some):
                    y = spread(entry(work, h + a, lane)) * (y0 if a == 0 else y1 if a == 1 else y2 if a == 2 else y3)
                    for b in range(a + 1):
                        row = entry(rows, (now + b) & mask, lane)
                        y = y + spread(entry(work, within + 4 * a + b, lane)) * quad(Phi, row + np.uint64(i))
                    put(traces, out + a * LANES * d + i, y)


@njit(nogil=True)
def _endless_traces(begin, steps, Phi, tile, carried):
    """y_t = φ_t + q_{t−1} y_{t−1}."""
    lanes = tile.lanes[0]
    d, rows, mask, qs, traces = tile.d, tile.rows, tile.mask, tile.q, tile.y
    for lane in range(lanes):
        for i in range(0, d, 4):
            out = lane * d + i
            y = quad(carried, lane * d + i)
            for time in range(begin, begin + steps):
                phi = quad(Phi, entry(rows, time & mask, lane) + np.uint64(i))
                y = phi + spread(entry(qs, (time - 1) & mask, lane)) * y if time > 0 else phi
                put(traces, out, y)
                out += LANES * d
            put(carried, lane * d + i, y)


class Blocks(NamedTuple):
    """Neighbouring blocks of W steps. ``old``: A or R of the last block, of a place and a run from (place·LANES +
    run)·d on, zero at place W; ``after``: q_j…q_{W−1} in the ring's row of j; ``P`` and ``q``: P_t and q_{t−1} for the
    steps of the tile; ``sums``: U, then I; ``now``: P and q as the tile begins."""

    old: Any
    after: Any
    P: Any
    q: Any
    sums: Any
    now: Any


@njit(nogil=True)
def _blocks(W, tile):
    return Blocks(
        np.zeros((W + 1) * LANES * tile.d), np.zeros((tile.mask + 1, LANES)), np.zeros((tile.length, LANES)),
        np.zeros((tile.length, LANES)), np.zeros(2 * LANES * tile.d), np.zeros((2, LANES)),
    )  # fmt: skip


@njit(nogil=True)
def _block_products(W, late, begin, steps, tile, blocks):
    """P_t and q_{t−1} for the steps of a tile, and the products of the blocks that end in it; all ``late`` steps
    late."""
    qs, mask = tile.q, tile.mask
    edge, Ps, before, products = blocks.now, blocks.P, blocks.q, blocks.after
    P, q = load(edge, 0), load(edge, 1)
    first = max(late, begin)
    p = (first - late) % W
    for time in range(first, begin + steps):
        if p == 0:
            P = fill(1.0)
        store(Ps, time - begin, P)
        store(before, time - begin, q)
        q = load(qs, (time - late) & mask)
        P = P * q
        p += 1
        if p == W:
            p = 0
            product = fill(1.0)
            for past in range(time - late, time - late - W, -1):
                product = product * load(qs, past & mask)
                store(products, past & mask, product)
    store(edge, 0, P)
    store(edge, 1, q)


@njit(nogil=True)
def _flat_traces(W, begin, steps, Phi, tile, blocks):
    """A window of W equal weights (inside q): y_t = U_t + P_t A_{p+1}."""
    lanes, d, rows, mask, traces = tile.lanes[0], tile.d, tile.rows, tile.mask, tile.y
    forth, before, Ps, back, products = blocks.sums, blocks.q, blocks.P, blocks.old, blocks.after
    p = begin % W
    for t in range(steps):
        now = (begin + t) & mask
        for lane in range(lanes):
            row, own, old, out = entry(rows, now, lane), lane * d, ((p + 1) * LANES + lane) * d, (t * LANES + lane) * d
            q, P = spread(entry(before, t, lane)), spread(entry(Ps, t, lane))
            for i in range(0, d, 4):
                U = quad(Phi, row + np.uint64(i)) + q * quad(forth, own + i)
                put(forth, own + i, U)
                put(traces, out + i, U + P * quad(back, old + i))
        p += 1
        if p == W:
            p = 0
            forth[:] = 0.0
            for j in range(W - 1, -1, -1):
                past = (begin + t - W + 1 + j) & mask
                for lane in range(lanes):
                    row, product = entry(rows, past, lane), spread(entry(products, past, lane))
                    old = (j * LANES + lane) * d
                    for i in range(0, d, 4):
                        A = quad(back, old + LANES * d + i) + product * quad(Phi, row + np.uint64(i))
                        put(back, old + i, A)


@njit(nogil=True)
def _falling_traces(W, late, begin, steps, Phi, tile, blocks, shares):
    """Weights that fall linearly, ``late`` steps late: y_t grows by share_t ((W − p) U + I + P R_p)."""
    lanes, d, rows, mask, traces = tile.lanes[0], tile.d, tile.rows, tile.mask, tile.y
    forth, before, Ps, back, products = blocks.sums, blocks.q, blocks.P, blocks.old, blocks.after
    first, moments = max(0, late - begin), LANES * d
    p = (begin + first - late) % W
    for t in range(first, steps):
        then, place, left = (begin + t - late) & mask, spread(float(p)), spread(float(W - p))
        for lane in range(lanes):
            row, own, old, out = entry(rows, then, lane), lane * d, ((p + 1) * LANES + lane) * d, (t * LANES + lane) * d
            q, P, share = spread(entry(before, t, lane)), spread(entry(Ps, t, lane)), spread(entry(shares, t, lane))
            for i in range(0, d, 4):
                phi = quad(Phi, row + np.uint64(i))
                U = phi + q * quad(forth, own + i)
                moment = place * phi + q * quad(forth, moments + own + i)
                put(forth, own + i, U)
                put(forth, moments + own + i, moment)
                y = left * U + moment + P * quad(back, old + i)
                put(traces, out + i, quad(traces, out + i) + share * y)
        p += 1
        if p == W:
            p = 0
            forth[:] = 0.0
            for j in range(W - 1, -1, -1):
                past = (begin + t - late - W + 1 + j) & mask
                for lane in range(lanes):
                    row, product = entry(rows, past, lane), spread(entry(products, past, lane))
                    old = (j * LANES + lane) * d
                    for i in range(0, d, 4):
                        A = quad(forth, lane * d + i) + product * quad(Phi, row + np.uint64(i))
                        put(forth, lane * d + i, A)
                        put(back, old + i, quad(back, old + LANES * d + i) + A)
            forth[:] = 0.0


@njit(nogil=True)
def _block_traces(W, m, begin, steps, Phi, tile, flat, falling, shares):
    """EqualWeights, n-step and finite constant schedules."""
    _block_products(W, 0, begin, steps, tile, flat)
    _flat_traces(W, begin, steps, Phi, tile, flat)
    if m > 1:
        _block_products(m - 1, W, begin, steps, tile, falling)
        for t in range(max(0, W - begin), steps):  # q_{t−W}…q_{t−1}/m
            since = load(flat.P, t) * load(flat.after, (begin + t - W) & tile.mask)
            store(shares, t, fill(1.0 / m) * since)
        _falling_traces(m - 1, W, begin, steps, Phi, tile, falling, shares)


@njit(nogil=True)
def _note_divergence(first, now, tile, out):
    """Runs with an entry beyond the bound: noted once, and set to zero to go on without being recorded."""
    diverged_at, d, theta, w = out.diverged_at, tile.d, tile.theta, tile.w
    for lane in range(tile.lanes[0]):
        beyond = False
        for i in range(lane * d, (lane + 1) * d):
            beyond |= not (abs(theta[i]) <= DIVERGED and abs(w[i]) <= DIVERGED)
        if beyond:
            if diverged_at[first + lane] < 0:
                diverged_at[first + lane] = now
            theta[lane * d : (lane + 1) * d] = 0.0
            w[lane * d : (lane + 1) * d] = 0.0


@njit(nogil=True)
def _record(first, index, tile, out):
    thetas, ws, diverged_at, d, theta, w = out.thetas, out.ws, out.diverged_at, tile.d, tile.theta, tile.w
    for lane in range(tile.lanes[0]):
        if diverged_at[first + lane] < 0:
            for i in range(thetas.shape[2]):
                thetas[first + lane, index, i] = theta[lane * d + i]
                ws[first + lane, index, i] = w[lane * d + i]


@njit(nogil=True)
def _td_updates(problem, first, begin, steps, wanted, Phi, tile, out):
    """θ_{t+1} = θ_t + α_t δ_t z_t for the steps of one tile; the index of the next time to be recorded."""
    off_policy, alphas, times = problem.code != TD, problem.alphas, problem.times
    d, mask, rows, scalars, traces, thetas = tile.d, tile.mask, tile.rows, tile.scalars, tile.y, tile.theta
    lanes = tile.lanes[0]
    for t in range(steps):
        now = begin + t
        here, there, alpha, sizes = now & mask, (now + 1) & mask, alphas[now], spread(0.0)
        for lane in range(lanes):
            row, after = entry(rows, here, lane), entry(rows, there, lane)
            gamma, along = spread(entry(scalars, 3 * t + 1, lane)), spread(0.0)
            for i in range(0, d, 4):
                gradient = gamma * quad(Phi, after + np.uint64(i)) - quad(Phi, row + np.uint64(i))
                along = along + gradient * quad(thetas, lane * d + i)
            step = alpha * (entry(scalars, 3 * t, lane) + total(along))
            if off_policy:
                step *= entry(scalars, 3 * t + 2, lane)
            many, size, trace = spread(step), spread(0.0), (t * LANES + lane) * d
            for i in range(0, d, 4):
                theta = quad(thetas, lane * d + i) + many * quad(traces, trace + i)
                put(thetas, lane * d + i, theta)
                size = size + theta * theta
            sizes = sizes + size
        # no entry exceeds the root of the sum of all squares: only if that is beyond the bound, look closer
        if not total(sizes) < DIVERGED * DIVERGED:
            _note_divergence(first, now + 1, tile, out)
        if wanted < len(times) and times[wanted] == now + 1:
            _record(first, wanted, tile, out)
            wanted += 1
    return wanted


@njit(nogil=True)
def _gradient_updates(problem, first, begin, steps, wanted, Phi, tile, out):
    """The same for GTD and TDC, θ and w both from the old values."""
    corrected, alphas, betas, times = problem.code == TDC, problem.alphas, problem.betas, problem.times
    d, mask, rows, scalars, traces = tile.d, tile.mask, tile.rows, tile.scalars, tile.y
    thetas, ws = tile.theta, tile.w
    lanes = tile.lanes[0]
    for t in range(steps):
        now = begin + t
        here, there, alpha, beta, sizes = now & mask, (now + 1) & mask, alphas[now], betas[now], spread(0.0)
        for lane in range(lanes):
            row, after, own, trace = entry(rows, here, lane), entry(rows, there, lane), lane * d, (t * LANES + lane) * d
            gamma, rho = spread(entry(scalars, 3 * t + 1, lane)), entry(scalars, 3 * t + 2, lane)
            along, yw, phi_w = spread(0.0), spread(0.0), spread(0.0)
            for i in range(0, d, 4):
                phi, w = quad(Phi, row + np.uint64(i)), quad(ws, own + i)
                along = along + (gamma * quad(Phi, after + np.uint64(i)) - phi) * quad(thetas, own + i)
                yw = yw + quad(traces, trace + i) * w
                phi_w = phi_w + phi * w
            delta = (entry(scalars, 3 * t, lane) + total(along)) * rho
            correction, against = total(yw) * rho, total(phi_w)
            # of γφ_{t+1} − φ_t in θ, for TDC also of z_t and φ_t; of z_t and φ_t in w
            down, up, back = spread(alpha * correction), spread(alpha * delta), spread(alpha * against)
            w_up, w_back, size = spread(beta * delta), spread(beta * against), spread(0.0)
            for i in range(0, d, 4):
                phi, y = quad(Phi, row + np.uint64(i)), quad(traces, trace + i)
                theta = quad(thetas, own + i) - down * (gamma * quad(Phi, after + np.uint64(i)) - phi)
                if corrected:
                    theta = theta + up * y - back * phi
                w = quad(ws, own + i) + w_up * y - w_back * phi
                put(thetas, own + i, theta)
                put(ws, own + i, w)
                size = size + theta * theta + w * w
            sizes = sizes + size
        if not total(sizes) < DIVERGED * DIVERGED:
            _note_divergence(first, now + 1, tile, out)
        if wanted < len(times) and times[wanted] == now + 1:
            _record(first, wanted, tile, out)
            wanted += 1
    return wanted


@njit(nogil=True)
def _keep_last(first, last, problem, out):
    """The rows of a diverged run from there on repeat the one before."""
    thetas, ws, diverged_at = out.thetas, out.ws, out.diverged_at
    for r in range(first, last):
        if diverged_at[r] >= 0:
            for index in range(len(problem.times)):
                if problem.times[index] >= diverged_at[r]:
                    thetas[r, index] = thetas[r, index - 1] if index > 0 else problem.theta0
                    ws[r, index] = ws[r, index - 1] if index > 0 else problem.w0


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
    def run(law, recorded, Phi, recursion, problem, rngs, first_group, last_group, out):
        """Groups first_group … last_group − 1 of LANES runs each, of whole runs, into ``out``."""
        _ = sources
        runs, d, T = len(out.diverged_at), len(problem.theta0), len(problem.alphas)
        kind, length, W, m = recursion.kind, problem.tile, recursion.flat, recursion.m
        ring, width = 1, -(-d // 4) * 4
        while ring < length + len(recursion.c) + 1:
            ring *= 2
        tile = Tile(
            np.zeros(1, dtype=np.int64), np.zeros((1, LANES), dtype=np.uint64), np.zeros((3 * length, LANES)),
            np.zeros((ring, LANES), dtype=np.uint64), np.zeros((ring, LANES)), np.zeros(length * LANES * width),
            np.zeros(LANES * width), np.zeros(LANES * width), ring - 1, length, width,
        )  # fmt: skip
        rng = np.zeros((4, LANES), dtype=np.uint64)
        c = np.concatenate((recursion.c, np.zeros(4)))
        work, shares, carried = np.zeros((len(c) + 16, LANES)), np.zeros((length, LANES)), np.zeros(LANES * width)
        flat, falling = _blocks(W, tile), _blocks(m - 1, tile)
        for group in range(first_group, last_group):
            first = group * LANES
            last = min(first + LANES, runs)
            tile.lanes[0] = last - first
            tile.theta[:] = 0.0
            tile.w[:] = 0.0
            for lane in range(LANES):
                tile.theta[lane * width : lane * width + d] = problem.theta0
                tile.w[lane * width : lane * width + d] = problem.w0
                r = min(first + lane, runs - 1)
                if len(recorded.states) == 0:
                    rng[:, lane] = rngs[r]
                else:
                    tile.state[0, lane] = recorded.states[r, 0]
            if len(recorded.states) == 0:
                link = _link(law.start, law.start_bits, fill(np.uint64(0)), _next_words(rng))
                store(tile.state, 0, link >> 32)
            store(tile.rows, 0, load(tile.state, 0) * fill(np.uint64(width)))
            for blocks in (flat, falling):
                blocks.old[:] = 0.0
                blocks.sums[:] = 0.0
                blocks.now[:] = 0.0
            wanted = 0
            if problem.times[0] == 0:
                _record(first, 0, tile, out)
                wanted = 1
            for begin in range(0, T, length):
                steps = min(length, T - begin)
                if len(recorded.states) == 0:
                    _draw(law, rng, begin, steps, tile)
                else:
                    _copy_recorded(recorded, first, begin, steps, tile)
                _transitions(problem.code, recursion.lam, begin, steps, tile)
                if kind == WINDOW:
                    _window_traces(c, begin, steps, Phi, tile, work)
                elif kind == ENDLESS:
                    _endless_traces(begin, steps, Phi, tile, carried)
                else:
                    _block_traces(W, m, begin, steps, Phi, tile, flat, falling, shares)
                if problem.code <= OFF_POLICY_TD:
                    wanted = _td_updates(problem, first, begin, steps, wanted, Phi, tile, out)
                else:
                    wanted = _gradient_updates(problem, first, begin, steps, wanted, Phi, tile, out)
            _keep_last(first, last, problem, out)

    return run, walk
