"""``verdicts.json``: a verification as the document that reports keep and that two runs are compared by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypeAlias, TypeVar

from msgspec import Meta

from tdcert.claims.claim import Finding
from tdcert.claims.paper import Text
from tdcert.reports.documents import Checked, Row
from tdcert.reports.figure_documents import PictureDocument, figure_document
from tdcert.theory.document_types import UNSET, Count, Digest, UnsetType, filled, plain
from tdcert.theory.formal.sources import Shows
from tdcert.theory.model.canonical import CanonicalModel
from tdcert.theory.verdict import Grade, Scope, Status
from tdcert.verification.verification import (
    ClaimVerdict,
    ConstantVerdict,
    Environment,
    HypothesisVerdict,
    ModelSummary,
    ReadingVerdict,
    Replayable,
    SimulationVerdict,
    Standing,
    Verification,
)

FORMAT: Final = "tdcert-verdicts/1"
Kind = TypeVar("Kind", bound="ReadingDocument")
Numbers: TypeAlias = dict[str, object]
"""By name; numbers are texts, or lists of them."""


@dataclass(frozen=True, kw_only=True)
class ScopeDocument:
    """One piece of evidence, and what of it can be replayed."""

    scope: Scope
    grade: Grade
    count: Annotated[int, Meta(ge=1)]
    detail: str
    certificates: tuple[str, ...]
    parts: tuple[str, ...] | UnsetType = UNSET
    """A sentence for each comparison or model, where there is much to say."""
    theorems: tuple[str, ...] | UnsetType = UNSET
    """Full names of theorems of the proof assistant."""


@dataclass(frozen=True, kw_only=True)
class ReadingDocument:
    """One reading of a statement, decided."""

    status: Status
    statement: str
    why: str
    """One sentence where it does not hold."""
    witness: Numbers | None
    scopes: tuple[ScopeDocument, ...]
    decides: str | UnsetType = UNSET
    """The part that is decided here, the rest being cited."""


@dataclass(frozen=True, kw_only=True)
class StatedDocument(ReadingDocument):
    """What is printed, with a short phrase of the paper's source and its place."""

    quote: str
    place: str
    model: CanonicalModel | UnsetType | None = UNSET
    """The one that the witness is about."""


@dataclass(frozen=True, kw_only=True)
class CorrectedDocument(ReadingDocument):
    """What holds where the printed statement does not."""

    added_hypotheses: tuple[str, ...]
    model: CanonicalModel | UnsetType = UNSET
    """The one that the witness is about."""


@dataclass(frozen=True, kw_only=True)
class SharperDocument:
    """What the same proof and checks decide beyond a printed statement that holds."""

    status: Status
    statement: str


@dataclass(frozen=True, kw_only=True)
class CounterexampleDocument:
    """A model that violates one hypothesis alone and refutes the statement."""

    description: str
    search: str
    undefined: str | None
    """What the statement speaks of and the model does not have."""
    model: CanonicalModel
    witness: Numbers


@dataclass(frozen=True, kw_only=True)
class HypothesisDocument:
    """Whether a hypothesis is needed: true with a counterexample, false with evidence, null where it is open."""

    id: str
    statement: str
    source: str
    needed: bool | None
    counterexample: CounterexampleDocument | None
    scopes: tuple[ScopeDocument, ...]
    note: str


@dataclass(frozen=True, kw_only=True)
class TheoremDocument:
    """A theorem of the proof assistant."""

    name: str
    reading: Shows
    file: str
    statement: str
    words: tuple[str, ...] = ()
    """Full names of the definitions that the statement rests on."""
    digest: str = ""
    """SHA-256 of the statement and of these definitions, every notation written out."""


@dataclass(frozen=True, kw_only=True)
class VariantDocument(ReadingDocument):
    """The nearest false variant of a statement: a negative control."""

    model: CanonicalModel | UnsetType = UNSET
    """The one that the witness is about."""


@dataclass(frozen=True, kw_only=True)
class ConstantDocument:
    """A numeric constant of a statement: whether one that is 1 % tighter is already false; null where nobody knows."""

    what: str
    sharp: bool | None
    note: str
    tighter: VariantDocument | None
    """The statement with the tighter constant, refuted where the constant is sharp."""
    scopes: tuple[ScopeDocument, ...]
    """The proof with a tighter constant, where it is not sharp."""


@dataclass(frozen=True, kw_only=True)
class ClaimDocument:
    """A claim, decided or open."""

    id: str
    paper: str | UnsetType = UNSET
    """The id of the paper that it is a statement about."""
    section: str
    place: str
    title: str
    not_decidable: str | UnsetType = UNSET
    """The mathematical reason why it is not decidable here, for such a statement."""
    source_digest: Digest | UnsetType = UNSET
    """The digest of the file that holds a claim of one's own."""
    finding: Finding
    stated: StatedDocument | None
    corrected: CorrectedDocument | None
    sharper: SharperDocument | None
    hypotheses: tuple[HypothesisDocument, ...]
    models: tuple[ModelSummary, ...]
    skipped: dict[str, Count] | UnsetType = UNSET
    """How many models violate each hypothesis."""
    reproduce: str | None
    figures: tuple[str, ...]
    simulations: tuple[SimulationVerdict, ...]
    notes: tuple[str, ...]
    rests_on: tuple[str, ...]
    """Ids of the claims that the proof uses."""
    variant: VariantDocument | UnsetType = UNSET
    constants: tuple[ConstantDocument, ...] | UnsetType = UNSET
    formal: tuple[TheoremDocument, ...]


@dataclass(frozen=True, kw_only=True)
class StandingDocument:
    """How a group of statements stands as printed, each counted once."""

    statements: Count
    as_stated: Count
    false: Count
    implicit_hypothesis: Count
    misprint: Count
    not_decidable: Count
    undecided: Count
    open: Count
    experiments: dict[Status, Count]
    proved: dict[str, Count]


@dataclass(frozen=True, kw_only=True)
class ByStatus:
    """Readings by their status."""

    stated: dict[Status, Count]
    corrected: dict[Status, Count]


@dataclass(frozen=True, kw_only=True)
class CheckerDocument:
    """What the independent checker said: how many certificates it accepts, and why it rejects others."""

    accepted: Count
    rejected: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SummaryDocument:
    """What is counted over all claims."""

    decided: Count
    open: Count
    by_status: ByStatus
    by_grade: dict[Grade, Count]
    paper: StandingDocument
    beyond: StandingDocument
    certificates: Count
    differences: tuple[str, ...]
    """A sentence for each verdict that differs from its prediction."""
    checker: CheckerDocument | UnsetType = UNSET


@dataclass(frozen=True, kw_only=True)
class ProofsDocument:
    """Whether the record of the proofs matches the sources, and if so what made it."""

    valid: bool
    why: str
    assistant: dict[str, str] | UnsetType = UNSET
    digest: Digest | UnsetType = UNSET


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What a comparison spends of the false-alarm rate."""

    name: str
    false_alarm: float


@dataclass(frozen=True, kw_only=True)
class PaperDocument:
    """The paper on trial, and which text of it was read: docs/adding_a_paper.md."""

    id: str
    title: str
    authors: tuple[str, ...]
    published: str
    version: str
    url: str
    text: Text
    digest: str
    """SHA-256 of the text that was read; empty where none was."""


@dataclass(frozen=True, kw_only=True)
class VerdictsDocument:
    """The verdicts of a verification: docs/formats.md."""

    format: Literal["tdcert-verdicts/1"] = FORMAT
    paper: PaperDocument | UnsetType = UNSET
    """Absent where the claims are of several papers, or of none."""
    claims: tuple[ClaimDocument, ...]
    figures: tuple[PictureDocument, ...]
    summary: SummaryDocument
    formal: ProofsDocument
    error_budget: tuple[Spent, ...]
    error_budget_assumes: tuple[str, ...]
    """What the rates rest on besides proof."""
    seed: int
    profile: Literal["quick", "default", "thorough"]
    environment: dict[str, str | float | dict[str, float]]
    """Versions by name, `platform`, `seconds`, `time`, `seconds_by_claim`, and `proofs`: whether they were replayed."""


def verdicts_document(found: Verification, checked: Checked | None = None) -> Row:
    """The whole document as JSON; ``checked``: what the independent checker said of the certificates."""
    proofs = found.formal
    return plain(
        filled(
            VerdictsDocument,
            found,
            paper=UNSET if found.paper is None else filled(PaperDocument, found.paper),
            claims=tuple(map(claim_document, found.claims)),
            figures=tuple(map(figure_document, found.figures)),
            summary=filled(
                SummaryDocument,
                found.summary,
                by_status=filled(ByStatus, found.summary),
                by_grade=found.summary.grades,
                paper=standing_document(found.summary.paper),
                beyond=standing_document(found.summary.beyond),
                checker=UNSET if checked is None else filled(CheckerDocument, checked),
            ),
            formal=filled(
                ProofsDocument,
                proofs,
                assistant=proofs.assistant if proofs.valid else UNSET,
                digest=proofs.digest if proofs.valid else UNSET,
            ),
            error_budget=tuple(Spent(name=name, false_alarm=alpha) for name, alpha in found.error_budget.items()),
            environment=environment_row(found.environment),
        )
    )


def claim_document(claim: ClaimVerdict) -> ClaimDocument:
    """A claim's row; one that is open has no count of skipped models."""
    stated, corrected = claim.stated, claim.corrected
    sharper = SharperDocument(status=stated.status, statement=claim.sharper) if stated and claim.sharper else None
    return filled(
        ClaimDocument,
        claim,
        id=claim.entry.id,
        paper=claim.entry.paper or UNSET,
        section=claim.entry.section,
        place=claim.entry.place,
        title=claim.entry.title,
        not_decidable=claim.entry.not_decidable or UNSET,
        source_digest=claim.entry.digest or UNSET,
        stated=None if stated is None else _stated(stated, corrected is not None),
        corrected=None if corrected is None else _reading(CorrectedDocument, corrected),
        sharper=sharper,
        hypotheses=tuple(map(_hypothesis, claim.hypotheses)),
        skipped=UNSET if claim.skipped is None else dict(sorted(claim.skipped.items())),
        variant=UNSET if claim.variant is None else _reading(VariantDocument, claim.variant),
        constants=tuple(map(_constant, claim.constants)) or UNSET,
        formal=tuple(filled(TheoremDocument, theorem) for theorem in claim.theorems),
    )


def _stated(found: ReadingVerdict, apart: bool) -> StatedDocument:
    """``apart``: it was judged by itself, on a model or none, beside a corrected reading."""
    without = {"model": None} if apart and found.model is None else {}
    return _reading(StatedDocument, found, quote=found.reading.quote, place=found.reading.place, **without)


def _reading(kind: type[Kind], found: ReadingVerdict, **more: object) -> Kind:
    return filled(
        kind,
        found.reading,
        status=found.status,
        why=found.why,
        witness=dict(found.witness) or None,
        scopes=tuple(map(_scope, found.scopes)),
        decides=found.decides or UNSET,
        **{"model": UNSET if found.model is None else found.model.canonical, **more},
    )


def _scope(found: Replayable) -> ScopeDocument:
    evidence = found.evidence
    return filled(
        ScopeDocument,
        evidence,
        certificates=found.certificates,
        parts=evidence.parts or UNSET,
        theorems=found.theorems or UNSET,
    )


def _constant(found: ConstantVerdict) -> ConstantDocument:
    tighter = found.tighter and _reading(VariantDocument, found.tighter)
    return filled(ConstantDocument, found, tighter=tighter, scopes=tuple(map(_scope, found.scopes)))


def _hypothesis(found: HypothesisVerdict) -> HypothesisDocument:
    shown = found.counterexample
    counterexample = shown and filled(
        CounterexampleDocument, shown, undefined=shown.undefined or None, model=shown.model.canonical
    )
    return filled(HypothesisDocument, found, counterexample=counterexample, scopes=tuple(map(_scope, found.scopes)))


def standing_document(found: Standing) -> StandingDocument:
    """How a group of statements stands."""
    return filled(StandingDocument, found, **found.findings)


def environment_row(found: Environment) -> dict[str, object]:
    """What a run says of itself, versions first."""
    return {**found.versions, **{name: value for name, value in vars(found).items() if name != "versions"}}
