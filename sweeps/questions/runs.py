"""What runs of algorithms report: quantiles of their errors with exact limits, and how often they left the floats."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite

import pyarrow as pa

from tdcert.sweeps.question import PARTIAL, Result, ResultTable
from tdcert.sweeps.statistics import quantile, quantile_limits, share_limits
from tdcert.theory.figures import Figure, Series

COLUMNS = (
    ("index", "int64"),
    ("algorithm", "string"),
    ("schedule", "string"),
    ("gamma", "string"),
    ("alpha", "float64"),
    ("eta", "float64"),
    ("run", "int64"),
    ("t", "int64"),
    ("error", "float64"),
    ("residual", "float64"),
    ("diverged", "bool"),
)
"""``error``: of values; ``residual``: √J; infinite once the run has left the range it was given (``diverged``)."""

LEVEL = 0.99
MEDIAN = Fraction(1, 2)
SHOWN = (Fraction(1, 10), MEDIAN, Fraction(9, 10))
Key = tuple[str, str, str, float, float]
Point = tuple[tuple[float, float, float], ...]
"""The value and the limits of each quantile in SHOWN."""


@dataclass(frozen=True)
class Course:
    """One point of the grid: how many runs, how many diverged, and at each time the quantiles of both measures, where
    they exist.
    """

    algorithm: str
    schedule: str
    gamma: str
    alpha: float
    eta: float
    runs: int
    diverged: int
    diverged_limits: tuple[float, float]
    times: tuple[int, ...]
    error: tuple[Point, ...]
    residual: tuple[Point, ...]

    def label(self, several: Collection[str]) -> str:
        """The point in words; ``several``: the algorithms with more than one step size."""
        label = f"{self.algorithm}, {self.schedule}, α = {self.alpha:g}"
        label += f", η = {self.eta:g}" if self.algorithm in several else ""
        return label + (f", γ = {self.gamma}" if self.gamma else "")


def summary_of_runs(table: pa.Table, complete: bool, several: Collection[str]) -> Result:
    """Cell by cell of the grid: the errors at the last time, their course, and the share that diverged; ``several``:
    the algorithms with more than one step size.
    """
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    cells: dict[Key, dict[int, list[tuple[float, float, bool]]]] = {}
    names = ("algorithm", "schedule", "gamma", "alpha", "eta")
    for k, t in enumerate(columns["t"]):
        key = tuple(columns[name][k] for name in names)
        measured = (columns["error"][k], columns["residual"][k], columns["diverged"][k])
        cells.setdefault(key, {}).setdefault(t, []).append(measured)
    courses = [_course(key, measured) for key, measured in cells.items()]
    runs = sum(course.runs for course in courses)
    summary = [
        f"{runs:,} runs over {len(courses):,} points of the grid; each limit of a quantile holds at {LEVEL:.2g}.",
        "Simulations are consistent with a theory at best: they prove nothing.",
        *([] if complete else [PARTIAL]),
    ]
    labels = [course.label(several) for course in courses]
    tables, figures = (_table(courses, labels),) if courses else (), tuple(_figures(courses, labels))
    return Result(tuple(summary), tables, {"cells": courses}, figures=figures)


def _course(key: Key, measured: dict[int, list[tuple[float, float, bool]]]) -> Course:
    times = sorted(measured)
    last = measured[times[-1]]
    diverged = sum(gone for _, _, gone in last)
    limits = share_limits(diverged, len(last), LEVEL)
    courses = ([_point([row[place] for row in measured[t]]) for t in times] for place in (0, 1))
    error, residual = (tuple(point for point in course if point) for course in courses)
    return Course(*key, len(last), diverged, limits, tuple(times), error, residual)


def _point(values: Sequence[float]) -> Point:
    """Empty where a value is not a number."""
    ordered = sorted(value for value in values if value == value)
    if len(ordered) < len(values):
        return ()
    return tuple((quantile(ordered, p), *quantile_limits(ordered, p, LEVEL)) for p in SHOWN)


def _table(courses: Sequence[Course], labels: Sequence[str]) -> ResultTable:
    rows = []
    for course, label in zip(courses, labels, strict=True):
        low, high = course.diverged_limits
        shown = (_shown(course.error), _shown(course.residual), f"{course.diverged} ({low:.3f} … {high:.3f})")
        rows.append((label, course.runs, course.times[-1], *shown))
    columns = ("runs of", "runs", "t", "median error, with limits", "median residual", "diverged")
    return ResultTable("At the last time", columns, tuple(rows))


def _shown(course: Sequence[Point]) -> str:
    if not course:
        return ""
    median, low, high = course[-1][SHOWN.index(MEDIAN)]
    return f"{median:.4g} ({low:.4g} … {high:.4g})"


def _figures(courses: Sequence[Course], labels: Sequence[str]) -> list[Figure]:
    """The median over runs with its limits, one figure for each measure that exists."""
    figures = []
    for name, words in (("error", "error of values"), ("residual", "root of J")):
        series = []
        for course, label in zip(courses, labels, strict=True):
            points: tuple[Point, ...] = getattr(course, name)
            medians = zip(course.times, (point[SHOWN.index(MEDIAN)] for point in points), strict=False)
            kept = [(float(t), *median) for t, median in medians if all(map(isfinite, median))]
            if kept:
                x, y, low, high = zip(*kept, strict=True)
                series.append(Series(label, x, y, low, high))
        if series:
            smallest = min((y for one in series for y in one.low or one.y), default=inf)
            caption = (
                f"Bands: exact limits of the median at {LEVEL:.2g}, point by point; a curve ends where the median or a "
                "limit of it left the floats, or runs are too few."
            )
            title = f"Median {words} over runs"
            figures.append(Figure(f"runs_{name}", None, title, "t", words, tuple(series), caption, log_y=smallest > 0))
    return figures
