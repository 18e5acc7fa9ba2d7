"""``tdcert diff``."""

from __future__ import annotations

from typing import Annotated

import typer

from tdcert.reports.cli.app import AGAINST_EXPECTATION, DONE, Task, app, print_text


@app.command()
def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="verdicts.json, analysis.json, or the folder of a report.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The same, of another run.")],
) -> Task:
    """Compare the verdicts of two reports, of verifications or of analyses."""

    def task() -> int:
        from tdcert.reports.changes import changes, changes_of_analyses
        from tdcert.reports.stored import read_analysis, read_verification

        was, now = read_analysis(old), read_analysis(new)
        if was is not None and now is not None:
            lines = changes_of_analyses(was, now)
        else:
            lines = changes(read_verification(old), read_verification(new))
        print_text("".join(f"{line}\n" for line in lines) or "no verdict changed\n")
        return AGAINST_EXPECTATION if lines else DONE

    return task
