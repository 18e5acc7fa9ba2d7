"""``tdcert.sims.kernels.lanes`` in NumPy, for processes in which nothing is compiled: there a mutant of the kernels
costs no compilation, and a wrong step can be followed with a debugger.

Lanes and Words are arrays of LANES numbers, Quads arrays of four.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import tdcert.sims.kernels  # noqa: F401 -- with all modules that take lanes from the one below
from tdcert.sims.kernels.records import LANES, QUAD


def load(array: Any, row: Any) -> Any:
    return array[row].copy()


def store(array: Any, row: Any, value: Any) -> None:
    array[row] = value


def entry(array: Any, row: Any, lane: Any) -> Any:
    return array[row, lane]


def fill(value: Any) -> Any:
    return np.full(LANES, value)


def gather(table: Any, places: Any, beyond: Any) -> Any:
    return table[places.astype(np.int64) + beyond]


def scatter(table: Any, places: Any, value: Any) -> None:
    table[places.astype(np.int64)] = value


def below(a: Any, b: Any, first: Any, second: Any) -> Any:
    return np.where(a < b, first, second)


def quad(array: Any, index: Any) -> Any:
    return array[int(index) : int(index) + QUAD].copy()


def put(array: Any, index: Any, value: Any) -> None:
    array[int(index) : int(index) + QUAD] = value


def spread(value: Any) -> Any:
    return np.full(QUAD, value)


def total(value: Any) -> Any:
    while (half := len(value) // 2) > 0:
        value = value[:half] + value[half:]
    return value[0]


def install() -> None:
    """Let the kernels of this process, which must not be compiled, use these; as there, overflow is not an error."""
    np.seterr(over="ignore", invalid="ignore")
    loops = [module for name, module in sys.modules.items() if name.startswith("tdcert.sims.kernels.")]
    for plain in (load, store, entry, fill, gather, scatter, below, quad, put, spread, total):
        for module in loops:
            if hasattr(module, plain.__name__):
                setattr(module, plain.__name__, plain)
