"""pytest as the theorem checker: every run that touches claims ends with a table of what was decided and exercised,
and every run that compares simulations with theory with what it spent of the suite's false-alarm budget.
"""

from __future__ import annotations

import gc
import signal
import threading
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from tdcert.sims.judge.agreement import ASSUMED, TESTS_SHARE, ErrorBudget
from tdcert.theory.threads import one_thread
from tests.effort import IN_FULL
from tests.schemas import watched

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
        elif isinstance(before, int) and isinstance(value, int):
            setattr(self, what, before + value)
        else:
            setattr(self, what, str(value))


@pytest.fixture(scope="session", autouse=True)
def documents_as_their_schemas_say() -> Iterator[None]:
    """Whatever a test writes in its own process is held against the schema of its format."""
    with watched():
        yield


@pytest.fixture
def exercised(request: pytest.FixtureRequest) -> Record:
    """``exercised(claim_id, what, value)`` notes something about a claim for the closing table.

    It travels with the test's report, so it reaches the table from any process.
    """
    properties = request.node.user_properties
    return lambda claim_id, what, value: properties.append(
        ("claim", (claim_id, what, str(value), isinstance(value, int)))
    )


@pytest.fixture
def sketched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every picture is an empty one: for tests of commands that write pages, whose time would go into drawing."""
    if not IN_FULL:
        from tdcert.reports import pictures

        monkeypatch.setattr(pictures, "_drawn", lambda figure, title: '<svg viewBox="0 0 1 1"></svg>')
        monkeypatch.setattr(pictures, "png", lambda figure: b"")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Modules and tests are never garbage: they are not searched for any, neither now nor during the tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


LEDGER = pytest.StashKey[ErrorBudget]()
NOTED = pytest.StashKey[int]()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """``-n auto``: one process for a selection (-k, or files and tests named), else as xdist counts the cores."""
    return 0 if config.option.keyword or config.args_source is pytest.Config.ArgsSource.ARGS else None


def pytest_configure(config: pytest.Config) -> None:
    """One ledger for the run (each process of a distributed run has its own; the closing table adds them up)."""
    one_thread()  # in the processes of a distributed run: threads that wait for work would take time from the others
    config.stash[LEDGER], config.stash[NOTED] = ErrorBudget(TESTS_SHARE), 0
    in_main_thread = threading.current_thread() is threading.main_thread()
    if in_main_thread and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # As shells start programs in the background. The programs that tests start and interrupt would inherit it.
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def error_budget(request: pytest.FixtureRequest) -> ErrorBudget:
    """The tests' part of the suite's false-alarm budget; a comparison that would overspend it fails."""
    return request.config.stash[LEDGER]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """What a test spent travels with its report."""
    if call.when == "call":
        shares = list(item.config.stash[LEDGER].spent.items())
        item.user_properties += [("share", share) for share in shares[item.config.stash[NOTED] :]]
        item.config.stash[NOTED] = len(shares)


def shares_spent(terminalreporter: pytest.TerminalReporter) -> list[tuple[str, str, float]]:
    """(test function, comparison, share) of every comparison of this run, whether it agreed or not."""
    reports = [report for key in ("passed", "failed") for report in terminalreporter.stats.get(key, [])]
    return [
        (report.nodeid.partition("[")[0], *value)
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, value in report.user_properties
        if name == "share"
    ]


def overspent(spent: Sequence[tuple[str, str, float]]) -> bool:
    """Whether comparisons took more than the tests' part; one part in 10^9 is left for the rounding of the sum."""
    return sum(share for *_, share in spent) > TESTS_SHARE * (1 + 1e-9)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A run whose processes together overspend the budget fails."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and overspent(shares_spent(reporter)):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def budget_table(spent: Sequence[tuple[str, str, float]], by_name: bool) -> list[str]:
    """One line per test function, with -v one per comparison; then the sum."""
    rows: dict[str, list[float]] = defaultdict(list)
    for function, comparison, share in spent:
        rows[comparison if by_name else function.removeprefix("tests/")].append(share)
    lines = [
        f"{sum(shares):9.2e}  {name}" + ("" if by_name else f", {len(shares)} of them")
        for name, shares in sorted(rows.items(), key=lambda row: -sum(row[1]))
    ]
    total = sum(share for *_, share in spent)
    verdict = ": OVERSPENT" if overspent(spent) else ""
    return [
        *lines,
        f"{total:9.2e}  in all, of {TESTS_SHARE:.2e} for one run of the tests, over the seeds{verdict}",
    ]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The closing tables."""
    spent = shares_spent(terminalreporter)
    if spent:
        terminalreporter.section("statistical comparisons: false-alarm probability spent")
        for line in budget_table(spent, by_name=terminalreporter.config.get_verbosity() > 0):
            terminalreporter.write_line(line)
        for line in ASSUMED:
            terminalreporter.write_line(f"  {line}")
    write_claims(terminalreporter)
    write_mutants(terminalreporter)
    if overspent(spent):
        terminalreporter.write_line(
            "FAILED: the statistical comparisons of this run overspend (their table above)", red=True
        )


def write_mutants(terminalreporter: pytest.TerminalReporter) -> None:
    """Who caught which mutant, with how many samples, and in what time: one line each."""
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


def write_claims(terminalreporter: pytest.TerminalReporter) -> None:
    """The table of claims, in paper order, from the tests that passed."""
    found: dict[str, Exercise] = defaultdict(Exercise)
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name == "claim":
                claim_id, what, text, is_count = value
                found[claim_id].add(what, int(text) if is_count else text)
    if not found:
        return
    from tdcert.claims.paper import ENTRIES

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
