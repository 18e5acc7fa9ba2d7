"""Rewrites the generated parts of README.md: the index of claims and the tour. Run as ``python docs/update_readme.py``.

A test compares the index with the table in ``claims/paper.py``, and runs the tour's commands again.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOUR = "tdcert analyze examples/two_state_theta_2theta.json"


def index() -> str:
    """The index of claims as Markdown, in paper order."""
    from claims.paper import ENTRIES

    lines, section = [], ""
    for entry in ENTRIES:
        if entry.section != section:
            section = entry.section
            lines += ["", f"**{section}**", "", "| id | place | statement | |", "|---|---|---|---|"]
        link = "open" if entry.is_open else f"[decided](claims/{entry.module}.py)"
        lines.append(f"| `{entry.id}` | {entry.place} | {entry.title} | {link} |")
    return "\n".join(lines).strip()


def tour() -> str:
    """The tour: a real command with its real output."""
    command = [str(Path(sys.executable).with_name("tdcert")), *TOUR.split()[1:], "--out", "verification-report-tour"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env={"COLUMNS": "110", "NO_COLOR": "1"})
    output = [line.rstrip() for line in run.stdout.splitlines() if not line.startswith("report:")]
    return "```\n$ " + TOUR + "\n" + "\n".join(output).strip() + "\n```"


def replaced(text: str, name: str, body: str) -> str:
    """The text with the part between the markers of this name exchanged."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, rest = text.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n{body}\n{end}{after}"


if __name__ == "__main__":
    readme = ROOT / "README.md"
    updated = replaced(readme.read_text(encoding="utf-8"), "index", index())
    readme.write_text(replaced(updated, "tour", tour()), encoding="utf-8")
