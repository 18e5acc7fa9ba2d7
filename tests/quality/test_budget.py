"""The suite's false-alarm budget as pytest keeps it: printed by name, and a run that overspends it fails."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tdcert.sims.judge.agreement import ASSUMED, SUITE_TOTAL, TESTS_SHARE, VERIFY_SHARE
from tests.conftest import (
    LEDGER,
    budget_table,
    pytest_configure,
    pytest_runtest_makereport,
    pytest_sessionfinish,
    pytest_terminal_summary,
)


def test_tests_and_verify_share_the_suites_budget() -> None:
    assert TESTS_SHARE + VERIFY_SHARE <= SUITE_TOTAL == 1e-6


def session(*shares: float) -> Any:
    """A finished run of two tests that spent these shares."""
    reports = [
        SimpleNamespace(nodeid=f"tests/a.py::test_{k % 2}[{k}]", when="call", user_properties=[("share", (f"c{k}", x))])
        for k, x in enumerate(shares)
    ]
    reporter = SimpleNamespace(stats={"passed": reports[1:], "failed": reports[:1]})
    manager = SimpleNamespace(get_plugin=lambda name: reporter)
    return SimpleNamespace(config=SimpleNamespace(pluginmanager=manager), exitstatus=pytest.ExitCode.OK)


@pytest.mark.parametrize(("shares", "code"), [([2e-7, 2e-7], 0), ([2e-7, 2e-7, 2e-7], 1)])
def test_processes_that_overspend_together_fail_the_run(shares: list[float], code: int) -> None:
    run = session(*shares)
    pytest_sessionfinish(run)
    assert run.exitstatus == code


def test_the_table_names_every_share_and_the_sum() -> None:
    one, two = "tests/a.py::test_one", "tests/b.py::test_two"
    spent = [(one, "x", 1e-7), (one, "y", 2e-7), (two, "z", 3e-7)]
    short, long = budget_table(spent, by_name=False), budget_table(spent, by_name=True)
    assert short[:2] == [" 3.00e-07  a.py::test_one, 2 of them", " 3.00e-07  b.py::test_two, 1 of them"]
    assert [line.split() for line in long[:3]] == [["3.00e-07", "z"], ["2.00e-07", "y"], ["1.00e-07", "x"]]
    assert short[-1] == long[-1] and short[-1].startswith(" 6.00e-07") and short[-1].endswith("OVERSPENT")
    assert not budget_table(spent[:1], by_name=False)[-1].endswith("OVERSPENT")


def test_what_the_rates_assume_is_printed_below_them() -> None:
    lines: list[str] = []
    reporter = session(1e-7).config.pluginmanager.get_plugin("")
    reporter.section, reporter.write_line = lines.append, lines.append
    reporter.config = SimpleNamespace(get_verbosity=lambda: 0)
    pytest_terminal_summary(reporter)
    assert [line.strip() for line in lines[-len(ASSUMED) :]] == list(ASSUMED)


def test_what_a_test_spends_is_noted_with_it_once() -> None:
    config = SimpleNamespace(stash=pytest.Stash())
    pytest_configure(config)  # type: ignore[arg-type]
    item = SimpleNamespace(config=config, user_properties=[])
    config.stash[LEDGER].spend("a", 1e-9)
    for when in ("setup", "call", "teardown", "call"):
        pytest_runtest_makereport(item, SimpleNamespace(when=when))  # type: ignore[arg-type]
    assert item.user_properties == [("share", ("a", 1e-9))]
