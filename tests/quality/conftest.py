"""A run that includes mutants ends with their table: who caught which, and in what time."""

from __future__ import annotations

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line a mutant, in the order of the tables."""
    reports = [report for key in ("passed", "failed") for report in terminalreporter.stats.get(key, [])]
    found = [value for report in reports for name, value in report.user_properties if name == "mutant"]
    if not found:
        return
    terminalreporter.section("mutants: caught by")
    for name, by, why, seconds in found:
        terminalreporter.write_line(f"{seconds:5.2f} s  {name:<76} {by or 'NOT CAUGHT: ' + why}")
    caught = sum(1 for _, by, _, _ in found if by)
    total = sum(seconds for *_, seconds in found)
    terminalreporter.write_line(f"{caught} of {len(found)} mutants caught, {total:.0f} s of work on two processes")
