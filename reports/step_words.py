"""What simulated runs did and what their step does, for terminal and page: what was observed comes first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tdcert.reports.labels import STATUSES

Row = Mapping[str, Any]
"""An entry of ``simulation.algorithms``."""

VERDICTS = {"grows": "✗ not small enough", "dies_out": "✓ small enough", "undecided": "? undecided"}
"""What follows for a step: it grows where anything does, dies out where mean, mean square and paths do."""


def headline(row: Row) -> str:
    """``α = 0.7``, and β where the algorithm has one."""
    return f"α = {row['alpha']}" + (f", β = {row['beta']}" if row.get("beta") else "")


def verdict(row: Row) -> str | None:
    """A key of :data:`VERDICTS`: of a constant step, or of runs that diverged; None of other decreasing steps."""
    found = row.get("at_step")
    if row["diverged"] or (found and "grows" in (found["mean"], found["mean_square"], found["paths"])):
        return "grows"
    if not found:
        return None
    return "dies_out" if found["mean_square"] == "dies_out" else "undecided"


def answer(row: Row, runs: int, updates: int) -> str:
    """What was observed, then what is known of the step in mean, mean square and on paths."""
    if row["diverged"]:
        seen = f"diverged in {row['diverged']} of {runs} runs (by update {row['diverged_by']:,})"
    else:
        seen = f"none of {runs} runs diverged within {updates:,} updates"
    return f"{seen}; {row['at_step']['detail']}" if row.get("at_step") else seen


def agreement(row: Row) -> str:
    """Sign, words and grade of a comparison; no tick where what agrees grows."""
    sign, words = STATUSES[row["status"]]
    graded = f" ({row['grade']})" if row["grade"] else ""
    if row["status"] == "holds" and verdict(row) == "grows":
        return f"follows its law{graded}, and by that law it does not settle"
    return f"{sign} {words}{graded}"
