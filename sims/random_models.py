"""Seeded random models with exact rational entries.

Every generator takes a NumPy generator (``tdcert.sims.streams.generator``) and draws integers, so that probabilities
are rationals with small denominators and rows sum to exactly one. The parts (chains, policies, features,
schedules) go together into a model with :func:`assemble`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

if TYPE_CHECKING:  # NumPy reads its generators when something is drawn
    from numpy.random import Generator

GRAIN = 16
"""Weights are drawn from 1 … GRAIN."""


def garnet(rng: Generator, n: int, actions: int, branching: int) -> tuple[RationalMatrix, ...]:
    """Garnet transitions: each (state, action) leads to ``branching`` states drawn without replacement, with
    random weights.

    One n×n matrix per action. Archibald, McKinnon and Thomas 1995; parametrised as in Bhatnagar, Sutton, Ghavamzadeh
    and Lee 2009 (there, cut points of uniforms; here, integer weights). Nothing makes the chain irreducible.
    """
    if not 1 <= branching <= n or actions < 1:
        raise InputError(
            f"Garnet with {n} states, {actions} actions, branching {branching}: give 1 ≤ branching ≤ states"
        )
    return tuple(
        RationalMatrix([_row(rng, n, rng.permutation(n)[:branching]) for _ in range(n)]) for _ in range(actions)
    )


def uniform_mdp(rng: Generator, n: int = 100, actions: int = 5) -> tuple[Model, tuple[Fraction, ...]]:
    """The "100-state random walk" of A5.1, on-policy and tabular, and its start law.

    Transitions, policy and start law have entries uniform on [0,1] plus a small constant, normalised; rewards are
    uniform on [0,1] per transition. Here uniform means k/1000 with k = 0 … 1000, and the constant is 1/1000.
    """

    def laws(rows: int, columns: int) -> RationalMatrix:
        return from_weights([[int(x) + 1 for x in rng.integers(0, 1001, columns)] for _ in range(rows)])

    transitions = tuple(laws(n, n) for _ in range(actions))
    reward = tuple(_drawn(rng, n, n, 0, 1000, 1000) for _ in range(actions))
    phi = features(rng, n, n, "one_hot")
    model = assemble(transitions, reward, Fraction(19, 20), laws(n, actions), None, phi, Schedule())
    return model, laws(1, n).rows[0]


def connected(P: RationalMatrix, weight: Fraction = Fraction(1, GRAIN)) -> RationalMatrix:
    """P mixed with the cycle 0 → 1 → … → 0: irreducible whatever P is."""
    n = P.shape[0]
    cycle = RationalMatrix([[int(j == (i + 1) % n) for j in range(n)] for i in range(n)])
    return P.scaled(1 - weight) + cycle.scaled(weight)


def policy(rng: Generator, n: int, actions: int) -> RationalMatrix:
    """A random policy (n×m) that gives every action a positive probability."""
    return from_weights([[_weight(rng) for _ in range(actions)] for _ in range(n)])


def uncovered_policies(rng: Generator, n: int, actions: int) -> tuple[RationalMatrix, RationalMatrix]:
    """Behaviour and target (n×m, m ≥ 2): the target takes every action, the behaviour never the last one in
    one state."""
    if actions < 2:
        raise InputError("coverage cannot be missing with one action; give at least two")
    target = [[_weight(rng) for _ in range(actions)] for _ in range(n)]
    behaviour = [[_weight(rng) for _ in range(actions)] for _ in range(n)]
    behaviour[int(rng.integers(n))][-1] = 0
    return from_weights(behaviour), from_weights(target)


def features(rng: Generator, n: int, d: int, kind: str = "random") -> RationalMatrix:
    """Features (n×d): ``random`` integers of full column rank, ``one_hot`` (d = n), ``aggregated`` (groups),
    ``deficient``."""
    if kind == "one_hot":
        if d != n:
            raise InputError(
                f"one-hot features need as many columns as states; {d} columns for {n} states were asked for"
            )
        return RationalMatrix([[int(i == j) for j in range(n)] for i in range(n)])
    if kind == "aggregated":
        return RationalMatrix([[int(i * d // n == j) for j in range(d)] for i in range(n)])
    entries = [[int(x) for x in rng.integers(-2, 3, d)] for _ in range(n)]
    if kind == "deficient":
        entries[0][0] = 1
        for row in entries:
            row[-1] = sum(row[:-1])
        return RationalMatrix(entries)
    if kind != "random" or d > n:
        raise InputError(f"{d} features of kind '{kind}' for {n} states cannot be drawn with full column rank")
    # a unit lower triangle in d random rows makes the columns independent
    for j, s in enumerate(rng.permutation(n)[:d]):
        entries[s] = [*entries[s][:j], 1, *[0] * (d - j - 1)]
    return RationalMatrix(entries)


def schedule(rng: Generator, length: int) -> Schedule:
    """λ_1 … λ_L in {1/8, …, 8/8}, so that L is as asked."""
    return Schedule(tuple(Fraction(int(rng.integers(1, 9)), 8) for _ in range(length)))


def rewards(rng: Generator, n: int, actions: int, per_transition: bool = False) -> tuple[RationalMatrix, ...]:
    """Rewards in {−8, …, 8}/8 per action: n×1, or n×n."""
    columns = n if per_transition else 1
    return tuple(_drawn(rng, n, columns, -8, 8, 8) for _ in range(actions))


def discounts(rng: Generator, n: int, actions: int) -> tuple[RationalMatrix, ...]:
    """Discounts per transition in {0, 1/8, …, 7/8}, n×n per action: some transitions restart."""
    return tuple(_drawn(rng, n, n, 0, 7, 8) for _ in range(actions))


def assemble(
    transitions: Sequence[RationalMatrix],
    reward: Sequence[RationalMatrix],
    discount: Fraction | Sequence[RationalMatrix],
    behaviour: RationalMatrix,
    target: RationalMatrix | None,
    phi: RationalMatrix,
    lambdas: Schedule,
    name: str = "",
) -> Model:
    """A model from its parts; ``target`` None means on-policy, a single discount is the same for all transitions."""
    n = transitions[0].shape[0]
    if isinstance(discount, Fraction):
        discount = (RationalMatrix.column([discount] * n),) * len(transitions)
    names = tuple(f"a{k}" for k in range(len(transitions)))
    tables = tuple(transitions), tuple(reward), tuple(discount)
    return Model(names, *tables, behaviour, behaviour if target is None else target, phi, lambdas, name)


def random_model(
    rng: Generator,
    n: int,
    d: int,
    length: int,
    *,
    actions: int = 2,
    on_policy: bool = False,
    coverage: bool = True,
    branching: int | None = None,
    gamma: Fraction | None = Fraction(4, 5),
    kind: str = "random",
    name: str = "",
) -> Model:
    """An irreducible Garnet model of the given sizes; ``gamma`` None draws a discount for every transition."""
    P = tuple(connected(M) for M in garnet(rng, n, actions, branching or n))
    behaviour, target = policy(rng, n, actions), policy(rng, n, actions)
    if not coverage:
        behaviour, target = uncovered_policies(rng, n, actions)
    return assemble(
        P,
        rewards(rng, n, actions),
        discounts(rng, n, actions) if gamma is None else gamma,
        behaviour,
        None if on_policy else target,
        features(rng, n, d, kind),
        schedule(rng, length),
        name,
    )


def share_out(weights: Sequence[int]) -> list[Fraction]:
    """The probabilities in the ratio of whole numbers ≥ 0, one of them above zero."""
    return [Fraction(w, sum(weights)) for w in weights]


def from_weights(rows: Sequence[Sequence[int]]) -> RationalMatrix:
    """A law per row, in the ratio of its weights."""
    return RationalMatrix([share_out(row) for row in rows])


def _drawn(rng: Generator, rows: int, columns: int, low: int, high: int, denominator: int) -> RationalMatrix:
    """Entries k/denominator, k = low … high."""
    return RationalMatrix(
        [[Fraction(int(x), denominator) for x in rng.integers(low, high + 1, columns)] for _ in range(rows)]
    )


def _weight(rng: Generator) -> int:
    return int(rng.integers(1, GRAIN + 1))


def _row(rng: Generator, n: int, places: Sequence[int] | np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[Fraction]:
    """A probability row with random weights at the given places."""
    weights = [0] * n
    for place in places:
        weights[int(place)] = _weight(rng)
    return share_out(weights)
