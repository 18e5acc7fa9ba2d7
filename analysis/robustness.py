"""How far a model may change before the rows of an analysis have other verdicts, asked of every algorithm alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import product

from tdcert.analysis.row import AlgorithmRow
from tdcert.theory.engine.declare import ratios_of
from tdcert.theory.engine.perturbation import Change
from tdcert.theory.engine.robustness import Robustness, robustness
from tdcert.theory.model.mdp import Model
from tdcert.theory.progress import Progress

SHOWN = 3
"""Digits of a distance in a sentence."""
NOT_EXACT = "the analysis is not in exact arithmetic; give --arithmetic exact"
QUESTIONS = {
    Change.TRANSITIONS: "How far may transitions change?",
    Change.DISCOUNT: "How far may the discount change?",
    Change.BEHAVIOUR: "How far may the behaviour policy change?",
    Change.TARGET: "How far may the target policy change?",
}
NEAR = {
    Change.TRANSITIONS: "for every P within {} of each row in total variation",
    Change.DISCOUNT: "for every γ within {} of the model's, below one",
    Change.BEHAVIOUR: "for every μ within {} in each state in total variation that takes what π takes",
    Change.TARGET: "for every π within {} in each state in total variation that takes only what μ takes",
}
"""What is near, by what changes."""


@dataclass(frozen=True)
class RobustRow:
    """The answer about one algorithm and one ``change``: what was ``found``, or ``why`` there is nothing."""

    algorithm: str
    found: Robustness | None
    why: str = ""
    change: Change = Change.TRANSITIONS

    @property
    def question(self) -> str:
        """What was asked."""
        return QUESTIONS[self.change]

    @property
    def sentence(self) -> str:
        """The answer in words; distances are rounded to the side on which it stays true."""
        if self.found is None:
            return f"not known: {self.why}"
        verdict, counter = self.found.verdict, self.found.counter
        said = f"{verdict}, with no distance from the model that is certified"
        if self.found.within:
            low = rounded(self.found.within, ROUND_FLOOR)
            said = f"{verdict} {NEAR[self.change].format(low)}"
        if counter is not None:
            other = counter.verdict.replace("_", " ")
            said += f"; within {rounded(counter.distance, ROUND_CEILING)} there is a model that is {other}"
        return f"{said} ({self.found.why})" if self.found.why else said


def rounded(value: Fraction, side: str) -> str:
    """A few digits of a positive number, rounded to one side."""
    context = Context(prec=SHOWN, rounding=side)
    return f"{context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize():f}"


def robust_rows(
    model: Model,
    rows: Sequence[AlgorithmRow],
    changes: Sequence[str],
    exact: bool,
    ratio: Fraction,
    on_progress: Progress,
) -> tuple[RobustRow, ...]:
    """One answer for each of the ``changes`` and algorithms of the rows; ``ratio``: of its later step sizes to the
    first.
    """
    found = list[RobustRow]()
    asked = list(product(map(Change, changes), {row.label: row for row in rows}.items()))
    for done, (change, (label, row)) in enumerate(asked, start=1):
        on_progress(done, len(asked), f"changing the {change}")
        if not exact:
            found.append(RobustRow(label, None, NOT_EXACT, change))
            continue
        algorithm = row.algorithm
        answer = robustness(model, algorithm, ratios_of(algorithm, ratio), algorithm.two_scales, change)
        why = answer if isinstance(answer, str) else ""
        found.append(RobustRow(label, None if isinstance(answer, str) else answer, why, change))
    return tuple(found)


def by_question(rows: Sequence[RobustRow]) -> dict[str, list[RobustRow]]:
    """The answers by what was asked, in their order."""
    found = dict[str, list[RobustRow]]()
    for row in rows:
        found.setdefault(row.question, []).append(row)
    return found
