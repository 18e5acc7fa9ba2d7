"""Curves of figures, from numbers of any kind."""

from collections.abc import Iterable
from typing import Any, Literal

from tdcert.theory.figures import Series

Numbers = Iterable[Any]


def curve(label: str, x: Numbers, y: Numbers, marks: Literal["auto", "line", "points"] = "auto") -> Series:
    """A curve through n points."""
    return Series(label, _floats(x), _floats(y), marks=marks)


def points(label: str, x: Numbers, y: Numbers) -> Series:
    """The points alone."""
    return curve(label, x, y, "points")


def band(label: str, x: Numbers, bands: Iterable[Numbers]) -> Series:
    """A line with its band: ``bands`` are the lower end, the line and the upper end."""
    low, middle, high = map(_floats, bands)
    return Series(label, _floats(x), middle, low, high, "line")


def _floats(values: Numbers) -> tuple[float, ...]:
    return tuple(map(float, values))
