"""``verdicts.json``: a verification as the document that reports keep and that two runs are compared by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tdcert.claims.claim import Simulated
from tdcert.reports.changes import FORMAT
from tdcert.theory.model.mdp import Model
from tdcert.verification.formal_evidence import FormalProofs
from tdcert.verification.tallies import Counted
from tdcert.verification.verification import (
    ClaimVerdict,
    Environment,
    HypothesisVerdict,
    ReadingVerdict,
    Replayable,
    Standing,
    Summary,
    Verification,
)

Row = dict[str, Any]


def verdicts_document(found: Verification) -> Row:
    """The whole document."""
    return {
        "format": FORMAT,
        "claims": [claim_row(claim) for claim in found.claims],
        "figures": [figure.document() for figure in found.figures],
        "summary": _summary(found.summary),
        "formal": _formal(found.formal),
        "error_budget": [{"name": name, "false_alarm": alpha} for name, alpha in found.error_budget.items()],
        "error_budget_assumes": list(found.error_budget_assumes),
        "seed": found.seed,
        "profile": found.profile,
        "environment": _environment(found.environment),
    }


def claim_row(claim: ClaimVerdict) -> Row:
    """A claim's row; one that is open has no count of skipped models."""
    skipped = {} if claim.skipped is None else {"skipped": dict(sorted(claim.skipped.items()))}
    return {
        "id": claim.entry.id,
        "section": claim.entry.section,
        "place": claim.entry.place,
        "title": claim.entry.title,
        "finding": claim.finding,
        "stated": claim.stated and _stated(claim.stated, apart=claim.corrected is not None),
        "corrected": claim.corrected and _corrected(claim.corrected),
        "sharper": {"status": claim.stated.status, "statement": claim.sharper}
        if claim.stated and claim.sharper
        else None,
        "hypotheses": [_hypothesis(found) for found in claim.hypotheses],
        "models": [_model(model) for model in claim.models],
        **skipped,
        "reproduce": claim.reproduce,
        "figures": list(claim.figures),
        "simulations": [_simulation(simulated) for simulated in claim.simulations],
        "notes": list(claim.notes),
        "rests_on": list(claim.rests_on),
        "formal": [
            {"name": t.name, "reading": t.reading, "file": t.file, "statement": t.statement} for t in claim.theorems
        ],
    }


def _reading(reading: ReadingVerdict) -> Row:
    return {
        "status": reading.status,
        "statement": reading.reading.statement,
        "why": reading.why,
        "witness": dict(reading.witness) or None,
        "scopes": [_scope(scope) for scope in reading.scopes],
        **({"decides": reading.decides} if reading.decides else {}),
    }


def _stated(reading: ReadingVerdict, apart: bool) -> Row:
    """``apart``: it was judged by itself, on a model or none, beside a corrected reading."""
    model = {"model": reading.model and reading.model.canonical} if apart else {}
    return {**_reading(reading), "quote": reading.reading.quote, "place": reading.reading.place, **model}


def _corrected(reading: ReadingVerdict) -> Row:
    return {**_reading(reading), "added_hypotheses": list(reading.reading.added_hypotheses)}


def _scope(found: Replayable) -> Row:
    evidence = found.evidence
    return {
        "scope": evidence.scope,
        "grade": evidence.grade,
        "count": evidence.count,
        "detail": evidence.detail,
        "certificates": list(found.certificates),
        **({"parts": list(evidence.parts)} if evidence.parts else {}),
        **({"theorems": list(found.theorems)} if found.theorems else {}),
    }


def _hypothesis(found: HypothesisVerdict) -> Row:
    shown = found.counterexample
    return {
        "id": found.hypothesis.id,
        "statement": found.hypothesis.statement,
        "source": found.hypothesis.source,
        "needed": found.needed,
        "counterexample": shown
        and {
            "description": shown.description,
            "search": shown.search,
            "undefined": shown.undefined or None,
            "model": shown.model.canonical,
            "witness": dict(shown.witness),
        },
        "scopes": [_scope(scope) for scope in found.scopes],
        "note": found.note,
    }


def _simulation(simulated: Simulated) -> Row:
    return {
        "what": simulated.what,
        "agrees": simulated.agreement.agrees,
        "contradicts": simulated.agreement.contradicts,
        "false_alarm": simulated.agreement.alpha_spent,
        "summary": simulated.summary,
    }


def _model(model: Model) -> Row:
    return {
        "name": model.name,
        "states": model.n,
        "features": model.d,
        "actions": len(model.actions),
        "schedule_length": model.schedule.length,
        "digest": model.digest,
    }


def standing_row(found: Standing) -> Row:
    """How a group of statements stands."""
    return {
        "statements": found.statements,
        **found.findings,
        "experiments": dict(found.experiments),
        "proved": dict(found.proved),
    }


def _summary(found: Summary) -> Row:
    return {
        "decided": found.decided,
        "open": found.open,
        "by_status": {"stated": dict(found.stated), "corrected": dict(found.corrected)},
        "by_grade": dict(found.grades),
        "paper": standing_row(found.paper),
        "beyond": standing_row(found.beyond),
        "certificates": found.certificates,
        "differences": list(found.differences),
    }


def _formal(formal: FormalProofs) -> Row:
    """Of the whole record: whether it counts, what made it, the hash of its sources. The same on every machine."""
    if formal.record is None:
        return {"valid": False, "why": formal.why_not}
    kept = formal.record.document()
    return {"valid": True, "why": "", "assistant": kept["assistant"], "digest": kept["digest"]}


def _environment(found: Environment) -> Row:
    return {
        **found.versions,
        "platform": found.platform,
        "seconds": found.seconds,
        "time": found.time,
        "seconds_by_claim": dict(found.seconds_by_claim),
        "proofs": found.proofs,
    }


def counted(row: Mapping[str, Any]) -> Counted:
    """What is counted of a claim, read back from its row of the document."""
    stated = row["stated"]
    reading = row["corrected"] or stated
    if stated is None:
        return Counted(row["finding"], None)
    scopes: Sequence[Mapping[str, Any]] = reading["scopes"]
    proved = frozenset(str(scope["scope"]) for scope in scopes if scope["grade"] == "proved")
    return Counted(row["finding"], stated["status"], reading["status"] == "holds", proved, bool(reading.get("decides")))
