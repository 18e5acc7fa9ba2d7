"""Traces, ratios of step sizes and averaged iterates.

Known answers, brute force, and wrong variants that must be seen to fail.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tdcert.claims.claim import decide
from tdcert.claims.dgb22 import clt_covariance, trace_variance, two_timescale_ratio
from tdcert.claims.models import HALF, random_instances
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import checker
from tdcert.theory.check import step_size_ratio, trace_law
from tdcert.theory.check.step_size_ratio import simplest_between, stable_intervals
from tdcert.theory.check.trace_law import growing_vector, radius_below_one, ratio_kernel, trace_second_moment
from tdcert.theory.laws import long_run_covariance
from tdcert.theory.laws.schedule_update import ScheduleUpdate
from tdcert.theory.model.gallery import bairds_star, one_state, theta_to_two_theta
from tdcert.theory.model.key_matrices import joint_matrix, theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status
from tests.replay import replay

SEED = 7


# ---- traces ------------------------------------------------------------------------------------------


def test_the_trace_of_one_state_is_a_number() -> None:
    """On one state z = Σ c_k γᵏ: 1 + ½·½ for λ_1 = γ = ½, and 1/(1 − ¼) without end."""
    assert trace_second_moment(one_state(HALF, Schedule((HALF,))), (0,))[0, 0] == Fraction(5, 4) ** 2
    assert trace_second_moment(one_state(HALF, Schedule.constant(HALF)), (0,))[0, 0] == Fraction(4, 3) ** 2


def test_squared_ratios_of_bairds_star_grow_sevenfold() -> None:
    """ρ² = 49 with probability 1/7: N₂ has the radius 7γ²."""
    N2 = ratio_kernel(bairds_star(Fraction(1, 2)), 2)
    assert [row[6] for row in N2.rows] == [Fraction(7, 4)] * 7
    assert radius_below_one(N2.scaled(Fraction(4, 8))) and not radius_below_one(N2.scaled(Fraction(4, 7)))


def test_without_end_the_second_moment_is_the_limit_of_long_schedules() -> None:
    model = theta_to_two_theta(HALF)  # 2γ²λ² = 1/8 for λ = ½
    endless = trace_second_moment(model.with_schedule(Schedule.constant(HALF)), (0, 1))[0, 0]
    gaps = [
        endless - trace_second_moment(model.with_schedule(Schedule.constant(HALF, length)), (0, 1))[0, 0]
        for length in (5, 10, 20)
    ]
    # features are positive, so longer schedules have more; the rest is geometric with ratio γλ = 1/4 at most in mean
    assert all(gap > 0 for gap in gaps) and gaps[0] > gaps[1] > gaps[2] and float(gaps[2]) < 4.0**-15


def test_signs_of_features_matter_only_where_the_moment_is_said_to_be_infinite() -> None:
    """γ = 3/4, features 2 and −1: 2γ²λ² is 9/8 at λ = 1 and 9/32 at λ = ½; a finite L has no condition at all."""
    signed = trace_variance.cancelling_model()
    for schedule in (Schedule(), Schedule((Fraction(1), HALF)), Schedule.constant(HALF)):
        assert decide(trace_variance.CLAIM, signed.with_schedule(schedule)).verdict.status is Status.HOLDS
    verdict = decide(trace_variance.CLAIM, signed).verdict
    assert (verdict.status, verdict.violated) == (Status.HYPOTHESIS_VIOLATED, ("nonnegative_features",))


def test_a_negative_feature_of_a_state_that_is_left_for_good_does_not_matter() -> None:
    P = RationalMatrix([[0, 1, 0], [0, HALF, HALF], [0, HALF, HALF]])
    gamma = RationalMatrix.column([Fraction(9, 10)] * 3)
    zero, both = RationalMatrix.column([0] * 3), RationalMatrix([[HALF, HALF]] * 3)
    model = Model(
        ("a", "b"),
        (P, P),
        (zero, zero),
        (gamma, gamma),
        both,
        RationalMatrix([[0, 1]] * 3),
        RationalMatrix.column([-1, 1, 2]),
        Schedule.constant(Fraction(1)),
        "left for good",
    )
    verdict = decide(trace_variance.CLAIM, model).verdict  # ρ² = 4 with probability ½, so the radius is 2γ² > 1
    assert verdict.status is Status.HOLDS and "infinite" in verdict.detail


def test_a_negative_lambda_cancels_as_well() -> None:
    """λ = −1, features 2 and 5: z̃ = 2 in both states, since 2 = −0·2 + 2 and 2 = −¾·2·2 + 5."""
    signed = trace_variance.cancelling_model().with_schedule(Schedule.constant(Fraction(-1)))
    assert trace_variance.check(signed.with_features(RationalMatrix.column([2, 5]))).status is Status.REFUTED
    other = trace_variance.check(signed.with_features(RationalMatrix.column([2, 6])))
    assert other.status is Status.UNDECIDED and "signs" in other.detail


def test_with_positive_features_and_a_large_radius_it_is_infinite() -> None:
    model = theta_to_two_theta(Fraction(9, 10), Schedule.constant(Fraction(1)))
    verdict = trace_variance.CLAIM.check(model)
    assert verdict.status is Status.HOLDS and "infinite" in verdict.detail
    lengths = [
        trace_second_moment(model.with_schedule(Schedule.constant(Fraction(1), L)), (0, 1))[0, 0] for L in (5, 10, 20)
    ]
    # 2γ² = 1.62, and the squares alone grow by that factor per step
    assert lengths[1] > 8 * lengths[0] and lengths[2] > 64 * lengths[1]


def test_states_that_no_feature_reaches_do_not_count() -> None:
    """State a keeps itself with ρ = 4 and discount ½, so that N₂(a, a) = 1; but z is zero there, for b restarts.

    μ leaves a with probability ¾, so d_b = 3/7; φ_b = 2, and both policies are the same in b: E z² = 12/7.
    """
    a, b = [[1, 0], [1, 0]], [[0, 1], [1, 0]]
    zero, discount = RationalMatrix.zeros(2, 1), RationalMatrix.column([HALF, 0])
    behaviour = RationalMatrix([[Fraction(1, 4), Fraction(3, 4)]] * 2)
    target = RationalMatrix([[1, 0], [Fraction(1, 4), Fraction(3, 4)]])
    model = Model(
        ("stay", "leave"),
        (RationalMatrix(a), RationalMatrix(b)),
        (zero,) * 2,
        (discount,) * 2,
        behaviour,
        target,
        RationalMatrix.column([0, 2]),
        Schedule.constant(Fraction(1)),
    )
    assert ratio_kernel(model, 2)[0, 0] == 1 and trace_law.reached(model, (0, 1)) == (1,)
    assert trace_second_moment(model, (0, 1))[0, 0] == Fraction(12, 7)
    verdict = trace_variance.CLAIM.check(model)
    assert verdict.status is Status.HOLDS and verdict.witness["E zzᵀ"] == "[[12/7]]"


def test_the_radius_is_decided_on_both_sides_of_one_and_at_one() -> None:
    B = RationalMatrix([[0, Fraction(1, 2), 0], [2, 0, 1], [0, 0, Fraction(1, 3)]])  # eigenvalues ±1, 1/3
    assert not radius_below_one(B) and growing_vector(B) is not None
    assert radius_below_one(B.scaled(Fraction(999, 1000))) and growing_vector(B.scaled(Fraction(999, 1000))) is None
    assert not radius_below_one(B.scaled(Fraction(1001, 1000)))  # though the third entry alone falls
    x = growing_vector(B.scaled(Fraction(1001, 1000)))
    assert x is not None and (B.scaled(Fraction(1001, 1000)) @ x - x).is_nonnegative()


def test_plain_ratios_in_the_place_of_squared_ones_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    model = theta_to_two_theta(Fraction(9, 10), Schedule((HALF,)))
    assert trace_variance.CLAIM.check(model).status is Status.HOLDS
    straight = trace_law.ratio_kernel
    monkeypatch.setattr(trace_law, "ratio_kernel", lambda m, power: straight(m, min(power, 1)))
    assert trace_variance.CLAIM.check(model).status is Status.REFUTED


# ---- ratios ------------------------------------------------------------------------------------------


def test_theta_to_two_theta_is_stable_from_A_over_C_on() -> None:
    """d = 1: trace A − ηC and determinant ηA²: Hurwitz for η > A/C = (1/5)/(5/2)."""
    keys = theorem_matrices(theta_to_two_theta(Fraction(9, 10)), (0, 1))
    below, above = stable_intervals(keys.A, keys.C)
    assert below.right is not None and below.right[0] <= Fraction(2, 25) <= below.right[1]
    assert not below.stable and above.stable


def test_the_intervals_of_six_states_agree_with_float_eigenvalues() -> None:
    keys = theorem_matrices(two_timescale_ratio.six_state_model(), tuple(range(6)))
    intervals = stable_intervals(keys.A, keys.C)
    stable = [i.stable for i in intervals]
    assert stable == [False, False, True, False, True]
    for interval in intervals:
        eta = interval.sample
        abscissa = max(np.linalg.eigvals(joint_matrix(keys.A, keys.C, eta).to_float()).real)
        assert bool(abscissa < 0) is interval.stable
    for eta, holds in ((Fraction(1, 11), True), (Fraction(3, 20), False), (Fraction(10), True)):
        (inside,) = [i for i in intervals if i.left[1] < eta and (i.right is None or eta < i.right[0])]
        assert inside.stable is holds


def test_critical_ratios_lie_between_their_ends() -> None:
    """The Hurwitz determinant changes its sign between them, and they are closer than floats can tell."""
    keys = theorem_matrices(two_timescale_ratio.six_state_model(), tuple(range(6)))
    _, *others = stable_intervals(keys.A, keys.C)
    for interval in others:
        low, high = (step_size_ratio.hurwitz_determinant(joint_matrix(keys.A, keys.C, end)) for end in interval.left)
        assert low * high < 0
        assert 0 < interval.left[1] - interval.left[0] < interval.left[0] / 2**50


def test_every_interval_is_certified_at_its_simplest_ratio() -> None:
    model = two_timescale_ratio.six_state_model()
    verdict = two_timescale_ratio.CLAIM.check(model)
    # denominators are least: 1/9 = 0.111… lies in (0.069, 0.121), and nothing with a denominator below 9 does
    assert verdict.witness["Hurwitz at η"] == ["1/9", "1"]
    kinds = {c.about["eta"]: c.kind for c in verdict.certificates if c.about.get("matrix") == "TDC joint"}
    stable, unstable = "hurwitz", "unstable"
    assert kinds == {"1/45": unstable, "1/15": unstable, "1/9": stable, "1/5": unstable, "1": stable}
    for certificate in verdict.certificates:
        replay(certificate, model, "two_timescale_ratio")
    (outside,) = (c for c in verdict.certificates if c.about.get("eta") == "1/5")
    moved = replace(outside, about={**outside.about, "eta": "1/4"})
    with pytest.raises(checker.Rejected):
        replay(moved, model, "two_timescale_ratio")


def test_the_simplest_ratio_between_two() -> None:
    for a, b in ((0, Fraction(1, 45)), (Fraction(1, 3), Fraction(2, 5)), (Fraction(5, 2), 4), (3, Fraction(22, 7))):
        found = simplest_between(Fraction(a), Fraction(b))
        assert a < found < b
        for q in range(1, found.denominator):
            assert not any(a * q < p < b * q for p in range(5 * q)), (a, b, q)


def test_a_lost_transpose_in_the_joint_matrix_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """With A in the place of Aᵀ the six states are unstable above the bound, or stable elsewhere."""
    model = two_timescale_ratio.six_state_model()
    straight = two_timescale_ratio.CLAIM.check(model)

    def crooked(A: Any, C: Any, eta: Any) -> Any:
        return A.block(right=-(A + C), below=A.scaled(eta), corner=C.scaled(-eta))

    monkeypatch.setattr(step_size_ratio, "joint_matrix", crooked)
    lost = two_timescale_ratio.CLAIM.check(model)
    assert straight.status is Status.HOLDS and (lost.status, lost.detail) != (straight.status, straight.detail)


def test_the_sign_of_TDCs_correction_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    model = theta_to_two_theta(Fraction(9, 10))
    monkeypatch.setattr(
        step_size_ratio,
        "joint_matrix",
        lambda A, C, eta: A.block(right=A.T + C, below=A.scaled(eta), corner=C.scaled(-eta)),
    )
    assert two_timescale_ratio.CLAIM.check(model).status is Status.REFUTED


# ---- long-run covariance -----------------------------------------------------------------------------


def test_a_covariance_without_its_lagged_terms_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_instances(SEED, 1)[0]
    assert clt_covariance.CLAIM.check(model).status is Status.HOLDS
    monkeypatch.setattr(long_run_covariance.ExactNoise, "long_run", lambda noise: noise.variance)
    assert clt_covariance.CLAIM.check(model).status is Status.REFUTED


def test_a_wrong_lag_is_seen_on_the_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_instances(SEED, 1)[0]
    straight = long_run_covariance.ExactNoise.cross
    monkeypatch.setattr(long_run_covariance.ExactNoise, "cross", lambda noise, ahead: straight(noise, ahead).scaled(2))
    monkeypatch.setattr(long_run_covariance.ExactNoise, "martingale", long_run_covariance.ExactNoise.long_run)
    verdict = clt_covariance.CLAIM.check(model)
    assert verdict.status is Status.REFUTED and "E" in verdict.witness["left"]


def test_a_wrong_sign_in_the_joint_matrix_changes_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_instances(SEED, 2)[1]

    straight = ScheduleUpdate.noise

    def crooked(update: ScheduleUpdate, S: Any, eta: Any) -> Any:
        noise = straight(update, S, eta)
        return noise if update.name == "gtd" else noise + noise.identity(noise.shape[0])

    monkeypatch.setattr(ScheduleUpdate, "noise", crooked)
    assert clt_covariance.CLAIM.check(model).status is Status.REFUTED
