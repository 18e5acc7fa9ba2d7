"""The advice about one model, as keys of its analysis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from claims.advice.comparison import Comparison, compare
from claims.advice.facts import Facts
from claims.advice.warnings import warnings
from claims.figures import Figure
from theory.model.mdp import Model


def advise(model: Model, document: Mapping[str, Any], exactly: bool) -> tuple[dict[str, Any], tuple[Figure, ...]]:
    """Schedules compared and warnings, with the figures; ``document``: the analysis as far as it is written."""
    facts = Facts(model, document, exactly)
    compared = compare(facts)
    added = {**compared.document(), **warnings(facts, compared), "conditioning": facts.conditioning()}
    return added, compared.figures()


def nothing(why: str) -> dict[str, Any]:
    """The same keys where nothing was computed, with the reason."""
    asked = {"warnings": [], "warnings_asked": [], "warnings_not_asked": [{"id": "all", "why": why}]}
    return {**Comparison((), why).document(), **asked, "conditioning": None}
