"""The trial of paths on Baird's star: the page says what its data say, and what the data say is decided anew."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from tdcert.analysis.model_diagram import draw
from tdcert.sims.phases.diagram import SIMULATED, DiagramCell
from tdcert.theory.engine.declare import ratios_of
from tdcert.theory.engine.paths import on_paths
from tdcert.theory.files.examples import EXAMPLES
from tdcert.theory.laws.path_exponents import Determinants, Forms, OneDimension, PathSign, ZeroProduct
from tdcert.theory.progress import silently
from tests.docs.programs import program
from tests.replay import replay

F = Fraction


@pytest.fixture(scope="module")
def writer() -> Any:
    return program("write_paths_trial")


def test_the_page_is_written_from_the_data(writer: Any) -> None:
    text = writer.page(writer.read())
    assert writer.PAGE.read_text(encoding="utf-8") == text, "run python docs/write_paths_trial.py"
    assert f"](images/{writer.PICTURE.name})" in text and writer.PICTURE.read_bytes().startswith(b"\x89PNG")


def test_no_certified_sign_is_contradicted(writer: Any) -> None:
    """All simulated signs are right together with probability 0.999."""
    cells = writer.read()["star"]
    assert [(x["algorithm"], F(x["gamma"]), F(x["alpha"])) for x in cells] == list(writer.places())
    known = [cell for cell in cells if cell["sign"] is not None]
    assert not any(map(writer.contradicted, cells)) and len(known) > len(cells) / 2
    for cell in known:
        bound = cell["high"] if cell["sign"] < 0 else cell["low"]
        assert cell["by"] and F(bound) * cell["sign"] > 0
    told = [cell for cell in known if cell["simulated"]["sign"] is not None]
    assert len(told) > 0.95 * len(known)  # a simulation without signs would contradict nothing
    assert writer.contradicted({"sign": 1, "simulated": {"sign": -1}})
    assert not writer.contradicted({"sign": None, "simulated": {"sign": -1}})


def test_few_path_cells_of_default_diagrams_are_simulated(writer: Any) -> None:
    """Of the cells of all examples at most 15 %; the rest is certified, enclosed, or open and said to be."""
    counts = {word: sum(row[word] for row in writer.read()["diagrams"]) for word in writer.EVIDENCE}
    assert counts["simulated"] <= 0.15 * sum(counts.values())


@pytest.mark.thorough
def test_a_default_diagram_is_as_the_data_say(writer: Any) -> None:
    (row,) = (row for row in writer.read()["diagrams"] if row["example"] == "fair_coin_chain")
    picture = draw(EXAMPLES["fair_coin_chain"](), silently).picture
    assert picture is not None
    found = Counter(writer.evidence(cell) for panel in picture.panels for cells in panel.cells for cell in cells)
    assert {word: row[word] for word in writer.EVIDENCE} == {word: found[word] for word in writer.EVIDENCE}


def again(writer: Any, cell: Any) -> None:
    """The cell is decided as the data say, and the checker accepts why."""
    model, update = writer.update_of(cell["algorithm"], F(cell["gamma"]))
    found = on_paths(model, update, writer.STATES, ratios_of(update, writer.ETA), F(cell["alpha"]))
    assert (found.sign.sign, writer.decided_by(found.sign)) == (cell["sign"], cell["by"])
    for one in found.certificates:
        assert replay(one, model)


@pytest.mark.thorough
def test_a_cell_of_each_algorithm_is_decided_as_the_data_say(writer: Any) -> None:
    """The last of each that determinants decide: they take no search."""
    cells = {x["algorithm"]: x for x in writer.read()["star"] if x["sign"] == 1 and "determinants" in x["by"]}
    assert len(cells) == len(writer.ALGORITHMS)
    for cell in cells.values():
        again(writer, cell)


@pytest.mark.thorough
def test_every_seventh_cell_that_dies_out_is_decided_as_the_data_say(writer: Any) -> None:
    for cell in [x for x in writer.read()["star"] if x["sign"] == -1][::7]:
        again(writer, cell)


@pytest.mark.thorough
def test_a_cell_that_a_drift_decides_is_decided_as_the_data_say(writer: Any) -> None:
    """ETD(0) at γ = 7/10, α = 1/20, in seconds: the mean of ETD(0) is stable, and its paths grow at that step."""
    (cell,) = (x for x in writer.of(writer.read()["star"], "ETD(0)") if (x["gamma"], x["alpha"]) == ("7/10", "1/20"))
    assert (cell["sign"], cell["by"]) == (1, writer.ENCLOSED)
    again(writer, cell)


def test_open_cells_say_why_a_drift_shows_nothing(writer: Any) -> None:
    """Where it is asked: a line for each open cell, with what was met."""
    cells = [x for x in writer.read()["star"] if x["sign"] is None and x["algorithm"] in writer.BY_DRIFT]
    lines = writer._why_open(writer.read()["star"]).splitlines()
    assert len(lines) == len(cells) > 0 and all(re.search(r"\| [^|]*\bdrift\b[^|]* \|$", line) for line in lines)
    known = {"sign": 1, "algorithm": "TD(0)", "gamma": "1/2", "alpha": "1/20", "why": ""}
    assert writer._why_open([known, {**known, "sign": None, "algorithm": "GTD"}]) == ""


def test_the_way_that_decides_is_named(writer: Any) -> None:
    """Of several the one whose bound has the sign; what has no bound decides by itself."""
    falls, grows = Forms(F(-1), (), ()), Determinants(F(-2), (0,))
    assert writer.decided_by(PathSign(-1, F(-2), F(-1), (falls, grows))) == "forms"
    assert writer.decided_by(PathSign(1, F(2), None, (Forms(F(3), (), ()), Determinants(F(2), (0,))))) == "determinants"
    assert writer.decided_by(PathSign(-1, shown=(ZeroProduct((0,)),))) == "zero product"
    assert writer.decided_by(PathSign(-1, F(-1), F(-1, 2), (OneDimension(-1, F(-1), F(-1, 2)),))) == "one dimension"
    assert writer.decided_by(PathSign(None, F(-2), F(1), (falls, grows))) is None


def test_open_cells_show_the_simulated_sign_with_a_star(writer: Any) -> None:
    seen = {"sign": 1}
    for cell, text, category in (
        ({"sign": None, "why": "", "simulated": seen}, f"+{SIMULATED}", "undecided"),
        ({"sign": None, "why": "", "simulated": {"sign": None}}, "?", "undecided"),
        ({"sign": -1, "by": "forms", "simulated": seen}, "−", "converges"),
        ({"sign": 1, "by": "forms", "simulated": seen}, "+", "diverges"),
    ):
        drawn = writer._cell(cell)
        assert (drawn.text, drawn.category) == (text, category)


def test_the_diagram_of_every_example_is_counted(writer: Any) -> None:
    found = writer.read()["diagrams"]
    assert [row["example"] for row in found] == list(EXAMPLES)
    count = {word: sum(row[word] for row in found) for word in writer.EVIDENCE}
    assert count["certified"] > 0 and count["simulated"] + count["open"] < sum(count.values()) / 4
    assert all((row["why"] is None) == any(row[word] for word in writer.EVIDENCE) for row in found)


def test_the_evidence_of_a_cell_is_read_off_its_sign_and_words(writer: Any) -> None:
    for text, detail, expected in (
        (f"− + +{SIMULATED}", "paths: most runs grow", "simulated"),
        ("− + ?", "paths: undecided", "open"),
        ("− + −", "paths: certified: λ₁ ≤ -0.1 a step", "certified"),
        ("− − −", "paths: dies out, since mean square does", "enclosed"),
    ):
        assert writer.evidence(DiagramCell("undecided", text, detail)) == expected


@pytest.mark.thorough
def test_a_diagram_is_counted_as_the_data_say(writer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "flip_chain"
    monkeypatch.setattr(writer, "EXAMPLES", {name: EXAMPLES[name]})
    assert writer.diagrams() == [row for row in writer.read()["diagrams"] if row["example"] == name]
