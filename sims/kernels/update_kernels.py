# The loops below are compiled for the types they are called with; Numba carries no types of its own.
# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"
"""Updates of θ and w along a tile of time, divergence, and what is recorded of them."""

from __future__ import annotations

import numpy as np
from numba import njit

from tdcert.sims.kernels.lanes import INNER, entry, put, quad, spread, total
from tdcert.sims.kernels.records import DIVERGED, LANES, TD, TDC


@njit(**INNER)
def note_divergence(first, now, tile, out):
    """Runs with an entry beyond the bound: noted once, and set to zero to go on without being recorded."""
    diverged_at, d, theta, w, lanes = out.diverged_at, tile.d, tile.theta, tile.w, tile.lanes[0]
    for lane in range(LANES):
        beyond = False
        for i in range(lane * d, (lane + 1) * d):
            beyond |= not (abs(theta[i]) <= DIVERGED and abs(w[i]) <= DIVERGED)
        if beyond:
            if lane < lanes and diverged_at[first + lane] < 0:
                diverged_at[first + lane] = now
            for i in range(lane * d, (lane + 1) * d):
                theta[i] = w[i] = 0.0


@njit(**INNER)
def record(first, index, tile, out):
    thetas, ws, diverged_at, d, theta, w = out.thetas, out.ws, out.diverged_at, tile.d, tile.theta, tile.w
    for lane in range(tile.lanes[0]):
        if diverged_at[first + lane] < 0:
            for i in range(thetas.shape[2]):
                thetas[first + lane, index, i] = theta[lane * d + i]
                ws[first + lane, index, i] = w[lane * d + i]


@njit(**INNER)
def td_updates(problem, first, begin, steps, wanted, Phi, one_step, tile, out):
    """Computes θ_{t+1} = θ_t + α_t δ_t z_t for the steps of one tile; returns the index of the next time to record."""
    off_policy, alphas, times = problem.code != TD, problem.alphas, problem.times
    d, mask, rows, scalars, traces, thetas = tile.d, tile.mask, tile.rows, tile.scalars, tile.y, tile.theta
    if one_step:  # y_t = φ_t
        traces = Phi
    lanes = tile.lanes[0]
    for t in range(steps):
        now = begin + t
        here, there, alpha, sizes = now & mask, (now + 1) & mask, alphas[now], spread(0.0)
        for lane in range(lanes):
            row, after = entry(rows, here, lane), entry(rows, there, lane)
            given, along = 4 * (t * LANES + lane), spread(0.0)
            gamma = spread(scalars[given + 1])
            for i in range(0, d, 4):
                gradient = gamma * quad(Phi, after + np.uint64(i)) - quad(Phi, row + np.uint64(i))
                along = along + gradient * quad(thetas, lane * d + i)
            step = alpha * (scalars[given] + total(along))
            if off_policy:
                step *= scalars[given + 2]
            many, size, trace = spread(step), spread(0.0), row if one_step else np.uint64((t * LANES + lane) * d)
            for i in range(0, d, 4):
                theta = quad(thetas, lane * d + i) + many * quad(traces, trace + np.uint64(i))
                put(thetas, lane * d + i, theta)
                size = size + theta * theta
            sizes = sizes + size
        # no entry exceeds the root of the sum of all squares: only if that is beyond the bound, look closer
        if not total(sizes) < DIVERGED * DIVERGED:
            note_divergence(first, now + 1, tile, out)
        if wanted < len(times) and times[wanted] == now + 1:
            record(first, wanted, tile, out)
            wanted += 1
    return wanted


@njit(**INNER)
def gradient_updates(problem, first, begin, steps, wanted, Phi, one_step, tile, out):
    """Updates θ and w of GTD and TDC for the steps of one tile, both from the old values; returns the index of the next
    time to record.
    """
    corrected, alphas, betas, times = problem.code == TDC, problem.alphas, problem.betas, problem.times
    d, mask, rows, scalars, traces = tile.d, tile.mask, tile.rows, tile.scalars, tile.y
    thetas, ws = tile.theta, tile.w
    if one_step:
        traces = Phi
    lanes = tile.lanes[0]
    for t in range(steps):
        now = begin + t
        here, there, alpha, beta, sizes = now & mask, (now + 1) & mask, alphas[now], betas[now], spread(0.0)
        for lane in range(lanes):
            row, after, own = entry(rows, here, lane), entry(rows, there, lane), lane * d
            trace = row if one_step else np.uint64((t * LANES + lane) * d)
            given = 4 * (t * LANES + lane)
            gamma, rho = spread(scalars[given + 1]), scalars[given + 2]
            along, yw, phi_w = spread(0.0), spread(0.0), spread(0.0)
            for i in range(0, d, 4):
                phi, w = quad(Phi, row + np.uint64(i)), quad(ws, own + i)
                along = along + (gamma * quad(Phi, after + np.uint64(i)) - phi) * quad(thetas, own + i)
                yw = yw + quad(traces, trace + np.uint64(i)) * w
                phi_w = phi_w + phi * w
            delta = (scalars[given] + total(along)) * rho
            correction, against = total(yw) * rho, total(phi_w)
            # of γφ_{t+1} − φ_t in θ, for TDC also of z_t and φ_t; of z_t and φ_t in w
            down, up, back = spread(alpha * correction), spread(alpha * delta), spread(alpha * against)
            w_up, w_back, size = spread(beta * delta), spread(beta * against), spread(0.0)
            for i in range(0, d, 4):
                phi, y = quad(Phi, row + np.uint64(i)), quad(traces, trace + np.uint64(i))
                theta = quad(thetas, own + i) - down * (gamma * quad(Phi, after + np.uint64(i)) - phi)
                if corrected:
                    theta = theta + up * y - back * phi
                w = quad(ws, own + i) + w_up * y - w_back * phi
                put(thetas, own + i, theta)
                put(ws, own + i, w)
                size = size + theta * theta + w * w
            sizes = sizes + size
        if not total(sizes) < DIVERGED * DIVERGED:
            note_divergence(first, now + 1, tile, out)
        if wanted < len(times) and times[wanted] == now + 1:
            record(first, wanted, tile, out)
            wanted += 1
    return wanted


@njit(**INNER)
def keep_last(first, last, problem, out):
    """The rows of a diverged run from there on repeat the one before."""
    thetas, ws, diverged_at = out.thetas, out.ws, out.diverged_at
    for r in range(first, last):
        if diverged_at[r] >= 0:
            for index in range(len(problem.times)):
                if problem.times[index] >= diverged_at[r]:
                    for i in range(thetas.shape[2]):
                        thetas[r, index, i] = thetas[r, index - 1, i] if index > 0 else problem.theta0[i]
                        ws[r, index, i] = ws[r, index - 1, i] if index > 0 else problem.w0[i]
