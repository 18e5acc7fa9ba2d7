"""Sums of entries of A over a set of models (`sets`, `around`), and how far they reach.

Over such a set, with features over `witness.unit`, a sum of W_kl A_kl is the mean under a stationary law d of the
behaviour chain of what a state gives: c_s + sum over a, j of p_saj (f_sa w_sj), f the target policy times discounts.
For every h it is at most

    max_s (c_s + max over models of sum over a, j of p_saj (f_sa w_sj + mu(a|s) h_j) - h_s),

as d P = d, the inner maximum over the numbers of the models in that state; so `potentials` give bounds, and any h gives
one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Protocol

from .budget import Rejected, bits_of, fraction_work, products_work, spend
from .matrices import integers
from .reading import SparseRow, items, read_vector

FINE = 2**60  # numbers are rounded outward to multiples of 1/FINE, or their digits would grow with the lambdas
ZERO = Fraction(0)
Numbers = list[Fraction]
Ends = tuple[Fraction, Fraction]


class Models(Protocol):
    """What is asked of a set of models."""

    n: int
    m: int
    d: int
    Phi: list[SparseRow]
    lambdas: list[Fraction]
    constant: Fraction | None

    @property
    def on_policy(self) -> bool:
        """Whether behaviour and target policy are equal in every model."""

    @property
    def largest_discount(self) -> Fraction:
        """No discount of a model is larger."""

    @property
    def cost(self) -> tuple[int, int, int]:
        """Numbers that `ahead` goes through for all states, how many times as many `most` does, and their bits.

        Asked before both, once for each certificate: it charges what they need of the set.
        """

    def ahead(self, s: int, values: Sequence[int]) -> Fraction:
        """The most that row s of N may give of `values`."""

    def most(self, s: int, w: Sequence[int], h: Sequence[int]) -> Fraction:
        """The most that row s of N may give of w and that of the behaviour chain of h, together."""

    def core(self, root: int) -> set[int]:
        """The states that every model visits for ever: `root`, to which every state certainly leads, and what it leads
        to. So every model has one recurrent class, and they are in it.
        """

    def require_coverage(self) -> None:
        """The behaviour policy takes every action of the target policy, in every model."""

    def place(self) -> str:
        """In words, after "for every model": which are in the set, and what it rests on."""

    def witnessed(self, value: object, where: str) -> tuple[dict[str, object], dict[str, object]]:
        """The canonical form of a model of the set, and what else is told of it."""


def up(x: Fraction) -> Fraction:
    return Fraction(math.ceil(x * FINE), FINE)


def widest(rows: Iterable[SparseRow]) -> int:
    """The most bits of a number."""
    return max((bits_of(x) for row in rows for x in row.values()), default=1)


class SumsOverSet:
    """Sums of entries of A over a set, features over a unit; the schedule ends."""

    def __init__(self, models: Models, unit: Fraction):
        if models.constant is not None:
            raise Rejected("model.schedule: A is bounded for schedules that end")
        self.models, d = models, models.d
        spend(fraction_work(bits_of(unit) + widest(models.Phi)) * models.n * d, 1_300 * models.n * d)
        self.Phi = [[row.get(j, ZERO) / unit for j in range(d)] for row in models.Phi]
        self.size, self.times, self.bits = models.cost
        self.ahead = self.from_the_first_step()

    def kernel(self, X: Sequence[Numbers]) -> list[Numbers]:
        """Numbers above N X for every model (X n x d), multiples of 1/FINE."""
        columns = []
        for column in zip(*X, strict=True):
            whole, common = integers(list(column))
            spend((4_000 + products_work(common.bit_length() + self.bits, self.bits)) * self.size)
            columns.append([up(self.models.ahead(s, whole) / common) for s in range(self.models.n)])
        return [list(row) for row in zip(*columns, strict=True)]

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
        spend((4_000 + products_work(digits + bits, digits)) * self.size * self.times)
        for s, phi in enumerate(self.Phi):
            u = [sum((phi[k] * W[k][j] for k in range(d) if phi[k]), start=ZERO) for j in range(d)]
            used = [(j, x) for j, x in enumerate(u) if x]
            w = [
                math.ceil(sum((x * (high if x > 0 else low)[t][j] for j, x in used), start=ZERO) * FINE)
                for t in range(n)
            ]
            most = models.most(s, w, h) / FINE
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
