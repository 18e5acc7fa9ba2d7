"""Yu 2015: C against the shipped emphatic TD and against numbers by hand; definiteness of an expression."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from tdcert.claims.definite import decide_definite
from tdcert.claims.models import lambda_of, random_instances
from tdcert.claims.yu15 import emphasis, yu_bellman, yu_definite, yu_mean, yu_rank, yu_semidefinite, yu_zero_rows
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.write import document, text
from tdcert.theory.expressions.notation import Name, diagonal, its
from tdcert.theory.expressions.relations import Context, evaluate
from tdcert.theory.model.gallery import HALF, flip_chain, random_walk_5, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Status

F = Fraction


def value(model: Model, expression: object) -> RationalMatrix:
    return evaluate(expression, Context(model, model.behaviour_chain.recurrent_classes[0]))


@pytest.mark.parametrize("k", range(4))
def test_what_etd_sees_are_its_linear_recursions(k: int) -> None:
    """f = (I − Nᵀ)⁻¹d, m = λd + (1 − λ)f, e = (I − λNᵀ)⁻¹ diag(m) Φ, and the mean eᵀ(N − I)Φ, with coverage."""
    model = [theta_to_two_theta(F(9, 10)), random_walk_5(), *random_instances(3, 2)][k]
    states, lam = model.behaviour_chain.recurrent_classes[0], lambda_of(model)
    N, d, Phi = model.target_kernel.N, model.behaviour_chain.stationary_law(states), model.features
    unit = N.identity(model.n)
    m = d.scaled(lam) + (unit - N).T.solve(d).scaled(1 - lam)
    e = (unit - N.scaled(lam)).T.solve(Phi.scale_rows(m))
    assert yu_mean.seen(model, states) == e.T @ (N - unit) @ Phi
    assert yu_mean.check(model).status is Status.HOLDS


def test_without_coverage_etd_may_never_move() -> None:
    """Behaviour always takes the action that the target never takes: ρ = 0, and C of the target is not zero."""
    model = yu_mean.never_to_the_second()
    assert yu_mean.seen(model, model.behaviour_chain.recurrent_classes[0]) == RationalMatrix([[0]])


def test_theta_to_two_theta_by_hand() -> None:
    """γ = 9/10, λ = 0, d = (½, ½), P_π = (0 1; 0 1): m = (½, 10(½ + 9/20)), C = −17/5. With d: 1/5."""
    model = theta_to_two_theta(F(9, 10))
    m = value(model, emphasis.emphasis(F(0), its.d))
    assert m.column_entries(0) == (F(1, 2), F(19, 2))
    assert value(model, emphasis.mean_matrix(F(0), emphasis.emphasis(F(0), its.d)))[0, 0] == F(-17, 5)
    assert value(model, emphasis.mean_matrix(F(0), its.d))[0, 0] == F(1, 5)


def test_one_state_by_hand() -> None:
    """R = 1, γ = λ = ½: P^λ = ½·½/(1 − ¼) = ⅓, r^λ = 4/3, so v = 2."""
    variant = yu_bellman.with_plain_rewards()
    assert variant.verdict.witness == {"(I − P^λ)⁻¹ r_π": "3/2", "v_π": "2"}
    assert variant.model is not None
    assert value(variant.model, emphasis.reached(HALF))[0, 0] == F(1, 3)
    assert value(variant.model, emphasis.rewarded(HALF))[0, 0] == F(4, 3)


def test_the_identities_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 3 for 2 before the form, and one term of Lagrange's sum left out."""
    assert emphasis.form_identity(2) and emphasis.lagrange_identity(3)
    assert emphasis.law_identity(2)
    monkeypatch.setattr(emphasis, "combinations", lambda items, size: [(0, 1), (1, 2)])
    assert not emphasis.lagrange_identity(3)


def test_outside_of_the_unit_interval_C_may_be_positive() -> None:
    """λ = 2, γ = ¾, two states that alternate, φ = (0, 1): C = 1/10 with interest one, 3/35 with (1, 0)."""
    model = replace(flip_chain(F(3, 4), features=((0,), (1,))), schedule=emphasis.OUTSIDE.schedules[0])
    assert yu_semidefinite.check(model).status is Status.REFUTED
    assert value(model, emphasis.mean_matrix(F(2), emphasis.emphasis(F(2), its.d)))[0, 0] == F(1, 10)
    assert value(model, emphasis.C(model))[0, 0] == F(3, 35)


def test_a_behaviour_that_never_goes_there_sees_another_matrix() -> None:
    assert yu_mean.check(yu_mean.never_to_the_second()).status is Status.REFUTED


def test_a_state_without_interest_by_hand() -> None:
    """Evenly to both of two states, γ = ½, λ = ½, R = 1, 0: Q = ⅙ everywhere, d_i = (½, 0), m = (5/8, ⅛), φ = (0, 1):
    C = −m_1(1 − ⅙) = −5/48; λ = 4 on two states that alternate, R = 1, 0: m = (0, −1).
    """
    model = yu_rank.no_interest_at_the_end()
    assert value(model, emphasis.reached(HALF)).rows == ((F(1, 6), F(1, 6)),) * 2
    assert value(model, emphasis.emphasis(HALF)).column_entries(0) == (F(5, 8), F(1, 8))
    assert value(model, emphasis.C(model))[0, 0] == F(-5, 48)
    assert yu_rank.check(model).status is Status.HOLDS and yu_zero_rows.check(model).status is Status.HOLDS
    assert yu_rank.by_interest_alone().verdict.status is Status.REFUTED
    other = yu_zero_rows.at_lambda_four()
    assert value(other, emphasis.emphasis(F(4))).column_entries(0) == (0, -1)
    assert yu_zero_rows.check(other).status is Status.REFUTED
    assert yu_rank.check(yu_rank.at_lambda_four()).status is Status.REFUTED


# ---- definiteness of an expression ------------------------------------------------------------------

SQUARE = its.Phi.T @ its.Phi
TURNED = diagonal(its.Phi) @ its.P_mu
ALTERNATING = flip_chain(HALF, features=((1,), (-1,)))


@pytest.mark.parametrize(
    ("expression", "strict", "status"),
    [
        (SQUARE, True, Status.HOLDS),
        (-SQUARE, False, Status.REFUTED),
        (0 * SQUARE, False, Status.HOLDS),
        (0 * SQUARE, True, Status.REFUTED),
        (TURNED, False, Status.HOLDS),
        (TURNED, True, Status.REFUTED),
        (its.I, True, Status.HOLDS),
        (its.I + its.P_mu, True, Status.REFUTED),
        (its.I + its.P_mu, False, Status.HOLDS),
        (its.I + 2 * its.P_mu, False, Status.REFUTED),
    ],
)
def test_definiteness_of_an_expression(expression: object, strict: bool, status: Status) -> None:
    """On two states that alternate, φ = (1, −1): P has the eigenvalues ±1, and diag(φ)P turns by a right angle."""
    found = decide_definite(ALTERNATING, expression, (0, 1), "it", strict=strict)
    assert found.status is status and ("x" in found.witness) == (status is Status.REFUTED)
    for kept in found.certificates:
        checker.check_text(text(document(kept, ALTERNATING, "it")))


def test_definiteness_needs_every_entry_of_its_factors() -> None:
    """A changed number in the relations of L and D is rejected."""
    found = decide_definite(ALTERNATING, its.I + Name(HALF) * its.P_mu, (0, 1), "it")
    (kept,) = found.certificates
    relations = kept.witness["relations"]
    assert isinstance(relations, list) and len(relations) == 2
    for k, (left, sign, right) in enumerate(relations):
        wrong = [*relations[:k], [left, sign, ["*", "-3", right]], *relations[k + 1 :]]
        body = document(replace(kept, witness={**kept.witness, "relations": wrong}), ALTERNATING, "it")
        with pytest.raises(checker.Rejected):
            checker.check_text(text(body))


def test_the_variant_of_definite_is_turned() -> None:
    found = yu_definite.turned_by_a_right_angle().verdict
    assert found.status is Status.REFUTED and found.witness["xᵀSx"] == "0"
