"""The task: one shard of a sweep as bytes, a pure function of the spec and the shard's number."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import cast

from tdcert.sweeps.question import SweepQuestion, table_of
from tdcert.sweeps.shards import shard_bytes
from tdcert.sweeps.spec import Spec, canonical, spec_of
from tdcert.sweeps.versions import require_same, versions

QUESTIONS = "tdcert.sweeps.questions:question_of"


@dataclass(frozen=True)
class SweepTask:
    """What a worker needs to know, in plain text, so that versions are compared before anything else is read.

    ``spec``: its document as JSON. ``ask``: MODULE:FUNCTION, which makes the question of a spec. ``asked``: the
    versions of the client. Calling it with the number of a shard gives its Parquet bytes; raises
    :class:`~tdcert.theory.errors.InputError` in a process that has other versions.
    """

    spec: str
    ask: str
    asked: Mapping[str, str]

    def __call__(self, number: int) -> bytes:
        require_same(self.asked)
        spec, question = _read(self.spec, self.ask)
        return shard_bytes(table_of(question, *spec.indices(number)), spec, number)


def task_of(spec: Spec, ask: str) -> SweepTask:
    """The task of a sweep, as this process would have it done."""
    return SweepTask(canonical(spec.document()), ask, dict(versions()))


def question_by(ask: str, spec: Spec) -> SweepQuestion:
    """The question of a spec, by the function called MODULE:FUNCTION. Raises what that raises."""
    module, _, name = ask.partition(":")
    return cast(Callable[[Spec], SweepQuestion], getattr(import_module(module), name))(spec)


@lru_cache(maxsize=4)
def _read(document: str, ask: str) -> tuple[Spec, SweepQuestion]:
    spec = spec_of(json.loads(document))
    return spec, question_by(ask, spec)
