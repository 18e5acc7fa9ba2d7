"""How far transitions may change before the rows of an analysis have other verdicts, asked of every algorithm alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from tdcert.algorithms.schedules import TWO_SCALES
from tdcert.analysis.row import AlgorithmRow
from tdcert.theory.engine.robustness import Robustness, robustness
from tdcert.theory.model.mdp import Model
from tdcert.theory.progress import Progress

SHOWN = 3
"""Digits of a distance in a sentence."""
NOT_EXACT = "the analysis is not in exact arithmetic; give --arithmetic exact"


@dataclass(frozen=True)
class RobustRow:
    """The answer about one algorithm: what was ``found``, or ``why`` there is nothing."""

    algorithm: str
    found: Robustness | None
    why: str = ""

    @property
    def sentence(self) -> str:
        """The answer in words; distances are rounded to the side on which it stays true."""
        if self.found is None:
            return f"not known: {self.why}"
        verdict, counter = self.found.verdict, self.found.counter
        said = f"{verdict}, with no distance from the model that is certified"
        if self.found.within:
            low = rounded(self.found.within, ROUND_FLOOR)
            said = f"{verdict} for every P within {low} of each row in total variation"
        if counter is not None:
            other = counter.verdict.replace("_", " ")
            said += f"; within {rounded(counter.distance, ROUND_CEILING)} there is a model that is {other}"
        return f"{said} ({self.found.why})" if self.found.why else said


def rounded(value: Fraction, side: str) -> str:
    """A few digits of a positive number, rounded to one side."""
    context = Context(prec=SHOWN, rounding=side)
    return f"{context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize():f}"


def robust_rows(
    model: Model, rows: Sequence[AlgorithmRow], exact: bool, ratio: Fraction, on_progress: Progress
) -> tuple[RobustRow, ...]:
    """One answer for each algorithm of the rows; ``ratio``: of its later step sizes to the first."""
    found = list[RobustRow]()
    by_label = {row.label: row for row in rows}
    for done, (label, row) in enumerate(by_label.items(), start=1):
        on_progress(done, len(by_label), "changing transitions")
        if not exact:
            found.append(RobustRow(label, None, NOT_EXACT))
            continue
        ratios = [Fraction(1), *[ratio] * (len(row.algorithm.steps) - 1)]
        answer = robustness(model, row.algorithm, ratios, row.algorithm.name in TWO_SCALES)
        found.append(RobustRow(label, None, answer) if isinstance(answer, str) else RobustRow(label, answer))
    return tuple(found)
