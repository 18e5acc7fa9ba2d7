"""The report of ``tdcert verify``: its files, and the page that is made from ``verdicts.json`` alone.

Pure functions: the same document gives the same bytes, and every number on the page comes from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from reports import formal, pages, pictures
from reports.corrections import corrections
from reports.documents import certificate_files, json_bytes
from reports.evidence import tally
from reports.graph import drawing

Document = Mapping[str, Any]


def verification_files(document: Document, certificates: Iterable[tuple[str, Document]] = ()) -> dict[str, bytes]:
    """A verification report's files, by their path inside the folder."""
    return {
        "verdicts.json": json_bytes(document),
        "index.html": verification_page(document).encode(),
        **certificate_files(certificates),
        **formal.proof_files(document),
        **pictures.picture_files(document.get("figures") or ()),
    }


def verification_page(document: Document) -> str:
    """The page, from the document alone."""
    claims = document["claims"]
    known = {claim["id"] for claim in claims}
    rests = {claim["id"]: [name for name in claim.get("rests_on") or () if name in known] for claim in claims}
    return pages.render(
        "verification.html",
        document=document,
        corrections=corrections(document),
        drawn=drawing(claims),
        proved=formal.overview(document),
        rests=rests,
        supports={name: [user for user, lemmas in rests.items() if name in lemmas] for name in rests},
        sections=[(name, list(group)) for name, group in groupby(claims, key=lambda claim: claim["section"])],
        claims=claims,
        tally=tally(document),
        figures=pages.drawn(document.get("figures") or []),
    )
