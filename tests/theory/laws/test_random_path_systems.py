r"""Three hundred random systems against long simulations: no bound of an exponent is contradicted, however it is shown.

**What is compared.** With runs that start in the stationary law of the nodes (or of context and memory), at each time T

    T λ₁ ≤ E log ‖Π_T‖    (Frobenius; T ↦ E log ‖Π_T‖ is subadditive),
    E log |y_T| ≤ log |y_0| + T·high + C    where a certificate shows λ₁ ≤ high,

C from what it shows: the logarithm of its weighted supermartingale falls in the mean (Jensen), and ½ log yᵀXy is
log |y| up to ½ log of the ratio of the largest and the least eigenvalue of all X; with cells C is the spread of their
heights; in one dimension it is 0. So neither comparison has a bias at a finite T. A bound is contradicted where
too many of independent runs have a log ‖Π_T‖/T below ``low``, or a (log |y_T| − log |y_0| − C)/T above ``high``.

**The error budget.** :data:`RUNS` independent runs of :data:`STEPS` moves a system, counted: with the share of one
comparison, the whole budget over twice the number of systems (a union bound), that is all of them. Assumed: that a run
lies below its mean, and above it, with probability at most :data:`ONE_SIDE` each. Where it is nearly normal that is
nearly half (logarithms of :data:`STEPS` factors: the central limit theorem for products of random matrices, Le Page
1982; Bougerol and Lacroix, *Products of Random Matrices*, 1985, ch. V). Nothing is assumed of variances and tails: at
such a share an interval about the mean would need the normal law nine deviations out. A product that makes all
differences zero is met by all runs but with a probability that is computed.

**Power.** The same comparison contradicts bounds with a mistake (:data:`MISTAKES`).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import exp, inf, log

import numpy as np
import pytest
import scipy

from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.enclose.path_drift import by_drift
from tdcert.theory.laws.mean_square import JumpSystem
from tdcert.theory.laws.path_cells import BITS, Cells, Places
from tdcert.theory.laws.path_exponents import (
    Determinants,
    EnclosedExponent,
    Forms,
    OneDimension,
    PathSign,
    RestartDeterminants,
    RestartForms,
    Shown,
    ZeroProduct,
    decide_paths,
    log_sum,
)
from tdcert.theory.laws.restart_exponents import Restarts
from tdcert.theory.laws.restart_forms import decide_restarts
from tdcert.theory.laws.return_words import return_words
from tests.theory.enclose.test_path_drift import turn
from tests.theory.laws.test_path_exponents import by_hand, on_class, triangular
from tests.theory.laws.test_restart_exponents import of_one, series
from tests.theory.laws.test_restart_forms import along_two

F, HALF, ONE = Fraction, Fraction(1, 2), Fraction(1)
RUNS, STEPS, BEGUN = 40, 1_500, 200
"""Runs of a system, their moves, and moves before them where there is a memory: from zero, it is stationary but for
2^−200."""
ONE_SIDE = 0.53
"""Probability with which a run is at most below its mean, or above it."""
SHARE = 1e-8
"""Of the suite's budget, for all comparisons of this file together."""
COUNTS = {"triangular": 241, "stretched plane": 16, "stretched space": 3, "projections": 10, "restarts": 30}
"""Systems of each family."""
DIMENSIONS = (1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6)
"""Of the triangular systems, in turn."""
MOST = 3
"""Most moves out of a node."""
ROUNDED = 1e-9
"""Covers what logarithms of floats lose: each factor is off by less than 1e-14 of itself."""
LEAST: Mapping[type, int] = {
    OneDimension: 30,
    Forms: 30,
    Determinants: 40,
    ZeroProduct: 10,
    Cells: 8,
    EnclosedExponent: 2,
    RestartDeterminants: 5,
    RestartForms: 5,
}
"""How many systems are at least decided by each kind."""


@dataclass(frozen=True)
class Case:
    """A system with what is decided of it. ``known``: its exponent, where it is known in closed form."""

    family: str
    of: JumpSystem | Restarts
    found: PathSign
    known: float | None = None

    @property
    def kinds(self) -> set[type]:
        """By what the sign is shown."""
        if self.found.enclosed is not None:
            return {EnclosedExponent}
        end = self.found.low if self.found.sign == 1 else self.found.high
        return {type(x) for x in self.found.shown if isinstance(x, OneDimension | ZeroProduct) or x.bound == end}

    @property
    def low(self) -> float:
        """The better lower bound."""
        return max((float(x) for x in (self.found.low, self.found.enclosed_bounds[0]) if x is not None), default=-inf)

    @property
    def high(self) -> float:
        """The upper bound that was certified."""
        return inf if self.found.high is None else float(self.found.high)

    @property
    def room(self) -> float:
        """C of the upper bound."""
        return max((_room(x) for x in self.found.shown), default=0.0)


def _room(shown: Shown) -> float:
    """C of what shows an upper bound."""
    if isinstance(shown, Forms | RestartForms):
        forms = [*shown.forms, *([shown.form] if isinstance(shown, RestartForms) else [])]
        values = np.array([np.linalg.eigvalsh(X.to_float()) for X in forms])
        return 0.5 * log(float(values.max() / values.min()))
    if isinstance(shown, Cells) and shown.upper:
        heights = np.array(shown.heights)
        return float(heights.max() - heights.min()) / 2.0**BITS
    return 0.0


# ---- the systems


def turned(rng: random.Random, D: int) -> RationalMatrix:
    """A turn, of the plane or in two planes of space, with rational entries."""
    Q = RationalMatrix.zeros(D, D).identity(D)
    for i in range(D - 1):
        a, b = rng.randint(1, 5), rng.randint(1, 5)
        n, rows = a * a + b * b, [[F(int(k == m)) for m in range(D)] for k in range(D)]
        rows[i][i] = rows[i + 1][i + 1] = F(a * a - b * b, n)
        rows[i][i + 1], rows[i + 1][i] = F(-2 * a * b, n), F(2 * a * b, n)
        Q = Q @ RationalMatrix(rows)
    return Q


def stretched(rng: random.Random, longest: Fraction) -> JumpSystem:
    """One of three bases of the plane is drawn, in which one direction is stretched and the other is a quarter."""
    bases, stretch = [turned(rng, 2) for _ in range(3)], RationalMatrix([[longest, 0], [0, F(1, 4)]])
    return by_hand(*((0, 0, F(1, 3), (Q @ stretch @ Q.T).rows) for Q in bases))


def in_space(scale: Fraction) -> JumpSystem:
    """diag(2, ¼, ¼) times ``scale`` in one of three bases, where neither forms nor determinants decide."""
    bases = (
        turn(2, 1, 0, 1) @ turn(3, 1, 1, 2),
        turn(3, 1, 0, 2) @ turn(1, 2, 0, 1),
        turn(1, 1, 1, 2) @ turn(4, 1, 0, 1),
    )
    stretch = RationalMatrix([[2 * scale, 0, 0], [0, scale / 4, 0], [0, 0, scale / 4]])
    return by_hand(*((0, 0, F(1, 3), (Q @ stretch @ Q.T).rows) for Q in bases))


def projected(rng: random.Random, D: int) -> JumpSystem:
    """A regular matrix, and two projections on coordinates whose product is zero, in floats too, each with a third."""
    Q, k = turned(rng, D), rng.randint(1, D - 1)
    sides = [[[F(int(i == j and (i < k) is side)) for j in range(D)] for i in range(D)] for side in (True, False)]
    kept = [RationalMatrix(side).scaled(F(rng.randint(1, 5))).rows for side in sides]
    return by_hand(*((0, 0, F(1, 3), B) for B in (*kept, (Q.scaled(F(rng.randint(1, 5), 3))).rows)))


def restarting(rng: random.Random, grows: bool) -> tuple[Restarts, float]:
    """One context and one unknown, or two of each, with a memory of one number, and the exponent."""
    if grows or rng.random() < 0.7:
        a = F(rng.randint(5, 9), 4) if grows else F(rng.randint(-3, 3), 4)
        s, p = F(rng.randint(1, 4)), F(rng.randint(4, 6) if grows else rng.randint(1, 5), 8)
        K = F(rng.randint(1, 3)), F(rng.randint(1, 5), 3)
        numbers = p, a, s, F(1, rng.randint(1, 3) if grows else rng.randint(50, 9_999)), K
        return of_one(*numbers), series(*numbers)
    p, a = F(rng.randint(1, 2), 8), F(rng.randint(4, 6), 4)
    return along_two(p, a), max(
        series(p, a, ONE, cut, (F(0), slope)) for cut, slope in ((F(1, 8), ONE), (F(1, 16), HALF))
    )


def with_drift(system: JumpSystem, cells: int = 2_048) -> PathSign:
    """What is decided, with the drift on directions where nothing is certified."""
    found = decide_paths(system, ONE, cells=cells)
    if found.sign is not None or system.size < 3:
        return found
    words = return_words(on_class(system), ONE)
    got = "too many words" if words is None else by_drift(words)
    return replace(found, sign=got.sign, enclosed=got) if isinstance(got, EnclosedExponent) else found


@cache
def cases() -> tuple[Case, ...]:
    """The three hundred."""
    rng, made = random.Random(0), list[Case]()
    for k in range(COUNTS["triangular"]):
        system, rate = triangular(rng, DIMENSIONS[k % len(DIMENSIONS)], rng.randint(1, 3))
        made.append(Case("triangular", system, decide_paths(system, ONE, cells=1_024), rate))
    for _ in range(COUNTS["stretched plane"]):
        system = stretched(rng, F(rng.randint(4, 9), 4))
        made.append(Case("stretched plane", system, with_drift(system)))
    for _ in range(COUNTS["stretched space"]):
        system = in_space(1 + F(rng.randint(0, 4), 32))
        made.append(Case("stretched space", system, with_drift(system)))
    for k in range(COUNTS["projections"]):
        system = projected(rng, 2 + k % 5)
        made.append(Case("projections", system, decide_paths(system, ONE), -inf))
    for k in range(COUNTS["restarts"]):
        of, rate = restarting(rng, k % 2 == 0)
        made.append(Case("restarts", of, decide_restarts(of), rate))
    return tuple(made)


# ---- simulation


@dataclass(frozen=True)
class Simulated:
    """By run: log ‖Π_T‖/T, and (log |y_T| − log |y_0|)/T; −∞ where it is zero."""

    product: Floats
    path: Floats


def _along(systems: Sequence[JumpSystem], rng: np.random.Generator) -> Callable[[], Floats]:
    """The matrices of all runs of all these systems, of one dimension, at each time; from the law of the one class."""
    B, target, ends, leaving, node = list[Floats](), list[int](), list[list[float]](), list[list[int]](), list[Places]()
    for system in systems:
        found, first, begun = on_class(system), len(leaving), len(B)
        moves = found.system.moves
        B += [np.eye(system.size) + move.K.to_float() for move in moves]
        target += [first + move.target for move in moves]
        for h in range(len(found.law)):
            out = [begun + k for k, move in enumerate(moves) if move.source == h]
            sums = np.cumsum([float(moves[k - begun].p) for k in out])
            leaving.append(out + out[-1:] * (MOST - len(out)))
            ends.append([*sums[:-1].tolist(), *[2.0] * (MOST - len(out) + 1)])
        node.append(first + rng.choice(len(found.law), RUNS, p=[float(x) for x in found.law]))
    matrices, after, here = np.array(B), np.array(target), np.concatenate(node)
    limits, chosen = np.array(ends), np.array(leaving)

    def step() -> Floats:
        nonlocal here
        taken = chosen[here, (limits[here] <= rng.random(len(here))[:, None]).sum(axis=1)]
        here = after[taken]
        return np.asarray(matrices[taken])

    return step


def _behind_cuts(of: Restarts, rng: np.random.Generator) -> Callable[[], Floats]:
    """The same of one system with a memory of one number, which has been moved for a while."""
    context, memory = np.zeros(RUNS, dtype=int), np.zeros(RUNS)
    zero = RationalMatrix.zeros(of.D, of.D)
    rows = [
        (
            move.source,
            move.target,
            float(move.p),
            float(move.R.get((0, 0), 0)),
            float(move.s.get(0, 0)),
            np.eye(of.D) + move.parts.get(1, zero).to_float(),
            move.parts.get(0, zero).to_float(),
        )
        for move in of.passages
    ]

    def step() -> Floats:
        nonlocal context, memory
        u, B = rng.random(RUNS), np.empty((RUNS, of.D, of.D))
        after, moved = context.copy(), memory.copy()
        for h in range(of.contexts):
            low = 0.0
            own = [row for row in rows if row[0] == h]
            for k, (_, target, p, R, s, constant, slope) in enumerate(own):
                here = (context == h) & (u >= low) & ((u < low + p) | (k == len(own) - 1))
                B[here] = constant + memory[here, None, None] * slope
                after[here], moved[here] = target, R * memory[here] + s
                low += p
        context, memory = after, moved
        return B

    for _ in range(BEGUN):
        step()
    return step


def _measured(D: int, step: Callable[[], Floats], count: int, rng: np.random.Generator) -> list[Simulated]:
    """What ``count`` systems of dimension D do."""
    y = rng.standard_normal((count * RUNS, D, 1))
    state = np.concatenate([np.tile(np.eye(D), (len(y), 1, 1)), y / np.linalg.norm(y, axis=1, keepdims=True)], axis=2)
    total = np.zeros((2, len(y)))
    with np.errstate(divide="ignore"):
        for _ in range(STEPS):
            state = step() @ state
            squares = state * state
            sizes = np.sqrt([squares[:, :, :D].sum(axis=(1, 2)), squares[:, :, D].sum(axis=1)])
            total += np.log(sizes)
            sizes[sizes == 0] = 1.0
            state[:, :, :D] /= sizes[0][:, None, None]
            state[:, :, D] /= sizes[1][:, None]
    return [Simulated(*one) for one in (total / STEPS).reshape(2, count, RUNS).transpose(1, 0, 2)]


@cache
def runs() -> tuple[Simulated, ...]:
    """Of each case."""
    found = dict[int, Simulated]()
    for D in range(1, 7):
        rng = np.random.default_rng(D)
        own = {k: case.of for k, case in enumerate(cases()) if isinstance(case.of, JumpSystem) and case.of.size == D}
        found.update(zip(own, _measured(D, _along(list(own.values()), rng), len(own), rng), strict=True))
    for k, case in enumerate(cases()):
        if isinstance(case.of, Restarts):
            rng = np.random.default_rng((k, 1))
            (found[k],) = _measured(case.of.D, _behind_cuts(case.of, rng), 1, rng)
    return tuple(found[k] for k in range(len(found)))


def contradicted(seen: Simulated, low: float, high: float, room: float, share: float) -> bool:
    """Whether the runs contradict low ≤ λ₁ ≤ high; falsely with probability at most 2 ``share``."""
    if not np.isfinite(seen.product).all():  # differences have become zero
        return low > -inf
    wrong = (seen.product < low - ROUNDED).sum(), (seen.path - room / STEPS > high + ROUNDED).sum()
    # so many or more of independent runs, each on the wrong side with probability at most ONE_SIDE
    return bool(scipy.stats.binom.sf(max(wrong) - 1, RUNS, ONE_SIDE) <= share)


@pytest.mark.thorough
def test_no_bound_is_contradicted(error_budget: ErrorBudget) -> None:
    assert len(cases()) == sum(COUNTS.values()) == 300
    share = error_budget.spend("random systems and their exponents", SHARE) / (2 * len(cases()))
    wrong = [
        (case.family, k, case.low, case.high)
        for k, (case, seen) in enumerate(zip(cases(), runs(), strict=True))
        if contradicted(seen, case.low, case.high, case.room, share)
    ]
    assert not wrong


@pytest.mark.thorough
def test_every_kind_decides_some_and_none_against_what_is_known() -> None:
    met = Counter(kind for case in cases() if case.found.sign is not None for kind in case.kinds)
    assert all(met[kind] >= least for kind, least in LEAST.items()), met
    assert {case.of.size for case in cases() if isinstance(case.of, JumpSystem)} == set(range(1, 7))
    for case in cases():
        if case.known is not None:
            # closed forms are in floats, off by far less than 1e-9
            assert case.low - 1e-9 <= case.known <= case.high + 1e-9
            assert case.found.sign is None or case.found.sign == np.sign(round(case.known, 9))
    signs = Counter(case.found.sign for case in cases())
    assert signs[1] > 60 and signs[-1] > 60


@pytest.mark.thorough
def test_differences_become_zero_where_a_product_is() -> None:
    """The two projections follow each other with probability 1/9 at every time: none of 750 pairs of moves is one with
    probability (8/9)^750 < 1e-38 a run.
    """
    for case, seen in zip(cases(), runs(), strict=True):
        if case.family == "projections":
            assert case.found.sign == -1 and np.isneginf(seen.path).all()
    assert 10 * RUNS * exp(STEPS / 2 * log(8 / 9)) < 1e-35


# ---- mistakes


def _missing_half(case: Case) -> tuple[float, float]:
    """−Σ π log w in the place of half of it."""
    return case.low, 2 * case.high


def _turned_weights(case: Case) -> tuple[float, float]:
    """+½ Σ π log w: w for 1/w."""
    return case.low, -case.high


def _law_for_probability(case: Case) -> tuple[float, float]:
    """With π_e = π_h p_e in the place of p_e the same forms fall with weights that are 1/π_h times as large."""
    assert isinstance(case.of, JumpSystem)
    found = on_class(case.of)
    (shown,) = (x for x in case.found.shown if isinstance(x, Forms))
    wrong = [w / found.law[move.source] for w, move in zip(shown.weights, found.system.moves, strict=True)]
    return case.low, float(-log_sum(zip(found.flow, wrong, strict=True)) / 2)


def _missing_dimension(case: Case) -> tuple[float, float]:
    """Σ π log |det| without 1/D."""
    (shown,) = (x for x in case.found.shown if isinstance(x, Determinants))
    return float(shown.bound) * len(shown.block), case.high


MISTAKES: Sequence[tuple[Callable[[Case], tuple[float, float]], type, Callable[[Case], bool]]] = (
    (_missing_half, Forms, lambda case: case.high < 0),
    (_turned_weights, Forms, lambda case: case.high > 0),
    (_law_for_probability, Forms, lambda case: isinstance(case.of, JumpSystem) and len(case.of.windows) > 1),
    (_missing_dimension, Determinants, lambda case: case.low > 0 and isinstance(case.of, JumpSystem)),
    (_missing_half, RestartForms, lambda case: case.high < 0),
)
"""A mistake, the kind it is made in, and of which systems: elsewhere the bound that it makes may be true."""
SEEN = 0.25
"""Of these, the part in which the mistake is seen at least: where the true bound is near enough."""


@pytest.mark.thorough
@pytest.mark.parametrize(("mistake", "kind", "where"), MISTAKES, ids=lambda x: getattr(x, "__name__", ""))
def test_a_mistake_is_contradicted(
    mistake: Callable[[Case], tuple[float, float]], kind: type, where: Callable[[Case], bool]
) -> None:
    """With the same share of the budget as the bounds as they are."""
    asked, caught = 0, 0
    for case, seen in zip(cases(), runs(), strict=True):
        if kind in case.kinds | {type(x) for x in case.found.shown} and where(case):
            low, high = mistake(case)
            asked += 1
            caught += contradicted(seen, low, high, case.room, SHARE / (2 * len(cases())))
    assert asked >= 5 and caught >= SEEN * asked, (asked, caught)
