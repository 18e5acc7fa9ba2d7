"""Sets of models, made of counts, and kinds about all models of one.

A model of the set has a row of transition probabilities in the intervals of each pair of state and action (those that
leave a terminal state are one row, of the start), and the rest as it is given; an unknown behaviour policy has rows in
intervals, too. Over such a set, with features over `witness.unit`, a sum of W_kl A_kl is the mean under the stationary
law d of the behaviour chain of what a row gives linearly: c_s + sum_a p_sa.v_sa. For every h it is at most

    max_s (c_s + max over policies of sum_a max_p p.(v_sa + mu(a|s) h) - h_s),

as d P = d, the inner maxima over the intervals; so `potentials` give bounds, and any h gives one. The maximum over a
policy is convex in it, so it is one of the corners of its intervals (Puterman, Markov Decision Processes, 1994, 8.6).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product

from . import limits
from .budget import Rejected, bits_of, fraction_work, products_work, spend
from .matrices import integers, stochastic
from .model import reached, read_schedule
from .reading import SparseRow, choice, items, read_matrix, read_number, read_vector, record, states
from .row_sets import Products, Row

FINE = 2**60  # numbers are rounded outward to multiples of 1/FINE, or their digits would grow with the lambdas
ZERO = Fraction(0)
Numbers = list[Fraction]
Ends = tuple[Fraction, Fraction]


def up(x: Fraction) -> Fraction:
    return Fraction(math.ceil(x * FINE), FINE)


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
    def on_policy(self) -> bool:
        return self.follows or (self.known and self.mu == self.pi)

    def least(self, s: int) -> Numbers:
        """The least probability of each action under every behaviour policy of the set."""
        if s not in self.acts:
            return self.mu[s]
        row = self.acts[s]
        found = dict(zip(row.possible, row.low, strict=True))
        return [found.get(a, ZERO) for a in range(self.m)]

    def corners(self, s: int) -> list[Numbers]:
        """The corners of the behaviour policies in a state: all entries but one at an end."""
        if s not in self.acts:
            return [self.mu[s]]
        row, found = self.acts[s], list[Numbers]()
        spend(3_000 * row.k * 2**row.k, 1_300 * self.m * row.k * 2 ** (row.k - 1))
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


def widest(rows: Iterable[SparseRow]) -> int:
    """The most bits of a number."""
    return max((bits_of(x) for row in rows for x in row.values()), default=1)


class SumsOverSet:
    """Sums of entries of A over a set, features over a unit; the schedule ends.

    `factors`: discount times target policy; where this is the unknown behaviour policy, the discount, to be multiplied
    by that: then the sum over actions is linear in it, as mu >= 0 stands before each maximum.
    """

    def __init__(self, models: SetOfModels, unit: Fraction):
        if models.constant is not None:
            raise Rejected("model.schedule: A is bounded for schedules that end")
        self.models, d = models, models.d
        spend(fraction_work(bits_of(unit) + widest(models.Phi)) * models.n * d, 1_300 * models.n * d)
        self.Phi = [[row.get(j, ZERO) / unit for j in range(d)] for row in models.Phi]
        target = [[Fraction(1)] * models.m] * models.n if models.follows else models.pi
        self.factors = [
            [ZERO if s in models.terminal else models.discount * p for p in pi] for s, pi in enumerate(target)
        ]
        self.corners = [models.corners(s) for s in range(models.n)]
        self.size = sum(row.k for rows in models.rows for row in rows)
        policies = [x for s in range(models.n) for law in [self.factors[s], *self.corners[s]] for x in law]
        self.bits = max(map(bits_of, policies)) + max(row.unit.bit_length() for rows in models.rows for row in rows)
        self.ahead = self.from_the_first_step()

    def kernel(self, X: Sequence[Numbers]) -> list[Numbers]:
        """Numbers above N X for every model (X n x d), multiples of 1/FINE."""
        columns = []
        for column in zip(*X, strict=True):
            whole, common = integers(list(column))
            spend((4_000 + products_work(common.bit_length() + self.bits, self.bits)) * self.size)
            columns.append([up(self.of_state(s, whole) / common) for s in range(self.models.n)])
        return [list(row) for row in zip(*columns, strict=True)]

    def of_state(self, s: int, values: Sequence[int]) -> Fraction:
        """The most that row s of N may give of `values`."""
        parts = [
            f * row.most(values) if f else ZERO for f, row in zip(self.factors[s], self.models.rows[s], strict=True)
        ]
        if not self.models.follows:
            return sum(parts, start=ZERO)
        return max(sum((w * x for w, x in zip(mu, parts, strict=True)), start=ZERO) for mu in self.corners[s])

    def from_the_first_step(self) -> tuple[list[Numbers], list[Numbers]]:
        """Ends (n x d) of Y = (1 - lambda_1) Phi + lambda_1 M(lambda_2, ...) Phi, by Horner's rule."""
        Phi, minus = self.Phi, [[-x for x in row] for row in self.Phi]
        if not self.models.lambdas:
            return Phi, Phi
        first, *others = self.models.lambdas
        found = []
        for X in (minus, Phi):
            Y = self.kernel(X)
            for lam in reversed(others):
                Y = self.kernel(mixed(lam, X, Y))
            found.append(mixed(first, X, Y))
        return [[-x for x in row] for row in found[0]], found[1]

    def most(self, W: Sequence[Sequence[Fraction]], h: Sequence[int]) -> Fraction:
        """An upper bound of the sum of W_kl A_kl, by h in multiples of 1/FINE."""
        models, best = self.models, list[Fraction]()
        n, d = models.n, models.d
        low, high = self.ahead
        bits = widest(dict(enumerate(row)) for row in [*W, *low, *high])
        digits = self.bits + max(map(int.bit_length, h))
        spend(fraction_work(3 * bits) * n * d * (n + d))
        spend((4_000 + products_work(digits + bits, digits)) * self.size * max(map(len, self.corners)))
        for s, phi in enumerate(self.Phi):
            u = [sum((phi[k] * W[k][j] for k in range(d) if phi[k]), start=ZERO) for j in range(d)]
            used = [(j, x) for j, x in enumerate(u) if x]
            w = [
                math.ceil(sum((x * (high if x > 0 else low)[t][j] for j, x in used), start=ZERO) * FINE)
                for t in range(n)
            ]
            worth = {
                (a, mu): of_row(models.rows[s][a], mu, self.factors[s][a] * (mu if models.follows else 1), w, h)
                for a, mu in {x for law in self.corners[s] for x in enumerate(law)}
            }
            most = max(sum((worth[x] for x in enumerate(law)), start=ZERO) for law in self.corners[s])
            now = sum((x * y for x, y in zip(phi, u, strict=True) if x and y), start=ZERO)
            best.append(most - now - Fraction(h[s], FINE))
        return max(best)

    def ends(self, W: list[Numbers], potentials: object, where: str) -> Ends:
        """Bounds of the sum of W_kl A_kl, by one h for the upper and one for the lower."""
        both = items(potentials, where, 2)
        h = [[math.floor(x * FINE) for x in read_vector(both[i], f"{where}[{i}]", self.models.n)] for i in (0, 1)]
        return -up(self.most([[-x for x in row] for row in W], h[1])), up(self.most(W, h[0]))


def mixed(lam: Fraction, X: list[Numbers], Y: list[Numbers]) -> list[Numbers]:
    """(1 - lambda) X + lambda Y."""
    return [[(1 - lam) * x + lam * y for x, y in zip(a, b, strict=True)] for a, b in zip(X, Y, strict=True)]


def of_row(row: Row, mu: Fraction, f: Fraction, w: Sequence[int], h: Sequence[int]) -> Fraction:
    """The largest mean of f w + mu h over a row; w and h in multiples of 1/FINE."""
    if not mu and not f:
        return ZERO
    common = math.lcm(mu.denominator, f.denominator)
    first, second = int(f * common), int(mu * common)
    return row.most([first * x + second * y for x, y in zip(w, h, strict=True)]) / (common * FINE)
