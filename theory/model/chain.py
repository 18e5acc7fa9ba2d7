r"""Finite Markov chains: classes, period, stationary law, each answered with evidence.

A state j is *reached* from i if some power of P has a positive entry (i, j). States that reach each
other form a class; a class that the chain cannot leave is *recurrent*. A chain with one class is
*irreducible*. The *period* of a class is the greatest common divisor of the lengths of its closed
walks. A stationary law d satisfies dP = d, d ≥ 0, Σ d = 1; each recurrent class carries exactly one, with
all entries positive on the class, and there is only one law exactly if there is only one recurrent class.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd

from flint import fmpz_mat

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError, short
from tdcert.theory.model.components import strong_components


@dataclass(frozen=True)
class PeriodEvidence:
    """Phases that grow by one modulo the period along every transition, and closed walks whose lengths
    have the period as their greatest common divisor: together they pin the period from both sides."""

    period: int
    phase: tuple[int, ...]
    closed_walks: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class Chain:
    """A finite Markov chain with transition matrix ``P`` (n×n, exact rationals).

    Raises :class:`InputError` unless P is square, non-negative, and every row sums to exactly one.
    """

    P: RationalMatrix

    def __post_init__(self) -> None:
        require_stochastic(self.P, "the transition matrix")
        if self.P.shape[0] != self.P.shape[1]:
            raise InputError(f"the transition matrix has shape {self.P.shape}; give a square one")

    @property
    def n(self) -> int:
        """Number of states."""
        return self.P.shape[0]

    @cached_property
    def successors(self) -> tuple[tuple[int, ...], ...]:
        """Gives for each state the states it goes to with positive probability."""
        return tuple(tuple(j for j, entry in enumerate(row) if entry != 0) for row in self.P.numerator.table())

    @cached_property
    def classes(self) -> tuple[tuple[int, ...], ...]:
        """The communicating classes, each an increasing tuple of states, ordered by smallest state."""
        return tuple(sorted(tuple(sorted(states)) for states in strong_components(self.successors)))

    @cached_property
    def recurrent_classes(self) -> tuple[tuple[int, ...], ...]:
        """The classes that the chain never leaves."""
        closed = []
        for states in self.classes:
            inside = set(states)
            if all(j in inside for i in states for j in self.successors[i]):
                closed.append(states)
        return tuple(closed)

    @property
    def is_irreducible(self) -> bool:
        """Whether every state reaches every other."""
        return len(self.classes) == 1

    @cached_property
    def transient_states(self) -> tuple[int, ...]:
        """States outside every recurrent class."""
        recurrent = {state for states in self.recurrent_classes for state in states}
        return tuple(state for state in range(self.n) if state not in recurrent)

    def spanning_arborescences(self) -> tuple[list[int | None], list[int | None]]:
        """Evidence for irreducibility: a tree from state 0 (predecessors) and one towards it (successors)."""
        predecessors: list[list[int]] = [[] for _ in range(self.n)]
        for i, targets in enumerate(self.successors):
            for j in targets:
                predecessors[j].append(i)
        return _search_tree(self.successors), _search_tree(predecessors)

    def period(self, states: tuple[int, ...]) -> PeriodEvidence:
        """The period of a recurrent class, with evidence that pins it from both sides.

        Breadth-first levels ℓ from the smallest state: the period is the gcd of ℓ(i) + 1 − ℓ(j) over all transitions i
        → j inside the class. Each difference is one of the lengths of two closed walks through the root.
        """
        inside = set(states)
        root = states[0]
        level, parent = {root: 0}, {root: root}
        queue = deque([root])
        while queue:
            i = queue.popleft()
            for j in self.successors[i]:
                if j in inside and j not in level:
                    level[j], parent[j] = level[i] + 1, i
                    queue.append(j)
        period = 0
        edges: list[tuple[int, int]] = []
        for i in states:
            for j in self.successors[i]:
                if j in inside:
                    smaller = gcd(period, level[i] + 1 - level[j])
                    if smaller != period or not edges:
                        period = smaller
                        edges.append((i, j))
        period = abs(period)
        home = self._paths_home(root, states)

        def walk_from_root(state: int) -> list[int]:
            path = [state]
            while path[-1] != root:
                path.append(parent[path[-1]])
            return path[::-1]

        walks: list[tuple[int, ...]] = []
        for i, j in edges:
            walks.append((*walk_from_root(i), *home[j]))
            if j != root:
                walks.append((*walk_from_root(j), *home[j][1:]))
        distinct = tuple(dict.fromkeys(walks))
        return PeriodEvidence(period, tuple(level[s] % period for s in states), distinct)

    def _paths_home(self, root: int, states: tuple[int, ...]) -> dict[int, list[int]]:
        """Gives for each state of a class a shortest path to the root, both ends included."""
        inside = set(states)
        predecessors: dict[int, list[int]] = {s: [] for s in states}
        for i in states:
            for j in self.successors[i]:
                if j in inside:
                    predecessors[j].append(i)
        paths = {root: [root]}
        queue = deque([root])
        while queue:
            j = queue.popleft()
            for i in predecessors[j]:
                if i not in paths:
                    paths[i] = [i, *paths[j]]
                    queue.append(i)
        return paths

    def stationary_law(self, states: tuple[int, ...]) -> RationalMatrix:
        """The stationary law of a recurrent class (n×1), zero outside the class."""
        return self._laws[states]

    @cached_property
    def _laws(self) -> dict[tuple[int, ...], RationalMatrix]:
        return {states: self._solve_law(states) for states in self.recurrent_classes}

    def _solve_law(self, states: tuple[int, ...]) -> RationalMatrix:
        """The law of one class, solved exactly.

        With row denominators q_i, y = d/q satisfies yᵀ diag(q)(I − P) = 0, an integer system.
        """
        m = len(states)
        inner = self.P.take(states, states)
        weights, integer_rows = [], []
        for row in inner.rows:
            common = 1
            for entry in row:
                common = common * entry.denominator // gcd(common, entry.denominator)
            weights.append(common)
            integer_rows.append([int(entry * common) for entry in row])
        balance = [[(weights[i] if i == j else 0) - integer_rows[i][j] for i in range(m)] for j in range(m - 1)]
        solution = fmpz_mat([*balance, weights]).solve(fmpz_mat(m, 1, [0] * (m - 1) + [1]))
        full = [Fraction(0)] * self.n
        for k, state in enumerate(states):
            full[state] = Fraction(int(solution[k, 0].p), int(solution[k, 0].q)) * weights[k]
        return RationalMatrix.column(full)


def require_stochastic(matrix: RationalMatrix, what: str) -> None:
    """Raise :class:`InputError` naming the first row that is not a probability law."""
    rows, columns = matrix.shape
    if rows == 0 or columns == 0:
        raise InputError(f"{what} is empty; give at least one state")
    for i, row in enumerate(matrix.numerator.table()):
        total = sum(row, start=0 * matrix.denominator)
        for j, entry in enumerate(row):
            if entry < 0:
                place = f"row s{i}, column {j}"
                raise InputError(f"{what} has the negative entry {short(matrix[i, j])} in {place}")
        if total != matrix.denominator:
            exact = Fraction(int(total), int(matrix.denominator))
            raise InputError(
                f"row s{i} of {what} sums to {short(exact)}, not to exactly one; "
                'write its entries as exact decimals or "p/q", or have rows divided by their sums: "normalise": true '
                "in a file, normalise=True in Python"
            )


def _search_tree(successors: tuple[tuple[int, ...], ...] | list[list[int]]) -> list[int | None]:
    """Breadth-first tree from state 0 over all states: the state from which each was found."""
    found: dict[int, int | None] = {0: None}
    queue = deque([0])
    while queue:
        i = queue.popleft()
        for j in successors[i]:
            if j not in found:
                found[j] = i
                queue.append(j)
    return [found[state] for state in range(len(successors))]
