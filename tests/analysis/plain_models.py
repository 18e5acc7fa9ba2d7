"""Small models as plain lists of fractions, and what warnings say of them, computed without any code of the product.

Everything is textbook: Gauss elimination in fractions, powers of matrices one after another, sums over all paths.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from random import Random

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

F = Fraction
Rows = list[list[Fraction]]


# ---- linear algebra in fractions ---------------------------------------------------------------------------


def times(X: Rows, Y: Rows) -> Rows:
    columns = list(zip(*Y, strict=True))
    return [[sum((x * y for x, y in zip(row, column, strict=True) if x), F(0)) for column in columns] for row in X]


def plus(X: Rows, Y: Rows, factor: Fraction | int = 1) -> Rows:
    return [[x + factor * y for x, y in zip(a, b, strict=True)] for a, b in zip(X, Y, strict=True)]


def turned(X: Rows) -> Rows:
    return [list(column) for column in zip(*X, strict=True)]


def one(n: int) -> Rows:
    return [[F(int(i == j)) for j in range(n)] for i in range(n)]


def eliminated(X: Rows) -> tuple[Rows, list[int]]:
    """Reduced row echelon form, and the columns of its pivots."""
    rows = [list(row) for row in X]
    pivots: list[int] = []
    for j in range(len(rows[0]) if rows else 0):
        k = next((i for i in range(len(pivots), len(rows)) if rows[i][j]), None)
        if k is None:
            continue
        i = len(pivots)
        rows[i], rows[k] = rows[k], rows[i]
        rows[i] = [x / rows[i][j] for x in rows[i]]
        for h in range(len(rows)):
            if h != i and rows[h][j]:
                rows[h] = [x - rows[h][j] * y for x, y in zip(rows[h], rows[i], strict=True)]
        pivots.append(j)
    return rows, pivots


def rank(X: Rows) -> int:
    return len(eliminated(X)[1])


def solved(X: Rows, Y: Rows) -> Rows | None:
    """X⁻¹Y; None where X is singular."""
    n = len(X)
    rows, pivots = eliminated([[*a, *b] for a, b in zip(X, Y, strict=True)])
    return [row[n:] for row in rows[:n]] if pivots[:n] == list(range(n)) else None


def solvable(X: Rows, y: Rows) -> bool:
    return rank([[*a, *b] for a, b in zip(X, y, strict=True)]) == rank(X)


def determinant(X: Rows) -> Fraction:
    if not X:
        return F(1)
    minors = ([row[:j] + row[j + 1 :] for row in X[1:]] for j in range(len(X)))
    return sum(((-1) ** j * X[0][j] * determinant(minor) for j, minor in enumerate(minors) if X[0][j]), F(0))


def semidefinite(S: Rows) -> bool:
    """Every principal minor is at least zero."""
    places = [c for k in range(1, len(S) + 1) for c in combinations(range(len(S)), k)]
    return all(determinant([[S[i][j] for j in c] for i in c]) >= 0 for c in places)


def row_norm(X: Rows) -> Fraction:
    return max(sum(map(abs, row), F(0)) for row in X)


# ---- models ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plain:
    """``P[a][s][s']``, ``R[a][s]``, ``G[a][s][s']`` discounts, policies ``mu[s][a]`` and ``pi[s][a]``, ``Phi[s]``."""

    P: list[Rows]
    R: Rows
    G: list[Rows]
    mu: Rows
    pi: Rows
    Phi: Rows
    lambdas: tuple[Fraction, ...]
    tail: Fraction

    @property
    def n(self) -> int:
        return len(self.mu)

    @property
    def d(self) -> int:
        return len(self.Phi[0])

    @property
    def actions(self) -> range:
        return range(len(self.P))

    def built(self) -> Model:
        """As the product takes it."""
        names = tuple("ab"[: len(self.P)])
        return Model(
            names,
            tuple(map(RationalMatrix, self.P)),
            tuple(map(RationalMatrix.column, self.R)),
            tuple(map(RationalMatrix, self.G)),
            RationalMatrix(self.mu),
            RationalMatrix(self.pi),
            RationalMatrix(self.Phi),
            Schedule(self.lambdas, self.tail),
        )

    def mixed(self, policy: Rows, discounted: bool) -> Rows:
        def entry(s: int, t: int) -> Fraction:
            moves = ((policy[s][a] * self.P[a][s][t], self.G[a][s][t]) for a in self.actions)
            return sum((p * (gamma if discounted else 1) for p, gamma in moves), F(0))

        return [[entry(s, t) for t in range(self.n)] for s in range(self.n)]

    @cached_property
    def chain(self) -> Rows:
        return self.mixed(self.mu, discounted=False)

    @cached_property
    def classes(self) -> list[list[int]]:
        """Recurrent classes: sets of states that reach each other and nothing else."""
        reach = [{s} for s in range(self.n)]
        for _ in range(self.n):
            for s in range(self.n):
                reach[s] |= {u for t in reach[s] for u in range(self.n) if self.chain[t][u]}
        closed = {frozenset(reach[s]) for s in range(self.n) if all(reach[t] == reach[s] for t in reach[s])}
        return sorted(map(sorted, closed))

    @property
    def transient(self) -> list[int]:
        return [s for s in range(self.n) if not any(s in states for states in self.classes)]

    def law(self, states: list[int]) -> list[Fraction]:
        """dP = d and Σd = 1 on a class."""
        m = len(states)
        balance = [[self.chain[i][j] - (i == j) for i in states] for j in states[:-1]]
        found = solved([*balance, [F(1)] * m], [[F(int(k == m - 1))] for k in range(m)])
        assert found is not None
        d = [F(0)] * self.n
        for s, row in zip(states, found, strict=True):
            d[s] = row[0]
        return d

    @property
    def seen(self) -> Rows:
        """π without what μ never does."""
        return [[p if m else F(0) for p, m in zip(a, b, strict=True)] for a, b in zip(self.pi, self.mu, strict=True)]

    def weights(self) -> list[Fraction]:
        """c_0, c_1, …, without end c_0 alone."""
        found = [F(1)]
        for lam in self.lambdas:
            found.append(found[-1] * lam)
        return found

    def summed(self, N: Rows) -> Rows | None:
        """Σ c_k Nᵏ in the rows that the recurrent states lead to; None where one of these has no sum."""
        if self.tail:
            met = {s for states in self.classes for s in states}
            for _ in range(self.n):
                met |= {t for s in met for t in range(self.n) if N[s][t]}
            rows = [row if s in met else [F(0)] * self.n for s, row in enumerate(N)]
            return solved(plus(one(self.n), rows, -self.tail), one(self.n))
        total, power = plus(one(self.n), one(self.n), -1), one(self.n)
        for c in self.weights():
            total, power = plus(total, power, c), times(power, N)
        return total

    def keys(self, states: list[int], policy: Rows) -> tuple[Rows, Rows, Rows] | None:
        """A, b, C of a policy, all of π or what is seen of it; None where the series has no sum."""
        N = self.mixed(policy, discounted=True)
        S, d = self.summed(N), self.law(states)
        if S is None:
            return None
        r = [[sum((policy[s][a] * self.R[a][s] for a in self.actions), F(0))] for s in range(self.n)]
        mass = [[sum(policy[s], F(0)) if s == t else F(0) for t in range(self.n)] for s in range(self.n)]
        weighted = [[d[s] * x for x in self.Phi[s]] for s in range(self.n)]
        left = times(turned(weighted), S)
        return times(left, times(plus(N, mass, -1), self.Phi)), times(left, r), times(turned(weighted), self.Phi)

    @property
    def has_sum(self) -> bool:
        return self.summed(self.mixed(self.pi, discounted=True)) is not None

    @cached_property
    def value_system(self) -> tuple[Rows, Rows]:
        """I − N and r."""
        r = [[sum((self.pi[s][a] * self.R[a][s] for a in self.actions), F(0))] for s in range(self.n)]
        return plus(one(self.n), self.mixed(self.pi, discounted=True), -1), r

    def missing(self) -> list[tuple[int, int]]:
        """Pairs that π takes and μ does not, in recurrent states."""
        recurrent = [s for states in self.classes for s in states]
        return [(s, a) for s in recurrent for a in self.actions if self.pi[s][a] and not self.mu[s][a]]

    def ratio_kernel(self, power: int) -> Rows:
        """E_μ[(ρΓ)^power 1{s'} | s]."""
        ratios = [
            [m * (p / m) ** power if m else F(0) for p, m in zip(a, b, strict=True)]
            for a, b in zip(self.pi, self.mu, strict=True)
        ]

        def entry(s: int, t: int) -> Fraction:
            return sum((ratios[s][a] * self.P[a][s][t] * self.G[a][s][t] ** power for a in self.actions), F(0))

        return [[entry(s, t) for t in range(self.n)] for s in range(self.n)]

    def reached(self, states: list[int]) -> list[int]:
        """From where φ ≠ 0, through ρΓ ≠ 0."""
        N, found = self.ratio_kernel(1), {s for s in states if any(self.Phi[s])}
        for _ in range(self.n):
            found |= {t for s in found for t in range(self.n) if N[s][t]}
        return sorted(found)

    def endless_trace_square(self, states: list[int]) -> Fraction:
        """E ‖z_t‖² for λ without end where it is finite: z̃ = φ + x, x = λρΓz̃ of the step before, entry by entry."""
        inside, d = self.reached(states), self.law(states)

        def onward(power: int) -> Rows:
            """λᵏN_kᵀ on the states that are reached."""
            N = self.ratio_kernel(power)
            return [[self.tail**power * N[t][s] for t in inside] for s in inside]

        def summed(power: int, known: list[Fraction]) -> Rows:
            found = solved(plus(one(len(inside)), onward(power), -1), [[x] for x in known])
            assert found is not None
            return found

        total = F(0)
        for i in range(self.d) if inside else ():
            phi = [self.Phi[s][i] for s in inside]
            first = summed(1, [d[s] * x for s, x in zip(inside, phi, strict=True)])
            x = times(onward(1), first)
            known = [d[s] * p * p + 2 * p * y[0] for s, p, y in zip(inside, phi, x, strict=True)]
            for s, row in zip(inside, summed(2, known), strict=True):
                square = sum((self.pi[s][a] ** 2 / m for a, m in enumerate(self.mu[s]) if m), F(0))
                total += square * row[0]
        return total

    def trace_square(self, states: list[int]) -> Fraction:
        """E ‖z_t‖² of a schedule with an end, summed over all paths of L + 1 actions."""
        c, d = self.weights(), self.law(states)
        total = F(0)
        # (weight, state, products p_k with their features)
        paths = [(d[s], s, [(F(1), self.Phi[s])]) for s in states]
        for step in range(len(c)):
            longer = []
            for weight, s, lags in paths:
                for a in self.actions:
                    if not self.mu[s][a]:
                        continue
                    rho = self.pi[s][a] / self.mu[s][a]
                    if step == len(c) - 1:
                        z = [
                            rho * sum((c[k] * p * phi[i] for k, (p, phi) in enumerate(reversed(lags))), F(0))
                            for i in range(self.d)
                        ]
                        total += weight * self.mu[s][a] * sum((x * x for x in z), F(0))
                        continue
                    for t, p in enumerate(self.P[a][s]):
                        if p:
                            moved = [(x * rho * self.G[a][s][t], phi) for x, phi in lags]
                            longer.append((weight * self.mu[s][a] * p, t, [*moved, (F(1), self.Phi[t])]))
            paths = longer
        return total


# ---- drawing -----------------------------------------------------------------------------------------------


def shares(rng: Random, size: int, zeros: bool, rare: Fraction | None) -> list[Fraction]:
    """A probability law; with ``rare`` one of its places may be as rare as that."""
    weights = [F(rng.choice((0, 0, 1, 2, 3) if zeros else (1, 2, 3))) for _ in range(size)]
    if not any(weights):
        weights[rng.randrange(size)] = F(1)
    if rare is not None and size > 1 and rng.random() < 0.5:
        weights[rng.randrange(size)] = rare * max(weights)
    if not any(weights):
        weights[0] = F(1)
    return [w / sum(weights) for w in weights]


GAMMAS = (F(0), F(1, 2), F(9, 10), F(999, 1000), F(1))
SCHEDULES = (((), F(0)), ((F(1),), F(0)), ((F(1, 2), F(1)), F(0)), ((), F(1, 2)), ((), F(9, 10)), ((), F(1)))


def drawn(seed: int) -> Plain:
    """One of very different small models: see the test for what must be among them."""
    rng = Random(seed)
    if seed % 37 == 36:
        return ending(rng)
    special = rng.random()
    if special < 0.08:
        return absorbing(rng)
    if special < 0.13:
        return nearly_singular(rng)
    n, m, d = rng.choice((1, 2, 2, 3, 3, 4)), rng.choice((1, 2, 2)), rng.choice((1, 1, 2, 3))
    rare = rng.choice((None, None, F(1, 500), F(1, 30_000)))
    P = [[shares(rng, n, True, rare) for _ in range(n)] for _ in range(m)]
    if n > 1 and rng.random() < 0.15:  # a cycle
        P = [[[F(int(t == (s + 1) % n)) for t in range(n)] for s in range(n)]] * m
    gamma = rng.choice(GAMMAS)
    G = [[[gamma] * n for _ in range(n)] for _ in range(m)]
    if rng.random() < 0.2:
        by_state = [[rng.choice(GAMMAS) for _ in range(n)] for _ in range(m)]
        G = [[[by_state[a][s]] * n for s in range(n)] for a in range(m)]
    mu = [shares(rng, m, rng.random() < 0.4, rare) for _ in range(n)]
    pi = mu if rng.random() < 0.35 else [shares(rng, m, rng.random() < 0.3, None) for _ in range(n)]
    size = rng.choice((1, 1, 1, 150, 20_000))
    Phi = [[F(rng.randint(-2, 2)) for _ in range(d)] for _ in range(n)]
    for row in Phi:
        row[-1] *= size
    kind = rng.random()
    if kind < 0.15 and d > 1:
        for row in Phi:
            row[-1] = sum(row[:-1], F(0))
    elif kind < 0.25:
        Phi = one(n)
    elif kind < 0.3:
        Phi = [[F(1)] for _ in range(n)]
    earned = rng.choice(((0,), (1,), (0, 1), (-1, 0, 2)))
    R = [[F(rng.choice(earned)) for _ in range(n)] for _ in range(m)]
    return Plain(P, R, G, mu, pi, Phi, *rng.choice(SCHEDULES))


def nearly_singular(rng: Random) -> Plain:
    """θ→2θ with γ near 5/6: the behaviour flips a coin, the target always goes to state 2, A = (6γ − 5)/2."""
    P = [[[F(1), F(0)]] * 2, [[F(0), F(1)]] * 2]
    gamma = F(5, 6) + rng.choice((-1, 1)) * F(1, rng.choice((20, 50, 100, 3_000)))
    R = [[F(rng.choice((0, 1))) for _ in range(2)]] * 2
    coin, sure = [[F(1, 2), F(1, 2)]] * 2, [[F(0), F(1)]] * 2
    return Plain(P, R, [[[gamma] * 2] * 2] * 2, coin, sure, [[F(1)], [F(2)]], (), F(0))


def absorbing(rng: Random) -> Plain:
    """Two absorbing states, with equal rewards half of the time, and perhaps a transient state before them."""
    n = rng.choice((2, 3))
    rows = [[F(int(s == t)) for t in range(n)] for s in range(n)]
    if n == 3:
        rows[2] = [F(1, 2), F(1, 4), F(1, 4)]
    gamma = rng.choice(GAMMAS)
    r = [[F(1), F(1) if rng.random() < 0.5 else F(0), F(0)][:n]]
    Phi = rng.choice(([[F(1)]] * n, one(n), [[F(1), F(1)]] * n, [[F(1), F(0)], [F(1), F(0)], [F(0), F(1)]][:n]))
    ones = [[F(1)]] * n
    return Plain([rows], r, [[[gamma] * n for _ in range(n)]], ones, ones, Phi, *rng.choice(SCHEDULES))


def ending(rng: Random) -> Plain:
    """A walk whose last state is left as terminal states are; it has features, but for some."""
    n = rng.choice((2, 3, 4))
    rows = [[F(int(t == s)) / 2 + F(int(t == s + 1)) / 2 for t in range(n)] for s in range(n - 1)]
    rows.append([F(int(t == 0)) for t in range(n)])
    r = [[F(rng.choice((0, 1))) for _ in range(n - 1)] + [F(0)]]
    G = [[rng.choice((F(1, 2), F(9, 10)))] * n for _ in range(n - 1)] + [[F(0)] * n]
    Phi = rng.choice(([[F(1), F(s)] for s in range(n)], [[F(1)]] * n, one(n), [[F(int(s < n - 1))] for s in range(n)]))
    ones = [[F(1)]] * n
    return Plain([rows], r, [G], ones, ones, Phi, *rng.choice(SCHEDULES))
