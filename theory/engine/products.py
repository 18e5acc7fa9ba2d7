r"""Means of an update's terms by products of matrices: E[f a (bᵀy)] = G_aᵀ W G_b, exact or enclosed.

With C(h, h') = Σ_{h → h'} p c the transitions weighted with a coefficient c, Φ the features of contexts and d their
law, W is diag(d) C where a is φ and b is φ'; a number f of the memory takes the place of the law: E[f; context]. Where
a is a vector of the memory the mean is Uᵀ C Φ, with rows E[m; context] of U,

    U_k = Σ_j C_kjᵀ U_j + S_k        (m_k' = Σ_j c_kj m_j + …),

so that Σ_k U_kᵀ X_k = Σ_k S_kᵀ Y_k with Y_j = X_j + Σ_k C_kj Y_k. This adjoint system is the one that is solved: its
numbers are those of the model, without the law and its many digits.

Vectors of the memory move by vectors and numbers of the memory here, and numbers by numbers. The memory's mean exists
where sizes contract: the largest entries of |m_k'| are at most Σ_j |c_kj| times those of |m_j|, up to what is given.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic

from flint import arb, fmpq

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.ball import exact_value
from tdcert.theory.arithmetic.protocol import Dense
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.engine.memory import Scalar, Weights, contracts
from tdcert.theory.engine.terms import AHEAD, KNOWN, NEXT, ONE, PHI, SAME, Exponents, Place, Term, Terms, by_degree

Entries = dict[tuple[int, int], fmpq]
"""The entries of a matrix by row and column; those left out are zero."""
Block = tuple[Exponents, int, int]
"""Exponents of the step sizes, and the places of the row and of the column, −1 for the last one."""
Left = tuple[int, int]
"""What multiplies from the left: a vector that is known in a context and, as its mass, −1 for the law or the place of a
number of the memory; or a vector of the memory, and −1.
"""
LAW = -1
STILL = ((SAME, SAME), (ONE, ONE))
"""Both a and b of multiples of a parameter."""


class Products(Generic[Dense]):
    """The terms of an update in the stationary regime, on contexts with this ``law`` (scalars of ``kind``).

    Where transitions are drawn independently the states stand in the place of contexts, and the ``law`` is one at each:
    the transitions' own probabilities hold that of their states.

    ``weights``: the probabilities of the passages, scalars of ``kind``; None for those of their outcomes.
    """

    def __init__(
        self, terms: Terms, law: Sequence[Scalar], kind: type[Dense], weights: Sequence[Scalar] | None = None
    ) -> None:
        self.terms, self.kind, self.n = terms, kind, len(terms.places)
        self.law = kind.of_scalars(list(law))
        self._weights = weights
        self._given: Any = RationalMatrix if weights is None else kind
        """The arithmetic of what is not solved for."""

    # ---- coefficients on transitions ------------------------------------------------------------

    @cached_property
    def _ends(self) -> list[tuple[int, int]]:
        return [self.terms.ends(passage) for passage in self.terms.passages]

    @cached_property
    def _numbered(self) -> dict[Term, int]:
        """A number for each term: the same for those whose coefficients are the same everywhere."""
        every = dict.fromkeys(term for one in self.terms.evaluations for term in one)
        keys = {
            term: tuple(
                frozenset((k, x.p, x.q) for k, x in one.get(term, {}).items()) for one in self.terms.evaluations
            )
            for term in every
        }
        first = {key: number for number, key in enumerate(dict.fromkeys(keys.values()))}
        return {term: first[key] for term, key in keys.items()}

    @cached_property
    def _monomials(self) -> dict[Exponents, list[fmpq]]:
        """p times each monomial that stands in a coefficient, on all transitions."""
        passages, evaluations = self.terms.passages, self.terms.evaluations
        found = {powers: list[fmpq]() for one in evaluations for polynomial in one.values() for powers in polynomial}
        columns = {
            which: [self.terms.number(passage, which) for passage in passages]
            for which in {which for powers in found for which, power in enumerate(powers) if power}
        }
        weights = self._weights
        if weights is None:
            weights = [to_fmpq(passage.outcome.probability) for passage in passages]
        for powers in found:
            column = list(weights)
            for which, power in enumerate(powers):
                for _ in range(power):
                    column = [x * y for x, y in zip(column, columns[which], strict=True)]
            found[powers] = column
        return found

    def _values(self, term: Term) -> Iterator[tuple[tuple[int, int], fmpq]]:
        """(from, to) and p c on each transition."""
        polynomials = [[*one.get(term, {}).items()] for one in self.terms.evaluations]
        monomials = self._monomials
        for k, (passage, ends) in enumerate(zip(self.terms.passages, self._ends, strict=True)):
            x = fmpq(0)
            for powers, y in polynomials[passage.evaluation]:
                x += y * monomials[powers][k]
            if x == 0:  # not so of a ball that contains zero and more
                continue
            yield ends, x

    @cached_property
    def _weighted(self) -> dict[int, Entries]:
        """C by the number of the coefficient; terms that are nowhere have none."""
        entries: dict[int, Entries] = defaultdict(lambda: defaultdict(fmpq))
        for number, term in {number: term for term, number in self._numbered.items()}.items():
            for place, x in self._values(term):
                entries[number][place] += x
        return dict(entries)

    @cached_property
    def _present(self) -> dict[Term, int]:
        """The terms that are somewhere."""
        return {term: number for term, number in self._numbered.items() if number in self._weighted}

    @cached_property
    def powers(self) -> tuple[Exponents, ...]:
        """The exponents of the step sizes by which parameters move, of low degree first."""
        found = {term.powers for term in self._present if term.row < len(self.terms.parameters)}
        return by_degree(found)

    @cached_property
    def keeps_whole(self) -> bool:
        """Whether means are answered here: no part of the memory, nor f, is a product of two vectors with one of the
        memory among them.
        """
        return all(term.weight is None or term.weight[1] == ONE for term in self._present)

    @cached_property
    def at_zero(self) -> RationalMatrix | None:
        """K − I (D×D), what moves parameters without a step; None where that is not one matrix by numbers alone."""

        def value(term: Term) -> fmpq | None:
            values = {self.terms.value(passage, term) for passage in self.terms.passages}
            return None if len(values) > 1 else values.pop()

        return change_at_zero(self.terms.parameters, self._present, value)

    # ---- the memory -----------------------------------------------------------------------------

    def _memory(self, vectors: bool) -> Iterator[tuple[int, Term, int]]:
        """(place, term, number) of the terms by which its vectors, or its numbers, move."""
        for term, number in self._present.items():
            k = term.row - len(self.terms.parameters)
            if k >= 0 and self.terms.memory[k].vector == vectors:
                yield k, term, number

    def _links(self, vectors: bool) -> dict[tuple[int, int], int]:
        """The number of c_kj, by (k, j)."""
        if vectors:
            return {(k, term.a - len(KNOWN)): c for k, term, c in self._memory(True) if term.a >= len(KNOWN)}
        return {(k, term.weight[0]): c for k, term, c in self._memory(False) if term.weight is not None}

    def _into(self, vectors: bool) -> dict[tuple[int, int], Entries]:
        """C_kjᵀ, by (k, j)."""
        return {
            (k, j): {(g, h): x for (h, g), x in self._weighted[c].items()} for (k, j), c in self._links(vectors).items()
        }

    @cached_property
    def ends(self) -> bool:
        """Whether no part of the memory depends on itself, however long ago: it then has an end."""
        links, done = self._links(True) | self._links(False), set[int]()
        waiting = {k for k, _ in links}
        while ready := {k for k in waiting if all(j in done or j not in waiting for i, j in links if i == k)}:
            done |= ready
            waiting -= ready
        return not waiting

    @cached_property
    def contracts(self) -> bool:
        """Whether sizes of the memory are shown to contract, so that its mean exists."""
        if self.ends:
            return True
        into: Weights = defaultdict(fmpq)
        one_of = {number: term for term, number in self._present.items()}
        for (k, j), c in (self._links(True) | self._links(False)).items():
            for (h, g), x in self._values(one_of[c]):
                into[(g, k), (h, j)] += _at_most(x)
        return contracts(into, self.kind) is True

    @cached_property
    def _masses(self) -> dict[int, Dense]:
        """The law, and E[f; context] of the numbers of the memory (n×1), by their places."""
        nothing = self.kind.enclosing(RationalMatrix.zeros(self.n, 1))
        right = {k: nothing for k, place in enumerate(self.terms.memory) if not place.vector}
        for k, term, c in self._memory(False):
            if term.weight is None:
                right[k] = right[k] + self._enclosed(self._matrix(c).T) @ self.law
        return {LAW: self.law, **self._solved(self._into(False), right)}

    @cached_property
    def memory_means(self) -> dict[int, Dense]:
        """E[m; context] of each part of the memory (n×d of a vector, n×1 of a number), by its place."""
        nothing = self.kind.enclosing(RationalMatrix.zeros(self.n, self.terms.model.d))
        right = {k: nothing for k, place in enumerate(self.terms.memory) if place.vector}
        for k, term, c in self._memory(True):
            if term.a < len(KNOWN):
                mass = self._masses[LAW if term.weight is None else term.weight[0]]
                G, C = self._enclosed(self._known[term.a]), self._enclosed(self._matrix(c).T)
                right[k] = right[k] + (G.scale_rows(C @ mass) if term.a == NEXT else C @ G.scale_rows(mass))
        return {**self._masses, **self._solved(self._into(True), right)}

    @cached_property
    def memory_sizes(self) -> dict[tuple[int, int], RationalMatrix]:
        """Σ_{h → h'} p |c_kj| by (k, j), entry (h', h) of it: what bounds the entries of part k by those of part j.

        A number moves a vector along a known one, of which the largest entry counts.
        """
        links: dict[tuple[int, int], list[Term]] = defaultdict(list)
        for k, term, _ in (*self._memory(True), *self._memory(False)):
            if term.a >= len(KNOWN) or term.weight is not None:
                links[k, term.a - len(KNOWN) if term.weight is None else term.weight[0]].append(term)
        most = {v: [max(map(abs, row), default=fmpq(0)) for row in X.scalars] for v, X in self._known.items()}
        found = {}
        for pair, terms in links.items():
            entries = [fmpq(0)] * self.n**2
            for term in terms:
                for (h, g), x in self._values(term):
                    known = most.get(term.a)
                    size = _at_most(x) if known is None else _at_most(x) * known[g if term.a == NEXT else h]
                    entries[g * self.n + h] += size
            found[pair] = RationalMatrix.of_scalars(entries, self.n)
        return found

    def _solved(self, links: Mapping[tuple[int, int], Entries], right: Mapping[int, Dense]) -> dict[int, Dense]:
        """The x_k with x_k = right_k + Σ_j L_kj x_j, L_kj by its entries.

        Raises SingularMatrixError where, in balls, the solution is not known to be unique.
        """
        found: dict[int, Dense] = {}
        while waiting := [k for k in right if k not in found]:
            needs = {k: {j for (to, j) in links if to == k} - found.keys() for k in waiting}
            ready = [k for k in waiting if needs[k] <= {k}]
            for part in [[k] for k in ready] or [waiting]:
                place, entries = {k: i * self.n for i, k in enumerate(part)}, dict[tuple[int, int], fmpq]()
                sides = []
                for k in part:
                    side = right[k]
                    for (to, j), link in links.items():
                        if to == k and j in place:
                            entries |= {(place[k] + h, place[j] + g): x for (h, g), x in link.items()}
                        elif to == k:
                            side = side + self._enclosed(self._dense(link, self.n)) @ found[j]
                    sides.append(side)
                x = sides[0] if len(part) == 1 else sides[0].T.beside(*(side.T for side in sides[1:])).T
                if entries:
                    B = self._dense(entries, self.n * len(part))
                    x = self._enclosed(B.identity(B.shape[0]) - B).solve(x)
                for k in part:
                    found[k] = x if len(part) == 1 else x.take(rows=range(place[k], place[k] + self.n))
        return found

    # ---- matrices -------------------------------------------------------------------------------

    @cached_property
    def _known(self) -> dict[int, Any]:
        """φ, E_π φ' and 1 in each context (n×d, n×d, n×1)."""
        states = self.terms.places
        Phi = self.terms.model.features.take(rows=states)
        known = {PHI: Phi, NEXT: Phi, AHEAD: self.terms.ahead.take(rows=states), ONE: RationalMatrix([[1]] * self.n)}
        return {v: self._given.enclosing(X) for v, X in known.items()}

    def _enclosed(self, X: Any) -> Dense:
        """What is not solved for, in the arithmetic of what is."""
        return X if self._given is self.kind else self.kind.enclosing(X)

    def _dense(self, entries: Entries, size: int) -> Any:
        """The square matrix."""
        found = [fmpq(0)] * size**2
        for (i, j), x in entries.items():
            found[i * size + j] = x
        return self._given.of_scalars(found, size)

    def _matrix(self, number: int) -> Any:
        return self._cached("C", number, lambda: self._dense(self._weighted[number], self.n))

    def _along(self, number: int, v: int) -> Any:
        """Σ_{h → h'} p c v, v one of the known vectors or 1."""
        if v == NEXT:
            return self._cached(v, number, lambda: self._matrix(number) @ self._known[v])
        return self._cached(v, number, lambda: self._known[v].scale_rows(self._sums(number)))

    def _sums(self, number: int) -> Any:
        """Σ_{h → h'} p c."""
        sums = [fmpq(0)] * self.n
        for (h, _), x in self._weighted[number].items():
            sums[h] += x
        return self._given.of_scalars(sums)

    @cached_property
    def _cache(self) -> dict[Any, Any]:
        return {}

    def _cached(self, what: Any, number: int, made: Any) -> Any:
        if (what, number) not in self._cache:
            self._cache[what, number] = made()
        return self._cache[what, number]

    # ---- means ----------------------------------------------------------------------------------

    @cached_property
    def by_exponents(self) -> dict[Exponents, Dense]:
        """[A b] (D×(D+1)) for each exponent of the step sizes. The memory's sizes must contract."""
        blocks: dict[Block, Dense] = {}
        asked: dict[Left, dict[tuple[Block, bool], Any]] = defaultdict(dict)

        def ask(left: Left, block: Block, transposed: bool, X: Any) -> None:
            here, key = asked[left], (block, transposed)
            here[key] = here[key] + X if key in here else X

        def add(block: Block, mean: Dense) -> None:
            blocks[block] = blocks[block] + mean if block in blocks else mean

        for term, c in self._present.items():
            if term.row >= len(self.terms.parameters):
                continue
            block, a, b = (term.powers, term.row, term.column), term.a, term.b
            mass = LAW if term.weight is None else term.weight[0]
            if a == SAME:
                total = self._masses[mass].T @ self._enclosed(self._sums(c))
                unit = RationalMatrix.zeros(1, 1).identity(self.terms.parameters[term.row].width)
                add(block, self.kind.enclosing(unit).scaled(total.scalars[0][0]))
            elif a >= len(KNOWN):
                ask((a, LAW), block, False, self._along(c, b))
            elif b >= len(KNOWN):
                ask((b, LAW), block, True, self._along(c, a))
            elif a != NEXT:
                ask((a, mass), block, False, self._along(c, b))
            elif b != NEXT:
                ask((b, mass), block, True, self._along(c, a))
            else:
                add(block, self._both_ahead(c, mass))
        for left, wanted in asked.items():
            if left[0] < len(KNOWN):
                G = self._enclosed(self._known[left[0]]).scale_rows(self._masses[left[1]]).T
                for (block, transposed), X in wanted.items():
                    mean = G @ self._enclosed(X)
                    add(block, mean.T if transposed else mean)
        remembered = {left[0] - len(KNOWN): wanted for left, wanted in asked.items() if left[0] >= len(KNOWN)}
        for (block, transposed), mean in self._of_memory(remembered):
            add(block, mean.T if transposed else mean)
        return {powers: self._assembled(powers, blocks) for powers in self.powers}

    def _both_ahead(self, number: int, mass: int) -> Dense:
        """E[c φ'φ'ᵀ]."""
        Phi = self._enclosed(self._known[NEXT])
        return Phi.T @ Phi.scale_rows(self._enclosed(self._matrix(number).T) @ self._masses[mass])

    def _of_memory(
        self, asked: Mapping[int, Mapping[tuple[Block, bool], Any]]
    ) -> Iterator[tuple[tuple[Block, bool], Dense]]:
        """Σ_h E[m_k; h] X(h) for each X that is asked of a vector of the memory."""
        columns: list[tuple[int, Any, range]] = []
        of: dict[tuple[int, tuple[Block, bool]], range] = {}
        width = 0
        for k, wanted in asked.items():
            for key, X in wanted.items():
                same = next((there for j, Y, there in columns if j == k and Y == X), None)
                if same is None:
                    same = range(width, width := width + X.shape[1])
                    columns.append((k, X, same))
                of[k, key] = same
        if not columns:
            return
        right = {
            k: _beside([X if j == k else self._given.enclosing(RationalMatrix.zeros(*X.shape)) for j, X, _ in columns])
            for k, place in enumerate(self.terms.memory)
            if place.vector
        }
        links = {(j, k): self._weighted[c] for (k, j), c in self._links(True).items()}
        Y = self._solved(links, {k: self._enclosed(X) for k, X in right.items()})
        total = self.kind.enclosing(RationalMatrix.zeros(self.terms.model.d, width))
        for k, term, c in self._memory(True):
            if term.a >= len(KNOWN):
                continue
            mass = self._masses[LAW if term.weight is None else term.weight[0]]
            G, C = self._enclosed(self._known[term.a]), self._enclosed(self._matrix(c))
            ahead = term.a == NEXT
            total = total + (G.scale_rows(C.T @ mass).T @ Y[k] if ahead else G.scale_rows(mass).T @ (C @ Y[k]))
        for k, wanted in asked.items():
            for key in wanted:
                yield key, total.take(columns=of[k, key])

    def _assembled(self, powers: Exponents, blocks: Mapping[Block, Dense]) -> Dense:
        rows = []
        for i, row in enumerate(self.terms.parameters):
            widths = [*((j, place.width) for j, place in enumerate(self.terms.parameters)), (-1, 1)]
            parts = [
                blocks.get((powers, i, j)) or self.kind.enclosing(RationalMatrix.zeros(row.width, width))
                for j, width in widths
            ]
            rows.append(parts[0].beside(*parts[1:]).T)
        return rows[0].beside(*rows[1:]).T


def change_at_zero(
    parameters: Sequence[Place], terms: Iterable[Term], value: Callable[[Term], fmpq | None]
) -> RationalMatrix | None:
    """K − I (D×D), what moves parameters without a step; None where that is not one matrix by numbers alone.
    ``value``: the coefficient of a term, None where it is not the same on all transitions.
    """
    D = sum(place.width for place in parameters)
    rows = [[Fraction(0)] * D for _ in range(D)]
    for term in terms:
        if term.row >= len(parameters) or any(term.powers):
            continue
        x = value(term)
        if x is None or term.column < 0 or term.weight is not None or (term.a, term.b) not in STILL:
            return None
        row, column = parameters[term.row], parameters[term.column]
        for i in range(row.width):
            rows[row.at + i][column.at + i] = to_fraction(x)
    return RationalMatrix(rows)


def _at_most(x: Scalar) -> fmpq:
    """A rational bound of |x|: of all members of a ball, and radii grow with sizes."""
    return to_fmpq(exact_value(abs(x).upper())) if isinstance(x, arb) else abs(x)


def _beside(parts: Sequence[Any]) -> Any:
    return parts[0].beside(*parts[1:])
