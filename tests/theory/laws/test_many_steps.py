"""Second moments after many updates: floats written anew, all paths of a few steps, and numbers of another program."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from flint import arb

from tdcert.claims.bounds import LinearTD, fast_chain, slow_chain
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.ball import exact_value
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.laws.many_steps import Errors, MomentPowers
from tdcert.theory.model.gallery import HALF, boyan_chain, fair_coin_chain, one_state
from tdcert.theory.model.mdp import Model

F = Fraction


def runs(model: Model, T: int, independent: bool) -> Iterator[tuple[Fraction, list[Fraction], Fraction]]:
    """Every run of TD(0) of a two-state chain with one feature, by Fractions alone: its probability, and θ_0 … θ_T at
    the step α = ⅓.
    """
    P, phi, gamma = model.transitions[0], [row[0] for row in model.features.rows], model.gamma
    assert gamma is not None
    for states in product((0, 1), repeat=2 * T if independent else T + 1):
        pairs = list(zip(states[::2], states[1::2], strict=True)) if independent else list(pairwise(states))
        p = HALF if not independent else F(1)
        thetas = [F(0)]
        for s, after in pairs:
            p *= (HALF if independent else 1) * P[s, after]
            delta = model.rewards[0].rows[s][0] + gamma * phi[after] * thetas[-1] - phi[s] * thetas[-1]
            thetas.append(thetas[-1] + F(1, 3) * delta * phi[s])
        yield p, thetas, F(0)


@pytest.mark.parametrize("independent", [False, True])
@pytest.mark.parametrize("model", [fast_chain(), slow_chain()], ids=lambda m: m.name)
def test_all_runs_of_a_few_steps_have_the_same_moments(model: Model, independent: bool) -> None:
    td, T = LinearTD(model), 4
    star = td.target[0, 0]
    every = list(runs(model, T, independent))
    assert sum(p for p, *_ in every) == 1
    last = sum(p * (thetas[T] - star) ** 2 for p, thetas, _ in every)
    average = sum(p * (sum(thetas[:T], F(0)) / T - star) ** 2 for p, thetas, _ in every)
    mean = sum(p * (thetas[T] - star) for p, thetas, _ in every) ** 2
    moments = td.independent(averaged=True) if independent else td.path(averaged=True)
    constant = moments.after(T, F(1, 3), td.weight)
    along = moments.along([F(1, 3)] * T, td.weight)
    for found in (constant, along):
        assert found.average is not None
        for value, ball in ((last, found.last), (average, found.average), (mean, found.mean)):
            assert abs(exact_value(ball.mid()) - value) <= exact_value(ball.rad()) < F(1, 10**60)


def test_decreasing_steps_are_taken_in_their_order() -> None:
    """One state, r = 1, γ = ½: x' = (1 − α/2)x, x_0 = −2."""
    td = LinearTD(one_state(HALF))
    found: Errors = td.path().along([F(1), HALF, F(1, 4)], td.weight)
    assert found.last.contains(found.mean) and exact_value(found.last.mid()) == (2 * HALF * F(3, 4) * F(7, 8)) ** 2


def test_several_features_as_floats_propagate_them() -> None:
    """Boyan's chain, d = 4, independent draws: E x'x'ᵀ = Σ p B E xxᵀ Bᵀ by numpy; along the chain it is too large."""
    td, T, alpha = LinearTD(boyan_chain()), 50, F(1, 10)
    star = td.target.to_float().ravel()
    with pytest.raises(BudgetExceededError, match="give --limits"):
        td.path().after(T, alpha, td.weight)
    Y = np.outer(np.append(-star, 1), np.append(-star, 1))
    for _ in range(T):
        total = np.zeros((5, 5))
        for h, _, p, K in td.moves:
            B, K_ = np.eye(5), K.to_float()
            B[:4, :4] += float(alpha) * K_[:, :4]
            B[:4, 4] += float(alpha) * (K_[:, 4] + K_[:, :4] @ star)
            total += float(td.law[td.states[h]] * p) * B @ Y @ B.T
        Y = total
    for weight in (td.weight, td.C):
        found = td.independent().after(T, alpha, weight)
        assert found.average is None
        assert float(found.last.mid()) == pytest.approx(np.sum(weight.to_float() * Y[:4, :4]), rel=1e-9)


@pytest.mark.parametrize(
    ("model", "alpha", "T", "value"),
    [
        (fast_chain(), F(1), 1_001, 2.11e-3),
        (fast_chain(), F(1, 10), 1_001, 2.14e-3),
        (fast_chain(), F(1), 100_001, 2.12e-5),
        (slow_chain(), F(1), 1_001, 0.0767),
        (slow_chain(), F(1, 10), 100_001, 7.11e-4),
    ],
)
def test_averages_of_the_ledger(model: Model, alpha: Fraction, T: int, value: float) -> None:
    """Floats of another program, three digits."""
    td = LinearTD(model)
    found = td.independent(averaged=True).after(T, alpha, td.weight).average
    assert found is not None and float(found.mid()) == pytest.approx(value, rel=5e-3) and found.rad() < 1e-30


def test_the_moments_of_a_node_add_up() -> None:
    td = LinearTD(fair_coin_chain(HALF))
    nodes = td.path().by_node(7, F(1, 5))
    whole = td.path().after(7, F(1, 5), td.weight)
    chance, square = (sum((y[place] for y in nodes), arb(0)) for place in ((1, 1), (0, 0)))
    assert chance.contains(1) and square.overlaps(whole.last)


def test_a_start_elsewhere_is_taken() -> None:
    td = LinearTD(one_state(HALF))
    one = RationalMatrix([[1]])
    found = MomentPowers(td.moves, [F(1)], td.target, one.scaled(5)).after(1, F(1), td.weight)
    assert exact_value(found.last.mid()) == F(9, 4)
