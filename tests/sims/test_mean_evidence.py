"""The mean of runs in its band: right runs stay inside, runs that are late by one step do not."""

from typing import Any

import pytest

from tdcert.claims.dgb22.simulated_limit import MEAN_TIMES, means
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.kernels import Replicates, simulate
from tdcert.theory.figures import Figure

SEED = 20260122


def outside(figure: Figure) -> list[tuple[str, float]]:
    """The points that leave the band of the curve before them."""
    found = []
    for curve, points in zip(figure.series[::2], figure.series[1::2], strict=True):
        assert curve.low is not None and curve.high is not None and curve.x == points.x
        for t, y, low, high in zip(points.x, points.y, curve.low, curve.high, strict=True):
            found += [] if low <= y <= high else [(points.label, t)]
    return found


def late(model: Any, algorithm: str, steps: Any, times: list[int], *given: Any, **named: Any) -> Replicates:
    return simulate(model, algorithm, steps, [t + 1 for t in times], *given, **named)


def test_right_runs_stay_in_the_band(error_budget: ErrorBudget) -> None:
    found = means("td", SEED, error_budget.part("the mean of TD in its band", 2e-9))
    (figure,) = found.figures
    assert isinstance(figure, Figure) and found.agreement.agrees and outside(figure) == []
    assert [series.x for series in figure.series] == [tuple(map(float, MEAN_TIMES))] * 4


@pytest.mark.parametrize("algorithm", ["td", "gtd", "tdc"])
def test_runs_that_are_late_by_one_step_leave_it(algorithm: str) -> None:
    found = means(algorithm, SEED, ErrorBudget(), late)
    (figure,) = found.figures
    assert isinstance(figure, Figure) and not found.agreement.agrees and outside(figure)
