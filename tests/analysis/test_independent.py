"""An analysis of independent draws: rows of functions, no statement about a path, and runs that follow their law."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tdcert
from tdcert.algorithms import for_model, named
from tdcert.algorithms.schedules import compiled_as
from tdcert.analysis.independent import OF_PATHS, SCHEDULE_KEPT_OUT
from tdcert.analysis.model_diagram import draw
from tdcert.analysis.request import PhaseAxes, SimulationRequest
from tdcert.analysis.simulated_runs import simulate_model
from tdcert.claims.claim import decide
from tdcert.claims.own import every
from tdcert.reports.cli import main
from tdcert.sims.comparison_frame import Sampling
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.trajectories import Sampler, uniform_start
from tdcert.sims.updates.comparison import simulate_update
from tdcert.sims.updates.runs import UpdateRuns
from tdcert.theory.engine.declare import algorithm
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.errors import InputError
from tdcert.theory.progress import silently
from tdcert.theory.verdict import Status
from tests.theory.engine.test_independent import DRAWN, ROUND

F = Fraction
ONE, HALF = F(1), F(1, 2)
FEW = replace(DRAWN, features=DRAWN.features.take(columns=[0]))


def analysed(**more: Any) -> Any:
    return tdcert.analyze(ROUND, sampling="independent", **more)


def test_the_rows_are_those_of_functions_with_one_transition() -> None:
    """The paper's algorithms are named where nobody names others; their λ changes nothing."""
    found = analysed(what="verdict")
    document = found.to_dict()
    assert [row["name"] for row in document["algorithms"]] == ["td", "gtd", "tdc"]
    assert document["A"] == [["-17/30", "13/60"], ["-23/60", "-17/30"]]
    assert document["model"]["sampling"] == "independent"
    assert document["model"]["sampling_law"] == document["stationary"] == ["1/3"] * 3
    traced = tdcert.analyze(ROUND, sampling="independent", schedule="constant:0.9", what="verdict").to_dict()
    assert traced["algorithms"][0]["mean_dynamics"] == document["algorithms"][0]["mean_dynamics"]
    assert [SCHEDULE_KEPT_OUT in one["notes"] for one in (document, traced)] == [False, True]


def test_a_lambda_of_the_increment_itself_counts() -> None:
    """That of the correction −γ(1 − λ)(zᵀw)φ', which the schedule gives, or the option: no trace has it."""

    def rate(name: str, schedule: str | None = None) -> Any:
        found = analysed(algorithms=name, schedule=schedule, what="verdict").to_dict()
        return found["algorithms"][0]["mean_dynamics"]["rate"]

    least, most = rate("gtd_lambda"), rate("gtd_lambda[lam=9/10]")
    assert least != most == rate("gtd_lambda", "constant:9/10")
    assert least == rate("gtd_lambda[lam=0]", "constant:9/10")


def test_no_statement_about_a_path_is_asked() -> None:
    document = analysed().to_dict()
    assert document["claims"] == [] and len(document["claims_not_asked"]) > 60
    assert any(OF_PATHS in note for note in document["notes"])
    assert document["warnings"] == [] and document["schedules"] == []
    plain = tdcert.analyze(ROUND, what="verdict").to_dict()
    assert plain["claims"] == [] and "sampling" not in plain["model"]
    with pytest.raises(InputError, match="a question about a path"):
        decide(next(row for row in every() if row.id == "prop_4_1").load(), DRAWN)


def test_the_states_that_are_drawn_are_the_class() -> None:
    """Their successive values are independent: one class, of period one, whatever the transitions are."""
    found = analysed(sampling_law=[3, 0, 1], algorithms="td").to_dict()
    assert found["chain"]["recurrent_classes"] == [[0, 2]] and found["chain"]["transient_states"] == [1]
    assert (found["chain"]["irreducible"], found["chain"]["period"]) == (False, 1)
    assert found["stationary"] == ["3/4", "0", "1/4"]
    assert any("a law that is not stationary" in note for note in found["notes"])


def test_steps_are_those_of_draws() -> None:
    """α = 1 is small enough for them; on the path, where it is not, tests/theory/engine/test_independent.py asks."""
    found = analysed(algorithms="td", steps=1).to_dict()
    assert found["algorithms"][0]["at_step"]["mean_square"] == -1
    assert found["step_sizes"]["algorithms"][0]["verdict"] == "small_enough"


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"what": "claims"}, "--what claims was asked of independent draws"),
        ({"for_all": "lambda"}, "--for-all lambda was asked of independent draws, and the trace of one transition"),
        ({"lambda_sweep": True}, "that of one transition has no λ"),
        ({"schedules": ["n_step:3"]}, "that of one transition has no schedule"),
        ({"arithmetic": "sparse"}, "sparse arithmetic is about paths"),
    ],
)
def test_what_is_about_a_path_is_refused(more: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        analysed(**more)


def test_certify_is_about_a_path() -> None:
    model = ROUND.drawn_independently()
    with pytest.raises(InputError, match="a question about a path"):
        tdcert.certify(model, algorithm="td", within=1, probability=0.5, steps="1,10")


def test_enclosures_hold_what_is_exact() -> None:
    exact, enclosed = (analysed(algorithms="tdc", arithmetic=one).to_dict() for one in ("exact", "enclosed"))
    for one in (exact, enclosed):
        assert one["algorithms"][0]["mean_dynamics"]["verdict"] == "stable"
    low, high = (float(F(x)) for x in exact["algorithms"][0]["mean_dynamics"]["rate"].values())
    assert enclosed["algorithms"][0]["mean_dynamics"]["rate"] is not None and low <= high < 0


# ---- runs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["etd", "gtd"])
def test_runs_follow_their_exact_law(name: str, error_budget: ErrorBudget) -> None:
    """Mean and covariance after four updates."""
    update = for_model(named(name), FEW)[0]
    judged = Sampling(f"independent draws, {name}", 20_000, 0, error_budget, 1e-9)
    ratios = [ONE] * len(update.steps)
    assert simulate_update(FEW, update, ratios, [0.5] * 4, judged, y0=[1.0] * update.width(1)).agrees


@algorithm(parameters={"theta": "d"})
def peeks(t: Any, theta: Any, alpha: Any) -> Any:
    """Moves nothing on the first transition of a run, and something on each other one."""
    return theta + alpha * (1 + t.discount_before - 2 * t.rho_before + int(bool(t.first))) * t.phi


def test_nothing_is_before_any_transition() -> None:
    """On a path all runs move from the second transition on."""
    for model, moved in ((FEW, False), (replace(FEW, sampling=None), True)):
        assert bool(with_mean_dynamics(model, peeks, model.classes[0]).by_exponents) == moved
        runs = UpdateRuns(model, peeks, [ONE], uniform_start(model))
        assert (runs.run([0.5] * 3, 100, 1, "peeks", [1.0]).parameters != 1).any() == moved


def test_simulation_and_paths_of_draws() -> None:
    found = simulate_model(ROUND.drawn_independently(), SimulationRequest.of_words(0, None, None, 200, 50), ["td"])
    assert not found.contradicted and found.runs[0].judged.status is Status.HOLDS


def test_what_walks_along_a_path_is_refused() -> None:
    """Compiled kernels do; an emptied update has none."""
    assert compiled_as(for_model(named("td"), DRAWN)[0], DRAWN.schedule) is None
    with pytest.raises(InputError, match="a question about a path"):
        Sampler.of(DRAWN, uniform_start(DRAWN))
    with pytest.raises(InputError, match="keeps a memory"):
        UpdateRuns(DRAWN, named("etd"), [ONE], uniform_start(DRAWN))


def test_the_sampler_draws_every_transition_with_its_probability() -> None:
    sampler = Sampler.of_updates(DRAWN, uniform_start(DRAWN))
    rows = np.zeros(1, dtype=np.int64)
    assert sampler.drawn is not None and sampler.next_states.max() == 0 == rows[0]
    left, after = sampler.ends(*np.indices(sampler.actions.shape))
    assert {(int(s), int(a), int(t)) for s, a, t in zip(left[0], sampler.actions[0], after[0], strict=True)} == {
        (s, a, t)
        for s in range(3)
        for a, P in enumerate(DRAWN.transitions)
        for t in range(3)
        if P[s, t] and DRAWN.behaviour[s, a]
    }


@pytest.mark.thorough
def test_a_phase_diagram_of_draws() -> None:
    drawn = ROUND.drawn_independently()
    td = (for_model(named("td"), drawn)[0],)
    step = PhaseAxes(x="step", x_values=(HALF, ONE, F(2)), algorithms=td)
    picture = draw(drawn, silently, step).picture
    assert picture is not None
    (row,) = picture.panels[0].cells
    # at α = 2 the mean is multiplied by a matrix of radius 0.59, and |det| by 1.71 every three draws
    assert [cell.category for cell in row] == ["converges", "converges", "paths_grow"]
    assert ", transitions drawn independently; " in picture.caption
    assert "no λ changes it" in str(draw(drawn, silently, PhaseAxes(x="lambda", y="step", algorithms=td)).why)


# ---- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "round.json"
    path.write_text(json.dumps({**ROUND.canonical, "name": "round"}), encoding="utf-8")
    return path


@pytest.mark.thorough
def test_the_page_is_about_draws(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And its certificates are accepted, and are those of the function with an empty memory."""
    out = tmp_path / "report"
    words = ["analyze", str(file), "--algorithms", "etd", "--sampling", "independent", "--sampling-law", "1,0,2"]
    assert main([*words, "--out", str(out), "--quiet"]) == 0
    html = (out / "index.html").read_text(encoding="utf-8")
    assert "Independent draws</h2>" in html and "The behaviour chain" not in html and "stationary law" not in html
    assert "States drawn</span><span>s0, s2<" in html and "States never drawn</span><span>s1<" in html
    assert "<th>sampling law" in html
    assert main(["check", "--algorithm", "etd", str(out / "certificates" / "algorithms")]) == 0
    assert main(["check", "--algorithm", "td", str(out / "certificates" / "algorithms")]) == 1
    assert "on transitions drawn independently" in capsys.readouterr().out


def test_the_command_says_it(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask: Callable[..., int] = lambda *words: main(["analyze", str(file), "--algorithms", "td", *words])  # noqa: E731
    assert ask("--sampling", "independent", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["model"]["sampling_law"] == ["1/3"] * 3
    assert "--sampling independent" in document["reproduce"]
    assert ask("--sampling", "independent", "--sampling-law", "1,1,2", "--quiet", "--json", "--all") == 2
    capsys.readouterr()
    assert ask("--sampling-law", "1,1,2", "--json") == 2
    assert 'give sampling "independent" too' in capsys.readouterr().err
