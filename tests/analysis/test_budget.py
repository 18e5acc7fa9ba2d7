"""The default analysis leaves out what is beyond its budget, by sizes alone, and says with which option it is had."""

from __future__ import annotations

import math
import re
import shlex
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import tdcert
from tdcert.analysis.analyse import Request, analyse
from tdcert.analysis.budget import SECONDS, Budget
from tdcert.analysis.estimates import paths_of_two
from tdcert.analysis.exact_analysis import asked_of_models
from tdcert.analysis.result import AnalysisResult
from tdcert.reports.analysis_json import analysis_document
from tdcert.reports.analysis_page import analysis_page
from tdcert.reports.analysis_terminal import show_analysis
from tdcert.theory.errors import InputError
from tdcert.theory.files import LoadedModel
from tdcert.theory.model.mdp import Model
from tdcert.theory.progress import silently
from tests.effort import by_default

CLAIMS, SCHEDULES, STEPS = "Claims that hold whatever the model is", "Other schedules", "Constant steps under schedules"


def dense(n: int, d: int | None = None) -> LoadedModel:
    """A dense chain with probabilities in hundredths, with indicators as features or few others."""
    rng = np.random.default_rng(n)
    weights = rng.multinomial(100 - n, np.full(n, 1 / n), n) + 1
    features = np.eye(n, dtype=int) if d is None else rng.integers(-2, 3, (n, d)) + np.eye(n, d, dtype=int)
    found = tdcert.load_model(
        P=[[Fraction(int(x), 100) for x in row] for row in weights],
        rewards=rng.integers(-2, 3, n),
        discount=Fraction(9, 10),
        features=features,
    )
    assert isinstance(found, LoadedModel)
    return found


def asked(loaded: LoadedModel, arithmetic: str | None = None, **words: Any) -> AnalysisResult:
    return analyse(loaded, silently, Request.of_words(arithmetic, **words))


def left(run: AnalysisResult) -> list[str]:
    return [one.what for one in run.left_out]


def words_of(option: str) -> dict[str, str]:
    """An option of the command line as the word that a request takes."""
    name, value = shlex.split(option)
    return {name.removeprefix("--"): value}


@pytest.mark.parametrize(
    ("arithmetic", "usual", "expected"),
    [
        pytest.param(None, 0, [CLAIMS, SCHEDULES], marks=pytest.mark.thorough),
        ("enclosed", 0, [SCHEDULES]),
        pytest.param("enclosed", SECONDS, [STEPS], marks=pytest.mark.thorough),
    ],
)
def test_what_is_left_out_comes_with_the_option_that_is_named(
    arithmetic: str | None, usual: float, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By that option alone, and by the budget that is proposed beside it."""
    monkeypatch.setattr("tdcert.analysis.request.USUAL", Budget(usual))
    loaded = dense(4, 2)
    run = asked(loaded, arithmetic)
    assert left(run) == left(asked(loaded, arithmetic)) == expected
    for one in run.left_out:
        assert one.option in one.sentence
        (proposed,) = re.findall(r"--budget (\S+) asks", one.sentence)
        for words in (words_of(one.option), {"budget": proposed}):
            found = asked(loaded, arithmetic, **words)
            assert one.what not in left(found)
            if one.what == CLAIMS:
                assert {answer.id for answer in found.facts.claims} == {row.id for row in asked_of_models()}
            elif one.what == SCHEDULES:
                assert len(found.advice.comparison.rows) > 2
            else:
                assert any(row.step is not None for row in found.advice.comparison.rows)
    if SCHEDULES in expected:
        named = asked(loaded, arithmetic, candidates=["td0", "n_step:3"])
        assert SCHEDULES not in left(named) and len(named.advice.comparison.rows) > 1


@pytest.mark.parametrize("arithmetic", by_default(1, [None, "enclosed"]))
def test_a_budget_without_bound_leaves_nothing_out(arithmetic: str | None) -> None:
    run = asked(dense(4, 2), arithmetic, budget="inf")
    assert run.left_out == () and run.advice.comparison.rows
    assert analysis_document(run)["budget"] == {"seconds": None, "left_out": []}


@pytest.mark.thorough
def test_what_is_computed_within_a_budget_is_what_it_is_without_one() -> None:
    """What claims and rows say does not depend on what is beside them; warnings are asked of the own schedule then."""
    loaded = dense(4, 2)
    none, every_one = asked(loaded, budget="0"), asked(loaded, budget="inf")
    verdicts = {answer.id: answer.verdict for answer in every_one.facts.claims}
    assert none.facts.claims and all(verdicts[one.id] == one.verdict for one in none.facts.claims)
    assert [row.answer for row in none.rows] == [row.answer for row in every_one.rows]
    assert none.advice.warnings == every_one.advice.warnings


@pytest.mark.thorough
def test_the_default_asks_every_claim_of_small_models_alone(capsys: pytest.CaptureFixture[str]) -> None:
    small, large = asked(dense(5)), asked(dense(25))
    assert small.left_out == () and left(large) == [CLAIMS]
    document, page = analysis_document(large), analysis_page(large)
    show_analysis(large)
    printed = re.sub(r"\s+", " ", capsys.readouterr().out)
    (text,) = document["budget"]["left_out"]
    assert document["budget"]["seconds"] == SECONDS and text["option"] == "--what claims"
    assert text["seconds"] == large.left_out[0].seconds > SECONDS
    assert text["words"] in printed and text["words"] in page
    assert len(document["claims_not_asked"]) > 30 and document["notes"] == []


@pytest.mark.parametrize("given", ["-1", "nan", "soon", ""])
def test_what_is_no_budget_is_refused(given: str) -> None:
    with pytest.raises(InputError, match="give"):
        Budget.of_words(given)
    with pytest.raises(InputError, match="give"):
        tdcert.analyze(dense(4, 2).model, budget=given)  # type: ignore[arg-type]
    assert Budget.of_words("inf").seconds == math.inf


@pytest.mark.parametrize(("seconds", "proposed"), [(12.34, "13"), (0.43, "2"), (4.11e5, "420000"), (2.01, "2.1")])
def test_the_budget_that_is_proposed_is_enough(seconds: float, proposed: str) -> None:
    """For the part, and for others that the usual budget holds."""
    one = Budget(0).beyond("All", seconds, "--all")
    assert one is not None and f"--all or --budget {proposed} asks" in one.sentence
    assert Budget.of_words(proposed).beyond("All", seconds, "--all") is None


def test_paths_of_two_transitions_are_those_that_one_can_list() -> None:
    loaded = tdcert.load_model(
        P=[[[0, 1, 0], [0, 0, 1], [1, 0, 0]], [["1/2", "1/2", 0], [0, 0, 1], [0, "1/3", "2/3"]]],
        rewards=[0, 0, 1],
        discount="1/2",
        behaviour=[["1/2", "1/2"], [1, 0], [0, 1]],
        target=[[1, 0], [1, 0], [0, 1]],
    )
    model = loaded.model
    assert isinstance(model, Model)
    states, actions = range(model.n), range(len(model.actions))
    steps = [
        (s, t)
        for s, a, t in product(states, actions, states)
        if model.behaviour[s, a] and model.transitions[a].rows[s][t]
    ]
    assert paths_of_two(model) == sum(t == s for (_, t), (s, _) in product(steps, repeat=2))
