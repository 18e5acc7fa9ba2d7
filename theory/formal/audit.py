"""The audit: no proof may lean on anything unproved. It fails closed: an answer that is not understood is a complaint.

Three questions, asked of different judges:

* the text of every file: no word that leaves something unproved or turns a check off, nothing assumed outside a
  section, no module in which a name could stand twice, no notation that reaches other files;
* ``Print Assumptions`` of all theorems of a file: "Closed under the global context", word for word. One file may
  lean on axioms, those of ``CLASSICAL``, and no other file may import it;
* ``coqchk``, a second and smaller checker, on every compiled file of the development.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from tdcert.theory.formal.sources import EXTRACTION, PROJECT, imports, without_comments

CLOSED = "Closed under the global context"
CLASSICAL: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "infinite_paths.v": frozenset(
            {
                "functional_extensionality_dep",
                "propositional_extensionality",
                "constructive_indefinite_description",
            }
        )
    }
)
"""The files that may lean on axioms, and on which: those of mathcomp-analysis."""

_FORBIDDEN = re.compile(
    r"\b(Axioms?|Conjectures?|Parameters?|Admitted|Admit|admit|give_up|Declare|Primitive|Redirect|Load|Drop|Extract"
    r"|bypass_check|Obligations?|Bypass|type_in_type|Type_In_Type|native_compute|native_cast_no_check"
    r"|Module|Time|Timeout|Fail|Succeed|Instructions|(?<!Local )(?:Notation|Infix)|Reserved)\b"
    r"|\bUnset\s+(?:Guard|Positivity|Universe)\s+Checking|#\[[^]]*bypass[^]]*\]|\bAdd\s+(?:Rec\s+)?(?:LoadPath|ML)\b"
)
"""A module may hide an axiom, or a theorem behind another of its name; ``Time Variable bad : False`` begins with no
word that assumes; a notation without ``Local`` changes what the statements of other files say."""

_NAMED = re.compile(
    r"\b(?:Definition|Fixpoint|CoFixpoint|Lemma|Theorem|Corollary|Fact|Remark|Proposition|Example|Inductive|Variant"
    r"|Record|Structure|Class)\s+([\w']+)"
)
_ASSUMING = re.compile(r"\b(?:Variables?|Hypothes[ie]s|Context|Let)\b")
_SENTENCE = re.compile(r"\.(?=\s|\Z)")
_REQUIRING = re.compile(r"\bRequire\b.*\bTD\b|\bTD\b.*\bRequire\b", re.DOTALL)


def complaints_about_text(sources: Mapping[str, str]) -> list[str]:
    """What in the sources would leave something unproved, one sentence each."""
    complaints = []
    for file, text in sources.items():
        if file == PROJECT:
            complaints += [
                f"{file} passes '{option}' to the assistant: only its warnings may be set"
                for option in _unknown_options(text)
            ]
            continue
        bare = without_comments(text)
        allowed = ("Extract",) if file == EXTRACTION else ()
        complaints += [f"{file} says '{found[0]}'" for found in _FORBIDDEN.finditer(bare) if found[0] not in allowed]
        apart = {Path(name).stem for name in (*CLASSICAL, EXTRACTION)}
        complaints += [f"{file} imports {name}, which no file may" for name in imports(text) if name in apart]
        complaints += [f"{file} says '{line}', which is not 'From TD Require Import'" for line in _required(bare)]
        complaints += [f"{file} assumes something outside a section: '{line}'" for line in _assumed_outside(bare)]
        names = _NAMED.findall(bare)
        complaints += [f"{file} names two things '{name}'" for name in dict.fromkeys(names) if names.count(name) > 1]
    return complaints


def _unknown_options(project: str) -> list[str]:
    lines = [line.strip() for line in project.splitlines() if line.strip() and not line.strip().endswith(".v")]
    options = []
    for before, line in zip(["", *lines], lines, strict=False):
        warnings = before == "-arg -w" and re.fullmatch(r"-arg (-[a-z-]+)(,-[a-z-]+)*", line)
        if line not in ("-Q . TD", "-arg -q", "-arg -w") and not warnings:
            options.append(line)
    return options


def _assumed_outside(bare: str) -> list[str]:
    """Sentences outside all sections in which a word that assumes stands anywhere: inside a proof, after a brace, a
    bullet or an attribute, it assumes as well.
    """
    sections, found = 0, []
    for sentence in _SENTENCE.split(bare):
        words = sentence.split()
        if words[:1] == ["Section"]:
            sections += 1
        elif words[:1] == ["End"]:
            sections = max(0, sections - 1)
        elif not sections and _ASSUMING.search(sentence):
            found.append(" ".join(words[:6]))
    return found


def _required(bare: str) -> list[str]:
    """Sentences that load files of the development in words that :func:`imports` does not read."""
    ours = [" ".join(line.split()) for line in _SENTENCE.split(bare) if _REQUIRING.search(line)]
    return [line for line in ours if not re.fullmatch(r"From TD Require Import( \w+)+", line)]


def axioms(answer: str) -> frozenset[str] | None:
    """The axioms that an answer of ``Print Assumptions`` names, without modules; None where it is not understood."""
    if answer.strip() == CLOSED:
        return frozenset()
    head, _, listed = answer.strip().partition("\n")
    if head != "Axioms:":
        return None
    starts = [line for line in listed.split("\n") if not line.startswith(" ")]
    found = [re.fullmatch(r"([\w.]+)(?: :.*)?", line) for line in starts]
    return frozenset(match[1].rpartition(".")[2] for match in found if match) if found and all(found) else None


def complaints_about_assumptions(answers: Mapping[str, str]) -> list[str]:
    """Which files lean on what they may not, given what ``Print Assumptions`` said of each one's theorems."""
    complaints = []
    for name, answer in answers.items():
        found = axioms(answer)
        if found is None or not found <= CLASSICAL.get(name, frozenset()):
            complaints.append(f"{name} is not closed: the assistant says {' '.join(answer.split())[:300]!r}")
    return complaints


def complaints_about_recheck(report: str) -> list[str]:
    """What in the report of ``coqchk -o`` speaks against the development.

    With the libraries admitted it lists what their sealed modules keep abstract; nothing of ours may be on that list.
    """
    sections = dict(re.findall(r"^\* ([^:\n]+):\s*(.*?)(?=^\* |\Z)", report, re.MULTILINE | re.DOTALL))
    complaints = []
    for title in (
        "Constants/Inductives relying on type-in-type",
        "Constants/Inductives relying on unsafe (co)fixpoints",
        "Inductives whose positivity is assumed",
    ):
        if sections.get(title, "").strip() != "<none>":
            complaints.append(f"coqchk does not say '<none>' under '{title}'")
    if "Axioms" not in sections:
        complaints.append("coqchk gives no list of axioms")
    ours = [name for name in sections.get("Axioms", "").split() if name.startswith("TD.")]
    return complaints + [f"coqchk calls {name} an axiom" for name in ours]
