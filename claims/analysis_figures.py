"""What the report on a model draws, from the analysis itself."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from typing import Any

from claims.figures import Figure, Series

DRAWN_STATES = 10_000
"""Most states whose values are drawn, and so written into the document a second time."""


def values_figure(document: Mapping[str, Any]) -> tuple[Figure, ...]:
    """The fixed point beside the true value, state by state; nothing where either does not exist."""
    fixed, true = document.get("values_at_fixed_point"), document.get("value")
    if not fixed or not true or len(true) > DRAWN_STATES or None in (*fixed, *true):
        return ()
    states = tuple(map(float, range(len(true))))
    drawn = [tuple(map(_nearest, values)) for values in (true, fixed)]
    if not all(isfinite(y) for values in drawn for y in values):  # beyond floats there is nothing to draw
        return ()
    series = (Series("true value", states, drawn[0]), Series("value at the fixed point", states, drawn[1]))
    caption = "The fixed point of the algorithms beside the true value of the target policy, by state."
    return (Figure("values", None, "Value of each state", "state", "value", series, caption),)


def _nearest(number: str) -> float:
    """``p/q`` of any length, or the midpoint of ``m +/- r``, for drawing: Fraction and int refuse long digits."""
    above, _, below = number.partition(" +/- ")[0].partition("/")
    return float(Decimal(above) / Decimal(below or 1))
