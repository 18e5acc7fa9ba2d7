"""Is a step small enough? Answers against recursions by hand, their certificates, and the largest step."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tdcert
from tdcert.algorithms.schedules import declared, scheduled
from tdcert.analysis.advice.warnings import Warned, averages_mislead
from tdcert.analysis.analyse import Request, analyse
from tdcert.analysis.at_step import (
    CERTIFICATES,
    AtStep,
    StepAnswer,
    StepAnswers,
    answer_steps,
    at_decreasing_steps,
    at_step,
)
from tdcert.analysis.request import StepQuestion
from tdcert.claims.models import two_absorbing_states
from tdcert.reports import step_words
from tdcert.reports.analysis_json import steps_text
from tdcert.reports.analysis_view import StepView
from tdcert.reports.cli import main
from tdcert.reports.replay import rejection
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.shelf import Shelf
from tdcert.theory.document_types import plain
from tdcert.theory.engine.paths import OnPaths, on_paths
from tdcert.theory.engine.second_moments import UNDER_WAY
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.files import LoadedModel
from tdcert.theory.laws import mean_square
from tdcert.theory.laws.mean_square import LargestStep, show_bounded, show_unbounded
from tdcert.theory.laws.path_exponents import EnclosedExponent, PathSign
from tdcert.theory.laws.step_signs import StepSigns
from tdcert.theory.model.gallery import fair_coin_chain, one_state, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Grade
from tests.chains import quotient_system, two_actions
from tests.effort import by_default

F, HALF = Fraction, Fraction(1, 2)
STILL = one_state(F(0), features=(1,))
"""No discount and one state: A = −1, C = 1, and nothing is random."""


def ask(model: Model, words: str, ratio: str | None = None) -> StepAnswers:
    return answer_steps(model, StepQuestion.of_words(words, ratio))


def verdicts(found: StepAnswers) -> list[str | None]:
    return [step_words.verdict_of(one.at) for one in found.answers]


@pytest.mark.parametrize(
    ("alpha", "ratio", "gtd"),
    by_default(
        1, [("29/100", "8", "dies_out"), ("3/10", "8", "grows"), ("1/2", "1", "dies_out"), ("1/2", "8", "grows")]
    ),
)
def test_both_steps_of_gtd_by_hand(alpha: str, ratio: str, gtd: str) -> None:
    """GTD: θ' = θ + αw, w' = w − β(θ + w). Its characteristic polynomial z² − (2 − β)z + 1 − β + αβ has both roots
    inside of the unit circle exactly if α < 1 and β(2 − α) < 4: at β = 8α this is 2α(2 − α) < 1, α < 1 − √½ = 0.2929.
    """
    found = ask(STILL, alpha, ratio)
    assert verdicts(found)[1] == gtd
    row = plain(steps_text(found))["algorithms"][1]
    assert (row["algorithm"], row["at"]["alpha"]) == ("gtd", str(F(alpha)))
    assert row["verdict"] == {"dies_out": "small_enough", "grows": "not_small_enough"}[gtd]


def test_td_by_hand() -> None:
    """θ' = (1 − α)θ: every α below two, exactly."""
    assert [verdicts(ask(STILL, words))[0] for words in ("199/100", "201/100")] == ["dies_out", "grows"]
    edge = ask(STILL, "2").answers[0].at  # |1 − α| = 1: nothing grows, nothing dies out
    assert edge is not None and edge.mean == 0 and step_words.verdict_of(edge) == "undecided"
    largest = ask(STILL, "largest").answers[0].largest
    assert isinstance(largest, LargestStep) and largest.crossing is not None
    assert largest.low < 2 < largest.high
    assert largest.crossing[0] <= 2 <= largest.crossing[1]


def test_the_largest_step_of_the_fair_coin_is_certified() -> None:
    """E y'² = ((1 − α)² + α²/16) y² is below y² for α < 32/17 (``test_what_a_step_does_by_hand``). Each certificate
    is accepted by the checker, and about TD it speaks of off-policy TD, which it is where all ratios are one.
    """
    found = ask(fair_coin_chain(F(1, 4)), "1/2")
    td = found.answers[0]
    assert td.at is not None and td.at.certificates and isinstance(td.largest, LargestStep)
    assert td.largest.low < F(32, 17) < td.largest.high
    assert step_words.largest(td).startswith("every constant step up to 1.8823 is certified as small enough; at ")
    assert len(found.files) > 6 and {file.body["about"]["algorithm"] for file in found.files} >= {
        "off_policy_td",
        "gtd",
    }
    assert [rejection(file.body) for file in found.files] == [""] * len(found.files)


def test_the_mean_is_the_mean_of_all_states() -> None:
    """A fair coin with features ±1, γ = 9/10: E[y_t] = (−½)ᵗ y_0 at the step 3/2, and the mean square grows."""
    P = RationalMatrix([[HALF, HALF]] * 2)
    coin = Model.reward_process(P, RationalMatrix.column([0, 1]), F(9, 10), RationalMatrix.column([1, -1]))
    at = at_step(coin, "td", F(3, 2), (0, 1), 0)
    assert (at.mean, at.mean_square, at.under_way) == (-1, 1, None)
    assert at.in_words.startswith("in the mean: yes; in mean square: no")


def test_runs_from_time_zero_and_runs_under_way() -> None:
    """3-step TD, φ = 1, γ = 9/10, α = 10: θ_1 = θ* from every θ_0, as 1 − α(1 − γ) = 0; with the trace of later times
    differences are multiplied by 1 − 271/100. It follows its law, and by that law it settles.
    """
    model = one_state(F(9, 10), Schedule.n_step(3))
    found = ask(model, "10")
    at = found.answers[0].at
    assert at is not None and (at.mean, at.mean_square, at.paths) == (-1, -1, -1) and at.under_way == (1, 1)
    assert step_words.verdict_of(at) == "dies_out" and at.in_words.endswith(
        "; all of this for runs from time zero: where parameters are changed during a run and its trace is kept, "
        "in the mean: no; in mean square: no"
    )
    document = plain(steps_text(found))["algorithms"]
    assert document[0]["at"]["under_way"] == {"mean": "grows", "mean_square": "grows"}
    assert document[1]["at"]["under_way"] is None and document[1]["at"]["mean_square"] == "grows"
    assert rejection(found.files[0].body) == ""


@pytest.mark.thorough
def test_the_step_that_is_too_large_is_so_from_time_zero() -> None:
    """φ = 1, γ = 3/4, λ = (1, 3/5): with a full trace 1 − α(1 + 3/4 + 27/80)/4 = −1 at α = 640/167 = 3.83, and 4 would
    be a step above it, at which the first update takes every run from time zero to θ*.
    """
    model = one_state(F(3, 4), Schedule((F(1), F(3, 5))))
    found = ask(model, "4").answers[0]
    assert found.at is not None and (found.at.mean_square, found.at.under_way) == (-1, (1, 1))
    assert isinstance(found.largest, LargestStep) and F(640, 167) < found.largest.high != 4
    again = ask(model, str(found.largest.high)).answers[0].at
    assert again is not None and (again.mean_square, again.under_way) == (1, None)


def test_paths_of_runs_under_way_are_called_that(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where runs from time zero reach a part of the parameters alone, and that part is not decided."""
    confined = StepSigns(None, None, (1, 1), is_confined=True)
    monkeypatch.setattr("tdcert.theory.engine.second_moments.signs_at", lambda *_: confined)
    monkeypatch.setattr("tdcert.analysis.at_step.on_paths", lambda *_: OnPaths(PathSign(None)))
    found = at_step(STILL, "td", F(3), (0,), 0)
    assert found.paths is None and found.paths_why.startswith("of runs under way most runs grow")
    assert step_words.verdict_of(found) == "undecided" and found.under_way == (1, 1)


def test_paths_are_certified_before_they_are_simulated() -> None:
    """θ→2θ at 3/2: θ is multiplied by 11/5 or 1 − 6/5 … with mean and mean square above one, and paths die out."""
    shrinks = ask(theta_to_two_theta(F(9, 10)), "3/2")
    off_policy, *_ = shrinks.answers
    at = off_policy.at
    assert at is not None and at.exponent is not None and at.exponent.high is not None
    assert (at.mean, at.mean_square, at.paths) == (1, 1, -1) and at.exponent.sign == -1
    # the ratio is 2 into the second state, where φ becomes 2, else zero: 1 + 3/2·2·1·(9/5 − 1), 1 + 3/2·2·2·(9/5 − 2)
    exact = (log(abs(1 + 3 * 0.8)) + log(abs(1 + 6 * -0.2))) / 4
    assert at.exponent.low is not None and float(at.exponent.low) <= exact <= float(at.exponent.high)
    assert "averages over runs mislead" in at.in_words and "certified: λ₁ ≤" in at.in_words
    assert step_words.verdict_of(at) == "grows"
    document = plain(steps_text(shrinks))["algorithms"][0]["at"]
    certified = {"at_least": str(at.exponent.low), "at_most": str(at.exponent.high)}
    assert document["exponent"] == certified | {"enclosed_at_least": None, "enclosed_at_most": None}
    kinds = [file.body["kind"] for file in shrinks.files]
    assert kinds.count("path_exponent_scalar") == 1 and not any(rejection(file.body) for file in shrinks.files)


@pytest.mark.thorough
def test_bounds_without_a_sign_are_said_beside_what_is_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """GTD with one feature at α = β = 1/2 has two parameters: on 128 cells its paths grow, from every start."""
    model, shelf = two_actions(1, 3, 6), Shelf(CERTIFICATES)
    found = at_step(model, "gtd", HALF, (0, 1, 2), 0, shelf=shelf)
    assert (found.paths, found.mean_square) == (1, 1) and found.exponent is not None
    assert "certified: λ₁ ≥ 0.01244" in found.in_words and "from every start other than 0" in found.in_words
    assert [file.body["kind"] for file in shelf.files] == ["path_exponent_cells"] * 2 and len(found.certificates) == 2
    monkeypatch.setattr("tdcert.analysis.at_step.on_paths", partial(on_paths, cells=300))
    few = at_step(model, "gtd", HALF, (0, 1, 2), 0, shelf=Shelf(CERTIFICATES))
    assert few.paths == 1 and "most runs grow" in few.paths_why and len(few.certificates) == 2
    assert few.exponent is not None and few.exponent.sign is None
    low, high = few.exponent.low, few.exponent.high
    assert low is not None and high is not None and low < 0 < F(1, 100) < high
    bounds = f"; certified: {float(low):g} ≤ λ₁ ≤ {float(high):g} a step; no bound of the exponent has a sign"
    assert few.paths_why.endswith(f"{bounds}; finer cells of directions may give one: take --limits 4")


def test_what_is_enclosed_of_paths_has_fields_and_words_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside what is certified, never in its place."""
    shown = PathSign(1, F(-1, 8), F(1, 2), enclosed=EnclosedExponent(1, F(1, 4_000), 5, 600), from_time_zero=True)
    monkeypatch.setattr("tdcert.analysis.at_step.on_paths", lambda *_: OnPaths(shown))
    found = ask(theta_to_two_theta(F(9, 10)), "3/2")
    at = found.answers[0].at
    assert at is not None and at.paths == 1 and at.exponent == shown
    assert (
        "on paths: no (enclosed, by the drift of 5 logarithms on 600 boxes of directions: λ₁ ≥ 0.00025" in at.in_words
    )
    document = plain(steps_text(found))["algorithms"][0]["at"]["exponent"]
    assert document["at_least"] == "-1/8" and document["at_most"] == "1/2"
    assert document["enclosed_at_least"] == "1/4000" and document["enclosed_at_most"] is None
    view = StepView._of(found.answers[0])
    assert view.exponent == (F(-1, 8), F(1, 2)) and view.enclosed_exponent == (F(1, 4_000), None)
    assert view.paths is False


@pytest.mark.thorough
def test_what_runs_do_follows_from_their_differences() -> None:
    """One law where differences die out on paths, of nodes that have one class, from every start; else far away."""
    misled, far, _ = (one.at for one in ask(theta_to_two_theta(F(9, 10)), "3/2").answers)
    assert misled is not None and far is not None
    assert (misled.runs, far.runs) == ("one_law", "unbounded") and misled.mean_square == 1
    assert misled.in_words.endswith("whatever the noise, runs have one stationary law)")
    assert far.in_words.endswith("whatever the noise, runs go to infinity from almost every start)")
    near = ask(fair_coin_chain(F(1, 4)), "1/2").answers[0]
    assert near.at is not None and near.at.mean_square == -1 and near.at.runs == "one_law"
    assert [plain(steps_text(ask(STILL, x)))["algorithms"][0]["at"]["runs"] for x in ("1", "3")] == [
        "one_law",
        "unbounded",
    ]
    assert StepView._of(near).runs == "one_law"
    # on the edge, and where a run under way does something else
    edge, later = ask(STILL, "2").answers[0].at, ask(one_state(F(9, 10), Schedule.n_step(3)), "10").answers[0].at
    assert edge is not None and edge.runs is None and later is not None
    assert later.mean_square == -1 and later.under_way is not None and later.runs is None


def test_runs_with_noise_come_to_one_law_or_go_to_infinity() -> None:
    """θ→2θ with rewards: θ' = θ + 3ρφ(r + (9/10)φ'θ − φθ)/2 forgets where it began, on the same transitions, though its
    mean and mean square grow; θ' = −2θ + b, on one state, is left by one start alone, b/3.
    """
    rng, theta = np.random.default_rng(7), np.array([0.0, 1e6, -1e9])
    state = 0
    for _ in range(4_000):
        after = int(rng.random() < 0.5)
        ratio, phi, further = (2.0 if after else 0.0), 1.0 + state, 1.0 + after
        theta = theta + 1.5 * ratio * phi * (rng.standard_normal() + 0.9 * further * theta - phi * theta)
        state = after
    assert np.ptp(theta) < 1e-9 * (1 + abs(theta[0])) and theta[0] != 0
    grows = ask(replace(STILL, rewards=(RationalMatrix.column([1]),)), "3").answers[0].at
    assert grows is not None and grows.runs == "unbounded"
    values = np.array([0.0, 1.0, 0.999])
    for _ in range(60):  # θ' = θ + 3(1 − θ): 1 stays, all others go
        values = values + 3 * (1 - values)
    assert abs(values[0]) > 1e15 and values[1] == 1 and abs(values[2]) > 1e12


def test_averages_that_mislead_are_warned_of() -> None:
    """Mean square grows and paths die out, the mean dies out and paths grow, and neither."""
    answers = ask(theta_to_two_theta(F(9, 10)), "3/2").answers
    told = averages_mislead(answers)
    assert isinstance(told, Warned) and [*told.numbers] == ["off_policy_td"] and told.severity == "warning"
    assert told.text.startswith("off-policy TD at α = 1.5: the mean square of differences of two runs grows, and")
    assert averages_mislead(answers[1:]) is None and isinstance(averages_mislead(()), str)
    P = RationalMatrix([[HALF, HALF]] * 2)
    coin = Model.reward_process(P, RationalMatrix.column([0, 1]), F(9, 10), RationalMatrix.column([1, -1]))
    (td, *_) = ask(coin, "3/2").answers
    assert td.at is not None and (td.at.mean, td.at.paths) == (-1, 1) and td.at.runs == "unbounded"
    assert "averages over runs mislead, as the mean dies out" in td.at.in_words
    other = averages_mislead([td])
    assert isinstance(other, Warned) and "the mean of differences of two runs dies out, and on almost" in other.text
    assert averages_mislead([replace(td, at=replace(td.at, exponent=None))]) is None  # simulated alone


def test_the_warning_is_asked_where_steps_are() -> None:
    for steps, named in (("3/2", True), (None, False)):
        found = tdcert.analyze(theta_to_two_theta(F(9, 10)), what="warnings", steps=steps)
        assert ("averages_mislead" in found["warnings_asked"]) == named
        assert ("averages_mislead" in {w.id for w in found.warnings}) == named
        assert ("averages_mislead" in {w["id"] for w in found["warnings_not_asked"]}) != named


def test_growth_on_paths_that_runs_from_time_zero_may_not_show_is_said_of_runs_under_way() -> None:
    """One state, λ = (1, 1), γ = 9/10, α = 10: the first update takes every run to θ*, and later ones grow."""
    model = one_state(F(9, 10), Schedule((F(1), F(1))))
    found = ask(model, "10").answers[0].at
    assert found is not None and (found.mean_square, found.paths) == (-1, -1)  # from time zero
    shown = on_paths(model, declared("td", model), (0,), [F(1)], F(10)).sign
    assert shown.sign == 1 and not shown.from_time_zero


def without_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nodes were too many for fractions."""

    def refused(*_: object) -> None:
        raise BudgetExceededError("too many windows")

    for room in ("tdcert.analysis.at_step", "tdcert.theory.engine.second_moments"):
        monkeypatch.setattr(f"{room}.system_within", refused)


@pytest.mark.thorough
def test_growth_that_counts_runs_under_way_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where windows cannot be listed, and at decreasing steps that begin above those that are certified."""
    without_nodes(monkeypatch)
    coin = fair_coin_chain(F(1, 4))
    for words, counted in (("10", True), ("1/64", False)):
        at = ask(coin, words).answers[0].at
        assert at is not None and ("a run under way counts as a start" in at.in_words) == counted
    monkeypatch.undo()
    for words, counted in (("100,1", True), ("1/1000,1", False)):
        at = ask(theta_to_two_theta(F(9, 10)), words).answers[0].at
        assert at is not None and at.mean_square == 1 and (UNDER_WAY in at.in_words) == counted


@pytest.mark.thorough
def test_small_steps_need_not_be_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """TDC on three states: mean square grows at α = β = 1/3 and not at 1/2. Both are certified, and the step that is
    called largest lies below the first at which it grows.
    """
    P = RationalMatrix([[HALF, F(1, 4), F(1, 4)], [1, 0, 0], [0, HALF, HALF]])
    model = Model.reward_process(
        P, RationalMatrix.column([0, 1, 3]), F(9, 10), RationalMatrix.column([1, 2, 1]), Schedule.n_step(2)
    )
    small, middle, again = (ask(model, words).answers[2] for words in ("1/4", "1/3", "1/2"))
    assert [step_words.verdict_of(one.at) for one in (small, middle, again)] == ["dies_out", "grows", "dies_out"]
    assert small.largest is not None and F(1, 4) < small.largest.low < F(1, 3)
    assert step_words.largest(small).startswith("every constant step up to 0.3")  # where the first crossing is enclosed
    monkeypatch.setattr(mean_square, "CROSSING", 0)
    assert "is certified as small enough, and so is every one up to" in step_words.largest(ask(model, "1/4").answers[2])


def test_no_in_one_sense_is_no() -> None:
    """In the mean, in mean square or on paths; yes is yes in all three."""
    for mean, square, paths in ((1, None, None), (-1, 1, -1), (-1, None, 1)):
        assert step_words.verdict_of(AtStep(F(1), mean, square, paths, "")) == "grows"
    assert step_words.verdict_of(AtStep(F(1), -1, -1, -1, "")) == "dies_out"
    assert step_words.verdict_of(AtStep(F(1), -1, None, -1, "")) == "undecided"


def test_decreasing_steps_that_fall_below_the_certified_ones() -> None:
    """a/(t + t0)^p ≤ α₀ from the update named on, and not before."""
    question = StepQuestion.of_words("40,1,3/4")
    found = at_decreasing_steps(STILL, "td", question, (0,))
    assert (found.mean, found.mean_square, found.paths) == (-1, -1, -1) and found.from_update
    near = ask(STILL, "largest").answers[0].largest
    assert isinstance(near, LargestStep)
    first, last = (40 / (found.from_update + k + 1) ** 0.75 for k in (0, -1))
    assert first <= near.near.upto < last
    assert f"before update {found.from_update:,}" in step_words.known(found)
    calm = at_decreasing_steps(STILL, "td", StepQuestion.of_words("1/100,1"), (0,))
    assert calm.from_update == 0 and "before" not in step_words.known(calm)


def test_decreasing_steps_that_do_not_do() -> None:
    """θ→2θ with γ = 9/10: A = 1/5, so mean and mean square grow with any steps whose sum is infinite."""
    wild = ask(theta_to_two_theta(F(9, 10)), "1,10")
    at = wild.answers[0].at
    assert at is not None and (at.mean, at.mean_square, at.paths) == (1, 1, None)
    assert verdicts(wild) == ["grows", "dies_out", "dies_out"]
    short = at_decreasing_steps(STILL, "td", StepQuestion.of_words("1,1,2"), (0,))
    assert step_words.verdict_of(short) == "undecided" and "sum of 1/(t + 1)^2 is finite" in short.in_words
    slow = at_decreasing_steps(STILL, "td", StepQuestion.of_words("1,1,2/5"), (0,))
    assert step_words.verdict_of(slow) == "dies_out" and "Assumption 1 fails" in slow.in_words
    flat = at_decreasing_steps(STILL, "td", StepQuestion.of_words("1,1,0"), (0,))
    assert step_words.verdict_of(flat) == "undecided" and "one number" in flat.in_words


def test_a_lambda_without_end_is_decided_without_a_certificate() -> None:
    """One state, γ = λ = 1/2: z = 4/3, differences shrink by |1 − 2α/3| per update in the limit, so below α = 3."""
    model = one_state(F(1, 2), Schedule.constant(F(1, 2)))
    for alpha, sign in ((F(29, 10), -1), (F(31, 10), 1)):
        found = at_step(model, "td", alpha, (0,), 0)
        assert found.mean_square == sign and found.certificates == ()
        assert "every rounding bounded" in found.in_words


def test_what_cannot_be_asked_says_why() -> None:
    classes = ask(two_absorbing_states(), "1/10")
    assert classes.answers == () and "2 recurrent classes" in str(classes.why)
    nothing = ask(STILL.with_features(RationalMatrix.column([0])), "1/10")
    assert "features vanish" in str(nothing.why)
    endless = STILL.with_schedule(Schedule.constant(F(1, 2)))
    slow = at_decreasing_steps(endless, "td", StepQuestion.of_words("1,9"), (0,))
    assert (slow.mean, slow.mean_square, slow.paths) == (-1, -1, -1)  # by the mean dynamics: the trace is bounded
    for words, ratio in (("0", None), ("-1", None), ("1,0", None), ("fast", None), ("1", "0"), ("1", "x")):
        with pytest.raises(InputError):
            StepQuestion.of_words(words, ratio)


def test_the_question_in_words() -> None:
    assert [str(StepQuestion.of_words(words)) for words in ("0.1", "2,100", "2,100,3/4", "largest")] == [
        "1/10",
        "2/(t + 100)",
        "2/(t + 100)^3/4",
        "largest",
    ]
    question = StepQuestion.of_words("1/10", "2")
    assert step_words.asked_about(question, StepAnswer("td", None, None)) == "α = 0.1"
    assert step_words.asked_about(question, StepAnswer("gtd", None, None, sizes=2)) == "α = 0.1, β = 0.2"
    assert (
        step_words.asked_about(StepQuestion.of_words("1,2", "1/3"), StepAnswer("tdc", None, None, sizes=2))
        == "α_t = 1/(t + 2), β_t = 1/3 α_t"
    )


@pytest.fixture
def coin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    model = fair_coin_chain(F(1, 4))
    Path("coin.json").write_text(json.dumps(model.canonical))
    return dict(model.canonical)


@pytest.mark.thorough
def test_the_command_answers_and_writes_certificates(
    coin: dict[str, Any], capsys: pytest.CaptureFixture[str], sketched: None
) -> None:
    assert main(["analyze", "coin.json", "--steps", "1/2"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "TD, α = 0.5: ✓ small enough: in the mean: yes; in mean square: yes; on paths: yes" in said
    found = json.loads(Path("analysis-coin/analysis.json").read_text())
    assert found["simulation"] is None and found["step_sizes"]["steps"] == "1/2"
    paths = [path for row in found["step_sizes"]["algorithms"] for path in row["certificates"]]
    assert paths and all((Path("analysis-coin") / path).is_file() for path in paths)
    assert found["checker"]["rejected"] == [] and "--steps 1/2" in found["reproduce"]
    page = Path("analysis-coin/index.html").read_text()
    assert "Small enough?" in page and "✓ small enough" in page and paths[0] in page
    assert main(["check", "-q", *(f"analysis-coin/{path}" for path in paths)]) == 0
    assert capsys.readouterr().out == ""
    assert main(["analyze", "coin.json", "--steps", "2"]) == 0
    assert "✗ not small enough: in the mean: no, it neither dies out nor grows geometrically" in " ".join(
        capsys.readouterr().out.split()
    )


@pytest.mark.thorough
def test_the_seed_is_that_of_the_paths(coin: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those that are simulated, where no bound has a sign."""
    monkeypatch.setattr("tdcert.analysis.at_step.on_paths", lambda *_: OnPaths(PathSign(None)))
    loaded = LoadedModel(fair_coin_chain(F(1, 4)), ("s0", "s1"), [], [], "coin")

    def paths(seed: int) -> str:
        request = Request.of_words(None, steps="19/10", seed=seed)
        run = analyse(loaded, lambda done, total, what: None, request)
        assert run.steps is not None and run.steps.answers[0].at is not None
        return run.steps.answers[0].at.paths_why

    assert paths(1) == paths(1) != paths(2)


@pytest.mark.thorough
def test_windows_that_are_too_many_are_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fair coin, whose largest step is known, as if its windows could not be listed: a bracket around it, steps
    below and above it decided, and decreasing ones.
    """
    coin = fair_coin_chain(F(1, 4))
    without_nodes(monkeypatch)
    monkeypatch.setattr("tdcert.analysis.at_step.STEP_BOUNDED_WORK", 0)
    monkeypatch.setattr("tdcert.analysis.at_step.NARROWED_WORK", 0)
    asked = ask(coin, "1/64")
    td = asked.answers[0]
    assert td.largest is not None and td.largest.high is not None and td.largest.grade is Grade.ENCLOSED
    assert F(1, 64) < td.largest.upto == td.largest.low < F(32, 17) < td.largest.high
    assert td.at is not None and td.at.mean_square == -1 and not td.at.certificates and not asked.files
    words = step_words.largest(td)
    assert "is small enough, with every rounding bounded; at " in words and words.endswith(
        "mean square grows from some start, a run under way, say"
    )
    above = ask(coin, str(td.largest.high)).answers[0].at
    between = ask(coin, "15/8").answers[0].at
    assert above is not None and above.mean_square == 1 and between is not None and between.mean_square is None
    fading = at_decreasing_steps(coin, "td", StepQuestion.of_words("40,1,3/4"), (0, 1))
    assert (fading.mean, fading.mean_square, fading.paths) == (-1, -1, -1) and fading.from_update
    far = at_decreasing_steps(theta_to_two_theta(F(9, 10)), "off_policy_td", StepQuestion.of_words("1,10"), (0, 1))
    assert (far.mean, far.mean_square, far.paths) == (1, 1, None)
    growing = ask(theta_to_two_theta(F(9, 10)), "1/1000").answers[0]
    assert growing.at is not None and growing.at.mean_square == 1 and growing.largest is None
    assert growing.largest_why.startswith("the mean square is unbounded from some start")
    monkeypatch.setattr("tdcert.analysis.at_step.NARROWED_WORK", 10**6)
    near = ask(coin, "largest").answers[1].largest
    assert near is not None and near.high is not None and near.upto < near.low < near.high <= near.low * F(5, 4)
    system = quotient_system(coin, scheduled("gtd"), F(1), (0, 1))
    assert show_bounded(system, near.low) is not None and show_unbounded(system, near.high) is not None
