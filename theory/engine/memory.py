r"""Memory without end: its moments in the stationary regime, by exact linear systems, and whether they exist.

With the recursion m' = R m + s of the tables, u(h) = E[m 1{context h}] solves

    u(h') = Σ_{h → h'} p (R u(h) + s d(h)),        d the law of the contexts,

and |m'| ≤ |R| |m| + |s| entry by entry: if the spectral radius of the non-negative B_1(h', h) = Σ p |R| is below one on
what is reached from {s ≠ 0}, then E|m| is finite, the solution is unique there, and is the mean. Where an entry of the
memory is never negative nothing cancels: from m_0 = 0 on it then grows in law, so its mean is infinite if that radius,
on such entries, is not below one. What only the first transitions of a run make differ from zero must be forgotten too:
it counts as reached, with a mean of zero, and where it does not contract nothing is decided.

**Second moments** exist or not, and one linear system says which. Let g = u/d, b = R g + s − g' on each edge (how far
the mean given the context jumps), and V(h) the least family of subspaces that holds every b of an edge into h and that
every R keeps. Given the context, m − g lies in V, and its covariance, if it is finite, solves

    W = 𝒯W + β,        (𝒯W)(h') = Σ_{h → h'} p R W(h) Rᵀ,        β(h') = Σ_{h → h'} p d(h) b bᵀ

(W weighted with d). 𝒯 keeps the order of symmetric matrices, so a solution W ⪰ 0 has W ⪰ Σ_{j<k} 𝒯ʲβ for every k. That
sum then converges, its limit is positive definite on V, and 𝒯ᵏ → 0 on V: the solution is unique, m − g is a sum that
converges in mean square, and W is its covariance. Where no solution, or more than one, or one that is not positive
definite on V is found, there are no second moments. Contraction of |R| ⊗ |R| shows the same without a solution.

The systems fall apart into the strong components of the graph of their unknowns.

Source: the trace of λ without end is an instance (``tdcert.theory.check.trace_law``).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import fmpq, fmpq_mat
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.check.definiteness import decide_positive_definite
from tdcert.theory.check.trace_law import radius_below_one
from tdcert.theory.engine.spans import closure
from tdcert.theory.engine.tables import Tables
from tdcert.theory.errors import SingularMatrixError

Unknown = tuple[int, ...]
"""A context and an entry of the memory; a context and two entries of it."""
Weights = dict[tuple[Unknown, Unknown], fmpq]
"""Entries of a linear map by (to, from)."""
Rows = dict[int, list[tuple[int, fmpq]]]
"""The entries of a matrix, by row: (column, entry)."""


@dataclass(frozen=True, eq=False)
class Memory:
    """The memory of stationary tables. ``law``: of the contexts; ``begun``: what may differ from zero in runs from zero
    memory (:func:`reached_in`).
    """

    tables: Tables
    law: tuple[Fraction, ...]
    begun: frozenset[Unknown] = frozenset()

    @cached_property
    def _recursions(self) -> list[tuple[int, int, fmpq, dict[tuple[int, int], fmpq], dict[int, fmpq]]]:
        """(from, to, p, R, s) of every edge."""
        known = self.tables.recursions
        return [(e.source, e.target, to_fmpq(e.outcome.probability), *known[e]) for e in self.tables.edges]

    @cached_property
    def fed(self) -> frozenset[Unknown]:
        """The (context, entry) that the stationary regime itself makes differ from zero."""
        return reached_in(self.tables)

    @cached_property
    def reached(self) -> frozenset[Unknown]:
        """The (context, entry) that are not always zero, as far as signs that cancel are left out."""
        return reached_in(self.tables, self.begun) if self.begun - self.fed else self.fed

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
        for parts in _components(self.reached, self.sizes):
            for part in parts:
                if any((a, b) in self.sizes for a in part for b in part):
                    return part[0][1]
        return None

    @cached_property
    def has_second_moments(self) -> bool | None:
        """Whether E|m|² is finite; None only where it is not decided whether E|m| is."""
        if self.exists is False:
            return False
        edges = []
        for source, target, p, R, _ in self._recursions:
            rows: Rows = defaultdict(list)
            for (i, j), x in R.items():
                if (source, j) in self.reached:
                    rows[i].append((j, abs(x)))
            edges.append((source, target, p, rows))
        found = self._answer(_squared(edges))
        if found or not self.exists:
            return found
        try:
            return all(not W.shape[0] or decide_positive_definite(W).positive for _, W in self.deviations)
        except SingularMatrixError:
            return False

    def _answer(self, sizes: Weights) -> bool | None:
        """What the sizes of a recursion of moments say of their being finite: what never is negative cannot cancel.

        Products of two entries are no larger than their squares (Cauchy and Schwarz), so where a product grows so does
        a square, of an entry that is sometimes positive.
        """
        if _contracts(sizes):
            return True
        kept, fed = self.never_negative, self.fed

        def grows(unknown: Unknown) -> bool:
            return all(i in kept and (unknown[0], i) in fed for i in unknown[1:])

        alone = {pair: x for pair, x in sizes.items() if all(map(grows, pair))}
        return None if _contracts(alone) else False

    @cached_property
    def mean(self) -> Mapping[Unknown, fmpq]:
        """u, by (context, entry); entries that are left out are zero. Needs :attr:`exists`."""
        into: Weights = defaultdict(fmpq)
        known: dict[Unknown, list[fmpq]] = defaultdict(lambda: [fmpq(0)])
        law = [to_fmpq(x) for x in self.law]
        for source, target, p, R, s in self._recursions:
            for (i, j), x in R.items():
                if (source, j) in self.reached:
                    into[(target, i), (source, j)] += p * x
            for i, x in s.items():
                known[target, i][0] += p * x * law[source]
        return {unknown: x for unknown, (x,) in solved(self.reached, into, known, 1).items()}

    @cached_property
    def jumps(self) -> list[list[fmpq]]:
        """b of every edge: how far the mean given the context jumps. Needs :attr:`exists`."""
        M = self.tables.M
        g = [[self.mean.get((h, i), fmpq(0)) / to_fmpq(x) for i in range(M)] for h, x in enumerate(self.law)]
        found = []
        for source, target, _, R, s in self._recursions:
            jump = [s.get(i, fmpq(0)) - x for i, x in enumerate(g[target])]
            for (i, j), x in R.items():
                jump[i] += x * g[source][j]
            found.append(jump)
        return found

    @cached_property
    def deviations(self) -> list[tuple[RationalMatrix, RationalMatrix]]:
        """(Z, W) for each context: what m − g can be is spanned by the rows of Z (r×M), and W (r×r) in these
        coordinates solves the equation of its covariance. Needs :attr:`exists`. Raises SingularMatrixError where the
        solution is not unique.
        """
        M, jumps = self.tables.M, self.jumps
        starts = ((edge.target, [fmpq(0), *jump]) for edge, jump in zip(self.tables.edges, jumps, strict=True))
        most = Counter(h for h, _ in self.reached)  # entries that are always zero have no deviations
        spans = closure(self.tables, starts, most)
        bases = [span.matrix(M + 1).take(columns=range(1, M + 1)).column_basis for span in spans]
        rows, known = [], dict[Unknown, list[fmpq]]()
        for h, (columns, _) in enumerate(bases):
            known |= {(h, i, j): [fmpq(0)] for i in columns for j in columns if i <= j}
        for (source, target, p, R, _), jump in zip(self._recursions, jumps, strict=True):
            columns, Z = bases[source]
            moved: Rows = defaultdict(list)
            for k, i in enumerate(columns):  # R times row k of Z, read where its own basis has ones
                image: dict[int, fmpq] = defaultdict(fmpq)
                for (row, j), x in R.items():
                    image[row] += x * to_fmpq(Z[k, j])
                for row in bases[target][0]:
                    if image[row] != 0:
                        moved[row].append((i, image[row]))
            rows.append((source, target, p, moved))
            weight = p * to_fmpq(self.law[source])
            for i in bases[target][0]:
                for j in bases[target][0]:
                    if i <= j and jump[i] != 0:
                        known[target, i, j][0] += weight * jump[i] * jump[j]
        found = solved(known, _squared(rows), known, 1)
        return [
            (Z, RationalMatrix([[to_fraction(found[h, min(i, j), max(i, j)][0]) for j in columns] for i in columns]))
            for h, (columns, Z) in enumerate(bases)
        ]

    @cached_property
    def second(self) -> tuple[RationalMatrix, ...]:
        """E[(m, 1)(m, 1)ᵀ 1{h}] for each context h, (M+1)×(M+1). Needs :attr:`has_second_moments`."""
        found, M = [], self.tables.M
        for h, (Z, W) in enumerate(self.deviations):
            u = RationalMatrix.column([*(to_fraction(self.mean.get((h, i), fmpq(0))) for i in range(M)), self.law[h]])
            total = (u @ u.T).scaled(1 / self.law[h])
            if Z.shape[0]:
                wide = RationalMatrix([[*row, Fraction(0)] for row in Z.rows])
                total = total + wide.T @ W @ wide
            found.append(total)
        return tuple(found)


def reached_in(found: Tables, begun: Iterable[Unknown] = ()) -> frozenset[Unknown]:
    """The (context, entry) that differ from zero on some path from ``begun``, or from a transition with s ≠ 0."""
    onward: dict[Unknown, set[Unknown]] = defaultdict(set)
    reached = set(begun)
    for edge in found.edges:
        R, s = found.recursions[edge]
        reached |= {(edge.target, i) for i in s}
        for i, j in R:
            onward[edge.source, j].add((edge.target, i))
    waiting = list(reached)
    while waiting:
        new = onward[waiting.pop()] - reached
        reached |= new
        waiting += new
    return frozenset(reached)


def _squared(edges: Iterable[tuple[int, int, fmpq, Rows]]) -> Weights:
    """Σ p R ⊗ R on symmetric matrices, by their entries on and above the diagonal, for edges (from, to, p, R)."""
    found: Weights = defaultdict(fmpq)
    for source, target, p, rows in edges:
        for i, first in rows.items():
            for j, second in rows.items():
                for k, x in first if i <= j else ():
                    for m, y in second:
                        found[(target, i, j), (source, min(k, m), max(k, m))] += p * x * y
    return found


def solved(
    unknowns: Iterable[Unknown], weights: Weights, known: Mapping[Unknown, Sequence[fmpq]], width: int
) -> dict[Unknown, Sequence[fmpq]]:
    """The x with x(to) = known(to) + Σ weight x(from), vectors of length ``width``; what is not ``known`` is zero.

    Components that depend on none but solved ones, and that are alike, are solved together. Raises
    SingularMatrixError where the solution is not unique.
    """
    found: dict[Unknown, Sequence[fmpq]] = {}
    into: dict[Unknown, list[tuple[Unknown, fmpq]]] = defaultdict(list)
    for (to, of), x in weights.items():
        into[to].append((of, x))
    for parts in _components(unknowns, weights):
        alike: dict[RationalMatrix, list[tuple[list[Unknown], list[list[fmpq]]]]] = defaultdict(list)
        for part in parts:
            place = {unknown: k for k, unknown in enumerate(part)}
            system = [[Fraction(int(i == j)) for j in range(len(part))] for i in range(len(part))]
            right = [list(known.get(unknown, [fmpq(0)] * width)) for unknown in part]
            for to in part:
                for of, x in into[to]:
                    if of in place:
                        system[place[to]][place[of]] -= to_fraction(x)
                    else:
                        right[place[to]] = [a + x * b for a, b in zip(right[place[to]], found[of], strict=True)]
            alike[RationalMatrix(system)].append((part, right))
        for matrix, sides in alike.items():
            together = [[to_fraction(x) for _, right in sides for x in right[k]] for k in range(matrix.shape[0])]
            for k, row in enumerate(matrix.solve(RationalMatrix(together)).rows):
                for which, (part, _) in enumerate(sides):
                    found[part[k]] = [to_fmpq(x) for x in row[which * width : (which + 1) * width]]
    return found


def _components(unknowns: Iterable[Unknown], weights: Weights) -> Iterator[list[list[Unknown]]]:
    """The strong components, in groups: each depends on itself and on components of earlier groups."""
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
        yield [members[c] for c in ready]


def _contracts(sizes: Weights) -> bool:
    """Whether the spectral radius of the non-negative map is below one."""
    unknowns = {unknown for pair in sizes for unknown in pair}
    parts = [part for group in _components(unknowns, sizes) for part in group]
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
