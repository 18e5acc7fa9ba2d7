"""Data of plots: what a figure shows. ``reports`` draws it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Series:
    """One curve: its label and its points."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True)
class Figure:
    """A plot as data. ``name`` is a file stem; ``claim`` the claim it belongs to, if any."""

    name: str
    claim: str | None
    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    caption: str
    log_x: bool = False
    log_y: bool = False
