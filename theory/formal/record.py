"""The record of what the proofs prove, ``proofs.json``: read, and held against the sources by hash.

It is written by ``make prove`` alone, after every proof was replayed and audited. A record whose hashes are not those
of the sources in the tree is worth nothing: no verdict rests on it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, convert

from tdcert.theory.document_types import Digest, filled, plain
from tdcert.theory.errors import InputError
from tdcert.theory.formal.sources import FORMAL, PROJECT, Shows, hashes, read_sources

FORMAT: Final = "tdcert-proofs/1"
RECORD = "proofs.json"
STAMP = ".replayed"

REPLAYED = "replayed here by make prove"
NOT_REPLAYED = "proof present, not replayed here"


@dataclass(frozen=True)
class Theorem:
    """A theorem of a claim, or of the proved checker: ``claim`` is empty then. ``name`` is the full one, ``statement``
    as the assistant prints it, all variables bound.

    ``words`` are the full names of all definitions of ours that the statement rests on; ``digest`` is the SHA-256 of
    the statement and of these definitions, every notation written out.
    """

    claim: str
    name: str
    reading: Shows
    file: str
    statement: str
    words: tuple[str, ...]
    digest: Digest


@dataclass(frozen=True)
class Record:
    """``sources`` are the SHA-256 of all files by name; ``words`` the definitions that statements rest on, by full
    name, as the assistant prints them; ``left_out`` says by claim what its proofs do not cover; ``classical`` names by
    file the axioms of classical logic that its theorems lean on: no other theorem leans on any; ``program`` is the
    SHA-256 of each file of the checker that is proved correct, as it was compiled.
    """

    assistant: Mapping[str, str]
    sources: Mapping[str, str]
    theorems: tuple[Theorem, ...]
    words: Mapping[str, str]
    left_out: Mapping[str, str]
    classical: Mapping[str, tuple[str, ...]]
    program: Mapping[str, str]

    def of(self, claim: str) -> tuple[Theorem, ...]:
        """The theorems of a claim, in the order of its file."""
        return tuple(theorem for theorem in self.theorems if theorem.claim == claim)

    def document(self) -> Mapping[str, Any]:
        """The record as the JSON document ``proofs.json``."""
        return plain(filled(RecordDocument, self, digest=digest(self.sources)))

    def text(self) -> str:
        """The bytes of ``proofs.json``, the same for the same proofs and versions."""
        return json.dumps(self.document(), indent=1, ensure_ascii=True) + "\n"


@dataclass(frozen=True, kw_only=True)
class RecordDocument:
    """The record of the machine-checked proofs: docs/formal.md."""

    format: Literal["tdcert-proofs/1"] = FORMAT
    assistant: dict[str, str]
    """Versions."""
    axioms: Annotated[tuple[str, ...], Meta(max_length=0)] = ()
    """The axioms of the theorems outside ``classical``: none."""
    digest: Digest
    """SHA-256 of all sources."""
    sources: dict[str, Digest]
    theorems: tuple[Theorem, ...]
    words: dict[str, str]
    """Definitions that the statements rest on, by full name, as Coq prints them."""
    left_out: dict[str, str]
    """By claim, what its proofs do not cover."""
    classical: dict[str, tuple[str, ...]]
    """By file, the axioms of classical logic that its theorems lean on; those of all other files lean on none."""
    program: dict[str, Digest]
    """The files of the checker that is proved correct: what Coq extracted, what reads, the JavaScript made of both."""


def digest(sources: Mapping[str, str]) -> str:
    """One hash for all files, their order included."""
    lines = "".join(f"{value}  {name}\n" for name, value in sources.items())
    return hashlib.sha256(lines.encode()).hexdigest()


def read_record(folder: Path = FORMAL) -> Record:
    """The record in a folder. Raises :class:`InputError` where there is none, or it is not one."""
    place = folder / RECORD
    try:
        document = json.loads(place.read_text(encoding="utf-8"))
        record = filled(Record, convert(document, RecordDocument))
    except OSError:
        raise InputError(f"there is no '{place}'; 'make prove' writes it") from None
    except ValueError:
        raise InputError(f"'{place}' is not a record of proofs; 'make prove' writes it anew") from None
    if record.document() != document:
        raise InputError(f"'{place}' has been changed since it was written; 'make prove' writes it anew")
    return record


def mismatch(record: Record, folder: Path = FORMAL) -> str:
    """Why the record does not speak of the sources in a folder; empty where it does, file by file."""
    found = hashes(read_sources(folder))
    if list(found) != list(record.sources):
        odd = sorted(set(found) ^ set(record.sources)) or [PROJECT]
        return f"the record and the sources differ in which files there are: {', '.join(odd)}"
    changed = [name for name in found if found[name] != record.sources[name]]
    return f"changed since they were replayed: {', '.join(changed)}" if changed else ""


def valid_record(folder: Path = FORMAL) -> tuple[Record | None, str]:
    """The record, where it matches the sources in the folder by hash; otherwise None and the reason why not."""
    try:
        record = read_record(folder)
        why = mismatch(record, folder)
    except InputError as error:
        return None, str(error)
    return (None, why) if why else (record, "")


def replay_state(record: Record, folder: Path = FORMAL) -> str:
    """What is known of a replay on this machine: the words for reports, nothing stronger than the stamp allows."""
    try:
        stamp = json.loads((folder / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return NOT_REPLAYED
    return REPLAYED if stamp == stamp_of(record) else NOT_REPLAYED


def stamp_of(record: Record) -> dict[str, str]:
    """What ``make prove`` leaves behind on the machine where it ran; it is not a part of the repository."""
    return {"record": hashlib.sha256(record.text().encode()).hexdigest()}
