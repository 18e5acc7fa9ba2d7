"""What a claim is: a statement of the paper, its two readings, its hypotheses, and the code that decides it.

A claim file holds theory and experiment side by side, always in the same order: place in the paper, statement in
symbols,
hypotheses, model, check, closed form. Its parts:

* ``prove``: general evidence, symbolic identities and inductions that are checked when called (grade ``proved``);
* ``check``: one model → verdict, exact (grade ``certified``). It receives a model, never a claim id, and does not
  look at the
  hypotheses: on a model that violates one it may well answer ``refuted``, which is what ablation needs;
* ``judge_stated``: where the printed statement is wrong, a witness small enough to check by hand;
* ``ablations``: for each hypothesis a box of small models, searched whole for the smallest one that violates it
  alone and on which
  the check fails; or, where it is not needed, models that violate it and on which the check still holds;
* ``simulate``: calibrated simulation (grade ``consistent``).

A sentence about an experiment (``empirical``) is decided by what it simulates, so at best ``consistent``; its
``prove`` and ``check`` hold what can be said exactly beside it, and its printed reading may be judged by a simulation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

from claims.box import Box
from claims.figures import Picture
from sims.agreement import ErrorBudget
from theory.check.hypotheses import RETURN_EXISTS, Answer, Hypothesis
from theory.errors import BudgetExceededError
from theory.model.mdp import Model
from theory.verdict import Certificate, Grade, ScopedEvidence, Status, Verdict


class ProofError(AssertionError):
    """An identity that was to be proved is not one."""


class Finding(StrEnum):
    """The contract's words for ``claims[].finding``."""

    OPEN = "open"
    AS_STATED = "as_stated"
    IMPLICIT_HYPOTHESIS = "implicit_hypothesis"
    FALSE = "false"
    MISPRINT = "misprint"
    EMPIRICAL = "empirical"


@dataclass(frozen=True)
class Reading:
    """One reading of a statement; ``$...$`` marks mathematics. ``added_hypotheses`` only in corrected readings."""

    statement: str
    added_hypotheses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refutation:
    """Why the printed statement is wrong: the model (if any), the witness in words and numbers, a certificate if
    there is one.
    """

    verdict: Verdict
    model: Model | None = None


def explained(verdict: Verdict, model: Model, detail: str, left: str, right: str, **given: str) -> Refutation:
    """The refutation of one relation in words: what was given, and the two computed values under their own names."""
    if verdict.status is Status.REFUTED:
        values = {left: verdict.witness["left value"], right: verdict.witness["right value"]}
        verdict = replace(verdict, detail=detail, witness={**given, **values})
    return Refutation(verdict, model)


@dataclass(frozen=True)
class Ablation:
    """What dropping one hypothesis does. Exactly one of the three is given.

    ``box``: small models to be searched whole for the smallest counterexample; ``counterexample``: a model that
    violates
    this hypothesis alone, where no box is small enough to search; ``supports``: models that violate it, for a
    hypothesis
    that is not needed.
    """

    hypothesis: Hypothesis
    box: Box | None = None
    counterexample: Callable[[], Model] | None = None
    supports: Callable[[], Sequence[Model]] | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if sum(given is not None for given in (self.box, self.counterexample, self.supports)) != 1:
            raise ValueError(
                "an ablation has a box to search, or a counterexample, or models that support 'not needed'"
            )


class Calibrated(Protocol):
    """A comparison with a stated false-alarm rate: ``sims.agreement.Agreement`` or ``sims.replication.Share``."""

    @property
    def agrees(self) -> bool: ...

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
    hypotheses: tuple[Hypothesis, ...]
    check: Callable[[Model], Verdict]
    prove: Callable[[], tuple[ScopedEvidence, ...]]
    anchors: tuple[str, ...]
    """Strings that stand in the paper's source at the place of the statement."""
    corrected: Reading | None = None
    correction: Finding = Finding.FALSE
    """What kind of correction the corrected reading is, if there is one."""
    judge_stated: Callable[[], Refutation] | None = None
    """Decides the printed reading, where it differs from the corrected one."""
    ablations: tuple[Ablation, ...] = ()
    simulate: Callable[[int, ErrorBudget], Sequence[Simulated]] | None = None
    facts: Callable[[], Sequence[Fact]] | None = None
    """What its own models show, beside those on which every claim is checked."""
    pictures: Callable[[int, str], Sequence[Picture]] | None = None
    """Pictures that take long, from the seed and the profile: no verdict rests on them."""
    notes: tuple[str, ...] = ()
    asked_of_large_models: bool = False
    """Whether ``analyze`` asks it of models above its limit for statements that hold whatever the model is."""
    rests_on: tuple[str, ...] = ()
    """Ids of the claims that the proof uses, direct ones only; no claim may come back to itself."""
    empirical: bool = False
    """Whether it is a sentence about an experiment: see the module docstring. Its finding is then ``empirical``."""

    def __post_init__(self) -> None:
        if self.empirical and self.simulate is None:
            raise ValueError(f"claim {self.id}: a sentence about an experiment is decided by a simulation, give one")
        judged = self.judge_stated is not None
        if (self.corrected is None) if judged else (self.corrected is not None and not self.empirical):
            raise ValueError(f"claim {self.id}: a corrected reading and a judge of the stated one come together")


@dataclass(frozen=True)
class Decision:
    """A claim decided on one model: the hypotheses asked, and the verdict."""

    verdict: Verdict
    answers: dict[str, Answer] = field(default_factory=dict)


def decide(claim: Claim, model: Model) -> Decision:
    """Ask the hypotheses; check the statement only where all of them hold."""
    if not model.has_trace_sum:
        reason = "λ = 1 without a length, and I − N is singular: the trace has no stationary law"
        return Decision(Verdict(Status.HYPOTHESIS_VIOLATED, detail=reason, violated=(RETURN_EXISTS.id,)))
    answers = {hypothesis.id: hypothesis.ask(model) for hypothesis in claim.hypotheses}
    violated = tuple(name for name, answer in answers.items() if not answer.satisfied)
    if violated:
        certificates = tuple(answers[name].certificate for name in violated if answers[name].certificate is not None)
        reasons = "; ".join(answers[name].reason for name in violated)
        kept: tuple[Certificate, ...] = tuple(c for c in certificates if c is not None)
        return Decision(
            Verdict(Status.HYPOTHESIS_VIOLATED, detail=reasons, violated=violated, certificates=kept), answers
        )
    try:
        return Decision(claim.check(model), answers)
    except BudgetExceededError as error:  # an exhausted budget is no verdict
        return Decision(Verdict(Status.UNDECIDED, detail=str(error)), answers)
