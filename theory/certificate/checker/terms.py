"""An update by its terms: what it adds to its parameters and keeps in its memory, as products of whole vectors.

    alpha * t.rho * t.discount * (t.phi_next @ theta) * z

is such a product: a rational number first, if any, then step sizes, numbers of the transition, dot products, and one
vector where the row is a vector. At most one factor is of the parameters, and at most one of the memory.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeVar

from . import limits
from .budget import ONE, SPENT, Rejected, bits_of, fraction_work, spend
from .model import DRAWN, Model, add
from .reading import RATIONAL, SparseRow, entry, items, read_number, record, show

KNOWN = ("t.phi", "t.phi_next", "t.expected_phi_next")
HERE = ("t.reward", "t.discount", "t.rho", "t.pi", "t.mu", "t.interest", "t.state", "t.action", "t.next_state")
BY_STATE = ("t.lam", "t.lam_next")  # of a model whose lambda is given by state
BEFORE = ("t.discount_before", "t.rho_before", "t.first")
AT_ZERO = (Fraction(0), ONE, ONE)
"""What stands for the transition before the first."""
NAME = r"([A-Za-z_][A-Za-z0-9_.]*(?:\[[0-9]+(?:, [0-9]+)*\])?)"
ALONE, DOT = re.compile(NAME + r"(?:\^([1-9]))?"), re.compile(rf"\({NAME} @ {NAME}\)(?:\^([1-9]))?")
TERM = 2_000  # bits of a term: a key, a number and its place in a dictionary

Key = TypeVar("Key", bound=Hashable)

Exponents = tuple[int, ...]
Context = tuple[int, tuple[Fraction, ...]]  # a state, and what is read of the transition before
Number = str | tuple[str, str]  # a number of the transition by its name, or the dot product of two known vectors


class Place(NamedTuple):
    """Among parameters or memory: as long as phi, or one number; where its entries begin."""

    vector: bool
    at: int


class Term(NamedTuple):
    """`vector` and `left`: names of vectors, known or of the memory (or the parameters themselves), or None; `column`:
    of the parameters; `weight`: a place of the memory and the known vector that it is multiplied with, or None.
    """

    x: Fraction
    powers: Exponents
    numbers: tuple[Number, ...]
    vector: str | None
    column: str | None
    left: str | None
    weight: tuple[str, str | None] | None


class Act(NamedTuple):
    """The terms of a move from state `s` to state `t`, by rows, and the products of its numbers that stand in them."""

    terms: dict[str, list[Term]]
    numbers: dict[tuple[Number, ...], Fraction]
    s: int
    t: int


class Space:
    """The names of an update: `parameters` and `memory`, in this order, and its step sizes."""

    def __init__(self, given: Mapping[str, object], d: int, steps: Sequence[str], where: str):
        self.d, self.steps, self.reads = d, steps, list(items(given["reads"], f"{where}.reads"))
        if any(x not in BEFORE for x in self.reads) or len(set(map(str, self.reads))) < len(self.reads):
            raise Rejected(f"{where}.reads: this is not a list of distinct names among {', '.join(BEFORE)}")
        self.parameters, self.memory = (self.places(given[key], f"{where}.{key}") for key in ("parameters", "memory"))
        names = [*self.parameters, *self.memory, *steps]
        if len(set(names)) < len(names) or not self.parameters:
            raise Rejected(f"{where}: there are no parameters, or two parts or step sizes have one name")
        self.size, self.held = (
            sum(d if place.vector else 1 for place in part.values()) for part in (self.parameters, self.memory)
        )

    def places(self, value: object, where: str) -> dict[str, Place]:
        found, at = dict[str, Place](), 0
        for k, one in enumerate(items(value, where)):
            name, width = items(one, f"{where}[{k}]", 2)
            if not isinstance(name, str) or not ALONE.fullmatch(name) or len(name) > 60 or name in found:
                raise Rejected(f"{where}[{k}][0]: {show(name)} is not a name of its own")
            if name.startswith("t.") or "^" in name or (width != "d" and (width != 1 or isinstance(width, bool))):
                raise Rejected(f"{where}[{k}]: {show(name)} is taken, or {show(width)} is neither 'd' nor 1")
            found[name] = Place(width == "d", at)
            at += self.d if width == "d" else 1
            if at > limits.MAX_PARAMETERS:
                raise Rejected(f"{where}: there are more than {limits.MAX_PARAMETERS} numbers")
        return found

    def whole(self, name: str) -> bool:
        """Whether it is a vector that is known, or one of the memory."""
        return name in KNOWN or (name in self.memory and self.memory[name].vector)

    def term(self, text: object, row: Place, learnt: bool, where: str) -> Term:
        """Read a term of a row; `learnt`: of the parameters."""
        if not isinstance(text, str) or len(text) > 1_000:
            raise Rejected(f"{where}: {show(text)} stands where a product is needed")
        first, *rest = text.split(" * ")
        x, factors = (read_number(first, where), rest) if RATIONAL.fullmatch(first) else (ONE, [first, *rest])
        if first.startswith("-") and x == 1:
            x, factors = Fraction(-1), [first[1:], *rest]
        powers, numbers = dict.fromkeys(self.steps, 0), list[Number]()
        vectors, columns, weights = list[str](), list[tuple[str, str | None]](), list[tuple[str, str | None]]()
        for factor in factors:
            alone, dot = ALONE.fullmatch(factor), DOT.fullmatch(factor)
            left, name = (None, alone[1]) if alone else (dot[1], dot[2]) if dot else (None, "")
            power = int((alone and alone[2]) or (dot and dot[3]) or 1)
            if alone and name in powers:
                powers[name] += power
            elif alone and name in (*HERE, *BY_STATE, *self.reads):
                numbers += [name] * power
            elif left in KNOWN and name in KNOWN:
                numbers += [(left, name)] * power
            elif power > 1:
                raise Rejected(f"{where}: {show(factor)} is not a number of the transition, or a step size")
            elif name in self.parameters and (dot is not None) == self.parameters[name].vector:
                columns.append((name, left))
            elif alone and name in self.parameters:
                vectors.append(name)
                columns.append((name, None))
            elif dot and name in self.memory and self.memory[name].vector and left in KNOWN:
                weights.append((name, left))
            elif alone and name in self.memory and not self.memory[name].vector:
                weights.append((name, None))
            elif alone and self.whole(name):
                vectors.append(name)
            else:
                raise Rejected(f"{where}: {show(factor)} is not a factor here")
        of_memory = [v for v in (*vectors, *(left for _, left in columns if left)) if v in self.memory]
        if any(left is not None and not self.whole(left) for _, left in columns):
            raise Rejected(f"{where}: a dot product is of a vector that is not known here")
        if len(vectors) != row.vector or len(columns) > 1 or len(weights) + len(of_memory) > 1:
            what = "one vector" if row.vector else "no vector alone"
            raise Rejected(f"{where}: the row takes {what}, and at most one factor of parameters and of memory each")
        if not learnt and (columns or any(powers.values())):
            raise Rejected(f"{where}: the memory would depend on parameters or on step sizes")
        column, left = columns[0] if columns else (None, None)
        spend(1_000 * len(factors), TERM)
        exponents = tuple(powers.values())
        return Term(x, exponents, tuple(numbers), (*vectors, None)[0], column, left, (*weights, None)[0])


class Expansion:
    """The contexts, and what the terms do on each move out of them, entry by entry."""

    def __init__(self, model: Model, space: Space, given: Mapping[str, object], where: str):
        self.model, self.space, self.dots = model, space, dict[tuple[str, str, int, int], Fraction]()
        self.ahead = dict[int, SparseRow]()
        self.made = dict[object, tuple[dict[tuple[int, int], Fraction], dict[int, Fraction], int, int]]()
        self.products = dict[int, list[tuple[Number, ...]]]()
        self.recursions = dict[int, tuple[list[tuple[int, Term]], bool, list[tuple[Number, ...]]]]()
        self.cases: list[tuple[list[tuple[Number, Fraction]], dict[str, list[Term]]]] = []
        rows, self.told = {**dict.fromkeys(space.parameters, True), **dict.fromkeys(space.memory, False)}, list[str]()
        for k, one in enumerate(items(given["terms"], f"{where}.terms")):
            here = f"{where}.terms[{k}]"
            part = record(one, here, ["when", *rows])
            when = record(part["when"], f"{here}.when", [], part["when"] if isinstance(part["when"], dict) else ())
            asked = [(self.number(name, here), read_number(x, f"{here}.when.{show(name)}")) for name, x in when.items()]
            terms = {
                name: [
                    space.term(text, (space.parameters | space.memory)[name], learnt, f"{here}.{name}[{i}]")
                    for i, text in enumerate(items(part[name], f"{here}.{name}"))
                ]
                for name, learnt in rows.items()
            }
            numbers = [x for row in terms.values() for term in row for x in term.numbers]
            numbers += [number for number, _ in asked]
            if model.by_state is None and (lam := next((x for x in numbers if x in BY_STATE), None)):
                raise Rejected(f"about.update: the model gives no lambda by state, and {lam} stands here")
            self.cases.append((asked, terms))
            self.told += [
                f"{name} {'+=' if learnt else '='} {' + '.join(map(str, items(part[name], here))) or '0'}"
                for name, learnt in rows.items()
            ]

    def words(self) -> str:
        """The update, told by its terms where these are few."""
        text = "; ".join(self.told).replace(" + -", " - ")
        return text if len(text) <= 240 and len(self.cases) == 1 else f"{len(self.told)} sums of terms"

    def expected(self, s: int) -> SparseRow:
        """The expectation of phi at the next state under the target policy."""
        if s not in self.ahead:
            row = self.ahead[s] = SparseRow()
            for a, weight in self.model.pi[s].items():
                for t, x in self.model.P[a][s].items():
                    for i, y in self.model.Phi[t].items():
                        add(row, i, weight, x, y)
        return self.ahead[s]

    def number(self, name: str, where: str) -> Number:
        """What `when` may ask about."""
        dot = DOT.fullmatch(name)
        if dot and dot[1] in KNOWN and dot[2] in KNOWN and dot[3] is None:
            return dot[1], dot[2]
        if name not in (*HERE, *BY_STATE, *self.space.reads):
            raise Rejected(f"{where}.when: {show(name)} is not a number of the transition")
        return name

    def vector(self, name: str, s: int, t: int) -> SparseRow:
        return self.expected(s) if name == KNOWN[2] else self.model.Phi[t if name == KNOWN[1] else s]

    def value(self, number: Number, context: Context, a: int, t: int) -> Fraction:
        """A number of the transition from the context with action a to state t."""
        s, model = context[0], self.model
        if isinstance(number, tuple):
            key = (*number, s, t)
            if key not in self.dots:
                left, right, total = self.vector(number[0], s, t), self.vector(number[1], s, t), SparseRow()
                for i, x in left.items():
                    if i in right:
                        add(total, 0, x, right[i])
                self.dots[key] = total.get(0, Fraction(0))
            return self.dots[key]
        if number in self.space.reads:
            return context[1][self.space.reads.index(number)]
        pi, mu = model.pi[s].get(a, Fraction(0)), model.mu[s][a]
        match number:
            case "t.reward":
                return entry(model.R[a], s, t)
            case "t.discount":
                return entry(model.Gamma[a], s, t)
            case "t.rho":
                spend(fraction_work(bits_of(pi, mu)))
                return pi / mu
            case "t.pi":
                return pi
            case "t.mu":
                return mu
            case "t.interest":
                return model.interest[s] if model.interest else ONE
            case "t.lam" | "t.lam_next" if model.by_state is not None:
                return model.by_state[s if number == "t.lam" else t]
            case _:
                return Fraction({"t.state": s, "t.action": a, "t.next_state": t}[number])

    def fits(self, asked: Sequence[tuple[Number, Fraction]], context: Context, a: int, t: int) -> bool:
        """Whether the numbers of the transition are those that a case is about."""
        spend(1_000 + 5_000 * len(asked))
        return all(self.value(number, context, a, t) == x for number, x in asked)

    def after(self, context: Context, a: int, t: int) -> Context:
        """The context behind a transition."""
        known = {"t.discount_before": "t.discount", "t.rho_before": "t.rho"}
        return t, tuple(
            self.value(known[str(name)], context, a, t) if name in known else Fraction(0) for name in self.space.reads
        )

    def contexts(self, starts: Sequence[int], within: Collection[int]) -> list[Context]:
        """The contexts of time zero, or of the stationary regime on `within`, and breadth first all behind them."""
        at_zero = tuple(AT_ZERO[BEFORE.index(str(name))] for name in self.space.reads)
        if self.model.sampling is not None:  # each transition is the first one
            return [(DRAWN, at_zero)]
        found = dict[Context, None].fromkeys((s, at_zero) for s in starts)
        waiting = [(s, at_zero) for s in (starts or within)]  # what is before is not looked at by what is behind
        for context in waiting:
            for _, a, t, _, _ in self.model.ways(context[0]):
                spend(5_000, 1_000)
                if (following := self.after(context, a, t)) not in found:
                    found[following] = None
                    waiting.append(following)
        return list(found)

    def at(self, context: Context, a: int, t: int, where: str) -> Act:
        """The terms that speak of a move, and the products of its numbers, each once."""
        if (terms := next((terms for asked, terms in self.cases if self.fits(asked, context, a, t)), None)) is None:
            raise Rejected(f"{where}.terms: none of them speaks of action {a} in state {context[0]} to state {t}")
        if id(terms) not in self.products:
            self.products[id(terms)] = list(dict.fromkeys(term.numbers for part in terms.values() for term in part))
        numbers = {some: self.product(some, context, a, t) for some in self.products[id(terms)]}
        return Act(terms, numbers, context[0], t)

    def increments(self, act: Act) -> dict[Exponents, dict[tuple[int, int, int], Fraction]]:
        """The increments of the parameters on a move, entry by entry."""
        space, found = self.space, dict[Exponents, dict[tuple[int, int, int], Fraction]]()
        for name, place in space.parameters.items():
            for term in act.terms[name]:
                into = found.setdefault(term.powers, {})
                for remembered, i, column, x in self.entries(term, act.numbers[term.numbers], act.s, act.t):
                    add_to(into, (space.held if remembered is None else remembered, place.at + i, column), x)
        return found

    def product(self, numbers: tuple[Number, ...], context: Context, a: int, t: int) -> Fraction:
        """The product of numbers of the transition."""
        x = ONE
        for number in numbers:
            y = self.value(number, context, a, t)
            spend(fraction_work(bits_of(x, y)))
            x = y if x is ONE else x * y
        return x

    def recursion(self, act: Act) -> tuple[dict[tuple[int, int], Fraction], dict[int, Fraction]]:
        """R and s of what the memory becomes: made once for all moves that do the same to it, charged on each."""
        terms, numbers, s, t = act
        if id(terms) not in self.recursions:
            rows = [(place.at, term) for name, place in self.space.memory.items() for term in terms[name]]
            ahead = any(KNOWN[1] in (term.vector, *(term.weight or ())) for _, term in rows)
            self.recursions[id(terms)] = rows, ahead, [*dict.fromkeys(term.numbers for _, term in rows if term.numbers)]
        rows, ahead, products = self.recursions[id(terms)]
        key = id(terms), s, t if ahead else None, tuple(map(numbers.__getitem__, products))
        if key in self.made:
            R, s_, time, memory = self.made[key]
            spend(time, memory)
            return R, s_
        R, s_ = {}, {}
        time, memory = SPENT.get()
        for row, term in rows:
            if term.vector in self.space.memory:  # a multiple of a whole vector
                x, d, first = numbers[term.numbers], self.space.d, self.space.memory[term.vector].at
                spend((d + 1) * fraction_work(bits_of(term.x, x)), TERM * d)
                if x := term.x * x:
                    for i in range(d):
                        add_to(R, (row + i, first + i), x)
                continue
            for remembered, i, _, x in self.entries(term, numbers[term.numbers], s, t):
                if remembered is None:
                    add_to(s_, row + i, x)
                else:
                    add_to(R, (row + i, remembered), x)
        self.made[key] = R, s_, SPENT.get()[0] - time, SPENT.get()[1] - memory
        return R, s_

    def entries(self, term: Term, numbers: Fraction, s: int, t: int) -> Iterator[tuple[int | None, int, int, Fraction]]:
        """(entry of the memory, or None for one; row; column, the last for none; x) of a term on a move from state s to
        state t, by the product of its numbers.
        """
        space = self.space
        spend(fraction_work(bits_of(term.x, numbers)))
        x = term.x * numbers
        if not x:
            return

        def parts(name: str | None, at: int) -> list[tuple[int | None, int, Fraction]]:
            """(entry of the memory, place, number) of a vector whose first place is `at`; of one: at the place."""
            if name is None:
                return [(None, at, ONE)]
            if name in space.memory:
                first = space.memory[name].at
                return [(first + i, at + i, ONE) for i in range(space.d)]
            return [(None, at + i, y) for i, y in self.vector(name, s, t).items()]

        column = space.size if term.column is None else space.parameters[term.column].at
        weights: list[tuple[int | None, Fraction]] = [(None, x)]
        if term.weight is not None:
            first, known = space.memory[term.weight[0]].at, term.weight[1]
            row = {0: ONE} if known is None else self.vector(known, s, t)
            spend(len(row) * fraction_work(bits_of(x, *row.values())), 500 * len(row))
            weights = [(first + i, x * y) for i, y in row.items()]
        if term.column is not None and term.vector == term.column:  # the parameters themselves
            spend(space.d * len(weights) * fraction_work(0), TERM * space.d * len(weights))
            for i in range(space.d):
                for w, z in weights:
                    yield w, i, column + i, z
            return
        left = parts(term.left, column)
        longest = max((bits_of(z) for _, z in weights), default=0) + max((bits_of(y) for *_, y in left), default=0)
        spend(len(left) * len(weights) * fraction_work(longest), 500 * len(left) * len(weights))
        # What stands in every row is one object there: what is made of it later is made once (`Move.products`).
        columns = [(w if v is None else v, j, z if y == 1 else y * z) for v, j, y in left for w, z in weights]
        for u, i, y in parts(term.vector, 0):
            spend(len(columns) * fraction_work(longest + bits_of(y)), TERM * len(columns))
            for v, j, z in columns:
                yield v if u is None else u, i, j, z if y == 1 else y * z


def add_to(values: dict[Key, Fraction], key: Key, x: Fraction) -> None:
    """Add to an entry, which is x itself where there was none."""
    before = values.get(key)
    values[key] = x if before is None else before + x
