"""What transitions show, as the terminal shows it and as ``tdcert-samples/1`` holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from tdcert.theory.document_types import Positive, Rational

if TYPE_CHECKING:
    from tdcert.theory.samples.ranges import ConfidentRanges
    from tdcert.theory.samples.sampled_model import SampledModel
    from tdcert.theory.samples.verdict import ConfidentVerdict
    from tdcert.theory.samples.visits import VisitsEstimate

FORMAT = "tdcert-samples/1"
Ends = tuple[Rational, Rational]
Answer = Literal["stable", "unstable", "undecided"]


@dataclass(frozen=True, kw_only=True)
class VerdictOverSet:
    """What holds for every model of the set."""

    algorithm: Literal["TD", "GTD", "TDC"]
    answer: Answer
    grade: Literal["confident"] | None
    why: str
    sentence: str
    for_every_law: bool
    """Whether the argument asks of the transition probabilities only which are positive."""
    estimate: str | None
    """How many more visits would decide, in words: an estimate; null where it is decided, or was not asked for."""


@dataclass(frozen=True, kw_only=True)
class SamplesDocument:
    """What transitions show: docs/formats.md."""

    format: Literal["tdcert-samples/1"] = "tdcert-samples/1"
    transitions: Positive
    states: Positive
    actions: Positive
    delta: Rational
    markov: bool
    """Whether the caller claims that the next state depends on state and action alone."""
    markov_refuted: bool
    """Whether the data refute it."""
    markov_sentence: str
    verdicts: tuple[VerdictOverSet, ...]
    theta_star: tuple[Ends, ...] | None
    """A range of each parameter of θ*, or null with the reason in `why`."""
    error: Ends | None
    """A range of the root of the mean square error, or null with the reason in `why`."""
    why: str | None
    reproduce: str


def document(
    found: SampledModel,
    transitions: int,
    verdicts: tuple[ConfidentVerdict, ...],
    ranges: ConfidentRanges,
    estimates: tuple[VisitsEstimate | None, ...],
    command: str,
) -> SamplesDocument:
    """The answer as texts and numbers."""
    test, (n, m) = found.markov_test, found.behaviour.shape
    return SamplesDocument(
        transitions=transitions,
        states=n,
        actions=m,
        delta=str(found.delta),
        markov=found.markov,
        markov_refuted=found.markov_refuted,
        markov_sentence="" if test is None else test.sentence,
        verdicts=tuple(
            VerdictOverSet(
                algorithm=one.update.value,
                answer=cast(Answer, one.answer.value),
                grade="confident" if one.grade else None,
                why=one.why,
                sentence=one.sentence,
                for_every_law=one.for_every_law,
                estimate=None if estimate is None else estimate.sentence,
            )
            for one, estimate in zip(verdicts, estimates, strict=True)
        ),
        theta_star=None if ranges.theta_star is None else tuple((str(a), str(b)) for a, b in ranges.theta_star),
        error=None if ranges.error is None else (str(ranges.error[0]), str(ranges.error[1])),
        why=ranges.why or None,
        reproduce=command,
    )


def lines(found: SamplesDocument, source: str, ranges: ConfidentRanges) -> str:
    """What the terminal shows; ``source`` names the file."""
    said = [f"{source}: {found.transitions:,} transitions, {found.states} states, {found.actions} actions"]
    for one in found.verdicts:
        said.append(one.sentence)
        said += [f"  {one.estimate}"] if one.estimate else []
    said += [ranges.sentence, f"{found.markov_sentence[:1].upper()}{found.markov_sentence[1:]}."]
    return "\n".join(said) + "\n"
