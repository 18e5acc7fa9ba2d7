"""Curves of the expected error, against moments with bounds, against fractions, and where they end."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tdcert.sims.random_models import random_model
from tdcert.sims.streams import generator
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.laws import error_curves
from tdcert.theory.model.gallery import theta_to_two_theta
from tdcert.theory.model.schedule import Schedule
from tests.chains import error_curve, finite_time_moments, mean_curve
from tests.effort import by_default

F = Fraction
START = (F(1, 4), F(1, 4), F(1, 2))
VALUE = np.array([1.0, -2.0])


@pytest.mark.parametrize("algorithm", by_default(1, ["off_policy_td", "gtd", "tdc"]))
@pytest.mark.parametrize("schedule", [Schedule(), Schedule.equal_weights(2, 4)], ids=["L = 0", "EqualWeights(2,4)"])
def test_the_curve_is_that_of_the_moments_with_bounds(algorithm: str, schedule: Schedule) -> None:
    model = random_model(generator(5, "tests/error_curves"), 3, 2, 0).with_schedule(schedule)
    alpha, beta, times = 0.25, 0.5, [0, 1, 4, 9]
    curve = error_curve(model, algorithm, alpha, beta, times, start=START, value=VALUE)
    exact = finite_time_moments(model, algorithm, ([alpha] * 9, [beta] * 9), times, start=START)
    for squared, of_mean, moments in zip(curve.squared, curve.of_mean, exact, strict=True):
        mean, second = moments.mean[:2], np.diag(moments.second)[:2]
        assert moments.second_rounding is not None
        # the curve rounds as the moments do, which bound it; what is formed of them rounds by 1e-14
        slack = 20 * moments.second_rounding.max() + 1e-13
        assert abs(squared - float(np.sum(second - 2 * VALUE * mean + VALUE**2)) / 2) < slack
        assert abs(of_mean - float(np.sum((mean - VALUE) ** 2)) / 2) < slack
        assert of_mean <= squared + slack
    means = mean_curve(model, algorithm, alpha, beta, times, start=START, value=VALUE)
    assert np.abs(np.array(means) - curve.of_mean).max() < 1e-12


def test_two_steps_by_hand() -> None:
    """θ→2θ from state 1, r = 1 there, γ = ½, α = ¼, v = 1: δ_0 = 1 and ρ is 0 or 2, so θ_1 is 0 or ½, evenly.

    From θ_1 = 0 in state 1 again θ_2 is 0 or ½. From ½ in state 2, φ = 2, r = 0: δ_1 = ½·θ_1·φ' − 1, and ρ = 0 leaves ½
    while ρ = 2 leads to state 2, δ_1 = −½, ½ − ¼·2·2·½ = 0.
    """
    model = theta_to_two_theta(F(1, 2), None, (1, 0))
    curve = error_curve(model, "off_policy_td", 0.25, 0.0, [0, 1, 2], start=(F(1), F(0)), value=[1.0])
    assert curve.squared == (1.0, (1 + 0.25) / 2, 0.5 * (1 + 0.25) / 2 + 0.5 * (0.25 + 1) / 2)
    assert curve.of_mean == (1.0, 0.75**2, 0.75**2)


def test_growth_ends_the_curve_as_infinite() -> None:
    model = theta_to_two_theta(F(9, 10), None, (1, 0))
    curve = error_curve(model, "off_policy_td", 50.0, 0.0, [1, 200], start=(F(1), F(0)), value=[0.0])
    assert np.isfinite(curve.squared[0]) and curve.squared[1] == curve.of_mean[1] == float("inf")


def test_too_many_entries_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(error_curves, "CURVE_ENTRIES", 10)
    with pytest.raises(BudgetExceededError, match="shorter schedule"):
        error_curve(theta_to_two_theta(F(1, 2)), "tdc", 0.1, 0.1, [3], start=(F(1), F(0)), value=[0.0])
