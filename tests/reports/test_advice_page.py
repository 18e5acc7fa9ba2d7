"""The page about a user's model: what it says of schedules, warnings, conditioning and runs comes from the document."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from fractions import Fraction

import pytest

import tdcert.reports.analysis_page
from tdcert.analysis.advice.advise import advise, nothing
from tdcert.analysis.advice.warnings import Warned
from tdcert.analysis.averages import averages
from tdcert.analysis.exact_analysis import exact_facts
from tdcert.analysis.facts import ClaimAnswer
from tdcert.analysis.request import SimulationRequest
from tdcert.analysis.result import AnalysisResult
from tdcert.analysis.simulated_runs import simulate_model
from tdcert.reports.analysis_page import analysis_page
from tdcert.reports.numbers import between, time_constant
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.model.gallery import theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Grade, Status, Verdict
from tests.reports import sample


def sticky() -> Model:
    """Two states, each left with probability 1/200, and one feature that cannot write the value."""
    p = Fraction(1, 200)
    P = RationalMatrix([[1 - p, p], [p, 1 - p]])
    return Model.reward_process(
        P, RationalMatrix.column([1, 0]), Fraction(0), RationalMatrix.column([1, 2]), Schedule.n_step(3)
    )


def advised(model: Model) -> AnalysisResult:
    """The analysis of a model as far as advice and a simulation go."""
    facts = exact_facts(model)
    advice, asked = advise(facts), SimulationRequest(1)
    ran = simulate_model(model, asked, ["gtd"])
    ran = replace(ran, averages=averages(model, facts, advice.comparison.rows, asked))
    return replace(sample.analysis(), facts=facts, advice=advice, simulation=ran)


@pytest.fixture(scope="module")
def made() -> AnalysisResult:
    return advised(sticky())


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures take longest."""
    monkeypatch.setattr(tdcert.reports.analysis_page, "figures", lambda run: ())


@pytest.mark.thorough
def test_it_answers_with_sentences_table_and_plots(made: AnalysisResult) -> None:
    text = html.unescape(analysis_page(made))
    assert made.advice.sentences and len(made.advice.comparison.rows) > 9
    for sentence in made.advice.sentences:
        assert sentence in text
    for row in made.advice.comparison.rows:
        assert row.name in text
    for figure in ("schedules_error", "schedules_length", "simulation_gtd"):
        assert f'id="figure_{figure}"' in text
    assert "yours" in text and "Why some numbers are missing" in text


@pytest.mark.thorough
@pytest.mark.usefixtures("no_figures")
def test_what_is_taken_from_the_analysis_is_gone_from_the_page(made: AnalysisResult) -> None:
    advice = made.advice
    (warning,) = [fired for fired in advice.warnings.fired if fired.id == "slow_mixing"]
    assert analysis_page(made).count(warning.text) == 2  # in the answer, and among the warnings
    kept = tuple(fired for fired in advice.warnings.fired if fired is not warning)
    calm = replace(advice, warnings=replace(advice.warnings, fired=kept))
    assert warning.text not in analysis_page(replace(made, advice=calm))
    fewer = replace(advice, comparison=replace(advice.comparison, rows=advice.comparison.rows[:-1]))
    assert ">11 Monte Carlo" in analysis_page(made)
    assert ">11 Monte Carlo" not in analysis_page(replace(made, advice=fewer))
    assert 'id="simulation"' in analysis_page(made)
    assert 'id="simulation"' not in analysis_page(replace(made, simulation=None))


@pytest.mark.thorough
@pytest.mark.usefixtures("no_figures")
def test_notes_do_not_stand_in_the_answer(made: AnalysisResult) -> None:
    note = Warned("x", "note", "A note about nothing.", {})
    warnings = replace(made.advice.warnings, fired=(*made.advice.warnings.fired, note))
    text = analysis_page(replace(made, advice=replace(made.advice, warnings=warnings)))
    assert text.count(note.text) == 1


@pytest.mark.usefixtures("no_figures")
def test_nothing_compared_says_why() -> None:
    text = analysis_page(replace(sample.analysis(), advice=nothing("it was too large")))
    assert "Not compared: it was too large." in text and "not asked" in text


@pytest.mark.usefixtures("no_figures")
def test_an_unstable_algorithm_is_marked() -> None:
    advice = advise(exact_facts(theta_to_two_theta(1, Schedule(), (1, 0))))
    text = analysis_page(replace(sample.analysis(), advice=advice))
    assert "✗ unstable" in text.split('id="schedules"')[1].split('id="warnings"')[0]


def test_the_answer_says_to_what_and_how_fast(no_figures: None) -> None:
    """θ→2θ at γ = 9/10 with rewards 1, −1: A = 1/5, C = 5/2, b = −1/2: rates 1/5 of TD, −A²/C = −2/125 of TDC."""
    facts = exact_facts(theta_to_two_theta(Fraction(9, 10), rewards=(1, -1)))
    off, held = Verdict(Status.HYPOTHESIS_VIOLATED, violated=("on_policy",)), Verdict(Status.HOLDS, Grade.CERTIFIED)
    claims = (ClaimAnswer("thm_4_3", off), ClaimAnswer("thm_4_6", held), ClaimAnswer("telescoping", held))
    run = replace(sample.analysis(), facts=replace(facts, claims=claims), simulation=None)

    def answer(run: AnalysisResult) -> str:
        part = html.unescape(analysis_page(run)).split('<section id="summary">')[1].split("</section>")[0]
        return " ".join(re.sub("<[^>]*>", " ", part).split())

    said = answer(run)
    assert "off-policy TD ✗ diverges 2.5 e times farther every 5/α updates" in said
    assert "TDC ✓ converges to θ* if β ≫ α 2.5 e times nearer every 62.5/α updates" in said
    assert "with decreasing steps thm_4_6 Theorem 4.6: TDC(λ)-schedule converges to −A⁻¹b Projection" in said
    elsewhere = answer(replace(run, facts=replace(facts, missing=((0, 1),))))  # then it rests elsewhere
    assert "TDC ✓ converges if β ≫ α not unique, or not known e times nearer" in elsewhere


def test_time_constants_are_between_those_of_both_ends() -> None:
    assert time_constant((Fraction(-1, 5), Fraction(-1, 5))) == time_constant((Fraction(1, 5), Fraction(1, 5))) == "5"
    assert time_constant((Fraction(-3, 1000), Fraction(-1, 300))) == "300 to 334"
    assert time_constant((Fraction(-1, 3), Fraction(0))) is time_constant(None) is None


def test_the_two_ends_of_a_rate() -> None:
    assert between({"lower": "-1/3", "upper": "-33333333/100000000"}) == "−0.3333"
    assert between({"lower": "-2", "upper": "-1/3"}) == "−2 to −0.3333"
    assert between({"lower": "1/3", "upper": "2/3"}) == "0.3333 to 0.6667"
