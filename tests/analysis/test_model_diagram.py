"""The phase diagram of a user's model: its axis, rows and steps, and a sentence where there is none."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

import tdcert
from tdcert.analysis import model_diagram
from tdcert.analysis.request import PhaseAxes
from tdcert.reports import cli
from tdcert.reports.analysis_json import diagram_text
from tdcert.sims.growth_signs import Round
from tdcert.sims.phases.cells import Effort
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.document_types import plain
from tdcert.theory.model.gallery import (
    bairds_star,
    boyan_chain,
    one_state,
    random_chain,
    random_walk_5,
    theta_to_two_theta,
)
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.progress import silently

F, HALF = Fraction, Fraction(1, 2)
QUICK = Effort(work=50, bisections=1, rounds=(Round(20, 500),), level=0.99)
THETA = str(Path(__file__).parents[2] / "examples" / "two_state_theta_2theta.json")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_diagram, "EFFORT", QUICK)
    monkeypatch.setattr(model_diagram, "DISCOUNTS", (F(4, 5), F(9, 10)))
    monkeypatch.setattr(model_diagram, "ROWS", model_diagram.ROWS[:2])


@pytest.mark.thorough
def test_the_axis_goes_around_the_models_own_discount() -> None:
    drawn = model_diagram.draw(theta_to_two_theta(F(7, 10), Schedule.n_step(2)), silently)
    assert drawn.picture is not None
    assert F(7, 10) in drawn.picture.columns and "own: 7/10" in drawn.picture.x_label
    assert drawn.picture.rows == ("2-step (own)", "TD(0)")
    assert [panel.title for panel in drawn.picture.panels] == ["off-policy TD", "GTD", "TDC"]
    # A = (γ·2·3 − 5)/2 for TD(0): the mean changes between 4/5 and 9/10
    row = drawn.picture.panels[0].cells[drawn.picture.rows.index("TD(0)")]
    signs = {x: cell.text[0] for x, cell in zip(drawn.picture.columns, row, strict=True)}
    assert (signs[F(4, 5)], signs[F(9, 10)]) == ("−", "+")


@pytest.mark.thorough
def test_a_discount_that_depends_on_the_transition_is_multiplied() -> None:
    drawn = model_diagram.draw(random_walk_5(), silently)
    assert drawn.picture is not None and drawn.picture.columns[-1] == 1
    assert drawn.picture.x_label.startswith("factor") and drawn.picture.panels[0].title == "TD"
    assert {cell.text[0] for row in drawn.picture.panels[0].cells for cell in row} == {"−"}


def test_the_steps_are_those_of_the_paper_on_its_star() -> None:
    squares = max(sum(x * x for x in row) for row in bairds_star(F(1, 2)).features.rows)
    assert 1 / (40 * squares) == F(1, 200)
    drawn = model_diagram.draw(theta_to_two_theta(F(1, 2)), silently)
    assert drawn.alpha == F(1, 160) and diagram_text(drawn).beta == "1/16"


@pytest.mark.thorough
def test_over_steps_the_mean_is_that_of_the_step() -> None:
    """One state, no discount: θ' = (1 − α)θ, which every α below two makes smaller; the mean dynamics are stable."""
    axes = PhaseAxes.of_words("step:3,1/2,1", "lambda:0", None, "1")
    drawn = model_diagram.draw(one_state(F(0), features=(1,)), silently, axes)
    assert drawn.picture is not None and drawn.alpha is None and drawn.axes.ratio == 1
    assert drawn.picture.columns == (F(1, 2), F(1), F(3)) and drawn.picture.rows == ("0",)
    assert (drawn.picture.x_label, drawn.picture.y_label) == ("constant step α", "constant λ, without end")
    (row,) = drawn.picture.panels[0].cells
    assert [(cell.text, cell.category) for cell in row] == [
        ("− − −", "converges"),
        ("− − −", "converges"),
        ("+ + +", "diverges"),
    ]
    (mean,) = [found for found in drawn.picture.panels[0].boundaries if found.label.startswith("mean,")]
    (((low, high),),) = mean.places
    assert low <= 2 <= high and high - low < F(1, 2**10)
    document = plain(diagram_text(drawn))
    assert (document["alpha"], document["ratio"], document["x"]) == (None, "1", "step")


@pytest.mark.thorough
def test_rows_and_steps_of_ones_own() -> None:
    axes = PhaseAxes.of_words("discount:1/2", None, "1/10", None)
    drawn = model_diagram.draw(theta_to_two_theta(HALF), silently, axes, (Schedule.n_step(3), Schedule()))
    assert drawn.picture is not None and (drawn.alpha, drawn.axes.ratio) == (F(1, 10), 10)
    assert drawn.picture.rows == ("TD(0) (own)", "3-step") and drawn.picture.columns == (HALF,)
    over = model_diagram.draw(theta_to_two_theta(HALF), silently, PhaseAxes.of_words("lambda:1/2", None, None, None))
    assert over.picture is not None and over.picture.y_label.startswith("discount") and len(over.picture.rows) == 3


def test_a_sum_that_does_not_exist_is_told_before_anything_is_drawn() -> None:
    whole = Model.reward_process(RationalMatrix([[1]]), RationalMatrix.column([0]), F(1))
    drawn = model_diagram.draw(whole, silently, PhaseAxes.of_words("lambda:1/2,1", "discount:1/2,1", None, None))
    assert drawn.picture is None and "leave out λ = 1" in str(drawn.why)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (random_chain(), "up to 64 states and 16 features"),
        (Model.reward_process(RationalMatrix([[1, 0], [0, 1]]), RationalMatrix.column([0, 0]), F(1, 2)), "2 recurrent"),
        (one_state(F(1, 2), features=(0,)), "features vanish"),
        (one_state(F(1), Schedule.constant(F(1))), "has no sum"),
        (boyan_chain(Schedule.n_step(60)), "59 λ's"),
    ],
)
def test_a_sentence_where_there_is_none(model: Model, sentence: str) -> None:
    drawn = model_diagram.draw(model, silently)
    assert drawn.picture is None and sentence in str(drawn.why)
    assert diagram_text(drawn).figure is None


@pytest.mark.thorough
def test_the_command_writes_it_and_the_page_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sketched: None
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["analyze", THETA, "--phase-diagram", "--out", "found"]) == 0
    document = json.loads(Path("found/analysis.json").read_text(encoding="utf-8"))
    assert document["phase_diagram"] == {
        "figure": "phases",
        "why": None,
        "alpha": "1/160",
        "beta": "1/16",
        "ratio": "10",
        "x": "discount",
        "y": "schedule",
        "algorithms": ["off-policy TD", "GTD", "TDC"],
        "confidence": 0.99,
        "seed": 0,
    }
    assert "--phase-diagram" in document["reproduce"]
    page = Path("found/index.html").read_text(encoding="utf-8")
    assert 'id="phases"' in page and 'id="figure_phases"' in page and 'href="#phases"' in page
    assert Path("found/figures/phases.csv").exists()
    assert "phases" in [figure["name"] for figure in document["figures"]]


@pytest.mark.thorough
def test_the_same_from_python_and_nothing_unasked() -> None:
    chain = {"format": "tdcert-model/1", "transitions": [[1]], "rewards": [0], "discount": 0.5}
    one, two = (tdcert.analyze(chain, phase_diagram=True) for _ in range(2))
    assert one["phase_diagram"]["figure"] == "phases" and one == two
    assert tdcert.analyze(chain)["phase_diagram"] is None


@pytest.mark.thorough
def test_what_cannot_be_drawn_is_said_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    chain = {"format": "tdcert-model/1", "transitions": [[1, 0], [0, 1]], "rewards": [0, 0], "discount": 0.5}
    Path("two.json").write_text(json.dumps(chain))
    assert cli.main(["analyze", "two.json", "--phase-diagram", "--out", "found"]) == 0
    page = Path("found/index.html").read_text(encoding="utf-8")
    assert "No phase diagram: the behaviour chain has 2 recurrent classes" in page


# ---- any update

MINE = """
import tdcert

@tdcert.algorithm(parameters={"theta": "d"}, steps=("alpha",))
def mine(t, theta, alpha):
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * t.rho * delta * t.phi
"""


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough for mean square to be decided wherever it can be."""
    monkeypatch.setattr(model_diagram, "EFFORT", Effort(work=20_000, bisections=0, rounds=(Round(20, 500),)))


def cells_of(model: Model, words: str, x: str) -> dict[str, list[list[str]]]:
    drawn = model_diagram.draw(model, silently, PhaseAxes.of_words(x, None, "1/20", "1", words))
    assert drawn.picture is not None, drawn.why
    return {panel.title: [[cell.text for cell in row] for row in panel.cells] for panel in drawn.picture.panels}


@pytest.mark.thorough
@pytest.mark.usefixtures("exact")
def test_a_declared_twin_has_the_cells_of_the_kernel(tmp_path: Path) -> None:
    """TD(0) as a user writes it, by its tables, beside off-policy TD by its windows: A = (6γ − 5)/2 on θ→2θ."""
    (tmp_path / "mine.py").write_text(MINE)
    for gamma, signs in (("1/2", "− −"), ("9/10", "+ +")):
        found = cells_of(theta_to_two_theta(F(gamma)), f"off_policy_td,{tmp_path}/mine.py:mine", f"discount:{gamma}")
        assert set(found) == {"off-policy TD", "mine"}
        assert found["off-policy TD"][0][0][:3] == found["mine"][0][0][:3] == signs  # the model's own row, TD(0)
        assert found["mine"][0] == found["mine"][1]  # it knows of no schedule


@pytest.mark.thorough
def test_a_lambda_that_is_not_the_axis_is_said(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE.replace("theta, alpha)", "theta, alpha, *, lam=1/2)"))
    coin = theta_to_two_theta(F(1, 2))
    axes = PhaseAxes.of_words("lambda:0,1/2", "step:1/2", None, "1", f"td,{tmp_path}/mine.py:mine")
    drawn = model_diagram.draw(coin, silently, axes)
    assert drawn.picture is not None
    assert "Note: 'mine' has lam = 1/2, as its function says, whatever" in drawn.picture.caption
    plain = model_diagram.draw(
        coin, silently, PhaseAxes.of_words("lambda:0,1/2", "step:1/2", None, "1", "off_policy_td")
    )
    assert plain.picture is not None and "Note" not in plain.picture.caption


@pytest.mark.thorough
def test_the_mean_over_steps_is_the_sum_over_states(tmp_path: Path) -> None:
    """A fair coin with features ±1, γ = 9/10: E[y_t] = (1 − α)ᵗ y_0, and E[y_t φ(s_t)] is multiplied by 9α/10."""
    P = RationalMatrix([[HALF, HALF]] * 2)
    coin = Model.reward_process(P, RationalMatrix.column([0, 1]), F(9, 10), RationalMatrix.column([1, -1]))
    (tmp_path / "mine.py").write_text(MINE)
    axes = PhaseAxes.of_words("step:1,3/2,5/2", "lambda:0", None, "1", f"td,{tmp_path}/mine.py:mine")
    drawn = model_diagram.draw(coin, silently, axes)
    assert drawn.picture is not None and "a start may be a run under way" in drawn.picture.caption
    assert len(drawn.picture.panels) == 2
    for panel in drawn.picture.panels:
        (row,) = panel.cells
        assert [cell.text[:3] for cell in row] == ["− −", "− +", "+ +"]
        assert "a start may be a run under way" in row[2].detail and "start may" not in row[0].detail
        (mean,) = [one for one in panel.boundaries if one.label.startswith("mean, ")]
        ((low, high),) = mean.places[0]
        assert F(3, 2) < low <= 2 <= high < F(5, 2)


@pytest.mark.thorough
@pytest.mark.usefixtures("exact")
def test_the_mean_at_a_step_that_enters_in_any_way() -> None:
    """Implicit TD on one state, φ = 1, γ = ½: θ' = (1 − α/(2(1 + α)))θ dies out at every step; at α = 5 TD's 1 − α/2
    does not, in mean and mean square."""
    implicit = cells_of(one_state(HALF), "implicit_td,td", "discount:1/2")
    assert [text for row in implicit["implicit_td"] for text in row] == ["− − −"] * len(model_diagram.ROWS)
    drawn = model_diagram.draw(
        one_state(HALF), silently, PhaseAxes.of_words("step:1/10,5", "discount:1/2", None, "1", "implicit_td,ridge_td")
    )
    assert drawn.picture is not None
    signs = {panel.title: [cell.text[:3] for cell in panel.cells[0]] for panel in drawn.picture.panels}
    assert signs == {"implicit_td": ["− −", "− −"], "ridge_td": ["− −", "+ +"]}  # 1 − 5(1/2 + η), η > 0


@pytest.mark.usefixtures("exact")
def test_what_a_schedule_or_a_memory_leaves_open_is_undecided_and_says_why() -> None:
    model = theta_to_two_theta(F(1, 2))
    axes = PhaseAxes.of_words("discount:1/2", None, "1/20", "1", "tdrc,tdrc[lam=1/2]")
    drawn = model_diagram.draw(model, silently, axes, [Schedule.n_step(2)])
    assert drawn.picture is not None
    plain, traced = drawn.picture.panels
    assert (plain.title, traced.title) == ("tdrc", "tdrc[lam=1/2]")
    assert plain.cells[0][0].category == "converges"
    assert plain.cells[1][0].category == "undecided" and "takes one λ" in plain.cells[1][0].detail
    assert (
        traced.cells[0][0].category == "converges"
    )  # its own trace has no end, and values near each other are one node
    assert diagram_text(drawn).algorithms == ["tdrc", "tdrc[lam=1/2]"]
