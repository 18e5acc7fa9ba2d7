"""``verdicts.json``: a verification as the document that reports keep and that two runs are compared by."""

from __future__ import annotations

from tdcert.reports.documents import Checked, Document, Row, fields_of, figure_row
from tdcert.theory.model.mdp import Model
from tdcert.verification.verification import (
    ClaimVerdict,
    Counterexample,
    Environment,
    HypothesisVerdict,
    ProofsSummary,
    ReadingVerdict,
    Replayable,
    Standing,
    Summary,
    Verification,
)

FORMAT = "tdcert-verdicts/1"


def verdicts_document(found: Verification, checked: Checked | None = None) -> Row:
    """The whole document; ``checked``: what the independent checker said of the certificates."""
    return {
        "format": FORMAT,
        "claims": [claim_row(claim) for claim in found.claims],
        "figures": [figure_row(figure) for figure in found.figures],
        "summary": {**_summary(found.summary), **({} if checked is None else {"checker": checked.counts()})},
        "formal": _formal(found.formal),
        "error_budget": [{"name": name, "false_alarm": alpha} for name, alpha in found.error_budget.items()],
        "error_budget_assumes": list(found.error_budget_assumes),
        "seed": found.seed,
        "profile": found.profile,
        "environment": environment_row(found.environment),
    }


def claim_row(claim: ClaimVerdict) -> Row:
    """A claim's row; one that is open has no count of skipped models."""
    stated, apart = claim.stated, claim.corrected is not None
    return {
        **fields_of(claim.entry, "id", "section", "place", "title"),
        **({"source_digest": claim.entry.digest} if claim.entry.digest else {}),
        "finding": claim.finding,
        "stated": stated and _stated(stated, apart),
        "corrected": claim.corrected and _corrected(claim.corrected),
        "sharper": {"status": stated.status, "statement": claim.sharper} if stated and claim.sharper else None,
        "hypotheses": [_hypothesis(found) for found in claim.hypotheses],
        "models": [fields_of(model) for model in claim.models],
        **({} if claim.skipped is None else {"skipped": dict(sorted(claim.skipped.items()))}),
        "reproduce": claim.reproduce,
        "figures": list(claim.figures),
        "simulations": [fields_of(simulated) for simulated in claim.simulations],
        "notes": list(claim.notes),
        "rests_on": list(claim.rests_on),
        "formal": [fields_of(theorem, "name", "reading", "file", "statement") for theorem in claim.theorems],
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
    """``apart``: it was judged by itself, on a model or none, beside a corrected reading. The model of the witness."""
    model = {"model": _canonical(reading.model)} if apart or reading.model else {}
    return {**_reading(reading), **fields_of(reading.reading, "quote", "place"), **model}


def _canonical(model: Model | None) -> Document | None:
    return None if model is None else model.canonical


def _corrected(reading: ReadingVerdict) -> Row:
    model = {"model": reading.model.canonical} if reading.model else {}
    return {**_reading(reading), "added_hypotheses": list(reading.reading.added_hypotheses), **model}


def _scope(found: Replayable) -> Row:
    evidence = found.evidence
    return {
        **fields_of(evidence, "scope", "grade", "count", "detail"),
        "certificates": list(found.certificates),
        **({"parts": list(evidence.parts)} if evidence.parts else {}),
        **({"theorems": list(found.theorems)} if found.theorems else {}),
    }


def _hypothesis(found: HypothesisVerdict) -> Row:
    return {
        **fields_of(found, "id", "statement", "source", "needed"),
        "counterexample": found.counterexample and _counterexample(found.counterexample),
        "scopes": [_scope(scope) for scope in found.scopes],
        "note": found.note,
    }


def _counterexample(shown: Counterexample) -> Row:
    return {
        **fields_of(shown, "description", "search"),
        "undefined": shown.undefined or None,
        "model": _canonical(shown.model),
        "witness": dict(shown.witness),
    }


def _standing(found: Standing) -> Row:
    return {
        "statements": found.statements,
        **found.findings,
        "experiments": dict(found.experiments),
        "proved": dict(found.proved),
    }


def _summary(found: Summary) -> Row:
    return {
        **fields_of(found, "decided", "open"),
        "by_status": {"stated": dict(found.stated), "corrected": dict(found.corrected)},
        "by_grade": dict(found.grades),
        "paper": _standing(found.paper),
        "beyond": _standing(found.beyond),
        "certificates": found.certificates,
        "differences": list(found.differences),
    }


def _formal(proofs: ProofsSummary) -> Row:
    """Whether they count, what made them, the hash of their sources."""
    about = {"assistant": dict(proofs.assistant), "digest": proofs.digest} if proofs.valid else {}
    return {"valid": proofs.valid, "why": proofs.why, **about}


def environment_row(found: Environment) -> Row:
    """What a run says of itself, versions first."""
    return {
        **found.versions,
        **fields_of(found, "platform", "seconds", "time", "seconds_by_claim", "proofs"),
    }
