"""What a run prints: progress on stderr, tables on stdout, plain text where nobody looks at a terminal."""

from __future__ import annotations

import io
import os
import shutil
import sys
import threading
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TextIO

from tdcert.claims.paper import OWN, SEED, papers
from tdcert.reports.labels import (
    BEYOND_IT,
    GRADES,
    NEEDED,
    PRINTED,
    SCOPES,
    SHARP,
    STATUSES,
    finding_words,
    label_of,
    told,
)
from tdcert.reports.latex_to_text import plain
from tdcert.theory.progress import Progress, silently
from tdcert.theory.words import counted

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

    from tdcert.reports.provenance import Provenance
    from tdcert.sweeps.question import ResultTable
    from tdcert.sweeps.run import SweepProgress, SweepRun
    from tdcert.verification.verification import ClaimVerdict, ReadingVerdict, Replayable, Verification

_SHOWN_ROWS = 40
"""Most rows of a table of a sweep."""
MOST_ROWS = 24
"""Most rows of a table of claims; in a longer one those that hold as printed are counted."""
ROOMY = 96
"""Columns from which the tables have room for everything."""
EVERY = 10.0
"""Seconds from one line about progress to the next, where there is no terminal."""
STYLES = {
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
            out.write(within(text, out.encoding or "ascii"))
        out.flush()
    except BrokenPipeError:
        # Later writes, the interpreter's last flush included, must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


_PLAINER = {
    **{"✓": "+", "✗": "x", "△": "!", "○": "o", "■": "#", "◆": "*", "●": "@", "≈": "~"},
    **{
        "−": "-",
        "–": "-",
        "─": "-",
        "…": "...",
        "·": "*",
        "×": "x",
        "≤": "<=",
        "≥": ">=",
        "→": "->",
        "‖": "|",
        "±": "+-",
    },
    **{
        "“": '"',
        "”": '"',
        "’": "'",
        "ᵀ": "^T",
        "∞": "infinity",
        "≠": "!=",
        "∈": "in",
        "√": "sqrt",
        "∀": "all",
        "⁻": "^-",
        "²": "^2",
    },
    **{"Σ": "sum ", "Φ": "Phi", "Π": "Pi", "Ω": "Omega", "Γ": "Gamma", "Λ": "Lambda", "α": "alpha", "β": "beta"},
    **{"γ": "gamma", "δ": "delta", "ε": "epsilon", "η": "eta", "θ": "theta", "κ": "kappa", "λ": "lambda", "μ": "mu"},
    **{"π": "pi", "ρ": "rho", "σ": "sigma", "φ": "phi", "≻": ">", "⪰": ">=", "½": "1/2"},
}
"""What stands for a sign where an encoding does not have it: never one sign for two statuses."""


def within(text: str, encoding: str) -> str:
    """The text in the letters of an encoding; ``?`` only where nothing like the letter is known."""

    def plainer(letter: str) -> str:
        for other in (letter, _PLAINER.get(letter, ""), unicodedata.normalize("NFKD", letter)):
            try:
                if other.encode(encoding):
                    return other
            except UnicodeEncodeError:
                continue
        parts = unicodedata.normalize("NFKD", letter)
        return parts[0] if parts[0].isascii() else "?"

    return "".join(map(plainer, text))


def printable(text: str) -> str:
    """The text as ``print`` can write it: in the letters that stdout has."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return within(text, encoding)
    return text


def complain(sentence: str) -> None:
    """One line on stderr."""
    emit(f"tdcert: {' '.join(sentence.split())}\n", sys.stderr)


def show(*parts: RenderableType) -> None:
    """Prints tables and text, styled on a terminal only."""
    emit("".join(f"{line}\n" for line in rendered(*parts)))


def rendered(*parts: RenderableType) -> list[str]:
    """The lines that :func:`show` prints."""
    buffer = io.StringIO()
    out = console(buffer)
    for part in parts:
        out.print(part)
    return [line.rstrip() for line in buffer.getvalue().removesuffix("\n").split("\n")] if parts else []


def console(file: TextIO | None = None) -> Console:
    """What renders: colours on a terminal only."""
    from rich.console import Console

    terminal = sys.stdout.isatty()
    return Console(
        file=file,
        force_terminal=terminal,
        no_color=None if terminal else True,
        width=width(),
        markup=False,
        highlight=False,
        emoji=False,
        soft_wrap=False,
    )


def width() -> int:
    """Columns of the terminal, 100 where there is none."""
    return shutil.get_terminal_size((100, 24)).columns


@contextmanager
def progress(first: str, quiet: bool = False) -> Iterator[Progress]:
    """Reports progress on stderr: a bar on a terminal, a line every :data:`EVERY` seconds elsewhere, nothing where
    ``quiet``.
    """
    if quiet:
        yield silently
        return
    if not sys.stderr.isatty():
        with _lines(first) as told:
            yield told
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


@contextmanager
def _lines(first: str) -> Iterator[Progress]:
    """A line every :data:`EVERY` seconds, whether or not a step has ended since the last."""
    at, ended, start = [first], threading.Event(), time.monotonic()

    def tell() -> None:
        while not ended.wait(EVERY):
            emit(f"tdcert: {time.monotonic() - start:.0f} s, {at[0]}\n", sys.stderr)

    def told(done: int, total: int, what: str) -> None:
        at[0] = f"{done:,} of {total:,}: {what}" if total else what

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield told
    finally:
        ended.set()
        thread.join()


def table(*headings: str, rows: Iterable[Sequence[Any]], **options: Any) -> Table:
    """A table as all commands print it. A heading that ends in ``!`` is of a column that is never broken, one that
    begins with ``>`` of numbers; cells are text, styled or plain, in the letters that stdout has, so that columns stay
    straight where one letter becomes several.
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
        cells = (cell if isinstance(cell, Text) else Text(str(cell)) for cell in row)
        made.add_row(
            *(cell if (plain := printable(cell.plain)) == cell.plain else Text(plain, cell.style) for cell in cells)
        )
    return made


def show_verification(run: Verification, everything: bool = False) -> None:
    """The table of examined claims, the counts as printed, what is undecided or open by name, differences from
    predictions. Of more than :data:`MOST_ROWS` claims those that hold as printed are counted, unless ``everything`` is
    asked for.
    """
    from rich.text import Text

    from tdcert.reports.evidence_lines import standing, tally
    from tdcert.theory.verdict import Scope

    counts = tally(run)
    examined = [(claim, claim.stated) for claim in run.claims if claim.stated]
    unread = run.nothing_was_read
    short = len(examined) > MOST_ROWS and not everything
    left_out = [claim for claim, _ in examined if short and claim.finding == "as_stated"]
    shown = [(claim, stated) for claim, stated in examined if claim not in left_out]
    roomy = width() >= ROOMY and not short  # elsewhere `tdcert show` names the place
    if shown:
        rows = [
            (
                claim.entry.id,
                *([claim.entry.place] if roomy else []),
                _verdict(stated),
                _verdict(claim.corrected) if claim.corrected else "–",
                "  ".join(_cases(claim)) or "–",
            )
            for claim, stated in shown
        ]
        printed = "Statement" if unread else "As printed"
        made = table("Claim!", *(["Place"] if roomy else []), printed, "Corrected", "Evidence", rows=rows)
        for column in made.columns[-3:-1]:
            column.min_width = len("? undecided")
        show(made)
        key = "  ".join(f"{sign} {grade}" for grade, (sign, _) in GRADES.items())
        key = key.replace("■ proved", "■∀ proved for all sizes  ■ proved at some sizes")
        show(Text(f"Evidence, in cases, in brackets where it is about a part: {key}", style="dim"))
    if left_out:
        kept = "that hold" if unread else "that hold as printed"
        emit(f"{counted(len(left_out), 'claim')} {kept} are left out: --all prints them.\n")
    for paper in run.papers:
        if paper is not SEED:
            show(Text(f"{paper.by}, {paper.published}: {paper.which_text}"))
    for claim, stated in examined:
        holding = claim.corrected or stated
        if holding.status == "refuted":
            show(Text(f"\nThe smallest witness that was found against {claim.entry.id}:"))
            _show_witness(holding)
    emit("\n")
    own = bool(examined) and all(claim.entry.section == OWN for claim, _ in examined)
    for where, found, words in (
        ("" if unread else " of the paper", run.summary.paper, BEYOND_IT if unread else PRINTED),
        (" of your own" if own else " more" if unread else " beyond the paper", run.summary.beyond, BEYOND_IT),
    ):
        if found.statements:
            show(Text(f"{counted(found.statements, 'statement')}{where}: {standing(found, words)}."))
    for claim in counts.undecided:
        why = "" if claim.stated is None else plain(claim.stated.why)
        said = f"Undecided{'' if unread else ' as printed'}: {claim.entry.id}: {why}"
        show(Text(said, style="yellow", no_wrap=short, overflow="ellipsis" if short else "fold"))
    for claim in counts.not_decidable:
        show(Text(f"Not decidable here: {claim.entry.id}: {plain(claim.entry.not_decidable)}", style="dim"))
    if counts.open:
        names = ", ".join(claim.entry.id for claim in counts.open)
        show(Text(f"Open, decided neither for nor against: {names}", style="dim"))
    if own:  # the machine-checked proofs speak of the claims of the table
        pass
    elif run.formal.valid:
        proved = sum(
            any(scope.theorems and scope.evidence.scope is Scope.ALL_SIZES for scope in claim.scopes)
            for claim, _ in examined
        )
        version, state = run.formal.assistant["coq"], run.environment.proofs
        if proved or run.paper in (None, SEED):
            emit(f"{counted(proved, 'claim')} with a proof in Coq {version} for all sizes: {state}.\n")
    else:
        show(Text(f"No machine-checked proof counts: {run.formal.why}", style="bold red"))
    differences = run.summary.differences
    if differences:
        from_what = "what is claimed" if own else "the predictions"
        show(Text(f"\n{counted(len(differences), 'difference')} from {from_what}:", style="bold red"))
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
    paper = papers().get(entry.paper)
    unread = paper is not None and paper.is_unread
    where_stated = "on the subject of the paper" if unread else "in the paper"
    where_stated = "a claim of your own, place" if entry.section == OWN else where_stated
    where_stated += f" by {paper.by} ({paper.published})" if paper and paper is not SEED else ""
    show(Text(plain(entry.title), style="bold"), Text(f"{entry.id}, {where_stated}: {entry.place}", style="dim"))
    if paper and paper is not SEED:
        show(Text(paper.which_text, style="dim"))
    if where and where.anchors:
        show(Text(f"in its source: {'   '.join(where.anchors)}", style="dim"))
    if entry.not_decidable:
        show(Text(f"\n{STATUSES['not_decidable'][0]} not decidable here: {plain(entry.not_decidable)}"))
    elif claim.stated is None:
        show(Text(f"\n{STATUSES['open'][0]} open: this version decides it neither for nor against"))
    else:
        found = "undecided as printed" if claim.finding == "open" else finding_words(claim)
        show(Text(f"Finding: {found} ({origin})", style="dim"))
    for kind, reading in claim.readings.items():
        _show_reading(label_of(claim, kind), reading, folder)
    if claim.sharper and claim.stated:
        show(Text.assemble(("\nSharper, not printed: ", "bold"), status(claim.stated.status)))
        indented(plain(claim.sharper))
    if claim.variant:
        _show_reading("Nearest false variant", claim.variant, folder)
    if claim.constants:
        headed("Its constants")
    for constant in claim.constants:
        note = f"; {plain(constant.note)}" if constant.note else ""
        refuted = f"; 1 % tighter: {plain(constant.tighter.why)}" if constant.sharp and constant.tighter else ""
        indented(f"{plain(constant.what)}: {SHARP[constant.sharp]}{refuted}{note}", hanging=True)
    if claim.hypotheses:
        headed("Hypotheses, left out one by one")
    for hypothesis in claim.hypotheses:
        line, shown = f"{plain(hypothesis.statement)}: {NEEDED[hypothesis.needed]}", hypothesis.counterexample
        if shown and shown.undefined:
            line += f", without it {plain(shown.undefined)} does not exist"
        if hypothesis.needed is None and hypothesis.note:
            line += f"; {plain(hypothesis.note)}"
        indented(f"{line}; {plain(shown.description)}" if shown else line, hanging=True)
        _show_certificates(hypothesis.scopes, folder)
    for note in claim.notes:
        show(Text(f"\n{plain(note)}"))
    headed("Where the proof lives")
    if where is None:
        indented("not written yet")
    else:
        indented(where.file)
        for file, names in where.calls:
            indented(f"{file}: {', '.join(names)}", hanging=True)
        if where.rests_on:
            indented(f"rests on {', '.join(where.rests_on)}", hanging=True)
    if claim.theorems:
        _show_theorems(claim, proofs)
    if claim.reproduce:
        headed("Decide it again")
        indented(claim.reproduce)
    held = f"{folder}/certificates/{entry.id}"
    if folder and os.path.isdir(held):
        indented(f"tdcert check {held}")


def _show_theorems(claim: ClaimVerdict, proofs: str) -> None:
    """The theorems of the proof assistant that decide a claim, in its words; the names of the others."""

    from tdcert.reports.formal_theorems import BESIDE, beside, of_reading, short

    headed(f"In Coq ({proofs})" if proofs else "In Coq")
    for kind in claim.readings:
        for theorem in of_reading(claim, kind):
            indented(f"theory/formal/{theorem.file}: {short(theorem)}")
            emit("".join(f"    {line}\n" for line in theorem.statement.split("\n")))
    others = [f"{short(theorem)} ({BESIDE[theorem.reading]})" for theorem in beside(claim)]
    if others:
        indented(f"also: {', '.join(others)}", hanging=True)


def _show_reading(label: str, reading: ReadingVerdict, folder: str) -> None:
    from rich.text import Text

    words = reading.reading
    show(Text.assemble((f"\n{label}: ", "bold"), _verdict(reading)))
    if words.quote:
        indented(f"“{plain(words.quote)}” ({words.place})", hanging=True)
    indented(plain(words.statement))
    for line in words.added_hypotheses:
        indented(f"added hypothesis: {plain(line)}", hanging=True)
    if reading.why:
        indented(f"why: {plain(reading.why)}", hanging=True)
    _show_witness(reading)
    for scope in reading.scopes:
        indented(_evidence(scope), hanging=True)
        for line in scope.evidence.parts:
            indented(f"– {plain(line)}", hanging=True)
        _show_certificates([scope], folder)


def _show_witness(reading: ReadingVerdict) -> None:
    if reading.model:
        from tdcert.reports.mathml import model_parts

        parts = [f"{plain(f'${name}$')} = {_entry(value)}" for name, value in model_parts(reading.model.canonical)]
        indented(f"model: {', '.join(parts)}" if parts else "model: too large to be shown here", hanging=True)
    for name, value in told(reading.witness).items():
        indented(f"witness: {plain(name)} = {_entry(value)}", hanging=True)


def _show_certificates(scopes: Sequence[Replayable], folder: str) -> None:
    """The first certificate of a part, where the report that holds it is at hand; unwrapped, to be copied."""
    paths = [path for scope in scopes for path in scope.certificates] if folder else []
    if paths:
        more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
        emit(f"    {folder}/{paths[0]}{more}\n")


def indented(line: Any, hanging: bool = False) -> None:
    """A paragraph set in by two; ``hanging`` sets its further lines in by two more."""
    emit("".join(f"{text}\n" for text in set_in(line, hanging)))


def set_in(line: Any, hanging: bool = True) -> list[str]:
    """The lines of it."""
    from rich.padding import Padding
    from rich.text import Text

    text = line if isinstance(line, Text) else Text(str(line))
    wrapped = text.wrap(console(), max(20, width() - 4)) if hanging else [text]
    return rendered(*(Padding(part, (0, 0, 0, 4 if number else 2)) for number, part in enumerate(wrapped)))


def headed(heading: str) -> None:
    """A heading, with a line of space before it."""
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


def status(key: str) -> Text:
    """The sign and words of a verdict, styled."""
    from rich.text import Text

    return Text(" ".join(STATUSES[key]), style=STYLES[key])


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
    found = status(reading.status)
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
