"""``tdcert sweep``: reads the spec, chooses an engine, runs, writes the answer beside the shards."""

from __future__ import annotations

import re
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tdcert.reports.cli.app import (
    AGAINST_EXPECTATION,
    DONE,
    INTERRUPTED,
    OUTPUT,
    QUESTIONS,
    Quiet,
    Task,
    app,
    print_text,
    refuse,
)
from tdcert.theory.errors import InputError
from tdcert.theory.extras import PAGES, require

if TYPE_CHECKING:
    from tdcert.theory.workers import Engine

_UNITS = {"h": 3600, "m": 60, "s": 1}
_BUDGET = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?")


@app.command()
def sweep(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="What to ask of which models: a TOML file.")],
    workers: Annotated[
        int | None, QUESTIONS(min=1, metavar="N", help="Processes on this machine.", show_default="one per core")
    ] = None,
    scheduler: Annotated[
        str | None, QUESTIONS(metavar="ADDRESS", help="A Dask scheduler, such as tcp://host:8786.")
    ] = None,
    budget: Annotated[
        str | None, QUESTIONS(metavar="TIME", help="Stop after 90s, 10m, 1h30m with what is done by then.")
    ] = None,
    out: Annotated[
        Path | None, OUTPUT("--out", metavar="DIR", help="Folder of the sweep.", show_default="sweep-NAME")
    ] = None,
    json: Annotated[bool, OUTPUT("--json", help="Print the answer as JSON and nothing else.")] = False,
    quiet: Quiet = False,
) -> Task:
    """Ask a question of many random models; run it again to go on where it stopped."""

    def task() -> int:
        """Finished shards are kept whatever ends it, and the same command goes on from them."""
        seconds = None if budget is None else seconds_of(budget)
        require("a sweep", "pyarrow", "numba", *PAGES)
        if find_spec("fcntl") is None:
            raise InputError("sweeps lock their folder in a way that Windows has not; run them on Linux, macOS or WSL")
        from tdcert.reports import terminal
        from tdcert.reports.documents import json_bytes
        from tdcert.reports.sweep_page import sweep_document, sweep_files
        from tdcert.sweeps.folder import SweepFolder
        from tdcert.sweeps.run import run
        from tdcert.sweeps.spec import read_spec

        asked = read_spec(spec)
        engine = engine_of(workers, scheduler)
        place = out or Path(f"sweep-{asked.name}")
        with SweepFolder(place, asked) as folder:
            for sentence in folder.damaged:
                terminal.complain(sentence)
            with terminal.progress(f"{asked.name}: starting", quiet) as told:
                done = run(
                    folder, engine, seconds, lambda p: told(p.indices, p.all_indices, terminal.sweep_progress(p))
                )
            folder.answer(sweep_files(done))
        if json:
            print_text(json_bytes(sweep_document(done)).decode("ascii"))
        elif not quiet:
            terminal.show_sweep(done, f"{place / 'index.html'}")
        if done.interrupted:
            return refuse("interrupted; what is done is kept, and the same command goes on from there", INTERRUPTED)
        return AGAINST_EXPECTATION if done.result.unexpected else DONE

    return task


def engine_of(workers: int | None, scheduler: str | None) -> Engine:
    """Who does the work. Raises :class:`InputError` for a contradiction or a missing extra."""
    if scheduler is not None:
        if workers is not None:
            raise InputError("--workers and --scheduler exclude each other; the scheduler's workers do all the work")
        require("--scheduler", "distributed")
        from tdcert.sweeps.cluster import cluster

        return partial(cluster, address=scheduler)
    from tdcert.theory.workers import available, inline, processes

    asked = available() if workers is None else workers
    return inline if asked == 1 else partial(processes, workers=asked)


def seconds_of(budget: str) -> float:
    """``90``, ``90s``, ``10m``, ``1h30m`` as seconds. Raises :class:`InputError` for anything else."""
    match = _BUDGET.fullmatch(budget.strip())
    given = match.groups() if match else ()
    total = sum(float(part) * factor for part, factor in zip(given, _UNITS.values(), strict=False) if part)
    if not total:
        raise InputError(f"--budget is '{budget}'; give a time such as 90s, 10m or 1h30m")
    return total
