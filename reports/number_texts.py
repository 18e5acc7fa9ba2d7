"""Numbers as the text of documents and pages: ``"p/q"``, or ``"0.25 +/- 1.22e-17"`` up to a radius.

Arb reads the latter back as it stands. The text encloses what the floats enclose. A midpoint is printed as the shortest
decimal that rounds to it, which lies within half the distance to the next float; this joins the radius, and the radius
is printed rounded up.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite, nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdcert.analysis.facts import Quantity, Rate, Values
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq

Floats = NDArray[np.float64]

_SMALLEST_RADIUS = 1e-300
"""Radii below it are printed as it, so that no rounding of tiny numbers has to be argued."""


def digits(value: Fraction) -> str:
    """``p/q``, however long: Python's own integers refuse more than 4,300 digits."""
    return str(to_fmpq(value))


def number(quantity: Quantity | None) -> str | None:
    """``"p/q"`` where it is exact, else ``"m +/- r"``; None for what is not known."""
    if quantity is None:
        return None
    if quantity.enclosure is None:
        return digits(quantity.lower)
    mid, rad = quantity.enclosure
    return str(texts(np.array([mid]), np.array([rad]))[0])


def matrix(values: Values | None) -> list[Any] | None:
    """Rows of numbers."""
    if values is None:
        return None
    return values.to_strings() if isinstance(values, RationalMatrix) else texts(*values)


def column(values: Values | None, most: int | None = None) -> list[Any] | None:
    """One number for each row, of the first ``most`` of them."""
    if values is None:
        return None
    if isinstance(values, RationalMatrix):
        return [row[0] for row in values.to_strings()[:most]]
    return texts(values[0].ravel()[:most], values[1].ravel()[:most])


def rate(found: Rate | None) -> dict[str, str] | None:
    """Both ends, those of an enclosure rounded outward."""
    if found is None:
        return None
    low, high = found
    if isinstance(low, Fraction) and isinstance(high, Fraction):
        return {"lower": digits(low), "upper": digits(high)}
    return {"lower": lower(float(low)), "upper": upper(float(high))}


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
    if not (isfinite(mid) and shown < inf):
        return None
    text = _plain(mid)
    if rad == 0 and Decimal(text) == Decimal(mid):
        return text
    return f"{text} +/- {shown:.2e}"


def _plain(value: float) -> str:
    """The shortest decimal that rounds to the float, whole numbers without a point."""
    text = repr(value)
    return (text[:-2] if text.endswith(".0") else text) if value else "0"
