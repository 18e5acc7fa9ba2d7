"""Schedules, or λ's, compared for any algorithm: what it does under each of them, by the engine.

A schedule is recommended as :mod:`tdcert.analysis.advice.effects` recommends one for TD. For TD
:mod:`tdcert.analysis.advice.compare_schedules` has κ, bounds and traces besides, and matrices of hundreds of states in
error bounds, where what no schedule changes is computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tdcert.algorithms import under
from tdcert.analysis.advice.compared_schedules import COMPARED, Candidate, candidates
from tdcert.analysis.advice.effects import Recommendation, recommend
from tdcert.analysis.facts import AlgorithmDynamics, Quantity
from tdcert.analysis.request import Request
from tdcert.analysis.row import AlgorithmRow
from tdcert.analysis.updates import analyse_updates
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.progress import Progress, silently


@dataclass(frozen=True)
class UnderSchedule:
    """A schedule, and the answer under it; None where the algorithm cannot have it, and ``why``."""

    candidate: Candidate
    answer: AlgorithmRow | None
    why: str = ""

    @property
    def name(self) -> str:
        """The name of the schedule."""
        return self.candidate.name

    @property
    def dynamics(self) -> AlgorithmDynamics | None:
        """The mean dynamics of the algorithm with this schedule."""
        return None if self.answer is None else self.answer.answer

    @property
    def error(self) -> Quantity | None:
        """‖Φθ* − V‖²_D."""
        return None if self.answer is None else self.answer.error

    @property
    def variance(self) -> Quantity | None:
        """t times the variance of averages of predictions over t updates, in the limit."""
        return None if self.answer is None else Quantity.of(self.answer.variance)


@dataclass(frozen=True)
class SchedulesOf:
    """What one algorithm does under schedules, the model's own first; or none, and ``why``."""

    algorithm: Algorithm
    rows: tuple[UnderSchedule, ...]
    why: str = ""

    @property
    def recommended(self) -> Recommendation:
        """Which schedule, where it matters."""
        return recommend(self.rows)


def schedules_of(
    model: Model,
    algorithm: Algorithm,
    others: Sequence[Schedule] = COMPARED,
    request: Request | None = None,
    on_progress: Progress = silently,
) -> SchedulesOf:
    """The algorithm under the model's own schedule and the ``others``, on its one recurrent class; ``request``: of
    arithmetic and bits.

    Raises :class:`~tdcert.theory.errors.InputError` for a function that is not an affine update.
    """
    classes = model.behaviour_chain.recurrent_classes
    if len(classes) > 1:
        return SchedulesOf(algorithm, (), f"the chain has {len(classes)} recurrent classes, and one is compared on")
    if not algorithm.schedule:
        return SchedulesOf(algorithm, (), f"'{algorithm.name}' takes no schedule: it is the same update under each")
    if given := sorted(algorithm.given.intersection(algorithm.schedule)):
        return SchedulesOf(algorithm, (), f"'{algorithm.name}' was given {', '.join(given)}, whatever the schedule is")
    rows, compared = list[UnderSchedule](), candidates(model.schedule, others)
    for done, candidate in enumerate(compared):
        on_progress(done, len(compared), f"{algorithm.name} under {candidate.name}")
        rows.append(_row(model.with_schedule(candidate.schedule), algorithm, candidate, request))
    return SchedulesOf(algorithm, tuple(rows))


def _row(model: Model, algorithm: Algorithm, candidate: Candidate, request: Request | None) -> UnderSchedule:
    if under(algorithm, candidate.schedule)[1]:
        return UnderSchedule(candidate, None, "the schedule has an end, and the update has one λ for all steps")
    try:
        (answer,) = analyse_updates(model, [algorithm], silently, request=request).rows
    except BudgetExceededError as error:
        return UnderSchedule(candidate, None, str(error))
    return UnderSchedule(candidate, answer, answer.why_not)
