"""What a warning is, and how its sentences are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from claims.advice.facts import Facts

SEVERITIES = ("serious", "warning", "note")

Thresholds = tuple[Fraction, Fraction]
"""From where on a number deserves a warning, and from where on a serious one."""

ONE_CLASS = "asked where the chain has one recurrent class"
NOT_KNOWN = "not known for this model, or not computed at its size"


@dataclass(frozen=True)
class Warned:
    """``severity`` is one of :data:`SEVERITIES`; ``numbers`` are exact, or the ends that decided."""

    id: str
    severity: str
    text: str
    numbers: Mapping[str, Any]

    def document(self) -> dict[str, Any]:
        """As analysis.json holds it."""
        return {"id": self.id, "severity": self.severity, "text": self.text, "numbers": dict(self.numbers)}


Answer = Warned | str | None
"""A warning; or why it could not be asked; or None, where there is nothing to warn of."""


def severity(number: Fraction, thresholds: Thresholds) -> str | None:
    """How much a number, or a lower end of it, deserves."""
    warning, serious = thresholds
    return "serious" if number >= serious else "warning" if number >= warning else None


def shown(number: Fraction) -> str:
    """Three significant digits of a number of any size, nearest."""
    try:
        value = float(number)
    except OverflowError:
        return "more than 10^308"
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.3g}"


def listed(names: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def state_name(facts: Facts, s: int) -> str:
    """As the user calls it."""
    names = facts.document.get("state_names")
    return f"state {names[s] if names else f's{s}'}"
