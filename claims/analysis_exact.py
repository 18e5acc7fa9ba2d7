"""The analysis in exact arithmetic: every claim asked, every answer with its certificate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from claims.advice.quantity import digits
from claims.analysis_document import PER_CLASS, AnalysisRun, Progress, header, with_classes
from claims.claim import decide
from claims.paper import ENTRIES, Entry
from theory.arithmetic import RationalMatrix
from theory.certificate.write import document as certificate_document
from theory.check.evidence import irreducibility_certificate, period_certificate, stationary_certificate
from theory.check.fixed_point import (
    bound_factor,
    predictions,
    projection_error_squared,
    rest_point,
    squared_norm,
    true_value,
)
from theory.check.margins import largest_discount
from theory.check.mean_dynamics import Dynamics, MeanDynamics, gradient_dynamics, td_dynamics
from theory.files import LoadedModel, LoadedSparse
from theory.model.key_matrices import theorem_matrices
from theory.model.mdp import Model
from theory.verdict import Certificate, Status

EVERY_CLAIM_STATES = 40
"""Up to this many states a model is asked every claim; above, those that say something about it."""

@dataclass
class _Shelf:
    """Certificates about one model, each written once whatever number of claims rests on it."""

    model: Model
    files: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    paths: dict[str, str] = field(default_factory=dict)

    def put(self, certificate: Certificate | None, claim: str | None = None) -> str | None:
        """File a certificate; returns its path."""
        if certificate is None:
            return None
        key = json.dumps([certificate.kind, certificate.about, certificate.witness], sort_keys=True)
        if key not in self.paths:
            path = f"certificates/{len(self.files) + 1:03d}-{certificate.kind}.json"
            self.paths[key] = path
            self.files.append((path, certificate_document(certificate, self.model, claim)))
        return self.paths[key]


def asked_of_models() -> list[Entry]:
    """The decided claims but those about the paper's experiments, which say nothing of another model."""
    return [row for row in ENTRIES if not row.is_open and not row.load().empirical]


def analyse_exactly(loaded: LoadedModel | LoadedSparse, model: Model, on_progress: Progress) -> AnalysisRun:
    """Everything the suite can say about a model."""
    available = asked_of_models()
    decided = [row for row in available if model.n <= EVERY_CLAIM_STATES or row.load().asked_of_large_models]
    not_asked = [row.id for row in available if row not in decided]
    total = len(decided) + 3
    shelf = _Shelf(model)
    on_progress(0, total, "chain and stationary law")
    chain = model.behaviour_chain
    classes = chain.recurrent_classes
    shelf.put(irreducibility_certificate(chain))
    for states in classes:
        shelf.put(stationary_certificate(chain, states))
        shelf.put(period_certificate(chain, states))
    on_progress(1, total, "key matrices and fixed point")
    value = true_value(model)
    parts = [
        {"states": list(states), **_class_part(model, states, value, shelf, on_progress, total)} for states in classes
    ]
    refuted, rows = [], []
    for done, entry in enumerate(decided):
        on_progress(3 + done, total, entry.id)
        row = _claim_row(entry.id, model, shelf)
        rows.append(row)
        if row["status"] == Status.REFUTED:
            refuted.append(entry.id)
    on_progress(total, total, "done")
    periods = [chain.period(states).period for states in classes]
    document: dict[str, Any] = {
        **header(loaded, model),
        "notes": [*loaded.notes, *_about_size(not_asked)],
        "claims_not_asked": not_asked,
        "chain": {
            "irreducible": chain.is_irreducible,
            "period": periods[0] if len(classes) == 1 else None,
            "recurrent_classes": [list(states) for states in classes],
            "periods": periods,
            "transient_states": list(chain.transient_states),
        },
        "coverage": {"missing": [[s, model.actions[a]] for s, a in model.uncovered]},
        "kappa": None if model.kappa is None else str(model.kappa),
        "value": None if value is None else _strings(value),
    }
    with_classes(document, parts)
    document["claims"] = rows
    return AnalysisRun(document, tuple(shelf.files), (), tuple(refuted))


def _class_part(
    model: Model,
    states: tuple[int, ...],
    value: RationalMatrix | None,
    shelf: _Shelf,
    on_progress: Progress,
    total: int,
) -> dict[str, Any]:
    if not model.has_trace_sum:
        return _without_trace_sum(model, states)
    keys = theorem_matrices(model, states)
    theta, predicted = rest_point(keys), predictions(model, states)
    projected = None if value is None else projection_error_squared(model, states, value)
    reached = None if value is None or predicted is None else squared_norm(keys, predicted - value)
    factor = bound_factor(model.is_on_policy, model.schedule, largest_discount(model))
    bound = None if projected is None or factor is None else projected * factor
    on_progress(2, total, "mean dynamics of the algorithms")
    td = td_dynamics(model, states)
    gtd, tdc = gradient_dynamics(model, states)
    return {
        "stationary": _strings(keys.d),
        "A": keys.A.to_strings(),
        "b": _strings(keys.b),
        "C": keys.C.to_strings(),
        "theta_star": None if theta is None else _strings(theta),
        "values_at_fixed_point": None if predicted is None else _strings(predicted),
        "projection_error_squared": None if projected is None else digits(projected),
        "fixed_point_error_squared": None if reached is None else digits(reached),
        "error_bound_squared": None if bound is None else digits(bound),
        "algorithms": {
            "td": _dynamics_row(td, shelf) if model.is_on_policy else None,
            "off_policy_td": _dynamics_row(td, shelf),
            "gtd": _dynamics_row(gtd, shelf),
            "tdc": _dynamics_row(tdc, shelf),
        },
    }


def _without_trace_sum(model: Model, states: tuple[int, ...]) -> dict[str, Any]:
    """λ = 1 without a length and I − N singular: the trace grows without end, and there is no mean dynamics to
    speak of.
    """
    reason = (
        "λ = 1 without a length, and I − N is singular: the trace has no stationary law; give the schedule a length"
    )
    row = {"mean_dynamics": MeanDynamics.UNDECIDED, "matrix": None, "rate": None, "reason": reason, "certificate": None}
    part: dict[str, Any] = dict.fromkeys(PER_CLASS)
    part["stationary"] = _strings(model.behaviour_chain.stationary_law(states))
    part["algorithms"] = {name: dict(row) for name in ("td", "off_policy_td", "gtd", "tdc")}
    if not model.is_on_policy:
        part["algorithms"]["td"] = None
    return part


def _dynamics_row(dynamics: Dynamics, shelf: _Shelf) -> dict[str, Any]:
    rate = dynamics.rate
    return {
        "mean_dynamics": dynamics.mean_dynamics,
        "matrix": dynamics.matrix,
        "rate": None if rate is None else {"lower": digits(rate[0]), "upper": digits(rate[1])},
        "reason": dynamics.reason,
        "certificate": shelf.put(dynamics.certificate),
    }


def _about_size(not_asked: Sequence[str]) -> list[str]:
    """The note that says which statements a large model was not asked."""
    if not not_asked:
        return []
    return [
        f"{len(not_asked)} statements that hold whatever the model is were not asked of it, because it has more than "
        f"{EVERY_CLAIM_STATES} states: their evidence is in tdcert verify"
    ]


def _claim_row(claim_id: str, model: Model, shelf: _Shelf) -> dict[str, Any]:
    claim = next(row for row in ENTRIES if row.id == claim_id).load()
    decision = decide(claim, model)
    verdict = decision.verdict
    paths = [path for c in verdict.certificates if (path := shelf.put(c, claim_id)) is not None]
    paths += [path for a in decision.answers.values() if (path := shelf.put(a.certificate, claim_id)) is not None]
    return {
        "id": claim_id,
        "status": verdict.status,
        "grade": verdict.grade,
        "violated": list(verdict.violated),
        "witness": dict(verdict.witness) or None,
        "detail": verdict.detail,
        "certificate": paths[0] if paths else None,
        "certificates": list(dict.fromkeys(paths)),
    }


def _strings(column: RationalMatrix) -> list[str]:
    return [row[0] for row in column.to_strings()]
