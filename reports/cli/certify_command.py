"""``tdcert certify``."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tdcert.reports.cli.app import AGAINST_EXPECTATION, DONE, OUTPUT, QUESTIONS, Json, Task, app, print_text, words_of
from tdcert.reports.cli.model_options import (
    Discount,
    Features,
    Limits,
    Model,
    Policy,
    Schedule,
    Target,
    of_the_model,
    with_limits,
)
from tdcert.theory.errors import InputError


@app.command()
def certify(
    context: typer.Context,
    model: Model,
    algorithm: Annotated[
        str,
        QUESTIONS(metavar="NAME|FILE:NAME", help="Which update runs on it (tdcert algorithms lists them)."),
    ],
    within: Annotated[str, QUESTIONS(metavar="EPS", help="The distance from the fixed point, such as 0.1.")],
    probability: Annotated[str, QUESTIONS(metavar="P", help="How sure it is to be, such as 0.95.")],
    steps: Annotated[
        str,
        QUESTIONS(
            metavar="A,T0[,P]|auto",
            help="Its steps A/(t + T0)^P, 1/2 < P <= 1; P is 1 if not given. auto: proposed, with the ratios.",
        ),
    ] = "auto",
    ratio: Annotated[
        str | None,
        QUESTIONS(metavar="ETA,...", help="Its later step sizes over the first.", show_default="1, or proposed"),
    ] = None,
    theta0: Annotated[str | None, QUESTIONS(metavar="X,Y,...", help="The first iterate.", show_default="zeros")] = None,
    discount: Discount = None,
    schedule: Schedule = None,
    features: Features = None,
    policy: Policy = None,
    target: Target = None,
    limits: Limits = 1,
    json: Json = False,
    out: Annotated[
        Path | None, OUTPUT("--out", metavar="DIR", help="Folder for the answer and its certificate.")
    ] = None,
) -> Task:
    """After how many steps is the iterate close to its limit, at one time and for ever?"""

    def task() -> int:
        from tdcert.analysis.certify import Question
        from tdcert.analysis.certify import certify as answer
        from tdcert.reports import certify as answers
        from tdcert.reports import terminal
        from tdcert.reports.documents import certificate_files, json_bytes, shell_command
        from tdcert.reports.output import Analysed, OutputFolder
        from tdcert.reports.replay import rejection
        from tdcert.theory.certificate.shelf import FiledCertificate
        from tdcert.theory.document_types import plain
        from tdcert.theory.files import Overrides, load_any
        from tdcert.theory.model import mdp

        question = Question.of_words(algorithm, steps, within, probability, ratio, theta0)
        loaded = load_any(model, Overrides(**of_the_model(context)))
        if not isinstance(loaded.model, mdp.Model):
            raise InputError("tdcert certify is exact; give a model file or an environment, not an archive")
        subject = Analysed(loaded.source, loaded.model.digest, "certify.json")
        with OutputFolder(out, subject) if out else nullcontext() as folder:
            with terminal.progress("certifying") as on_progress:
                found = answer(loaded.model, question, on_progress)
                on_progress(1, 1, "checking the certificate")
                body = answers.certificate(found)
                rejected = "" if body is None else rejection(body)
            document = answers.document(found, shell_command("certify", model, words_of(context, "out")), rejected)
            if folder:
                if body is not None:
                    document = replace(document, certificate=answers.CERTIFICATE)
                    folder.write(certificate_files([FiledCertificate(answers.CERTIFICATE, body)]))
                folder.write({"certify.json": json_bytes(plain(document))})
                folder.commit()
        if out and body is not None:
            document = replace(document, certificate=str(out / answers.CERTIFICATE))
        print_text(json_bytes(plain(document)).decode("ascii") if json else answers.lines(document, loaded.source))
        if rejected:
            terminal.complain(f"the certificate was rejected: {rejected}")
        return AGAINST_EXPECTATION if rejected else DONE

    return with_limits(limits, task)
