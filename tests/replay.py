"""Certificates as a reader has them: written, and read by the checker."""

from __future__ import annotations

from tdcert.theory.certificate import checker
from tdcert.theory.certificate.write import document, text
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate


def replay(certificate: Certificate, model: Model, claim: str | None = None) -> str:
    """What the checker says of a certificate about a model; raises what it raises."""
    return checker.check_text(text(document(certificate, model, claim)))
