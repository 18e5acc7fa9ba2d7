"""``tdcert conform``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from tdcert.reports.cli.app import AGAINST_EXPECTATION, DONE, QUESTIONS, Json, Task, app, print_text, refuse_options
from tdcert.reports.cli.estimator_options import (
    Contracts,
    Estimator,
    FromElsewhere,
    Library,
    ListContracts,
    PrintContract,
    Python,
    Rows,
    one_of,
    ran_elsewhere,
)


@app.command()
def conform(
    context: typer.Context,
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="MODULE:NAME",
            help="A class or a function, path/to/file.py:NAME or notebook.ipynb:NAME; none with --rows or --answers.",
            show_default=False,
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        QUESTIONS(
            metavar="NAME|FILE.py:NAME",
            help="What the class is meant to be: one of `tdcert algorithms`, or an update of your own.",
        ),
    ] = None,
    schedules: Annotated[
        Literal["any", "constant", "n_step", "zero"] | None,
        QUESTIONS(help="The λ-schedules that it is asked for.", show_default="any, or what its reset takes"),
    ] = None,
    discounts: Annotated[
        Literal["any", "constant"] | None,
        QUESTIONS(
            help="One fixed γ, 0 where an episode ends, or any per transition.",
            show_default="constant if its reset takes gamma, else any",
        ),
    ] = None,
    sampling: Annotated[
        Literal["path", "independent"],
        QUESTIONS(help="Transitions along a path, or independent draws, as of a replay buffer, each marked first."),
    ] = "path",
    seed: Annotated[int, QUESTIONS(min=0, metavar="N", help="Seed of the models and trajectories.")] = 0,
    time_limit: Annotated[
        float, QUESTIONS("--time-limit", metavar="SECONDS", help="For each process that the class runs in.")
    ] = 60.0,
    estimator: Estimator = None,
    contract: Contracts = None,
    contracts: ListContracts = False,
    print_contract: PrintContract = None,
    python: Python = None,
    library: Library = None,
    rows: Rows = None,
    answers: FromElsewhere = None,
    json: Json = False,
) -> Task:
    """Put an implementation of your own on trial: does it do what the theorems are about?"""

    one_of(algorithm, estimator)
    both = ("target", "seed", "time_limit", "json", "rows", "answers")
    if algorithm is None:
        refuse_options(context, "--estimator", *both, "estimator", "contract", "python", "library")
    else:
        refuse_options(context, "--algorithm", *both, "algorithm", "schedules", "discounts", "sampling")
    ran_elsewhere(context, target, rows, answers)

    def task() -> int:
        if target is None:
            from tdcert.reports import elsewhere

            held_to = algorithm if algorithm is not None else str(estimator)
            kinds = {"schedules": schedules, "discounts": discounts, "sampling": sampling}
            words = elsewhere.CodeElsewhere(held_to, algorithm is None, contract or [], kinds, seed)
            if rows is not None:
                return elsewhere.write(words, rows)
            return DONE if elsewhere.judge(words, str(answers), json) else AGAINST_EXPECTATION
        if algorithm is None:
            from tdcert.reports import estimators

            found_one = estimators.command(
                target,
                str(estimator),
                contract or [],
                seed=seed,
                time_limit=time_limit,
                options={"python": python, "library": library},
                json=json,
            )
            return DONE if found_one else AGAINST_EXPECTATION
        from tdcert.reports import terminal
        from tdcert.reports.conform import document
        from tdcert.reports.conform import show as show_trial
        from tdcert.reports.documents import json_bytes
        from tdcert.sims.conformance.trial import put_on_trial
        from tdcert.theory.document_types import plain

        with terminal.progress(f"running {target}"):
            found = put_on_trial(
                target,
                algorithm,
                schedules=schedules,
                discounts=discounts,
                sampling=sampling,
                seed=seed,
                time_limit=time_limit,
            )
        if json:
            print_text(json_bytes(plain(document(found, time_limit))).decode("ascii"))
        else:
            show_trial(found, time_limit)
        return DONE if found.conforms else AGAINST_EXPECTATION

    return task
