"""Numbers made readable: rational strings to decimals, correctly rounded, of any length; and midpoints with radii.

Python's own integers refuse more than 4,300 digits in a string; :mod:`decimal` does not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal, Inexact, InvalidOperation
from fractions import Fraction

_DECIMAL = r"\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_RATIONAL = re.compile(rf"(-?{_DECIMAL})(?:/(\d+))?(?: \+/- ({_DECIMAL}))?")
_ROUNDING = {"nearest": ROUND_HALF_EVEN, "down": ROUND_FLOOR, "up": ROUND_CEILING}
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def quotient(value: object, digits: int = 17, rounding: str = "nearest") -> tuple[Decimal, bool] | None:
    """``p/q``, ``p`` or a decimal to so many significant digits, and whether that is exact; None for other text.

    Of a number known up to a radius, ``m +/- r``, the midpoint; that is never exact.
    """
    match = _RATIONAL.fullmatch(str(value)) if isinstance(value, str | int) else None
    if not match or isinstance(value, bool):
        return None
    context = Context(prec=digits, rounding=_ROUNDING[rounding])
    try:
        result = context.divide(Decimal(match[1]), Decimal(match[2] or 1))
    except (ArithmeticError, InvalidOperation):
        return None
    return result, not context.flags[Inexact] and not match[3]


def to_float(value: object) -> float:
    """For plots: the nearest float, NaN for what is not a rational (or lies beyond the range of floats)."""
    found = quotient(value)
    number = float(found[0]) if found else float("nan")
    return number if abs(number) < 1e300 else float("nan")


def decimal(value: object, digits: int = 6, rounding: str = "nearest") -> str:
    """A rational as a decimal of at most ``digits`` significant digits; other text as it is, None as a dash.

    ``rounding`` is ``nearest``, or ``down`` and ``up`` for the ends of an enclosure.
    """
    if value is None:
        return "–"
    found = quotient(value, digits, rounding)
    if found is None:
        return shortened(str(value))
    radius = radius_of(value)
    seen = radius is not None and radius > abs(found[0]).scaleb(-digits)
    return _written(found[0], digits) + (f" ± {_written(radius, 2)}" if radius is not None and seen else "")


def between(rate: Mapping[str, str], digits: int = 4) -> str:
    """An enclosure {lower, upper} as one decimal where both ends round to it, else as both, rounded outward."""
    nearest = {decimal(rate[end], digits) for end in ("lower", "upper")}
    if len(nearest) == 1:
        return nearest.pop()
    return f"{decimal(rate['lower'], digits, 'down')} to {decimal(rate['upper'], digits, 'up')}"


def time_constant(rate: tuple[Fraction, Fraction] | None) -> str | None:
    """1/|rate| of an enclosed rate, as :func:`between`; None where it is not known or may be zero."""
    if rate is None or rate[0] <= 0 <= rate[1]:
        return None
    low, high = sorted(1 / abs(end) for end in rate)
    return between({"lower": str(low), "upper": str(high)}, 3)


def listed(values: Sequence[object], most: int, digits: int = 6) -> str:
    """So many of the numbers as decimals, and how many there are where that is not all."""
    shown = ", ".join(decimal(value, digits) for value in values[:most])
    return shown + (f", … ({len(values)} in all)" if len(values) > most else "")


def radius_of(value: object) -> Decimal | None:
    """The radius of a number known up to one, with two digits, rounded up; None for exact numbers and other text."""
    match = _RATIONAL.fullmatch(value) if isinstance(value, str) else None
    return Context(prec=2, rounding=ROUND_CEILING).create_decimal(match[3]) if match and match[3] else None


def exact_or_decimal(value: object) -> str:
    """The rational itself where it is short; otherwise its decimal, marked as rounded, or with its radius."""
    text = str(value)
    found = quotient(value)
    radius = radius_of(value)
    if found is not None and radius is not None:
        return f"{_written(found[0], 17)} ± {_written(radius, 2)}"
    if found is None or len(text) <= 15:
        return shortened(text).replace("-", "−") if found else shortened(text)
    rounded = quotient(value, 6)
    return decimal(value) if rounded and rounded[1] else "≈ " + decimal(value)


def probability(value: float) -> str:
    """A small probability with two significant digits, rounded up: it is a bound."""
    context = Context(prec=2, rounding=ROUND_CEILING)
    # A sum of floats may exceed the sum of the decimals they print in its last place: that is not a third digit.
    return _written(context.plus(Decimal(f"{value:.12g}")), 2)


def shortened(text: str, limit: int = 120) -> str:
    """Text cut in the middle, with its length, where it is longer than ``limit``."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]} … {text[-half:]} ({len(text):,} characters)"


def _written(number: Decimal, digits: int) -> str:
    if not number:
        return "0"
    sign, figures, exponent = number.normalize(Context(prec=digits)).as_tuple()
    assert isinstance(exponent, int)
    leading = exponent + len(figures) - 1
    if -5 <= leading < max(digits, 9):
        text = f"{abs(number):f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        text = str(figures[0]) + ("." + "".join(map(str, figures[1:])) if len(figures) > 1 else "")
        text += "×10" + str(leading).translate(_SUPERSCRIPT)
    return ("−" if sign else "") + text
