r"""The mean of an update in the stationary regime: one matrix and vector for each step size, exact or enclosed.

    E[y' − y] = Σ_k step_k (A_k y + b_k),    A_k y + b_k = Σ_h Σ_{h → h'} p (G_k(u(h)) y + g_k(u(h))),

G_k and g_k the tables' (affine in the memory), u(h) = E[m 1{h}] and the part without memory times d(h).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import fmpq

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.enclose.dense_law import law_in_balls
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.memory import Kind, Memory, Scalar, Unknown, reached_in
from tdcert.theory.engine.spans import memory_spans, seen_rows, spanned
from tdcert.theory.engine.tables import Exponents, Fan, Tables, tables
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model


@dataclass(frozen=True, eq=False)
class Stationary:
    """An algorithm on a recurrent class of a model, in the stationary regime."""

    tables: Tables
    memory: Memory

    @property
    def kind(self) -> Kind:
        """The arithmetic, by its matrices."""
        return self.memory.kind

    @property
    def algorithm(self) -> Algorithm:
        """What is asked about."""
        return self.tables.algorithm

    @cached_property
    def law(self) -> Any:
        """The law (m×1) of the states of the class, in the order of the tables' states."""
        at: dict[int, Scalar] = dict.fromkeys(self.tables.states, fmpq(0))
        for context, p in zip(self.tables.contexts, self.memory.law, strict=True):
            at[context[0]] += p
        return self.kind.of_scalars(list(at.values()))

    @cached_property
    def by_exponents(self) -> dict[Exponents, Any]:
        """[A b] (D×(D+1)) for each exponent of the step sizes: E[y' − y] = Σ stepᵏ(A_k y + b_k). The memory's mean must
        exist.
        """
        D = self.tables.D
        totals: dict[Exponents, list[Scalar]] = {}
        u, law = self.memory.mean, self.memory.law
        expected: dict[tuple[int, Fan], list[fmpq]] = {}
        for edge in self.tables.edges:
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
        return {exponents: self.kind.of_scalars(total, D + 1) for exponents, total in totals.items()}

    @cached_property
    def means(self) -> tuple[Any, ...]:
        """[A_k b_k] (D×(D+1)) for each step size, in the order in which they are declared.

        Raises :class:`InputError` where parameters move without a step, or by a product of steps: there are no mean
        dynamics then, and only constant steps can be asked about. The memory's mean must exist.
        """
        wrong = next((exponents for exponents in self.tables.powers if sum(exponents) != 1), None)
        if wrong is not None:
            raise InputError(self._no_mean(wrong))
        none = self.kind.enclosing(RationalMatrix.zeros(self.tables.D, self.tables.D + 1))
        count = len(self.algorithm.steps)
        return tuple(self.by_exponents.get(tuple(int(i == k) for i in range(count)), none) for k in range(count))

    def _no_mean(self, exponents: tuple[int, ...]) -> str:
        name, steps, place = self.algorithm.name, self.algorithm.steps, self.algorithm.place()
        if not sum(exponents):
            return (
                f"the update '{name}' moves its parameters by something that no step size multiplies ({place}); "
                f"multiply it by one of {', '.join(steps)}, or ask about constant steps only"
            )
        product = "·".join(step for step, power in zip(steps, exponents, strict=True) for _ in range(power))
        return (
            f"the update '{name}' is not linear in its step sizes (a term with {product}, {place}); declare that "
            "product as a step size of its own, or ask about constant steps only"
        )

    def joint(self, ratios: Sequence[Fraction]) -> Any:
        """[J g] = Σ_k ratio_k [A_k b_k]: the mean increment of all parameters in units of the first step size."""
        parts = [mean.scaled(ratio) for ratio, mean in zip(ratios, self.means, strict=True)]
        return sum(parts[1:], start=parts[0])

    @cached_property
    def visible(self) -> tuple[tuple[int, ...], RationalMatrix]:
        """(columns, T): every row x of G_k(m), at every stationary memory m, is x[columns] T.

        Parameters enter updates through T y alone (r×D); what T does not see changes no increment. Where the sum of the
        A_k is nonsingular T sees everything, as its rows are such x. Else the memory is looked at closely, where it
        has a mean.
        """
        D, found = self.tables.D, self.tables
        T = spanned(seen_rows(found, None), D)
        exists = self.memory.exists is True
        if exists and not (T.shape[0] == D and self._is_regular()):
            T = spanned(seen_rows(found, memory_spans(found)), D)
        return T.column_basis if T.shape[0] else ((), T)

    def _is_regular(self) -> bool:
        if any(sum(exponents) != 1 for exponents in self.tables.powers):
            return False
        total = self.joint([Fraction(1)] * len(self.means)).take(columns=range(self.tables.D))
        return bool(total.is_regular)


def stationary(
    model: Model,
    algorithm: Algorithm,
    states: Sequence[int],
    *,
    steps: Mapping[str, Fraction] | None = None,
    interest: Sequence[Fraction] | None = None,
    kind: Kind = RationalMatrix,
) -> Stationary:
    """An algorithm on a recurrent class of a model; ``kind``: the arithmetic of what is solved for, balls within
    ``precision``. Raises as :func:`tdcert.theory.engine.tables.tables`, which says what the other arguments are, and
    SingularMatrixError where balls do not determine the stationary law.
    """
    found = tables(model, algorithm, states, stationary=True, steps=steps, interest=interest)
    chain, members = model.behaviour_chain, tuple(states)
    d: Any = (
        chain.stationary_law(members).take(rows=members)
        if kind is RationalMatrix
        else law_in_balls(kind.enclosing(chain.P.take(members, members)))
    )
    at = dict(zip(members, d.scalars, strict=True))
    law: list[Scalar] = [fmpq(0)] * len(found.contexts)
    for edge in {id(e.outcome): e for e in found.edges}.values():
        # each outcome once: the context after it depends on nothing before it
        law[edge.target] += at[edge.outcome.state][0] * to_fmpq(edge.outcome.probability)
    begun: set[Unknown] = set()
    if found.fields:  # else the transition before is not read, so the first one is as all others
        own = tables(model, algorithm, states, steps=steps, interest=interest, known=found)
        place = {context: h for h, context in enumerate(found.contexts)}
        begun = {(place[own.contexts[h]], i) for h, i in reached_in(own) if own.contexts[h] in place}
    return Stationary(found, Memory(found, tuple(law), kind, frozenset(begun)))
