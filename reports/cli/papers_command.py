"""``tdcert papers``."""

from __future__ import annotations

from tdcert.reports.cli.app import DONE, Task, app


@app.command()
def papers() -> Task:
    """List the papers on trial: which text of each was read, and how many of its statements are decided."""

    def task() -> int:
        from tdcert.claims import paper
        from tdcert.reports import terminal
        from tdcert.theory.words import counted

        rows = []
        for found in paper.papers().values():
            printed = [row for row in found.entries if row.is_of_the_paper]
            still_open = sum(row.is_open for row in printed)
            said = counted(len(printed), "statement") + (f", {still_open} open" if still_open else "")
            rows.append((found.id, found.title, f"{found.by}, {found.published}", str(found.text), said))
        terminal.show(terminal.table("Paper!", "Title", "By", "Text", "Statements", rows=rows))
        terminal.emit("tdcert verify --paper ID decides one of them; --paper all, each of them.\n")
        return DONE

    return task
