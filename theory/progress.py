"""How long work tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int, str], None]
"""Told how many steps are done, of how many, and what the next one is."""


def silently(done: int, total: int, what: str) -> None:
    """Shows none."""
