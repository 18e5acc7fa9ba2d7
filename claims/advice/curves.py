"""The plots of a comparison, as data."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, sqrt

from claims.advice.rows import Row
from claims.figures import Figure, Series

SHOWN = 6
"""Most curves in one plot."""
LENGTHS = tuple(10 ** (k / 4) for k in range(4, 25))
"""T from 10 to 10⁶."""


def figures(rows: Sequence[Row]) -> tuple[Figure, ...]:
    """Error bounds by schedule, and the error of averages by length; those with numbers within floats."""
    return tuple(figure for figure in (_errors(rows), _lengths(rows)) if figure is not None and _can_be_drawn(figure))


def _can_be_drawn(figure: Figure) -> bool:
    return all(isfinite(y) for series in figure.series for y in series.y)


def _errors(rows: Sequence[Row]) -> Figure | None:
    """Bound and error of every schedule, not squared."""
    parts = []
    for label, numbers in (
        ("certified bound", [row.bound for row in rows]),
        ("error of the fixed point", [row.error for row in rows]),
    ):
        points = [(float(k), q) for k, q in enumerate(numbers, start=1) if q is not None]
        if points and any(q.upper > 0 for _, q in points):
            y = tuple(sqrt(max(0.0, q.middle)) for _, q in points)
            parts.append(Series(label, tuple(k for k, _ in points), y, marks="points"))
    if not parts:
        return None
    names = ", ".join(f"{k} {row.name}" for k, row in enumerate(rows, start=1))
    return Figure(
        "schedules_error", None, "How far the fixed point may be, and is, from the true value",
        "schedule", "distance in the D-norm", tuple(parts), f"Schedules: {names}.",
    )  # fmt: skip


def _lengths(rows: Sequence[Row]) -> Figure | None:
    """‖Φθ* − V‖² + v/T for the schedules that are best at some T, the model's own, and TD(0)."""
    known = [
        (row, row.error.middle, row.variance.middle)
        for row in rows if row.error is not None and row.variance is not None and row.variance.upper > 0
    ]  # fmt: skip
    if len(known) < 2:
        return None
    best = [min(known, key=lambda entry: (entry[1] + entry[2] / T, entry[0].name))[0] for T in LENGTHS]
    wanted = [row for row, _, _ in known if row.candidate.own or row in best or not row.candidate.schedule.lambdas]
    others = [row for row, _, _ in known if row not in wanted]
    chosen = [*wanted, *others][:SHOWN]
    series = tuple(
        Series(row.name, LENGTHS, tuple(error + variance / T for T in LENGTHS))
        for row, error, variance in known if row in chosen
    )  # fmt: skip
    caption = (
        "‖Φθ* − V‖² + v/T, v the asymptotic variance of averaged iterates: the error to first order in 1/T (limit "
        "theorem cited). What is left of the start is not in it. Exact numbers, no simulation."
    )
    return Figure(
        "schedules_length", None, "Error of averages over T steps", "T", "mean square error, D-norm", series, caption,
        log_x=True, log_y=True,
    )  # fmt: skip
