"""``tdcert analyze MODEL --algorithms``, ``tdcert algorithms`` and ``tdcert.compare`` as users meet them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import tdcert
from tdcert.algorithms import NAMES, called, find, for_model, named, under
from tdcert.algorithms.schedules import as_of_the_paper
from tdcert.analysis.request import SimulationRequest
from tdcert.analysis.updates import analyse_updates
from tdcert.reports import analysis_plots
from tdcert.reports.cli import main
from tdcert.theory.certificate import checker, write
from tdcert.theory.errors import InputError
from tdcert.theory.files.npz import save_npz
from tdcert.theory.model.gallery import HALF, bairds_star, boyan_chain, flip_chain, theta_to_two_theta
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.progress import silently
from tests.schemas import require

ROOT = Path(__file__).parents[2]
DIVERGES = str(ROOT / "examples" / "two_state_theta_2theta.json")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports are written where nobody names a folder, too."""
    monkeypatch.chdir(tmp_path)


def rows(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in document["algorithms"]}


def test_the_table_and_the_document_say_the_same(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    words = ["analyze", DIVERGES, "--algorithms", "off_policy_td,tdc,etd,tdrc[ridge=1/10]"]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    found = rows(document)
    assert found["off_policy_td"]["mean_dynamics"] == {
        "verdict": "unstable",
        "matrix": "the mean matrix",
        "rate": {"lower": "1/5", "upper": "1/5"},
        "reason": "an eigenvalue has positive real part",
        "precision_needed": None,
        "certificate": None,
    }
    assert found["tdc"]["two_time_scales"]["verdict"] == "stable"
    assert [part["stable"] for part in found["tdc"]["ratios"]] == [False, True]
    assert found["etd"]["memory"] == {"mean": True, "second_moments": False, "moments": None}
    grows = "the transitions 1 → 1 multiply the memory by 9/5 each time around"
    assert found["etd"]["why_no_constant_step"].startswith(grows) and found["etd"]["safe_step"] is None
    assert found["etd"]["why_no_covariance"] == "the second moments of the memory are infinite"
    assert found["off_policy_td"]["why_no_covariance"] == "the mean dynamics are not stable"
    assert found["off_policy_td"]["why_no_constant_step"] == "the mean dynamics are not stable"
    step = found["tdc"]["constant_step"]
    assert 0 < Fraction(step["bounded_upto"]) <= Fraction(step["bounded"]) < Fraction(step["unbounded"])
    assert found["tdc"]["error_squared"] == "0" and found["tdc"]["parameters"] == {"theta": ["0"], "w": ["0"]}
    assert document["reproduce"].startswith("tdcert analyze ") and "--algorithms" in document["reproduce"]
    assert any(line.split()[:1] == ["etd"] and line.rstrip().endswith("none") for line in shown.splitlines())
    for words_shown in (
        "✗ diverges",
        "✓ converges to θ* if β ≫ α",
        "(0.08, ∞)",
        "tdrc[ridge=1/10]",
        "the second moments of its memory are infinite",
    ):
        assert words_shown in shown


def test_python_takes_functions_and_lists() -> None:
    @tdcert.algorithm(parameters={"theta": "d"})
    def mine(t: Any, theta: Any, alpha: Any) -> Any:
        return theta + alpha * (t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta) * t.phi

    document = tdcert.compare(boyan_chain(), [mine, mine.with_options()])
    assert [row["parameters"] for row in document["algorithms"]] == [{"theta": ["-24", "-16", "-8", "0"]}] * 2
    both = tdcert.compare(boyan_chain(), "tdc")["algorithms"][0]["parameters"]
    assert both == {"theta": ["-24", "-16", "-8", "0"], "w": ["0"] * 4}
    mixed = tdcert.compare(boyan_chain(), ["td", mine, "etd,tdrc[ridge=1/2]"])
    assert list(mixed.algorithms) == ["td", "mine", "etd", "tdrc[ridge=1/2]"] and mixed.reproduce is None
    assert list(tdcert.analyze(boyan_chain(), algorithms=mine).algorithms) == ["mine"]
    refused: Any = (([lambda t: t], "holds a plain function"), (["td", 3], "holds a int"))
    for wrong, said in refused:
        with pytest.raises(InputError, match=said):
            tdcert.compare(boyan_chain(), wrong)
    assert tdcert.compare(DIVERGES, ["td", "etd"]).reproduce == f"tdcert analyze {DIVERGES} --algorithms td,etd"


@pytest.mark.thorough
def test_an_archive_is_answered_in_sparse_arithmetic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tdcert.analysis.choose_arithmetic import in_floats

    save_npz(tmp_path / "chain.npz", in_floats(boyan_chain()))
    words = ["analyze", "chain.npz", "--algorithms", "td,etd"]
    assert main([*words, "--out", "out"]) == 0
    assert "sparse matrices of floats" in " ".join(capsys.readouterr().out.split())
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["mean_dynamics"]["verdict"] for row in document["algorithms"]] == ["stable", "stable"]
    assert document["arithmetic"] == "sparse" and document["answer"][0]["converges"] is True
    assert main([*words, "--arithmetic", "exact", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["answer"][0]["theta_star"] == ["-24", "-16", "-8", "0"]
    found, default = tdcert.compare("chain.npz", ["td"]).algorithms["td"], tdcert.analyze("chain.npz").algorithms["td"]
    assert found is not None and default is not None and found.mean_dynamics == default.mean_dynamics


def test_the_earlier_formats_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """On-policy documents had TD twice; rows had their parameters in one list and their class by its states."""
    found = tdcert.analyze(boyan_chain(), what="verdict")
    old, rows_now = found.to_dict("tdcert-analysis/1"), found["algorithms"]
    assert old["format"] == "tdcert-analysis/1" and old["theta_star"] == found["theta_star"] and "answer" not in old
    assert old["algorithms"]["td"] == old["algorithms"]["off_policy_td"] and "bits" not in old
    assert old["algorithms"]["tdc"]["rate"] == rows_now[2]["two_time_scales"]["rate"]
    updates = tdcert.compare(DIVERGES, "tdc").to_dict("tdcert-updates/1")
    assert (updates["format"], updates["algorithms"][0]["class"]) == ("tdcert-updates/1", [0, 1])
    assert updates["algorithms"][0]["parameters"] == ["0", "0"]
    assert set(updates["algorithms"][0]["mean_dynamics"]) == {"verdict", "reason", "rate"}
    words = ["analyze", DIVERGES, "--algorithms", "tdc", "--json", "--format", "tdcert-updates/1"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out) == {**updates, "reproduce": f"tdcert {' '.join(words[:-2])}"}
    for wrong, said in ((["--format", "tdcert-analysis/3", "--json"], "there is no format"), (words[-2:], "--json")):
        assert main([*words[:4], *wrong]) == 2
        assert said in capsys.readouterr().err


@pytest.mark.thorough
def test_analyses_of_both_releases_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    found = tdcert.compare(DIVERGES, "off_policy_td,etd")
    for name, document in (
        ("old", found.to_dict("tdcert-updates/1")), ("new", found.to_dict()),
        ("one", tdcert.analyze(DIVERGES, what="verdict").to_dict("tdcert-analysis/1")),
        ("two", tdcert.analyze(DIVERGES, what="verdict").to_dict()),
        ("three", tdcert.analyze(DIVERGES, what="verdict", discount="1/10").to_dict()),
        ("draws", tdcert.analyze(DIVERGES, what="verdict", discount="1/10", sampling="independent").to_dict()),
    ):  # fmt: skip
        Path(f"{name}.json").write_text(json.dumps(document))
    assert main(["diff", "one.json", "two.json"]) == 0 and "no verdict changed" in capsys.readouterr().out
    assert main(["diff", "one.json", "three.json"]) == 1
    assert capsys.readouterr().out == "off_policy_td, class 0: unstable → stable\n"
    assert main(["diff", "three.json", "draws.json"]) == 1
    assert "sampling: nothing → independent\n" in capsys.readouterr().out
    assert main(["diff", "old.json", "new.json"]) == 0 and "no verdict changed" in capsys.readouterr().out


def test_the_schedule_of_the_model_is_taken() -> None:
    """λ without an end goes to ``lam``, any schedule to ``lambdas`` and ``tail``; what is given stays."""
    constant = tdcert.compare(flip_chain(HALF, Schedule.constant(HALF)), "td,tdrc,tdrc[lam=1/3]")
    assert [row["options"].get("lam") for row in constant["algorithms"]] == [None, "1/2", "1/3"]
    assert constant["algorithms"][0]["options"] == {"lambdas": [], "tail": ["1/2"]} and not constant.notes
    finite = tdcert.compare(flip_chain(HALF, Schedule((HALF,))), "td,tdrc")
    assert finite["algorithms"][0]["options"] == {"lambdas": ["1/2"], "tail": []}
    assert finite["algorithms"][1]["options"]["lam"] == 0
    assert finite.notes == ("the schedule has an end: algorithms with one λ were taken as they are by default",)


def traced(**declared: Any) -> Any:
    """On-policy TD with a trace and two options, whatever a schedule is asked for."""

    @tdcert.algorithm(parameters={"theta": "d"}, memory={"z": "d"}, **declared)
    def gossip(t: Any, theta: Any, z: Any, alpha: Any, *, lam: Any = 1 / 2, tail: Any = ()) -> Any:
        z = t.discount_before * lam * z + t.phi
        return theta + alpha * (t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta) * z, z

    return gossip


ON_TD0, ON_HALF, ON_TWO = (flip_chain(HALF, x) for x in (Schedule(), Schedule.constant(HALF), Schedule((HALF, HALF))))


@pytest.mark.parametrize("model", [ON_TD0, ON_HALF, ON_TWO], ids=["td0", "constant", "with an end"])
def test_options_are_as_the_function_says_whatever_their_names(model: tdcert.Model) -> None:
    """The row of λ = 1/2, where the model's schedule is another; and a note that says so."""
    written = tdcert.compare(model, traced())
    (row,), (same,) = written["algorithms"], tdcert.compare(ON_HALF, traced(schedule="lam"))["algorithms"]
    assert row["options"] == {"lam": 0.5, "tail": []} and row["mean_dynamics"] == same["mean_dynamics"]
    assert row["parameters"] == same["parameters"] and row["covariance"] == same["covariance"]
    said = "'gossip' has lam = 1/2, as its function says, whatever the model's schedule is; to take that, declare"
    assert list(written.notes) == ([] if model is ON_HALF else [f'{said} schedule="lam"'])


def test_the_schedule_is_asked_for_by_the_algorithm_and_then_taken() -> None:
    def options(model: tdcert.Model, algorithm: Any) -> list[Any]:
        found = tdcert.compare(model, algorithm)
        return [*found["algorithms"][0]["options"].values(), *found.notes]

    asks = traced(schedule="lam")
    assert options(ON_TD0, asks) == ["0", []] and options(ON_HALF, asks) == ["1/2", []]
    assert options(ON_TWO, asks)[:1] == [0.5] and "the schedule has an end" in options(ON_TWO, asks)[2]
    assert options(ON_TD0, asks.with_options(lam=1)) == [1, []]
    assert options(ON_TD0, traced().with_options(lam=Fraction(1, 3), tail=())) == ["1/3", []]  # given: nothing to say


@pytest.mark.parametrize("words, lam", [("etd", "1/2"), ("etd[lam=0]", 0), ("etd[lam=1/2]", "1/2"), ("etd[lam=1]", 1)])
def test_what_is_given_is_taken_where_it_is_the_default_too(words: str, lam: Any) -> None:
    (row,) = tdcert.compare(ON_HALF, words)["algorithms"]
    assert row["options"]["lam"] == lam
    (declared,) = find(words)
    assert called(for_model(declared, ON_HALF)[0], ON_HALF) == (words if lam != "1/2" else "etd")


@pytest.mark.parametrize("names", ["mu", ("lam", "mu"), ("lam", "tail", "lam")])
def test_a_schedule_is_asked_for_by_options_that_there_are(names: Any) -> None:
    with pytest.raises(InputError, match=r"schedule=.*; name the option that is λ.* it has the options lam, tail$"):
        traced(schedule=names)


@pytest.mark.thorough
def test_covariances_and_safe_steps_of_memory_without_end() -> None:
    """θ→2θ at γ = 1/2: what is finite, what is bounded, and what is neither."""
    found = tdcert.compare(theta_to_two_theta(HALF, rewards=(1, -1)), "etd[lam=1/2],tdrc[lam=1/2],td", step="1/100000")
    etd, tdrc, td = found["algorithms"]
    for row in (etd, tdrc, td):
        averaged, mean = (
            row["covariance"]["averaged"],
            [Fraction(x) for part in row["parameters"].values() for x in part],
        )
        # d = 1, uniform law, φ = 1, 2: the variance of predictions is 5/2 of that of θ
        assert Fraction(row["covariance"]["variance"]) == Fraction(5, 2) * Fraction(averaged[0][0]) > 0
        assert len(averaged) == len(mean) and row["why_no_covariance"] is None
    # ργ is 1 half of the time and 0 else: bounded by no number for the emphasis, by 2 for the trace
    assert etd["constant_step"] is None and etd["safe_step"] is None and "take more than" in etd["why_no_constant_step"]
    assert Fraction(tdrc["safe_step"]) > Fraction(1, 100_000) and tdrc["at_step"]["mean_square"] == -1
    assert etd["at_step"]["mean_square"] is None
    moments = etd["memory"]["moments"]
    # F' = ργ(F + 1): E F' = (E F + 1)/2, E F'² = (E F² + 2 E F + 1)/2
    assert moments["mean"][1] == "1" and moments["second"][1][1] == "3"


TOTAL = """
import tdcert


@tdcert.algorithm(parameters={"theta": "d", "total": 1})
def beside(t, theta, total, alpha):
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * delta * t.phi, total + alpha * t.reward
"""


@pytest.mark.usefixtures("sketched")
def test_what_no_update_sees_is_said_to_drift(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A fair coin, φ = ±1, R = 1 on heads, γ = 1/2: θ rests at 1/2, and the total grows by 1/2 in the mean."""
    model, own, out = tmp_path / "coin.json", tmp_path / "total.py", tmp_path / "out"
    coin = {"transitions": [["1/2", "1/2"]] * 2, "rewards": [1, 0], "discount": "1/2", "features": [[1], [-1]]}
    model.write_text(json.dumps({"format": "tdcert-model/1", **coin}))
    own.write_text(TOTAL)
    assert main(["analyze", str(model), "--algorithms", f"{own}:beside", "--out", str(out)]) == 0
    said = "rests, and what no update sees drifts: the mean increment there, per step, is total 0.5"
    assert f"what updates see of the parameters {said}" in " ".join(capsys.readouterr().out.split())
    document = json.loads((out / "analysis.json").read_text())
    require(document)
    (row,) = document["algorithms"]
    assert (row["parameters"], row["drift"], document["checker"]["rejected"]) == ({}, ["0", "1/2"], [])
    assert row["covariance"]["noise"] == [["5/16", "1/4"], ["1/4", "1/4"]]
    page = (out / "index.html").read_text()
    assert said in page and "Noise at rest, about the drift, in the long run" in page
    rest, noise = (checker.check_file(str(out / row["certificates"][k])) for k in (1, 2))
    assert "at no others, while the mean increment of all parameters is (0, 1/2) there" in rest
    assert noise.startswith("at rest, where their mean is (0, 1/2), the increments of the update in this file's terms")


@pytest.mark.thorough
@pytest.mark.usefixtures("sketched")
def test_each_row_is_held_against_what_it_estimates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A fair coin, φ = ±1, R = 4 on heads and 0 on tails, γ = 1/2: V = R + 2, and differential values are R − 2 up to a
    constant. All have θ* = 2, which is 4 away from V at each state, and exact but for the constant.
    """

    def td(**more: Any) -> Any:
        def one(t: Any, theta: Any, alpha: Any) -> Any:
            return theta + alpha * (t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta) * t.phi

        one.__name__ = "_".join(["td", *more.get("estimates", "").split()])  # of one name they are refused together
        return tdcert.algorithm(parameters={"theta": "d"}, **more)(one)

    coin = {"transitions": [["1/2", "1/2"]] * 2, "rewards": [4, 0], "discount": "1/2", "features": [[1], [-1]]}
    model = {"format": "tdcert-model/1", **coin}
    declared = [td(), *(td(estimates=f"{what} value") for what in ("discounted", "differential"))]
    declared += [td(estimates="discounted value up to a constant"), td(estimates="something else")]
    found = tdcert.compare(model, declared)
    require(found.to_dict())
    errors = [row["error_squared"] for row in found["algorithms"]]
    assert errors == ["16", "16", "0", "0", None]
    path = tmp_path / "coin.json"
    path.write_text(json.dumps(model))
    words = ["analyze", str(path), "--algorithms", "td,average_reward_td,differential_td,categorical_td"]
    assert main([*words, "--json"]) == 0
    rows_found = rows(json.loads(capsys.readouterr().out))
    assert {name: row["error_squared"] for name, row in rows_found.items()} == {
        **{"td": "16", "average_reward_td": "0", "differential_td": "0", "categorical_td": None},
    }
    assert rows_found["differential_td"]["estimates"] == "differential value"
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    shown, page = " ".join(capsys.readouterr().out.split()), (tmp_path / "out" / "index.html").read_text()
    for said in (
        "average_reward_td estimates the differential value: V is that of the target policy, and the error the least",
        "categorical_td estimates the value distribution: its predictions are compared with no value",
    ):
        name, _, rest = said.partition(" estimates ")
        assert said in shown and f"estimates {rest}" in page and name in page
    assert "td estimates the discounted" not in shown
    # tabular features: no update sees constants, and up to them predictions are known. With a coin that stays the same
    # three times of four V_0 − V_1 is 4/(1 − γ/2), and h_0 − h_1 is 4/(1 − 1/2)
    path.write_text(json.dumps({**model, "transitions": [["3/4", "1/4"], ["1/4", "3/4"]]}))
    assert main([*words[:3], "average_reward_td", "--features", "tabular", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["algorithms"]
    assert (row["predictions"], row["error_squared"], row["drift"]) == (None, "0", ["0", "0", "0"])
    with pytest.raises(InputError, match="'advantages'; give one of 'discounted value', 'discounted value up to"):
        td(estimates="advantages")


def test_tables_under_another_name_are_told_by_the_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Off-policy TD is unstable on θ→2θ, and TD, which leaves the ratios out, is stable."""
    model = theta_to_two_theta(Fraction(9, 10))
    (row,) = analyse_updates(model, find("td"), silently, certify=True).rows
    path, certificate = (
        tmp_path / "renamed.json",
        json.loads(write.text(write.document(row.certificates[0], model, None))),
    )
    certificate["about"]["update"]["name"] = "off_policy_td"
    path.write_text(json.dumps(certificate))
    for words, code, end in (
        ([], 0, f"(model {model.digest[:12]})"),
        (["--algorithm", "td"], 0, "; this is what td does"),
        (["--algorithm", "off_policy_td"], 1, "- alpha * t.rho * (t.phi @ theta) * t.phi"),
    ):
        assert main(["check", str(path), *words]) == code
        shown = " ".join(capsys.readouterr().out.split())
        assert shown.endswith(end if code else f"{end}; checked by the Python checker")
        assert (
            code or "every eigenvalue of the mean matrix of the update in this file's terms (theta += -alpha" in shown
        )


def test_labels_are_what_a_command_line_takes() -> None:
    """Options that differ from those of the same name alone; the schedule's are not said."""
    model = flip_chain(HALF, Schedule.constant(HALF))
    for words, said in (
        ("td", "td"),
        ("tdrc", "tdrc"),
        ("tdrc[lam=1/3,ridge=1/10]", "tdrc[lam=1/3,ridge=1/10]"),
        ("categorical_td[atoms=-1:1/2:3]", "categorical_td[atoms=-1:1/2:3]"),
    ):
        (declared,) = find(words)
        assert called(for_model(declared, model)[0], model) == said


@pytest.mark.thorough
def test_runs_are_compared_where_they_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    model = theta_to_two_theta(Fraction(9, 10), rewards=(1, -1))
    document = tdcert.compare(model, "off_policy_td,gtd2_mp", simulate=True, seed=3)
    agreed, mirrored = document["comparisons"]
    assert agreed["agrees"] is True and "simulation agrees with theory" in agreed["said"]
    assert mirrored["agrees"] is True and "all with the first step" in mirrored["said"]
    assert [rows(document)[name]["first_order"] for name in ("off_policy_td", "gtd2_mp")] == [False, True]
    assert tdcert.compare(model, "off_policy_td", simulate=True, seed=4)["comparisons"][0]["said"] != agreed["said"]
    assert main(["analyze", DIVERGES, "--algorithms", "td", "--simulate", "--seed", "1"]) == 0
    assert "TD: ✓ holds (consistent)" in " ".join(capsys.readouterr().out.split())


@pytest.mark.thorough
def test_runs_under_way_are_told_from_runs_from_time_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """3-step TD on one state, γ = 9/10, at the step 10: every run from time zero is at θ* from the first update on."""
    model = {"format": "tdcert-model/1", "transitions": [[1]], "rewards": [1], "discount": "9/10", "features": [[1]]}
    (tmp_path / "one.json").write_text(json.dumps({**model, "schedule": {"n_step": 3}}))
    words = ["analyze", str(tmp_path / "one.json"), "--algorithms", "td", "--steps", "10", "--out", str(tmp_path / "o")]
    assert main(words) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert (
        "all of this for runs from time zero: where parameters are changed during a run and its trace is kept, in the "
        "mean: no; in mean square: no"
    ) in shown
    assert "the mean dies out, the mean square dies out; the mean grows" in (tmp_path / "o" / "index.html").read_text()
    (row,) = json.loads((tmp_path / "o" / "analysis.json").read_text())["algorithms"]
    assert row["at_step"]["under_way"] == {"mean": 1, "mean_square": 1} and row["at_step"]["mean"] == -1
    assert main(["check", *(str(tmp_path / "o" / path) for path in row["certificates"] if "unbounded" in path)]) == 0
    assert capsys.readouterr().out.count("(of a run under way; a run from time zero may never meet it)") == 3


@pytest.mark.thorough
def test_the_first_order_is_called_so(tmp_path: Path) -> None:
    """In the document, on the page and in the note; the point of rest has all parameters, momentum's last θ too."""
    words = ["analyze", DIVERGES, "--algorithms", "off_policy_td,gtd_momentum", "--out", str(tmp_path / "found")]
    assert main(words) == 0
    document = json.loads((tmp_path / "found" / "analysis.json").read_text())
    plain, heavy = document["algorithms"]
    assert (plain["first_order"], heavy["first_order"]) == (False, True)
    assert document["notes"][-1:] == ["mean dynamics for steps → 0, by the first order in the step sizes: gtd_momentum"]
    assert heavy["mean_dynamics"]["verdict"] == "stable" and [len(part) for part in heavy["parameters"].values()] == [
        1,
        1,
        1,
    ]
    theta, old, _ = heavy["parameters"].values()
    assert theta == old == plain["parameters"]["theta"]
    assert len(heavy["covariance"]["averaged"]) == 3 and len(heavy["covariance"]["noise"]) == 2
    page = (tmp_path / "found" / "index.html").read_text()
    assert page.count("Mean dynamics for steps → 0") == 1 and document["checker"]["rejected"] == []


@pytest.mark.thorough
def test_a_constant_step_is_asked_about(capsys: pytest.CaptureFixture[str]) -> None:
    """Products of step sizes have an answer at each step."""
    words = ["analyze", DIVERGES, "--algorithms", "off_policy_td,gtd2_mp,etd", "--steps", "0.1"]
    assert main([*words, "--all"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "off-policy TD, α = 0.1: ✗ not small enough: in the mean: no; in mean square: no" in shown
    assert "gtd2_mp, α = 0.1, β = 0.1: ✓ small enough: in the mean: yes; in mean square: yes; on paths: yes" in shown
    assert "etd, α = 0.1: ✗ not small enough: in the mean: not decided; in mean square: no (the transitions" in shown
    assert "after 8 updates from ones, mean and standard deviation: theta[0]" in shown
    found = rows(tdcert.compare(DIVERGES, "gtd2_mp,td", step=0.1))
    asked = found["gtd2_mp"]["at_step"]
    assert [at["t"] for at in asked.pop("moments")] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert asked == {"step": "1/10", "mean": -1, "mean_square": -1, "why": None, "under_way": None}
    for wrong, said in (
        ("0", "the step is 0, and nothing is learnt with it"),
        ("much", "the step sizes are 'much'; give a number"),
        ("1e999999999", "the step sizes are '1e999999999'; give a number"),
    ):
        assert main([*words[:-1], wrong]) == 2
        assert said in capsys.readouterr().err
    with pytest.raises(InputError, match="the step sizes are"):
        tdcert.compare(DIVERGES, "td", step="much")


@pytest.mark.thorough
def test_a_report_holds_certificates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its certificates are accepted and about the function; it is replaced by its own kind alone."""
    monkeypatch.chdir(tmp_path)
    words = ["analyze", DIVERGES, "--algorithms", "off_policy_td", "--out", "found"]
    assert main(words) == 0
    shown = capsys.readouterr().out
    kept = len(list((tmp_path / "found" / "certificates").rglob("*.json")))
    assert f"accepted {kept} of {kept} certificates" in shown and "report: found/index.html" in shown
    document = json.loads(Path("found/analysis.json").read_text())
    (row,) = document["algorithms"]
    assert row["certificates"] == [
        f"certificates/algorithms/{name}.json" for name in ("001-update_unstable", "002-update_rest")
    ]
    assert document["checker"] == {"accepted": kept, "rejected": []}
    paths = [f"found/{path}" for path in row["certificates"]]
    assert main(["check", "found/certificates/algorithms", "--algorithm", "off_policy_td"]) == 0
    assert capsys.readouterr().out.count("accepted: ") == 2
    assert main(["check", *paths, "--algorithm", "residual_gradient"]) == 1
    assert capsys.readouterr().out.count("the function does something else to theta") == 2
    assert main(["check", paths[0], "--algorithm", "td,tdc"]) == 2
    assert "names 2 algorithms; give one" in capsys.readouterr().err
    law = ROOT / "tests" / "theory" / "certificate" / "correct" / "law.json"
    assert main(["check", str(law), "--algorithm", "td"]) == 1
    assert "not about an update" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["reproduce"] == f"{document['reproduce']} --json"
    assert printed == {key: printed[key] if key == "reproduce" else document[key] for key in printed}


def test_a_rejected_certificate_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command fails where the checker does not accept what was written."""

    def refuse(*_: Any) -> str:
        raise checker.Rejected("no reason")

    monkeypatch.setattr(checker, "check_file", refuse)
    assert main(["analyze", DIVERGES, "--algorithms", "off_policy_td", "--out", str(tmp_path / "found"), "--json"]) == 1
    shown = capsys.readouterr()
    assert "a certificate was rejected: certificates/algorithms/001-update_unstable.json: no reason" in shown.err
    assert json.loads((tmp_path / "found" / "analysis.json").read_text())["checker"]["accepted"] == 0


@pytest.mark.thorough
def test_what_is_undecided_says_why(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """At discount one the follow-on trace has no mean."""
    path = tmp_path / "model.json"
    path.write_text(json.dumps(dict(theta_to_two_theta(Fraction(1)).canonical)))
    assert main(["analyze", str(path), "--algorithms", "etd,gtd2_mp,gtd_momentum[momentum=1]"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "? not decided" in shown and "etd: the memory has no mean" in shown
    assert "note: mean dynamics for steps → 0, by the first order in the step sizes: gtd2_mp" in shown
    assert "gtd_momentum[momentum=1]: the update 'gtd_momentum' has no mean dynamics for steps → 0: with step" in shown
    star = tdcert.compare(bairds_star(Fraction(9, 10)), "tdrc")["algorithms"][0]
    assert star["ratios"] is None and star["mean_dynamics"]["verdict"] == "stable_modulo_null_space"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--algorithms", "nobody"], "there is no algorithm 'nobody'"),
        (["--algorithms", "td", "--seed", "1"], "--seed is about --simulate"),
    ],
)
def test_bad_words_get_one_sentence(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", DIVERGES, *words]) == 2
    shown = capsys.readouterr()
    assert said in shown.err and shown.err.count("\n") == 1 and shown.out == ""


@pytest.mark.thorough
def test_enclosed_answers_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["analyze", DIVERGES, "--algorithms", "htd,etd", "--arithmetic", "enclosed", "--bits", "200"]
    assert main(words) == 0
    shown = capsys.readouterr().out
    shown = " ".join(shown.split())
    assert "enclosed in balls of 200 bits" in shown and "arithmetic: enclosed" in shown
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    require(document)
    assert (document["arithmetic"], document["bits"]) == ("enclosed", 200)
    same = tdcert.compare(DIVERGES, "htd,etd", arithmetic="enclosed", bits=200).to_dict()
    commands = ("reproduce", "replay")
    assert {k: v for k, v in document.items() if k not in commands} == {
        k: v for k, v in same.items() if k not in commands
    }
    exact = rows(tdcert.compare(DIVERGES, "htd"))["htd"]["memory"]["moments"]["mean"][0]
    value, _, radius = rows(document)["htd"]["memory"]["moments"]["mean"][0].partition(" +/- ")
    assert radius and abs(Fraction(value) - Fraction(exact)) <= Fraction(radius) < Fraction(1, 10**12)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"arithmetic": "sparse", "step": "1/8"}, "--steps was asked of a model in sparse arithmetic"),
        ({"arithmetic": "exact", "bits": 100}, "more bits are offered for enclosed arithmetic alone"),
        ({"arithmetic": 3}, "give a name"),
        ({"bits": 10}, "give 53 to"),
        ({"arithmetic": "fuzzy"}, "fuzzy"),
    ],
)
def test_arithmetic_that_there_is_not(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        tdcert.compare(DIVERGES, "td", **asked)


def test_what_ships_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["algorithms"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(NAMES)
    assert "ICML 2020" in next(line for line in lines if line.startswith("tdrc")) and lines[7].endswith("[lam, ridge]")


def test_no_algorithm_and_a_decorator_without_parentheses_are_one_sentence() -> None:
    with pytest.raises(tdcert.InputError, match="no algorithm was given"):
        tdcert.compare(DIVERGES, [])
    with pytest.raises(tdcert.InputError, match=r"takes keywords alone; write @tdcert.algorithm\(parameters="):
        tdcert.algorithm(lambda t, theta, alpha: theta)


@pytest.mark.thorough
def test_schedules_are_compared_for_algorithms_that_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each as if the model had that schedule; the bound of the error is that of the model's own analysis."""
    model = tmp_path / "flips.json"
    chain = {
        "transitions": [["1/2", "1/2"], ["3/4", "1/4"]],
        "rewards": [1, 0],
        "discount": "1/2",
        "features": [[1], [3]],
    }
    model.write_text(json.dumps({"format": "tdcert-model/1", **chain, "schedule": {"n_step": 2}}))

    def answered(*words: str) -> Any:
        assert main(["analyze", str(model), "--json", *words]) == 0
        document = json.loads(capsys.readouterr().out)
        require(document)
        return document

    found = answered("--algorithms", "td,retrace,residual_gradient", "--candidates", "td0 constant:0.5")
    td, retrace, gradient = found["schedules_of"]
    assert gradient["under"] == [] and "takes no schedule" in gradient["why_not"] and gradient["recommendation"] is None
    assert td["recommendation"]["schedule"] in {one["schedule"] for one in td["under"]}
    assert [(one["of_the_model"], one["schedule"]) for one in td["under"]] == [
        (True, "lambdas:1"),
        (False, "td0"),
        (False, "constant:1/2"),
    ]
    for one in (*td["under"], *retrace["under"][1:]):
        name = one["row"]["name"]
        (alone,) = answered("--algorithms", name, "--schedule", one["schedule"])["algorithms"]
        assert {**one["row"], "certificates": []} == {**alone, "certificates": []}
    assert retrace["under"][0]["row"] is None and "one λ for all steps" in retrace["under"][0]["why_not"]
    assert found["schedules"] == [] and found["schedules_answer"] == []
    bound = answered()["error_bound_squared"]
    assert bound is not None and found["algorithms"][0]["error_bound_squared"] == bound
    assert "rests elsewhere than TD" in found["algorithms"][2]["why_no_error_bound"]
    out = tmp_path / "out"
    assert main(["analyze", str(model), "--algorithms", "td,retrace", "--candidates", "td0", "--out", str(out)]) == 0
    shown, page = capsys.readouterr().out, (out / "index.html").read_text()
    assert "td: Over 40,000 steps" in shown and "Over 40,000 steps, to first order" in page
    assert "td with" in shown and "retrace with" in shown and page.count('under schedules"') == 2


@pytest.mark.thorough
def test_what_is_drawn_and_warned_of_is_what_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Off-policy TD diverges on this model; whoever asks about emphatic TD is told nothing of it."""
    from matplotlib import pyplot

    model = tdcert.example("two_state_theta_2theta")
    said = {
        name: tdcert.analyze(model, algorithms=[name], what=["warnings"]).to_dict()["warnings"]
        for name in ("etd", "off_policy_td")
    }
    assert ["mean_dynamics" in [one["id"] for one in found] for found in said.values()] == [False, True]
    found = tdcert.analyze(model, algorithms=["etd"], lambda_sweep=True, what=["schedules"]).to_dict()
    assert found["lambda_sweep"] is None
    (compared,) = found["schedules_of"]
    assert {"constant:1/2", "constant:9/10"} <= {one["schedule"] for one in compared["under"]}
    monkeypatch.setattr(analysis_plots, "SimulationRequest", lambda: SimulationRequest(updates=20, runs=4))
    drawn = tdcert.compare(model, ["etd", "gtd2"]).plot.learning_curves()
    assert {str(line.get_label()).partition(":")[0] for line in drawn.get_lines()} == {"etd", "gtd2"}
    pyplot.close("all")


@pytest.mark.thorough
def test_what_is_listed_is_compared_whatever_what_says() -> None:
    """--lambda-sweep is named, so it is answered though --what names other parts: of what is listed alone."""
    model = tdcert.example("two_state_theta_2theta")
    found = tdcert.analyze(model, algorithms=["etd"], lambda_sweep=True, what=["warnings"]).to_dict()
    assert found["lambda_sweep"] is None and [one["algorithm"] for one in found["schedules_of"]] == ["etd"]


def test_another_name_is_answered_as_the_papers_own() -> None:
    """There are more windows × D² than a row asks about; the bounds by states, which TD has, are those of its terms."""
    own = named("td")
    model = boyan_chain(Schedule((HALF,) * 4))
    found = tdcert.analyze(model, algorithms=[own, replace(own, name="mine")], steps="largest").to_dict()
    one, other = (row["largest"] for row in found["step_sizes"]["algorithms"])
    assert one == other and one["grade"] == "enclosed" and one["bounded_up_to"] is not None
    assert [row["constant_step"]["bounded"] for row in found["algorithms"]] == [one["bounded_up_to"]] * 2


@pytest.mark.thorough
def test_td_without_ratios_off_policy_is_not_the_papers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its terms are those of off-policy TD but for ρ, and its mean matrix is another: no certificate is the paper's."""
    out = tmp_path / "out"
    words = ("--algorithms", "td", "--steps", "1/10", "--out", str(out))
    assert main(["analyze", "example:two_state_theta_2theta", *words]) == 0
    capsys.readouterr()
    for schedule, on_policy, paper in ((Schedule(()), True, "td"), (Schedule(()), False, None)):
        assert as_of_the_paper(under(named("td"), schedule)[0], schedule, on_policy) == paper
    assert as_of_the_paper(under(named("gtd"), Schedule(()))[0], Schedule(()), False) == "gtd"
