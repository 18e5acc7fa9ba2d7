"""``--simulate``: what it draws against a recursion by hand, what it notices, what it refuses."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tdcert
from tdcert.algorithms import named
from tdcert.algorithms.schedules import scheduled
from tdcert.analysis import simulated_runs
from tdcert.analysis.at_step import AtStep, at_step
from tdcert.analysis.request import SimulationRequest, first_step, step_text
from tdcert.analysis.run_results import Judged, SimulatedRun
from tdcert.analysis.simulated_runs import simulate_model
from tdcert.claims.models import two_absorbing_states
from tdcert.reports import step_words
from tdcert.reports.analysis_json import simulation_text
from tdcert.reports.cli import main
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.kernels import simulate
from tdcert.sims.step_sizes import Constant, Polynomial, StepSizes
from tdcert.sims.trajectories import uniform_start
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.document_types import plain
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.figures import Figure
from tdcert.theory.laws.mean_at_step import mean_signs
from tdcert.theory.model.gallery import fair_coin_chain, flip_chain, one_state, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Grade, Status
from tests.chains import finite_time_moments, quotient_system
from tests.effort import by_default

SEED = 20_26
DRAWN, HORIZON, TIMES = SimulationRequest().runs, SimulationRequest().updates, SimulationRequest().times
HALF = Fraction(1, 2)


def coin(gamma: Fraction = HALF) -> Model:
    """The fair coin with rewards ± 1: θ* = 1."""
    model = fair_coin_chain(gamma)
    return Model.reward_process(model.transitions[0], RationalMatrix.column([1, -1]), gamma, model.features, Schedule())


def without_lambdas(model: Model, *given: Any, **named: Any) -> Any:
    """A kernel that forgets the schedule."""
    return simulate(model.with_schedule(Schedule()), *given, **named)


@pytest.mark.thorough
def test_the_expectation_that_is_drawn() -> None:
    """y = θ − θ*: y' = (1 − α)y + αγ s(y + θ*), s an independent sign; from θ_0 = 1 = θ* the error is noise alone."""
    alpha, gamma = 0.1, 0.5
    found = simulate_model(coin(), SimulationRequest(SEED, Constant(alpha)), ["td"])
    drawn, exact, _ = found.figures[0].series
    mean, square, expected = 0.0, 0.0, {}
    for t in range(1, HORIZON + 1):
        square = (1 - alpha) ** 2 * square + (alpha * gamma) ** 2 * (square + 2 * mean + 1)
        mean *= 1 - alpha
        expected[t] = square
    assert exact.x == drawn.x == tuple(map(float, TIMES))
    assert exact.y == pytest.approx([expected[t] for t in TIMES], rel=1e-9)
    assert drawn.low is not None and drawn.high is not None
    assert all(low <= high for low, high in zip(drawn.low, drawn.high, strict=True))


def test_the_band_that_is_drawn() -> None:
    """The coin once more: y' = (1 − α)y + αγ s(y + 1), s = ±1 with probability ½ each, so

        E y'⁴ = E[(c y)⁴ + 6 (c y)² b² (y + 1)² + b⁴ (y + 1)⁴],    c = 1 − α, b = αγ,

    and the band of e = y² (C = 1) reaches to E y² ± √(E y⁴ − (E y²)²), cut at zero.
    """
    alpha = 0.1
    c, b = 1 - alpha, alpha / 2
    (figure,) = simulate_model(coin(), SimulationRequest(SEED, Constant(alpha), updates=200), ["td"]).figures
    band = figure.series[2]
    m = np.array([1.0, 0, 0, 0, 0])  # E y⁰ … E y⁴
    expected = {}
    for t in range(1, 201):
        shifted = [sum(comb(k, j) * m[j] for j in range(k + 1)) for k in range(5)]  # E(y + 1)ᵏ
        mixed = m[2] + 2 * m[3] + m[4]  # E y²(y + 1)²
        cubic = c**3 * m[3] + 3 * c * b**2 * (m[1] + 2 * m[2] + m[3])  # E y(y + 1)² = m₁ + 2m₂ + m₃
        fourth = c**4 * m[4] + 6 * c**2 * b**2 * mixed + b**4 * shifted[4]
        m = np.array([1.0, c * m[1], c**2 * m[2] + b**2 * shifted[2], cubic, fourth])
        expected[t] = (m[2], max(0.0, m[4] - m[2] ** 2) ** 0.5)  # at first y² is b²
    assert band.low is not None and band.high is not None and band.x == figure.series[1].x
    times = [int(t) for t in band.x]
    assert band.y == pytest.approx([expected[t][0] for t in times], rel=1e-9)
    assert band.high == pytest.approx([sum(expected[t]) for t in times], rel=1e-6)
    assert band.low == pytest.approx([max(0.0, expected[t][0] - expected[t][1]) for t in times], rel=1e-6, abs=1e-12)


def test_the_horizon_the_runs_and_the_quantiles_are_those_asked_for() -> None:
    request = SimulationRequest.of_words(SEED, "0.1", updates=150, runs=40, quantiles="0,1")
    assert request.times[-1] == 150 and len(set(request.times)) == len(request.times) and max(request.times) == 150
    found = simulate_model(coin(), request, ["td"])
    band = found.figures[0].series[0]
    assert band.x[-1] == 150 and "mean over 40 runs" in band.label and "0 and 1 quantiles" in found.figures[0].caption
    at = simulate(
        coin(), "td", StepSizes(Constant(0.1)), [150], 40, SEED, "td: drawn", start=uniform_start(coin()), theta0=[1.0]
    )
    errors = (at.thetas[:, 0, 0] - 1) ** 2
    assert band.low is not None and band.high is not None
    assert (band.low[-1], band.high[-1]) == pytest.approx((errors.min(), errors.max()))
    row = plain(simulation_text(found))
    assert (row["runs"], row["updates"], tuple(row["quantiles"])) == (40, 150, (0.0, 1.0))


@pytest.mark.thorough
def test_the_right_kernel_agrees_and_a_wrong_one_is_noticed(error_budget: ErrorBudget) -> None:
    model, share = flip_chain(Fraction(3, 4), Schedule.equal_weights(1, 3), ((1,), (2,))), 1e-9
    error_budget.spend("--simulate: TD on a chain of two states", share)
    right = simulate_model(model, SimulationRequest(SEED), ["td"], share)
    (judged,) = (run.judged for run in right.runs)
    assert (judged.status, judged.grade, judged.false_alarm_rate) == ("holds", "consistent", share)
    assert right.contradicted == () and right.false_alarm_rate == share
    wrong = simulate_model(model, SimulationRequest(SEED), ["td"], share, simulator=without_lambdas)
    assert wrong.contradicted == ("td",) and wrong.runs[0].judged.status == "refuted"


def test_divergence_is_drawn_and_said() -> None:
    """Off-policy TD on θ→2θ with a large step: every run leaves the range, and the curve ends there."""
    model, constant = theta_to_two_theta(Fraction(99, 100)), Constant(1.0)
    found = simulate_model(model, SimulationRequest(SEED, constant), ["off_policy_td"])
    (run,) = found.runs
    steps, name, start = StepSizes(constant, constant), "off_policy_td: drawn", uniform_start(model)
    at = simulate(model, "off_policy_td", steps, [HORIZON], DRAWN, SEED, name, start=start, theta0=[1.0]).diverged_at
    assert run.diverged == (at >= 0).sum() > 0 and run.diverged_by == at.max() > at[at >= 0].min()
    assert f"{run.diverged} of 200 runs diverged, by update {run.diverged_by:,}." in found.figures[0].caption
    assert found.figures[0].series[0].x[-1] < HORIZON


@pytest.mark.parametrize(
    ("alpha", "mean", "square", "paths"),
    [
        ("1", -1, -1, -1),
        ("32/17", -1, None, -1),
        ("19/10", -1, 1, -1),
        ("2", 0, 1, -1),
        ("21/10", 1, 1, -1),
        ("10", 1, 1, 1),
    ],
)
def test_what_a_step_does_by_hand(alpha: str, mean: int, square: int | None, paths: int) -> None:
    """y' = (1 − α ± α/4)y: the mean has the factor 1 − α, the square (1 − α)² + α²/16, below one for α < 32/17, and
    paths the logarithm ½ log|(1 − α)² − α²/16|. At α = 2 the mean is turned over and over; at 32/17 the square stays as
    it is, which no form decides. The mean by the last state, E[yφ(s)], has the factor α/4.
    """
    found = at_step(coin(Fraction(1, 4)), "td", Fraction(alpha), (0, 1), SEED)
    assert (found.mean, found.mean_square, found.paths) == (mean, square, paths)


@pytest.mark.parametrize(
    ("alpha", "sign", "t"), by_default(2, [("1/20", -1, 1_000), ("1/4", 1, 40), ("1/10", 1, 2_000)])
)
def test_the_mean_at_a_step_is_that_of_the_moments(alpha: str, sign: int, t: int) -> None:
    """Without rewards the iterates are differences: their exact means die out, or grow, as the sign says. The mean
    dynamics of GTD are stable, and 1/10 is too large a step for them.
    """
    model = flip_chain(Fraction(9, 10), Schedule((HALF,)), ((1,), (2,)))
    still = replace(model, rewards=tuple(R.scaled(0) for R in model.rewards))
    assert mean_signs(quotient_system(model, scheduled("gtd"), Fraction(1), (0, 1)), Fraction(alpha)).time_zero == sign
    steps = np.full(t, float(Fraction(alpha)))
    found = finite_time_moments(
        still, "gtd", (steps, steps), [t // 2, t], start=[Fraction(1), Fraction(0)], theta0=[1.0]
    )
    before, after = (float(np.linalg.norm(moments.mean)) for moments in found)
    assert after > 3 * before if sign > 0 else after < before / 3


@pytest.mark.thorough
def test_what_was_observed_comes_first_and_no_tick_stands_before_divergence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sketched: None
) -> None:
    """The coin at α = 10: each update multiplies by −4 or −14, so a run passes 1e100 by update 167 = ⌈100/log₁₀ 4⌉."""
    monkeypatch.chdir(tmp_path)
    Path("coin.json").write_text(json.dumps(coin().canonical))
    assert main(["analyze", "coin.json", "--simulate", "--steps", "10", "--updates", "300"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    seen = re.search(
        r"TD, α = 10: ✗ not small enough: diverged in 200 of 200 runs \(by update (\d+)\); in the mean: no", said
    )
    assert seen is not None and 88 <= int(seen[1]) <= 167
    assert seen.start() < said.index("Algorithm Answer")
    runs = said[said.index("Simulation, seed 0") : said.index("Claims about")]
    assert "✓" not in runs and runs.count("its step is not small enough") == 3
    found = json.loads(Path("analysis-coin/analysis.json").read_text())["simulation"]["algorithms"][0]
    assert found["diverged_by"] == int(seen[1]) and found["at_step"]["mean"] == found["at_step"]["paths"] == "grows"
    page = Path("analysis-coin/index.html").read_text()
    order = [page.index(text) for text in ("diverged in 200 of 200 runs", "✓ converges", "for small constant steps")]
    assert order == sorted(order)
    assert "✓ holds" not in page[page.index('id="simulation"') : page.index('id="warnings"')]


def test_no_tick_stands_before_divergence() -> None:
    """Whether it was seen, or known of the step, or found on paths alone."""
    still = AtStep(Fraction(1), -1, None, None, "so")
    judged = Judged(Status.HOLDS, "", Grade.CONSISTENT)
    run = SimulatedRun("td", "1", None, judged, Figure("f", None, "", "", "", (), ""), 0, False, at_step=still)
    gone = replace(run, diverged=1, diverged_by=9)
    grown = [replace(run, at_step=found) for found in (replace(still, paths=1), replace(still, mean=1))]
    for one in (gone, replace(gone, at_step=None), *grown):
        assert step_words.verdict(one) == "grows" and "✓" not in step_words.agreement(one)
    assert step_words.verdict(run) == "undecided" and step_words.agreement(run) == "✓ holds (consistent)"
    refuted = replace(gone, judged=replace(judged, status=Status.REFUTED))
    assert step_words.agreement(refuted) == "✗ refuted (consistent)"


def test_a_step_that_is_small_enough_says_so() -> None:
    known = {"td": at_step(coin(), "td", HALF, (0, 1), SEED)}
    found = simulate_model(coin(), SimulationRequest(SEED, Constant(0.5), updates=300), ["td"], at_steps=known)
    (run,), (row,) = found.runs, plain(simulation_text(found))["algorithms"]
    assert step_words.verdict(run) == "dies_out" and step_words.agreement(run).startswith("✓ holds")
    said = step_words.answer(run, 200, 3000)
    assert said.startswith("none of 200 runs passed 10¹⁰⁰ within 3,000 updates; in the mean: yes")
    assert row["diverged_by"] is None and row["at_step"]["mean_square"] == row["at_step"]["paths"] == "dies_out"
    (slow,) = simulate_model(coin(), SimulationRequest(SEED, updates=10), ["td"]).runs
    assert slow.at_step is None and step_words.verdict(slow) is None


def test_products_of_ratios_beyond_floats_end_the_curve_alone() -> None:
    """λ = 9/10 without end, ratios of 100: their products over 300 steps are not floats."""
    one = RationalMatrix([[1]])
    rare, always = RationalMatrix([[Fraction(1, 100), Fraction(99, 100)]]), RationalMatrix([[1, 0]])
    model = Model(
        ("rare", "other"),
        (one, one),
        (one, one),
        (one.scaled(Fraction(99, 100)),) * 2,
        rare,
        always,
        one,
        Schedule.constant(Fraction(9, 10)),
        "wild",
    )
    (run,) = simulate_model(model, SimulationRequest(SEED), ["off_policy_td"]).runs
    assert run.judged.status in ("holds", "undecided")


def test_equal_seeds_give_equal_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulated_runs, "RUNS", 1_250)
    one, two, three = (simulate_model(coin(), SimulationRequest(seed, updates=100), ["td"]) for seed in (1, 1, 2))
    assert one == two and one.figures != three.figures


@pytest.mark.parametrize(("order", "size"), [(2, 3), (4, 6)])
def test_an_exact_law_is_asked_for_up_to_the_bound_on_work(
    order: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of y = (θ, 1), θ ∈ ℝ²: y itself is its moments' side at order 2, at order 4 its six products; at ten times."""
    asked = simulated_runs._Experiment(one_state(HALF, features=(1, 2)), named("td"), "td", SimulationRequest(), "td")
    monkeypatch.setattr(simulated_runs, "EXACT_LAW_WORK", 4 * 10 * size**3)
    asked.chain(10, order)
    monkeypatch.setattr(simulated_runs, "EXACT_LAW_WORK", 4 * 10 * size**3 - 1)
    with pytest.raises(BudgetExceededError, match=f"moments of order {order} of 2 parameters are too many"):
        asked.chain(10, order)


@pytest.mark.parametrize(
    ("model", "what"),
    [
        (two_absorbing_states(), "needs one recurrent class"),
        (flip_chain(1), "A is singular"),
        (flip_chain(1, Schedule.constant(Fraction(1))), "series Σ Nᵏ to have a sum"),
        (coin().with_features(RationalMatrix.column([0, 0])), "do not vanish"),
    ],
)
def test_what_cannot_be_simulated_is_refused_in_a_sentence(model: Model, what: str) -> None:
    with pytest.raises(InputError, match=what):
        tdcert.analyze(model, simulate=True)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--seed", "1"), "about --simulate, or one constant step"),
        (("--ratio", "2"), "about --steps, --phase-diagram, --algorithms or --for-all"),
        (("--updates", "100"), "--updates is about --simulate"),
        (("--runs", "100"), "--runs is about --simulate"),
        (("--quantiles", "0,1"), "--quantiles is about --simulate"),
        (("--phase-x", "step"), "--phase-x is about --phase-diagram"),
        (("--steps", "0"), "nothing is learnt"),
        (("--steps", "0.1", "--ratio", "0"), "ratio β/α is 0"),
        (("--steps", "0.1", "--arithmetic", "sparse"), "--arithmetic enclosed"),
        (("--simulate", "--steps", "largest"), "no step that runs could take"),
        (("--simulate", "--quantiles", "0.9,0.1"), "quantiles are 0.9 and 0.1"),
        (("--simulate", "--quantiles", "0.9"), "give two numbers"),
        (("--simulate", "--updates", "1"), "from 10 to"),
        (("--simulate", "--runs", "1"), "2 to"),
        (("--candidates", "often"), "the candidate is 'often'"),
        (("--candidates", " "), "no schedule was named"),
        (("--phase-diagram", "--phase-x", "speed"), "there is no axis 'speed'"),
        (("--phase-diagram", "--phase-x", "lambda:2"), "not between 0 and 1"),
        (("--phase-diagram", "--phase-x", "step:0.1", "--phase-step", "0.1"), "not given twice"),
        (("--phase-diagram", "--phase-x", "discount", "--phase-y", "discount"), "two that differ"),
        (("--simulate", "--steps", "fast"), "step sizes are 'fast'"),
        (("--simulate", "--arithmetic", "sparse"), "--arithmetic enclosed"),
    ],
)
def test_the_command_line_refuses_in_one_sentence(
    options: tuple[str, ...], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyze", "examples/random_walk_5.json", "--json", *options]) == 2
    said = capsys.readouterr().err.strip()
    assert what in said and len(said.splitlines()) == 1


def test_step_sizes_by_the_model_and_by_the_user() -> None:
    """|φ|² = 1 and Σ c_k γᵏ = 1: the first step is 1, so 20/(t + 100)^0.75 as 100^0.75 is 31.6."""
    assert first_step(coin()) == 1.0
    assert step_text(SimulationRequest().step_sizes(coin(), "td").alpha) == "20/(t + 100)^0.75"
    slow = SimulationRequest().step_sizes(coin(), "tdc")
    assert (step_text(slow.alpha), step_text(slow.beta)) == ("20/(t + 100)^0.8", "10/(t + 100)^0.6")
    assert SimulationRequest.of_words(0, "1/2").steps == Constant(0.5)
    assert SimulationRequest.of_words(0, "10,100,3/4").steps == Polynomial(10.0, 100.0, 0.75)
    for words in ("x", "1,2,3,4", "1/0", "", "1e999"):
        with pytest.raises(InputError, match="step sizes are"):
            SimulationRequest.of_words(0, words)
