"""``tdcert analyze``."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tdcert.reports.cli.app import AGAINST_EXPECTATION, DONE, Task, app, print_text, say_checked
from tdcert.theory.errors import InputError

if TYPE_CHECKING:
    from tdcert.analysis.result import Analysis

SIDE_FILES = "tdcert-side-files"
FLOAT_BITS = 53


@app.command()
def analyze(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file, .json or .npz, or gymnasium:ID.")],
    json: Annotated[
        bool, typer.Option("--json", help="Print JSON and nothing else; a report only with --out.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder of the report.", show_default="analysis-NAME")
    ] = None,
    arithmetic: Annotated[
        Literal["exact", "enclosed", "sparse"] | None,
        typer.Option(help="Number system.", show_default="chosen by the model's size"),
    ] = None,
    bits: Annotated[
        int, typer.Option(min=FLOAT_BITS, metavar="N", help="Precision of enclosed arithmetic; beyond 53 it is slower.")
    ] = FLOAT_BITS,
    discount: Annotated[str | None, typer.Option(metavar="GAMMA", help="Discount, such as 0.9 or 9/10.")] = None,
    schedule: Annotated[
        str | None,
        typer.Option(metavar="SCHEDULE", help="td0, n_step:3, equal_weights:4,6, constant:0.9, or JSON."),
    ] = None,
    features: Annotated[str | None, typer.Option(metavar="FILE", help="Features, or 'tabular'.")] = None,
    policy: Annotated[str | None, typer.Option(metavar="FILE", help="Behaviour policy, or 'uniform'.")] = None,
    target: Annotated[str | None, typer.Option(metavar="FILE", help="Target policy, or 'uniform'.")] = None,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Run the algorithms on the model, against what theory says of the runs.")
    ] = False,
    seed: Annotated[int | None, typer.Option(min=0, metavar="N", help="Seed of --simulate.", show_default="0")] = None,
    steps: Annotated[
        str | None, typer.Option(metavar="A[,T0,P]", help="Its steps: A, or A/(t + T0)^P.", show_default="by the model")
    ] = None,
    what: Annotated[
        str | None,
        typer.Option(metavar="PART[,PART]", help="Of verdict, claims, schedules, warnings.", show_default="all"),
    ] = None,
    phase_diagram: Annotated[
        bool, typer.Option("--phase-diagram", help="Draw what converges, by discount and schedule; a minute or so.")
    ] = False,
) -> Task:
    """Analyse a model: does TD, off-policy TD, GTD, TDC converge on it, to what, how fast?"""
    given: dict[str, Any] = {
        "discount": discount,
        "schedule": schedule,
        "features": features,
        "policy": policy,
        "target": target,
    }
    options = {
        **given,
        "arithmetic": arithmetic,
        "bits": str(bits) if bits > FLOAT_BITS else None,
        "simulate": "" if simulate else None,
        "seed": None if seed is None else str(seed),
        "steps": steps,
        "what": what,
        "phase-diagram": "" if phase_diagram else None,
        "json": "" if json else None,
    }

    def task() -> int:
        from tdcert.analysis.analyse import Request, analyse
        from tdcert.analysis.request import SimulationRequest
        from tdcert.reports import terminal
        from tdcert.reports.analysis_json import digest_of
        from tdcert.reports.documents import Checked, shell_command
        from tdcert.reports.output import Analysed, OutputFolder, analysis_folder
        from tdcert.theory.files import Overrides, load_any

        if not simulate and (seed is not None or steps is not None):
            raise InputError("--seed and --steps are about --simulate; give that too")
        experiment = SimulationRequest.of_words(seed or 0, steps) if simulate else None
        command = shell_command("analyze", model, options)
        request = Request.of_words(arithmetic, bits, command, experiment, phase_diagram, what)
        loaded = load_any(model, Overrides(**given))
        place, checked = out or (None if json else analysis_folder(model)), Checked()
        subject = Analysed(loaded.source, digest_of(loaded.model))
        with OutputFolder(place, subject) if place else nullcontext() as folder:
            with terminal.progress("reading the model") as on_progress:
                run = analyse(loaded, on_progress, request)
                if folder:
                    from tdcert.reports.analysis_report import model_of_the_report, written_analysis

                    checked = written_analysis(folder, run, model_of_the_report(model, folder), on_progress)
            if folder:
                folder.commit()
        if json:
            _print_document(run, in_report=place is not None)
            for line in checked.rejected:
                terminal.complain(f"a certificate was rejected: {line}")
        else:
            terminal.show_analysis(run)
            if run.facts.arithmetic == "exact":
                say_checked(checked)
            else:
                terminal.emit(f"\nError bounds have no certificate; to compute them again: {run.command}\n")
            if place:
                terminal.emit(f"report: {place / 'index.html'}\n")
        return AGAINST_EXPECTATION if run.refuted or checked.rejected else DONE

    return task


def _print_document(run: Analysis, in_report: bool) -> None:
    """The document, its large matrices in the report's files, or in a folder of their own beside the reader."""
    from tdcert.reports.analysis_json import analysis_document
    from tdcert.reports.documents import json_bytes, with_side_files

    found = analysis_document(run)
    prefix = "matrices/" if in_report else f"{SIDE_FILES}/{found['model']['digest'][:12]}-"
    document, side_files = with_side_files(found, prefix)
    try:
        for name, content in () if in_report else side_files.items():
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_bytes(content)
    except OSError as error:
        raise InputError(
            f"the large matrices cannot be written to '{SIDE_FILES}' ({error.strerror}); give --out DIR"
        ) from None
    print_text(json_bytes(document).decode("ascii"))
