"""Model files and archives as types, for their schemas; ``model_file`` and ``npz`` read them."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from msgspec import Meta

from tdcert.theory.document_types import ALIKE, Count, Positive, pattern

Exact: TypeAlias = float | Annotated[str, pattern(r"^[-+]?\d[\d.eE+-]*(/\d+)?$")]
"""A JSON number, which stands for the decimal that it prints, or a text such as `"p/q"`."""
ExactMatrix: TypeAlias = Annotated[list[list[Exact]], Meta(min_length=1)]
PerTransition: TypeAlias = Annotated[list[Exact | list[Exact]], ALIKE]
"""A number for each state left, or a matrix over transitions."""

ConstantForm = TypedDict("ConstantForm", {"lambda": Exact, "length": NotRequired[int]})


class ScheduleForm(TypedDict, total=False):
    """A schedule in one of its forms."""

    lambdas: list[Exact]
    equal_weights: Annotated[list[int], Meta(min_length=2, max_length=2)]
    n_step: int
    constant: ConstantForm
    weights: list[Exact]
    by_state: list[Exact]


class ModelFile(TypedDict):
    """A model file: docs/formats.md."""

    format: Literal["tdcert-model/1"]
    name: NotRequired[str]
    transitions: ExactMatrix | Annotated[dict[str, ExactMatrix], Meta(min_length=1)]
    actions: NotRequired[Annotated[list[str], Meta(min_length=1)]]
    rewards: PerTransition | Annotated[dict[str, PerTransition], Meta(min_length=1)]
    discount: Exact | PerTransition | Annotated[dict[str, Exact | PerTransition], Meta(min_length=1)]
    terminal: NotRequired[list[Count]]
    behaviour: NotRequired[ExactMatrix]
    target: NotRequired[ExactMatrix]
    features: NotRequired[Literal["tabular"] | ExactMatrix]
    schedule: NotRequired[Annotated[ScheduleForm, Meta(extra_json_schema={"minProperties": 1, "maxProperties": 1})]]
    normalise: NotRequired[bool]
    sampling: NotRequired[Literal["path", "independent"]]
    sampling_law: NotRequired[Annotated[list[Exact], Meta(min_length=1)]]
    interest: NotRequired[Annotated[list[Exact], Meta(min_length=1)]]


Denominator: TypeAlias = Positive | list[Positive | list[Positive]]
"""What the integers of an array are divided by: one number for all of it, or one for each entry."""
Archived: TypeAlias = list[list[float]]


class ModelArchive(TypedDict):
    """A model archive, each array as nested lists: docs/formats.md. With several actions, the arrays of the first are
    `transitions_0` or `transitions_0_data` and so on.
    """

    format: Literal["tdcert-model-npz/1"]
    rewards: Annotated[list[float | list[float]], ALIKE]
    discount: Exact | list[float]
    name: NotRequired[str]
    actions: NotRequired[Annotated[list[str], Meta(min_length=2)]]
    behaviour: NotRequired[Archived]
    target: NotRequired[Archived]
    features: NotRequired[Archived]
    schedule: NotRequired[str]
    lambdas: NotRequired[list[float]]
    terminal: NotRequired[list[Count]]
    interest: NotRequired[str | list[float]]
    transitions: NotRequired[Archived]
    transitions_data: NotRequired[list[float]]
    transitions_indices: NotRequired[list[Count]]
    transitions_indptr: NotRequired[list[Count]]
    transitions_denominator: NotRequired[Denominator]
    transitions_data_denominator: NotRequired[Denominator]
    rewards_denominator: NotRequired[Denominator]
    discount_denominator: NotRequired[Denominator]
    behaviour_denominator: NotRequired[Denominator]
    target_denominator: NotRequired[Denominator]
    features_denominator: NotRequired[Denominator]
    lambdas_denominator: NotRequired[Denominator]
