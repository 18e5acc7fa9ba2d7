"""What changed between two verifications: one line for each changed verdict."""

from __future__ import annotations

from collections.abc import Mapping

from tdcert.reports.earlier_formats import AT_REST
from tdcert.reports.labels import NEEDED, SHARP
from tdcert.verification.verification import ClaimVerdict, Verification


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
