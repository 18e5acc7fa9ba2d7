"""The judge on trial: it keeps its promise under H0 whatever the tails, catches what it says it catches, and
overspends nothing.

The statement "at most α" is tested through the number of alarms in many repetitions. That number is itself
random; the margin is the binomial one, at a rate taken from the same error budget.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom

from sims.agreement import MISS, ErrorBudget, judge_mean
from sims.streams import generator

Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]


def _normal(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return rng.standard_normal(shape)


def _pareto(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Pareto with exponent 2.5 on [1, ∞): mean 5/3, second moment 5, no third moment."""
    return (rng.pareto(2.5, shape) + 1 - 5 / 3) / np.sqrt(5 - 25 / 9)


def _rare(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """0, and with probability 1/1000 a spike: as products of importance ratios are."""
    p = 1e-3
    return ((rng.random(shape) < p) - p) / np.sqrt(p * (1 - p))


LAWS: dict[str, Draw] = {"normal": _normal, "pareto": _pareto, "rare": _rare}
REPEATS, N = 4000, 400


def _most_alarms(rate: float, false_alarm: float) -> int:
    """The smallest k with P(Binomial(REPEATS, rate) > k) ≤ false_alarm."""
    return int(binom.isf(false_alarm, REPEATS, rate))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("nominal", [1e-2, 1e-3])
def test_null_repetitions_raise_at_most_the_nominal_rate(law: str, nominal: float, error_budget: ErrorBudget) -> None:
    rng = generator(1, f"null {law} {nominal}")
    samples = LAWS[law](rng, (REPEATS * N, 1)).reshape(REPEATS, N, 1)
    alarms = sum(not judge_mean(x, 0.0, 1.0, alpha=nominal, name="null").agrees for x in samples)
    assert alarms <= _most_alarms(nominal, error_budget.spend(f"judge, null {law} at {nominal}", 1e-9))


@pytest.mark.parametrize("law", LAWS)
def test_deviations_of_the_declared_size_are_caught(law: str, error_budget: ErrorBudget) -> None:
    """Both signs, at exactly the declared size; at most MISS of them may be missed."""
    rng = generator(2, f"planted {law}")
    samples = LAWS[law](rng, (REPEATS * N, 1)).reshape(REPEATS, N, 1)
    size = judge_mean(samples[0], 0.0, 1.0, alpha=1e-2, name="size").detectable[0]
    assert size < 1.0
    missed = 0
    for k, x in enumerate(samples):
        shifted = x + size if k % 2 else x - size
        missed += judge_mean(shifted, 0.0, 1.0, alpha=1e-2, name="planted").agrees
    assert missed <= _most_alarms(MISS, error_budget.spend(f"judge, planted {law}", 1e-9))


def test_the_plain_mean_would_not_keep_the_promise() -> None:
    """Why not the textbook test: with rare spikes its alarms at nominal 1e-3 exceed what the binomial law
    allows."""
    rng = generator(3, "plain mean")
    means = LAWS["rare"](rng, (REPEATS * N, 1)).reshape(REPEATS, N).mean(axis=1)
    two_sided = 3.2905  # normal quantile of 1 − 0.0005
    assert np.sum(np.abs(means) > two_sided / np.sqrt(N)) > _most_alarms(1e-3, 1e-9)


def test_union_bound_and_worst_coordinate() -> None:
    rng = generator(4, "union")
    x = rng.standard_normal((2000, 3))
    x[:, 1] += 1.0
    found = judge_mean(x, [0.0, 0.0, 0.0], 1.0, alpha=1e-3, name="three", labels=["a", "b", "c"])
    alone = judge_mean(x[:, :1], 0.0, 1.0, alpha=1e-3, name="one")
    assert not found.agrees and found.worst == "b" and found.statistic > 1
    assert found.radius[0] > alone.radius[0]
    assert "contradicts" in found.sentence() and "in b" in found.sentence()


def test_radius_is_the_formula_of_the_docstring() -> None:
    """σ √(2 log(2k/α)/N), plus slacks that are tiny here: a known answer, k = 1, α = 2e^{-8}, N = 16, σ = 3:
    3."""
    found = judge_mean(np.zeros((16, 1)), 0.0, 9.0, alpha=2 * np.exp(-8.0), name="formula")
    assert 3.0 <= found.radius[0] < 3.0 + 1e-12
    assert found.agrees and found.detectable[0] == float("inf")  # 16 samples are too few to promise anything


def test_slack_widens_the_radius_and_is_needed() -> None:
    x = np.full((10, 1), 1.0 + 1e-9)
    assert not judge_mean(x, 1.0, 0.0, alpha=1e-2, name="exact").agrees
    assert judge_mean(x, 1.0, 0.0, alpha=1e-2, name="slack", data_slack=1e-9).agrees


def test_distance_of_the_law_is_taken_off_alpha() -> None:
    x = np.zeros((100, 1))
    with pytest.raises(ValueError, match="law_distance"):
        judge_mean(x, 0.0, 1.0, alpha=1e-3, name="far", law_distance=1e-2)
    near = judge_mean(x, 0.0, 1.0, alpha=1e-3, name="near", law_distance=9e-4)
    assert near.radius[0] > judge_mean(x, 0.0, 1.0, alpha=1e-3, name="none").radius[0]


def test_samples_that_are_not_finite_are_refused() -> None:
    with pytest.raises(ValueError, match="not finite"):
        judge_mean(np.array([[1.0], [np.nan]]), 0.0, 1.0, alpha=1e-2, name="nan")


def test_the_budget_cannot_be_overspent() -> None:
    budget = ErrorBudget(1e-6)
    part = budget.part("tests", 4e-7)
    part.spend("a", 3e-7)
    with pytest.raises(ValueError, match="'b' asks for"):
        part.spend("b", 2e-7)
    with pytest.raises(ValueError, match="already spent"):
        part.spend("a", 1e-8)
    with pytest.raises(ValueError, match="no probability"):
        part.spend("c", 0.0)
    budget.spend("claims", 6e-7)
    assert budget.left == pytest.approx(0.0, abs=1e-15)
    assert budget.table().splitlines()[0].endswith("claims")
    assert "spent of 1.00e-06" in budget.table()
