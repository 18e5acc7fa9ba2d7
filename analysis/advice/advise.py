"""The advice about one model: a function of the finished facts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tdcert.analysis.advice.answer import answer
from tdcert.analysis.advice.compare_schedules import compare
from tdcert.analysis.advice.compared_schedules import ScheduleComparison
from tdcert.analysis.advice.model_numbers import Conditioning, ModelNumbers
from tdcert.analysis.advice.warnings import Warnings, ask, collected, terminal_features
from tdcert.analysis.facts import ModelFacts
from tdcert.analysis.request import Arithmetic


@dataclass(frozen=True)
class Advice:
    """Schedules compared, and in ``sentences`` what follows; warnings; the numbers that they are judged by."""

    comparison: ScheduleComparison
    sentences: tuple[str, ...]
    warnings: Warnings
    conditioning: Conditioning | None


def advise(facts: ModelFacts) -> Advice:
    """What follows from the facts for whoever has to choose a schedule, or to trust a run."""
    if facts.arithmetic is Arithmetic.SPARSE:
        why = "asked in exact and in enclosed arithmetic"
        asked = collected({"terminal_features": terminal_features(facts), "all others": why})
        return replace(nothing("schedules are compared in exact and in enclosed arithmetic"), warnings=asked)
    numbers = ModelNumbers(facts)
    compared = compare(numbers)
    return Advice(compared, tuple(answer(compared.rows)), ask(numbers, compared), numbers.conditioning())


def nothing(why: str) -> Advice:
    """Where nothing was computed, with the reason."""
    return Advice(ScheduleComparison((), why), (), Warnings(not_asked=(("all", why),)), None)
