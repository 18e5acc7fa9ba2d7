"""``tdcert samples``."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

import typer

from tdcert.reports.cli.app import (
    AGAINST_EXPECTATION,
    DONE,
    MODEL,
    OUTPUT,
    QUESTIONS,
    Json,
    Task,
    app,
    print_text,
    say_checked,
    words_of,
)
from tdcert.reports.cli.model_options import Features, Limits, Schedule, Target, with_limits


@app.command()
def samples(
    context: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Transitions, .csv or .npz: states, actions, rewards, next_states, terminated, truncated.",
        ),
    ],
    states: Annotated[int, MODEL(metavar="N", help="How many states may occur.")],
    actions: Annotated[int, MODEL(metavar="M", help="How many actions may occur.")],
    delta: Annotated[str, QUESTIONS(metavar="P", help="The error probability of all that is said, such as 0.05.")],
    discount: Annotated[str, MODEL(metavar="GAMMA", help="Discount, such as 0.9 or 9/10.")],
    policy: Annotated[
        str, MODEL(metavar="FILE", help="Behaviour policy, 'uniform', or 'fixed': one that is not known.")
    ],
    target: Target = None,
    features: Features = None,
    schedule: Schedule = None,
    terminal: Annotated[
        str | None, MODEL(metavar="S,...|end", help="Terminal states; end: one, added behind all others.")
    ] = None,
    start: Annotated[str | None, MODEL(metavar="S,...", help="States in which an episode may begin.")] = None,
    rewards: Annotated[
        str | None, MODEL(metavar="LOW,HIGH", help="The least and the largest reward, for ranges of theta*.")
    ] = None,
    algorithms: Annotated[
        str | None,
        QUESTIONS(metavar="LIST", help="Names, FILE.py:NAME, or all, in place of TD, GTD and TDC."),
    ] = None,
    aggregated: Annotated[
        bool, MODEL("--aggregated", help="States are discretised observations: they may not be Markov.")
    ] = False,
    estimate: Annotated[
        bool, QUESTIONS("--estimate", help="Estimate how many more visits would decide what is not decided.")
    ] = False,
    json: Json = False,
    out: Annotated[
        Path | None,
        OUTPUT("--out", metavar="DIR", help="Folder for a page, certificates of the verdicts and their checker."),
    ] = None,
    limits: Limits = 1,
) -> Task:
    """What do transitions show, with which confidence, where no model is known?"""

    def task() -> int:
        from tdcert.analysis.sampled import confident
        from tdcert.reports import samples as answers
        from tdcert.reports.documents import json_bytes, shell_command
        from tdcert.reports.output import Analysed, OutputFolder
        from tdcert.reports.samples_report import DOCUMENT, written_samples
        from tdcert.reports.terminal import complain, emit, progress
        from tdcert.theory.document_types import plain
        from tdcert.theory.extras import PAGES, require
        from tdcert.theory.samples.log import END, Declarations
        from tdcert.theory.samples.ranges import ranges
        from tdcert.theory.samples.transitions import collected, from_log
        from tdcert.theory.samples.verdict import Update
        from tdcert.theory.samples.visits import estimate_visits

        given = Declarations(
            n_states=states,
            n_actions=actions,
            delta=delta,
            discount=discount,
            behaviour=policy,
            target=target,
            features=features,
            schedule=schedule,
            terminal=terminal if terminal in (None, END) else _whole_numbers("--terminal", terminal),
            start=None if start is None else _whole_numbers("--start", start),
            reward_range=None if rewards is None else rewards.split(","),
            markov=not aggregated,
        )
        if out is not None:
            require("a report", *PAGES)
        log = collected(file, None, None, None, given)
        found = from_log(log, given)
        said, bounds = tuple(confident(found, algorithms).values()), ranges(found)
        asked = answers.Answered(
            found=found,
            transitions=len(log),
            verdicts=said,
            ranges=bounds,
            estimates=tuple(
                estimate_visits(found, one.update)
                if estimate and not one.grade and isinstance(one.update, Update)
                else None
                for one in said
            ),
            command=shell_command("samples", file, words_of(context, "out")),
            source=file,
            sha256=hashlib.sha256(Path(file).read_bytes()).hexdigest(),
        )
        checked = None
        if out is not None:
            with OutputFolder(out, Analysed(file, asked.shelf[1], DOCUMENT)) as folder:
                with progress("writing the certificates") as on_progress:
                    checked = written_samples(folder, asked, on_progress)
                folder.commit()
        document = answers.document(asked, filed=out is not None)
        print_text(json_bytes(plain(document)).decode("ascii") if json else answers.lines(document, file, bounds))
        for line in checked.rejected if checked else ():
            complain(f"a certificate was rejected: {line}")
        if checked and out is not None and not json:
            say_checked(checked)
            emit(f"report: {out / 'index.html'}\n")
        return AGAINST_EXPECTATION if checked and checked.rejected else DONE

    return with_limits(limits, task)


def _whole_numbers(option: str, text: str | None) -> list[int]:
    from tdcert.theory.errors import InputError

    try:
        return [int(part) for part in str(text).split(",")]
    except ValueError:
        raise InputError(f"{option} is '{text}'; give states by their numbers, with commas between them") from None
