"""pytest as the theorem checker: every run that touches claims ends with a table of what was decided and exercised."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest


@dataclass
class Exercise:
    """What the tests of this run did with one claim."""

    stated: str = "–"
    corrected: str = "–"
    grades: set[str] = field(default_factory=set)
    models: int = 0
    needed: list[str] = field(default_factory=list)
    not_needed: list[str] = field(default_factory=list)


EXERCISED = pytest.StashKey[dict[str, Exercise]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[EXERCISED] = defaultdict(Exercise)


@pytest.fixture
def exercised(request: pytest.FixtureRequest) -> Callable[[str], Exercise]:
    """The record of one claim, by id; tests fill it in, the closing table shows it."""
    return request.config.stash[EXERCISED].__getitem__


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The table of claims, in paper order."""
    found = config.stash[EXERCISED]
    if not found:
        return
    from claims.paper import ENTRIES

    write = terminalreporter.write_line
    terminalreporter.section("claims: decided by this run")
    write(f"{'claim':<30} {'as printed':<11} {'corrected':<11} {'models':>6}  grades; hypotheses needed / not needed")
    for entry in ENTRIES:
        if entry.id in found:
            row = found[entry.id]
            grades = "+".join(sorted(row.grades, reverse=True)) or "–"
            needed, spare = ", ".join(row.needed) or "none", ", ".join(row.not_needed) or "none"
            write(f"{entry.id:<30} {row.stated:<11} {row.corrected:<11} {row.models:>6}  {grades}; {needed} / {spare}")
    open_count = sum(1 for entry in ENTRIES if entry.is_open)
    write(f"{len(found)} claims exercised, {open_count} of {len(ENTRIES)} still open")
