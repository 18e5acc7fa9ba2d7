"""Transitions in a file: CSV with a header, or an archive of NumPy, with the columns of a log."""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from tdcert.theory.errors import InputError
from tdcert.theory.files.numerals import quoted

TRUTHS = {"0": False, "1": True, "false": False, "true": True, "": False}


def read_columns(path: str | PathLike[str]) -> Mapping[str, np.ndarray[Any, Any]]:
    """The columns of a file, by name: whole numbers, but for rewards and truths. Raises :class:`InputError`."""
    place = Path(path)
    try:
        if place.suffix == ".npz":
            with np.load(place, allow_pickle=False) as archive:
                return {name: archive[name] for name in archive.files}
        with place.open(encoding="utf-8", newline="") as lines:
            header, *rows = [row for row in csv.reader(lines) if row] or [[]]
    except (OSError, ValueError, EOFError, csv.Error, zipfile.BadZipFile) as error:
        why = getattr(error, "strerror", None) or "it is no CSV file and no archive of NumPy"
        raise InputError(f"the transitions {quoted(str(path))} cannot be read ({why})") from None
    names = [name.strip() for name in header]
    if "states" not in names:
        raise InputError(f"the first line of {quoted(str(path))} does not name the column states; give a header")
    odd = next((i for i, row in enumerate(rows, start=2) if len(row) != len(names)), None)
    if odd is not None:
        raise InputError(f"line {odd} of {quoted(str(path))} has not the {len(names)} values that its header names")
    columns = zip(names, zip(*rows, strict=True) if rows else [()] * len(names), strict=True)
    return {name: np.array([_read(name, cell.strip()) for cell in cells]) for name, cells in columns}


def _read(name: str, cell: str) -> int | float | bool:
    try:
        if name in ("terminated", "truncated"):
            return TRUTHS[cell.lower()]
        return float(cell) if name == "rewards" else int(cell)
    except (KeyError, ValueError):
        raise InputError(f"the column '{name}' holds {quoted(cell)}; give numbers, and 0 or 1 for truths") from None
