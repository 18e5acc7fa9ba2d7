"""Numbers known up to a radius, as text: ``"0.25 +/- 1.22e-17"``, which Arb reads back as it stands.

The text encloses what the floats enclose. A midpoint is printed as the shortest decimal that rounds to it, which lies
within half the distance to the next float; this joins the radius, and the radius is printed rounded up.
"""

from __future__ import annotations

from decimal import Decimal
from math import inf, nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SMALLEST_RADIUS = 1e-300
"""Radii below it are printed as it, so that no rounding of tiny numbers has to be argued."""


def texts(mid: Floats, rad: Floats) -> list[Any]:
    """Each entry as text, nested as the arrays (one shape) are; None where the radius is infinite."""
    if mid.ndim > 1:
        return [texts(m, r) for m, r in zip(mid, rad, strict=True)]
    # Two roundings, and the 0.5 % that two decimals may round down by, against the factor 1.01.
    with np.errstate(over="ignore", under="ignore"):
        half_an_ulp = np.spacing(np.abs(mid) / 2)
        shown = np.maximum((rad + half_an_ulp) * 1.01, _SMALLEST_RADIUS)
    return [_text(*entry) for entry in zip(mid.tolist(), rad.tolist(), shown.tolist(), strict=True)]


def lower(value: float) -> str:
    """A decimal that is at most the float."""
    text = _plain(value)
    return text if Decimal(text) <= Decimal(value) else _plain(nextafter(value, -inf))


def upper(value: float) -> str:
    """A decimal that is at least the float."""
    text = _plain(value)
    return text if Decimal(text) >= Decimal(value) else _plain(nextafter(value, inf))


def _text(mid: float, rad: float, shown: float) -> str | None:
    if not (np.isfinite(mid) and shown < np.inf):
        return None
    text = _plain(mid)
    if rad == 0 and Decimal(text) == Decimal(mid):
        return text
    return f"{text} +/- {shown:.2e}"


def _plain(value: float) -> str:
    """The shortest decimal that rounds to the float, whole numbers without a point."""
    text = repr(value)
    return (text[:-2] if text.endswith(".0") else text) if value else "0"
