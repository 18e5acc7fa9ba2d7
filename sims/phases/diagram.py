"""A phase diagram as data: a grid of cells for each algorithm, and the boundaries drawn through it.

Columns are values of one number (a discount), rows are schedules. ``reports`` draws it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

SIMULATED = "*"
"""Beside a sign of paths that was simulated."""
GROWING = frozenset({"heavy", "paths_grow", "mean_grows", "diverges", "growth_open"})
"""Categories in which something is known to grow, or not to die out."""
OPEN = frozenset({"open", "undecided"})
"""Categories in which it is not known whether anything grows."""

Place = tuple[Fraction, Fraction]
"""An interval of the x axis: a point where both ends are equal, or so close that nobody sees the difference."""


def kind_of_category(category: str) -> Literal["dies_out", "grows", "undecided"]:
    """What a category says of growth: ``grows``, ``undecided`` or ``dies_out``."""
    return "grows" if category in GROWING else "undecided" if category in OPEN else "dies_out"


@dataclass(frozen=True)
class DiagramCell:
    """``category``: the id of one of the diagram's; ``text``: a few signs; ``detail``: the same in words."""

    category: str
    text: str
    detail: str


@dataclass(frozen=True)
class Boundary:
    """For each row the intervals of the x axis in which something changes; ``label`` says what, and how it is known."""

    label: str
    places: tuple[tuple[Place, ...], ...]


@dataclass(frozen=True)
class Panel:
    """``cells[row][column]`` of one algorithm, and its boundaries."""

    title: str
    cells: tuple[tuple[DiagramCell, ...], ...]
    boundaries: tuple[Boundary, ...]


@dataclass(frozen=True)
class PhaseDiagram:
    """``columns`` increase; ``categories``: (id, label) in the order of the legend.

    Raises ValueError where cells, rows, columns, boundaries and categories do not fit together.
    """

    name: str
    claim: str | None
    title: str
    caption: str
    x_label: str
    y_label: str
    columns: tuple[Fraction, ...]
    rows: tuple[str, ...]
    panels: tuple[Panel, ...]
    categories: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        if not (self.columns and self.rows and self.panels):
            raise ValueError(f"the diagram {self.name} has no cells")
        if any(a >= b for a, b in pairwise(self.columns)):
            raise ValueError(f"the columns of {self.name} do not increase")
        known = {category for category, _ in self.categories}
        for panel in self.panels:
            if len(panel.cells) != len(self.rows) or any(len(row) != len(self.columns) for row in panel.cells):
                raise ValueError(f"the panel '{panel.title}' of {self.name} is not rows × columns")
            if any(cell.category not in known for row in panel.cells for cell in row):
                raise ValueError(f"the panel '{panel.title}' of {self.name} has a cell of no category")
            for boundary in panel.boundaries:
                if len(boundary.places) != len(self.rows):
                    raise ValueError(f"the boundary '{boundary.label}' of {self.name} does not have a place a row")
                if any(low > high for row in boundary.places for low, high in row):
                    raise ValueError(f"the boundary '{boundary.label}' of {self.name} is upside down")
