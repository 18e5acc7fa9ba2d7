"""When iterates are close to θ*, as the terminal shows it and as ``tdcert-certify/1`` holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta

from tdcert.theory.document_types import Count, Digest, Rational, pattern

if TYPE_CHECKING:
    from tdcert.analysis.certify import Answer

FORMAT = "tdcert-certify/1"
CERTIFICATE = "certificates/for_ever.json"
"""Place of the certificate in a report's folder."""
THEOREM = "almost_sure_rate"
"""The claim, with machine-checked proof, that says the same of all models with cruder constants."""


@dataclass(frozen=True, kw_only=True)
class NamedModel:
    """The model that a document is about."""

    name: str
    digest: Digest


@dataclass(frozen=True, kw_only=True)
class StepForm:
    """Steps a/(t + t0)^p."""

    a: Rational
    t0: Rational
    p: Rational


@dataclass(frozen=True, kw_only=True)
class CertifyDocument:
    """When iterates are close to the fixed point: docs/formats.md."""

    format: Literal["tdcert-certify/1"] = "tdcert-certify/1"
    model: NamedModel
    algorithm: str
    steps: StepForm
    steps_proposed: bool
    """Whether they were looked for, and not given."""
    step_sizes: Annotated[tuple[str, ...], Meta(min_length=1)]
    """Names of the algorithm's step sizes."""
    ratio: Annotated[str, pattern(r"^[0-9]+(/[1-9][0-9]*)?(,[0-9]+(/[1-9][0-9]*)?)*$")] | None
    """The ratio of each later step size to the first; null where there is one step size."""
    within: Rational
    probability: Rational
    theta0: tuple[Rational, ...]
    theta_star: tuple[Rational, ...]
    one_time: Count | None
    """T with P(|θ_T − θ*| ≤ within) ≥ probability, or null where none was found."""
    one_time_is_least: bool
    """Whether it is the least by second moments; else it is an upper bound of the least."""
    ever_after: Count | None
    """N with P(|θ_t − θ*| ≤ within for all t ≥ N) ≥ probability, or null with the reason in `why`."""
    why: str | None
    grade: Literal["certified"] | None
    theorem: str
    """The claim that says the same of all models, with cruder constants."""
    certificate: str | None
    """Where the certificate was written, or null."""
    notes: tuple[str, ...]
    reproduce: str


def document(found: Answer, command: str, rejected: str = "") -> CertifyDocument:
    """The answer as texts and numbers; ``certificate`` is None until it is written somewhere.

    ``rejected``: why the independent checker does not accept the certificate. Then nothing is certified.
    """
    asked, process = found.question, found.process
    certified = None if rejected else found.ever_after
    return CertifyDocument(
        model=NamedModel(name=process.model.name, digest=process.model.digest),
        algorithm=process.algorithm.name,
        steps=StepForm(a=str(found.steps.a), t0=str(found.steps.t0), p=str(found.steps.p)),
        steps_proposed=found.proposed,
        step_sizes=process.algorithm.steps,
        ratio=",".join(map(str, process.ratios[1:])) or None,
        within=str(asked.within),
        probability=str(asked.probability),
        theta0=tuple(map(str, process.theta0)),
        theta_star=tuple(map(str, process.theta_star)),
        one_time=found.one_time,
        one_time_is_least=found.exact,
        ever_after=None if certified is None else certified.time,
        why=f"the independent checker rejects the certificate: {rejected}" if rejected else found.why,
        grade=None if certified is None else "certified",
        theorem=THEOREM,
        certificate=None,
        notes=(found.note,) if found.note else (),
        reproduce=command,
    )


def certificate(found: Answer) -> Mapping[str, Any] | None:
    """The certificate of ``ever_after`` with its model."""
    from tdcert.theory.certificate import write

    if found.ever_after is None:
        return None
    return write.document(found.ever_after.certificate(), found.process.model, THEOREM)


def lines(found: CertifyDocument, source: str) -> str:
    """What the terminal shows; ``source`` names a model without a name."""
    steps = found.steps
    power = "" if steps.p == "1" else f"^{steps.p}"
    first, *others = found.step_sizes
    ratios = (found.ratio or "").split(",")
    later = "".join(f", {name} = {x} {first}" for name, x in zip(others, ratios, strict=False))
    near = f"|θ_T − θ*| ≤ {found.within}) ≥ {found.probability}"
    said = [
        f"{found.model.name or source}, {found.algorithm}",
        f"steps {first} = {steps.a}/(t + {steps.t0}){power}{later}" + (", proposed" * found.steps_proposed),
        f"θ* = ({', '.join(found.theta_star)})",
    ]
    if found.one_time is None:
        said.append(f"at one time: no T was found with P({near}")
    else:
        note = " (the least T by second moments)" if found.one_time_is_least else " (an upper bound of the least T)"
        said.append(f"at one time: P({near} at T = {found.one_time:,}{note}")
    if found.ever_after is None:
        said.append(f"for ever after: not certified, as {found.why}")
    else:
        said.append(
            f"for ever after: P(|θ_t − θ*| ≤ {found.within} for all t ≥ N) ≥ {found.probability} "
            f"with N = {found.ever_after:,}, certified"
        )
    said += [f"note: {note}" for note in found.notes]
    said.append(f"the general theorem: tdcert show {found.theorem}")
    if found.certificate:
        said.append(f"certificate: {found.certificate}")
    return "\n".join(said) + "\n"
