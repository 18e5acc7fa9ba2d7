"""The answer of ``tdcert sweep`` as files: ``result.json``, the page, its figures. Pure functions of the run."""

from __future__ import annotations

from typing import Any

from tdcert.reports import pages, pictures
from tdcert.reports.documents import Row, fields_of, figure_row, json_bytes
from tdcert.sweeps.run import SweepRun

FORMAT = "tdcert-sweep-result/1"
OPTIONAL = ("decided", "own")
"""Keys of rows that are left out where there is nothing to say."""


def sweep_document(run: SweepRun) -> Row:
    """``result.json``."""
    spec, result = run.spec, run.result
    return {
        "format": FORMAT,
        "name": spec.name,
        "digest": spec.digest,
        "spec": spec.document(),
        "versions": dict(run.versions),
        "complete": run.complete,
        "indices": {"asked": spec.count, "done": run.done},
        "answer": {
            **fields_of(result, "summary", "tables"),
            **{key: [_known(fields_of(row)) for row in rows] for key, rows in result.details.items()},
        },
        "unexpected": list(result.unexpected),
        "figures": [figure_row(figure) for figure in result.figures],
        "files": sorted(result.files),
    }


def _known(value: Any) -> Any:
    """A row without the keys of :data:`OPTIONAL` where nothing was asked."""
    if isinstance(value, dict):
        return {key: _known(entry) for key, entry in value.items() if entry is not None or key not in OPTIONAL}
    return [_known(entry) for entry in value] if isinstance(value, list) else value


def sweep_files(run: SweepRun) -> dict[str, bytes]:
    """By their path inside the sweep's folder; the question writes some of them itself: finds, say."""
    return {
        "result.json": json_bytes(sweep_document(run)),
        "index.html": sweep_page(run).encode(),
        **pictures.picture_files(run.result.figures),
        **run.result.files,
    }


def sweep_page(run: SweepRun) -> str:
    """The page."""
    figures = list(pages.drawn(run.result.figures).values())
    return pages.render("sweep.html", run=run, spec=run.spec, result=run.result, figures=figures)
