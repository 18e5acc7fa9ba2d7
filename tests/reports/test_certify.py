"""``tdcert certify`` as users meet it: the answer, its certificate, and one sentence for bad input."""

from __future__ import annotations

import json
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tdcert
from tdcert.reports import certify as certify_answers
from tdcert.reports.cli import main

COIN: dict[str, Any] = {
    "format": "tdcert-model/1",
    "name": "coin",
    "transitions": [["1/2", "1/2"], ["1/2", "1/2"]],
    "rewards": [1, 0],
    "discount": "1/2",
    "features": [[1], [-1]],
}
ASKED = {"--algorithm": "td", "--steps": "2,10", "--within": "1/4", "--probability": "0.9"}


@pytest.fixture
def coin(tmp_path: Path) -> str:
    path = tmp_path / "coin.json"
    path.write_text(json.dumps(COIN))
    return str(path)


def words(**change: str) -> list[str]:
    return [word for pair in {**ASKED, **{f"--{key}": value for key, value in change.items()}}.items() for word in pair]


def test_the_answer_is_written_with_its_certificate(
    coin: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["certify", coin, *words(), "--json", "--out", str(out)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["format"] == "tdcert-certify/1" and found["theta_star"] == ["1/2"]
    assert 0 < found["one_time"] < found["ever_after"] and found["one_time_is_least"]
    assert (found["why"], found["grade"]) == (None, "certified")
    assert found["certificate"] == str(out / "certificates" / "for_ever.json")
    assert main(["check", found["certificate"]]) == 0
    assert f"from t = {found['ever_after']} on" in capsys.readouterr().out
    assert main(["certify", coin, *words(), "--out", str(out)]) == 0  # a folder of ours is replaced
    assert f"N = {found['ever_after']:,}, certified" in capsys.readouterr().out


@pytest.mark.thorough
def test_python_gives_the_same_answer(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    found = tdcert.certify(COIN, algorithm="td", steps="2,10", within=0.25, probability=0.9, certificate=path)
    assert found["certificate"] == str(path) and main(["check", str(path)]) == 0
    surer = tdcert.certify(COIN, algorithm="td", steps="2,10", within=0.25, probability=0.95)
    assert found["ever_after"] < surer["ever_after"] and surer["certificate"] is None
    assert found.ever_after == found["ever_after"] and found.certificate == str(path) and dict(found) == found.to_dict()


@pytest.mark.thorough
def test_the_answer_can_be_worked_with() -> None:
    found = tdcert.certify(COIN, algorithm="td", steps="2,10,3/4", within=0.25, probability=0.9, theta0="1")
    assert isinstance(found, tdcert.Certified) and (found.theta_star.tolist(), found.theta0.tolist()) == ([0.5], [1.0])
    exact = found.exact
    assert (exact.theta_star.tolist(), exact.within, exact.p) == ([Fraction(1, 2)], Fraction(1, 4), Fraction(3, 4))
    assert found.one_time is not None and f"T = {found.one_time:,}," in repr(found)
    assert f"at T = {found.one_time:,} " in str(found) and escape(str(found).split("\n")[3]) in found._repr_html_()
    (row,) = found.rows()
    assert row["one_time"] == found.one_time and row["steps"] == "2/(t + 10)^(3/4)"
    (drawn, *_) = found.plot.bound().get_lines()
    steps = np.asarray(drawn.get_xdata(), dtype=float)
    assert steps[0] == 1 and (np.diff(steps) > 0).all()
    with pytest.raises(tdcert.InputError, match="ax is a int"):
        found.plot.bound(3)  # type: ignore[arg-type]
    with pytest.raises(tdcert.InputError, match="there is no key 'never'"):
        found["never"]


@pytest.mark.thorough
def test_steps_are_proposed_where_none_are_given(coin: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A smaller N than with any of the steps that a user might try first, with a certificate; and the same again."""
    asked = ["certify", coin, "--algorithm", "td", "--within", "1/4", "--probability", "0.9", "--json"]
    assert main([*asked, "--out", str(tmp_path / "out")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["steps_proposed"] and main(["check", found["certificate"]]) == 0
    capsys.readouterr()
    for steps in ("1,1", "2,6", "2,10", "1,10,0.75"):
        assert main([*asked, "--steps", steps]) == 0
        given = json.loads(capsys.readouterr().out)
        assert not given["steps_proposed"] and (given["ever_after"] or 10**19) >= found["ever_after"], steps
    a, t0 = found["steps"]["a"], found["steps"]["t0"]
    assert main([*asked, "--steps", f"{a},{t0}"]) == 0
    assert json.loads(capsys.readouterr().out)["ever_after"] == found["ever_after"]
    assert main([*asked[:-1], "--steps", "auto"]) == 0
    assert f"alpha = {a}/(t + {t0}), proposed" in capsys.readouterr().out


@pytest.mark.thorough
def test_ratios_are_proposed_with_the_steps_unless_they_are_given() -> None:
    asked: dict[str, Any] = {"algorithm": "tdc", "within": "1/4", "probability": "0.9"}
    free, fixed = tdcert.certify(COIN, **asked), tdcert.certify(COIN, **asked, ratio=16)
    assert free["ratio"] != "16" and fixed["ratio"] == "16" and free["ever_after"] <= fixed["ever_after"]


def test_no_steps_are_proposed_for_what_diverges() -> None:
    model = "examples/two_state_theta_2theta.json"
    with pytest.raises(tdcert.InputError, match=r"no steps can be proposed: the mean matrix .* real part ≥ 0"):
        tdcert.certify(model, algorithm="off_policy_td", within=1, probability=0.9)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("model", "within", "probability"),
    [("examples/random_walk_5.json", "1/4", "0.9"), ("gymnasium:FrozenLake-v1", "1", "0.5")],
)
def test_natural_chains_have_an_n_without_steps(
    model: str, within: str, probability: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A certified one; on the walk it is smaller than at a T0 that is large enough without a search."""
    asked = ["certify", model, "--schedule", "td0", "--algorithm", "td"]
    asked += ["--within", within, "--probability", probability]
    assert main([*asked, "--json", "--out", str(tmp_path / "out")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["grade"] == "certified"
    if model.startswith("gymnasium"):
        return
    assert main(["check", "--patient", found["certificate"]]) == 0
    capsys.readouterr()
    assert main([*asked, "--json", "--steps", "41,512000"]) == 0
    assert found["ever_after"] < (json.loads(capsys.readouterr().out)["ever_after"] or 10**19)


@pytest.mark.thorough
def test_where_there_is_no_number_the_answer_says_why(coin: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["certify", coin, *words(steps="1/4,10"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ever_after"] is None and found["grade"] is None
    assert "give A above 0.5" in found["why"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"steps": "2,10,1/2"}, "Σ α_t² < ∞ fails"),
        ({"steps": "2,10,2"}, "Σ α_t = ∞ fails"),
        ({"steps": "1/10"}, "constant"),
        ({"within": "0"}, "above zero"),
        ({"probability": "1.5"}, "between 0 and 1"),
        ({"theta0": "1,1"}, "one for each feature"),
        ({"discount": "1", "features": "tabular"}, "singular"),
    ],
)
def test_bad_input_is_one_sentence(
    coin: str, change: dict[str, str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["certify", coin, *words(**change)]) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("\n") == 1 and says in told.err


@pytest.mark.thorough
def test_what_the_checker_rejects_is_not_certified(
    coin: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a time that is too early in the certificate, neither the command nor Python calls its number certified."""
    right = certify_answers.certificate

    def too_early(found: Any) -> dict[str, Any]:
        body = dict(right(found) or {})
        return {**body, "about": {**body["about"], "time": 0}}

    monkeypatch.setattr(certify_answers, "certificate", too_early)
    asked: dict[str, Any] = {key.removeprefix("--"): value for key, value in ASKED.items()}
    for found in (tdcert.certify(coin, **asked), None):
        if found is None:
            assert main(["certify", coin, *words(), "--json"]) == 1
            found = json.loads(capsys.readouterr().out)
        assert found["ever_after"] is None and found["grade"] is None
        assert "checker rejects the certificate" in found["why"]


@pytest.mark.parametrize(
    ("model", "algorithm", "sentence"),
    [
        (
            {"transitions": [[1, 0], [0, 1]], "rewards": [1, 1], "features": [[1], [1]]},
            "td",
            "2 recurrent classes, and the theorem is about a chain with one",
        ),
        (
            {
                "actions": ["left", "right"],
                "transitions": {"left": [["1/2", "1/2"]] * 2, "right": [[1, 0], [0, 1]]},
                "rewards": {"left": [0, 0], "right": [1, 1]},
                "features": [[1], [1]],
                "behaviour": [[1, 0]] * 2,
                "target": [["1/2", "1/2"]] * 2,
            },
            "off_policy_td",
            "without coverage θ\\* is not about the target policy",
        ),
    ],
    ids=["both classes have one fixed point", "a missing action"],
)
def test_a_refusal_names_the_hypothesis_and_claims_nothing_else(
    model: dict[str, Any], algorithm: str, sentence: str
) -> None:
    given = {"format": "tdcert-model/1", "discount": "1/2", **model}
    with pytest.raises(tdcert.InputError, match=sentence):
        tdcert.certify(given, algorithm=algorithm, steps="4,20", within="1/4", probability="9/10")


@pytest.mark.thorough
def test_where_nothing_is_random_the_time_is_that_of_the_product(tmp_path: Path) -> None:
    """Both states pay 1: θ* = 2, and x_t = −2 Π (1 − α_i/2) with α = 4/(t + 100), so x_t = −2·98·99/((t + 98)(t + 99)).

    |x_t| ≤ ¼ for ever from t = 181 on, x_t² ≤ ε²/10 from t = 397 on: no bound by means of squares is earlier.
    """
    coin = {"format": "tdcert-model/1", "transitions": [["1/2", "1/2"]] * 2, "discount": "1/2", "features": [[1], [1]]}
    options: dict[str, Any] = {"algorithm": "td", "steps": "4,100", "within": "1/4", "probability": "9/10"}
    path = tmp_path / "quiet.json"
    quiet = tdcert.certify({**coin, "rewards": [1, 1]}, **options, certificate=path)
    noisy = tdcert.certify({**coin, "rewards": [1, "1001/1000"]}, **options)
    assert quiet["one_time"] == 397 <= quiet["ever_after"] <= 1.2 * 397 and main(["check", str(path)]) == 0
    assert noisy["ever_after"] is not None


@pytest.mark.parametrize("ratio", [10**26, "1/1000000000"])
def test_a_ratio_beyond_floats_is_refused(ratio: Any) -> None:
    coin = {"transitions": [["1/2", "1/2"]] * 2, "discount": "1/2", "rewards": [0, 1], "features": [[1], [1]]}
    with pytest.raises(tdcert.InputError, match=r"the ratio beta/alpha is .* give one between 1/1000000 and 1000000"):
        tdcert.certify(coin, algorithm="gtd", steps="4,20", within="1/4", probability="9/10", ratio=ratio)
