"""Schedules compared on one model: against closed forms by hand, and what is said when the model changes.

The fair coin: two states, each next state drawn evenly, φ = (1, −1), rewards r̄ ± ρ. Then Pφ = 0, A = −1 and C = 1 for
every schedule, θ* = ρ, and the errors V − Φθ* = r̄/(1 − γ) are one constant. The noise is

    ε_t = (r̄ + γρ φ_{t+1}) Σ_k c_k γᵏ φ_{t−k},

φ independent signs: the first part is a moving average, the second a sum of uncorrelated products of two signs, so

    Σ = r̄² (Σ c_k γᵏ)² + γ²ρ² Σ c_k² γ²ᵏ,        E z² = Σ c_k² γ²ᵏ.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

import tdcert
from tdcert.analysis import exact_analysis
from tdcert.analysis.advice import compare_schedules
from tdcert.analysis.advice.answer import _least, _trade, answer
from tdcert.analysis.advice.compare_schedules import compare
from tdcert.analysis.advice.compared_schedules import (
    COMPARED,
    Candidate,
    Compared,
    ScheduleComparison,
    schedule_name,
)
from tdcert.analysis.analyse import analyse
from tdcert.analysis.facts import Quantity
from tdcert.analysis.request import Arithmetic, Request
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_dynamics import reduce_features, td_dynamics
from tdcert.theory.check.mean_matrix import Dynamics
from tdcert.theory.files import Overrides, load_any
from tdcert.theory.files.schedule_forms import schedule_from_text, schedule_option
from tdcert.theory.laws.mean_square import LargestStep
from tdcert.theory.limits import limits_raised
from tdcert.theory.model.gallery import fair_coin_chain, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.progress import silently
from tdcert.theory.verdict import Grade
from tests.analysis.test_warnings import numbers_of
from tests.effort import by_default

HALF = Fraction(1, 2)


def coin(mean: int, gamma: Fraction = HALF) -> Model:
    """The fair coin with rewards ``mean`` ± 1."""
    model = fair_coin_chain(gamma)
    return Model.reward_process(
        model.transitions[0], RationalMatrix.column([mean + 1, mean - 1]), gamma, model.features, Schedule.n_step(3)
    )


def compared(model: Model) -> ScheduleComparison:
    """In fractions."""
    return compare(numbers_of(model))


def sums(schedule: Schedule, gamma: Fraction) -> tuple[Fraction, Fraction]:
    """Σ c_k γᵏ and Σ c_k² γ²ᵏ, written anew."""
    if schedule.tail:
        q = schedule.tail * gamma
        return 1 / (1 - q), 1 / (1 - q * q)
    weights = [Fraction(1)]
    for lam in schedule.lambdas:
        weights.append(weights[-1] * lam * gamma)
    return sum(weights, Fraction(0)), sum((c * c for c in weights), Fraction(0))


@pytest.mark.parametrize("mean", by_default(1, [3, 0]))
def test_every_schedule_on_the_fair_coin(mean: int) -> None:
    rows = compared(coin(mean)).rows
    assert [row.candidate.schedule for row in rows] == [Schedule.n_step(3), *COMPARED]
    error = Fraction(mean) ** 2 / (1 - HALF) ** 2
    for row in rows:
        first, second = sums(row.candidate.schedule, HALF)
        kappa = row.candidate.schedule.kappa(HALF)
        assert row.error is not None and row.bound is not None and row.variance is not None and row.trace_square
        assert (row.error.lower, row.error.upper) == (error, error)
        assert row.bound.lower == row.bound.upper == error / (1 - kappa * kappa)
        assert row.variance.lower <= mean**2 * first**2 + HALF**2 * second <= row.variance.upper
        assert row.variance.upper - row.variance.lower < Fraction(1, 10**12)
        assert row.trace_square.lower <= second <= row.trace_square.upper
        assert row.td is not None and row.td.is_stable and row.td.rate == (-1, -1)


def test_every_schedule_has_its_own_error_and_rate() -> None:
    """θ→2θ with reward 1: V = 1/(1 − γ), and with κ of the schedule A = (6κ − 5)/2, b = 3(1 − κ)/(2(1 − γ))."""
    gamma = Fraction(4, 5)
    model = replace(theta_to_two_theta(gamma), rewards=(RationalMatrix.column([1, 1]),) * 2)
    value, rates = 1 / (1 - gamma), set()
    for row in compared(model).rows:
        kappa = Fraction(0) if row.candidate.schedule.tail == 1 else row.candidate.schedule.kappa(gamma)
        A, b = (6 * kappa - 5) / 2, 3 * (1 - kappa) * value / 2
        theta = -b / A
        error = ((theta - value) ** 2 + (2 * theta - value) ** 2) / 2
        assert row.td is not None and row.td.rate == (A, A)
        assert row.error is not None and row.error.lower == row.error.upper == error
        rates.add(A)
    assert len(rates) > 5


def test_the_largest_step_of_TD_on_the_fair_coin() -> None:
    """y' = y (1 − α + αγ φφ'): E y'² = ((1 − α)² + α²γ²) y², below y² for α < 2/(1 + γ²) = 8/5."""
    (row,) = [row for row in compared(coin(0)).rows if not row.candidate.schedule.lambdas][:1]
    assert row.step is not None and row.step.crossing is not None
    assert row.step.crossing[0] <= Fraction(8, 5) <= row.step.crossing[1]
    assert row.step.bounded.alpha < Fraction(8, 5) < row.step.unbounded.alpha


@pytest.mark.thorough
def test_the_answer_follows_the_model() -> None:
    silent, loud = (answer(compared(coin(mean)).rows) for mean in (0, 3))
    assert (
        "The features can write the true value of the recurrent states: the fixed point has no error there with each "
        "of the 11 schedules."
    ) in silent
    assert any(said.startswith("Monte Carlo (λ = 1) has the smallest error bound: ") for said in loud)
    # v = Σ c_k² γ²ᵏγ²: (1 + 1/4 + 1/16)/1 = 21/16 of TD(0)'s with the model's own three steps, so TD(0)'s is 5/21 less
    assert "TD(0) has the smallest asymptotic variance: 24 % smaller than with the model's own schedule." in silent
    assert "fastest mean dynamics of TD (spectral abscissa)" in silent[-1]
    far, near = (compared(theta_to_two_theta(gamma)) for gamma in (Fraction(9, 10), HALF))
    assert "fastest mean dynamics of off-policy TD (spectral abscissa)" in answer(far.rows)[-1]
    first, second = (answer(found.rows)[1] for found in (far, near))
    assert first == "Off-policy TD is stable with 9 of 10 schedules, unstable with TD(0)."
    assert second == "Off-policy TD is stable with each of the 10 schedules."


def test_a_trade_between_error_and_variance_is_dated() -> None:
    """1 + 800/T and 3 + 200/T cross at T = 300; nothing is said where one is better in both, nor of few steps."""

    def row(schedule: Schedule, error: int, variance: int) -> Compared:
        exact = [Quantity.exact(Fraction(x)) for x in (error, variance)]
        return Compared(Candidate(schedule, False), None, error=exact[0], variance=exact[1])

    slow, calm = row(Schedule.n_step(4), 1, 800), row(Schedule(), 3, 200)
    assert _trade([slow, calm]) == (
        "Of averages over T steps, to first order in 1/T: TD(0) has the smaller mean square error than 4-step up to "
        "about T = 300, and 4-step beyond."
    )
    assert _trade([slow, row(Schedule(), 3, 900)]) == _trade([slow, row(Schedule(), 3, 700)]) == ""


def test_ties_and_single_numbers() -> None:
    """Equal numbers have no winner, one number is not a comparison, and unknown ones are counted."""

    def row(schedule: Schedule, variance: int | None) -> Compared:
        known = None if variance is None else Quantity.exact(Fraction(variance))
        return Compared(Candidate(schedule, False), None, variance=known)

    def said(*variances: int | None) -> str:
        rows = [row(Schedule.n_step(k + 2), variance) for k, variance in enumerate(variances)]
        return _least(rows, lambda row: row.variance, "smallest variance")

    assert said(2, 1, 3) == "3-step has the smallest variance."
    assert said(1, 1, 3) == "2-step and 3-step have the smallest variance."
    assert said(1, 1) == "All 2 schedules are equal in this: smallest variance."
    assert said(1, None, 2) == "Of the 2 of 3 for which it is known, 2-step has the smallest variance."
    assert said(1, None) == said(None, None) == ""


@pytest.mark.thorough
@pytest.mark.parametrize("mean", by_default(1, [3, 0]))
def test_enclosures_hold_what_is_exact(mean: int) -> None:
    model = coin(mean).with_features(RationalMatrix.column([1, 2]))
    exact = compared(model).rows
    enclosed = compare(numbers_of(model, Arithmetic.ENCLOSED)).rows
    for row, about in zip(exact, enclosed, strict=True):
        assert row.name == about.name and row.kappa == about.kappa
        numbers = [(row.error, about.error), (row.bound, about.bound)]
        for sure, near in (*numbers, (row.variance, about.variance), (row.trace_square, about.trace_square)):
            assert sure is not None and near is not None
            assert near.lower <= sure.upper and sure.lower <= near.upper
            assert near.upper - near.lower < Fraction(1, 10**9)
        assert (about.step is None) == (about.candidate.schedule.tail != 0) == ("largest_step" in about.missing)
        if row.step is not None and about.step is not None:
            assert about.step.grade is Grade.ENCLOSED and row.step.grade is Grade.CERTIFIED
            assert isinstance(row.step, LargestStep) and about.step.upto <= about.step.low < row.step.high
            assert about.step.high is None or about.step.high > row.step.low
        assert row.td is not None and about.td is not None and row.td.mean_dynamics == about.td.mean_dynamics


@pytest.mark.thorough
def test_constant_steps_of_enclosed_comparisons_are_sought_where_they_are_asked_for() -> None:
    given = load_any("examples/two_state_theta_2theta.json", Overrides(schedule="n_step:2"))
    usual, asked = (
        analyse(given, silently, Request.of_words("enclosed", 53, None, steps=steps)).advice
        for steps in (None, "largest")
    )
    (left,) = usual.left_out
    why = {row.missing.get("largest_step") for row in usual.comparison.rows}
    assert why == {left.why} and all(row.step is None for row in usual.comparison.rows)
    assert usual.sentences == asked.sentences and not asked.left_out
    assert left.option == "--steps largest" in left.why
    for row, other in zip(usual.comparison.rows, asked.comparison.rows, strict=True):
        assert other.missing.get("largest_step") != left.why
        kept = {key: reason for key, reason in row.missing.items() if key != "largest_step"}
        rest = {key: reason for key, reason in other.missing.items() if key != "largest_step"}
        assert replace(row, missing=kept) == replace(other, missing=rest, step=None)


def test_what_cannot_be_compared_says_why() -> None:
    two = Model.reward_process(
        RationalMatrix([[1, 0], [0, 1]]), RationalMatrix.column([1, 0]), HALF, RationalMatrix.column([1, 1])
    )
    found = compared(two)
    assert found.rows == () and "2 recurrent classes" in str(found.why) and answer(found.rows) == []


@pytest.mark.thorough
def test_the_document_has_them_and_says_what_is_missing() -> None:
    document = tdcert.analyze("examples/two_state_theta_2theta.json", arithmetic="enclosed")
    rows = document["schedules"]
    assert [row["name"] for row in rows if row["of_the_model"]] == ["TD(0)"]
    for row in rows:
        assert schedule_name(schedule_from_text(row["schedule"], "here")) == row["name"]
        for key in ("error_bound_squared", "fixed_point_error_squared", "asymptotic_variance", "largest_step"):
            assert (row[key] is None) == (key in row["missing"]), (row["name"], key)
    assert rows[0]["algorithms"]["off_policy_td"]["mean_dynamics"] == "unstable"


@pytest.mark.parametrize("schedule", COMPARED, ids=schedule_name)
def test_names_are_options_too(schedule: Schedule) -> None:
    assert schedule_from_text(schedule_option(schedule), "here") == schedule


@pytest.mark.thorough
def test_the_dynamics_of_the_models_own_schedule_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Schedule] = []

    def counted(model: Model, states: tuple[int, ...]) -> Dynamics[Fraction]:
        asked.append(model.schedule)
        return td_dynamics(model, states)

    monkeypatch.setattr(exact_analysis, "td_dynamics", counted)
    numbers = numbers_of(coin(3))
    rows = compare(numbers).rows
    assert sorted(map(schedule_name, asked)) == sorted(row.name for row in rows)
    assert numbers.facts.single is not None and rows[0].algorithms == numbers.facts.single.algorithms


def test_exact_silence_is_asked_only_where_the_variance_may_be_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """In balls: δ = 1 + γθ − θ is zero at θ* = 3/2 on every transition, and thirds have no exact ball."""
    monkeypatch.setattr(compare_schedules, "EXACT_MOMENTS", 0)
    monkeypatch.setattr(compare_schedules, "_moments_in_floats", lambda *_: (None, None, ""))
    model = coin(0, Fraction(1, 3)).with_features(RationalMatrix([[1], [1]]))
    silent = replace(model, rewards=(RationalMatrix.column([1, 1]),))
    variance, _, why = compare_schedules.second_moments(silent, reduce_features(silent, (0, 1)), (0, 1))
    assert variance == Quantity.exact(Fraction(0)) and not why
    monkeypatch.setattr(compare_schedules, "is_silent", lambda *_: pytest.fail("asked though the variance is not zero"))
    variance, _, _ = compare_schedules.second_moments(model, reduce_features(model, (0, 1)), (0, 1))
    assert variance is not None and variance.lower > 0


def test_limits_raise_how_large_a_model_has_its_variances_in_balls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two states, where floats show nothing and one is the limit."""
    monkeypatch.setattr(compare_schedules, "EXACT_MOMENTS", 0)
    monkeypatch.setattr(compare_schedules, "MOMENT_STATES", 1)
    monkeypatch.setattr(compare_schedules, "_moments_in_floats", lambda *_: (None, None, "not shown"))
    model = coin(0, Fraction(1, 3)).with_features(RationalMatrix([[1], [1]]))
    asked = model, reduce_features(model, (0, 1)), (0, 1)
    assert compare_schedules.second_moments(*asked) == (None, None, "not shown")
    with limits_raised(2):
        variance, _, why = compare_schedules.second_moments(*asked)
    assert variance is not None and variance.lower > 0 and not why
