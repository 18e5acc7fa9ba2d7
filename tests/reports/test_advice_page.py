"""The page about a user's model: what it says of schedules, warnings, conditioning and runs comes from the document."""

from __future__ import annotations

import html
from dataclasses import replace
from fractions import Fraction

import pytest

import tdcert.reports.analysis_page
from tdcert.analysis.advice.advise import advise, nothing
from tdcert.analysis.advice.warnings import Warned
from tdcert.analysis.averages import averages
from tdcert.analysis.exact_analysis import exact_facts
from tdcert.analysis.request import SimulationRequest
from tdcert.analysis.result import Analysis
from tdcert.analysis.simulated_runs import simulate_model
from tdcert.reports.analysis_page import analysis_page
from tdcert.reports.numbers import between
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.model.gallery import theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.reports import sample


def sticky() -> Model:
    """Two states, each left with probability 1/200, and one feature that cannot write the value."""
    p = Fraction(1, 200)
    P = RationalMatrix([[1 - p, p], [p, 1 - p]])
    return Model.reward_process(
        P, RationalMatrix.column([1, 0]), Fraction(0), RationalMatrix.column([1, 2]), Schedule.n_step(3)
    )


def advised(model: Model) -> Analysis:
    """The analysis of a model as far as advice and a simulation go."""
    facts = exact_facts(model)
    advice, asked = advise(facts), SimulationRequest(1)
    ran = simulate_model(model, asked, ["gtd"])
    ran = replace(ran, averages=averages(model, facts, advice.comparison.rows, asked))
    return replace(sample.analysis(), facts=facts, advice=advice, simulation=ran)


@pytest.fixture(scope="module")
def made() -> Analysis:
    return advised(sticky())


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures take longest."""
    monkeypatch.setattr(tdcert.reports.analysis_page, "figures", lambda run: ())


@pytest.mark.thorough
@pytest.mark.ci
def test_it_answers_with_sentences_table_and_plots(made: Analysis) -> None:
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
@pytest.mark.ci
@pytest.mark.usefixtures("no_figures")
def test_what_is_taken_from_the_analysis_is_gone_from_the_page(made: Analysis) -> None:
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


@pytest.mark.ci
@pytest.mark.usefixtures("no_figures")
def test_notes_do_not_stand_in_the_answer(made: Analysis) -> None:
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


def test_the_two_ends_of_a_rate() -> None:
    assert between({"lower": "-1/3", "upper": "-33333333/100000000"}) == "−0.3333"
    assert between({"lower": "-2", "upper": "-1/3"}) == "−2 to −0.3333"
    assert between({"lower": "1/3", "upper": "2/3"}) == "0.3333 to 0.6667"
