"""``tdcert analyze MODEL --algorithms …``."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import typer

from tdcert.reports.cli.app import AGAINST_EXPECTATION, DONE, Task, print_text, say_checked, words_of
from tdcert.reports.cli.model_options import of_the_model
from tdcert.theory.errors import InputError


def updates_task(
    context: typer.Context,
    model: str,
    algorithms: str,
    *,
    json: bool,
    out: Path | None,
    simulate: bool,
    seed: int | None,
    steps: str | None,
    arithmetic: str | None,
    bits: int,
    quiet: bool,
) -> Task:
    """``context``: of the command, with what else was given."""

    def task() -> int:
        from tdcert.algorithms import find
        from tdcert.analysis.request import Request
        from tdcert.analysis.updates import analyse_updates, constant_step
        from tdcert.reports import terminal, updates
        from tdcert.reports.analysis_json import digest_of
        from tdcert.reports.documents import Checked, json_bytes, shell_command
        from tdcert.reports.output import Analysed, OutputFolder
        from tdcert.theory.files import Overrides, load_any

        if seed is not None and not simulate:
            raise InputError("--seed is about --simulate; give that too")
        request = Request.of_words(arithmetic, bits, None)
        step = None if steps is None else constant_step(steps)
        chosen, loaded = find(algorithms), load_any(model, Overrides(**of_the_model(context)))
        asked: dict[str, Any] = {"simulate": simulate, "seed": seed or 0, "step": step, "request": request}
        asked["certify"] = out is not None
        command, checked = shell_command("analyze", model, words_of(context, "out", "json", "quiet")), Checked()
        subject = Analysed(loaded.source, digest_of(loaded.model), updates.DOCUMENT)
        with OutputFolder(out, subject) if out else nullcontext() as folder:
            with terminal.progress("reading the model", quiet) as on_progress:
                found = analyse_updates(loaded.model, chosen, on_progress, **asked)
                if folder:
                    from tdcert.reports import updates_page  # it draws

                    document, checked = updates_page.written(folder, found, command, on_progress, loaded.source)
                else:
                    document = updates.document(found, command)
            if folder:
                folder.commit()
        if json:
            print_text(json_bytes(document).decode("ascii"))
            for line in checked.rejected:
                terminal.complain(f"a certificate was rejected: {line}")
        elif not quiet:
            updates.show(found, loaded.source)
            if out:
                say_checked(checked)
                terminal.emit(f"report: {out / 'index.html'}\n")
        return AGAINST_EXPECTATION if checked.rejected else DONE

    return task
