r"""Constant steps on paths, with a memory without end that some moves cut: bounds of the exponent, with a tail.

The system is that of :mod:`tdcert.theory.laws.path_exponents`, y' = B y, along a finite chain of contexts with a memory
that takes infinitely many values,

    m' = R m + s,        B = I + K(m),    K affine in m.

A move *cuts* the memory if m' does not depend on m. From every context of the one recurrent class a cut comes after a
time τ with a geometric tail, P(τ > k) ≤ C qᵏ, and until then m grows at most geometrically: so log⁺‖B‖ = O(k) at the
k-th move after a cut, and log⁺‖B‖ and its sum over the time between two cuts have finite means. λ₁ exists (Furstenberg
and Kesten, 1960), and averages along almost every path tend to means under the stationary law of (context, m).

**That law is exact, layer by layer.** Whether a move cuts does not depend on m. So the law d of the contexts gives the
flow into (h', s) behind each cut, layer 0; the moves that do not cut lead from layer k to layer k + 1. Of the contexts
h the layers from k on have d(h) less what the layers before have. Per step, no expected length of a cycle is needed.

**Determinants.** D λ₁ ≥ E log |det B|. The layers before a depth are summed move by move. Behind it m stays in
intervals that no move without a cut leaves; where det B is affine in m, as with a matrix of rank one, the intervals
bound |det B| from below by some b > 0, and the tail has at least its law times log b. Emphasis that grows without bound
makes b large: the interval is one-sided, and the tail adds to the bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, isfinite

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.laws.path_exponents import RestartDeterminants, Tail, classes_of, log_sum, rounded
from tdcert.theory.limits import LAYER_MOVES, raised
from tdcert.theory.model.chain import Chain

DEPTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
"""Depths that are tried in turn."""
SETTLED = Fraction(1, 10**7)
"""Law of the tail with which the depth is enough."""
ROUNDS = 3_000
"""How often intervals are widened before ends that still move are given up."""
STILL, WIDE = 1e-9, 1e9
"""Relative change with which an end stands still; sums of products of sizes of R beyond which nothing contracts."""
AWAY = 1e60
"""Ends that are beyond it do not come back."""
ROOM = 2.0**-20
"""By how much of what contraction allows, and of themselves, ends are moved outwards."""

LayerNode = tuple[int, tuple[Fraction, ...]]
"""A context with a memory."""
Ends = tuple[Fraction | None, Fraction | None]
"""An interval; None where it has no end."""


@dataclass(frozen=True, eq=False)
class ContextMove:
    """A move between contexts. ``parts``: K = parts[M] + Σ m_j parts[j], without those that are zero."""

    source: int
    target: int
    p: Fraction
    R: Mapping[tuple[int, int], Fraction]
    s: Mapping[int, Fraction]
    parts: Mapping[int, RationalMatrix]
    cuts: bool

    def after(self, memory: Sequence[Fraction]) -> LayerNode:
        """Where it leads."""
        new = [self.s.get(i, Fraction(0)) for i in range(len(memory))]
        for (i, j), x in self.R.items():
            new[i] += x * memory[j]
        return self.target, tuple(new)

    def B(self, memory: Sequence[Fraction], size: int) -> RationalMatrix:
        """I + K."""
        total = RationalMatrix.zeros(size, size).identity(size)
        for j, part in self.parts.items():
            x = Fraction(1) if j == len(memory) else memory[j]
            if x:
                total = total + part.scaled(x)
        return total


@dataclass(frozen=True)
class LayerMove:
    """Out of a node of a layer: π(node) p; ``target``: None where it is in the tail."""

    source: int
    target: int | None
    flow: Fraction
    passage: ContextMove
    B: RationalMatrix


@dataclass(frozen=True)
class Layers:
    """``nodes``: of the layers before a depth, in the order in which they are met, the ``first`` of them behind cuts;
    ``entered``: of the next one, with their law; ``rest``: the law of the tail, by context.
    """

    nodes: tuple[LayerNode, ...]
    first: int
    moves: tuple[LayerMove, ...]
    entered: Mapping[LayerNode, Fraction]
    rest: tuple[Fraction, ...]


@dataclass(frozen=True, eq=False)
class Restarts:
    """Contexts, the first ``starts`` of them those of time zero, with a memory of M numbers, and D unknowns."""

    passages: tuple[ContextMove, ...]
    contexts: int
    starts: int
    M: int
    D: int

    @cached_property
    def law(self) -> tuple[Fraction, ...] | None:
        """d; None where there are several recurrent classes."""
        P = [[Fraction(0)] * self.contexts for _ in range(self.contexts)]
        for move in self.passages:
            P[move.source][move.target] += move.p
        chain = Chain(RationalMatrix(P))
        if len(chain.recurrent_classes) > 1:
            return None
        return tuple(chain.stationary_law(chain.recurrent_classes[0]).column_entries())

    @cached_property
    def leaving(self) -> tuple[tuple[ContextMove, ...], ...]:
        """The moves out of each context."""
        return tuple(tuple(x for x in self.passages if x.source == h) for h in range(self.contexts))

    @property
    def members(self) -> tuple[int, ...]:
        """The contexts of the recurrent class."""
        assert self.law is not None
        return tuple(h for h, x in enumerate(self.law) if x)

    @property
    def leaving_in_class(self) -> tuple[tuple[ContextMove, ...], ...]:
        """The moves out of each of them."""
        return tuple(self.leaving[h] for h in self.members)

    @property
    def is_cut(self) -> bool:
        """Whether some move of the recurrent class cuts the memory."""
        return self.law is not None and any(x.cuts and self.law[x.source] for x in self.passages)

    def layers(self, depth: int, begun: bool) -> Layers | None:
        """The layers before ``depth``; ``begun``: with the nodes of time zero and behind cuts outside
        the class, whose law is zero; None beyond :data:`LAYER_MOVES` moves."""
        assert self.law is not None
        layer: dict[LayerNode, Fraction] = {}
        for move in self.passages:
            if move.cuts and (self.law[move.source] or begun):
                node = move.after((Fraction(0),) * self.M)
                layer[node] = layer.get(node, Fraction(0)) + self.law[move.source] * move.p
        for h in range(self.starts) if begun else ():
            layer.setdefault((h, (Fraction(0),) * self.M), Fraction(0))
        first, rest = {node: k for k, node in enumerate(layer)}, list(self.law)
        nodes, moves = list[LayerNode](), list[LayerMove]()
        for k in range(depth):
            later, numbers, begin = dict[LayerNode, Fraction](), dict[LayerNode, int](), len(nodes)
            target: int | None
            nodes += layer
            for place, (node, flow) in enumerate(layer.items(), begin):
                rest[node[0]] -= flow
                for move in self.leaving[node[0]]:
                    after = move.after(node[1])
                    if move.cuts:
                        target = first[after]
                    else:
                        later[after] = later.get(after, Fraction(0)) + flow * move.p
                        target = numbers.setdefault(after, len(nodes) + len(numbers)) if k + 1 < depth else None
                    moves.append(LayerMove(place, target, flow * move.p, move, move.B(node[1], self.D)))
                if len(moves) > raised(LAYER_MOVES):
                    return None
            layer = later
        return Layers(tuple(nodes), len(first), tuple(moves), layer, tuple(rest))


# ---- determinants ---------------------------------------------------------------------------------------------------


def by_determinants(of: Restarts) -> RestartDeterminants | None:
    """The best lower bound of λ₁ over depths and blocks of coordinates; None where none is found."""
    best: RestartDeterminants | None = None
    for block in classes_of(of.D, (part for move in of.passages for part in move.parts.values())):
        affine = {id(move): _determinant(move, block, of.M) for move in of.passages}
        for depth in DEPTHS:
            layers = of.layers(depth, begun=True)
            if layers is None:
                break
            found = _at_depth(of, layers, depth, block, affine)
            if found is not None and (best is None or found.bound > best.bound):
                best = found
            if sum(layers.rest) <= SETTLED:
                break
    return best


def _at_depth(
    of: Restarts, layers: Layers, depth: int, block: Sequence[int], affine: Mapping[int, Mapping[int, Fraction] | None]
) -> RestartDeterminants | None:
    flows, sizes, regular = list[Fraction](), list[Fraction](), len(block) == of.D
    for one in layers.moves:
        x = abs(one.B.take(block, block).determinant())
        regular = regular and x != 0
        if one.flow:
            flows.append(one.flow)
            sizes.append(x)
    tail = intervals(of, layers.entered)
    for move, x in _tail_sizes(of, tail, affine):
        regular = regular and x != 0
        if layers.rest[move.source]:
            flows.append(layers.rest[move.source] * move.p)
            sizes.append(x)
    if not all(sizes):
        return None
    bound = rounded(log_sum(zip(flows, sizes, strict=True)) / len(block), up=False)
    return RestartDeterminants(bound, tuple(block), depth, tail, regular)


def _tail_sizes(
    of: Restarts, tail: Tail, affine: Mapping[int, Mapping[int, Fraction] | None]
) -> Iterator[tuple[ContextMove, Fraction]]:
    """The moves of the tail, with a lower bound of |det B|; zero where there is none."""
    for h, ends in enumerate(tail):
        for move in of.leaving[h] if ends is not None else ():
            assert ends is not None
            numbers = affine[id(move)]
            yield move, Fraction(0) if numbers is None else least(numbers, ends)


def is_regular(of: Restarts) -> bool:
    """Whether all matrices B are seen to be regular, from time zero on."""
    affine = {id(move): _determinant(move, range(of.D), of.M) for move in of.passages}
    for depth in DEPTHS:
        layers = of.layers(depth, begun=True)
        if layers is None or not all(move.B.is_regular for move in layers.moves):
            return False
        if all(x for _, x in _tail_sizes(of, intervals(of, layers.entered), affine)):
            return True
    return False


def _determinant(move: ContextMove, block: Sequence[int], M: int) -> dict[int, Fraction] | None:
    """det (I + K) on the block as a sum of numbers times (m, 1); None where it is not seen to be affine in m."""
    parts = {j: part.take(block, block) for j, part in move.parts.items()}
    one = RationalMatrix.zeros(1, 1).identity(len(block))
    one = one + parts.pop(M) if M in parts else one
    matrices = list(parts.values())
    for some in (matrices, [part.T for part in matrices]):
        if not some or RationalMatrix([row for part in some for row in part.rows]).rank <= 1:
            constant = one.determinant()
            return {M: constant, **{j: (one + part).determinant() - constant for j, part in parts.items()}}
    return None


def least(numbers: Mapping[int, Fraction], ends: Sequence[Ends]) -> Fraction:
    """A lower bound of |Σ numbers (m, 1)| for m in the intervals; zero where there is none."""
    low, high = _interval(numbers, ends)
    return max(Fraction(0), low or Fraction(0), -(high or Fraction(0)))


def _interval(numbers: Mapping[int, Fraction], ends: Sequence[Ends]) -> Ends:
    low: Fraction | None = Fraction(0)
    high: Fraction | None = Fraction(0)
    for j, x in numbers.items():
        below, above = ends[j] if j < len(ends) else (Fraction(1), Fraction(1))
        if x < 0:
            below, above = above, below
        if x:
            low = None if low is None or below is None else low + x * below
            high = None if high is None or above is None else high + x * above
    return low, high


def intervals(of: Restarts, entered: Iterable[LayerNode]) -> Tail:
    """Intervals of the memory in each context of the tail that no move without a cut leaves; None where the tail never
    comes. Floats find where ends stand still; ends that are not kept to exactly are given up, until all are kept.
    """
    around: dict[int, list[Ends]] = {}
    for h, memory in entered:
        known = around.setdefault(h, [(x, x) for x in memory])
        around[h] = [_hull(end, (x, x)) for end, x in zip(known, memory, strict=True)]
    kept = [move for move in of.passages if not move.cuts]
    waiting = list(around)
    for h in waiting:  # grows while it is read: contexts that the tail comes to
        for move in (x for x in kept if x.source == h and x.target not in waiting):
            waiting.append(move.target)
    kept = [move for move in kept if move.source in waiting]
    found = _still(of, kept, around, waiting)
    while True:
        wider = {h: list(ends) for h, ends in found.items()}
        for move in kept:
            for i, image in enumerate(_image(move, found[move.source], of.M)):
                low, high = wider[move.target][i]
                if low is not None and (image[0] is None or image[0] < low):
                    low = None
                if high is not None and (image[1] is None or image[1] > high):
                    high = None
                wider[move.target][i] = low, high
        if wider == found:
            return tuple(tuple(found[h]) if h in found else None for h in range(of.contexts))
        found = wider


def _image(move: ContextMove, ends: Sequence[Ends], M: int) -> Iterator[Ends]:
    rows: list[dict[int, Fraction]] = [{M: move.s.get(i, Fraction(0))} for i in range(M)]
    for (i, j), x in move.R.items():
        rows[i][j] = x
    return (_interval(row, ends) for row in rows)


def _hull(a: Ends, b: Ends) -> Ends:
    low = None if a[0] is None or b[0] is None else min(a[0], b[0])
    return low, None if a[1] is None or b[1] is None else max(a[1], b[1])


def _near(x: Fraction) -> float:
    """A float near it, infinite beyond all floats."""
    try:
        return float(x)
    except OverflowError:
        return inf if x > 0 else -inf


def _still(
    of: Restarts, kept: Sequence[ContextMove], around: Mapping[int, Sequence[Ends]], contexts: Sequence[int]
) -> dict[int, list[Ends]]:
    """Where the ends stand still in floats: those that never move as they are, those that come to rest moved outwards
    by a little of what contraction allows, none where they keep on moving.
    """
    low = {h: [_near(a) for a, _ in around[h]] if h in around else [inf] * of.M for h in contexts}  # type: ignore[arg-type]
    high = {h: [_near(b) for _, b in around[h]] if h in around else [-inf] * of.M for h in contexts}  # type: ignore[arg-type]
    start = {h: (list(low[h]), list(high[h])) for h in contexts}
    room = {h: [1.0] * of.M for h in contexts}
    before: dict[int, tuple[list[float], list[float]]] = {}
    for _ in range(ROUNDS):
        before = {h: (list(low[h]), list(high[h])) for h in contexts}
        wider = {h: [1.0] * of.M for h in contexts}
        for move in kept:
            h, g = move.source, move.target
            if not all(a <= b for a, b in zip(low[h], high[h], strict=True)):
                continue
            below = [_near(move.s.get(i, Fraction(0))) for i in range(of.M)]
            above, sizes = list(below), [1.0] * of.M
            for (i, j), exact in move.R.items():
                x = _near(exact)
                below[i] += x * (low[h][j] if x > 0 else high[h][j])
                above[i] += x * (high[h][j] if x > 0 else low[h][j])
                sizes[i] += abs(x) * room[h][j]
            low[g] = [min(a, b) for a, b in zip(low[g], below, strict=True)]
            high[g] = [max(a, b) for a, b in zip(high[g], above, strict=True)]
            wider[g] = [min(WIDE, max(a, b)) for a, b in zip(wider[g], sizes, strict=True)]
        room = wider
        moved = ((a, b) for h in contexts for k in (0, 1) for a, b in zip((low, high)[k][h], before[h][k], strict=True))
        if not any(abs(a - b) > STILL * (1 + abs(a)) and abs(a) < AWAY for a, b in moved):
            break

    def end(h: int, i: int, side: int) -> Fraction | None:
        now, then, first = (low, high)[side][h][i], before[h][side][i], start[h][side][i]
        if now == first and h in around:
            return around[h][i][side]
        if not isfinite(now) or abs(now - then) > STILL * (1 + abs(now)) or room[h][i] >= WIDE:
            return None
        out = ROOM * (room[h][i] + abs(now))
        return Fraction(now + out if side else now - out)

    return {h: [(end(h, i, 0), end(h, i, 1)) for i in range(of.M)] for h in contexts}
