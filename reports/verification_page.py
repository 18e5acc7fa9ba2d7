"""The report of ``tdcert verify``: its files, and the page that is made from ``verdicts.json`` alone.

Pure functions: the same document gives the same bytes, and every number on the page comes from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from tdcert.claims.paper import EXPERIMENTS
from tdcert.reports import formal_theorems, pages, pictures
from tdcert.reports.corrections import by_finding, corrections
from tdcert.reports.documents import certificate_files, json_bytes
from tdcert.reports.evidence_lines import answers, grades_of, tally
from tdcert.reports.graph import drawing
from tdcert.reports.labels import FINDINGS, GRADES, STATUSES

Document = Mapping[str, Any]


def verification_files(document: Document, certificates: Iterable[tuple[str, Document]] = ()) -> dict[str, bytes]:
    """A verification report's files, by their path inside the folder."""
    return {
        "verdicts.json": json_bytes(document),
        "index.html": verification_page(document).encode(),
        **certificate_files(certificates),
        **formal_theorems.proof_files(document),
        **pictures.picture_files(document.get("figures") or ()),
    }


def verification_page(document: Document) -> str:
    """The page, from the document alone."""
    claims = document["claims"]
    known = {claim["id"] for claim in claims}
    rests = {claim["id"]: [name for name in claim.get("rests_on") or () if name in known] for claim in claims}
    figures = pages.drawn(document.get("figures") or [])
    shown = [(claim, [figures[name] for name in claim.get("figures") or () if name in figures]) for claim in claims]
    simulated = [
        (claim, drawn)
        for claim, drawn in shown
        if claim["section"] != EXPERIMENTS and (drawn or claim.get("simulations"))
    ]
    experiments = [(claim, drawn) for claim, drawn in shown if claim["section"] == EXPERIMENTS]
    return pages.render(
        "verification.html",
        document=document,
        corrections=by_finding(corrections(document)),
        drawn=drawing(claims),
        proved=formal_theorems.overview(document),
        rests=rests,
        supports={name: [user for user, lemmas in rests.items() if name in lemmas] for name in rests},
        sections=[(name, list(group)) for name, group in groupby(claims, key=lambda claim: claim["section"])],
        claims=claims,
        tally=tally(document),
        answers=answers(document),
        simulated=simulated,
        experiments=experiments,
        elsewhere={
            **{claim["id"]: ("simulated", "Simulations and figures") for claim, _ in simulated},
            **{claim["id"]: ("experiment", "The experiment and its figures") for claim, _ in experiments},
        },
        choices=_choices(claims),
    )


def _choices(claims: list[Document]) -> dict[str, list[tuple[str, str]]]:
    """What the filter offers: the statuses, grades and findings that these claims have."""
    statuses = {claim["stated"]["status"] if claim.get("stated") else "open" for claim in claims}
    grades = {grade for claim in claims for grade in grades_of(claim)}
    findings = {claim["finding"] for claim in claims}
    return {
        "statuses": [(key, words) for key, (_, words) in STATUSES.items() if key in statuses],
        "grades": [(key, key) for key in GRADES if key in grades],
        "findings": [(key, words) for key, words in FINDINGS.items() if key in findings],
    }
