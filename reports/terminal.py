"""What a run prints: progress on stderr, tables on stdout, plain text where nobody looks at a terminal."""

from __future__ import annotations

import io
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from tdcert.reports import step_words
from tdcert.reports.labels import (
    ALGORITHMS,
    BEYOND_IT,
    GRADES,
    MEAN_DYNAMICS,
    PRINTED,
    SCOPES,
    STATUSES,
    counted,
    finding_words,
    label_of,
)
from tdcert.reports.latex_to_text import plain

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from tdcert.reports.provenance import Provenance

OnProgress = Callable[[int, int, str], None]

_QUIET_SECONDS = 15.0
_ROOMY = 96
"""Columns from which the tables have room for everything."""
_STYLES = {
    "holds": "green",
    "stable": "green",
    "stable_modulo_null_space": "green",
    "refuted": "red",
    "unstable": "red",
    "hypothesis_violated": "yellow",
    "undecided": "yellow",
    "marginal": "yellow",
    "open": "dim",
}


def emit(text: str, stream: TextIO | None = None) -> None:
    """Writes to stdout (or ``stream``); neither a reader that has gone away nor odd letters end a run."""
    out = stream or sys.stdout
    try:
        try:
            out.write(text)
        except UnicodeEncodeError:
            encoding = out.encoding or "ascii"
            out.write(text.encode(encoding, "replace").decode(encoding))
        out.flush()
    except BrokenPipeError:
        # Later writes, the interpreter's last flush included, must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def complain(sentence: str) -> None:
    """One line on stderr."""
    emit(f"tdcert: {' '.join(sentence.split())}\n", sys.stderr)


def show(*parts: RenderableType) -> None:
    """Prints tables and text, styled on a terminal only."""
    buffer = io.StringIO()
    console = _console(buffer)
    for part in parts:
        console.print(part)
    emit("\n".join(line.rstrip() for line in buffer.getvalue().split("\n")))


def _console(file: TextIO | None = None) -> Console:
    from rich.console import Console

    terminal = sys.stdout.isatty()
    return Console(
        file=file,
        force_terminal=terminal,
        no_color=None if terminal else True,
        width=_width(),
        markup=False,
        highlight=False,
        emoji=False,
        soft_wrap=False,
    )


def _width() -> int:
    return shutil.get_terminal_size((100, 24)).columns


@contextmanager
def progress(first: str) -> Iterator[OnProgress]:
    """Reports progress on stderr: a bar on a terminal, elsewhere a line for each step."""
    if not sys.stderr.isatty():
        yield _lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(bar_width=28),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(first, total=None)
        yield lambda done, total, what: bar.update(task, completed=done, total=total, description=what)


def _lines() -> OnProgress:
    last_step, last_time = -1, 0.0

    def report(done: int, total: int, what: str) -> None:
        nonlocal last_step, last_time
        now = time.monotonic()
        if done != last_step or now - last_time > _QUIET_SECONDS:
            last_step, last_time = done, now
            emit(f"[{done:>{len(str(total))}}/{total}] {what}\n", sys.stderr)

    return report


def show_verification(document: Mapping[str, Any]) -> None:
    """The table of examined claims, the counts as printed, what is undecided or open by name, differences from
    predictions.
    """
    from rich.table import Table
    from rich.text import Text

    from tdcert.reports.evidence_lines import scopes_of, standing, tally

    counts = tally(document)
    roomy = _width() >= _ROOMY
    examined = [claim for claim in document["claims"] if claim.get("stated")]
    if examined:
        table = Table(box=_box(), header_style="bold", pad_edge=False)
        table.add_column("Claim", no_wrap=True)
        if roomy:  # elsewhere `tdcert show` names the place
            table.add_column("Place")
        for heading in ("As printed", "Corrected"):
            table.add_column(heading, min_width=len("? undecided"))
        table.add_column("Evidence")
        for claim in examined:
            stated, corrected = claim.get("stated"), claim.get("corrected")
            evidence = _cases(claim)
            table.add_row(
                Text(claim["id"]),
                *([Text(claim["place"])] if roomy else []),
                _verdict(stated),
                _verdict(corrected) if corrected else Text("–"),
                Text("  ".join(evidence) or "–"),
            )
        show(table)
        key = "  ".join(f"{sign} {grade}" for grade, (sign, _) in GRADES.items())
        key = key.replace("■ proved", "■∀ proved for all sizes  ■ proved at some sizes")
        show(Text(f"Evidence, in cases, in brackets where it is about a part: {key}", style="dim"))
    emit("\n")
    for where, key, words in (("of the paper", "paper", PRINTED), ("beyond the paper", "beyond", BEYOND_IT)):
        if counts[key]["statements"]:
            show(Text(f"{counted(counts[key]['statements'], 'statement')} {where}: {standing(counts[key], words)}."))
    for claim in counts["undecided"]:
        show(Text(f"Undecided as printed: {claim['id']}: {plain(claim['stated'].get('why') or '')}", style="yellow"))
    if counts["open"]:
        names = ", ".join(claim["id"] for claim in counts["open"])
        show(Text(f"Open, decided neither for nor against: {names}", style="dim"))
    about, proofs = document.get("formal"), document["environment"].get("proofs", "")
    if about and about["valid"]:
        in_coq = ([scope for scope in scopes_of(claim) if scope.get("theorems")] for claim in examined)
        proved = sum(any(scope["scope"] == "all_sizes" for scope in scopes) for scopes in in_coq)
        emit(f"{counted(proved, 'claim')} with a proof in Coq {about['assistant']['coq']} for all sizes: {proofs}.\n")
    elif about:
        show(Text(f"No machine-checked proof counts: {about['why']}", style="bold red"))
    differences = document["summary"].get("differences") or []
    if differences:
        show(Text(f"\n{counted(len(differences), 'difference')} from the predictions:", style="bold red"))
        show(*(Text(f"  {line}") for line in differences))


def show_claim(
    claim: Mapping[str, Any], origin: str, folder: str = "", where: Provenance | None = None, proofs: str = ""
) -> None:
    """One claim: its place, both readings, witnesses, hypotheses, evidence, where its proof lives.

    ``folder`` is the report that holds the certificates, empty where there is none; ``proofs`` says whether the
    machine-checked proofs were replayed.
    """
    from rich.text import Text

    show(Text(plain(claim["title"]), style="bold"), Text(f"{claim['id']}, in the paper: {claim['place']}", style="dim"))
    if where and where.anchors:
        show(Text(f"in its source: {'   '.join(where.anchors)}", style="dim"))
    if not claim.get("stated"):
        show(Text(f"\n{STATUSES['open'][0]} open: this version decides it neither for nor against"))
    elif claim["finding"] == "open":
        show(Text(f"Finding: undecided as printed ({origin})", style="dim"))
    else:
        show(Text(f"Finding: {finding_words(claim)} ({origin})", style="dim"))
    for kind in ("stated", "corrected"):
        if claim.get(kind):
            _show_reading(label_of(claim, kind), claim[kind], folder)
    if claim.get("sharper"):
        show(Text.assemble(("\nSharper, not printed: ", "bold"), _status(claim["sharper"]["status"])))
        _indented(plain(claim["sharper"]["statement"]))
    if claim.get("hypotheses"):
        show(Text("\nHypotheses, left out one by one", style="bold"))
        for hypothesis in claim["hypotheses"]:
            needed = {True: "needed", False: "not needed", None: "undecided"}[hypothesis["needed"]]
            line = f"{plain(hypothesis.get('statement', hypothesis['id']))}: {needed}"
            found = hypothesis.get("counterexample") or {}
            if found.get("undefined"):
                line += f", without it {plain(found['undefined'])} does not exist"
            described = found.get("description")
            _indented(f"{line}; {plain(described)}" if described else line, hanging=True)
            _show_certificates(hypothesis, folder)
    for note in claim.get("notes") or ():
        show(Text(f"\n{plain(note)}"))
    show(Text("\nWhere the proof lives", style="bold"))
    if where is None:
        _indented("not written yet")
    else:
        _indented(where.file)
        for file, names in where.calls:
            _indented(f"{file}: {', '.join(names)}", hanging=True)
        if where.rests_on:
            _indented(f"rests on {', '.join(where.rests_on)}", hanging=True)
    if claim.get("formal"):
        _show_theorems(claim, proofs)
    if claim.get("reproduce"):
        show(Text(f"\n{claim['reproduce']}", style="dim"))
    held = f"{folder}/certificates/{claim['id']}"
    if folder and os.path.isdir(held):
        show(Text(f"tdcert check {held}", style="dim"))


def _show_theorems(claim: Mapping[str, Any], proofs: str) -> None:
    """The theorems of the proof assistant that decide a claim, in its words; the names of the others."""
    from rich.text import Text

    from tdcert.reports import formal_theorems

    show(Text(f"\nIn Coq ({proofs})" if proofs else "\nIn Coq", style="bold"))
    for kind in ("stated", "corrected"):
        for theorem in formal_theorems.of_reading(claim, kind) if claim.get(kind) else ():
            _indented(f"theory/formal/{theorem['file']}: {formal_theorems.short(theorem)}")
            for line in theorem["statement"].split("\n"):
                emit(f"    {line}\n")
    others = [
        f"{formal_theorems.short(theorem)} ({formal_theorems.BESIDE[theorem['reading']]})"
        for theorem in formal_theorems.beside(claim)
    ]
    if others:
        _indented(f"also: {', '.join(others)}", hanging=True)


def _show_reading(label: str, reading: Mapping[str, Any], folder: str) -> None:
    from rich.text import Text

    show(Text.assemble((f"\n{label}: ", "bold"), _verdict(reading)))
    if reading.get("quote"):
        _indented(f"“{plain(reading['quote'])}” ({reading['place']})", hanging=True)
    _indented(plain(reading["statement"]))
    for line in reading.get("added_hypotheses") or ():
        _indented(f"added hypothesis: {plain(line)}", hanging=True)
    if reading.get("why"):
        _indented(f"why: {plain(reading['why'])}", hanging=True)
    if reading.get("model"):
        from tdcert.reports.mathml import model_parts

        parts = [f"{plain(f'${name}$')} = {_entry(value)}" for name, value in model_parts(reading["model"])]
        _indented(f"model: {', '.join(parts)}" if parts else "model: too large to be shown here", hanging=True)
    for name, value in (reading.get("witness") or {}).items():
        _indented(f"witness: {plain(name)} = {_entry(value)}", hanging=True)
    for scope in reading.get("scopes") or ():
        _indented(_evidence(scope), hanging=True)
        for line in scope.get("parts") or ():
            _indented(f"– {plain(line)}", hanging=True)
        _show_certificates({"scopes": [scope]}, folder)


def _show_certificates(part: Mapping[str, Any], folder: str) -> None:
    """The first certificate of a part, where the report that holds it is at hand; unwrapped, to be copied."""
    paths = [path for scope in part.get("scopes") or () for path in scope.get("certificates") or ()] if folder else []
    if paths:
        more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
        emit(f"    {folder}/{paths[0]}{more}\n")


def _indented(line: Any, hanging: bool = False) -> None:
    """A paragraph set in by two; ``hanging`` sets its further lines in by two more."""
    from rich.padding import Padding
    from rich.text import Text

    text = line if isinstance(line, Text) else Text(str(line))
    wrapped = text.wrap(_console(), max(20, _width() - 4)) if hanging else [text]
    for number, part in enumerate(wrapped):
        show(Padding(part, (0, 0, 0, 4 if number else 2)))


def show_analysis(document: Mapping[str, Any]) -> None:
    """An analysis in a dozen lines and two tables."""
    from rich.table import Table
    from rich.text import Text

    from tdcert.reports.numbers import decimal, exact_or_decimal

    model, chain = document["model"], document["chain"]
    show(
        Text(str(model.get("name") or document.get("source") or "model"), style="bold"),
        Text(
            f"{counted(model['states'], 'state')}, {counted(model['actions'], 'action')}, "
            f"{counted(model['features'], 'feature')}; digest {model['digest'][:16]}"
        ),
    )
    if document.get("arithmetic_why"):
        show(Text(f"arithmetic: {document['arithmetic']} ({document['arithmetic_why']})"))
    for line in model.get("defaults_used") or ():
        show(Text(f"default: {line}"))
    for line in document.get("notes") or ():
        show(Text(f"note: {line}"))
    _show_steps(document.get("simulation"))
    classes = chain["recurrent_classes"]
    kind = (
        "irreducible"
        if chain["irreducible"]
        else f"reducible, {counted(len(classes), 'recurrent class', 'recurrent classes')}"
    )
    kappa = "none" if document.get("kappa") is None else exact_or_decimal(document["kappa"])
    period = "" if chain.get("period") is None else f", period {chain['period']}"
    show(Text(f"\nchain: {kind}{period}; κ: {kappa}"))

    groups = [("", document["algorithms"])] if document.get("algorithms") else []
    for index, part in enumerate(document.get("classes") or (), start=1):
        groups.append((f"class {index}", part["algorithms"]))
    table = Table(box=_box(), header_style="bold", pad_edge=False)
    for heading in ("Algorithm", "Mean dynamics", "Matrix", "Rate between"):
        table.add_column(heading, overflow="fold")
    for group, algorithms in groups:
        for key, name in ALGORITHMS.items():
            entry, label = algorithms.get(key), f"{name} {group}".strip()
            if entry is None:
                table.add_row(Text(label), Text("does not apply"), Text("–"), Text("–"))
                continue
            sign, words, _ = MEAN_DYNAMICS[entry["mean_dynamics"]]
            rate = entry.get("rate")
            between = "–"
            if rate:
                between = f"{decimal(rate['lower'], 8, 'down')} and {decimal(rate['upper'], 8, 'up')}"
            style = _STYLES[entry["mean_dynamics"]]
            table.add_row(Text(label), Text(f"{sign} {words}", style=style), Text(str(entry["matrix"])), Text(between))
    show(table)
    for key, label in (
        ("theta_star", "θ*"),
        ("values_at_fixed_point", "value at the fixed point"),
        ("value", "true value"),
    ):
        values = document.get(key)
        if values is None:
            exact = document.get("arithmetic") == "exact"
            show(Text(f"{label}: {'none, or not unique' if exact else 'not known'}"))
        elif isinstance(values, list):
            shown = ", ".join(decimal(value) for value in values[:8])
            show(Text(f"{label}: {shown}" + (f", … ({len(values)} in all)" if len(values) > 8 else "")))
    for key, label in (
        ("projection_error_squared", "projection error, squared"),
        ("fixed_point_error_squared", "fixed-point error, squared"),
        ("error_bound_squared", "bound on it, squared"),
    ):
        if document.get(key) is not None:
            show(Text(f"{label}: {exact_or_decimal(document[key])}"))

    _show_advice(document)
    roomy = _width() >= _ROOMY
    verdicts = Table(box=_box(), header_style="bold", pad_edge=False)
    verdicts.add_column("Claim", no_wrap=True)
    verdicts.add_column("Verdict", min_width=len("△ hypothesis"))
    verdicts.add_column("Grade", no_wrap=True)
    verdicts.add_column("Why")
    for claim in document["claims"]:
        why = ", ".join(claim.get("violated") or ()) or plain(claim.get("detail") or "")
        if claim.get("precision_needed"):
            why += f" (to decide it, try --bits {claim['precision_needed']})"
        grade = claim["grade"] or ""
        shown = grade if roomy else GRADES.get(grade, ("",))[0]
        verdicts.add_row(Text(claim["id"]), _status(claim["status"]), Text(shown or "–"), Text(why or "–"))
    emit("\n")
    show(verdicts)
    if not roomy:
        show(Text("Grade: " + "  ".join(f"{sign} {grade}" for grade, (sign, _) in GRADES.items()), style="dim"))


def _show_steps(ran: Mapping[str, Any] | None) -> None:
    """What the steps that were simulated do: first what was observed."""
    from rich.text import Text

    if not ran:
        return
    show(Text("\nAt these steps", style="bold"))
    for row in ran["algorithms"]:
        key = step_words.verdict(row)
        said = Text(f"{ALGORITHMS[row['algorithm']]}, {step_words.headline(row)}: ")
        if key:
            said.append(
                step_words.VERDICTS[key], style=_STYLES[{"grows": "unstable", "dies_out": "stable"}.get(key, key)]
            )
            said.append(": ")
        said.append(step_words.answer(row, ran["runs"], ran["updates"]))
        _indented(said, hanging=True)


def _show_advice(document: Mapping[str, Any]) -> None:
    """What follows about schedules, the warnings, and what runs showed."""
    from rich.text import Text

    sentences = document.get("schedules_answer") or ()
    if sentences:
        show(Text("\nWhich schedule?", style="bold"))
    for sentence in sentences:
        _indented(sentence, hanging=True)
    fired = document.get("warnings") or ()
    if fired:
        show(Text("\nWarnings", style="bold"))
    for warning in fired:
        _indented(f"{warning['severity']}: {warning['text']}", hanging=True)
    ran = document.get("simulation")
    if ran:
        show(Text(f"\nSimulation, seed {ran['seed']}", style="bold"))
        for row in ran["algorithms"]:
            name = ALGORITHMS[row["algorithm"]]
            _indented(f"{name}: {step_words.agreement(row)}, {row['detail']}", hanging=True)


def _status(key: str) -> Any:
    from rich.text import Text

    sign, words = STATUSES[key]
    return Text(f"{sign} {words}", style=_STYLES[key])


def _cases(claim: Mapping[str, Any]) -> list[str]:
    """How many cases each grade covers; in brackets where that grade is about a part of the statement alone."""
    from tdcert.reports.evidence_lines import evidence_counts, is_wide

    partly = {"proved", "certified"} if claim["finding"] == "empirical" else set()
    reading = claim.get("corrected") or claim["stated"]
    found = []
    for grade, count in evidence_counts(claim):
        sign = GRADES[grade][0] + ("∀" if grade == "proved" and is_wide(reading.get("scopes", ())) else "")
        words = f"{sign}\u00a0{count:,}"
        found.append(f"({words})" if grade in partly else words)
    return found


def _verdict(reading: Mapping[str, Any]) -> Any:
    """The status of a reading, and the part of it that is decided where the rest is cited."""
    found = _status(reading["status"])
    if reading.get("decides") and reading["status"] == "holds":
        found.append(f": {reading['decides']}")
    return found


def _evidence(scope: Mapping[str, Any]) -> Any:
    from rich.text import Text

    where = SCOPES[scope["scope"]]
    if scope.get("theorems"):
        words = "all sizes" if scope["scope"] == "all_sizes" else "a counterexample"
        return Text(f"{GRADES[scope['grade']][0]} {scope['grade']} ({words}, Coq): {scope.get('detail') or ''}")
    cases = where[0] if scope["scope"] == "all_sizes" else counted(scope["count"], *where)
    return Text(
        f"{GRADES[scope['grade']][0]} {scope['grade']}, {cases}: {plain(scope.get('detail') or '')}".rstrip(": ")
    )


def _entry(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "(" + ", ".join(map(_entry, value)) + ")"
    from tdcert.reports.numbers import shortened

    return shortened(plain(value))


def _box() -> Any:
    from rich import box

    return box.SIMPLE_HEAD
