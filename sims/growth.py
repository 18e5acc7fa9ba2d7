r"""Constant steps: do paths grow? The top Lyapunov exponent of the random products B_t … B_1, simulated.

The difference of two runs along one trajectory obeys y_{t+1} = (I + αU_t + βV_t) y_t, the updates of §2 and §3 without
their rewards. With a stationary ergodic trajectory lim (1/t) log|y_t| is one number λ_1 for almost every y_0 and path
(Furstenberg and Kesten 1960, Oseledets 1968): negative, differences die out on almost every path; positive, they
grow. It is at most half the logarithm of the mean-square radius, and says nothing about moments, nor they about it.

**The estimate.** Runs are independent; each starts in the stationary law of the chain, walks L + 1 steps without
updates (so that its window is stationary too), and from then on y_0, a random direction, is updated and brought back
to length one every few steps. ``exponent`` is the median over runs of G = (log|y_T| − log|y_{T/5}|)/(4T/5).

**What its interval covers**: the median of the law of G at this T, whatever that law is. If m is a median, the number X
of n independent runs with G ≤ m is binomial with p ≥ ½; the (k + 1)-th smallest G exceeds m only if X ≤ k, so with
probability at most P(Bin(n, ½) ≤ k), computed in rationals (``tdcert.sims.judge.replication``); the same above. So no
moment of G is assumed, at any number of runs: G has none where factors are singular (|y| may be zero: −∞), and means of
few runs are not normal where the trace is heavy. An interval above zero says that **more than half of all runs grow**
from T/5 to T, P(G > 0) > ½: if not, some number ≤ 0 is a median, and lies below the interval with probability at most
(1 − level)/2.

Why not a bound of E G: log‖B‖ is bounded above, where windows end, by the longest run of the rarest actions; on Baird's
star that is about 10⁴ times the exponents seen, so bounds by the range say nothing, and no variance is known.

**What it says of λ_1**: (1/t) log|y_t| → λ_1 for almost every path, and so do its medians. At a finite T their distance
from λ_1 is not bounded here, by the memory of the starting direction at least: a sign speaks of T updates. ``drift``
compares the later with the earlier half of (T/5, T]: its interval should hold zero, and where it does not, T is too
short. Runs are those of the recursion in floats, about 10⁻¹⁶ of |B y| off in each step.

**Sampling.** The total variation between the paths drawn and the model's (``Sampler.distance``) is taken off 1 − level.

A λ without end has no finite window; there the walk before the updates has as many steps as the first fifth of T.
What Φ does not see on the class never moves: y is taken in the row space of Φ, so a rank-deficient Φ does not show the
exponent zero of directions that predict nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tdcert.algorithms.schedules import scheduled
from tdcert.sims.compile_once import compiled_once
from tdcert.sims.experiments.gtd_lambda import GTD_LAMBDA, gtd_lambda_terms
from tdcert.sims.growth_of_tables import MARKS, RENORMALISE, TermArrays, Walk, grow_tables, marked, pick, terms_of, word
from tdcert.sims.judge.replication import beyond_median, enough
from tdcert.sims.streams import generator, run_states
from tdcert.sims.trajectories import Sampler, stationary_start
from tdcert.theory.engine.declare import Algorithm as Update
from tdcert.theory.engine.declare import ratios_of
from tdcert.theory.engine.means import stationary
from tdcert.theory.engine.tables import tables
from tdcert.theory.errors import InputError
from tdcert.theory.laws.schedule_update import CHANGE, PHI, REWARD, TRACE, ScheduleUpdate
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule, trace_weights

Array = NDArray[np.float64]

VECTORS = (TRACE, CHANGE, PHI)


class GrowthUpdate(NamedTuple):
    """What the compiled loop updates with: Φ, c, λ without end, whether ρ weights the trace, and outer products.

    ``dots``: numbers bᵀy_j, as (b among :data:`VECTORS`, j); ``terms``: y_i moves along a by ``sizes`` times such a
    number, as (i, a, which number). At the end of both: whether they are needed where z = 0.
    """

    Phi: Array
    c: Array
    tail: float
    weighted: bool
    dots: NDArray[np.int64]
    terms: NDArray[np.int64]
    sizes: Array

    @staticmethod
    def of(update: ScheduleUpdate, Phi: Array, schedule: Schedule, steps: Sequence[float]) -> GrowthUpdate:
        """The terms without reward at constant step sizes."""
        terms = [term for term in update.terms if term.b != REWARD]
        dots = list(dict.fromkeys((VECTORS.index(term.b), term.column) for term in terms))
        at = [(term.row, VECTORS.index(term.a), dots.index((VECTORS.index(term.b), term.column))) for term in terms]
        free = [a > 0 and dots[which][0] > 0 for _, a, which in at]
        alone = [any(free[m] for m, term in enumerate(at) if term[2] == k) for k in range(len(dots))]
        return GrowthUpdate(
            Phi,
            np.array([float(x) for x in trace_weights(schedule.lambdas)]),
            float(schedule.tail),
            update.off_policy,
            np.array([(*dot, needed) for dot, needed in zip(dots, alone, strict=True)], dtype=np.int64),
            np.array([(*term, needed) for term, needed in zip(at, free, strict=True)], dtype=np.int64),
            np.array([float(term.factor) * steps[term.step] for term in terms]),
        )


@dataclass(frozen=True)
class MedianInterval:
    """``estimate``, the median of the samples, and a confidence interval for that of their law (module docstring)."""

    estimate: float
    lower: float
    upper: float

    @staticmethod
    def of(samples: Array, level: float, rounding: float = 0.0, distance: float = 0.0) -> MedianInterval:
        """Order statistics of independent samples, widened by a bound of their rounding; ``distance``: total variation
        between their joint law and the one meant. Samples too few for the level give an interval without ends.
        """
        estimate = float(np.median(samples))
        k = beyond_median(len(samples), _miss(level, distance))
        if k < 0 or np.isnan(samples).any():
            return MedianInterval(estimate, -np.inf, np.inf)
        ordered = np.sort(samples)
        return MedianInterval(estimate, float(ordered[k]) - rounding, float(ordered[-1 - k]) + rounding)


def _miss(level: float, distance: float = 0.0) -> Fraction:
    """What may be missed at either end. A level next to one was rounded to a float, by 2^-54, from one that was too."""
    return (1 - Fraction(level) - Fraction(distance) - Fraction(1, 2**52)) / 2


@dataclass(frozen=True)
class PathStability:
    """The growth of differences per step in the median run: see the module docstring. ``runs`` independent runs of
    ``steps`` updates."""

    exponent: MedianInterval
    drift: MedianInterval
    steps: int
    runs: int
    level: float
    distance: float = 0.0
    """Total variation between the paths drawn, all runs together, and the model's."""

    @property
    def sign(self) -> int | None:
        """−1 more than half of all runs shrink, +1 more than half grow; None where the interval holds zero or drift is
        seen."""
        if self.drift.lower > 0 or self.drift.upper < 0:
            return None
        if self.exponent.upper < 0:
            return -1
        return 1 if self.exponent.lower > 0 else None

    @property
    def enough(self) -> Fraction:
        """A share of all runs, in thousandths, whose common sign is found with probability 1 − MISS at least, unless
        drift is seen."""
        return enough(self.runs, self.runs - beyond_median(self.runs, _miss(self.level, self.distance)))


def path_stability(
    model: Model,
    algorithm: str | Update,
    alpha: float,
    *,
    eta: float = 1.0,
    steps: int,
    runs: int,
    seed: int,
    name: str,
    level: float = 0.99,
) -> PathStability:
    """Which way most runs go under constant steps α and ηα for the later ones, on the one recurrent class, of
    one of the paper's algorithms by its name, or of any declared update by its tables.

    Raises :class:`InputError` for an unknown algorithm, fewer than two runs, fewer than 5 steps, features that vanish
    on the class, or steps so large that floats overflow.
    """
    if isinstance(algorithm, str):
        logs = log_growth(model, algorithm, alpha, eta=eta, steps=steps, runs=runs, seed=seed, name=name)
        idle = _idle(model, steps)
    else:
        sizes = {step: Fraction(alpha) * x for step, x in zip(algorithm.steps, ratios_of(algorithm, eta), strict=True)}
        logs, idle = declared_growth(model, algorithm, sizes, steps, runs, seed, name)
    part = steps // MARKS
    sampler = Sampler.of_updates(model, stationary_start(model))
    distance = runs * sampler.distance(idle + MARKS * part)
    with np.errstate(invalid="ignore"):  # −∞ − (−∞) where a product was exactly zero
        early, late = logs[:, 3] - logs[:, 1], logs[:, 5] - logs[:, 3]
        drift = MedianInterval.of((late - early) / (2 * part), level, _rounding(logs), distance)
        growth = np.where(np.isneginf(logs[:, 5]), -np.inf, (early + late) / (4 * part))
        exponent = MedianInterval.of(growth, level, _rounding(logs), distance)
    return PathStability(exponent, drift, steps, runs, level, distance)


def _rounding(logs: Array) -> float:
    """A bound of the rounding of a growth per step: a sum of one logarithm every RENORMALISE steps, in which each
    addition is rounded relative to the sum so far.
    """
    return 2.0**-50 / RENORMALISE * float(np.abs(logs[np.isfinite(logs)]).max())


def _idle(model: Model, steps: int) -> int:
    """Steps that are walked before the first update."""
    return len(model.schedule.lambdas) + 1 if model.schedule.is_finite else steps // MARKS


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
) -> Array:
    """log|y_t| at t = 0, T/5, … , T for each run, shape (runs, 6)."""
    if algorithm != GTD_LAMBDA:
        scheduled(algorithm).require_policies(model)
    elif not model.schedule.tail:
        raise InputError("GTD(λ) is printed for a constant λ without end, above zero; give such a schedule")
    start = stationary_start(model)
    Phi = _row_space(model, [s for s in range(model.n) if start[s] > 0])
    update = gtd_lambda_terms(model.schedule.tail) if algorithm == GTD_LAMBDA else scheduled(algorithm)
    loop = GrowthUpdate.of(update, Phi, model.schedule, (float(alpha), float(alpha * eta)))
    shape = runs, update.blocks, Phi.shape[1]
    found = _grown(_grow, loop, Sampler.of(model, start), shape, _idle(model, steps), steps, seed, name)
    if found is None:
        raise InputError(f"with α = {alpha:g} products overflow within {RENORMALISE} steps; give a smaller step")
    return found


def declared_growth(
    model: Model,
    algorithm: Update,
    sizes: Mapping[str, Fraction],
    steps: int,
    runs: int,
    seed: int,
    name: str,
) -> tuple[Array, int]:
    """log|y_t| at t = 0, T/5, … , T for each run, shape (runs, 6), as from :func:`log_growth`, and how many steps were
    walked before the first update. y is what updates see, under the tables of an update at constant step ``sizes``.

    Raises :class:`InputError` for fewer than two runs, fewer than 5 steps, an update that does not depend on the
    parameters, and runs that leave the range of floats.
    """
    start = stationary_start(model)
    chosen = tuple(s for s in range(model.n) if start[s] > 0)
    found = stationary(model, algorithm, chosen, steps=sizes)
    columns, T = found.visible
    if not columns:
        raise InputError("no update depends on the parameters, so differences stay as they are")
    own = tables(model, algorithm, chosen, steps=sizes, known=found.tables)
    sampler = Sampler.of_updates(model, start)
    idle = own.M + 1 if found.memory.without_end is None else steps // MARKS
    terms = terms_of(own, sampler, columns, T)
    logs = _grown(grow_tables, terms, sampler, (runs, len(columns)), idle, steps, seed, name)
    if logs is None:
        raise InputError(f"runs of '{algorithm.name}' leave the range of floats within {RENORMALISE} steps")
    return logs, idle


def _grown(
    loop: Callable[..., None],
    update: GrowthUpdate | TermArrays,
    sampler: Sampler,
    shape: tuple[int, ...],
    idle: int,
    steps: int,
    seed: int,
    name: str,
) -> Array | None:
    """log|y_t| at the marks, by a compiled loop, from y_0 of a ``shape`` that begins with the runs; None where they
    leave the range of floats.
    """
    if shape[0] < 2 or steps < MARKS:
        raise InputError(f"{shape[0]} runs of {steps} steps: give at least two runs and {MARKS} steps")
    directions = generator(seed, f"{name}: directions").standard_normal(shape)
    found, rngs = np.zeros((shape[0], MARKS + 1)), run_states(seed, name, shape[0])
    with np.errstate(all="ignore"):  # words wrap around, log 0 = −∞: as in the compiled loop
        loop(update, Walk.of(sampler), rngs, idle, steps // MARKS, directions, found)
    return None if np.isnan(found).any() or np.isposinf(found).any() else found - found[:, :1]


def _row_space(model: Model, states: list[int]) -> Array:
    """Φ, where its rank on the class is not full in orthonormal coordinates of its row space there (n×rank)."""
    on_class = model.features.take(rows=states)
    if on_class.rank == 0:
        raise InputError("the features vanish on the recurrent class, so no update ever moves anything")
    if on_class.rank == model.d:
        return np.ascontiguousarray(model.features.to_float())
    _, _, V = np.linalg.svd(on_class.to_float())
    return np.ascontiguousarray(model.features.to_float() @ V[: on_class.rank].T)


@compiled_once
def _grow(update: Any, walk: Any, rngs: Any, idle: int, part: int, first: Any, found: Any) -> None:
    """Walks ``idle`` steps without updates, then MARKS parts of ``part`` steps.

    ``found``[run, k] = log|y| after k parts.
    """
    Phi, c, tail, weighted, dots, terms, sizes = update
    next_of, discount_of, rho_of = walk.next_states, walk.discounts, walk.rho
    runs = len(first)
    d, L = Phi.shape[1], len(c) - 1
    V, numbers, forgets = np.zeros((3, d)), np.zeros(len(dots)), dots[:, 2].any()
    z, x, phi = V[0], V[1], V[2]
    states, factors = np.zeros(L + 1, dtype=np.int64), np.zeros(L + 1)  # of the last steps, in a ring
    for r in range(runs):
        rng = rngs[r].copy()
        s = pick(walk.start, 0, word(rng))
        y = first[r].copy()
        z[:] = 0.0
        factors[:] = 0.0
        logarithm, before = 0.0, 0.0
        for t in range(-idle, MARKS * part + 1):
            if t >= 0 and (t % RENORMALISE == 0 or t % part == 0):
                logarithm = marked(y, t, part, logarithm, found[r])
                if t == MARKS * part:
                    break
            o = pick(walk.steps, s, word(rng))
            ahead, gamma = next_of[s, o], discount_of[s, o]
            ratio = rho_of[s, o] if weighted else 1.0
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
            if t >= 0 and (ratio != 0.0 or forgets):
                for i in range(d):
                    phi[i] = Phi[s, i]
                if ratio != 0.0:
                    for i in range(d):
                        x[i] = gamma * Phi[ahead, i] - Phi[s, i]
                for k in range(len(dots)):
                    if ratio != 0.0 or dots[k, 2]:
                        b, seen, total = V[dots[k, 0]], y[dots[k, 1]], 0.0
                        for i in range(d):
                            total += b[i] * seen[i]
                        numbers[k] = total
                for k in range(len(terms)):
                    if ratio != 0.0 or terms[k, 3]:  # else z = 0
                        size, a, moved = sizes[k] * numbers[terms[k, 2]], V[terms[k, 1]], y[terms[k, 0]]
                        for i in range(d):
                            moved[i] += size * a[i]
            s = ahead
