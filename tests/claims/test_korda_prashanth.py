"""Korda and Prashanth 2015: numbers by hand, and wrong statements seen to fail."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp

import pytest

from tdcert.claims.kp15 import kp_f, kp_implicit, kp_norm, kp_step_cond, kp_thm2, kp_thm3, kp_tvr
from tdcert.claims.models import HALF, one_state_two_actions
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.expressions.notation import its
from tdcert.theory.expressions.relations import Context, evaluate
from tdcert.theory.model.gallery import absorbing_pair, flip_chain, one_state, random_walk_5, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Status

F = Fraction
NOTHING = one_state(HALF, features=(0,))


def test_the_printed_iteration_is_implicit() -> None:
    """θ_1 = 1 + ½(½ − 1)θ_1 is solved by 4/5; ½ of the next step by (1) is ¾."""
    found = kp_implicit.judge_stated().verdict
    assert found.witness == {"θ_1 of TD(0)": "3/4", "θ_1 of (8)": "4/5"}
    assert F(4, 5) == 1 + HALF * (HALF - 1) * F(4, 5)
    assert kp_implicit.CLAIM.check(random_walk_5()).status is Status.HOLDS
    assert kp_implicit.follows(flip_chain(), its.C).status is Status.REFUTED
    assert kp_implicit.CLAIM.check(theta_to_two_theta(HALF, rewards=(1, 0))).status is Status.REFUTED
    other = one_state_two_actions(
        "two rewards", ("a", "b"), (HALF, HALF), (1, 0), (1, 0)
    )  # b = ½ is seen, and 1 is meant
    assert kp_implicit.CLAIM.check(other).status is Status.REFUTED


def test_the_centred_increment_by_hand() -> None:
    """θ = 0: T0 = (0, 1), Π(0, 1) = (8/5)·½(0·1 + 1·½)(1, ½) = (2/5, 1/5), E f = ½·½·1 = ¼."""
    context = Context(kp_f.coin(), (0, 1), theta=RationalMatrix.column([0]))
    assert evaluate(kp_f.PRINTED, context).column_entries(0) == (F(2, 5), F(1, 5))
    assert evaluate(kp_f.MEAN, context)[0, 0] == F(1, 4) and evaluate(kp_f.ERROR, context)[1, 0] == 1
    assert kp_f.CLAIM.check(kp_f.coin()).status is Status.HOLDS
    assert kp_f.seen(kp_f.coin(), its.Phi @ kp_f.MEAN).status is Status.REFUTED
    assert kp_f.CLAIM.check(NOTHING).status is Status.REFUTED
    assert kp_f.CLAIM.check(theta_to_two_theta(HALF, rewards=(1, 0))).status is Status.REFUTED


def test_the_least_eigenvalue_by_hand() -> None:
    """Two states that alternate, φ = (1, 0), (1, 1): C = ½[[2, 1], [1, 1]], μ = ¼(3 − √5) = 0.19098…"""
    model = flip_chain(features=((1, 0), (1, 1)))
    assert kp_norm.bounded(model, F(1)).status is Status.HOLDS
    assert kp_norm.bounded(model, F(1002, 1000)).status is Status.REFUTED
    assert kp_norm.bounded(NOTHING, F(1)).status is Status.REFUTED
    assert kp_norm.judge_stated().verdict.witness == {"‖θ̄ − θ*‖": "1/2", "(1/μ)‖Φ(θ̄ − θ*)‖_Ψ²": "1/4"}


def test_the_fixed_point_by_hand() -> None:
    """Rows (½, ½), φ = (1, ½), r = (0, 1), β = ½: V = ½·1·(½/(1 − ½)) = (½, 3/2), Ã = −5/8 + ½·(¾)² = −11/32, b̃ = ¼."""
    model = kp_f.coin()
    V, star = (F(1, 2), F(3, 2)), F(8, 11)
    error = ((star - V[0]) ** 2 + (star / 2 - V[1]) ** 2) / 2
    beta = (V[0] + V[1] * HALF) / (1 + HALF**2)  # the projection
    left = ((beta - V[0]) ** 2 + (beta / 2 - V[1]) ** 2) / 2
    witness = kp_tvr.as_near_as_the_projection().verdict.witness
    assert witness == {"‖Φθ* − V‖²": str(error), "‖ΠV − V‖²": str(left)}
    assert kp_tvr.near(model, left / error).status is Status.HOLDS
    assert kp_tvr.near(model, left / error + F(1, 1000)).status is Status.REFUTED
    assert kp_tvr.CLAIM.check(theta_to_two_theta(F(9, 10), rewards=(1, 0))).status is Status.REFUTED


@pytest.mark.parametrize(
    ("model", "status"),
    [
        (one_state(HALF), Status.HOLDS),
        (absorbing_pair(((0,), (1,))), Status.HOLDS),
        (one_state(1), Status.REFUTED),
        (NOTHING, Status.REFUTED),
    ],
    ids=("one state", "absorbing", "no discount", "no features"),
)
def test_steps_of_theorem_1(model: Model, status: Status) -> None:
    """At μ = 1, β = ½: c_0 < 1/9 and c > 18."""
    assert kp_step_cond.met(model).status is status
    if status is Status.HOLDS:
        assert kp_step_cond.met(model, F(1)).status is Status.REFUTED
        assert kp_step_cond.met(model, F(101, 100)).status is Status.HOLDS


def test_the_printed_bound_for_averages_does_not_see_the_start() -> None:
    """K_1(2)/(2 + c)^{α/2} by floats at μ = d = 1, β = ½, α = ¾, c = 16, c_0 = 2/9, B = θ* = 0: below the rational
    number; θ_1 = (1 − γ_1/2)θ_0 with γ_1 = c_0(16/17)^¾ is above the witness's.
    """
    alpha, c, c_0, n = 0.75, 16.0, 2 / 9, 2
    n_0 = (c * 0.5 / (2 * c_0 * 1.5**2)) ** (-1 / alpha)
    assert n_0 == pytest.approx(1 / 16)
    ahead = c_0 * c**alpha * (c + n_0) ** (1 - alpha)
    grown = (1 + ahead) * exp(1.5 * ahead)
    series = sum(k ** (-2 * alpha) for k in range(1, 10_000)) + 2 / 9_999**0.5  # the integral from 9,999 on
    K = grown * series / (n + c) ** ((1 - alpha) / 2) + n_0 * grown / n ** (1 - alpha / 2)
    K += c**alpha * c_0 * (0.5 * c_0 * c**alpha / (1 - alpha)) ** (-(alpha + 2 * alpha**2) / (2 * (1 - alpha)))
    found = kp_thm2.judge_stated().verdict
    exact, bound = (float(F(str(value))) for value in found.witness.values())
    assert K / (n + c) ** (alpha / 2) < bound < exact
    assert exact <= (1 - c_0 * (c / (c + 1)) ** alpha / 2) * kp_thm2.FAR


def test_the_first_update_keeps_the_start() -> None:
    """One state, φ = 2, divided by 2, β = ½: 1 − ½γ_1; at γ_1 = 2 nothing is left."""
    model = one_state(HALF, features=(2,))
    assert kp_thm2.moves(model, F(19, 10)).status is Status.HOLDS
    assert kp_thm2.moves(model, F(2)).status is Status.REFUTED


def test_the_identities_hold_at_other_sizes() -> None:
    assert kp_f.projection(3, 3) and kp_norm.rayleigh(4, 2) and kp_step_cond.forced() and kp_implicit.factors()


def test_the_error_of_centred_td_stays_by_hand() -> None:
    """γ = 1/10, β = ½, q = 19/20, every reward of an epoch of three written out: Mξ is the sum of four ±½."""
    model, q = kp_thm3.coin(), F(19, 20)
    total = F(0)
    for signs in product((-1, 1), repeat=4):
        error, drawn = F(1), [F(1)]
        for _ in range(3):
            error = q * error - F(1, 20) * 1 / 3 + F(1, 10) * F(sum(signs), 2) / 3
            drawn.append(error)
        total += sum((e * e for e in drawn), F(0)) / 4 / 16
    noise = [F(0), F(1, 10), F(1, 10) * (1 + q), F(1, 10) * (1 + q + q * q)]
    assert kp_thm3.noise(HALF, 3) == noise
    assert kp_thm3.share(HALF, 3, 2) == sum(c * c for c in noise) / 4 * F(2, 9)
    (certificate,) = kp_thm3.stays(model, 1, 2).certificates
    (left, _, right) = certificate.witness["relations"][0]
    context = Context(model, (0, 1))
    assert evaluate(right, context)[0, 0] == total and evaluate(left, context)[0, 0] == kp_thm3.share(HALF, 3, 2) / 4
    assert [kp_thm3.stays(model, 0, n).status for n in (4, 5)] == [Status.HOLDS, Status.REFUTED]  # there are four
    assert kp_thm3.CLAIM.check(flip_chain()).status is Status.REFUTED  # in four states that alternate nothing is left
    assert not kp_thm3.SIMPLE.ask(flip_chain()).satisfied and kp_thm3.SIMPLE.ask(model).satisfied
    assert not kp_thm3.SIMPLE.ask(kp_f.coin()).satisfied
    witness = kp_thm3.judge_stated().verdict.witness
    assert F(witness["below E(θ̄ − θ*)²"]) == F(7, 1024) and F(witness["(10)"]) == F(2, 9) ** 20 + 3 * F(2, 9) ** 19
