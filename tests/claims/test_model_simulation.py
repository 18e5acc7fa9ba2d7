"""``--simulate``: what it draws against a recursion by hand, what it notices, what it refuses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import tdcert
from tdcert.analysis import simulated_runs
from tdcert.analysis.request import SimulationRequest, first_step, step_text
from tdcert.analysis.simulated_runs import HORIZON, TIMES, simulate_model
from tdcert.claims.models import two_absorbing_states
from tdcert.reports.cli import main
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.kernels import simulate
from tdcert.sims.step_sizes import Constant, Polynomial
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.model.gallery import fair_coin_chain, flip_chain, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

SEED = 20_26
HALF = Fraction(1, 2)


def coin() -> Model:
    """The fair coin with rewards ± 1, γ = ½: θ* = 1."""
    model = fair_coin_chain(HALF)
    return Model.reward_process(model.transitions[0], RationalMatrix.column([1, -1]), HALF, model.features, Schedule())


def without_lambdas(model: Model, *given: Any, **named: Any) -> Any:
    """A kernel that forgets the schedule."""
    return simulate(model.with_schedule(Schedule()), *given, **named)


def test_the_expectation_that_is_drawn() -> None:
    """y = θ − θ*: y' = (1 − α)y + αγ s(y + θ*), s an independent sign; from θ_0 = 1 = θ* the error is noise alone."""
    alpha, gamma = 0.1, 0.5
    found = simulate_model(coin(), SimulationRequest(SEED, Constant(alpha)), ["td"])
    drawn, exact = found.figures[0].series
    mean, square, expected = 0.0, 0.0, {}
    for t in range(1, HORIZON + 1):
        square = (1 - alpha) ** 2 * square + (alpha * gamma) ** 2 * (square + 2 * mean + 1)
        mean *= 1 - alpha
        expected[t] = square
    assert exact.x == drawn.x == tuple(map(float, TIMES))
    assert exact.y == pytest.approx([expected[t] for t in TIMES], rel=1e-9)
    assert drawn.low is not None and drawn.high is not None
    assert all(low <= high for low, high in zip(drawn.low, drawn.high, strict=True))


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
    found = simulate_model(
        theta_to_two_theta(Fraction(99, 100)), SimulationRequest(SEED, Constant(1.0)), ["off_policy_td"]
    )
    (run,) = found.runs
    assert run.diverged > 0 and f"{run.diverged} of 200 runs diverged" in found.figures[0].caption
    assert found.figures[0].series[0].x[-1] < HORIZON


def test_products_of_ratios_beyond_floats_end_the_curve_alone() -> None:
    """λ = 9/10 without end, ratios of 100: their products over 300 steps are no floats."""
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
    one, two, three = (simulate_model(coin(), SimulationRequest(seed), ["td"]) for seed in (1, 1, 2))
    assert one == two and one.figures != three.figures


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
        (("--seed", "1"), "about --simulate"),
        (("--steps", "0.1"), "about --simulate"),
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
    for words in ("x", "1,2", "1/0", "", "1e999"):
        with pytest.raises(InputError, match="step sizes are"):
            SimulationRequest.of_words(0, words)
