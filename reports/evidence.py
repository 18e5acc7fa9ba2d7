"""What a verification's claims rest on, gathered and counted: nothing is known here that the document does not say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from reports.words import GRADES

Document = Mapping[str, Any]


def tally(document: Document) -> dict[str, Any]:
    """What the summary counts, taken from the claims themselves."""
    claims = document["claims"]
    decided = [claim for claim in claims if claim["finding"] != "open"]
    exact = [claim for claim in decided if claim["finding"] != "empirical"]  # what runs show is not checked by hand
    readings = [claim[kind] for claim in exact for kind in ("stated", "corrected") if claim.get(kind)]
    comparisons = [comparison for claim in claims for comparison in claim.get("simulations") or ()]
    return {
        "decided": decided,
        "open": [claim for claim in claims if claim["finding"] == "open"],
        "findings": Counter(claim["finding"] for claim in decided),
        "stated": Counter(claim["stated"]["status"] for claim in decided if claim.get("stated")),
        "corrected": Counter(claim["corrected"]["status"] for claim in decided if claim.get("corrected")),
        "grades": Counter(grade for claim in decided for grade in grades_of(claim)),
        "hypotheses": Counter(
            hypothesis.get("needed") for claim in decided for hypothesis in claim.get("hypotheses", ())
        ),
        "witnesses": sum(bool(reading.get("witness")) for reading in readings),
        "comparisons": len(comparisons),
        "agreeing": sum(comparison["agrees"] for comparison in comparisons),
        "only_consistent": [claim for claim in decided if grades_of(claim) == ["consistent"]],
        "certificates": len({path for claim in claims for path in certificates_of(claim)}),
    }


def scopes_of(claim: Document) -> list[Document]:
    """All evidence of a claim: of both readings and of its hypotheses."""
    parts = [claim.get("stated"), claim.get("corrected"), *claim.get("hypotheses", ())]
    return [scope for part in parts if part for scope in part.get("scopes", ())]


def grades_of(claim: Document) -> list[str]:
    """The grades of evidence that a claim's readings rest on, strongest first."""
    parts = [claim.get("stated"), claim.get("corrected")]
    found = {scope["grade"] for part in parts if part for scope in part.get("scopes", ())}
    return [grade for grade in GRADES if grade in found]


def certificates_of(claim: Document) -> list[str]:
    """The paths of all certificates of a claim, in order, each once."""
    return list(dict.fromkeys(path for scope in scopes_of(claim) for path in scope.get("certificates", ())))


def evidence_counts(claim: Document) -> list[tuple[str, int]]:
    """How many cases each grade covers, strongest first."""
    counts: Counter[str] = Counter()
    for scope in scopes_of(claim):
        counts[scope["grade"]] += scope["count"]
    return [(grade, counts[grade]) for grade in GRADES if counts[grade]]
