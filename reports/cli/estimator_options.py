"""What ``tdcert conform`` is asked about return estimators."""

from __future__ import annotations

from typing import Annotated

import typer

from tdcert.reports.cli.app import DONE, print_text
from tdcert.theory.errors import InputError


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
    str | None, typer.Option(metavar="NAME", help="What a function is meant to estimate: gae, vtrace, n_step …")
]
Contracts = Annotated[
    list[str] | None,
    typer.Option("--contract", metavar="NAME|FILE", help="What it is handed and owes; several: it may satisfy any."),
]
ListContracts = Annotated[
    bool, typer.Option("--contracts", is_eager=True, callback=_listed, help="List the contracts that ship.")
]
PrintContract = Annotated[
    str | None,
    typer.Option(
        "--print-contract", metavar="NAME", is_eager=True, callback=_printed, help="Print one, to begin a file from."
    ),
]
Python = Annotated[
    str | None, typer.Option(metavar="PATH", help="Another Python to run the function, where its libraries are.")
]

Library = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="numpy, torch, jax or list: what arrays are handed over as, for the contract's."),
]


def one_of(algorithm: str | None, estimator: str | None) -> None:
    """Raises :class:`InputError` unless exactly one is given."""
    if algorithm is None and estimator is None:
        raise InputError(
            "Missing option '--algorithm'; give it for a class, or --estimator and --contract for a function"
        )
    if algorithm is not None and estimator is not None:
        raise InputError("--algorithm and --estimator are both given; a class has the former, a function the latter")
