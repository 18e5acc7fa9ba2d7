"""The page about a user's model: what it says of schedules, warnings, conditioning and runs comes from the document."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tdcert.analysis.advice.advise import advise, nothing
from tdcert.analysis.exact_analysis import exact_facts
from tdcert.analysis.request import Experiment
from tdcert.analysis.simulated_runs import simulate_model
from tdcert.reports.analysis_figures import schedule_figures
from tdcert.reports.analysis_json import advice_keys, simulation_document
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


def document(model: Model) -> dict[str, Any]:
    """A sample with the advice about another model in it."""
    made = sample.analysis()
    advice = advise(exact_facts(model))
    ran = simulate_model(model, Experiment(1), ["gtd"])
    drawn = [figure.document() for figure in (*schedule_figures(advice.comparison.rows), *ran.figures)]
    added = {**advice_keys(advice), "simulation": simulation_document(ran)}
    return {**made, **added, "figures": [*made["figures"], *drawn]}


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    return document(sticky())


def page(given: dict[str, Any]) -> str:
    """Without pictures, which take longest."""
    bare = {**given, "figures": []}
    return analysis_page(bare, bare)


def test_it_answers_with_sentences_table_and_plots(made: dict[str, Any]) -> None:
    text = analysis_page(made, made)
    for sentence in made["schedules_answer"]:
        assert sentence in text
    for row in made["schedules"]:
        assert row["name"] in text
    for figure in ("schedules_error", "schedules_length", "simulation_gtd"):
        assert f'id="figure_{figure}"' in text
    assert "yours" in text and "Why some numbers are missing" in text


def test_what_is_taken_from_the_document_is_gone_from_the_page(made: dict[str, Any]) -> None:
    (warning,) = [w for w in made["warnings"] if w["id"] == "slow_mixing"]
    assert page(made).count(warning["text"]) == 2  # in the answer, and among the warnings
    calm = {**made, "warnings": [w for w in made["warnings"] if w is not warning]}
    assert warning["text"] not in page(calm)
    fewer = {**made, "schedules": made["schedules"][:-1]}
    assert ">11 Monte Carlo" in page(made) and ">11 Monte Carlo" not in page(fewer)
    still = {key: value for key, value in made.items() if key != "simulation"}
    assert 'id="simulation"' in page(made) and 'id="simulation"' not in page(still)


def test_notes_do_not_stand_in_the_answer(made: dict[str, Any]) -> None:
    note: dict[str, Any] = {"id": "x", "severity": "note", "text": "A note about nothing.", "numbers": {}}
    assert page({**made, "warnings": [*made["warnings"], note]}).count(note["text"]) == 1


def test_nothing_compared_says_why() -> None:
    text = page({**sample.analysis(), **advice_keys(nothing("it was too large"))})
    assert "Not compared: it was too large." in text and "not asked" in text


def test_an_unstable_algorithm_is_marked() -> None:
    advice = advise(exact_facts(theta_to_two_theta(1, Schedule(), (1, 0))))
    drawn = [figure.document() for figure in schedule_figures(advice.comparison.rows)]
    text = page({**sample.analysis(), **advice_keys(advice), "figures": drawn})
    assert "✗ unstable" in text.split('id="schedules"')[1].split('id="warnings"')[0]


def test_the_two_ends_of_a_rate() -> None:
    assert between({"lower": "-1/3", "upper": "-33333333/100000000"}) == "−0.3333"
    assert between({"lower": "-2", "upper": "-1/3"}) == "−2 to −0.3333"
    assert between({"lower": "1/3", "upper": "2/3"}) == "0.3333 to 0.6667"
