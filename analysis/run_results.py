"""What a simulated run of an algorithm is shown as: its verdict, its figure, how many runs diverged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tdcert.sims.judge.agreement import Agreement
from tdcert.theory.figures import Figure
from tdcert.theory.verdict import Grade, Status

if TYPE_CHECKING:
    from tdcert.analysis.at_step import AtStep

START = "s_0 uniform, every entry of θ_0 one, w_0 = 0"
"""Where the drawn runs start."""


@dataclass(frozen=True)
class Judged:
    """One comparison at a false-alarm rate, what was ``compared`` and its summary; or, undecided, why there is none."""

    status: Status
    detail: str
    grade: Grade | None = None
    compared: str | None = None
    false_alarm_rate: float | None = None
    agreement: Agreement | None = None


@dataclass(frozen=True)
class SimulatedRun:
    """One algorithm on the model: its steps as text (``beta`` None for TD), what was judged, its figure, how many of
    the drawn runs diverged, and whether the figure holds the exact expectation. ``diverged_by``: the update by which
    all these had diverged; ``at_step``: what its constant step does, None for decreasing steps.
    """

    algorithm: str
    alpha: str
    beta: str | None
    judged: Judged
    figure: Figure
    diverged: int
    exact_expectation: bool
    diverged_by: int | None = None
    at_step: AtStep | None = None


def judged(found: Agreement, compared: str) -> Judged:
    """The verdict of a comparison."""
    status = Status.HOLDS if found.agrees else Status.REFUTED
    return Judged(status, found.summary(), Grade.CONSISTENT, compared, found.alpha_spent, found)


def undecided(why: str) -> Judged:
    """No verdict, and why."""
    return Judged(Status.UNDECIDED, why)


def shorter(times: Sequence[int]) -> list[list[int]]:
    """All of the times, then those up to a tenth and a hundredth of the last."""
    return [kept for over in (1, 10, 100) if (kept := [t for t in times if t * over <= times[-1]])]
