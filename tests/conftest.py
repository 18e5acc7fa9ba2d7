"""pytest as the theorem checker: every run that touches claims ends with a table of what was decided and exercised."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

Record = Callable[[str, str, object], None]


@dataclass
class Exercise:
    """What the tests of this run did with one claim."""

    stated: str = "–"
    corrected: str = "–"
    grade: list[str] = field(default_factory=list)
    models: int = 0
    needed: list[str] = field(default_factory=list)
    not_needed: list[str] = field(default_factory=list)

    def add(self, what: str, value: object) -> None:
        """Take in one record: statuses replace, counts add up, names are collected."""
        before = getattr(self, what)
        if isinstance(before, list):
            if str(value) not in before:
                before.append(str(value))
        else:
            setattr(self, what, before + value if isinstance(before, int) else str(value))


@pytest.fixture
def exercised(request: pytest.FixtureRequest) -> Record:
    """``exercised(claim_id, what, value)`` notes something about a claim for the closing table.

    It travels with the test's report, so it reaches the table from any process.
    """
    properties = request.node.user_properties
    return lambda claim_id, what, value: properties.append(
        ("claim", (claim_id, what, str(value), isinstance(value, int)))
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The table of claims, in paper order, from the tests that passed."""
    found: dict[str, Exercise] = defaultdict(Exercise)
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name == "claim":
                claim_id, what, text, is_count = value
                found[claim_id].add(what, int(text) if is_count else text)
    if not found:
        return
    from claims.paper import ENTRIES

    write = terminalreporter.write_line
    terminalreporter.section("claims: decided by this run")
    write(f"{'claim':<30} {'as printed':<11} {'corrected':<11} {'models':>6}  grades; hypotheses needed / not needed")
    for entry in ENTRIES:
        if entry.id in found:
            row = found[entry.id]
            needed, spare = ", ".join(row.needed) or "none", ", ".join(row.not_needed) or "none"
            grades = "+".join(sorted(row.grade, reverse=True)) or "–"
            write(f"{entry.id:<30} {row.stated:<11} {row.corrected:<11} {row.models:>6}  {grades}; {needed} / {spare}")
    open_count = sum(1 for entry in ENTRIES if entry.is_open)
    write(f"{len(found)} claims exercised, {open_count} of {len(ENTRIES)} still open")
