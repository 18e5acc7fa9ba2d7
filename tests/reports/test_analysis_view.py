"""What ``tdcert.analyze`` returns: numbers in three ways, parts, pictures, texts; held against the document."""

from __future__ import annotations

import copy
import io
import json
import pickle
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes

import tdcert
from tdcert.algorithms import find
from tdcert.analysis.advice import compare_schedules
from tdcert.analysis.advice.compare_schedules import exact_row
from tdcert.analysis.advice.compared_schedules import Candidate, Compared
from tdcert.analysis.facts import ModelFacts
from tdcert.reports import analysis_view
from tdcert.reports.analysis_view import LINES, Enclosed
from tdcert.reports.cli import main
from tdcert.theory.model.mdp import Model
from tests import schemas
from tests.effort import by_default

F = Fraction
RING: dict[str, Any] = {
    "P": [["9/10", "1/10", 0], [0, "1/2", "1/2"], ["1/4", 0, "3/4"]],
    "rewards": [0, 0, 1],
    "discount": "9/10",
    "features": [[1, 0], [2, 1], [1, 2]],
    "schedule": tdcert.NStep(3),
}
"""Its law is (5/8, 1/8, 1/4): by hand."""
TWO_CLASSES: dict[str, Any] = {"P": [[1, 0], [0, 1]], "rewards": [0, 1], "discount": "1/2", "features": [[1], [1]]}
THETA_2THETA: dict[str, Any] = {
    "P": {"one": [[1, 0], [1, 0]], "two": [[0, 1], [0, 1]]},
    "rewards": 0,
    "discount": "9/10",
    "behaviour": [["1/2", "1/2"]] * 2,
    "target": ["two", "two"],
    "features": [1, 2],
}
"""A = ½(1(1.8 − 1) + 2(1.8 − 2)) = 1/5: off-policy TD diverges."""


@pytest.fixture(scope="module")
def ring() -> tdcert.Analysis:
    return tdcert.analyze(**RING)


@pytest.fixture(scope="module")
def enclosed() -> tdcert.Analysis:
    return tdcert.analyze(**RING, arithmetic="enclosed")


@pytest.fixture(autouse=True)
def no_figures_left() -> Iterator[None]:
    yield
    pyplot.close("all")


def test_numbers_as_floats_as_fractions_and_with_a_radius(ring: tdcert.Analysis, enclosed: tdcert.Analysis) -> None:
    law = [F(5, 8), F(1, 8), F(1, 4)]
    assert list(ring.exact.stationary) == law and isinstance(ring.stationary, np.ndarray)
    assert ring.stationary.tolist() == [0.625, 0.125, 0.25]
    assert ring.A is not None and ring.A.shape == (2, 2) and ring.b is not None and ring.b.shape == (2,)
    theta = ring.exact.theta_star
    assert (ring.exact.A @ theta + ring.exact.b).tolist() == [0, 0]
    assert (ring.exact.values_at_fixed_point == [theta[0], 2 * theta[0] + theta[1], theta[0] + 2 * theta[1]]).all()
    for found in (ring, enclosed):
        for name in ("A", "b", "C", "theta_star", "stationary", "values_at_fixed_point", "value"):
            both, true = getattr(found.enclosed, name), getattr(ring.exact, name)
            near = np.ravel(np.asarray(both))
            assert near.tolist() == np.ravel(getattr(found, name)).tolist()
            rows = zip(near.tolist(), np.ravel(both.radius).tolist(), np.ravel(true), strict=True)
            assert all(abs(F(x) - y) <= F(r) < F(1, 10**9) for x, r, y in rows), name
    assert ring.enclosed.stationary is not None and not ring.enclosed.stationary.radius.any()
    assert ring.kappa is not None and ring.kappa.exact == F(729, 1000) and float(ring.kappa) == 0.729
    with pytest.raises(tdcert.InputError, match=r"enclosed arithmetic and has no fractions; read \.enclosed\.A"):
        enclosed.exact.A  # noqa: B018
    with pytest.raises(AttributeError, match="theta_star"):
        ring.exact.theta  # noqa: B018


def test_a_number_with_a_radius() -> None:
    third = Enclosed.between(F(1, 3), F(1, 3))
    assert third.exact == F(1, 3) and F(third.lower) <= F(1, 3) <= F(third.upper) and third.radius > 0
    wide = Enclosed.between(F(-1, 3), F(2, 3))
    assert abs(F(float(wide)) - F(1, 6)) < F(1, 10**15) and F(wide.lower) <= F(-1, 3) and F(2, 3) <= F(wide.upper)
    assert wide.exact is None and str(third) == "1/3" and "±" in str(wide)
    array = Enclosed(np.array([1.0, 2.0]), np.array([0.0, 0.5]))
    assert [float(x) for x in array] == [1, 2] and array[1].radius == 0.5 and len(array) == 2
    assert array.lower[0] == 1 and array.lower[1] < 1.5 and np.asarray(array).tolist() == [1, 2]
    for wrong in (5, "A", (0, 0)):
        with pytest.raises(tdcert.InputError, match="no such entry"):
            array[wrong]
    with pytest.raises(tdcert.InputError, match="float"):
        third[0]


def test_parts_say_what_the_document_says(ring: tdcert.Analysis) -> None:
    document = ring.to_dict()
    assert document == dict(ring) and json.loads(json.dumps(document)) == document and schemas.faults(document) == []
    assert [str(x) for x in ring.exact.theta_star] == document["theta_star"] == ring["theta_star"]
    for row, answer in zip(document["algorithms"], document["answer"], strict=True):
        one, said = ring.algorithms[row["name"]], row["mean_dynamics"] or row["two_time_scales"]
        assert one is not None and one.mean_dynamics == said["verdict"] and one.is_stable and one.rate is not None
        assert F(said["rate"]["lower"]) >= F(one.rate.lower) and F(said["rate"]["upper"]) <= F(one.rate.upper)
        assert one.words == f"{answer['words']}: {answer['how_fast']}" and answer["converges"] is True
        assert one.theta_star is not None and list(map(str, one.theta_star.exact)) == answer["theta_star"]
    assert {c.id: (c.status, c.grade, list(c.violated)) for c in ring.claims.values()} == {
        c["id"]: (c["status"], c["grade"], c["violated"]) for c in document["claims"]
    }
    assert [w.id for w in ring.warnings] == [w["id"] for w in document["warnings"]]
    assert list(ring.notes) == document["notes"] and list(ring.defaults_used) == document["model"]["defaults_used"]
    assert ring.fixed_point_error_squared is not None
    assert str(ring.fixed_point_error_squared.exact) == document["fixed_point_error_squared"]
    assert list(ring.schedules.sentences) == document["schedules_answer"]
    for mine, theirs in zip(ring.schedules, document["schedules"], strict=True):
        assert (mine.name, mine.own, mine.option) == (theirs["name"], theirs["of_the_model"], theirs["schedule"])
        for number, key in (
            (mine.kappa, "kappa"), (mine.error_squared, "fixed_point_error_squared"),
            (mine.bound_squared, "error_bound_squared"), (mine.variance, "asymptotic_variance"),
            (mine.trace_second_moment, "trace_second_moment"),
        ):  # fmt: skip
            assert (None if number is None else str(number.exact)) == theirs[key]
        largest = None if mine.largest_step is None else str(mine.largest_step.exact)
        assert largest == (theirs["largest_step"] and theirs["largest_step"]["bounded_up_to"])
    again = tdcert.analyze(**{**RING, "schedule": ring.schedules["EqualWeights(2, 4)"].option}, what="verdict")
    assert again.kappa is not None and again.kappa.exact == ring.schedules["EqualWeights(2, 4)"].kappa.exact
    with pytest.raises(tdcert.InputError, match="there is no schedule 'TD'"):
        ring.schedules["TD"]


def parts_of(found: tdcert.Analysis) -> dict[str, Any]:
    names = [name for name in dir(found) if not name.startswith("_")]
    return {name: getattr(found, name) for name in names if name not in ("report", "to_dict", "get", "items", "keys")}


@pytest.mark.parametrize("arithmetic", by_default(1, ["exact", "enclosed", "sparse"]))
@pytest.mark.thorough
def test_an_analysis_can_be_pickled_with_all_its_parts(arithmetic: str) -> None:
    """Also one that was made from functions of the state."""
    given: dict[str, Any] = {**RING, "features": lambda s: [[1, 0], [2, 1], [1, 2]][s], "terminal": lambda s: False}
    found = tdcert.analyze(**given, arithmetic=arithmetic, steps=None if arithmetic == "sparse" else 0.1)
    again = pickle.loads(pickle.dumps(found))
    assert again.to_dict() == found.to_dict() and again.A.tolist() == np.asarray(found.A).tolist()
    for name, part in parts_of(found).items():
        assert repr(pickle.loads(pickle.dumps(part))) == repr(part), name
        assert repr(copy.deepcopy(part)) == repr(part) and " object at 0x" not in repr(part), name
    loaded = tdcert.load_model(**given)
    assert pickle.loads(pickle.dumps(loaded)).model.digest == loaded.model.digest  # type: ignore[union-attr]


@pytest.mark.parametrize("words", ["td", "tdrc[ridge=1/2]"])
def test_a_declared_update_can_be_pickled(words: str) -> None:
    (declared,) = find(words)
    again = pickle.loads(pickle.dumps(declared))
    assert (again.function, again.options, again.given) == (declared.function, declared.options, declared.given)
    assert " at 0x" not in repr(declared)


@pytest.mark.thorough
def test_what_is_not_there_is_answered_by_what_is(ring: Any) -> None:
    asked: list[tuple[Callable[[], Any], str]] = [
        (lambda: ring.theta, "in Analysis there is no attribute 'theta'; did you mean 'theta_star'?"),
        (lambda: ring.claims["nope"], "there is no claim that was asked of the model 'nope'; there are td_lambda_weig"),
        (lambda: ring.claims["thm_43"], "did you mean 'thm_4_3'?"),
        (lambda: ring["qqq"], "there is no key 'qqq'; there are format, "),
        (lambda: ring.algorithms["etd"], "there is no algorithm 'etd'; did you mean 'td'?"),
        (lambda: ring.schedules["x"], "there is no schedule 'x'; there are "),
        (lambda: ring.steps["gtd"], "there is no algorithm 'gtd'; there are none"),
        (lambda: ring.exact.D, "there is no array 'D'; did you mean 'stationary'?"),
        (lambda: ring.enclosed.G, "there is no array 'G'; there are stationary, A, b, C, theta_star, "),
        (lambda: ring.plot.curves, "in Plots there is no attribute 'curves'; "),
        (lambda: ring.steps.nope, "in Steps there is no attribute 'nope'; there are asked, "),
        (lambda: ring.schedules.nope, "in Schedules there is no attribute 'nope'; there are "),
        (lambda: ring.classes[0].theta, "in RecurrentClass there is no attribute 'theta'; did you mean 'theta_star'?"),
        (lambda: ring.algorithms["td"].converges, "there is no attribute 'converges'; did you mean 'is_stable'?"),
        (lambda: ring.claims["thm_4_3"].verdict, "in ClaimOnModel there is no attribute 'verdict'; there are detail, "),
        (lambda: ring.kappa.value, "in Enclosed there is no attribute 'value'; there are "),
    ]
    for ask, sentence in asked:
        with pytest.raises((AttributeError, KeyError)) as refusal:
            ask()
        assert sentence in str(refusal.value) and not str(refusal.value).startswith('"')
    assert ring.claims.get("nope") is None and "nope" not in ring and ring.get("nope", 1) == 1
    assert not hasattr(ring, "theta") and not hasattr(ring, "_repr_png_")


def test_off_policy_and_several_classes() -> None:
    off = tdcert.analyze(**THETA_2THETA, what="verdict")
    assert off.exact.A.tolist() == [[F(1, 5)]] and not off.on_policy and off.algorithms["td"] is None
    assert off.algorithms["off_policy_td"] is not None and off.algorithms["off_policy_td"].mean_dynamics == "unstable"
    assert off.algorithms["off_policy_td"].rate is not None and float(off.algorithms["off_policy_td"].rate) == 0.2
    assert "off-policy TD ✗ diverges" in repr(off) and repr(off).endswith("; θ* = 0>")
    other = tdcert.analyze("example:uncovered_action", what="verdict")
    assert "GTD ✓ converges: " in repr(other) and "θ*" not in repr(other)
    assert other.theta_star is not None and other.theta_star.tolist() == [2]
    two = tdcert.analyze(**TWO_CLASSES, what="verdict")
    assert two.A is None and two.algorithms == {} and "2 recurrent classes; TD, class of 0 ✓ conv" in repr(two)
    assert [part.states for part in two.classes] == [(0,), (1,)]
    assert [part.exact.theta_star.tolist() for part in two.classes] == [[0], [2]]
    assert two.value is not None and two.value.tolist() == [0, 2]


@pytest.mark.thorough
@pytest.mark.usefixtures("sketched")
def test_what_asks_for_parts(ring: tdcert.Analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verdict, whole = tdcert.analyze(**RING, what="verdict"), ring.to_dict()
    document = verdict.to_dict()
    assert schemas.faults(document) == [] and verdict.claims == {} and len(verdict.schedules) == 0
    assert set(document["claims_not_asked"]) == {c["id"] for c in whole["claims"]} and document["notes"] == []
    assert document["schedules_missing"] == verdict.schedules.why == "not asked for"
    assert document["warnings_not_asked"] == [{"id": "all", "why": "not asked for"}]
    same = ("A", "b", "C", "theta_star", "algorithms", "chain", "value", "kappa", "error_bound_squared")
    assert all(document[key] == whole[key] for key in same)
    warned = tdcert.analyze(**RING, what=["warnings"]).to_dict()
    for key in ("warnings", "warnings_asked", "warnings_not_asked", "conditioning"):
        assert warned[key] == whole[key] and (whole[key] or key.startswith("warnings"))
    assert warned["claims"] == warned["schedules"] == []
    for arithmetic in ("enclosed", "sparse"):
        half = {**RING, "P": [[0.5, 0.5, 0], [0, 0.5, 0.5], [0.25, 0, 0.75]], "discount": 0.5}
        found = tdcert.analyze(**half, what="verdict", arithmetic=arithmetic)
        assert found["claims"] == [] and found.theta_star is not None and found["warnings_asked"] == []
    for wrong in ("verdicts", ["claims", 3], [], 3):
        with pytest.raises(tdcert.InputError, match="verdict, claims, schedules"):
            tdcert.analyze(**RING, what=wrong)  # type: ignore[arg-type]
    monkeypatch.chdir(tmp_path)
    found = tdcert.analyze(**RING, what=("schedules",), out="report")
    assert found.reproduce == "tdcert analyze report/model.json --what schedules"
    assert main([*found.reproduce.split()[1:], "--out", "report"]) == 0
    again = json.loads(Path("report/analysis.json").read_text())
    assert again["schedules"] == found["schedules"] and again["claims"] == []


def test_warnings_alone_ask_about_the_own_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[bool] = []

    def recorded(model: Model, facts: ModelFacts, candidate: Candidate) -> Compared:
        compared.append(candidate.own)
        return exact_row(model, facts, candidate)

    monkeypatch.setattr(compare_schedules, "exact_row", recorded)
    tdcert.analyze(**RING, what="verdict")
    assert compared == []
    tdcert.analyze(**RING, what="warnings")
    assert compared == [True]


def test_print_takes_twenty_lines(ring: tdcert.Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    def lines_of(found: tdcert.Analysis) -> list[str]:
        with monkeypatch.context() as patch:
            patch.setattr(analysis_view, "LINES", LINES)
            return str(found).split("\n")

    slow = tdcert.analyze("FrozenLake-v1", what="warnings")
    for found in (ring, slow, tdcert.analyze(**THETA_2THETA, what="schedules")):
        lines = str(found).split("\n")
        assert len(lines) <= LINES and all(len(line) <= 120 for line in lines)
        assert any("TD " in line for line in lines) and "θ*" in str(found)
    monkeypatch.setattr(analysis_view, "LINES", 8)
    short = str(slow).split("\n")
    assert len(short) == 8 and short[:7] == lines_of(slow)[:7]
    assert short[7].startswith("  … ") and short[7].endswith("more lines: .warnings, .schedules, .notes")
    assert repr(ring) == (
        "<Analysis of arrays: TD ✓ converges to θ*: e times nearer every 3.12/α updates; GTD ✓ converges to θ*: e "
        "times nearer every 6.07/α updates; TDC ✓ converges to θ* if β ≫ α: e times nearer every 7.44/α updates; "
        "θ* = 1.2767, 1.2725>"
    )


def test_the_table_of_a_notebook_escapes_names(ring: tdcert.Analysis) -> None:
    assert "<script>" not in tdcert.analyze(**RING, name="<script>alert(1)</script>", what="verdict")._repr_html_()
    page = ring._repr_html_()
    assert page.startswith("<table>") and page.count("<tr>") == page.count("</tr>") > 8 and "θ*" in page


def test_a_data_frame_where_pandas_is(ring: tdcert.Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in takes the rows: pandas is not among the dependencies of the tests."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(tdcert.InputError, match="pandas is not installed"):
        ring.schedules.to_frame()
    stand_in = ModuleType("pandas")
    stand_in.DataFrame = list  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pandas", stand_in)
    rows = ring.schedules.to_frame()
    assert [row["name"] for row in rows] == [row.name for row in ring.schedules]
    assert rows[0]["kappa"] == 0.729 and rows[0]["own"] is True and rows[0]["td"] == "stable"
    assert all(value is None or isinstance(value, str | float | bool) for row in rows for value in row.values())


def drawn(ax: Axes) -> dict[str, list[float]]:
    return {str(line.get_label()): np.asarray(line.get_ydata(), dtype=float).tolist() for line in ax.get_lines()}


def test_values_and_schedules_are_drawn(ring: tdcert.Analysis) -> None:
    ax = ring.plot.values()
    assert isinstance(ax, Axes) and ring.value is not None and ring.values_at_fixed_point is not None
    assert drawn(ax) == {
        "true value": ring.value.tolist(),
        "value at the fixed point": ring.values_at_fixed_point.tolist(),
    }
    _, mine = pyplot.subplots()
    assert ring.plot.schedules(ax=mine) is mine and mine.get_title(loc="left").startswith("How far")
    errors = [np.sqrt(float(row.error_squared)) for row in ring.schedules if row.error_squared is not None]
    assert drawn(mine)["error of the fixed point"] == pytest.approx(errors, rel=1e-12)
    for wrong in (3, "ax", pyplot):
        with pytest.raises(tdcert.InputError, match="give Matplotlib axes"):
            ring.plot.values(ax=wrong)  # type: ignore[arg-type]
    with pytest.raises(tdcert.InputError, match="the values cannot be drawn"):
        tdcert.analyze(**TWO_CLASSES, what="verdict").plot.values()
    with pytest.raises(tdcert.InputError, match="schedules cannot be drawn: not asked for"):
        tdcert.analyze(**RING, what="verdict").plot.schedules()


@pytest.mark.thorough
def test_learning_curves_and_the_phase_diagram_are_drawn() -> None:
    """They are made when they are first asked for, and are those of ``simulate=True``."""
    asked, found = tdcert.analyze(**RING, what="verdict", simulate=True), tdcert.analyze(**RING, what="verdict")
    curves = drawn(found.plot.learning_curves())
    assert curves == drawn(asked.plot.learning_curves()) and found.to_dict().get("simulation") is None
    assert {label.partition(":")[0] for label in curves} == {"TD", "GTD", "TDC"}
    only = drawn(asked.plot.learning_curves(algorithms="gtd"))
    assert only == {label: y for label, y in curves.items() if label.startswith("GTD:")}
    figure = next(f for f in asked["figures"] if f["name"] == "simulation_gtd")
    assert len(only) == len(figure["series"])
    for wrong in ("off_policy_td", [], 3, ["td", 1]):
        with pytest.raises(tdcert.InputError, match="give some of td, gtd, tdc"):
            asked.plot.learning_curves(algorithms=wrong)  # type: ignore[arg-type]
    alone = tdcert.analyze(P=[[1]], rewards=[1], discount="9/10", features=[[1]], what="verdict")
    panels = alone.plot.phase_diagram()
    assert len(panels) == 3 and all(isinstance(ax, Axes) for ax in panels)


def test_what_cannot_be_drawn_is_one_sentence() -> None:
    with pytest.raises(tdcert.InputError, match="no phase diagram of this model: the behaviour chain has 2 recurrent"):
        tdcert.analyze(**TWO_CLASSES, what="verdict").plot.phase_diagram()
    with pytest.raises(tdcert.InputError, match="needs one recurrent class"):
        tdcert.analyze(**TWO_CLASSES, what="verdict").plot.learning_curves()


@pytest.mark.thorough
@pytest.mark.usefixtures("sketched")
def test_a_report_can_be_written_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = tdcert.analyze(**RING, what="verdict")
    page = found.report("later")
    assert page == Path("later/index.html") and "tdcert analyze later/model.json --what verdict" in page.read_text()
    found.report("later")  # one of the same model may be replaced
    written = json.loads(Path("later/analysis.json").read_text())
    assert written["checker"]["rejected"] == [] if "rejected" in written["checker"] else written["checker"]
    assert written["theta_star"] == found["theta_star"] and found.reproduce is None
    assert main(["check", "later"]) == 0
    with pytest.raises(tdcert.InputError, match="another model"):
        tdcert.analyze(**TWO_CLASSES, what="verdict").report("later")
    for wrong in (None, 3, "", "a\0b"):
        with pytest.raises(tdcert.InputError):
            found.report(wrong)  # type: ignore[arg-type]


def test_steps_and_schedules_are_tables_in_notebooks(ring: tdcert.Analysis) -> None:
    found = tdcert.analyze(**RING, steps="1/10", what="verdict").steps
    (one,) = [row for row in found.rows() if row["algorithm"] == "td"]
    assert (one["steps"], one["small_enough"]) == ("1/10", found["td"].small_enough)
    largest = found["td"].largest
    assert one["largest"] == (None if largest is None else float(largest))
    page = found._repr_html_()
    assert page.count("<tr>") == 1 + len(found) and f'<td style="text-align:left">{one["mean"]}</td>' in page
    assert ring.schedules._repr_html_().count("<tr>") == 1 + len(ring.schedules)
    assert ring.steps._repr_html_() == "<p>&lt;Steps: no steps were asked about&gt;</p>"


def test_steps_that_were_asked_about_are_told_before_the_verdicts() -> None:
    """The coin at α = 10: each update multiplies by −4 or −14."""
    coin = {"transitions": [["1/2", "1/2"]] * 2, "discount": "1/2", "rewards": [0, 1], "features": [[1], [1]]}
    shown = str(tdcert.analyze(coin, steps=10, what="verdict"))
    assert "TD, α = 10: ✗ not small enough" in shown
    assert shown.index("✗ not small enough") < shown.index("✓ converges")


@pytest.mark.thorough
def test_the_answer_about_steps_can_be_worked_with(ring: tdcert.Analysis) -> None:
    """One state, φ = 1, γ = 1/2, reward 1: TD multiplies errors by 1 − α/2, which is small enough up to α = 4."""
    one: dict[str, Any] = {"P": [[1]], "rewards": 1, "discount": "1/2", "features": [1], "what": "verdict"}
    given: tuple[Any, ...] = (3, 5, "largest")
    at = {step: tdcert.analyze(**one, steps=step).steps for step in given}
    small, large, none = (found["td"] for found in at.values())
    assert (small.small_enough, small.mean, small.mean_square, small.paths) == (True, True, True, True)
    assert (large.small_enough, large.mean, large.mean_square) == (False, False, False)
    assert (none.small_enough, none.mean, none.detail) == (None, None, "")
    for found in (small, large, none):
        assert found.largest is not None and found.grows_at is not None and found.largest_missing == ""
        assert 3.9 < float(found.largest) <= 4 <= float(found.grows_at) < 5
    assert (at[3].asked, at["largest"].asked, list(at[3]), at[3].why) == ("3", "largest", ["td", "gtd", "tdc"], None)
    document = tdcert.analyze(**one, steps=3)["step_sizes"]["algorithms"][0]
    assert document["verdict"] == "small_enough" and document["at"]["detail"] == small.detail
    assert len(ring.steps) == 0 and ring.steps.why == "no steps were asked about"
    several = tdcert.analyze(**TWO_CLASSES, steps=3, what="verdict").steps
    assert dict(several) == {} and "2 recurrent classes" in str(several.why)


def test_print_falls_back_where_there_is_ascii_alone(ring: tdcert.Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    print(ring, repr(ring), ring.algorithms["td"], ring.enclosed.b, ring.schedules, flush=True)
    shown = written.getvalue().decode("ascii")
    assert "+ converges" in shown and "\n  theta*        " in shown and "|Phitheta* - V|^2_D" in shown
    monkeypatch.undo()
    assert "✓ converges" in str(ring)
