"""What completes or overrides a model, in the commands that take one."""

from __future__ import annotations

from typing import Annotated, Any

import typer

PANEL = "Model"

Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model file, .json or .npz, or gymnasium:ID.")]
Discount = Annotated[
    str | None, typer.Option(rich_help_panel=PANEL, metavar="GAMMA", help="Discount, such as 0.9 or 9/10.")
]
Schedule = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=PANEL, metavar="SCHEDULE", help="td0, n_step:3, equal_weights:4,6, constant:0.9,8, or JSON."
    ),
]
Features = Annotated[str | None, typer.Option(rich_help_panel=PANEL, metavar="FILE", help="Features, or 'tabular'.")]
Policy = Annotated[
    str | None, typer.Option(rich_help_panel=PANEL, metavar="FILE", help="Behaviour policy, or 'uniform'.")
]
Target = Annotated[str | None, typer.Option(rich_help_panel=PANEL, metavar="FILE", help="Target policy, or 'uniform'.")]

OF_THE_MODEL = ("discount", "schedule", "features", "policy", "target")


def of_the_model(context: typer.Context) -> dict[str, Any]:
    """Them as :class:`~tdcert.theory.files.Overrides` takes them."""
    return {name: context.params[name] for name in OF_THE_MODEL}
