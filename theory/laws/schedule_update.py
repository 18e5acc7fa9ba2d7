r"""One update along the trace of a λ-schedule, as a sum of outer products.

With the trace z_t, x_t = γ_tφ_{t+1} − φ_t and the features φ_t, parameters y = (y_1, y_2, …) of d numbers each move by

    y_i' = y_i + Σ step · factor · a (bᵀ y_j)   and   + Σ step · factor · z_t R_{t+1},    abᵀ ∈ {zxᵀ, xzᵀ, φφᵀ}.

The terms of an algorithm are read off its function (:mod:`tdcert.algorithms.schedules`). All that is said of it in
closed form comes from them: the matrices of a transition, and their mean by E zxᵀ = A, E xzᵀ = Aᵀ, E φφᵀ = C.

Source: A(X_t), b(X_t) in §4; updates (tdLambdaSchedule), (offPolicy_z), (GTDLambdaSchedule), (TDCLambdaScehdule).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from tdcert.theory.errors import InputError
from tdcert.theory.laws.nodes import Array
from tdcert.theory.model.key_matrices import BlockMat, Mat
from tdcert.theory.model.mdp import Model

TRACE, CHANGE, PHI, REWARD = "z", "x", "φ", "R"
PRODUCTS = ((TRACE, REWARD), (TRACE, CHANGE), (CHANGE, TRACE), (PHI, PHI))
"""The a and b of terms: those whose means are b, A, Aᵀ and C."""


@dataclass(frozen=True, order=True)
class ScheduleTerm:
    """step · factor · a bᵀ in block row ``row``: ``column`` is the block that b multiplies, −1 where b is the reward.

    ``step``: 0 for α, 1 for β.
    """

    row: int
    step: int
    column: int
    a: str
    b: str
    factor: Fraction = Fraction(1)


@dataclass(frozen=True)
class ScheduleUpdate:
    """An algorithm by its terms. ``blocks``: how many vectors it learns; ``off_policy``: whether ratios ρ weight the
    trace; ``certified_as``: the name under which certificates speak of it; ``two_scales``: whether
    it is meant for α/β → 0.
    """

    name: str
    title: str
    blocks: int
    steps: int
    off_policy: bool
    terms: tuple[ScheduleTerm, ...]
    certified_as: str
    two_scales: bool = False

    def __str__(self) -> str:
        return self.name

    @cached_property
    def follows_error(self) -> tuple[int, ...]:
        """The blocks that a multiple of δ_t z_t moves."""
        return tuple(sorted({term.row for term in self.terms if term.b == REWARD}))

    def require_policies(self, model: Model) -> None:
        """Raises :class:`InputError` where the update ignores a target policy that is another."""
        if not self.off_policy and not model.is_on_policy:
            raise InputError(
                f"on-policy {self.title} ignores the target policy; give a model with equal policies, or an algorithm "
                "with importance ratios"
            )

    def require(self, model: Model) -> None:
        """Raises :class:`InputError` as :meth:`require_policies` does, and for a schedule without end."""
        self.require_policies(model)
        if not model.schedule.is_finite:
            raise InputError("a constant λ without end has no finite window; give the schedule a length")

    def matrices(self, z: Array, x: Array, phi: Array, reward: Array, minus: int = -1) -> tuple[Array, Array]:
        """U and V (E×(D+1)×(D+1)), what α and β multiply in E transitions, from z, x, φ (E×d each) and R (E).

        ``minus`` = +1 turns every subtraction into an addition; x is then to be given that way too.
        """
        count, d = z.shape
        width = self.blocks * d + 1
        found = [np.zeros((count, width, width), dtype=z.dtype) for _ in range(2)]
        if z.dtype == object:
            for matrix in found:
                matrix[:] = Fraction(0)
        vectors, products = {TRACE: z, CHANGE: x, PHI: phi}, dict[tuple[str, str], Array]()
        begun = set[tuple[int, ...]]()
        for term in self.terms:
            a, b = vectors[term.a], reward[:, None] if term.b == REWARD else vectors[term.b]
            if (term.a, term.b) not in products:
                products[term.a, term.b] = _outer(a, b)
            product = products[term.a, term.b]
            size: Any = abs(term.factor)
            if size != 1:
                product = (int(size) if size.denominator == 1 else size) * product
            columns = slice(-1, None) if term.b == REWARD else slice(term.column * d, (term.column + 1) * d)
            place = found[term.step][:, term.row * d : (term.row + 1) * d, columns]
            key = term.step, term.row, term.column
            if term.factor < 0 and minus < 0:
                place[...] = place - product if key in begun else -product
            else:
                place[...] = place + product if key in begun else product
            begun.add(key)
        return found[0], found[1]

    def mean(self, A: BlockMat, C: BlockMat, eta: Fraction) -> BlockMat:
        """J, the mean matrix of all parameters in units of α at β = ηα."""
        return joined(self.mean_blocks(A, A.T, C, eta))

    def mean_blocks(self, A: Mat, AT: Mat, C: Mat, eta: Fraction) -> list[list[Mat]]:
        """The blocks of J; ``AT`` is Aᵀ."""
        parts = {(TRACE, CHANGE): A, (CHANGE, TRACE): AT, (PHI, PHI): C}
        found: dict[tuple[int, int], Mat] = {}
        for term in self.terms:
            if term.b != REWARD:
                part, weight, place = parts[term.a, term.b], term.factor * eta**term.step, (term.row, term.column)
                part = part if weight == 1 else part.scaled(weight)
                found[place] = found[place] + part if place in found else part
        every = range(self.blocks)
        return [[found[i, j] if (i, j) in found else A.scaled(0) for j in every] for i in every]

    def on_blocks(self, W: BlockMat) -> BlockMat:
        """W (d×d) on each vector."""
        zero = W.scaled(0)
        return joined([[W if i == j else zero for j in range(self.blocks)] for i in range(self.blocks)])

    def noise(self, S: BlockMat, eta: Fraction) -> BlockMat:
        """The covariance of the increment in units of α where that of δ_t z_t is S (d×d) and all else is still."""
        sizes = [Fraction(0)] * self.blocks
        for term in self.terms:
            if term.b == REWARD:
                sizes[term.row] += term.factor * eta**term.step
        return joined([[S.scaled(a * b) for b in sizes] for a in sizes])


def joined(blocks: list[list[BlockMat]]) -> BlockMat:
    """One matrix of one block, or of two by two."""
    if len(blocks) == 1:
        return blocks[0][0]
    ((corner, right), (below, last)) = blocks
    return corner.block(right=right, below=below, corner=last)


def _outer(a: Array, b: Array) -> Array:
    if a.dtype != object:
        return np.asarray(a[:, :, None] * b[:, None, :])
    # most traces end at a ratio of zero, many features are zero, and products of fractions are slow
    product = np.full((len(a), a.shape[1], b.shape[1]), Fraction(0), dtype=object)
    edge, i, j = np.nonzero((a != 0)[:, :, None] & (b != 0)[:, None, :])
    product[edge, i, j] = a[edge, i] * b[edge, j]
    return product
