"""What transitions show, as the terminal shows it and as ``tdcert-samples/1`` holds it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast

from tdcert.theory.certificate.shelf import FiledCertificate
from tdcert.theory.document_types import Digest, Positive, Rational

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

    algorithm: str
    """TD, GTD or TDC, or another by its name."""
    answer: Answer
    grade: Literal["confident"] | None
    why: str
    sentence: str
    for_every_law: bool
    """Whether the argument asks of the transition probabilities only which are positive."""
    estimate: str | None
    """How many more visits would decide, in words: an estimate; null where it is decided, or was not asked for."""
    certificate: str | None
    """Where its certificate lies in the report, or null."""


@dataclass(frozen=True, kw_only=True)
class SamplesDocument:
    """What transitions show: docs/formats.md."""

    format: Literal["tdcert-samples/1"] = "tdcert-samples/1"
    source: str | None
    """The file, or null for data from Python."""
    sha256: Digest | None
    """The digest of the file."""
    digest: Digest
    """The digest of the set of models, which its certificates name."""
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


@dataclass(frozen=True, kw_only=True)
class Answered:
    """What was asked of a set of models, all at its one δ; ``source``: the file, or None for data from Python."""

    found: SampledModel
    transitions: int
    verdicts: tuple[ConfidentVerdict, ...]
    ranges: ConfidentRanges
    estimates: tuple[VisitsEstimate | None, ...]
    command: str
    source: str | None = None
    sha256: str | None = None

    @cached_property
    def shelf(self) -> tuple[dict[str, FiledCertificate], str]:
        """The certificates by algorithm, equal ones once, and the digest of the set."""
        from tdcert.theory.samples.certificate import certificates

        bodies, digest = certificates(self.found, self.verdicts)
        filed: dict[str, FiledCertificate] = {}
        for name, body in bodies.items():
            same = next((one for one in filed.values() if one.body == body), None)
            path = f"certificates/{len({one.path for one in filed.values()}) + 1:03d}-{body['kind']}.json"
            filed[name] = same or FiledCertificate(path, body)
        return filed, digest


def document(asked: Answered, *, filed: bool = False) -> SamplesDocument:
    """The answer as texts and numbers; ``filed``: whether its certificates lie beside it."""
    found, ranges = asked.found, asked.ranges
    test, (n, m) = found.markov_test, found.behaviour.shape
    kept, digest = asked.shelf
    return SamplesDocument(
        source=asked.source,
        sha256=asked.sha256,
        digest=digest,
        transitions=asked.transitions,
        states=n,
        actions=m,
        delta=str(found.delta),
        markov=found.markov,
        markov_refuted=found.markov_refuted,
        markov_sentence="" if test is None else test.sentence,
        verdicts=tuple(
            VerdictOverSet(
                algorithm=str(one.update),
                answer=cast(Answer, one.answer.value),
                grade="confident" if one.grade else None,
                why=one.why,
                sentence=one.sentence,
                for_every_law=one.for_every_law,
                estimate=None if estimate is None else estimate.sentence,
                certificate=kept[str(one.update)].path if filed and str(one.update) in kept else None,
            )
            for one, estimate in zip(asked.verdicts, asked.estimates, strict=True)
        ),
        theta_star=None if ranges.theta_star is None else tuple((str(a), str(b)) for a, b in ranges.theta_star),
        error=None if ranges.error is None else (str(ranges.error[0]), str(ranges.error[1])),
        why=ranges.why or None,
        reproduce=asked.command,
    )


def lines(found: SamplesDocument, source: str, ranges: ConfidentRanges) -> str:
    """What the terminal shows; ``source`` names the file."""
    said = [f"{source}: {found.transitions:,} transitions, {found.states} states, {found.actions} actions"]
    for one in found.verdicts:
        said.append(one.sentence)
        said += [f"  {one.estimate}"] if one.estimate else []
    said += [ranges.sentence, f"{found.markov_sentence[:1].upper()}{found.markov_sentence[1:]}."]
    return "\n".join(said) + "\n"
