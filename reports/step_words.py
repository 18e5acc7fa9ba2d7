"""What simulated runs did and what steps do, for terminal and page: what was observed comes first."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tdcert.analysis.at_step import AtStep, StepAnswer
    from tdcert.analysis.request import StepQuestion
    from tdcert.analysis.result import AnalysisResult
    from tdcert.analysis.run_results import SimulatedRun

from tdcert.algorithms.schedules import TITLES
from tdcert.reports.labels import STATUSES
from tdcert.reports.numbers import decimal
from tdcert.theory.verdict import Grade

VERDICTS = {"grows": "✗ not small enough", "dies_out": "✓ small enough", "undecided": "? undecided"}
"""What follows for a step: it grows where anything does, dies out where mean, mean square and paths do."""


def told(run: AnalysisResult) -> Iterator[tuple[str, str | None, str]]:
    """What the steps of an analysis do, first what was observed: (of what, a key of :data:`VERDICTS` or None, what)."""
    ran = () if run.simulation is None else run.simulation.runs
    for one in ran:
        assert run.simulation is not None
        asked = run.simulation.asked
        yield (
            f"{TITLES.get(one.algorithm, one.algorithm)}, {headline(one)}",
            verdict(one),
            answer(one, asked.runs, asked.updates),
        )
    if run.steps is None:
        return
    if run.steps.why:
        yield "these steps", None, f"nothing is known of them: {run.steps.why}"
    for found in run.steps.answers:
        if found.at is not None and (not ran or found.at.alpha is None):
            said = f"{found.title}, {asked_about(run.steps.question, found)}"
            yield said, verdict_of(found.at), known(found.at)
    for found in run.steps.answers:
        yield found.title, None, largest(found)
    for curves in run.distances:
        last = f"nothing is certified for ever; {curves.why}" if curves.last is None else curves.last.in_words
        yield curves.title, None, last


def headline(run: SimulatedRun) -> str:
    """The steps of a run: ``α = 0.7``, and β where the algorithm has one."""
    return f"α = {run.alpha}" + (f", β = {run.beta}" if run.beta else "")


def asked_about(question: StepQuestion, of: StepAnswer) -> str:
    """The steps asked about, as they were given: ``α = 0.7``, and β where the algorithm has one."""
    both = of.sizes > 1
    if question.t0 is None:
        assert question.a is not None
        return f"α = {_short(question.a)}" + (f", β = {_short(question.a * question.ratio)}" if both else "")
    ratio = "" if question.ratio == 1 else f"{_short(question.ratio)} "
    return f"α_t = {question}" + (f", β_t = {ratio}α_t" if both else "")


def verdict_of(found: AtStep | None) -> str | None:
    """A key of :data:`VERDICTS`, None where no steps were asked about."""
    if found is None:
        return None
    if 1 in (found.mean, found.mean_square, found.paths):
        return "grows"
    return "dies_out" if found.mean_square == -1 else "undecided"


def verdict(run: SimulatedRun) -> str | None:
    """A key of :data:`VERDICTS`: of a constant step, or of runs that diverged; None of other decreasing steps."""
    return "grows" if run.diverged else verdict_of(run.at_step)


def answer(run: SimulatedRun, runs: int, updates: int) -> str:
    """What was observed, then what is known of the step in mean, mean square and on paths."""
    if run.diverged:
        seen = f"diverged in {run.diverged} of {runs} runs (by update {run.diverged_by:,})"
    else:
        seen = f"none of {runs} runs passed 10¹⁰⁰ within {updates:,} updates"
    return f"{seen}; {run.at_step.in_words}" if run.at_step else seen


def known(found: AtStep) -> str:
    """What is known of steps that were not run."""
    from_update = found.from_update
    early = "" if not from_update else f"; before update {from_update:,} they are larger than those certified"
    return f"{found.in_words}{early}"


def largest(found: StepAnswer) -> str:
    """The largest certified constant step, or why none is named."""
    step = found.largest
    if step is None:
        return f"no largest step: {found.largest_why}"
    if not step.upto:
        above = "none was found at which it grows" if step.high is None else f"it grows at {_short(step.high)}"
        return f"at the constant step {_short(step.low)} mean square dies out; {above}; nothing is said of others"
    upto = decimal(str(step.upto), 5, "down")
    grows = "no step was found" if step.high is None else f"at {_short(step.high)} mean square grows"
    if step.grade is Grade.ENCLOSED:
        also = f", and so is {_short(step.low)}" if step.low > step.upto else ""
        grows += " at which mean square grows" if step.high is None else " from some start, a run under way, say"
        return f"every constant step up to {upto} is small enough{also}, with every rounding bounded; {grows}"
    if step.crossing is not None:
        return f"every constant step up to {upto} is certified as small enough; {grows}"
    return (
        f"the constant step {_short(step.low)} is certified as small enough, and so is every one up to {upto}; {grows}"
    )


def agreement(run: SimulatedRun) -> str:
    """Sign, words and grade of a comparison; no tick where what agrees grows."""
    judged = run.judged
    sign, words = STATUSES[judged.status]
    graded = f" ({judged.grade})" if judged.grade else ""
    if judged.status == "holds" and verdict(run) == "grows":
        return f"follows its law{graded}: its step is not small enough"
    return f"{sign} {words}{graded}"


def _short(x: Fraction) -> str:
    """A decimal where it is exact and short, else the fraction."""
    written = f"{float(x):.10g}"
    return written if Fraction(written) == x else str(x)
