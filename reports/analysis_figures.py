"""What the report on a model draws: its values by state, its schedules compared, its simulations, its phase diagram,
the distance from θ* over time.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import isfinite, sqrt

from tdcert.analysis.advice.compared_schedules import Compared
from tdcert.analysis.advice.effects import STEPS, total
from tdcert.analysis.averages import AGREES, AveragedErrors
from tdcert.analysis.facts import Values
from tdcert.analysis.independent import is_independent
from tdcert.analysis.result import AnalysisResult
from tdcert.reports.answer_words import title
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.figures import Figure, Picture, Series

DRAWN_STATES = 10_000
"""Most states whose values are drawn, and so written into the document a second time."""
ROW_FIGURES = ("largest_steps", "rates", "errors")
"""Names of the figures of rows, in the order of the page."""
LENGTHS = tuple(10 ** (k / 4) for k in range(4, 25))
"""T from 10 to 10⁶, at which first order is drawn."""


def figures(analysis: AnalysisResult) -> tuple[Picture, ...]:
    """All of them, in the order of the page."""
    facts, ran, drawn = analysis.facts, analysis.simulation, analysis.phase_diagram
    fixed = None if facts.single is None else facts.single.values_at_fixed_point
    return (
        *(row_figures(analysis) if analysis.listed else ()),
        *schedule_figures(analysis.advice.comparison.rows, () if ran is None else ran.averages),
        *(() if analysis.advice.sweep is None else lambda_figures(analysis.advice.sweep.rows)),
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


def schedule_figures(rows: Sequence[Compared], averages: Sequence[AveragedErrors] = ()) -> tuple[Figure, ...]:
    """Error bounds by schedule, and the error of averages by length; those with numbers within floats."""
    return tuple(
        figure for figure in (_errors(rows), _lengths(averages)) if figure is not None and _can_be_drawn(figure)
    )


def swept(rows: Sequence[Compared]) -> list[Compared]:
    """The rows of a sweep that have a constant λ without end, TD(0) among them, in the order of λ."""
    constant = [row for row in rows if not row.candidate.schedule.lambdas or row.candidate.schedule.tail]
    return sorted(constant, key=lambda row: row.candidate.schedule.tail)


def lambda_figures(rows: Sequence[Compared]) -> tuple[Figure, ...]:
    """Error, bound and error of averages by a constant λ; nothing where none of them is known."""
    parts = []
    for label, numbers in (
        ("bound of the error", [row.bound for row in swept(rows)]),
        ("error of the fixed point", [row.error for row in swept(rows)]),
        (
            f"root mean square error of averages over {STEPS:,} steps, to first order",
            [total(row) for row in swept(rows)],
        ),
    ):
        known = zip(swept(rows), numbers, strict=True)
        points = [(float(row.candidate.schedule.tail), q) for row, q in known if q is not None]
        if len(points) > 1:
            parts.append(Series.through(label, ((x, sqrt(max(0.0, q.middle))) for x, q in points)))
    figure = Figure(
        "lambda_sweep",
        None,
        "Which constant λ?",
        "λ",
        "distance from the true value in the D-norm",
        tuple(parts),
        "Constant λ without end, TD(0) at λ = 0. Exact numbers or enclosures; averages of TD's iterates where it is "
        "stable and its variance is known.",
    )
    return (figure,) if parts and _can_be_drawn(figure) else ()


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
            parts.append(Series.through(label, ((k, sqrt(max(0.0, q.middle))) for k, q in points), "points"))
    if not parts:
        return None
    return Figure(
        "schedules_error",
        None,
        "How far the fixed point may be, and is, from the true value",
        "schedule",
        "distance in the D-norm",
        tuple(parts),
        "The square root of the weighted squared distance, by schedule.",
        x_names=tuple(row.name for row in rows),
    )


def _lengths(averages: Sequence[AveragedErrors]) -> Figure | None:
    """The exact error of averages, and what holds to first order from where the two agree within a tenth."""
    series = []
    for found in averages:
        series.append(Series(found.name, tuple(map(float, found.times)), found.squared, marks="line"))
        if found.holds_from is not None:
            x = tuple(T for T in (float(found.holds_from), *LENGTHS) if found.holds_from <= T)
            y = tuple(found.first_order(T) for T in x)
            series.append(Series(f"{found.name}, to first order", x, y, marks="line"))
    if not series:
        return None
    caption = (
        "Averages of TD's iterates from T = 1 on, exactly propagated, and ‖Φθ* − V‖² + v/T, v the asymptotic variance, "
        f"drawn from where both differ by at most {AGREES:.0%} up to the last update that was propagated; beyond, the "
        "limit theorem is cited."
    )
    left_out = [found.name for found in averages if found.holds_from is None]
    if left_out:
        caption += f" It does not agree so far with {', '.join(left_out)}."
    return Figure(
        "schedules_length",
        None,
        "Error of averages over T steps",
        "T",
        "mean square error, D-norm",
        tuple(series),
        caption,
        log_x=True,
        log_y=True,
    )


def row_figures(analysis: AnalysisResult) -> list[Figure]:
    """Largest steps, rates and errors by algorithm, each where some row has one."""
    rows = list(enumerate(analysis.rows, start=1))
    largest = [(k, row.largest) for k, row in rows if row.largest is not None]
    rates = [(k, row.answer.rate) for k, row in rows if row.answer is not None and row.answer.rate]
    errors = [(k, row.error) for k, row in rows]
    drawn, names = list[Figure](), tuple(title(row, analysis) for row in analysis.rows)
    if largest:
        bounded = [(float(k), float(one.low)) for k, one in largest]
        unbounded = [(float(k), float(one.high)) for k, one in largest if one.high is not None]
        drawn.append(
            Figure(
                ROW_FIGURES[0],
                None,
                "Largest constant step in mean square",
                "algorithm",
                "step",
                (
                    Series.through("together at this step", bounded, "points"),
                    Series.through("no more at this one", unbounded, "points"),
                ),
                "At the lower point two runs come together in mean square, at the upper one they do not; all step "
                "sizes are equal. Rows without points have no such step, or it is undecided.",
                log_y=True,
                x_names=names,
            )
        )
    if rates:
        middle = [(float(k), float((low + high) / 2)) for k, (low, high) in rates]
        drawn.append(
            Figure(
                ROW_FIGURES[1],
                None,
                "Rate of the mean dynamics",
                "algorithm",
                "largest real part of an eigenvalue",
                (Series.through("largest real part", middle, "points"),),
                "Below zero the mean dynamics are stable, the faster the lower.",
                x_names=names,
            )
        )
    measured = [(k, error.middle) for k, error in errors if error is not None]
    if any(error for _, error in measured):
        drawn.append(
            Figure(
                ROW_FIGURES[2],
                None,
                "Error of the fixed point",
                "algorithm",
                "‖Φθ* − V‖² under the behaviour's law",
                (Series.through("squared error", measured, "points"),),
                "The squared distance of the predictions at rest from the value that each estimates, weighted by the "
                f"{'sampling' if is_independent(analysis.facts.model) else 'stationary'} law.",
                x_names=names,
            )
        )
    return drawn
