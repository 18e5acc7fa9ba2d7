r"""How far two correct implementations may drift apart along one path: a running error bound.

Write y = (θ, w). One update is y_{t+1} = F_t(y_t), where F_t is a polynomial in the stored numbers (φ, R, Γ,
ρ, λ or c, α, β) and affine in y. Expand it into monomials. A float evaluation in any order of +, −, × (fused
or not) returns the same monomials, each times a product of at most m factors (1 + ε), |ε| ≤ u = 2^-53, m
being the longest chain of operations from an input to the result. So

    |fl(F_t)(y) − F_t(y)| ≤ γ_m F̄_t(|y|),     γ_m = m u/(1 − m u)

where F̄_t is the same polynomial with every input replaced by its absolute value and every minus by a plus:
the sum of the magnitudes added (Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, §3.1 and
§4.2). For two implementations with iterates y¹, y², D_t = y¹_t − y²_t then satisfies

    |D_{t+1}| ≤ |J_t| |D_t| + γ_m (F̄_t(|y¹_t|) + F̄_t(|y¹_t| + |D_t|)),

J_t the Jacobian of F_t (identity plus step sizes times rank-one matrices), |·| entry by entry; the bound E_t
starts at zero and follows this line. J_t itself is computed in floats, which its own γ_m J̄_t covers. All
terms of E_t are non-negative, so evaluating E_t costs a relative error below (number of operations)·u ≪
2^-20, which the last factor covers; products below 2^-1022 may underflow, which the absolute term covers.

m: every φ of a trace over L + 1 states is multiplied by its weight and added up, in one of these ways.

* The window summed: c_k from λ's that are rounded to floats (≤ 2L), times Γ's and ρ's (≤ 2L + 1), times φ (1); the
  sum (≤ L + 1): at most 5L + 3.
* The same, four steps at a time (``tdcert.sims.kernels.trace_kernels``): the products before and within the four are
  multiplied (1), and what lies before is added to what lies within (≤ 4 more additions): at most 5L + 8.
* Blocks: q = λΓρ (≤ 3 a step, λ and ρ included); the products from the place of φ to the block's end and from there on
  multiply at most L of them together (3L + 1 with the product of both parts); the sum of sums over a block (≤ 2W ≤ 2L),
  its neighbour and the flat window (≤ 3); place or (W − p), 1/m, its product with q…, and ρ_t (≤ 5), φ itself (1):
  at most 5L + 10.
* The recursion without end: λ, Γ, ρ and an addition a step, at time t at most 4t + 2 ≤ 5t + 10, with L = t.

So 5L + 10 bounds them all: each adds terms with the signs of the polynomial's monomials, and none cancels another.
GTD(λ) multiplies γ(zᵀw)φ by 1 − λ, two more, and its terms have one inner product, where d + 4 ≥ 5 is counted twice.
δ, zᵀw, φᵀw: at most d + 4 each (features filled up with zeros, in fours, add none: a sum with zero is exact); the
update: at most 7, ρ_t among them where z_t = ρ_t y_t is never formed. A product adds the chains of its factors, so
m ≤ (5L + 10) + 2(d + 4) + 7. Inputs that are rationals rounded to floats count one each: at most 4L + 8 more.

An implementation may also carry its trace, or sums of what entered it, from step to step and take away what
leaves the window. In real arithmetic the surplus cancels; in floats each product Γ…ρ… φ_{t−k} of the whole past
still stands in z_t, up to k + 1 times added and k + 1 times taken away (a sum of a sum), after chains longer by
at most 4(t + 1). So ``carried`` bounds the trace by the whole past with the weights 2(k + 1) + 1 ≥ 2(k + 1) + c_k.

The kernels carry traces where q = λΓ is one number and |λ| ≤ 1 (``carried_traces`` of
``tdcert.sims.kernels.trace_kernels``). What enters S or leaves it has the weight q^{n1}/m or q^{n2+1}/m, at most L + 4
roundings besides those of q, one for each power. A step that carries y or S on rounds three times at most: the product,
what comes in, what goes out. So what is k ≤ t steps old has gone through at most 4t + L + 10 operations before ρ_t, of
the 5L + 10 + 4(t + 1) counted. φ_{t−k} enters S once and leaves it once, with 1/m; S is taken from y at most k times
since: 1/m of k + 1 times in all, for each of the two.

Where θ is read lazily (``tdcert.sims.kernels.lazy``), θ_r(s) = h + a G + b H is found anew from what was stored, by
products and additions. Let an epoch of K steps begin at B. In real arithmetic of the stored e_τ, θ_r = θ_B + Σ e_τ z_τ.
The error ε_r of a value that was only read is in no later one, until the epoch ends and h takes it in. So let D*_t be
D_t without ε_t: D* follows the line above with (J − I) ε_t more, what the update makes of the values that it reads, and
D*_{B+K} = D_{B+K}. ε_r is at most γ_m times the sum of the magnitudes of all monomials, which are θ_B(s) and, for each
e_τ of the epoch,

* of a visit to s at v ≤ τ: q^k, k = τ − v. Its leaving changes a by q^W q^{−x}/m |1 − x| and b by q^W q^{−x}/m, then
  likewise with q^{W+m}, x < K. The monomials of G and H with one of them have at most (k + 2K)/m q^k; those from before
  it, which h takes too, stand there twice, 4K/m q^k. That makes at most 1 + 4 (k + 2K)/m times q^k, for m = 1 (where
  only a changes) three times, and so no more than 1 + 4K/m, or two, times the 2k + 3 with which the past is weighted.
* of a visit at v > τ in the epoch: what it takes from h and what G then adds, 2 |q|^{−(v−τ)}, and 4K/m times, or once,
  as much again where it leaves the window in the same epoch.

m: q^{−x} by x products and a division, q^x, each q rounded itself (4K + 1); K additions to G, 3K to a and to h each,
and 10 for the products between: in one epoch at most 11K + 12. An epoch before has 3K for a and 2K + 2 for its end, no
more than 7 a step, three more than the four above. Those of e_τ itself are in F̄_τ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdcert.algorithms.schedules import OFF_POLICY_TD, TD, TDC, scheduled
from tdcert.sims.algorithms import ALGORITHMS, SimulatedTransition, transitions
from tdcert.sims.experiments.gtd_lambda import ONE_LAMBDA, WITHOUT_RATIOS
from tdcert.sims.kernels.records import TraceRecursion
from tdcert.sims.trajectories import Sampler, Trajectory, uniform_start
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import trace_weights

Array = NDArray[np.float64]

UNIT = 2.0**-53
TINY = 2.0**-1000
COVER = 1 + 2.0**-20
AT_ONCE = 64
"""Steps whose matrices are made at once."""


def gamma(m: int, unit: float = UNIT) -> float:
    """γ_m = m u/(1 − m u), the relative error of a chain of m operations; ``unit`` = u."""
    return m * unit / (1 - m * unit)


def chain_length(d: int, window: int, *, rounded_inputs: bool = False) -> int:
    """m for d features and a trace over ``window`` + 1 states (module docstring)."""
    return 5 * window + 10 + 2 * (d + 4) + 7 + (4 * window + 8 if rounded_inputs else 0)


def difference_bound(
    algorithm: str,
    trajectory: Trajectory,
    c: Array,
    tail: float,
    alphas: ArrayLike,
    betas: ArrayLike,
    thetas: Array,
    ws: Array,
    *,
    unit: float = UNIT,
    carried: bool = False,
    lam: float = 0.0,
    lazy: TraceRecursion | None = None,
) -> tuple[Array, Array]:
    """Bounds on |θ¹_t − θ²_t| and |w¹_t − w²_t|, entry by entry, t = 0 … T: shapes (T+1, d).

    ``trajectory``: one path of T steps; ``c``: c_0 … c_L; ``tail``: λ without end; ``thetas``, ``ws``: the
    iterates of one of the two implementations, (T+1, d). Both start from the same θ_0 and w_0. ``unit``: the
    coarser of the two unit roundoffs; ``carried``: traces may be carried and trimmed (c finite, |c_k| ≤ 1); ``lam``: λ
    in the correction of GTD(λ); ``lazy``: TD's recursion, where θ may be read lazily.
    """
    d, L = trajectory.Phi.shape[1], len(c) - 1
    kind = ALGORITHMS[TD if algorithm in WITHOUT_RATIOS else OFF_POLICY_TD]  # the trace is the same in all
    signed, plain = kind(), kind()
    magnitudes = 2.0 * np.arange(trajectory.steps) + 3.0 if carried else np.abs(c)
    for twin, weights in ((signed, c), (plain, magnitudes)):
        twin.reset(lambdas=_ratios(weights), theta0=np.zeros(d), tail=tail)
    error = read = early = summed = np.zeros(2 * d)
    K, back, times = 0, 0.0, 0.0
    if lazy:
        K, times = lazy.epoch, 2.0 if lazy.m == 1 else 1 + 4 * lazy.epoch / lazy.m
    bounds = [error]
    a, b = np.asarray(alphas, dtype=np.float64), np.asarray(betas, dtype=np.float64)
    steps = transitions(trajectory)
    for begin in range(0, len(steps), AT_ONCE):
        some, rows = steps[begin : begin + AT_ONCE], slice(begin, begin + AT_ONCE)
        plainly = [_absolute(t) for t in some]
        z = c[0] * np.array([signed.trace(t) for t in some])
        z_plain = magnitudes[0] * np.array([plain.trace(t) for t in plainly])
        phi, reward = trajectory.phi[rows], trajectory.rewards[rows]
        ahead = trajectory.discounts[rows, None] * trajectory.phi_next[rows]
        sizes = a[rows], b[rows]
        Js, _ = _affine(algorithm, z, ahead, phi, reward, *sizes, -1, lam)
        ahead, phi, reward = np.abs(ahead), np.abs(phi), np.abs(reward)
        Js_plain, offsets = _affine(algorithm, z_plain, ahead, phi, reward, *sizes, 1, lam)
        for k, (J, J_plain, offset) in enumerate(zip(Js, Js_plain, offsets, strict=True)):
            time = begin + k
            m = chain_length(d, time if tail else L) + (4 * (time + 1) if carried else 0)
            g = gamma(m + (3 * (time + 1) + 12 * (K + 1) if lazy else 0), unit)
            size = np.abs(np.concatenate([thetas[time], ws[time]]))
            most = size + error + read
            local = J_plain @ size + offset + (J_plain @ most + offset)
            error = (np.abs(J) + g * J_plain) @ error + g * local + TINY
            if lazy:
                error += (np.abs(J - np.eye(2 * d)) + g * J_plain) @ read
                summed = summed + times * local
                early = early + 2 * times * back * np.concatenate([phi[k], np.zeros(d)])
                e = a[time] * (float(reward[k]) + (ahead[k] + phi[k]) @ most[:d])
                back = (back + e) / abs(lazy.steady[0])
                read = g * (summed + early)
                if (time + 1) % K == 0:
                    error, back, read, summed, early = error + read, 0.0, *np.zeros((3, 2 * d))
            bounds.append(error + read)
    stacked = COVER * np.array(bounds)
    return stacked[:, :d], stacked[:, d:]


def _affine(
    algorithm: str,
    z: Array,
    ahead: Array,
    phi: Array,
    reward: Array,
    alpha: Array,
    beta: Array,
    minus: int,
    lam: float,
) -> tuple[Array, Array]:
    """F(y) = J y + offset for y = (θ, w), (T, 2d, 2d) and (T, 2d), of T updates; ``ahead``: γφ'; ``minus`` = +1 turns
    every subtraction into an addition.
    """
    d = z.shape[1]
    update = scheduled(TDC if algorithm in ONE_LAMBDA else algorithm)
    U, V = update.matrices(z, ahead + minus * phi, phi, reward, minus)
    if algorithm in ONE_LAMBDA:
        U[:, :d, d:-1] = minus * (1 + minus * lam) * ahead[:, :, None] * z[:, None, :]
    D, moved = U.shape[1] - 1, alpha[:, None, None] * U + beta[:, None, None] * V
    J, offset = np.tile(np.eye(2 * d), (len(z), 1, 1)), np.zeros((len(z), 2 * d))
    J[:, :D, :D] += moved[:, :D, :D]
    offset[:, :D] = moved[:, :D, D]
    return J, offset


def _ratios(c: NDArray[np.floating[Any]]) -> Sequence[float]:
    """λ_1, λ_2, … of the weights c_0, c_0 λ_1, c_0 λ_1 λ_2, …"""
    return [float(x / y) if y != 0 else 0.0 for x, y in zip(c[1:], c[:-1], strict=True)]


def _absolute(t: SimulatedTransition) -> SimulatedTransition:
    """A copy of the transition with the magnitudes of its numbers."""
    return replace(
        t, reward=abs(t.reward), phi=abs(t.phi), phi_next=abs(t.phi_next), rho=abs(t.rho), discount=abs(t.discount)
    )


def largest_increment(model: Model, algorithm: str, theta: Array, w: Array) -> float:
    """A bound on F̄ (module docstring) for one update with α = β = 1 at (θ, w), whatever full window precedes it.

    The trace is bounded through the largest products of ρΓ along k steps into each state, k = 0 … L.
    """
    sampler = Sampler.of(model, uniform_start(model))
    rho = np.ones_like(sampler.rho) if algorithm in WITHOUT_RATIOS else np.abs(sampler.rho)
    size, reward = np.abs(sampler.Phi), float(np.abs(sampler.rewards).max())
    top, total = float(size.max()), float(size.sum(axis=1).max())
    c = [float(x) for x in trace_weights(model.schedule.lambdas)]
    reach, carried = np.ones(model.n), np.zeros(model.n)
    for k, weight in enumerate(np.abs(c)):
        carried = carried + weight * reach
        if k < len(c) - 1:
            following = np.zeros(model.n)
            np.maximum.at(following, sampler.next_states, reach[:, None] * rho * sampler.discounts)
            reach = following
    z = float((carried[:, None] * rho).max()) * top
    at, dual = float(np.abs(theta).max()), float(np.abs(w).max())
    delta = reward + 2 * total * at
    return at + dual + z * delta + 2 * top * z * len(w) * dual + top * total * dual
