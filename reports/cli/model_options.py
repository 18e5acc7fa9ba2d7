"""What completes or overrides a model, in the commands that take one, and how large it may be."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from tdcert.reports.cli.app import MODEL, Task
from tdcert.theory.limits import limits_raised

Model = Annotated[str, typer.Argument(metavar="MODEL", help="A file, .json or .npz, gymnasium:ID, or example:NAME.")]
Discount = Annotated[str | None, MODEL(metavar="GAMMA", help="Discount, such as 0.9 or 9/10.")]
Schedule = Annotated[
    str | None,
    MODEL(
        metavar="SCHEDULE",
        help="td0, n_step:3, equal_weights:4,6, constant:0.9,8, by_state:1,0,…, or JSON.",
    ),
]
Features = Annotated[str | None, MODEL(metavar="FILE", help="Features, or 'tabular'.")]
Policy = Annotated[str | None, MODEL(metavar="FILE", help="Behaviour policy, or 'uniform'.")]
Target = Annotated[str | None, MODEL(metavar="FILE", help="Target policy, or 'uniform'.")]
Sampling = Annotated[
    Literal["path", "independent"] | None,
    MODEL(help="How transitions come: along a path, or drawn independently.", show_default="path"),
]
SamplingLaw = Annotated[
    str | None,
    MODEL(
        metavar="W,…|FILE",
        help="Of independent draws: a weight for each state.",
        show_default="stationary law",
    ),
]
Interest = Annotated[
    str | None,
    MODEL(
        metavar="I,…|FILE",
        help="The interest in each state, of emphatic algorithms.",
        show_default="1",
    ),
]
Limits = Annotated[
    int,
    MODEL(metavar="TIMES", help="Multiply the limits of size, as refusals say (docs/limits.md)."),
]

OF_THE_MODEL = ("discount", "schedule", "features", "policy", "target", "sampling", "sampling_law", "interest")


def of_the_model(context: typer.Context) -> dict[str, Any]:
    """What was given to complete a model, by names that :class:`~tdcert.theory.files.Overrides` takes."""
    return {name: context.params[name] for name in OF_THE_MODEL if name in context.params}


def with_limits(times: int, task: Task) -> Task:
    """The task, with all limits of size so many times as large."""

    def raised() -> int:
        with limits_raised(times):
            return task()

    return raised
