"""Statements about TDRC: numbers by hand, its matrices against the algorithm that ships, and wrong readings."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tdcert.algorithms import named
from tdcert.claims.ghiassian20 import tdrc, tdrc_default, tdrc_fixed_point, tdrc_on_policy, tdrc_two_scale
from tdcert.claims.models import random_instances
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.stability import spectral_abscissa
from tdcert.theory.engine.means import stationary
from tdcert.theory.expressions.relations import Context, evaluate
from tdcert.theory.model.gallery import HALF, fair_coin_chain, flip_chain, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status

F = Fraction
TURNED = theta_to_two_theta(F(9, 10))


def at(model: Model, expression: object, states: tuple[int, ...] = (0, 1)) -> RationalMatrix:
    return evaluate(expression, Context(model, states))


def test_the_matrices_by_hand() -> None:
    """θ→2θ: A = ½(1 − 9/5) + ½·2(2 − 9/5) = −1/5, C = 5/2, so E γφ'φ = 27/10 = ½·9/5 + ½·2·9/5."""
    assert at(TURNED, tdrc.A)[0, 0] == F(-1, 5) and F(1, 2) * F(9, 5) * 3 == F(27, 10)
    assert at(TURNED, tdrc.joint(TURNED, F(1), F(3))).rows == ((F(1, 5), F(-27, 10)), (F(3, 5), F(-21, 2)))
    assert at(TURNED, tdrc.slow(TURNED, F(1)))[0, 0] == F(8, 10) * F(1, 5) / F(7, 2) == F(8, 175)
    assert at(TURNED, tdrc.squares(TURNED, F(1)))[0, 0] == F(-1, 5) + F(1, 25)


@pytest.mark.parametrize("model", [TURNED, *random_instances(3, 2)], ids=str)
def test_the_joint_matrix_is_that_of_the_algorithm(model: Model) -> None:
    plain = model.with_schedule(Schedule())
    states = plain.behaviour_chain.recurrent_classes[0]
    eta = F(3)
    means = stationary(plain, named("tdrc").with_options(ridge=F(2)), states).by_exponents
    D = range(2 * plain.d)
    found = means[1, 0].take(columns=D) + means[0, 1].take(columns=D).scaled(eta)
    assert found == at(plain, tdrc.joint(plain, F(2), eta), states)


def test_at_beta_one_theta_to_two_theta_is_a_saddle_for_every_ratio() -> None:
    """det J = ηA(A + β): −(4/25)η at β = 1, whatever η is."""
    for eta in (F(1, 100), F(1), F(100)):
        assert at(TURNED, tdrc.joint(TURNED, F(1), eta)).determinant() == F(-4, 25) * eta
    assert tdrc_default.judge_stated().verdict.status is Status.REFUTED
    assert tdrc_default.saddles(F(1, 4)).verdict.status is Status.HOLDS
    assert tdrc_default.saddles(F(19, 100)).verdict.status is Status.REFUTED
    assert tdrc_default.check(TURNED).status is Status.REFUTED


def test_a_small_beta_is_stable_for_ratios_above_one_thirteenth() -> None:
    """β = 1/10: the trace 1/5 − (13/5)η is zero at η = 1/13, and the determinant is positive."""
    signs = [
        spectral_abscissa(at(TURNED, tdrc.joint(TURNED, F(1, 10), eta))).sign for eta in (F(1, 14), F(1, 13), F(1, 12))
    ]
    assert signs == [1, 0, -1]


def test_rest_points() -> None:
    assert tdrc_fixed_point.rests(TURNED, (0, 1), (F(1),)).status is Status.HOLDS
    assert tdrc_fixed_point.rests(TURNED, (0, 1), (F(1, 5),)).status is Status.REFUTED
    assert not tdrc_fixed_point.NO_EIGENVALUE.ask(TURNED).satisfied and tdrc.NONSINGULAR.ask(TURNED).satisfied


def test_on_policy_and_not() -> None:
    assert tdrc_on_policy.check(flip_chain(HALF)).status is Status.HOLDS
    assert tdrc_on_policy.check(TURNED).status is Status.REFUTED
    assert tdrc_on_policy.check(fair_coin_chain(1)).status is Status.HOLDS  # A = C = 1, though γ = 1
    assert tdrc_two_scale.check(TURNED).witness == {"β": "1/16"}
    assert tdrc_two_scale.beyond_the_form().verdict.status is Status.REFUTED


def test_the_identities_hold_at_another_size() -> None:
    assert tdrc_on_policy.elimination_identity(4) and tdrc_fixed_point.rest_identity(4)


@pytest.mark.thorough
def test_random_matrices_are_hurwitz_where_the_symmetric_part_is_not_negative() -> None:
    """Floats: 20,000 pairs of A with H ⪰ 0 and C ≻ 0, which no chain need have, at β and η over six orders of size."""
    rng = np.random.default_rng(1)
    for _ in range(20_000):
        d = int(rng.integers(1, 5))
        G, K, R = rng.normal(size=(3, d, d))
        A = G @ G.T * 10 ** rng.uniform(-4, 2) + (K - K.T) * 10 ** rng.uniform(-2, 2)
        C = R @ R.T * 10 ** rng.uniform(-3, 2)
        beta, eta = rng.choice([0, 10 ** rng.uniform(-3, 3)]), 10 ** rng.uniform(-3, 3)
        values = np.linalg.eigvals(np.block([[-A, A.T - C], [-eta * A, -eta * (C + beta * np.eye(d))]]))
        assert max(values.real) <= 1e-10 * max(abs(values))  # eigenvalues of a matrix in doubles, not normal
