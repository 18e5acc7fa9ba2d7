"""Exact verdicts on one model: how a check says what it found, on one recurrent class and on each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.bodies import (
    about_matrix,
    rank_certificate,
    singular_certificate,
    stationary_certificate,
    strings,
)
from tdcert.theory.check.definiteness import Definiteness
from tdcert.theory.check.mean_dynamics import decide_negative_definite
from tdcert.theory.errors import BudgetExceededError, SingularMatrixError
from tdcert.theory.expressions.relations import Relation, decide_relations
from tdcert.theory.model.key_matrices import KeyMatrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate, Grade, Status, Verdict

States = tuple[int, ...]
"""A recurrent class of the behaviour chain."""

Given = ParamSpec("Given")

NOTHING: Mapping[str, Any] = {}


def holds(detail: str, witness: Mapping[str, Any] = NOTHING, *, by: Iterable[Certificate | None] = ()) -> Verdict:
    """An exact verdict on one model; ``by``: its certificates, None where there is none."""
    return Verdict(Status.HOLDS, Grade.CERTIFIED, detail, witness, certificates=_present(by))


def refuted(
    detail: str, witness: Mapping[str, Any] = NOTHING, *, by: Iterable[Certificate | None] = (), undefined: str = ""
) -> Verdict:
    """An exact refutation on one model; ``undefined``: what the statement speaks of and the model does not have."""
    return Verdict(Status.REFUTED, Grade.CERTIFIED, detail, witness, certificates=_present(by), undefined=undefined)


def undecided(why: str) -> Verdict:
    """No verdict, and why."""
    return Verdict(Status.UNDECIDED, detail=why)


def refuted_where_singular(
    keys: KeyMatrices[Any],
    states: States,
    kernel: str,
    detail: str = "A is singular: there is no θ*",
    undefined: str = "θ*",
) -> Verdict:
    """A x = 0 for an x ≠ 0, so what the statement speaks of does not exist."""
    kept = singular_certificate(keys, states, kernel)
    return refuted(detail, {"x": kept.witness["vector"]}, by=[kept], undefined=undefined)


def decide_with_inverse_of_gram(
    model: Model,
    relations: Sequence[Relation],
    states: States,
    theta: Sequence[Fraction | int],
    without: str,
    kernel: str = "target",
) -> Verdict:
    """Relations in which C⁻¹ stands: refuted, with the sentence ``without``, where the features are dependent."""
    try:
        return decide_relations(model, relations, states=states, kernel=kernel, theta=theta)
    except SingularMatrixError:
        kept = rank_certificate(model.features, states)
        if kept.kind == "full_column_rank":
            raise
        return refuted(without, {"x": kept.witness["vector"]}, by=[kept], undefined="C⁻¹")


def negative_definite(model: Model, states: States, but: str = "") -> Verdict:
    """Whether A of one class is negative definite; ``but``: what goes before the reason of a refutation."""
    negative, reason, certificate = decide_negative_definite(model, states, "target")
    if negative is None or certificate is None:
        return undecided(reason)
    if not negative:
        return refuted(but + reason, {"x": certificate.witness["vector"], "value": reason}, by=[certificate])
    return holds(reason, by=[certificate])


def definite_or_not(keys: KeyMatrices[RationalMatrix], states: States, answer: Definiteness) -> Certificate:
    """The certificate of an answer about sym D(I − M) on a class: a factor, or a vector that shows the contrary."""
    about = about_matrix(states, "target", matrix="D(I-M)", sign="positive")
    if answer.factor is not None:
        return Certificate("definite", about, {"stationary": strings(keys.d), "factor": answer.factor.as_witness})
    assert answer.vector is not None
    return Certificate("not_definite", about, {"stationary": strings(keys.d), "vector": strings(answer.vector)})


def on_each_class(
    decide: Callable[[States], Verdict], model: Model, detail: str = "", *, with_law: bool = False
) -> Verdict:
    """A check of one recurrent class of the behaviour chain, on every one of them: the first verdict that is not
    ``holds`` (classes after it are not asked), else one with all certificates, details and witnesses, ``enclosed``
    where one of them is.

    ``detail``: instead of those of the classes. ``with_law``: each class adds the certificate of its stationary law.
    The witness of a class says where it is if there are several.
    """
    classes = model.behaviour_chain.recurrent_classes
    certificates: list[Certificate] = []
    details: list[str] = []
    witness: dict[str, object] = {}
    grade = Grade.CERTIFIED
    for states in classes:
        try:
            found = decide(states)
        except BudgetExceededError as error:  # an exhausted budget is not a verdict
            return undecided(str(error))
        if found.status is not Status.HOLDS:
            return found
        certificates += found.certificates
        grade = Grade.ENCLOSED if found.grade is Grade.ENCLOSED else grade
        if with_law:
            certificates.append(stationary_certificate(model.behaviour_chain, states))
        details.append(found.detail)
        place = f", from state {states[0]} on" if len(classes) > 1 else ""
        witness |= {name + place: value for name, value in found.witness.items()}
    said = detail or "; ".join(dict.fromkeys(details))
    return Verdict(Status.HOLDS, grade, said, witness, certificates=tuple(certificates))


def each_class(
    decide: Callable[Concatenate[Model, States, Given], Verdict],
) -> Callable[Concatenate[Model, Given], Verdict]:
    """A check of one recurrent class, ``decide(model, states, …)``, as a check ``(model, …)`` of every one of them."""

    @wraps(decide)
    def asked(model: Model, /, *given: Given.args, **options: Given.kwargs) -> Verdict:
        return on_each_class(lambda states: decide(model, states, *given, **options), model)

    return asked


def _present(certificates: Iterable[Certificate | None]) -> tuple[Certificate, ...]:
    return tuple(certificate for certificate in certificates if certificate is not None)


__all__ = [
    "Certificate",
    "States",
    "Status",
    "Verdict",
    "decide_with_inverse_of_gram",
    "definite_or_not",
    "each_class",
    "holds",
    "negative_definite",
    "on_each_class",
    "refuted",
    "refuted_where_singular",
    "undecided",
]
