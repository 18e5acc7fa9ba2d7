"""Mean increments of an update by its terms, as products of matrices: whole vectors are not taken apart.

A term f a (b'y) has the mean sum p c f a b' over the moves: p their probability, c the number of the term, f one, a
number of the memory, or a dot product with a vector of the memory. Rows stand for contexts (and for states, where
transitions are drawn independently). With C(row, next state) = sum p c f the mean is

    A' diag(C 1) B,    A' (C Phi) where b is phi at the next state,    Phi' diag(1'C) Phi where a is phi there too,

A and B with a row for each row: a known vector, or the mean of a vector of the memory, E[m 1{context}], which holds the
law of contexts; where there is none, C does, for f = 1 has the mean d.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from .budget import Rejected, quotient, spend, spend_products
from .matrices import Matrix, ask, hold, integers
from .reading import SparseRow
from .terms import KNOWN, Act, Expansion, Exponents, Number, Term
from .update import Move
from .values import charge, number

PHI, NEXT, AHEAD = KNOWN


class Whole:
    """An update in the stationary regime, with the law of its contexts and the mean of its memory in them."""

    def __init__(
        self,
        expansion: Expansion,
        flows: Sequence[tuple[int, Move, int]],
        over: int,
        law: Sequence[Fraction],
        u: Sequence[Mapping[int, Fraction]],
    ):
        self.expansion, self.model, self.space, self.law, self.u = expansion, expansion.model, expansion.space, law, u
        self.rows: dict[tuple[int, int], int] = {}  # (context, state)
        self.cases: dict[int, list[tuple[int, int, Act]]] = {}  # by their terms: row, p, what a move does
        for h, move, p in flows:
            assert move.act is not None
            row = self.rows.setdefault((h, move.act.s), len(self.rows))
            self.cases.setdefault(id(move.act.terms), []).append((row, p, move.act))
        self.over, self.Phi, self.made = over, Matrix.of(self.model.Phi, self.model.d), dict[object, Matrix]()

    def means(self, units: Sequence[Exponents]) -> list[list[SparseRow]]:
        """The rows of [A_k b_k] for each of these exponents; no others may stand in a term."""
        total: dict[tuple[Exponents, int, int], Matrix] = {}
        for case in self.cases.values():
            for name, place in self.space.parameters.items():
                for term in case[0][2].terms[name]:
                    if term.powers not in units:
                        raise Rejected(
                            "about.update.moves: an increment is not linear in the step sizes, so there is no mean"
                        )
                    column = self.space.size if term.column is None else self.space.parameters[term.column].at
                    key, mean = (term.powers, place.at, column), term.x * self.mean(case, term)
                    total[key] = total[key] + mean if key in total else mean
        found = {unit: [SparseRow() for _ in range(self.space.size)] for unit in units}
        for (powers, i, j), mean in total.items():
            spend(0, mean.filled * (mean.bits + mean.denominator.bit_length() + 1_300))
            for row, (places, values) in zip(found[powers][i : i + mean.shape[0]], mean.rows, strict=True):
                row |= {j + k: quotient(x, mean.denominator) for k, x in zip(places, values, strict=True)}
        return [found[unit] for unit in units]

    def mean(self, case: list[tuple[int, int, Act]], term: Term) -> Matrix:
        """The mean of a term without its coefficient."""
        a, b = term.vector, term.left
        C = self.weighted(case, term)
        sums = self.kept(("sums", id(C)), lambda: C @ ones(self.model.n))  # by row
        if a is not None and a == term.column:  # the parameters themselves
            return number(sums) * Matrix.identity(self.model.d)
        if a == b == NEXT:
            into = self.kept(("into", id(C)), lambda: self.turned(C) @ ones(len(self.rows)))  # by next state
            return self.turned(self.Phi) @ scaled(self.Phi, into)
        if NEXT in (a, b):
            ahead = self.kept(("ahead", id(C)), lambda: C @ self.Phi)
            return self.turned(ahead) @ self.at(b) if a == NEXT else self.turned(self.at(a)) @ ahead
        return self.turned(self.at(a)) @ scaled(self.at(b), sums)

    def weighted(self, case: list[tuple[int, int, Act]], term: Term) -> Matrix:
        """C: the sums of p c f, times the law where nothing else holds it."""
        C = self.kept((id(case), term.numbers), lambda: self.coefficients(case, term.numbers))
        if term.vector in self.space.memory or term.left in self.space.memory:
            return C
        if term.weight is None:
            law = [self.law[h] for h, _ in self.rows]
            return self.kept(("law", id(C)), lambda: scaled(C, Matrix.column(law)))
        name, known = term.weight
        if known == NEXT:
            return self.kept((*term.weight, id(C)), lambda: by_entries(C, self.at(name) @ self.turned(self.Phi)))
        f = self.at(name) if known is None else by_entries(self.at(name), self.at(known)) @ ones(self.model.d)
        return self.kept((*term.weight, id(C)), lambda: scaled(C, f))

    def coefficients(self, case: list[tuple[int, int, Act]], numbers: tuple[Number, ...]) -> Matrix:
        """The sums of p c by row and next state."""
        found: list[dict[int, int]] = [{} for _ in self.rows]
        values, over = integers([act.numbers[numbers] for *_, act in case])
        spend(2_000 * len(self.rows))
        spend_products(4 * len(case), self.over.bit_length(), over.bit_length())
        for (row, p, act), x in zip(case, values, strict=True):
            found[row][act.t] = found[row].get(act.t, 0) + p * x
        return Matrix.sparse((row.items() for row in found), self.model.n, self.over * over)

    def at(self, name: str | None) -> Matrix:
        """A known vector in each row, the mean of a part of the memory, or ones."""
        return self.kept(("at", name), lambda: self.made_at(name))

    def made_at(self, name: str | None) -> Matrix:
        if name is None:
            return ones(len(self.rows))
        if name in self.space.memory:
            width, first = self.model.d if self.space.memory[name].vector else 1, self.space.memory[name].at
            part = range(first, first + width)
            return Matrix.of([{i - first: x for i, x in self.u[h].items() if i in part} for h, _ in self.rows], width)
        vectors = [self.expansion.expected(s) if name == AHEAD else self.model.Phi[s] for _, s in self.rows]
        return Matrix.of(vectors, self.model.d)

    def turned(self, matrix: Matrix) -> Matrix:
        """The transpose of a matrix that is kept: made once, through all its places."""

        def make() -> Matrix:
            charge(matrix)
            return matrix.T

        return self.kept(("turned", id(matrix)), make)

    def kept(self, key: object, make: Callable[[], Matrix]) -> Matrix:
        if key not in self.made:
            self.made[key] = hold(make())
        return self.made[key]


def ones(n: int) -> Matrix:
    return Matrix([[1]] * n, 1)


def scaled(A: Matrix, column: Matrix) -> Matrix:
    """Each row of A times the entry of the column: nothing but entries that are not zero is gone through."""
    spend(2_000 * len(A.rows))
    spend_products(4 * A.filled, A.bits, column.bits)
    spend_products(1, A.denominator.bit_length(), column.denominator.bit_length())
    ask(A.filled, A.bits + column.bits)
    pairs = zip(A.rows, column.rows, strict=True)
    rows = (
        [(j, x * factor) for factor in factors for j, x in zip(where, values, strict=True)]
        for (where, values), (_, factors) in pairs
    )
    return Matrix.sparse(rows, A.shape[1], A.denominator * column.denominator)


def by_entries(A: Matrix, B: Matrix) -> Matrix:
    """The products entry by entry."""
    spend_products(A.filled, A.bits, B.bits)
    spend_products(1, A.denominator.bit_length(), B.denominator.bit_length())
    rows = []
    for (where, values), other in zip(A.rows, B.rows, strict=True):
        factors = dict(zip(*other, strict=True))
        rows.append([(j, x * factors[j]) for j, x in zip(where, values, strict=True) if j in factors])
    return Matrix.sparse(rows, A.shape[1], A.denominator * B.denominator)
