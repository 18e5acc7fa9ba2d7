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

Solved for is W + u uᵀ/d in coordinates of V, as its digits are fewer: u gives the terms that are linear in it. Bordered
with u and d it is positive definite where W is.

**A memory that has an end.** Let the places be the (context, entry) that are reached, with an arrow (h, j) → (h', i)
where R_ij ≠ 0 on a transition from h to h'. If no arrows form a cycle, a path of arrows has fewer arrows than there are
places, so every product of as many factors R as there are places is zero there. m is then a polynomial in the R and s
of that many last transitions, which take finitely many values: it is bounded and has moments of every order, whatever ρ
and γ are. No system is built to say so.

The systems fall apart into the strong components of the graph of their unknowns.

**Enclosed.** The recursion is exact in either arithmetic; what is solved for is exact, or balls around it. Balls leave
some questions open. A deviation is then any vector: V is not known, and W exists where |R| ⊗ |R| contracts.

Source: the trace of λ without end is an instance (``tdcert.theory.check.trace_law``).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement, product
from typing import Any, Generic

import numpy as np
import scipy
from flint import fmpq, fmpz

from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.protocol import Dense
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.check.definiteness import decide_positive_definite
from tdcert.theory.check.trace_law import radius_below_one
from tdcert.theory.engine.spans import closure, image
from tdcert.theory.engine.tables import Tables
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.model.components import strong_components

DENSE = 300
"""Unknowns up to which a system is solved without sparse matrices, in milliseconds: SciPy takes longer to import."""
BITS = (20, 40)
"""Binary digits of weights, tried in turn."""
Unknown = tuple[int, ...]
"""A context and an entry of the memory; a context and two entries of it."""
Weights = dict[tuple[Unknown, Unknown], fmpq]
"""Entries of a linear map by (to, from)."""
Rows = dict[int, list[tuple[int, fmpq]]]
"""The entries of a matrix, by row: (column, entry)."""
Scalar = Any
"""A number of a result, ``fmpq`` or ``arb``. Comparisons of balls are true where they are certain, so ``x != 0`` is no
way to skip zeros.
"""
Block = tuple[int, frozenset[tuple[int, int, fmpz, fmpz]]]
"""How many rows a square matrix has, and its entries: row, column, numerator and denominator (quick to hash)."""


@dataclass(frozen=True, eq=False)
class Memory(Generic[Dense]):
    """The memory of stationary tables. ``law``: of the contexts, scalars of the arithmetic ``kind``; ``begun``: what
    may differ from zero in runs from zero memory (:func:`reached_in`).
    """

    tables: Tables
    law: tuple[Scalar, ...]
    kind: type[Dense]
    begun: frozenset[Unknown] = frozenset()

    @staticmethod
    def of(tables: Tables, law: tuple[Scalar, ...], kind: type[Dense], begun: frozenset[Unknown]) -> Memory[Dense]:
        """The memory, with what was found of the last one where that is the same process: algorithms of one analysis
        often keep one trace.
        """
        made = Memory(tables, law, kind, begun)
        if kind is RationalMatrix:  # balls have no equality
            moves = (
                (one.source, *(frozenset(part.items()) for part in (one.R, one.s, one.targets))) for one in tables.moves
            )
            found = vars(_same(_Process((len(tables.contexts), tables.M, law, begun, *moves), made)))
            vars(made).update({name: value for name, value in found.items() if name != "tables"})
        return made

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
                for move in self.tables.moves
                for i in kept
                if move.s.get(i, fmpq(0)) < 0
                or any(k == i and (x < 0 or j not in kept) for (k, j), x in move.R.items())
            }
            if not broken:
                return frozenset(kept)
            kept -= broken

    @cached_property
    def sizes(self) -> Weights:
        """B_1: Σ p |R| on what is reached."""
        sizes: Weights = defaultdict(fmpq)
        for move in self.tables.moves:
            for (i, j), x in move.R.items():
                if (move.source, j) in self.reached:
                    for target, p in move.targets.items():
                        sizes[(target, i), (move.source, j)] += p * abs(x)
        return sizes

    @cached_property
    def exists(self) -> bool | None:
        """Whether E|m| is finite; None where that is not decided."""
        return True if self.without_end is None else self._answer(self.sizes)

    @cached_property
    def weights(self) -> dict[Unknown, Fraction] | None:
        """w > 0 with B w < w, B the sizes of the recursion; None where rounded solutions do not show it."""
        names = sorted(self.reached)
        if not names:
            return {}
        place = {unknown: k for k, unknown in enumerate(names)}
        entries = [(place[to], place[of], x) for (to, of), x in self.sizes.items()]
        rows, columns = [i for i, _, _ in entries], [j for _, j, _ in entries]
        values, ones = [float(x) for *_, x in entries], np.ones(len(names))
        try:
            if len(names) <= DENSE:
                left = np.eye(len(names))
                np.subtract.at(left, (rows, columns), values)
                solution = np.linalg.solve(left, ones)
            else:
                B = scipy.sparse.csc_array((values, (rows, columns)), shape=(len(names),) * 2)
                solution = scipy.sparse.linalg.splu(scipy.sparse.identity(len(names), format="csc") - B).solve(ones)
        except (RuntimeError, np.linalg.LinAlgError):
            return None
        if not np.isfinite(solution).all() or solution.min() <= 0:
            return None
        for bits in BITS:
            unit = 2**bits
            w = [fmpq(max(1, round(float(x) * unit)), unit) for x in solution]
            made = [fmpq(0)] * len(names)
            for i, j, x in entries:
                made[i] += x * w[j]
            if all(x < y for x, y in zip(made, w, strict=True)):
                return {name: to_fraction(x) for name, x in zip(names, w, strict=True)}
        return None

    @cached_property
    def _levels(self) -> dict[int, int] | None:
        """A level of each entry, above those of all entries that any move makes it of; None where there are none."""
        waiting: dict[int, set[int]] = {i: set() for _, i in self.reached}
        for move in self.tables.moves:
            for i, j in move.R:
                if (move.source, j) in self.reached:
                    waiting[i].add(j)
        levels = dict[int, int]()
        while ready := [i for i, of in waiting.items() if of <= levels.keys()]:
            level = max(levels.values(), default=-1) + 1
            for i in ready:
                del waiting[i]
                levels[i] = level
        return None if waiting else levels

    @cached_property
    def _groups(self) -> list[list[list[Unknown]]]:
        levels = self._levels
        if levels is None:
            return list(_components(self.reached, self.sizes))
        groups: list[list[list[Unknown]]] = [[] for _ in set(levels.values())]
        for unknown in sorted(self.reached):
            groups[levels[unknown[1]]].append([unknown])
        return groups

    @cached_property
    def without_end(self) -> int | None:
        """An entry of the memory that depends on its own past, however long ago; None where the memory has an end."""
        for parts in self._groups:
            for part in parts:
                if len(part) > 1 or (part[0], part[0]) in self.sizes:
                    return part[0][1]
        return None

    @cached_property
    def has_second_moments(self) -> bool | None:
        """Whether E|m|² is finite; None in exact arithmetic only where it is not decided whether E|m| is."""
        if self.without_end is None:
            return True
        if self.exists is False:
            return False
        edges = []
        for move in self.tables.moves:
            rows: Rows = defaultdict(list)
            for (i, j), x in move.R.items():
                if (move.source, j) in self.reached:
                    rows[i].append((j, abs(x)))
            edges.append((move.source, move.targets, rows))
        found = self._answer(_squared(edges))
        if found is not None or not self.exists or self.kind is BallMatrix:
            return found
        try:
            return all(isinstance(C, RationalMatrix) and decide_positive_definite(C).positive for C in self._seconds)
        except SingularMatrixError:
            return False

    def _answer(self, sizes: Weights) -> bool | None:
        """What the sizes of a recursion of moments say of their being finite: what never is negative cannot cancel.

        Products of two entries are no larger than their squares (Cauchy and Schwarz), so where a product grows so does
        a square, of an entry that is sometimes positive.
        """
        if contracts(sizes, self.kind):
            return True
        kept, fed = self.never_negative, self.fed

        def grows(unknown: Unknown) -> bool:
            return all(i in kept and (unknown[0], i) in fed for i in unknown[1:])

        alone = {pair: x for pair, x in sizes.items() if all(map(grows, pair))}
        return False if contracts(alone, self.kind) is False else None

    @cached_property
    def mean(self) -> Mapping[Unknown, Scalar]:
        """u, by (context, entry); entries that are left out are zero. Needs :attr:`exists`. Raises SingularMatrixError
        where balls do not determine it.
        """
        into: Weights = defaultdict(fmpq)
        known: dict[Unknown, list[Scalar]] = defaultdict(lambda: [fmpq(0)])
        for move in self.tables.moves:
            for target, p in move.targets.items():
                for (i, j), x in move.R.items():
                    if (move.source, j) in self.reached:
                        into[(target, i), (move.source, j)] += p * x
                for i, x in move.s.items():
                    known[target, i][0] += p * x * self.law[move.source]
        found = solved(self.reached, into, known, 1, self.kind, self._groups)  # what cancels in a mean has a size
        return {unknown: x for unknown, (x,) in found.items()}

    @cached_property
    def _hulls(self) -> list[tuple[tuple[int, ...], RationalMatrix]]:
        """(columns, F) for each context, F (r+1)×(M+1): there (m, 1) = Fᵀ(c, 1), where c are the ``columns`` of m. The
        first r rows of F span V. Needs :attr:`exists`.
        """
        M = self.tables.M
        if self.kind is not RationalMatrix:
            inside = [[i for i in range(M) if (h, i) in self.reached] for h in range(len(self.law))]
            units = RationalMatrix.zeros(1, 1).identity(M + 1)
            return [(tuple(part), units.take(rows=[*part, M])) for part in inside]
        means = [[*(self.mean.get((h, i), fmpq(0)) / x for i in range(M)), fmpq(1)] for h, x in enumerate(self.law)]
        jumps = (
            (target, [x - y for x, y in zip(after, means[target], strict=True)])
            for move in self.tables.moves
            for after in [image(move, means[move.source])]
            for target in move.targets
        )
        most = Counter(h for h, _ in self.reached)  # entries that are always zero have no deviations
        found = []
        for span, mean in zip(closure(self.tables, jumps, most), means, strict=True):
            columns, Z = span.matrix(M + 1).column_basis
            g = RationalMatrix.of_scalars(mean, M + 1)
            rest = g - g.take(columns=columns) @ Z if columns else g
            found.append((columns, RationalMatrix([*Z.rows, *rest.rows])))
        return found

    @cached_property
    def _seconds(self) -> list[Dense]:
        """C = E[(c, 1)(c, 1)ᵀ 1{h}] for each context, in the coordinates of its hull. Raises SingularMatrixError where
        the solution of its equation is not unique.
        """
        M, edges = self.tables.M, list[tuple[int, Mapping[int, fmpq], Rows]]()
        known: dict[Unknown, list[Scalar]] = {}
        for h, (columns, _) in enumerate(self._hulls):
            known |= {(h, i, j): [fmpq(0)] for i in columns for j in columns if i <= j}
        for move in self.tables.moves:
            columns, F = self._hulls[move.source]
            K = (self.tables.affine(move) @ F.T).scalars  # (c', 1) are rows of K (c, 1)
            weight = self.law[move.source]
            u = [self.mean.get((move.source, i), fmpq(0)) for i in columns]
            ahead = [sum((x * y for x, y in zip(row, u, strict=False) if x != 0), start=fmpq(0)) for row in K]
            moved = {i: [(j, x) for j, x in zip(columns, row, strict=False) if x != 0] for i, row in enumerate(K[:M])}
            edges.append((move.source, move.targets, moved))
            given = {
                (i, j): ahead[i] * K[j][-1] + K[i][-1] * (ahead[j] + K[j][-1] * weight)
                for i in range(M)
                for j in range(i, M)
            }
            for target, p in move.targets.items():
                for i, j in combinations_with_replacement(self._hulls[target][0], 2):
                    known[target, i, j][0] += p * given[i, j]
        solution = solved(known, _squared(edges, known), known, 1, self.kind)
        found = []
        for h, (columns, _) in enumerate(self._hulls):
            u = [self.mean.get((h, i), fmpq(0)) for i in columns]
            inner = ([solution[h, min(i, j), max(i, j)][0] for j in columns] for i in columns)
            rows = [*([*row, x] for row, x in zip(inner, u, strict=True)), [*u, self.law[h]]]
            found.append(self.kind.of_scalars([x for row in rows for x in row], len(rows)))
        return found

    @cached_property
    def second(self) -> tuple[Dense, ...]:
        """E[(m, 1)(m, 1)ᵀ 1{h}] for each context h, (M+1)×(M+1). Needs :attr:`has_second_moments`."""
        return tuple(
            self.kind.enclosing(F.T) @ C @ self.kind.enclosing(F)
            for (_, F), C in zip(self._hulls, self._seconds, strict=True)
        )


@dataclass(frozen=True)
class _Process:
    """All that a memory is, to be compared; and the memory."""

    content: tuple[Hashable, ...]
    memory: Memory[Any] = field(compare=False)


@lru_cache(maxsize=1)
def _same(process: _Process) -> Memory[Any]:
    """The first memory of those alike that are asked about in a row."""
    return process.memory


def reached_in(found: Tables, begun: Iterable[Unknown] = ()) -> frozenset[Unknown]:
    """The (context, entry) that differ from zero on some path from ``begun``, or from a transition with s ≠ 0."""
    onward: dict[Unknown, set[Unknown]] = defaultdict(set)
    reached = set(begun)
    for move in found.moves:
        reached |= {(h, i) for i in move.s for h in move.targets}
        for i, j in move.R:
            onward[move.source, j] |= {(h, i) for h in move.targets}
    waiting = list(reached)
    while waiting:
        new = onward[waiting.pop()] - reached
        reached |= new
        waiting += new
    return frozenset(reached)


def _squared(edges: Iterable[tuple[int, Mapping[int, fmpq], Rows]], kept: Container[Unknown] | None = None) -> Weights:
    """Σ p R ⊗ R on symmetric matrices, by their entries on and above the diagonal, for edges (from, p by to, R); of the
    entries that are ``kept``.
    """
    found: Weights = defaultdict(fmpq)
    for source, targets, rows in edges:
        products = [
            (i, j, (source, min(k, m), max(k, m)), x * y)
            for (i, first), (j, second) in product(rows.items(), repeat=2)
            if i <= j
            for k, x in first
            for m, y in second
        ]
        for target, p in targets.items():
            for i, j, of, x in products:
                if kept is None or (target, i, j) in kept:
                    found[(target, i, j), of] += p * x
    return found


def solved(
    unknowns: Iterable[Unknown],
    weights: Weights,
    known: Mapping[Unknown, Sequence[Scalar]],
    width: int,
    kind: type[Dense],
    groups: Iterable[list[list[Unknown]]] | None = None,
) -> dict[Unknown, Sequence[Scalar]]:
    """The x with x(to) = known(to) + Σ weight x(from), vectors of length ``width``; what is not ``known`` is zero.

    Components that depend on none but solved ones, and that are alike, are solved together. ``groups``: of components
    that hold those of the weights, where they are known. Raises SingularMatrixError where the solution is not unique,
    or, in balls, not known to be.
    """
    found: dict[Unknown, Sequence[Scalar]] = {}
    into: dict[Unknown, list[tuple[Unknown, fmpq]]] = defaultdict(list)
    for (to, of), x in weights.items():
        into[to].append((of, x))
    for parts in groups or _components(unknowns, weights):
        alike: dict[Block, list[tuple[list[Unknown], list[list[Scalar]]]]] = defaultdict(list)
        for part in parts:
            place = {unknown: k for k, unknown in enumerate(part)}
            inner = dict[tuple[int, int], fmpq]()
            right = [list(known.get(unknown, [fmpq(0)] * width)) for unknown in part]
            for to in part:
                for of, x in into[to]:
                    if of in place:
                        inner[place[to], place[of]] = x
                    else:
                        sums = right[place[to]]
                        for k, y in enumerate(found[of]):
                            sums[k] += x * y
            if inner or kind is not RationalMatrix:
                alike[_block(len(part), inner)].append((part, right))
            else:  # it does not depend on itself
                found.update(zip(part, right, strict=True))
        for block, sides in alike.items():
            B = _matrix(block, kind)
            together = [x for k in range(block[0]) for _, right in sides for x in right[k]]
            right_side = kind.of_scalars(together, len(sides) * width)
            for k, row in enumerate((B.identity(block[0]) - B).solve(right_side).scalars):
                for which, (part, _) in enumerate(sides):
                    found[part[k]] = row[which * width : (which + 1) * width]
    return found


def _block(size: int, inner: Mapping[tuple[int, int], fmpq]) -> Block:
    return size, frozenset((row, column, x.p, x.q) for (row, column), x in inner.items())


def _matrix(block: Block, kind: type[Dense]) -> Dense:
    """The square matrix with these entries."""
    size, inner = block
    entries = [fmpq(0)] * size**2
    for row, column, p, q in inner:
        entries[row * size + column] = fmpq(p, q)
    return kind.of_scalars(entries, size)


def _components(
    unknowns: Iterable[Unknown], weights: Mapping[tuple[Unknown, Unknown], Any]
) -> Iterator[list[list[Unknown]]]:
    """The strong components, in groups: each depends on itself and on components of earlier groups."""
    names = sorted(unknowns)
    place = {unknown: k for k, unknown in enumerate(names)}
    if not names:
        return
    needs: list[set[int]] = [set() for _ in names]
    for (to, of), x in weights.items():
        if x != 0:
            needs[place[to]].add(place[of])
    depth = [0] * len(names)  # of its component: one more than of all that it depends on
    groups: dict[int, list[list[Unknown]]] = {}
    for part in strong_components(needs):
        inside = set(part)
        level = max((depth[k] + 1 for one in part for k in needs[one] if k not in inside), default=0)
        for one in part:
            depth[one] = level
        groups.setdefault(level, []).append([names[one] for one in sorted(part)])
    yield from (sorted(groups[level]) for level in sorted(groups))


def irreducible_blocks(sizes: Mapping[tuple[Unknown, Unknown], Any]) -> list[tuple[int, dict[tuple[int, int], Any]]]:
    """The strong components of the map: how many unknowns each has, and its entries by row and column."""
    unknowns = {unknown for pair in sizes for unknown in pair}
    parts = [part for group in _components(unknowns, sizes) for part in group]
    place = {unknown: (number, k) for number, part in enumerate(parts) for k, unknown in enumerate(part)}
    blocks: list[dict[tuple[int, int], Any]] = [{} for _ in parts]
    for (to, of), x in sizes.items():
        (number, row), (other, column) = place[to], place[of]
        if number == other:
            blocks[number][row, column] = x
    return [(len(part), inner) for part, inner in zip(parts, blocks, strict=True)]


def contracts(sizes: Weights, kind: type[Dense]) -> bool | None:
    """Whether the spectral radius of the non-negative map is below one; None where balls leave it open."""
    answers = set[bool | None]()
    for block in {_block(size, inner) for size, inner in irreducible_blocks(sizes)}:
        answers.add(radius_below_one(_matrix(block, kind)))
        if False in answers:
            return False
    return None if None in answers else True
