"""What changed between two verifications, or two analyses: one line for each changed verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tdcert.reports.documents import Document
from tdcert.reports.labels import NEEDED, SHARP
from tdcert.verification.verification import ClaimVerdict, Verification

AT_REST = "at rest: "
"""Stands before the name of a parameter whose point of rest is told."""


def changes(old: Verification, new: Verification) -> list[str]:
    """One line for each difference in a finding, a reading's status or grades, or a hypothesis's need."""
    before, after = ({claim.entry.id: facts(claim) for claim in run.claims} for run in (old, new))
    lines = []
    for name in dict.fromkeys([*before, *after]):
        if name not in after:
            lines.append(f"{name}: no longer listed")
        elif name not in before:
            lines.append(f"{name}: new ({after[name]['finding']})")
        elif before[name] != after[name]:
            was, now = before[name], after[name]
            parts = [
                f"{key} {was.get(key, 'nothing')} → {now.get(key, 'nothing')}"
                for key in dict.fromkeys([*was, *now])
                if was.get(key) != now.get(key)
            ]
            lines.append(f"{name}: {', '.join(parts)}")
    return lines


def changes_of_analyses(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """One line for each answer of an analysis that is another now; of where parameters rest, θ* among them, where both
    say it.
    """
    return [
        f"{key}: {old.get(key, 'nothing')} → {new.get(key, 'nothing')}"
        for key in dict.fromkeys([*old, *new])
        if old.get(key) != new.get(key) and (not _is_rest(key) or key in old.keys() & new.keys())
    ]


def told(document: Document) -> dict[str, str]:
    """What a document of an analysis says, in short: its verdicts on claims and algorithms, θ*, and which λ and
    interest are given by state. Raises what a document that is none of ours leads to.
    """
    model = document["model"]
    found = {claim["id"]: str(claim["status"]) for claim in document["claims"]}
    for row in document["algorithms"]:
        said = row["mean_dynamics"] or row["two_time_scales"] or {"verdict": "none"}
        of = f"{row['label']}, class {row['recurrent_class']}"
        found[of] = str(said["verdict"])
        for name, values in row.get("parameters", {}).items():
            if values is not None:
                found[f"{of}, {AT_REST}{name}"] = ", ".join(map(str, values))
    if "sampling" in model:
        found["sampling"] = str(model["sampling"])
    found |= {of: ", ".join(map(str, values)) for of, values in _by_state(model)}
    for place, part in enumerate(document["classes"]):
        if part["theta_star"] is not None:
            found[f"class {place}, {AT_REST}theta"] = ", ".join(map(str, part["theta_star"]))
    if document["theta_star"] is not None:
        found["theta_star"] = ", ".join(map(str, document["theta_star"]))
    return found


def _by_state(model: Document) -> Iterator[tuple[str, Sequence[object]]]:
    """λ and interest by state, of a model that has them."""
    if "by_state" in (model.get("lambdas") or ()):
        yield "λ by state", model["lambdas"]["by_state"]
    if "interest" in model:
        yield "interest", model["interest"]


def _is_rest(key: str) -> bool:
    return key == "theta_star" or AT_REST in key


def facts(claim: ClaimVerdict) -> Mapping[str, str]:
    """What a claim's verdict says, without evidence counts, witnesses or wording."""
    made = {"finding": str(claim.finding)}
    for kind, reading in claim.readings.items():
        grades = sorted({str(scope.evidence.grade) for scope in reading.scopes})
        made |= {kind: str(reading.status), f"grades of {kind}": ", ".join(grades) or "none"}
    made |= {f"constant {found.what}": SHARP[found.sharp] for found in claim.constants}
    return made | {f"hypothesis {found.id}": NEEDED[found.needed] for found in claim.hypotheses}
