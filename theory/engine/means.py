r"""The mean of an update in the stationary regime: one matrix and vector for each step size, exact or enclosed.

    E[y' − y] = Σ_k step_k (A_k y + b_k),    A_k y + b_k = Σ_h Σ_{h → h'} p (G_k(u(h)) y + g_k(u(h))),

G_k and g_k affine in the memory, u(h) = E[m 1{h}] and the part without memory times d(h). Where the update keeps
vectors whole, products of matrices answer (:mod:`tdcert.theory.engine.products`), else the entries of its tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeGuard, overload

from flint import fmpq

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.protocol import Dense, Flint
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.enclose.dense_law import law_in_balls
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.memory import Memory, Scalar, Unknown, reached_in
from tdcert.theory.engine.products import Products
from tdcert.theory.engine.regime import Regime
from tdcert.theory.engine.spans import memory_spans, seen_rows, spanned
from tdcert.theory.engine.tables import Fan, Tables, tables
from tdcert.theory.engine.terms import Exponents, Terms, traced
from tdcert.theory.engine.whole_memory import WholeMemory
from tdcert.theory.errors import InputError
from tdcert.theory.laws.windows import StepOutcome
from tdcert.theory.limits import EVALUATED_TRANSITIONS, UPDATE_ENTRIES, raised
from tdcert.theory.model.mdp import Model


@dataclass(frozen=True, eq=False)
class Stationary(Regime[Dense]):
    """An algorithm on a recurrent class of a model, in the stationary regime. ``terms``: where the update keeps vectors
    whole; means are then made of them, and tables only where they are asked for. ``cut``: whether the update was
    evaluated to first order in its steps.
    """

    model: Model
    algorithm: Algorithm
    states: tuple[int, ...]
    kind: type[Dense]
    steps: Mapping[str, Fraction] | None
    interest: Sequence[Fraction] | None
    terms: Terms | None
    cut: bool = False

    def _tabled(self, **more: Any) -> Tables:
        known: Any = {"steps": self.steps, "interest": self.interest, "first_order": self.cut}
        return tables(self.model, self.algorithm, self.states, **known, **more)

    @cached_property
    def raw(self) -> Tables:
        """All transitions, entry by entry. Raises :class:`BudgetExceededError` where they are too many."""
        return self._tabled(stationary=True)

    @cached_property
    def tables(self) -> Tables:
        """The tables of the parameters that the mean dynamics describe."""
        return self.raw

    @cached_property
    def width(self) -> int:
        """How many parameters there are."""
        return self.algorithm.width(self.model.d)

    @property
    def D(self) -> int:
        """How many of them mean dynamics are of."""
        return self.width

    @cached_property
    def predictor(self) -> range | None:
        """The places of the first parameter that is as long as φ; None where there is none."""
        at = 0
        for slot in self.algorithm.slots(self.model.d)[0]:
            if slot.shape == (self.model.d,):
                return range(at, at + slot.size)
            at += slot.size
        return None

    @cached_property
    def law(self) -> Dense:
        """The law (m×1) of the states of the class, in their order."""
        members = self.states
        if self.kind is RationalMatrix or self.model.sampling is not None:
            return self.kind.enclosing(self.model.law_of(members).take(rows=members))
        return law_in_balls(self.kind.enclosing(self.model.behaviour_chain.P.take(members, members)))

    def _weight(self, outcome: StepOutcome) -> Scalar:
        """The probability of an action and a successor."""
        return to_fmpq(outcome.probability)

    def _law_of(self, found: Tables | Terms) -> tuple[Scalar, ...]:
        """The law of the contexts."""
        if self.model.sampling is not None:
            return (fmpq(1),)
        at = dict(zip(self.states, (x for (x,) in self.law.scalars), strict=True))
        if not found.fields:
            return tuple(at[context[0]] for context in found.contexts)
        law: list[Scalar] = [fmpq(0)] * len(found.contexts)
        transitions = found.passages if isinstance(found, Terms) else found.edges
        for passage in {id(one.outcome): one for one in transitions}.values():
            # each outcome once: the context after it depends on nothing before it
            law[passage.target] += at[passage.outcome.state] * self._weight(passage.outcome)
        return tuple(law)

    @cached_property
    def memory(self) -> Memory[Dense]:
        """The memory, entry by entry."""
        found, begun = self.tables, set[Unknown]()
        if found.fields:  # else the transition before is not read, so the first one is as all others
            own = self._tabled(known=self.raw)
            place = {context: h for h, context in enumerate(found.contexts)}
            begun = {(place[own.contexts[h]], i) for h, i in reached_in(own) if own.contexts[h] in place}
        return Memory.of(found, self._law_of(found), self.kind, frozenset(begun))

    @cached_property
    def whole_memory(self) -> WholeMemory | None:
        """The memory by whole vectors, where it has an end and its first transitions are as all others; None elsewhere,
        and where tables, which other questions need, are too large.
        """
        terms, found = self.terms, self._products
        if terms is None or found is None or self.cut or self.kind is not RationalMatrix:
            return None
        entries = self.width + sum(place.width for place in terms.memory)
        is_small = len(terms.passages) <= raised(EVALUATED_TRANSITIONS) and entries <= raised(UPDATE_ENTRIES)
        apart = terms.fields or self.model.sampling is not None or not found.ends
        return None if apart or not is_small else WholeMemory(found)  # type: ignore[arg-type]

    @property
    def extent(self) -> tuple[int, int]:
        """How many contexts there are, and how many numbers the memory holds."""
        if self.whole_memory is not None:
            return len(self.whole_memory.law.rows), sum(self.whole_memory.widths)
        return len(self.tables.contexts), self.tables.M

    @property
    def predictions(self) -> RationalMatrix | None:
        """The matrix of Φθ at the states of the class from the D parameters, with θ the first one of length d; None
        where there is none.
        """
        if self.predictor is None:
            return None
        before, behind = self.predictor.start, self.width - self.predictor.stop
        rows = [self.model.features.rows[s] for s in self.states]
        return RationalMatrix([[*[Fraction(0)] * before, *row, *[Fraction(0)] * behind] for row in rows])

    def sees_predictions(self, T: RationalMatrix) -> bool:
        """Whether T y determines the predictions Φθ at the states of the class."""
        Phi = self.predictions
        return Phi is not None and RationalMatrix([*T.rows, *Phi.rows]).rank == T.shape[0]

    @property
    def noise_beside(self) -> str:
        """What else makes noise than the increments of the parameters of mean dynamics; empty where nothing does."""
        return ""

    @property
    def masses(self) -> tuple[Scalar, ...]:
        """The law of the contexts of the terms; 1 at each state where transitions are drawn independently."""
        assert self.terms is not None
        return self._law_of(self.terms) if self.model.sampling is None else (fmpq(1),) * self.model.n

    @cached_property
    def _whole(self) -> Products[Dense] | None:
        return None if self.terms is None else Products(self.terms, self.masses, self.kind)

    @property
    def _products(self) -> Products[Dense] | None:
        """What answers for means without tables; None where entries have to."""
        found = self._whole
        return found if found is not None and found.keeps_whole and found.contracts else None

    @cached_property
    def has_mean(self) -> bool | None:
        """Whether the memory has a mean: whether E|m| is finite; None where that is not decided."""
        return True if self._products is not None else self.memory.exists

    @cached_property
    def by_exponents(self) -> dict[Exponents, Dense]:
        """[A b] (D×(D+1)) for each exponent of the step sizes: E[y' − y] = Σ stepᵏ(A_k y + b_k). The memory's mean must
        exist.
        """
        return means_of_tables(self.tables, self.memory) if self._products is None else self._products.by_exponents

    @cached_property
    def powers(self) -> tuple[Exponents, ...]:
        """The exponents of the step sizes by which parameters move."""
        return self.tables.powers if self._whole is None else self._whole.powers

    @cached_property
    def visible(self) -> tuple[tuple[int, ...], RationalMatrix]:
        """(columns, T): every row x of G_k(m), at every stationary memory m, is x[columns] T.

        Parameters enter updates through T y alone (r×D); what T does not see changes no increment. Where the sum of the
        A_k is nonsingular T sees everything, as its rows are such x. Else the memory is looked at closely, where it
        has a mean.
        """
        D = self.D
        if self.has_mean is True and self.is_regular:
            return tuple(range(D)), RationalMatrix.zeros(1, 1).identity(D)
        found = self.tables
        T = spanned(seen_rows(found, None), D)
        if self.has_mean is True:
            T = spanned(seen_rows(found, memory_spans(found)), D)
        return T.column_basis if T.shape[0] else ((), T)


def is_exact(found: Stationary[Dense]) -> TypeGuard[Stationary[RationalMatrix]]:
    """Whether results are in exact arithmetic."""
    return found.kind is RationalMatrix


def means_of_tables(found: Tables, memory: Memory[Dense]) -> dict[Exponents, Dense]:
    """The means of :attr:`Stationary.by_exponents`, computed from every entry of the tables."""
    D, totals = found.D, dict[Exponents, list[Scalar]]()
    u, law = memory.mean, memory.law
    expected: dict[tuple[int, Fan], list[fmpq]] = {}
    for edge in found.edges:
        mean, p = (
            expected.setdefault((edge.source, edge.fan), [fmpq(0)] * len(edge.at)),
            to_fmpq(edge.outcome.probability),
        )
        for k, x in enumerate(edge.at):
            mean[k] += p * x
    for (h, fan), mean in expected.items():
        for exponents, part in fan.increments(mean).items():
            total = totals.setdefault(exponents, [fmpq(0)] * (D * (D + 1)))
            for (entry, row, column), x in part.items():
                weight = law[h] if entry is None else u.get((h, entry), fmpq(0))
                total[row * (D + 1) + column] += x * weight
    return {exponents: memory.kind.of_scalars(total, D + 1) for exponents, total in totals.items()}


@overload
def stationary(
    model: Model,
    algorithm: Algorithm,
    states: Sequence[int],
    *,
    steps: Mapping[str, Fraction] | None = None,
    interest: Sequence[Fraction] | None = None,
) -> Stationary[RationalMatrix]: ...
@overload
def stationary(
    model: Model,
    algorithm: Algorithm,
    states: Sequence[int],
    *,
    steps: Mapping[str, Fraction] | None = None,
    interest: Sequence[Fraction] | None = None,
    kind: type[Dense],
) -> Stationary[Dense]: ...
def stationary(
    model: Model,
    algorithm: Algorithm,
    states: Sequence[int],
    *,
    steps: Mapping[str, Fraction] | None = None,
    interest: Sequence[Fraction] | None = None,
    kind: type[Flint] = RationalMatrix,
) -> Stationary[Any]:
    """An algorithm on a recurrent class of a model; ``kind``: the arithmetic of what is solved for, balls within
    ``precision``. Raises as :func:`tdcert.theory.engine.tables.tables`, which says what the other arguments are; what
    is asked of it in balls raises SingularMatrixError where they do not determine the stationary law.
    """
    terms = traced_or_none(model, algorithm, states, steps=steps, interest=interest)
    found = Stationary(model, algorithm, tuple(states), kind, steps, interest, terms)
    if terms is None:
        _ = found.tables
    return found


def traced_or_none(model: Model, algorithm: Algorithm, states: Sequence[int], **more: Any) -> Terms | None:
    """The terms of an update; None where it takes vectors apart, or is not affine, which is for tables to say."""
    try:
        return traced(model, algorithm, states, **more)
    except InputError:
        return None
