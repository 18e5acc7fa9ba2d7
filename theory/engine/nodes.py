r"""The chain of nodes of an update: the contexts and values of the memory that are met from the start.

A node is a context with a value of the memory, which is zero at the start. The nodes are followed in the order of a
breadth-first search; if there are finitely many, as for the trace of a λ-schedule with an end, the update is linear
along a finite Markov chain (:mod:`tdcert.theory.laws.nodes`), and so is it up to a time t in any case.

The memory is kept in parts, vectors where the update keeps them whole, else entries. A part moves by other parts and
the transition, m_i' = s_i + Σ_j c_ij m_j + Σ_j a (bᵀm_j); equal values of it have one number, so that its value after
a transition is looked up where it was met before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from math import inf, prod
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_float, to_fmpq
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.means import traced_or_none
from tdcert.theory.engine.tables import Edge, Tables, tables
from tdcert.theory.engine.terms import AHEAD, KNOWN, NEXT, ONE, PHI, SAME, Exponents, Passage, Term, Terms
from tdcert.theory.errors import InputError
from tdcert.theory.laws.nodes import Array, Node, NodeChain, Updates
from tdcert.theory.limits import EXACT_MOVES, PROPAGATED_MOVES, LimitError, multiple, raised
from tdcert.theory.model.mdp import Model

MOST_WALKS = 2**50
"""Walks that are counted, in floats without rounding; beyond, no multiple of a limit on moves is near to enough."""
Values = tuple[fmpq, ...]
"""A part of the memory."""


@dataclass(frozen=True, eq=False)
class Nodes(NodeChain):
    """The chain of nodes of an update. ``edge`` (E): which transition between contexts each one is; ``memory``: the
    values of the parts of the memory by their numbers.
    """

    of: Terms | Tables
    steps: dict[str, Fraction]
    edge: NDArray[np.int64]
    memory: list[Values] = field(repr=False)

    @property
    def edges(self) -> Sequence[Passage | Edge]:
        """The transitions between contexts."""
        return edges_of(self.of)

    def known(self, passage: int, v: int) -> Array:
        """φ, φ' or E_π φ' on a passage, or 1, in floats, 1 for the identity; zeros for a vector of the memory."""
        assert isinstance(self.of, Terms)
        if v >= len(KNOWN):
            return np.zeros(self.of.model.d)
        return np.ones(1) if v == SAME else _floats(self._vectors.known(passage, v))

    @cached_property
    def _vectors(self) -> _Vectors:
        assert isinstance(self.of, Terms)
        return _Vectors(self.of)

    @property
    def probabilities(self) -> list[Fraction]:
        """p of each transition between nodes."""
        each = [one.outcome.probability for one in self.edges]
        return [each[k] for k in self.edge.tolist()]

    def updates(self, kind: Any) -> Updates:
        """The transitions in rationals (``object``) or floats.

        Raises :class:`InputError` for an update that is not linear in its steps, unless they are numbers.
        """
        made = _OfTerms(self, kind) if isinstance(self.of, Terms) else _OfTables(self, kind)
        probability = np.array(self.probabilities, dtype=object)
        if kind is object:
            parts = made.parts(plain=False)
            return Updates(np.array([to_fmpq(p) for p in probability], dtype=object), parts, parts, 0)
        return Updates(probability.astype(kind), made.parts(plain=False), made.parts(plain=True), made.roundings)

    def orders(self, ratios: Sequence[Fraction]) -> Iterator[tuple[int, int, Fraction, list[RationalMatrix]]]:
        """Source, target, probability and [K_i k_i] (D×(D+1)) of each transition for i = 1, 2, …: what the i-th power
        of the first step size multiplies in the increments (times their divisor), the other step sizes being in these
        ratios to it. The chain is to be one of tables.
        """

        def order_of(powers: Exponents) -> tuple[int, Fraction]:
            return sum(powers), prod((x**k for x, k in zip(ratios, powers, strict=True)), start=Fraction(1))

        found = _OfTables(self, object).grouped(False, order_of)
        assert 0 not in found, "it moves without a step"
        D, parts = self.width - 1, [found.get(i) for i in range(1, 1 + max(found, default=1))]
        ends = zip(self.source.tolist(), self.target.tolist(), self.probabilities, strict=True)
        for k, (source, target, p) in enumerate(ends):
            rows = (None if part is None else part[k, :D].ravel().tolist() for part in parts)
            zero = RationalMatrix.zeros(D, D + 1)
            yield source, target, p, [zero if x is None else RationalMatrix.of_scalars(x, D + 1) for x in rows]

    @cached_property
    def tables(self) -> Tables:
        """The tables of the update, from the states of time zero."""
        if isinstance(self.of, Tables):
            return self.of
        return tables(self.of.model, self.of.algorithm, self.of.states, steps=self.steps)

    def weight_of(self, powers: Exponents) -> tuple[int, Fraction]:
        """Which part of the updates a term with these exponents belongs to, and by what it is multiplied there."""
        algorithm = self.of.algorithm
        if self.steps:  # all of them are in the coefficients
            return 0, 1 / self.steps[algorithm.steps[0]]
        if sum(powers) != 1:
            raise InputError(f"the update '{algorithm.name}' is not linear in its step sizes; give them as numbers")
        return powers.index(1), Fraction(1)


def nodes(
    model: Model,
    algorithm: Algorithm,
    start: Sequence[Fraction],
    *,
    steps: dict[str, Fraction] | None = None,
    until: int | None = None,
    most: int | None = None,
) -> Nodes:
    """The nodes of an algorithm from the start law ``start`` (n rationals) and a memory of zero: all of them, or those
    met before time ``until``.

    ``steps``: step sizes as numbers, for updates that are not linear in them. Raises :class:`InputError` for a start of
    the wrong length, and as :func:`~tdcert.theory.engine.tables.tables`; :class:`BudgetExceededError` beyond ``most``
    transitions (default :data:`PROPAGATED_MOVES`).
    """
    if len(start) != model.n or sum(start) != 1 or any(p < 0 for p in start):
        raise InputError(f"the start law must be {model.n} non-negative rationals that sum to one")
    states = [s for s, p in enumerate(start) if p > 0]
    found = traced_or_none(model, algorithm, states, steps=steps, stationary=False)
    law = [start[s] for s in states]
    return node_chain(
        found or tables(model, algorithm, states, steps=steps),
        law,
        steps=steps,
        until=until,
        most=PROPAGATED_MOVES if most is None else most,
    )


def node_chain(
    found: Terms | Tables,
    law: Sequence[Fraction] | None = None,
    *,
    steps: dict[str, Fraction] | None = None,
    until: int | None = None,
    most: int = EXACT_MOVES,
) -> Nodes:
    """The nodes from the start law over ``found.states`` (None: even), all of them or those met before time ``until``.

    ``found``: from the states of time zero; ``steps``: the step sizes where they are numbers there. Raises
    :class:`BudgetExceededError` beyond ``most`` transitions.
    """
    independent = found.model.sampling is not None
    law, count = (None, 1) if independent else (law, len(found.states))
    weights = [Fraction(1, count)] * count if law is None else [Fraction(p) for p in law]
    memory = _Memory(found)
    places: dict[Node, int] = {}
    for k, p in enumerate(weights):
        if p > 0:
            places[k, memory.zero] = len(places)
    start = [p for p in weights if p > 0]
    waiting, times, moves = list(places), [0] * len(places), list[tuple[int, int, int]]()
    leaving: list[list[tuple[int, int]]] = [[] for _ in found.contexts]
    for k, edge in enumerate(edges_of(found)):
        leaving[edge.source].append((k, edge.target))
    for place, (context, held) in enumerate(waiting):  # grows while it is read
        if until is not None and times[place] >= until:
            break
        for k, following in leaving[context]:
            node = following, memory.after(k, held)
            to = places.setdefault(node, len(waiting))
            if to == len(waiting):
                waiting.append(node)
                times.append(times[place] + 1)
            moves.append((to, place, k))
        if len(moves) > raised(most):
            raise LimitError(
                f"state and memory take more than {len(waiting)} values on more than {raised(most)} transitions, "
                f"too many for {memory.learnt} parameters; constant steps and finite times need few, as of a small "
                "model with a short schedule",
                multiple(_most_moves(found, until), most),
            )
    moves.sort(key=lambda move: move[0])
    target, source, edges = np.array(moves, dtype=np.int64).reshape(-1, 3).T
    padded = np.array([*start, *[Fraction(0)] * (len(waiting) - len(start))], dtype=object)
    numbers = dict(steps or (found.steps if isinstance(found, Tables) else {}))
    width = memory.learnt + 1
    return Nodes(tuple(waiting), source, target, padded, width, theta_of(found), found, numbers, edges, memory.values)


def ends(found: Terms | Tables) -> bool:
    """Whether the memory has an end: it is a function of the last transitions, and takes finitely many values."""
    return _remembered(found) is not None


@lru_cache(1)
def _remembered(found: Terms | Tables) -> int | None:
    """The number of last transitions that the memory is a function of; None where along a cycle of contexts a part
    of it depends on itself, zero coefficients left out.
    """
    after: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
    waiting: dict[tuple[int, int], int] = defaultdict(int)
    rules = rules_of(found) if isinstance(found, Terms) else _of_tables(found)
    for passage, parts in zip(edges_of(found), rules, strict=True):
        for i, rule in enumerate(parts):
            for j in rule.needs:
                before, here = (passage.source, j), (passage.target, i)
                waiting[here] += here not in after[before]
                after[before].add(here)
    depth = {at: 1 for at in after if not waiting[at]}
    free = list(depth)
    for at in free:  # grows while it is read
        for to in after[at]:
            waiting[to] -= 1
            depth[to] = max(depth.get(to, 0), depth[at] + 1)
            if not waiting[to]:
                free.append(to)
    return None if any(waiting.values()) else max(depth.values(), default=1)


def _most_moves(found: Terms | Tables, until: int | None) -> float:
    """A number of moves that the chain of nodes does not pass, infinite where none is known: a node is a walk between
    contexts, up to time ``until``, or of the transitions that the memory is a function of.
    """
    longest = _remembered(found) if until is None else until - 1
    if longest is None:
        return inf
    edges = edges_of(found)
    sources, targets = np.array([(edge.source, edge.target) for edge in edges], dtype=np.int64).reshape(-1, 2).T
    walks: Array = np.ones(len(found.contexts))
    moves = 0.0
    for _ in range(longest + 1):
        walks = np.bincount(targets, walks[sources], len(walks))
        moves += float(walks.sum())
        if moves > MOST_WALKS:
            return inf
    return moves


def edges_of(found: Terms | Tables) -> Sequence[Passage | Edge]:
    """The transitions between contexts."""
    return found.passages if isinstance(found, Terms) else found.edges


def theta_of(found: Terms | Tables) -> range:
    """The places of the first parameter that is as long as φ, else of the first one."""
    at, first = 0, range(0)
    for slot in found.algorithm.slots(found.model.d)[0]:
        here = range(at, at + slot.size)
        if slot.shape == (found.model.d,):
            return here
        first, at = first or here, at + slot.size
    return first


# ---- the memory -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MemoryRule:
    """What a part of the memory becomes on a transition: s + Σ c m_j + Σ a (bᵀm_j). ``needs``: these j."""

    constant: Values
    links: tuple[tuple[int, fmpq], ...]
    products: tuple[tuple[Values, int, Values], ...]

    @property
    def needs(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys((*(j for j, _ in self.links), *(j for _, j, _ in self.products))))


class _Memory:
    """The values of the parts of the memory, each with a number."""

    def __init__(self, found: Terms | Tables) -> None:
        made: Iterable[Sequence[MemoryRule]]
        if isinstance(found, Terms):
            widths, made = [place.width for place in found.memory], rules_of(found)
            self.learnt = sum(place.width for place in found.parameters)
        else:
            widths, made, self.learnt = [1] * found.M, _of_tables(found), found.D
        self.values: list[Values] = []
        self.numbers: dict[Values, int] = {}
        self.zero = tuple(self._number((fmpq(0),) * width) for width in widths)
        rules: dict[MemoryRule, tuple[int, tuple[int, ...]]] = {}
        self.rules: list[MemoryRule] = []
        self.of: list[list[tuple[int, tuple[int, ...]]]] = []
        for each in made:
            here = []
            for rule in each:
                if (known := rules.get(rule)) is None:
                    known = rules[rule] = len(self.rules), rule.needs
                    self.rules.append(rule)
                here.append(known)
            self.of.append(here)
        kinds: dict[tuple[tuple[int, tuple[int, ...]], ...], int] = {}
        self.kinds = [kinds.setdefault(tuple(here), len(kinds)) for here in self.of]
        self.known: dict[tuple[int, ...], int] = {}
        self.moved: dict[tuple[int, tuple[int, ...]], tuple[int, ...]] = {}

    def _number(self, value: Values) -> int:
        found = self.numbers.setdefault(value, len(self.values))
        if found == len(self.values):
            self.values.append(value)
        return found

    def after(self, edge: int, held: tuple[int, ...]) -> tuple[int, ...]:
        """The memory behind a transition between contexts."""
        kind = self.kinds[edge], held
        found = self.moved.get(kind)
        if found is None:
            new = []
            for rule, needs in self.of[edge]:
                key = rule, *(held[j] for j in needs)
                if key not in self.known:
                    self.known[key] = self._number(self._value(self.rules[rule], held))
                new.append(self.known[key])
            found = self.moved[kind] = tuple(new)
        return found

    def _value(self, rule: MemoryRule, held: tuple[int, ...]) -> Values:
        total = list(rule.constant)
        for j, c in rule.links:
            for i, x in enumerate(self.values[held[j]]):
                total[i] += c * x
        for a, j, b in rule.products:
            f = sum((x * y for x, y in zip(b, self.values[held[j]], strict=True)), start=fmpq(0))
            for i, x in enumerate(a):
                total[i] += f * x
        return tuple(total)


def _of_tables(found: Tables) -> Iterator[list[MemoryRule]]:
    """The rules on every edge, entry by entry."""
    for edge in found.edges:
        R, s = found.recursions[edge]
        rows: list[list[tuple[int, fmpq]]] = [[] for _ in range(found.M)]
        for (i, j), x in R.items():
            rows[i].append((j, x))
        yield [MemoryRule((s.get(i, fmpq(0)),), tuple(row), ()) for i, row in enumerate(rows)]


@lru_cache(1)  # asked whether the memory ends, then for its values
def rules_of(found: Terms) -> Sequence[Sequence[MemoryRule]]:
    """The rules on every passage, part by part."""
    made = list[Sequence[MemoryRule]]()
    vectors, parameters, widths = _Vectors(found), len(found.parameters), [place.width for place in found.memory]
    for k, passage in enumerate(found.passages):
        constants = [[fmpq(0)] * width for width in widths]
        links: list[list[tuple[int, fmpq]]] = [[] for _ in widths]
        products: list[list[tuple[Values, int, Values]]] = [[] for _ in widths]
        for term in found.evaluations[passage.evaluation]:
            i = term.row - parameters
            c = found.value(passage, term) if i >= 0 else fmpq(0)
            if c == 0:
                continue
            if term.a >= len(KNOWN):
                links[i].append((term.a - len(KNOWN), c))
                continue
            a = vectors.known(k, term.a)
            if term.weight is None:
                constants[i] = [x + c * y for x, y in zip(constants[i], a, strict=True)]
            else:
                j, b = term.weight
                products[i].append((tuple(c * x for x in a), j, vectors.known(k, b)))
        rules = zip(constants, links, products, strict=True)
        made.append(tuple(MemoryRule(tuple(s), tuple(link), tuple(product)) for s, link, product in rules))
    return made


class _Vectors:
    """φ, φ', E_π φ' and 1 on each passage, exactly."""

    def __init__(self, found: Terms) -> None:
        here, there = ([getattr(p.outcome, end) for p in found.passages] for end in ("state", "after"))
        features, ahead = ([tuple(row) for row in table.scalars] for table in (found.model.features, found.ahead))
        self.tables = {PHI: features, NEXT: features, AHEAD: ahead}
        self.places = {PHI: here, NEXT: there, AHEAD: here}

    def known(self, passage: int, v: int) -> Values:
        return (fmpq(1),) if v == ONE else self.tables[v][self.places[v][passage]]


# ---- the matrices ---------------------------------------------------------------------------------------------------


def _floats(values: Sequence[Any]) -> Array:
    """Each rational rounded once."""
    return np.array([to_float(x) for x in values], dtype=np.float64)


class _OfTables:
    """U_k from the entries of tables."""

    def __init__(self, chain: Nodes, kind: Any) -> None:
        self.chain, self.kind = chain, kind
        assert isinstance(chain.of, Tables)
        self.increments = [edge.increments for edge in chain.of.edges]
        most = defaultdict[Any, int](int)
        for number, made in enumerate(self.increments):
            for powers, part in made.items():
                for _, row, column in part:
                    most[number, powers, row, column] += 1
        self.roundings = 4 + max(most.values(), default=0)

    def parts(self, plain: bool) -> tuple[Array, ...]:
        """The matrices; ``plain``: from magnitudes."""
        found = self.grouped(plain, self.chain.weight_of)
        return tuple(found.get(k, self._zeros()) for k in range(len(self.chain.of.algorithm.steps)))

    def _zeros(self) -> Array:
        return _zeros((len(self.chain.source), self.chain.width, self.chain.width), self.kind)

    def grouped(self, plain: bool, group: Callable[[Exponents], tuple[int, Fraction]]) -> dict[int, Array]:
        """Sums of the matrices that exponents multiply: in which of them they are, and times what, says ``group``."""
        chain, size = self.chain, np.abs if plain else np.asarray
        found: dict[int, Array] = {}
        entries = [x for (x,) in chain.memory]
        values = size(np.array(entries, dtype=object) if self.kind is object else _floats(entries))
        held = np.array([memory for _, memory in chain.nodes], dtype=np.int64).reshape(len(chain.nodes), -1)
        for number, made in enumerate(self.increments):
            at = np.flatnonzero(chain.edge == number)
            for powers, part in made.items() if len(at) else ():
                which, weight = group(powers)
                total = found.setdefault(which, self._zeros())
                for (entry, row, column), x in part.items():
                    c: Any = x * to_fmpq(weight)
                    c = size(c if self.kind is object else to_float(c))[()]
                    more = c if entry is None else c * values[held[chain.source[at], entry]]
                    total[at, row, column] += more
        return found


class _OfTerms:
    """U_k from outer products of vectors, all transitions at once."""

    def __init__(self, chain: Nodes, kind: Any) -> None:
        self.chain, self.kind = chain, kind
        assert isinstance(chain.of, Terms)
        self.of = of = chain.of
        self.vectors = chain._vectors
        # the terms with one a stand together: a (Σ c b)ᵀ
        self.blocks: dict[tuple[int, int, Exponents], dict[tuple[int, tuple[int, int] | None], list[Term]]] = {}
        for term in dict.fromkeys(term for one in of.evaluations for term in one):
            if term.row < len(of.parameters):
                block = self.blocks.setdefault((term.row, term.column, term.powers), {})
                block.setdefault((term.a, term.weight), []).append(term)
        self.coefficients: dict[Term, Array] = {}
        for (_, _, powers), groups in self.blocks.items():
            for term in (term for group in groups.values() for term in group):
                values = [of.value(passage, term) for passage in of.passages]
                if any(x != 0 for x in values):
                    weight = to_fmpq(chain.weight_of(powers)[1])
                    values = [x * weight for x in values]
                    self.coefficients[term] = np.array(values, dtype=object) if kind is object else _floats(values)
        sums = [len(groups) + max(map(len, groups.values())) for groups in self.blocks.values()]
        # a, b, c and f are rounded, multiplied three times, and summed; one block for each exponent
        self.roundings = 7 + max(sums, default=0)

    def parts(self, plain: bool) -> tuple[Array, ...]:
        """The matrices; ``plain``: from magnitudes."""
        chain, of = self.chain, self.of
        found = [_zeros((len(chain.source), chain.width, chain.width), self.kind) for _ in of.algorithm.steps]
        ends = [0]
        for place in of.parameters:
            ends.append(ends[-1] + place.width)
        for (row, column, powers), groups in self.blocks.items():
            rows = slice(ends[row], ends[row + 1])
            columns = slice(-1, None) if column < 0 else slice(ends[column], ends[column + 1])
            for (a, weight), group in groups.items():
                present = [term for term in group if term in self.coefficients]
                if not present:
                    continue
                which, _ = chain.weight_of(powers)
                target = found[which][:, rows, columns]
                size = np.abs if plain else np.asarray
                factor = None if weight is None else self._dot(weight[0], weight[1], plain)
                right: Any = 0
                for term in present:
                    c = size(self.coefficients[term])[chain.edge]
                    c = c if factor is None else c * factor
                    right = right + (c[:, None] if term.b in (SAME, ONE) else c[:, None] * self._vector(term.b, plain))
                if a == SAME:
                    target[...] += right[:, :, None] * _identity(target.shape[1], self.kind)
                elif a == ONE:
                    target[...] += right[:, None, :]
                else:
                    _add_outer(target, self._vector(a, plain), right)
        return tuple(found)

    def _vector(self, v: int, plain: bool) -> Array:
        """A vector, or 1, on every transition (E × its length)."""
        chain, size = self.chain, np.abs if plain else np.asarray
        if v == ONE:
            return np.full((len(chain.source), 1), fmpq(1) if self.kind is object else 1.0)
        if v < len(KNOWN):
            table, place = self._table(self.vectors.tables[v]), np.array(self.vectors.places[v])[chain.edge]
            return np.asarray(size(table[place]))
        part = v - len(KNOWN)
        numbers = np.array([held[part] for _, held in chain.nodes], dtype=np.int64)
        kept, place = np.unique(numbers, return_inverse=True)
        table = self._table([chain.memory[number] for number in kept.tolist()])
        return np.asarray(size(table[place[chain.source]]))

    def _dot(self, part: int, b: int, plain: bool) -> Array:
        """bᵀm on every transition, rounded once."""
        chain = self.chain
        left = [self.vectors.known(k, b) for k in range(len(self.of.passages))]
        held = [chain.memory[held[part]] for _, held in chain.nodes]
        size = abs if plain else lambda x: x
        pairs = dict.fromkeys(zip(chain.edge.tolist(), chain.source.tolist(), strict=True))
        found = {
            (k, h): sum((size(x * y) for x, y in zip(left[k], held[h], strict=True)), start=fmpq(0)) for k, h in pairs
        }
        values = [found[pair] for pair in zip(chain.edge.tolist(), chain.source.tolist(), strict=True)]
        return np.array(values, dtype=object) if self.kind is object else _floats(values)

    def _table(self, rows: Sequence[Values]) -> Array:
        if self.kind is object:
            found = np.empty((len(rows), len(rows[0])), dtype=object)
            found[:] = [list(row) for row in rows]
            return found
        return _floats([x for row in rows for x in row]).reshape(len(rows), -1)


def _zeros(shape: tuple[int, ...], kind: Any) -> Array:
    return np.full(shape, fmpq(0), dtype=object) if kind is object else np.zeros(shape)


def _identity(size: int, kind: Any) -> Array:
    if kind is not object:
        return np.eye(size)
    return np.array([[fmpq(int(i == j)) for j in range(size)] for i in range(size)], dtype=object)


def _add_outer(target: Array, a: Array, b: Array) -> None:
    """Adds a bᵀ of each transition."""
    if a.dtype != object:
        target[...] += a[:, :, None] * b[:, None, :]
        return
    # many features are zero, and so is the memory where it was forgotten
    edge, i, j = np.nonzero((a != 0)[:, :, None] & (b != 0)[:, None, :])
    target[edge, i, j] += a[edge, i] * b[edge, j]
