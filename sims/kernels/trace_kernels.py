# The loops below are compiled for the types they are called with; Numba carries no types of its own.
# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"
r"""Traces, for a tile of time: by recursion where there is one, else by their window.

Write q_t for Γ_t, off-policy Γ_t ρ_t, times λ for a constant schedule. Then z_t = y_t,
off-policy ρ_t y_t, where y_t sums c_k q_{t−k}…q_{t−1} φ_{t−k}. For constant schedules and n-step returns the c_k inside
q are all that remains: a window of W equal weights. Time is cut into blocks of W steps; a window is the end of one
block, summed from the block's last step backwards, and the beginning of the next, summed forwards:

    y_t = U_t + P_t A_{p+1},    U_t = φ_t + q_{t−1} U_{t−1},    A_j = A_{j+1} + q_j…q_{W−1} φ_j,

p the place of t in its block and P_t the product of q from the block's first step to t − 1. So each step costs a few
operations a feature whatever W is, and nothing is subtracted or divided: ρ = 0 and huge ρ do no harm.

EqualWeights(n1, n2) is such a window of n1, then, n1 steps late, weights that fall from (m−1)/m to 1/m, m = n2−n1+1.
These come from a second pair of blocks of W = m − 1 steps: forwards (W − p) U + I with I = Σ_j j q… φ_j over the places
j of the block, backwards the sum of sums R_p = Σ_{j>p} (j − p) q… φ_j. Again all terms have the sign of their φ.

Where q is one number with |q| < 1 (on-policy, one discount), what leaves a window is taken away from what is carried:

    y_t = q y_{t−1} + φ_t − S_t,    S_t = q S_{t−1} + q^{n1} φ_{t−n1}/m − q^{n2+1} φ_{t−n2−1}/m,

for n-step returns and constant schedules (m = 1) S_t = q^n φ_{t−n}. What rounding leaves behind decays with q.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from tdcert.sims.kernels.lanes import INNER, entry, fill, load, put, quad, spread, store
from tdcert.sims.kernels.records import LANES


@njit(**INNER)
def window_traces(c, begin, steps, Phi, tile, work):
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


@njit(**INNER)
def endless_traces(begin, steps, Phi, tile, carried):
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


@njit(**INNER)
def carried_traces(W, m, steady, begin, steps, Phi, tile, carried):
    """y_t = q y_{t−1} + φ_t − S_t; ``carried``: y, then S. Before time 0 the ring's rows are zero features."""
    lanes, d, rows, mask, traces = tile.lanes[0], tile.d, tile.rows, tile.mask, tile.y
    q, leaving, left, leaves = spread(steady[0]), spread(steady[1]), spread(steady[2]), LANES * d
    for lane in range(lanes):
        for i in range(0, d, 4):
            own, feature, out = lane * d + i, np.uint64(i), lane * d + i
            y, S = quad(carried, own), quad(carried, leaves + own)
            for time in range(begin, begin + steps):
                gone = leaving * quad(Phi, entry(rows, (time - W) & mask, lane) + feature)
                if m == 1:
                    S = gone
                else:
                    S = gone - left * quad(Phi, entry(rows, (time - W - m) & mask, lane) + feature) + q * S
                y = quad(Phi, entry(rows, time & mask, lane) + feature) - S + q * y
                put(traces, out, y)
                out += LANES * d
            put(carried, own, y)
            put(carried, leaves + own, S)


class TraceBlocks(NamedTuple):
    """Neighbouring blocks of W steps. ``old``: A or R of the last block, of a place and a run from (place·LANES +
    run)·d on, zero at place W; ``after``: q_j…q_{W−1} in the ring's row of j; ``P`` and ``q``: P_t and q_{t−1} for the
    steps of the tile; ``sums``: U, then I; ``now``: P and q as the tile begins."""

    old: Any
    after: Any
    P: Any
    q: Any
    sums: Any
    now: Any


@njit(**INNER)
def blocks(W, tile):
    return TraceBlocks(
        np.zeros((W + 1) * LANES * tile.d),
        np.zeros((tile.mask + 1, LANES)),
        np.zeros((tile.length, LANES)),
        np.zeros((tile.length, LANES)),
        np.zeros(2 * LANES * tile.d),
        np.zeros((2, LANES)),
    )


@njit(**INNER)
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


@njit(**INNER)
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


@njit(**INNER)
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


@njit(**INNER)
def block_traces(W, m, begin, steps, Phi, tile, flat, falling, shares):
    """EqualWeights, n-step and finite constant schedules."""
    _block_products(W, 0, begin, steps, tile, flat)
    _flat_traces(W, begin, steps, Phi, tile, flat)
    if m > 1:
        _block_products(m - 1, W, begin, steps, tile, falling)
        for t in range(max(0, W - begin), steps):  # q_{t−W}…q_{t−1}/m
            since = load(flat.P, t) * load(flat.after, (begin + t - W) & tile.mask)
            store(shares, t, fill(1.0 / m) * since)
        _falling_traces(m - 1, W, begin, steps, Phi, tile, falling, shares)
