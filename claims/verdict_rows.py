"""The parts of ``verdicts.json`` that say what is known and decide nothing: rows, counts, environment."""

from __future__ import annotations

import platform
import sys
import time
from collections import Counter
from collections.abc import Sequence
from importlib import metadata
from typing import Any

from claims.claim import Finding, Simulated
from claims.paper import Entry
from theory.model.mdp import Model
from theory.verdict import ScopedEvidence

PACKAGES = ("numpy", "scipy", "sympy", "python-flint", "numba", "matplotlib")


def scope_row(evidence: ScopedEvidence, certificates: Sequence[str]) -> dict[str, Any]:
    """One piece of evidence, with the paths of its certificates; ``parts`` where it has some."""
    row: dict[str, Any] = {
        "scope": evidence.scope,
        "grade": evidence.grade,
        "count": evidence.count,
        "detail": evidence.detail,
        "certificates": list(dict.fromkeys(certificates)),
    }
    return {**row, "parts": list(evidence.parts)} if evidence.parts else row


def simulation_row(simulated: Simulated) -> dict[str, Any]:
    """One comparison of a simulation with theory."""
    return {
        "what": simulated.what,
        "agrees": simulated.agreement.agrees,
        "false_alarm": simulated.agreement.alpha_spent,
        "summary": simulated.summary,
    }


def model_row(model: Model) -> dict[str, Any]:
    """A model that a claim met."""
    length = model.schedule.length
    return {
        "name": model.name,
        "states": model.n,
        "features": model.d,
        "actions": len(model.actions),
        "schedule_length": length,
        "digest": model.digest,
    }


def open_row(row: Entry) -> dict[str, Any]:
    """A claim that nothing decides yet."""
    return {
        "id": row.id, "section": row.section, "place": row.place, "title": row.title, "finding": Finding.OPEN,
        "stated": None, "corrected": None, "hypotheses": [], "models": [], "reproduce": None, "figures": [],
        "simulations": [], "notes": [],
        "rests_on": [],
        "formal": [],
    }  # fmt: skip


def summary(rows: Sequence[dict[str, Any]], certificates: int, differences: Sequence[str]) -> dict[str, Any]:
    """What is counted."""
    decided = [row for row in rows if row["finding"] != Finding.OPEN]
    statuses = Counter(str(row["stated"]["status"]) for row in rows if row["stated"])
    corrected = Counter(str(row["corrected"]["status"]) for row in rows if row["corrected"])
    grades: Counter[str] = Counter()
    for row in decided:
        reading = row["corrected"] or row["stated"]
        grades.update({str(scope["grade"]) for scope in reading["scopes"]})
    return {
        "decided": len(decided),
        "open": len(rows) - len(decided),
        "by_status": {"stated": dict(sorted(statuses.items())), "corrected": dict(sorted(corrected.items()))},
        "by_grade": dict(sorted(grades.items())),
        "certificates": certificates,
        "differences": list(differences),
    }


def environment(seconds: float) -> dict[str, Any]:
    """Versions, platform and time: the one block that differs between two runs with the same inputs."""
    versions = {name: metadata.version(name) for name in PACKAGES}
    return {
        "tdcert": metadata.version("tdcert"),
        "python": sys.version.split()[0],
        **versions,
        "platform": platform.system() + " " + platform.machine(),
        "seconds": round(seconds, 1),
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
