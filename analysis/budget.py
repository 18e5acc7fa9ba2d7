"""What an analysis computes unasked, and what it leaves out because its work is estimated beyond a budget.

What somebody asks for by name is always computed. Estimates (:mod:`tdcert.analysis.estimates`) are in seconds of a
processor of 2020 and follow from sizes of the model alone: the same command leaves out the same parts everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tdcert.theory.errors import InputError

SECONDS = 2.0
"""The budget of each part where none is given."""


@dataclass(frozen=True)
class LeftOut:
    """A part that was not computed: ``what``, as the plural subject of a sentence; its estimated ``seconds``, the
    ``budget``, and the ``option`` that asks for the part.
    """

    what: str
    seconds: float
    budget: float
    option: str

    @property
    def why(self) -> str:
        """The reason, and what to do about it."""
        return (
            f"about {self.seconds:.2g} s of work, estimated by sizes, where the budget is {self.budget:g} s; "
            f"{self.option} or --budget {_above(self.seconds)} asks for them"
        )

    @property
    def sentence(self) -> str:
        """What was left out, why, and how to have it."""
        return f"{self.what} were left out: {self.why}"


@dataclass(frozen=True)
class Budget:
    """Estimated ``seconds`` that a part may take which nobody asked for by name; infinite: nothing is left out. Raises
    :class:`InputError` for what is no such number.
    """

    seconds: float = SECONDS

    def __post_init__(self) -> None:
        if not self.seconds >= 0:
            raise InputError(f"the budget is {self.seconds:g} s; give a number from 0 on, or inf to leave nothing out")

    @staticmethod
    def of_words(given: str | float) -> Budget:
        """The budget as ``"10"`` or ``"inf"``. Raises :class:`InputError` for other words."""
        try:
            seconds = float(given)
        except (TypeError, ValueError):
            raise InputError(f"the budget is '{given}'; give seconds, or inf to leave nothing out") from None
        return Budget(seconds)

    def __str__(self) -> str:
        return "any time" if math.isinf(self.seconds) else f"{self.seconds:g} s"

    def beyond(self, what: str, seconds: float, option: str) -> LeftOut | None:
        """The part as one that is left out, None where its estimated ``seconds`` are within the budget."""
        return LeftOut(what, seconds, self.seconds, option) if seconds > self.seconds else None


USUAL = Budget()
"""Where none is given."""
NOTHING, UNBOUNDED = Budget(0), Budget(math.inf)
"""Budgets of what is computed where it is asked for alone, and of what was asked for."""


def _above(seconds: float) -> str:
    """A number of two digits that is not below, and no less than the usual budget: other parts have it too."""
    seconds = max(seconds, SECONDS)
    unit = 10.0 ** (math.floor(math.log10(seconds)) - 1)
    return f"{math.ceil(seconds / unit) * unit:.12g}"
