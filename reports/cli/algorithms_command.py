"""``tdcert algorithms``."""

from __future__ import annotations

from tdcert.reports.cli.app import Task, app, print_text


@app.command()
def algorithms() -> Task:
    """List the algorithms that ship, each with its source and its options."""

    def task() -> int:
        from tdcert.algorithms import NAMES, named

        width = max(map(len, NAMES))
        lines = []
        for algorithm in map(named, NAMES):
            options = ", ".join(algorithm.options)
            lines.append(f"{algorithm.name:<{width}}  {algorithm.description}" + (f" [{options}]" if options else ""))
        return print_text("\n".join(lines) + "\n")

    return task
