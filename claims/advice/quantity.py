"""A number as the advice compares and prints it: exact, or known up to a radius."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from claims.enclosures import lower, texts, upper
from theory.arithmetic import BallMatrix
from theory.arithmetic.midrad import MidRadMatrix
from theory.arithmetic.rational import to_fmpq
from theory.check.mean_dynamics import MeanDynamics


@dataclass(frozen=True)
class Quantity:
    """A number between ``lower`` and ``upper``; ``text`` is how documents write it, ``"p/q"`` or ``"m +/- r"``."""

    lower: Fraction
    upper: Fraction
    text: str

    @staticmethod
    def exact(value: Fraction) -> Quantity:
        """A rational."""
        return Quantity(value, value, digits(value))

    @staticmethod
    def of(entry: Fraction | MidRadMatrix | BallMatrix) -> Quantity | None:
        """A rational, or the one entry of a 1×1 enclosure; None where its radius is infinite."""
        if isinstance(entry, Fraction):
            return Quantity.exact(entry)
        mid, rad = entry.to_float(), entry.radius()
        (text,) = texts(np.ravel(mid), np.ravel(rad))
        if text is None:
            return None
        middle, radius = Fraction(float(mid[0, 0])), Fraction(float(rad[0, 0]))
        return Quantity(middle - radius, middle + radius, text)

    @property
    def middle(self) -> float:
        """For plots; infinite beyond the range of floats."""
        try:
            return float((self.lower + self.upper) / 2)
        except OverflowError:
            return inf

    def surely_below(self, other: Quantity) -> bool:
        """Whether it is smaller than another whatever the errors are."""
        return self.upper < other.lower

    def equals(self, other: Quantity) -> bool:
        """Whether both are known to be one number."""
        return self.lower == self.upper == other.lower == other.upper


def text_of(quantity: Quantity | None) -> Any:
    """As a document holds it; null for what is not known."""
    return None if quantity is None else quantity.text


def digits(value: Fraction) -> str:
    """``p/q``, however long: Python's own integers refuse more than 4,300 digits."""
    return str(to_fmpq(value))


@dataclass(frozen=True)
class Pace:
    """What the mean dynamics of one algorithm do, and the ends of their rate with how documents write them."""

    mean_dynamics: MeanDynamics
    rate: tuple[Fraction, Fraction] | None = None
    texts: tuple[str, str] | None = None

    @staticmethod
    def exact(mean_dynamics: MeanDynamics, rate: tuple[Fraction, Fraction] | None) -> Pace:
        """Ends that are rationals."""
        return Pace(mean_dynamics, rate, None if rate is None else (digits(rate[0]), digits(rate[1])))

    @staticmethod
    def enclosed(mean_dynamics: MeanDynamics, rate: tuple[float, float] | None) -> Pace:
        """Ends that are floats."""
        if rate is None:
            return Pace(mean_dynamics)
        return Pace(mean_dynamics, (Fraction(rate[0]), Fraction(rate[1])), (lower(rate[0]), upper(rate[1])))

    @property
    def is_stable(self) -> bool:
        """Whether predictions converge."""
        return self.mean_dynamics in (MeanDynamics.STABLE, MeanDynamics.STABLE_MODULO_NULL_SPACE)

    def document(self) -> dict[str, Any]:
        """As analysis.json holds it."""
        ends = None if self.texts is None else {"lower": self.texts[0], "upper": self.texts[1]}
        return {"mean_dynamics": self.mean_dynamics, "rate": ends}
