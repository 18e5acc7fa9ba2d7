r"""A, b, C of a large sparse model as enclosed d×d matrices.

M Φ and S r come from the same Horner steps as everywhere (:mod:`tdcert.theory.model.key_matrices`), on blocks of
columns with a bound of their error in the maximum norm (:mod:`tdcert.theory.arithmetic.sparse_products`): one sparse
product for each λ, and one block in memory.

The law d is known as x with ‖x − d‖_1 ≤ δ. For Ỹ = Y + E, |E_sj| ≤ e_j, the sum ΦᵀDỸ differs from fl(Φᵀ(x ∘ Y)) by
at most

    γ_T q_i y_j  +  (1 + γ_T) q_i e_j  +  δ f_i (y_j + e_j),    q_i = Σ_s x_s |φ_i(s)|,  f_i = max |φ_i|,  y_j = max
    |Y_j| :

T roundings, one of Φ among them, of a sum that is taken in chunks (rule 2 of
:mod:`tdcert.theory.arithmetic.float_enclosures`, one product more for x), the error of Y under the weights x, and the
error of the law against the largest values.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import numpy as np

from tdcert.theory.arithmetic.float_enclosures import UNIT, Floats, MidRadMatrix, gamma
from tdcert.theory.arithmetic.sparse_products import Columns, SparseKernel, upward
from tdcert.theory.enclose.sparse_law import EnclosedLaw, Mass
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.model.key_matrices import apply_M, apply_S
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.model.sparse_model import SparseModel

BLOCK = 16
"""Feature columns that pass through Horner's rule together."""

CHUNK = 2**10
"""States summed before a chunk's sum is added to the total."""

SERIES = 20_000
"""Most terms of the series of a schedule without end."""


def sparse_S(N: SparseKernel, schedule: Schedule, X: Columns) -> Columns:
    """S X; raises :class:`BudgetExceededError` where the series of a schedule without end converges too slowly."""
    if schedule.tail:
        return _series(N, schedule.tail, X)
    return cast(Columns, apply_S(cast(Any, N), schedule.lambdas, Fraction(0), cast(Any, X)))


def sparse_M(N: SparseKernel, schedule: Schedule, X: Columns) -> Columns:
    """M X; M = (1 − λ) N S for a schedule without end. Errors as :func:`sparse_S`."""
    if schedule.tail:
        return _series(N, schedule.tail, (N @ X).scaled(1 - schedule.tail))
    return cast(Columns, apply_M(cast(Any, N), schedule.lambdas, Fraction(0), cast(Any, X)))


def key_matrices(model: SparseModel, law: EnclosedLaw) -> tuple[MidRadMatrix, MidRadMatrix, MidRadMatrix]:
    """A (d×d), b (d×1) and C (d×d) of the theorem: target kernel, behaviour law. Errors as :func:`sparse_S`."""
    N, schedule = model.target_kernel, model.schedule
    weigher = Weigher(model.features, law)
    rounded = model.rounding("features")
    A, C = [], []
    for j in range(0, model.d, BLOCK):
        Phi = Columns.exactly(np.ascontiguousarray(model.features[:, j : j + BLOCK]))
        Phi = replace(Phi, error=upward(rounded * Phi.largest)) if rounded else Phi
        C.append(weigher.sum(Phi))
        A.append(weigher.sum(sparse_M(N, schedule, Phi) - Phi))
    r, error = model.expected_reward
    b = weigher.sum(sparse_S(N, schedule, Columns(r, np.array([error]))))
    return _beside(A), b, _beside(C)


class Weigher:
    """Sums ΦᵀDY over states, Φ (n×d, each entry rounded once at most, or off by ``error`` (d,) in a column) and D
    fixed; ``sizes`` (d,): upper bounds of Σ_s |x_s φ_i(s)|.
    """

    def __init__(self, Phi: Floats, law: Mass, error: Floats | None = None) -> None:
        self.Phi, self.law = Phi, law
        self.off = 0.0 if error is None else error * (upward(float(np.abs(law.mid).sum())) + law.distance)
        self.largest = np.maximum(Phi.max(axis=0), -Phi.min(axis=0))
        sizes = np.zeros(Phi.shape[1])
        for rows in self._chunks():
            sizes += np.abs(law.mid[rows]) @ np.abs(Phi[rows])
        self.sizes = upward(sizes)

    def _chunks(self) -> list[slice]:
        return [slice(s, s + CHUNK) for s in range(0, self.Phi.shape[0], CHUNK)]

    def sum(self, Y: Columns) -> MidRadMatrix:
        """ΦᵀDY (d×k); the bound is derived in the module's docstring.

        x_s Y_sj, and the factors of the bound, may underflow before φ_i makes them large again: each of at most 2²²
        terms loses 2⁻¹⁰⁷⁴ times f_i.
        """
        total = np.zeros((self.Phi.shape[1], Y.mid.shape[1]))
        for rows in self._chunks():
            total += self.Phi[rows].T @ (self.law.mid[rows, None] * Y.mid[rows])
        rounding = gamma(min(CHUNK, len(self.Phi)) + len(self._chunks()) + 3)
        inside = rounding * Y.largest + (1 + rounding) * Y.error
        whole = Y.largest + Y.error
        beyond = self.law.distance * whole + 2.0**-1040
        bound = np.outer(self.sizes, inside) + np.outer(self.largest, beyond)
        return MidRadMatrix(total, upward(bound if isinstance(self.off, float) else bound + np.outer(self.off, whole)))


def _series(N: SparseKernel, tail: Fraction, X: Columns) -> Columns:
    """(I − λN)^{-1} X."""
    return _fixed_point(N, tail, X, X.mid)


def _fixed_point(N: SparseKernel, factor: Fraction, X: Columns, start: Floats) -> Columns:
    """The Y with Y = X + λNY, q = λ max γ < 1: for any Ŷ, ‖Y − Ŷ‖ ≤ ‖X + λNŶ − Ŷ‖ / (1 − q)."""
    q = upward(float(factor) * N.largest_discount * (1 + 2 * UNIT))
    if not q < 1:
        raise BudgetExceededError("λγ is not below one: the sum of the trace has no bound")
    gap = float(np.nextafter(1 - q, 0))
    Y = Columns.exactly(start)
    last = np.inf
    for _ in range(SERIES):
        image = X + (N @ Y).scaled(factor)
        residual = image - Y
        distance = float((residual.largest + residual.error).max())
        if not np.isfinite(distance):
            raise BudgetExceededError("the terms of the series leave the range of floats")
        if distance > last * (1 - gap / 4) or distance <= 2 * float(image.error.max()):
            return Columns(Y.mid, upward((residual.largest + residual.error) / gap))
        last, Y = distance, Columns.exactly(image.mid)
    raise BudgetExceededError(f"the series of a schedule without end needs more than {SERIES} terms")


def _beside(blocks: list[MidRadMatrix]) -> MidRadMatrix:
    return MidRadMatrix(np.hstack([x.mid for x in blocks]), np.hstack([x.rad for x in blocks]))
