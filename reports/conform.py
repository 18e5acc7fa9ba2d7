"""A class on trial, as the terminal shows it and as ``tdcert-conformance/1`` holds it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from tdcert.sims.conformance.battery import TrialCase
from tdcert.sims.conformance.path_differences import Difference
from tdcert.sims.conformance.trial import Conformance, PathFailure
from tdcert.sims.judge.agreement import Agreement
from tdcert.sims.trials.trial import Status
from tdcert.theory.document_types import Count, filled
from tdcert.theory.model.canonical import CanonicalModel

FORMAT: Final = "tdcert-conformance/1"
MOST_ROWS = 8
"""Transitions shown in a terminal; JSON has them all."""

HOW = {
    "path_by_path": "path by path, within the bound on rounding",
    "single_precision": "path by path to single precision{law}",
    "in_batches": "path by path after every {batch} updates, which come in batches{law}",
    "in_law": "in law only: its own randomness moves its paths",
}
SIGNS = {"passes": ("✓", "green"), "fails": ("✗", "red"), "not_judged": ("○", "dim")}
SHOWN = {
    "t": "t",
    "state": "s",
    "phi": "φ",
    "reward": "R",
    "next_state": "s'",
    "phi_next": "φ'",
    "rho": "ρ",
    "discount": "γ",
    "first": "first",
    "alpha": "α",
    "beta": "β",
}
"""What is shown of a transition → its heading."""
PROBABILITIES = {"pi": "π", "mu": "μ"}
"""Shown of declared updates, which may read them."""


Float: TypeAlias = float | Literal["nan", "inf", "-inf"]
"""JSON has no infinities: they are written as words."""
REQUIRED = ["t", "state", "action", "reward", "next_state", "phi", "phi_next", "rho", "discount", "first"]
TransitionDocument: TypeAlias = Annotated[
    dict[str, float | bool | list[float]], Meta(extra_json_schema={"required": REQUIRED})
]


@dataclass(frozen=True, kw_only=True)
class ClassPropertyDocument:
    """A property, and how much was compared."""

    id: str
    statement: str
    status: Status
    trajectories: Count
    updates: Count


@dataclass(frozen=True, kw_only=True)
class PathDifferenceDocument:
    """How the class left the path, and by how much it may."""

    of: str
    """The parameter: `theta` or `w` of the paper's."""
    kind: Literal["differs", "not_a_number", "diverges"]
    after_updates: Count
    found: tuple[Float, ...]
    right: tuple[Float, ...]
    allowed: tuple[Float, ...]


@dataclass(frozen=True, kw_only=True)
class ClassFailureDocument:
    """What fails first, on the smallest model and the shortest trajectory found."""

    property: str
    sentence: str
    mistake: str | None
    """A known one that it looks like, or null."""
    difference: PathDifferenceDocument | None
    model: CanonicalModel | None
    lambdas: tuple[float, ...] | None
    theta0: tuple[float, ...] | None
    given: dict[str, float | list[float]] | None
    """What else `reset` was given, by name."""
    transitions: tuple[TransitionDocument, ...] | None
    """With the step sizes by their names, and `pi` and `mu` of a declared update."""


@dataclass(frozen=True, kw_only=True)
class LawDocument:
    """A comparison in law."""

    comparison: str
    agrees: bool
    runs: Count
    false_alarm_rate: float
    worst: str
    """The coordinate that is farthest off."""
    coordinates: tuple[str, ...]
    deviation: tuple[Float, ...]
    allowed: tuple[Float, ...]
    detectable: tuple[Float, ...]
    """What would be noticed with probability 0.999."""


class ConformanceDocument(Struct, frozen=True, kw_only=True, rename={"class_": "class"}):
    """The outcome of a trial: docs/formats.md."""

    format: Literal["tdcert-conformance/1"] = FORMAT
    class_: str
    algorithm: str
    schedules: Literal["any", "constant", "n_step", "zero"]
    discounts: Literal["any", "constant"]
    sampling: Literal["independent"] | UnsetType = UNSET
    """Independent draws; left out where transitions are those of paths."""
    seed: Count
    conforms: bool
    updates: tuple[str, ...]
    """What it was held to: the update in symbols, or the function that declares it, line by line."""
    how: Literal["path_by_path", "single_precision", "in_batches", "in_law"] | None
    """Null where the class does not conform."""
    batch: int | None
    """The k of `in_batches`."""
    grade: Literal["consistent"] | None
    properties: tuple[ClassPropertyDocument, ...]
    failure: ClassFailureDocument | None
    law: tuple[LawDocument, ...]
    """Empty unless paths may differ."""
    notes: tuple[str, ...]
    reproduce: str


def document(found: Conformance, time_limit: float | None) -> ConformanceDocument:
    """The outcome of a trial; ``time_limit``: seconds, as the trial had it, None where the class ran elsewhere."""
    asked = [
        ClassPropertyDocument(
            id=x.shows, statement=found.asked[x.shows], status=x.status, trajectories=x.tried, updates=x.compared
        )
        for x in found.answers
    ]
    return filled(
        ConformanceDocument,
        found,
        class_=found.target,
        sampling="independent" if found.sampling == "independent" else UNSET,
        updates=found.held_to,
        how=found.how or None,
        grade="consistent" if found.conforms else None,
        properties=tuple(asked),
        failure=found.failure and _failure(found.failure),
        law=tuple(map(_law, found.law)),
        reproduce=reproduce(found, time_limit),
    )


def _law(law: Agreement) -> LawDocument:
    return LawDocument(
        comparison=law.name,
        agrees=law.agrees,
        runs=law.n,
        false_alarm_rate=law.alpha_spent,
        worst=law.worst,
        coordinates=law.labels,
        deviation=_numbers(law.deviation),
        allowed=_numbers(law.radius),
        detectable=_numbers(law.detectable),
    )


def reproduce(found: Conformance, time_limit: float | None) -> str:
    """The command that does it again."""
    asked = {what: str(getattr(found, what)) for what in ("algorithm", "schedules", "discounts", "seed")}
    asked |= {} if found.sampling == "path" else {"sampling": found.sampling}
    options = [word for what, value in asked.items() for word in (f"--{what}", value)]
    if time_limit is None:
        return shlex.join(["tdcert", "conform", *options, "--answers", found.target])
    return shlex.join(["tdcert", "conform", found.target, *options, "--time-limit", f"{time_limit:g}"])


def _failure(failure: PathFailure) -> ClassFailureDocument:
    case, difference = failure.case, failure.difference
    return ClassFailureDocument(
        property=failure.shows,
        sentence=failure.sentence,
        mistake=failure.mistake,
        difference=None if difference is None else _difference(difference),
        model=case.model.canonical if case else None,
        lambdas=case.floats if case else None,
        theta0=case.theta0 if case else None,
        given={name: value for part in case.given for name, value in part.items()} if case else None,
        transitions=_transitions(case) if case else None,
    )


def _difference(found: Difference) -> PathDifferenceDocument:
    return PathDifferenceDocument(
        of=found.name,
        kind=found.kind,
        after_updates=found.step,
        found=_numbers(found.found),
        right=_numbers(found.right),
        allowed=_numbers(found.allowed),
    )


def _transitions(case: TrialCase) -> tuple[TransitionDocument, ...]:
    rows = []
    for time, (t, sizes) in enumerate(zip(case.transitions, case.sizes.tolist(), strict=True)):
        more = {"pi": float(case.pi[time]), "mu": float(case.mu[time])} if case.declared else {}
        rows.append(
            {
                "t": time,
                "state": int(t.state),
                "action": int(t.action),
                "reward": float(t.reward),
                "next_state": int(t.next_state),
                "phi": t.phi.tolist(),
                "phi_next": t.phi_next.tolist(),
                "rho": float(t.rho),
                "discount": float(t.discount),
                "first": t.first,
                **dict(zip(case.step_names, sizes, strict=True)),
                **more,
            }
        )
    return tuple(rows)


def _numbers(values: Sequence[float]) -> tuple[Float, ...]:
    return tuple(map(as_float, values))


def as_float(value: float) -> Float:
    """A number, or the word for one that JSON does not have."""
    x = float(value)
    return x if isfinite(x) else "nan" if x != x else "inf" if x > 0 else "-inf"


def summary(found: Conformance) -> str:
    """The verdict in a line, and what failed in another."""
    kind = f"schedules: {found.schedules}, discounts: {found.discounts}"
    kind += "" if found.sampling == "path" else ", independent draws"
    name = f"{found.target} as {found.algorithm} ({kind})"
    if found.failure is None:
        law = ", and in law" if found.law else ""
        return f"{name} conforms, {HOW[found.how].format(batch=found.batch, law=law)}."
    return f"{name} does not conform.\nFirst failure: {found.failure.sentence}."


def held_to(found: Conformance) -> str:
    """The updates that the class was held to, in symbols."""
    lines = "\n".join(f"  {line}" for line in found.held_to)
    drawn = "" if found.sampling == "path" else "; each draw is the first transition of a run of its own"
    return f"Held to, with γ_t the discount of transition t, 0 where it ends an episode{drawn}:\n{lines}"


def trajectory(found: Conformance) -> str:
    """What ``reset`` was given and the transitions of the smallest failure, as a table; empty where there is none."""
    if found.failure is None or found.failure.case is None:
        return ""
    case = found.failure.case
    if case.declared:
        given = {name: value for part in case.given for name, value in part.items()}
        given |= {} if case.gamma is None else {"gamma": case.gamma}
        words = ", ".join(f"{name} = {_cell(value)}" for name, value in given.items()) or "n_features alone"
    else:
        lambdas, theta0 = (", ".join(map(_cell, values)) for values in (case.floats, case.theta0))
        words = f"λ = ({lambdas}){'' if case.gamma is None else f', γ = {_cell(case.gamma)}'}, θ_0 = ({theta0})"
        words += f", w_0 = {_cell(case.w0)}" if case.w0 else ""
    steps = _transitions(case)
    shown = {key: heading for key, heading in (SHOWN | PROBABILITIES).items() if key in steps[0]}
    cells = [list(shown.values()), *([_cell(step[key]) for key in shown] for step in steps[-MOST_ROWS:])]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rows = ["   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    rows.insert(1, "─" * (sum(widths) + 3 * len(widths) - 3))
    left_out = len(steps) - MOST_ROWS
    more = f"({left_out} transitions before these: --json has them)\n" if left_out > 0 else ""
    table = "\n".join(f" {row}" for row in rows)
    return f"\nreset: {words}\n\n{table}\n{more}\n"


def show(found: Conformance, time_limit: float | None) -> None:
    """The properties with what was compared, the verdict, and the smallest trajectory that shows a failure."""
    from rich.text import Text

    from tdcert.reports.terminal import emit, table
    from tdcert.reports.terminal import show as say

    rows = []
    for answer in found.answers:
        sign, style = SIGNS[answer.status]
        status = Text(f"{sign} {answer.status.replace('_', ' ')}", style=style)
        updates = f"{answer.compared:,}" if answer.compared else "–"
        rows.append((found.asked[answer.shows], status, f"{answer.tried:,}", updates))
    say(table("Property", "", ">Trajectories", ">Updates", rows=rows))
    emit(f"{held_to(found)}\n\n")
    say(Text(summary(found), style="green" if found.conforms else "red"))
    emit(trajectory(found))
    if found.failure and found.failure.line is not None:
        emit(f"\nIt is the beginning of line {found.failure.line} of the trajectories.\n\n")
    for law in found.law:
        worst = law.labels.index(law.worst)
        say(
            Text(
                f"in law: {law.name}: {law.worst} off by {law.deviation[worst]:.3g}, "
                f"allowed {law.radius[worst]:.3g}; {law.detectable[worst]:.3g} would be noticed with "
                f"probability 0.999 ({law.n:,} runs, false-alarm rate {law.alpha_spent:.0g})"
            )
        )
    say(*(Text(f"note: {note}") for note in found.notes))
    if found.conforms:
        say(Text("Agreement on finitely many trajectories is evidence, not proof.", style="dim"))
    emit(f"{reproduce(found, time_limit)}\n")


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, list | tuple):
        return f"({', '.join(map(_cell, value))})"
    return f"{value:.6g}"
