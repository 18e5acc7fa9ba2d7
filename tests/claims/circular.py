"""Whether certificates behind "needed" only say that the hypothesis fails, and nothing of the statement."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tdcert.theory.verdict import Certificate

DENIALS = {
    "irreducible": {"reducible"},
    "unique_law": {"reducible"},
    "aperiodic": {"period"},
    "full_column_rank": {"rank_deficient"},
    "C_positive": {"rank_deficient"},
    "coverage": {"missing_coverage"},
    "A_nonsingular": {"singular"},
    "A_as_met_nonsingular": {"singular"},
}
"""The kinds that deny a hypothesis; a stationary law never says more than that it is one."""
PREMISES = re.compile(r"-?\d+(/\d+)?|gamma(:\d+)?|lambda:\d+|c:0|N|I|P_mu|P_pi|q|ones(:\d+)?")
"""Names that speak of discounts, λ's and transitions alone: relations among them can only be premises."""


def circular(hypothesis: str, certificates: Sequence[Certificate]) -> bool:
    """Whether no certificate says anything of the statement."""
    return all(_only_denies(hypothesis, certificate) for certificate in certificates)


def _only_denies(hypothesis: str, certificate: Certificate) -> bool:
    if certificate.kind == "relation":
        return all(PREMISES.fullmatch(name) for name in _names(certificate.witness["relations"]))
    return certificate.kind == "stationary_law" or certificate.kind in DENIALS.get(hypothesis, ())


def _names(relations: Any) -> Iterator[str]:
    for left, _, right in relations:
        yield from _leaves(left)
        yield from _leaves(right)


def _leaves(expression: Any) -> Iterator[str]:
    if isinstance(expression, str):
        yield expression
    elif isinstance(expression, list | tuple):
        head, *parts = expression
        if head == "on":  # the path is not a name
            parts = parts[1:]
        elif head == "E":
            parts = parts[3:]
        elif head == "^" or head == "entry":
            parts = parts[:1]
        for part in parts:
            yield from _leaves(part)
