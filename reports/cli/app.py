"""What the commands share: the application they register with, exit codes, options that several have.

A command only reads its arguments and returns a task; the task runs in :func:`tdcert.reports.cli.main`, outside of the
library that parses. Whatever is not needed to read arguments is imported inside of a task: help must come at once.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tdcert.reports.documents import Checked
    from tdcert.reports.output import OutputFolder
    from tdcert.theory.certificate.shelf import FiledCertificate
    from tdcert.theory.progress import Progress

DONE, AGAINST_EXPECTATION, BAD_INPUT, OWN_FAULT, INTERRUPTED = 0, 1, 2, 3, 130
REPORT = "verification-report"
MOST_REJECTED = 10
REPLAY = 3 * 10**11
"""Estimated nanoseconds granted to each certificate that a command has just written: five minutes."""

Task = Callable[[], int]

app = typer.Typer(
    name="tdcert",
    help="Decides, with evidence that someone else can check, whether a temporal-difference algorithm "
    "converges, to what, and how fast.",
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Folder of the report.", show_default=REPORT)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]


def shell_command(name: str, source: str, options: Mapping[str, str | None]) -> str:
    """The command that makes a document again, as a shell reads it."""
    given = [word for option, value in options.items() if value is not None for word in (f"--{option}", value) if word]
    behind = source.startswith("-")  # it would read as an option
    return shlex.join(["tdcert", name, *([*given, "--", source] if behind else [source, *given])])


def print_text(text: str) -> int:
    """To stdout; the exit code."""
    from tdcert.reports import terminal

    terminal.emit(text)
    return DONE


def refuse(sentence: str, code: int = BAD_INPUT) -> int:
    """One sentence on stderr; the exit code."""
    from tdcert.reports import terminal

    terminal.complain(sentence)
    return code


def replay(folder: OutputFolder, kept: Sequence[FiledCertificate], on_progress: Progress) -> Checked:
    """What the independent checker says of certificates that were just written into a report."""
    from tdcert.reports.documents import Checked
    from tdcert.theory.certificate import checker

    start, rejected, said = time.monotonic(), [], 0.0
    for index, path in enumerate(certificate.path for certificate in kept):
        if time.monotonic() - said > 1:
            said = time.monotonic()
            on_progress(index, len(kept), "checking the certificates")
        try:
            checker.check_file(str(folder.path(path)), REPLAY)
        except checker.Rejected as reason:
            rejected.append(f"{path}: {reason}")
        except checker.NotChecked as reason:
            rejected.append(f"{path}: not checked, as {reason}")
    return Checked(len(kept) - len(rejected), tuple(rejected), time.monotonic() - start)


def say_checked(checked: Checked) -> None:
    """How many certificates were accepted, and the first that were not."""
    from tdcert.reports import terminal
    from tdcert.reports.labels import counted

    total = counted(checked.accepted + len(checked.rejected), "certificate")
    terminal.emit(f"\nThe independent checker accepted {checked.accepted:,} of {total} in {checked.seconds:.1f} s.\n")
    for line in checked.rejected[:MOST_REJECTED]:
        terminal.emit(f"  rejected: {line}\n")
    if len(checked.rejected) > MOST_REJECTED:
        terminal.emit(f"  and {len(checked.rejected) - MOST_REJECTED} more, named in the report's JSON\n")
