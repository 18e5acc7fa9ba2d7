r"""The mean of an update in the stationary regime: one matrix and vector for each step size, exact.

    E[y' − y] = Σ_k step_k (A_k y + b_k),    A_k y + b_k = Σ_h Σ_{h → h'} p (G_k(u(h)) y + g_k(u(h))),

G_k and g_k the tables' (affine in the memory), u(h) = E[m 1{h}] and the part without memory times d(h).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import fmpq, fmpq_mat

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.memory import Memory, Unknown, reached_in
from tdcert.theory.engine.numbers import Exact
from tdcert.theory.engine.spans import memory_spans, seen_rows, spanned
from tdcert.theory.engine.tables import Exponents, Tables, tables
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model


@dataclass(frozen=True, eq=False)
class Stationary:
    """An algorithm on a recurrent class of a model, in the stationary regime."""

    tables: Tables
    memory: Memory

    @property
    def algorithm(self) -> Algorithm:
        """What is asked about."""
        return self.tables.algorithm

    @cached_property
    def by_exponents(self) -> dict[Exponents, RationalMatrix]:
        """[A b] (D×(D+1)) for each exponent of the step sizes: E[y' − y] = Σ stepᵏ(A_k y + b_k). The memory's mean must
        exist.
        """
        D = self.tables.D
        totals: dict[Exponents, list[fmpq]] = {}
        u, law = self.memory.mean, self.memory.law
        for h, edges in enumerate(self.tables.leaving):
            weights = [to_fmpq(e.outcome.probability) for e in edges]
            together = [
                sum((e.parameters[i] * p for e, p in zip(edges, weights, strict=True)), start=Exact(fmpq(0)))
                for i in range(D)
            ]
            for exponents, part in self.tables.increments(together).items():
                total = totals.setdefault(exponents, [fmpq(0)] * (D * (D + 1)))
                for (entry, row, column), x in part.items():
                    weight = to_fmpq(law[h]) if entry is None else u.get((h, entry), fmpq(0))
                    total[row * (D + 1) + column] += x * weight
        return {exponents: RationalMatrix.from_flint(fmpq_mat(D, D + 1, total)) for exponents, total in totals.items()}

    @cached_property
    def means(self) -> tuple[RationalMatrix, ...]:
        """[A_k b_k] (D×(D+1)) for each step size, in the order in which they are declared.

        Raises :class:`InputError` where parameters move without a step, or by a product of steps: there are no mean
        dynamics then, and only constant steps can be asked about. The memory's mean must exist.
        """
        wrong = next((exponents for exponents in self.tables.powers if sum(exponents) != 1), None)
        if wrong is not None:
            raise InputError(self._no_mean(wrong))
        none = RationalMatrix.zeros(self.tables.D, self.tables.D + 1)
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

    def joint(self, ratios: Sequence[Fraction]) -> RationalMatrix:
        """[J g] = Σ_k ratio_k [A_k b_k]: the mean increment of all parameters in units of the first step size."""
        D = self.tables.D
        total = RationalMatrix.zeros(D, D + 1)
        for ratio, mean in zip(ratios, self.means, strict=True):
            total = total + mean.scaled(ratio)
        return total

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
        return total.rank == self.tables.D


def stationary(
    model: Model,
    algorithm: Algorithm,
    states: Sequence[int],
    *,
    steps: Mapping[str, Fraction] | None = None,
    interest: Sequence[Fraction] | None = None,
) -> Stationary:
    """An algorithm on a recurrent class of a model. Raises as :func:`tdcert.theory.engine.tables.tables`, which says
    what the other arguments are.
    """
    found = tables(model, algorithm, states, stationary=True, steps=steps, interest=interest)
    d = model.behaviour_chain.stationary_law(tuple(states))
    law = [Fraction(0)] * len(found.contexts)
    for edge in {id(e.outcome): e for e in found.edges}.values():
        # each outcome once: the context after it depends on nothing before it
        law[edge.target] += d[edge.outcome.state, 0] * edge.outcome.probability
    begun: set[Unknown] = set()
    if found.fields:  # else the transition before is not read, so the first one is as all others
        own = tables(model, algorithm, states, steps=steps, interest=interest, known=found)
        place = {context: h for h, context in enumerate(found.contexts)}
        begun = {(place[own.contexts[h]], i) for h, i in reached_in(own) if own.contexts[h] in place}
    return Stationary(found, Memory(found, tuple(law), frozenset(begun)))
