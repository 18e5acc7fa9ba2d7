# The loops below are compiled for the types they are called with; Numba carries no types of its own.
# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"
r"""TD where φ is a single one and q one number: O(1) a step, whatever the window and the number of features.

Write e_τ = α_τ δ_τ. Between two changes of it, at l and at r, entry s of a carried trace (``trace_kernels``) is
z_τ(s) = q^{τ−l}(y − (τ−l) S), with the y and S of time l. So θ(s) is brought up to date only when s is met: as s_t, as
s_{t+1}, or when a visit to it leaves the window (or begins to):

    θ_r(s) = θ_l(s) + y E(l, r) − S N(l, r),    E(l, r) = Σ q^{τ−l} e_τ,    N(l, r) = Σ (τ−l) q^{τ−l} e_τ

over l ≤ τ < r. Differences of running sums Σ q^τ e_τ would give E and N, with an error that grows by 1/|q| with each
step since the sums were cleared. Here nothing is subtracted: with 2^j the highest bit in which l and r differ,
``middle`` the multiple of 2^j in (l, r],

    E(l, r) = E(l, middle) + q^{middle−l} E(middle, r).

The sums up to a multiple of 2^j are found once, backwards, when it is reached; those from it on grow with each step.
Both are lanes. No z_t(s) ≠ 0 goes longer than K = 2^``top`` steps without a change, so that bits above the top one do
not matter, and times are kept modulo 2K. Without end nothing leaves; there, each step meets one more feature, in turn.
A trace without a visit in its window is set to zero, not left to rounding.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from tdcert.sims.kernels.lanes import LANES, entry, fill, load, store
from tdcert.sims.kernels.records import ENDLESS
from tdcert.sims.kernels.update_kernels import note_divergence, record

ONE, TWO, THREE, FOUR = (np.uint64(k) for k in range(1, 5))
"""Indices without a sign cost nothing."""

LARGE = 1e80
"""While no |e_t| exceeds this, no entry of θ passes DIVERGED: |z| ≤ 1000, and 10¹⁷ steps are never made."""


class Sums(NamedTuple):
    """``held``, from 4·(run·d + feature) on: θ, y, S of time l; ``counts``, at the same place + 3: l modulo 2K plus 2K
    times the visits in the window. ``steps``: e_τ in row τ mod K. ``up_to``: E(l, middle) and N in rows 2i and 2i + 1,
    i = j·K + l mod K; ``since``: E(middle, r) and N in rows 2jK and 2jK + 1. j = top + 1 is zero: l = r. ``power``,
    ``before``: q^{middle−l} and middle − l by i. ``powers``: q^k, k < 2K. ``level``: j·K by l xor r."""

    held: Any
    counts: Any
    steps: Any
    up_to: Any
    since: Any
    power: Any
    before: Any
    powers: Any
    level: Any
    watched: Any
    top: Any


@njit(nogil=True)
def sums(recursion, d, width):
    """Work space of a group of runs; K covers the steps between two changes."""
    longest = d if recursion.kind == ENDLESS else max(recursion.flat, recursion.m)
    top = 0
    while (1 << top) < longest:
        top += 1
    K = 1 << top
    many = (top + 2) * K
    powers, level = np.ones(2 * K), np.full(2 * K, np.uint64((top + 1) * K))
    power, before = np.zeros(many), np.zeros(many)
    for k in range(1, 2 * K):
        powers[k] = recursion.steady[0] * powers[k - 1]
    for j in range(top + 1):
        level[1 << j : 2 << j] = np.uint64(j * K)
        for begun in range(K):
            left = (1 << j) - (begun & ((1 << j) - 1))
            power[j * K + begun], before[j * K + begun] = powers[left], left
    held = np.zeros(4 * LANES * width)
    return Sums(
        held,
        held.view(np.uint64),
        np.zeros((K, LANES)),
        np.zeros((2 * many, LANES)),
        np.zeros((2 * many, LANES)),
        power,
        before,
        powers,
        level,
        np.zeros(LANES, dtype=np.bool_),
        top,
    )


@njit(nogil=True)
def begin_sums(lazy, theta):
    """θ_0, and no trace."""
    lazy.held[:] = 0.0
    lazy.held[::4] = theta
    lazy.steps[:] = 0.0
    lazy.up_to[:] = 0.0
    lazy.since[:] = 0.0
    lazy.watched[:] = np.abs(theta).max() > LARGE


@njit(nogil=True, fastmath={"contract"})
def _theta(held, place, up_to, since, power, before, level, i, lane):
    """θ_r of one feature."""
    E_since = entry(since, level + level, lane)
    E = entry(up_to, i + i, lane) + power[i] * E_since
    N = entry(up_to, i + i + ONE, lane) + power[i] * (before[i] * E_since + entry(since, level + level + ONE, lane))
    return held[place] + held[place + ONE] * E - held[place + TWO] * N


@njit(nogil=True)
def _show(r, lazy, tile):
    """θ_r of all features into the tile."""
    theta, held, counts, levels = tile.theta, lazy.held, lazy.counts, lazy.level
    up_to, since, power, before, K = lazy.up_to, lazy.since, lazy.power, lazy.before, np.uint64(len(lazy.steps))
    for lane in range(tile.lanes[0]):
        for feature in range(lane * tile.d, (lane + 1) * tile.d):
            place = np.uint64(4 * feature)
            begun = counts[place + THREE] & (K + K - ONE)
            level = levels[begun ^ r]
            i = level + (begun & (K - ONE))
            theta[feature] = _theta(held, place, up_to, since, power, before, level, i, lane)


@njit(nogil=True, fastmath={"contract"})
def lazy_updates(problem, recursion, d, first, begin, steps, wanted, tile, lazy, out):
    """TD; the index of the next time to be recorded."""
    alphas, times, lanes, width, mask = problem.alphas, problem.times, tile.lanes[0], tile.d, tile.mask
    rows, scalars, held, counts, es = tile.rows, tile.scalars, lazy.held, lazy.counts, lazy.steps
    up_to, since, power, before = lazy.up_to, lazy.since, lazy.power, lazy.before
    powers, levels, watched, diverged_at, top = lazy.powers, lazy.level, lazy.watched, out.diverged_at, lazy.top
    W, m, endless = recursion.flat, recursion.m, recursion.kind == ENDLESS
    q, leaving, left = recursion.steady[0], recursion.steady[1], recursion.steady[2]
    falling, size, K = m > 1, len(es), np.uint64(len(es))
    last, visit, cycle = K + K - ONE, K + K, K - ONE
    for t in range(steps):
        now, watch = begin + t, False
        r, alpha, events = np.uint64(now) & last, alphas[now], 1
        here, there, flat, end = now & mask, (now + 1) & mask, (now - W) & mask, (now - W - m) & mask
        if endless or now >= W:
            events = 3 if falling and now >= W + m else 2
        before_now = (np.uint64(now) - ONE) & cycle
        turn = np.uint64(now % d) if endless else np.uint64(0)
        for lane in range(lanes):
            own = np.uint64(lane * width)
            # met as s_{t+1} one step ago
            i, j = FOUR * (own + entry(rows, here, lane)), FOUR * (own + entry(rows, there, lane))
            y, S = held[i + ONE], held[i + TWO]
            held[i] += y * entry(es, before_now, lane)
            held[i + ONE] = q * (y - S) + 1.0
            held[i + TWO] = q * S
            counts[i + THREE] = (counts[i + THREE] | last) + ONE + r
            for event in range(events):
                place = j
                if event == 1:
                    place = FOUR * (own + (turn if endless else entry(rows, flat, lane)))
                elif event == 2:
                    place = FOUR * (own + entry(rows, end, lane))
                count = counts[place + THREE]
                begun = count & last
                level = levels[begun ^ r]
                theta = _theta(held, place, up_to, since, power, before, level, level + (begun & cycle), lane)
                old = (r - begun) & last
                faded, S = powers[old], held[place + TWO]
                y = faded * (held[place + ONE] - np.float64(np.int64(old)) * S)
                S *= faded
                count = count - begun + r
                if event == 1 and not endless:
                    y -= leaving
                    S += leaving
                    if not falling:
                        count -= visit
                        S = 0.0
                        if count < visit:
                            y = 0.0
                elif event == 2:
                    y += left
                    S -= left
                    count -= visit
                    if count < visit:
                        y = S = 0.0
                held[place] = theta
                held[place + ONE] = y
                held[place + TWO] = S
                counts[place + THREE] = count
            given = 4 * (t * LANES + lane)
            e = alpha * (scalars[given] + scalars[given + 1] * held[j] - held[i])
            if not abs(e) <= LARGE or watched[lane]:
                watched[lane] = watch = True
                if diverged_at[first + lane] >= 0:
                    e = 0.0
            es[now & (size - 1), lane] = e
        # the sums that go on, and those that end
        newest = load(es, now & (size - 1))
        for j in range(top + 1):
            if j == top or (now >> j) & 1:
                gone, row = now & ((1 << j) - 1), 2 * j * size
                part = fill(powers[gone]) * newest
                store(since, row, load(since, row) + part)
                if falling:
                    store(since, row + 1, load(since, row + 1) + fill(float(gone)) * part)
        ended = min((now + 1) & -(now + 1), size)
        base = 2 * np.int64(levels[ended])
        store(since, base, fill(0.0))
        store(since, base + 1, fill(0.0))
        E, N, factor = fill(0.0), fill(0.0), fill(q)
        for time in range(now, now - ended, -1):
            begun = time & (size - 1)
            if falling:
                N = factor * (N + E)
                store(up_to, base + 2 * begun + 1, N)
            E = load(es, begun) + factor * E
            store(up_to, base + 2 * begun, E)
        record_now = wanted < len(times) and times[wanted] == now + 1
        if watch or record_now:
            _show(np.uint64(now + 1) & last, lazy, tile)
        if watch:
            note_divergence(first, now + 1, tile, out)
        if record_now:
            record(first, wanted, tile, out)
            wanted += 1
    return wanted
