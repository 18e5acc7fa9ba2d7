"""Which schedule should I use? Schedules compared on one model, by numbers that are exact or enclosed.

A comparison needs one recurrent class and coverage: only then is there one point that all schedules look for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from claims.advice.answer import answer
from claims.advice.candidates import candidates
from claims.advice.curves import figures
from claims.advice.rows import Common, Row, exact_row
from claims.advice.rows_enclosed import LARGEST_WORK, enclosed_rows, work
from claims.figures import Figure
from theory.errors import BudgetExceededError, SingularMatrixError
from theory.model.mdp import Model

EXACT_STATES = 40
"""Up to this many states schedules are compared in fractions."""


@dataclass(frozen=True)
class Comparison:
    """The rows, the model's own schedule first; or none, and why not."""

    rows: tuple[Row, ...]
    why: str | None = None

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


def compare(model: Model, exactly: bool) -> Comparison:
    """The model's own schedule against those of :mod:`claims.advice.candidates`; ``exactly``: in fractions where the
    size allows.
    """
    classes = model.behaviour_chain.recurrent_classes
    if len(classes) > 1:
        return Comparison((), f"the chain has {len(classes)} recurrent classes, each with a fixed point of its own")
    if model.uncovered:
        return Comparison((), "coverage is missing, so the algorithms do not look for θ*, whatever the schedule")
    compared = candidates(model.schedule)
    if exactly and model.n <= EXACT_STATES:
        about = Common.of(model, classes[0])
        return Comparison(tuple(exact_row(model, candidate, classes[0], about) for candidate in compared))
    if work(model, compared) > LARGEST_WORK:
        return Comparison((), f"{model.n:,} states and {model.d:,} features: it would take more than it is worth")
    try:
        return Comparison(tuple(enclosed_rows(model, classes[0], compared)))
    except (BudgetExceededError, SingularMatrixError) as error:
        return Comparison((), str(error))
