r"""The mean of an update in the stationary regime: one matrix and vector for each step size, exact.

    E[y' − y] = Σ_k step_k (A_k y + b_k),    A_k y + b_k = Σ_h Σ_{h → h'} p (G_k(u(h)) y + g_k(u(h))),

G_k and g_k the tables' (affine in the memory), u(h) = E[m 1{h}] and the part without memory times d(h).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import fmpq, fmpq_mat

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.memory import Memory
from tdcert.theory.engine.numbers import Exact
from tdcert.theory.engine.tables import Tables, tables
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
    def means(self) -> tuple[RationalMatrix, ...]:
        """[A_k b_k] (D×(D+1)) for each step size, in the order in which they are declared.

        Raises :class:`InputError` where parameters move without a step, or by a product of steps: there are no mean
        dynamics then, and only constant steps can be asked about. The memory's mean must exist.
        """
        D, count = self.tables.D, len(self.algorithm.steps)
        totals = [[fmpq(0)] * (D * (D + 1)) for _ in range(count)]
        u, law = self.memory.mean, self.memory.law
        for h, edges in enumerate(self.tables.leaving):
            if not edges:
                continue
            weights = [to_fmpq(e.outcome.probability) for e in edges]
            together = [
                sum((e.parameters[i] * p for e, p in zip(edges, weights, strict=True)), start=Exact(fmpq(0)))
                for i in range(D)
            ]
            for exponents, part in self.tables.increments(together).items():
                if sum(exponents) != 1:
                    raise InputError(self._no_mean(exponents))
                total = totals[exponents.index(1)]
                for (entry, row, column), x in part.items():
                    weight = to_fmpq(law[h]) if entry is None else u.get((h, entry), fmpq(0))
                    total[row * (D + 1) + column] += x * weight
        return tuple(RationalMatrix.from_flint(fmpq_mat(D, D + 1, total)) for total in totals)

    def _no_mean(self, exponents: tuple[int, ...]) -> str:
        name, steps = self.algorithm.name, self.algorithm.steps
        if not sum(exponents):
            return (
                f"the update '{name}' moves its parameters by something that no step size multiplies; multiply it by "
                f"one of {', '.join(steps)}, or ask about constant steps only"
            )
        product = "·".join(step for step, power in zip(steps, exponents, strict=True) for _ in range(power))
        return (
            f"the update '{name}' is not linear in its step sizes (a term with {product}); declare that product as a "
            "step size of its own, or ask about constant steps only"
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
        """(columns, T) with x = T[:, columns]… for every row x of a table: x = x[columns] T.

        Parameters enter updates through T y alone (r×D); what T does not see changes no increment.
        """
        D = self.tables.D
        basis, rows = RationalMatrix.zeros(0, D), dict[tuple[Fraction, ...], None]()
        known = self.memory.reached
        for edge in self.tables.edges:
            for part in self.tables.increments(edge.parameters).values():
                found: dict[tuple[int | None, int], list[Fraction]] = {}
                for (entry, row, column), x in part.items():
                    if column < D and (entry is None or (edge.source, entry) in known):
                        found.setdefault((entry, row), [Fraction(0)] * D)[column] = to_fraction(x)
                rows |= {tuple(row): None for row in found.values()}
            if len(rows) > 4 * D:
                basis = _row_basis(basis, list(rows))
                rows.clear()
            if basis.shape[0] == D:
                break
        basis = _row_basis(basis, list(rows))
        if basis.shape[0] == 0:
            return (), basis
        return basis.column_basis


def _row_basis(basis: RationalMatrix, rows: list[tuple[Fraction, ...]]) -> RationalMatrix:
    """Independent rows with the same span as both."""
    every = RationalMatrix([*basis.rows, *rows]) if rows or basis.shape[0] else basis
    if every.shape[0] == 0:
        return basis
    return every.take(rows=every.T.independent_columns())


def stationary(
    model: Model, algorithm: Algorithm, states: Sequence[int], *, interest: Sequence[Fraction] | None = None
) -> Stationary:
    """An algorithm on a recurrent class of a model. Raises as :func:`tdcert.theory.engine.tables.tables`."""
    found = tables(model, algorithm, states, stationary=True, interest=interest)
    d = model.behaviour_chain.stationary_law(tuple(states))
    law = [Fraction(0)] * len(found.contexts)
    for edge in {id(e.outcome): e for e in found.edges}.values():
        # each outcome once: the context after it depends on nothing before it
        law[edge.target] += d[edge.outcome.state, 0] * edge.outcome.probability
    return Stationary(found, Memory(found, tuple(law)))
