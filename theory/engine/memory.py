r"""Memory without end: its moments in the stationary regime, by exact linear systems, and whether they exist.

With the recursion m' = R m + s of the tables, u(h) = E[m 1{context h}] solves

    u(h') = Σ_{h → h'} p (R u(h) + s d(h)),        d the law of the contexts,

and |m'| ≤ |R| |m| + |s| entry by entry: if the spectral radius of the non-negative B_1(h', h) = Σ p |R| is below one on
what is reached from {s ≠ 0}, then E|m| is finite, the solution is unique there, and is the mean. With |R| ⊗ |R| in the
place of |R| the same is said of second moments. Where an entry of the memory is never negative nothing cancels: from
m_0 = 0 on it then grows in law, so its moments are infinite if that radius, on such entries, is not below one. The
systems fall apart into the strong components of the graph of their unknowns.

Source: the trace of λ without end is an instance (``tdcert.theory.check.trace_law``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import fmpq, fmpq_mat
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.check.trace_law import radius_below_one
from tdcert.theory.engine.tables import Tables

Unknown = tuple[int, ...]
"""A context and an entry of the memory; a context and two entries of it."""
Weights = dict[tuple[Unknown, Unknown], fmpq]
"""Entries of a linear map by (to, from)."""


@dataclass(frozen=True, eq=False)
class Memory:
    """The memory of stationary tables. ``law``: of the contexts."""

    tables: Tables
    law: tuple[Fraction, ...]

    @cached_property
    def _recursions(self) -> list[tuple[int, int, fmpq, dict[tuple[int, int], fmpq], dict[int, fmpq]]]:
        """(from, to, p, R, s) of every edge."""
        edges = self.tables.edges
        return [(e.source, e.target, to_fmpq(e.outcome.probability), *self.tables.recursion(e.memory)) for e in edges]

    @cached_property
    def reached(self) -> frozenset[Unknown]:
        """The (context, entry) that are not always zero, as far as signs that cancel are left out."""
        found: set[Unknown] = {(h, i) for _, h, _, _, s in self._recursions for i in s}
        onward: dict[Unknown, set[Unknown]] = defaultdict(set)
        for source, target, _, R, _ in self._recursions:
            for i, j in R:
                onward[source, j].add((target, i))
        waiting = list(found)
        while waiting:
            new = onward[waiting.pop()] - found
            found |= new
            waiting += new
        return frozenset(found)

    @cached_property
    def never_negative(self) -> frozenset[int]:
        """Entries of the memory that no transition makes negative, and that depend on such entries alone."""
        kept = set(range(self.tables.M))
        while True:
            broken = {
                i
                for _, _, _, R, s in self._recursions
                for i in kept
                if s.get(i, fmpq(0)) < 0 or any(k == i and (x < 0 or j not in kept) for (k, j), x in R.items())
            }
            if not broken:
                return frozenset(kept)
            kept -= broken

    @cached_property
    def sizes(self) -> Weights:
        """B_1: Σ p |R| on what is reached."""
        sizes: Weights = defaultdict(fmpq)
        for source, target, p, R, _ in self._recursions:
            for (i, j), x in R.items():
                if (source, j) in self.reached:
                    sizes[(target, i), (source, j)] += p * abs(x)
        return sizes

    @cached_property
    def exists(self) -> bool | None:
        """Whether E|m| is finite; None where that is not decided."""
        return self._answer(self.sizes)

    @cached_property
    def without_end(self) -> int | None:
        """An entry of the memory that depends on its own past, however long ago; None where the memory has an end."""
        for part in _components(self.reached, self.sizes):
            if any((a, b) in self.sizes for a in part for b in part):
                return part[0][1]
        return None

    @cached_property
    def has_second_moments(self) -> bool | None:
        """Whether E|m|² is finite; None where that is not decided."""
        sizes: Weights = defaultdict(fmpq)
        for source, target, p, R, _ in self._recursions:
            rows: dict[int, list[tuple[int, fmpq]]] = defaultdict(list)
            for (i, j), x in R.items():
                if (source, j) in self.reached:
                    rows[i].append((j, abs(x)))
            for i, first in rows.items():
                for j, second in rows.items():
                    for k, x in first if i <= j else ():
                        for m, y in second:
                            sizes[(target, i, j), (source, min(k, m), max(k, m))] += p * x * y
        return self._answer(sizes)

    def _answer(self, sizes: Weights) -> bool | None:
        """What the sizes of a recursion of moments say of their being finite: what never is negative cannot cancel.

        Products of two entries are no larger than their squares (Cauchy and Schwarz), so where a product grows so does
        a square, of an entry that is sometimes positive.
        """
        if _contracts(sizes):
            return True
        kept = self.never_negative
        alone = {pair: x for pair, x in sizes.items() if all(i in kept for unknown in pair for i in unknown[1:])}
        return None if _contracts(alone) else False

    @cached_property
    def mean(self) -> Mapping[Unknown, fmpq]:
        """u, by (context, entry); entries that are left out are zero. Needs :attr:`exists`."""
        into: Weights = defaultdict(fmpq)
        known: dict[Unknown, fmpq] = defaultdict(fmpq)
        law = [to_fmpq(x) for x in self.law]
        for source, target, p, R, s in self._recursions:
            for (i, j), x in R.items():
                if (source, j) in self.reached:
                    into[(target, i), (source, j)] += p * x
            for i, x in s.items():
                known[target, i] += p * x * law[source]
        found: dict[Unknown, fmpq] = {}
        for part in _components(self.reached, into):
            place = {unknown: k for k, unknown in enumerate(part)}
            system = [[Fraction(int(i == j)) for j in range(len(part))] for i in range(len(part))]
            right = [known[unknown] for unknown in part]
            for (to, of), x in into.items():
                if to not in place:
                    continue
                if of in place:
                    system[place[to]][place[of]] -= to_fraction(x)
                else:
                    right[place[to]] += x * found[of]
            solution = RationalMatrix(system).solve(RationalMatrix.column(map(to_fraction, right)))
            found |= zip(part, map(to_fmpq, solution.column_entries()), strict=True)
        return found


def _components(unknowns: Iterable[Unknown], weights: Weights) -> Iterator[list[Unknown]]:
    """The strong components, each after those that it depends on."""
    names = sorted(unknowns)
    place = {unknown: k for k, unknown in enumerate(names)}
    if not names:
        return
    pairs = [(place[of], place[to]) for (to, of), x in weights.items() if x != 0]
    graph = coo_array(([1] * len(pairs), tuple(zip(*pairs, strict=True)) or ([], [])), shape=(len(names),) * 2)
    count, label = connected_components(graph, directed=True, connection="strong")
    members: list[list[Unknown]] = [[] for _ in range(count)]
    for unknown, which in zip(names, label.tolist(), strict=True):
        members[which].append(unknown)
    needs: list[set[int]] = [set() for _ in range(count)]
    for of, to in pairs:
        if label[of] != label[to]:
            needs[label[to]].add(int(label[of]))
    done: set[int] = set()
    waiting = list(range(count))
    while waiting:
        ready = [c for c in waiting if needs[c] <= done]
        done |= set(ready)
        waiting = [c for c in waiting if c not in done]
        yield from (members[c] for c in ready)


def _contracts(sizes: Weights) -> bool:
    """Whether the spectral radius of the non-negative map is below one."""
    unknowns = {unknown for pair in sizes for unknown in pair}
    parts = list(_components(unknowns, sizes))
    place = {unknown: (number, k) for number, part in enumerate(parts) for k, unknown in enumerate(part)}
    blocks = [fmpq_mat(len(part), len(part)) for part in parts]
    for (to, of), x in sizes.items():
        (number, row), (other, column) = place[to], place[of]
        if number == other:
            blocks[number][row, column] = x
    seen: list[fmpq_mat] = []
    for found in blocks:
        if any(found == known for known in seen):
            continue
        if not radius_below_one(RationalMatrix.from_flint(found)):
            return False
        seen.append(found)
    return True
