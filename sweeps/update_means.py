r"""The mean dynamics of a declared update on a whole batch of models, with every rounding bounded.

As ``tdcert.theory.engine`` does on one model in fractions: the function is evaluated on polynomials in parameters,
memory and step sizes, whose coefficients are here :class:`~tdcert.sweeps.balls.Ball` for all transitions of all models
at once; then the memory's mean by one linear system, the mean matrix, and its sign by Routh. Where the function
branches and not all go the same way, it is evaluated once for each way; where it is not sure which way, both count.

What it does not decide is for exact arithmetic: updates that read the transition before, look states up, or are not
linear in their step sizes are left to it altogether.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from tdcert.sweeps.balls import Ball, hurwitz_signs, solved, stacked, stationary
from tdcert.sweeps.batch import Batch
from tdcert.theory.arithmetic.reflected import Reflected
from tdcert.theory.engine.declare import Algorithm, Slot
from tdcert.theory.engine.transition import ReadsBefore, Transition
from tdcert.theory.errors import InputError

SMALL = 2**24
"""Quotients of whole numbers below it, rounded once, compare as the exact ones do: different ones are at least 2⁻⁴⁸
apart, relative to their size. Those of a family are: weights up to 1,000, of at most eight actions."""

Key = tuple[int, int, int]
"""Parameter, entry of the memory, step size of a monomial; −1 for none."""
NONE: Key = (-1, -1, -1)


class Beyond(Exception):  # noqa: N818 -- not a fault: exact arithmetic decides then
    """The update does what polynomials with enclosed coefficients cannot follow."""


class Splits(Exception):  # noqa: N818 -- not a fault: the ways are evaluated one by one
    """The update asks for one answer where transitions differ: those with ``yes``, with ``no``, and unsure ones."""

    def __init__(self, yes: Any, no: Any, unsure: Any) -> None:
        super().__init__()
        self.yes, self.no, self.unsure = yes, no, unsure


class Decisions:
    """The answers to the comparisons of one evaluation, in their order; ``given``: those that are settled."""

    def __init__(self, given: Sequence[bool]) -> None:
        self.given, self.made = list(given), 0

    def answer(self, yes: Any, no: Any) -> bool:
        """Raises :class:`Splits` where transitions differ."""
        self.made += 1
        if self.made <= len(self.given):
            return self.given[self.made - 1]
        if not (yes.all() or no.all()):
            raise Splits(yes, no, ~(yes | no))
        self.given.append(bool(yes.all()))
        return self.given[-1]


class Poly(Reflected):
    """``terms``: coefficients by monomial. ``sharp``: a number of the transition as it is given (see :data:`SMALL`)."""

    __slots__ = ("decisions", "sharp", "terms")

    def __init__(self, terms: dict[Key, Ball], decisions: Decisions, sharp: bool = False) -> None:
        self.terms, self.decisions, self.sharp = terms, decisions, sharp

    def _like(self, x: Any) -> Poly | None:
        if isinstance(x, Poly):
            return x
        if isinstance(x, float | np.floating):
            x = Fraction(repr(float(x)))
        if isinstance(x, np.integer):
            x = int(x)
        if not isinstance(x, int | Fraction):
            return None
        exact = Fraction(x)
        return Poly({NONE: Ball.of(exact)}, self.decisions, max(abs(exact.numerator), exact.denominator) < SMALL)

    def _plus(self, y: Poly) -> Poly:
        both = {key: self.terms[key] + x for key, x in y.terms.items() if key in self.terms}
        return Poly({**self.terms, **y.terms, **both}, self.decisions)

    def __neg__(self) -> Poly:
        return Poly({key: -x for key, x in self.terms.items()}, self.decisions)

    def _times(self, y: Poly) -> Poly:
        found: dict[Key, Ball] = {}
        for (first, x), (second, z) in product(self.terms.items(), y.terms.items()):
            if any(a >= 0 and b >= 0 for a, b in zip(first, second, strict=True)):
                raise Beyond
            key = (max(first[0], second[0]), max(first[1], second[1]), max(first[2], second[2]))
            found[key] = found[key] + x * z if key in found else x * z
        return Poly(found, self.decisions)

    def _number(self) -> Ball:
        if set(self.terms) - {NONE}:
            raise Beyond
        return self.terms.get(NONE, Ball.of(0))

    def _over(self, y: Poly) -> Poly:
        divisor = y._number()
        return Poly({key: x / divisor for key, x in self.terms.items()}, self.decisions)

    def _compared(self, other: Any, how: Callable[[Any, Any], Any]) -> Any:
        y = self._like(other)
        if y is None:
            return NotImplemented
        gap = self._number() - y._number()
        if self.sharp and y.sharp:
            yes = np.asarray(how(gap.value, 0))
            return self.decisions.answer(yes, ~yes)
        yes, no = np.asarray(gap.positive), np.asarray(gap.negative)
        if how in (operator.eq, operator.ne):
            apart = yes | no
            yes, no = np.zeros_like(apart), apart
        turned = how in (operator.lt, operator.le, operator.ne)
        return self.decisions.answer(*((no, yes) if turned else (yes, no)))

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def _beyond(self, *_: Any) -> Any:
        raise Beyond

    __bool__ = __index__ = __int__ = __float__ = _beyond
    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class _BallLanes:
    """The numbers of some transitions of some models, an array each: one entry for each."""

    phi: Any
    phi_next: Any
    reward: Any
    discount: Any
    rho: Any
    pi: Any
    mu: Any


def signs(batch: Batch, algorithm: Algorithm, ratios: Sequence[Fraction]) -> Any:
    """(size,): +1 where the mean dynamics at these ratios of the steps certainly are stable, −1 where they certainly
    are unstable, 0 where that is for exact arithmetic. Behaviour chains that are not irreducible give 0.
    """
    try:
        return _signs(batch, algorithm, ratios)
    except (Beyond, ReadsBefore, InputError, TypeError, AttributeError, IndexError, ValueError):
        return np.zeros(batch.size, dtype=np.int64)


def _signs(batch: Batch, algorithm: Algorithm, ratios: Sequence[Fraction]) -> Any:
    n, d, m = batch.shape
    size = batch.size
    parameters, memory = algorithm.slots(d)
    D, M = sum(x.size for x in parameters), sum(x.size for x in memory)
    numbers, weight = _transitions(batch)
    found = _evaluated(algorithm, (*parameters, *memory), numbers)
    lanes = n * m * n
    terms = [{key: _spread(x, lanes, size) for key, x in entry.items()} for entry in found]
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
    numbers = _BallLanes(
        [flat(features[state, k]) for k in range(d)],
        [flat(features[after, k]) for k in range(d)],
        flat(Ball.of(np.moveaxis(batch.rewards, 0, -1))[action, state]),
        flat(discounts[action, state]),
        flat(rho[state, action]),
        flat(pi[state, action]),
        flat(mu[state, action]),
    )
    chosen = mu[state, action] * P[action, state, after]
    return numbers, chosen.reshape(len(state), size)


def _evaluated(
    algorithm: Algorithm, slots: Sequence[Slot], numbers: _BallLanes, given: Sequence[bool] = ()
) -> list[dict[Key, Ball]]:
    """The new parameters and memory on each transition, entry by entry."""
    decisions = Decisions(given)
    try:
        return _called(algorithm, slots, numbers, decisions)
    except Splits as ways:
        whole: list[dict[Key, Ball]] | None = None
        lanes = len(ways.yes)
        for answer, sure in ((True, ways.yes), (False, ways.no)):
            chosen = sure | ways.unsure
            if not chosen.any():
                continue
            part = _evaluated(algorithm, slots, _of(numbers, chosen), [*decisions.given, answer])
            whole = _merged(whole, part, chosen, sure, lanes)
        assert whole is not None
        return whole


def _of(numbers: _BallLanes, chosen: Any) -> _BallLanes:
    def take(x: Any) -> Any:
        return [take(y) for y in x] if isinstance(x, list) else x[chosen]

    return _BallLanes(*(take(getattr(numbers, name)) for name in numbers.__dataclass_fields__))


def _merged(
    whole: list[dict[Key, Ball]] | None, part: list[dict[Key, Ball]], chosen: Any, sure: Any, lanes: int
) -> list[dict[Key, Ball]]:
    """Puts a part in its place; where both ways count, a ball around both."""
    if whole is None:
        whole = [{} for _ in part]
        seen = np.zeros(lanes, dtype=bool)
    else:
        seen = chosen & ~sure
    found = []
    for before, now in zip(whole, part, strict=True):
        entry: dict[Key, Ball] = {}
        for key in {**before, **now}:
            old = before.get(key, Ball.of(np.zeros(lanes)))
            value, error = old.value.copy(), old.error.copy()
            new = now.get(key, Ball.of(0))
            v, e = np.zeros(lanes), np.zeros(lanes)
            v[chosen], e[chosen] = new.value, new.error
            gap = np.abs(v - value) * (1 + 2.0**-40)
            error = np.where(seen, error + gap + e, np.where(chosen, e, error))
            value = np.where(seen, value, np.where(chosen, v, value))
            entry[key] = Ball(value, error)
        found.append(entry)
    return found


def _called(
    algorithm: Algorithm, slots: Sequence[Slot], numbers: _BallLanes, decisions: Decisions
) -> list[dict[Key, Ball]]:
    def number(x: Ball, sharp: bool = True) -> Poly:
        return Poly({NONE: x}, decisions, sharp)

    def vector(entries: list[Any]) -> Any:
        found = np.empty(len(entries), dtype=object)
        found[:] = entries
        return found

    parameters = len(algorithm.parameters)
    one = Ball.of(1.0)
    inputs, count = list[Any](), [0, 0]
    for place, slot in enumerate(slots):
        kind = int(place >= parameters)
        entries = []
        for k in range(count[kind], count[kind] + slot.size):
            entries.append(Poly({(k, -1, -1) if kind == 0 else (-1, k, -1): one}, decisions))
        count[kind] += slot.size
        inputs.append(vector(entries).reshape(slot.shape) if slot.shape else entries[0])
    steps = [Poly({(-1, -1, k): one}, decisions) for k in range(len(algorithm.steps))]
    t = Transition(
        state=None,  # type: ignore[arg-type]
        action=None,  # type: ignore[arg-type]
        next_state=None,  # type: ignore[arg-type]
        phi=vector([number(x) for x in numbers.phi]),
        phi_next=vector([number(x) for x in numbers.phi_next]),
        reward=number(numbers.reward),
        discount=number(numbers.discount, False),  # any fraction
        rho=number(numbers.rho),
        pi=number(numbers.pi),
        mu=number(numbers.mu),
        interest=number(Ball.of(1.0)),
        expected_phi_next=None,  # for exact arithmetic, as what is looked up by state
        before={},
    )
    options = {name: _option(value) for name, value in algorithm.options.items()}
    returned = algorithm.function(t, *inputs, *steps, **options)
    found: list[dict[Key, Ball]] = []
    parts = returned if isinstance(returned, tuple) else (returned,)
    for slot, part in zip(slots, parts, strict=True):
        for entry in np.array(part, dtype=object).reshape(slot.size).tolist():
            poly = number(Ball.of(0))._like(entry)
            if poly is None:
                raise Beyond
            found.append(poly.terms)
    return found


def _option(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(_option(x) for x in value)
    return Fraction(repr(value)) if isinstance(value, float) else value
