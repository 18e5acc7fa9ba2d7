"""The sign of the second moments with bounded roundings: against exact decisions, and where it may not decide."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tdcert.algorithms.schedules import scheduled
from tdcert.theory.laws import second_moment_sign as laws
from tdcert.theory.laws.mean_square import quotient_system, show_bounded, show_unbounded
from tdcert.theory.laws.second_moment_sign import decide_sign, mean_square_sign, second_moments
from tdcert.theory.laws.windows import state_outcomes
from tdcert.theory.model.gallery import HALF, bairds_star, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.effort import examples

F = Fraction
STAR = tuple(range(7))
WORK = 2_000_000


@settings(max_examples=examples(12), deadline=None)
@given(
    gamma=st.sampled_from([F(1, 4), F(3, 4), F(19, 20)]),
    schedule=st.sampled_from([Schedule(), Schedule.n_step(2), Schedule.equal_weights(2, 4)]),
    algorithm=st.sampled_from(["off_policy_td", "gtd", "tdc"]),
    alpha=st.sampled_from([F(1, 50), F(1, 10), F(1, 2), F(3, 2)]),
    eta=st.sampled_from([F(1, 8), F(1), F(10)]),
)
def test_it_says_what_exact_arithmetic_says(
    gamma: Fraction, schedule: Schedule, algorithm: str, alpha: Fraction, eta: Fraction
) -> None:
    model = theta_to_two_theta(gamma, schedule)
    system = quotient_system(model, scheduled(algorithm), eta, (0, 1))
    exact = -1 if show_bounded(system, alpha) else 1 if show_unbounded(system, alpha) else None
    assert mean_square_sign(model, scheduled(algorithm), alpha, eta, (0, 1), WORK) == (exact, "")


@pytest.mark.parametrize(("gamma", "sign"), [(F(1, 4), -1), (F(99, 100), 1)])
def test_on_the_quotient_of_bairds_star(gamma: Fraction, sign: int) -> None:
    model = bairds_star(gamma)
    system = quotient_system(model, scheduled("off_policy_td"), F(10), STAR)
    shown = show_bounded(system, F(1, 200)) if sign < 0 else show_unbounded(system, F(1, 200))
    assert shown is not None
    assert mean_square_sign(model, scheduled("off_policy_td"), F(1, 200), F(10), STAR, WORK) == (sign, "")


def test_the_operator_is_the_exact_one() -> None:
    """𝓛X against the exact family on a random X, within the radius that decisions allow for."""
    model = theta_to_two_theta(F(9, 10), Schedule.equal_weights(2, 4))
    alpha, eta = F(1, 10), F(3)
    system, moments = (
        quotient_system(model, scheduled("tdc"), eta, (0, 1)),
        second_moments(model, scheduled("tdc"), eta, (0, 1), WORK),
    )
    draw = np.random.default_rng(7).integers(-9, 10, (moments.count, 2, 2))
    X = (draw + draw.transpose(0, 2, 1)).astype(float)
    family = tuple(system.J.identity(2).from_rationals([[F(int(x)) for x in row] for row in matrix]) for matrix in X)
    exact = np.array([matrix.to_float() for matrix in system.decrease(family, alpha)])
    B = np.eye(2) + float(alpha) * moments.K
    assert np.abs(exact - (X - moments.apply(X, B))).max() <= 1e-12 * np.abs(X).max()


@pytest.mark.parametrize("lam", [F(1, 4), HALF])
@pytest.mark.parametrize("alpha", [F(1, 40), F(2)])
def test_a_schedule_without_end_against_a_very_long_one(lam: Fraction, alpha: Fraction) -> None:
    """ρΓ ≤ 2γ: after sixty steps (2γλ)⁶⁰ of the trace is missing, which changes no sign here."""
    endless = theta_to_two_theta(F(4, 5), Schedule.constant(lam))
    long = theta_to_two_theta(F(4, 5), Schedule.constant(lam, 60))
    system = quotient_system(long, scheduled("off_policy_td"), F(1), (0, 1))
    exact = -1 if show_bounded(system, alpha) else 1 if show_unbounded(system, alpha) else None
    assert exact is not None
    assert mean_square_sign(endless, scheduled("off_policy_td"), alpha, F(1), (0, 1), WORK) == (exact, "")


def test_a_trace_without_a_bound_is_never_called_bounded() -> None:
    """λ = 9/10: ρΓλ = 81/50 along one path, so only growth may be concluded; at small steps none is found."""
    model = theta_to_two_theta(F(9, 10), Schedule.constant(F(9, 10)))
    moments = second_moments(model, scheduled("off_policy_td"), F(1), (0, 1), WORK, depth=5)
    assert not moments.is_whole
    sign, why = mean_square_sign(model, scheduled("off_policy_td"), F(1, 1000), F(1), (0, 1), WORK)
    assert sign is None and "no bound" in why
    assert mean_square_sign(model, scheduled("off_policy_td"), F(2), F(1), (0, 1), WORK) == (1, "")


def test_what_is_missing_of_a_trace_is_counted() -> None:
    """Cut after one step, the missing part can change the sign: undecided there, decided further on."""
    model = theta_to_two_theta(F(4, 5), Schedule.constant(HALF))
    assert decide_sign(second_moments(model, scheduled("off_policy_td"), F(1), (0, 1), WORK, depth=1), F(1, 40)) is None
    assert decide_sign(second_moments(model, scheduled("off_policy_td"), F(1), (0, 1), WORK, depth=48), F(1, 40)) == -1


def test_the_missing_part_is_bounded_by_the_true_one() -> None:
    """Every path of 14 more steps: Σ_{j≥1} λʲ Πρ Γ is at most the bound, and the bound is not idle."""
    model = theta_to_two_theta(F(4, 5), Schedule.constant(HALF))
    outcomes = [outcome for here in state_outcomes(model, importance=True) for outcome in here]
    largest = dict.fromkeys(range(2), 0.0)
    for _ in range(14):
        largest = {
            s: max(0.5 * float(o.rho * o.discount) * (1 + largest[o.after]) for o in outcomes if o.state == s)
            for s in range(2)
        }
    assert max(largest.values()) <= laws._later(outcomes, 0.5, (0, 1)) <= 1.1 * 0.8 / (1 - 0.8)
    assert laws._later(outcomes, 0.9, (0, 1)) == float("inf")


def test_too_much_work_and_no_features_are_told() -> None:
    model = theta_to_two_theta(F(4, 5), Schedule.equal_weights(2, 4))
    assert mean_square_sign(model, scheduled("off_policy_td"), F(1, 10), F(1), (0, 1), 3) == (
        None,
        "too many windows for the work allowed",
    )


def matrices(*entries: Any) -> Any:
    return np.array(entries, dtype=float)


def test_positive_definiteness_is_claimed_only_with_room_for_the_radii() -> None:
    S = matrices([[2.0, 1.0], [1.0, 2.0]], [[1e-8, 0.0], [0.0, 1e8]])
    zero = np.zeros_like(S)
    assert laws._positive(S, zero)
    assert laws._positive(S, matrices([[0.4, 0.4], [0.4, 0.4]], [[0.0, 0.0], [0.0, 0.0]]))
    assert not laws._positive(S, matrices([[0.6, 0.6], [0.6, 0.6]], [[0.0, 0.0], [0.0, 0.0]]))  # 2 − 1 < 2 · 0.6
    assert not laws._positive(S, matrices([[0.0, 0.0], [0.0, 0.0]], [[2e-8, 0.0], [0.0, 0.0]]))
    assert not laws._positive(matrices([[1.0, 1.0], [1.0, 1.0]]), zero[:1])  # singular
    assert not laws._positive(matrices([[1.0, 2.0], [2.0, 1.0]]), zero[:1])
    assert not laws._positive(matrices([[1.0, 0.0], [0.0, np.nan]]), zero[:1])


def test_norms_are_bounds(seed: int = 3) -> None:
    draw = np.random.default_rng(seed).normal(size=(50, 9, 9)) * 10.0 ** np.arange(-25, 25)[:, None, None]
    true, found = np.linalg.norm(draw, ord=2, axis=(1, 2)), laws.spectral_norms(draw)
    assert (found >= true * (1 - 1e-12)).all() and (found <= 1.4 * true).all()


@pytest.mark.thorough
@pytest.mark.parametrize("algorithm", ["gtd", "tdc"])
def test_long_windows_of_bairds_star_are_decided(algorithm: str) -> None:
    """42 windows of EqualWeights(4, 6) with 14 numbers each: exact arithmetic agrees, many times slower."""
    for gamma in (F(1, 4), F(99, 100)):
        model: Model = bairds_star(gamma, Schedule.equal_weights(4, 6))
        assert mean_square_sign(model, scheduled(algorithm), F(1, 200), F(10), STAR, WORK) == (1, "")
        system = quotient_system(model, scheduled(algorithm), F(10), STAR, entries=100_000)
        assert show_unbounded(system, F(1, 200)) is not None
