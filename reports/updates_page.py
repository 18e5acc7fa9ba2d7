"""The page that compares declared updates on a model: one table, and what it shows as plots. A view of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from tdcert.analysis.facts import Quantity
from tdcert.reports import pages, pictures
from tdcert.reports.updates import (
    SIGNS,
    _column,
    _ratio_words,
    _step_words,
    _variance_words,
    label,
    matrix_texts,
    moment_lines,
    text_of,
)
from tdcert.theory.figures import Figure, Series

if TYPE_CHECKING:
    from tdcert.analysis.updates import UpdateAnswer, UpdatesAnswer
    from tdcert.reports.documents import Checked

PLACE = "number of the row in the table"


def page_files(
    found: UpdatesAnswer,
    command: str,
    paths: Sequence[Sequence[str]] = (),
    checked: Checked | None = None,
    source: str = "model",
) -> dict[str, bytes]:
    """``index.html``, which loads nothing, and its figures, by their paths in the folder.

    ``command``: what makes it again; ``paths``: of each row's certificates; ``checked``: what the checker said;
    ``source`` names a model without a name.
    """
    drawn, several = figures(found), len({row.states for row in found.rows}) > 1
    text = pages.render(
        "updates.html",
        found=found,
        model=found.model,
        title=found.model.name or source,
        rows=[
            (
                k,
                row,
                label(row.algorithm, found.model),
                _ratio_words(row.ratios),
                _variance_words(row),
                _step_words(row),
            )
            for k, row in numbered(found)
        ],
        class_of=lambda row: f"class of {row.states[0]}" if several else "",
        parameters_of=partial(_parameters, found.model.d),
        column=_column,
        text_of=text_of,
        matrix=lambda found: "; ".join(", ".join(map(str, row)) for row in matrix_texts(found) or ()),
        moment_lines=partial(moment_lines, d=found.model.d),
        signs=SIGNS,
        certificates=[list(paths[k - 1]) if paths else [] for k, _ in numbered(found)],
        checked=None if checked is None else checked.counts(),
        command=command,
        figures=list(pages.drawn(drawn).values()),
    )
    return {"index.html": text.encode(), **pictures.picture_files(drawn)}


def numbered(found: UpdatesAnswer) -> list[tuple[int, UpdateAnswer]]:
    """The rows from 1 on, as table and plots name them."""
    return list(enumerate(found.rows, start=1))


def _parameters(d: int, row: UpdateAnswer) -> list[tuple[str, list[str]]]:
    """Each parameter with its entries at rest; nothing where they are not determined."""
    values = None if row.rest is None else _column(row.rest.parameters)
    if values is None:
        return []
    found, at = [], 0
    for slot in row.algorithm.slots(d)[0]:
        found.append((slot.name, values[at : at + slot.size]))
        at += slot.size
    return found


def figures(found: UpdatesAnswer) -> list[Figure]:
    """Largest steps, rates and errors, each where some row has one."""
    largest = [(k, row.largest) for k, row in numbered(found) if row.largest is not None]
    rates = [(k, row.verdict.rate) for k, row in numbered(found) if row.verdict is not None and row.verdict.rate]
    errors = [(k, Quantity.of(row.error_squared)) for k, row in numbered(found) if row.error_squared is not None]
    drawn = []
    if largest:
        x = tuple(float(k) for k, _ in largest)
        bounded = tuple(float(one.bounded.alpha) for _, one in largest)
        unbounded = tuple(float(one.unbounded.alpha) for _, one in largest)
        drawn.append(
            Figure(
                "largest_steps",
                None,
                "Largest constant step in mean square",
                PLACE,
                "step",
                (
                    Series("together up to here", x, bounded, marks="points"),
                    Series("no more here", x, unbounded, marks="points"),
                ),
                "Up to the lower point two runs come together in mean square, at the upper one they do not; all step "
                "sizes are equal. Rows without points have no such step, or it is undecided.",
                log_y=True,
            )
        )
    if rates:
        middle = tuple(float((low + high) / 2) for _, (low, high) in rates)
        drawn.append(
            Figure(
                "rates",
                None,
                "Rate of the mean dynamics",
                PLACE,
                "largest real part of an eigenvalue",
                (Series("largest real part", tuple(float(k) for k, _ in rates), middle, marks="points"),),
                "Below zero the mean dynamics are stable, the faster the lower.",
            )
        )
    measured = [(k, error.middle) for k, error in errors if error is not None]
    if any(error for _, error in measured):
        x, y = tuple(float(k) for k, _ in measured), tuple(error for _, error in measured)
        drawn.append(
            Figure(
                "errors",
                None,
                "Error of the fixed point",
                PLACE,
                "‖Φθ* − V‖² under the behaviour's law",
                (Series("squared error", x, y, marks="points"),),
                "The squared distance of the predictions at rest from the true value, weighted by the stationary law.",
            )
        )
    return drawn
