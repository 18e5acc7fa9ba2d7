"""The machine-checked proofs as the report shows them: which theorems stand beside which reading, and their files."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from tdcert.claims.claim import Finding
from tdcert.theory.formal.record import RECORD, Record, Theorem, digest, read_record
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

if TYPE_CHECKING:
    from tdcert.verification.verification import ClaimVerdict, ProofsSummary, Verification

FOLDER = "formal"
"""Where a report keeps the sources of the proofs."""

WORDS = f"{FOLDER}/words.html"
"""What the words of the theorems mean."""

DECIDING = (AS_STATED, CORRECTED, STATED_REFUTED)
BESIDE = {INSTANCE: "instance", ABLATION: "without a hypothesis", PART: "a part"}
"""Readings of theorems that decide nothing by themselves → words."""


@dataclass(frozen=True)
class Proofs:
    """What the section on the proofs says; ``state``: whether they were replayed on this machine."""

    about: ProofsSummary
    state: str
    proved: tuple[ClaimVerdict, ...]
    others: tuple[ClaimVerdict, ...]
    theorems: int


@dataclass(frozen=True)
class Word:
    """A definition by full name, as Coq prints it, and the theorems whose statements rest on it."""

    name: str
    text: str
    used: tuple[Theorem, ...]


def of_reading(claim: ClaimVerdict, kind: str) -> list[Theorem]:
    """The theorems that decide the ``stated`` or ``corrected`` reading of a claim, the claim's namesake first."""
    wanted = {AS_STATED, CORRECTED} if claim.readings.get(kind) is claim.holding else {STATED_REFUTED}
    found = [theorem for theorem in claim.theorems if theorem.reading in wanted]
    return sorted(found, key=lambda theorem: short(theorem).removeprefix(claim.entry.id) not in ("", "_corrected"))


def beside(claim: ClaimVerdict) -> list[Theorem]:
    """A claim's other theorems: instances, what happens without a hypothesis, parts of a larger claim."""
    return [theorem for theorem in claim.theorems if theorem.reading in BESIDE]


def short(theorem: Theorem) -> str:
    """A theorem's name without those of its library and file."""
    return theorem.name.rpartition(".")[2]


def overview(run: Verification) -> Proofs:
    """What the section on the proofs counts."""
    decided = [claim for claim in run.claims if claim.finding is not Finding.OPEN]
    proved = tuple(claim for claim in decided if any(theorem.reading in DECIDING for theorem in claim.theorems))
    theorems = {theorem.name for claim in decided for theorem in claim.theorems}
    others = tuple(claim for claim in decided if claim not in proved)
    return Proofs(run.formal, run.environment.proofs, proved, others, len(theorems))


def proofs_of(about: ProofsSummary) -> Record | None:
    """The record that a run relied on; None where no proof counts, or where the record here is another."""
    if not about.valid:
        return None
    record = read_record()
    return record if digest(record.sources) == about.digest else None


def words_by_file(record: Record) -> list[tuple[str, list[Word]]]:
    """Every definition that a theorem of a claim rests on, in the order of the files."""
    words = [
        Word(name, text, tuple(theorem for theorem in record.theorems if name in theorem.words))
        for name, text in record.words.items()
    ]
    return [
        (file, list(found))
        for file, found in groupby(words, key=lambda word: "/".join(word.name.split(".")[1:-1]) + ".v")
    ]


def proof_files(record: Record) -> dict[str, bytes]:
    """The sources of the proofs, and their record."""
    files = {name: text.encode() for name, text in read_sources().items()} | {RECORD: record.text().encode()}
    return {f"{FOLDER}/{name}": content for name, content in files.items() if (FORMAL / name).is_file()}
