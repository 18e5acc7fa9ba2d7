"""Pictures as data: what a figure shows. ``reports`` draws it, and writes its numbers into documents."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol

Marks = Literal["auto", "line", "points"]
_NAME = re.compile(r"[a-z0-9_]+")


class Picture(Protocol):
    """What reports draw: a :class:`Figure` here, or a phase diagram."""

    @property
    def name(self) -> str:
        """A file stem, the picture's own in its document."""

    @property
    def claim(self) -> str | None:
        """The id of the claim it belongs to, if any."""

    @property
    def title(self) -> str:
        """What the picture shows, in a few words."""

    def __hash__(self) -> int:
        """The hash of all that the picture shows: it is drawn once, however often it is asked for."""


@dataclass(frozen=True)
class Series:
    """One curve: its label and n points, and maybe a confidence band from ``low`` to ``high`` behind it.

    ``marks``: ``line``, ``points``, or ``auto``: a line, its points marked where they are few. A y that is not finite
    is a gap. Raises ValueError for lengths that differ, half a band, or one upside down.
    """

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None
    marks: Marks = "auto"

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y):
            raise ValueError(f"the series '{self.label}' has {len(self.x)} x and {len(self.y)} y")
        if not all(map(math.isfinite, self.x)):
            raise ValueError(f"the series '{self.label}' has an x that is not finite")
        if (self.low is None) != (self.high is None):
            raise ValueError(f"the band of the series '{self.label}' has one side only")
        if self.low is not None and self.high is not None:
            if not len(self.low) == len(self.high) == len(self.y):
                raise ValueError(f"the band of the series '{self.label}' is not as long as its curve")
            if any(low > high for low, high in zip(self.low, self.high, strict=True)):
                raise ValueError(f"the band of the series '{self.label}' is upside down")

    @staticmethod
    def through(label: str, points: Iterable[tuple[float, float]], marks: Marks = "auto") -> Series:
        """The curve through these points, each an x and a y."""
        held = tuple(points)
        return Series(label, tuple(x for x, _ in held), tuple(y for _, y in held), marks=marks)


@dataclass(frozen=True)
class Rule:
    """A straight line through the whole plot, at an exact place: vertical at an ``x``, or horizontal at a ``y``.

    Raises ValueError for a place that is not finite.
    """

    label: str
    at: Fraction | float
    axis: Literal["x", "y"] = "x"

    def __post_init__(self) -> None:
        if not math.isfinite(self.at):
            raise ValueError(f"the rule '{self.label}' stands at no finite place")


@dataclass(frozen=True)
class Figure:
    """A plot of curves. ``name`` is a file stem; ``claim`` the claim it belongs to, if any; ``x_names``: what stands at
    x = 1, 2, … and next to it, where x counts things that have names.

    Raises ValueError for another name, for a rule where a logarithmic axis does not reach, and for an x without a name
    beside others that have one.
    """

    name: str
    claim: str | None
    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    caption: str
    log_x: bool = False
    log_y: bool = False
    rules: tuple[Rule, ...] = ()
    x_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        places = range(1, len(self.x_names) + 1)
        if self.x_names and not all(round(x) in places for series in self.series for x in series.x):
            raise ValueError(f"{self.name} has {len(self.x_names)} names of x, and an x that is none of theirs")
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"'{self.name}' is not a name of a figure: small letters, digits and _ alone")
        for rule in self.rules:
            if rule.at <= 0 and (self.log_x if rule.axis == "x" else self.log_y):
                raise ValueError(f"the rule '{rule.label}' of {self.name} stands outside of a logarithmic axis")
