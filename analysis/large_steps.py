"""Constant steps of models whose windows are too many to list: a bracket of the largest one, every rounding bounded."""

from __future__ import annotations

from fractions import Fraction

from tdcert.algorithms.schedules import declared, scheduled
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.check.mean_dynamics import Reduced, reduce_features
from tdcert.theory.enclose.definite import FLOAT_BITS
from tdcert.theory.enclose.dense_class import ClassInEnclosures
from tdcert.theory.enclose.dense_model import EnclosedModel
from tdcert.theory.enclose.safe_steps import SmallSteps, StepBracket, growing_cycle, grows_at, small_steps
from tdcert.theory.engine.second_moments import second_moments
from tdcert.theory.errors import BudgetExceededError, SingularMatrixError
from tdcert.theory.laws.long_run_covariance import InNumbers
from tdcert.theory.laws.mean_square import simple
from tdcert.theory.laws.second_moment_sign import decide_sign
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

LARGEST = 1_000
"""Most states that are looked at (seconds)."""
NARROW = Fraction(5, 4)
"""A bracket whose ends are closer than this is not narrowed further."""
NUMBERS = 4_000_000
"""Most states × D² that are held at once, D numbers in (θ, w)."""


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
        reduced = reduce_features(model, states) if model.n <= LARGEST else None
        if reduced is None:
            return None
        try:
            law = ClassInEnclosures(EnclosedModel.of_model(model), states, FLOAT_BITS).full_law
        except (BudgetExceededError, SingularMatrixError):
            return None
        return StepsByStates(model, reduced, InNumbers(reduced.model, states, MidRadMatrix.enclosing, law))

    def small(
        self, schedule: Schedule, algorithm: str, ratio: Fraction, *, decreasing: bool = False
    ) -> SmallSteps | None:
        """What :func:`~tdcert.theory.enclose.safe_steps.small_steps` finds for a schedule and an algorithm.

        None for a schedule without end, and beyond :data:`NUMBERS`.
        """
        update, model = scheduled(algorithm), self.reduced.model
        if not schedule.is_finite or model.n * (update.blocks * model.d) ** 2 > NUMBERS:
            return None
        inner, weight = model.with_schedule(schedule), self.reduced.weight
        return small_steps(self.about, inner, update, ratio, weight, decreasing=decreasing)

    def grows(self, schedule: Schedule, algorithm: str, ratio: Fraction, alpha: Fraction) -> bool:
        """Whether the mean square is seen to grow along a cycle of states."""
        inner, weight = self.reduced.model.with_schedule(schedule), self.reduced.weight
        return grows_at(inner, scheduled(algorithm), ratio, self.about.states, weight, alpha)

    def bracket(self, schedule: Schedule, algorithm: str, ratio: Fraction, work: int = 0) -> StepBracket | str:
        """The largest step, from below and above, or why none is named; ``work``: most moves of the window chain × D³
        for which it is narrowed down on windows, zero: never.
        """
        if not schedule.is_finite:
            return "without an end there are no windows"
        small = self.small(schedule, algorithm, ratio)
        if small is None:
            return "no quadratic form was found that decides small steps"
        if not small.stable:
            return f"the mean square is unbounded from some start (a run under way, say) for every α ≤ {small.upto}"
        inner, weight, states = self.reduced.model.with_schedule(schedule), self.reduced.weight, self.about.states
        above = growing_cycle(inner, scheduled(algorithm), ratio, states, weight)
        low, high = small.upto, None if above is None else above.alpha
        if not work:
            return StepBracket(small.upto, low, high)
        try:
            full = self.model.with_schedule(schedule)
            update = declared(algorithm, full)
            ratios = [Fraction(1), ratio][: len(update.steps)]
            moments = second_moments(full, update, ratios, states, work)
        except BudgetExceededError:
            return StepBracket(small.upto, low, high)
        while high is not None and high > low * NARROW:
            middle = simple((float(low) * float(high)) ** 0.5)
            sign = decide_sign(moments, middle)
            if sign is None:
                break
            low, high = (middle, high) if sign < 0 else (low, middle)
        return StepBracket(small.upto, low, high)
