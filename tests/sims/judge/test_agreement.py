"""The judge on trial: it keeps its promise under H0 whatever the tails, catches what it says it catches, and
overspends nothing. ``test_sequential.py`` tries the form that looks early.

The statement "at most α" is tested through the number of alarms in many repetitions. That number is itself
random; the margin is the binomial one, at a rate taken from the same error budget.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

from tdcert.sims.judge.agreement import MISS, ErrorBudget, MeanTest, chi_square, judge_mean
from tdcert.sims.streams import generator
from tests.sims.judge.judged import LAWS, chunks, most

SEED = 20240229
N = 400
REPEATS = [4000, pytest.param(20_000, marks=pytest.mark.thorough)]


def alarms(samples: np.ndarray, nominal: float, center: np.ndarray | float = 0.0) -> np.ndarray:
    """Which columns of ``samples`` (n, repetitions), each judged alone, contradict mean ``center``, variance 1."""
    n, repeats = samples.shape
    test = MeanTest("side by side", repeats, n, center, 1.0, nominal, shared_by=1)
    test.add(samples, 0.0)
    return test.contradicted


@pytest.mark.parametrize("repeats", REPEATS)
@pytest.mark.parametrize("law", LAWS)
def test_null_repetitions_raise_at_most_the_nominal_rate(law: str, repeats: int, error_budget: ErrorBudget) -> None:
    found = {1e-2: 0, 1e-3: 0}
    for samples in chunks(law, repeats, N, SEED, "null"):
        for nominal in found:
            found[nominal] += int(alarms(samples, nominal).sum())
    for nominal, count in found.items():
        share = error_budget.spend(f"judge, {repeats} nulls, {law} at {nominal}", 5e-10)
        assert count <= most(repeats, nominal, share), (nominal, count)


def test_columns_side_by_side_are_judged_as_alone() -> None:
    (samples,) = chunks("pareto", 40, N, SEED, "alone")
    samples = samples + np.linspace(-0.5, 0.5, 40)
    alone = [not judge_mean(x[:, None], 0.0, 1.0, alpha=1e-2, name="alone").agrees for x in samples.T]
    assert alarms(samples, 1e-2).tolist() == alone and 5 < sum(alone) < 35


@pytest.mark.parametrize("nominal", [1e-2, 1e-3, 1e-9])
def test_the_exact_rate_on_two_point_laws(nominal: float) -> None:
    """All samples with k high and N − k low values are judged alike, so the rate is a binomial sum, no estimate.

    It is at most nominal for every law, and where that can be told from rounding of N not a vacuous bound: some
    law comes within half of what a normal one would raise, P(|Z| > √(2ℓ)). (The rest, a factor of
    about √(4πℓ), is what any bound by an exponential moment gives away at one time; looking at all times takes
    it back, as test_sequential.py shows.)
    """
    p = np.geomspace(1e-6, 0.5, 60)
    rates = []
    k = np.arange(N + 1)
    for high in p:
        low_value, high_value = -np.sqrt(high / (1 - high)), np.sqrt((1 - high) / high)
        samples = np.where(np.arange(N)[:, None] < k, high_value, low_value)
        rates.append(binom.pmf(k, N, high)[alarms(samples, nominal)].sum())
    assert max(rates) <= nominal
    if nominal >= 1e-3:
        assert max(rates) >= norm.sf(np.sqrt(2 * np.log(2 / nominal)))


@pytest.mark.parametrize("repeats", REPEATS)
@pytest.mark.parametrize("law", LAWS)
def test_deviations_of_the_declared_size_are_caught(law: str, repeats: int, error_budget: ErrorBudget) -> None:
    """Both signs, at exactly the declared size; at most MISS of them may be missed."""
    size = judge_mean(np.zeros((N, 1)), 0.0, 1.0, alpha=1e-2, name="size").detectable[0]
    assert size < 1.0
    missed = 0
    for samples in chunks(law, repeats, N, SEED, "planted"):
        missed += int((~alarms(samples + size * (-1.0) ** np.arange(samples.shape[1]), 1e-2)).sum())
    assert missed <= most(repeats, MISS, error_budget.spend(f"judge, {repeats} planted, {law}", 5e-10))


def test_the_plain_mean_would_not_keep_the_promise() -> None:
    """Why not the textbook test: with rare spikes its alarms at nominal 1e-3 exceed what the binomial law
    allows."""
    (samples,) = chunks("rare", 4000, N, SEED, "plain mean")
    two_sided = 3.2905  # normal quantile of 1 − 0.0005
    assert np.sum(np.abs(samples.mean(axis=0)) > two_sided / np.sqrt(N)) > most(4000, 1e-3, 1e-9)


def test_chi_square_is_a_diagnostic_that_decides_nothing() -> None:
    """Its value is the quadratic form on the range of the covariance; the verdict is the same without it."""
    rng = generator(SEED, "chi square")
    root = np.array([[1.0, 0.0], [2.0, 1.0], [3.0, 1.0]])  # third coordinate: the sum of the others
    x = rng.standard_normal((1000, 2)) @ root.T
    covariance = root @ root.T
    value, degrees = chi_square(x.mean(axis=0), covariance, len(x))
    inner = np.linalg.solve(root[:2], x.mean(axis=0)[:2])  # the two independent standard normals
    assert degrees == 2 and value == pytest.approx(1000 * inner @ inner, rel=1e-9)
    for far in (0.0, 1.0):
        given = [
            judge_mean(x + far, 0.0, np.diag(covariance), alpha=1e-3, name="χ", covariance=c)
            for c in (None, covariance)
        ]
        assert given[0].agrees == given[1].agrees == (far == 0.0)
        assert given[0].chi_square is None and "on 2" in given[1].sentence()


def test_union_bound_and_worst_coordinate() -> None:
    rng = generator(SEED, "union")
    x = rng.standard_normal((2000, 3))
    x[:, 1] += 1.0
    found = judge_mean(x, [0.0, 0.0, 0.0], 1.0, alpha=1e-3, name="three", labels=["a", "b", "c"])
    alone = judge_mean(x[:, :1], 0.0, 1.0, alpha=1e-3, name="one")
    assert not found.agrees and found.worst == "b" and found.statistic > 1
    assert found.radius[0] > alone.radius[0]
    assert "contradicts" in found.sentence() and "in b" in found.sentence()


def test_power_is_in_standard_deviations_and_stands_in_the_summary() -> None:
    """σ = 3 and 5: the same in their units. Nothing that varies: nothing could stay hidden."""
    found = judge_mean(np.zeros((N, 2)), 0.0, [9.0, 25.0], alpha=1e-3, name="power")
    assert found.power == pytest.approx(found.detectable[0] / 3) == pytest.approx(found.detectable[1] / 5)
    assert f"400 independent samples, largest deviation 0.00 of what is allowed, {found.power:.2g} standard" in (
        found.summary()
    )
    assert judge_mean(np.zeros((N, 1)), 0.0, 0.0, alpha=1e-3, name="still").power == 0.0


def test_radius_is_the_formula_of_the_docstring() -> None:
    """σ √(2 log(2k/α)/N), plus slacks that are tiny here: a known answer, k = 1, α = 2e^{-8}, N = 16, σ = 3:
    3."""
    found = judge_mean(np.zeros((16, 1)), 0.0, 9.0, alpha=2 * np.exp(-8.0), name="formula")
    assert 3.0 <= found.radius[0] < 3.0 + 1e-12
    assert found.agrees and found.detectable[0] == float("inf")  # 16 samples are too few to promise anything


@pytest.mark.parametrize("kind", ["data_slack", "mean_slack"])
def test_slack_widens_the_radius_and_is_needed(kind: str) -> None:
    def slack(size: float) -> dict[str, Any]:
        return {kind: size}

    x = np.full((10, 1), 1.0 + 1e-9)
    assert not judge_mean(x, 1.0, 0.0, alpha=1e-2, name="exact").agrees
    assert judge_mean(x, 1.0, 0.0, alpha=1e-2, name="slack", **slack(1e-9)).agrees
    radius = [judge_mean(x, 1.0, 1.0, alpha=1e-2, name="moving", **slack(s)).radius[0] for s in (0.0, 0.25)]
    assert radius[1] - radius[0] == pytest.approx(0.25, rel=1e-12)


def test_the_variance_enters_by_its_upper_end() -> None:
    x = np.zeros((10, 1))
    wide = judge_mean(x, 0.0, 4.0, alpha=1e-2, name="wide")
    blurred = judge_mean(x, 0.0, 1.0, alpha=1e-2, name="blurred", variance_slack=3.0)
    assert blurred.radius == wide.radius and blurred.sampling_radius[0] == pytest.approx(wide.radius[0] / 2)


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
    with pytest.raises(ValueError, match="not a probability"):
        part.spend("c", 0.0)
    budget.spend("claims", 6e-7)
    assert budget.left == pytest.approx(0.0, abs=1e-15)
    assert budget.table().splitlines()[0].endswith("claims")
    assert "spent of 1.00e-06" in budget.table()
