"""What ``tdcert conform`` is asked about return estimators."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from tdcert.reports.cli.app import DONE, print_text, refuse_options
from tdcert.theory.errors import InputError

ESTIMATOR = partial(typer.Option, rich_help_panel="Questions about an estimator")
SHARED = ("algorithm", "schedules", "discounts", "sampling", "estimator", "contract", "seed")
"""What is said alike where code is called and where its answers are judged."""


def _listed(asked: bool) -> None:
    if asked:
        from tdcert.reports.estimators import contracts_text

        print_text(contracts_text())
        raise typer.Exit(DONE)


def _printed(name: str | None) -> None:
    if name is not None:
        from tdcert.sims.estimators.contract import text_of

        print_text(text_of(name))
        raise typer.Exit(DONE)


Estimator = Annotated[
    str | None, ESTIMATOR(metavar="NAME", help="What a function is meant to estimate: gae, vtrace, n_step …")
]
Contracts = Annotated[
    list[str] | None,
    ESTIMATOR("--contract", metavar="NAME|FILE", help="What it is handed and owes; several: it may satisfy any."),
]
ListContracts = Annotated[
    bool, ESTIMATOR("--contracts", is_eager=True, callback=_listed, help="List the contracts that ship.")
]
PrintContract = Annotated[
    str | None,
    ESTIMATOR(
        "--print-contract", metavar="NAME", is_eager=True, callback=_printed, help="Print one, to begin a file from."
    ),
]
Python = Annotated[
    str | None, ESTIMATOR(metavar="PATH", help="Another Python to run the function, where its libraries are.")
]

Library = Annotated[
    str | None,
    ESTIMATOR(metavar="NAME", help="numpy, torch, jax or list: what arrays are handed over as, for the contract's."),
]

Rows = Annotated[
    str | None,
    ESTIMATOR(
        "--rows", metavar="FILE", help="Write what code in another language is to answer, a line of JSON for each call."
    ),
]
FromElsewhere = Annotated[
    str | None, ESTIMATOR("--answers", metavar="FILE", help="Judge what it answered, a line of JSON for each call.")
]


def ran_elsewhere(context: typer.Context, target: str | None, rows: str | None, answers: str | None) -> None:
    """Raises :class:`InputError` unless one thing is put on trial: code by its name, or by a file."""
    files = [name for name, given in (("--rows", rows), ("--answers", answers)) if given is not None]
    if target is None and not files:
        raise InputError(
            "Missing argument 'MODULE:NAME'; name a class or a function, or give --rows FILE for code in another "
            "language"
        )
    if len(files) == 2:
        raise InputError("--rows writes a file and --answers judges one; give one of the two")
    if files and target is not None:
        raise InputError(
            f"'{target}' and {files[0]} are both given; the file is for code that tdcert cannot call itself"
        )
    if files:
        refuse_options(context, files[0], *SHARED, *(("json",) if answers is not None else ()), files[0][2:])


def one_of(algorithm: str | None, estimator: str | None) -> None:
    """Raises :class:`InputError` unless exactly one is given."""
    if algorithm is None and estimator is None:
        raise InputError(
            "Missing option '--algorithm'; give it for a class, or --estimator and --contract for a function"
        )
    if algorithm is not None and estimator is not None:
        raise InputError("--algorithm and --estimator are both given; a class has the former, a function the latter")
