"""``tdcert analyze MODEL --algorithms …``."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from tdcert.reports.cli.app import AGAINST_EXPECTATION, DONE, Task, print_text, say_checked
from tdcert.theory.errors import InputError


def updates_task(
    model: str,
    algorithms: str,
    given: Mapping[str, Any],
    others: Mapping[str, Any],
    *,
    json: bool,
    out: Path | None,
    simulate: bool,
    seed: int | None,
    steps: str | None,
) -> Task:
    """``given``: what overrides the model; ``others``: options that say nothing of declared updates."""

    def task() -> int:
        from tdcert.algorithms import find
        from tdcert.analysis.updates import analyse_updates, constant_step
        from tdcert.reports import terminal, updates
        from tdcert.reports.documents import Checked, json_bytes, shell_command
        from tdcert.reports.output import Analysed, OutputFolder
        from tdcert.theory.files import Overrides, load_any
        from tdcert.theory.model.mdp import Model

        wrong = next((name for name, value in others.items() if value is not None), None)
        if wrong:
            raise InputError(f"{wrong} is not for --algorithms; leave one of them out")
        if seed is not None and not simulate:
            raise InputError("--seed is about --simulate; give that too")
        step = None if steps is None else constant_step(steps)
        chosen, loaded = find(algorithms), load_any(model, Overrides(**given))
        if not isinstance(loaded.model, Model):
            raise InputError("--algorithms is exact; give a model file or an environment, not an archive")
        asked: dict[str, Any] = {"simulate": simulate, "seed": seed or 0, "step": step, "certify": out is not None}
        words = {**given, "algorithms": algorithms, "simulate": "" if simulate else None}
        words["steps"] = steps
        words["seed"] = None if seed is None else str(seed)
        command, checked = shell_command("analyze", model, words), Checked()
        subject = Analysed(loaded.source, loaded.model.digest, updates.DOCUMENT)
        with OutputFolder(out, subject) if out else nullcontext() as folder:
            with terminal.progress("reading the model") as on_progress:
                found = analyse_updates(loaded.model, chosen, on_progress, **asked)
                if folder:
                    document, checked = updates.written(folder, found, command, on_progress)
                else:
                    document = updates.document(found, command)
            if folder:
                folder.commit()
        if json:
            print_text(json_bytes(document).decode("ascii"))
            for line in checked.rejected:
                terminal.complain(f"a certificate was rejected: {line}")
        else:
            updates.show(found)
            if out:
                say_checked(checked)
                terminal.emit(f"report: {out / updates.DOCUMENT}\n")
        return AGAINST_EXPECTATION if checked.rejected else DONE

    return task
