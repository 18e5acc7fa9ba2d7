"""The mean increment of an algorithm, from the transitions that its updates see, held against an expression."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tdcert.claims.definite import literal
from tdcert.claims.verdicts import States, Verdict
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.means import stationary
from tdcert.theory.expressions.notation import its
from tdcert.theory.expressions.relations import Expression, decide_relations
from tdcert.theory.model.mdp import Model

MEAN: Expression = its.Phi.T @ its.D @ (its.N - its.I) @ its.Phi
"""The mean matrix of TD(0) (d×d): E[θ' − θ] = α(MEAN θ + PAID), of the target policy."""
PAID: Expression = its.Phi.T @ its.D @ its.r
"""b of TD(0) (d×1)."""


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
    model: Model, J: RationalMatrix, wanted: Expression, states: States, detail: str, kernel: str = "target"
) -> Verdict:
    """Whether J, as numbers, is the value of ``wanted``."""
    return decide_relations(model, [(wanted, "=", literal(J))], states=states, kernel=kernel, detail=detail)
