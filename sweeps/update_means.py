r"""The mean dynamics of a declared update on a whole batch of models, with every rounding bounded.

The function is evaluated on the polynomials of :mod:`tdcert.theory.engine.numbers`, in the numbers of a transition,
parameters, memory and step sizes, once for each case of what it compares. Their coefficients are then
:class:`~tdcert.sweeps.balls.Ball` for all transitions of all models at once; then the memory's mean by one linear
system, the mean matrix, and its sign by Routh. Where it is not sure which case holds, all count.

What it does not decide is for exact arithmetic: updates that read the transition before, look states up, or are not
linear in their step sizes are left to it altogether.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product
from operator import mul
from typing import Any

import numpy as np
from flint import fmpq

from tdcert.sweeps.balls import Ball, hurwitz_signs, solved, stacked, stationary
from tdcert.sweeps.batch import Batch
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.engine.declare import Algorithm, Slot
from tdcert.theory.engine.numbers import CASES, Cases, Exact, Kind, Refusal, Unsettled, exact, symbols
from tdcert.theory.engine.numbers import terms as monomials
from tdcert.theory.engine.transition import LOOKED_UP, ReadsBefore, Transition
from tdcert.theory.errors import InputError

SMALL = 2**24
"""Quotients of whole numbers below it, rounded once, compare as the exact ones do: different ones are at least 2⁻⁴⁸
apart, relative to their size. Those of a family are: weights up to 1,000, of at most eight actions."""

DIVISORS = 8
"""Most different numbers by which a function divides."""
VECTORS = ("phi", "phi_next")

Exponents = tuple[int, ...]
Key = tuple[int, int, int]
"""Parameter, entry of the memory, step size of a monomial; −1 for none."""
NONE: Key = (-1, -1, -1)


class Beyond(Exception):  # noqa: N818 -- not a fault: exact arithmetic decides then
    """The update does what polynomials with enclosed coefficients cannot follow."""


@dataclass(frozen=True)
class _BallLanes:
    """The numbers of some transitions of some models, an array each: one entry for each. ``sharp``: which of them are
    as they are given (see :data:`SMALL`), ``whole``: which are whole numbers.
    """

    names: tuple[str, ...]
    values: tuple[Ball, ...]
    sharp: frozenset[int]
    whole: frozenset[int]


def signs(batch: Batch, algorithm: Algorithm, ratios: Sequence[Fraction]) -> Any:
    """(size,): +1 where the mean dynamics at these ratios of the steps certainly are stable, −1 where they certainly
    are unstable, 0 where that is for exact arithmetic. Behaviour chains that are not irreducible give 0.
    """
    try:
        return _signs(batch, algorithm, ratios)
    except (Beyond, Refusal, ReadsBefore, InputError, TypeError, AttributeError, IndexError, ValueError):
        return np.zeros(batch.size, dtype=np.int64)


def _signs(batch: Batch, algorithm: Algorithm, ratios: Sequence[Fraction]) -> Any:
    n, d, m = batch.shape
    size = batch.size
    parameters, memory = algorithm.slots(d)
    D, M = sum(x.size for x in parameters), sum(x.size for x in memory)
    numbers, weight = _transitions(batch)
    found = _Evaluation(algorithm, (*parameters, *memory), numbers)
    lanes = n * m * n
    terms = [{key: _spread(x, lanes, size) for key, x in entry.items()} for entry in found.terms]
    mu, P = _laws(batch.behaviour), _laws(batch.transitions)  # (n, m, size), (m, n, n, size)
    chain = stacked([mu[:, a, None] * P[a] for a in range(m)]).sum()
    law = stationary(chain)
    p = weight.reshape(n, m, n, size)

    def into(values: Ball) -> Ball:
        """Σ_a p·values over transitions, (lanes, size) → (n, n, size): from, to."""
        whole = p * values.reshape(n, m, n, size)
        return Ball(whole.value.swapaxes(0, 1), whole.error.swapaxes(0, 1)).sum()

    decided = np.ones(size, dtype=bool)
    u: list[list[Ball]] = []
    if M:
        zero = Ball.of(np.zeros((n, n, size)))
        R = [
            [into(terms[D + i][-1, j, -1]) if (-1, j, -1) in terms[D + i] else zero for j in range(M)] for i in range(M)
        ]
        sizes = [
            [into(abs(terms[D + i][-1, j, -1])) if (-1, j, -1) in terms[D + i] else zero for j in range(M)]
            for i in range(M)
        ]
        s = [into(terms[D + i][NONE]) if NONE in terms[D + i] else zero for i in range(M)]
        if any(set(entry) - {(-1, j, -1) for j in range(-1, M)} for entry in terms[D:]):
            raise Beyond
        reach = solved(_one_minus(sizes, n, M), Ball.of(np.ones((n * M, size))))
        decided &= np.all(reach.positive, axis=0)
        right = stacked([stacked([s[i][h, k] * law[h] for h in range(n)]).sum() for k in range(n) for i in range(M)])
        mean = solved(_one_minus(R, n, M), right)
        u = [[mean[h * M + j] for j in range(M)] for h in range(n)]
    J = [[Ball.of(np.zeros(size)) for _ in range(D)] for _ in range(D)]
    left = np.repeat(np.arange(n), m * n)  # the state that each transition leaves
    held = {-1: weight * law[left]} | {j: weight * stacked([u[h][j] for h in range(n)])[left] for j in range(M)}
    for i in range(D):
        for (column, entry, step), x in terms[i].items():
            if step < 0:
                if (column, entry) != (i, -1) or (x.value != 1).any() or x.error.any():
                    raise Beyond
            elif column >= 0:
                flow = (x * held[entry]).sum()
                J[i][column] = J[i][column] + (flow if ratios[step] == 1 else Ball.of(Fraction(ratios[step])) * flow)
    matrix = stacked([stacked(row) for row in J])
    return np.where(decided, hurwitz_signs(matrix), 0)


def _one_minus(blocks: list[list[Ball]], n: int, M: int) -> Ball:
    """I − K with K[(to, i), (from, j)] = blocks[i][j][from, to]."""
    rows = []
    for to, i in product(range(n), range(M)):
        row = [-blocks[i][j][start, to] for start, j in product(range(n), range(M))]
        row[to * M + i] = Ball.of(np.ones(1)) + row[to * M + i]
        rows.append(stacked(row))
    return stacked(rows)


def _laws(weights: Any) -> Ball:
    """(size, …, columns) of weights → (…, columns, size) of probabilities."""
    total = weights.sum(axis=-1, keepdims=True)
    moved = [np.moveaxis(x, 0, -1) for x in (weights, np.broadcast_to(total, weights.shape))]
    return Ball.of(moved[0]) / Ball.of(moved[1])


def _spread(x: Ball, lanes: int, size: int) -> Ball:
    return Ball(*(np.broadcast_to(part, (lanes * size,)).reshape(lanes, size) for part in (x.value, x.error)))


def _transitions(batch: Batch) -> tuple[_BallLanes, Ball]:
    """What the update sees of (s, a, s'), for every model, and the probabilities μP: all (lanes·size,)."""
    n, d, m = batch.shape
    size = batch.size
    state, action, after = (x.ravel() for x in np.indices((n, m, n)))
    mu, pi, P = _laws(batch.behaviour), _laws(batch.target), _laws(batch.transitions)

    def flat(x: Ball) -> Ball:
        return Ball(x.value.reshape(-1), x.error.reshape(-1))

    above = batch.target * batch.behaviour.sum(axis=-1, keepdims=True)
    below = batch.behaviour * batch.target.sum(axis=-1, keepdims=True)
    rho = Ball.of(np.moveaxis(above, 0, -1)) / Ball.of(np.moveaxis(np.where(below == 0, 1, below), 0, -1))
    features = Ball.of(np.moveaxis(batch.features, 0, -1))
    gammas = [Ball.of(g) for g in batch.gammas]
    discounts = Ball(
        *(
            np.moveaxis(np.array([float(getattr(g, x)) for g in gammas])[batch.discounts], 0, -1)
            for x in ("value", "error")
        )
    )
    named = {
        **{f"phi[{k}]": flat(features[state, k]) for k in range(d)},
        **{f"phi_next[{k}]": flat(features[after, k]) for k in range(d)},
        "reward": flat(Ball.of(np.moveaxis(batch.rewards, 0, -1))[action, state]),
        "rho": flat(rho[state, action]),
        "pi": flat(pi[state, action]),
        "mu": flat(mu[state, action]),
        "discount": flat(discounts[action, state]),
    }
    sharp = frozenset(range(len(named) - 1))  # a discount is any fraction
    numbers = _BallLanes(tuple(named), tuple(named.values()), sharp, frozenset(range(2 * d + 1)))
    chosen = mu[state, action] * P[action, state, after]
    return numbers, chosen.reshape(len(state), size)


class _Evaluation:
    """The function on the lanes of a batch, case by case. ``terms``: the new parameters and memory, entry by entry, a
    ball around all cases where it is not known which of them holds.
    """

    def __init__(self, algorithm: Algorithm, slots: Sequence[Slot], numbers: _BallLanes) -> None:
        self.algorithm, self.slots, self.numbers = algorithm, slots, numbers
        self.lanes = len(numbers.values[0].value)
        names = [(name, Kind.GIVEN) for name in (*numbers.names, *(f"1/{k}" for k in range(DIVISORS)))]
        kinds = [Kind.PARAMETER if k < len(algorithm.parameters) else Kind.MEMORY for k in range(len(slots))]
        entries = [(f"{slot.name}{k}", kind) for slot, kind in zip(slots, kinds, strict=True) for k in range(slot.size)]
        found = symbols([*names, *entries, *((step, Kind.STEP) for step in algorithm.steps)])
        self.given, self.learnt = found[: len(names)], found[len(names) : len(names) + len(entries)]
        self.steps = found[len(names) + len(entries) :]
        self.D = sum(slot.size for slot, kind in zip(slots, kinds, strict=True) if kind is Kind.PARAMETER)
        self.terms: list[dict[Key, Ball]] = [{} for _ in entries]
        self.seen = np.zeros(self.lanes, dtype=bool)
        self.products: dict[Exponents, Ball | None] = {}
        with np.errstate(all="ignore"):  # a divisor may be zero where another case holds
            self._explore(np.ones(self.lanes, dtype=bool), {})

    def _explore(self, chosen: Any, signs: Mapping[str, int]) -> None:
        cases = Cases(signs, self.given[len(self.numbers.names) :])
        token = CASES.set(cases)
        try:
            returned = self._called()
        except Unsettled as asked:
            for sign, possible in self._signs(asked.gap, cases).items():
                if (chosen & possible).any():
                    self._explore(chosen & possible, {**signs, str(asked.gap): sign})
            return
        finally:
            CASES.reset(token)
        again, nothing = chosen & self.seen, Ball.of(np.zeros(self.lanes))
        self.seen |= chosen
        for place, entry in enumerate(returned):
            before, now = self.terms[place], self._by_key(entry)
            for key in {**before, **now}:
                new, old = self._value(now.get(key, []), cases), before.get(key, nothing)
                both = old.error + np.abs(new.value - old.value) * (1 + 2.0**-40) + new.error
                value = np.where(chosen & ~again, new.value, old.value)
                before[key] = Ball(value, np.where(again, both, np.where(chosen, new.error, old.error)))

    def _signs(self, gap: Exact, cases: Cases) -> dict[int, Any]:
        """Where it may be positive, negative and zero."""
        parts = monomials(gap)
        value, used = self._value(list(parts.items()), cases), {k for es in parts for k, e in enumerate(es) if e}
        if used <= self.numbers.whole and all(x.q == 1 for x in parts.values()) and (value.error < 0.5).all():
            value, sharp = Ball.of(np.rint(value.value)), True
        else:
            sharp = used <= self.numbers.sharp and _is_difference(parts)
        ways = (value.value > 0, value.value < 0) if sharp else (value.positive, value.negative)
        over, under = (np.broadcast_to(way, (self.lanes,)) for way in ways)
        left = ~(over | under)  # zero, where the sign is sharp
        return {1: over if sharp else over | left, -1: under if sharp else under | left, 0: left}

    def _by_key(self, entry: Exact) -> dict[Key, list[tuple[Exponents, fmpq]]]:
        found: dict[Key, list[tuple[Exponents, fmpq]]] = defaultdict(list)
        G, D, M = len(self.given), self.D, len(self.learnt) - self.D
        for exponents, x in monomials(entry).items():
            parts = [exponents[G : G + D], exponents[G + D : G + D + M], exponents[G + D + M :]]
            if any(sum(part) > 1 for part in parts):
                raise Beyond
            key = tuple(next((k for k, power in enumerate(part) if power), -1) for part in parts)
            found[key[0], key[1], key[2]].append((exponents[:G], x))
        return found

    def _value(self, parts: Sequence[tuple[Exponents, fmpq]], cases: Cases) -> Ball:
        """The value of a polynomial in the numbers of a transition, on all lanes."""
        total: Ball | None = None
        for exponents, x in parts:
            part = self._product(exponents, cases)
            if x == -1 and part is not None:
                part = -part
            elif x != 1 or part is None:
                number = Ball.of(int(x.p) if x.q == 1 else to_fraction(x))
                part = number if part is None else part * number
            total = part if total is None else total + part
        return Ball.of(0) if total is None else total

    def _product(self, exponents: Exponents, cases: Cases) -> Ball | None:
        """The monomial; None for 1."""
        if exponents not in self.products:
            factors = [self._number(k, cases) for k, power in enumerate(exponents) for _ in range(power)]
            found = reduce(mul, factors) if factors else None
            if any(exponents[len(self.numbers.values) :]):  # reciprocals are those of one case
                return found
            self.products[exponents] = found
        return self.products[exponents]

    def _number(self, k: int, cases: Cases) -> Ball:
        if k < len(self.numbers.values):
            return self.numbers.values[k]
        divisor = list(cases.divisors.values())[k - len(self.numbers.values)]
        return Ball.of(np.ones(self.lanes)) / self._value(list(monomials(divisor).items()), cases)

    def _called(self) -> list[Exact]:
        each, given = iter(self.learnt), dict(zip(self.numbers.names, self.given, strict=False))
        d = sum(name.startswith("phi[") for name in given)
        inputs = []
        for slot in self.slots:
            entries = np.empty(slot.size, dtype=object)
            entries[:] = [next(each) for _ in range(slot.size)]
            inputs.append(entries.reshape(slot.shape) if slot.shape else entries[0])
        vectors = {name: np.array([given[f"{name}[{k}]"] for k in range(d)], dtype=object) for name in VECTORS}
        t = Transition(
            state=None,  # type: ignore[arg-type]
            action=None,  # type: ignore[arg-type]
            next_state=None,  # type: ignore[arg-type]
            **vectors,
            **{name: given[name] for name in ("reward", "discount", "rho", "pi", "mu")},
            interest=Exact(fmpq(1)),
            expected_phi_next=None,  # for exact arithmetic, as what is looked up by state
            before={},
        ).without(LOOKED_UP)
        returned = self.algorithm.function(t, *inputs, *self.steps, **self.algorithm.exact_options())
        found = list[Exact]()
        parts = returned if isinstance(returned, tuple) else (returned,)
        for slot, part in zip(self.slots, parts, strict=True):
            for entry in np.array(part, dtype=object).reshape(slot.size).tolist():
                number = exact(entry)
                if number is None:
                    raise Beyond
                found.append(number)
        return found


def _is_difference(parts: Mapping[Exponents, fmpq]) -> bool:
    """Whether it is that of two symbols, or of one and a number that is small as :data:`SMALL` says."""
    small = all(max(abs(int(x.p)), int(x.q)) < SMALL for x in parts.values())
    units = sorted(x for exponents, x in parts.items() if any(exponents))
    linear = all(sum(exponents) <= 1 for exponents in parts)
    return small and linear and (units in ([1], [-1]) or (len(parts) == 2 and units == [-1, 1]))
