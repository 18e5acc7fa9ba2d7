r"""Linear spans: of what the memory can be in the stationary regime, and of how parameters enter the updates.

With M_e the map (m, c) ↦ (R m + s c, c) of the edge e and Φ(V)(h') = Σ_{e: h → h'} M_e V(h), let U_0 be the least
family of subspaces with U_0 ⊇ Φ(U_0) that holds (0, 1) in every context. Φᵏ(U_0) decreases, so it stands still after
some steps. Where the memory forgets its start (a mean that exists by contraction), a stationary (m, 1) is a limit of
values k steps after zero memory, which lie in Φᵏ(U_0), for every k: so it lies in the last one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from flint import fmpq

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.engine.tables import MemoryMove, Tables

Vector = list[fmpq]


class Span:
    """A subspace, by rows in echelon form: each begins with a one, where later rows have zeros."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, Vector]] = []

    def add(self, vector: Sequence[fmpq]) -> Vector | None:
        """Makes the vector part of it; what is new of it, None where nothing is."""
        rest = list(vector)
        for pivot, row in self.rows:
            factor = rest[pivot]
            if factor != 0:
                rest = [x - factor * y for x, y in zip(rest, row, strict=True)]
        first = next((k for k, x in enumerate(rest) if x != 0), None)
        if first is None:
            return None
        rest = [x / rest[first] for x in rest]
        self.rows.append((first, rest))
        return rest

    def __len__(self) -> int:
        return len(self.rows)

    def matrix(self, width: int) -> RationalMatrix:
        """A basis, as rows."""
        if not self.rows:
            return RationalMatrix.zeros(0, width)
        return RationalMatrix([[to_fraction(x) for x in row] for _, row in self.rows])


def closure(found: Tables, starts: Iterable[tuple[int, Vector]], most: Mapping[int, int] | Sequence[int]) -> list[Span]:
    """For each context the least span that holds the vectors (m, c) given with it, and the images of what spans hold
    in the contexts before. ``most``: no span has a larger dimension; that only saves time.
    """
    spans = [Span() for _ in found.contexts]
    waiting: list[tuple[int, Vector]] = []

    def add(h: int, vector: Vector) -> None:
        new = None if len(spans[h]) == most[h] else spans[h].add(vector)
        if new is not None:
            waiting.append((h, new))

    for h, vector in starts:
        add(h, vector)
    leaving = defaultdict[int, list[MemoryMove]](list)
    for move in found.moves:
        leaving[move.source].append(move)
    while waiting:
        h, vector = waiting.pop()
        for move in leaving[h]:
            if any(len(spans[target]) < most[target] for target in move.targets):
                after = image(move, vector)
                for target in move.targets:
                    add(target, after)
    return spans


def image(move: MemoryMove, vector: Vector) -> Vector:
    """(R m + s c, c) of (m, c)."""
    new = [*[fmpq(0)] * (len(vector) - 1), vector[-1]]
    for i, x in move.s.items():
        new[i] += x * vector[-1]
    for (i, j), x in move.R.items():
        new[i] += x * vector[j]
    return new


def memory_spans(found: Tables) -> list[list[Vector]]:
    """For each context a basis of vectors (m, c) whose span holds (m, 1) for every stationary m."""
    start = [*[fmpq(0)] * found.M, fmpq(1)]
    count = len(found.contexts)
    spans = closure(found, ((h, start) for h in range(count)), [found.M + 1] * count)
    while True:
        later = [Span() for _ in found.contexts]
        for move in found.moves:
            for _, vector in spans[move.source].rows:
                for target in move.targets:
                    later[target].add(image(move, vector))
        if [*map(len, later)] == [*map(len, spans)]:
            return [[vector for _, vector in span.rows] for span in spans]
        spans = later


def seen_rows(found: Tables, memory: list[list[Vector]] | None) -> Iterator[Vector]:
    """The rows of G_k, a row for each entry of the memory; for each of its vectors where these are given."""
    for edge in found.edges:
        for part in edge.increments.values():
            rows: dict[tuple[int | None, int], Vector] = {}
            for (entry, row, column), x in part.items():
                if column < found.D:
                    rows.setdefault((entry, row), [fmpq(0)] * found.D)[column] = x
            if memory is None:
                yield from rows.values()
                continue
            for vector in memory[edge.source]:
                at: dict[int, Vector] = {}
                for (entry, row), values in rows.items():
                    weight = vector[-1 if entry is None else entry]
                    if weight != 0:
                        known = at.setdefault(row, [fmpq(0)] * found.D)
                        at[row] = [x + weight * y for x, y in zip(known, values, strict=True)]
                yield from at.values()


def needs_spans(found: Tables, columns: Sequence[int], T: RationalMatrix) -> bool:
    """Whether some rows of the G_k, an entry of the memory at a time, are not x[columns] T."""
    seen = spanned(seen_rows(found, None), found.D)
    return seen.take(columns=columns) @ T != seen


def spanned(rows: Iterator[Vector], width: int) -> RationalMatrix:
    """A basis of what the rows span, as rows; they are read until it is everything."""
    span = Span()
    for row in rows:
        if len(span) == width:
            break
        span.add(row)
    return span.matrix(width)
