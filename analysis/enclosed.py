"""The facts in numbers with error bounds: dense enclosures and sparse ones, grade ``enclosed``.

What a float could not decide with its bound is ``undecided``, with the precision that would be tried next. There is no
certificate to replay: the command that repeats the computation stands in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from tdcert.analysis.choose_arithmetic import reachable
from tdcert.analysis.exact_analysis import asked_of_models
from tdcert.analysis.facts import (
    AlgorithmDynamics,
    ChainFacts,
    ClaimAnswer,
    ClassFacts,
    LawBound,
    ModelFacts,
    Quantity,
    by_algorithm,
)
from tdcert.analysis.request import FLOAT_BITS, Arithmetic
from tdcert.claims.paper import asked_in_enclosures
from tdcert.theory.arithmetic.float_enclosures import Floats, MidRadMatrix
from tdcert.theory.check.mean_dynamics import MEANS
from tdcert.theory.check.mean_matrix import Dynamics, MeanDynamics
from tdcert.theory.enclose.dense import analyse_enclosed
from tdcert.theory.enclose.dense_result import EnclosedClass, FloatInterval
from tdcert.theory.enclose.sparse import analyse_sparse, too_many
from tdcert.theory.enclose.sparse_result import SparseClass
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.sparse_model import SparseModel
from tdcert.theory.progress import Progress
from tdcert.theory.verdict import Status, Verdict

CHUNK = 2**14
"""States whose predictions are computed together."""


def analyse_in_balls(model: Model, on_progress: Progress, bits: int, claims: bool = True) -> ModelFacts:
    """A dense model in enclosures of so many bits; 53 are floats, more are balls; ``claims``: whether to ask them."""
    on_progress(0, 1, f"enclosures of {bits} bits")
    asked = asked_in_enclosures() if claims else {}
    try:
        found = analyse_enclosed(model, bits, asked)
    except BudgetExceededError as error:
        return _nothing_known(model, bits, str(error), asked)
    chain = found.chain
    recurrent = tuple(part.states for part in found.classes)
    answers = _answers(model, found.verdicts)
    return ModelFacts(
        model,
        Arithmetic.ENCLOSED,
        ChainFacts(chain.irreducible, recurrent, chain.periods, tuple(chain.transient.tolist()), chain.count),
        tuple(_of_class(part, model) for part in found.classes),
        missing=model.uncovered,
        kappa=model.kappa,
        value=found.value,
        claims=answers,
        claims_not_asked=_not_asked(answers),
        bits=bits,
    )


def _nothing_known(model: Model, bits: int, why: str, asked: Iterable[str]) -> ModelFacts:
    """Where no enclosure exists: the structure of the chain, which is exact, and why the rest is undecided."""
    claims = tuple(ClaimAnswer(name, Verdict(Status.UNDECIDED, detail=why)) for name in asked)
    rows = {name: AlgorithmDynamics(MeanDynamics.UNDECIDED, matrix=name, reason=why) for name in MEANS}
    undecided = by_algorithm(model.is_on_policy, rows)
    return ModelFacts(
        model,
        Arithmetic.ENCLOSED,
        ChainFacts.of(model.behaviour_chain),
        tuple(ClassFacts(states, undecided) for states in model.behaviour_chain.recurrent_classes),
        missing=model.uncovered,
        kappa=model.kappa,
        claims=claims,
        claims_not_asked=_not_asked(claims),
        bits=bits,
    )


def analyse_sparsely(model: SparseModel, on_progress: Progress, claims: bool = True) -> ModelFacts:
    """A model by its stored transitions alone; ``claims``: whether they are asked."""
    on_progress(0, 1, "sparse enclosures")
    found = analyse_sparse(model, asked_in_enclosures() if claims else {})
    chain, listed = found.chain, tuple(tuple(states.tolist()) for states in found.chain.recurrent)
    notes = [f"of {chain.count:,} recurrent classes the first {len(listed)} are listed"] * (chain.count > len(listed))
    notes += [] if found.classes else [too_many(chain.count)]
    answers = _answers(model, found.verdicts)
    return ModelFacts(
        model,
        Arithmetic.SPARSE,
        ChainFacts(chain.irreducible, listed, chain.periods, tuple(chain.transient.tolist()), chain.count),
        tuple(_of_sparse_class(part, model) for part in found.classes),
        missing=tuple((int(s), int(a)) for s, a in np.argwhere((model.target > 0) & (model.behaviour == 0))),
        kappa=found.kappa,
        value=None if found.value is None else _constant_error(found.value.mid[:, 0], found.value.error),
        claims=answers,
        claims_not_asked=_not_asked(answers),
        notes=tuple(notes),
        bits=FLOAT_BITS,
        value_method=found.value_method,
    )


def _not_asked(claims: tuple[ClaimAnswer, ...]) -> tuple[str, ...]:
    asked = {answer.id for answer in claims}
    return tuple(entry.id for entry in asked_of_models() if entry.id not in asked)


def _answers(model: Model | SparseModel, verdicts: Mapping[str, Verdict]) -> tuple[ClaimAnswer, ...]:
    return tuple(
        ClaimAnswer(name, replace(verdict, precision_needed=reachable(model, verdict.precision_needed)))
        for name, verdict in verdicts.items()
    )


def _of_class(part: EnclosedClass, model: Model) -> ClassFacts:
    return ClassFacts(
        part.states,
        by_algorithm(model.is_on_policy, {name: _dynamics(row, model) for name, row in part.dynamics.items()}),
        part.stationary,
        part.A,
        part.b,
        part.C,
        part.theta_star,
        part.values_at_fixed_point,
        Quantity.of(part.projection_error_squared),
        Quantity.of(part.fixed_point_error_squared),
        Quantity.of(part.error_bound_squared),
    )


def _dynamics(row: Dynamics[float], model: Model | SparseModel) -> AlgorithmDynamics:
    bounded = row.rate is not None and np.isfinite(row.rate).all()
    rate = row.rate if bounded else None
    needed = reachable(model, row.precision_needed)
    return AlgorithmDynamics(row.mean_dynamics, rate, row.matrix, row.reason, precision_needed=needed)


def _of_sparse_class(found: SparseClass, model: SparseModel) -> ClassFacts:
    law, errors, theta = found.law, found.errors, found.theta_star
    return ClassFacts(
        tuple(found.states.tolist()),
        by_algorithm(model.is_on_policy, {name: _dynamics(row, model) for name, row in found.dynamics.items()}),
        None if law is None else (law.mid, law.entrywise),
        _interval(found.A),
        _interval(found.b),
        _interval(found.C),
        _interval(theta),
        None if theta is None else _predictions(model, theta),
        Quantity.of(errors.projection),
        Quantity.of(errors.fixed_point),
        Quantity.of(errors.bound),
        LawBound(found.law_method, None if law is None else law.distance),
    )


def _interval(matrix: MidRadMatrix | None) -> FloatInterval | None:
    return None if matrix is None else (matrix.mid, matrix.rad)


def _constant_error(mid: Floats, error: Floats) -> FloatInterval:
    """One number per state, all with the same error."""
    return mid, np.broadcast_to(error, len(mid))


def _predictions(model: SparseModel, theta: MidRadMatrix) -> FloatInterval:
    """Φθ, a chunk of states at a time, each with an error of its own."""
    starts = range(0, model.n, CHUNK)
    rounded = 2 * model.rounding("features")  # u for the number, and more than the rounding of its product
    parts = [model.features[start : start + CHUNK] for start in starts]
    chunks = [MidRadMatrix(Phi, rounded * np.abs(Phi)) @ theta for Phi in parts]
    mid, rad = (
        np.concatenate([part[:, 0] for part in parts]) for parts in ([c.mid for c in chunks], [c.rad for c in chunks])
    )
    return mid, rad
