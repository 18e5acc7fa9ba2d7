r"""Constant steps: do paths grow? The top Lyapunov exponent of the random products B_t … B_1, simulated.

The difference of two runs along one trajectory obeys y_{t+1} = (I + αU_t + βV_t) y_t, the updates of §2 and §3 without
their rewards. With a stationary ergodic trajectory lim (1/t) log|y_t| is one number λ_1 for almost every y_0 and path
(Furstenberg and Kesten 1960, Oseledets 1968): negative, differences die out on almost every path; positive, they
grow. It is at most half the logarithm of the mean-square radius, and says nothing about moments, nor they about it.

**The estimate.** Runs are independent; each starts in the stationary law of the chain, walks L + 1 steps without
updates (so that its window is stationary too), and from then on y_0, a random direction, is updated and brought back
to length one every few steps. ``exponent`` is the mean over runs of G = (log|y_T| − log|y_{T/5}|)/(4T/5).

**What its interval covers**: E G at this T, by Student's t over the runs. G is a sum of T dependent increments,
close to normal for long runs; that is the one assumption about its law. E G itself differs from λ_1 by the memory
of the starting direction, which is not bounded here. ``drift`` compares the later with the earlier half of (T/5, T]:
its interval should hold zero, and where it does not, T is too short.

**What is certain about λ_1**: log‖B_T … B_1‖ is subadditive, so E (1/T) log‖B_T … B_1‖ ≥ λ_1 from the stationary
start at *every* T (Fekete). ``upper_bound`` estimates that mean, Frobenius norm, with the same intervals: its upper
end is an upper confidence limit for λ_1 without any bias. No finite T bounds λ_1 from below in that way.

A λ without end has no finite window; there the walk before the updates has as many steps as the first fifth of T.
What Φ does not see on the class never moves: y is taken in the row space of Φ, so a rank-deficient Φ does not show the
exponent zero of directions that predict nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.stats import t as student

from sims.algorithms import algorithm_named
from sims.experiments.gtd_lambda import GTD_LAMBDA
from sims.streams import generator, run_states
from sims.trajectories import Sampler, stationary_start
from theory.errors import InputError
from theory.model.mdp import Model
from theory.model.schedule import trace_weights

Array = NDArray[np.float64]

CODES = {"td": 0, "off_policy_td": 1, "gtd": 2, "tdc": 3, "gtd_lambda": 4}
RENORMALISE = 8
"""Steps between two renormalisations: eight factors of up to 10^38 stay within floats."""
MARKS = 5
"""The run is cut into this many equal parts: one to forget the start, the others measured."""


@dataclass(frozen=True)
class Interval:
    """``estimate`` and a confidence interval at the asked level (module docstring)."""

    estimate: float
    lower: float
    upper: float

    @staticmethod
    def of(samples: Array, level: float, rounding: float = 0.0) -> Interval:
        """Student's t for the mean of independent samples (at least two), widened by a bound of their rounding."""
        mean = float(samples.mean())
        if not np.isfinite(samples).all():  # a product that is exactly zero: −∞ for good
            return Interval(mean, -np.inf, float("nan") if np.isnan(mean) else mean)
        half = float(student.ppf((1 + level) / 2, len(samples) - 1)) * float(samples.std(ddof=1)) / sqrt(len(samples))
        return Interval(mean, mean - half - rounding, mean + half + rounding)


@dataclass(frozen=True)
class PathStability:
    """The growth of differences per step: see the module docstring. ``runs`` independent runs of ``steps`` updates."""

    exponent: Interval
    drift: Interval
    steps: int
    runs: int
    level: float

    @property
    def sign(self) -> int | None:
        """−1 paths forget their start, +1 they do not; None where the interval holds zero or drift is seen."""
        if self.drift.lower > 0 or self.drift.upper < 0:
            return None
        if self.exponent.upper < 0:
            return -1
        return 1 if self.exponent.lower > 0 else None


def path_stability(
    model: Model,
    algorithm: str,
    alpha: float,
    *,
    eta: float = 1.0,
    steps: int,
    runs: int,
    seed: int,
    name: str,
    level: float = 0.99,
    states: Sequence[int] | None = None,
) -> PathStability:
    """The top Lyapunov exponent under constant steps α and β = ηα, on a recurrent class (None: the only one).

    Raises :class:`InputError` for an unknown algorithm, fewer than two runs, fewer than 5 steps, features that vanish
    on the class, or steps so large that floats overflow.
    """
    logs = log_growth(model, algorithm, alpha, eta=eta, steps=steps, runs=runs, seed=seed, name=name, states=states)
    part = steps // MARKS
    with np.errstate(invalid="ignore"):  # −∞ − (−∞) where a product was exactly zero
        early, late = logs[:, 3] - logs[:, 1], logs[:, 5] - logs[:, 3]
        drift = Interval.of((late - early) / (2 * part), level, _rounding(logs))
        growth = np.where(np.isneginf(logs[:, 5]), -np.inf, (early + late) / (4 * part))
        exponent = Interval.of(growth, level, _rounding(logs))
    return PathStability(exponent, drift, steps, runs, level)


def _rounding(logs: Array) -> float:
    """Of a growth per step: a sum of one logarithm in RENORMALISE steps, each rounded relative to the sum so far."""
    return 2.0**-50 / RENORMALISE * float(np.abs(logs[np.isfinite(logs)]).max())


def upper_bound(
    model: Model,
    algorithm: str,
    alpha: float,
    *,
    eta: float = 1.0,
    steps: int,
    runs: int,
    seed: int,
    name: str,
    level: float = 0.99,
    states: Sequence[int] | None = None,
) -> Interval:
    """E (1/T) log‖B_T … B_1‖ ≥ λ_1, T = ``steps``; arguments and errors as :func:`path_stability`."""
    logs = log_growth(
        model, algorithm, alpha, eta=eta, steps=steps, runs=runs, seed=seed, name=name, states=states, whole=True
    )
    return Interval.of(logs[:, -1] / (steps // MARKS * MARKS), level, _rounding(logs))


def log_growth(
    model: Model,
    algorithm: str,
    alpha: float,
    *,
    eta: float,
    steps: int,
    runs: int,
    seed: int,
    name: str,
    states: Sequence[int] | None = None,
    whole: bool = False,
) -> Array:
    """log|y_t| at t = 0, T/5, … , T for each run, shape (runs, 6); ``whole``: of the product of all B (Frobenius)."""
    if algorithm != GTD_LAMBDA:
        algorithm_named(algorithm)
    elif not model.schedule.tail:
        raise InputError("GTD(λ) is printed for a constant λ without end, above zero; give such a schedule")
    if algorithm == "td" and not model.is_on_policy:
        raise InputError("on-policy TD ignores the target policy; give a model with equal policies, or off_policy_td")
    if runs < 2 or steps < MARKS:
        raise InputError(f"{runs} runs of {steps} steps: give at least two runs and {MARKS} steps")
    start = stationary_start(model, states)
    Phi = _row_space(model, [s for s in range(model.n) if start[s] > 0])
    sampler = Sampler.of(model, start)
    size = Phi.shape[1] * (1 if CODES[algorithm] < 2 else 2)
    directions = generator(seed, f"{name}: directions").standard_normal((runs, size, 1))
    first = np.broadcast_to(np.eye(size), (runs, size, size)) if whole else directions
    c, tail = np.array([float(x) for x in trace_weights(model.schedule.lambdas)]), float(model.schedule.tail)
    found = np.zeros((runs, MARKS + 1))
    with np.errstate(over="ignore", divide="ignore"):  # words wrap around, log 0 = −∞: as in the compiled loop
        _grow(
            CODES[algorithm], Phi, c, tail, float(alpha), float(alpha * eta),
            sampler.start.bits, sampler.start.keep, sampler.start.alias,
            sampler.steps.bits, sampler.steps.keep, sampler.steps.alias,
            sampler.next_states, sampler.discounts, sampler.rho, run_states(seed, name, runs),
            steps // MARKS if tail else len(c), steps // MARKS, np.ascontiguousarray(first), found,
        )  # fmt: skip
    if np.isnan(found).any() or np.isposinf(found).any():
        raise InputError(f"with α = {alpha:g} products overflow within {RENORMALISE} steps; give a smaller step")
    return found - (0.0 if whole else found[:, :1])


def _row_space(model: Model, states: list[int]) -> Array:
    """Φ, where its rank on the class is not full in orthonormal coordinates of its row space there (n×rank)."""
    on_class = model.features.take(rows=states)
    if on_class.rank == 0:
        raise InputError("the features vanish on the recurrent class, so no update ever moves anything")
    if on_class.rank == model.d:
        return np.ascontiguousarray(model.features.to_float())
    _, _, V = np.linalg.svd(on_class.to_float())
    return np.ascontiguousarray(model.features.to_float() @ V[: on_class.rank].T)


@njit(cache=True, nogil=True)
def _word(rng: Any) -> Any:
    """xoshiro256**, twin of ``sims.streams.xoshiro``."""
    x = rng[1] * np.uint64(5)
    result = ((x << np.uint64(7)) | (x >> np.uint64(57))) * np.uint64(9)
    shifted = rng[1] << np.uint64(17)
    rng[2] ^= rng[0]
    rng[3] ^= rng[1]
    rng[1] ^= rng[2]
    rng[0] ^= rng[3]
    rng[2] ^= shifted
    rng[3] = (rng[3] << np.uint64(45)) | (rng[3] >> np.uint64(19))
    return result


@njit(cache=True, nogil=True)
def _pick(bits: int, keep: Any, alias: Any, row: int, word: Any) -> Any:
    """Twin of ``AliasTable.outcome``."""
    shift = np.uint64(64 - bits)
    column = np.int64(word >> shift)
    rest = word & ((np.uint64(1) << shift) - np.uint64(1))
    return column if rest < keep[row, column] else alias[row, column]


@njit(cache=True, nogil=True)
def _grow(
    code: int, Phi: Any, c: Any, tail: float, alpha: float, beta: float,
    start_bits: int, start_keep: Any, start_alias: Any, bits: int, keep: Any, alias: Any,
    next_of: Any, discount_of: Any, rho_of: Any, rngs: Any, idle: int, part: int, first: Any, found: Any,
) -> None:  # fmt: skip
    """``idle`` steps without updates, then MARKS parts of ``part`` steps; ``found``[run, k] = log|y| after k parts."""
    runs, _, columns = first.shape
    d, L = Phi.shape[1], len(c) - 1
    z, x = np.zeros(d), np.zeros(d)
    states, factors = np.zeros(L + 1, dtype=np.int64), np.zeros(L + 1)  # of the last steps, in a ring
    for r in range(runs):
        rng = rngs[r].copy()
        s = _pick(start_bits, start_keep, start_alias, 0, _word(rng))
        y = first[r].copy()
        z[:] = 0.0
        factors[:] = 0.0
        logarithm, before = 0.0, 0.0
        for t in range(-idle, MARKS * part + 1):
            if t >= 0 and (t % RENORMALISE == 0 or t % part == 0):
                norm = np.sqrt((y * y).sum())
                logarithm += np.log(norm)  # −∞ for good once y is zero
                if norm > 0.0:
                    y /= norm
                if t % part == 0:
                    found[r, t // part] = logarithm
                if t == MARKS * part:
                    break
            o = _pick(bits, keep, alias, s, _word(rng))
            ahead, gamma = next_of[s, o], discount_of[s, o]
            ratio = 1.0 if code == 0 else rho_of[s, o]
            if tail != 0.0:
                for i in range(d):
                    z[i] = ratio * (Phi[s, i] + before * z[i])
                before = tail * gamma
            else:
                here = (t + idle) % (L + 1)
                states[here], factors[here] = s, ratio * gamma
                if ratio != 0.0:
                    for i in range(d):
                        z[i] = ratio * Phi[s, i]
                    product = ratio
                    for k in range(1, L + 1):
                        past = (t + idle - k) % (L + 1)
                        product *= factors[past]  # zero before the start
                        if product == 0.0:
                            break
                        for i in range(d):
                            z[i] += c[k] * product * Phi[states[past], i]
            if t >= 0 and ratio != 0.0:
                for i in range(d):
                    x[i] = gamma * Phi[ahead, i] - Phi[s, i]
                for j in range(columns):
                    delta, zw, phi_w = 0.0, 0.0, 0.0
                    for i in range(d):
                        delta += x[i] * y[i, j]
                        if code >= 2:
                            zw += z[i] * y[d + i, j]
                            phi_w += Phi[s, i] * y[d + i, j]
                    for i in range(d):
                        if code <= 1:
                            y[i, j] += alpha * delta * z[i]
                        elif code == 2:
                            y[i, j] -= alpha * x[i] * zw
                        elif code == 3:
                            y[i, j] += alpha * (delta * z[i] - x[i] * zw - Phi[s, i] * phi_w)
                        else:
                            y[i, j] += alpha * (delta * z[i] - gamma * (1.0 - tail) * zw * Phi[ahead, i])
                        if code >= 2:
                            y[d + i, j] += beta * (delta * z[i] - phi_w * Phi[s, i])
            elif t >= 0 and code >= 2:  # z = 0: w forgets, nothing else happens, half of the work
                for j in range(columns):
                    phi_w = 0.0
                    for i in range(d):
                        phi_w += Phi[s, i] * y[d + i, j]
                    for i in range(d):
                        if code == 3:
                            y[i, j] -= alpha * Phi[s, i] * phi_w
                        y[d + i, j] -= beta * phi_w * Phi[s, i]
            s = ahead
