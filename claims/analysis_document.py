"""What the analyses in every arithmetic have in common: the request, the result, and how the document begins."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np

from claims.advice.experiment import Experiment
from claims.figures import Picture
from theory.errors import InputError
from theory.files import LoadedModel, LoadedSparse
from theory.model.mdp import Model
from theory.model.schedule import Schedule
from theory.model.sparse import SparseModel

Progress = Callable[[int, int, str], None]

FLOAT_BITS = 53
"""Precision of floats; enclosures with more bits are computed in balls."""

PER_CLASS = (
    "stationary", "A", "b", "C", "theta_star", "values_at_fixed_point", "projection_error_squared",
    "fixed_point_error_squared", "error_bound_squared", "algorithms",
)  # fmt: skip
"""Keys that exist once for each recurrent class; at top level where there is one class."""


class Arithmetic(StrEnum):
    """The number systems an analysis can compute in, most informative first."""

    EXACT = "exact"
    ENCLOSED = "enclosed"
    SPARSE = "sparse"


@dataclass(frozen=True)
class Request:
    """How an analysis is to be made. ``arithmetic`` None: chosen by the size of the model. ``bits`` ≥ 53: the
    precision of enclosures, 53 meaning floats. ``command``: what the user typed, for ``reproduce``; None: the plain
    one. ``experiment``: the runs asked for, None for none. ``phase_diagram``: whether one is to be drawn. Raises
    :class:`InputError` for fewer bits, and for more where no balls are computed with.
    """

    arithmetic: Arithmetic | None = None
    bits: int = FLOAT_BITS
    command: str | None = None
    experiment: Experiment | None = None
    phase_diagram: bool = False

    def __post_init__(self) -> None:
        if self.bits < FLOAT_BITS:
            raise InputError(f"{self.bits} bits were asked for; give {FLOAT_BITS} or more")
        if self.bits > FLOAT_BITS and self.arithmetic in (Arithmetic.EXACT, Arithmetic.SPARSE):
            raise InputError(
                f"{self.bits} bits were asked for in {self.arithmetic} arithmetic; more bits are offered for enclosed "
                "arithmetic alone"
            )

    @staticmethod
    def of_words(
        arithmetic: str | None, bits: str | int | None = None, command: str | None = None,
        experiment: Experiment | None = None,
    ) -> Request:  # fmt: skip
        """From an arithmetic's name and a number as users give them; errors as for a request."""
        names = [kind.value for kind in Arithmetic]
        if arithmetic is not None and arithmetic not in names:
            raise InputError(f"there is no arithmetic '{arithmetic}'; give {', '.join(names[:-1])} or {names[-1]}")
        chosen = Arithmetic(arithmetic) if arithmetic else None
        return Request(chosen, int(bits or FLOAT_BITS), command, experiment)


@dataclass(frozen=True)
class AnalysisRun:
    """What an analysis leaves: the document, certificates by relative path, figures, and claims refuted in spite
    of their hypotheses.
    """

    document: dict[str, Any]
    certificates: tuple[tuple[str, dict[str, Any]], ...]
    figures: tuple[Picture, ...]
    refuted: tuple[str, ...]


def header(loaded: LoadedModel | LoadedSparse, model: Model | SparseModel) -> dict[str, Any]:
    """The keys that say what was analysed."""
    return {
        "format": "tdcert-analysis/1",
        "model": {
            "name": model.name or None,
            "states": model.n,
            "actions": len(model.actions),
            "features": model.d,
            "schedule_length": model.schedule.length,
            "lambdas": _lambdas(model.schedule),
            "discount": None if model.gamma is None else str(model.gamma),
            "on_policy": model.is_on_policy,
            "digest": model.digest if isinstance(model, Model) else _digest(model),
            "defaults_used": list(loaded.defaults_used),
        },
        "source": loaded.source,
        "state_names": list(loaded.state_names) if isinstance(loaded, LoadedModel) else None,
    }


def with_classes(document: dict[str, Any], parts: list[dict[str, Any]]) -> None:
    """Adds one recurrent class's keys at top level, or null there and one entry of ``classes`` for each of several.

    ``parts``: ``states`` and the keys of :data:`PER_CLASS`.
    """
    for key in PER_CLASS:
        document[key] = parts[0][key] if len(parts) == 1 else None
    document["classes"] = parts if len(parts) != 1 else []


def _lambdas(schedule: Schedule) -> Any:
    """The λ's as the document lists them."""
    if not schedule.is_finite:
        return {"constant": str(schedule.tail)}
    return [str(lam) for lam in schedule.lambdas]


def _digest(model: SparseModel) -> str:
    """SHA-256 of actions, λ's and a constant discount as text, then of all arrays as little-endian bytes."""
    found = hashlib.sha256()
    constant = str(model.discount) if isinstance(model.discount, Fraction) else None
    found.update(json.dumps([list(model.actions), _lambdas(model.schedule), constant]).encode("ascii"))
    arrays = [part for P in model.transitions for part in (P.data, P.indices, P.indptr)]
    arrays += [model.rewards, model.behaviour, model.target, model.features]
    arrays += [] if constant is not None else [model.discount]
    for array in arrays:
        kind = "<f8" if array.dtype.kind == "f" else "<i8"
        found.update(json.dumps(array.shape).encode("ascii"))
        found.update(np.ascontiguousarray(array, dtype=kind).tobytes())
    return found.hexdigest()
