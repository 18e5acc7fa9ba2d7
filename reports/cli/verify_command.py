"""``tdcert verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from tdcert.reports.cli.app import (
    AGAINST_EXPECTATION,
    DONE,
    OUTPUT,
    QUESTIONS,
    REPORT,
    REPORTS,
    Out,
    Quiet,
    Task,
    app,
    claim_ids,
    paper_ids,
    say_checked,
)
from tdcert.theory.errors import InputError
from tdcert.theory.extras import PAGES, require


@app.command()
def verify(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID|FILE.py]...",
            help="Claims to decide; a file holds one of your own.",
            show_default="all",
            autocompletion=claim_ids,
        ),
    ] = None,
    profile: Annotated[
        Literal["quick", "default", "thorough"], QUESTIONS(help="How much evidence to gather.")
    ] = "default",
    paper: Annotated[
        str | None,
        QUESTIONS(
            metavar="ID|all",
            help="The paper whose statements are decided; all: every paper, a report for each in a folder of DIR.",
            show_default="dgb22, and installed claims",
            autocompletion=paper_ids,
        ),
    ] = None,
    out: Out = None,
    seed: Annotated[
        int | None, QUESTIONS(min=0, metavar="N", help="Seed of everything random; the report names it.")
    ] = None,
    workers: Annotated[
        int | None,
        QUESTIONS(
            min=1,
            metavar="N",
            help="Processes that decide claims side by side.",
            show_default="one per core for all claims",
        ),
    ] = None,
    everything: Annotated[bool, OUTPUT("--all", help="Print every claim, those that hold as printed too.")] = False,
    quiet: Quiet = False,
) -> Task:
    """Decide the paper's claims, or your own, and write the report."""
    if everything and quiet:
        raise InputError("--all is not for --quiet; leave one of them out")
    if ids and paper:
        raise InputError("--paper decides all claims of a paper, and claims are named; leave one of them out")

    def decided(name: str, place: Path) -> int:
        """One report, of the paper with this id or of what is decided without one."""
        from tdcert.reports import terminal
        from tdcert.reports.output import OutputFolder

        with OutputFolder(place, asked=out is not None) as folder:
            from tdcert.theory.workers import available
            from tdcert.verification.verify import DEFAULT_SEED
            from tdcert.verification.verify import verify as decide

            side_by_side = workers or (1 if ids else available())
            from_seed = DEFAULT_SEED if seed is None else seed
            with terminal.progress("starting", quiet) as on_progress:
                run = decide(ids or None, profile, from_seed, on_progress, side_by_side, name)
                from tdcert.reports.documents import certificate_files
                from tdcert.reports.replay import replay
                from tdcert.reports.verdict_files import verdict_files
                from tdcert.reports.verification_page import verification_files

                certificates = certificate_files(run.certificates)
                folder.write(certificates)
                checked = replay(folder, run.certificates, on_progress, side_by_side)
                on_progress(1, 1, "writing the report")
                folder.write(verification_files(run, checked))
                folder.write(verdict_files(run, certificates))
            folder.commit()
        if folder.elsewhere:
            terminal.complain(folder.elsewhere)
        if not quiet:
            terminal.show_verification(run, everything)
            say_checked(checked)
            terminal.emit(f"report: {Path(folder.shown) / 'index.html'}\n")
        return AGAINST_EXPECTATION if run.summary.differences or checked.rejected else DONE

    def task() -> int:
        from tdcert.claims.paper import paper_of, papers

        require("tdcert verify", *PAGES, "numba")
        if paper != "all":
            return decided(paper_of(paper).id if paper else "", out or Path(REPORT))
        place = out or Path(REPORTS)
        return max(decided(name, place / name) for name in papers())

    return task
