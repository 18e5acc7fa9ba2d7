"""The sources of the proofs: which files they are, in which order, which theorems they state, their hashes.

``_CoqProject`` lists the files in the order in which they are compiled. A file named after a claim holds its theorems;
what is stated as ``Theorem`` or ``Corollary`` there belongs to the claim, and the name says which reading it is about:

==========================  ==========================================================================
``<id>_stated…``            the reading as printed, refuted
``<id>_corrected…``         the corrected reading
``<id>_instance…``          the theorem on a concrete chain or schedule, against vacuity
``<id>_ablation_…``         what happens without one hypothesis
any other name              the reading that holds: as printed, or corrected where the printed one is refuted
==========================  ==========================================================================

A file that opens with ``Claims: a, b`` proves a part of several: a theorem belongs to the claim that begins its name,
or to all of them, and is shown beside the claim without deciding it. One that opens with ``Kinds: a, b``, or with one
kind, says what it means that the proved checker accepts certificates of these kinds; its theorems, ``<kind>_…``, belong
to no claim.

The folder ``verified`` holds the checker that is proved correct; its files are named ``verified/NAME.v``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from tdcert.theory.errors import InputError

FORMAL = Path(__file__).parent
PROJECT = "_CoqProject"

STATED_REFUTED: Final = "stated_refuted"
CORRECTED: Final = "corrected"
AS_STATED: Final = "as_stated"
INSTANCE: Final = "instance"
ABLATION: Final = "ablation"
PART: Final = "part"
ACCEPTED: Final = "accepted"
Shows: TypeAlias = Literal["as_stated", "corrected", "stated_refuted", "instance", "ablation", "part", "accepted"]
"""Which reading a theorem is about; or that it is about what the proved checker accepts."""

_THEOREM = re.compile(r"^\s*(?:Theorem|Corollary)\s+(\w+)", re.MULTILINE)
EXTRACTION = "verified/Extract.v"
"""Writes the checker as an OCaml program when it is compiled, and proves nothing."""

_IMPORT = re.compile(r"\bFrom\s+TD\s+Require\s+Import\s([^.]*)\.")
_CLAIMS = re.compile(r"\AClaims: (\w+(?:, \w+)+)")
_KINDS = re.compile(r"\AKinds: (\w+(?:, \w+)*)")
_UNPROVED = re.compile(r"^ *Not formalised: (.*?)(?:\n *\n|\Z)", re.MULTILINE | re.DOTALL)

_OPENS = re.compile(r'\(\*|"')
_OPENS_OR_CLOSES = re.compile(r'\(\*|\*\)|"')
_STRING = re.compile(r'\A"(?:[^"]|"")*+"?')


@dataclass(frozen=True)
class NamedTheorem:
    """A theorem by name: the claim it belongs to, if any, its reading (a word above), the file that proves it."""

    claim: str
    name: str
    reading: Shows
    file: str

    @property
    def path(self) -> str:
        """The full name, as Coq knows it."""
        return f"{module(self.file)}.{self.name}"


def module(file: str) -> str:
    """The name under which Coq knows a file."""
    return "TD." + file.removesuffix(".v").replace("/", ".")


def read_sources(folder: Path = FORMAL) -> dict[str, str]:
    """The text of every file, by name, in the order of compilation.

    Raises :class:`InputError` where the folder and its ``_CoqProject`` do not name the same files.
    """
    try:
        project = (folder / PROJECT).read_text(encoding="utf-8")
    except OSError:
        raise InputError(f"there is no file '{folder / PROJECT}'; give the folder that holds the proofs") from None
    listed = [line.strip() for line in project.splitlines() if line.strip().endswith(".v")]
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*.v")}
    if len(set(listed)) != len(listed) or set(listed) != present:
        odd = sorted(set(listed) ^ present) or sorted({name for name in listed if listed.count(name) > 1})
        raise InputError(
            f"'{folder / PROJECT}' and its folder differ in {', '.join(odd)}; list each .v file there once, in order"
        )
    return {PROJECT: project} | {name: (folder / name).read_text(encoding="utf-8") for name in listed}


def hashes(sources: Mapping[str, str]) -> dict[str, str]:
    """SHA-256 of each file, by name."""
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in sources.items()}


def theorems(sources: Mapping[str, str]) -> tuple[NamedTheorem, ...]:
    """The theorems of the claims and of the proved checker. Files with capital initials hold shared notions."""
    found = []
    for file, text in sources.items():
        stem = Path(file).stem
        if file == PROJECT or not stem[0].islower():
            continue
        names = _THEOREM.findall(without_comments(text))
        several = _CLAIMS.match(lecture_note(text))
        if proved_kinds(text):
            found += [NamedTheorem("", name, ACCEPTED, file) for name in names]
        elif several:
            claims = several[1].split(", ")
            for name in names:
                owners = [claim for claim in claims if name.startswith(f"{claim}_")] or claims
                found += [NamedTheorem(claim, name, PART, file) for claim in owners]
        else:
            refuted = any(name.startswith(f"{stem}_stated") for name in names)
            found += [NamedTheorem(stem, name, _reading(stem, name, refuted), file) for name in names]
    return tuple(found)


def proved_kinds(text: str) -> tuple[str, ...]:
    """The kinds of certificates that a file is about, as its opening comment names them."""
    found = _KINDS.match(lecture_note(text))
    return tuple(found[1].split(", ")) if found else ()


def _reading(claim: str, name: str, refuted: bool) -> Shows:
    words: Mapping[str, Shows] = {
        "_stated": STATED_REFUTED,
        "_corrected": CORRECTED,
        "_instance": INSTANCE,
        "_ablation_": ABLATION,
    }
    for part, reading in words.items():
        if name.startswith(claim + part):
            return reading
    return CORRECTED if refuted else AS_STATED


def imports(text: str) -> tuple[str, ...]:
    """The files of the development that a file imports, without their suffix."""
    return tuple(name for names in _IMPORT.findall(without_comments(text)) for name in names.split())


def lecture_note(text: str) -> str:
    """The comment that opens a file: the claim in the paper's words, its reading, its hypotheses."""
    opened = text.lstrip()
    if not opened.startswith("(*"):
        return ""
    lines = opened[: len(opened) - len(_after_comment(opened))].removeprefix("(*").removesuffix("*)").split("\n")
    return "\n".join(line.removeprefix("   ").rstrip() for line in lines).strip()


def not_formalised(text: str) -> str:
    """What the opening comment says is left out of the proofs; empty where nothing is."""
    found = _UNPROVED.search(lecture_note(text))
    return " ".join(found[1].split()) if found else ""


def without_comments(text: str) -> str:
    """The text with comments (which nest) and what stands in strings taken out."""
    kept, rest = [], text
    while found := _OPENS.search(rest):
        kept.append(rest[: found.start()])
        rest = rest[found.start() :]
        if rest.startswith("(*"):
            kept.append(" ")
            rest = _after_comment(rest)
        else:
            kept.append('""')
            rest = _after_string(rest)
    return "".join(kept) + rest


def _after_comment(text: str) -> str:
    """What follows a comment. A string in a comment is a string: a comment may not end, nor another begin, in it."""
    depth = 0
    while found := _OPENS_OR_CLOSES.search(text):
        if found[0] == '"':
            text = _after_string(text[found.start() :])
            continue
        depth += 1 if found[0] == "(*" else -1
        text = text[found.end() :]
        if depth == 0:
            return text
    return ""


def _after_string(text: str) -> str:
    """What follows a string, in which two quotation marks stand for one."""
    return _STRING.sub("", text, count=1)
