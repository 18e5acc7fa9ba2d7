"""Constant steps of one model under many schedules, whose windows are too many to list: by moments by state."""

from __future__ import annotations

from fractions import Fraction

from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.check.mean_dynamics import Reduced, reduce_features
from tdcert.theory.enclose.definite import FLOAT_BITS
from tdcert.theory.enclose.dense_class import ClassInEnclosures
from tdcert.theory.enclose.dense_model import EnclosedModel
from tdcert.theory.enclose.safe_steps import SmallSteps, StepBracket, growing_cycle, grows_at, small_steps
from tdcert.theory.errors import BudgetExceededError, SingularMatrixError
from tdcert.theory.laws.long_run_covariance import InNumbers
from tdcert.theory.laws.schedule_update import ScheduleUpdate
from tdcert.theory.limits import BY_STATES, BY_STATES_ENTRIES, raised
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule


class StepsByStates:
    """One model on one recurrent class, for all algorithms and schedules. ``about``: its numbers without a schedule, on
    the features of ``reduced``.
    """

    def __init__(self, model: Model, reduced: Reduced, about: InNumbers[MidRadMatrix]) -> None:
        self.model, self.reduced, self.about = model, reduced, about

    @staticmethod
    def of_model(model: Model, states: tuple[int, ...]) -> StepsByStates | None:
        """The instance for a model; None if the model is too large, its features vanish on the class, or its law has no
        enclosure.
        """
        reduced = reduce_features(model, states) if model.n <= raised(BY_STATES) else None
        if reduced is None:
            return None
        try:
            law = ClassInEnclosures(EnclosedModel.of_model(model), states, FLOAT_BITS).full_law
        except (BudgetExceededError, SingularMatrixError):
            return None
        return StepsByStates(model, reduced, InNumbers(reduced.model, states, MidRadMatrix.enclosing, law))

    def small(
        self, schedule: Schedule, update: ScheduleUpdate, ratio: Fraction, *, decreasing: bool = False
    ) -> SmallSteps | None:
        """What :func:`~tdcert.theory.enclose.safe_steps.small_steps` finds for a schedule and an algorithm.

        None for a schedule without end, and beyond :data:`BY_STATES_ENTRIES`.
        """
        model = self.reduced.model
        if not schedule.is_finite or model.n * (update.blocks * model.d) ** 2 > raised(BY_STATES_ENTRIES):
            return None
        inner, weight = model.with_schedule(schedule), self.reduced.weight
        return small_steps(self.about, inner, update, ratio, weight, decreasing=decreasing)

    def grows(self, schedule: Schedule, update: ScheduleUpdate, ratio: Fraction, alpha: Fraction) -> bool:
        """Whether the mean square is seen to grow along a cycle of states."""
        inner, weight = self.reduced.model.with_schedule(schedule), self.reduced.weight
        return grows_at(inner, update, ratio, self.about.states, weight, alpha)

    def bracket(self, schedule: Schedule, update: ScheduleUpdate, ratio: Fraction) -> StepBracket | str:
        """The largest step, from below and above, or why none is named."""
        if not schedule.is_finite:
            return "without an end there are no windows"
        small = self.small(schedule, update, ratio)
        if small is None:
            return "no quadratic form was found that decides small steps"
        if not small.stable:
            return f"the mean square is unbounded from some start (a run under way, say) for every α ≤ {small.upto}"
        inner, weight, states = self.reduced.model.with_schedule(schedule), self.reduced.weight, self.about.states
        above = growing_cycle(inner, update, ratio, states, weight)
        return StepBracket(small.upto, small.upto, None if above is None else above.alpha)
