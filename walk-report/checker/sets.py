"""Sets of models, made of counts.

A model of the set has a row of transition probabilities in the intervals of each pair of state and action (those that
leave a terminal state are one row, of the start), and the rest as it is given; an unknown behaviour policy has rows in
intervals, too. What the sums of `over_sets` ask of a set is the most that a state may give: the maximum over a policy
is convex in it, so it is one of the corners of its intervals (Puterman, Markov Decision Processes, 1994, 8.6).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product

from . import limits
from .budget import Rejected, bits_of, spend
from .matrices import stochastic
from .model import reached, read_schedule
from .reading import choice, items, read_matrix, read_number, read_vector, record, states
from .row_sets import Products, Row

ZERO = Fraction(0)
Numbers = list[Fraction]


class SetOfModels:
    """A set in canonical form, found valid: its intervals follow from its counts at `share`, all of them at `delta`."""

    def __init__(self, value: object):
        keys = "format delta share rows start terminal behaviour target discount features schedule"
        given = record(value, "model", keys.split())
        choice(given["format"], "model.format", ["tdcert-set/1"])
        features = items(given["features"], "model.features")
        self.n = n = len(features)
        if not 1 <= n <= limits.MAX_STATES:
            raise Rejected(f"model.features: there are {n} states, and the bounds are 1 and {limits.MAX_STATES}")
        self.d = len(items(features[0], "model.features[0]"))
        if not 1 <= self.d <= limits.MAX_FEATURES:
            raise Rejected(f"model.features: there are {self.d} features, and the bound is {limits.MAX_FEATURES}")
        self.Phi = read_matrix(features, "model.features", n, self.d)
        self.terminal = set(states(given["terminal"], "model.terminal", n) if given["terminal"] != [] else [])
        self.delta, self.share = (read_number(given[key], f"model.{key}") for key in ("delta", "share"))
        self.discount = read_number(given["discount"], "model.discount")
        self.schedule = given["schedule"]
        self.lambdas, self.constant = read_schedule(self.schedule)
        if not 0 < self.share <= self.delta < 1:
            raise Rejected("model.delta: 0 < share <= delta < 1 fails")
        if not 0 <= self.discount <= 1 or any(not 0 <= x <= 1 for x in self.lambdas):
            raise Rejected("model.discount: it or a lambda is outside [0, 1]")
        if any(self.Phi[s] for s in self.terminal):
            raise Rejected("model.features: a terminal state has features that are not zero")
        rows = [items(x, f"model.rows[{s}]") for s, x in enumerate(items(given["rows"], "model.rows", n))]
        self.m = m = len(rows[0])
        if not 1 <= m <= limits.MAX_ACTIONS:
            raise Rejected(f"model.rows: there are {m} actions, and the bound is {limits.MAX_ACTIONS}")
        self.products, self.uncertain = Products(), 0
        self.start = self.row(given["start"], "model.start", n) if self.terminal else None
        if not self.terminal and given["start"] is not None:
            raise Rejected("model.start: there is a row of the start, and no state is terminal")
        self.rows = [self.of_state(s, x) for s, x in enumerate(rows)]
        self.read_policies(given["behaviour"], given["target"])
        if self.uncertain * self.share > self.delta:
            raise Rejected(f"model.share: {self.uncertain} rows at this share need more than delta")

    def row(self, value: object, where: str, size: int) -> Row:
        found = Row(value, where, size, self.share, self.products)
        self.uncertain += found.k > 1
        return found

    def of_state(self, s: int, value: list[object]) -> list[Row]:
        where = f"model.rows[{s}]"
        if self.start is not None and s in self.terminal:
            if any(x is not None for x in items(value, where, self.m)):
                raise Rejected(f"{where}: a terminal state is left by the row of the start alone; null belongs there")
            return [self.start] * self.m
        return [self.row(x, f"{where}[{a}]", self.n) for a, x in enumerate(items(value, where, self.m))]

    def read_policies(self, behaviour: object, target: object) -> None:
        """`mu`: the rows of a known policy; `acts`: sets of them, where it is not known. `follows`: the target policy
        is that one, too.
        """
        n, m, self.acts, mu = self.n, self.m, dict[int, Row](), list[Numbers]()
        if isinstance(behaviour, dict):
            listed = items(record(behaviour, "model.behaviour", ["rows"])["rows"], "model.behaviour.rows", n)
            for s, x in enumerate(listed):
                if s not in self.terminal:
                    self.acts[s] = self.row(x, f"model.behaviour.rows[{s}]", m)
                elif x is not None:
                    raise Rejected(f"model.behaviour.rows[{s}]: null belongs to a terminal state")
            mu = [[Fraction(1, m)] * m for _ in range(n)]
        else:
            mu = [[row.get(a, ZERO) for a in range(m)] for row in stochastic(behaviour, "model.behaviour", n, m)]
        self.follows, self.known = target is None, not isinstance(behaviour, dict)
        if self.follows and self.known:
            raise Rejected("model.target: null stands for an unknown behaviour policy, and this one is known")
        self.mu = mu
        self.pi = (
            []
            if self.follows
            else [[row.get(a, ZERO) for a in range(m)] for row in stochastic(target, "model.target", n, m)]
        )

    @property
    def largest_discount(self) -> Fraction:
        return self.discount

    @property
    def on_policy(self) -> bool:
        return self.follows or (self.known and self.mu == self.pi)

    def least(self, s: int) -> Numbers:
        """The least probability of each action under every behaviour policy of the set."""
        if s not in self.acts:
            return self.mu[s]
        row = self.acts[s]
        found = dict(zip(row.possible, row.low, strict=True))
        return [found.get(a, ZERO) for a in range(self.m)]

    @cached_property
    def factors(self) -> list[Numbers]:
        """Discount times target policy; where this is the unknown behaviour policy, the discount, to be multiplied by
        that: then the sum over actions is linear in it, as mu >= 0 stands before each maximum.
        """
        target = [[Fraction(1)] * self.m] * self.n if self.follows else self.pi
        return [[ZERO if s in self.terminal else self.discount * p for p in pi] for s, pi in enumerate(target)]

    @cached_property
    def policies(self) -> list[list[Numbers]]:
        """The corners of the behaviour policies in each state."""
        return [self.corners(s) for s in range(self.n)]

    @property
    def cost(self) -> tuple[int, int, int]:
        """Numbers that `ahead` goes through for all states, how many times as many `most` does, and their bits.

        The corners are charged here, for every certificate: another one may have made them.
        """
        for row in self.acts.values():
            spend(3_000 * row.k * 2**row.k, 1_300 * self.m * row.k * 2 ** (row.k - 1))
        numbers = [x for s in range(self.n) for law in [self.factors[s], *self.policies[s]] for x in law]
        bits = max(map(bits_of, numbers)) + max(row.unit.bit_length() for rows in self.rows for row in rows)
        return sum(row.k for rows in self.rows for row in rows), max(map(len, self.policies)), bits

    def ahead(self, s: int, values: Sequence[int]) -> Fraction:
        """The most that row s of N may give of `values`."""
        parts = [f * row.most(values) if f else ZERO for f, row in zip(self.factors[s], self.rows[s], strict=True)]
        if not self.follows:
            return sum(parts, start=ZERO)
        return max(sum((w * x for w, x in zip(mu, parts, strict=True)), start=ZERO) for mu in self.policies[s])

    def most(self, s: int, w: Sequence[int], h: Sequence[int]) -> Fraction:
        """The most that row s of N may give of w and that of the behaviour chain of h, together."""
        worth = {
            (a, mu): of_row(self.rows[s][a], mu, self.factors[s][a] * (mu if self.follows else 1), w, h)
            for a, mu in {x for law in self.policies[s] for x in enumerate(law)}
        }
        return max(sum((worth[x] for x in enumerate(law)), start=ZERO) for law in self.policies[s])

    def place(self) -> str:
        """In words, after "for every model": which are in the set, and what it rests on."""
        policy = "" if self.known else " and behaviour policies"
        return (
            f"whose rows{policy} lie in the intervals ({self.n} states, {self.m} actions), which follow from the "
            f"counts, and hold those of a Markov model at all times at once with probability 1 - {self.delta} or more"
        )

    def witnessed(self, value: object, where: str) -> tuple[dict[str, object], dict[str, object]]:
        """The canonical form of a model of the set, and what else is told of it."""
        optional = [] if self.known else ["behaviour"]
        given = record(value, where, ["laws", "start", "kind", "about", "witness", *optional])
        n, m = self.n, self.m
        start = None if self.start is None else member(self.start, given["start"], f"{where}.start", n)
        if self.start is None and given["start"] is not None:
            raise Rejected(f"{where}.start: no state is terminal, so null belongs there")
        table = list[list[list[str]]]()
        for s, laws in enumerate(items(given["laws"], f"{where}.laws", n)):
            if start is not None and s in self.terminal:
                table.append([start] * m)
                continue
            listed = enumerate(items(laws, f"{where}.laws[{s}]", m))
            table.append([member(self.rows[s][a], x, f"{where}.laws[{s}][{a}]", n) for a, x in listed])
        mu = [list(map(str, row)) for row in self.mu]
        if not self.known:
            rows = items(given["behaviour"], f"{where}.behaviour", n)
            for s, row in self.acts.items():
                mu[s] = member(row, rows[s], f"{where}.behaviour[{s}]", m)
        names = list(map(str, range(m)))
        discount = ["0" if s in self.terminal else str(self.discount) for s in range(n)]
        canonical = {
            "format": "tdcert-model/1",
            "actions": names,
            "transitions": {a: [of_state[int(a)] for of_state in table] for a in names},
            "rewards": dict.fromkeys(names, ["0"] * n),
            "discount": dict.fromkeys(names, discount),
            "behaviour": mu,
            "target": mu if self.follows else [list(map(str, row)) for row in self.pi],
            "features": [[str(row.get(j, 0)) for j in range(self.d)] for row in self.Phi],
            "schedule": self.schedule,
        }
        return canonical, given

    def corners(self, s: int) -> list[Numbers]:
        """The corners of the behaviour policies in a state: all entries but one at an end."""
        if s not in self.acts:
            return [self.mu[s]]
        row, found = self.acts[s], list[Numbers]()
        ends = list(zip(row.low, row.high, strict=True))
        for free in range(row.k):
            for picked in product(*(sorted(set(x)) for i, x in enumerate(ends) if i != free)):
                last = 1 - sum(picked, start=ZERO)
                if ends[free][0] <= last <= ends[free][1]:
                    law = dict(zip(row.possible, [*picked[:free], last, *picked[free:]], strict=True))
                    found.append([law.get(a, ZERO) for a in range(self.m)])
        return found

    @cached_property
    def certain(self) -> list[list[int]]:
        """Where each state leads with positive probability in every model."""
        return [
            sorted({j for row, mu in zip(self.rows[s], self.least(s), strict=True) if mu > 0 for j in row.certain})
            for s in range(self.n)
        ]

    def core(self, root: int) -> set[int]:
        """The states that every model visits for ever: `root`, to which every state certainly leads, and what it leads
        to. So every model has one recurrent class, and they are in it.
        """
        before: list[list[int]] = [[] for _ in range(self.n)]
        for s, after in enumerate(self.certain):
            for t in after:
                before[t].append(s)
        if len(reached(before, [root])) < self.n:
            raise Rejected("witness.root: not every state leads to it by transitions that are certain")
        return reached(self.certain, [root])

    def require_coverage(self) -> None:
        """The behaviour policy takes every action of the target policy, in every model."""
        for s in range(self.n):
            least = self.least(s)
            if (
                s not in self.terminal
                and not self.on_policy
                and any(p and not x for p, x in zip(self.pi[s], least, strict=True))
            ):
                raise Rejected(f"model.behaviour: an action of the target policy may never be taken in state {s}")


def member(row: Row, value: object, where: str, size: int) -> list[str]:
    """A law in the intervals of a row, one entry for each possible successor; all entries, as texts."""
    law = read_vector(value, where, row.k)
    for j, p, low, high in zip(row.possible, law, row.low, row.high, strict=True):
        if not low <= p <= high:
            raise Rejected(f"{where}: the probability of {j} lies outside its interval")
    found = dict(zip(row.possible, law, strict=True))
    return [str(found.get(j, 0)) for j in range(size)]


def of_row(row: Row, mu: Fraction, f: Fraction, w: Sequence[int], h: Sequence[int]) -> Fraction:
    """The largest mean of f w + mu h over a row."""
    if not mu and not f:
        return ZERO
    common = math.lcm(mu.denominator, f.denominator)
    first, second = int(f * common), int(mu * common)
    return row.most([first * x + second * y for x, y in zip(w, h, strict=True)]) / common
