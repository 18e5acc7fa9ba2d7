"""All statistical comparisons again with fresh seeds: ``python -m tests.quality.fresh_seeds --repeats 20``.

    --repeats N     how often (default 20)
    --seed N        the first of the seeds (default: drawn from the machine and printed, so that a run can be repeated)
    --only TEXT     only tests whose id holds the text

Every test that spends from the ``error_budget`` is run, on its models as they are, with the ``SEED`` of its module
replaced: the comparisons of ``tests/sims`` and the simulated halves of the claims. The table has one line for every
comparison: the largest statistic over all repeats (beyond 1 is an alarm) and the number of alarms. Tests that spend
on something else, as those that count what the judge does, are lines without a statistic; their alarms are failures.
Exit code 1 if anything raised an alarm or failed, 2 if nothing was run.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import secrets
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import tdcert.sims.judge.agreement
from tdcert.sims.judge.agreement import Agreement

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Line:
    """What the repeats of one comparison showed."""

    repeats: int = 0
    alarms: int = 0
    largest: float | None = None

    def add(self, statistic: float | None, alarm: bool) -> None:
        """One more repeat; without a statistic for tests that compare something else."""
        self.repeats += 1
        self.alarms += alarm
        if statistic is not None:
            self.largest = max(statistic, self.largest or 0.0)


@dataclass
class FreshSeed:
    """A pytest plugin: keeps the tests that spend from the budget, plants the seed, and notes what they found."""

    seed: int
    only: str
    lines: dict[str, Line]
    judged: list[Agreement] = field(default_factory=list)
    ran: int = 0
    failed: list[str] = field(default_factory=list)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """After collection, when the models have been made from the modules' own seeds."""
        chosen = [i for i in items if "error_budget" in getattr(i, "fixturenames", ()) and self.only in i.nodeid]
        items[:] = chosen
        for module in {id(m): m for m in (getattr(item, "module", None) for item in chosen) if m}.values():
            try:
                plant(module, self.seed)
            except LookupError as error:
                self.failed.append(str(error))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Sort what the test judged by what it spent."""
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            why = (crash.message if crash else str(report.longrepr)).strip().split("\n")[0]
            self.failed.append(f"seed {self.seed}: {report.nodeid}: {why}")
        if report.when != "call":
            return
        self.ran += 1
        properties: list[tuple[str, Any]] = list(report.user_properties)
        found = {agreement.name: agreement for agreement in self.judged}
        self.judged.clear()
        for spender in sorted(value[0] for name, value in properties if name == "share"):
            line = self.lines.setdefault(spender, Line())
            if spender in found:
                line.add(found[spender].statistic, not found[spender].agrees)
            else:
                line.add(None, report.failed)


def plant(module: ModuleType, seed: int) -> None:
    """Replace the seed of a test module. Raises LookupError if it has none: its tests would repeat themselves."""
    if not isinstance(getattr(module, "SEED", None), int):
        raise LookupError(f"{module.__name__} spends from the error budget, but has no SEED to replace; give it one")
    module.SEED = seed  # type: ignore[attr-defined]


def noting(found: list[Agreement], result: Callable[..., Agreement]) -> Callable[..., Agreement]:
    """``Comparison.result``, and a note of what it gave."""

    def noted(*given: Any, **named: Any) -> Agreement:
        agreement = result(*given, **named)
        found.append(agreement)
        return agreement

    return noted


def files() -> list[str]:
    """The test files that may hold such tests."""
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(path) for path in paths if "error_budget: " in path.read_text(encoding="utf-8")]


def repeat(plugin: FreshSeed) -> None:
    """One run of them all, without pytest's own words."""
    plain = tdcert.sims.judge.agreement.MeanTest.result
    try:
        tdcert.sims.judge.agreement.MeanTest.result = noting(plugin.judged, plain)  # type: ignore[method-assign]
        with contextlib.redirect_stdout(io.StringIO()):
            code = pytest.main(["-n0", "-p", "no:cacheprovider", "--tb=line", *files()], plugins=[plugin])
    finally:
        tdcert.sims.judge.agreement.MeanTest.result = plain  # type: ignore[method-assign]
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        plugin.failed.append(f"seed {plugin.seed}: pytest ended with {code!r}")


def table(lines: dict[str, Line]) -> list[str]:
    """Largest statistic first; those without one last."""
    order = sorted(lines.items(), key=lambda item: (-item[1].alarms, -(item[1].largest or 0.0), item[0]))
    rows = [
        f"{'–' if line.largest is None else f'{line.largest:.3f}':>7}  {line.alarms:>6}  {line.repeats:>7}  {name}"
        for name, line in order
    ]
    return [f"{'largest':>7}  {'alarms':>6}  {'repeats':>7}  comparison", *rows]


def main(arguments: Sequence[str]) -> int:
    """Run, print, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.quality.fresh_seeds", description="Fresh seeds for all.")
    parser.add_argument("--repeats", type=int, default=20, metavar="N")
    parser.add_argument("--seed", type=int, default=None, metavar="N")
    parser.add_argument("--only", default="", metavar="TEXT")
    given = parser.parse_args(arguments)
    first = secrets.randbits(31) if given.seed is None else given.seed
    lines: dict[str, Line] = {}
    failed: list[str] = []
    ran, started = 0, time.monotonic()
    for seed in range(first, first + given.repeats):
        plugin = FreshSeed(seed, given.only, lines)
        repeat(plugin)
        ran += plugin.ran
        failed += plugin.failed
        print(f"seed {seed}: {plugin.ran} tests, {len(plugin.failed)} failed", file=sys.stderr, flush=True)
    print(*table(lines), *failed, sep="\n")
    alarms = sum(line.alarms for line in lines.values())
    print(
        f"{len(lines)} comparisons, {given.repeats} repeats from seed {first}: {alarms} alarms; "
        f"{ran} tests, {len(failed)} failed; {time.monotonic() - started:.0f} s"
    )
    if not ran:
        return 2
    return 1 if alarms or failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
