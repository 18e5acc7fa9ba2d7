r"""How far the fixed point is from the true value: projection error, its own error, and the bound, all exact.

With V = V^π, Π the projection on the span of Φ in the D-norm of a recurrent class:

    ‖V − ΠV‖²_D = ‖V‖²_D − gᵀC⁻¹g,  g = ΦᵀDV  (on independent columns),
    ‖Φθ* − V‖²_D ≤ ‖V − ΠV‖²_D/(1 − κ²)  on-policy, λ's in [0, 1], κ < 1  (the claim ``error_bound``),

κ = Σ w_n γⁿ with γ the largest discount, if there are several.

Where columns of Φ depend on each other θ* is not unique, but Φθ* on the class is; elsewhere it is where the columns
that are independent on the class span all of Φ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_dynamics import reduce_features
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.model.key_matrices import KeyMatrices, theorem_matrices, value_function
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule


@dataclass(frozen=True)
class Rest:
    """Where the mean increment of what updates see is zero. ``parameters`` (D×1): None where only what they see is
    determined. ``predictions``: Φθ at the states of the class (one row for each), with θ the first parameter of length
    d; None where it is not determined. ``seen`` (r×1): u = T y there, None where it is not determined. ``drift`` (D×1):
    the mean increment of all parameters there, in units of the first step size; updates may move what they do not see.
    """

    parameters: Any
    predictions: Any
    seen: Any = None
    drift: Any = None


def true_value(model: Model, kind: Any = RationalMatrix) -> Any:
    """V^π (n×1), exact or in balls; None where it is not unique, or not known to be."""
    try:
        return value_function(model, kind)
    except SingularMatrixError:
        return None


def differential_value(model: Model, states: Sequence[int], kind: Any = RationalMatrix) -> Any:
    """h (m×1) at the states, up to a constant: (I − P)h + ρ1 = r under the target policy, ρ its average reward.

    Exact or in balls; None where from these states more than one recurrent class is reached (then h is not unique up to
    a constant), or that is not known. Source: Puterman, *Markov Decision Processes*, 1994, section 8.2.
    """
    ones = RationalMatrix.column([1] * model.n)
    reached = replace(model, discounts=(ones,) * len(model.actions)).reached_by_target(states)
    kernel, n = model.target_kernel, len(reached)
    one = RationalMatrix.column([1] * n)
    rows = (kernel.P.identity(n) - kernel.P.take(reached, reached)).beside(one).rows
    bordered = RationalMatrix([*rows, [*[1] * n, 0]])  # the sum of h is zero
    right = RationalMatrix.column([*kernel.r.take(rows=reached).column_entries(), 0])
    try:
        solved = kind.enclosing(bordered).solve(kind.enclosing(right))
    except SingularMatrixError:
        return None
    return solved.take(rows=[reached.index(s) for s in states])


def rest_point(keys: KeyMatrices[RationalMatrix]) -> RationalMatrix | None:
    """θ* (d×1), None where A is singular."""
    try:
        return keys.theta_star
    except SingularMatrixError:
        return None


def predictions(model: Model, states: tuple[int, ...]) -> RationalMatrix | None:
    """Φθ* (n×1) for every state where it is unique, whether θ* is or not."""
    theta = rest_point(theorem_matrices(model, states))
    if theta is not None:
        return model.features @ theta
    reduced = reduce_features(model, states)
    if reduced is None:
        return RationalMatrix.zeros(model.n, 1) if model.features.is_zero() else None
    if model.features.rank > reduced.model.d:
        return None
    inner = rest_point(theorem_matrices(reduced.model, states))
    return None if inner is None else reduced.model.features @ inner


def fixed_point_error_squared(model: Model, states: tuple[int, ...], value: RationalMatrix) -> Fraction | None:
    """‖Φθ* − V‖²_D on a recurrent class, None where Φθ* is not unique there: other states have no weight in it."""
    keys, predicted = theorem_matrices(model, states), predictions(model, states)
    if predicted is None and not model.uncovered_when_recurrent:  # the target policy does not leave the class
        reduced = reduce_features(model, states)
        if reduced is None:
            return squared_norm(keys, value)
        theta = rest_point(theorem_matrices(reduced.model, states))
        predicted = None if theta is None else reduced.model.features @ theta
    return None if predicted is None else squared_norm(keys, predicted - value)


def projection_error_squared(model: Model, states: tuple[int, ...], value: RationalMatrix) -> Fraction:
    """‖V − ΠV‖²_D on a recurrent class."""
    reduced = reduce_features(model, states)
    keys = theorem_matrices(model, states)
    norm = squared_norm(keys, value)
    if reduced is None:
        return norm
    inner = theorem_matrices(reduced.model, states)
    g = reduced.model.features.T @ value.scale_rows(keys.d)
    return norm - (g.T @ inner.C.solve(g))[0, 0]


def modulus(schedule: Schedule, gamma: Fraction) -> Fraction | None:
    """κ = Σ w_n γⁿ with γ the largest discount; None where the series has no sum."""
    return None if schedule.tail * gamma == 1 else schedule.kappa(gamma)


def bound_factor(on_policy: bool, schedule: Schedule, gamma: Fraction) -> Fraction | None:
    """1/(1 − κ²), by which the squared error may exceed the projection's; None where ``error_bound`` says nothing.

    ``gamma``: the largest discount.
    """
    kappa = modulus(schedule, gamma)
    in_unit_interval = all(0 <= x <= 1 for x in (*schedule.lambdas, schedule.tail))
    if not (on_policy and in_unit_interval) or kappa is None or kappa >= 1:
        return None
    return 1 / (1 - kappa * kappa)


def squared_norm(keys: KeyMatrices[RationalMatrix], vector: RationalMatrix) -> Fraction:
    """‖v‖²_D."""
    return (vector.T @ vector.scale_rows(keys.d))[0, 0]
