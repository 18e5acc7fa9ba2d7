"""The canonical forms of a model and of a set of models, as documents hold them (docs/certificates.md)."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from msgspec import Meta

from tdcert.theory.document_types import ALIKE, Count, Rational

Matrix: TypeAlias = Annotated[list[list[Rational]], Meta(min_length=1)]
ColumnOrMatrix: TypeAlias = Annotated[list[Rational | list[Rational]], Meta(min_length=1), ALIKE]
"""A number for each state left, or a matrix over transitions."""
ByAction: TypeAlias = Annotated[dict[str, ColumnOrMatrix], Meta(min_length=1)]

ConstantLambda = TypedDict("ConstantLambda", {"lambda": Rational})


class CanonicalSchedule(TypedDict):
    """λ_1, …, λ_L, or one λ without end, or a λ for each state."""

    lambdas: NotRequired[list[Rational]]
    constant: NotRequired[ConstantLambda]
    by_state: NotRequired[list[Rational]]


class CanonicalModel(TypedDict):
    """Lowest terms, all features and λ's, no name; a model file that reads back as an equal model."""

    format: Literal["tdcert-model/1"]
    actions: Annotated[list[str], Meta(min_length=1)]
    transitions: Annotated[dict[str, Matrix], Meta(min_length=1)]
    rewards: ByAction
    discount: Rational | ByAction
    behaviour: Matrix
    target: Matrix
    features: Matrix
    schedule: Annotated[CanonicalSchedule, Meta(extra_json_schema={"minProperties": 1, "maxProperties": 1})]
    sampling: NotRequired[Literal["independent"]]
    sampling_law: NotRequired[Annotated[list[Rational], Meta(min_length=1)]]
    interest: NotRequired[Annotated[list[Rational], Meta(min_length=1)]]


class CanonicalRow(TypedDict):
    """One row of a set: its possible successors in increasing order, and for each how often it came and an interval."""

    possible: Annotated[list[Count], Meta(min_length=1)]
    counts: list[Count]
    low: list[Rational]
    high: list[Rational]


class UnknownPolicy(TypedDict):
    """Sets of the laws of actions of one unknown behaviour policy; null in terminal states."""

    rows: list[CanonicalRow | None]


class CanonicalSet(TypedDict):
    """A set of models: docs/certificates.md, *Sets of models*."""

    format: Literal["tdcert-set/1"]
    delta: Rational
    share: Rational
    rows: list[list[CanonicalRow | None]]
    start: CanonicalRow | None
    terminal: list[Count]
    behaviour: Matrix | UnknownPolicy
    target: Matrix | None
    discount: Rational
    features: Matrix
    schedule: CanonicalSchedule


class CanonicalAround(TypedDict):
    """All models around one: docs/certificates.md, *Models around a model*."""

    format: Literal["tdcert-around/1"]
    change: Literal["transitions", "discount", "behaviour", "target"]
    within: Rational
    model: CanonicalModel
