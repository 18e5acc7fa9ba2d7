"""The answer of ``tdcert sweep`` as files: ``result.json``, the page, its figures. Pure functions of the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from tdcert.reports import pages, pictures
from tdcert.reports.documents import Row, fields_of, json_bytes
from tdcert.reports.figure_documents import PictureDocument, figure_document
from tdcert.sweeps.question import ResultTable
from tdcert.sweeps.run import SweepRun
from tdcert.sweeps.spec import SpecDocument
from tdcert.theory.document_types import Count, Digest, filled, plain

FORMAT: Final = "tdcert-sweep-result/1"
OPTIONAL = ("decided", "own")
"""Keys of rows that are left out where there is nothing to say."""


@dataclass(frozen=True, kw_only=True)
class Indices:
    """How many indices the spec asks about, and how many are done."""

    asked: Count
    done: Count


@dataclass(frozen=True, kw_only=True)
class AnswerDocument:
    """What is shown. Further keys hold rows of the question."""

    summary: tuple[str, ...]
    tables: tuple[ResultTable, ...]


@dataclass(frozen=True, kw_only=True)
class SweepDocument:
    """The answer of a sweep: docs/formats.md."""

    format: Literal["tdcert-sweep-result/1"] = FORMAT
    name: str
    digest: Digest
    spec: SpecDocument
    versions: dict[str, str]
    complete: bool
    indices: Indices
    answer: AnswerDocument
    unexpected: tuple[str, ...]
    """What contradicts the theory."""
    figures: tuple[PictureDocument, ...]
    files: tuple[str, ...]


def sweep_document(run: SweepRun) -> Row:
    """``result.json``."""
    spec, result = run.spec, run.result
    details = {key: [_known(fields_of(row)) for row in rows] for key, rows in result.details.items()}
    return plain(
        filled(
            SweepDocument,
            run,
            name=spec.name,
            digest=spec.digest,
            spec=spec.document(),
            indices=Indices(asked=spec.count, done=run.done),
            answer={**fields_of(result, "summary", "tables"), **details},
            unexpected=result.unexpected,
            figures=tuple(map(figure_document, result.figures)),
            files=tuple(sorted(result.files)),
        )
    )


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
