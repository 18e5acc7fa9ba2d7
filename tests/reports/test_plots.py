"""Figures against their data: what is drawn is read back through the axes' own ticks, number by number."""

import csv
import io
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import matplotlib
import pytest

from tdcert.reports import pictures, plots
from tdcert.reports.figure_documents import figure_document
from tdcert.reports.palette import settings
from tdcert.theory.document_types import plain
from tdcert.theory.figures import Figure, Rule, Series

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
X, Y = (1.0, 2.5, 10.0, 40.0), (0.5, 0.25, 2.0, 8.0)
LOW, HIGH = (0.25, 0.125, 1.0, 4.0), (1.0, 0.5, 4.0, 16.0)


def figure(**changed: Any) -> Figure:
    series = (Series("with a band", X, Y, LOW, HIGH), Series("points", X[1:], Y[1:], marks="points"))
    rules = (Rule("κ = 15/17", Fraction(15, 17)), Rule("level", 3.0, "y"))
    given: dict[str, Any] = {"series": series, "rules": rules, **changed}
    return Figure("drawn", None, "Costs $5 & <more>", "steps", "error", caption="", **given)


def parsed(document: Figure) -> ElementTree.Element:
    return ElementTree.fromstring(pictures.standalone_svg(document))


def found(tree: ElementTree.Element, name: str) -> ElementTree.Element:
    (element,) = (element for element in tree.iter() if element.get("id") == name)
    return element


def path(element: ElementTree.Element) -> list[tuple[float, float]]:
    """The corners of the first path in it, where it is placed by a ``use``, moved there."""
    drawn = next(element.iter(f"{SVG}path"))
    corners = [(float(x), float(y)) for x, y in re.findall(r"[ML] (-?[\d.]+) (-?[\d.]+)", drawn.get("d", ""))]
    use = next(element.iter(f"{SVG}use"), None)
    if use is None or use.get(HREF) != f"#{drawn.get('id')}":
        return corners
    return [(x + float(use.get("x", 0)), y + float(use.get("y", 0))) for x, y in corners]


def number(tick: ElementTree.Element, log: bool) -> float | None:
    """What stands at a tick: a decimal, or a power of ten whose exponent is written above."""
    words = "".join("".join(text.itertext()) for text in tick.iter(f"{SVG}text")).replace("−", "-")
    words = re.sub(r"\s", "", words)
    if not words:
        return None
    return float(f"1e{words.removeprefix('10')}") if log else float(words)


def reader(tree: ElementTree.Element, axis: str, log: bool) -> Callable[[float], float]:
    """From places in the picture to data, by two of the axis's ticks."""
    marks = []
    for tick in tree.iter(f"{SVG}g"):
        if re.fullmatch(rf"{axis}tick_\d+", tick.get("id", "")) and (value := number(tick, log)) is not None:
            use = next(tick.iter(f"{SVG}use"))
            marks.append((float(use.get(axis, "nan")), math.log10(value) if log else value))
    (p, a), (q, b) = marks[0], marks[-1]
    assert len(marks) >= 2 and p != q

    def read(place: float) -> float:
        value = a + (place - p) * (b - a) / (q - p)
        return 10**value if log else value

    return read


@pytest.mark.thorough
@pytest.mark.parametrize("log_x", [False, True])
@pytest.mark.parametrize("log_y", [False, True])
def test_curves_bands_and_rules_are_where_the_numbers_say(log_x: bool, log_y: bool) -> None:
    tree = parsed(figure(log_x=log_x, log_y=log_y))
    x, y = reader(tree, "x", log_x), reader(tree, "y", log_y)

    def read(name: str) -> list[tuple[float, float]]:
        return [(x(a), y(b)) for a, b in path(found(tree, name))]

    def near(points: Sequence[float | tuple[float, float]]) -> Any:
        return [pytest.approx(point, rel=1e-4, abs=1e-4) for point in points]  # the picture has six decimals

    assert read("series-1") == near(list(zip(X, Y, strict=True)))
    marks = found(tree, "series-2").iter(f"{SVG}use")
    places = [(float(use.get("x", 0)), float(use.get("y", 0))) for use in marks]
    assert [(x(a), y(b)) for a, b in places] == near(list(zip(X[1:], Y[1:], strict=True)))
    corners = {(round(a, 3), round(b, 3)) for a, b in read("band-1")}
    assert corners == {*zip(X, LOW, strict=True), *zip(X, HIGH, strict=True)}
    assert [a for a, _ in read("rule-1")] == near([15 / 17] * 2)
    assert [b for _, b in read("rule-2")] == near([3.0, 3.0])


def words_of(tree: ElementTree.Element, axis: str) -> list[str]:
    """What stands at the ticks of an axis."""
    ticks = [one for one in tree.iter(f"{SVG}g") if re.fullmatch(rf"{axis}tick_\d+", one.get("id", ""))]
    return [word for tick in ticks if (word := "".join(t for e in tick.iter(f"{SVG}text") for t in e.itertext()))]


@pytest.mark.parametrize(
    ("x", "y", "across", "up"),
    [
        ((1.0, 2.0, 3.0), (2.0, 2.0, 2.0), ["1", "2", "3"], ["1.90", "1.95", "2.00", "2.05", "2.10"]),
        ((0.0, 1.5, 3.0), (-1.0, 0.0, 1.0), ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"], None),
        ((1.0, 2.0), (1e8, 1e8 + 2e5), ["1", "2"], ["1e8", "1.0005e8", "1.001e8", "1.0015e8", "1.002e8"]),
        ((1.0, 2.0), (1e-7, 3e-7), ["1", "2"], ["1e−7", "1.5e−7", "2e−7", "2.5e−7", "3e−7"]),
        ((1.0, 2.0), (-1.7e308, 1.7e308), ["1", "2"], ["−1e308", "0", "1e308"]),  # the range is no float
        ((1.0, 2.0), (1.0, 1.79e308), ["1", "2"], ["0", "5e307", "1e308", "1.5e308"]),  # with its margin too
    ],
)
def test_numbers_at_ticks_are_round_and_told_apart(x: Any, y: Any, across: list[str], up: list[str] | None) -> None:
    tree = parsed(figure(series=(Series("rows", x, y),), rules=()))
    assert words_of(tree, "x") == across
    assert words_of(tree, "y") == (up or ["−1.0", "−0.5", "0.0", "0.5", "1.0"])
    assert not re.search(r"\bnan\b", ElementTree.tostring(tree, "unicode"))


def test_a_short_logarithmic_axis_has_numbers_too() -> None:
    tree = parsed(figure(series=(Series("rows", (1.0, 2.0), (2.0, 3.0)),), rules=(), log_y=True))
    assert words_of(tree, "y") == ["2.0", "2.2", "2.4", "2.6", "2.8", "3.0"]
    wide = parsed(figure(series=(Series("rows", (1.0, 2.0), (1.0, 1e30)),), rules=(), log_y=True))
    assert words_of(wide, "y") == ["100", "105", "1010", "1015", "1020", "1025", "1030"]  # 10 to these powers


def test_names_that_have_no_room_stand_upright_within_the_picture() -> None:
    names = tuple(f"gtd[a={k}] with a long name" for k in range(5))
    long = " ".join(["a label that is long"] * 12)
    given = figure(
        series=tuple(Series(f"{k} {long}", (1.0, 5.0), (1.0, 2.0)) for k in range(3)), rules=(Rule(long, 1.5, "y"),)
    )
    given = replace(given, x_names=names, title=long, y_label=long, x_label=long)
    text = pictures.standalone_svg(given)
    tree = ElementTree.fromstring(text)
    assert words_of(tree, "x") == list(names) and text.count('transform="rotate(-90 ') >= len(names)
    shown = " ".join("".join(one.itertext()) for one in tree.iter(f"{SVG}text"))
    assert all(f"{k} a label" in shown for k in range(3)) and shown.count("label that is") >= 5
    _, _, width, height = map(float, tree.get("viewBox", "").split())
    for one in tree.iter(f"{SVG}text"):
        assert 0 <= float(one.get("x", "nan")) <= width and 0 <= float(one.get("y", "nan")) <= height
    legend = found(tree, "legend")
    (start,) = re.findall(r"translate\(0 ([\d.]+)\)", legend.get("transform", ""))
    above = {float(one.get("y", "nan")) for one in tree.iter(f"{SVG}text")} - {
        float(one.get("y", "nan")) for one in legend.iter(f"{SVG}text")
    }
    assert max(above) <= float(start)


@pytest.mark.parametrize(("x", "whole"), [((1.0, 2.0, 3.0), True), ((1.0, 1.5, 2.0), False)])
def test_whole_numbers_have_whole_ticks(x: tuple[float, ...], whole: bool) -> None:
    with settings():
        canvas = plots.draw(figure(series=(Series("rows", x, (1.0, 2.0, 4.0)),), rules=()), title=False)
        ticks = canvas.axes[0].get_xticks().tolist()
    assert len(ticks) > 1 and all(tick.is_integer() for tick in ticks) is whole


@pytest.mark.parametrize(("more", "turned"), [("", 0), (" with a name that is long", 90)])
def test_what_is_counted_stands_at_the_axis_by_its_name(more: str, turned: int) -> None:
    names = tuple(f"{name}{more}" for name in ("td", "gtd[a=$1,b=$2]", "tdc", "etd"))
    given = figure(series=(Series("rates", (1.0, 2.9), (1.0, 2.0)),), rules=(Rule("zero", 0, "y"),), x_names=names)
    with settings():
        axes = plots.draw(given, title=False).axes[0]
    shown = [label.get_text().replace(r"\$", "$") for label in axes.get_xticklabels()]
    assert tuple(shown) == names and axes.get_xticks().tolist() == [1, 2, 3, 4]
    assert {label.get_rotation() for label in axes.get_xticklabels()} == {turned}
    rows = list(csv.reader(io.StringIO(pictures.table(given))))
    assert rows[0][-1] == "name" and [row[-1] for row in rows[1:]] == [names[0], names[2], ""]
    assert plain(figure_document(given))["x_names"] == list(names) and "x_names" not in plain(figure_document(figure()))
    with pytest.raises(ValueError, match="has 4 names of x, and an x that is none of theirs"):
        replace(given, series=(Series("rates", (5.0,), (1.0,)),))


def test_gaps_and_what_no_axis_reaches_is_left_out() -> None:
    nan, inf = math.nan, math.inf
    y = (5.0, 1.0, nan, -1.0, 1e4)
    curve = Series("s", (0.0, 1.0, 10.0, 100.0, 1000.0), y, (1.0, 0.0, nan, -2.0, 2.0), (inf,) * 5)
    document = figure(series=(curve,), rules=(), log_x=True, log_y=True)
    tree = parsed(document)
    read_x, read_y = reader(tree, "x", True), reader(tree, "y", True)
    assert plain(figure_document(document))["series"][0] | {"x": []} == {
        "label": "s",
        "x": [],
        "y": [5.0, 1.0, None, -1.0, 1e4],
        "low": [1.0, 0.0, None, -2.0, 2.0],
        "high": [None] * 5,
        "marks": "auto",
    }
    places = [(float(use.get("x", 0)), float(use.get("y", 0))) for use in found(tree, "series-1").iter(f"{SVG}use")]
    assert [(round(read_x(a), 3), round(read_y(b), 1)) for a, b in places] == [(1.0, 1.0), (1000.0, 1e4)]
    assert next(found(tree, "series-1").iter(f"{SVG}path")).get("d", "").count("M") == 2  # a gap lies between them


def test_a_file_opens_by_itself_with_its_title() -> None:
    text = pictures.standalone_svg(figure())
    tree = ElementTree.fromstring(text)
    assert tree.tag == f"{SVG}svg" and found(tree, "figure_1") is not None
    assert next(tree.iter(f"{SVG}title")).text == "Costs $5 & <more>"
    assert "var(" not in text and "currentColor" not in text  # no page around it to name the colours
    links = [value for element in tree.iter() for key, value in element.attrib.items() if key.endswith("href")]
    assert all(link.startswith("#") for link in links)


@pytest.mark.thorough
def test_labels_are_whole_however_long_they_are() -> None:
    label = "a label of many words that goes on, and on, to say which schedule this curve was drawn for, at which γ"
    long = figure(series=tuple(Series(f"{k} {label}", X, Y) for k in range(4)), rules=(Rule(label, 2.0),))
    for document in (figure(), long):
        with settings():
            canvas = plots.draw(replace(document, title=label, x_label=label, y_label=label), title=True)
            canvas.draw_without_rendering()
        words = " ".join(text.get_text() for text in canvas.legends[0].get_texts()).replace("\n", " ")
        assert all(part in words for part in [*(s.label for s in document.series), *(r.label for r in document.rules)])
        for box in (canvas.legends[0].get_window_extent(), canvas.axes[0].get_tightbbox()):
            assert box is not None and box.x0 >= 0 and box.x1 <= canvas.bbox.width
            assert box.y0 >= 0 and box.y1 <= canvas.bbox.height


def test_the_table_holds_every_number() -> None:
    rows = list(csv.reader(io.StringIO(pictures.table(figure()))))
    assert rows[0] == ["series", "x", "y", "low", "high"]
    assert rows[1] == ["with a band", "1.0", "0.5", "0.25", "1.0"] and rows[5] == ["points", "2.5", "0.25", "", ""]
    assert rows[-2:] == [["κ = 15/17", "15/17", "", "", ""], ["level", "", "3.0", "", ""]]
    assert len(rows) == 1 + 4 + 3 + 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: Series("s", (1.0,), (1.0, 2.0)),
        lambda: Series("s", (math.nan,), (1.0,)),
        lambda: Series("s", (1.0,), (1.0,), low=(0.0,)),
        lambda: Series("s", (1.0,), (1.0,), low=(0.0, 0.0), high=(2.0, 2.0)),
        lambda: Series("s", (1.0,), (1.0,), low=(2.0,), high=(1.0,)),
        lambda: Rule("r", math.inf),
        lambda: figure(rules=(Rule("r", 0.0),), log_x=True),
        lambda: Figure("Not a name", None, "", "", "", (), ""),
    ],
)
def test_what_is_no_figure_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"the (series|band|rule)|not a name"):
        make()


def test_a_backend_that_is_loaded_while_drawing_stays_interactive() -> None:
    """As that of notebooks: its figures are shown at the end of a cell only then."""
    was = matplotlib.is_interactive()
    try:
        for wanted in (True, False):
            matplotlib.interactive(not wanted)
            with settings():
                matplotlib.interactive(wanted)
            assert matplotlib.is_interactive() is wanted
    finally:
        matplotlib.interactive(was)
