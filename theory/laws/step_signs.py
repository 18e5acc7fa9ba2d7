"""Is a constant step small enough, in the mean and in mean square? For runs from time zero, and for runs under way.

*From time zero*: without a past, with any parameters, in any state of the class. −1 says that differences of two runs
die out and runs stay bounded, 1 that runs, or their differences, grow from some start. *Under way*: at some later time
the parameters are changed by hand while the trace is kept, so that every difference in every window is a start. Where a
run under way settles, so does one from time zero; the two differ where the first updates undo what would grow
(:mod:`tdcert.theory.laws.from_time_zero`), or where it cancels in the mean (:mod:`tdcert.theory.laws.mean_at_step`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tdcert.theory.laws.from_time_zero import from_time_zero
from tdcert.theory.laws.mean_at_step import MeanSigns, mean_signs
from tdcert.theory.laws.mean_square import JumpSystem, LyapunovAtStep, show_bounded, show_unbounded
from tdcert.theory.verdict import Sign


@dataclass(frozen=True)
class StepSigns:
    """−1 it dies out, 1 it grows from some start, 0 the mean has the radius one, None undecided: of runs from time
    zero, and of runs ``under_way``, mean and mean square. ``square``, ``means``: what decided the latter.
    ``is_confined``: whether runs from time zero reach a part of the parameters alone.
    """

    mean: Sign
    mean_square: Sign
    under_way: tuple[Sign, Sign]
    square: LyapunovAtStep | None = None
    means: MeanSigns | None = None
    is_confined: bool = False

    @property
    def differ(self) -> bool:
        """Whether runs under way have other signs."""
        return (self.mean, self.mean_square) != self.under_way


def signs_at(system: JumpSystem, alpha: Fraction) -> StepSigns:
    """Both signs at the step ``alpha`` > 0; second moments that die out take the means with them, ‖E y‖² ≤ E‖y‖²."""
    bounded = show_bounded(system, alpha)
    if bounded is not None:
        return StepSigns(-1, -1, (-1, -1), bounded)
    mean, grown = mean_signs(system, alpha), show_unbounded(system, alpha)
    square: Sign = 1 if grown is not None else None
    inner = from_time_zero(system, alpha)
    if inner is None:
        return StepSigns(mean.time_zero, square, (mean.under_way, square), grown, mean)
    if show_bounded(inner, alpha) is not None:
        return StepSigns(-1, -1, (mean.under_way, square), grown, mean, True)
    here: Sign = 1 if show_unbounded(inner, alpha) is not None else None
    return StepSigns(mean.time_zero, here, (mean.under_way, square), grown, mean, True)
