"""A number as the advice compares and prints it: exact, or known up to a radius."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from claims.enclosures import texts
from theory.arithmetic import BallMatrix
from theory.arithmetic.midrad import MidRadMatrix


@dataclass(frozen=True)
class Quantity:
    """A number between ``lower`` and ``upper``; ``text`` is how documents write it, ``"p/q"`` or ``"m +/- r"``."""

    lower: Fraction
    upper: Fraction
    text: str

    @staticmethod
    def exact(value: Fraction) -> Quantity:
        """A rational."""
        return Quantity(value, value, str(value))

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
        """For plots."""
        return float((self.lower + self.upper) / 2)

    def surely_below(self, other: Quantity) -> bool:
        """Whether it is smaller than another whatever the errors are."""
        return self.upper < other.lower

    def equals(self, other: Quantity) -> bool:
        """Whether both are known to be one number."""
        return self.lower == self.upper == other.lower == other.upper


def text_of(quantity: Quantity | None) -> Any:
    """As a document holds it; null for what is not known."""
    return None if quantity is None else quantity.text
