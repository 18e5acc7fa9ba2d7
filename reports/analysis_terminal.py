"""An analysis in the terminal: the answer in at most :data:`LINES` lines, or everything.

The answer is made of blocks. Where they are too long together, the least important ones are cut, and say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from rich.text import Text

from tdcert.algorithms.schedules import TITLES
from tdcert.analysis.facts import ClassFacts, Values
from tdcert.analysis.independent import is_independent
from tdcert.claims.paper import ENTRIES, MAIN
from tdcert.reports import answer_words, step_words
from tdcert.reports.analysis_json import digest_of
from tdcert.reports.documents import LARGEST_INLINE
from tdcert.reports.labels import GRADES, MEAN_DYNAMICS, STATUSES
from tdcert.reports.latex_to_text import plain
from tdcert.reports.number_texts import column, digits, number
from tdcert.reports.numbers import exact_or_decimal, listed
from tdcert.reports.terminal import ROOMY, STYLES, emit, headed, indented, rendered, set_in, show, status, table, width
from tdcert.theory.verdict import Status
from tdcert.theory.words import counted

if TYPE_CHECKING:
    from tdcert.analysis.advice.schedules_of import SchedulesOf
    from tdcert.analysis.result import AnalysisResult
    from tdcert.analysis.robustness import RobustRow

LINES = 40
"""Most lines of an answer, what the command prints behind it included."""
BEHIND = 4
"""Lines that the command prints behind it: a space, the certificates, the report, and one more for long paths."""
MORE = "  … more with --all"
BESIDE = ("Two time scales", "Stable ratios")
"""Columns that a table of schedules has where there is room for them."""


@dataclass(frozen=True)
class Block:
    """Lines that belong together; at least ``kept`` of them are printed."""

    lines: Sequence[str]
    kept: int

    def cut(self, by: int) -> Block:
        """The block with so many lines fewer, as far as that goes; a line says that there were more."""
        left = max(self.kept, len(self.lines) - by)
        return self if left >= len(self.lines) else Block((*self.lines[: left - 1], MORE), self.kept)


def show_analysis(run: AnalysisResult, everything: bool = False) -> None:
    """The answer, or ``everything``."""
    if everything:
        return _show_all(run)
    blocks = [Block(lines, kept) for lines, kept in _blocks(run) if lines]
    excess = sum(len(block.lines) for block in blocks) - (LINES - BEHIND)
    for k in sorted(range(len(blocks)), key=lambda k: -k):  # what comes last matters least
        if excess > 0:
            cut = blocks[k].cut(excess)
            excess -= len(blocks[k].lines) - len(cut.lines)
            blocks[k] = cut
    emit("".join(f"{line}\n" for block in blocks for line in block.lines))


def _blocks(run: AnalysisResult) -> Iterator[tuple[list[str], int]]:
    """Lines, and how many of them must stay; the most important first. The least numbers are 36 together."""
    facts, model = run.facts, run.facts.model
    about = facts.single or ClassFacts((), {})
    policies = "on-policy" if model.is_on_policy else "off-policy"
    sizes = f"{counted(model.n, 'state')}, {counted(len(model.actions), 'action')}, {counted(model.d, 'feature')}"
    title = Text.assemble((model.name or run.source, "bold"), f"; arithmetic: {facts.arithmetic}")
    head = [title, Text(f"{sizes}; {policies}; {_chain(run)}")]
    notes = [*(f"default: {line}" for line in run.defaults_used), *(f"note: {line}" for line in facts.notes)]
    yield rendered(*head), 2
    yield _headed("At these steps", [line for said in _steps(run) for line in set_in(said)]), 8
    for question, asked in run.how_far.items():
        far = [line for one in asked for line in set_in(_robustness(one))]
        yield _headed(question, far), len(far) + 1
    values = [line for said in _for_all(run) for line in set_in(said)]
    yield _headed(run.for_all.question if run.for_all else "", values), len(values) + 1
    answers = [line for line in rendered(_answers(run)) if line]
    yield answers, len(answers) if run.listed else 6
    yield [line for said in _numbers(run, about, short=True) for line in rendered(Text(said))], 3
    if run.listed:
        more = [*rendered(_row_numbers(run)), *(line for said in _remarks(run) for line in set_in(said, hanging=True))]
        yield [line for line in more if line], len(more)
    under = [line for one in run.schedules for line in rendered(*_under_schedules(one))]
    yield _headed("Which schedule?", [line for line in under if line]), len(under)
    yield [line for note in notes for line in rendered(Text(note))], 1
    left = [line for one in run.left_out for line in rendered(Text(f"{one.sentence}."))]
    yield left, len(left)
    for heading, lines, kept in (
        ("Which schedule?", run.advice.sentences, 4),
        ("Warnings", _warnings(run, ("serious", "warning")), 4),
        (_simulation(run), map(_one_line, _agreements(run)), 4),
        ("Claims about this model", _claims(run), 4),
    ):
        yield _headed(heading, [line for said in lines for line in set_in(said)]), kept


def _headed(heading: str, lines: list[str]) -> list[str]:
    return [*rendered(Text(heading, style="bold")), *lines] if lines else []


def _chain(run: AnalysisResult) -> str:
    facts, chain = run.facts, run.facts.chain
    if is_independent(facts.model):
        drawn = counted(len(chain.recurrent_classes[0]), "state")
        return f"transitions drawn independently, from {drawn}"
    classes = counted(len(chain.recurrent_classes), "recurrent class", "recurrent classes")
    kind = "irreducible" if chain.irreducible else f"reducible, {classes}"
    kappa = "none" if facts.kappa is None else exact_or_decimal(digits(facts.kappa))
    period = "" if chain.period is None else f", period {chain.period}"
    return f"chain: {kind}{period}; κ: {kappa}"


def _steps(run: AnalysisResult) -> Iterator[Text]:
    for subject, key, what in step_words.told(run):
        said = Text(f"{subject}: ")
        if key is not None:
            style = STYLES[{"grows": "unstable", "dies_out": "stable"}.get(key, key)]
            said.append(step_words.VERDICTS[key], style=style).append(": ")
        yield said.append(what)


def _robustness(one: RobustRow) -> Text:
    return Text(f"{TITLES.get(one.algorithm, one.algorithm)}: {one.sentence}")


def _for_all(run: AnalysisResult) -> Iterator[Text]:
    asked = run.for_all
    for one in asked.rows if asked else ():
        yield Text(f"{TITLES.get(one.algorithm, one.algorithm)}: {one.sentence}")
    if asked and asked.note:
        yield Text(f"({asked.note})")


def _answers(run: AnalysisResult) -> Any:
    """Does each algorithm converge, and how fast: a row for each, on each recurrent class."""
    rows: list[Sequence[Any]] = []
    for row in run.rows:
        found, name = row.answer, answer_words.title(row, run)
        if found is None:
            rows.append((name, answer_words.limit(row), "–"))
            continue
        said = Text(f"{MEAN_DYNAMICS[found.mean_dynamics][0]} {answer_words.limit(row)}")
        said.stylize(STYLES[found.mean_dynamics])
        rows.append((name, said, answer_words.how_fast(row) or ("" if run.listed else found.reason) or "–"))
    return table("Algorithm!", "Answer", "How fast", rows=rows)


def _row_numbers(run: AnalysisResult) -> Any:
    """The table of all that is known of the rows in numbers."""
    columns = answer_words.cells(run.rows)
    rows = zip([answer_words.title(row, run) for row in run.rows], *(texts for _, texts in columns), strict=True)
    return table("Algorithm!", *_headings(columns), rows=rows)


def _headings(columns: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """What is one word or number is not broken."""
    for heading, texts in columns:
        yield heading if any(" " in text for text in (heading, *texts)) else f"{heading}!"


def _under_schedules(found: SchedulesOf) -> Iterator[Any]:
    """The table of what an algorithm does under schedules, and why there are none, or no row of one."""
    if found.why:
        yield Text(f"{found.algorithm.name}: {found.why}")
        return
    yield Text(f"{found.algorithm.name}: {found.recommended.sentence()}")
    answered = [(one.candidate, one.answer) for one in found.rows if one.answer is not None]
    columns = answer_words.cells([row for _, row in answered])
    if width() < ROOMY:
        columns = [(heading, texts) for heading, texts in columns if heading not in BESIDE]
    rows = [
        (candidate.name, answer_words.limit(row), *(texts[k] for _, texts in columns))
        for k, (candidate, row) in enumerate(answered)
    ]
    yield table(f"{found.algorithm.name} with!", "Answer!", *_headings(columns), rows=rows)
    for why in dict.fromkeys(one.why for one in found.rows if one.why):
        names = ", ".join(one.candidate.name for one in found.rows if one.why == why)
        yield Text(f"  {names}: {why}")


def _remarks(run: AnalysisResult) -> Iterator[str]:
    """What the tables do not say of rows that were asked for."""
    several = run.facts.chain.count > 1
    for row in run.rows:
        name = answer_words.title(row, run)
        for line in answer_words.remarks(row):
            yield f"{name} {line}" if line.startswith("estimates ") else f"{name}: {line}"
        if row.at_step is not None and several:
            yield f"{name} at the step {row.at_step.alpha}: {answer_words.at_step(row.at_step)}"
        yield from (f"{name}, {line}" for line in answer_words.moments(row)[-1:])
    yield answer_words.LEGEND


def _numbers(run: AnalysisResult, about: ClassFacts, short: bool) -> Iterator[str]:
    """Fixed point, values and squared errors."""
    facts = run.facts
    points = [(about.theta_star, "θ*"), (about.values_at_fixed_point, "value at the fixed point")]
    for values, label in (*(_rest_points(run) if run.listed else points), (facts.value, "true value")):
        numbers = column(values, LARGEST_INLINE + 1)
        if numbers is None:
            yield f"{label}: {'none, or not unique' if facts.arithmetic == 'exact' else 'not known'}"
        elif len(numbers) <= LARGEST_INLINE:
            yield f"{label}: {listed(numbers, *((5, 5) if short else (8, 6)))}"
    if run.listed:
        return
    squared = [
        (label, exact_or_decimal(number(quantity)))
        for quantity, label in (
            (about.projection_error_squared, "projection error"),
            (about.fixed_point_error_squared, "fixed-point error"),
            (about.error_bound_squared, "bound on it"),
        )
        if quantity is not None
    ]
    if short and squared:
        yield "squared: " + "; ".join(f"{label} {value}" for label, value in squared)
    elif squared:
        yield from (f"{label}, squared: {value}" for label, value in squared)


def _rest_points(run: AnalysisResult) -> list[tuple[Values, str]]:
    """Where the algorithms rest that do at one point: those that share one are named together."""
    found = dict[str, tuple[Values, list[str]]]()
    for row in run.rows:
        if row.theta_star is not None:
            key = str(column(row.theta_star, LARGEST_INLINE))
            found.setdefault(key, (row.theta_star, []))[1].append(answer_words.title(row, run))
    one = len(found) == 1 and sum(len(names) for _, names in found.values()) == len(run.rows)
    return [(values, "θ*" if one else f"θ* of {', '.join(names)}") for values, names in found.values()]


def _warnings(run: AnalysisResult, severities: Sequence[str]) -> list[str]:
    fired = run.advice.warnings.fired
    return [f"{one.severity}: {one.text}" for one in fired if one.severity in severities]


def _simulation(run: AnalysisResult) -> str:
    return "" if run.simulation is None else f"Simulation, seed {run.simulation.asked.seed}"


def _agreements(run: AnalysisResult) -> list[str]:
    ran = () if run.simulation is None else run.simulation.runs
    return [
        f"{TITLES.get(row.algorithm, row.algorithm)}: {step_words.agreement(row)}, {row.judged.detail}" for row in ran
    ]


def _claims(run: AnalysisResult) -> list[str]:
    """A line for each claim that says something about this model: those that fail or are open first."""
    order = [Status.REFUTED, Status.UNDECIDED, Status.HYPOTHESIS_VIOLATED, Status.HOLDS]
    told = [claim for claim in run.facts.claims if claim.verdict.status in order[:2] or claim.id in _telling()]
    lines = []
    for claim in sorted(told, key=lambda one: (min(order.index(one.verdict.status), 2), one.id not in MAIN)):
        verdict = claim.verdict
        sign, words = STATUSES[verdict.status]
        graded = f" ({verdict.grade})" if verdict.grade else ""
        why = ", ".join(verdict.violated) or plain(verdict.detail)
        lines.append(_one_line(f"{claim.id}: {sign} {words}{graded}{f': {why}' if why else ''}{_bits(claim)}"))
    return lines


def _one_line(text: str) -> str:
    """The text, cut to what a line holds."""
    return text if len(text) <= width() - 4 else f"{text[: width() - 5].rstrip()}…"


@cache
def _telling() -> frozenset[str]:
    """Claims of which a model decides the verdict; the others hold whatever it is, and say nothing about it."""
    return frozenset(entry.id for entry in ENTRIES if not entry.is_open and entry.load().asked_of_large_exact_models)


def _bits(claim: Any) -> str:
    needed = claim.verdict.precision_needed
    return f" (to decide it, try --bits {needed})" if needed else ""


def _show_all(run: AnalysisResult) -> None:
    facts, model = run.facts, run.facts.model
    sizes = f"{counted(model.n, 'state')}, {counted(len(model.actions), 'action')}, {counted(model.d, 'feature')}"
    show(
        Text(model.name or run.source, style="bold"),
        Text(f"{sizes}; digest {digest_of(model)[:16]}"),
        Text(f"arithmetic: {facts.arithmetic} ({run.choice.why})"),
        *(Text(f"default: {line}") for line in run.defaults_used),
        *(Text(f"note: {line}") for line in facts.notes),
        *(Text(f"{one.sentence}.") for one in run.left_out),
    )
    _paragraphs("At these steps", list(_steps(run)))
    for question, answers in run.how_far.items():
        _paragraphs(question, list(map(_robustness, answers)))
    _paragraphs(run.for_all.question if run.for_all else "", list(_for_all(run)))
    show(_answers(run), Text(_chain(run)))
    show(*(Text(line) for line in _numbers(run, facts.single or ClassFacts((), {}), short=False)))
    show(_row_numbers(run))
    _paragraphs("Algorithms", list(_remarks(run)) if run.listed else [])
    _paragraphs("Which schedule?", run.advice.sentences)
    for one in run.schedules:
        headed("Which schedule?")
        show(*_under_schedules(one))
    _paragraphs("Warnings", _warnings(run, ("serious", "warning", "note")))
    _paragraphs(_simulation(run), _agreements(run))
    roomy = width() >= ROOMY
    rows = []
    for claim in facts.claims:
        verdict = claim.verdict
        why = (", ".join(verdict.violated) or plain(verdict.detail)) + _bits(claim)
        grade = verdict.grade or ""
        shown = grade if roomy or not grade else GRADES[grade][0]
        rows.append((claim.id, status(verdict.status), shown or "–", why or "–"))
    verdicts = table("Claim!", "Verdict", "Grade!", "Why", rows=rows)
    verdicts.columns[1].min_width = len("△ hypothesis")
    emit("\n")
    show(verdicts)
    if not roomy:
        show(Text("Grade: " + "  ".join(f"{sign} {grade}" for grade, (sign, _) in GRADES.items()), style="dim"))


def _paragraphs(heading: str, lines: Sequence[Any]) -> None:
    if lines:
        headed(heading)
    for line in lines:
        indented(line, hanging=True)
