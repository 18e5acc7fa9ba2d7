"""Tagorti and Scherrer 2015, Tsitsiklis and Van Roy 1997: numbers by hand, and wrong statements seen to fail."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log

import numpy as np
import pytest

from tdcert.claims.models import lambda_of, random_instances
from tdcert.claims.ts15 import geometric, ts_a, ts_error, ts_invertible, ts_lambda1, ts_m, ts_modulus, ts_powers
from tdcert.claims.tvr97 import tvr_bertsekas, tvr_definite, tvr_norm, tvr_off_policy, tvr_steps
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.expressions.forward_views import moved_by
from tdcert.theory.expressions.notation import its
from tdcert.theory.expressions.relations import Context, evaluate
from tdcert.theory.model.gallery import HALF, absorbing_pair, flip_chain, one_state, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status

F = Fraction
ALTERNATING = flip_chain(HALF, Schedule.constant(HALF), ((1,), (2,)))
"""R = 1, 0, φ = 1, 2, γ = λ = ½."""


def test_the_powers_of_the_bellman_operator_by_hand() -> None:
    """One state, R = 1, γ = λ = ½, v = 1: Tᵗ1 = 2 − 2⁻ᵗ, so T^λ1 = 2 − ½·½·4/3 = 5/3; from i = 2 on T(5/3) = 11/6."""
    judged = ts_powers.with_powers(1, F(1), "i > 1").verdict
    assert judged.status is Status.REFUTED and judged.witness == {"i > 1": "11/6", "T^λv by (2)": "5/3"}
    assert sum(HALF ** (i + 1) * (2 - HALF ** (i + 1)) for i in range(40)) == pytest.approx(5 / 3, abs=2**-39)
    assert ts_powers.with_powers(0, F(1), "all").verdict.status is Status.HOLDS
    assert ts_powers.check(ALTERNATING).status is Status.HOLDS and ts_powers.rest_identity(4)


def test_the_modulus_by_hand() -> None:
    """γ = 9/10, λ = ½: (½·9/10)/(1 − 9/20) = 9/11; at λ = 0 γ, at λ = 1 zero."""
    model = flip_chain(F(9, 10), Schedule.constant(HALF))
    assert geometric.modulus(model) == F(9, 11)
    assert geometric.modulus(flip_chain(F(9, 10), Schedule())) == F(9, 10)
    assert geometric.modulus(flip_chain(F(1), Schedule.constant(F(1)))) == 0
    assert ts_modulus.check(model).status is Status.HOLDS and ts_modulus.closed_form(6)
    assert ts_modulus.one_percent_less().verdict.witness["‖T^λu − T^λv‖²"] == "81/121"
    assert ts_modulus.check(one_state(HALF, Schedule.n_step(2))).status is Status.REFUTED
    assert ts_modulus.check(theta_to_two_theta(F(9, 10))).status is Status.REFUTED


def numbers(model: Model) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """D, N, Φ, r of an irreducible model, in floats."""
    d = model.behaviour_chain.stationary_law(model.behaviour_chain.recurrent_classes[0]).to_float()[:, 0]
    kernel = model.target_kernel
    return np.diag(d), kernel.N.to_float(), model.features.to_float(), kernel.r.to_float()[:, 0]


def test_the_means_over_the_trace_by_a_long_sum() -> None:
    """A of (3) against Σ_{j<200} (λN)ʲ(I − N), on random models, on-policy; off-policy the paths see another law."""
    for model in random_instances(5, 4)[::2]:
        lam = lambda_of(model)
        D, N, Phi, _ = numbers(model)
        series = sum(np.linalg.matrix_power(float(lam) * N, j) for j in range(200))
        one = np.eye(model.n)
        closed = Phi.T @ D @ (one - N) @ np.linalg.inv(one - float(lam) * N) @ Phi
        assert Phi.T @ D @ series @ (one - N) @ Phi == pytest.approx(closed, abs=1e-10)
        assert ts_a.CLAIM.check(model).status is Status.HOLDS
    assert ts_a.CLAIM.check(theta_to_two_theta(HALF)).status is Status.REFUTED
    assert ts_a.with_decay(ALTERNATING, with_discount=False).status is Status.REFUTED and ts_a.tail_identity(2)


def test_what_makes_A_singular() -> None:
    """φ = (1, 0) on a chain that leaves the first state; 4/9 on θ→2θ, where κ = 5/6 and A = (5 − 6κ)/2."""
    found = ts_invertible.check(absorbing_pair())
    assert found.status is Status.REFUTED and found.detail.startswith("ν > 0")
    assert ts_invertible.check(absorbing_pair(((0,), (1,)))).status is Status.HOLDS
    model = ts_invertible.at_four_ninths()
    assert geometric.modulus(model) == F(5, 6) and ts_invertible.check(model).status is Status.REFUTED
    assert ts_invertible.check(one_state(F(1))).status is Status.REFUTED


def test_the_error_of_the_limit_by_hand() -> None:
    """v = (4/3, 2/3), φ = (1, 2): Πv = (8/15)φ, so ‖v − Πv‖² = ½((4/5)² + (2/5)²) = 2/5. λ = ½: θ* by floats."""
    lam = F(1, 2)
    D, N, Phi, r = numbers(ALTERNATING)
    one = np.eye(2)
    summed = np.linalg.inv(one - float(lam) * N)
    theta = np.linalg.solve(Phi.T @ D @ (one - N) @ summed @ Phi, Phi.T @ D @ summed @ r)
    v = np.linalg.solve(one - N, r)
    assert v == pytest.approx([4 / 3, 2 / 3])
    error = v - Phi @ theta
    ratio = np.sqrt(error @ D @ error / 0.4)
    kappa = float(geometric.modulus(ALTERNATING))
    assert kappa == pytest.approx(1 / 3) and 1 < ratio < (1 - kappa**2) ** -0.5 < 1 / (1 - kappa)
    exact = F(ratio * (1 - kappa)).limit_denominator(1000)
    assert ts_error.times(ALTERNATING, exact + F(1, 100)).status is Status.HOLDS
    assert ts_error.times(ALTERNATING, exact - F(1, 100)).status is Status.REFUTED
    assert ts_error.CLAIM.check(ALTERNATING).status is Status.HOLDS and ts_error.gap_identity()
    assert ts_error.one_percent_less().verdict.witness["‖v − Πv‖²"] == "2/5"


def test_at_lambda_one_the_limit_is_the_projection() -> None:
    """Πv = (8/15)φ at λ = 1; at ½ it is not, and with φ = 0 there is no projection."""
    assert ts_lambda1.CLAIM.check(ALTERNATING).status is Status.HOLDS and ts_lambda1.normal_equations(2, 2)
    variant = ts_lambda1.at_nine_tenths().verdict
    assert variant.status is Status.REFUTED and variant.witness["Πv"] == "[[8/15], [16/15]]"
    assert ts_lambda1.at_lambda(ALTERNATING, HALF).status is Status.REFUTED
    zero = ALTERNATING.with_features(RationalMatrix([[0], [0]]))
    assert ts_lambda1.CLAIM.check(zero).undefined == "C⁻¹"


@pytest.mark.parametrize("n", [3, 10, 100])
def test_the_truncation_is_the_ceiling_of_the_logarithms(n: int) -> None:
    """No quotient is whole at γ = 9/10, so floats decide the ceiling."""
    for lam in ts_m.LAMBDAS:
        quotient = log(n - 1) / log(1 / float(lam * F(9, 10)))
        assert abs(quotient - round(quotient)) > 1e-9
        assert ts_m.truncation(n, lam * F(9, 10)) == ceil(quotient)


def test_the_truncation_need_not_increase_strictly() -> None:
    assert [ts_m.truncation(3, lam / 2) for lam in (F(1, 10), F(1, 5))] == [1, 1]
    assert ts_m.strictly().verdict.status is Status.REFUTED and ts_m.powers_grow(9)
    assert ts_m.CLAIM.check(ALTERNATING).status is Status.HOLDS
    assert ts_m.ordered(ALTERNATING, "=", (100,)).status is Status.REFUTED


# ---- Tsitsiklis and Van Roy 1997 --------------------------------------------------------------------


def test_the_walk_down_by_its_normal_equations() -> None:
    """TD(0): Σ s(R_s − θ) = 0, as s − (s − 1) = 1: −1/3. TD(1): Σ s(V_s − sθ) = 0, V = (1, 0): 1/5."""
    model = tvr_bertsekas.walk_down()
    _, N, _, r = numbers(model)
    assert r == pytest.approx([1, -1]) and np.linalg.solve(np.eye(2) - N, r) == pytest.approx([1, 0])
    first, last = F(1 * 1 + 2 * -1, 1 + 2), F(1 * 1 + 2 * 0, 1 + 4)
    for lam, wanted in ((0, first), (1, last)):
        assert evaluate(tvr_bertsekas.limit(lam), Context(model, (0, 1)))[0, 0] == wanted
    assert tvr_bertsekas.check(model).status is Status.HOLDS and tvr_bertsekas.EXAMPLE.ask(model).satisfied


def test_a_walk_that_earns_at_its_end_has_limits_of_one_sign() -> None:
    variant = tvr_bertsekas.paid_at_the_end()
    assert variant.verdict.status is Status.REFUTED and variant.verdict.witness["left value"] == "1/3"
    assert variant.model is not None and not tvr_bertsekas.EXAMPLE.ask(variant.model).satisfied


@pytest.mark.parametrize(
    ("gamma", "A"), [(HALF, F(-1)), (F(5, 6), F(0)), (F(84, 100), F(1, 50)), (F(9, 10), F(1, 5))], ids=str
)
def test_theta_and_two_theta_by_hand(gamma: Fraction, A: Fraction) -> None:
    """A = (6γ − 5)/2; E θ' = θ(1 + αA) grows exactly where it is positive."""
    model = theta_to_two_theta(gamma)
    assert tvr_off_policy.CLAIM.check(model).status is Status.HOLDS and tvr_off_policy.EXAMPLE.ask(model).satisfied
    assert evaluate(its.A, Context(model, (0, 1)))[0, 0] == A == HALF * (2 * gamma - 1) + HALF * 2 * (2 * gamma - 2)
    wrong = F(9, 10) if A > 0 else gamma - F(1, 100)
    expected = Status.REFUTED if (gamma > wrong) != (A > 0) else Status.HOLDS
    assert tvr_off_policy.with_threshold(model, wrong).status is expected
    assert not tvr_off_policy.EXAMPLE.ask(flip_chain(gamma, features=((1,), (2,)))).satisfied
    assert tvr_off_policy.CLAIM.check(flip_chain(gamma, features=((1,), (2,)))).status is Status.REFUTED


def test_their_nearest_false_variants_by_hand() -> None:
    """‖P1‖ = ‖1‖; A = 1/5 off-policy; at θ* = 1 of two states, φ = 1, γ = ½: δ = R − ½, twice in the first state:
    ½·2·½ − ½·½ = ¼.
    """
    assert tvr_norm.one_percent_less().verdict.witness["‖PV‖²"] == "1"
    assert "1/5" in tvr_definite.off_policy().verdict.witness["value"]
    found = tvr_steps.steps_that_follow_the_path()
    assert found.verdict.status is Status.REFUTED and found.model is not None
    assert evaluate(moved_by(0, 0), Context(found.model, (0, 1), "covered", RationalMatrix([[1]])))[0, 0] == F(1, 4)
