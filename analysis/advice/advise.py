"""The advice about one model: a function of the finished facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tdcert.analysis.advice.answer import answer
from tdcert.analysis.advice.compared_schedules import COMPARED, SWEPT, ScheduleComparison
from tdcert.analysis.advice.effects import Recommendation, recommend
from tdcert.analysis.advice.warnings import Warnings, absorbing_state, ask, collected, terminal_features
from tdcert.analysis.budget import NOTHING, UNBOUNDED, Budget, LeftOut
from tdcert.analysis.facts import ModelFacts
from tdcert.analysis.request import Arithmetic, Part
from tdcert.theory.model.schedule import Schedule

if TYPE_CHECKING:
    from tdcert.analysis.advice.model_numbers import Conditioning


@dataclass(frozen=True)
class Advice:
    """Schedules compared, and in ``sentences`` what follows; warnings; the numbers that they are judged by. ``sweep``:
    the same comparison of constant λ's, None where it was not asked for.
    """

    comparison: ScheduleComparison
    sentences: tuple[str, ...]
    warnings: Warnings
    conditioning: Conditioning | None
    sweep: ScheduleComparison | None = None

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What is beyond the budget."""
        found = (one.left_out for one in (self.comparison, self.sweep) if one is not None)
        return tuple({one.what: one for one in found if one is not None}.values())

    @property
    def recommended(self) -> Recommendation:
        """Which schedule, where it matters."""
        return recommend(self.comparison.rows)


NOT_ASKED_FOR = "not asked for"
UNASKED = Warnings(not_asked=(("all", NOT_ASKED_FOR),))


def advise(
    facts: ModelFacts,
    others: Sequence[Schedule] | None = None,
    sweep: bool = False,
    parts: frozenset[Part] = frozenset(Part),
    rows: Budget = UNBOUNDED,
    steps: Budget = UNBOUNDED,
    names: tuple[str, ...] | None = None,
) -> Advice:
    """What follows from the facts for whoever has to choose a schedule, or to trust a run; of the ``parts`` asked for.

    ``others``: schedules to compare, None for the usual ones; ``sweep``: whether constant λ's are compared too;
    ``rows``: the budget of the comparison; ``steps``: that of its constant steps in enclosed arithmetic; ``names``: of
    the paper's algorithms, which warnings may speak of (None: all). Warnings are
    judged by the numbers of the model's own schedule, which are found without the others where these are not compared.
    """
    schedules, warned = Part.SCHEDULES in parts, Part.WARNINGS in parts
    if not (schedules or warned or sweep):
        return nothing(NOT_ASKED_FOR)
    if facts.arithmetic is Arithmetic.SPARSE:
        why = "asked in exact and in enclosed arithmetic"
        ends = {"terminal_features": terminal_features(facts), "absorbing_state": absorbing_state(facts)}
        asked = collected({**ends, "all others": why}) if warned else UNASKED
        return replace(nothing("schedules are compared in exact and in enclosed arithmetic"), warnings=asked)
    from tdcert.analysis.advice.compare_schedules import compare
    from tdcert.analysis.advice.model_numbers import ModelNumbers

    numbers = ModelNumbers(facts, names)
    compared = ScheduleComparison((), NOT_ASKED_FOR)
    if schedules:
        compared = compare(numbers, COMPARED if others is None else others, rows=rows, steps=steps)
    swept = compare(numbers, SWEPT, steps=steps) if sweep else None
    told = UNASKED
    if warned:
        told = ask(numbers, compared if compared.rows else compare(numbers, (), steps=NOTHING))
    return Advice(compared, tuple(answer(compared.rows)), told, numbers.conditioning(), swept)


def nothing(why: str) -> Advice:
    """Where nothing was computed, with the reason."""
    return Advice(ScheduleComparison((), why), (), Warnings(not_asked=(("all", why),)), None)
