"""Yu 2015: C against the shipped emphatic TD and against numbers by hand; definiteness of an expression."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from tdcert.claims.definite import decide_definite
from tdcert.claims.models import random_instances
from tdcert.claims.yu15 import emphasis, yu_bellman, yu_definite, yu_mean, yu_rank, yu_semidefinite, yu_zero_rows
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.write import document, text
from tdcert.theory.expressions.notation import Name, diagonal, its
from tdcert.theory.expressions.paths import column
from tdcert.theory.expressions.relations import Context, evaluate
from tdcert.theory.model.gallery import HALF, flip_chain, random_walk_5, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status

F = Fraction


def value(model: Model, expression: object) -> RationalMatrix:
    return evaluate(expression, Context(model, model.behaviour_chain.recurrent_classes[0]))


def every(lam: Fraction) -> object:
    """One λ in each state."""
    return Name(lam) * its.ones


@pytest.mark.parametrize("k", range(5))
def test_what_etd_sees_are_its_linear_recursions(k: int) -> None:
    """f = (I − Nᵀ)⁻¹d, m = Λd + (I − Λ)f, e = (I − ΛNᵀ)⁻¹ diag(m) Φ, and the mean eᵀ(N − I)Φ, with coverage; d is
    weighted with the interest 1 + r².
    """
    model = [theta_to_two_theta(F(9, 10)), random_walk_5(), *random_instances(3, 2), two_lambdas()][k]
    states = model.behaviour_chain.recurrent_classes[0]
    lam = RationalMatrix.column(emphasis.lambdas_of(model))
    N, law, Phi = model.target_kernel.N, model.behaviour_chain.stationary_law(states), model.features
    unit = N.identity(model.n)
    d = law.scale_rows(RationalMatrix.column([1 + r * r for r in model.target_kernel.r.column_entries()]))
    f = (unit - N).T.solve(d)
    m = f - f.scale_rows(lam) + d.scale_rows(lam)
    e = (unit - N @ unit.scale_rows(lam)).T.solve(Phi.scale_rows(m))
    assert yu_mean.mean(model, states) == e.T @ (N - unit) @ Phi
    assert yu_mean.check(model).status is Status.HOLDS


def two_lambdas() -> Model:
    """Two states that alternate, R = 1, 0, γ = ½, λ = (⅓, ½), φ = (1, 2)."""
    return flip_chain(HALF, Schedule((F(1, 3), HALF)), ((1,), (2,)))


def test_two_lambdas_by_hand() -> None:
    """N swaps with ½, NΛ = ((0, ¼), (⅙, 0)), det(I − NΛ) = 23/24, N(I − Λ) = ((0, ¼), (⅓, 0)):
    Q = (24/23)((1/12, ¼), (⅓, 1/24)) = ((2, 6), (8, 1))/23. With the λ's exchanged it is another matrix.
    """
    model, exchanged = two_lambdas(), column((HALF, F(1, 3)))
    assert emphasis.lambdas_of(model) == (F(1, 3), HALF)
    Q = value(model, its.I - emphasis.missed(emphasis.lam_of(model)))
    assert Q.rows == ((F(2, 23), F(6, 23)), (F(8, 23), F(1, 23)))
    assert value(model, its.I - emphasis.missed(exchanged)) != Q
    assert yu_mean.against(model, its.d).status is Status.REFUTED


def test_without_coverage_etd_may_never_move() -> None:
    """Behaviour always takes the action that the target never takes: ρ = 0, and C of the target is not zero."""
    model = yu_mean.never_to_the_second()
    assert yu_mean.mean(model, model.behaviour_chain.recurrent_classes[0]) == RationalMatrix([[0]])


def test_theta_to_two_theta_by_hand() -> None:
    """γ = 9/10, λ = 0, d = (½, ½), P_π = (0 1; 0 1): m = (½, 10(½ + 9/20)), C = −17/5. With d: 1/5."""
    model = theta_to_two_theta(F(9, 10))
    m = value(model, emphasis.emphasis(every(F(0)), its.d))
    assert m.column_entries(0) == (F(1, 2), F(19, 2))
    assert value(model, emphasis.mean_matrix(every(F(0)), emphasis.emphasis(every(F(0)), its.d)))[0, 0] == F(-17, 5)
    assert value(model, emphasis.mean_matrix(every(F(0)), its.d))[0, 0] == F(1, 5)


def test_one_state_by_hand() -> None:
    """R = 1, γ = λ = ½: P^λ = ½·½/(1 − ¼) = ⅓, r^λ = 4/3, so v = 2."""
    variant = yu_bellman.with_plain_rewards()
    assert variant.verdict.witness == {"(I − P^λ)⁻¹ r_π": "3/2", "v_π": "2"}
    assert variant.model is not None
    assert value(variant.model, emphasis.missed(every(HALF)))[0, 0] == F(2, 3)
    assert value(variant.model, emphasis.rewarded(every(HALF)))[0, 0] == F(4, 3)


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
    assert value(model, emphasis.mean_matrix(every(F(2)), emphasis.emphasis(every(F(2)), its.d)))[0, 0] == F(1, 10)
    assert value(model, emphasis.C(model))[0, 0] == F(3, 35)


def test_a_behaviour_that_never_goes_there_sees_another_matrix() -> None:
    assert yu_mean.check(yu_mean.never_to_the_second()).status is Status.REFUTED


def test_a_state_without_interest_by_hand() -> None:
    """Evenly to both of two states, γ = ½, λ = ½, R = 1, 0: Q = ⅙ everywhere, d_i = (½, 0), m = (5/8, ⅛), φ = (0, 1):
    C = −m_1(1 − ⅙) = −5/48; λ = 4 on two states that alternate, R = 1, 0: m = (0, −1).
    """
    model = yu_rank.no_interest_at_the_end()
    assert value(model, emphasis.missed(every(HALF))).rows == ((F(5, 6), F(-1, 6)), (F(-1, 6), F(5, 6)))
    assert value(model, emphasis.emphasis(every(HALF))).column_entries(0) == (F(5, 8), F(1, 8))
    assert value(model, emphasis.C(model))[0, 0] == F(-5, 48)
    assert yu_rank.check(model).status is Status.HOLDS and yu_zero_rows.check(model).status is Status.HOLDS
    assert yu_rank.by_interest_alone().verdict.status is Status.REFUTED
    other = yu_zero_rows.at_lambda_four()
    assert value(other, emphasis.emphasis(every(F(4)))).column_entries(0) == (0, -1)
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
