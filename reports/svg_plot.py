"""A plot as SVG, written without Matplotlib: its import and its layout take longer than all other parts of a page.

It stands as :mod:`tdcert.reports.plots` draws it: colours, styles, markers and the legend's columns are those.
Lengths are in points; how wide a text is is estimated, on the wide side.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from tdcert.reports.palette import INK, RULE, SERIES, wrapped
from tdcert.reports.plots import (
    HEIGHT,
    MARKERS,
    MOST_MARKED,
    RULE_STYLES,
    STYLES,
    WIDTH,
    is_marked,
    is_turned,
    legend_columns,
    points_of,
    style_number,
)
from tdcert.theory.figures import Figure, Series

_POINTS = 72.0
_SIZE, _TITLE, _LINE = 9.0, 10.0, 12.0
"""The size of letters, of those of the title, and the height of a line."""
_DASHES = {"-": (), "--": (3.7, 1.6), "-.": (6.4, 1.6, 1.0, 1.6), ":": (1.0, 1.65)}
"""Lengths drawn and left out, in widths of the line."""
_SHAPES = {
    "o": "M -1.75 0 A 1.75 1.75 0 1 1 1.75 0 A 1.75 1.75 0 1 1 -1.75 0 z",
    "s": "M -1.75 -1.75 H 1.75 V 1.75 H -1.75 z",
    "^": "M 0 -1.75 L 1.75 1.75 H -1.75 z",
    "D": "M 0 -2.5 L 2.5 0 L 0 2.5 L -2.5 0 z",
    "v": "M 0 1.75 L 1.75 -1.75 H -1.75 z",
    "P": "M -.6 -1.75 H .6 V -.6 H 1.75 V .6 H .6 V 1.75 H -.6 V .6 H -1.75 V -.6 H -.6 z",
}
_MARGIN = 0.05
"""Room on both sides of the data, as a part of their range."""
_LARGEST = sys.float_info.max
_PLACES = 9, 7
"""Most ticks of x and of y."""
_HANDLE, _GAP = 29.0, 18.0
"""The width of a sign in the legend, and what lies between its columns."""


Place = tuple[float, float]


@dataclass(frozen=True)
class Tick:
    """A place on an axis, and what stands there; empty for a small one, without a line through the plot."""

    at: float
    words: str = ""
    power: str = ""


@dataclass(frozen=True)
class Axis:
    """Numbers from ``low`` to ``high`` (their logarithms where ``log``) on places from ``start`` to ``end``."""

    low: float
    high: float
    log: bool
    start: float = 0.0
    end: float = 1.0

    def at(self, x: float) -> float:
        """Where x stands."""
        part = 0.5 if math.isinf(self.high - self.low) else 1.0  # the range of floats is no float
        share = (part * (math.log10(x) if self.log else x) - part * self.low) / (part * self.high - part * self.low)
        return self.start + share * (self.end - self.start)


def svg(figure: Figure, title: bool) -> str:
    """An ``<svg>`` element with ids for its parts; ``title``: with its heading, on white."""
    labels = [series.label for series in figure.series] + [rule.label for rule in figure.rules]
    columns = legend_columns(labels)
    keys = [wrapped(label) or [""] for label in labels] if len(labels) > 1 else []
    named = figure.x_names if 0 < len(figure.x_names) <= MOST_MARKED else ()
    turned = bool(named) and (is_turned(figure) or len(named) * (max(map(_width, named)) + 8) > WIDTH * _POINTS - 60)
    x_axis, y_axis = _axes(figure, named)
    y_ticks = _ticks(y_axis, _PLACES[1], False)
    heading = wrapped(figure.title, 55) if title else []
    under, beside = wrapped(figure.x_label, 60), wrapped(figure.y_label, 40)
    width = WIDTH * _POINTS
    left = 12 + _LINE * len(beside) + max((_width(tick.words + tick.power) for tick in y_ticks), default=0.0)
    top = 8 + 13 * len(heading)
    legend, below_legend = _legend(figure, keys, columns, width)
    names = max(map(_width, named), default=0.0) if turned else _LINE
    foot = 8 + names + _LINE * len(under) + below_legend + 6
    height = top + HEIGHT * _POINTS - 60 + foot
    x_axis = Axis(x_axis.low, x_axis.high, x_axis.log, left, width - 10)
    y_axis = Axis(y_axis.low, y_axis.high, y_axis.log, height - foot, top)
    if named:
        x_ticks = [Tick(k, name) for k, name in enumerate(named, start=1)]
    else:
        whole = not figure.log_x and all(float(x).is_integer() for series in figure.series for x in series.x)
        x_ticks = _ticks(x_axis, _PLACES[0], whole)
    bottom = y_axis.start
    parts = [
        *([f'<rect width="{_n(width)}" height="{_n(height)}" style="fill: #ffffff"/>'] if title else []),
        *_drawn_ticks(x_ticks, y_ticks, x_axis, y_axis, turned),
        *_curves(figure, x_axis, y_axis),
        f'<path d="M {_n(left)} {_n(top)} V {_n(bottom)} H {_n(x_axis.end)}" style="fill: none; {_stroke(INK, 0.7)}"/>',
        *(
            _text(line, (left + x_axis.end) / 2, bottom + 8 + names + _LINE * (k + 0.8), "middle")
            for k, line in enumerate(under)
        ),
        *(_text(line, 4 + _LINE * (k + 0.7), (top + bottom) / 2, "middle", turn=-90) for k, line in enumerate(beside)),
        *(_text(line, left, 11 + 13 * k, "start", size=_TITLE, id="title") for k, line in enumerate(heading)),
        f'<g id="legend" transform="translate(0 {_n(height - below_legend - 4)})">',
        *legend,
        "</g>",
    ]
    clip = f'<rect x="{_n(left)}" y="{_n(top)}" width="{_n(x_axis.end - left)}" height="{_n(bottom - top)}"/>'
    kinds = dict.fromkeys(style_number(k) % len(MARKERS) for k in range(len(figure.series)))
    shapes = "".join(f'<path id="marker-{kind}" d="{_SHAPES[MARKERS[kind]]}"/>' for kind in kinds)
    size = f'width="{_n(width)}pt" height="{_n(height)}pt" ' if title else ""
    return "\n".join(
        (
            f'<svg {size}viewBox="0 0 {_n(width)} {_n(height)}" xmlns="http://www.w3.org/2000/svg" '
            'xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1">',
            f'<defs><clipPath id="clip">{clip}</clipPath><path id="x-tick" d="M 0 0 V 3.5"/>'
            f'<path id="y-tick" d="M 0 0 H -3.5"/>{shapes}</defs>',
            f'<g id="figure_1" style="font: {_n(_SIZE)}px \'DejaVu Sans\', sans-serif; stroke-linejoin: round">',
            *parts,
            "</g>",
            "</svg>",
        )
    )


def _axes(figure: Figure, named: Sequence[str]) -> tuple[Axis, Axis]:
    """The ranges of what is drawn, with some room around it."""
    xs = [x for series in figure.series for x in series.x if x > 0 or not figure.log_x]
    ys = [y for series in figure.series for values in _values(series) for _, y in points_of(figure, series, values)]
    xs += [float(rule.at) for rule in figure.rules if rule.axis == "x"]
    ys += [float(rule.at) for rule in figure.rules if rule.axis == "y"]
    ys = [y for y in ys if math.isfinite(y)]
    x_axis = Axis(0.5, len(named) + 0.5, log=False) if named else _around(xs, log=figure.log_x and bool(ys))
    return x_axis, _around(ys, log=figure.log_y and bool(ys))


def _values(series: Series) -> Iterator[Sequence[float]]:
    yield series.y
    if series.low is not None and series.high is not None:
        yield from (series.low, series.high)


def _around(values: Sequence[float], log: bool) -> Axis:
    low, high = min(values, default=0.0), max(values, default=1.0)
    if log:
        low, high = math.log10(low), math.log10(high)
    room = high * _MARGIN - low * _MARGIN or abs(high) * _MARGIN or _MARGIN
    return Axis(max(low - room, -_LARGEST), min(high + room, _LARGEST), log)


def _ticks(axis: Axis, most: int, whole: bool) -> list[Tick]:
    if not axis.log:
        return _linear_ticks(axis.low, axis.high, most, whole)
    powers = range(math.ceil(axis.low), math.floor(axis.high) + 1)
    if len(powers) > 1:
        step = -(-len(powers) // most)
        found = [Tick(10.0**k, "10", _minus(str(k))) for k in powers if k % step == 0]
        between = range(math.floor(axis.low), math.ceil(axis.high)) if step == 1 else ()
        small = [Tick(m * 10.0**k) for k in between for m in range(2, 10)]
        return found + [tick for tick in small if axis.low <= math.log10(tick.at) <= axis.high]
    low, high = 10**axis.low, 10**axis.high
    return [tick for tick in _linear_ticks(low, high, most, whole=False) if tick.at > 0]


def _linear_ticks(low: float, high: float, most: int, whole: bool) -> list[Tick]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten, so many at most."""
    unit = 10.0 ** math.floor(math.log10(high / most - low / most))
    steps = (m * unit for m in (1, 2, 2.5, 5, 10, 20, 25, 50))
    fitting = (step for step in steps if high / step - low / step <= most and (not whole or step.is_integer()))
    step = next(fitting, 1.0)
    count = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [Tick(k * step, _number(k * step, step, max(abs(low), abs(high)))) for k in count]


def _number(x: float, step: float, largest: float) -> str:
    """A number at an axis, with the digits that tell it from its neighbours."""
    if not 1e-4 <= largest < 1e7:
        digits = max(0, math.floor(math.log10(largest)) - math.floor(math.log10(step)) + 1)
        figures, _, power = f"{x:.{digits}e}".partition("e")
        shown = figures.rstrip("0").rstrip(".") if "." in figures else figures
        return _minus(f"{shown}e{int(power)}" if x else "0")
    digits = max(0, -math.floor(math.log10(step)))
    digits += round(step, digits) != round(step, digits + 2)
    return _minus(f"{x:.{digits}f}" if round(x, digits) else f"{0:.{digits}f}")


def _minus(text: str) -> str:
    return text.replace("-", "\N{MINUS SIGN}")


def _drawn_ticks(
    x_ticks: Sequence[Tick], y_ticks: Sequence[Tick], x_axis: Axis, y_axis: Axis, turned: bool
) -> Iterator[str]:
    left, right, bottom, top = x_axis.start, x_axis.end, y_axis.start, y_axis.end
    for k, tick in enumerate(x_ticks, start=1):
        x = x_axis.at(tick.at)
        line = f'<path d="M {_n(x)} {_n(bottom)} V {_n(top)}" style="{_stroke(RULE, 0.6)}"/>' if tick.words else ""
        place = (x + 3, bottom + 7, "end", -90.0) if turned else (x, bottom + 14, "middle", 0.0)
        words = _text(tick.words, *place[:3], turn=place[3], power=tick.power) if tick.words else ""
        yield f'<g id="xtick_{k}">{line}{_use("x-tick", x, bottom, _stroke(INK, 0.8))}{words}</g>'
    for k, tick in enumerate(y_ticks, start=1):
        y = y_axis.at(tick.at)
        line = f'<path d="M {_n(left)} {_n(y)} H {_n(right)}" style="{_stroke(RULE, 0.6)}"/>' if tick.words else ""
        words = _text(tick.words, left - 7, y + 3.4, "end", power=tick.power) if tick.words else ""
        yield f'<g id="ytick_{k}">{line}{_use("y-tick", left, y, _stroke(INK, 0.8))}{words}</g>'


def _curves(figure: Figure, x_axis: Axis, y_axis: Axis) -> Iterator[str]:
    """Bands, curves with their markers, and rules."""
    finite = [y for series in figure.series for _, y in points_of(figure, series, series.y) if not math.isnan(y)]
    least = min(finite, default=0.0)

    def place(x: float, y: float) -> Place:
        return x_axis.at(x), y_axis.at(y)

    for k, series in enumerate(figure.series):
        colour = SERIES[k % len(SERIES)]
        if series.low is not None and series.high is not None:
            # On a logarithmic axis a band that reaches zero is drawn down to the least value that the curves take.
            lower = [(x, least if math.isnan(y) else y) for x, y in points_of(figure, series, series.low)]
            upper = points_of(figure, series, series.high)
            sides = [(a, b) for a, b in zip(upper, lower, strict=True)]
            path = "".join(
                _path([place(*a) for a, _ in run] + [place(*b) for _, b in reversed(run)]) + " z"
                for run in _runs(sides)
            )
            style = f"fill: {colour}; fill-opacity: 0.22"
            yield f'<g id="band-{k + 1}"><path clip-path="url(#clip)" d="{path}" style="{style}"/></g>'
    for k, series in enumerate(figure.series):
        points = points_of(figure, series, series.y)
        runs = [[place(*a) for a, _ in run] for run in _runs([(point, point) for point in points])]
        marks = [at for run in runs for at in run] if is_marked(series, len(points)) else []
        yield f'<g id="series-{k + 1}">{_curve(figure, k, runs, marks)}</g>'
    for k, rule in enumerate(figure.rules):
        at = x_axis.at(float(rule.at)) if rule.axis == "x" else y_axis.at(float(rule.at))
        ends = [(at, y_axis.start), (at, y_axis.end)] if rule.axis == "x" else [(x_axis.start, at), (x_axis.end, at)]
        yield f'<g id="rule-{k + 1}">{_rule(k, ends)}</g>'


def _runs(sides: Sequence[tuple[Place, Place]]) -> list[list[tuple[Place, Place]]]:
    """What lies between gaps."""
    runs: list[list[tuple[Place, Place]]] = [[]]
    for side in sides:
        if math.isnan(side[0][1]) or math.isnan(side[1][1]):
            runs.append([])
        else:
            runs[-1].append(side)
    return [run for run in runs if run]


def _curve(figure: Figure, k: int, runs: Sequence[Sequence[Place]], marks: Sequence[Place]) -> str:
    """The curve with this number through places, or as it stands in the legend."""
    colour, turned = SERIES[k % len(SERIES)], style_number(k)
    kind = f"marker-{turned % len(MARKERS)}"
    line = ""
    if figure.series[k].marks != "points":
        dashes = STYLES[turned % len(STYLES)]
        lengths = _DASHES[dashes] if isinstance(dashes, str) else dashes[1]
        style = f"fill: none; {_stroke(colour, 1.5, lengths)}"
        line = f'<path clip-path="url(#clip)" d="{"".join(map(_path, runs))}" style="{style}"/>'
    return line + "".join(_use(kind, x, y, f"fill: {colour}; {_stroke(colour, 0.6)}") for x, y in marks)


def _rule(k: int, ends: Sequence[Place]) -> str:
    return f'<path d="{_path(ends)}" style="fill: none; {_stroke(INK, 1.0, RULE_STYLES[k % len(RULE_STYLES)][1])}"/>'


def _legend(figure: Figure, keys: Sequence[Sequence[str]], columns: int, width: float) -> tuple[list[str], float]:
    """The parts of the legend, column by column from its upper edge, and its height."""
    rows = -(-len(keys) // columns)
    blocks = [range(first, min(first + rows, len(keys))) for first in range(0, len(keys), rows or 1)]
    widths = [_HANDLE + 7 + max(_width(line) for k in block for line in keys[k]) for block in blocks]
    x = max(4.0, (width - sum(widths) - _GAP * (len(widths) - 1)) / 2)
    parts, height = list[str](), 0.0
    for block, wide in zip(blocks, widths, strict=True):
        y = 0.0
        for k in block:
            middle, ends = y + _LINE / 2, [(x, y + _LINE / 2), (x + _HANDLE, y + _LINE / 2)]
            if k < len(figure.series):
                marks = [(x + _HANDLE / 2, middle)] if is_marked(figure.series[k], len(figure.series[k].x)) else []
                parts.append(_curve(figure, k, [ends], marks).replace(' clip-path="url(#clip)"', ""))
            else:
                parts.append(_rule(k - len(figure.series), ends))
            for line in keys[k]:
                parts.append(_text(line, x + _HANDLE + 7, y + 9, "start"))
                y += _LINE
        x, height = x + wide + _GAP, max(height, y)
    return parts, height


def _path(places: Sequence[Place]) -> str:
    return " ".join(f"{'L' if k else 'M'} {_n(x)} {_n(y)}" for k, (x, y) in enumerate(places))


def _use(shape: str, x: float, y: float, style: str) -> str:
    return f'<use xlink:href="#{shape}" x="{_n(x)}" y="{_n(y)}" style="{style}"/>'


def _stroke(colour: str, width: float, dashes: Sequence[float] = ()) -> str:
    lengths = ",".join(_n(width * x) for x in dashes)
    return f"stroke: {colour}; stroke-width: {_n(width)}" + (f"; stroke-dasharray: {lengths}" if dashes else "")


def _text(
    words: str, x: float, y: float, anchor: str, *, turn: float = 0.0, power: str = "", size: float = 0.0, id: str = ""
) -> str:
    """A line of text; ``power`` stands above it, ``turn`` is clockwise."""
    attributes = f' transform="rotate({_n(turn)} {_n(x)} {_n(y)})"' if turn else ""
    attributes += f' font-size="{_n(size)}px"' if size else ""
    attributes += f' id="{id}"' if id else ""
    above = f'<tspan dy="-3.5" font-size="6.5px">{power}</tspan>' if power else ""
    place = f'x="{_n(x)}" y="{_n(y)}" style="text-anchor: {anchor}; fill: {INK}"'
    return f"<text {place}{attributes}>{escape(words, quote=False)}{above}</text>"


def _width(text: str) -> float:
    """About how wide a line is."""
    return _SIZE * sum(0.38 if c in " .,:;|'!()[]ijlft" else 0.95 if c in "mwMW@%" else 0.65 for c in text)


def _n(x: float) -> str:
    """A length with at most four decimals."""
    return f"{x:.4f}".rstrip("0").rstrip(".") if round(x, 4) else "0"
