"""Mistakes in functions of ``right_estimators``, a line each: the function, the old text (which stands there once), the
new text, and a part of the name that the mistake should get, or ``–`` where it is to be caught and has no name in
``sims/estimators/mistakes.py``. ``⏎`` stands for the end of a line.

``mistakes.txt`` holds those that were made while the names were written. ``reported.txt`` holds mistakes as public
issues and pull requests report them. The names were written without them, so they measure how often a name is found
for a mistake that nobody had in mind. The part of a name there is the one that says what the report says, chosen before
the first run; behind it stand where it is reported, and whether the first run gave the ``right`` name, ``none`` or
``another``, as it was then.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROW = re.compile(r"(\w+): `([^`]+)` → `([^`]*)`: (.+?)(?: \((\S+), (right|none|another)\))?")


class Edit(NamedTuple):
    """In ``function``, ``old`` is replaced by ``new``."""

    function: str
    old: str
    new: str
    name: str | None


class Report(NamedTuple):
    """``where`` it is reported; ``found``: whether the first run gave the ``right`` name, ``none`` or ``another``."""

    where: str
    edit: Edit
    found: str


def rows(file: str) -> list[tuple[str | None, ...]]:
    """The parts of each line that is no heading. Raises :class:`ValueError` for one that is not as above."""
    found = []
    for text in Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines():
        if text and not text.startswith("#"):
            if (row := ROW.fullmatch(text)) is None:
                raise ValueError(f"{file}: no mistake: {text!r}")
            found.append(row.groups())
    return found


def edit_of(row: tuple[str | None, ...]) -> Edit:
    function, old, new, name = (str(part).replace("⏎", "\n") for part in row[:4])
    return Edit(function, old, new, None if name == "–" else name)


EDITS = tuple(edit_of(row) for row in rows("mistakes.txt"))
REPORTS = tuple(Report(str(row[4]), edit_of(row), str(row[5])) for row in rows("reported.txt"))
