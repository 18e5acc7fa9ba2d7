# The loops below are compiled for the types they are called with; Numba carries no types of its own.
# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"
"""Updates along a tile of time where φ is a single one: ``rows`` of the tile holds which.

The trace is never formed. Its entries are the c_k q_{t−k}…q_{t−1} of the last L + 1 features, so a step costs O(L),
whatever d is.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tdcert.sims.kernels.lanes import INNER, entry, fill, gather, load, scatter, store, total
from tdcert.sims.kernels.records import DIVERGED, GTD, LANES, TD, TDC
from tdcert.sims.kernels.update_kernels import note_divergence, record


@njit(**INNER)
def _weights(c, now, count, tile, weights):
    """c_k q_{t−k}…q_{t−1} in row k, for the ``count`` last steps."""
    qs, mask = tile.q, tile.mask
    product = fill(1.0)
    for k in range(count):
        if k > 0:
            product = product * load(qs, (now - k) & mask)
        store(weights, k, fill(c[k]) * product)


@njit(**INNER)
def one_hot_updates(problem, c, first, begin, steps, wanted, tile, work, out):
    """All four algorithms; the index of the next time to be recorded. ``work``: the weights, then z_tᵀw without its
    first entry, and what z_t is multiplied by in θ and in w."""
    code, alphas, betas, times = problem.code, problem.alphas, problem.betas, problem.times
    d, mask, rows, scalars, theta, w = tile.d, tile.mask, tile.rows, tile.scalars, tile.theta, tile.w
    gradient, L, owns = code >= GTD, len(c), tile.links
    for lane in range(LANES):
        owns[0, lane] = np.uint64(lane * d)
    for t in range(steps):
        now, beyond = begin + t, False
        here, there, alpha, beta = now & mask, (now + 1) & mask, alphas[now], betas[now]
        count = min(L, now + 1)
        _weights(c, now, count, tile, work)
        if gradient:
            yw = fill(0.0)
            for k in range(1, count):
                yw = yw + load(work, k) * gather(w, load(rows, (now - k) & mask) + load(owns, 0), 0)
            store(work, L, yw)
        for lane in range(LANES):
            own = np.uint64(lane * d)
            i, j = own + entry(rows, here, lane), own + entry(rows, there, lane)
            given = 4 * (t * LANES + lane)
            gamma, rho = scalars[given + 1], scalars[given + 2]
            delta = scalars[given] + gamma * theta[j] - theta[i]
            if code != TD:
                delta *= rho
            up = 0.0 if code == GTD else alpha * delta
            if gradient:
                against = w[i]
                down, w_up = alpha * ((against + entry(work, L, lane)) * rho), beta * delta
                theta[j] -= down * gamma
                theta[i] += down - alpha * against if code == TDC else down
                w[i] += w_up - beta * against
                work[L + 2, lane] = w_up
                beyond |= not (abs(theta[j]) <= DIVERGED and abs(w[i]) <= DIVERGED)
            theta[i] += up
            work[L + 1, lane] = up
            beyond |= not abs(theta[i]) <= DIVERGED
        sizes = fill(0.0)
        for k in range(1, count):
            places, weight = load(rows, (now - k) & mask) + load(owns, 0), load(work, k)
            if code != GTD:
                moved = gather(theta, places, 0) + load(work, L + 1) * weight
                scatter(theta, places, moved)
                sizes = sizes + moved * moved
            if gradient:
                moved = gather(w, places, 0) + load(work, L + 2) * weight
                scatter(w, places, moved)
                sizes = sizes + moved * moved
        if beyond or not total(sizes) < DIVERGED * DIVERGED:
            note_divergence(first, now + 1, tile, out)
        if wanted < len(times) and times[wanted] == now + 1:
            record(first, wanted, tile, out)
            wanted += 1
    return wanted
