"""What a run prints: progress on stderr, tables on stdout, plain text where nobody looks at a terminal."""

from __future__ import annotations

import io
import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TextIO

from tdcert.claims.paper import OWN
from tdcert.reports import step_words
from tdcert.reports.documents import LARGEST_INLINE
from tdcert.reports.labels import (
    ALGORITHMS,
    BEYOND_IT,
    GRADES,
    MEAN_DYNAMICS,
    NEEDED,
    PRINTED,
    SCOPES,
    STATUSES,
    counted,
    finding_words,
    label_of,
)
from tdcert.reports.latex_to_text import plain
from tdcert.theory.progress import Progress

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

    from tdcert.analysis.result import Analysis
    from tdcert.analysis.simulated_runs import Simulation
    from tdcert.reports.provenance import Provenance
    from tdcert.sweeps.question import ResultTable
    from tdcert.sweeps.run import SweepProgress, SweepRun
    from tdcert.verification.verification import ClaimVerdict, ReadingVerdict, Replayable, Verification

_QUIET_SECONDS = 15.0
_SHOWN_ROWS = 40
"""Of a table of a sweep."""
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
def progress(first: str, sparing: bool = False) -> Iterator[Progress]:
    """Reports progress on stderr: a bar on a terminal; elsewhere a line for each step, or, ``sparing``, one now and
    then and for the last.
    """
    if not sys.stderr.isatty():
        yield _sparing_lines() if sparing else _lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        BarColumn(bar_width=28),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(first, total=None)
        yield lambda done, total, what: bar.update(task, completed=done, total=total, description=what)


def _lines() -> Progress:
    last_step, last_time = -1, 0.0

    def report(done: int, total: int, what: str) -> None:
        nonlocal last_step, last_time
        now = time.monotonic()
        if done != last_step or now - last_time > _QUIET_SECONDS:
            last_step, last_time = done, now
            emit(f"[{done:>{len(str(total))}}/{total}] {what}\n", sys.stderr)

    return report


def table(*headings: str, rows: Iterable[Sequence[Any]], **options: Any) -> Table:
    """A table as all commands print it. A heading that ends in ``!`` is of a column that is never broken, one that
    begins with ``>`` of numbers; cells are text, styled or plain.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, **options)
    for heading in headings:
        name = heading.removeprefix(">").removesuffix("!")
        side: Literal["right", "left"] = "right" if heading.startswith(">") else "left"
        whole = heading.endswith("!")
        made.add_column(name, justify=side, no_wrap=whole, overflow="ellipsis" if whole else "fold")
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Text) else Text(str(cell)) for cell in row))
    return made


def _sparing_lines() -> Progress:
    said, last = time.monotonic(), -1

    def report(done: int, total: int, what: str) -> None:
        nonlocal said, last
        if time.monotonic() - said > _QUIET_SECONDS or (done == total != last):
            said, last = time.monotonic(), done
            emit(f"{what}\n", sys.stderr)

    return report


def show_verification(run: Verification) -> None:
    """The table of examined claims, the counts as printed, what is undecided or open by name, differences from
    predictions.
    """
    from rich.text import Text

    from tdcert.reports.evidence_lines import standing, tally
    from tdcert.theory.verdict import Scope

    counts = tally(run)
    roomy = _width() >= _ROOMY  # elsewhere `tdcert show` names the place
    examined = [(claim, claim.stated) for claim in run.claims if claim.stated]
    if examined:
        rows = [
            (
                claim.entry.id,
                *([claim.entry.place] if roomy else []),
                _verdict(stated),
                _verdict(claim.corrected) if claim.corrected else "–",
                "  ".join(_cases(claim)) or "–",
            )
            for claim, stated in examined
        ]
        made = table("Claim!", *(["Place"] if roomy else []), "As printed", "Corrected", "Evidence", rows=rows)
        for column in made.columns[-3:-1]:
            column.min_width = len("? undecided")
        show(made)
        key = "  ".join(f"{sign} {grade}" for grade, (sign, _) in GRADES.items())
        key = key.replace("■ proved", "■∀ proved for all sizes  ■ proved at some sizes")
        show(Text(f"Evidence, in cases, in brackets where it is about a part: {key}", style="dim"))
    emit("\n")
    for where, found, words in (
        ("of the paper", run.summary.paper, PRINTED),
        ("beyond the paper", run.summary.beyond, BEYOND_IT),
    ):
        if found.statements:
            show(Text(f"{counted(found.statements, 'statement')} {where}: {standing(found, words)}."))
    for claim in counts.undecided:
        why = "" if claim.stated is None else claim.stated.why
        show(Text(f"Undecided as printed: {claim.entry.id}: {plain(why)}", style="yellow"))
    if counts.open:
        names = ", ".join(claim.entry.id for claim in counts.open)
        show(Text(f"Open, decided neither for nor against: {names}", style="dim"))
    if run.formal.valid:
        proved = sum(
            any(scope.theorems and scope.evidence.scope is Scope.ALL_SIZES for scope in claim.scopes)
            for claim, _ in examined
        )
        version, state = run.formal.assistant["coq"], run.environment.proofs
        emit(f"{counted(proved, 'claim')} with a proof in Coq {version} for all sizes: {state}.\n")
    else:
        show(Text(f"No machine-checked proof counts: {run.formal.why}", style="bold red"))
    differences = run.summary.differences
    if differences:
        show(Text(f"\n{counted(len(differences), 'difference')} from the predictions:", style="bold red"))
        show(*(Text(f"  {line}") for line in differences))


def show_claim(
    claim: ClaimVerdict, origin: str, folder: str = "", where: Provenance | None = None, proofs: str = ""
) -> None:
    """One claim: its place, both readings, witnesses, hypotheses, evidence, where its proof lives.

    ``folder`` is the report that holds the certificates, empty where there is none; ``proofs`` says whether the
    machine-checked proofs were replayed.
    """
    from rich.text import Text

    entry = claim.entry
    where_stated = "a claim of your own, place" if entry.section == OWN else "in the paper"
    show(Text(plain(entry.title), style="bold"), Text(f"{entry.id}, {where_stated}: {entry.place}", style="dim"))
    if where and where.anchors:
        show(Text(f"in its source: {'   '.join(where.anchors)}", style="dim"))
    if claim.stated is None:
        show(Text(f"\n{STATUSES['open'][0]} open: this version decides it neither for nor against"))
    else:
        found = "undecided as printed" if claim.finding == "open" else finding_words(claim)
        show(Text(f"Finding: {found} ({origin})", style="dim"))
    for kind, reading in claim.readings.items():
        _show_reading(label_of(claim, kind), reading, folder)
    if claim.sharper and claim.stated:
        show(Text.assemble(("\nSharper, not printed: ", "bold"), _status(claim.stated.status)))
        _indented(plain(claim.sharper))
    if claim.hypotheses:
        _headed("Hypotheses, left out one by one")
    for hypothesis in claim.hypotheses:
        line, shown = f"{plain(hypothesis.statement)}: {NEEDED[hypothesis.needed]}", hypothesis.counterexample
        if shown and shown.undefined:
            line += f", without it {plain(shown.undefined)} does not exist"
        if hypothesis.needed is None and hypothesis.note:
            line += f"; {plain(hypothesis.note)}"
        _indented(f"{line}; {plain(shown.description)}" if shown else line, hanging=True)
        _show_certificates(hypothesis.scopes, folder)
    for note in claim.notes:
        show(Text(f"\n{plain(note)}"))
    _headed("Where the proof lives")
    if where is None:
        _indented("not written yet")
    else:
        _indented(where.file)
        for file, names in where.calls:
            _indented(f"{file}: {', '.join(names)}", hanging=True)
        if where.rests_on:
            _indented(f"rests on {', '.join(where.rests_on)}", hanging=True)
    if claim.theorems:
        _show_theorems(claim, proofs)
    if claim.reproduce:
        show(Text(f"\n{claim.reproduce}", style="dim"))
    held = f"{folder}/certificates/{entry.id}"
    if folder and os.path.isdir(held):
        show(Text(f"tdcert check {held}", style="dim"))


def _show_theorems(claim: ClaimVerdict, proofs: str) -> None:
    """The theorems of the proof assistant that decide a claim, in its words; the names of the others."""

    from tdcert.reports.formal_theorems import BESIDE, beside, of_reading, short

    _headed(f"In Coq ({proofs})" if proofs else "In Coq")
    for kind in claim.readings:
        for theorem in of_reading(claim, kind):
            _indented(f"theory/formal/{theorem.file}: {short(theorem)}")
            emit("".join(f"    {line}\n" for line in theorem.statement.split("\n")))
    others = [f"{short(theorem)} ({BESIDE[theorem.reading]})" for theorem in beside(claim)]
    if others:
        _indented(f"also: {', '.join(others)}", hanging=True)


def _show_reading(label: str, reading: ReadingVerdict, folder: str) -> None:
    from rich.text import Text

    words = reading.reading
    show(Text.assemble((f"\n{label}: ", "bold"), _verdict(reading)))
    if words.quote:
        _indented(f"“{plain(words.quote)}” ({words.place})", hanging=True)
    _indented(plain(words.statement))
    for line in words.added_hypotheses:
        _indented(f"added hypothesis: {plain(line)}", hanging=True)
    if reading.why:
        _indented(f"why: {plain(reading.why)}", hanging=True)
    if reading.model:
        from tdcert.reports.mathml import model_parts

        parts = [f"{plain(f'${name}$')} = {_entry(value)}" for name, value in model_parts(reading.model.canonical)]
        _indented(f"model: {', '.join(parts)}" if parts else "model: too large to be shown here", hanging=True)
    for name, value in reading.witness.items():
        _indented(f"witness: {plain(name)} = {_entry(value)}", hanging=True)
    for scope in reading.scopes:
        _indented(_evidence(scope), hanging=True)
        for line in scope.evidence.parts:
            _indented(f"– {plain(line)}", hanging=True)
        _show_certificates([scope], folder)


def _show_certificates(scopes: Sequence[Replayable], folder: str) -> None:
    """The first certificate of a part, where the report that holds it is at hand; unwrapped, to be copied."""
    paths = [path for scope in scopes for path in scope.certificates] if folder else []
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


def show_analysis(run: Analysis) -> None:
    """An analysis in a dozen lines and two tables."""
    from rich.text import Text

    from tdcert.analysis.facts import ClassFacts
    from tdcert.reports.analysis_json import digest_of
    from tdcert.reports.number_texts import column, digits, number, rate
    from tdcert.reports.numbers import decimal, exact_or_decimal

    facts, model, chain = run.facts, run.facts.model, run.facts.chain
    about = facts.single or ClassFacts((), {})
    show(
        Text(model.name or run.source, style="bold"),
        Text(
            f"{counted(model.n, 'state')}, {counted(len(model.actions), 'action')}, "
            f"{counted(model.d, 'feature')}; digest {digest_of(model)[:16]}"
        ),
        Text(f"arithmetic: {facts.arithmetic} ({run.choice.why})"),
        *(Text(f"default: {line}") for line in run.defaults_used),
        *(Text(f"note: {line}") for line in facts.notes),
    )
    _show_steps(run.simulation)
    classes = counted(len(chain.recurrent_classes), "recurrent class", "recurrent classes")
    kind = "irreducible" if chain.irreducible else f"reducible, {classes}"
    kappa = "none" if facts.kappa is None else exact_or_decimal(digits(facts.kappa))
    period = "" if chain.period is None else f", period {chain.period}"
    show(Text(f"\nchain: {kind}{period}; κ: {kappa}"))

    rows: list[Sequence[Any]] = []
    for index, part in enumerate(facts.classes, start=1):
        for key, name in ALGORITHMS.items():
            entry, label = part.algorithms.get(key), name if facts.single else f"{name} class {index}"
            if entry is None:
                rows.append((label, "does not apply", "–", "–"))
                continue
            sign, words, _ = MEAN_DYNAMICS[entry.mean_dynamics]
            ends = rate(entry.rate)
            between = f"{decimal(ends['lower'], 8, 'down')} and {decimal(ends['upper'], 8, 'up')}" if ends else "–"
            rows.append((label, Text(f"{sign} {words}", style=_STYLES[entry.mean_dynamics]), entry.matrix, between))
    show(table("Algorithm", "Mean dynamics", "Matrix", "Rate between", rows=rows))
    for values, label in (
        (about.theta_star, "θ*"),
        (about.values_at_fixed_point, "value at the fixed point"),
        (facts.value, "true value"),
    ):
        numbers = column(values)
        if numbers is None:
            show(Text(f"{label}: {'none, or not unique' if facts.arithmetic == 'exact' else 'not known'}"))
        elif len(numbers) <= LARGEST_INLINE:
            shown = ", ".join(decimal(value) for value in numbers[:8])
            show(Text(f"{label}: {shown}" + (f", … ({len(numbers)} in all)" if len(numbers) > 8 else "")))
    for quantity, label in (
        (about.projection_error_squared, "projection error, squared"),
        (about.fixed_point_error_squared, "fixed-point error, squared"),
        (about.error_bound_squared, "bound on it, squared"),
    ):
        if quantity is not None:
            show(Text(f"{label}: {exact_or_decimal(number(quantity))}"))

    _show_advice(run)
    roomy = _width() >= _ROOMY
    rows = []
    for claim in facts.claims:
        verdict = claim.verdict
        why = ", ".join(verdict.violated) or plain(verdict.detail)
        if verdict.precision_needed:
            why += f" (to decide it, try --bits {verdict.precision_needed})"
        grade = verdict.grade or ""
        shown = grade if roomy or not grade else GRADES[grade][0]
        rows.append((claim.id, _status(verdict.status), shown or "–", why or "–"))
    verdicts = table("Claim!", "Verdict", "Grade!", "Why", rows=rows)
    verdicts.columns[1].min_width = len("△ hypothesis")
    emit("\n")
    show(verdicts)
    if not roomy:
        show(Text("Grade: " + "  ".join(f"{sign} {grade}" for grade, (sign, _) in GRADES.items()), style="dim"))


def _show_steps(ran: Simulation | None) -> None:
    """What the steps that were simulated do: first what was observed."""
    from rich.text import Text

    if ran is None:
        return
    from tdcert.analysis.simulated_runs import DRAWN, HORIZON

    _headed("At these steps")
    for run in ran.runs:
        key = step_words.verdict(run)
        said = Text(f"{ALGORITHMS[run.algorithm]}, {step_words.headline(run)}: ")
        if key:
            style = _STYLES[{"grows": "unstable", "dies_out": "stable"}.get(key, key)]
            said.append(step_words.VERDICTS[key], style=style)
            said.append(": ")
        said.append(step_words.answer(run, DRAWN, HORIZON))
        _indented(said, hanging=True)


def _show_advice(run: Analysis) -> None:
    """What follows about schedules, the warnings, and what runs showed."""
    ran = run.simulation
    for heading, lines in (
        ("Which schedule?", run.advice.sentences),
        ("Warnings", [f"{fired.severity}: {fired.text}" for fired in run.advice.warnings.fired]),
        (
            f"Simulation, seed {0 if ran is None else ran.seed}",
            [
                f"{ALGORITHMS[row.algorithm]}: {step_words.agreement(row)}, {row.judged.detail}"
                for row in (() if ran is None else ran.runs)
            ],
        ),
    ):
        if lines:
            _headed(heading)
        for line in lines:
            _indented(line, hanging=True)


def _headed(heading: str) -> None:
    from rich.text import Text

    show(Text(f"\n{heading}", style="bold"))


def sweep_progress(p: SweepProgress) -> str:
    """``12 of 100 shards, 120,000 of 1,000,000, 5,432 a second, 2 min 42 s left``."""
    left = "" if p.left is None else f", {_duration(p.left)} left"
    rate = f", {p.rate:,.0f} a second" if p.rate >= 10 else f", {p.rate:.2g} a second" if p.rate else ""
    return f"{p.shards:,} of {p.all_shards:,} shards, {p.indices:,} of {p.all_indices:,}{rate}{left}"


def _duration(seconds: float) -> str:
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    if hours:
        return f"{hours:,} h {minutes} min"
    return f"{minutes} min {whole % 60} s" if minutes else f"{whole} s"


def show_sweep(run: SweepRun, report: str) -> None:
    """The sentences and tables of the answer, how much of it is done, and where the ``report`` is."""
    asked = run.spec.count
    for sentence in (*run.result.summary, *(f"against expectation: {said}" for said in run.result.unexpected)):
        emit(f"{plain(sentence)}\n")
    for found in run.result.tables:
        show_table(found)
    if run.complete:
        emit(f"\nComplete: {counted(asked, 'index', 'indices')}.\n")
    else:
        emit(f"\nPartial: {run.done:,} of {asked:,} indices; the same command goes on from here.\n")
    emit(f"report: {report}\n")


def show_table(found: ResultTable) -> None:
    """A table of a sweep's answer, of a long one the first rows."""
    headings = []
    for k, heading in enumerate(found.columns):
        numbers = all(isinstance(row[k], int | float | None) for row in found.rows)
        headings.append(f"{'>' if numbers else ''}{plain(heading)}")
    rows = (tuple(map(_cell, row)) for row in found.rows[:_SHOWN_ROWS])
    show(table(*headings, rows=rows, title=plain(found.title), title_justify="left"))
    if len(found.rows) > _SHOWN_ROWS:
        emit(f"and {counted(len(found.rows) - _SHOWN_ROWS, 'more row', 'more rows')} in the report\n")


def _cell(item: object) -> str:
    if item is None:
        return "–"
    if isinstance(item, bool):
        return "yes" if item else "no"
    if isinstance(item, int):
        return f"{item:,}"
    return f"{item:.6g}" if isinstance(item, float) else plain(str(item))


def _status(key: str) -> Text:
    from rich.text import Text

    return Text(" ".join(STATUSES[key]), style=_STYLES[key])


def _cases(claim: ClaimVerdict) -> list[str]:
    """How many cases each grade covers; in brackets where that grade is about a part of the statement alone."""
    from tdcert.reports.evidence_lines import evidence_counts, is_wide

    partly = {"proved", "certified"} if claim.finding == "empirical" else set()
    wide = claim.holding is not None and is_wide(claim.holding.scopes)
    found = []
    for grade, count in evidence_counts(claim):
        words = f"{GRADES[grade][0]}{'∀' if grade == 'proved' and wide else ''}\u00a0{count:,}"
        found.append(f"({words})" if grade in partly else words)
    return found


def _verdict(reading: ReadingVerdict) -> Text:
    """The status of a reading, and the part of it that is decided where the rest is cited."""
    found = _status(reading.status)
    if reading.decides and reading.status == "holds":
        found.append(f": {reading.decides}")
    return found


def _evidence(found: Replayable) -> str:
    scope = found.evidence
    sign, all_sizes = GRADES[scope.grade][0], scope.scope == "all_sizes"
    if found.theorems:
        return f"{sign} {scope.grade} ({'all sizes' if all_sizes else 'a counterexample'}, Coq): {scope.detail}"
    words = SCOPES[scope.scope]
    cases = words[0] if all_sizes else counted(scope.count, *words)
    return f"{sign} {scope.grade}, {cases}: {plain(scope.detail)}".rstrip(": ")


def _entry(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "(" + ", ".join(map(_entry, value)) + ")"
    from tdcert.reports.numbers import shortened

    return shortened(plain(value))
