"""The page that compares declared updates on a model: one table, and what it shows as plots. A view of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tdcert.analysis.facts import Quantity
from tdcert.reports import pages, pictures
from tdcert.reports.analysis_json import digest_of
from tdcert.reports.updates import (
    DOCUMENT,
    _column,
    _ratio_words,
    _step_words,
    _variance_words,
    document,
    drift_line,
    estimate_line,
    label,
    matrix_texts,
    moment_lines,
    step_words,
    text_of,
)
from tdcert.theory.certificate.shelf import Shelf
from tdcert.theory.figures import Figure, Series
from tdcert.theory.model.mdp import Model

if TYPE_CHECKING:
    from tdcert.analysis.updates import UpdateAnswer, UpdatesAnswer
    from tdcert.reports.documents import Checked
    from tdcert.reports.output import OutputFolder
    from tdcert.theory.progress import Progress


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
    drawn = figures(found)
    text = pages.render(
        "updates.html",
        found=found,
        model=found.model,
        digest=digest_of(found.model),
        arithmetic=str(found.arithmetic),
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
        class_of=lambda row: _class_of(row, found),
        parameters_of=partial(_parameters, found.model.d),
        column=_column,
        text_of=text_of,
        matrix=lambda found: "; ".join(", ".join(map(str, row)) for row in matrix_texts(found) or ()),
        estimate_line=partial(estimate_line, model=found.model),
        drift_line=partial(drift_line, d=found.model.d),
        moment_lines=partial(moment_lines, d=found.model.d),
        step_words=step_words,
        certificates=[list(paths[k - 1]) if paths else [] for k, _ in numbered(found)],
        checked=None if checked is None else checked.counts(),
        command=command,
        figures=list(pages.drawn(drawn).values()),
    )
    return {"index.html": text.encode(), **pictures.picture_files(drawn)}


def _name(row: UpdateAnswer, found: UpdatesAnswer) -> str:
    return " ".join(filter(None, (label(row.algorithm, found.model), _class_of(row, found))))


def _class_of(row: UpdateAnswer, found: UpdatesAnswer) -> str:
    """Its class, where there are several."""
    return f"class of {row.states[0]}" if len({one.states for one in found.rows}) > 1 else ""


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
    drawn, names = list[Figure](), tuple(_name(row, found) for row in found.rows)
    if largest:
        bounded = [(float(k), float(one.low)) for k, one in largest]
        unbounded = [(float(k), float(one.high)) for k, one in largest if one.high is not None]
        drawn.append(
            Figure(
                "largest_steps",
                None,
                "Largest constant step in mean square",
                "algorithm",
                "step",
                (
                    Series("together at this step", *_columns(bounded), marks="points"),
                    Series("no more at this one", *_columns(unbounded), marks="points"),
                ),
                "At the lower point two runs come together in mean square, at the upper one they do not; all step "
                "sizes are equal. Rows without points have no such step, or it is undecided.",
                log_y=True,
                x_names=names,
            )
        )
    if rates:
        middle = tuple(float((low + high) / 2) for _, (low, high) in rates)
        drawn.append(
            Figure(
                "rates",
                None,
                "Rate of the mean dynamics",
                "algorithm",
                "largest real part of an eigenvalue",
                (Series("largest real part", tuple(float(k) for k, _ in rates), middle, marks="points"),),
                "Below zero the mean dynamics are stable, the faster the lower.",
                x_names=names,
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
                "algorithm",
                "‖Φθ* − V‖² under the behaviour's law",
                (Series("squared error", x, y, marks="points"),),
                "The squared distance of the predictions at rest from the value that each estimates, weighted by the "
                "stationary law.",
                x_names=names,
            )
        )
    return drawn


def written(
    folder: OutputFolder, found: UpdatesAnswer, command: str, on_progress: Progress, source: str
) -> tuple[dict[str, Any], Checked]:
    """Writes document, page and certificates; the document, and what the checker says of the certificates."""
    from tdcert.reports.documents import certificate_files, json_bytes
    from tdcert.reports.replay import replay

    shelf = Shelf("certificates")
    model = found.model
    paths = [[shelf.put(one, model) for one in row.certificates if isinstance(model, Model)] for row in found.rows]
    folder.write(certificate_files(shelf.files))
    checked = replay(folder, shelf.files, on_progress)
    made = document(found, command, paths, checked)
    folder.write({DOCUMENT: json_bytes(made), **page_files(found, command, paths, checked, source)})
    return made, checked


def _columns(points: Sequence[tuple[float, float]]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return tuple(x for x, _ in points), tuple(y for _, y in points)
