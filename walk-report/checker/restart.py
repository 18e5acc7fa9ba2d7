"""Kinds about almost every path, where some moves cut a memory without end.

A move of a context cuts the memory if the memory behind it does not depend on the one before. Contexts are finitely
many, so from every context of their one recurrent class a cut comes after a time with a geometric tail, whatever the
memory; between two cuts the memory grows at most geometrically. So log+ ||B||, and its sum over the time between two
cuts, have finite means, B = I + K of a move: the exponent lambda_1 of the products exists (Furstenberg and Kesten), and
means under the stationary law of contexts with memories are what averages along almost every path tend to.

That law is exact, layer by layer: behind cuts stands the flow of the moves that cut, as the law of the contexts gives
it; what does not cut leads from layer k to layer k + 1. The first layers, `depth` of them, are followed; the tail is
what the law of the contexts has more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from .budget import ONE, Rejected, bits_of, passing, spend, spend_fractions
from .matrices import Matrix, determinant, hold, read_symmetric
from .model import Case
from .nodes import Node
from .paths import (
    LOG_BITS,
    at_most,
    block_of,
    log_sum,
    members_of,
    require_weighted_decrease,
    weights_and_forms,
)
from .reading import brief, index, items, read_number, read_vector, record
from .regime import block, unseen
from .terms import Exponents
from .update import Move, Update
from .windows import require_positive

DEEPEST = 1_000
Ends = tuple[Fraction | None, Fraction | None]  # of an interval; None: without a bound


class Passage(NamedTuple):
    """A move out of a context. `parts`: K is the sum of these times (memory, 1); left out where they are zero."""

    move: Move
    cuts: bool
    parts: dict[int, Matrix]

    def K(self, memory: Sequence[Fraction], size: int) -> Matrix:
        total = Matrix.of([{}] * size, size)
        for j, part in self.parts.items():
            x = memory[j] if j < len(memory) else ONE
            if x:
                total = total + x * part
        return total


class Step(NamedTuple):
    """A move out of a node of a layer: pi(node) p, the number of the node it leads to, or None in the tail."""

    source: int
    target: int | None
    flow: Fraction
    passage: Passage
    B: Matrix


class Layers:
    """The law, the nodes of the first layers and the moves out of them; the `entered` nodes are the next layer.

    Nodes are numbered layer by layer as they are met: behind cuts in the order of contexts and moves, then in that of
    the nodes before and their moves. `begun`: what is met before the class is, too: nodes of time zero and those behind
    cuts outside the class stand among the first, with a law of zero.
    """

    def __init__(self, case: Case, begun: bool):
        self.case, update = case, Update(case, case.support, case.support)
        (self.B, T), (weights, self.steps) = update.kept(case), update.weights(case, "steps")
        self.update, self.size, self.T = update, len(self.B), Matrix.of(T, update.size)
        self.law = read_vector(case.witness["law"], "witness.law", len(update.contexts))
        edges = [(h, move.target, move.p) for h, moves in enumerate(update.moves) for move in moves]
        members_of(self.law, edges, "context")
        self.passages = [[self.passage(h, move, weights) for move in moves] for h, moves in enumerate(update.moves)]
        depth = index(case.witness["depth"], "witness.depth", 1, DEEPEST + 1)
        layer: dict[Node, Fraction] = {}
        for h, passages in enumerate(self.passages):
            for passage in passages if self.law[h] or begun else ():
                if passage.cuts:
                    self.put(layer, update.following(passage.move, [Fraction(0)] * update.held), self.law[h], passage)
        if not any(layer.values()):
            raise Rejected("about.update: no move cuts the memory")
        for h in range(update.starts) if begun else ():
            layer.setdefault((h, (Fraction(0),) * update.held), Fraction(0))
        self.nodes, self.flows, self.moves = list(layer), list(layer.values()), list[Step]()
        self.rest, self.first = list(self.law), {node: k for k, node in enumerate(layer)}
        for _ in range(depth):
            layer = self.follow(layer, len(self.nodes) - len(layer))
            self.nodes += layer
            self.flows += layer.values()
        self.entered = layer
        count = len(self.nodes) - len(layer)
        self.nodes, self.flows = self.nodes[:count], self.flows[:count]
        self.moves = [m if m.target is None or m.target < count else m._replace(target=None) for m in self.moves]

    def passage(self, h: int, move: Move, weights: dict[Exponents, Fraction]) -> Passage:
        update, parts, every = self.update, dict[int, Matrix](), list(range(self.update.size))
        cuts = not any(x and (h, j) in update.alive for (_, j), x in move.R.items())
        for j, part in enumerate(update.parts(move, weights)):
            if j == update.held or (h, j) in update.alive:
                K = part.part(every)
                kept = block(K, every, self.B)
                if not (K - kept @ self.T).is_zero():
                    raise Rejected(
                        f"witness.coordinates: an increment in context {h} depends on more of the parameters"
                    )
                if not K.is_zero():
                    parts[j] = hold(self.T @ kept)
        return Passage(move, cuts, parts)

    def put(self, layer: dict[Node, Fraction], node: Node, flow: Fraction, passage: Passage) -> None:
        spend_fractions(flow, passage.move.p)
        if node not in layer:
            spend(0, 20_000 + 1_000 * self.update.held + bits_of(*node[1]))
        layer[node] = layer.get(node, Fraction(0)) + flow * passage.move.p

    def follow(self, layer: dict[Node, Fraction], begin: int) -> dict[Node, Fraction]:
        """The moves out of a layer whose nodes are numbered from `begin` on, and the next layer."""
        later: dict[Node, Fraction] = {}
        numbers: dict[Node, int] = {}
        for k, ((h, memory), flow) in enumerate(layer.items(), begin):
            spend_fractions(self.rest[h], flow)
            self.rest[h] -= flow
            for passage in self.passages[h]:
                spend(60_000 + 2_000 * (self.update.size + self.update.held), 2_000)
                with passing():
                    node = self.update.following(passage.move, memory)
                    B = Matrix.identity(self.size) + passage.K(memory, self.size)
                if passage.cuts:
                    target = self.first[node]
                else:
                    target = numbers.setdefault(node, begin + len(layer) + len(numbers))
                    self.put(later, node, flow, passage)
                self.moves.append(Step(k, target, flow * passage.move.p, passage, hold(B)))
        return later

    def words(self) -> str:
        return f"under {self.update.name} with the steps {self.steps}, on {self.case.place()}{unseen(self.case)}"


class Affine(NamedTuple):
    """det (I + K), restricted to a block, as a sum of numbers times (memory, 1)."""

    numbers: dict[int, Fraction]

    @staticmethod
    def of(passage: Passage, block: list[int], held: int, where: str) -> Affine:
        """It is affine in the memory where what depends on the memory has rows, or columns, along one vector."""
        parts = {j: part.part(block) for j, part in passage.parts.items()}
        one = Matrix.identity(len(block)) + parts.pop(held, Matrix.of([{}] * len(block), len(block)))
        if not (along_one([*parts.values()]) or along_one([part.T for part in parts.values()])):
            raise Rejected(f"{where}: the determinant is not affine in the memory")
        constant = determinant(one)
        return Affine({held: constant, **{j: determinant(one + part) - constant for j, part in parts.items()}})

    def ends(self, intervals: Sequence[Ends]) -> Ends:
        """The interval of its values where the entries of the memory are in intervals."""
        ends = [Fraction(0), Fraction(0)]
        open_ = [False, False]
        for j, x in self.numbers.items():
            low, high = intervals[j] if j < len(intervals) else (ONE, ONE)
            for side, end in enumerate((low, high) if x > 0 else (high, low)):
                if x and end is None:
                    open_[side] = True
                elif end is not None:
                    spend_fractions(x, end, ends[side])
                    ends[side] += x * end
        return (None if open_[0] else ends[0]), (None if open_[1] else ends[1])

    def least(self, intervals: Sequence[Ends]) -> Fraction:
        """A lower bound of its absolute value, zero where there is none."""
        low, high = self.ends(intervals)
        return max(Fraction(0), Fraction(0) if low is None else low, Fraction(0) if high is None else -high)


def along_one(matrices: Sequence[Matrix]) -> bool:
    """Whether all rows of all these matrices are multiples of one vector."""
    rows = [row for matrix in matrices for row in matrix.dense() if any(row)]
    for row in rows[1:]:
        k = next(i for i, x in enumerate(rows[0]) if x)
        bits = max(x.bit_length() for x in (*row, *rows[0]))
        spend(200 * len(row) + 2 * len(row) * (70 + (bits // 30 + 1) ** 2))
        if any(rows[0][k] * x != row[k] * y for x, y in zip(row, rows[0], strict=True)):
            return False
    return True


def within(x: Fraction | None, y: Fraction | None, ends: Ends) -> bool:
    """Whether the interval from x to y is inside another."""
    low, high = ends
    return (low is None or (x is not None and low <= x)) and (high is None or (y is not None and y <= high))


def read_intervals(value: object, h: int, held: int) -> list[Ends] | None:
    """Intervals of the entries of the memory in a context; null where the tail does not come there."""
    where = f"witness.tail[{h}]"
    if value is None:
        return None
    found = []
    for j, pair in enumerate(items(value, where, held)):
        low, high = (None if x is None else read_number(x, where, j) for x in items(pair, f"{where}[{j}]", 2))
        found.append((low, high))
    return found


def kept_in(layers: Layers, tail: Sequence[list[Ends] | None]) -> bool:
    """No move that does not cut leaves the intervals; whether nodes of time zero, too, come to the tail within them."""
    whole = True
    for (h, memory), flow in layers.entered.items():
        ends = tail[h]
        if ends is None or not all(within(x, x, end) for x, end in zip(memory, ends, strict=True)):
            if flow:
                raise Rejected(f"witness.tail[{h}]: a memory of the next layer is outside")
            whole = False
    for h, intervals in enumerate(tail):
        for passage in layers.passages[h] if intervals is not None else ():
            if passage.cuts:
                continue
            g = passage.move.target
            after = tail[g]
            rows: dict[int, dict[int, Fraction]] = defaultdict(dict)
            for i, x in passage.move.s.items():
                rows[i][layers.update.held] = x
            for (i, j), x in passage.move.R.items():
                rows[i][j] = x
            assert intervals is not None
            if after is None or not all(within(*Affine(rows[i]).ends(intervals), end) for i, end in enumerate(after)):
                raise Rejected(f"witness.tail[{g}]: a move from context {h} leaves the intervals")
    return whole


def path_exponent_determinant_restart(case: Case) -> str:
    """`path_exponent_determinant`, D lambda_1 >= the mean of log |det B| under the law of contexts with memories.

    In the tail memories stay in the intervals of witness.tail, so that |det B|, affine in the memory, is at least a
    number b > 0 there: the tail has at least its law times log b.
    """
    case.open("class update steps bound", "law depth tail", "seen", "coordinates block")
    layers = Layers(case, begun=True)
    held, size = layers.update.held, layers.size
    given = enumerate(items(case.witness["tail"], "witness.tail", len(layers.law)))
    tail = [read_intervals(x, h, held) for h, x in given]
    passages = [passage for leaving in layers.passages for passage in leaving]
    block = block_of(case, size, (part for passage in passages for part in passage.parts.values()))
    regular = kept_in(layers, tail) and len(block) == size
    flows, sizes = list[Fraction](), list[Fraction]()
    for step in layers.moves:
        x = abs(determinant(step.B.part(block)))
        if not x and step.flow:
            raise Rejected("about.bound: a determinant is zero, so there is no bound")
        regular = regular and bool(x)
        if step.flow:
            flows.append(step.flow)
            sizes.append(x)
    for h, rest in enumerate(layers.rest):
        intervals = tail[h]  # given where the tail comes to: the next layer and what follows it are in intervals
        for k, passage in enumerate(layers.passages[h] if intervals is not None else ()):
            assert intervals is not None
            x = Affine.of(passage, block, held, f"witness.tail[{h}], move {k}").least(intervals)
            if not x and rest:
                raise Rejected(f"witness.tail[{h}]: the determinant of move {k} may be zero")
            regular = regular and bool(x)
            if rest:
                flows.append(rest * passage.move.p)
                sizes.append(x)
    low, _ = log_sum(flows, sizes, LOG_BITS)
    bound = read_number(case.about["bound"], "about.bound")
    if low < len(block) * bound:
        raise Rejected("about.bound: the determinants show less")
    start = "" if regular else " of a run under way"
    growing = ": it grows" if bound > 0 else ""
    return (
        f"on almost every path almost every difference{start} (in the sense of Lebesgue) has a growth rate, the limit "
        f"of log |difference| / n, of at least {brief(case.about['bound'])} a step{growing}, {layers.words()}"
    )


class Bounds(NamedTuple):
    """witness.tail of forms: in layer depth + k the form P, entries of the memory below growth^k size, weights
    1/(factor growth^2k). `left`: by context of the class, how many moves at most come until one cuts, in the mean.
    """

    form: Matrix
    size: Fraction
    growth: Fraction
    factor: Fraction
    left: dict[int, Fraction]

    @staticmethod
    def read(case: Case, layers: Layers) -> Bounds:
        where, members = "witness.tail", [h for h, x in enumerate(layers.law) if x]
        tail = record(case.witness["tail"], where, {"form", "size", "growth", "factor", "left"})
        size, growth, factor = (read_number(tail[key], f"{where}.{key}") for key in ("size", "growth", "factor"))
        if size <= 0 or growth < 1 or factor <= 0:
            raise Rejected(f"{where}: size > 0, growth >= 1 and factor > 0 are needed")
        left = read_vector(tail["left"], f"{where}.left", len(members))
        form = read_symmetric(tail["form"], f"{where}.form", layers.size)
        require_positive(form, f"{where}.form")
        return Bounds(form, size, growth, factor, dict(zip(members, left, strict=True)))

    def require_memory(self, layers: Layers) -> None:
        """The memories of the next layer are below the size, and a move that does not cut makes them grow by less than
        the growth, from the size or more.
        """
        for _, memory in layers.entered:
            if any(abs(x) > self.size for x in memory):
                raise Rejected("witness.tail.size: a memory of the next layer is larger")
        for h in self.left:
            for passage in layers.passages[h]:
                rows = [Fraction(0)] * layers.update.held
                for i, x in passage.move.s.items():
                    rows[i] += abs(x) / self.size
                for (i, _), x in passage.move.R.items():
                    spend_fractions(rows[i], x)
                    rows[i] += abs(x)
                if not passage.cuts and max(rows, default=Fraction(0)) > self.growth:
                    raise Rejected(f"witness.tail.growth: a move from context {h} makes the memory grow by more")

    def require_left(self, layers: Layers) -> None:
        """left >= 1 + mean of left behind the moves that do not cut, left >= 0: so it is above that mean number."""
        for h, count in self.left.items():
            ahead = ONE
            for passage in layers.passages[h]:
                if not passage.cuts:
                    spend_fractions(ahead, passage.move.p, self.left[passage.move.target])
                    ahead += passage.move.p * self.left[passage.move.target]
            if count < 0 or count < ahead:
                raise Rejected(f"witness.tail.left: more moves come from context {h} until one cuts")

    def require_factor(self, layers: Layers, X: Sequence[Matrix]) -> None:
        """In a tail's layer B = B_0 + sum m_j K_j, n terms, |m_j| <= growth^k size: B'X'B is at most growth^2k times
        n (B_0'X'B_0 + size^2 sum K_j'X'K_j); the mean of these is below factor P.
        """
        held, one = layers.update.held, Matrix.identity(layers.size)
        for h in self.left:
            rest = self.factor * self.form
            for passage in layers.passages[h]:
                behind = self.form
                if passage.cuts:
                    behind = X[layers.first[layers.update.following(passage.move, [Fraction(0)] * held)]]
                parts = {**passage.parts, held: one + passage.parts.get(held, one - one)}
                for j, part in parts.items():
                    weight = passage.move.p * len(parts) * (ONE if j == held else self.size**2)
                    rest = rest - weight * (part.T @ behind @ part)
            require_positive(rest, f"witness.tail.factor: the weighted decrease in context {h}")


def path_exponent_forms_restart(case: Case) -> str:
    """`path_exponent_forms`, under the law of contexts with memories: weights and X in the layers, one P in the tail.

    The tail's weights cost its law times log factor, and log growth^2 times the sum of k times the law of layer
    depth + k. That sum is the mean of left - 1 under the law of the tail: whoever is in it has passed k of its layers,
    and the mean number of layers still to be passed, left, counts all of them once.
    """
    case.open("class update steps bound", "law depth weights lyapunov tail", "seen", "coordinates")
    layers = Layers(case, begun=False)
    tail = Bounds.read(case, layers)
    weights, X = weights_and_forms(case, len(layers.moves), len(layers.nodes), layers.size)
    steps = [
        (step.source, tail.form if step.target is None else X[step.target], step.passage.move.p, step.B)
        for step in layers.moves
    ]
    require_weighted_decrease(X, steps, weights, [f"node {k}" for k in range(len(X))])
    tail.require_memory(layers)
    tail.require_left(layers)
    tail.require_factor(layers, X)
    later = Fraction(0)
    for h, count in tail.left.items():
        spend_fractions(later, layers.rest[h], count)
        later += layers.rest[h] * (count - 1)
    low, _ = log_sum([step.flow for step in layers.moves], weights, LOG_BITS)
    _, high = log_sum([sum(layers.rest, Fraction(0)), 2 * later], [tail.factor, tail.growth], LOG_BITS)
    return at_most(case, (high - low) / 2, layers.words())
