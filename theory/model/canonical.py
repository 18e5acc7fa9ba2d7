"""The canonical form of a model, as certificates and other documents hold it (docs/certificates.md)."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from msgspec import Meta

from tdcert.theory.document_types import ALIKE, Rational

Matrix: TypeAlias = Annotated[list[list[Rational]], Meta(min_length=1)]
ColumnOrMatrix: TypeAlias = Annotated[list[Rational | list[Rational]], Meta(min_length=1), ALIKE]
"""A number for each state left, or a matrix over transitions."""
ByAction: TypeAlias = Annotated[dict[str, ColumnOrMatrix], Meta(min_length=1)]

ConstantLambda = TypedDict("ConstantLambda", {"lambda": Rational})


class CanonicalSchedule(TypedDict):
    """λ_1, …, λ_L, or one λ without end."""

    lambdas: NotRequired[list[Rational]]
    constant: NotRequired[ConstantLambda]


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
