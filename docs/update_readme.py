"""Rewrites the generated part of README.md, the index of claims. Run as ``python docs/update_readme.py``.

A test compares the index with the table in ``claims/paper.py``.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]


def index() -> str:
    """The index of claims as Markdown, in paper order."""
    from tdcert.claims.paper import ENTRIES

    lines, section = [], ""
    for entry in ENTRIES:
        if entry.section != section:
            section = entry.section
            lines += ["", f"**{section}**", "", "| id | place | statement | |", "|---|---|---|---|"]
        link = "open" if entry.is_open else f"[decided]({entry.source})"
        lines.append(f"| `{entry.id}` | {entry.place} | {entry.title} | {link} |")
    return "\n".join(lines).strip()


def replaced(text: str, name: str, body: str) -> str:
    """The text with the part between the markers of this name exchanged."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, rest = text.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n{body}\n{end}{after}"


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(replaced(readme.read_text(encoding="utf-8"), "index", index()), encoding="utf-8")
