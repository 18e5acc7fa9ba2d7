# The loops below are compiled for the types they are called with; Numba carries no types of its own.
# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"
"""Updates along a tile of time where φ is a single one: ``rows`` of the tile holds which.

The trace is never formed. Its entries are the c_k q_{t−k}…q_{t−1} of the last L + 1 features, so a step costs O(L),
whatever d is.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tdcert.sims.kernels.lanes import INNER, LANES, entry, fill, load, store
from tdcert.sims.kernels.records import DIVERGED, GTD, TD, TDC
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
def one_hot_updates(problem, c, first, begin, steps, wanted, tile, weights, out):
    """All four algorithms; the index of the next time to be recorded."""
    code, alphas, betas, times = problem.code, problem.alphas, problem.betas, problem.times
    lanes, d, mask, rows, scalars, theta, w = (
        tile.lanes[0],
        tile.d,
        tile.mask,
        tile.rows,
        tile.scalars,
        tile.theta,
        tile.w,
    )
    for t in range(steps):
        now, beyond = begin + t, False
        here, there, alpha, beta = now & mask, (now + 1) & mask, alphas[now], betas[now]
        count = min(len(c), now + 1)
        _weights(c, now, count, tile, weights)
        for lane in range(lanes):
            own = np.uint64(lane * d)
            i, j = own + entry(rows, here, lane), own + entry(rows, there, lane)
            given = 4 * (t * LANES + lane)
            gamma, rho = scalars[given + 1], scalars[given + 2]
            delta = scalars[given] + gamma * theta[j] - theta[i]
            if code != TD:
                delta *= rho
            up = 0.0 if code == GTD else alpha * delta
            if code >= GTD:
                against, yw = w[i], 0.0
                for k in range(count):
                    yw += entry(weights, k, lane) * w[own + entry(rows, (now - k) & mask, lane)]
                down, w_up = alpha * (yw * rho), beta * delta
                theta[j] -= down * gamma
                theta[i] += down - alpha * against if code == TDC else down
                w[i] -= beta * against
                for k in range(count):
                    place = own + entry(rows, (now - k) & mask, lane)
                    w[place] += w_up * entry(weights, k, lane)
                    beyond |= not abs(w[place]) <= DIVERGED
                beyond |= not (abs(theta[i]) <= DIVERGED and abs(theta[j]) <= DIVERGED)
            if code != GTD:
                for k in range(count):
                    place = own + entry(rows, (now - k) & mask, lane)
                    theta[place] += up * entry(weights, k, lane)
                    beyond |= not abs(theta[place]) <= DIVERGED
        if beyond:
            note_divergence(first, now + 1, tile, out)
        if wanted < len(times) and times[wanted] == now + 1:
            record(first, wanted, tile, out)
            wanted += 1
    return wanted
