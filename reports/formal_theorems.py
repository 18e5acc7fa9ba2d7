"""The machine-checked proofs as the report shows them: which theorems stand beside which reading, and their files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tdcert.theory.formal.record import RECORD, read_record
from tdcert.theory.formal.sources import (
    ABLATION,
    AS_STATED,
    CORRECTED,
    FORMAL,
    INSTANCE,
    PART,
    STATED_REFUTED,
    read_sources,
)

Document = Mapping[str, Any]
FOLDER = "formal"
"""Where a report keeps the sources of the proofs."""

DECIDING = (AS_STATED, CORRECTED, STATED_REFUTED)
BESIDE = {INSTANCE: "instance", ABLATION: "without a hypothesis", PART: "a part"}
"""Readings of theorems that decide nothing by themselves → words."""


def of_reading(claim: Document, kind: str) -> list[Document]:
    """The theorems that decide the ``stated`` or ``corrected`` reading of a claim, the claim's namesake first."""
    holding = "corrected" if claim.get("corrected") else "stated"
    wanted = {AS_STATED, CORRECTED} if kind == holding else {STATED_REFUTED}
    found = [theorem for theorem in claim.get("formal") or () if theorem["reading"] in wanted]
    return sorted(found, key=lambda theorem: short(theorem).removeprefix(claim["id"]) not in ("", "_corrected"))


def beside(claim: Document) -> list[Document]:
    """A claim's other theorems: instances, what happens without a hypothesis, parts of a larger claim."""
    return [theorem for theorem in claim.get("formal") or () if theorem["reading"] in BESIDE]


def short(theorem: Document) -> str:
    """A theorem's name without those of its library and file."""
    return str(theorem["name"]).rpartition(".")[2]


def overview(document: Document) -> dict[str, Any] | None:
    """What the section on the proofs counts; None for a document that says nothing of them."""
    about = document.get("formal")
    if not about:
        return None
    decided = [claim for claim in document["claims"] if claim["finding"] != "open"]
    proved = [claim for claim in decided if any(t["reading"] in DECIDING for t in claim.get("formal") or ())]
    return {
        "valid": about["valid"],
        "why": about["why"],
        "coq": about.get("assistant", {}).get("coq", ""),
        "digest": about.get("digest", ""),
        "state": document["environment"].get("proofs", ""),
        "proved": proved,
        "others": [claim for claim in decided if claim not in proved],
        "theorems": len({theorem["name"] for claim in decided for theorem in claim.get("formal") or ()}),
    }


def proof_files(document: Document) -> dict[str, bytes]:
    """The sources of the proofs that a document relies on, and their record; none where they are not these."""
    about = document.get("formal") or {}
    if not about.get("valid"):
        return {}
    record = read_record()
    if record.document()["digest"] != about["digest"]:
        return {}
    files = {name: text.encode() for name, text in read_sources().items()} | {RECORD: record.text().encode()}
    return {f"{FOLDER}/{name}": content for name, content in files.items() if (FORMAL / name).is_file()}
