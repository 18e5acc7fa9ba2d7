"""Dalal et al. 2018: numbers by hand, and wrong statements seen to fail."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log

import pytest

from tdcert.claims.dalal18 import (
    da_a1_definite,
    da_a_definite,
    da_gtd0_display,
    da_neu,
    da_noise,
    da_steps,
    da_subexp,
    da_tdc_ratio,
    da_x,
    gradient,
)
from tdcert.claims.means import PAID
from tdcert.claims.models import HALF, uncovered_rewards
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.expressions.notation import Name, its
from tdcert.theory.expressions.relations import Context, Path, evaluate
from tdcert.theory.model.gallery import absorbing_pair, flip_chain, one_state, random_walk_5, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Status

F = Fraction


def leaving(rewards: tuple[int, int] = (1, 0), features: tuple[int, int] = (1, 2)) -> Model:
    """0 → 1, and from 1 evenly to both, γ = ½: d = (⅓, ⅔), A = 5/3 and C = 3 for φ = 1, 2."""
    P = RationalMatrix([[0, 1], [HALF, HALF]])
    return Model.reward_process(P, RationalMatrix.column(rewards), HALF, RationalMatrix.column(features))


def test_the_fields_of_the_shipped_algorithms_by_hand() -> None:
    """A = ⅓·1·(1 − 1) + ⅔·2·(2 − ¾) = 5/3, C = ⅓ + 8/3 = 3, b = ⅓: (Γ_1, W_1, v_1), (Γ_2, W_2, v_2)."""
    a, c, b = F(5, 3), F(3), F(1, 3)
    wanted = {
        "GTD(0)": ((F(0), -a, F(0)), (a, F(1), b)),
        "GTD2": ((F(0), -a, F(0)), (a, c, b)),
        "TDC": ((a, c - a, b), (a, c, b)),
    }
    for name, numbers in wanted.items():
        found = gradient.fields(leaving(), (0, 1), name)
        assert tuple((one.Gamma[0, 0], one.W[0, 0], one.v[0, 0]) for one in found) == numbers


def test_the_printed_gtd_diverges_and_the_shipped_one_is_the_corrected() -> None:
    """Two printed updates from (1, 0) at one state, φ = 1, r = 0, γ = ½, α = 1: (1, −½), (¾, −1); norms 5/4, 25/16."""
    theta, w = F(1), F(0)
    for norm in (F(5, 4), F(25, 16)):
        theta, w = theta + w / 2, w - theta / 2
        assert theta**2 + w**2 == norm
    assert da_gtd0_display.judge_stated().verdict.witness == {"the determinant": "5/4", "1": "1"}
    model = theta_to_two_theta(F(9, 10), rewards=(1, 0))
    assert da_gtd0_display.CLAIM.check(model).status is Status.HOLDS
    assert da_gtd0_display.CLAIM.check(uncovered_rewards()).status is Status.REFUTED


def test_the_gradient_of_the_neu_by_hand() -> None:
    """A = 5/3, b = ⅓, θ = 1: −∇J = (5/3)(⅓ − 5/3) = −20/9, which is not b − Aθ = −4/3."""
    model = leaving()
    assert da_neu.CLAIM.check(model).status is Status.HOLDS
    assert da_neu.falls(model, Name(F(-20, 9)) * its.theta).status is Status.HOLDS
    assert da_neu.falls(model, PAID - gradient.A @ its.theta).status is Status.REFUTED


def test_a_state_that_is_left_for_good_has_no_weight() -> None:
    found = da_a_definite.CLAIM.judge_stated().verdict  # type: ignore[misc]
    assert found.status is Status.REFUTED and found.witness["xᵀSx"] == "0" and "C is" in found.detail
    assert da_a_definite.definite(absorbing_pair(((0,), (1,)))).status is Status.HOLDS
    assert "A is" in da_a_definite.definite(theta_to_two_theta(F(9, 10))).detail


def test_the_matrices_of_table_3_by_hand() -> None:
    """θ→2θ, γ = 9/10: A = −1/5 and C = 5/2, so X_1 = 1/25 or 2/125, both positive."""
    model = theta_to_two_theta(F(9, 10))
    for name, X in (("GTD(0)", F(1, 25)), ("GTD2", F(2, 125)), ("TDC", F(2, 125))):
        slow, fast = gradient.fields(model, (0, 1), name)
        assert slow.Gamma[0, 0] - slow.W[0, 0] * fast.Gamma[0, 0] / fast.W[0, 0] == X
    assert da_x.translated(model).status is Status.HOLDS
    assert da_x.translated(one_state(HALF, features=(0,))).status is Status.REFUTED
    found = da_x.translated(one_state(1))
    assert (
        found.status is Status.REFUTED and "X_1" in found.detail and not gradient.A_REGULAR.ask(one_state(1)).satisfied
    )


def test_a_matrix_that_is_stable_and_not_definite() -> None:
    """X = [[1/20, 0], [−9/20, ½]]: its eigenvalues are its diagonal, and 4·(1/20)·½ < (9/20)²."""
    model = da_a1_definite.both_to_the_first()
    X = -evaluate(its.A, Context(model, (0, 1)))
    assert X.rows == ((F(1, 20), F(0)), (F(-9, 20), F(1, 2)))
    assert not da_a1_definite.DEFINITE.ask(model).satisfied and da_a1_definite.CLAIM.check(model).status is Status.HOLDS
    assert da_a1_definite.CLAIM.check(theta_to_two_theta(F(9, 10))).status is Status.REFUTED


def test_the_noise_by_hand() -> None:
    """0 → 1 of :func:`leaving`, φ = 1, φ' = 2, r = 1, θ = 1, w = −2, A = 5/3, C = 3, b = ⅓, not divided."""
    found = da_noise.noise(Name(1), Name(1))
    context = Context(leaving(), (0, 1), theta=RationalMatrix.column([1])).along(Path((0, 1), (0,)))
    values = [evaluate(one, context)[0, 0] for one in found.values()]
    rest = F(1, 3) - F(5, 3)
    assert values[0] == F(-2) * (1 - 1) - F(5, 3) * -2
    assert values[1] == 1 + (1 - 1) - rest
    assert values[2] == 1 + 2 - (rest + 6)
    assert values[3] == 1 - F(1, 2) * 2 * -2 - (rest + F(5, 3) * -2 + 6)
    assert values[4] == values[2]
    printed = evaluate(da_noise.noise(Name(1), Name(1), sign=1)["M² of TDC"], context)[0, 0]
    assert printed - values[4] == 2 * 3 * 2


def test_the_noise_is_centred_on_policy_alone() -> None:
    assert da_noise.bounded(leaving(), [1]).status is Status.HOLDS
    assert da_noise.bounded(theta_to_two_theta(HALF), [1]).status is Status.REFUTED
    assert da_noise.rewards_of_three().verdict.status is Status.REFUTED
    assert da_noise.bounded(leaving((3, -3), (1, 1)), [0], (1, 3)).status is Status.HOLDS


@pytest.mark.parametrize(
    ("model", "status", "words"),
    [
        (random_walk_5(), Status.HOLDS, "every ratio"),
        (theta_to_two_theta(F(9, 10)), Status.REFUTED, "trace"),
        (one_state(1), Status.REFUTED, "does not move"),
        (da_a1_definite.both_to_the_first(), Status.UNDECIDED, "negative"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_tdc_at_every_ratio(model: Model, status: Status, words: str) -> None:
    """Off-policy, 1/5 − (1/100)(5/2) = 7/40 is the trace of θ→2θ."""
    found = da_tdc_ratio.stable(model)
    assert found.status is status and words in found.detail


def test_steps_of_corollary_12() -> None:
    """κ = ¼: p = ¾, q = ½, Σ 1/n^{2q} = Σ 1/n; κ = 1/5: 2q = 16/15 > 1."""
    assert da_steps.exponents(F(1, 4)) == (F(3, 4), F(1, 2))
    assert da_steps.CLAIM.check(one_state(HALF)).status is Status.HOLDS
    assert da_steps.square_summable().verdict.status is Status.REFUTED


def test_the_series_by_floats() -> None:
    """p = ½, q = 1: the inequality holds at n = 16 … 2000; p = q = 1: at none."""
    half, one = 0.0, 0.0
    for n in range(2, 2001):
        half, one = half + n**-0.5, one + 1 / n
        assert n < 16 or exp(-half) <= n**-0.5
        assert one < log(n)
    assert da_subexp.CLAIM.check(flip_chain()).status is Status.HOLDS
    assert da_subexp.at_one().verdict.status is Status.REFUTED


def test_the_identities_hold_at_other_sizes() -> None:
    assert (
        da_neu.expansion(4) and da_tdc_ratio.decrease(4) and da_subexp.large_enough() and da_gtd0_display.increments(4)
    )
