"""What a verification found, as typed values; ``reports/verdicts_json.py`` writes them as ``verdicts.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tdcert.claims.claim import Finding, Reading
from tdcert.claims.paper import Entry, Publication, papers
from tdcert.theory.certificate.shelf import FiledCertificate
from tdcert.theory.figures import Picture
from tdcert.theory.formal.record import Theorem
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import FailedRelation, Grade, ScopedEvidence, Status


@dataclass(frozen=True)
class Replayable:
    """One piece of evidence, and what a reader can replay of it.

    ``certificates``: paths inside the report, each kept once; ``theorems``: names in the Coq proofs. Raises ValueError
    for certified evidence without a certificate: there is nothing that a checker could replay.
    """

    evidence: ScopedEvidence
    certificates: tuple[str, ...] = ()
    theorems: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.evidence.grade is Grade.CERTIFIED and not self.certificates:
            raise ValueError(f"certified evidence without a certificate: {self.evidence.detail}")
        object.__setattr__(self, "certificates", tuple(dict.fromkeys(self.certificates)))


@dataclass(frozen=True)
class ReadingVerdict:
    """One reading of a statement, decided.

    ``reading``: what was decided, in words; ``why``: one sentence where it does not hold; ``witness``: names to
    numbers, where it is refuted; ``scopes``: the evidence, empty where there is none; ``decides``: the part that is
    decided here, where the rest is cited; ``model``: on which a printed reading was judged, if on one; ``failed``: the
    relation that fails there.
    """

    reading: Reading
    status: Status
    why: str
    witness: Mapping[str, Any]
    scopes: tuple[Replayable, ...]
    decides: str = ""
    model: Model | None = None
    failed: FailedRelation | None = None


@dataclass(frozen=True)
class Counterexample:
    """A model that violates one hypothesis alone and refutes the statement.

    ``description``: the model and what fails, in one line; ``search``: how it was found; ``undefined``: what the
    statement speaks of and the model does not have, empty where both sides have a value; ``witness``: the numbers.
    """

    description: str
    search: str
    undefined: str
    model: Model
    witness: Mapping[str, Any]
    failed: FailedRelation | None = None


@dataclass(frozen=True)
class HypothesisVerdict:
    """Whether a hypothesis is needed: True with a counterexample, False with models that hold without it, None open.

    ``source``: where the paper states it, or that it is implicit there.
    """

    id: str
    statement: str
    source: str = ""
    note: str = ""
    needed: bool | None = None
    counterexample: Counterexample | None = None
    scopes: tuple[Replayable, ...] = ()


@dataclass(frozen=True)
class ConstantVerdict:
    """Whether a numeric constant of a statement is sharp: True where the statement with one that is 1 % tighter is
    refuted, ``tighter``; False where a tighter one is proved, by ``scopes``; None where nobody knows.
    """

    what: str
    note: str = ""
    sharp: bool | None = None
    tighter: ReadingVerdict | None = None
    scopes: tuple[Replayable, ...] = ()


@dataclass(frozen=True)
class ModelSummary:
    """A model that a claim met, as reports list it. ``schedule_length``: L, None without end."""

    name: str
    states: int
    features: int
    actions: int
    schedule_length: int | None
    digest: str

    @staticmethod
    def of(model: Model) -> ModelSummary:
        """What is listed of a model."""
        length = model.schedule.length
        return ModelSummary(model.name, model.n, model.d, len(model.actions), length, model.digest)


@dataclass(frozen=True)
class SimulationVerdict:
    """One comparison of simulation with theory at the rate ``false_alarm``; where neither flag is set, it is open."""

    what: str
    agrees: bool
    contradicts: bool
    false_alarm: float
    summary: str


@dataclass(frozen=True)
class ClaimVerdict:
    """A claim's row of the table, decided; ``stated`` is None where nothing decides it yet.

    ``corrected``: the reading that holds where the printed one differs; ``sharper``: a stronger sentence that the same
    evidence decides, or empty; ``models``: those on which it was checked and holds; ``skipped``: how many models
    violate each hypothesis, by its id; ``figures``: names of its pictures; ``reproduce``: the command that decides it
    again; ``rests_on``: ids of the claims its proof uses; ``theorems``: its machine-checked theorems; ``variant``: its
    nearest false variant, which must be refuted; ``constants``: whether each of its numeric constants is sharp.
    """

    entry: Entry
    finding: Finding = Finding.OPEN
    stated: ReadingVerdict | None = None
    corrected: ReadingVerdict | None = None
    sharper: str = ""
    hypotheses: tuple[HypothesisVerdict, ...] = ()
    models: tuple[ModelSummary, ...] = ()
    skipped: Mapping[str, int] | None = None
    reproduce: str | None = None
    figures: tuple[str, ...] = ()
    simulations: tuple[SimulationVerdict, ...] = ()
    notes: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()
    theorems: tuple[Theorem, ...] = ()
    variant: ReadingVerdict | None = None
    constants: tuple[ConstantVerdict, ...] = ()

    @property
    def status(self) -> str:
        """The status of the stated reading; ``open`` or ``not_decidable`` where nothing decides it."""
        return str(self.stated.status if self.stated else self.finding)

    @property
    def holding(self) -> ReadingVerdict | None:
        """The reading that is to hold: the corrected one, or else the stated one."""
        return self.corrected or self.stated

    @property
    def readings(self) -> Mapping[str, ReadingVerdict]:
        """Gives the readings there are, by ``stated`` and ``corrected``."""
        both = {"stated": self.stated, "corrected": self.corrected}
        return {kind: reading for kind, reading in both.items() if reading is not None}

    @property
    def scopes(self) -> tuple[Replayable, ...]:
        """All evidence: of both readings and of the hypotheses."""
        parts = [reading.scopes for reading in self.readings.values()]
        parts += [hypothesis.scopes for hypothesis in self.hypotheses]
        parts += [self.variant.scopes] if self.variant else []
        parts += [constant.scopes for constant in self.constants]
        parts += [constant.tighter.scopes for constant in self.constants if constant.tighter]
        return tuple(scope for scopes in parts for scope in scopes)


@dataclass(frozen=True)
class ProofsSummary:
    """Whether the machine-checked proofs count: ``why`` not, or empty; then what made them, and one hash of all."""

    why: str = ""
    assistant: Mapping[str, str] = field(default_factory=dict)
    digest: str = ""

    @property
    def valid(self) -> bool:
        """Whether they count."""
        return not self.why


@dataclass(frozen=True)
class Environment:
    """What differs between two runs with the same inputs: versions, platform, time, seconds, the state of proofs."""

    versions: Mapping[str, str]
    platform: str
    seconds: float
    time: str
    seconds_by_claim: Mapping[str, float]
    proofs: str


@dataclass(frozen=True)
class Standing:
    """How a group of statements stands as printed, each counted once; sentences about experiments apart.

    ``findings``: counts by finding, with ``not_decidable`` (here, for a mathematical reason), ``undecided`` (examined,
    decided neither for nor against) and ``open`` (not examined); ``experiments``: their statuses; ``proved``: of the
    statements that are not experiments, how many holding readings have a proof for ``all_sizes``, at ``some_sizes``
    alone, or ``in_part`` where the rest is cited.
    """

    statements: int
    findings: Mapping[str, int]
    experiments: Mapping[str, int]
    proved: Mapping[str, int]


@dataclass(frozen=True)
class Summary:
    """What is counted over all claims: readings by status, claims by grade, statements of the paper and beyond it.

    ``decided``: those with a finding, *not decidable here* among them.
    """

    decided: int
    open: int
    stated: Mapping[str, int]
    corrected: Mapping[str, int]
    grades: Mapping[str, int]
    paper: Standing
    beyond: Standing
    certificates: int
    differences: tuple[str, ...]


@dataclass(frozen=True)
class Verification:
    """A whole run: the verdicts, their pictures and certificates, what was counted, and the inputs.

    ``formal``: of the machine-checked proofs; ``error_budget``: what each statistical comparison spent of
    the false-alarm rate; ``error_budget_assumes``: the assumptions behind it; ``summary.differences``: one sentence for
    each verdict that differs from its prediction.
    """

    claims: tuple[ClaimVerdict, ...]
    figures: tuple[Picture, ...]
    certificates: tuple[FiledCertificate, ...]
    summary: Summary
    formal: ProofsSummary
    error_budget: Mapping[str, float]
    error_budget_assumes: tuple[str, ...]
    seed: int
    profile: str
    environment: Environment

    @property
    def paper(self) -> Publication | None:
        """The paper whose statements these are; None where they are of several papers or of none."""
        return self.papers[0] if len(self.papers) == 1 else None

    @property
    def papers(self) -> tuple[Publication, ...]:
        """The papers whose statements these are."""
        named = {claim.entry.paper for claim in self.claims}
        return tuple(paper for name, paper in papers().items() if name in named)

    @property
    def nothing_was_read(self) -> bool:
        """Whether the text of none of these papers was read: then nothing is said of what is printed."""
        return bool(self.papers) and all(paper.is_unread for paper in self.papers)
