"""The distance of θ from θ* over time: exact, certified and simulated curves, and why some are not there."""

from __future__ import annotations

import json
from fractions import Fraction
from math import sqrt
from pathlib import Path

import pytest

import tdcert
from tdcert.algorithms import named
from tdcert.analysis import certify
from tdcert.analysis.certify import DistanceCurves, distance_curves
from tdcert.analysis.request import StepQuestion
from tdcert.reports.cli import main
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.write import document, text
from tdcert.theory.figures import Series
from tdcert.theory.laws.decreasing_steps import DecreasingSteps
from tdcert.theory.model.gallery import HALF, fair_coin_chain, theta_to_two_theta
from tdcert.theory.model.schedule import Schedule
from tests.chains import finite_time_moments

STEPS = DecreasingSteps(Fraction(2), Fraction(10))
ROOT, BOUND, EVER = (
    "root mean square error",
    "bound of it",
    "stays below for ever, probability 0.9: bound",
)


@pytest.fixture(autouse=True)
def _short_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certify, "PROPAGATED", 200)
    monkeypatch.setattr(certify, "HORIZON", 2_000)


def by_label(found: DistanceCurves) -> dict[str, Series]:
    assert found.figure is not None and found.figure.log_x and found.figure.log_y
    return {series.label: series for series in found.figure.series}


def curves(steps: DecreasingSteps = STEPS, seed: int | None = None) -> DistanceCurves:
    return distance_curves(fair_coin_chain(HALF), named("td"), steps, [Fraction(1)], seed)


def test_the_root_mean_square_is_that_of_the_exact_moments_and_the_bounds_lie_above_it() -> None:
    """θ* = ½ on the coin."""
    found = by_label(curves())
    assert set(found) == {ROOT, BOUND, EVER}
    root, times = dict(zip(found[ROOT].x, found[ROOT].y, strict=True)), [1, 10, 100]
    steps = STEPS.floats(100)
    moments = finite_time_moments(fair_coin_chain(HALF), "td", (steps, steps), times, start=(HALF, HALF), theta0=[1.0])
    for t, at in zip(times, moments, strict=True):
        assert root[t] == pytest.approx(sqrt(float(at.second[0, 0] - at.second[0, -1] + 0.25)), rel=1e-9)
    for time, once, ever in zip(found[BOUND].x, found[BOUND].y, found[EVER].y, strict=True):
        assert once < ever
        assert time not in root or root[time] <= once
    assert max(found[ROOT].x) <= 200 < max(found[EVER].x) <= 2_000
    late = dict(zip(found[EVER].x, found[EVER].y, strict=True))
    assert late[1000] < late[562] < late[178]


def test_the_last_point_has_a_certificate_that_the_checker_accepts() -> None:
    found = curves()
    assert found.last is not None and found.why == ""
    envelope = by_label(found)[EVER]
    assert found.last.time == envelope.x[-1] and envelope.y[-1] < found.last.within < 1.02 * envelope.y[-1]
    body = document(found.last.certificate(), fair_coin_chain(HALF), None)
    said = checker.check_text(text(body))
    assert f"for ever from t = {found.last.time} on" in said
    assert ", from (1) and a state of the law (1/2, 1/2)" in said  # other starts have other bounds


def test_runs_are_beside_them_where_they_are_asked_for_and_stay_below() -> None:
    """The seed decides, so this cannot fail by chance: 90 of 100 runs stay below the envelope, most far below."""
    found = curves(seed=1)
    (label,) = set(by_label(found)) - {ROOT, BOUND, EVER}
    assert label == "largest distance from t to 2,000, quantile 0.9 of 200 runs"
    runs, envelope = by_label(found)[label], by_label(found)[EVER]
    below = dict(zip(envelope.x, envelope.y, strict=True))
    assert max(runs.x) <= 200 and any(t in below for t in runs.x)
    assert all(y < below[t] for t, y in zip(runs.x, runs.y, strict=True) if t in below)
    assert found.figure is not None and "Simulated runs decide nothing." in found.figure.caption


def test_the_root_mean_square_is_drawn_where_nothing_is_certified() -> None:
    """A = ¼: c < 2, so cA < 1."""
    found = curves(DecreasingSteps(Fraction(1, 4), Fraction(10)))
    assert set(by_label(found)) == {ROOT} and found.last is None and found.why.startswith("the steps are too small")
    assert found.figure is not None and f"Nothing is certified for ever: {found.why}." in found.figure.caption
    two = distance_curves(theta_to_two_theta(Fraction(9, 10)), named("off_policy_td"), STEPS, [Fraction(1)], None)
    assert set(by_label(two)) == {ROOT} and "real part ≥ 0" in two.why


def test_models_without_one_limit_have_a_sentence_in_its_place() -> None:
    """θ→2θ at γ = 5/6 has A = 0; λ without an end has no window."""
    endless = fair_coin_chain(HALF, Schedule.constant(HALF, None))
    for model, says in ((theta_to_two_theta(Fraction(5, 6)), "is singular"), (endless, "give the schedule a length")):
        found = distance_curves(model, named("gtd"), STEPS, [Fraction(1)], None)
        assert found.figure is None and says in found.why


def _coin() -> dict[str, object]:
    half = ["1/2", "1/2"]
    return {
        "format": "tdcert-model/1",
        "transitions": [half, half],
        "rewards": [1, 0],
        "discount": "1/2",
        "features": [[1], [-1]],
    }


@pytest.mark.parametrize(
    ("words", "found"),
    [("2,10", STEPS), ("2,10,1/2", None), ("2,10,3/2", None), ("0.1", None), ("largest", None)],
)
def test_only_steps_of_assumption_1_have_curves(words: str, found: DecreasingSteps | None) -> None:
    assert StepQuestion.of_words(words).decreasing == found


@pytest.mark.thorough
def test_the_page_and_the_document_of_an_analysis_have_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("coin.json").write_text(json.dumps(_coin()))
    assert main(["analyze", "coin.json", "--steps", "8,200", "--all", "--out", "found"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.count("with probability at least 0.9 |θ_t − θ*| ≤") == 3
    page, written = Path("found/index.html").read_text(), json.loads(Path("found/analysis.json").read_text())
    assert 'id="distances"' in page and 'id="simulation"' not in page and written["simulation"] is None
    assert [row["figure"] for row in written["distances"]] == ["for_ever_td", "for_ever_gtd", "for_ever_tdc"]
    assert all(f'id="{row["figure"]}"' in page or row["figure"] in page for row in written["distances"])
    assert len(list(Path("found/certificates/for_ever").glob("*.json"))) == 3
    assert "--steps 8,200" in written["reproduce"]
    assert tdcert.analyze(_coin()).to_dict()["distances"] == []
