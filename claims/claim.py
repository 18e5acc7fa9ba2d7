"""What a claim is: a statement of the paper, its two readings, its hypotheses, and the code that decides it.

A claim file holds theory and experiment side by side, always in the same order: place in the paper, statement in
symbols, hypotheses, model, check, closed form. Of these a claim of a further paper has in its docstring what neither
the table of the paper nor its ``CLAIM`` says (docs/adding_a_paper.md). Its parts:

* ``prove``: general evidence, symbolic identities and inductions that are checked when called (grade ``proved``);
  without it a claim is a conjecture, which models may refute and never decide;
* ``check``: one model → verdict, exact (grade ``certified``). It receives a model, never a claim id, and does not look
  at the hypotheses: on a model that violates one it may well answer ``refuted``, which is what ablation needs;
* ``judge_stated``: where the printed statement is wrong, a witness small enough to check by hand;
* ``ablations``: for each hypothesis a box of small models, searched whole for the smallest one that violates it alone
  and on which the check fails; or, where it is not needed, models that violate it and on which the check still holds;
* ``variant``: the nearest false variant of the statement, refuted by the same means;
* ``constants``: for each numeric constant whether one that is 1 % tighter is already false;
* ``simulate``: calibrated simulation (grade ``consistent``).

A sentence about an experiment (``empirical``) is decided by what it simulates, so at best ``consistent``; its
``prove`` and ``check`` hold what can be said exactly beside it, and its printed reading may be judged by a simulation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

from tdcert.claims.bounds import Bounds
from tdcert.claims.box import Box
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.theory.check.hypotheses import RETURN_EXISTS, Hypothesis, Reply
from tdcert.theory.errors import BudgetExceededError, InputError, SingularMatrixError
from tdcert.theory.figures import Picture
from tdcert.theory.forms import Statement
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate, Grade, ScopedEvidence, Status, Verdict


class ProofError(AssertionError):
    """An identity that was to be proved is not one."""


class Finding(StrEnum):
    """The contract's words for ``claims[].finding``."""

    OPEN = "open"
    NOT_DECIDABLE = "not_decidable"
    AS_STATED = "as_stated"
    IMPLICIT_HYPOTHESIS = "implicit_hypothesis"
    FALSE = "false"
    MISPRINT = "misprint"
    EMPIRICAL = "empirical"


@dataclass(frozen=True)
class Reading:
    """One reading of a statement; ``$...$`` marks mathematics. ``added_hypotheses`` only in corrected readings.

    ``quote``: a short phrase of the paper that says what is judged, in the words of its source, and ``place`` where it
    stands. The stated reading of every statement of the paper has both; a statement of our own has neither.
    """

    statement: str
    added_hypotheses: tuple[str, ...] = ()
    quote: str = ""
    place: str = ""

    def __post_init__(self) -> None:
        if bool(self.quote) != bool(self.place):
            raise ValueError("a quote and its place come together")


@dataclass(frozen=True)
class Refutation:
    """Why the printed statement is wrong: the model (if any), the witness in words and numbers, a certificate if
    there is one.
    """

    verdict: Verdict
    model: Model | None = None


@dataclass(frozen=True)
class FalseVariant:
    """The nearest statement that is false, ``statement``, and ``judge``, which refutes it: a negative control. Where it
    is not refuted, the claim is undecided, because its check may be unable to fail.
    """

    statement: str
    judge: Callable[[], Refutation]


@dataclass(frozen=True)
class NumericConstant:
    """A numeric constant of a statement, ``what`` (the 2 in 2ετ), and whether it can be smaller, or larger.

    ``tighter`` judges the statement with a constant that is 1 % tighter: where it is refuted, the constant is sharp.
    ``better`` proves it with a constant that is tighter, named in ``note``: then it is not sharp. With neither nobody
    knows. Raises ValueError where both are given.
    """

    what: str
    tighter: Callable[[], Refutation] | None = None
    better: Callable[[], tuple[ScopedEvidence, ...]] | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if self.tighter is not None and self.better is not None:
            raise ValueError(f"{self.what}: a constant is either refuted when it is tighter, or proved")


@dataclass(frozen=True)
class Ablation:
    """What dropping one hypothesis does. One of the three is given, or none: then it is asked, and nothing is said of
    whether it is needed.

    ``box``: small models to be searched whole for the smallest counterexample; ``counterexample``: a model that
    violates this hypothesis alone, where no box is small enough to search; ``supports``: models that violate it, for a
    hypothesis that is not needed.
    """

    hypothesis: Hypothesis
    box: Box | None = None
    counterexample: Callable[[], Model] | None = None
    supports: Callable[[], Sequence[Model]] | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if sum(given is not None for given in (self.box, self.counterexample, self.supports)) > 1:
            raise ValueError(
                "an ablation has a box to search, or a counterexample, or models that support 'not needed'"
            )

    def at(self, source: str) -> Ablation:
        """This ablation, its hypothesis with its place in another paper."""
        return replace(self, hypothesis=self.hypothesis.at(source))

    @property
    def is_needed(self) -> bool:
        """Whether the hypothesis is asked before the check; else the statement is to hold without it."""
        return self.supports is None

    @property
    def is_made(self) -> bool:
        """Whether there is anything to be searched or shown."""
        return not (self.box is None and self.counterexample is None and self.supports is None)


class Calibrated(Protocol):
    """A comparison with a stated false-alarm rate: ``tdcert.sims.judge.agreement.Agreement`` or
    ``tdcert.sims.judge.replication.Share``."""

    @property
    def agrees(self) -> bool: ...

    @property
    def contradicts(self) -> bool: ...

    @property
    def alpha_spent(self) -> float: ...

    def sentence(self) -> str: ...


@dataclass(frozen=True)
class Simulated:
    """One calibrated comparison of simulation with theory, and what was compared.

    ``stated``: what it says of the printed reading of an empirical claim, if anything; never better than
    ``consistent``.
    """

    agreement: Calibrated
    what: str
    summary: str
    figures: tuple[Picture, ...] = ()
    stated: Verdict | None = None

    def __post_init__(self) -> None:
        if self.stated is not None and self.stated.grade not in (None, Grade.CONSISTENT):
            raise ValueError(f"a simulation gives 'consistent' at best, not '{self.stated.grade}'")


@dataclass(frozen=True)
class Fact:
    """A sentence about one model of an experiment, decided exactly."""

    sentence: str
    model: Model
    verdict: Verdict


@dataclass(frozen=True)
class Claim:
    """A statement of the paper and how it is decided. See the module docstring."""

    id: str
    stated: Reading
    check: Callable[[Model], Verdict]
    prove: Callable[[], tuple[ScopedEvidence, ...]] | None = None
    """The general evidence; None for a conjecture: on models alone it is never decided."""
    anchors: tuple[str, ...] = ()
    """Strings that stand in the paper's source at the place of the statement, beside the quote of the reading."""
    sharper: Reading | None = None
    """A statement of our own that says more than a printed one that holds: the same proof and check decide it."""
    corrected: Reading | None = None
    correction: Finding = Finding.FALSE
    """What kind of correction the corrected reading is, if there is one."""
    judge_stated: Callable[[], Refutation] | None = None
    """Decides the printed reading, where it differs from the corrected one."""
    ablations: tuple[Ablation, ...] = ()
    """One for each hypothesis that it needs, and for some that it does not need: see :attr:`hypotheses`."""
    simulate: Callable[[int, ErrorBudget], Sequence[Simulated]] | None = None
    instances: Callable[[], Sequence[Model]] | None = None
    """Models of its own that it is checked on, beside those on which every claim is."""
    facts: Callable[[], Sequence[Fact]] | None = None
    """What its own models show, beside those on which every claim is checked; also stronger readings that fail."""
    pictures: Callable[[int, str], Sequence[Picture]] | None = None
    """Pictures that take long, from the seed and the profile: no verdict rests on them."""
    notes: tuple[str, ...] = ()
    asked_of_large_exact_models: bool = False
    """Whether exact analyses ask it above ``EVERY_CLAIM_STATES`` (analysis/exact_analysis.py). Enclosures ask every
    claim that has a ``form``, at any size."""
    """Whether ``analyze`` asks it of models above its limit for statements that hold whatever the model is."""
    variant: FalseVariant | None = None
    """The nearest false variant. Statements of the paper that is decided by default have none: their ablations and
    mutants do that."""
    bounds: Bounds | None = None
    """A printed bound beside the exact moment that it bounds, as a function of the model (claims/bounds.py)."""
    constants: tuple[NumericConstant, ...] = ()
    """Its numeric constants, each with whether it is sharp."""
    rests_on: tuple[str, ...] = ()
    """Ids of the claims that the proof uses, direct ones only; no claim may come back to itself."""
    decides: str = ""
    """What of the reading that is to hold is decided here, in a few words, where its rest is cited theory."""
    formal: bool = False
    """Whether the reading that holds rests on its machine-checked proof: where that does not count, it is undecided."""
    form: Statement | None = None
    """What it states of a model, where that is the sign of a matrix: enclosures decide it, and hunts search by it."""
    form_under: tuple[Hypothesis, ...] = ()
    """Hypotheses without which it says more than its form."""
    form_is_part: bool = False
    """Whether it says more than its form: the form then points at counterexamples, and decides nothing."""
    empirical: bool = False
    """Whether it is a sentence about an experiment: see the module docstring. Its finding is then ``empirical``."""

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """What a model is asked before the check: the hypotheses whose ablation is to show that they are needed."""
        return tuple(ablation.hypothesis for ablation in self.ablations if ablation.is_needed)

    def __post_init__(self) -> None:
        names = [ablation.hypothesis.id for ablation in self.ablations]
        if len(set(names)) < len(names):
            raise ValueError(f"claim {self.id}: one hypothesis has two ablations")
        if self.empirical and self.simulate is None:
            raise ValueError(f"claim {self.id}: a sentence about an experiment is decided by a simulation, give one")
        judged = self.judge_stated is not None
        if (self.corrected is None) if judged else (self.corrected is not None and not self.empirical):
            raise ValueError(f"claim {self.id}: a corrected reading and a judge of the stated one come together")
        if self.sharper is not None and self.corrected is not None:
            raise ValueError(f"claim {self.id}: what sharpens a corrected statement belongs into the corrected reading")


@dataclass(frozen=True)
class ClaimDecision:
    """A claim decided on one model: the hypotheses asked, and the verdict."""

    verdict: Verdict
    answers: dict[str, Reply] = field(default_factory=dict)


def decide(claim: Claim, model: Model) -> ClaimDecision:
    """Ask the hypotheses; check the statement only where all of them hold."""
    no_sum = "λ = 1 without a length, and I − N is singular: the series Σ Nᵏ behind the trace has no sum"
    without_sum = Verdict(Status.HYPOTHESIS_VIOLATED, detail=no_sum, violated=(RETURN_EXISTS.id,))
    if not all(map(model.has_trace_sum_on, model.behaviour_chain.recurrent_classes)):
        return ClaimDecision(without_sum)
    answers = {hypothesis.id: hypothesis.ask(model) for hypothesis in claim.hypotheses}
    violated = tuple(name for name, answer in answers.items() if not answer.satisfied)
    if violated:
        certificates = tuple(answers[name].certificate for name in violated if answers[name].certificate is not None)
        reasons = "; ".join(answers[name].reason for name in violated)
        kept: tuple[Certificate, ...] = tuple(c for c in certificates if c is not None)
        return ClaimDecision(
            Verdict(Status.HYPOTHESIS_VIOLATED, detail=reasons, violated=violated, certificates=kept), answers
        )
    try:
        found: object = claim.check(model)
    except BudgetExceededError as error:  # an exhausted budget is not a verdict
        return ClaimDecision(Verdict(Status.UNDECIDED, detail=str(error)), answers)
    except SingularMatrixError:  # the sum is missing at a state that no class reaches, and the statement speaks of it
        if model.has_trace_sum:
            raise
        return ClaimDecision(without_sum, answers)
    if not isinstance(found, Verdict):
        kind = repr(found) if found is None or isinstance(found, bool) else f"a {type(found).__name__}"
        raise InputError(
            f"check of the claim {claim.id} returned {kind}; return a Verdict, as decide_relations(model, [...]) of "
            "tdcert.claims.kit and the functions of tdcert.claims.verdicts do"
        )
    verdict = found
    if verdict.status is Status.HOLDS and verdict.grade is Grade.CERTIFIED and not verdict.certificates:
        detail = f"exact arithmetic finds that it holds, but wrote no certificate: {verdict.detail}"
        return ClaimDecision(Verdict(Status.UNDECIDED, detail=detail), answers)
    return ClaimDecision(verdict, answers)
