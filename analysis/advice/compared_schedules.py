"""Which schedules are compared, and what a comparison holds: values alone.

The model's own schedule is compared with the same ten whatever the model is: the ends of the scale (TD(0), Monte
Carlo), n-step returns, EqualWeights(n1, n2) of §2.1 and constant λ's, with an end and without. Lengths stay below
eight: windows grow with L, and so do the digits of exact numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from tdcert.analysis.facts import AlgorithmDynamics, Algorithms, Quantity, of_td
from tdcert.theory.model.schedule import LambdaByState, Schedule, as_equal_weights

if TYPE_CHECKING:
    from tdcert.analysis.budget import LeftOut
    from tdcert.theory.enclose.safe_steps import StepBracket
    from tdcert.theory.laws.mean_square import LargestStep

HALF, NINE_TENTHS = Fraction(1, 2), Fraction(9, 10)

COMPARED = (
    Schedule(),
    Schedule.n_step(2),
    Schedule.n_step(4),
    Schedule.n_step(8),
    Schedule.equal_weights(1, 4),
    Schedule.equal_weights(2, 4),
    Schedule.constant(HALF, 4),
    Schedule.constant(HALF),
    Schedule.constant(NINE_TENTHS),
    Schedule.constant(Fraction(1)),
)
"""Compared with every model's own schedule, where no others are asked for."""
SWEPT = tuple(Schedule.constant(Fraction(k, 100)) for k in (*range(0, 100, 10), 95, 99, 100))
"""The constant λ's of a sweep."""


@dataclass(frozen=True)
class Candidate:
    """A schedule of a comparison, and whether it is the model's own."""

    schedule: Schedule
    own: bool

    @property
    def name(self) -> str:
        """The name by which people call the schedule."""
        return schedule_name(self.schedule)


@dataclass(frozen=True)
class Compared:
    """A schedule's numbers; None where one is not known, with the reason under its name in ``missing``.

    ``kappa``: Σ w_n γⁿ, γ the largest discount; ``error``: ‖Φθ* − V‖²_D; ``bound``: what ``error_bound`` guarantees
    of it; ``variance``: v of :mod:`tdcert.theory.laws.averaging`; ``trace_square``: E ‖z‖²; ``step``: the largest
    constant step of TD.
    """

    candidate: Candidate
    kappa: Fraction | None
    error: Quantity | None = None
    bound: Quantity | None = None
    algorithms: Algorithms = field(default_factory=dict)
    variance: Quantity | None = None
    trace_square: Quantity | None = None
    step: LargestStep | StepBracket | None = None
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the schedule."""
        return self.candidate.name

    @property
    def td(self) -> AlgorithmDynamics | None:
        """The dynamics of TD with this schedule, or of off-policy TD where the policies differ.

        None where they were not asked about.
        """
        return of_td(self.algorithms)

    @property
    def dynamics(self) -> AlgorithmDynamics | None:
        """The dynamics of TD, by which the schedule is judged."""
        return self.td


@dataclass(frozen=True)
class ScheduleComparison:
    """The rows, the model's own schedule first; or none, and why not. ``projected``: ‖V − ΠV‖²_D, where it is known;
    ``left_out``: the rows, or their constant steps, where they are beyond the budget.
    """

    rows: tuple[Compared, ...]
    why: str | None = None
    projected: Quantity | None = None
    left_out: LeftOut | None = None


def candidates(own: Schedule, others: Sequence[Schedule] = COMPARED) -> list[Candidate]:
    """The model's schedule first, then the others, none twice."""
    return [Candidate(own, True), *(Candidate(other, False) for other in dict.fromkeys(others) if other != own)]


def schedule_name(schedule: Schedule) -> str:
    """``TD(0)``, ``4-step``, ``EqualWeights(2, 4)``, ``λ = 1/2``, ``λ = 1/2, L = 4``, or the λ's themselves."""
    if isinstance(schedule, LambdaByState):
        return f"λ by state ({', '.join(map(str, schedule.by_state[:4]))}{', …' if len(schedule.by_state) > 4 else ''})"
    lambdas = schedule.lambdas
    if schedule.tail:
        return "Monte Carlo (λ = 1)" if schedule.tail == 1 else f"λ = {schedule.tail}"
    if not lambdas:
        return "TD(0)"
    if set(lambdas) == {Fraction(1)}:
        return f"{len(lambdas) + 1}-step"
    weights = as_equal_weights(schedule)
    if weights is not None:
        return f"EqualWeights({weights[0]}, {weights[1]})"
    if len(set(lambdas)) == 1:
        return f"λ = {lambdas[0]}, L = {len(lambdas)}"
    shown = ", ".join(map(str, lambdas[:4]))
    return f"λ = ({shown}{', …' if len(lambdas) > 4 else ''})"
