"""What the commands share: the application they register with, exit codes, options that several have.

A command only reads its arguments and returns a task; the task runs in :func:`tdcert.reports.cli.main`, outside of the
library that parses. Whatever is not needed to read arguments is imported inside of a task: help must come at once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tdcert.theory.errors import InputError

if TYPE_CHECKING:
    from tdcert.reports.documents import Checked

DONE, AGAINST_EXPECTATION, BAD_INPUT, OWN_FAULT, INTERRUPTED = 0, 1, 2, 3, 130
REPORT = "verification-report"
REPORTS = "verification-reports"
"""The folder of a report for each paper. It is not that of one report, which would have to make room."""
MOST_REJECTED = 10

Task = Callable[[], int]

app = typer.Typer(
    name="tdcert",
    help="Decides, with evidence that someone else can check, whether a temporal-difference algorithm "
    "converges, to what, and how fast.",
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

MODEL, QUESTIONS, FIGURES, OUTPUT = (
    partial(typer.Option, rich_help_panel=panel) for panel in ("Model", "Questions", "Figures", "Output")
)
"""Options by the panel of the help that they stand in."""

Out = Annotated[Path | None, OUTPUT("--out", metavar="DIR", help="Folder of the report.", show_default=REPORT)]
Quiet = Annotated[bool, OUTPUT("--quiet", "-q", help="Print nothing but errors; the exit code answers.")]
Json = Annotated[bool, OUTPUT("--json", help="Print JSON and nothing else.")]


def claim_ids(incomplete: str) -> list[str]:
    """For shells that complete words."""
    from tdcert.claims.own import known

    return [entry.id for entry in known() if entry.id.startswith(incomplete)]


def paper_ids(incomplete: str) -> list[str]:
    """For shells that complete words."""
    from tdcert.claims.paper import papers

    return [name for name in (*papers(), "all") if name.startswith(incomplete)]


def given_options(context: typer.Context) -> dict[str, Any]:
    """What stands on the command line, by the parameter's name; what was left at its default is not among it."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return {name: context.params[name] for name, source in sources.items() if source and source.name == "COMMANDLINE"}


def refuse_options(context: typer.Context, mode: str, *meant: str) -> None:
    """Raises :class:`InputError` for an option that was given and has no effect beside the option ``mode``; ``meant``
    are the parameters that have one.
    """
    for name in given_options(context):
        if name not in meant:
            raise InputError(f"{_option_of(context, name)} is not for {mode}; leave one of them out")


def words_of(context: typer.Context, *left_out: str) -> dict[str, str | None]:
    """What was given as :func:`~tdcert.reports.documents.shell_command` takes it; arguments have no dashes, and are
    not among it.
    """
    return {
        option.removeprefix("--"): _in_words(value)
        for name, value in given_options(context).items()
        if name not in left_out and (option := _option_of(context, name)).startswith("-")
    }


def _in_words(value: object) -> str:
    if value is True:
        return ""
    # releases of typer differ in what they make of an option that is given several times
    return " ".join(value) if isinstance(value, list | tuple) else str(value)


def _option_of(context: typer.Context, name: str) -> str:
    """``--all`` for ``everything``."""
    return next(str(one.opts[0]) for one in context.command.params if one.name == name)


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


def say_checked(checked: Checked) -> None:
    """How many certificates were accepted, and the first that were not."""
    from tdcert.reports import terminal
    from tdcert.theory.words import counted

    total = counted(checked.accepted + len(checked.rejected), "certificate")
    terminal.emit(f"\nThe independent checker accepted {checked.accepted:,} of {total} in {checked.seconds:.1f} s.\n")
    for line in checked.rejected[:MOST_REJECTED]:
        terminal.emit(f"  rejected: {line}\n")
    if len(checked.rejected) > MOST_REJECTED:
        terminal.emit(f"  and {len(checked.rejected) - MOST_REJECTED} more, named in the report's JSON\n")
