"""A second decision of what certificates about updates say, from their tables, by textbook methods.

Laws and means of the memory are solved in fractions; signs of eigenvalues are decided as for other kinds; spectral
radii are floats, with room around 1. It shares nothing with the checker.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

F = Fraction
Json = Any
Rows = list[list[Fraction]]
Solve = Callable[[Rows, Rows], Rows]


class UpdateTruth:
    """``ways``: for each state of the model its moves (next state, probability), in the model's order."""

    def __init__(self, about: Json, witness: Json, ways: list[list[tuple[int, F]]], solve: Solve):
        self.about, self.witness, self.solve = about, witness, solve
        update = about["update"]
        self.D, self.M = update["parameters"], update["memory"]
        self.contexts, self.starts = update["contexts"], update["starts"]
        self.moves: list[tuple[int, int, F, Json, Json]] = []
        self.divisors: list[Json] = []  # of the moves; one where none is given
        self.walked: list[int] = []  # the moves that a walk met
        for h, moves in enumerate(update["moves"]):
            for (target, memory, increments, *divisor), (state, p) in zip(moves, ways[self.contexts[h]], strict=True):
                assert self.contexts[target] == state
                assert not divisor or "measured" in about, "who asks does not heed it"
                self.moves.append((h, target, p, memory, increments))
                self.divisors += divisor or [[[[0] * len(update["steps"]), "1"]]]
        self.B = about.get("seen", list(range(self.D)))
        unit = [[F(int(i == j)) for j in range(self.D)] for i in range(self.D)]
        self.T = [[F(x) for x in row] for row in witness["coordinates"]] if "seen" in about else unit

    def law(self) -> list[F]:
        """P'd = d, its last equation replaced by the sum."""
        count = len(self.contexts)
        rows = [[F(-int(i == j)) for j in range(count)] for i in range(count)]
        for h, g, p, _, _ in self.moves:
            rows[g][h] += p
        rows[-1] = [F(1)] * count
        return [x for (x,) in self.solve(rows, [[F(int(i == count - 1))] for i in range(count)])]

    def mean_memory(self) -> list[F]:
        """u by one linear system over all (context, entry), where the sizes contract."""
        law, size = self.law(), len(self.contexts) * self.M
        rows = [[F(int(i == j)) for j in range(size)] for i in range(size)]
        right, sizes = [[F(0)] for _ in range(size)], np.zeros((size, size))
        touched = {g * self.M + i for _, g, _, memory, _ in self.moves for i, j, x in memory if j == self.M and F(x)}
        while True:
            more = {
                g * self.M + i
                for h, g, _, memory, _ in self.moves
                for i, j, x in memory
                if j < self.M and F(x) and h * self.M + j in touched
            }
            if more <= touched:
                break
            touched |= more
        for h, g, p, memory, _ in self.moves:
            for i, j, x in memory:
                if j == self.M:
                    right[g * self.M + i][0] += p * F(x) * law[h]
                else:
                    rows[g * self.M + i][h * self.M + j] -= p * F(x)
                    if h * self.M + j in touched:
                        sizes[g * self.M + i, h * self.M + j] += float(p * abs(F(x)))
        assert not size or max(abs(np.linalg.eigvals(sizes))) < 1 + 1e-9
        return [x for (x,) in self.solve(rows, right)] if size else []

    def means(self) -> list[Rows]:
        """[A b] for each step size."""
        law, u = self.law(), self.mean_memory()
        count = len(self.about["update"]["steps"])
        found = [[[F(0)] * (self.D + 1) for _ in range(self.D)] for _ in range(count)]
        for h, _, p, _, increments in self.moves:
            for powers, terms in increments:
                assert sum(powers) == 1
                for entry, row, column, x in terms:
                    weight = law[h] if entry == self.M else u[h * self.M + entry]
                    found[powers.index(1)][row][column] += p * F(x) * weight
        return found

    def quotient(self, rows: Rows) -> tuple[Rows, list[F]]:
        """T J_B, T g; what T does not see changes nothing in the mean."""
        TJ = [[sum((t[k] * rows[k][j] for k in range(self.D)), F(0)) for j in range(self.D + 1)] for t in self.T]
        kept = [[row[b] for b in self.B] for row in TJ]
        for whole, part in zip(TJ, kept, strict=True):
            for j in range(self.D):
                assert whole[j] == sum((x * t[j] for x, t in zip(part, self.T, strict=True)), F(0))
        return kept, [row[-1] for row in TJ]

    def joint(self) -> tuple[Rows, list[F]]:
        ratios = [F(x) for x in self.about["ratios"]]
        assert min(ratios) > 0
        means = self.means()
        total = [
            [sum((r * A[i][j] for r, A in zip(ratios, means, strict=True)), F(0)) for j in range(self.D + 1)]
            for i in range(self.D)
        ]
        return self.quotient(total)

    def matrix(self) -> Rows:
        """The matrix that is spoken of; two time scales from the limit of their definition, F⁻¹ by solving."""
        name = self.about["matrix"]
        if name == "joint":
            return self.joint()[0]
        slow_mean, fast_mean = self.means()
        moved = [{i for i, row in enumerate(A) if any(row[: self.D])} for A in (slow_mean, fast_mean)]
        assert not moved[0] & moved[1]
        J, _ = self.quotient(
            [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(slow_mean, fast_mean, strict=True)]
        )
        fast = [k for k, b in enumerate(self.B) if b in moved[1]]
        slow = [k for k, b in enumerate(self.B) if b not in moved[1]]
        ff, fs, sf, ss = (
            [[J[i][j] for j in b] for i in a] for a, b in ((fast, fast), (fast, slow), (slow, fast), (slow, slow))
        )
        if name == "fast":
            return ff
        X = self.solve(ff, fs)
        return [
            [ss[i][j] - sum((sf[i][k] * X[k][j] for k in range(len(fast))), F(0)) for j in range(len(slow))]
            for i in range(len(slow))
        ]

    def rests(self) -> bool:
        J, g = self.joint()
        u = self.solve(J, [[-x] for x in g])  # fails where J is singular
        return [x for (x,) in u] == [F(x) for x in self.witness["rest"]] and self.drift(u) == self.stated_drift()

    def stated_drift(self) -> list[F]:
        return [F(x) for x in self.about.get("drift", ["0"] * self.D)]

    def drift(self, u: Rows) -> list[F]:
        """The mean increment of every parameter at a y with T y = u: u in the columns B, zero elsewhere."""
        y, ratios = [F(0)] * self.D + [F(1)], [F(x) for x in self.about["ratios"]]
        for b, (x,) in zip(self.B, u, strict=True):
            y[b] = x
        found = [F(0)] * self.D
        for ratio, A in zip(ratios, self.means(), strict=True):
            for i, row in enumerate(A):
                found[i] += ratio * sum((x * z for x, z in zip(row, y, strict=True)), F(0))
        return found

    def walk(self, weight: Callable[[list[int]], F]) -> tuple[int, list[tuple[int, int, F, Rows]]]:
        """How many nodes, and (from, to, p, [K k]); ``weight``: of the increments with these exponents."""
        order = [(h, (F(0),) * self.M) for h in range(self.starts)]
        place, found = {node: k for k, node in enumerate(order)}, []
        self.walked = []
        for h, memory in order:
            for number, (source, g, p, recursion, increments) in enumerate(self.moves):
                if source != h:
                    continue
                self.walked.append(number)
                new = [F(0)] * self.M
                for i, j, x in recursion:
                    new[i] += F(x) * (F(1) if j == self.M else memory[j])
                if (g, tuple(new)) not in place:
                    assert len(order) < 50
                    place[g, tuple(new)] = len(order)
                    order.append((g, tuple(new)))
                K = [[F(0)] * (self.D + 1) for _ in range(self.D)]
                for powers, terms in increments:
                    for entry, row, column, x in terms:
                        K[row][column] += weight(powers) * F(x) * (F(1) if entry == self.M else memory[entry])
                found.append((place[h, memory], place[g, tuple(new)], p, K))
        return len(order), found

    def nodes(self, steps: list[F]) -> tuple[int, list[tuple[int, int, float, NDArray[np.float64]]]]:
        """How many, and (from, to, p, I + change) on the quotient, at these step sizes."""
        assert min(steps) > 0
        at = self.about["update"]["at"]
        assert at is None or [F(x) for x in at] == steps

        def weight(powers: list[int]) -> F:
            return prod((step**power for step, power in zip(steps, powers, strict=True)), start=F(1))

        count, moves = self.walk(weight)
        unit = np.eye(len(self.B))
        return count, [(h, g, float(p), unit + np.array(self.quotient(K)[0], dtype=float)) for h, g, p, K in moves]

    def radii(self, square: bool) -> list[float]:
        """Of the map of second moments, or of first ones, at the steps or at some up to the bound."""
        if "upto" in self.about:
            ratios = [F(x) for x in self.about["ratios"]]
            all_steps = [[F(self.about["upto"]) * F(k, 4) * x for x in ratios] for k in (1, 2, 3, 4)]
        else:
            all_steps = [[F(x) for x in self.about["steps"]]]
        found = []
        for steps in all_steps:
            count, moves = self.nodes(steps)
            size = len(self.B) ** (2 if square else 1)
            whole = np.zeros((count * size,) * 2)
            for h, g, p, matrix in moves:
                part = np.kron(matrix, matrix) if square else matrix
                whole[g * size : (g + 1) * size, h * size : (h + 1) * size] += p * part
            found.append(float(max(abs(np.linalg.eigvals(whole)))))
        return found

    def radius_of_the_mean(self, window: int | None = None) -> float:
        """Of E y_t, from any difference in a node, or in that one: what is seen of the sums S Lᵏ, in fractions."""
        steps = [F(x) for x in self.about["steps"]]
        at = self.about["update"]["at"]
        assert min(steps) > 0 and (at is None or [F(x) for x in at] == steps)
        count, moves = self.walk(lambda powers: prod((x**k for x, k in zip(steps, powers, strict=True)), start=F(1)))
        size = len(self.B)
        L = [[F(0)] * (count * size) for _ in range(count * size)]
        for h, g, p, K in moves:
            for i, row in enumerate(self.quotient(K)[0]):
                for j, x in enumerate(row):
                    L[g * size + i][h * size + j] += p * ((i == j) + x)
        sums = [[F(int(j % size == i)) for j in range(count * size)] for i in range(size)]
        seen = self._restricted([list(column) for column in zip(*L, strict=True)], sums)
        matrix, starts = [list(column) for column in zip(*seen[1], strict=True)], seen[0]
        if window is not None:
            begun = [[row[window * size + i] for row in starts] for i in range(size)]
            matrix = self._restricted(matrix, begun)[1]
        return float(max(abs(np.linalg.eigvals(np.array(matrix, dtype=float)))))

    def mean_grows(self) -> bool:
        """From the node named; without rows of the sum it is said of the list of means by node alone."""
        if "rows" in self.witness:
            return self.radius_of_the_mean(self.witness["window"]) > 1 - 1e-6
        return min(self.radii(square=False)) > 1 - 1e-6

    # ---- almost every path, in floats

    def exponent(self, rounds: int = 4_000, begin: NDArray[np.float64] | None = None) -> float:
        """The rate of all differences, or of one that is ``begin`` after as many moves as there are nodes, along one
        long path of the one recurrent class; −∞ where it becomes zero.
        """
        count, moves = self.nodes([F(x) for x in self.about["steps"]])
        leaving = [[(g, p, M) for h, g, p, M in moves if h == node] for node in range(count)]
        reaches = [{h} for h in range(count)]
        for _ in range(count):
            reaches = [one.union(*(reaches[g] for g, _, _ in leaving[h])) for h, one in enumerate(reaches)]
        assert set.intersection(*reaches)  # some node is reached from all: one class
        rng, at, total = np.random.default_rng(0), 0, 0.0
        now = np.eye(len(self.B)) if begin is None else begin
        for time in range(rounds):
            ways = leaving[at]
            g, _, M = ways[rng.choice(len(ways), p=[p for _, p, _ in ways])]
            at, now = g, M @ now if begin is None or time >= count else now
            size = float(np.abs(now).max())
            if size == 0:
                return -np.inf
            total, now = total + np.log(size) * (time >= count), now / size
        return total / (rounds - count)

    def wanders(self, rounds: int = 4_000) -> float:
        """The rate of a difference along one long path from time zero, the memory followed in floats: of any memory
        that is cut, in the one class of contexts.
        """
        steps, held = [float(F(x)) for x in self.about["steps"]], self.M
        assert min(steps) > 0
        leaving = []
        for h in range(len(self.contexts)):
            ways = []
            for source, g, p, recursion, increments in self.moves:
                if source != h:
                    continue
                N, K = np.zeros((held, held + 1)), np.zeros((held + 1, len(self.B) ** 2))
                for i, j, x in recursion:
                    N[i, j] = float(F(x))
                for entry in range(held + 1):
                    rows = [[F(0)] * (self.D + 1) for _ in range(self.D)]
                    for powers, terms in increments:
                        weight = prod((F(x) ** k for x, k in zip(self.about["steps"], powers, strict=True)), start=F(1))
                        for at, row, column, x in terms:
                            if at == entry:
                                rows[row][column] += weight * F(x)
                    K[entry] = np.array(self.quotient(rows)[0], dtype=float).ravel()
                ways.append((g, float(p), N, K))
            leaving.append(ways)
        at, total, full, unit = 0, 0.0, np.array([*[0.0] * held, 1.0]), np.eye(len(self.B))
        now, begun = unit, 0
        for time, u in enumerate(np.random.default_rng(0).random(rounds)):
            chances = np.cumsum([p for _, p, *_ in leaving[at]])
            g, _, N, K = leaving[at][min(int(np.searchsorted(chances, u)), len(chances) - 1)]
            at, now = g, (unit + (full @ K).reshape(unit.shape)) @ now
            full[:held] = N @ full
            size = float(np.abs(now).max())
            if size == 0:  # then of a run under way from here on
                size, now, total, begun = 1.0, unit, 0.0, time + 1
            total, now = total + np.log(size), now / size
        return total / (rounds - begun) if begun < rounds // 2 else -np.inf

    def rises_everywhere(self) -> bool:
        """From each of some starts, along the axes and between."""
        starts = np.array([[1, 0], [0, 1], [1, 1], [1, -1], [2, 1], [1, -3]], dtype=float)
        rates = [self.exponent(begin=x[:, None]) for x in starts]
        return min(rates) >= float(F(self.about["bound"])) - 0.1

    def falls(self) -> bool:
        """A path of 4,000 moves tells the rate up to a tenth, where logarithms of the sizes are below two."""
        return self.exponent() <= float(F(self.about["bound"])) + 0.1

    def rises(self) -> bool:
        return self.exponent() >= float(F(self.about["bound"])) - 0.1

    def rises_between_cuts(self) -> bool:
        """Logarithms of the sizes between two cuts have standard deviations of two or three, and follow from few of
        the moves before: a path of 4,000 tells the rate up to a fifth.
        """
        return self.wanders() >= float(F(self.about["bound"])) - 0.2

    def falls_between_cuts(self) -> bool:
        return self.wanders() <= float(F(self.about["bound"])) + 0.2

    def scalar(self) -> bool:
        """Σ π log |b| in floats of one dimension."""
        count, moves = self.nodes([F(x) for x in self.about["steps"]])
        P = np.zeros((count, count))
        for h, g, p, _ in moves:
            P[h, g] += p
        values, vectors = np.linalg.eig(P.T)
        assert sum(abs(values - 1) < 1e-9) == 1
        law = np.real(vectors[:, np.argmin(abs(values - 1))])
        law = law / law.sum()
        sizes = [(law[h] * p, abs(M.item())) for h, _, p, M in moves if law[h] > 1e-12]
        rate = sum(weight * np.log(x) for weight, x in sizes) if all(x for _, x in sizes) else -np.inf
        sign = "zero" if abs(rate) < 1e-12 else "negative" if rate < 0 else "positive"
        return bool(sign == self.about["sign"])

    def vanishes(self) -> bool:
        return self.exponent() == -np.inf

    def _restricted(self, A: Rows, vectors: Rows) -> tuple[Rows, Rows]:
        """A basis of the smallest subspace with these vectors that A does not leave, and A in its coordinates."""
        basis: Rows = []
        waiting, reduced = list(vectors), dict[int, list[F]]()
        for vector in waiting:  # grows while it is read
            rest = list(vector)
            for pivot, known in reduced.items():
                factor = rest[pivot]
                rest = [x - factor * y for x, y in zip(rest, known, strict=True)]
            pivot_of = next((i for i, x in enumerate(rest) if x), None)
            if pivot_of is None:
                continue
            reduced[pivot_of] = [x / rest[pivot_of] for x in rest]
            basis.append(vector)
            waiting.append([sum((x * y for x, y in zip(row, vector, strict=True)), F(0)) for row in A])
        gram = [[sum((x * y for x, y in zip(u, v, strict=True)), F(0)) for v in basis] for u in basis]
        moved = [[sum((x * y for x, y in zip(row, v, strict=True)), F(0)) for row in A] for v in basis]
        right = [[sum((x * y for x, y in zip(u, v, strict=True)), F(0)) for v in moved] for u in basis]
        return basis, self.solve(gram, right)

    # ---- memory without an end, in floats

    def remembered(self) -> list[tuple[int, int, float, NDArray[np.float64]]]:
        """(from, to, p, N), N the map of (memory, 1)."""
        found = []
        for h, g, p, memory, _ in self.moves:
            N = np.eye(self.M + 1)
            N[: self.M] = 0
            for i, j, x in memory:
                N[i, j] += float(F(x))
            found.append((h, g, float(p), N))
        return found

    def spread(self, rounds: int = 400) -> float:
        """How second moments of a memory from its mean on grow per step: the jumps of the mean, moved on and on.

        Below one the covariance is a sum that converges. Nothing grows where nothing jumps.
        """
        law = np.array([float(x) for x in self.law()])
        u = np.array([float(x) for x in self.mean_memory()]).reshape(len(law), self.M)
        g = np.column_stack([u, law]) / law[:, None]
        now, moves = np.zeros((len(law), self.M, self.M)), self.remembered()
        for h, target, p, N in moves:
            jump = (N @ g[h] - g[target])[: self.M]
            now[target] += p * law[h] * np.outer(jump, jump)
        sizes = [1.0]
        if np.abs(now).max() < 1e-12:
            return 0.0
        for _ in range(rounds):
            later = np.zeros_like(now)
            for h, target, p, N in moves:
                R = N[: self.M, : self.M]
                later[target] += p * R @ now[h] @ R.T
            size = float(np.trace(later, axis1=1, axis2=2).sum())
            if size < 1e-200:
                return 0.0
            sizes.append(size)
            now = later / size
        return float(np.exp(np.mean(np.log(sizes[rounds // 2 :]))))

    def forgets(self) -> bool:
        """Differences of two memories, from any start, die out in mean square."""
        count, M = len(self.contexts), self.M
        whole = np.zeros((count * M * M,) * 2)
        for h, g, p, N in self.remembered():
            R = N[:M, :M]
            whole[g * M * M : (g + 1) * M * M, h * M * M : (h + 1) * M * M] += p * np.kron(R, R)
        return not M or float(max(abs(np.linalg.eigvals(whole)))) < 1 + 1e-9

    def covariance(self, times: int = 240) -> list[NDArray[np.float64]]:
        """Σ from the variance of sums of increments over t and 2t updates at rest, and what B makes of it."""
        J, g = self.joint()
        drift = self.drift(self.solve(J, [[-x] for x in g]))
        (B, flat), law = (np.array(x, dtype=float) for x in (J, g)), [float(x) for x in self.law()]
        B, y = np.atleast_2d(B), np.zeros(self.D + 1)
        y[self.B], y[self.D] = -np.linalg.solve(B, flat), 1
        ratios, width, moves = [float(F(x)) for x in self.about["ratios"]], self.M + 1, self.remembered()
        increments = []
        for *_, parts in self.moves:
            E = np.zeros((self.D, width))
            E[:, self.M] = [-float(x) for x in drift]
            for powers, terms in parts:
                for entry, row, column, x in terms:
                    E[row, entry] += ratios[powers.index(1)] * float(F(x)) * y[column]
            increments.append(E)
        S = np.zeros((len(law), width, width))
        S[:, self.M, self.M] = law
        for _ in range(1_000):  # to the second moments of the stationary regime
            later = np.zeros_like(S)
            for h, target, p, N in moves:
                later[target] += p * N @ S[h] @ N.T
            S = later
        q, v, seen = np.zeros((len(law), self.D, width)), np.zeros((self.D, self.D)), []
        for t in range(1, 2 * times + 1):
            later = np.zeros_like(q)
            for (h, target, p, N), E in zip(moves, increments, strict=True):
                cross = q[h] @ E.T
                v = v + p * (cross + cross.T + E @ S[h] @ E.T)
                later[target] += p * (q[h] + E @ S[h]) @ N.T
            q = later
            if t % times == 0:
                seen.append(v)
        Sigma, T = (seen[1] - seen[0]) / times, np.array(self.T, dtype=float)
        noise = T @ Sigma @ T.T
        if self.about["matrix"] == "slow":  # fast parameters where they rest, given the slow ones and the noise
            moved = [{i for i, row in enumerate(A) if any(row[: self.D])} for A in self.means()]
            assert len(moved) == 2 and not moved[0] & moved[1]
            fast = [k for k, b in enumerate(self.B) if b in moved[1]]
            slow = [k for k, b in enumerate(self.B) if b not in moved[1]]
            follow = np.zeros((len(B), len(slow)))
            follow[slow], follow[fast] = (
                np.eye(len(slow)),
                -np.linalg.solve(B[np.ix_(fast, fast)], B[np.ix_(fast, slow)]),
            )
            carry = np.zeros((len(slow), len(B)))
            carry[:, slow], carry[:, fast] = (
                np.eye(len(slow)),
                -B[np.ix_(slow, fast)] @ np.linalg.inv(B[np.ix_(fast, fast)]),
            )
            B, noise = B[slow] @ follow, carry @ noise @ carry.T
        inverse, unit = np.linalg.inv(B), np.eye(len(B))
        assert max(np.linalg.eigvals(B).real) < 1e-9
        small = np.linalg.solve(np.kron(B, unit) + np.kron(unit, B), -noise.ravel()).reshape(noise.shape)
        return [Sigma, inverse @ noise @ inverse.T, small]

    def varies(self) -> bool:
        """Whether the covariances are those."""
        given = [np.array([[float(F(x)) for x in row] for row in self.about[key]]) for key in COVARIANCES]
        pairs = zip(given, self.covariance(), strict=True)
        J, g = self.joint()
        said = self.drift(self.solve(J, [[-x] for x in g])) == self.stated_drift()
        return said and self.forgets() and all(np.allclose(a, b, rtol=1e-6, atol=1e-6) for a, b in pairs)

    def safe_radii(self, digits: int = 6) -> list[float]:
        """Of second moments of differences, at some steps up to the bound, the memory rounded, where it is bounded."""
        ratios, moves = [F(x) for x in self.about["ratios"]], self.remembered()
        assert min(ratios) > 0 and self.about["update"]["at"] is None
        order = [(h, (0.0,) * self.M) for h in range(self.starts)]
        place, steps = {node: k for k, node in enumerate(order)}, []
        for k, (source, memory) in enumerate(order):
            for (h, g, p, N), (*_, parts) in zip(moves, self.moves, strict=True):
                if h != source:
                    continue
                node = g, tuple(np.round(N @ [*memory, 1], digits)[: self.M].tolist())
                if node not in place:
                    assert len(order) < 300
                    place[node] = len(order)
                    order.append(node)
                K = np.zeros((self.D, self.D))
                for powers, terms in parts:
                    assert sum(powers) == 1
                    for entry, row, column, x in terms:
                        if column < self.D:
                            K[row, column] += float(F(x) * ratios[powers.index(1)]) * [*memory, 1][entry]
                steps.append((k, place[node], p, K))
        found = []
        for quarter in (1, 2, 3, 4):
            alpha, D = float(F(self.about["upto"])) * quarter / 4, self.D
            assert alpha > 0
            whole = np.zeros((len(order) * D * D,) * 2)
            for k, j, p, K in steps:
                part = np.kron(np.eye(D) + alpha * K, np.eye(D) + alpha * K)
                whole[j * D * D : (j + 1) * D * D, k * D * D : (k + 1) * D * D] += p * part
            found.append(float(max(abs(np.linalg.eigvals(whole)))))
        return found

    def swells(self) -> bool:
        """At these steps, or at two multiples of the ratios."""
        multiples = (F(1),) if "steps" in self.about else (F(1), F(1, 3))
        return all(self.swells_at(multiple) for multiple in multiples)

    def swells_at(self, multiple: F, most: int = 3_000) -> bool:
        """Along the cycle products of differences, times the root of their probability, come to grow without end; from
        the last round on whose product is zero.
        """
        key = "steps" if "steps" in self.about else "ratios"
        sizes, moves = [F(x) * multiple for x in self.about[key]], self.remembered()
        assert min(sizes) > 0 and (
            key == "steps" or all(sum(powers) == 1 for *_, part in self.moves for powers, _ in part)
        )
        leaving: list[list[int]] = [[] for _ in self.contexts]
        for k, (h, *_) in enumerate(self.moves):
            leaving[h].append(k)
        h, n = self.witness["start"], np.array([*[0.0] * self.M, 1.0])
        assert h < self.starts
        for k in self.witness["walk"]:
            number = leaving[h][k]
            h, n = self.moves[number][1], moves[number][3] @ n
        begin, product, size, kept = h, np.eye(self.D), 0.0, [0.0]
        assert self.witness["cycle"]
        for _ in range(most):
            for k in self.witness["cycle"]:
                number = leaving[h][k]
                K, p = np.zeros((self.D, self.D)), moves[number][2]
                for powers, terms in self.moves[number][4]:
                    weight = float(prod((x**power for x, power in zip(sizes, powers, strict=True)), start=F(1)))
                    for entry, row, column, x in terms:
                        if column < self.D:
                            K[row, column] += weight * float(F(x)) * n[entry]
                product = (np.eye(self.D) + K) @ product
                large = float(np.abs(product).max())
                if large == 0:
                    product, size, large, kept = np.eye(self.D), 0.0, 1.0, [0.0]
                size += np.log(large) + np.log(p) / 2
                product = product / large
                h, n = self.moves[number][1], moves[number][3] @ n
            kept.append(size)
            if np.abs(n).max() > 1e100:
                break
        assert h == begin
        return kept[-1] > 0 and kept[-1] > kept[len(kept) // 2]

    def at_time(self) -> bool:
        """Every path, in fractions."""
        steps, about = [F(x) for x in self.about["steps"]], self.about
        assert min(steps) > 0 and sum(F(x) for x in about["start"]) == 1 and about["time"] < 6
        starts = [F(x) for x in about["start"] if F(x)]
        assert self.contexts[: self.starts] == [s for s, x in enumerate(about["start"]) if F(x)]
        paths = [(p, h, [F(0)] * self.M, [F(y) for y in about["begin"]]) for h, p in enumerate(starts)]
        for _ in range(about["time"]):
            later = []
            for chance, at, memory, y in paths:
                for h, g, p, recursion, increments in self.moves:
                    if h != at:
                        continue
                    m, n = [*memory, F(1)], [*y, F(1)]
                    new, after = [F(0)] * self.M, list(y)
                    for i, j, x in recursion:
                        new[i] += F(x) * m[j]
                    for powers, terms in increments:
                        weight = prod((x**k for x, k in zip(steps, powers, strict=True)), start=F(1))
                        for entry, row, column, x in terms:
                            after[row] += weight * F(x) * m[entry] * n[column]
                    later.append((chance * p, g, new, after))
            paths = later
        mean = [sum((p * y[i] for p, _, _, y in paths), F(0)) for i in range(self.D)]
        second = [[sum((p * y[i] * y[j] for p, _, _, y in paths), F(0)) for j in range(self.D)] for i in range(self.D)]
        return mean == [F(x) for x in about["mean"]] and all(
            second[i][j] - mean[i] * mean[j] == F(about["covariance"][i][j])
            for i in range(self.D)
            for j in range(self.D)
        )


COVARIANCES = ("noise", "averaged", "at_small_steps")
