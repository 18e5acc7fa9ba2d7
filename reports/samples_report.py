"""The folder of what transitions show, as the command line and Python write it: page, document, certificates, checker.

Who has the folder and Python judges the verdicts alone: ``python -I -S checker/ certificates``. Each certificate holds
the counts and intervals of all rows, and the checker finds that the intervals follow from the counts.
"""

from __future__ import annotations

from fractions import Fraction

from tdcert.reports.documents import Checked, certificate_files, json_bytes
from tdcert.reports.output import OutputFolder
from tdcert.reports.replay import checker_files, replay
from tdcert.reports.samples import Answered, document
from tdcert.theory.document_types import plain
from tdcert.theory.progress import Progress
from tdcert.theory.samples.row_set import RowSet
from tdcert.theory.samples.sampled_model import SampledModel

DOCUMENT = "samples.json"
MOST_ROWS = 200
"""Rows that a page shows; all are in the certificates."""


def written_samples(folder: OutputFolder, asked: Answered, on_progress: Progress) -> Checked:
    """Writes certificates, checker, document and page; what the checker says of the certificates."""
    from tdcert.reports import pages

    kept = tuple({one.path: one for one in asked.shelf[0].values()}.values())
    folder.write(certificate_files(kept))
    checked = replay(folder, kept, on_progress)
    found = document(asked, filed=True)
    rows = shown_rows(asked.found)
    page = pages.render(
        "samples.html",
        found=found,
        asked=asked,
        checked=checked,
        rows=rows[:MOST_ROWS],
        more=max(0, len(rows) - MOST_ROWS),
    )
    folder.write({DOCUMENT: json_bytes(plain(found)), "index.html": page.encode(), **checker_files()})
    return checked


def shown_rows(found: SampledModel) -> list[tuple[str, int, str]]:
    """For each row that is uncertain: which it is, how often it was left, and its intervals in words."""
    made = [
        (f"action {a} in state {s}", row)
        for s, of_state in enumerate(found.rows)
        for a, row in enumerate(of_state)
        if s not in found.terminal
    ]
    made += [("the start", found.rows[found.terminal[0]][0])] if found.terminal else []
    if found.acts is not None:
        made += [(f"the action in state {s}", row) for s, row in enumerate(found.acts) if s not in found.terminal]
    return [(name, row.n, _intervals(row)) for name, row in made if row.k > 1]


def _intervals(row: RowSet) -> str:
    seen = [j for j in row.possible if row.counts[j]]
    shown = [f"{j}: {_end(row.bounds[j][0], -1)} to {_end(row.bounds[j][1], 1)}" for j in seen]
    unseen = [row.bounds[j][1] for j in row.possible if not row.counts[j]]
    others = "the other" if len(unseen) == 1 else f"each of the {len(unseen)} others"
    most = f"{others}: at most {_end(max(unseen), 1)}" if unseen else ""
    return "; ".join([*shown, *([most] if most else [])])


def _end(x: Fraction, side: int) -> str:
    """Four decimals, rounded outward."""
    scaled = x * 10**4
    whole = -(-scaled.numerator // scaled.denominator) if side > 0 else scaled.numerator // scaled.denominator
    return f"{whole / 10**4:.4g}"
