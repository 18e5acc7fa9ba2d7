"""Boxes of small models: finite sets that can be searched whole (``tdcert.claims.search``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule


def _lambdas(schedule: Schedule) -> list[str]:
    """λ_1, λ_2, … in print; of a schedule without end the first two."""
    tail = [f"{schedule.tail}"] * 2 + ["…"] if schedule.tail else []
    return [*map(str, schedule.lambdas), *tail]


@dataclass(frozen=True)
class Box:
    """A finite set of models.

    ``states``, ``features``: largest numbers of each. ``denominator``: of transition and policy probabilities.
    ``entries``: values of features; ``rewards``: values of rewards on leaving a state; ``gammas``, ``schedules``: as
    listed. ``off_policy``: two actions, each with a sure successor in every state, and policies of that denominator;
    else one action. ``rewards_of_actions``: the two actions of an off-policy box earn different rewards.
    """

    states: int = 2
    features: int = 1
    denominator: int = 2
    entries: tuple[int, ...] = (0, 1)
    rewards: tuple[int, ...] = (1,)
    gammas: tuple[Fraction, ...] = (Fraction(1, 2),)
    schedules: tuple[Schedule, ...] = (Schedule(),)
    off_policy: bool = False
    rewards_of_actions: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "schedules", tuple(dict.fromkeys(self.schedules)))  # equal ones count once

    def __str__(self) -> str:
        lambdas = ", ".join("(" + ", ".join(_lambdas(s)) + ")" for s in self.schedules)
        policies = "two actions with sure successors, policies" if self.off_policy else "one action, probabilities"
        earned = "rewards of actions" if self.rewards_of_actions else "rewards"
        return (
            f"up to {self.states} states and {self.features} features, {policies} with denominators up to "
            f"{self.denominator}, feature entries in {{{', '.join(map(str, self.entries))}}}, {earned} in "
            f"{{{', '.join(map(str, self.rewards))}}}, γ in {{{', '.join(map(str, self.gammas))}}}, λ in {{{lambdas}}}"
        )

    def shapes(self) -> Iterator[tuple[int, int]]:
        """(states, features), fewest states first."""
        return product(range(1, self.states + 1), range(1, self.features + 1))

    def models(self, n: int, d: int) -> Iterator[Model]:
        """Every model of one shape."""
        rows = list(product(self.entries, repeat=d))
        for gamma, schedule in product(self.gammas, self.schedules):
            for phi in product(rows, repeat=n):
                features = RationalMatrix(phi)
                for rewards in product(self.rewards, repeat=n):
                    yield from self._with(n, features, rewards, gamma, schedule)

    def _with(
        self, n: int, features: RationalMatrix, rewards: tuple[int, ...], gamma: Fraction, schedule: Schedule
    ) -> Iterator[Model]:
        r = RationalMatrix.column(rewards)
        others = product(self.rewards, repeat=n) if self.rewards_of_actions else (rewards,)
        if not self.off_policy:
            for P in product(laws(n, self.denominator), repeat=n):
                yield Model.reward_process(RationalMatrix(P), r, gamma, features, schedule)
            return
        sure = [tuple(int(i == j) for j in range(n)) for i in range(n)]
        discount = RationalMatrix.column([gamma] * n)
        moves = [RationalMatrix(P) for P in product(sure, repeat=n)]
        policies = [RationalMatrix(p) for p in product(laws(2, self.denominator), repeat=n)]
        for other, first, second in product(map(RationalMatrix.column, others), moves, moves):
            for behaviour, target in product(policies, repeat=2):
                yield Model(
                    ("a", "b"), (first, second), (r, other), (discount, discount), behaviour, target, features, schedule
                )


@dataclass(frozen=True)
class UncoveredBox(Box):
    """One state, two actions with rewards of their own, every pair of policies: where coverage can fail."""

    states: int = 1
    rewards: tuple[int, ...] = (0, 1)

    def __str__(self) -> str:
        policies = f"policies with denominators up to {self.denominator}"
        return f"one state, two actions with rewards in {{0, 1}}, {policies}, γ = {self.gammas[0]}"

    def models(self, n: int, d: int) -> Iterator[Model]:
        one = RationalMatrix([[1]])
        discount = one.scaled(self.gammas[0])
        for first, second in product(self.rewards, repeat=2):
            for behaviour, target in product(laws(2, self.denominator), repeat=2):
                yield Model(
                    ("a", "b"),
                    (one, one),
                    (one.scaled(first), one.scaled(second)),
                    (discount, discount),
                    RationalMatrix([behaviour]),
                    RationalMatrix([target]),
                    one,
                    Schedule(),
                )


@dataclass(frozen=True)
class StateDiscountBox(Box):
    """One action, and a discount that depends on the state left: each from ``gammas``."""

    def __str__(self) -> str:
        return super().__str__() + " in each state"

    def models(self, n: int, d: int) -> Iterator[Model]:
        rows = list(product(self.entries, repeat=d))
        for schedule, phi, rewards in product(self.schedules, product(rows, repeat=n), product(self.rewards, repeat=n)):
            for discounts in product(self.gammas, repeat=n):
                table = RationalMatrix([[gamma] * n for gamma in discounts])
                for P in product(laws(n, self.denominator), repeat=n):
                    yield Model.reward_process(
                        RationalMatrix(P), RationalMatrix.column(rewards), table, RationalMatrix(phi), schedule
                    )


@cache
def laws(n: int, denominator: int) -> tuple[tuple[Fraction, ...], ...]:
    """Every probability law on n places whose entries have one common denominator up to the given one."""
    found = {
        tuple(Fraction(part, q) for part in parts)
        for q in range(1, denominator + 1)
        for parts in product(range(q + 1), repeat=n)
        if sum(parts) == q
    }
    return tuple(sorted(found, key=lambda law: (max(p.denominator for p in law), tuple(-p for p in law))))
