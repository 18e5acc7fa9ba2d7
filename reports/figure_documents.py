"""Entries of ``figures`` in documents: the numbers that pages and files of figures are made from."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import Annotated, Literal, TypeAlias

from msgspec import Struct

from tdcert.sims.phases.diagram import Panel, PhaseDiagram, kind_of_category
from tdcert.theory.document_types import UNSET, Rational, UnsetType, filled, pattern
from tdcert.theory.figures import Figure, Picture

Stem = Annotated[str, pattern("^[a-z0-9_]+$")]
Curve: TypeAlias = tuple[float | None, ...]
"""Numbers; null stands for what is not finite."""


class SeriesDocument(Struct, frozen=True, kw_only=True):
    """One curve, and maybe the confidence band from `low` to `high` behind it."""

    label: str
    x: tuple[float, ...]
    y: Curve
    low: Curve | None
    high: Curve | None
    marks: Literal["auto", "line", "points"]


class RuleDocument(Struct, frozen=True, kw_only=True):
    """A straight line through the whole plot, at an exact place on an axis."""

    label: str
    at: float | Rational
    axis: Literal["x", "y"]


class FigureDocument(Struct, frozen=True, kw_only=True, tag_field="kind", tag="figure"):
    """A plot of curves."""

    name: Stem
    claim: str | None
    title: str
    caption: str
    x_label: str
    y_label: str
    log_x: bool
    log_y: bool
    series: tuple[SeriesDocument, ...]
    rules: tuple[RuleDocument, ...]
    x_names: tuple[str, ...] | UnsetType = UNSET
    """What stands at x = 1, 2, …, where x counts things that have names."""


class Category(Struct, frozen=True, kw_only=True):
    """What a cell may say; `kind`: of growth."""

    id: str
    label: str
    kind: Literal["dies_out", "grows", "undecided"]


class PhaseDiagramDocument(Struct, frozen=True, kw_only=True, tag_field="kind", tag="phase_diagram"):
    """A grid of cells for each algorithm."""

    name: Stem
    claim: str | None
    title: str
    caption: str
    x_label: str
    y_label: str
    columns: tuple[Fraction, ...]
    rows: tuple[str, ...]
    panels: tuple[Panel, ...]
    categories: tuple[Category, ...]


PictureDocument: TypeAlias = FigureDocument | PhaseDiagramDocument


def figure_document(figure: Picture) -> PictureDocument:
    """An entry of ``figures``. Raises :class:`TypeError` for another kind of picture."""
    if isinstance(figure, PhaseDiagram):
        known = [Category(id=key, label=label, kind=kind_of_category(key)) for key, label in figure.categories]
        return filled(PhaseDiagramDocument, figure, categories=tuple(known))
    if not isinstance(figure, Figure):
        raise TypeError(f"a document has no form for {type(figure).__name__}")
    rules = [filled(RuleDocument, r, at=str(r.at) if isinstance(r.at, Fraction) else r.at) for r in figure.rules]
    series = [
        filled(SeriesDocument, curve, y=_finite(curve.y), low=_finite(curve.low), high=_finite(curve.high))
        for curve in figure.series
    ]
    return filled(FigureDocument, figure, series=tuple(series), rules=tuple(rules), x_names=figure.x_names or UNSET)


def _finite(values: Curve | None) -> Curve | None:
    return None if values is None else tuple(None if x is None or not isfinite(x) else x for x in values)
