"""What simulated runs did and what their step does, for terminal and page: what was observed comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tdcert.reports.labels import STATUSES

if TYPE_CHECKING:
    from tdcert.analysis.simulated_runs import SimulatedRun

VERDICTS = {"grows": "✗ not small enough", "dies_out": "✓ small enough", "undecided": "? undecided"}
"""What follows for a step: it grows where anything does, dies out where mean, mean square and paths do."""


def headline(run: SimulatedRun) -> str:
    """``α = 0.7``, and β where the algorithm has one."""
    return f"α = {run.alpha}" + (f", β = {run.beta}" if run.beta else "")


def verdict(run: SimulatedRun) -> str | None:
    """A key of :data:`VERDICTS`: of a constant step, or of runs that diverged; None of other decreasing steps."""
    found = run.at_step
    if run.diverged or (found and 1 in (found.mean, found.mean_square, found.paths)):
        return "grows"
    if not found:
        return None
    return "dies_out" if found.mean_square == -1 else "undecided"


def answer(run: SimulatedRun, runs: int, updates: int) -> str:
    """What was observed, then what is known of the step in mean, mean square and on paths."""
    if run.diverged:
        seen = f"diverged in {run.diverged} of {runs} runs (by update {run.diverged_by:,})"
    else:
        seen = f"none of {runs} runs diverged within {updates:,} updates"
    return f"{seen}; {run.at_step.in_words}" if run.at_step else seen


def agreement(run: SimulatedRun) -> str:
    """Sign, words and grade of a comparison; no tick where what agrees grows."""
    judged = run.judged
    sign, words = STATUSES[judged.status]
    graded = f" ({judged.grade})" if judged.grade else ""
    if judged.status == "holds" and verdict(run) == "grows":
        return f"follows its law{graded}, and by that law it does not settle"
    return f"{sign} {words}{graded}"
