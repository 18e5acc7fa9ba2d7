"""A stored ``verdicts.json`` back as typed values, for the commands that speak of an earlier run: ``show``, ``diff``.

Pictures and certificates stay in their files, and a relation that failed is known by its witness alone. Reports of
version 0.1.0 are read too: what they do not say has a default, and what they call certified without a certificate is
left out, because nobody can replay it.
"""

from __future__ import annotations

import json
from pathlib import Path

from tdcert.claims.claim import Finding, Reading
from tdcert.claims.paper import OWN, SEED, Entry
from tdcert.reports.documents import Document
from tdcert.reports.earlier_formats import FORMATS, told
from tdcert.reports.verdicts_json import FORMAT
from tdcert.theory.errors import InputError
from tdcert.theory.formal.record import Theorem
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Grade, Scope, ScopedEvidence, Status
from tdcert.verification.tallies import summary
from tdcert.verification.verification import (
    ClaimVerdict,
    ConstantVerdict,
    Counterexample,
    Environment,
    HypothesisVerdict,
    ModelSummary,
    ProofsSummary,
    ReadingVerdict,
    Replayable,
    SimulationVerdict,
    Verification,
)

_OF_ENVIRONMENT = ("platform", "seconds", "time", "seconds_by_claim", "proofs")


def read_analysis(path: str | Path) -> dict[str, str] | None:
    """What a stored analysis of this or the last release says in short; None where the path holds none."""
    folder = Path(path)
    try:
        names = ("analysis.json", "updates.json")
        place = next((folder / name for name in names if (folder / name).is_file()), folder)
        document = json.loads(place.read_text(encoding="utf-8"))
        return told(document) if document["format"] in FORMATS else None
    except (AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError):
        return None


def read_verification(path: str | Path) -> Verification:
    """The run of a report, given its file or its folder; :class:`InputError` for anything else."""
    try:
        place = Path(path) / "verdicts.json" if Path(path).is_dir() else Path(path)
        document = json.loads(place.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"there is no file '{place}'; give a verdicts.json, or the folder of a report") from None
    except OSError as error:
        raise InputError(f"'{path}' cannot be read ({error.strerror}); give a verdicts.json") from None
    except (ValueError, RecursionError):  # not UTF-8, not JSON, absurdly nested, or no path at all
        raise InputError(f"'{path}' is not JSON; give a verdicts.json, or the folder of a report") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"'{path}' is not of the format {FORMAT}; give a verdicts.json, or the folder of a report")
    try:
        return verification_of(document)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"
        raise InputError(f"'{path}' is not a whole report ({what}); give a whole verdicts.json") from None


def verification_of(document: Document) -> Verification:
    """The run that a document tells of. Raises what a document that is none of ours leads to."""
    claims = tuple(map(_claim, document["claims"]))
    formal, about = document.get("formal") or {"why": "the report does not say"}, document["environment"]
    versions = {key: value for key, value in about.items() if key not in _OF_ENVIRONMENT}
    counted = document["summary"]
    paths = {path for claim in claims for scope in claim.scopes for path in scope.certificates}
    return Verification(
        claims,
        (),
        (),
        summary(claims, counted.get("certificates", len(paths)), tuple(counted.get("differences", ()))),
        ProofsSummary(formal["why"], formal.get("assistant", {}), formal.get("digest", "")),
        {row["name"]: row["false_alarm"] for row in document.get("error_budget", ())},
        tuple(document.get("error_budget_assumes", ())),
        document["seed"],
        document["profile"],
        Environment(
            versions,
            about["platform"],
            about["seconds"],
            about["time"],
            about.get("seconds_by_claim", {}),
            about.get("proofs", ""),
        ),
    )


def _claim(row: Document) -> ClaimVerdict:
    decided = row["stated"] is not None
    return ClaimVerdict(
        Entry(
            row["id"],
            row["section"],
            row["place"],
            row["title"],
            row["id"] if decided else None,
            row.get("paper", "" if row["section"] == OWN else SEED.id),
            row.get("not_decidable", ""),
            digest=row.get("source_digest", ""),
        ),
        Finding(row["finding"]),
        _reading(row["stated"]) if decided else None,
        _reading(row["corrected"]) if row["corrected"] else None,
        row["sharper"]["statement"] if row.get("sharper") else "",
        tuple(map(_hypothesis, row.get("hypotheses", ()))),
        tuple(ModelSummary(**{"schedule_length": None, **model}) for model in row.get("models", ())),
        row.get("skipped"),
        row.get("reproduce"),
        tuple(row.get("figures", ())),
        tuple(
            SimulationVerdict(**{"contradicts": not found["agrees"], **found}) for found in row.get("simulations", ())
        ),
        tuple(row.get("notes", ())),
        tuple(row.get("rests_on", ())),
        tuple(Theorem(row["id"], **_theorem(theorem)) for theorem in row.get("formal", ())),
        _reading(row["variant"]) if "variant" in row else None,
        tuple(map(_constant, row.get("constants", ()))),
    )


def _constant(row: Document) -> ConstantVerdict:
    tighter = _reading(row["tighter"]) if row["tighter"] else None
    return ConstantVerdict(row["what"], row["note"], row["sharp"], tighter, _scopes(row))


def _theorem(row: Document) -> Document:
    """A theorem's fields; documents of earlier releases have no words of theorems."""
    return {**row, "words": tuple(row.get("words", ())), "digest": row.get("digest", "")}


def _reading(row: Document) -> ReadingVerdict:
    words = Reading(
        row["statement"], tuple(row.get("added_hypotheses", ())), row.get("quote", ""), row.get("place", "")
    )
    return ReadingVerdict(
        words,
        Status(row["status"]),
        row.get("why") or "",
        row.get("witness") or {},
        _scopes(row),
        row.get("decides", ""),
        Model.of_canonical(row["model"]) if row.get("model") else None,
    )


def _scopes(owner: Document) -> tuple[Replayable, ...]:
    found = []
    for row in owner["scopes"]:
        reach, grade = Scope(row["scope"]), Grade(row["grade"])
        evidence = ScopedEvidence(reach, grade, row["count"], row["detail"], tuple(row.get("parts", ())))
        if grade is not Grade.CERTIFIED or row["certificates"]:
            found.append(Replayable(evidence, tuple(row["certificates"]), tuple(row.get("theorems", ()))))
    return tuple(found)


def _hypothesis(row: Document) -> HypothesisVerdict:
    shown = row.get("counterexample")
    return HypothesisVerdict(
        row["id"],
        row.get("statement", row["id"]),
        row.get("source", ""),
        row.get("note", ""),
        row["needed"],
        shown
        and Counterexample(
            shown["description"],
            shown.get("search", ""),
            shown.get("undefined") or "",
            Model.of_canonical(shown["model"]),
            shown["witness"],
        ),
        _scopes(row),
    )
