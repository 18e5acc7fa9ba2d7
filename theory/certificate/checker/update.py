"""An update, given by its terms or its tables, on the moves of the model."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, partial
from typing import NamedTuple, TypeVar

from . import limits
from .budget import ONE, Rejected, bits_of, fraction_work, passing, spend
from .matrices import Matrix
from .model import DRAWN, Case, add
from .reading import SparseRow, brief, index, items, read_matrix, read_number, read_vector, record, show, states
from .terms import TERM, Act, Context, Expansion, Exponents, Space

T = TypeVar("T")
COMMON = ("name", "parameters", "memory", "steps", "at")
TABLES, TERMS = ("contexts", "starts", "moves"), ("reads", "terms")
Terms = dict[tuple[int, int, int], Fraction]  # by entry of the memory (last: without it), row, column (last: g)


class Move(NamedTuple):
    """To the context `target`: memory' = R memory + s, and the increments of the parameters by `Exponents`, over the
    `divisor` where there is one.
    """

    target: int
    p: Fraction
    R: dict[tuple[int, int], Fraction]
    s: dict[int, Fraction]
    made: Callable[[], dict[Exponents, Terms]]
    act: Act | None = None
    divisor: dict[Exponents, Fraction] | None = None

    @property
    def increments(self) -> dict[Exponents, Terms]:
        return self.made()

    def products(self, numbers: Iterable[Fraction]) -> dict[int, Fraction]:
        """The probability times numbers of the move, each once, by the identity of the object that the move holds."""
        found = {id(x): x for x in numbers}
        for key, x in found.items():
            spend(fraction_work(bits_of(self.p, x)))
            found[key] = self.p * x
        return found


class Update:
    """What an update does in each context, on each move: its tables.

    A context is a state with what the update still knows of the move before. The moves out of it are the
    model's: actions and successors of positive probability, in increasing order. On each of them

        memory' = R memory + s,    parameters' = parameters + sum_k steps^k (G_k parameters + g_k),

    G_k and g_k affine in the memory; `divided`: the sum may be over a polynomial in the steps, the divisor of the move.
    That some function does this is not asked here: all below is about the tables.
    """

    def __init__(
        self, case: Case, starts: list[int], within: Collection[int], whole: bool = False, divided: bool = False
    ):
        """`starts`: the first contexts are those of time zero, one for each of these states; `within`: all states;
        `whole`: increments by terms are not kept entry by entry, but made, and charged, whenever they are asked for;
        `divided`: who asks heeds divisors, which are refused elsewhere.
        """
        self.whole, self.divided, self.exponents = whole, divided, set[Exponents]()
        self.expansion: Expansion | None = None
        where = "about.update"
        value = case.about["update"]
        by_terms = isinstance(value, dict) and "terms" in value
        given = record(value, where, COMMON + (TERMS if by_terms else TABLES), [] if by_terms else ["order"])
        if not isinstance(given["name"], str):
            raise Rejected(f"{where}.name: {show(given['name'])} stands where a name is needed")
        self.drawn = "" if case.model.sampling is None else " on transitions drawn independently"
        self.name = f"the update in this file's table (the file's name for it: {show(given['name'])}){self.drawn}"
        if "order" in given:
            if given["order"] != 1 or isinstance(given["order"], bool) or starts:
                raise Rejected(f"{where}.order: only 1 stands there, and only where the mean dynamics are spoken of")
            self.name += " to first order in its step sizes"
        self.steps = [x for x in items(given["steps"], f"{where}.steps") if isinstance(x, str)]
        if len(self.steps) > limits.MAX_STEPS:
            raise Rejected(f"{where}.steps: there are {len(self.steps)}, and the bound is {limits.MAX_STEPS}")
        words = all(x.isidentifier() and len(x) <= 60 for x in self.steps)  # sentences print them as they are
        if not self.steps or not words or len(set(self.steps)) != len(items(given["steps"], f"{where}.steps")):
            raise Rejected(f"{where}.steps: this is not a list of distinct names of one word, one or more")
        if case.model.sampling is not None:
            starts, within = [DRAWN] if starts else [], [DRAWN]
            if items(given["memory"], f"{where}.memory") if by_terms else given["memory"]:
                raise Rejected(f"{where}.memory: nothing is before a transition that is drawn independently")
        self.at = given["at"]  # step sizes as numbers that are in the tables already, or null
        if self.at is not None:
            read_vector(self.at, f"{where}.at", len(self.steps))
        if by_terms:
            self.expand(case, given, starts, within, where)
        else:
            self.read_tables(case, given, starts, within, where)

    def expand(
        self, case: Case, given: Mapping[str, object], starts: list[int], within: Collection[int], where: str
    ) -> None:
        """The tables that terms of whole vectors make on the model."""
        space = Space(given, case.model.d, self.steps, where)
        self.expansion = expansion = Expansion(case.model, space, given, where)
        called = f"{expansion.words()}; the file's name for it: {show(given['name'])}"
        self.name = f"the update in this file's terms ({called}){self.drawn}"
        self.size, self.held = space.size, space.held
        contexts = expansion.contexts(starts, within)
        places = {context: h for h, context in enumerate(contexts)}
        self.contexts, self.starts = [s for s, _ in contexts], len(starts)

        def move(context: Context, s: int, a: int, t: int, p: Fraction) -> Move:
            act = expansion.at((s, context[1]), a, t, where)
            R, s_ = expansion.recursion(act)
            made = partial(expansion.increments, act)
            self.exponents |= {term.powers for name in space.parameters for term in act.terms[name]}
            target = places[context if self.drawn else expansion.after(context, a, t)]
            return Move(target, p, R, s_, made if self.whole else partial(itself, made()), act)

        self.moves = [
            [move(context, s, a, t, mu * x) for s, a, t, mu, x in case.model.ways(context[0])] for context in contexts
        ]

    def read_tables(
        self, case: Case, given: Mapping[str, object], starts: list[int], within: Collection[int], where: str
    ) -> None:
        """The tables as they are in the file."""
        n = case.model.n
        self.size = index(given["parameters"], f"{where}.parameters", 1, limits.MAX_PARAMETERS)
        self.held = index(given["memory"], f"{where}.memory", 0, limits.MAX_PARAMETERS)
        contexts = items(given["contexts"], f"{where}.contexts")
        if self.drawn and contexts != [None]:
            raise Rejected(f"{where}.contexts: what was drawn before does not matter, so there is one, null")
        drawn = [DRAWN] if self.drawn else []
        self.contexts = drawn or [index(s, f"{where}.contexts[{h}]", 0, n) for h, s in enumerate(contexts)]
        self.starts = index(given["starts"], f"{where}.starts", 0, n + 1)
        if self.contexts[: self.starts] != starts or not self.contexts:
            raise Rejected(f"{where}.starts: the contexts of time zero are not {'the' if starts else 'no'} states")
        lists, inside = enumerate(items(given["moves"], f"{where}.moves", len(contexts))), set(within)
        for h, s in enumerate(self.contexts):
            if s not in inside:
                raise Rejected(f"{where}.contexts[{h}]: state {s} is not in the class")
        self.moves = [self.leaving(case, h, moves, f"{where}.moves[{h}]") for h, moves in lists]

    def leaving(self, case: Case, h: int, value: object, where: str) -> list[Move]:
        """The moves out of a context, held against those of the model."""
        ways = [(t, mu, x) for _, _, t, mu, x in case.model.ways(self.contexts[h])]
        found = []
        for k, (one, (t, mu, x)) in enumerate(zip(items(value, where, len(ways)), ways, strict=True)):
            here = f"{where}[{k}]"
            parts = items(one, here)
            target, memory, increments, *last = items(one, here, 4 if self.divided and len(parts) == 4 else 3)
            g = index(target, f"{here}[0]", 0, len(self.contexts))
            if self.contexts[g] != t and not self.drawn:
                raise Rejected(f"{here}[0]: context {g} is of state {self.contexts[g]}, and the move is to state {t}")
            spend(fraction_work(bits_of(mu, x)), 4_000)
            R, s_ = self.recursion(memory, f"{here}[1]")
            made = self.increments(increments, f"{here}[2]")
            divisor = self.divisor(last[0], f"{here}[3]") if last else None
            self.exponents |= made.keys() | (divisor or {}).keys()
            found.append(Move(g, mu * x, R, s_, partial(itself, made), divisor=divisor))
        return found

    def read_exponents(self, value: object, where: str) -> Exponents:
        given = enumerate(items(value, where, len(self.steps)))
        spend(1_000 * len(self.steps))
        return tuple(index(x, f"{where}[{i}]", 0, 100) for i, x in given)

    def divisor(self, value: object, where: str) -> dict[Exponents, Fraction]:
        found = dict[Exponents, Fraction]()
        for k, one in enumerate(items(value, where)):
            powers, x = items(one, f"{where}[{k}]", 2)
            exponents = self.read_exponents(powers, f"{where}[{k}][0]")
            if exponents in found:
                raise Rejected(f"{where}[{k}]: the exponents stand there twice")
            spend(0, TERM)
            found[exponents] = read_number(x, where, k, 1)
        return found

    def recursion(self, value: object, where: str) -> tuple[dict[tuple[int, int], Fraction], dict[int, Fraction]]:
        R, s, held = {}, {}, self.held
        for k, one in enumerate(items(value, where)):
            row, column, x = items(one, f"{where}[{k}]", 3)
            i, j = index(row, f"{where}[{k}][0]", 0, held), index(column, f"{where}[{k}][1]", 0, held + 1)
            if (i, j) in R or (j == held and i in s):
                raise Rejected(f"{where}[{k}]: the entry stands there twice")
            spend(0, TERM)
            number = read_number(x, where, k, 2)
            if j < held:
                R[i, j] = number
            else:
                s[i] = number
        return R, s

    def increments(self, value: object, where: str) -> dict[Exponents, Terms]:
        found: dict[Exponents, Terms] = {}
        for k, part in enumerate(items(value, where)):
            powers, terms = items(part, f"{where}[{k}]", 2)
            exponents = self.read_exponents(powers, f"{where}[{k}][0]")
            here, place = found.setdefault(exponents, {}), f"{where}[{k}][1]"
            for i, one in enumerate(items(terms, place)):
                entry, row, column, x = items(one, f"{place}[{i}]", 4)
                key = (
                    index(entry, f"{place}[{i}][0]", 0, self.held + 1),
                    index(row, f"{place}[{i}][1]", 0, self.size),
                    index(column, f"{place}[{i}][2]", 0, self.size + 1),
                )
                if key in here:
                    raise Rejected(f"{place}[{i}]: the entry stands there twice")
                spend(0, TERM)
                here[key] = read_number(x, place, i, 3)
        return found

    @cached_property
    def alive(self) -> set[tuple[int, int]]:
        """The (context, entry) where the memory may differ from zero, if it began with zero; only moves are held."""
        leaving = [dict[tuple[int, int], tuple[Move, set[int]]]() for _ in self.moves]  # alike to the memory
        found, new = ([set[int]() for _ in self.moves] for _ in range(2))
        for h, moves in enumerate(self.moves):
            for move in moves:
                leaving[h].setdefault((id(move.R), id(move.s)), (move, set()))[1].add(move.target)
            for move, targets in leaving[h].values():
                spend(1_000 * (len(move.R) + len(move.s)), 3 * TERM * (len(move.R) + len(move.s)))
                for g in targets:
                    new[g] |= {i for i, x in move.s.items() if x}
        waiting = list(range(len(new)))
        for h in waiting:  # grows while it is read
            fresh, new[h] = new[h] - found[h], set()
            found[h] |= fresh
            for move, targets in leaving[h].values() if fresh else ():
                made = {i for (i, j), x in move.R.items() if j in fresh and x}
                spend(100 * (len(move.R) + len(made) * len(targets)))
                for g in targets:
                    if made - found[g] - new[g]:
                        new[g] |= made
                        waiting.append(g)
        return {(h, i) for h, entries in enumerate(found) for i in entries}

    def affine(self, h: int, move: Move) -> Matrix:
        """The map of (memory, 1) on a move from the context h, on what may differ from zero."""
        spend(20_000 + 1_000 * self.held**2)
        rows: list[SparseRow] = [{} for _ in range(self.held)]
        for (i, j), x in move.R.items():
            if (h, j) in self.alive:
                rows[i][j] = x
        for i, x in move.s.items():
            rows[i][self.held] = x
        return Matrix.of([*rows, {self.held: ONE}], self.held + 1)

    def increment(
        self,
        increments: Mapping[Exponents, Terms],
        weights: dict[Exponents, Fraction],
        memory: Sequence[Fraction],
    ) -> list[SparseRow]:
        """The rows of [G g] at a memory, of all `increments` of a move or of some."""
        rows: list[SparseRow] = [{} for _ in range(self.size)]
        for exponents, part in increments.items():
            for (entry, row, column), x in part.items():
                if entry == self.held or memory[entry]:
                    held = [] if entry == self.held else [memory[entry]]
                    add(rows[row], column, weights[exponents], x, *held)
        return rows

    def parts(self, move: Move, weights: dict[Exponents, Fraction]) -> list[Matrix]:
        """What each entry of the memory multiplies in [G g], and last what does not depend on it."""
        spend(20_000 + 1_000 * (self.held + 1) * self.size**2)
        spend(0, 2_500 * (self.held + 1) * self.size, ahead=True)
        rows: list[list[SparseRow]] = [[{} for _ in range(self.size)] for _ in range(self.held + 1)]
        with passing():
            for exponents, part in move.increments.items():
                for (entry, row, column), x in part.items():
                    add(rows[entry][row], column, weights[exponents], x)
        return [Matrix.of(part, self.size + 1) for part in rows]

    def following(self, move: Move, memory: Sequence[Fraction]) -> tuple[int, tuple[Fraction, ...]]:
        """The next context and the next memory."""
        new: SparseRow = dict.fromkeys(range(self.held), Fraction(0))
        for i, x in move.s.items():
            add(new, i, x)
        for (i, j), x in move.R.items():
            add(new, i, x, memory[j])
        return move.target, tuple(new[i] for i in range(self.held))

    def weights(self, case: Case, key: str, linear: bool = True) -> tuple[dict[Exponents, Fraction], str]:
        """What multiplies the increments: products of about.steps, or about.ratios, of which there are no products
        where only updates that are `linear` in their steps are spoken of.
        """
        sizes = read_vector(case.about[key], f"about.{key}", len(self.steps))
        if key == "ratios" and linear and any(sum(e) != 1 for e in self.exponents):
            raise Rejected("about.update.moves: an increment is not linear in the step sizes")
        if min(sizes) <= 0:
            raise Rejected(f"about.{key}: the step sizes are to be positive")
        if self.at is not None and (key == "ratios" or self.at != case.about["steps"]):
            raise Rejected("about.update.at: the tables are about other step sizes")
        found: dict[Exponents, Fraction] = {}
        for exponents in self.exponents:
            powers = [(x, k) for x, k in zip(sizes, exponents, strict=True) if k]
            bits = sum(k * bits_of(x) for x, k in powers)
            spend(max(1, len(powers)) * fraction_work(bits), bits)
            found[exponents] = math.prod((x**k for x, k in powers), start=ONE)
        pairs = zip(self.steps, items(case.about[key], f"about.{key}"), strict=True)
        return found, ", ".join(f"{show(name)[1:-1]} = {brief(x)}" for name, x in pairs)

    def kept(self, case: Case) -> tuple[list[int], list[SparseRow]]:
        """about.seen, witness.coordinates: columns B and T with T_B = I, so that T has full row rank; or all, and I."""
        if ("seen" in case.about) != ("coordinates" in case.witness):
            raise Rejected("about.seen and witness.coordinates: one is given without the other")
        if "seen" not in case.about:
            return list(range(self.size)), [{i: ONE} for i in range(self.size)]
        B = states(case.about["seen"], "about.seen", self.size)
        T = read_matrix(case.witness["coordinates"], "witness.coordinates", len(B), self.size)
        inside = set(B)
        if any({j: x for j, x in row.items() if j in inside} != {B[i]: ONE} for i, row in enumerate(T)):
            raise Rejected("witness.coordinates: they are not those of the unit vectors in the columns seen")
        return B, T


def itself(x: T) -> T:
    return x


def require_seen(row: SparseRow, B: list[int], T: list[SparseRow], where: str) -> None:
    """A row of G is its entries in the columns B, times T: so parameters y enter through T y alone."""
    made: SparseRow = {}
    spend(200 * len(B))
    with passing():
        for b, coordinates in zip(B, T, strict=True):
            for j, x in coordinates.items() if row.get(b) else ():
                add(made, j, row[b], x)
    if {j: x for j, x in made.items() if x} != {j: x for j, x in row.items() if x}:
        raise Rejected(f"witness.coordinates: {where} depends on more of the parameters")
