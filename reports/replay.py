"""Certificates that were just written, read again by the independent checker."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPLAY = 3 * 10**11
"""Estimated nanoseconds granted to each certificate that a command has just written: five minutes."""


@dataclass(frozen=True)
class Checked:
    """What the independent checker said: how many it accepted, why it rejected the rest, how long it took."""

    accepted: int = 0
    rejected: tuple[str, ...] = ()
    seconds: float = 0.0

    def counts(self) -> dict[str, Any]:
        """As documents carry it: the time is no result."""
        return {"accepted": self.accepted, "rejected": list(self.rejected)}


def replay(paths: Sequence[tuple[str, Path]], on_progress: Callable[[int, int, str], None]) -> Checked:
    from tdcert.theory.certificate import checker

    start, rejected, said = time.monotonic(), [], 0.0
    for index, (shown, path) in enumerate(paths):
        if time.monotonic() - said > 1:
            said = time.monotonic()
            on_progress(index, len(paths), "checking the certificates")
        try:
            checker.check_file(str(path), REPLAY)
        except checker.Rejected as reason:
            rejected.append(f"{shown}: {reason}")
        except checker.NotChecked as reason:
            rejected.append(f"{shown}: not checked, as {reason}")
    return Checked(len(paths) - len(rejected), tuple(rejected), time.monotonic() - start)
