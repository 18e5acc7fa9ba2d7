"""A run of a sweep: does the shards that are missing, as long as it may, and says what those that are done show."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass

from tdcert.sweeps.folder import SweepFolder
from tdcert.sweeps.question import Result, schema_of
from tdcert.sweeps.spec import Spec
from tdcert.sweeps.task import QUESTIONS, question_by, task_of
from tdcert.theory.guard import keeps
from tdcert.theory.workers import Engine


@dataclass(frozen=True)
class SweepProgress:
    """How far a sweep is. ``rate``: indices per second of this run, 0 at first; ``left``: seconds, None if unknown."""

    shards: int
    all_shards: int
    indices: int
    all_indices: int
    rate: float
    left: float | None


@dataclass(frozen=True)
class SweepRun:
    """What a run ends with. ``versions``: what computed the shards; ``done``: how many indices are; ``complete``:
    whether no shard is missing; ``interrupted``: whether it was stopped by Ctrl-C.
    """

    spec: Spec
    versions: Mapping[str, str]
    complete: bool
    done: int
    result: Result
    interrupted: bool


def run(
    folder: SweepFolder,
    engine: Engine,
    budget: float | None = None,
    on_progress: Callable[[SweepProgress], None] = lambda progress: None,
    ask: str = QUESTIONS,
) -> SweepRun:
    """Does what is missing in an entered folder and answers from all that is done.

    After ``budget`` seconds, and after Ctrl-C, no more shards are waited for, and the answer is that of the shards
    which are done. ``ask``: MODULE:FUNCTION that makes the question. Raises :class:`InputError` where the folder
    cannot be written or the engine breaks down; what was finished is then kept.
    """
    until = None if budget is None else time.monotonic() + budget
    question = question_by(ask, folder.spec)
    interrupted = False
    keeps()
    try:
        _do(folder, engine, until, on_progress, ask)
    except KeyboardInterrupt:
        interrupted = True
    result = question.finish(folder.table(schema_of(question)), not folder.missing)
    return SweepRun(folder.spec, folder.versions, not folder.missing, _indices(folder), result, interrupted)


def _do(
    folder: SweepFolder, engine: Engine, until: float | None, on_progress: Callable[[SweepProgress], None], ask: str
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
            on_progress(SweepProgress(len(folder.done), spec.shards, indices, spec.count, rate, left))
            if until is not None and time.monotonic() >= until:
                break


def _indices(folder: SweepFolder) -> int:
    """How many indices are done."""
    last = folder.spec.shards - 1
    short = folder.spec.shard - folder.spec.indices(last)[1]
    return len(folder.done) * folder.spec.shard - (short if last in folder.done else 0)
