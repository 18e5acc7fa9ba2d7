"""The mean increment of an algorithm, from the transitions that its updates see, held against an expression."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tdcert.claims.definite import Table
from tdcert.claims.verdicts import States, Verdict
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.means import stationary
from tdcert.theory.expressions.notation import Name
from tdcert.theory.expressions.relations import Relation, decide_relations
from tdcert.theory.model.mdp import Model


def seen(
    model: Model,
    algorithm: Algorithm,
    states: States,
    *,
    ratios: Sequence[Fraction | int] = (1,),
    interest: Sequence[Fraction] | None = None,
) -> RationalMatrix:
    """The mean matrix J of an algorithm on a recurrent class, E[y' − y] = step · (Jy + g): its update is followed
    transition by transition in the stationary regime, so that it shares nothing with an expression but the model.

    ``ratios``: of its steps to the first one; ``interest``: of each state.
    """
    found = stationary(model, algorithm, states, interest=interest)
    return found.joint([Fraction(ratio) for ratio in ratios]).take(columns=range(found.D))


def decide_mean(
    model: Model, J: RationalMatrix, wanted: Table, states: States, detail: str, kernel: str = "target"
) -> Verdict:
    """Whether the entries of J, as numbers, are the values of the entries of ``wanted``."""
    pairs = [pair for row, cells in zip(J.rows, wanted, strict=True) for pair in zip(row, cells, strict=True)]
    relations: list[Relation] = [(cell, "=", Name(x)) for x, cell in pairs]
    return decide_relations(model, relations, states=states, kernel=kernel, detail=detail)
