"""For which values there is stability, drawn as one line: high where there is, low where there is none."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tdcert.analysis.for_all import written
from tdcert.theory.engine.for_all_values import ForAllValues

WIDTH, HEIGHT = 300.0, 16.0
"""Pixels."""
POINT = 2.0
"""Pixels of one value."""
KINDS = {True: ("stable", 12.0), False: ("unstable", 4.0), None: ("undecided", 8.0)}
"""How each answer is drawn, and how high."""


@dataclass(frozen=True)
class Bar:
    """A stretch of values: its box, its kind, and what it says."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    title: str


def bars(found: ForAllValues) -> tuple[Bar, ...]:
    """The stretches from left to right, then single values, as high as the line and on top of all others.

    Without end, x is drawn at x/(1 + x).
    """
    upper, drawn = found.domain.upper, list[Bar]()
    for one in sorted(found.stretches, key=lambda one: one.left == one.right):
        left, right = (None if end is None else (end.low + end.high) / 2 for end in (one.left, one.right))
        a, b = (_place(x, upper) for x in (left, right))
        kind, height = KINDS[one.stable]
        if one.left == one.right:
            a, height = min(max(0.0, a - POINT / 2), WIDTH - POINT), HEIGHT
            b = a + POINT
        drawn.append(Bar(round(a, 2), HEIGHT - height, round(b - a, 2), height, kind, f"{kind} for {written(one)}"))
    return tuple(drawn)


def _place(x: Fraction | None, upper: Fraction | None) -> float:
    if x is None:
        return WIDTH
    return WIDTH * float(x / (1 + x) if upper is None else x / upper)
