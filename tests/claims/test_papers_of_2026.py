"""Statements of our own beside papers of 2026: numbers by hand, and wrong readings."""

from __future__ import annotations

from fractions import Fraction

from tdcert.claims.ls18.ls_td_step import form_identity
from tdcert.claims.models import uncovered_rewards
from tdcert.claims.p02577 import p02577_iid
from tdcert.claims.p31172 import p31172_rank, p31172_support
from tdcert.theory.model.gallery import HALF, absorbing_pair, flip_chain, one_state, theta_to_two_theta
from tdcert.theory.verdict import Status

F = Fraction


def test_without_coverage_updates_meet_something_else() -> None:
    """One state, μ = (1, 0), π = (½, ½), γ = ½: A = −½ over both actions, −¼ over the one that is taken."""
    found = p31172_support.check(uncovered_rewards())
    assert found.status is Status.REFUTED
    assert (found.witness["left value"], found.witness["right value"]) == ("-1/4", "-1/2")


def test_an_action_that_both_avoid_changes_nothing() -> None:
    model = p31172_support.avoided()
    assert not p31172_support.EVERYWHERE.ask(model).satisfied
    assert p31172_support.EVERYWHERE.ask(theta_to_two_theta(HALF)).satisfied
    assert p31172_support.check(model).status is Status.HOLDS
    assert p31172_support.check(one_state(1)).status is Status.REFUTED  # A = 0


def test_rank_and_the_other_way() -> None:
    assert p31172_rank.check(flip_chain(HALF)).status is Status.HOLDS
    assert p31172_rank.check(absorbing_pair()).status is Status.REFUTED  # its last state has the feature zero
    assert p31172_rank.the_other_way().verdict.status is Status.REFUTED
    assert p31172_rank.left_identity(4)


def test_the_largest_step_by_hand() -> None:
    """θ→2θ, γ = 9/10: B² = 4, α = (1/10)/8/4 = 1/320; at γ = 1 the step is zero, and 2E A = 0 on one state."""
    assert "1/320" in p02577_iid.check(theta_to_two_theta(F(9, 10))).detail
    assert p02577_iid.check(flip_chain(F(1), features=((1,), (2,)))).status is Status.HOLDS
    assert p02577_iid.check(absorbing_pair()).status is Status.HOLDS
    assert form_identity(3)
