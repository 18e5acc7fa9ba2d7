"""Differential values by hand, and what has none."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis import given, settings

from tdcert.algorithms import named
from tdcert.analysis.updates import analyse_updates
from tdcert.sims.strategies import models
from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.check.fixed_point import differential_value
from tdcert.theory.model.gallery import HALF
from tdcert.theory.model.mdp import Model
from tdcert.theory.progress import silently
from tests.effort import examples

F = Fraction


def test_by_hand() -> None:
    """Visits are 1 : 2 and R = 1 in state 0 alone, so ρ = 1/3, and (h_0 − h_1)/2 = 1 − 1/3. No discount enters."""
    P = RationalMatrix([[HALF, HALF], [F(1, 4), F(3, 4)]])
    for gamma in (F(0), F(9, 10)):
        model = Model.reward_process(P, RationalMatrix([[1], [0]]), gamma)
        found = differential_value(model, (0, 1))
        assert found[0, 0] - found[1, 0] == F(4, 3)
        with precision(128):
            assert differential_value(model, (0, 1), BallMatrix).contains(found)


def test_where_there_is_none() -> None:
    """Two recurrent classes with rewards of their own: each has its differential value, and all states have none."""
    P = RationalMatrix([[1, 0, 0], [0, 1, 0], [HALF, HALF, 0]])
    model = Model.reward_process(P, RationalMatrix([[1], [0], [0]]), HALF)
    assert differential_value(model, (0, 1, 2)) is None
    assert differential_value(model, (1,)) == RationalMatrix([[0]])
    with precision(128):
        assert differential_value(model, (0, 1, 2), BallMatrix) is None


@settings(max_examples=examples(15), deadline=None)
@given(models(policy="off", discount="constant"))
def test_differential_td_is_exact_with_tabular_features(model: Model) -> None:
    """Wan, Naik and Sutton (2021): off-policy it comes to the differential value of the target policy."""
    tabular = replace(model, features=RationalMatrix.column([1] * model.n).identity(model.n))
    for row in analyse_updates(tabular, [named("differential_td")], silently).rows:
        known = differential_value(tabular, row.states) is not None
        if known and row.rest is not None and row.rest.seen is not None:
            assert row.error_squared == 0
