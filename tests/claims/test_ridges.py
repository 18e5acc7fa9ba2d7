"""Statements about a ridge: numbers by hand, floats along the ridges, and wrong readings."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tdcert.claims.manek22 import mk_divergence, mk_etd, mk_vacuous
from tdcert.claims.means import MEAN, PAID
from tdcert.claims.models import random_instances
from tdcert.theory.expressions.notation import solution
from tdcert.theory.expressions.relations import Context, evaluate
from tdcert.theory.model.gallery import HALF, flip_chain, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Status

F = Fraction
BOTH = (0, 1)


def number(expression: object, model: Model) -> Fraction:
    return evaluate(expression, Context(model, BOTH))[0, 0]


def test_nearly_exact_by_hand() -> None:
    """A = Σ D φ(0.99·41/40 − φ), b = Σ D φ(V − 0.99·21/20); −b/A = 7.6 is far above 2φᵀDV/φᵀDφ, which is near two."""
    model = mk_vacuous.nearly_exact()
    ahead = F(99, 100) * F(41, 40)
    assert number(MEAN, model) == F(3, 4) * (ahead - 1) + F(1, 4) * F(21, 20) * (ahead - F(21, 20)) == F(579, 320000)
    paid = F(99, 100) * F(21, 20)
    assert number(PAID, model) == F(3, 4) * (1 - paid) + F(1, 4) * F(21, 20) * (F(11, 10) - paid)
    assert mk_vacuous.CLAIM.check(model).status is Status.REFUTED
    assert not mk_vacuous.UPHILL.ask(model).satisfied
    (fact,) = mk_vacuous.facts()
    assert fact.verdict.status is Status.HOLDS


def test_every_ridge_is_worse_in_floats() -> None:
    phi, V, D = np.array([1, 1.05]), np.array([1, 1.1]), np.array([0.75, 0.25])
    r = V - 0.99 * V.mean()
    a, b = D @ (phi * (0.99 * phi.mean() - phi)), D @ (phi * r)
    for eta in (0, 1e-4, 1e-3, 1.8e-3, 1.82e-3, 1e-2, 1, 1e3):
        theta = b / (eta - a)
        assert D @ (phi * theta - V) ** 2 > D @ V**2
    assert D @ (phi * 1.0 - V) ** 2 < D @ V**2 / 1000


@pytest.mark.parametrize("model", random_instances(11, 4), ids=str)
def test_the_limit_of_large_ridges(model: Model) -> None:
    """η times the excess tends to −2bᵀΦᵀDV."""
    states, eta = model.behaviour_chain.recurrent_classes[0], F(10**12)
    context = Context(model, states)
    theta = solution(mk_vacuous.ridge(model, eta), PAID)
    value = eta * evaluate(mk_vacuous.excess(theta), context)[0, 0]
    assert float(value) == pytest.approx(-2 * float(evaluate(mk_vacuous.TOWARDS, context)[0, 0]), rel=1e-6, abs=1e-6)


def test_ridges_on_td() -> None:
    """θ→2θ, γ = 9/10: A = 1/5, so a ridge of 1/10 leaves 1/10, one of 1/4 gives −1/20."""
    model = theta_to_two_theta(F(9, 10))
    assert number(MEAN, model) == F(1, 5)
    assert mk_divergence.too_small().verdict.status is Status.REFUTED
    assert mk_divergence.stable_at(model, F(1, 4), BOTH).status is Status.HOLDS
    assert not mk_divergence.STABLE.ask(model).satisfied and mk_divergence.STABLE.ask(flip_chain(HALF)).satisfied
    (fact,) = mk_divergence.facts()
    assert fact.verdict.status is Status.HOLDS and mk_divergence.more_identity(4)


def test_emphatic_td_by_hand() -> None:
    """θ→2θ, γ = 9/10: m = (½, 19/2), −A = ½(1 − 9/5) + (19/2)·2·(2 − 9/5) = 17/5."""
    model = theta_to_two_theta(F(9, 10))
    assert evaluate(mk_etd.M, Context(model, BOTH)).column_entries() == (HALF, F(19, 2))
    assert -number(mk_etd.A, model) == HALF * (1 - F(9, 5)) + 19 * (2 - F(9, 5)) == F(17, 5)
    assert mk_etd.check(model).status is Status.HOLDS and mk_etd.size_identity(4)
