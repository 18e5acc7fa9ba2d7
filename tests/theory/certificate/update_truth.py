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
        for h, moves in enumerate(update["moves"]):
            for (target, memory, increments), (state, p) in zip(moves, ways[self.contexts[h]], strict=True):
                assert self.contexts[target] == state
                self.moves.append((h, target, p, memory, increments))
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
        return [x for (x,) in u] == [F(x) for x in self.witness["rest"]]

    def walk(self, weight: Callable[[list[int]], F]) -> tuple[int, list[tuple[int, int, F, Rows]]]:
        """How many nodes, and (from, to, p, [K k]); ``weight``: of the increments with these exponents."""
        order = [(h, (F(0),) * self.M) for h in range(self.starts)]
        place, found = {node: k for k, node in enumerate(order)}, []
        for h, memory in order:
            for source, g, p, recursion, increments in self.moves:
                if source != h:
                    continue
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
