"""The command line. Commands only read their arguments; what they ask for runs in :func:`main`.

Exit codes: 0 done, nothing against expectation; 1 a verdict differs from its prediction, a claim is
refuted though its hypotheses hold, a certificate is rejected, a class does not conform, ``diff`` found a
change; 2 bad usage or input, one sentence on stderr; 3 a fault of tdcert itself, one line with the
path of a log; 130 interrupted. No traceback reaches a user.

Whatever is not needed to read arguments is imported where it is used: help must come at once.
"""

from __future__ import annotations

import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tdcert.theory.errors import InputError

if TYPE_CHECKING:
    from tdcert.analysis.request import Experiment

REPORT = "verification-report"
SIDE_FILES = "tdcert-side-files"
MOST_REJECTED = 10
TIME_LIMIT = 60.0
REPLAY = 3 * 10**11
"""Estimated nanoseconds granted to each certificate that a command has just written: five minutes."""
FLOAT_BITS = 53

DONE, AGAINST_EXPECTATION, BAD_INPUT, OWN_FAULT, INTERRUPTED = 0, 1, 2, 3, 130

Task = Callable[[], int]


class Profile(StrEnum):
    """How much evidence a run gathers."""

    quick = "quick"
    default = "default"
    thorough = "thorough"


class Algorithm(StrEnum):
    """The algorithms a class can be held against."""

    td = "td"
    off_policy_td = "off_policy_td"
    gtd = "gtd"
    tdc = "tdc"


class Schedules(StrEnum):
    """The λ-schedules a class is asked for."""

    any = "any"
    constant = "constant"
    n_step = "n_step"


class Arithmetic(StrEnum):
    """The number system an analysis computes in."""

    exact = "exact"
    enclosed = "enclosed"
    sparse = "sparse"


app = typer.Typer(
    name="tdcert",
    help="Decides, with evidence that someone else can check, whether a temporal-difference algorithm "
    "converges, to what, and how fast.",
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help=f"Folder of the report.  [default: {REPORT}]")]


def _version(asked: bool) -> None:
    from importlib.metadata import PackageNotFoundError, version

    if asked:
        try:
            found = version("tdcert")
        except PackageNotFoundError:
            found = "(not installed)"
        _print(f"tdcert {found}\n")
        raise typer.Exit(DONE)


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_version, help="Print the version and leave.")
    ] = False,
) -> Task | None:
    if context.invoked_subcommand is None:
        return partial(_print, context.get_help() + "\n")
    return None


@app.command()
def verify(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Claims to decide.  [default: all]")
    ] = None,
    profile: Annotated[Profile, typer.Option(help="How much evidence to gather.")] = Profile.default,
    out: Out = None,
    seed: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Seed of everything random; the report names it.")
    ] = None,
) -> Task:
    """Decide the paper's claims and write the report."""
    return partial(_verify, ids or None, profile.value, out or Path(REPORT), seed)


@app.command()
def show(
    claim: Annotated[str, typer.Argument(metavar="ID", help="A claim, such as prop_4_1.")],
) -> Task:
    """Show one claim: its readings, witnesses, hypotheses and evidence."""
    return partial(_show, claim)


@app.command()
def analyze(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file, .json or .npz, or gymnasium:ID.")],
    json: Annotated[
        bool, typer.Option("--json", help="Print JSON and nothing else; a report only with --out.")
    ] = False,
    out: Out = None,
    arithmetic: Annotated[
        Arithmetic | None, typer.Option(help="Number system.  [default: chosen by the model's size]")
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
    seed: Annotated[int | None, typer.Option(min=0, metavar="N", help="Seed of --simulate.  [default: 0]")] = None,
    steps: Annotated[
        str | None, typer.Option(metavar="A[,T0,P]", help="Its steps: A, or A/(t + T0)^P.  [default: by the model]")
    ] = None,
    phase_diagram: Annotated[
        bool, typer.Option("--phase-diagram", help="Draw what converges, by discount and schedule; a minute or so.")
    ] = False,
) -> Task:
    """Analyse a model: does TD, off-policy TD, GTD, TDC converge on it, to what, how fast?"""
    given = {
        "discount": discount,
        "schedule": schedule,
        "features": features,
        "policy": policy,
        "target": target,
    }
    how: dict[str, str | None] = {
        "arithmetic": arithmetic and arithmetic.value,
        "bits": str(bits) if bits > FLOAT_BITS else None,
        "simulate": "" if simulate else None,
        "seed": None if seed is None else str(seed),
        "steps": steps,
        "phase-diagram": "" if phase_diagram else None,
    }
    return partial(_analyze, model, given, how, json, out)


@app.command()
def certify(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file, .json or .npz, or gymnasium:ID.")],
    algorithm: Annotated[Algorithm, typer.Option(help="Which algorithm runs on it.")],
    steps: Annotated[str, typer.Option(metavar="A,T0[,P]", help="Its steps A/(t + T0)^P, 1/2 < P <= 1.  [P: 1]")],
    within: Annotated[str, typer.Option(metavar="EPS", help="The distance from the fixed point, such as 0.1.")],
    probability: Annotated[str, typer.Option(metavar="P", help="How sure it is to be, such as 0.95.")],
    ratio: Annotated[str, typer.Option(metavar="ETA", help="GTD and TDC: the second step over the first.")] = "1",
    theta0: Annotated[str | None, typer.Option(metavar="X,Y,...", help="The first iterate.  [default: zeros]")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder for the answer and its certificate.")
    ] = None,
    discount: Annotated[str | None, typer.Option(metavar="GAMMA", help="Discount, such as 0.9 or 9/10.")] = None,
    schedule: Annotated[
        str | None,
        typer.Option(metavar="SCHEDULE", help="td0, n_step:3, equal_weights:4,6, constant:0.9,8, or JSON."),
    ] = None,
    features: Annotated[str | None, typer.Option(metavar="FILE", help="Features, or 'tabular'.")] = None,
    policy: Annotated[str | None, typer.Option(metavar="FILE", help="Behaviour policy, or 'uniform'.")] = None,
    target: Annotated[str | None, typer.Option(metavar="FILE", help="Target policy, or 'uniform'.")] = None,
) -> Task:
    """After how many steps is the iterate close to its limit, at one time and for ever?"""
    given = {"discount": discount, "schedule": schedule, "features": features, "policy": policy, "target": target}
    asked = {
        "algorithm": algorithm.value,
        "steps": steps,
        "within": within,
        "probability": probability,
        "ratio": ratio,
        "theta0": theta0,
    }
    return partial(_certify, model, given, asked, json, out)


@app.command()
def check(
    certificates: Annotated[list[str], typer.Argument(metavar="CERTIFICATE...", help="Certificate files or folders.")],
    patient: Annotated[
        bool, typer.Option("--patient", help="Take the time it needs, also where it is estimated at more than 10 s.")
    ] = False,
) -> Task:
    """Replay certificates with the independent checker."""
    return partial(_check, certificates, patient)


@app.command()
def conform(
    target: Annotated[str, typer.Argument(metavar="MODULE:CLASS", help="A class, or path/to/file.py:CLASS.")],
    algorithm: Annotated[Algorithm, typer.Option(help="What the class is meant to be.")],
    schedules: Annotated[Schedules, typer.Option(help="What is asked of it.")] = Schedules.any,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the models and trajectories.")] = 0,
    time_limit: Annotated[
        float, typer.Option("--time-limit", metavar="SECONDS", help="For each process that the class runs in.")
    ] = TIME_LIMIT,
    json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> Task:
    """Put an implementation of your own on trial: does it do what the theorems speak of?"""
    return partial(_conform, target, algorithm.value, schedules.value, seed, time_limit, json)


@app.command()
def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="verdicts.json, or the folder of a report.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The same, of another run.")],
) -> Task:
    """Compare the verdicts of two reports."""
    return partial(_diff, old, new)


@app.command()
def sweep(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="What to ask of which models: a TOML file.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder of the sweep.  [default: sweep-NAME]")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes on this machine.  [default: one a core]")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, such as tcp://host:8786.")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(metavar="TIME", help="Stop after 90s, 10m, 1h30m with what is done by then.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON and nothing else.")] = False,
) -> Task:
    """Ask a question of many random models; run it again to go on where it stopped."""
    return partial(_sweep, spec, out, workers, scheduler, budget, json)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code; see the module docstring."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    restore = _interrupt_on_termination()
    try:
        asked: Any = app(args=arguments, prog_name="tdcert", standalone_mode=False)
        return asked() if callable(asked) else int(asked or DONE)
    except typer.TyperException as error:
        return _refuse(_usage(error, arguments))
    except InputError as error:
        return _refuse(str(error))
    except KeyboardInterrupt:
        return _refuse("interrupted; no report was left half-written", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the last flush must not fail too
        return DONE
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else DONE
    except Exception as error:
        return _own_fault(error, arguments)
    finally:
        restore()


def _verify(ids: Sequence[str] | None, profile: str, out: Path, seed: int | None) -> int:
    from tdcert.reports import terminal
    from tdcert.reports.output import OutputFolder

    with OutputFolder(out) as folder:
        from tdcert.verification.verify import DEFAULT_SEED
        from tdcert.verification.verify import verify as decide

        with terminal.progress("starting") as on_progress:
            run = decide(ids, profile, DEFAULT_SEED if seed is None else seed, on_progress)
            from tdcert.reports.documents import certificate_files
            from tdcert.reports.verdicts_json import verdicts_document
            from tdcert.reports.verification_page import verification_files

            folder.write(certificate_files((kept.path, kept.body) for kept in run.certificates))
            checked = _replay([(kept.path, folder.path(kept.path)) for kept in run.certificates], on_progress)
            document = verdicts_document(run)
            document["summary"]["checker"] = checked.counts()
            on_progress(1, 1, "writing the report")
            folder.write(verification_files(document))
        folder.commit()
    terminal.show_verification(document)
    _say_checked(checked)
    terminal.emit(f"report: {out / 'index.html'}\n")
    return AGAINST_EXPECTATION if run.summary.differences or checked.rejected else DONE


def _analyze(
    source: str, given: dict[str, str | None], how: dict[str, str | None], as_json: bool, out: Path | None
) -> int:
    from contextlib import nullcontext

    from tdcert.reports import terminal
    from tdcert.reports.output import OutputFolder

    place = out or (None if as_json else Path(REPORT))
    with OutputFolder(place) if place else nullcontext() as folder:
        from tdcert.analysis.analyse import Request, analyse
        from tdcert.theory.files import Overrides, load_any

        command = _command("analyze", source, {**given, **how}, as_json)
        request = Request.of_words(how["arithmetic"], how["bits"], command, _experiment(how))
        request = replace(request, phase_diagram=how["phase-diagram"] is not None)
        loaded = load_any(source, Overrides(**given))
        with terminal.progress("reading the model") as on_progress:
            run = analyse(loaded, on_progress, request)
            from tdcert.reports.analysis_json import analysis_document
            from tdcert.reports.analysis_page import analysis_files
            from tdcert.reports.documents import certificate_files, json_bytes, with_side_files

            found, checked = analysis_document(run), Checked()
            if folder:
                folder.write(certificate_files(run.certificates))
                checked = _replay([(path, folder.path(path)) for path, _ in run.certificates], on_progress)
                on_progress(1, 1, "writing the report")
                written = {**found, "checker": checked.counts()}
                folder.write(analysis_files(written))
        if folder:
            folder.commit()
    if as_json:
        prefix = f"{SIDE_FILES}/{found['model']['digest'][:12]}-" if place is None else "matrices/"
        document, side_files = with_side_files(found, prefix)
        if place is None:
            _write_side_files(side_files)
        _print(json_bytes(document).decode("ascii"))
    else:
        terminal.show_analysis(found)
        if found.get("replay"):
            terminal.emit(f"\nError bounds have no certificate; to compute them again: {found['replay']}\n")
        else:
            _say_checked(checked)
        terminal.emit(f"report: {Path(place or REPORT) / 'index.html'}\n")
    for line in checked.rejected if as_json else ():
        terminal.complain(f"a certificate was rejected: {line}")
    return AGAINST_EXPECTATION if run.refuted or checked.rejected else DONE


def _certify(
    source: str, given: dict[str, str | None], asked: dict[str, str | None], as_json: bool, out: Path | None
) -> int:
    from contextlib import nullcontext

    from tdcert.reports import certify as answers
    from tdcert.reports import terminal
    from tdcert.reports.documents import certificate_files, json_bytes
    from tdcert.reports.output import OutputFolder
    from tdcert.theory.certificate import checker
    from tdcert.theory.certificate.write import text

    with OutputFolder(out) if out else nullcontext() as folder:
        from tdcert.analysis.certify import Question, certify
        from tdcert.theory.files import Overrides, load_any
        from tdcert.theory.model.mdp import Model

        question = Question.of_words(**asked)  # type: ignore[arg-type]
        loaded = load_any(source, Overrides(**given))
        if not isinstance(loaded.model, Model):
            raise InputError("tdcert certify is exact; give a model file or an environment, not an archive")
        with terminal.progress("certifying"):
            found = certify(loaded.model, question)
            body, rejected = answers.certificate(found), ""
            if body is not None:
                try:
                    checker.check_text(text(body), REPLAY)
                except (checker.Rejected, checker.NotChecked) as reason:
                    rejected = str(reason)
        options = {**given, **asked}
        document = answers.document(found, _command("certify", source, options, as_json))
        if folder:
            if body is not None:
                document["certificate"] = answers.CERTIFICATE
                folder.write(certificate_files([(answers.CERTIFICATE, body)]))
            folder.write({"certify.json": json_bytes(document)})
            folder.commit()
            document["certificate"] = None if body is None else str(out / answers.CERTIFICATE) if out else None
    _print(json_bytes(document).decode("ascii") if as_json else answers.lines(document))
    if rejected:
        terminal.complain(f"the certificate was rejected: {rejected}")
    return AGAINST_EXPECTATION if rejected else DONE


def _experiment(how: dict[str, str | None]) -> Experiment | None:
    """What --simulate, --seed and --steps ask for."""
    from tdcert.analysis.request import Experiment

    if how["simulate"] is not None:
        return Experiment.of_words(int(how["seed"] or 0), how["steps"])
    if how["seed"] is not None or how["steps"] is not None:
        raise InputError("--seed and --steps are about --simulate; give that too")
    return None


def _command(name: str, source: str, given: dict[str, str | None], as_json: bool) -> str:
    """The command that makes this document again, as a shell reads it."""
    options = [word for option, value in given.items() if value is not None for word in (f"--{option}", value) if word]
    options += ["--json"] if as_json else []
    behind = source.startswith("-")  # it would read as an option
    return shlex.join(["tdcert", name, *([*options, "--", source] if behind else [source, *options])])


def _show(claim: str) -> int:
    from tdcert.claims.paper import ENTRIES
    from tdcert.reports import terminal
    from tdcert.reports.changes import read_verdicts
    from tdcert.reports.provenance import provenance

    entry = next((entry for entry in ENTRIES if entry.id == claim), None)
    if entry is not None and entry.module is None:
        place = {"id": entry.id, "place": entry.place, "title": entry.title, "finding": "open"}
        terminal.show_claim(place, "")
        return DONE
    if entry is not None and (Path(REPORT) / "verdicts.json").is_file():
        document = read_verdicts(REPORT)
        for found in document["claims"]:
            if found["id"] == claim and found.get("stated"):
                origin = f"as decided in {REPORT}, seed {document.get('seed')}"
                proofs = document.get("environment", {}).get("proofs", "")
                terminal.show_claim(found, origin, REPORT, provenance(claim), proofs)
                return DONE
    from tdcert.verification.verify import DEFAULT_SEED
    from tdcert.verification.verify import verify as decide

    with terminal.progress(f"deciding {claim}") as on_progress:
        run = decide([claim], Profile.quick.value, DEFAULT_SEED, on_progress)
    from tdcert.reports.verdicts_json import verdicts_document

    document = verdicts_document(run)
    found = next(row for row in document["claims"] if row["id"] == claim)
    proofs = document["environment"].get("proofs", "")
    terminal.show_claim(found, "decided just now", where=provenance(claim), proofs=proofs)
    return DONE


def _check(given: Sequence[str], patient: bool) -> int:
    from tdcert.reports import terminal
    from tdcert.theory.certificate import checker

    codes = []
    for path in _certificate_paths(given):
        code, line = checker.answer(path, patient)
        codes.append(code)
        terminal.emit(f"{line}\n")
    return checker.overall(codes)


def _conform(target: str, algorithm: str, schedules: str, seed: int, time_limit: float, as_json: bool) -> int:
    from tdcert.reports import conform, terminal

    with terminal.progress(f"running {target}"):
        found = conform.conformance(target, algorithm, schedules=schedules, seed=seed, time_limit=time_limit)
    if as_json:
        from tdcert.reports.documents import json_bytes

        _print(json_bytes(found).decode("ascii"))
    else:
        conform.show(found)
    return DONE if found["conforms"] else AGAINST_EXPECTATION


def _diff(old: str, new: str) -> int:
    from tdcert.reports import terminal
    from tdcert.reports.changes import changes, read_verdicts

    lines = changes(read_verdicts(old), read_verdicts(new))
    terminal.emit("".join(f"{line}\n" for line in lines) or "no verdict changed\n")
    return AGAINST_EXPECTATION if lines else DONE


def _sweep(
    spec: str, out: Path | None, workers: int | None, scheduler: str | None, budget: str | None, as_json: bool
) -> int:
    from tdcert.reports import sweep

    ended = sweep.sweep(spec, out, workers, scheduler, budget, as_json)
    if ended.interrupted:
        return _refuse("interrupted; what is done is kept, and the same command goes on from there", INTERRUPTED)
    return AGAINST_EXPECTATION if ended.unexpected else DONE


@dataclass(frozen=True)
class Checked:
    """What the independent checker said: how many it accepted, why it rejected the rest, how long it took."""

    accepted: int = 0
    rejected: tuple[str, ...] = ()
    seconds: float = 0.0

    def counts(self) -> dict[str, Any]:
        """As documents carry it: the time is no result."""
        return {"accepted": self.accepted, "rejected": list(self.rejected)}


def _replay(paths: Sequence[tuple[str, Path]], on_progress: Callable[[int, int, str], None]) -> Checked:
    from tdcert.theory.certificate import checker

    start, rejected, said = time.monotonic(), [], 0.0
    for index, (shown, path) in enumerate(paths):
        if time.monotonic() - said > 1:
            said = time.monotonic()
            on_progress(index, len(paths), "checking the certificates")
        try:
            checker.check_file(str(path), REPLAY)
        except checker.Rejected as reason:
            rejected.append(f"{shown}: {reason}")
        except checker.NotChecked as reason:
            rejected.append(f"{shown}: not checked, as {reason}")
    return Checked(len(paths) - len(rejected), tuple(rejected), time.monotonic() - start)


def _say_checked(checked: Checked) -> None:
    from tdcert.reports import terminal
    from tdcert.reports.labels import counted

    total = counted(checked.accepted + len(checked.rejected), "certificate")
    terminal.emit(f"\nThe independent checker accepted {checked.accepted:,} of {total} in {checked.seconds:.1f} s.\n")
    for line in checked.rejected[:MOST_REJECTED]:
        terminal.emit(f"  rejected: {line}\n")
    if len(checked.rejected) > MOST_REJECTED:
        terminal.emit(f"  and {len(checked.rejected) - MOST_REJECTED} more, named in the report's JSON\n")


def _certificate_paths(given: Iterable[str]) -> list[str]:
    paths: list[str] = []
    for name in given:
        place = Path(name)
        try:
            inside = sorted(str(path) for path in place.rglob("*.json")) if place.is_dir() else [name]
            missing = not place.exists()
        except (OSError, ValueError):
            missing, inside = True, []
        if missing:
            raise InputError(f"there is no file '{name}'; give the path of a certificate, or of a folder of them")
        if not inside:
            raise InputError(f"the folder '{name}' holds no certificate; give one that holds .json files")
        paths += inside
    return paths


def _write_side_files(side_files: dict[str, bytes]) -> None:
    try:
        for name, content in side_files.items():
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_bytes(content)
    except OSError as error:
        raise InputError(
            f"the large matrices cannot be written to '{SIDE_FILES}' ({error.strerror}); give --out DIR"
        ) from None


def _print(text: str) -> int:
    from tdcert.reports import terminal

    terminal.emit(text)
    return DONE


def _refuse(sentence: str, code: int = BAD_INPUT) -> int:
    from tdcert.reports import terminal

    terminal.complain(sentence)
    return code


def _usage(error: typer.TyperException, arguments: Sequence[str]) -> str:
    commands = {command.callback.__name__ for command in app.registered_commands if command.callback}
    command = next((word for word in arguments if word in commands), "")
    message = error.format_message().replace("Value error, ", "").strip().rstrip(".")
    return f"{message}; see 'tdcert {command + ' ' if command else ''}--help'"


def _own_fault(error: Exception, arguments: Sequence[str]) -> int:
    import platform
    import tempfile
    import traceback

    try:
        handle, path = tempfile.mkstemp(prefix="tdcert-", suffix=".log", text=True)
        with open(handle, "w", encoding="utf-8") as log:
            log.write(f"tdcert {' '.join(arguments)}\nPython {platform.python_version()}, {platform.platform()}\n\n")
            log.write("".join(traceback.format_exception(error)))
    except OSError:
        path = "nowhere, for no log could be written"
    return _refuse(f"this is a fault of tdcert itself ({type(error).__name__}); the log is {path}", OWN_FAULT)


def _interrupt_on_termination() -> Callable[[], None]:
    """A polite request to end is treated as Ctrl-C is: clean up, then leave. Returns what undoes it."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    try:
        before = [(getattr(signal, name), signal.signal(getattr(signal, name), interrupt)) for name in names]
    except ValueError:  # not the main thread
        return lambda: None

    def restore() -> None:
        for number, handler in before:
            signal.signal(number, handler)

    return restore
