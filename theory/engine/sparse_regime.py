r"""The mean of an update on a recurrent class of a large sparse model, every rounding bounded.

As in :mod:`tdcert.theory.engine.products`: E[f a (bᵀy)] = G_aᵀ diag(E[f; s]) K G_b, with K the transitions weighted
with a coefficient, and what a part of the memory multiplies is asked of the adjoint system Y_j = X_j + Σ_k K_kj Y_k
(m_k' = Σ_j c_kj m_j + …). K takes columns to columns with a bound of their error in the maximum norm
(:mod:`tdcert.theory.engine.sparse_terms`), K transposed takes weights of states to weights with one in the sum norm.
Where the memory has an end the system is one pass of substitutions; of a part that depends on its own past Y is
iterated, and for any Ŷ, with h > 0 and h_j − Σ_k |K_kj| h_k ≥ c > 0 on the part,

    |Y − Ŷ| ≤ max h · ‖X + KŶ − Ŷ‖ / c,

because I − |K| is a nonsingular M-matrix then (Berman and Plemmons 1994, theorem 6.2.3); and the size of the memory has
a mean. Rows of |K| that sum to less than one need no h but 1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from graphlib import TopologicalSorter
from typing import Any, NamedTuple

import numpy as np
import scipy
from flint import fmpq

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import UNIT, Floats, MidRadMatrix
from tdcert.theory.arithmetic.rational import to_float, to_fraction
from tdcert.theory.arithmetic.sparse_products import Columns, upward
from tdcert.theory.enclose.sparse_law import EnclosedLaw, Mass
from tdcert.theory.enclose.sparse_matrices import BLOCK, SERIES, Weigher
from tdcert.theory.enclose.sparse_rank import Dependence, dependence
from tdcert.theory.enclose.sparse_value import KRYLOV_VECTORS, REFINEMENTS, RESTARTS, predictions, squared_distance
from tdcert.theory.engine.declare import Algorithm, Estimate
from tdcert.theory.engine.first_order import Limit, limit_from, limit_of, rows_of
from tdcert.theory.engine.products import LAW, change_at_zero
from tdcert.theory.engine.regime import Regime
from tdcert.theory.engine.sparse_terms import (
    ALWAYS,
    NOT_BEFORE,
    NOW,
    Before,
    Coefficient,
    SparseTerms,
    sparsely_traced,
)
from tdcert.theory.engine.terms import AHEAD, KNOWN, NEXT, ONE, PHI, SAME, Exponents, Place, Term, by_degree
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.model.sparse_model import SparseModel

Block = tuple[Exponents, int, int]
"""Exponents of the step sizes, and the places of the row and of the column, −1 for the last one."""


class MemoryFactor(NamedTuple):
    """A part of the memory, times the discount and ρ of the transition before to some powers; place :data:`LAW`: 1."""

    place: int
    before: Before


class Left(NamedTuple):
    """What multiplies from the left: a vector v that is known in a state, on weights E[f; s]; ``pushed``: on those that
    the transitions with this coefficient take them to.
    """

    v: int
    mass: MemoryFactor
    pushed: Coefficient | None = None


class Link(NamedTuple):
    """m_to' = x c m_from + …"""

    to: MemoryFactor
    source: MemoryFactor
    x: fmpq
    c: Coefficient


Sum = tuple[tuple[Coefficient, int, fmpq], ...]
"""Σ x Σ_s' P c v, v a known vector or 1; the first x is 1."""


class SparseRegime(Regime[MidRadMatrix]):
    """An algorithm on the ``states`` of a recurrent class with this law; ``terms`` of first order where ``cut``."""

    kind = MidRadMatrix

    def __init__(self, terms: SparseTerms, states: Any, law: EnclosedLaw, cut: bool) -> None:
        self.terms, self.states, self.law, self.cut = terms, states, law, cut
        self.algorithm: Algorithm = terms.algorithm
        dots = next((one for one in terms.present if one.weight is not None and one.weight[1] != ONE), None)
        if dots is not None:
            raise InputError(
                f"the update '{self.algorithm.name}' multiplies by a dot product with its memory "
                f"({self.algorithm.place()}); sparse arithmetic keeps vectors of the memory whole"
            )

    # ---- the memory -----------------------------------------------------------------------------

    def _rows(self, slot: MemoryFactor) -> Iterator[tuple[Term, Before, fmpq, Coefficient]]:
        """The terms by which a part of the memory moves."""
        row = len(self.terms.parameters) + slot.place
        for term in self.terms.present:
            if term.row == row:
                for before, x, c in self.terms.moved(term, slot.before):
                    yield term, before, x, c

    def _links(self, slot: MemoryFactor) -> list[Link]:
        """What a part of the memory takes from parts of its own kind, vectors or numbers."""
        found = []
        for term, before, x, c in self._rows(slot):
            if self.terms.memory[slot.place].vector and term.a >= len(KNOWN):
                found.append(Link(slot, MemoryFactor(term.a - len(KNOWN), before), x, c))
            elif not self.terms.memory[slot.place].vector and term.weight is not None:
                found.append(Link(slot, MemoryFactor(term.weight[0], before), x, c))
        return found

    def _parts(self, slots: Sequence[MemoryFactor]) -> list[tuple[list[MemoryFactor], list[Link]]]:
        """What these parts of the memory depend on, each with those that depend on it as well and the links among
        them; first what depends on nothing else.
        """
        links, waiting = dict[MemoryFactor, list[Link]](), list(slots)
        while waiting:
            slot = waiting.pop()
            if slot not in links:
                links[slot] = self._links(slot)
                waiting += [link.source for link in links[slot]]
        every = list(links)
        at = {slot: k for k, slot in enumerate(every)}
        pairs = [(at[link.to], at[link.source]) for each in links.values() for link in each]
        graph = scipy.sparse.coo_array(
            ([1] * len(pairs), tuple(zip(*pairs, strict=True)) or ([], [])), shape=(len(at), len(at))
        )
        label = scipy.sparse.csgraph.connected_components(graph, connection="strong")[1].tolist()
        needs: dict[int, set[int]] = {part: set() for part in label}
        for to, source in pairs:
            needs[label[to]] |= {label[source]} - {label[to]}
        found = []
        for part in TopologicalSorter(needs).static_order():
            members = [slot for slot in every if label[at[slot]] == part]
            inner = [link for slot in members for link in links[slot] if label[at[link.source]] == part]
            found.append((members, inner))
        return found

    @cached_property
    def _factors(self) -> dict[tuple[MemoryFactor, ...], tuple[Mapping[MemoryFactor, Floats], float]]:
        return {}

    def _factor(
        self, part: Sequence[MemoryFactor], links: Sequence[Link]
    ) -> tuple[Mapping[MemoryFactor, Floats], float]:
        """h and max h / c of the module's docstring. Raises :class:`BudgetExceededError` where no h was found."""
        key = tuple(part)
        if key not in self._factors:
            self._factors[key] = self._contraction(part, links)
        return self._factors[key]

    def _contraction(
        self, part: Sequence[MemoryFactor], links: Sequence[Link]
    ) -> tuple[Mapping[MemoryFactor, Floats], float]:
        n, kernel = self.terms.model.n, self.terms.kernel
        ones = {slot: np.ones(n) for slot in part}
        least = self._decrease(ones, links)
        if least > 2.0**-80:
            return ones, upward(1 / least)
        found = self._proposed(
            part, ones, [(link.source, link.to, abs(link.x), kernel(link.c).sizes) for link in links]
        )
        h = dict(zip(part, found, strict=True))
        whole = np.concatenate(found)
        least = self._decrease(h, links) if np.isfinite(whole).all() and (whole > 0).all() else 0.0
        if not least > 2.0**-80:
            name = self.terms.memory[part[0].place].name
            raise BudgetExceededError(f"the size of the memory '{name}' is not shown to contract")
        return h, upward(float(whole.max()) / least)

    @staticmethod
    def _proposed(
        part: Sequence[MemoryFactor],
        right: Mapping[MemoryFactor, Floats],
        maps: Sequence[tuple[MemoryFactor, MemoryFactor, fmpq, Any]],
    ) -> list[Floats]:
        """About the x_to = right_to + Σ x W x_from (maps: to, from, x, W), in floats."""
        scale = max(float(np.abs(one).max(initial=0.0)) for one in right.values())
        if not 0 < scale < np.inf:
            return list(right.values())

        def product(v: Floats) -> Floats:
            parts = dict(zip(part, np.split(v, len(part)), strict=True))
            moved = {slot: one.copy() for slot, one in parts.items()}
            for to, source, x, W in maps:
                moved[to] -= to_float(x) * (W @ parts[source])
            return np.concatenate([moved[slot] for slot in part])

        given = np.concatenate([right[slot] for slot in part]) / scale
        operator = scipy.sparse.linalg.LinearOperator((len(given), len(given)), matvec=product, dtype=np.float64)
        found, _ = scipy.sparse.linalg.gmres(operator, given, rtol=1e-10, restart=KRYLOV_VECTORS, maxiter=RESTARTS)
        return list(np.split(np.asarray(found, dtype=np.float64) * scale, len(part)))

    def _decrease(self, h: Mapping[MemoryFactor, Floats], links: Sequence[Link]) -> float:
        """A lower bound of all h_j − Σ_k |K_kj| h_k, at the states of the class."""
        taken = {slot: np.zeros_like(one) for slot, one in h.items()}
        for link in links:
            above = self.terms.kernel(link.c).above(h[link.to])
            taken[link.source] += abs(to_float(link.x)) * (1 + 2 * UNIT) * above
        inside = self.terms.inside
        return min(float(np.nextafter(one - upward(taken[slot]), -np.inf)[inside].min()) for slot, one in h.items())

    @cached_property
    def has_mean(self) -> bool | None:
        try:
            for part, links in self._parts([MemoryFactor(k, NOT_BEFORE) for k in range(len(self.terms.memory))]):
                if links:
                    self._factor(part, links)
        except BudgetExceededError:
            return None
        return True

    @cached_property
    def _masses(self) -> dict[MemoryFactor, Mass]:
        return {MemoryFactor(LAW, NOT_BEFORE): self.law}

    def _mass(self, slot: MemoryFactor) -> Mass:
        """E[f; s] of a number of the memory, or of 1, times what was before to its powers."""
        if slot in self._masses:
            return self._masses[slot]
        if slot.place == LAW:
            powers = list(ALWAYS[0][0])
            for now, power in zip(NOW, slot.before, strict=True):
                powers[now] = power
            self._masses[slot] = self.terms.kernel(((tuple(powers), (fmpq(1),)),)).pushed(self.law)
            return self._masses[slot]
        for part, links in self._parts([slot]):
            if part[0] not in self._masses:
                self._solve_masses(part, links)
        return self._masses[slot]

    def _solve_masses(self, part: Sequence[MemoryFactor], links: Sequence[Link]) -> None:
        n, inner = self.terms.model.n, {(link.to, link.source) for link in links}
        given = {slot: Mass(np.zeros(n), 0.0) for slot in part}
        for slot in part:
            for term, before, x, c in self._rows(slot):
                source = MemoryFactor(LAW if term.weight is None else term.weight[0], before)
                if term.weight is None or (slot, source) not in inner:
                    given[slot] = _added(given[slot], self.terms.kernel(c).pushed(self._mass(source)), x)
        if not links:
            self._masses.update(given)
            return
        factor, best, worth = self._factor(part, links)[1], given, np.inf
        maps = [(link.to, link.source, link.x, self.terms.kernel(link.c).weights.T) for link in links]
        found = {slot: Mass(np.zeros(n), 0.0) for slot in part}
        for _ in range(REFINEMENTS):
            image = dict(given)
            for link in links:
                image[link.to] = _added(image[link.to], self.terms.kernel(link.c).pushed(found[link.source]), link.x)
            rest = {k: image[k].mid - found[k].mid for k in part}
            residual = upward(sum(float(np.abs(rest[k]).sum()) + image[k].distance for k in part))
            if not residual < worth:
                break
            best, last, worth = found, worth, residual
            if worth > last / 2:
                break
            more = self._proposed(part, rest, maps)
            found = {k: Mass(found[k].mid + x, 0.0) for k, x in zip(part, more, strict=True)}
        self._masses.update({slot: Mass(one.mid, upward(factor * worth)) for slot, one in best.items()})

    # ---- means ----------------------------------------------------------------------------------

    @cached_property
    def _plain(self) -> dict[Exponents, MidRadMatrix]:
        """[A b] of all parameters for each exponent of the step sizes."""
        asked: dict[Left | MemoryFactor, dict[tuple[Block, bool], dict[tuple[Coefficient, int], fmpq]]]
        asked = defaultdict(lambda: defaultdict(lambda: defaultdict(fmpq)))
        rows = len(self.terms.parameters)
        for term, parts in self.terms.present.items():
            for before, x, c in parts if term.row < rows else ():
                left, v, transposed = self._sides(term, before, c)
                c = ALWAYS if isinstance(left, Left) and left.pushed else c
                asked[left][(term.powers, term.row, term.column), transposed][c, v] += x
        wanted: dict[tuple[Left | MemoryFactor, Sum], list[tuple[Block, bool, fmpq]]] = defaultdict(list)
        for left, sums in asked.items():
            for (block, transposed), total in sums.items():
                kept = sorted((c, v, x) for (c, v), x in total.items() if x != 0)
                if kept:
                    lead = kept[0][2]
                    one = tuple((c, v, x / lead) for c, v, x in kept)
                    wanted[left, one].append((block, transposed, lead))
        blocks: dict[Block, MidRadMatrix] = {}
        for key, mean in self._evaluated(list(wanted)).items():
            for block, transposed, x in wanted[key]:
                place = self.terms.parameters[block[1]]
                part = (mean.T if transposed else mean).scaled(to_fraction(x))
                if part.shape == (1, 1) and place.vector:  # a multiple of a vector of parameters
                    part = part.identity(place.width).scale_rows(part.take(rows=[0] * place.width))
                blocks[block] = blocks[block] + part if block in blocks else part
        return {powers: self._assembled(powers, blocks) for powers in self._plain_powers}

    def _sides(self, term: Term, before: Before, c: Coefficient) -> tuple[Left | MemoryFactor, int, bool]:
        """What multiplies from the left, the vector on the right, and whether that is the transposed block."""
        mass = MemoryFactor(LAW if term.weight is None else term.weight[0], before)
        a, b = term.a, term.b
        if a == SAME:
            return Left(ONE, mass), ONE, False
        if a >= len(KNOWN):
            return MemoryFactor(a - len(KNOWN), before), b, False
        if b >= len(KNOWN):
            return MemoryFactor(b - len(KNOWN), before), a, True
        for kinds in ((PHI, ONE), (AHEAD,)):
            if a in kinds:
                return Left(a, mass), b, False
            if b in kinds:
                return Left(b, mass), a, True
        return Left(PHI, mass, c), PHI, False

    def _evaluated(
        self, wanted: Sequence[tuple[Left | MemoryFactor, Sum]]
    ) -> dict[tuple[Left | MemoryFactor, Sum], MidRadMatrix]:
        d = self.terms.model.d
        found: dict[tuple[Left | MemoryFactor, Sum], list[MidRadMatrix]] = defaultdict(list)
        for columns in (None, *(range(j, min(j + BLOCK, d)) for j in range(0, d, BLOCK))):
            made: dict[tuple[Coefficient, int], Columns] = {}
            for left, total in wanted:
                if (total[0][1] == ONE) != (columns is None):
                    continue
                X: Columns | None = None
                for c, v, x in total:
                    if (c, v) not in made:
                        made[c, v] = self.terms.along(c, v, columns)
                    X = _plus(X, made[c, v], x)
                assert X is not None
                mean = self._weigher(left).sum(X) if isinstance(left, Left) else self._of_memory(left, X)
                found[left, total].append(mean)
        return {key: parts[0].beside(*parts[1:]) for key, parts in found.items()}

    @cached_property
    def _weighers(self) -> dict[Left, Weigher]:
        return {}

    def _weigher(self, left: Left) -> Weigher:
        if left not in self._weighers:
            mass = self._mass(left.mass)
            mass = mass if left.pushed is None else self.terms.kernel(left.pushed).pushed(mass)
            if left.v == ONE:
                self._weighers[left] = Weigher(np.ones((self.terms.model.n, 1)), mass)
            elif left.v == AHEAD:
                self._weighers[left] = Weigher(self.terms.ahead.mid, mass, self.terms.ahead.error)
            else:
                self._weighers[left] = Weigher(self.terms.model.features, mass)
        return self._weighers[left]

    def _of_memory(self, slot: MemoryFactor, X: Columns) -> MidRadMatrix:
        """Σ_s E[m; s] X(s)ᵀ for a part m of the memory."""
        pending, total = {slot: X}, MidRadMatrix(np.zeros((self.terms.model.d, X.mid.shape[1])))
        for part, links in reversed(self._parts([slot])):
            Y = self._adjoint(part, links, pending) if links else {part[0]: pending.pop(part[0])}
            for k in part:
                moved: dict[Coefficient, Columns] = {}
                for term, before, x, c in self._rows(k):
                    source = MemoryFactor(term.a - len(KNOWN), before)
                    if source in part:
                        continue
                    if c not in moved and term.a != NEXT:
                        moved[c] = self.terms.kernel(c) @ Y[k]
                    if term.a >= len(KNOWN):
                        pending[source] = _plus(pending.get(source), moved[c], x)
                        continue
                    mass = MemoryFactor(LAW if term.weight is None else term.weight[0], before)
                    ahead = term.a == NEXT
                    left = Left(PHI, mass, c) if ahead else Left(term.a, mass)
                    total = total + self._weigher(left).sum(Y[k] if ahead else moved[c]).scaled(to_fraction(x))
        return total

    def _adjoint(
        self, part: Sequence[MemoryFactor], links: Sequence[Link], pending: dict[MemoryFactor, Columns]
    ) -> dict[MemoryFactor, Columns]:
        """The Y_j = X_j + Σ_k K_kj Y_k of one part."""
        h, factor = self._factor(part, links)
        some = next(iter(pending.values())).mid
        given = {k: pending.pop(k) if k in pending else Columns.exactly(np.zeros_like(some)) for k in part}
        found, last = {k: Columns.exactly(one.mid) for k, one in given.items()}, np.inf
        for _ in range(SERIES):
            image = dict(given)
            for link in links:
                image[link.source] = _plus(image[link.source], self.terms.kernel(link.c) @ found[link.to], link.x)
            rest = {k: image[k] - found[k] for k in part}
            off = np.max([one.largest + one.error for one in rest.values()], axis=0)
            distance = max(float((np.abs(rest[k].mid).max(axis=1) / h[k]).max()) for k in part)  # K contracts this
            if not np.isfinite(distance):
                raise BudgetExceededError("the terms of the series leave the range of floats")
            noise = max(float(image[k].error.max() / h[k].min()) for k in part)
            if distance > last * (1 - 1 / (4 * factor)) or distance <= 2 * noise:
                return {k: Columns(one.mid, upward(factor * off)) for k, one in found.items()}
            last, found = distance, {k: Columns.exactly(one.mid) for k, one in image.items()}
        raise BudgetExceededError(f"the series of a memory without end needs more than {SERIES} terms")

    def _assembled(self, powers: Exponents, blocks: Mapping[Block, MidRadMatrix]) -> MidRadMatrix:
        rows = []
        for i, row in enumerate(self.terms.parameters):
            widths = [*((j, place.width) for j, place in enumerate(self.terms.parameters)), (-1, 1)]
            parts = [blocks.get((powers, i, j)) or MidRadMatrix(np.zeros((row.width, width))) for j, width in widths]
            rows.append(parts[0].beside(*parts[1:]).T)
        return rows[0].beside(*rows[1:]).T

    # ---- the regime -----------------------------------------------------------------------------

    @cached_property
    def _plain_powers(self) -> tuple[Exponents, ...]:
        found = {term.powers for term in self.terms.present if term.row < len(self.terms.parameters)}
        return by_degree(found)

    @cached_property
    def limit(self) -> Limit | None:
        """L and R of first order; None where the update itself is linear in its steps."""
        if not self.cut:
            return None

        def value(term: Term) -> fmpq | None:
            parts = self.terms.present[term]
            constant = len(parts) == 1 and parts[0][0] == NOT_BEFORE and parts[0][2] == ALWAYS
            return parts[0][1] if constant else None

        change = change_at_zero(self.terms.parameters, self.terms.present, value)
        if change is None:
            return limit_from(self.algorithm, "what moves its parameters without a step differs")
        return limit_from(self.algorithm, limit_of(change + change.identity(change.shape[0])))

    @property
    def D(self) -> int:
        if self.limit is not None:
            return self.limit.left.shape[0]
        return sum(place.width for place in self.terms.parameters)

    @cached_property
    def powers(self) -> tuple[Exponents, ...]:
        return tuple(powers for powers in self._plain_powers if any(powers) or not self.cut)

    @cached_property
    def by_exponents(self) -> dict[Exponents, MidRadMatrix]:
        return self._plain if self.limit is None else self.limit.of_means(self._plain, self.kind)

    def parameters_at(self, point: MidRadMatrix) -> MidRadMatrix:
        return point if self.limit is None else self.kind.enclosing(self.limit.right) @ point

    def outweighed(self, slow: Sequence[int]) -> str:
        if self.limit is None:
            return ""
        return self.limit.outweighed(self.algorithm, rows_of(self.terms.parameters, self.terms.beyond), slow)

    @cached_property
    def dependence(self) -> Dependence | None:
        """How the columns of Φ depend on each other at the states of the class; None where that is not known."""
        return dependence(self.terms.model, self.states)

    @cached_property
    def visible(self) -> tuple[tuple[int, ...], RationalMatrix]:
        every = tuple(range(self.D)), RationalMatrix.zeros(1, 1).identity(self.D)
        if self.is_regular or (self.limit is not None and not self.limit.is_all):
            return every
        terms = [term for term in self.terms.present if term.row < len(self.terms.parameters)]
        copied = any(term.b == SAME and any(term.powers) for term in terms)
        beyond = any(AHEAD in term[3:5] for term in terms) and bool(self.terms.model.uncovered[self.states].any())
        if copied or beyond or self.dependence is None:
            return every
        columns, rows = list[int](), list[list[Fraction]]()
        for place in self.terms.parameters:
            own = self.dependence.columns if place.vector else (0,)
            columns += [place.at + k for k in own]
            for row in self.dependence.T.rows if place.vector else ((Fraction(1),),):
                rows.append([Fraction(0)] * self.D)
                rows[-1][place.at : place.at + place.width] = row
        return tuple(columns), RationalMatrix(rows) if rows else RationalMatrix.zeros(0, self.D)

    @property
    def predictor(self) -> Place | None:
        """The first parameter that is as long as φ, not a row of several."""
        parameters = self.terms.parameters
        return next((place for place in parameters if place.vector and place.name in self.algorithm.parameters), None)

    def sees_predictions(self, T: RationalMatrix) -> bool:
        return self.predictor is not None  # T sees what Φ tells apart, or everything

    # ---- errors ---------------------------------------------------------------------------------

    def error_squared(self, seen: MidRadMatrix, V: Columns) -> MidRadMatrix | None:
        """‖Φθ − V‖²_D where updates see ``seen`` (r×1) of the parameters; the least over constants where the update
        estimates V up to one; V is what its predictions are to be. None where they are to be something else.
        """
        what, place = self.algorithm.estimates, self.predictor
        if place is None or what in (Estimate.DISTRIBUTION, Estimate.OTHER):
            return None
        lifted = [[Fraction(int(j == i)) for j in self.visible[0]] for i in range(self.D)]
        every = self.parameters_at(self.kind.enclosing(RationalMatrix(lifted)) @ seen)
        theta = every.take(rows=range(place.at, place.at + place.width))
        square = squared_distance(self.terms.model, self.law, V, theta)
        if not what.up_to_a_constant:
            return square
        ones = np.ones((self.terms.model.n, 1))
        mean = Weigher(ones, self.law).sum(predictions(self.terms.model.features, theta) - V)
        return square - mean.hadamard(mean)


def sparse_regime(model: SparseModel, algorithm: Algorithm, states: Any, law: EnclosedLaw) -> SparseRegime:
    """An algorithm on the states of a recurrent class: the update itself where it is linear in its steps, else its
    first order.

    Raises :class:`InputError` for an update that has neither, and for one that the numbers of a state and an action do
    not describe.
    """
    try:
        found = SparseRegime(sparsely_traced(model, algorithm, states), states, law, cut=False)
        is_linear = all(sum(powers) == 1 for powers in found.powers)
    except InputError:  # steps in its memory, or in a divisor
        is_linear = False
    if is_linear:
        return found
    found = SparseRegime(sparsely_traced(model, algorithm, states, first_order=True), states, law, cut=True)
    _ = found.limit
    return found


def _plus(total: Columns | None, X: Columns, x: fmpq) -> Columns:
    """total + x X."""
    part = X if x == 1 else X.scaled(to_fraction(x))
    return part if total is None else total + part


def _added(total: Mass, mass: Mass, x: fmpq) -> Mass:
    """total + x mass."""
    factor = to_float(x)
    moved = mass.mid * factor
    size = float(np.abs(total.mid).sum() + np.abs(moved).sum())
    return Mass(
        total.mid + moved, upward(total.distance + abs(factor) * (1 + 2 * UNIT) * mass.distance + 4 * UNIT * size)
    )
