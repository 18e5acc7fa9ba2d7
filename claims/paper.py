"""Papers, and THE TABLE of each: every statement, in paper order, and the module that decides it.

A paper is a folder beside this module: its ``paper.toml`` says what the paper is, which text of it was read, and lists
its statements by section; each statement that is not open has a file of its own there, named as its id. ``ENTRIES`` is
the table of the paper whose algorithms this package is about, *Schedule Based Temporal Difference Algorithms*: its
statements are those that ``tdcert verify`` decides by default, and that are asked of a user's model.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import msgspec

from tdcert.claims.claim import Claim, Finding
from tdcert.theory.check.hypotheses import ALL
from tdcert.theory.enclose.statements import AskedStatement
from tdcert.theory.errors import InputError
from tdcert.theory.formal.record import valid_record
from tdcert.theory.formal.sources import AS_STATED, CORRECTED
from tdcert.theory.forms import Form, NormBound

EXPERIMENTS = "Appendix A5: experiments"
"""The section of sentences about experiments."""
BEYOND = "Beyond the paper"
"""The section of statements that a paper does not make."""
OWN = "Claims of your own"


class Text(StrEnum):
    """Which text of a paper was read. Where none was, its statements are decided, and nothing is said of the paper."""

    SEEN = "seen"
    DRAFT = "draft"
    NOT_SEEN = "not seen"


@dataclass(frozen=True)
class Entry:
    """One row of a table. ``paper``: the id of its paper, its folder in ``claims/``; empty for one that is of none.
    ``module``: the claim's file in that folder (its id), or None while open.

    ``not_decidable``: the mathematical reason why nothing here decides it, for such a statement.

    ``own``: the claim itself, and ``file`` where it is written, for one that is not of the table
    (:mod:`tdcert.claims.own`); ``given``: the path that names it on the command line, if one does; ``digest``: of the
    file.
    """

    id: str
    section: str
    place: str
    title: str
    module: str | None = None
    paper: str = ""
    not_decidable: str = ""
    own: Claim | None = None
    file: str = ""
    given: str = ""
    digest: str = ""

    @property
    def is_open(self) -> bool:
        """Whether nothing decides this statement: not yet, or not here."""
        return self.module is None and self.own is None

    @property
    def source(self) -> str:
        """Where the claim is written, from the root of the repository for one of a paper; empty while it is open."""
        return self.file or (f"claims/{self.paper}/{self.module}.py" if self.module else "")

    @property
    def asked_as(self) -> str:
        """What names it on the command line: its id, or the file that it was given by."""
        return self.given or self.id

    @property
    def is_of_the_paper(self) -> bool:
        """Whether the paper states it."""
        return self.section not in (BEYOND, OWN)

    @property
    def is_empirical(self) -> bool:
        """Whether it is about an experiment, which is known without loading the claim."""
        return self.section == EXPERIMENTS if self.own is None else self.own.empirical

    def load(self) -> Claim:
        """The claim of a decided entry."""
        if self.own is not None:
            return self.own
        if self.module is None:
            raise LookupError(f"claim {self.id} is {'not decidable here' if self.not_decidable else 'open'}")
        claim = import_module(f"tdcert.claims.{self.paper}.{self.module}").CLAIM
        assert isinstance(claim, Claim) and claim.id == self.id and claim.empirical == self.is_empirical
        if self.paper != SEED.id:
            _follow_the_rules(claim, self)
        return claim


def _follow_the_rules(claim: Claim, row: Entry) -> None:
    """Raises :class:`InputError` for a claim without a nearest false variant, one whose quote does not fit to the text
    that was read, a misprint in a text that was not, a statement that fails there and is not our own, and a
    hypothesis with its place in another paper.
    """
    read = not papers()[row.paper].is_unread
    if claim.variant is None:
        raise InputError(f"claim {row.id} of {row.paper} has no nearest false variant; give it one (variant=…)")
    if bool(claim.stated.quote) != (read and row.is_of_the_paper):
        wanted = "a quote of the text" if read and row.is_of_the_paper else "no quote, as nothing was read or printed"
        raise InputError(f"claim {row.id} of {row.paper} needs {wanted}")
    if claim.correction is Finding.MISPRINT and not claim.stated.quote:
        raise InputError(f"claim {row.id} of {row.paper} is no misprint, as nothing was read or printed")
    if not read and claim.corrected is not None and "our own" not in row.place:
        raise InputError(
            f"claim {row.id} of {row.paper} fails and is ascribed to a paper that was not read; its place is our own"
        )
    for hypothesis in (ablation.hypothesis for ablation in claim.ablations):
        if any(hypothesis is shared for shared in ALL):
            raise InputError(
                f"claim {row.id} of {row.paper}: the hypothesis {hypothesis.id} has its place in another paper; give "
                "that in this one, .at('…')"
            )


@dataclass(frozen=True)
class Publication:
    """A paper on trial.

    ``id``: its folder; ``title``, ``authors``, ``published`` (where and when); ``text``: which text was read, of which
    ``version`` names the edition, ``digest`` is the SHA-256 of the file, and ``url`` says where it can be had;
    ``main``: the ids of the theorems that the paper is about, which a report answers first; ``entries``: its table.
    """

    id: str
    title: str
    authors: tuple[str, ...]
    published: str
    version: str
    url: str
    text: Text
    digest: str
    main: tuple[str, ...]
    entries: tuple[Entry, ...]

    @property
    def by(self) -> str:
        """The family names of its authors, in a sentence."""
        *others, last = map(_family, self.authors)
        return f"{', '.join(others)} and {last}" if others else last

    @property
    def is_unread(self) -> bool:
        """Whether no text of it was read, so that nothing is said of it."""
        return self.text is Text.NOT_SEEN

    @property
    def which_text(self) -> str:
        """Which text was read, and what a finding against it means, in a sentence or two."""
        if self.is_unread:
            return (
                "Its text was not read, so nothing is said of the paper: the statements are our own, on its subject, "
                "as they are remembered or often given."
            )
        if self.text is Text.DRAFT:
            return (
                f"A draft was read: {self.version}. Findings are about the draft, and not about the paper; authors not "
                "yet asked."
            )
        return f"The text was read: {self.version}. Findings are about what is printed there; authors not yet asked."


def _family(name: str) -> str:
    """The family name: from the first part in small letters, or "Van", on (van Seijen, Van Roy); else the last part."""
    parts = name.split()
    first = next((k for k, part in enumerate(parts) if part[0].islower() or part == "Van"), len(parts) - 1)
    return " ".join(parts[first:])


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]*$")]
    place: str
    title: str
    open: bool = False
    not_decidable: str = ""

    @property
    def is_decided(self) -> bool:
        """Whether a file beside decides it."""
        return not (self.open or self.not_decidable)


class _Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    claims: tuple[_Row, ...]


class _PaperFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``paper.toml``."""

    title: str
    authors: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    published: str
    version: str
    url: str
    text: Text
    sections: tuple[_Section, ...]
    digest: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{64})?$")] = ""
    main: tuple[str, ...] = ()


def read_paper(folder: Path) -> Publication:
    """The paper of a folder, by its ``paper.toml``.

    Raises :class:`InputError`, one sentence, for a file that is not one, a text that was read and has no digest, one
    that was not and has, an id listed twice, a statement that is both open and not decidable, a main theorem that is
    not listed, and a folder that is no package.
    """
    place = folder / "paper.toml"
    try:
        table = msgspec.convert(tomllib.loads(place.read_text(encoding="utf-8")), _PaperFile)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InputError(f"{place} does not describe a paper: {error}") from None
    listed = [row.id for section in table.sections for row in section.claims]
    unread = table.text is Text.NOT_SEEN
    for wrong, why in (
        (unread == bool(table.digest), "a text that was read has a digest, and one that was not has none"),
        (len(set(listed)) < len(listed), "two of its claims have one id"),
        (
            any(row.open and row.not_decidable for section in table.sections for row in section.claims),
            "a statement is either open or not decidable",
        ),
        (not set(table.main) <= set(listed), "a main theorem is not among its claims"),
        (not (folder / "__init__.py").is_file(), "beside it is no __init__.py, without which no claim is installed"),
    ):
        if wrong:
            raise InputError(f"{place} does not describe a paper: {why}")
    entries = tuple(
        Entry(
            row.id,
            section.title,
            row.place,
            row.title,
            row.id if row.is_decided else None,
            folder.name,
            row.not_decidable,
        )
        for section in table.sections
        for row in section.claims
    )
    about = {name: getattr(table, name) for name in ("title", "authors", "published", "version", "url", "text")}
    return Publication(folder.name, **about, digest=table.digest, main=table.main, entries=entries)


@cache
def papers() -> Mapping[str, Publication]:
    """Every paper by its id, the one whose algorithms this package is about first."""
    folders = sorted(place.parent for place in Path(__file__).parent.glob("*/paper.toml"))
    found = {folder.name: read_paper(folder) for folder in folders if folder.name != SEED.id}
    return MappingProxyType({SEED.id: SEED, **found})


def paper_of(name: str) -> Publication:
    """The paper with this id; raises :class:`InputError` where there is none."""
    try:
        return papers()[name]
    except KeyError:
        raise InputError(f"there is no paper '{name}'; give one of {', '.join(papers())}, or all") from None


SEED = read_paper(Path(__file__).parent / "dgb22")
ENTRIES = SEED.entries
MAIN = SEED.main
"""The theorems that the paper is about."""


@cache
def claims_with_forms() -> Mapping[str, Claim]:
    """The decided claims that state the sign of a matrix (``Claim.form``), by id, in paper order."""
    decided = (row.load() for row in ENTRIES if not row.is_open)
    return MappingProxyType({claim.id: claim for claim in decided if claim.form is not None})


@cache
def asked_in_enclosures() -> Mapping[str, AskedStatement]:
    """What enclosures are asked: the claims that are no more than their form, each with its theorem if it has one."""
    return MappingProxyType(
        {
            name: AskedStatement(claim.form, claim.hypotheses, _theorem(claim))
            for name, claim in claims_with_forms().items()
            if claim.form is not None and not claim.form_is_part
        }
    )


def _theorem(claim: Claim) -> str:
    """The machine-checked theorem that an inequality with equality cases may rest on: enclosures never reach those."""
    form, (record, _) = claim.form, valid_record()
    if record is None or claim.id in record.left_out or not isinstance(form, Form | NormBound) or form.strict:
        return ""
    return next((theorem.name for theorem in record.of(claim.id) if theorem.reading in (AS_STATED, CORRECTED)), "")


def entry(claim_id: str) -> Entry:
    """The row of one claim; raises KeyError for an unknown id."""
    return {row.id: row for row in ENTRIES}[claim_id]
