"""Certificates that were just written, read again by the independent checker."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from tdcert.reports.documents import Checked
from tdcert.reports.output import OutputFolder
from tdcert.theory.certificate import checker, write
from tdcert.theory.certificate.shelf import FiledCertificate
from tdcert.theory.progress import Progress

REPLAY = 3 * 10**11
"""Estimated nanoseconds granted to each certificate that a command has just written: five minutes."""


def rejection(body: Mapping[str, Any]) -> str:
    """Why the independent checker does not accept a certificate; empty where it does."""
    try:
        checker.check_text(write.text(body), REPLAY)
    except checker.Rejected as reason:
        return str(reason)
    except checker.NotChecked as reason:
        return f"not checked, as {reason}"
    return ""


def replay(folder: OutputFolder, kept: Sequence[FiledCertificate], on_progress: Progress) -> Checked:
    """What the independent checker says of certificates that were just written into a report."""
    start, rejected, said = time.monotonic(), [], 0.0
    for index, path in enumerate(certificate.path for certificate in kept):
        if time.monotonic() - said > 1:
            said = time.monotonic()
            on_progress(index, len(kept), "checking the certificates")
        try:
            checker.check_file(str(folder.path(path)), REPLAY)
        except checker.Rejected as reason:
            rejected.append(f"{path}: {reason}")
        except checker.NotChecked as reason:
            rejected.append(f"{path}: not checked, as {reason}")
    return Checked(len(kept) - len(rejected), tuple(rejected), time.monotonic() - start)
