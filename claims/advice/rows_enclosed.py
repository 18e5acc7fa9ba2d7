"""Schedules compared on models too large for fractions: κ exactly, the rest in floats with a bound of every rounding.

No variances and no steps: they would take the second moments of windows.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from claims.advice.candidates import Candidate
from claims.advice.quantity import Pace, Quantity
from claims.advice.rows import NO_VALUE, Row, why_no_bound
from theory.arithmetic.midrad import MidRadMatrix
from theory.check.enclosed_class import ClassInEnclosures
from theory.check.enclosed_definite import FLOAT_BITS, positive_definite
from theory.check.enclosed_dynamics import stable_by_definiteness, unsettled
from theory.check.fixed_point import bound_factor, modulus
from theory.errors import SingularMatrixError
from theory.model.key_matrices import KeyMatrices
from theory.model.mdp import Model
from theory.model.schedule import Schedule

LARGEST_WORK = 4e10
"""Largest n²d Σ(L + 1), summed over the schedules; a solve counts as n/d + 1 products (half a minute)."""
DYNAMICS = 200
"""Most features for which the mean dynamics of every schedule are asked about (d³ operations each, several times)."""
TOO_LARGE = "takes the second moments of windows, which are not computed for a model of this size"


def work(model: Model, compared: Sequence[Candidate]) -> float:
    """Multiplications of a comparison, about."""
    n, d = model.n, model.d
    products = sum(n // d + 1 if c.schedule.tail else len(c.schedule.lambdas) + 1 for c in compared)
    return float(n) * n * d * products


def enclosed_rows(part: ClassInEnclosures, compared: Sequence[Candidate]) -> list[Row]:
    """One row for each schedule, on the one recurrent class of a model with coverage.

    Raises SingularMatrixError and :class:`~theory.errors.BudgetExceededError` where the law has no enclosure.
    """
    projected = projection_error(part)
    return [_row(part, candidate, projected) for candidate in compared]


def lean_keys(part: ClassInEnclosures, schedule: Schedule) -> KeyMatrices[MidRadMatrix]:
    """The matrices that the algorithms meet under a schedule, M never formed: n²d(L + 1) operations, not n³(L + 1)."""
    kernel = part.model.covered
    return KeyMatrices(
        part.full_law, kernel.N, kernel.r, part.model.features, schedule.lambdas, schedule.tail, kernel.mass
    )


def projection_error(part: ClassInEnclosures) -> MidRadMatrix | None:
    """‖V − ΠV‖²_D, the same for every schedule."""
    V, Phi = part.value, part.model.features
    if V is None:
        return None
    if _spans(part):
        return MidRadMatrix(np.zeros((1, 1)))
    try:
        fitted: MidRadMatrix = Phi @ part.theorem.C.solve(Phi.T @ V.scale_rows(part.full_law))
    except SingularMatrixError:
        return None
    left: MidRadMatrix = part.squared_norm(V - fitted)
    return left


def _spans(part: ClassInEnclosures) -> bool:
    """Whether the features span every function on the class: then Φθ* = V there, exactly (``representable_value``)."""
    return bool(part.rank.holds) and part.model.d == len(part.states)


def _row(part: ClassInEnclosures, candidate: Candidate, projected: MidRadMatrix | None) -> Row:
    schedule = candidate.schedule
    keys = lean_keys(part, schedule)
    missing = {"asymptotic_variance": TOO_LARGE, "trace_second_moment": TOO_LARGE, "largest_step": TOO_LARGE}
    error = bound = None
    try:
        theta = keys.theta_star
    except SingularMatrixError:
        missing["fixed_point_error_squared"] = "A, or I − λN, was not shown to be nonsingular"
    else:
        if _spans(part) and part.value is not None:
            error = Quantity.exact(Fraction(0))
        elif part.value is not None:
            error = Quantity.of(part.squared_norm(keys.Phi @ theta - part.value))
    factor = bound_factor(part.model.on_policy, schedule, part.model.largest_discount)
    if projected is not None and factor is not None:
        bound = Quantity.of(projected.scaled(factor))
    if bound is None:
        why = NO_VALUE if part.value is None else "Π was not enclosed" if projected is None else None
        missing["error_bound_squared"] = why or why_no_bound(part.model.on_policy)
    if error is None:
        missing.setdefault("fixed_point_error_squared", NO_VALUE)
    algorithms, why = _algorithms(part, keys)
    if why:
        missing["algorithms"] = why
    return Row(candidate, modulus(schedule, part.model.largest_discount), error, bound, algorithms, missing=missing)


def _algorithms(part: ClassInEnclosures, keys: KeyMatrices[Any]) -> tuple[dict[str, Pace | None], str]:
    """The mean dynamics of TD alone, or why not."""
    if keys.Phi.shape[1] > DYNAMICS:
        return {}, f"asked about up to {DYNAMICS} features"
    if not part.rank.holds:
        return {}, part.rank.why
    try:
        negative = positive_definite(keys.A.scaled(-1), "−sym A", FLOAT_BITS)
    except SingularMatrixError:
        return {}, "I − λN was not shown to be nonsingular"
    found = (stable_by_definiteness if negative.holds else unsettled)(keys.A, negative, FLOAT_BITS)
    pace = Pace.enclosed(found.mean_dynamics, found.rate)
    return {"td": pace if part.model.on_policy else None, "off_policy_td": pace}, ""
