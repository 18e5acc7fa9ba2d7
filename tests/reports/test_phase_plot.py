"""Phase diagrams as drawn: every cell and boundary of the picture is one of the data, at its place."""

from __future__ import annotations

import csv
import io
import re
from fractions import Fraction
from xml.etree import ElementTree

import pytest

from tdcert.reports import pages, pictures
from tdcert.reports.figure_documents import figure_document
from tdcert.reports.phase_plot import _shape, place_of
from tdcert.sims.phases.cells import CATEGORIES
from tdcert.sims.phases.diagram import Boundary, DiagramCell, Panel, PhaseDiagram
from tdcert.theory.document_types import plain

F = Fraction
KINDS = [category for category, _ in CATEGORIES]


def sample() -> PhaseDiagram:
    """Two panels of two rows and four columns, every category once, with boundaries of each kind."""
    cells = [DiagramCell(kind, f"− {k} +", f"in words {k}") for k, kind in enumerate(KINDS)]
    point, wide = ((F(3, 4), F(3, 4)),), ((F(1, 2), F(9, 10)),)
    boundaries = (Boundary("mean", (point, ())), Boundary("paths", ((), wide)))
    panels = (
        Panel("TD", (tuple(cells[:4]), tuple(cells[4:])), boundaries),
        Panel("GTD <&>", (tuple(cells[4:]), tuple(cells[:4])), ()),
    )
    return PhaseDiagram(
        "made_up_phases",
        None,
        "A title",
        "A caption.",
        "discount",
        "schedule",
        (F(1, 2), F(9, 10), F(99, 100), F(1)),
        ("TD(0)", "λ = 1/2"),
        panels,
        CATEGORIES,
    )


def groups(document: PhaseDiagram) -> dict[str, ElementTree.Element]:
    """The groups of the drawing by their ids, without the name of the figure."""
    root = ElementTree.fromstring(pictures.inline_svg(document).replace("href=", "data-href="))
    return {g.get("id", "").removeprefix("made_up_phases-"): g for g in root.iter() if g.get("id")}


def path(group: ElementTree.Element) -> list[tuple[float, float]]:
    """The points of the first path of a group."""
    (d, *_) = (element.get("d") for element in group.iter() if element.get("d"))
    numbers = [float(x) for x in re.findall(r"-?[0-9.]+", d or "")]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def centre(group: ElementTree.Element) -> float:
    xs = [x for x, _ in path(group)]
    return (min(xs) + max(xs)) / 2


@pytest.mark.thorough
def test_every_cell_is_drawn_as_it_is_and_nothing_else() -> None:
    document = sample()
    found = groups(document)
    expected = {
        f"cell-{p}-{r}-{c}-{cell.category}": (f"text-{p}-{r}-{c}", cell.text)
        for p, panel in enumerate(document.panels, start=1)
        for r, row in enumerate(panel.cells, start=1)
        for c, cell in enumerate(row, start=1)
    }
    assert {name for name in found if name.startswith("cell-")} == set(expected)
    for text_id, text in expected.values():
        assert "".join(found[text_id].itertext()).strip() == text
    # columns from left to right, rows downwards
    assert centre(found["cell-1-1-1-converges"]) < centre(found["cell-1-1-2-heavy"])
    assert path(found["cell-1-1-1-converges"])[0][1] < path(found["cell-1-2-1-diverges"])[0][1]


def test_boundaries_stand_in_proportion_between_the_columns() -> None:
    found = groups(sample())
    first, second = centre(found["cell-1-1-1-converges"]), centre(found["cell-1-1-2-heavy"])
    assert {name for name in found if name.startswith("boundary-")} == {"boundary-1-1-1", "boundary-1-2-2"}
    stroke = path(found["boundary-1-1-1"])
    assert stroke[0][0] == stroke[1][0] == pytest.approx(first + (second - first) * 0.625, abs=0.01)  # ¾ from ½ to 9/10
    bracket = [x for x, _ in path(found["boundary-1-2-2"])[:2]]
    assert bracket == [pytest.approx(first, abs=0.01), pytest.approx(second, abs=0.01)]


def test_what_grows_and_what_is_not_known_differ_in_shape() -> None:
    """Strokes, dots, and nothing: each category has one kind, and the document names it."""
    kinds = {row["id"]: row["kind"] for row in plain(figure_document(sample()))["categories"]}
    grown = {"heavy", "paths_grow", "mean_grows", "diverges", "growth_open"}
    assert {key for key, kind in kinds.items() if kind == "grows"} == grown
    assert {key for key, kind in kinds.items() if kind == "undecided"} == {"open", "undecided"}
    hatches = {key: _shape(key)["hatch"] for key in KINDS}
    assert {hatches[key] for key in grown} == {"////"} and hatches["open"] == hatches["undecided"] == "..."
    assert hatches["converges"] == ""


def test_places_among_columns() -> None:
    assert place_of([0.5, 0.9, 0.99], 0.5) == 0 and place_of([0.5, 0.9, 0.99], 0.99) == 2
    assert place_of([0.5, 0.9, 0.99], 0.945) == pytest.approx(1.5)
    assert place_of([0.5, 0.9], 0.95) is None and place_of([0.5], 0.5) == 0


def test_the_picture_is_named_and_follows_the_page() -> None:
    text = pictures.inline_svg(sample())
    assert 'role="img"' in text and 'aria-label="A title"' in text
    assert "var(--series-2)" in text and "#d55e00" not in text


def test_its_numbers_as_csv() -> None:
    rows = list(csv.reader(io.StringIO(pictures.table(sample()))))
    assert len(rows) == 1 + 16 + 2
    assert rows[1] == ["TD", "TD(0)", "1/2", "converges", "− 0 +", "in words 0"]
    assert ["TD", "λ = 1/2", "1/2 to 9/10", "boundary", "", "paths"] in rows


def test_the_page_has_the_same_as_tables() -> None:
    template = '{% import "parts.html" as parts with context %}{{ parts.figure(drawing) }}'
    drawn = pages.drawn([sample()])["made_up_phases"]
    page = pages._environment().from_string(template).render(drawing=drawn)
    tables = re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL)
    assert tables.count("<table") == 2 and tables.count('scope="row"') == 4
    assert all(f"− {k} +" in tables and f"in words {k}" in tables for k in range(8))
    assert "<li>TD(0): 0.75</li>" in tables and "<li>λ = 1/2: 0.5 to 0.9</li>" in tables
    assert "GTD &lt;&amp;&gt;" in tables
