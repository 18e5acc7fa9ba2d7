"""The drawing of a plot: curves with bands, points, and rules; and its numbers as a table.

Legends stand below the axes, where they cannot cover data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tdcert.reports.palette import INK, SERIES, literal
from tdcert.theory.figures import Figure, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P")
RULE_STYLES = ((0, (6, 2)), (0, (2, 2)), (0, (6, 2, 1, 2)))
MOST_MARKED = 40
_LEGEND_LETTERS = 78  # what stands in a line of the legend, its signs not counted
WIDTH, HEIGHT = 5.6, 3.4


def draw(figure: Figure, title: bool) -> Canvas:
    """The figure on a canvas of its own, in the settings of :mod:`tdcert.reports.palette`."""
    from matplotlib.figure import Figure as Canvas

    labels = [series.label for series in figure.series] + [rule.label for rule in figure.rules]
    columns = legend_columns(labels)
    lines = sum(literal(label).count("\n") + 1 for label in labels)
    rows = math.ceil(lines / columns) if len(labels) > 1 else 0
    turned = 0.075 * max(map(len, figure.x_names), default=0) if is_turned(figure) else 0.0
    canvas = Canvas(figsize=(WIDTH, HEIGHT + 0.17 * rows + turned), layout="constrained")
    axes = canvas.add_subplot()
    draw_on(axes, figure)
    if title:
        axes.set_title(literal(figure.title, 55), gid="title")
    if rows:
        canvas.legend(loc="outside lower center", ncols=columns, frameon=False, handlelength=3.2)
    return canvas


def draw_on(axes: Axes, figure: Figure) -> None:
    """The curves, the rules and the names of the axes, without title and legend."""
    finite = [y for series in figure.series for _, y in points_of(figure, series, series.y) if not math.isnan(y)]
    if figure.log_x and finite:
        axes.set_xscale("log")
    if figure.log_y and finite:
        axes.set_yscale("log")
    if 0 < len(figure.x_names) <= MOST_MARKED:
        places = range(1, len(figure.x_names) + 1)
        axes.set_xticks(places, [literal(name, 1000) for name in figure.x_names], rotation=90 * is_turned(figure))
        axes.set_xlim(0.5, len(figure.x_names) + 0.5)
    elif not figure.log_x and all(x.is_integer() for series in figure.series for x in map(float, series.x)):
        axes.locator_params(axis="x", integer=True)  # numbers of rows, states or updates have no parts
    for index, series in enumerate(figure.series):
        _draw_series(axes, figure, series, index, min(finite, default=0.0))
    for index, rule in enumerate(figure.rules):
        line = axes.axvline if rule.axis == "x" else axes.axhline
        line(
            float(rule.at),
            color=INK,
            linewidth=1.0,
            linestyle=RULE_STYLES[index % len(RULE_STYLES)],
            label=literal(rule.label),
            gid=f"rule-{index + 1}",
        )
    axes.set_axisbelow(True)
    axes.set_xlabel(literal(figure.x_label, 60))
    axes.set_ylabel(literal(figure.y_label, 40))


def is_turned(figure: Figure) -> bool:
    """Whether the names of x stand upright, as they have no room beside one another."""
    return len(figure.x_names) <= MOST_MARKED and sum(len(name) + 2 for name in figure.x_names) > _LEGEND_LETTERS


def table(figure: Figure) -> Iterator[Sequence[Any]]:
    """One row for each point, then one for each rule, which has a place on one axis alone. The names of x come last,
    where they have some.
    """
    named = ("name",) if figure.x_names else ()
    yield "series", "x", "y", "low", "high", *named
    for series in figure.series:
        nothing = [None] * len(series.x)
        for row in zip(series.x, series.y, series.low or nothing, series.high or nothing, strict=True):
            words = (figure.x_names[round(row[0]) - 1],) if named else ()
            yield series.label, *(x if x is not None and math.isfinite(x) else None for x in row), *words
    for rule in figure.rules:
        x, y = (rule.at, None) if rule.axis == "x" else (None, rule.at)
        yield rule.label, x, y, None, None, *(None for _ in named)


def _draw_series(axes: Axes, figure: Figure, series: Series, index: int, least: float) -> None:
    colour = SERIES[index % len(SERIES)]
    points = points_of(figure, series, series.y)
    if series.low is not None and series.high is not None:
        # On a logarithmic axis a band that reaches zero is drawn down to the least value that the curves take.
        lower = [least if math.isnan(y) else y for _, y in points_of(figure, series, series.low)]
        upper = points_of(figure, series, series.high)
        axes.fill_between(
            [x for x, _ in upper],
            lower,
            [y for _, y in upper],
            color=colour,
            alpha=0.22,
            linewidth=0,
            gid=f"band-{index + 1}",
        )
    turned = style_number(index)
    marked = is_marked(series, len(points))
    axes.plot(
        [x for x, _ in points],
        [y for _, y in points],
        label=literal(series.label),
        color=colour,
        linestyle="none" if series.marks == "points" else STYLES[turned % len(STYLES)],
        marker=MARKERS[turned % len(MARKERS)],
        markersize=3.5 if marked else 0,
        gid=f"series-{index + 1}",
    )


def style_number(index: int) -> int:
    """The style of a curve: where colours come again, styles do not."""
    return index + index // len(SERIES)


def is_marked(series: Series, points: int) -> bool:
    """Whether each of so many points has a marker."""
    return series.marks == "points" or (series.marks == "auto" and points <= MOST_MARKED)


def points_of(figure: Figure, series: Series, values: Sequence[float]) -> list[tuple[float, float]]:
    """The points that the axes reach; NaN is a gap."""
    return [
        (x, math.nan if not math.isfinite(y) or (y <= 0 and figure.log_y) else y)
        for x, y in zip(series.x, values, strict=True)
        if x > 0 or not figure.log_x
    ]


def legend_columns(labels: Sequence[str]) -> int:
    """The number of columns, at most three, that the longest label leaves room for."""
    longest = max((len(line) for label in labels for line in literal(label).split("\n")), default=0)
    return max(1, min(3, len(labels), _LEGEND_LETTERS // (longest + 8)))
