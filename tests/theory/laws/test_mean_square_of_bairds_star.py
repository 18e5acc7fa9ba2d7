"""Baird's star at the steps of A5.3: what small steps do, and what the paper's step does in mean square."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tdcert.algorithms.schedules import scheduled
from tdcert.theory.laws.mean_square import decide_near_zero, show_unbounded
from tdcert.theory.model.gallery import bairds_star
from tdcert.theory.model.schedule import Schedule
from tests.chains import quotient_system


@pytest.mark.thorough
def test_bairds_star_at_the_steps_of_the_paper() -> None:
    """EqualWeights(4, 6), α = 1/200, β = 1/20, on the quotient: for small steps TD follows κ ≶ 15/17 (γ about .97524),
    but at the paper's step its second moment is unbounded on both sides, and GTD's is too."""
    for gamma, stable in ((Fraction(97, 100), True), (Fraction(49, 50), False)):
        model = bairds_star(gamma, Schedule.equal_weights(4, 6))
        kappa = model.kappa
        assert kappa is not None and (kappa < Fraction(15, 17)) is stable
        system = quotient_system(model, scheduled("off_policy_td"), Fraction(10), tuple(range(7)))
        near = decide_near_zero(system)
        assert near is not None and (near.vector is None) is stable
        assert show_unbounded(system, Fraction(1, 200)) is not None
    assert (
        show_unbounded(quotient_system(model, scheduled("gtd"), Fraction(10), tuple(range(7))), Fraction(1, 200))
        is not None
    )
