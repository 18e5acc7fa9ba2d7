"""How much the tests try: by default what takes a part of the time, and all where ``TESTS_IN_FULL`` is set.
Mutants are always tried on all of it (``tests/quality/runner.py``)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import pytest

IN_FULL = bool(os.environ.get("TESTS_IN_FULL"))


def examples(most: int) -> int:
    """How many examples a property test tries: ``most``, or a fifth of them."""
    return most if IN_FULL else -(-most // 5)


def by_default(count: int, rows: Iterable[Any]) -> list[Any]:
    """Rows of a parametrisation: ``count`` in every run, the others, which ask the same again, marked ``thorough``."""
    return [row if k < count else _marked(row) for k, row in enumerate(rows)]


def later(rows: Iterable[Any], which: Callable[[Any], bool]) -> list[Any]:
    """Rows of a parametrisation, those that ``which`` picks out marked ``thorough``."""
    return [_marked(row) if which(row) else row for row in rows]


def _marked(row: Any) -> Any:
    return pytest.param(*(row if isinstance(row, tuple) else (row,)), marks=pytest.mark.thorough)
