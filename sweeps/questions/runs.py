"""What runs of algorithms report: quantiles of their errors with exact limits, and how often they left the floats."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, isfinite
from typing import Any

import pyarrow as pa

from tdcert.sweeps.question import Result
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


def summary_of_runs(table: pa.Table, complete: bool) -> Result:
    """Cell by cell of the grid: the errors at the last time, their course, and the share that diverged."""
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    cells: dict[Key, dict[int, list[tuple[float, float, bool]]]] = {}
    names = ("algorithm", "schedule", "gamma", "alpha", "eta")
    for k, t in enumerate(columns["t"]):
        key = tuple(columns[name][k] for name in names)
        measured = (columns["error"][k], columns["residual"][k], columns["diverged"][k])
        cells.setdefault(key, {}).setdefault(t, []).append(measured)
    documents = [_cell(key, course) for key, course in cells.items()]
    runs = sum(body["runs"] for body in documents)
    summary = [
        f"{runs:,} runs over {len(documents):,} points of the grid; each limit of a quantile holds at {LEVEL:.2g}.",
        "Simulations are consistent with a theory at best: they prove nothing.",
    ]
    if not complete:
        summary.append("The sweep is not complete: these are the shards that are done.")
    return Result(
        {"summary": summary, "tables": [_table(documents)] if documents else [], "cells": documents},
        tuple(_figures(documents)),
    )


def _cell(key: Key, course: dict[int, list[tuple[float, float, bool]]]) -> dict[str, Any]:
    times = sorted(course)
    last = course[times[-1]]
    diverged = sum(gone for _, _, gone in last)
    body: dict[str, Any] = dict(zip(("algorithm", "schedule", "gamma", "alpha", "eta"), key, strict=True))
    body |= {
        "runs": len(last),
        "diverged": diverged,
        "diverged_limits": list(share_limits(diverged, len(last), LEVEL)),
        "times": times,
        "error": [],
        "residual": [],
    }
    for t in times:
        for name, place in (("error", 0), ("residual", 1)):
            ordered = sorted(measured[place] for measured in course[t] if measured[place] == measured[place])
            if len(ordered) == len(course[t]):
                body[name].append([[quantile(ordered, p), *quantile_limits(ordered, p, LEVEL)] for p in SHOWN])
    return body


def _label(body: dict[str, Any]) -> str:
    label = f"{body['algorithm']}, {body['schedule']}, α = {body['alpha']:g}"
    label += f", η = {body['eta']:g}" if body["algorithm"] in ("gtd", "tdc") else ""
    return label + (f", γ = {body['gamma']}" if body["gamma"] else "")


def _table(documents: Sequence[dict[str, Any]]) -> dict[str, Any]:
    rows = []
    for body in documents:
        low, high = body["diverged_limits"]
        rows.append(
            [
                _label(body),
                body["runs"],
                body["times"][-1],
                _shown(body["error"]),
                _shown(body["residual"]),
                f"{body['diverged']} ({low:.3f} … {high:.3f})",
            ]
        )
    columns = ["runs of", "runs", "t", "median error, with limits", "median residual", "diverged"]
    return {"title": "At the last time", "columns": columns, "rows": rows}


def _shown(course: Sequence[Any]) -> str:
    if not course:
        return ""
    median, low, high = course[-1][SHOWN.index(MEDIAN)]
    return f"{median:.4g} ({low:.4g} … {high:.4g})"


def _figures(documents: Sequence[dict[str, Any]]) -> list[Figure]:
    """The median over runs with its limits, one figure for each measure that exists."""
    figures = []
    for name, words in (("error", "error of values"), ("residual", "root of J")):
        series = []
        for body in documents:
            if not body[name]:
                continue
            course = [point[SHOWN.index(MEDIAN)] for point in body[name]]
            shown = [k for k, point in enumerate(course) if all(map(isfinite, point))]
            middle = [course[k] for k in shown]
            if middle:
                x = tuple(float(body["times"][k]) for k in shown)
                y, low, high = (tuple(point[i] for point in middle) for i in range(3))
                series.append(Series(_label(body), x, y, low, high))
        if series:
            smallest = min((y for one in series for y in one.low or one.y), default=inf)
            figures.append(
                Figure(
                    f"runs_{name}",
                    None,
                    f"Median {words} over runs",
                    "t",
                    words,
                    tuple(series),
                    f"Bands: exact limits of the median at {LEVEL:.2g}, point by point; a curve ends where the median "
                    "or a limit of it left the floats, or runs are too few.",
                    log_y=smallest > 0,
                )
            )
    return figures
