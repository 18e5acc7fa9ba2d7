"""Which schedule should I use? Schedules compared on one model, by numbers that are exact or enclosed.

A comparison needs one recurrent class and coverage: only then is there one point that all schedules look for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from claims.advice.answer import answer
from claims.advice.candidates import candidates
from claims.advice.curves import figures
from claims.advice.facts import Facts
from claims.advice.quantity import Quantity
from claims.advice.rows import Common, Row, exact_row, second_moments
from claims.advice.rows_enclosed import LARGEST_WORK, enclosed_rows, projection_error, work
from claims.figures import Figure
from theory.check.mean_dynamics import reduce_features
from theory.errors import BudgetExceededError, SingularMatrixError

MOMENT_STATES = 64
"""Up to this many states variances are found, in balls where fractions would be long (seconds)."""


@dataclass(frozen=True)
class Comparison:
    """The rows, the model's own schedule first; or none, and why not. ``projected``: ‖V − ΠV‖²_D, where it is known."""

    rows: tuple[Row, ...]
    why: str | None = None
    projected: Quantity | None = None

    def document(self) -> dict[str, Any]:
        """The keys of analysis.json."""
        return {
            "schedules": [row.document() for row in self.rows],
            "schedules_missing": self.why,
            "schedules_answer": answer(self.rows),
        }

    def figures(self) -> tuple[Figure, ...]:
        """The plots of it."""
        return figures(self.rows)


def compare(facts: Facts) -> Comparison:
    """The model's own schedule against those of :mod:`claims.advice.candidates`."""
    model, states = facts.model, facts.states
    if states is None:
        count = len(model.behaviour_chain.recurrent_classes)
        return Comparison((), f"the chain has {count} recurrent classes, each with a fixed point of its own")
    if model.uncovered:
        return Comparison((), "coverage is missing, so the algorithms do not look for θ*, whatever the schedule")
    compared = candidates(model.schedule)
    if facts.small:
        about = Common.of(model, states)
        left = None if about.projected is None else Quantity.exact(about.projected)
        return Comparison(tuple(exact_row(model, candidate, states, about) for candidate in compared), None, left)
    part = facts.part
    if part is None or work(model, compared) > LARGEST_WORK:
        return Comparison((), f"{model.n:,} states and {model.d:,} features would take it too long")
    try:
        enclosed = projection_error(part)
        left = None if enclosed is None else Quantity.of(enclosed)
        rows = enclosed_rows(part, compared)
        if facts.exactly and model.n <= MOMENT_STATES:
            rows = [_with_moments(row, facts) for row in rows]
        return Comparison(tuple(rows), None, left)
    except (BudgetExceededError, SingularMatrixError) as error:
        return Comparison((), str(error))


def _with_moments(row: Row, facts: Facts) -> Row:
    """The row of an enclosed comparison with its variance and the size of its trace, where these can be had."""
    assert facts.states is not None
    inner = facts.model.with_schedule(row.candidate.schedule)
    if not inner.has_trace_sum:
        return row
    variance, square, why = second_moments(inner, reduce_features(inner, facts.states), facts.states)
    found = {"asymptotic_variance": variance, "trace_second_moment": square}
    missing = {key: reason for key, reason in row.missing.items() if key not in found}
    missing |= {key: why for key, number in found.items() if number is None}
    return replace(row, variance=variance, trace_square=square, missing=missing)
