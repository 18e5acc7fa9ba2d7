"""The analyses in numbers with error bounds: dense enclosures and sparse ones, grade ``enclosed``.

What a float could not decide with its bound is ``undecided``, with the precision that would be tried next. There is no
certificate to replay: the command that repeats the computation stands in its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from claims.analysis_document import PER_CLASS, AnalysisRun, Progress, header, with_classes
from claims.analysis_exact import asked_of_models
from claims.enclosures import lower, texts, upper
from theory.arithmetic.midrad import MidRadMatrix
from theory.arithmetic.sparse import Columns
from theory.check.enclosed import analyse_enclosed
from theory.check.enclosed_result import EnclosedClass, EnclosedDynamics, EnclosedVerdict, Interval
from theory.check.mean_dynamics import MeanDynamics
from theory.check.sparse import analyse_sparse
from theory.check.sparse_result import SparseClass, SparseDynamics
from theory.errors import BudgetExceededError
from theory.files import LoadedModel, LoadedSparse
from theory.model.mdp import Model
from theory.model.sparse import SparseModel
from theory.verdict import Grade, Status

ASKED = (
    "prop_4_1", "thm_4_3", "thm_4_4_g_negative_definite", "thm_4_4", "thm_4_6", "negative_margin", "off_policy_margin",
)  # fmt: skip
"""The claims that dense enclosures decide."""

CHUNK = 2**14
"""States whose predictions are computed together."""

MATRICES = {"td": "A", "off_policy_td": "A", "gtd": "G at η = 1", "tdc": "−AᵀC⁻¹A"}
"""Algorithm → the matrix of its mean dynamics."""


def analyse_in_balls(loaded: LoadedModel | LoadedSparse, model: Model, on_progress: Progress, bits: int) -> AnalysisRun:
    """A dense model in enclosures of so many bits; 53 are floats, more are balls."""
    on_progress(0, 1, f"enclosures of {bits} bits")
    try:
        found = analyse_enclosed(model, bits)
    except BudgetExceededError as error:
        return _nothing_known(loaded, model, on_progress, bits, str(error))
    rows = [_row(name, verdict) for name, verdict in found.verdicts.items()]
    recurrent = [list(states) for states in found.pattern.recurrent_classes]
    inside = {s for states in recurrent for s in states}
    document = {
        **_beginning(loaded, model, rows, bits),
        "chain": {
            "irreducible": found.pattern.is_irreducible,
            "period": found.pattern.periods[0] if len(recurrent) == 1 else None,
            "recurrent_classes": recurrent,
            "periods": list(found.pattern.periods),
            "transient_states": [s for s in range(model.n) if s not in inside],
        },
        "coverage": {"missing": [[s, model.actions[a]] for s, a in model.uncovered]},
        "kappa": None if model.kappa is None else str(model.kappa),
        "value": _column(found.value),
    }
    with_classes(document, [_class_part(part) for part in found.classes])
    return _finished(document, rows, on_progress)


def _nothing_known(
    loaded: LoadedModel | LoadedSparse, model: Model, on_progress: Progress, bits: int, why: str
) -> AnalysisRun:
    """Where no enclosure exists: the structure of the chain, which is exact, and why the rest is undecided."""
    chain = model.behaviour_chain
    classes = chain.recurrent_classes
    periods = [chain.period(states).period for states in classes]
    rows = [_row(name, EnclosedVerdict(Status.UNDECIDED, why)) for name in ASKED]
    document = {
        **_beginning(loaded, model, rows, bits),
        "chain": {
            "irreducible": chain.is_irreducible,
            "period": periods[0] if len(classes) == 1 else None,
            "recurrent_classes": [list(states) for states in classes],
            "periods": periods,
            "transient_states": list(chain.transient_states),
        },
        "coverage": {"missing": [[s, model.actions[a]] for s, a in model.uncovered]},
        "kappa": None if model.kappa is None else str(model.kappa),
        "value": None,
    }
    open_row = EnclosedDynamics(MeanDynamics.UNDECIDED, "A", None, why)
    part: dict[str, Any] = dict.fromkeys(PER_CLASS)
    part["algorithms"] = {
        name: None if name == "td" and not model.is_on_policy else _dynamics(open_row, matrix, None)
        for name, matrix in MATRICES.items()
    }
    with_classes(document, [{"states": list(states), **part} for states in classes])
    return _finished(document, rows, on_progress)


def analyse_sparsely(loaded: LoadedModel | LoadedSparse, model: SparseModel, on_progress: Progress) -> AnalysisRun:
    """A model by its stored transitions alone."""
    on_progress(0, 1, "sparse enclosures")
    found = analyse_sparse(model)
    rows = [_row(name, _sparse_verdict(*claim)) for name, claim in found.verdicts.items()]
    chain, single = found.chain, found.single
    document = {
        **_beginning(loaded, model, rows, 53),
        "chain": {
            "irreducible": chain.irreducible,
            "period": chain.periods[0] if chain.count == 1 else None,
            "recurrent_classes": [states.tolist() for states in chain.recurrent],
            "periods": list(chain.periods),
            "transient_states": chain.transient.tolist(),
        },
        "coverage": {"missing": [[int(s), model.actions[a]] for s, a in _uncovered(model)]},
        "kappa": None if found.kappa is None else str(found.kappa),
        "value": None if found.value is None else _sparse_column(found.value),
        "value_method": found.value_method,
        "stationary_law": None if single is None else _law(single),
    }
    if chain.count > len(chain.recurrent):
        document["notes"].append(f"of {chain.count:,} recurrent classes the first {len(chain.recurrent)} are listed")
    with_classes(document, [_sparse_part(part, model) for part in found.classes])
    return _finished(document, rows, on_progress)


def _beginning(
    loaded: LoadedModel | LoadedSparse, model: Model | SparseModel, rows: Sequence[Mapping[str, Any]], bits: int
) -> dict[str, Any]:
    asked = {row["id"] for row in rows}
    return {
        **header(loaded, model),
        "bits": bits,
        "notes": list(loaded.notes),
        "claims_not_asked": [entry.id for entry in asked_of_models() if entry.id not in asked],
    }


def _finished(document: dict[str, Any], rows: list[dict[str, Any]], on_progress: Progress) -> AnalysisRun:
    document["claims"] = rows
    on_progress(1, 1, "done")
    return AnalysisRun(document, (), (), tuple(row["id"] for row in rows if row["status"] == Status.REFUTED))


def _row(name: str, verdict: EnclosedVerdict) -> dict[str, Any]:
    return {
        "id": name,
        "status": verdict.status,
        "grade": Grade.ENCLOSED if verdict.status in (Status.HOLDS, Status.REFUTED) else None,
        "violated": list(verdict.violated),
        "witness": None,
        "detail": verdict.why,
        "precision_needed": verdict.precision_needed,
        "certificate": None,
        "certificates": [],
    }


def _class_part(part: EnclosedClass) -> dict[str, Any]:
    return {
        "states": list(part.states),
        "stationary": _column(part.stationary),
        "A": texts(*part.A),
        "b": _column(part.b),
        "C": texts(*part.C),
        "theta_star": _column(part.theta_star),
        "values_at_fixed_point": _column(part.values_at_fixed_point),
        "projection_error_squared": _number(part.projection_error_squared),
        "fixed_point_error_squared": _number(part.fixed_point_error_squared),
        "error_bound_squared": _number(part.error_bound_squared),
        "algorithms": {
            name: None if row is None else _dynamics(row, row.matrix, row.precision_needed)
            for name, row in part.dynamics.items()
        },
    }


def _dynamics(row: EnclosedDynamics | SparseDynamics, matrix: str, precision_needed: int | None) -> dict[str, Any]:
    bounded = row.rate is not None and np.isfinite(row.rate).all()
    return {
        "mean_dynamics": row.mean_dynamics,
        "matrix": matrix,
        "rate": {"lower": lower(row.rate[0]), "upper": upper(row.rate[1])} if row.rate and bounded else None,
        "reason": row.why,
        "precision_needed": precision_needed,
        "certificate": None,
    }


def _column(column: Interval | None) -> list[Any] | None:
    return None if column is None else texts(column[0].ravel(), column[1].ravel())


def _number(number: Interval | None) -> str | None:
    column = _column(number)
    return None if column is None else column[0]


def _sparse_part(found: SparseClass, model: SparseModel) -> dict[str, Any]:
    def column(matrix: Any) -> list[Any] | None:
        return None if matrix is None else texts(matrix.mid[:, 0], matrix.rad[:, 0])

    theta, errors = found.theta_star, found.errors
    return {
        "states": found.states.tolist(),
        "stationary_law": _law(found),
        "stationary": None if found.law is None else texts(found.law.mid, found.law.entrywise),
        "A": None if found.A is None else texts(found.A.mid, found.A.rad),
        "b": column(found.b),
        "C": None if found.C is None else texts(found.C.mid, found.C.rad),
        "theta_star": column(theta),
        "values_at_fixed_point": None if theta is None else _predictions(model, theta),
        "projection_error_squared": (column(errors.projection) or [None])[0],
        "fixed_point_error_squared": (column(errors.fixed_point) or [None])[0],
        "error_bound_squared": (column(errors.bound) or [None])[0],
        "algorithms": {
            name: None if row is None else _dynamics(row, MATRICES[name], None)
            for name, row in found.algorithms.items()
        },
    }


def _law(found: SparseClass) -> dict[str, Any]:
    """How the law was bounded, and its distance in sum."""
    return {"method": found.law_method, "distance": None if found.law is None else upper(found.law.distance)}


def _sparse_column(column: Columns) -> list[Any]:
    """One number a state, all with the same error."""
    return texts(column.mid[:, 0], np.broadcast_to(column.error, len(column.mid)))


def _predictions(model: SparseModel, theta: MidRadMatrix) -> list[Any]:
    """Φθ, a chunk of states at a time, each with an error of its own."""
    found: list[Any] = []
    for start in range(0, model.n, CHUNK):
        values = MidRadMatrix(model.features[start : start + CHUNK]) @ theta
        found += texts(values.mid[:, 0], values.rad[:, 0])
    return found


def _uncovered(model: SparseModel) -> Any:
    """(state, action) pairs with π(a|s) > 0 and μ(a|s) = 0."""
    return np.argwhere((model.target > 0) & (model.behaviour == 0))


def _sparse_verdict(status: Status, why: str, bits: int | None) -> EnclosedVerdict:
    violated = tuple(why.split(", ")) if status is Status.HYPOTHESIS_VIOLATED else ()
    return EnclosedVerdict(status, why, bits, violated)
