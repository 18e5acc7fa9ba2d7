"""Phase diagrams: signs that are known, boundaries that enclose them, and what an undecided sign may not become."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from tdcert.algorithms import named
from tdcert.algorithms.schedules import scheduled
from tdcert.claims.dgb22.mean_square_stability import three_verdicts
from tdcert.reports.figure_documents import figure_document
from tdcert.sims.growth_signs import Round
from tdcert.sims.phases.cells import (
    CATEGORIES,
    Effort,
    Grid,
    _bound,
    _cell,
    _changes,
    _Exact,
    _exact,
    category,
    diagram,
    panels,
)
from tdcert.sims.phases.diagram import Boundary, DiagramCell, Panel, PhaseDiagram
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.critical_discount import critical_discounts
from tdcert.theory.document_types import plain
from tdcert.theory.engine.paths import NEVER_CUT, OnPaths
from tdcert.theory.identities.baird_star import CRITICAL_KAPPA
from tdcert.theory.laws.path_exponents import PathSign
from tdcert.theory.limits import limits_raised
from tdcert.theory.model.gallery import HALF, bairds_star, one_state, theta_to_two_theta
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.progress import silently
from tests.chains import mean_sign, mean_square_sign, two_actions

F = Fraction
SEED = 5
STATES = tuple(range(7))


def grid(*discounts: str, rows: tuple[tuple[str, Schedule], ...] = (("TD(0)", Schedule()),)) -> Grid:
    """θ→2θ under off-policy TD at α = 1/10: A = (γ·2·3 − 5)/2, which is zero at γ = 5/6 for TD(0)."""
    columns = tuple(F(x) for x in discounts)
    return Grid(columns, rows, ("off_policy_td",), theta_to_two_theta, (0, 1), F(1, 10), F(1))


EFFORT = Effort(work=1_000, bisections=6, rounds=(Round(40, 2_000),))


@pytest.mark.parametrize("name", ["off_policy_td", "gtd", "tdc"])
@pytest.mark.parametrize("at_step", [False, True])
def test_tables_decide_as_windows_do(name: str, at_step: bool) -> None:
    """The exact signs of the paper's own, by windows written by hand and by the tables of the function."""
    schedule, effort = Schedule((HALF,)), Effort(work=20_000, bisections=0, rounds=())
    asked = Grid((), (), (), theta_to_two_theta, (0, 1), F(1, 20), F(2), (lambda x, s: F(1, 2)) if at_step else None)
    found = []
    for gamma in (HALF, F(9, 10)):
        ours, tables = (_exact(asked, one, gamma, schedule, effort) for one in (name, named(name)))
        assert (ours.mean, ours.square) == (tables.mean, tables.square)
        if not at_step:
            model = theta_to_two_theta(gamma).with_schedule(schedule)
            assert ours.mean == mean_sign(model, scheduled(name), F(2), (0, 1))
        found.append((ours.mean, ours.square))
    if name == "off_policy_td" and not at_step:  # A changes its sign at γ = 5/6 without a trace, later with one
        assert found == [(-1, -1), (1, 1)]


def test_the_boundary_of_the_mean_is_bisected_to_the_known_one() -> None:
    (panel,) = panels(grid("1/2", "19/20"), EFFORT, seed=SEED, name="bisected", on_progress=silently)
    mean = next(boundary for boundary in panel.boundaries if boundary.label.startswith("mean,"))
    (((low, high),),) = mean.places
    assert low < F(5, 6) < high and high - low < F(1, 2**20)
    assert [cell.text[0] for cell in panel.cells[0]] == ["−", "+"]


def test_the_boundary_of_the_mean_square_lies_between_exact_verdicts() -> None:
    asked = grid("1/2", "19/20")
    (panel,) = panels(asked, EFFORT, seed=SEED, name="square", on_progress=silently)
    square = next(boundary for boundary in panel.boundaries if boundary.label.startswith("mean square"))
    (((low, high),),) = square.places
    assert high - low == F(9, 20) / 2**6
    for gamma, sign in ((low, -1), (high, 1)):
        assert mean_square_sign(theta_to_two_theta(gamma), "off_policy_td", F(1, 10), F(1), (0, 1), 1_000) == (sign, "")


def test_mean_mean_square_and_paths_in_one_cell() -> None:
    """The model of three verdicts at α = 9/5: mean − (A = −1), mean square +, paths −; at 2^−10 all three −."""
    for alpha, text, found in ((F(9, 5), "− + −", "heavy"), (F(1, 1024), "− − −", "converges")):
        rows = (("TD(0)", Schedule()),)
        asked = Grid((F(0),), rows, ("off_policy_td",), lambda x, s: three_verdicts(), (0,), alpha, F(1))
        (panel,) = panels(asked, EFFORT, seed=SEED, name="three", on_progress=silently)
        cell = panel.cells[0][0]
        assert (cell.text, cell.category) == (text, found)


@pytest.mark.thorough
def test_bounds_of_the_exponent_come_before_simulation() -> None:
    """TD(0) on the star at large steps, in seven dimensions: determinants at γ = 99/100, forms at γ = 1/2."""
    rows = (("TD(0)", Schedule()),)
    for gamma, alpha, sign in ((F(99, 100), F(1, 5), "+"), (HALF, F(1, 20), "−")):
        asked = Grid((gamma,), rows, ("off_policy_td",), bairds_star, STATES, alpha, F(1))
        none = Effort(work=0, bisections=0, rounds=(Round(2, 10),))
        (panel,) = panels(asked, none, seed=SEED, name="bounds", on_progress=silently)
        cell = panel.cells[0][0]
        assert cell.text.split()[2] == sign and "certified: λ₁" in cell.detail
        (panel,) = panels(asked, replace(none, unknowns=0), seed=SEED, name="bounds", on_progress=silently)
        assert (panel.cells[0][0].text.split()[2] == "+") == (sign == "+")  # determinants need no search


def test_cells_of_directions_decide_paths_in_two_dimensions() -> None:
    """GTD with one feature at α = β = 1/2; with few cells the bounds stand beside what is simulated."""
    rows, model = (("TD(0)", Schedule()),), two_actions(1, 3, 6)
    asked = Grid((F(9, 10),), rows, ("gtd",), lambda *_: model, (0, 1, 2), HALF, F(1))
    poor = Effort(work=0, bisections=0, rounds=(Round(40, 2_000),))
    (panel,) = panels(asked, poor, seed=SEED, name="cells", on_progress=silently)
    cell = panel.cells[0][0]
    assert cell.text.split()[2] == "+" and "a step from every start other than 0: a difference" in cell.detail
    (panel,) = panels(asked, replace(poor, directions=300), seed=SEED, name="cells", on_progress=silently)
    cell = panel.cells[0][0]
    assert cell.text.split()[2] == "+*" and "most runs grow" in cell.detail and " ≤ λ₁ ≤ " in cell.detail


def test_a_memory_that_is_never_cut_is_told_beside_paths() -> None:
    """Emphatic TD on θ→2θ, π = (1/4, 3/4): ρ > 0 everywhere, so there is no bound of the exponent. At α = 1/2 the
    move 1 → 1 multiplies differences by 1 − 3F/5, F = 1 + 27F/20, more and more.
    """
    model = replace(theta_to_two_theta(F(9, 10)), target=RationalMatrix([[F(1, 4), F(3, 4)]] * 2))
    asked = Grid((F(9, 10),), (("TD(0)", Schedule()),), (named("etd"),), lambda *_: model, (0, 1), HALF, F(1))
    (panel,) = panels(asked, replace(EFFORT, rounds=(Round(40, 200),)), seed=SEED, name="cut", on_progress=silently)
    cell = panel.cells[0][0]
    assert cell.text.split()[2] == "+*" and f"; no bound: {NEVER_CUT}" in cell.detail
    open_cell = _cell(_Exact(None, None, "", False), _bound(asked, (named("etd"), 0, F(9, 10)), EFFORT), None)
    assert open_cell.text == "? ? ?" and open_cell.detail.endswith(f"; paths: undecided: {NEVER_CUT}")


def test_drifts_on_directions_are_asked_where_limits_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell takes half a minute and more."""
    boxes = list[int]()

    def seen(*given: Any) -> OnPaths:
        boxes.append(given[-1])
        return OnPaths(PathSign(None, why="not asked"))

    monkeypatch.setattr("tdcert.sims.phases.cells.on_paths", seen)
    place, effort = ("off_policy_td", 0, F(19, 20)), Effort(work=0, bisections=0, rounds=())
    _bound(grid("19/20"), place, effort)
    with limits_raised(2):
        _bound(grid("19/20"), place, effort)
    assert boxes == [0, effort.boxes] and effort.boxes > 0


@pytest.mark.thorough
def test_the_paths_of_a_function_are_those_under_the_schedule_of_the_row() -> None:
    """Off-policy TD by its kernel and by its function: with λ = 1/2 most runs shrink, without a trace they grow. Bounds
    of the exponent say the same, and come first; without a search of weights λ = 1/2 is simulated.
    """
    rows = (("TD(0)", Schedule()), ("λ = 1/2", Schedule.constant(HALF)))
    asked = Grid((F(9, 10),), rows, ("off_policy_td", named("off_policy_td")), theta_to_two_theta, (0, 1), HALF, F(1))
    for unknowns, sign in ((EFFORT.unknowns, "−"), (0, "−*")):
        effort = replace(EFFORT, bisections=0, unknowns=unknowns)
        for panel in panels(asked, effort, seed=SEED, name="rows", on_progress=silently):
            assert [(row[0].text[0], row[0].text.split()[2]) for row in panel.cells] == [("+", "+"), ("−", sign)]


@pytest.mark.parametrize(
    ("signs", "expected"),
    [
        ((-1, -1, -1), "converges"),
        ((-1, 1, -1), "heavy"),
        ((-1, None, -1), "open"),
        ((-1, 1, 1), "paths_grow"),
        ((1, 1, -1), "mean_grows"),
        ((0, None, -1), "mean_grows"),
        ((None, 1, -1), "heavy"),
        ((None, None, -1), "open"),
        ((None, -1, -1), "open"),
        ((None, None, 1), "diverges"),
        ((1, 1, 1), "diverges"),
        ((-1, 1, None), "growth_open"),
        ((1, None, None), "growth_open"),
        ((-1, None, None), "undecided"),
        ((0, None, None), "undecided"),
        ((1, 1, 0), "growth_open"),  # paths that have the exponent zero do not die out
        ((0, None, 0), "undecided"),
    ],
)
def test_categories(signs: tuple[Any, Any, Any], expected: str) -> None:
    assert category(*signs) == expected
    assert expected in dict(CATEGORIES)


def test_an_undecided_sign_is_never_a_boundary(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs of ten steps decide nothing about paths, so nothing is said of where they change."""
    monkeypatch.setattr("tdcert.sims.phases.cells._bound", lambda *_: PathSign(None))
    poor = Effort(work=0, bisections=2, rounds=(Round(2, 10),))
    (panel,) = panels(grid("1/2", "19/20"), poor, seed=SEED, name="poor", on_progress=silently)
    assert [cell.category for cell in panel.cells[0]] == ["undecided", "growth_open"]  # the mean is decided
    assert [cell.text for cell in panel.cells[0]] == ["− ? ?", "+ ? ?"]
    assert all("mean," in boundary.label for boundary in panel.boundaries)


def test_a_boundary_spans_what_is_undecided() -> None:
    columns = (F(0), F(1, 4), F(1, 2), F(3, 4))
    assert _changes(columns, [-1, None, 1, 1]) == ((F(0), F(1, 2)),)
    assert _changes(columns, [None, 1, None, 1]) == ()
    assert _changes(columns, [-1, 1, -1, None]) == ((F(0), F(1, 4)), (F(1, 4), F(1, 2)))


@pytest.mark.thorough
def test_the_star_of_the_paper_in_six_cells() -> None:
    """EqualWeights(4, 6): at γ = 9/10 TD's paths die out and GTD's grow, at 49/50 the other way round."""
    rows = (("EqualWeights(4, 6)", Schedule.equal_weights(4, 6)),)
    asked = Grid((F(9, 10), F(49, 50)), rows, ("off_policy_td", "gtd"), bairds_star, STATES, F(1, 200), F(10))
    effort = Effort(work=0, bisections=0, rounds=(Round(40, 50_000),), level=0.9999)
    drawn = panels(
        asked,
        effort,
        seed=SEED,
        name="star",
        on_progress=silently,
        mean_places=lambda algorithm, schedule: (
            critical_discounts(schedule, CRITICAL_KAPPA) if algorithm == "off_policy_td" else ()
        ),
    )
    found = [[cell.text for cell in panel.cells[0]] for panel in drawn]
    assert found == [["− ? −*", "+ ? +*"], ["− ? +*", "− ? −*"]]  # simulated: the exponents need more unknowns
    td, gtd = drawn
    assert [round(float(low), 5) for low, _ in td.boundaries[0].places[0]] == [0.97524]
    assert [boundary.label[:5] for boundary in gtd.boundaries] == ["paths"]


def test_signs_are_those_of_the_quotient() -> None:
    """Baird's star has a null space that no update moves: on θ itself nothing would die out."""
    model = bairds_star(F(1, 2))
    assert mean_sign(model, scheduled("off_policy_td"), F(10), STATES) == -1
    assert mean_sign(bairds_star(F(9, 10)), scheduled("off_policy_td"), F(10), STATES) == 1
    assert mean_square_sign(model, "off_policy_td", F(1, 200), F(10), STATES, 60_000) == (-1, "")
    assert mean_square_sign(model, "off_policy_td", F(1, 200), F(10), STATES, 10)[0] is None
    endless = model.with_schedule(Schedule.constant(HALF))
    assert mean_square_sign(endless, "gtd", F(1, 200), F(10), STATES, 60_000)[0] is None
    assert mean_sign(one_state(F(1)), scheduled("td"), F(1), (0,)) == 0


def picture(**changed: Any) -> PhaseDiagram:
    cell = DiagramCell("converges", "− − −", "all die out")
    parts: dict[str, Any] = {
        "name": "made_up",
        "claim": None,
        "title": "t",
        "caption": "c",
        "x_label": "x",
        "y_label": "y",
        "columns": (F(1, 2), F(9, 10)),
        "rows": ("one",),
        "panels": (Panel("TD", ((cell, cell),), (Boundary("b", (((F(1, 2), F(3, 4)),),)),)),),
        "categories": CATEGORIES,
    }
    return PhaseDiagram(**{**parts, **changed})


CELL = DiagramCell("converges", "", "")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"panels": ()}, "no cells"),
        ({"columns": (F(9, 10), F(1, 2))}, "do not increase"),
        ({"panels": (Panel("TD", ((CELL,),), ()),)}, "rows × columns"),
        ({"panels": (Panel("TD", ((CELL, DiagramCell("odd", "", "")),), ()),)}, "no category"),
        ({"panels": (Panel("TD", ((CELL, CELL),), (Boundary("b", ()),)),)}, "a place a row"),
        ({"panels": (Panel("TD", ((CELL, CELL),), (Boundary("b", (((F(1), F(0)),),)),)),)}, "upside down"),
    ],
)
def test_what_does_not_fit_together_is_no_diagram(changed: dict[str, Any], message: str) -> None:
    assert plain(figure_document(picture()))["columns"] == ["1/2", "9/10"]
    with pytest.raises(ValueError, match=message):
        picture(**changed)


def test_a_grid_as_a_picture() -> None:
    asked = grid("1/2", "19/20")
    drawn = panels(asked, EFFORT, seed=1, name="picture", on_progress=silently)
    document = plain(figure_document(diagram("small", None, "t", "c", "discount", asked, drawn)))
    assert document["kind"] == "phase_diagram" and document["rows"] == ["TD(0)"]
    assert document["panels"][0]["cells"][0][0]["category"] == "converges"
