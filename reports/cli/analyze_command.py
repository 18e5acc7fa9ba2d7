"""``tdcert analyze``."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tdcert.reports.cli.app import (
    AGAINST_EXPECTATION,
    DONE,
    FIGURES,
    OUTPUT,
    QUESTIONS,
    Task,
    app,
    print_text,
    say_checked,
    words_of,
)
from tdcert.reports.cli.model_options import (
    Discount,
    Features,
    Interest,
    Limits,
    Model,
    Policy,
    Sampling,
    SamplingLaw,
    Schedule,
    Target,
    of_the_model,
    with_limits,
)
from tdcert.theory.errors import InputError
from tdcert.theory.extras import PAGES, lacking, require

if TYPE_CHECKING:
    from tdcert.analysis.result import AnalysisResult

SIDE_FILES = "tdcert-side-files"
FLOAT_BITS = 53


@app.command()
def analyze(
    context: typer.Context,
    model: Model,
    discount: Discount = None,
    schedule: Schedule = None,
    features: Features = None,
    policy: Policy = None,
    target: Target = None,
    sampling: Sampling = None,
    sampling_law: SamplingLaw = None,
    interest: Interest = None,
    limits: Limits = 1,
    algorithms: Annotated[
        str | None,
        QUESTIONS(
            metavar="LIST",
            help="Of which algorithms: all, NAME,…, FILE.py:NAME (tdcert algorithms).",
            show_default="TD, GTD, TDC",
        ),
    ] = None,
    what: Annotated[
        str | None,
        QUESTIONS(
            metavar="PART[,PART]",
            help="Of verdict, claims, schedules, warnings.",
            show_default="all; verdict with --algorithms",
        ),
    ] = None,
    steps: Annotated[
        str | None,
        QUESTIONS(
            metavar="A[,T0,P]",
            help="Are steps A, or A/(t + T0)^P, small enough? 'largest' asks for the largest. --simulate takes them.",
        ),
    ] = None,
    ratio: Annotated[
        str | None, QUESTIONS(metavar="ETA", help="Later step sizes over the first.", show_default="1")
    ] = None,
    robustness: Annotated[
        str | None,
        QUESTIONS(
            "--robustness",
            metavar="[WHAT]",
            help="How far may transitions change before a verdict does? Or some of transitions, discount, behaviour, "
            "target, between commas.",
        ),
    ] = None,
    for_all: Annotated[
        Literal["gamma", "lambda", "ratio"] | None,
        QUESTIONS("--for-all", help="For which values of it, of all, are the mean dynamics stable?"),
    ] = None,
    candidates: Annotated[
        list[str] | None,
        QUESTIONS(metavar="SCHEDULES", help="Schedules to compare with the model's own: 'td0 n_step:3'; repeatable."),
    ] = None,
    simulate: Annotated[
        bool, QUESTIONS("--simulate", help="Run the algorithms on the model, against what theory says of the runs.")
    ] = False,
    seed: Annotated[
        int | None, QUESTIONS(min=0, metavar="N", help="Seed of whatever is simulated.", show_default="0")
    ] = None,
    updates: Annotated[
        int | None, QUESTIONS(metavar="N", help="Updates of each run of --simulate.", show_default="3000")
    ] = None,
    runs: Annotated[
        int | None, QUESTIONS(metavar="N", help="Runs of --simulate that are drawn.", show_default="200")
    ] = None,
    quantiles: Annotated[
        str | None, QUESTIONS(metavar="LOW,HIGH", help="Band of these runs.", show_default="0.1,0.9")
    ] = None,
    arithmetic: Annotated[
        Literal["exact", "enclosed", "sparse"] | None,
        QUESTIONS(help="Number system.", show_default="chosen by the model's size"),
    ] = None,
    bits: Annotated[
        int, QUESTIONS(min=FLOAT_BITS, metavar="N", help="Precision of enclosed arithmetic; beyond 53 it is slower.")
    ] = FLOAT_BITS,
    budget: Annotated[
        str | None,
        QUESTIONS(
            metavar="SECONDS",
            help="Leave out parts estimated at more, unless named by --what or --candidates; inf: none.",
            show_default="2",
        ),
    ] = None,
    lambda_sweep: Annotated[
        bool, FIGURES("--lambda-sweep", help="Draw error, bound and variance by a constant λ.")
    ] = False,
    phase_diagram: Annotated[
        bool, FIGURES("--phase-diagram", help="Draw what converges, by discount and schedule; a minute or two.")
    ] = False,
    phase_x: Annotated[
        str | None,
        FIGURES(metavar="AXIS[:V,…]", help="Its columns: discount, step or lambda.", show_default="discount"),
    ] = None,
    phase_y: Annotated[
        str | None,
        FIGURES(metavar="AXIS[:V,…]", help="Its rows: the same, or schedule (--candidates).", show_default="schedule"),
    ] = None,
    phase_step: Annotated[
        str | None, FIGURES(metavar="A", help="Its constant step.", show_default="by the model")
    ] = None,
    phase_algorithms: Annotated[
        str | None, FIGURES(metavar="LIST", help="Its algorithms.", show_default="those of --algorithms")
    ] = None,
    png: Annotated[bool, FIGURES("--png", help="Write the figures of the report as PNG, too.")] = False,
    json: Annotated[bool, OUTPUT("--json", help="Print JSON and nothing else; a report only with --out.")] = False,
    format: Annotated[
        str | None,
        OUTPUT(
            metavar="NAME",
            help="Of --json; tdcert-analysis/1 and tdcert-updates/1 for one release.",
            show_default="tdcert-analysis/2",
        ),
    ] = None,
    out: Annotated[
        Path | None, OUTPUT("--out", metavar="DIR", help="Folder of the report.", show_default="analysis-NAME")
    ] = None,
    everything: Annotated[
        bool, OUTPUT("--all", help="Print every claim and the numbers, however many lines it takes.")
    ] = False,
    quiet: Annotated[bool, OUTPUT("--quiet", "-q", help="Print nothing but errors; the exit code answers.")] = False,
) -> Task:
    """Analyse a model: does TD, off-policy TD, GTD, TDC, or any other update converge on it, to what, how fast?"""
    if everything and (json or quiet):
        raise InputError(f"--all is not for {'--json' if json else '--quiet'}; leave one of them out")

    if png and json and out is None:
        raise InputError("--png is about the figures of a report, and --json writes none; give --out DIR too")

    def task() -> int:
        from tdcert.analysis.analyse import Request, analyse
        from tdcert.reports import terminal
        from tdcert.reports.analysis_json import digest_of
        from tdcert.reports.documents import Checked, shell_command
        from tdcert.reports.output import Analysed, OutputFolder, analysis_folder
        from tdcert.theory.files import Overrides, load_any
        from tdcert.theory.threads import threads_for

        if out is not None:
            require("a report", *PAGES)
        if simulate or phase_diagram:
            require("--simulate" if simulate else "--phase-diagram", "numba")
        no_page = "" if json else lacking("a report", *PAGES)
        place = out or (None if json or no_page else analysis_folder(model))
        request = Request.of_words(
            arithmetic,
            bits,
            shell_command("analyze", model, words_of(context, "out", "quiet", "everything", "format", "png")),
            simulate=simulate,
            seed=seed,
            steps=steps,
            ratio=ratio,
            updates=updates,
            runs=runs,
            quantiles=quantiles,
            candidates=candidates,
            lambda_sweep=lambda_sweep,
            phase_diagram=phase_diagram,
            phase_x=phase_x,
            phase_y=phase_y,
            phase_step=phase_step,
            phase_algorithms=phase_algorithms,
            what=what,
            algorithms=algorithms,
            budget=budget,
            robustness=robustness,
            for_all=for_all,
            certify=place is not None,
        )
        as_what = document_format(format, json)
        loaded = load_any(model, Overrides(**of_the_model(context)))
        threads_for(loaded.model.n)
        checked = Checked()
        subject = Analysed(loaded.source, digest_of(loaded.model))
        with OutputFolder(place, subject, asked=out is not None) if place else nullcontext() as folder:
            with terminal.progress("reading the model", quiet) as on_progress:
                run = analyse(loaded, on_progress, request)
                if folder:
                    from tdcert.reports.analysis_report import model_of_the_report, written_analysis

                    source = model_of_the_report(model, folder)
                    checked = written_analysis(folder, run, source, on_progress, png)
            if folder:
                folder.commit()
                if folder.elsewhere:
                    terminal.complain(folder.elsewhere)
        if json:
            _print_document(run, place is not None, as_what)
            for line in checked.rejected:
                terminal.complain(f"a certificate was rejected: {line}")
        elif not quiet:
            from tdcert.reports.analysis_terminal import show_analysis

            show_analysis(run, everything)
            if no_page:
                terminal.emit(f"\n{no_page}\n")
            elif run.certificates or run.facts.arithmetic == "exact":
                say_checked(checked)
            else:
                terminal.emit(f"\nError bounds have no certificate; to compute them again: {run.command}\n")
            if folder:
                terminal.emit(f"report: {Path(folder.shown) / 'index.html'}\n")
        return AGAINST_EXPECTATION if run.refuted or checked.rejected else DONE

    return with_limits(limits, task)


def document_format(given: str | None, json: bool) -> str:
    """The format of the document. Raises :class:`InputError` where it is of none, or none is printed."""
    from tdcert.reports.earlier_formats import FORMATS, as_format

    if given is not None and not json:
        raise InputError("--format is about the document that --json prints; give that too")
    if given not in (None, *FORMATS):
        as_format({}, str(given))
    return given or FORMATS[0]


def _print_document(run: AnalysisResult, in_report: bool, as_what: str) -> None:
    """The document, its large matrices in the report's files, or in a folder of their own beside the reader."""
    from tdcert.reports.analysis_json import analysis_document
    from tdcert.reports.documents import json_bytes, with_side_files
    from tdcert.reports.earlier_formats import as_format

    found = as_format(analysis_document(run), as_what)
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
