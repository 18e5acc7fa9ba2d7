"""How much a choice matters: effect sizes beside a winner, and a recommendation where it is worth a change.

A smaller error of the fixed point shows in averages of T iterates once T is beyond v/(e′ − e), e and e′ the squared
errors and v the larger asymptotic variance: before that the spread of averages is larger than the gain. Whether a
change is worth it is judged by e + v/T at T = :data:`STEPS`, to first order in 1/T. What is compared are exact numbers,
or the ends of enclosures; floats only print.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Protocol

from tdcert.analysis.advice.compared_schedules import Candidate, Compared
from tdcert.analysis.facts import AlgorithmDynamics, Quantity

STEPS = 40_000
"""Steps of an average by which schedules are judged."""
MATTERS = Fraction(1, 20)
"""Least part by which a root mean square error must fall for a change to be recommended."""


class JudgedSchedule(Protocol):
    """A schedule, and what it is judged by: the mean dynamics of an algorithm with it, the error where that rests, and
    the variance of averages.
    """

    @property
    def candidate(self) -> Candidate: ...
    @property
    def name(self) -> str: ...
    @property
    def dynamics(self) -> AlgorithmDynamics | None: ...
    @property
    def error(self) -> Quantity | None: ...
    @property
    def variance(self) -> Quantity | None: ...


@dataclass(frozen=True)
class Recommendation:
    """``best``: the schedule with the least error of averages over ``steps`` among those known and stable, or None and
    in ``why`` the reason. ``matters``: whether it is worth a change, which is certain; ``gain``: by which part the root
    mean square error falls, to print, None where the model's own schedule has none.
    """

    best: JudgedSchedule | None
    matters: bool = False
    gain: float | None = None
    why: str = ""
    steps: int = STEPS

    def sentence(self) -> str:
        """What follows, in one sentence."""
        over = f"Over {self.steps:,} steps, to first order"
        if self.best is None:
            return f"No schedule is recommended: {self.why}."
        if self.best.candidate.own:
            return f"{over}, the model's own schedule has the smallest error of averages: there is nothing to change."
        if self.gain is None:
            return (
                f"Recommended: {self.best.name}. {self.why}, and {self.best.name} has the smallest error of averages."
            )
        how_much = f"a root mean square error that is {percent(self.gain)} smaller than with the model's own schedule"
        if self.matters:
            return f"Recommended: {self.best.name}. {over}, averages have {how_much}."
        return f"{over}, no change is worth it: with the best, {self.best.name}, averages have {how_much}."


def recommend(rows: Sequence[JudgedSchedule]) -> Recommendation:
    """The recommendation that follows from a comparison, the model's own schedule first."""
    own = next((row for row in rows if row.candidate.own), None)
    known = {row.name: reached for row in rows if _stable(row) and (reached := total(row)) is not None}
    if own is None or not known:
        return Recommendation(None, why="no error of averages is known")
    if all(reached.upper == 0 for reached in known.values()):
        return Recommendation(None, why="averages have no error, to first order, with each for which it is known")
    least = min(known, key=lambda name: (known[name].upper, name != own.name))
    best = next(row for row in rows if row.name == least)
    if own.dynamics is not None and not _stable(own):
        return Recommendation(best, True, why="The model's own schedule is not stable")
    if own.name not in known:
        return Recommendation(None, why="the error of averages with the model's own schedule is not known")
    before, after = known[own.name], known[least]
    if best is not own and not after.surely_below(before):
        best = own
    if best is own:
        return Recommendation(own, gain=0.0)
    worth = after.upper < (1 - MATTERS) ** 2 * before.lower
    return Recommendation(best, worth, 1 - sqrt(max(after.middle / before.middle, 0)))


def smaller(best: Quantity, other: Quantity, root: bool = False, word: str = "smaller") -> str:
    """``12 % smaller``, or ``3.4 times smaller``; of square roots where ``root``."""
    if best.middle <= 0:
        return ""
    ratio = best.middle / other.middle
    ratio = sqrt(ratio) if root else ratio
    return f"{percent(1 - ratio)} {word}" if ratio > 0.5 else f"{1 / ratio:.2g} times {word}"


def steps_to_tell(best: Compared, other: Compared) -> Fraction | None:
    """v/(e′ − e), rounded up by the ends of enclosures; None where it is not known."""
    if best.error is None or other.error is None or best.variance is None or other.variance is None:
        return None
    if not best.error.surely_below(other.error):
        return None
    return max(best.variance.upper, other.variance.upper) / (other.error.lower - best.error.upper)


def percent(part: float) -> str:
    """Two digits: ``0.2 %``, ``31 %``; never all of it unless it is all."""
    return "100 %" if part == 1 else f"{100 * part:.2g} %" if part < 0.995 else "more than 99 %"


def _stable(row: JudgedSchedule) -> bool:
    return row.dynamics is not None and row.dynamics.is_stable


def total(row: JudgedSchedule) -> Quantity | None:
    """e + v/T at T = :data:`STEPS`, None where it is not known."""
    if row.error is None or row.variance is None:
        return None
    return Quantity(row.error.lower + row.variance.lower / STEPS, row.error.upper + row.variance.upper / STEPS)
