"""What the report on a model draws: its values by state, its schedules compared, its simulations, its phase diagram,
the distance from θ* over time.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import isfinite, sqrt

from tdcert.analysis.advice.compared_schedules import Compared
from tdcert.analysis.facts import Values
from tdcert.analysis.result import Analysis
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.figures import Figure, Picture, Series

DRAWN_STATES = 10_000
"""Most states whose values are drawn, and so written into the document a second time."""
SHOWN = 6
"""Most curves in one plot."""
LENGTHS = tuple(10 ** (k / 4) for k in range(4, 25))
"""T from 10 to 10⁶."""


def figures(analysis: Analysis) -> tuple[Picture, ...]:
    """All of them, in the order of the page."""
    facts, ran, drawn = analysis.facts, analysis.simulation, analysis.phase_diagram
    fixed = None if facts.single is None else facts.single.values_at_fixed_point
    return (
        *schedule_figures(analysis.advice.comparison.rows),
        *(() if ran is None else ran.figures),
        *(curves.figure for curves in analysis.distances if curves.figure is not None),
        *(() if drawn is None or drawn.picture is None else (drawn.picture,)),
        *values_figure(facts.value, fixed),
    )


def values_figure(true: Values | None, fixed: Values | None) -> tuple[Figure, ...]:
    """The fixed point beside the true value, state by state; nothing where either does not exist."""
    if true is None or fixed is None or _length(true) > DRAWN_STATES:
        return ()
    drawn = [_nearest(values) for values in (true, fixed)]
    if not all(isfinite(y) for values in drawn for y in values):  # beyond floats there is nothing to draw
        return ()
    states = tuple(map(float, range(len(drawn[0]))))
    series = (Series("true value", states, drawn[0]), Series("value at the fixed point", states, drawn[1]))
    caption = "The fixed point of the algorithms beside the true value of the target policy, by state."
    return (Figure("values", None, "Value of each state", "state", "value", series, caption),)


def _length(values: Values) -> int:
    return values.shape[0] if isinstance(values, RationalMatrix) else len(values[0])


def _nearest(values: Values) -> tuple[float, ...]:
    """Numbers of any length for drawing: of an enclosure the midpoint, infinite where nothing is known."""
    if isinstance(values, RationalMatrix):
        return tuple(map(_float, values.column_entries()))
    middle, radius = (part.ravel().tolist() for part in values)
    return tuple(mid + 0.0 if isfinite(rad) else rad for mid, rad in zip(middle, radius, strict=True))


def _float(value: Fraction) -> float:
    """By decimals of 28 digits, which have no limit of size."""
    return float(Decimal(value.numerator) / Decimal(value.denominator))


def schedule_figures(rows: Sequence[Compared]) -> tuple[Figure, ...]:
    """Error bounds by schedule, and the error of averages by length; those with numbers within floats."""
    return tuple(figure for figure in (_errors(rows), _lengths(rows)) if figure is not None and _can_be_drawn(figure))


def _can_be_drawn(figure: Figure) -> bool:
    return all(isfinite(y) for series in figure.series for y in series.y)


def _errors(rows: Sequence[Compared]) -> Figure | None:
    """Bound and error of every schedule, not squared."""
    parts = []
    for label, numbers in (
        ("bound of the error", [row.bound for row in rows]),
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
        "schedules_error",
        None,
        "How far the fixed point may be, and is, from the true value",
        "schedule",
        "distance in the D-norm",
        tuple(parts),
        f"Schedules: {names}.",
    )


def _lengths(rows: Sequence[Compared]) -> Figure | None:
    """‖Φθ* − V‖² + v/T for the schedules that are best at some T, the model's own, and TD(0)."""
    known = [
        (row, row.error.middle, row.variance.middle)
        for row in rows
        if row.error is not None and row.variance is not None and row.variance.upper > 0
    ]
    if len(known) < 2:
        return None
    best = [min(known, key=lambda entry: (entry[1] + entry[2] / T, entry[0].name))[0] for T in LENGTHS]
    wanted = [row for row, _, _ in known if row.candidate.own or row in best or not row.candidate.schedule.lambdas]
    others = [row for row, _, _ in known if row not in wanted]
    chosen = [*wanted, *others][:SHOWN]
    series = tuple(
        Series(row.name, LENGTHS, tuple(error + variance / T for T in LENGTHS))
        for row, error, variance in known
        if row in chosen
    )
    caption = (
        "‖Φθ* − V‖² + v/T, v the asymptotic variance of averaged iterates: the error to first order in 1/T (limit "
        "theorem cited). What is left of the start is not in it. Exact numbers, no simulation."
    )
    return Figure(
        "schedules_length",
        None,
        "Error of averages over T steps",
        "T",
        "mean square error, D-norm",
        series,
        caption,
        log_x=True,
        log_y=True,
    )
