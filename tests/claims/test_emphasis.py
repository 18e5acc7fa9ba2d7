"""Yu 2015: C against the shipped emphatic TD and against numbers by hand; definiteness of an expression."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import pytest

from tdcert.claims import emphasis
from tdcert.claims.definite import decide_definite
from tdcert.claims.models import random_instances
from tdcert.claims.yu15 import (
    yu_bellman,
    yu_definite,
    yu_irreducible_block,
    yu_mean,
    yu_plain_fails,
    yu_projected,
    yu_rank,
    yu_rank_interest,
    yu_semidefinite,
    yu_variance,
    yu_zero_rows,
)
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.write import document, text
from tdcert.theory.expressions.notation import Name, diagonal, expected, its
from tdcert.theory.expressions.paths import column
from tdcert.theory.expressions.relations import Context, evaluate
from tdcert.theory.model.gallery import HALF, flip_chain, one_state, random_walk_5, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status
from tests.replay import replay

F = Fraction


def value(model: Model, expression: object) -> RationalMatrix:
    return evaluate(expression, Context(model, model.behaviour_chain.recurrent_classes[0]))


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
    assert yu_mean.CLAIM.check(model).status is Status.HOLDS


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
    m = value(model, emphasis.emphasis(emphasis.every(F(0)), its.d))
    assert m.column_entries(0) == (F(1, 2), F(19, 2))
    assert value(model, emphasis.mean_matrix(emphasis.every(F(0)), emphasis.emphasis(emphasis.every(F(0)), its.d)))[
        0, 0
    ] == F(-17, 5)
    assert value(model, emphasis.mean_matrix(emphasis.every(F(0)), its.d))[0, 0] == F(1, 5)


def test_one_state_by_hand() -> None:
    """R = 1, γ = λ = ½: P^λ = ½·½/(1 − ¼) = ⅓, r^λ = 4/3, so v = 2."""
    variant = yu_bellman.with_plain_rewards()
    assert variant.verdict.witness == {"(I − P^λ)⁻¹ r_π": "3/2", "v_π": "2"}
    assert variant.model is not None
    assert value(variant.model, emphasis.missed(emphasis.every(HALF)))[0, 0] == F(2, 3)
    assert value(variant.model, emphasis.rewarded(emphasis.every(HALF)))[0, 0] == F(4, 3)


def test_the_identities_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 3 for 2 before the form, and one term of Lagrange's sum left out."""
    assert emphasis.form_identity(2) and emphasis.lagrange_identity(3)
    assert emphasis.law_identity(2)
    monkeypatch.setattr(emphasis, "combinations", lambda items, size: [(0, 1), (1, 2)])
    assert not emphasis.lagrange_identity(3)


def test_outside_of_the_unit_interval_C_may_be_positive() -> None:
    """λ = 2, γ = ¾, two states that alternate, φ = (0, 1): C = 1/10 with interest one, 3/35 with (1, 0)."""
    model = replace(flip_chain(F(3, 4), features=((0,), (1,))), schedule=emphasis.OUTSIDE.schedules[0])
    assert yu_semidefinite.CLAIM.check(model).status is Status.REFUTED
    assert value(model, emphasis.mean_matrix(emphasis.every(F(2)), emphasis.emphasis(emphasis.every(F(2)), its.d)))[
        0, 0
    ] == F(1, 10)
    assert value(model, emphasis.C(model))[0, 0] == F(3, 35)


def test_a_behaviour_that_never_goes_there_sees_another_matrix() -> None:
    assert yu_mean.CLAIM.check(yu_mean.never_to_the_second()).status is Status.REFUTED


def test_a_state_without_interest_by_hand() -> None:
    """Evenly to both of two states, γ = ½, λ = ½, R = 1, 0: Q = ⅙ everywhere, d_i = (½, 0), m = (5/8, ⅛), φ = (0, 1):
    C = −m_1(1 − ⅙) = −5/48; λ = 4 on two states that alternate, R = 1, 0: m = (0, −1).
    """
    model = yu_rank.no_interest_at_the_end()
    assert value(model, emphasis.missed(emphasis.every(HALF))).rows == ((F(5, 6), F(-1, 6)), (F(-1, 6), F(5, 6)))
    assert value(model, emphasis.emphasis(emphasis.every(HALF))).column_entries(0) == (F(5, 8), F(1, 8))
    assert value(model, emphasis.C(model))[0, 0] == F(-5, 48)
    assert yu_rank.CLAIM.check(model).status is Status.HOLDS and yu_zero_rows.CLAIM.check(model).status is Status.HOLDS
    assert yu_rank.by_interest_alone().verdict.status is Status.REFUTED
    other = yu_zero_rows.at_lambda_four()
    assert value(other, emphasis.emphasis(emphasis.every(F(4)))).column_entries(0) == (0, -1)
    assert yu_zero_rows.CLAIM.check(other).status is Status.REFUTED
    assert yu_rank.CLAIM.check(yu_rank.at_lambda_four()).status is Status.REFUTED


# ---- the projected equation, conditions on features, no emphasis, the variance ----------------------


def test_the_projected_equation_by_hand() -> None:
    """θ→2θ, R = 1, γ = λ = ½: N leads to the second state with ½, Q = ⅓ to it, r^λ = 4/3, m = (½, 3/2·(½ + ⅓·½)) =
    (½, 1): W = ½ + 4 = 9/2, Πr^λ = (4/3)(½ + 2·1)/W·φ = 20/27·φ. By d = (½, ½): (4/3)(3/2)/(5/2) = 4/5.
    """
    (model,) = yu_definite.kept(lambda: (theta_to_two_theta(HALF),))()
    assert value(model, emphasis.emphasis(emphasis.every(HALF))).column_entries(0) == (HALF, F(1))
    assert yu_projected.CLAIM.check(model).status is Status.HOLDS
    variant = yu_projected.by_the_law().verdict
    assert variant.status is Status.REFUTED
    assert variant.witness == {"by the law": "[[4/5], [8/5]]", "by M̄": "[[20/27], [40/27]]"}


def test_a_projected_equation_without_a_projection_is_refuted() -> None:
    model = flip_chain(HALF, features=((0,), (0,)))
    assert yu_projected.CLAIM.check(model).undefined == "Π" and yu_projected.same_equation(3, 2)


def test_independent_features_of_interest() -> None:
    """R = (1, 0), φ = (0, 1): none of interest; φ = (1, 0): one, and C = −m_1(1 − ⅙) = −(5/8)(5/6)."""
    model = yu_rank.no_interest_at_the_end()
    assert not yu_rank_interest.INTEREST.ask(model).satisfied
    other = model.with_features(RationalMatrix([[1], [0]]))
    assert yu_rank_interest.INTEREST.ask(other).satisfied and value(other, emphasis.C(other))[0, 0] == F(-25, 48)
    assert yu_rank_interest.CLAIM.check(other).status is Status.HOLDS
    assert yu_rank_interest.CLAIM.check(flip_chain(HALF, features=((0,), (0,)))).status is Status.REFUTED


def test_a_connected_form_and_one_that_is_not() -> None:
    """Evenly to both of two states, R = (1, 0): m = (5/8, ⅛), Q = ⅙, G_12 = −(5/8 + ⅛)/6 = −⅛."""
    model = yu_rank.no_interest_at_the_end()
    G = value(model, yu_irreducible_block.half_of_G(model))
    assert (G + G.T).rows == ((F(25, 24), F(-1, 8)), (F(-1, 8), F(5, 24)))
    assert yu_irreducible_block.CONNECTED.ask(model).satisfied
    assert yu_irreducible_block.check(model).status is Status.HOLDS
    apart = Model.reward_process(
        RationalMatrix([[1, 0], [0, 1]]), RationalMatrix.column([1, 1]), HALF, RationalMatrix.column([1, 1])
    )
    assert not yu_irreducible_block.CONNECTED.ask(apart).satisfied
    found = yu_irreducible_block.check(apart)  # no emphasis outside of a class
    assert (found.status, found.detail) == (Status.REFUTED, "some emphasis is not positive")
    assert not yu_irreducible_block.CONNECTED.ask(replace(one_state(HALF), rewards=(RationalMatrix([[0]]),))).satisfied
    assert yu_irreducible_block.check(yu_zero_rows.at_lambda_four()).status is Status.REFUTED


def test_without_the_emphasis_the_threshold_of_theta_to_two_theta() -> None:
    """γ = 9/10: C = (6κ − 5)/2 with κ = (1 − λ)γ/(1 − λγ): 1/5 at λ = 0, zero at 4/9."""
    model = theta_to_two_theta(F(9, 10))
    for lam in (F(0), F(1, 3), F(4, 9), HALF, F(9, 10)):
        kappa = (1 - lam) * F(9, 10) / (1 - lam * F(9, 10))
        assert value(model, emphasis.mean_matrix(emphasis.every(lam), its.d))[0, 0] == (6 * kappa - 5) / 2
    assert yu_plain_fails.at_four_ninths().verdict.status is Status.REFUTED
    (paid,) = yu_definite.kept(lambda: (model,))()
    found = yu_plain_fails.check(paid)
    assert found.status is Status.HOLDS and "λ = 1 − 1/2 and" in found.detail
    assert yu_plain_fails.check(flip_chain(HALF, features=((0,), (0,)))).status is Status.REFUTED
    assert yu_plain_fails.geometric_form(2)


@pytest.mark.parametrize(("gamma", "q"), [(F(9, 10), HALF), (F(9, 10), F(81, 100)), (HALF, F(3, 4))])
def test_the_follow_on_trace_over_all_actions(gamma: Fraction, q: Fraction) -> None:
    """E F_t² by all action sequences; above γ²/q = 1, on it, and below it."""
    model, squares = yu_variance.of_remark(gamma, q), []
    for t in range(1, 5):
        total = F(0)
        for taken in product((True, False), repeat=t):
            F_t, p = F(1), F(1)
            for first in taken:
                F_t, p = gamma * (1 / q if first else 0) * F_t + 1, p * (q if first else 1 - q)
            total += p * F_t**2
        squares.append(total)
        assert value(model, expected("mu", 0, t, yu_variance.follow_on(t) ** 2))[0, 0] == total
    grows = all(after - before >= 1 for before, after in pairwise(squares))
    assert grows == (gamma**2 >= q) and yu_variance.check(model).status is Status.HOLDS
    if gamma**2 < q:
        limit = (1 + gamma) / ((1 - gamma) * (1 - gamma**2 / q))
        assert squares == sorted(squares) and squares[-1] < limit


def test_the_follow_on_trace_of_two_states_differs() -> None:
    assert yu_variance.check(yu_variance.two_ratios()).status is Status.REFUTED
    assert yu_variance.at_99_percent().verdict.witness["E F² a step later"] == "1900"


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
        replay(kept, ALTERNATING, "it")


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
