"""Srikant and Ying 2019: numbers by hand, and wrong statements seen to fail."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tdcert.claims.models import HALF, uncovered_rewards
from tdcert.claims.sy19 import (
    example,
    recursion,
    sy_app_e,
    sy_app_e_mean,
    sy_app_e_step,
    sy_bmax,
    sy_centering,
    sy_cor11,
    sy_lemma3,
    sy_lemma4,
    sy_lyapunov,
    sy_td_lambda,
)
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.expressions.paths import some_paths, some_theta
from tdcert.theory.expressions.relations import Context, Path, evaluate
from tdcert.theory.model.gallery import flip_chain, one_state, random_walk_5, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status

F = Fraction


def leaving(rewards: tuple[int, int], features: tuple[int, int], gamma: Fraction = HALF) -> Model:
    """0 → 1, and from 1 evenly to both."""
    P = RationalMatrix([[0, 1], [HALF, HALF]])
    return Model.reward_process(P, RationalMatrix.column(rewards), gamma, RationalMatrix.column(features))


# ---- the Lyapunov equation --------------------------------------------------------------------------


def test_the_lyapunov_equation_by_hand() -> None:
    """A = [[−1, 1], [0, −1]]: p = ½, q = ½p = ¼, r = ½(1 + 2q) = ¾. Two eigenvalues of sum zero: no solution."""
    P = recursion.lyapunov(RationalMatrix([[-1, 1], [0, -1]]))
    assert P is not None and P.rows == ((F(1, 2), F(1, 4)), (F(1, 4), F(3, 4)))
    assert recursion.lyapunov(RationalMatrix([[1, 0], [0, -1]])) is None


def test_numbers_beside_roots_and_eigenvalues() -> None:
    assert recursion.below(F(9, 4)) == F(3, 2) and recursion.below(F(0)) == 0
    assert 0 < F(2) - recursion.below(F(2)) ** 2 < F(1, 2**18)  # 2√2 units of 2^−20
    C = RationalMatrix([[F(2), F(1)], [F(1), F(2)]])
    assert F(99, 100) < recursion.below_least_eigenvalue(C) < 1  # it has 1 and 3
    assert F(3) - F(1, 2**18) < recursion.below_eigenvalue(C) <= 3


def test_only_stable_matrices_decay() -> None:
    """θ→2θ with γ = 9/10: A = 1/5, so P = −5/2."""
    model = theta_to_two_theta(F(9, 10))
    assert not recursion.HURWITZ.ask(model).satisfied and sy_lyapunov.decays(model, F(1)).status is Status.REFUTED
    assert sy_lyapunov.decays(flip_chain(), F(1)).status is Status.HOLDS
    assert sy_lyapunov.decays(flip_chain(), F(101, 100)).status is Status.REFUTED
    walk = sy_lyapunov.decays(random_walk_5(), F(1))
    assert walk.status is Status.HOLDS and sy_lyapunov.decays(random_walk_5(), F(5, 2)).status is Status.REFUTED


# ---- Lemmas 3 and 4 ---------------------------------------------------------------------------------


def test_the_iterate_is_that_of_a_second_writing() -> None:
    model = flip_chain(features=((1, 2), (-1, 1)))
    (path,) = some_paths(model, sy_lemma3.TAU, 1)
    theta, start, s = [F(x) for x in some_theta(model.d)], RationalMatrix.column(some_theta(model.d)), F(1, 7)
    for t, action in enumerate(path.actions):
        i, j = path.states[t], path.states[t + 1]
        now, ahead = model.features.rows[i], model.features.rows[j]
        reward, discount = (table[action].rows[i] for table in (model.rewards, model.discounts))
        delta = (reward[j] if len(reward) > 1 else reward[0]) - sum(x * y for x, y in zip(now, theta, strict=True))
        delta += (discount[j] if len(discount) > 1 else discount[0]) * sum(
            x * y for x, y in zip(ahead, theta, strict=True)
        )
        theta = [x + s * F(1, 12) * delta * y for x, y in zip(theta, now, strict=True)]
    found = evaluate(sy_lemma3.iterate(path, s), Context(model, (0,), theta=start, path=path))
    assert list(found.column_entries(0)) == theta


def test_a_factor_below_what_lemma_3_needs_is_refuted() -> None:
    """A = −1, Θ_3 = (11/12)³ = 1331/1728: 1 − Θ_3 = 397/1728 against ¼ and ¼Θ_3 = 333/1728 in whole thousandths."""
    model, path = one_state(0, reward=0), Path((0, 0, 0, 0), (0, 0, 0))
    assert sy_lemma3.far(model, path, (F(1), F(2), F(8))).status is Status.HOLDS
    assert sy_lemma3.far(model, path, (F(9, 10), F(2), F(8))).status is Status.REFUTED
    assert sy_lemma3.far(model, path, (F(1), F(2), F(1, 2))).status is Status.REFUTED
    squares = RationalMatrix([[397**2, 1728**2]]).rows[0]
    assert sy_lemma3.a_quarter().verdict.witness["‖Θ_τ − Θ_0‖²"] == str(F(squares[0], squares[1]))


def test_a_rounded_root_refutes_nothing() -> None:
    """φ = (1, 1): ‖Θ_0‖² = 1 + 4, whose root is not rational."""
    model, path = one_state(0, features=(1, 1), reward=0), Path((0, 0, 0, 0), (0, 0, 0))
    assert sy_lemma3.far(model, path, (F(0), F(0), F(0))).status is Status.UNDECIDED


def test_what_is_divided_has_norm_one() -> None:
    """φ = (1, 1), γ = 0: A = −[[1, 1], [1, 1]] of norm 2; φ = (1, 2): norm 5; φ = 1, γ = ½: norm ½, not divided."""
    for features, gamma, s in (((1, 1), F(0), F(1, 2)), ((1, 2), F(0), F(1, 5)), ((1,), HALF, F(1))):
        model = one_state(gamma, features=features)
        assert recursion.normalizer(model, Context(model, (0,))) == s


def test_lemma_4_is_sharp_for_aligned_vectors() -> None:
    model = one_state(0, reward=-1)
    assert sy_lemma4.bounded(model, F(2)).status is Status.HOLDS
    assert sy_lemma4.bounded(model, F(199, 100)).status is Status.REFUTED
    assert sy_lemma4.bounded(flip_chain(features=((1, 0), (0, 1))), F(1, 10)).status is Status.REFUTED


# ---- TD(0) and TD(λ) --------------------------------------------------------------------------------


def test_the_centred_recursion_by_hand() -> None:
    """d = (⅓, ⅔), φ = 1, 2, c = 1, 0, γ = ½: Ã = −⅓·1·(1 − 1) − ⅔·(½·2(2 − ½) + ½·2(2 − 1)) = −5/3, b̃ = ⅓."""
    model = leaving((1, 0), (1, 2))
    rest = recursion.equilibrium(model, (0, 1))
    assert rest is not None and rest[0, 0] == F(1, 5)
    assert sy_centering.centred(model, sy_centering.CENTRED).status is Status.HOLDS
    assert sy_centering.centred(model, recursion.REWARDED).status is Status.REFUTED
    assert sy_centering.centred(uncovered_rewards(), sy_centering.CENTRED).status is Status.REFUTED


def test_the_mean_of_td_lambda_by_hand() -> None:
    """One state, α = λ = ½: U = ½·½/(1 − ¼) = ⅓, so Ã = −⅔."""
    found = sy_td_lambda.without_one_minus_lambda().verdict
    assert found.status is Status.REFUTED and found.witness["the mean of TD(λ)"] == "-2/3"
    model = one_state(HALF, Schedule.constant(HALF))
    assert sy_td_lambda.CLAIM.check(model).status is Status.HOLDS
    assert sy_td_lambda.CLAIM.check(theta_to_two_theta(HALF)).status is Status.REFUTED


def test_b_max_by_hand() -> None:
    """φ = −1, 1, c = −1, α = 9/10: Ã = −⅓(1 + α) − ⅔(½(1 + α) + ½(1 − α)) = −13/10, b̃ = ⅓ − ⅔ = −⅓, θ* = −10/39."""
    model = leaving((-1, -1), (-1, 1), F(9, 10))
    rest = recursion.equilibrium(model, (0, 1))
    assert rest is not None and rest[0, 0] == F(-10, 39)
    assert sy_bmax.bounded(model, F(19, 10)).status is Status.HOLDS
    assert sy_bmax.bounded(model, F(189, 100)).status is Status.REFUTED
    assert sy_bmax.judge_stated().verdict.witness == {"b(X)": "0", "b_max as printed": "-3"}


@pytest.mark.parametrize(
    ("model", "detail"),
    [
        (flip_chain(), "P_mu"),
        (one_state(1), "−Ã is positive definite fails"),
        (one_state(HALF, features=(0,)), "−Ã is positive definite fails"),
        (one_state(HALF, Schedule((F(3),))), "−Ã is positive definite fails"),
    ],
    ids=("period two", "no discount", "no features", "λ = 3"),
)
def test_corollary_11_fails_where_its_assumptions_do(model: Model, detail: str) -> None:
    found = sy_cor11.check(model)
    assert found.status is Status.REFUTED and detail in found.detail
    assert sy_cor11.check(leaving((1, 0), (3, -2))).status is Status.HOLDS


def test_features_that_are_not_normalised_leave_the_unit_ball() -> None:
    assert sy_cor11.bounded(leaving((1, 0), (1, -1)), F(1)).status is Status.REFUTED  # ‖A‖ = 3/2
    assert sy_cor11.bounded(leaving((1, 0), (1, -1)), F(2, 3)).status is Status.HOLDS


# ---- the example of App. E --------------------------------------------------------------------------


def test_the_example_by_hand() -> None:
    """ε = 1/10, n = 2: with X_0 = −1 from Θ_0 = −1 Θ_1 = −9/10, (Θ_1⁴ − 1 + 4·(1/10))/(6/100) = 187/200; else Δ = 0."""
    taylor = (F(9, 10) ** 4 - 1 + F(4, 10)) / F(6, 100)
    assert taylor / 2 == F(187, 400)
    found = sy_app_e_step.at(F(-1), 1, F(1)).verdict
    assert found.status is Status.REFUTED and found.witness["E[Θ̃²(AΘ_0 + b)²]"] == "187/400"
    assert sy_app_e_step.bounded(example.example(), F(1), [2]).status is Status.HOLDS
    large = sy_app_e_step.bounded(example.example(), F(-1), [22])  # ε(n − 1) > 2, where the appendix uses it
    assert large.status is Status.REFUTED
    assert sy_app_e_mean.pulled(example.example(), F(-1)).status is Status.REFUTED


def test_eighth_moments_grow_and_fourth_moments_do_not() -> None:
    """½·1.1⁸ = 1.0718; E(1 + εA)⁴ = ½(1.1⁴ + 0.8⁴) = 0.93685; sixth: ½(1.1⁶ + 0.8⁶) = 1.0168525."""
    assert sy_app_e.CLAIM.check(example.example()).status is Status.HOLDS
    assert sy_app_e.does_not_grow().verdict.witness["E(1 + εA)⁴"] == str(F(93685, 100000))
    context = Context(example.example(), (0, 1))
    assert evaluate(sy_app_e.multiplier(6), context)[0, 0] == F(10168525, 10**7)


def test_only_the_example_is_the_example() -> None:
    ask = example.OF_EXAMPLE.hypothesis.ask
    assert ask(example.example()).satisfied
    other = Model.reward_process(example.COIN, example.B, HALF, RationalMatrix.column([-2, 2]))
    assert not ask(other).satisfied and sy_app_e_mean.CLAIM.check(other).status is Status.REFUTED


def test_the_identities_hold_at_other_sizes() -> None:
    assert sy_lyapunov.derivative(4) and sy_centering.shifted(4) and sy_app_e_step.above(9)
    assert sy_cor11.trace_is_bounded() and sy_td_lambda.mean_identity(2)
