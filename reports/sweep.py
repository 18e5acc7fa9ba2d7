"""The command ``tdcert sweep``: reads the spec, chooses an engine, runs, writes the answer beside the shards."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tdcert.reports import terminal
from tdcert.reports.documents import json_bytes
from tdcert.reports.labels import counted
from tdcert.reports.latex_to_text import plain
from tdcert.theory.errors import InputError

if TYPE_CHECKING:
    from tdcert.sweeps.engines import Engine
    from tdcert.sweeps.run import Outcome, Progress

_UNITS = {"h": 3600, "m": 60, "s": 1}
_BUDGET = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?")
_QUIET_SECONDS = 15.0
_SHOWN_ROWS = 40


@dataclass(frozen=True)
class Ended:
    """How a sweep ended: whether by Ctrl-C, and what of its answer contradicts the theory."""

    interrupted: bool
    unexpected: tuple[str, ...]


def sweep(
    spec_path: str, out: Path | None, workers: int | None, scheduler: str | None, budget: str | None, as_json: bool
) -> Ended:
    """Runs a sweep to its end, its budget's or Ctrl-C, and writes its folder.

    Raises :class:`InputError` for anything it cannot begin or go on with; finished shards are kept then, and the same
    command goes on from them.
    """
    seconds = None if budget is None else seconds_of(budget)
    require("pyarrow", extra="sweep")
    if find_spec("fcntl") is None:
        raise InputError("sweeps lock their folder in a way that Windows has not; run them on Linux, macOS or WSL")
    from tdcert.sweeps.folder import SweepFolder
    from tdcert.sweeps.run import run
    from tdcert.sweeps.spec import read_spec

    spec = read_spec(spec_path)
    engine = engine_of(workers, scheduler)
    place = out or Path(f"sweep-{spec.name}")
    with SweepFolder(place, spec) as folder:
        for sentence in folder.damaged:
            terminal.complain(sentence)
        with progress(f"{spec.name}: starting") as on_progress:
            outcome = run(folder, engine, seconds, on_progress)
        from tdcert.reports.sweep_page import sweep_files

        folder.answer(sweep_files(outcome.document, outcome.result.files))
    if as_json:
        terminal.emit(json_bytes(outcome.document).decode("ascii"))
    else:
        _say(outcome, place)
    return Ended(outcome.interrupted, outcome.result.unexpected)


def engine_of(workers: int | None, scheduler: str | None) -> Engine:
    """Who does the work. Raises :class:`InputError` for a contradiction or a missing extra."""
    if scheduler is not None:
        if workers is not None:
            raise InputError("--workers and --scheduler exclude each other; the scheduler's workers do all the work")
        require("distributed", extra="cluster")
        from tdcert.sweeps.cluster import cluster

        return partial(cluster, address=scheduler)
    from tdcert.sweeps.engines import inline, processes

    asked = available() if workers is None else workers
    return inline if asked == 1 else partial(processes, workers=asked)


def available() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def seconds_of(budget: str) -> float:
    """``90``, ``90s``, ``10m``, ``1h30m`` as seconds. Raises :class:`InputError` for anything else."""
    match = _BUDGET.fullmatch(budget.strip())
    given = match.groups() if match else ()
    total = sum(float(part) * factor for part, factor in zip(given, _UNITS.values(), strict=False) if part)
    if not total:
        raise InputError(f"--budget is '{budget}'; give a time such as 90s, 10m or 1h30m")
    return total


def require(library: str, extra: str) -> None:
    """Raises :class:`InputError` unless a library of an extra is installed."""
    if find_spec(library) is None:
        raise InputError(f"sweeps need {library}, which is not installed; pip install 'tdcert[{extra}]' brings it")


@contextmanager
def progress(first: str) -> Iterator[Callable[[Progress], None]]:
    """A bar with rate and time left on a terminal; elsewhere a line now and then, and for the last shard."""
    if not sys.stderr.isatty():
        yield _lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    with Bar(
        BarColumn(bar_width=28),
        TextColumn("{task.description}", markup=False),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task(first, total=None)
        yield lambda p: bar.update(task, completed=p.indices, total=p.all_indices, description=line_of(p))


def _lines() -> Callable[[Progress], None]:
    said, last = time.monotonic(), -1

    def report(p: Progress) -> None:
        nonlocal said, last
        ended = p.shards == p.all_shards and p.shards != last
        if time.monotonic() - said > _QUIET_SECONDS or ended:
            said, last = time.monotonic(), p.shards
            terminal.emit(f"{line_of(p)}\n", sys.stderr)

    return report


def line_of(p: Progress) -> str:
    """``12 of 100 shards, 120,000 of 1,000,000, 5,432 a second, 2 min 42 s left``."""
    left = "" if p.left is None else f", {_duration(p.left)} left"
    rate = f", {p.rate:,.0f} a second" if p.rate >= 10 else f", {p.rate:.2g} a second" if p.rate else ""
    return f"{p.shards:,} of {p.all_shards:,} shards, {p.indices:,} of {p.all_indices:,}{rate}{left}"


def _duration(seconds: float) -> str:
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    if hours:
        return f"{hours:,} h {minutes} min"
    return f"{minutes} min {whole % 60} s" if minutes else f"{whole} s"


def _show_table(table: Mapping[str, Any]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    rows = table["rows"]
    shown = Table(
        box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, title=plain(table["title"]), title_justify="left"
    )
    for k, heading in enumerate(table["columns"]):
        numbers = all(isinstance(row[k], int | float | None) for row in rows)
        shown.add_column(plain(heading), justify="right" if numbers else "left", overflow="fold")
    for row in rows[:_SHOWN_ROWS]:
        shown.add_row(*(Text(_cell(item)) for item in row))
    terminal.show(shown)
    if len(rows) > _SHOWN_ROWS:
        terminal.emit(f"and {counted(len(rows) - _SHOWN_ROWS, 'more row', 'more rows')} in the report\n")


def _cell(item: object) -> str:
    if item is None:
        return "–"
    if isinstance(item, bool):
        return "yes" if item else "no"
    if isinstance(item, int):
        return f"{item:,}"
    return f"{item:.6g}" if isinstance(item, float) else plain(str(item))


def _say(outcome: Outcome, place: Path) -> None:
    document, indices = outcome.document, outcome.document["indices"]
    for sentence in document["answer"].get("summary", ()):
        terminal.emit(f"{plain(sentence)}\n")
    for sentence in document["unexpected"]:
        terminal.emit(f"against expectation: {plain(sentence)}\n")
    for table in document["answer"].get("tables", ()):
        _show_table(table)
    if outcome.complete:
        terminal.emit(f"\nComplete: {counted(indices['asked'], 'index', 'indices')}.\n")
    else:
        terminal.emit(
            f"\nPartial: {indices['done']:,} of {indices['asked']:,} indices; the same command goes on from here.\n"
        )
    terminal.emit(f"report: {place / 'index.html'}\n")
