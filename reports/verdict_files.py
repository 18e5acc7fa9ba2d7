"""One file for each decided statement, and the checker: what a judge needs who has only the folder.

``python -I -S checker/ .`` in the folder replays all of it. A verdict file says the statement, its quote and
hypotheses, how each reading was decided and by which certificates, and what decides it again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from tdcert.claims.paper import papers
from tdcert.reports.documents import Row, json_bytes
from tdcert.reports.evidence_lines import certificates_of
from tdcert.reports.replay import checker_files
from tdcert.reports.verdicts_json import ClaimDocument, PaperDocument, claim_document
from tdcert.theory.certificate import checker
from tdcert.theory.document_types import UNSET, Digest, UnsetType, filled, plain
from tdcert.verification.verification import ClaimVerdict, Verification

FORMAT: Final = "tdcert-verdict/1"


@dataclass(frozen=True, kw_only=True)
class ListedCertificate:
    """A certificate that the verdict rests on: its path in the report, and the SHA-256 of the file."""

    path: str
    sha256: Digest


@dataclass(frozen=True, kw_only=True)
class VerdictFile:
    """One statement, and how it was decided: docs/formats.md."""

    format: Literal["tdcert-verdict/1"] = FORMAT
    paper: PaperDocument | UnsetType = UNSET
    """The paper that the statement is about; absent for one of no paper."""
    read: str | UnsetType = UNSET
    """Which text of the paper was read, and what a finding against it means."""
    claim: ClaimDocument
    certificates: tuple[ListedCertificate, ...]
    replay: tuple[str, ...]
    """Commands: in the report's folder, that replay its certificates; and that decides the statement again."""
    tdcert: str
    """The version that decided it. No time stands here: two runs write the same file, whose digest can be cited."""


def verdict_files(run: Verification, certificates: Mapping[str, bytes]) -> dict[str, bytes]:
    """The verdict files of a run and the checker's files, by their path in the report; ``certificates``: the run's."""
    digests = {path: hashlib.sha256(content).hexdigest() for path, content in certificates.items()}
    decided = [claim for claim in run.claims if claim.stated]
    files = {
        f"{checker.VERDICTS}/{claim.entry.id}.json": json_bytes(_document(claim, run, digests)) for claim in decided
    }
    return {**files, **checker_files()}


def _document(claim: ClaimVerdict, run: Verification, digests: Mapping[str, str]) -> Row:
    paper = papers().get(claim.entry.paper)
    return plain(
        VerdictFile(
            paper=UNSET if paper is None else filled(PaperDocument, paper),
            read=UNSET if paper is None else paper.which_text,
            claim=claim_document(claim),
            certificates=tuple(
                ListedCertificate(path=path, sha256=digests[path])
                for path in certificates_of(claim)
                if path in digests  # the checker rejects a verdict whose certificates were not written
            ),
            replay=("python -I -S checker/ .", *((claim.reproduce,) if claim.reproduce else ())),
            tdcert=run.environment.versions["tdcert"],
        )
    )
