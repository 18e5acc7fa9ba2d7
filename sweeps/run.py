"""A run of a sweep: does the shards that are missing, as long as it may, and says what those that are done show."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from tdcert.sweeps.engines import Engine
from tdcert.sweeps.folder import SweepFolder
from tdcert.sweeps.question import Result, schema_of
from tdcert.sweeps.task import QUESTIONS, question_by, task_of

FORMAT = "tdcert-sweep-result/1"


@dataclass(frozen=True)
class Progress:
    """How far a sweep is. ``rate``: indices per second of this run, 0 at first; ``left``: seconds, None if unknown."""

    shards: int
    all_shards: int
    indices: int
    all_indices: int
    rate: float
    left: float | None


@dataclass(frozen=True)
class Outcome:
    """What a run ends with: the result as a document, its figures and files, and whether it was stopped by Ctrl-C."""

    document: Mapping[str, Any]
    result: Result
    interrupted: bool

    @property
    def complete(self) -> bool:
        """Whether no shard is missing."""
        return bool(self.document["complete"])


def run(
    folder: SweepFolder,
    engine: Engine,
    budget: float | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    ask: str = QUESTIONS,
) -> Outcome:
    """Does what is missing in an entered folder and answers from all that is done.

    After ``budget`` seconds, and after Ctrl-C, no more shards are waited for, and the answer is that of the shards
    which are done. ``ask``: MODULE:FUNCTION that makes the question. Raises :class:`InputError` where the folder
    cannot be written or the engine breaks down; what was finished is then kept.
    """
    until = None if budget is None else time.monotonic() + budget
    question = question_by(ask, folder.spec)
    interrupted = False
    try:
        _do(folder, engine, until, on_progress, ask)
    except KeyboardInterrupt:
        interrupted = True
    result = question.finish(folder.table(schema_of(question)), not folder.missing)
    return Outcome(_document(folder, result), result, interrupted)


def _do(
    folder: SweepFolder, engine: Engine, until: float | None, on_progress: Callable[[Progress], None], ask: str
) -> None:
    spec, start, before = folder.spec, time.monotonic(), _indices(folder)
    missing = folder.missing
    with closing(engine(task_of(spec, ask), missing)) as finished:
        for found in finished if missing else ():
            if found is not None:
                folder.add(*found)
            passed, indices = time.monotonic() - start, _indices(folder)
            rate = (indices - before) / passed
            left = (spec.count - indices) / rate if rate else None
            on_progress(Progress(len(folder.done), spec.shards, indices, spec.count, rate, left))
            if until is not None and time.monotonic() >= until:
                break


def _indices(folder: SweepFolder) -> int:
    """How many indices are done."""
    last = folder.spec.shards - 1
    short = folder.spec.shard - folder.spec.indices(last)[1]
    return len(folder.done) * folder.spec.shard - (short if last in folder.done else 0)


def _document(folder: SweepFolder, result: Result) -> dict[str, Any]:
    spec = folder.spec
    return {
        "format": FORMAT,
        "name": spec.name,
        "digest": spec.digest,
        "spec": spec.document(),
        "versions": folder.versions,
        "complete": not folder.missing,
        "indices": {"asked": spec.count, "done": _indices(folder)},
        "answer": dict(result.document),
        "unexpected": list(result.unexpected),
        "figures": [figure.document() for figure in result.figures],
        "files": sorted(result.files),
    }
