"""The drawing of a phase diagram: a grid of cells for each algorithm, boundaries through it.

Signs in the cells say all that colours say, and so do shapes: what grows is hatched by strokes, what is not known by
dots, what dies out not at all. Columns stand side by side, evenly; a boundary between two of them is drawn
in proportion, as a stroke where it is a point, as a bracket where it is an interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tdcert.reports.palette import INK, RULE, SERIES, literal
from tdcert.sims.phases.diagram import SIMULATED, Boundary, PhaseDiagram, kind_of_category

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_COLOURS = {
    "converges": SERIES[2],
    "heavy": SERIES[5],
    "paths_grow": SERIES[4],
    "mean_grows": SERIES[3],
    "diverges": SERIES[1],
    "growth_open": SERIES[0],
    "open": SERIES[2],
}
"""The colours of the categories; what is undecided altogether has none."""
_HATCHES = {"grows": "////", "undecided": "...", "dies_out": ""}
_STRENGTHS = {"grows": 0.55, "undecided": 0.2, "dies_out": 0.55}
"""How dark the colour of a cell is."""
_STYLES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)))
_HEIGHTS = (0.5, 0.13, 0.87)
"""Where in its row the bracket of each boundary stands."""
_THIN = 0.02
"""Widths, in columns, below which an interval is a point to the eye."""
_MOST_LETTERS = 60
"""Most letters of the labels of columns side by side."""
_WIDTH, _ROW, _HEAD = 6.2, 0.31, 0.55


def draw(figure: PhaseDiagram, title: bool, canvas: Canvas | None = None) -> Canvas:
    """The diagram on a canvas of its own or a given empty one, in the settings of :mod:`tdcert.reports.palette`."""
    from matplotlib.figure import Figure as Canvas
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    panels = figure.panels
    labels = list(dict.fromkeys(boundary.label for panel in panels for boundary in panel.boundaries))
    met = {cell.category for panel in panels for row in panel.cells for cell in row}
    keys = [(category, label) for category, label in figure.categories if category in met]
    height = len(panels) * (_HEAD + _ROW * len(figure.rows)) + 0.19 * (len(keys) + len(labels) + 2) + 0.3 * title
    canvas = canvas or Canvas(layout="constrained")
    canvas.set_size_inches(_WIDTH, height)
    grid = canvas.subplots(len(panels), squeeze=False)[:, 0]
    for number, axes in enumerate(grid, start=1):
        _draw_panel(axes, figure, number, labels)
    grid[-1].set_xlabel(literal(figure.x_label, 75))
    if title:
        canvas.suptitle(literal(figure.title, 65), fontsize=10, gid="title")
    shown: list[Any] = [(Patch(**_face(category)), Patch(**_shape(category))) for category, _ in keys]
    shown += [Line2D([], [], color=INK, linestyle=_STYLES[k % len(_STYLES)], linewidth=1.6) for k in range(len(labels))]
    words = [literal(label, 75) for label in (*(label for _, label in keys), *labels)]
    if any(SIMULATED in cell.text for panel in panels for row in panel.cells for cell in row):
        shown.append(Line2D([], [], color=INK, linestyle="", marker="$*$"))
        words.append("this sign of paths is simulated")
    canvas.legend(shown, words, loc="outside lower left", frameon=False, handlelength=2.6, fontsize=8)
    return canvas


def table(figure: PhaseDiagram) -> Iterator[Sequence[Any]]:
    """One row for each cell, then one for each place of a boundary."""
    yield "panel", "schedule", figure.x_label, "category", "signs", "in words"
    for panel in figure.panels:
        for row, cells in zip(figure.rows, panel.cells, strict=True):
            for x, cell in zip(figure.columns, cells, strict=True):
                yield panel.title, row, x, cell.category, cell.text, cell.detail
        for boundary in panel.boundaries:
            for row, places in zip(figure.rows, boundary.places, strict=True):
                for low, high in places:
                    yield panel.title, row, f"{low} to {high}", "boundary", "", boundary.label


def place_of(columns: Sequence[float], x: float) -> float | None:
    """Where x stands among columns drawn evenly, 0 for the first; None outside of them."""
    for left, (a, b) in enumerate(pairwise(columns)):
        if a <= x <= b:
            return left + (x - a) / (b - a)
    return 0.0 if [x] == list(columns) else None


def _draw_panel(axes: Axes, figure: PhaseDiagram, number: int, labels: Sequence[str]) -> None:
    from matplotlib.patches import Rectangle

    panel = figure.panels[number - 1]
    columns = [float(x) for x in figure.columns]
    for r, row in enumerate(panel.cells):
        for c, cell in enumerate(row):
            gid = f"cell-{number}-{r + 1}-{c + 1}-{cell.category}"
            axes.add_patch(Rectangle((c - 0.5, r), 1, 1, gid=gid, **_face(cell.category)))
            if _shape(cell.category)["hatch"]:
                axes.add_patch(Rectangle((c - 0.5, r), 1, 1, **_shape(cell.category)))
            axes.text(c, r + 0.5, cell.text, ha="center", va="center", fontsize=9, gid=f"text-{number}-{r + 1}-{c + 1}")
    for boundary in panel.boundaries:
        _draw_boundary(axes, boundary, number, labels.index(boundary.label), columns)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(figure.rows), 0)
    shown = [f"{x:.4g}" if len(f"{x:.4g}") < 6 else f"{x:.2g}" for x in columns]
    crowded = max(map(len, shown)) * len(columns) > _MOST_LETTERS
    axes.set_xticks(range(len(columns)), shown, rotation=30 if crowded else 0)
    axes.set_yticks([r + 0.5 for r in range(len(figure.rows))], [literal(row, 24) for row in figure.rows])
    axes.tick_params(length=0)
    axes.grid(False)
    axes.set_title(literal(panel.title, 65), fontsize=9)


def _draw_boundary(axes: Axes, boundary: Boundary, number: int, kind: int, columns: Sequence[float]) -> None:
    style = _STYLES[kind % len(_STYLES)]
    for r, places in enumerate(boundary.places):
        for low, high in places:
            a, b = place_of(columns, float(low)), place_of(columns, float(high))
            if a is None or b is None:
                continue
            gid = f"boundary-{number}-{r + 1}-{kind + 1}"
            if b - a < _THIN:
                axes.plot([(a + b) / 2] * 2, [r, r + 1], color=INK, linewidth=1.8, linestyle=style, gid=gid)
            else:
                y = r + _HEIGHTS[kind % len(_HEIGHTS)]
                axes.plot([a, b], [y, y], color=INK, linewidth=1.3, linestyle=style, marker="|", markersize=4, gid=gid)


def _face(category: str) -> dict[str, Any]:
    """The colour of a cell."""
    colour = _COLOURS.get(category)
    if colour is None:
        return {"facecolor": "none", "edgecolor": RULE, "linewidth": 0.7}
    return {"facecolor": colour, "edgecolor": RULE, "linewidth": 0.7, "alpha": _STRENGTHS[kind_of_category(category)]}


def _shape(category: str) -> dict[str, Any]:
    """The hatching that is drawn over it."""
    hatch = _HATCHES[kind_of_category(category)]
    return {"facecolor": "none", "edgecolor": INK, "linewidth": 0, "hatch": hatch, "alpha": 0.3}
