"""A class on trial, as the terminal shows it and as ``tdcert-conformance/1`` holds it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tdcert.sims.conformance.trial import Conformance, Failure

FORMAT = "tdcert-conformance/1"
TIME_LIMIT = 60.0
MOST_ROWS = 8
"""Transitions shown in a terminal; JSON has them all."""

HOW = {
    "path_by_path": "path by path, within the bound on rounding",
    "single_precision": "path by path to single precision, and in law",
    "in_batches": "path by path after every {batch} updates, which come in batches, and in law",
    "in_law": "in law only: its own randomness moves its paths",
}
SIGNS = {"passes": ("✓", "green"), "fails": ("✗", "red"), "not_judged": ("○", "dim")}


def conformance(
    target: str | type, algorithm: str, *, schedules: str = "any", seed: int = 0, time_limit: float = TIME_LIMIT
) -> dict[str, Any]:
    """Puts a class on trial; the outcome as ``tdcert-conformance/1``.

    Arguments and errors: ``tdcert.sims.conformance.trial.put_on_trial``.
    """
    from tdcert.sims.conformance.trial import put_on_trial

    found = put_on_trial(target, algorithm, schedules=schedules, seed=seed, time_limit=time_limit)
    return document(found, time_limit)


def document(found: Conformance, time_limit: float) -> dict[str, Any]:
    """The outcome of a trial as plain strings, numbers and lists."""
    from tdcert.sims.conformance.trial import ASKED

    options = ["--schedules", found.schedules, "--seed", str(found.seed), "--time-limit", f"{time_limit:g}"]
    return {
        "format": FORMAT,
        "class": found.target,
        "algorithm": found.algorithm,
        "schedules": found.schedules,
        "seed": found.seed,
        "conforms": found.conforms,
        "how": found.how or None,
        "batch": found.batch,
        "grade": "consistent" if found.conforms else None,
        "properties": [
            {
                "id": answer.shows,
                "statement": ASKED[answer.shows],
                "status": answer.status,
                "trajectories": answer.trajectories,
                "updates": answer.updates,
            }
            for answer in found.answers
        ],
        "failure": _failure(found.failure) if found.failure else None,
        "law": [
            {
                "comparison": law.name,
                "agrees": law.agrees,
                "runs": law.n,
                "false_alarm_rate": law.alpha_spent,
                "worst": law.worst,
                "coordinates": list(law.labels),
                "deviation": _numbers(law.deviation),
                "allowed": _numbers(law.radius),
                "detectable": _numbers(law.detectable),
            }
            for law in found.law
        ],
        "notes": list(found.notes),
        "reproduce": shlex.join(["tdcert", "conform", found.target, "--algorithm", found.algorithm, *options]),
    }


def _failure(failure: Failure) -> dict[str, Any]:
    case, difference = failure.case, failure.difference
    found: dict[str, Any] = {
        "property": failure.shows,
        "sentence": failure.sentence,
        "mistake": failure.mistake,
        "difference": None,
        "model": None,
        "lambdas": None,
        "theta0": None,
        "transitions": None,
    }
    if difference:
        found["difference"] = {
            "of": difference.name,
            "kind": difference.kind,
            "after_updates": difference.step,
            "found": _numbers(difference.found),
            "right": _numbers(difference.right),
            "allowed": _numbers(difference.allowed),
        }
    if case:
        found["model"], found["lambdas"], found["theta0"] = case.model.canonical, list(case.floats), list(case.theta0)
        rows = zip(case.transitions, case.alphas, case.betas, strict=True)
        found["transitions"] = [
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
                "alpha": alpha,
                "beta": beta,
            }
            for time, (t, alpha, beta) in enumerate(rows)
        ]
    return found


def _numbers(values: Sequence[float]) -> list[float | str]:
    """JSON has no infinities: they are written as words."""
    return [x if isfinite(x) else str(x) for x in map(float, values)]


def summary(found: dict[str, Any]) -> str:
    """The verdict in a line, and what failed in another."""
    name = f"{found['class']} as {found['algorithm']} (schedules: {found['schedules']})"
    if found["conforms"]:
        return f"{name} conforms, {HOW[found['how']].format(batch=found['batch'])}."
    return f"{name} does not conform.\nFirst failure: {found['failure']['sentence']}."


def show(found: dict[str, Any]) -> None:
    """The properties with what was compared, the verdict, and the smallest trajectory that shows a failure."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from tdcert.reports import terminal

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for heading, right in (("Property", False), ("", False), ("Trajectories", True), ("Updates", True)):
        table.add_column(heading, justify="right" if right else "left")
    for row in found["properties"]:
        sign, style = SIGNS[row["status"]]
        updates = f"{row['updates']:,}" if row["updates"] else "–"
        table.add_row(
            Text(row["statement"]),
            Text(f"{sign} {row['status'].replace('_', ' ')}", style=style),
            Text(f"{row['trajectories']:,}"),
            Text(updates),
        )
    terminal.show(table)
    terminal.show(Text(summary(found), style="green" if found["conforms"] else "red"))
    if found["failure"] and found["failure"]["transitions"]:
        _show_trajectory(found["failure"])
    for law in found["law"]:
        worst = law["coordinates"].index(law["worst"])
        terminal.show(
            Text(
                f"in law: {law['comparison']}: {law['worst']} off by {law['deviation'][worst]:.3g}, "
                f"allowed {law['allowed'][worst]:.3g}; {law['detectable'][worst]:.3g} would be noticed with "
                f"probability 0.999 ({law['runs']:,} runs, false-alarm rate {law['false_alarm_rate']:.0g})"
            )
        )
    for note in found["notes"]:
        terminal.show(Text(f"note: {note}"))
    if found["conforms"]:
        terminal.show(Text("Agreement on finitely many trajectories is evidence, not proof.", style="dim"))
    terminal.emit(f"{found['reproduce']}\n")


def _show_trajectory(failure: dict[str, Any]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from tdcert.reports import terminal

    rows = failure["transitions"]
    lambdas, theta0 = (", ".join(f"{x:.6g}" for x in failure[key]) for key in ("lambdas", "theta0"))
    terminal.show(Text(f"\nreset: λ = ({lambdas}), θ_0 = ({theta0})"))
    columns = {
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
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for heading in columns.values():
        table.add_column(heading, no_wrap=True)
    for row in rows[-MOST_ROWS:]:
        table.add_row(*(Text(_cell(row[key])) for key in columns))
    terminal.show(table)
    if len(rows) > MOST_ROWS:
        terminal.show(Text(f"({len(rows) - MOST_ROWS} transitions before these: --json has them)", style="dim"))


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, list):
        return f"({', '.join(map(_cell, value))})"
    return f"{value:.6g}"
