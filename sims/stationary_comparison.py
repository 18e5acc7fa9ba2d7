r"""Traces and increments in the stationary regime, compared with their exact moments.

:func:`simulate_trace` holds E z and E z zᵀ, and :func:`simulate_noise` the covariances of ε_t = δ_t(θ*) z_t at several
lags, against the closed forms of ``tdcert.theory.check.trace_law`` and ``tdcert.theory.laws.long_run_covariance``:
models of any size, off-policy too. What the judge needs is a bound on the variance of what is averaged:

* for z_i z_j it is exact, from fourth moments of the trace;
* for ε_i and ε_i ε_j at one time it is exact too;
* for ε_{0,i} ε_{k,j} it is at most √(E ε_i⁴ E ε_j⁴) (Cauchy–Schwarz, stationarity), exact fourth moments again.

The limit theorem for averaged iterates speaks of T → ∞ and of no finite T, so nothing is compared with its limit. What
is compared are the autocovariances E[ε_0 ε_kᵀ], whose sum over all k is the long-run covariance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import sqrt

import numpy as np

from tdcert.algorithms.schedules import OFF_POLICY_TD
from tdcert.sims.algorithms import OffPolicyTD, Twin, transitions
from tdcert.sims.comparison_frame import Array, Expected, Sampling, Simulator, Target, batch_name
from tdcert.sims.judge.agreement import Agreement
from tdcert.sims.kernels import sample, simulate
from tdcert.sims.rounding import COVER, UNIT, chain_length, gamma, largest_increment
from tdcert.sims.step_sizes import StepSizes
from tdcert.sims.streams import run_states
from tdcert.sims.trajectories import Sampler, stationary_start
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.trace_law import monomials, stationary_trace
from tdcert.theory.errors import InputError
from tdcert.theory.laws.long_run_covariance import ExactNoise, at_rest
from tdcert.theory.model.mdp import Model


def simulate_trace(
    model: Model, states: tuple[int, ...], sampling: Sampling, simulator: Simulator = simulate
) -> Agreement:
    """E z_i and E z_i z_j on a recurrent class, from independent traces of a finite schedule.

    With rewards 1, θ_0 = 0 and one step of size 1 at time L, off-policy TD arrives at z_L. Raises :class:`InputError`
    for a schedule without end: its trace at time T is that of the same λ cut at L = T.
    """
    _require_end(model)
    d, L = model.d, len(model.schedule.lambdas)
    ones = RationalMatrix.column([1] * model.n)
    rewarded = replace(model, rewards=(ones,) * len(model.actions))
    start = stationary_start(model, states)
    target = Target(rewarded, OFF_POLICY_TD, StepSizes.only_at(L), start, simulator=simulator)
    _, first, second, _, fourth = stationary_trace(model, states, 4)
    quartic, pairs = dict(zip(monomials(d, 4), fourth, strict=True)), monomials(d, 2)
    mean = [*first, *second]
    square = [second[pairs.index((i, i))] for i in range(d)] + [quartic[i, i, j, j] for i, j in pairs]
    variance = np.array([float(x - m * m) for x, m in zip(square, mean, strict=True)])
    i, j = np.array(pairs).T
    slack = _slack(rewarded, d, len(pairs))

    def draw(begin: int, end: int) -> tuple[Array, Array]:
        z = sampling.run(target, [L + 1], begin, end)[:, 0]
        return np.concatenate([z, z[:, i] * z[:, j]], axis=1), slack

    labels = [f"z_{k + 1}" for k in range(d)] + [f"z_{a + 1} z_{b + 1}" for a, b in pairs]
    expected = _expected(labels, np.array([float(x) for x in mean]), variance, 2)
    return sampling.judge(draw, expected, Sampler.of(rewarded, start).distance(L + 1))


def simulate_noise(
    model: Model, states: tuple[int, ...], lags: int, sampling: Sampling, algorithm: type[Twin] = OffPolicyTD
) -> Agreement:
    """E ε_0 = 0 and E[ε_0 ε_kᵀ], k = 0 … ``lags``, on a recurrent class, from independent stationary samples.

    ``algorithm``: the readable twin whose trace is taken. Raises :class:`InputError` for a schedule without end, and
    SingularMatrixError where there is no θ*.
    """
    _require_end(model)
    d, L = model.d, len(model.schedule.lambdas)
    noise = ExactNoise(model, states)
    rest = at_rest(model, noise.keys.theta_star)
    sampler = Sampler.of(rest, stationary_start(model, states))
    cells = [(k, i, j) for k in range(lags + 1) for i, j in product(range(d), repeat=2) if k or i <= j]
    covariances = noise.lagged(lags)
    at_once = dict(zip(monomials(d, 2), noise.products()[1], strict=True))
    fourth = dict(zip(monomials(d, 4), noise.quartic, strict=True))
    roots = [sqrt(fourth[i, i, i, i]) for i in range(d)]
    spread = [roots[i] * roots[j] if k else float(at_once[i, j]) for k, i, j in cells]
    slack = _slack(rest, d, len(cells))

    def draw(begin: int, end: int) -> tuple[Array, Array]:
        trajectory = sample(
            sampler, run_states(sampling.seed, batch_name(sampling.name, begin), end - begin), L + lags + 1
        )
        twin = algorithm()
        twin.reset(lambdas=[float(x) for x in model.schedule.lambdas], theta0=np.zeros((end - begin, d)))
        found = [np.asarray(t.reward)[:, None] * twin.trace(t) for t in transitions(trajectory)][L:]
        products = np.stack([found[0][:, i] * found[k][:, j] for k, i, j in cells], axis=1)
        return np.concatenate([found[0], products], axis=1), slack

    expected = _expected(
        [f"ε_{i + 1}" for i in range(d)] + [f"E ε_0,{i + 1} ε_{k},{j + 1}" for k, i, j in cells],
        np.concatenate([np.zeros(d), [float(covariances[k][i, j]) for k, i, j in cells]]),
        np.concatenate([np.diag(noise.variance.to_float()), spread]),
        8,
    )
    return sampling.judge(draw, expected, sampler.distance(L + lags + 1))


def _slack(model: Model, d: int, products: int) -> Array:
    """How far rounding may move each of d increments at (0, 0), and each product of two of them."""
    largest = largest_increment(model, OFF_POLICY_TD, np.zeros(d), np.zeros(d))
    error = gamma(chain_length(d, len(model.schedule.lambdas), rounded_inputs=True)) * largest
    return np.array([error] * d + [COVER * (2 * largest + error) * error + UNIT * largest**2] * products)


def _expected(labels: Sequence[str], mean: Array, variance: Array, roundings: int) -> Expected:
    """Means that are rounded once, and variances that are rounded so many times."""
    size = np.maximum(1.0, np.abs(mean))
    return Expected(labels, mean, variance, UNIT * np.abs(mean), roundings * UNIT * variance, size)


def _require_end(model: Model) -> None:
    if not model.schedule.is_finite:
        raise InputError(
            "a constant λ without end has a stationary trace only in the limit; give the schedule a length"
        )
