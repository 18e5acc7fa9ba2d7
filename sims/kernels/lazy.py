# The loops below are compiled for the types they are called with; Numba carries no types of its own.
# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"
r"""TD where φ is a single one and q one number: O(1) a step, whatever the window and the number of features.

Write e_τ = α_τ δ_τ. Time is cut into epochs of K steps; x is the time since the epoch began. Entry s of a carried trace
(``trace_kernels``) is z_t(s) = q^x (a + x b), where a and b change only when s is visited or a visit to it leaves the
window (or begins to). With G = Σ q^x e and H = Σ x q^x e over the epoch so far,

    θ_t(s) = h + a G + b H,        a change of a by A and of b by B takes A G + B H from h:

all of it for one feature stands in a quad (h, a, b, ·), so that a change is two products with it, and a value one.
As the epoch ends h takes in a G + b H, a and b go on to the next one's time, and G = H = 0.

What a visit takes from h holds e of before it, up to |q|^−K times: the epoch is so short that this stays below
:data:`~tdcert.sims.kernels.recursions.GROWTH` (``tdcert.sims.rounding`` has the bound). Features without a visit in
the window, or since it, have no trace; where features are many, only others are looked at as an epoch ends, and a
trace without a visit in its window is set to zero, not left to rounding.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from tdcert.sims.kernels.lanes import INNER, entry, put, quad, spread, total
from tdcert.sims.kernels.records import ENDLESS, LANES
from tdcert.sims.kernels.update_kernels import note_divergence, record

FOUR = np.uint64(4)
"""An index without a sign costs nothing."""

LARGE = 1e80
"""While no |e_t| exceeds this, no entry of θ passes DIVERGED: |z| ≤ 1000, and 10¹⁷ steps are never made."""


class Sums(NamedTuple):
    """``held``, from 4·(run·d + feature) on: h, a, b, and the last epoch that it was brought to. ``since``, of a run
    from 12·run on: the quads (1, G, H, 0), (−G, 1, 0, 0) and (−H, 0, 1, 0). ``turn``: by what h, a and b go into the
    next epoch, where a visit is in the window, then where none is. ``powers``, ``inverse``: q^x and q^−x, x ≤ K."""

    held: Any
    since: Any
    turn: Any
    powers: Any
    inverse: Any
    watched: Any


@njit(**INNER)
def sums(recursion, width):
    """Work space of a group of runs."""
    powers, inverse = np.ones(recursion.epoch + 1), np.ones(recursion.epoch + 1)
    for x in range(recursion.epoch):
        powers[x + 1] = recursion.steady[0] * powers[x]
        inverse[x + 1] = inverse[x] / recursion.steady[0]
    held, since, turn = np.zeros(4 * LANES * width), np.zeros(12 * LANES), np.zeros(24)
    return Sums(held, since, turn, powers, inverse, np.zeros(LANES, dtype=np.bool_))


@njit(**INNER)
def begin_sums(lazy, theta):
    """θ_0, and no trace."""
    lazy.held[:] = 0.0
    lazy.watched[:] = False
    for lane in range(LANES):
        _begin_epoch(lazy.since, lane)
    size = len(theta) // LANES
    for place in range(len(theta)):
        lazy.held[4 * place] = theta[place]
        if not abs(theta[place]) <= LARGE:
            lazy.watched[place // size] = True


@njit(**INNER)
def _begin_epoch(since, lane):
    """The three quads with G = H = 0."""
    for place in range(12):
        since[12 * lane + place] = 1.0 if place % 5 == 0 else 0.0


@njit(**INNER)
def _end_epoch(now, span, d, lazy, tile):
    """After step ``now``; ``span``: steps until a visit has left the window, 0: it never does."""
    held, since, turn, rows, mask, K = lazy.held, lazy.since, lazy.turn, tile.rows, tile.mask, len(lazy.powers) - 1
    fade, epoch = lazy.powers[K], float(now // K + 1)
    turn[0] = turn[12] = 1.0
    turn[5], turn[9], turn[10] = fade, K * fade, fade
    for lane in range(tile.lanes[0]):
        turn[4] = turn[16] = since[12 * lane + 1]
        turn[8] = turn[20] = since[12 * lane + 2]
        _begin_epoch(since, lane)
        own = np.uint64(lane * tile.d)
        if span == 0 or d <= 2 * (span + K):
            for feature in range(d):
                _turn(held, FOUR * (own + np.uint64(feature)), turn, 0)
            continue
        for past in range(now, max(-1, now - span - K), -1):
            place = FOUR * (own + entry(rows, past & mask, lane))
            if held[place + np.uint64(3)] != epoch:
                _turn(held, place, turn, 0 if past > now - span else 12)
                held[place + np.uint64(3)] = epoch


@njit(**INNER)
def _turn(held, place, turn, which):
    a, b = spread(held[place + np.uint64(1)]), spread(held[place + np.uint64(2)])
    put(held, place, quad(held, place) * quad(turn, which) + a * quad(turn, which + 4) + b * quad(turn, which + 8))


@njit(**INNER)
def _show(lazy, tile):
    """θ of all features into the tile."""
    for lane in range(tile.lanes[0]):
        for feature in range(lane * tile.d, (lane + 1) * tile.d):
            tile.theta[feature] = total(quad(lazy.held, 4 * feature) * quad(lazy.since, 12 * lane))


@njit(**INNER, fastmath={"contract"})
def lazy_updates(problem, recursion, d, first, begin, steps, wanted, tile, lazy, out):
    """TD; the index of the next time to be recorded."""
    times, lanes, width, mask, rows, scalars = (
        problem.times,
        tile.lanes[0],
        tile.d,
        tile.mask,
        tile.rows,
        tile.scalars,
    )
    held, since, watched, diverged_at = lazy.held, lazy.since, lazy.watched, out.diverged_at
    W, m, steady, endless = recursion.flat, recursion.m, recursion.steady, recursion.kind == ENDLESS
    falling, K = m > 1, recursion.epoch
    span = 0 if endless else W + m if falling else W
    for t in range(steps):
        now, watch = begin + t, False
        x = now % K
        weight, up, alpha = lazy.powers[x], lazy.inverse[x], problem.alphas[now]
        begins, ends = not endless and now >= W, falling and now >= span
        here, there, flat, end = now & mask, (now + 1) & mask, (now - W) & mask, (now - span) & mask
        leaves, left = -steady[1] * up, steady[2] * up
        visit, slope, gone = spread(up), spread(leaves), spread(left)
        step = spread(leaves * (1.0 - x) if falling else leaves)
        last = spread(left * (1.0 - x))
        for lane in range(lanes):
            own, known, given = np.uint64(lane * width), 12 * lane, 4 * (t * LANES + lane)
            i, j = FOUR * (own + entry(rows, here, lane)), FOUR * (own + entry(rows, there, lane))
            by_a, by_b = quad(since, known + 4), quad(since, known + 8)
            at = quad(held, i)
            ahead = spread(scalars[given + 1]) * quad(held, j) - at
            e = alpha * (scalars[given] + total(ahead * quad(since, known)))
            put(held, i, at + visit * by_a)
            if begins:
                place = FOUR * (own + entry(rows, flat, lane))
                if falling:
                    put(held, place, quad(held, place) + step * by_a + slope * by_b)
                else:
                    put(held, place, quad(held, place) + step * by_a)
            if ends:
                place = FOUR * (own + entry(rows, end, lane))
                put(held, place, quad(held, place) + last * by_a + gone * by_b)
            if not abs(e) <= LARGE or watched[lane]:
                watched[lane] = watch = True
                if diverged_at[first + lane] >= 0:
                    e = 0.0
            G = since[known + 1] + weight * e
            since[known + 1] = G
            since[known + 4] = -G
            if falling:
                H = since[known + 2] + float(x) * (weight * e)
                since[known + 2] = H
                since[known + 8] = -H
        record_now = wanted < len(times) and times[wanted] == now + 1
        if watch or record_now:
            _show(lazy, tile)
        if watch:
            note_divergence(first, now + 1, tile, out)
        if record_now:
            record(first, wanted, tile, out)
            wanted += 1
        if x + 1 == K:
            _end_epoch(now, span, d, lazy, tile)
    return wanted
