"""Kinds about an update at constant steps, on contexts with the values of the memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from operator import add as add_up
from typing import NamedTuple

from .budget import ONE, SPENT, Rejected, bits_of, passing, quotient, spend
from .matrices import LIFT, Matrix, hold, integers, read_symmetric, solve_modulo
from .model import Case, add
from .reading import SparseRow, brief, index, items, read_matrix, read_number, read_vector, states
from .regime import block, unseen
from .update import Move, Update, require_seen
from .values import column_of
from .windows import Differences, Moves, bounded, unbounded


class Walk(Moves):
    """A node is a context with a memory; numbered breadth first from the contexts of time zero with memory zero."""

    def follow(self, update: Update, most: int) -> Iterator[tuple[int, int, Move, Sequence[Fraction]]]:
        """The moves between nodes, each with the memory that it leaves; `most`: how many nodes the witness speaks of,
        where there are more it ends.
        """
        order = [(h, (Fraction(0),) * update.held) for h in range(update.starts)]
        found = {node: i for i, node in enumerate(order)}
        for place, (h, memory) in enumerate(order):  # grows while it is read
            if len(order) > most:
                raise Rejected(f"witness: there are more than {most} contexts with a memory")
            for move in update.moves[h]:
                with passing():
                    node = update.following(move, memory)
                if node not in found:
                    found[node] = len(order)
                    order.append(node)
                    spend(0, 20_000 + 1_000 * update.held + bits_of(*node[1]))
                spend(60_000 + 2_000 * (update.size + update.held), 2_000)
                yield place, found[node], move, memory
        self.count = len(order)


def read_upto(case: Case) -> Fraction:
    if (upto := read_number(case.about["upto"], "about.upto")) <= 0:
        raise Rejected("about.upto: the step sizes are to be positive")
    return upto


class Nodes(Differences, Walk):
    """At given `steps` K is the whole increment, and alpha is one."""

    places = "node"

    def __init__(self, case: Case, most: int):
        update, about = Update(case, case.support, case.support), case.about
        self.B, self.T = update.kept(case)
        self.every, self.step, self.size, self.name = "upto" in about, ONE, len(self.B), update.name
        self.starts = update.starts
        self.seen = "seen" in about
        if self.every:
            self.step = read_upto(case)
        weights, self.sizes = update.weights(case, "ratios" if self.every else "steps")
        spend(200 * update.size * self.size, 200 * update.size * self.size)
        self.project = Matrix.of(self.T, update.size)
        self.moves = []
        for place, target, move, memory in self.follow(update, most):
            with passing():
                K = self.matrix(place, update.increment(move.increments, weights, memory))
            self.moves.append((place, target, move.p, hold(K)))

    def matrix(self, place: int, rows: list[SparseRow]) -> Matrix:
        for increment in filter(None, rows) if self.seen else ():
            increment.pop(len(rows), None)
            require_seen(increment, self.B, self.T, f"an increment in node {place}")
        K = Matrix.of([{i: row[b] for i, b in enumerate(self.B) if b in row} for row in rows], len(self.B))
        return self.project @ K if self.seen else K

    def words(self, case: Case) -> str:
        over = f"every step up to {brief(case.about['upto'])} times" if self.every else "the steps"
        return f"under {self.name} with {over} {self.sizes}, on {case.place()}{unseen(case)}"


def open_nodes(case: Case, every: str, one: str) -> Nodes:
    """The nodes of an update, for the steps of the certificate or for all up to `upto`; `open_jumps` has no memory."""
    if isinstance(case.given[0], dict) and "upto" in case.given[0]:
        case.open("class update ratios upto", f"lyapunov tilt {every}", "seen", "coordinates")
        return Nodes(case, len(items(case.witness["tilt"], "witness.tilt")))
    case.open("class update steps", f"lyapunov {one}", "seen", "coordinates")
    return Nodes(case, len(items(case.witness["lyapunov"], "witness.lyapunov")))


def update_mean_square_bounded(case: Case) -> str:
    """Second moments are bounded along contexts with a memory: `mean_square_bounded` has none."""
    return bounded(case, open_nodes(case, "", ""))


def update_mean_square_unbounded(case: Case) -> str:
    """Second moments grow along contexts with a memory: `mean_square_unbounded` has none."""
    return unbounded(case, open_nodes(case, "vector", "vector window"))


class Means(NamedTuple):
    """Means of differences in the nodes: the witness's X, X - R'XR, the nodes, and T, R and S_T, if they are given.

    m' = L m for the means m of differences in each node, and S m, their sum, is the mean. Without witness.rows R is L.
    With these rows T, the identity in witness.columns, T L = R T and S = S_T T: so z = T m follows R, and the mean is
    S_T z.
    """

    X: Matrix
    decrease: Matrix
    nodes: Nodes
    summed: tuple[Matrix, Matrix, Matrix] | None


def means(case: Case, keys: str, start: str) -> Means:
    """`start`: the keys that the statement needs besides where the witness has rows."""
    where, summed = "witness.rows", isinstance(case.given[1], dict) and "rows" in case.given[1]
    more = f"nodes columns rows {start}" if summed else ""
    case.open("class update steps", f"lyapunov {keys} {more}", "seen", "coordinates")
    height = len(items(case.witness["lyapunov"], "witness.lyapunov"))
    most = index(case.witness["nodes"], "witness.nodes", 1, 10**6) if summed else height
    nodes = Nodes(case, most)
    size, whole = nodes.size, nodes.count * nodes.size
    spend(0, 700 * whole)
    made: list[SparseRow] = [{} for _ in range(whole)]
    for h, g, p, K in nodes.moves:
        for i, (places, values) in enumerate(K.rows):
            add(made[g * size + i], h * size + i, p)
            for j, x in zip(places, values, strict=True):
                add(made[g * size + i], h * size + j, p, quotient(x, K.denominator))
    L = R = Matrix.of(made, whole)
    found = None
    if summed:
        if nodes.count != most:
            raise Rejected(f"witness.nodes: there are {nodes.count} contexts with a memory")
        columns = states(case.witness["columns"], "witness.columns", whole)
        given = read_matrix(case.witness["rows"], where, len(columns), whole)
        if any({j: x for j, x in row.items() if j in columns} != {columns[r]: ONE} for r, row in enumerate(given)):
            raise Rejected(f"{where}: in witness.columns they are not the unit vectors")
        T = Matrix.of(given, whole)
        S = Matrix.of([{h * size + i: ONE for h in range(nodes.count)} for i in range(size)], whole)
        R, S_T = (block(X, list(range(X.shape[0])), columns) for X in (T @ L, S))
        if not (T @ L - R @ T).is_zero():
            raise Rejected(f"{where}: the next means are not made of these")
        if not (S - S_T @ T).is_zero():
            raise Rejected(f"{where}: the sum over the nodes is not made of these")
        found = T, R, S_T
    X = read_symmetric(case.witness["lyapunov"], "witness.lyapunov", R.shape[0])
    return Means(X, X - R.T @ X @ R, nodes, found)


def require_shown(case: Case, R: Matrix, S: Matrix) -> None:
    """Row i of S R^k for the pairs (i, k) of witness.entries are independent modulo LIFT: where z grows, so does S z.

    Rows are taken times powers of the denominators, which changes nothing.
    """
    where, size = "witness.entries", R.shape[0]
    given = [items(x, f"{where}[{r}]", 2) for r, x in enumerate(items(case.witness["entries"], where, size))]
    pairs = [
        (index(i, f"{where}[{r}][0]", 0, S.shape[0]), index(k, f"{where}[{r}][1]", 0, size))
        for r, (i, k) in enumerate(given)
    ]
    now, step = (Matrix(X.dense(), size, 1, LIFT) for X in (S, R))
    rows: dict[tuple[int, int], list[int]] = {}
    for k in range(1 + max(k for _, k in pairs)):
        rows.update({(i, k): row for i, row in enumerate(now.dense())})
        now = now @ step
    if solve_modulo([rows[pair] for pair in pairs], [], LIFT) is None:
        raise Rejected(f"{where}: these means do not show what witness.rows do")


def update_mean_bounded(case: Case) -> str:
    """X > 0 and X - R'XR > 0 (Stein): every eigenvalue of R is inside the unit circle, of L or of what T sees."""
    found = means(case, "factor_lyapunov factor_decrease", "")
    case.require_definite(found.X, "factor_lyapunov")
    case.require_definite(found.decrease, "factor_decrease")
    return f"the mean of differences goes to zero {found.nodes.words(case)}"


def update_mean_unbounded(case: Case) -> str:
    """z'Xz grows by a factor per step from where it is positive, for z = T m; without T for m, whose sum may not grow.

    The vector is a difference in the node `window`, and z is looked at `after` more steps; without T it is an m.
    """
    X, decrease, nodes, summed = means(case, "factor_growth vector", "entries window after")
    case.require_definite(-decrease, "factor_growth")
    what, start = "list of means of differences by node", "start, though its sum, the mean, may not,"
    z = case.nonzero_vector(nodes.size if summed else X.shape[0])
    if summed:
        (T, R, S), size = summed, nodes.size
        require_shown(case, R, S)
        h = index(case.witness["window"], "witness.window", 0, nodes.count)
        what, start = "mean of differences", f"difference in node {h} ({nodes.start(h)}),"
        y = {h * size + i: x for i, x in enumerate(case.vector("vector", size))}
        z = T @ column_of(y, nodes.count * size)
        for _ in range(index(case.witness["after"], "witness.after", 0, 1_000)):
            z = R @ z
    if sum((z.T @ X @ z).entries()) <= 0:
        raise Rejected("witness.vector: x'Xx is not positive")
    return f"the {what} grows without bound from some {start} {nodes.words(case)}"


LATEST = 10**19  # number of updates that is spoken of


def from_start(case: Case, divided: bool = False) -> tuple[list[Fraction], Update, list[Fraction]]:
    """about.start, the law of the first state; the update from there; about.begin, where the parameters begin."""
    law = read_vector(case.about["start"], "about.start", case.model.n)
    if min(law) < 0 or sum(integers(law)[0]) != integers(law)[1]:
        raise Rejected("about.start: this is not a probability law")
    if case.model.sampling not in (None, law):
        raise Rejected("about.start: the first state is drawn as all others are")
    update = Update(case, [s for s, x in enumerate(law) if x], range(case.model.n), divided=divided)
    return law, update, read_vector(case.about["begin"], "about.begin", update.size)


Node = tuple[int, tuple[Fraction, ...]]  # a context with a memory


def hold_node(node: Node, matrix: Matrix) -> Matrix:
    spend(0, 20_000 + 1_000 * len(node[1]) + bits_of(*node[1]))
    return hold(matrix)


def update_moments(case: Case) -> str:
    """E (y, 1)(y, 1)' in each context with each memory, one step after the other."""
    case.open("update steps start begin time mean covariance", "")
    law, update, begin = from_start(case)
    weights, words = update.weights(case, "steps")
    width, time = update.size + 1, index(case.about["time"], "about.time", 0, LATEST)
    y = Matrix.column([*begin, ONE])
    first, held = [ONE] if update.drawn else [p for p in law if p], SPENT.get()[1]
    spend(0, len(first) * len(list(y.entries())) ** 2 * (2 * y.bits + 650), ahead=True)
    square = y @ y.T
    now = {(h, (Fraction(0),) * update.held): hold(p * square) for h, p in enumerate(first)}
    for _ in range(time):
        after: dict[tuple[int, tuple[Fraction, ...]], Matrix] = {}
        for (h, memory), Y in now.items():
            for move in update.moves[h]:
                spend(60_000 + 2_000 * (update.size + update.held))
                with passing():
                    B = Matrix.of([*update.increment(move.increments, weights, memory), {}], width) + Matrix.identity(
                        width
                    )
                    node, part = update.following(move, memory), move.p * (B @ Y @ B.T)
                after[node] = after[node] + part if node in after else hold_node(node, part)
        now, SPENT.get()[1] = after, held  # the moments before are gone
        for node, Y in now.items():
            hold_node(node, Y)
    total = reduce(add_up, now.values())
    mean = Matrix.column([*read_vector(case.about["mean"], "about.mean", update.size), ONE])
    if not (total @ column_of({update.size: ONE}, width) - mean).is_zero():
        raise Rejected("about.mean: this is not the mean at that time")
    covariance = read_symmetric(case.about["covariance"], "about.covariance", update.size)
    if not ((total - mean @ mean.T).part(list(range(update.size))) - covariance).is_zero():
        raise Rejected("about.covariance: this is not the covariance at that time")
    return f"mean and covariance of the parameters after {time} updates, under {update.name} with the steps {words}"
