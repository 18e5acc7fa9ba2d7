"""``tdcert algorithms``."""

from __future__ import annotations

from tdcert.reports.cli.app import Task, app, print_text


@app.command()
def algorithms() -> Task:
    """List the algorithms that ship, each with its source and its options."""

    def task() -> int:
        from tdcert.algorithms import NAMES, named
        from tdcert.reports.updates import catalogue

        return print_text(catalogue([named(name) for name in NAMES]))

    return task
