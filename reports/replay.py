"""Certificates that were just written, read again by the independent checker."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tdcert.reports.documents import Checked
from tdcert.reports.output import OutputFolder
from tdcert.theory.certificate import checker, write
from tdcert.theory.certificate.shelf import FiledCertificate
from tdcert.theory.progress import Progress

REPLAY = 3 * 10**11
"""Estimated nanoseconds granted to each certificate that a command has just written: five minutes."""
SHARDS = 64
"""Parts of a replay: what is heavy lies together, so each takes every 64th certificate."""


def checker_files() -> dict[str, bytes]:
    """The checker's files, by their path in a report: who has the folder and Python judges the certificates alone."""
    program = sorted(Path(checker.__file__).parent.glob("*.py"))
    return {f"checker/{path.name}": path.read_bytes() for path in program}


def rejection(body: Mapping[str, Any]) -> str:
    """Why the independent checker does not accept a certificate; empty where it does."""
    try:
        checker.check_text(write.text(body), REPLAY)
    except checker.Rejected as reason:
        return str(reason)
    except checker.NotChecked as reason:
        return f"not checked, as {reason}"
    return ""


@dataclass(frozen=True)
class _Replay:
    """The task of a worker: the number of a part gives the certificates of it that are not accepted, each with why."""

    files: tuple[str, ...]

    def __call__(self, part: int) -> bytes:
        rejected = {}
        for index in range(part, len(self.files), SHARDS):
            try:
                checker.check_file(self.files[index], REPLAY)
            except checker.Rejected as reason:
                rejected[index] = str(reason)
            except checker.NotChecked as reason:
                rejected[index] = f"not checked, as {reason}"
        return json.dumps(rejected).encode()


def replay(folder: OutputFolder, kept: Sequence[FiledCertificate], on_progress: Progress, workers: int = 1) -> Checked:
    """What the independent checker says of certificates that were just written into a report; ``workers``: processes
    that read them side by side.
    """
    start = time.monotonic()
    paths = [certificate.path for certificate in kept]
    work = _Replay(tuple(str(folder.path(path)) for path in paths))
    parts = range(min(SHARDS, len(paths)))
    rejected: dict[int, str] = {}
    done = 0
    answers: Iterable[tuple[int, bytes] | None] = ((part, work(part)) for part in parts)
    if workers > 1 and parts:
        from tdcert.theory.workers import processes  # its libraries take long to import

        answers = processes(work, parts, workers, _died)
    for finished in answers:
        if finished is not None:
            rejected |= {int(index): why for index, why in json.loads(finished[1]).items()}
            done += 1
            on_progress(done * len(paths) // len(parts), len(paths), "checking the certificates")
    lines = tuple(f"{paths[index]}: {why}" for index, why in sorted(rejected.items()))
    return Checked(len(kept) - len(rejected), lines, time.monotonic() - start)


def _died(parts: Sequence[int]) -> str:
    return f"part {', '.join(map(str, parts))} of the certificates, as happens where memory runs out; give --workers 1"
