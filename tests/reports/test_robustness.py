"""How far a model may change, as it is asked for and shown: Python, command, document."""

from __future__ import annotations

import json
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from pathlib import Path

import pytest

import tdcert
from tdcert.analysis.robustness import rounded
from tdcert.reports.cli import WORDS_OF, main, with_values
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.engine.perturbation import Change, PerturbedTransitions
from tdcert.theory.engine.robustness import Asked
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model
from tests import schemas

F = Fraction
MODEL = {
    "format": "tdcert-model/1",
    "transitions": {"left": [[1, 0], [1, 0]], "right": [[0, 1], [0, 1]]},
    "rewards": [0, 0],
    "discount": "9/10",
    "behaviour": [["1/2", "1/2"], ["1/2", "1/2"]],
    "target": [[0, 1], [0, 1]],
    "features": [[1], [2]],
}
CRITICAL = F(4, 27)
"""By hand, in tests/theory/engine/test_robustness.py, as those of the other changes."""
OF_EACH = {"transitions": CRITICAL, "discount": F(1, 15), "behaviour": F(1, 6), "target": F(4, 27)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The model as a file."""
    found = tmp_path / "two_states.json"
    found.write_text(json.dumps(MODEL), encoding="utf-8")
    return found


def test_python_tells_both_distances_and_the_counter_model(path: Path) -> None:
    found = tdcert.analyze(path, what="verdict", robustness=True).robustness
    one = found["off_policy_td"]
    assert set(found) == {"off_policy_td", "gtd", "tdc"} and one.verdict is MeanDynamics.UNSTABLE
    assert one.within is not None and one.counter_at is not None and isinstance(one.counter_model, Model)
    assert 0 < one.within.exact < CRITICAL <= one.counter_at.exact < CRITICAL + F(1, 1000)
    assert float(one.within) == float(one.within.exact)
    loaded = tdcert.analyze(path, what="verdict").model
    assert isinstance(loaded, Model)
    assert PerturbedTransitions(loaded).distance(one.counter_model) == one.counter_at.exact
    algorithm = tdcert.compare(path, "off_policy_td")._result.rows[0].algorithm
    seen = Asked(algorithm, [F(1)]).verdict(one.counter_model, (0, 1))
    assert seen is one.counter_verdict is not one.verdict
    assert one.certified_within is not None and one.certified_within.exact == one.within.exact
    low = f"unstable for every P within {rounded(one.within.exact, ROUND_FLOOR)} of each row in total variation"
    assert one.sentence == f"{low}, with a certificate; within 0.149 there is a model that is {seen}"
    assert "Robustness" in repr(found) and str(one) in repr(found) and len(found.rows()) == 3


@pytest.mark.thorough
def test_algorithms_are_asked_alike(path: Path) -> None:
    """Each that ships has a distance for each change: ``docs/abilities.md``."""
    found = tdcert.compare(path, ["td", "tdc", "etd", "retrace", "direct_gtd"], robustness=tuple(OF_EACH))
    assert found.robustness.changes == tuple(OF_EACH)
    for change in OF_EACH:
        answers = found.robustness.of(change)
        assert set(answers) == set(found.algorithms) and {one.change for one in answers.values()} == {change}
        assert all(one.within is not None and one.within.exact > 0 for one in answers.values())


def test_python_names_what_changes(path: Path) -> None:
    found = tdcert.compare(path, "off_policy_td", robustness=["discount", "target"]).robustness
    assert found.changes == ("discount", "target") and found["off_policy_td"] == found.of("discount")["off_policy_td"]
    for change in found.changes:
        one = found.of(change)["off_policy_td"]
        assert one.within is not None and one.counter_at is not None and one.counter_at.exact == OF_EACH[change]
        assert F(49, 50) * OF_EACH[change] < one.within.exact < OF_EACH[change]
    assert [row["change"] for row in found.rows()] == ["discount", "target"]
    assert "every γ within 0.0659" in repr(found) and "every π within 0.147" in repr(found)
    with pytest.raises(InputError, match="was not asked about 'behaviour'; it was about discount, target"):
        found.of("behaviour")
    with pytest.raises(InputError, match="not asked about 'rewards'; give some of transitions, discount"):
        tdcert.analyze(path, what="verdict", robustness="rewards")
    with pytest.raises(InputError, match="robustness is the number '3'; give names: transitions, discount"):
        tdcert.analyze(path, what="verdict", robustness=3)  # type: ignore[arg-type]


def test_draws_are_asked_too(path: Path) -> None:
    """The law of the states that are drawn stays: 8/10 x − 4/10 (1 − x) is what it is on the path at x = ½."""
    asked = {"algorithms": "off_policy_td", "sampling": "independent", "robustness": "discount,behaviour"}
    found = tdcert.analyze(path, **asked).robustness  # type: ignore[arg-type]
    discount, behaviour = (found.of(change)["off_policy_td"] for change in found.changes)
    assert discount.counter_at is not None and discount.counter_at.exact == F(1, 15)
    assert behaviour.within is not None and behaviour.within.exact == 1 and behaviour.counter_model is None


def test_who_does_not_ask_is_told_how(path: Path) -> None:
    found = tdcert.analyze(path, what="verdict").robustness
    assert not found and "robustness=True" in found.why and "robustness=True" in repr(found)


def test_enclosed_arithmetic_has_no_exact_verdict(path: Path) -> None:
    found = tdcert.analyze(path, what="verdict", arithmetic="enclosed", robustness=True).robustness
    assert all(one.verdict is None and "--arithmetic exact" in one.sentence for one in found.values())


def test_sparse_arithmetic_is_refused(path: Path) -> None:
    with pytest.raises(InputError, match="--robustness was asked of a model in sparse arithmetic"):
        tdcert.analyze(path, what="verdict", arithmetic="sparse", robustness=True)


@pytest.mark.thorough
def test_the_command_prints_sentences(path: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["analyze", str(path), "--what", "verdict", "--robustness", "--out", str(tmp_path / "there")]) == 0
    told = " ".join(capsys.readouterr().out.split())
    low = "off-policy TD: unstable for every P within 0.14"
    assert f"How far may transitions change? {low}" in told and "row in total variation, with a certificate" in told
    page = (tmp_path / "there" / "index.html").read_text(encoding="utf-8")
    assert f"<div>{low}" in page and "row in total variation, with a certificate" in page
    assert main(["analyze", str(path), "--what", "verdict", "--out", str(tmp_path / "without")]) == 0
    assert "How far" not in capsys.readouterr().out
    assert "How far" not in (tmp_path / "without" / "index.html").read_text(encoding="utf-8")


@pytest.mark.thorough
def test_the_command_names_what_changes(path: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked = ["analyze", str(path), "--algorithms", "off_policy_td", "--robustness", "discount,behaviour"]
    assert main([*asked, "--out", str(tmp_path / "there")]) == 0
    told = " ".join(capsys.readouterr().out.split())
    page = (tmp_path / "there" / "index.html").read_text(encoding="utf-8")
    for where in (told, page):
        assert "How far may the discount change?" in where and "How far may the behaviour policy change?" in where
        assert (
            "unstable for every γ within 0.0659 of the model's, below one, with a certificate; within 0.0667"
            in where.replace("&#39;", "'")
        )
        assert "How far may transitions change?" not in where
    assert main([*asked, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    schemas.require(document)
    discount, behaviour = document["robustness"]
    assert (discount["change"], behaviour["change"]) == ("discount", "behaviour")
    assert discount["counter_model"]["discount"] == "5/6" and "behaviour" not in discount["counter_model"]
    assert behaviour["counter_model"]["behaviour"] == [["1/3", "2/3"]] * 2
    assert (
        behaviour["counter_model"]["distance"] == "1/6" and "--robustness discount,behaviour" in document["reproduce"]
    )
    assert main([*asked[:-1], "discount,rewards"]) == 2 and "not asked about 'rewards'" in capsys.readouterr().err


def test_an_option_whose_value_may_be_left_out(tmp_path: Path) -> None:
    """What stands behind it is a value, unless it is another option or a model."""
    model = tmp_path / "model"
    model.write_text("")
    assert WORDS_OF["--robustness"] == tuple(Change)
    for following in ("--what", "model.json", "example:baird", str(model), "a/b"):
        assert with_values(["analyze", "--robustness", following]) == ["analyze", "--robustness=", following]
    for following in ("discount", "target,behaviour", "discuont"):
        assert with_values(["--robustness", following]) == ["--robustness", following]
    assert with_values(["m.json", "--robustness"]) == ["m.json", "--robustness="]


@pytest.mark.thorough
def test_the_document_holds_the_counter_model(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", str(path), "--what", "verdict", "--robustness", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    schemas.require(document)
    one = document["robustness"][0]
    assert one["change"] == "transitions" and "discount" not in one["counter_model"]
    counter = one["counter_model"]
    assert one["verdict"] == "unstable" and F(one["within"]) < CRITICAL <= F(counter["distance"])
    rows = [row for matrix in counter["transitions"].values() for row in matrix]
    assert all(sum(map(F, row)) == 1 and all(F(x) >= 0 for x in row) for row in rows)
    assert main(["analyze", str(path), "--what", "verdict", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["robustness"] is None


@pytest.mark.thorough
def test_former_formats_do_not_hold_it(path: Path) -> None:
    found = tdcert.analyze(path, what="verdict", robustness=True)
    assert "robustness" in found.to_dict() and "robustness" not in found.to_dict("tdcert-analysis/1")
    listed = tdcert.compare(path, "td", robustness=True)
    assert "robustness" not in listed.to_dict("tdcert-updates/1")


def test_distances_are_rounded_to_the_side_on_which_a_sentence_is_true() -> None:
    assert rounded(F(19999, 100000), ROUND_FLOOR) == "0.199" and rounded(F(19901, 100000), ROUND_CEILING) == "0.2"
    assert rounded(F(1, 3 * 2**20), ROUND_FLOOR) == "0.000000317" and rounded(F(1), ROUND_FLOOR) == "1"
