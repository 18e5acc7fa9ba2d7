"""A certificate file as a type, for its schema; ``write`` writes it and ``checker`` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypedDict

from tdcert.theory.document_types import Digest, one_of, pattern
from tdcert.theory.model.canonical import CanonicalAround, CanonicalModel, CanonicalSet

ABOUT = (CanonicalModel, CanonicalSet, CanonicalAround)
"""What a certificate is about: a model, a set of models that counts leave, or all models around one."""


class CertificateFile(TypedDict):
    """A certificate: docs/certificates.md, which says what each kind is about and what its witness holds."""

    format: Literal["tdcert-certificate/1"]
    kind: Annotated[str, pattern("^[a-z_]+$")]
    claim: str | None
    model: Annotated[Mapping[str, object], one_of(*ABOUT)]
    digest: Digest
    about: dict[str, object]
    witness: dict[str, object]
