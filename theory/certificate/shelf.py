"""Certificates on their way into a report: each is written once, whatever number of verdicts rests on it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tdcert.theory.certificate.write import Canonical, document
from tdcert.theory.verdict import Certificate


@dataclass(frozen=True)
class FiledCertificate:
    """A certificate as a report keeps it: its path inside the report's folder, and the document in it."""

    path: str
    body: Mapping[str, Any]


@dataclass
class Shelf:
    """``folder``: where in the report its certificates lie."""

    folder: str
    files: list[FiledCertificate] = field(default_factory=list)
    paths: dict[str, str] = field(default_factory=dict)

    def put(self, certificate: Certificate, model: Canonical, claim: str | None = None) -> str:
        """File a certificate about a model or a set of them, under the first claim resting on it; returns its path."""
        body = document(certificate, model, claim)
        key = json.dumps([body[part] for part in ("digest", "kind", "about", "witness")], sort_keys=True)
        if key not in self.paths:
            self.paths[key] = f"{self.folder}/{len(self.files) + 1:03d}-{certificate.kind}.json"
            self.files.append(FiledCertificate(self.paths[key], body))
        return self.paths[key]
