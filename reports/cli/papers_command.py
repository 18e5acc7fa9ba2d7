"""``tdcert papers``."""

from __future__ import annotations

from tdcert.reports.cli.app import Task, app, print_text


@app.command()
def papers() -> Task:
    """List the papers on trial: which text of each was read, and how many of its statements are decided."""

    def task() -> int:
        from tdcert.claims import paper
        from tdcert.theory.words import counted

        lines = []
        for found in paper.papers().values():
            printed = [row for row in found.entries if row.is_of_the_paper]
            still_open = sum(row.is_open and not row.not_decidable for row in printed)
            undecidable = sum(bool(row.not_decidable) for row in printed)
            said = counted(len(printed), "statement")
            said += " on its subject" if found.is_unread else ""
            said += f", {undecidable} not decidable here" if undecidable else ""
            said += f", {still_open} open" if still_open else ""
            lines.append(
                f"{found.id:<7} {found.title}\n        {found.by}, {found.published}; text {found.text}; {said}\n"
            )
        lines.append("\ntdcert verify --paper ID decides one of them; --paper all, each of them.\n")
        return print_text("".join(lines))

    return task
