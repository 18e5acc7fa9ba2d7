"""Models while they are made smaller: laws as integer weights, and every way to take a little away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

Row = tuple[int, ...]
Rows = tuple[Row, ...]
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Draft:
    """n states, m actions: ``transitions`` (m tables n×n), ``behaviour`` and ``target`` (n×m) as integer weights.

    ``features`` n×d, ``rewards`` and ``discounts`` (m rows of n) on leaving a state.
    """

    transitions: tuple[Rows, ...]
    behaviour: Rows
    target: Rows
    features: tuple[tuple[Fraction, ...], ...]
    rewards: tuple[tuple[Fraction, ...], ...]
    discounts: tuple[tuple[Fraction, ...], ...]
    schedule: Schedule

    @staticmethod
    def of(model: Model) -> Draft:
        """The draft of a model. Raises ValueError where rewards or discounts depend on the state entered."""
        if any(X.shape[1] != 1 for X in (*model.rewards, *model.discounts)):
            raise ValueError("rewards and discounts must depend on the state left alone")
        return Draft(
            tuple(_weights(P.rows) for P in model.transitions),
            _weights(model.behaviour.rows),
            _weights(model.target.rows),
            model.features.rows,
            tuple(R.column_entries() for R in model.rewards),
            tuple(G.column_entries() for G in model.discounts),
            model.schedule,
        )

    def model(self, name: str = "") -> Model:
        """The model. Raises :class:`InputError` where it is none."""
        m = len(self.transitions)
        return Model(
            ("only",) if m == 1 else tuple(f"a{a + 1}" for a in range(m)),
            tuple(_laws(P) for P in self.transitions),
            tuple(RationalMatrix.column(r) for r in self.rewards),
            tuple(RationalMatrix.column(g) for g in self.discounts),
            _laws(self.behaviour),
            _laws(self.target),
            RationalMatrix(self.features),
            self.schedule,
            name,
        )

    def smaller(self) -> Iterator[Draft]:
        """Drafts with a little taken away or made simpler, the largest steps first; some have a row of zeros."""
        n, d, m = len(self.features), len(self.features[0]), len(self.transitions)
        if n > 1:
            for s in range(n):
                yield from self._without_state(s)
        if d > 1:
            for j in range(d):
                yield replace(self, features=tuple(_without(row, j) for row in self.features))
        if m > 1:
            yield from self._with_one_action()
            for a in range(m):
                yield self._without_action(a)
        yield from self._simpler_schedules()
        for g in sorted({x for row in self.discounts for x in row} | {HALF, Fraction(0)}, key=_height):
            yield replace(self, discounts=tuple(tuple(g for _ in row) for row in self.discounts))
        if m > 1:
            yield replace(self, target=self.behaviour)
        yield from self._smaller_numbers()

    def _without_state(self, s: int) -> Iterator[Draft]:
        """State s removed: what led there stays where it was, or goes to another state."""
        rest = replace(
            self,
            behaviour=_without(self.behaviour, s),
            target=_without(self.target, s),
            features=_without(self.features, s),
            rewards=tuple(_without(r, s) for r in self.rewards),
            discounts=tuple(_without(g, s) for g in self.discounts),
        )
        n = len(self.features)
        kept = [i for i in range(n) if i != s]
        for where in (None, *kept):
            tables = []
            for P in self.transitions:
                goal = {i: i if where is None else where for i in kept}
                tables.append(tuple(tuple(P[i][j] + (P[i][s] if j == goal[i] else 0) for j in kept) for i in kept))
            yield replace(rest, transitions=tuple(tables))

    def _with_one_action(self) -> Iterator[Draft]:
        """The chain of either policy, alone and on-policy, with the rewards and discounts of one action."""
        n = len(self.features)
        ones = ((1,),) * n
        for policy in (self.behaviour, self.target):
            mixed = [
                [
                    sum(
                        (
                            Fraction(policy[i][a], sum(policy[i])) * Fraction(P[i][j], sum(P[i]))
                            for a, P in enumerate(self.transitions)
                        ),
                        start=Fraction(0),
                    )
                    for j in range(n)
                ]
                for i in range(n)
            ]
            yield replace(
                self,
                transitions=(_weights(mixed),),
                behaviour=ones,
                target=ones,
                rewards=self.rewards[:1],
                discounts=self.discounts[:1],
            )

    def _without_action(self, a: int) -> Draft:
        return replace(
            self,
            transitions=_without(self.transitions, a),
            rewards=_without(self.rewards, a),
            discounts=_without(self.discounts, a),
            behaviour=tuple(_without(row, a) for row in self.behaviour),
            target=tuple(_without(row, a) for row in self.target),
        )

    def _simpler_schedules(self) -> Iterator[Draft]:
        lambdas, tail = self.schedule.lambdas, self.schedule.tail
        if lambdas or tail:
            yield replace(self, schedule=Schedule())
        for x in _simpler(tail):
            yield replace(self, schedule=Schedule((), x))
        for k in range(len(lambdas)):
            yield replace(self, schedule=Schedule(_without(lambdas, k)))
            for x in _simpler(lambdas[k]):
                yield replace(self, schedule=Schedule((*lambdas[:k], x, *lambdas[k + 1 :])))

    def _smaller_numbers(self) -> Iterator[Draft]:
        for a, P in enumerate(self.transitions):
            for table in _smaller_laws(P):
                yield replace(self, transitions=_put(self.transitions, a, table))
        for table in _smaller_laws(self.behaviour):
            yield replace(self, behaviour=table)
        for table in _smaller_laws(self.target):
            yield replace(self, target=table)
        for name in ("features", "rewards", "discounts"):
            rows = getattr(self, name)
            for i, row in enumerate(rows):
                for j, x in enumerate(row):
                    for y in _simpler(x):
                        if name != "discounts" or 0 <= y <= 1:
                            changed: dict[str, Any] = {name: _put(rows, i, _put(row, j, y))}
                            yield replace(self, **changed)


def _weights(rows: Sequence[Sequence[Fraction]]) -> Rows:
    found = []
    for row in rows:
        common = lcm(*(x.denominator for x in row))
        found.append(_primitive([int(x * common) for x in row]))
    return tuple(found)


def _primitive(row: Sequence[int]) -> Row:
    common = gcd(*row) or 1
    return tuple(w // common for w in row)


def _laws(rows: Rows) -> RationalMatrix:
    return RationalMatrix([[Fraction(w, sum(row) or 1) for w in row] for row in rows])


def _without(row: tuple[Any, ...], k: int) -> tuple[Any, ...]:
    return row[:k] + row[k + 1 :]


def _put(row: tuple[Any, ...], k: int, value: Any) -> tuple[Any, ...]:
    return (*row[:k], value, *row[k + 1 :])


def _smaller_laws(rows: Rows) -> Iterator[Rows]:
    """One row a sure outcome, or even on its support, or with one weight made smaller."""
    for i, row in enumerate(rows):
        support = [j for j, w in enumerate(row) if w]
        simple = [tuple(int(j == k) for j in range(len(row))) for k in support]
        simple.append(tuple(int(w > 0) for w in row))
        for j in support:
            simple += [_put(row, j, w) for w in (0, 1, row[j] // 2, row[j] - 1)]
        for other in dict.fromkeys(_primitive(r) for r in simple):
            if any(other) and other != row:
                yield _put(rows, i, other)


def _simpler(x: Fraction) -> list[Fraction]:
    """Numbers of smaller height near x or plain in themselves, the plainest first."""
    sign = -1 if x < 0 else 1
    near = [Fraction(0), Fraction(1), HALF, Fraction(sign), sign * HALF]
    near += [x - sign, Fraction(int(x)), Fraction(int(x / 2)), x.limit_denominator(2), x.limit_denominator(3)]
    return [y for y in dict.fromkeys(near) if _height(y) < _height(x)]


def _height(x: Fraction) -> tuple[int, int, bool]:
    denominator = x.denominator if x else 0
    return max(abs(x.numerator), denominator), abs(x.numerator) + denominator, x < 0
