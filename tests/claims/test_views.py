"""Statements of §3 and §4 next to variants of them that are wrong: each must be seen to fail."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from tdcert.algorithms.schedules import scheduled
from tdcert.claims.dgb22 import (
    equal_weights_recursion,
    lemma_3_3,
    lemma_a4_1,
    mspbe_gradient,
    off_policy_expansion,
    stationary_norm,
    thm_3_2,
    thm_3_4,
    thm_4_2,
    thm_4_2_conditions,
    thm_4_4_block_inverse,
    thm_4_5_conditions,
    window_chain,
)
from tdcert.claims.models import SCHEDULES, coin_flipper, random_instances, two_absorbing_states, uncovered_rewards
from tdcert.sims.algorithms import TDC, SimulatedTransition
from tdcert.theory.arithmetic import RationalMatrix, SymbolicRing
from tdcert.theory.expressions import forward_views
from tdcert.theory.expressions.paths import decide_along, some_paths
from tdcert.theory.expressions.relations import Relation, decide_relations
from tdcert.theory.identities import forward_backward, step_noise
from tdcert.theory.model import gallery
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status

OFF_POLICY = gallery.theta_to_two_theta(Fraction(9, 10), Schedule((Fraction(1, 2),)), (1, 0))


def ring_of_three() -> Model:
    """A chain that is not reversible, on-policy, two features: A ≠ Aᵀ."""
    P = RationalMatrix([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    Phi = RationalMatrix([[1, 0], [0, 1], [1, 1]])
    return Model.reward_process(P, RationalMatrix.column([1, 0, 2]), Fraction(1, 2), Phi)


# ---- claims without a hypothesis on the model ------------------------------------------------------------


def test_lemma_3_3_fails_from_a_start_that_is_not_stationary() -> None:
    model = gallery.flip_chain(Fraction(1, 2), Schedule((Fraction(1, 2),)), ((1,), (3,)))
    assert lemma_3_3.check(model).status is Status.HOLDS
    assert lemma_3_3.shift_from(model, 0).status is Status.REFUTED


def test_lemma_a4_1_fails_with_one_power_more() -> None:
    model = gallery.flip_chain(features=((1,), (0,)))
    wrong = ("@", ("T", "Phi"), "D", ("^", "P_mu", 2), "Phi")
    assert lemma_a4_1.check(model).status is Status.HOLDS
    assert decide_relations(model, [(lemma_a4_1.correlation(0, 1), "=", wrong)]).status is Status.REFUTED


# ---- the other views of §3 -------------------------------------------------------------------------------


def test_thm_3_4_needs_the_ratios_in_the_trace() -> None:
    backward = ("E", "mu", "d", 2, ("*", "delta:1", "z:1"))
    relation = (forward_views.forward_mean("mu", 1), "=", backward)
    assert thm_3_4.check(OFF_POLICY).status is Status.HOLDS
    assert decide_relations(OFF_POLICY, [relation], theta=[1]).status is Status.REFUTED


@pytest.mark.parametrize("claim", [thm_3_2, thm_3_4], ids=["thm_3_2", "thm_3_4"])
def test_the_matrix_forms_alone_decide_the_same(claim: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the bound on paths thm_3_2 and thm_3_4 rest on matrix forms: those see missing coverage as well."""
    check: Callable[[Model], object] = claim.check  # type: ignore[attr-defined]
    covered, uncovered = [OFF_POLICY, *random_instances(3, 4)], [uncovered_rewards(), gallery.uncovered_action()]
    expected = [check(model).status for model in (*covered, *uncovered)]  # type: ignore[attr-defined]
    assert expected == [Status.HOLDS] * len(covered) + [Status.REFUTED] * len(uncovered)
    monkeypatch.setattr(forward_views, "PATHS", 0)
    assert [check(model).status for model in (*covered, *uncovered)] == expected  # type: ignore[attr-defined]


def test_mspbe_gradient_fails_with_the_other_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    assert mspbe_gradient.check(OFF_POLICY).status is Status.HOLDS
    monkeypatch.setattr(mspbe_gradient, "HALF_DESCENT", ("-", mspbe_gradient.HALF_DESCENT))
    assert mspbe_gradient.check(OFF_POLICY).status is Status.REFUTED


def test_the_symbolic_identities_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Off-policy returns without their ratios, and traces without theirs, break thm_3_2 and thm_3_4 on symbols."""
    with monkeypatch.context() as patch:
        plain = vars(forward_backward)["schedule_return"]
        patch.setattr(forward_backward, "schedule_return", lambda R, G, V, lam, rhos: plain(R, G, V, lam))
        assert not forward_backward.mean_return_identity(2, 1, 1)
    with monkeypatch.context() as patch:
        trace = vars(forward_backward)["trace"]
        patch.setattr(forward_backward, "trace", lambda phi, G, lam, t, rhos: trace(phi, G, lam, t))
        assert not forward_backward.backward_view_identity(1, 1)
    with monkeypatch.context() as patch:
        patch.setattr(forward_backward, "control_variate_gap", lambda discounts, values, lambdas, rhos: 0 * values[0])
        assert not forward_backward.pathwise_expansion_identity(1)
    assert forward_backward.mean_return_identity(2, 1, 1) and forward_backward.backward_view_identity(1, 1)


# ---- §4 ----------------------------------------------------------------------------------------------------


def test_window_chain_sees_a_second_law() -> None:
    model = two_absorbing_states()
    assert window_chain.product_law_of_windows(model, (0,)) is None
    assert window_chain.product_law_of_windows(gallery.flip_chain(), (0, 1)) == 2
    assert window_chain.check(model).status is Status.REFUTED


def test_window_chain_the_actions_may_be_left_out_only_where_nothing_depends_on_them() -> None:
    """Rewards 0 and 1 for two actions in one state: b(X_t) is one or the other. Off-policy A(X_t) differs as well."""
    equal, unequal = window_chain.coin_rewarded(2, 2), window_chain.coin_rewarded(0, 1)
    assert len(window_chain.without_actions(equal)) == 2  # A and b along one pair
    checked = window_chain.check(equal)
    assert checked.status is Status.HOLDS and "whatever the actions" in checked.detail
    (pair,) = window_chain.twins(unequal)
    assert decide_relations(unequal, window_chain.same_functions(unequal, *pair)).status is Status.REFUTED
    for model in (unequal, coin_flipper()):
        assert window_chain.without_actions(model) == []
        found = window_chain.check(model)
        assert found.status is Status.HOLDS and "whatever the actions" not in found.detail
    two_steps = equal.with_schedule(Schedule((Fraction(1, 2),)))
    assert [len(path.actions) for path in window_chain.twins(two_steps)[0]] == [2, 2]


def test_off_policy_expansion_needs_its_ratios(monkeypatch: pytest.MonkeyPatch) -> None:
    model = uncovered_rewards().with_schedule(Schedule((Fraction(1, 2),)))  # no coverage is asked for
    for given in (OFF_POLICY, model):
        assert off_policy_expansion.check(given).status is Status.HOLDS
    assert off_policy_expansion.mean_gap(OFF_POLICY) and any(
        decide_relations(model, [relation], kernel="covered", theta=[1]).status is Status.REFUTED
        for relation in off_policy_expansion.mean_gap(model)
    )
    with monkeypatch.context() as patch:
        patch.setattr(off_policy_expansion, "ratios", lambda last: "1")
        assert off_policy_expansion.check(OFF_POLICY).status is Status.REFUTED
    trace = vars(forward_backward)["trace"]
    monkeypatch.setattr(forward_backward, "trace", lambda phi, G, lam, t, rhos: trace(phi, G, lam, t))
    assert not forward_backward.expansion_view_identity(1, 1)


def test_bellman_operator_the_printed_display_is_right_at_the_value_alone() -> None:
    """One state, reward 1, γ = ½: V^π = 2, so θ = 2 is where E[G_t(θ)] = V^π(s)."""
    model, printed = gallery.one_state(Fraction(1, 2)), ("E", "pi", 0, 1, "G")
    assert decide_relations(model, [(printed, "=", "V")], theta=[2]).status is Status.HOLDS
    assert decide_relations(model, [(printed, "=", "V")], theta=[1]).status is Status.REFUTED


def test_stationary_norm_fails_exactly_where_d_is_not_kept() -> None:
    assert stationary_norm.check(gallery.flip_chain()).status is Status.HOLDS
    refuted = stationary_norm.check(OFF_POLICY)
    assert refuted.status is Status.REFUTED and refuted.certificates


def test_thm_4_2_conditions_constant_is_a_bound_and_not_far_off() -> None:
    """The flip chain, φ = 1, γ = ½, TD(0): |A(X)| = ½, B = (1 + ½)·1. A quarter of B is not a bound."""
    model = gallery.flip_chain()
    assert thm_4_2_conditions.lipschitz_constant(model) == Fraction(3, 2)
    A = ("@", "z:0", ("T", ("-", ("*", "gamma:0", "phi:1"), "phi:0")))
    paths = some_paths(model, 1)
    assert decide_along(model, paths, [(("-", A), "<=", "3/2")]).status is Status.HOLDS
    assert decide_along(model, paths, [(("-", A), "<=", "3/8")]).status is Status.REFUTED


@pytest.mark.thorough
def test_thm_4_2_witness_is_about_the_steps_and_not_the_chain() -> None:
    """With α_t = 1/t throughout the same start goes to θ* = 1; with the phases exchanged the steps lead to 0."""

    def run(rewards: tuple[int, int], even: Callable[[int], Fraction], odd: Callable[[int], Fraction]) -> list[float]:
        theta, path = 2.0, []
        for k in range(1, 20_000):
            for reward, alpha in ((rewards[0], even(2 * k)), (rewards[1], odd(2 * k + 1))):
                theta += float(alpha) * (reward - theta / 2)
            path.append(theta)
        return path

    def slow(t: int) -> Fraction:
        return Fraction(1, t)

    def fast(t: int) -> Fraction:
        return Fraction(1, t * t)

    # With α = 1/t the distance falls like t^{-1/2}, from 1: below 1/50 at t = 40,000, up to a factor of 4.
    assert abs(run((1, 0), slow, slow)[-1] - 1) < 0.02
    assert min(run((1, 0), slow, fast)) >= 7 / 4 - 1e-12  # rounding of 20,000 steps, each below 1e-15
    assert run((0, 1), slow, fast)[-1] < 0.3  # falls like t^{-1/4}, 2·(40,000/2)^{-1/4} = 0.17
    exact = thm_4_2.witness_path(Fraction(2), 60)
    assert min(exact) >= Fraction(7, 4) and exact[1] < 2


def test_thm_4_2_bounds_can_fail() -> None:
    j = SymbolicRing("j").symbols[0]
    negative = step_noise.has_no_negative_coefficient
    assert negative(1 / (j + 1)) and negative(0 * j) and not negative((j - 1) / (j + 1)) and not negative(-1 / (j + 1))
    k = j + 1
    assert not negative((1 / k - 1 / (k + 1)) / 4 - 1 / (2 * k + 1))  # odd steps 1/t are not small


@pytest.mark.thorough
def test_thm_4_5_conditions_witness_is_about_the_steps_and_not_the_chain() -> None:
    """TDC as the suite runs it: θ → 1 with steps that do not follow the chain, else θ ≥ 7/4."""
    phi, rewards = np.ones(1), (1.0, 0.0)

    def run(steps: Callable[[int], tuple[Fraction, Fraction]], rounds: int) -> list[tuple[float, float]]:
        tdc, path = TDC(), []
        tdc.reset(lambdas=[], theta0=[2.0])
        for t in range(2, 2 + rounds):
            alpha, beta = steps(t)
            step = SimulatedTransition(t % 2, 0, rewards[t % 2], (t + 1) % 2, phi, phi, 1.0, 0.5, t == 2)
            tdc.step(step, float(alpha), float(beta))
            path.append((float(tdc.theta[0]), float(tdc.w[0])))
        return path

    slow = thm_4_5_conditions.slow_and_fast
    # 2⌊t/2⌋ gives both states of a round nearly one step: the mean decides, x' = −x/4 a unit of Σα, from x = 1
    regular = run(lambda t: slow(t - t % 2), 20_000)
    assert abs(regular[-1][0] - 1) < 0.2  # (10⁴)^{−1/4} = 0.1, up to a factor of 2
    following = run(slow, 20_000)
    assert min(theta for theta, _ in following) >= 7 / 4 - 1e-12  # rounding of 20,000 steps, each below 1e-15
    exact = thm_4_5_conditions.witness_path(Fraction(2), Fraction(0), 20)
    assert all(
        abs(theta - float(x)) < 1e-12 and abs(w - float(y)) < 1e-12
        for (theta, w), (x, y) in zip(following, exact[1:], strict=False)
    )


def test_thm_4_5_conditions_bounds_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    assert thm_4_5_conditions.judge_stated().verdict.status is Status.REFUTED
    with monkeypatch.context() as patch:
        patch.setattr(thm_4_5_conditions, "scheduled", lambda name: scheduled("gtd"))
        assert not step_noise.tdc_flip_update(scheduled("gtd"))
        assert thm_4_5_conditions.judge_stated().verdict.status is Status.UNDECIDED
    steps = thm_4_5_conditions.slow_and_fast
    monkeypatch.setattr(thm_4_5_conditions, "slow_and_fast", lambda t: steps(t - t % 2))  # large steps in both states
    assert thm_4_5_conditions.judge_stated().verdict.status is Status.UNDECIDED
    for t in (2, 3, 8, 27, 64):
        alpha, beta = steps(t)
        assert 0 < alpha <= beta <= 1
    assert steps(8) == (Fraction(1, 8), Fraction(1, 4)) and steps(3) == (Fraction(1, 27), Fraction(1, 9))


def test_thm_4_4_block_inverse_printed_block_is_right_exactly_for_symmetric_A() -> None:
    relation = (thm_4_4_block_inverse.PRINTED_BLOCK, "=", thm_4_4_block_inverse.LAST_BLOCK)
    reversible = gallery.flip_chain(Fraction(1, 2), SCHEDULES[1], ((1, 0), (0, 1)))
    assert decide_relations(reversible, [relation]).status is Status.HOLDS
    assert decide_relations(ring_of_three(), [relation]).status is Status.REFUTED
    assert thm_4_4_block_inverse.check(ring_of_three()).status is Status.HOLDS


def test_equal_weights_recursion_fails_when_the_window_is_one_off() -> None:
    model = gallery.flip_chain(Fraction(1, 2), Schedule.equal_weights(2, 4), ((1,), (3,)))
    paths = some_paths(model, 7)

    def statement(n1: int, n2: int) -> list[Relation]:
        return [r for t in range(1, 7) for r in equal_weights_recursion.recursions(model, t, n1, n2)]

    assert decide_along(model, paths, statement(2, 4)).status is Status.HOLDS
    assert decide_along(model, paths, statement(1, 3)).status is Status.REFUTED
    assert decide_along(model, paths, statement(2, 5)).status is Status.REFUTED
