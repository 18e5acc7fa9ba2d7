"""Certificate files: a certificate body, its whole model, and the model's digest (docs/certificates.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from tdcert.theory.verdict import Certificate

if TYPE_CHECKING:
    from tdcert.theory.certificate.envelope import CertificateFile


class Canonical(Protocol):
    """A model, or a set of models."""

    @property
    def canonical(self) -> Mapping[str, Any]:
        """Its canonical form."""

    @property
    def digest(self) -> str:
        """The digest of that."""


def document(certificate: Certificate, model: Canonical, claim: str | None) -> CertificateFile:
    """The JSON object of a ``tdcert-certificate/1`` file."""
    return {
        "format": "tdcert-certificate/1",
        "kind": certificate.kind,
        "claim": claim,
        "model": model.canonical,
        "digest": model.digest,
        "about": dict(certificate.about),
        "witness": dict(certificate.witness),
    }


def text(certificate: Mapping[str, Any], model_text: str | None = None) -> str:
    """The file's text: stable key order, one line per top-level key; ``model_text``: of its model, where known."""
    texts = {key: model_text if key == "model" else None for key in certificate}
    lines = [f"{json.dumps(key)}: {texts[key] or value_text(value)}" for key, value in certificate.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def value_text(value: Any) -> str:
    """What stands behind a key of a certificate file."""
    return json.dumps(value, sort_keys=True)
