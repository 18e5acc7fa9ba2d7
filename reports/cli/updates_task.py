"""``tdcert analyze MODEL --algorithms …``."""

from __future__ import annotations

import typer

from tdcert.reports.cli.app import DONE, Task, print_text, words_of
from tdcert.reports.cli.model_options import of_the_model
from tdcert.theory.errors import InputError


def updates_task(
    context: typer.Context,
    model: str,
    algorithms: str,
    *,
    json: bool,
    simulate: bool,
    seed: int | None,
    steps: str | None,
    quiet: bool,
) -> Task:
    """``context``: of the command, with what else was given."""

    def task() -> int:
        from tdcert.algorithms import find
        from tdcert.analysis.updates import analyse_updates, constant_step
        from tdcert.reports import terminal, updates
        from tdcert.reports.documents import json_bytes, shell_command
        from tdcert.theory.files import Overrides, load_any
        from tdcert.theory.model.mdp import Model

        if seed is not None and not simulate:
            raise InputError("--seed is about --simulate; give that too")
        step = None if steps is None else constant_step(steps)
        chosen, loaded = find(algorithms), load_any(model, Overrides(**of_the_model(context)))
        if not isinstance(loaded.model, Model):
            raise InputError("--algorithms is exact; give a model file or an environment, not an archive")
        with terminal.progress("reading the model", quiet) as on_progress:
            found = analyse_updates(loaded.model, chosen, on_progress, simulate=simulate, seed=seed or 0, step=step)
        if json:
            document = updates.document(found, shell_command("analyze", model, words_of(context, "quiet")))
            return print_text(json_bytes(document).decode("ascii"))
        if not quiet:
            updates.show(found)
        return DONE

    return task
