"""A certificate file as a type, for its schema; ``write`` writes it and ``checker`` reads it."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from tdcert.theory.document_types import Digest, pattern
from tdcert.theory.model.canonical import CanonicalModel


class CertificateFile(TypedDict):
    """A certificate: docs/certificates.md, which says what each kind is about and what its witness holds."""

    format: Literal["tdcert-certificate/1"]
    kind: Annotated[str, pattern("^[a-z_]+$")]
    claim: str | None
    model: CanonicalModel
    digest: Digest
    about: dict[str, object]
    witness: dict[str, object]
