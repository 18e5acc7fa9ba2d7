"""The table of abilities says what asking says: a cell is answered, or its reason is the one on the page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tdcert.algorithms import NAMES
from tests.docs.programs import program

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "abilities.md").read_text(encoding="utf-8")


def writer() -> Any:
    return program("write_abilities")


WRITER = writer()
OWN = WRITER.OWN
SOME = (
    ("mean dynamics", "tdc"),
    ("all ratios", "td"),
    ("all discounts", OWN),
    ("all constant λ", "gtd2"),
    ("error", "categorical_td"),
    ("κ, bound of the error", "residual_gradient"),
    ("κ, bound of the error", "tdrc"),
    ("largest or safe step", "implicit_td"),
    ("decreasing steps", "true_online_td"),
    ("decreasing steps", OWN),
    ("schedules compared", "gtd2"),
    ("schedules compared", "retrace"),
    ("phase diagram", OWN),
    ("certify (N)", "abtd"),
    ("simulate", OWN),
    ("enclosed", "td"),
    ("many models", OWN),
    ("experiment", OWN),
    ("sparse", "gtd_momentum"),
    ("sparse", "differential_td"),
    ("sparse", "direct_gtd"),
    ("independent draws", "etd"),
    ("independent draws", "direct_gtd"),
    ("independent draws", OWN),
    ("λ by state", "htd"),
    ("interest by state", "vmtdc"),
)


def shown() -> dict[tuple[str, str], str]:
    """Every cell of the page: empty where it is answered, else the reason behind its letter."""
    reasons = dict(re.findall(r"^\* \*\*(\w)\*\*: (.*)$", PAGE, re.M))
    found: dict[tuple[str, str], str] = {}
    names: list[str] = []
    for line in PAGE.splitlines():
        first, *others = [part.strip() for part in line.strip("|").split("|")]
        if line.startswith("| | ") and len(others) > 1:
            names = others
        elif line.startswith("| ") and len(others) == len(names) > 1:
            found |= {
                (first, name): "" if mark == "✓" else reasons[mark] for name, mark in zip(names, others, strict=True)
            }
    return found


def test_every_ability_has_a_cell_for_every_algorithm() -> None:
    assert set(shown()) == {(ability, name) for ability in WRITER.ABILITIES for name in (*NAMES, OWN)}
    assert set(WRITER.ROWS) == set(WRITER.ABILITIES)


def test_no_reason_is_that_nobody_wrote_it() -> None:
    """A reason is about the update or the theorem: none says that code is missing, or that something took too long."""
    for reason in {reason for reason in shown().values() if reason}:
        assert not re.search(r"not written|not implemented|not yet|budget|too many|too large|cannot be", reason)


@pytest.mark.parametrize(("ability", "name"), SOME)
def test_a_cell_is_what_asking_says(ability: str, name: str) -> None:
    assert WRITER.plain(WRITER.cell(ability, name)) == shown()[ability, name]


@pytest.mark.thorough
def test_the_page_is_written_from_every_cell() -> None:
    assert WRITER.page(WRITER.table()) == PAGE, "run python docs/write_abilities.py: abilities.md is old"
