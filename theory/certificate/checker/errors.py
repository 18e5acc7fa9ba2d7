"""How the error of an update moves along its nodes, as a polynomial in the step size."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from .budget import ONE, Rejected, bits_of, fraction_work, passing, spend
from .matrices import Matrix, hold
from .model import Case, add
from .nodes import Walk, from_start
from .reading import SparseRow, items, states
from .terms import Exponents
from .update import Terms

Powers = tuple[Fraction, ...]  # a polynomial in alpha


class StepMove(NamedTuple):
    """A move between nodes: x' = (sum_i alpha^i S_i) x / q(alpha), with `parts` S_i, q the `divisor`."""

    source: int
    target: int
    p: Fraction
    parts: list[Matrix]
    divisor: Powers


class Errors(Walk):
    """x' = (I + (alpha H_1 + alpha^2 H_2 + ...) / q) x for x = (y - y*, 1), alpha = alpha_t: with [K k] the sum of
    ratio^k [G_k g_k] over the exponents of degree i, H_i = [[K, K y* + k], [0, 0]]. An update that is linear in its
    steps has q = 1 and H_1 alone.

    All divisors are shown to be positive at every step. That y* is a fixed point is not asked: without it no witness
    passes; nor that nothing moves without a step, H_0. Every context of time zero has a state from which a run may
    start.
    """

    def __init__(self, case: Case, most: int):
        law, update, begin = from_start(case, divided=True)
        weights, self.ratios = update.weights(case, "ratios", linear=False)
        if items(case.about["ratios"], "about.ratios")[0] != "1":
            raise Rejected("about.ratios: the first is to be 1")
        self.size, self.name = update.size, update.name
        self.measured = states(case.about["measured"], "about.measured", self.size)
        self.rest = case.vector("rest", self.size)
        self.y0 = [*(x - y for x, y in zip(begin, self.rest, strict=True)), ONE]
        degree, self.passages = max((sum(e) for e in update.exponents), default=0), list[StepMove]()
        for source, target, move, memory in self.follow(update, most):
            spend((degree + 1) * (20_000 + 2_000 * self.size))
            q = [ONE, *[Fraction(0)] * degree]
            if move.divisor is not None:
                q[0] = Fraction(0)
                for exponents, x in move.divisor.items():
                    spend(2 * fraction_work(bits_of(weights[exponents], x, q[sum(exponents)])))
                    q[sum(exponents)] += weights[exponents] * x
            parts, increments, orders = [], move.increments, defaultdict[int, dict[Exponents, Terms]](dict)
            spend(3_000 * len(increments))
            for exponents, terms in increments.items():
                orders[sum(exponents)][exponents] = terms
            for i in range(degree + 1):
                with passing():
                    part = self.matrix(update.increment(orders[i], weights, memory), q[i])
                parts.append(hold(part))
            while len(q) > 1 and not q[-1]:
                q.pop()
            self.passages.append(StepMove(source, target, move.p, parts, tuple(q)))
        self.degree, self.divisors = degree, list(dict.fromkeys(passage.divisor for passage in self.passages))
        self.first = [x for x in law if x]
        self.first += [Fraction(0)] * (self.count - len(self.first))

    def matrix(self, rows: list[SparseRow], q: Fraction) -> Matrix:
        for i, row in enumerate(rows):
            for j, x in [(j, x) for j, x in row.items() if j < self.size]:
                add(row, self.size, x, self.rest[j])
            add(row, i, q)
        rows = [{j: x for j, x in row.items() if x} for row in rows]
        return Matrix.of([*rows, {self.size: q} if q else {}], self.size + 1)

    def require_divisors(self, alpha: Fraction) -> None:
        """All are positive on [0, alpha]: so are their Bernstein coefficients."""
        for q in self.divisors:
            n = len(q) - 1
            spend(n**2 * fraction_work(n * (bits_of(alpha) + n) + bits_of(*q)))
            for k in range(n + 1):
                shares = (Fraction(math.comb(k, i), math.comb(n, i)) * q[i] * alpha**i for i in range(k + 1))
                if sum(shares, Fraction(0)) <= 0:
                    raise Rejected("about.update: a divisor is not seen to be positive at all steps")

    def squared(self, X: list[Matrix]) -> dict[int, list[Matrix]]:
        """Times the squares of the divisors in each node, by powers of alpha."""
        every = [each[()] for each in self.squares]
        most = max(map(len, every))
        return {i: [(*q, *[Fraction(0)] * most)[i] * x for q, x in zip(every, X, strict=True)] for i in range(most)}

    @cached_property
    def squares(self) -> list[dict[Powers, Powers]]:
        """In each node: the product of the squares of its divisors, under (), and of those but one."""
        found: list[dict[Powers, Powers]] = [{} for _ in range(self.count)]
        for passage in self.passages:
            found[passage.source][passage.divisor] = (ONE,)
        for each in found:
            of = list(each)
            for one in (*of, ()):
                each[one] = (ONE,)
                for q in of:
                    if q != one:
                        each[one] = times(times(each[one], q), q)
        return found


def times(x: Powers, y: Powers) -> Powers:
    found = [Fraction(0)] * (len(x) + len(y) - 1)
    spend(len(x) * len(y) * fraction_work(2 * bits_of(*x) + 2 * bits_of(*y)))
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            found[i + j] += a * b
    return tuple(found)


def conjugates(parts: list[Matrix], X: Matrix) -> list[Matrix]:
    """By powers of alpha: S' X S for S = sum_i alpha^i parts_i and a symmetric X."""
    found, left = [Fraction(0) * X] * (2 * len(parts) - 1), [part.T for part in parts]
    for i, part in enumerate(parts):
        right = X @ part
        for j in range(i + 1):
            term = left[j] @ right
            found[i + j] = found[i + j] + (term if i == j else term + term.T)
    return found
