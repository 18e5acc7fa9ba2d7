"""What a verification's claims rest on, gathered and counted: nothing is known here that the document does not say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tdcert.claims.paper import BEYOND, MAIN
from tdcert.reports.labels import GRADES, PRINTED, SCOPES, STATUSES, counted
from tdcert.reports.verdicts_json import counted as counts_of
from tdcert.reports.verdicts_json import standing_row
from tdcert.verification.tallies import standing as standing_of

Document = Mapping[str, Any]


def tally(document: Document) -> dict[str, Any]:
    """What the summary counts, taken from the claims themselves."""
    claims = document["claims"]
    paper = [claim for claim in claims if claim["section"] != BEYOND]
    needed = [h for claim in claims for h in claim.get("hypotheses", ()) if h.get("needed")]
    decided = [claim for claim in claims if claim["finding"] != "open"]
    exact = [claim for claim in decided if claim["finding"] != "empirical"]  # what runs show is not checked by hand
    readings = [claim[kind] for claim in exact for kind in ("stated", "corrected") if claim.get(kind)]
    comparisons = [comparison for claim in claims for comparison in claim.get("simulations") or ()]
    return {
        "decided": decided,
        "undecided": [claim for claim in claims if claim["finding"] == "open" and claim.get("stated")],
        "open": [claim for claim in claims if not claim.get("stated")],
        "paper": _standing(paper),
        "beyond": _standing([claim for claim in claims if claim["section"] == BEYOND]),
        "examined": sum(bool(claim.get("stated")) for claim in paper),
        "corrected": Counter(
            claim["corrected"]["status"]
            for claim in paper
            if claim.get("corrected") and claim["finding"] != "empirical"
        ),
        "grades": Counter(grade for claim in decided for grade in grades_of(claim)),
        "hypotheses": Counter(
            hypothesis.get("needed") for claim in claims for hypothesis in claim.get("hypotheses", ())
        ),
        "undefined": sum(bool((h.get("counterexample") or {}).get("undefined")) for h in needed),
        "witnesses": sum(bool(reading.get("witness")) for reading in readings),
        "comparisons": len(comparisons),
        "agreeing": sum(comparison["agrees"] for comparison in comparisons),
        "only_consistent": [claim for claim in decided if grades_of(claim) == ["consistent"]],
        "certificates": len({path for claim in claims for path in certificates_of(claim)}),
    }


def _standing(claims: Iterable[Document]) -> dict[str, Any]:
    return standing_row(standing_of(map(counts_of, claims)))


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


def standing(found: Document, words: Mapping[str, str] = PRINTED) -> str:
    """How statements stand as printed, each counted once, in one line: what the page and the terminal say."""
    parts = [f"{found[key]} {said}" for key, said in words.items() if found[key]]
    tried = found["experiments"]
    if tried:
        verbs = {"holds": "hold"}
        statuses = ", ".join(
            f"{count} {verbs.get(key, STATUSES[key][1]) if count > 1 else STATUSES[key][1]}"
            for key, count in tried.items()
        )
        parts.append(f"{sum(tried.values())} about experiments ({statuses})")
    return ", ".join(parts)


def is_wide(scopes: Iterable[Document]) -> bool:
    """Whether something is proved for all sizes, not at stated ones alone."""
    return any(scope["scope"] == "all_sizes" and scope["grade"] == "proved" for scope in scopes)


def evidence_words(reading: Document) -> list[tuple[str, str]]:
    """Each grade of a reading, strongest first, with how much of it there is."""
    scopes = reading.get("scopes", ())
    words = []
    for grade in grades_of({"stated": reading}):
        count = sum(scope["count"] for scope in scopes if scope["grade"] == grade)
        kind = next(scope["scope"] for scope in scopes if scope["grade"] == grade)
        reach = f"{grade}, {counted(count, *SCOPES[kind])}"
        if grade == "proved":
            reach = "proved, all sizes" if is_wide(scopes) else "proved at some sizes"
        words.append((grade, reach))
    return words


def answers(document: Document) -> list[dict[str, Any]]:
    """The theorems that the paper is about: as printed, what is false, what is decided, under which hypotheses."""
    by_id = {claim["id"]: claim for claim in document["claims"] if claim.get("stated")}
    found = []
    for claim in (by_id[name] for name in MAIN if name in by_id):
        reading = claim.get("corrected") or claim["stated"]
        needed = [h.get("statement", h["id"]) for h in claim.get("hypotheses", ()) if h.get("needed")]
        found.append(
            {
                "claim": claim,
                "name": str(claim["title"]).partition(":")[0],
                "reading": reading,
                "needed": needed,
                "added": reading.get("added_hypotheses") or (),
                "evidence": evidence_words(reading),
            }
        )
    return found
