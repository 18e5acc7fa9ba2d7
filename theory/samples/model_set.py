r"""A set of models over which sums of entries of A are bounded: what verdicts about all of a set are made of.

Sums Σ W_kl A_kl over the set: with u_s = Wᵀφ_s they are Σ_s d_s (Σ_j N_sj Y_j·u_s − φ_s·u_s), the mean under the
behaviour chain of what a state gives linearly, where Y = (1 − λ_1)Φ + λ_1 M(λ_2, …)Φ lies in a box, found by Horner's
rule on intervals. Kinds of sets say how far such a mean reaches: :mod:`tdcert.theory.samples.sampled_model` that of
counts, :mod:`tdcert.theory.samples.around_set` that of the models around one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.model.key_matrices import apply_M
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.samples.intervals import IntervalMatrix, rounded_down, rounded_up

Asked = tuple[list[Fraction], list[list[Fraction]]]
"""What leaving each state is worth (n numbers), and what coming to each from it is (n×n)."""


class ModelSet(ABC):
    """Models of one set of states, features (n×d) and λ's in [0, 1]."""

    features: RationalMatrix
    schedule: Schedule

    @property
    @abstractmethod
    def core(self) -> tuple[int, ...]:
        """States that every model visits for ever, all in its only recurrent class; empty where none is known."""

    @property
    @abstractmethod
    def in_unit(self) -> Self:
        """This set with features divided by a power of two, the largest about one: A becomes a positive multiple."""

    @property
    @abstractmethod
    def kernel(self) -> Any:
        """N over the set, as ``kernel @ X`` for a matrix of intervals."""

    @property
    @abstractmethod
    def central_A(self) -> RationalMatrix:
        """A (d×d) in the middle of the set."""

    @property
    @abstractmethod
    def central_C(self) -> NDArray[np.float64]:
        """C = ΦᵀDΦ (d×d) there, in floats."""

    @abstractmethod
    def potential(self, W: RationalMatrix) -> list[int]:
        """The vector h (n numbers) by which Σ W_kl A_kl is bounded from above, in multiples of 1/UNIT of
        :mod:`tdcert.theory.samples.extremes`.
        """

    @abstractmethod
    def most(self, W: RationalMatrix) -> Fraction:
        """An upper bound of Σ W_kl A_kl over the set (W d×d), by that vector."""

    @cached_property
    def ahead(self) -> IntervalMatrix:
        """A box (n×d) that holds Y, what the first step bootstraps from, of every model; the schedule has an end."""
        Phi: Any = IntervalMatrix.around(self.features)
        if not self.schedule.lambdas:
            return cast(IntervalMatrix, Phi)
        N: Any = self.kernel
        first, *others = self.schedule.lambdas
        inner = cast(IntervalMatrix, apply_M(N, others, Fraction(0), Phi))
        return cast(IntervalMatrix, Phi).scaled(1 - first) + inner.scaled(first)

    @cached_property
    def A(self) -> IntervalMatrix:
        """A box (d×d) that holds A = ΦᵀD(M − I)Φ of every model of the set; the schedule has an end."""
        return self.times(self.features.identity(self.features.shape[1]))

    def times(self, left: RationalMatrix) -> IntervalMatrix:
        """A box (d×d) that holds LA of every model of the set, L d×d: narrower than L times the box of A."""
        d = left.shape[0]
        ends = [self.ends(W) for W in self.product_weights(left)]
        return _box_of([ends[k * d : (k + 1) * d] for k in range(d)])

    @staticmethod
    def product_weights(left: RationalMatrix) -> list[RationalMatrix]:
        """For each entry of LA, row by row, the W with Σ W_kl A_kl (d×d)."""
        d = left.shape[0]
        return [_placed(left.rows[k], j) for k in range(d) for j in range(d)]

    def form(self, X: RationalMatrix, T: RationalMatrix) -> IntervalMatrix:
        """A box (d×d) that holds Tᵀ(XA + AᵀX)T of every model of the set, X symmetric."""
        d, weights = X.shape[0], iter(self.form_weights(X, T))
        upper = {(k, j): self.ends(next(weights)) for k in range(d) for j in range(k, d)}
        return _box_of([[upper[min(k, j), max(k, j)] for j in range(d)] for k in range(d)])

    @staticmethod
    def form_weights(X: RationalMatrix, T: RationalMatrix) -> list[RationalMatrix]:
        """For each entry (k, j), k ≤ j, of Tᵀ(XA + AᵀX)T, row by row, the W with Σ W_kl A_kl (d×d)."""
        d, XT = X.shape[0], X @ T

        def weights(k: int, j: int) -> RationalMatrix:
            first = XT.take(columns=[k]) @ T.take(columns=[j]).T
            return first + XT.take(columns=[j]) @ T.take(columns=[k]).T

        return [weights(k, j) for k in range(d) for j in range(k, d)]

    def ends(self, W: RationalMatrix) -> tuple[Fraction, Fraction]:
        """Bounds of Σ W_kl A_kl over the set (W d×d)."""
        return rounded_down(-self.most(-W)), rounded_up(self.most(W))

    def asked(self, W: RationalMatrix) -> Asked:
        """What leaving each state is worth in Σ W_kl A_kl, and what coming to each from it is."""
        by_state = (self.features @ W).rows
        c, worth = [], []
        for phi, u in zip(self.features.rows, by_state, strict=True):
            c.append(-sum((x * y for x, y in zip(phi, u, strict=True)), start=Fraction(0)))
            used = [(k, x) for k, x in enumerate(u) if x]
            worth.append(
                [
                    sum((x * (high if x > 0 else low)[k] for k, x in used), start=Fraction(0))
                    for low, high in zip(self.ahead.lower, self.ahead.upper, strict=True)
                ]
            )
        return c, worth


def _placed(column: tuple[Fraction, ...], j: int) -> RationalMatrix:
    """The d×d matrix with this column at place j, and zeros."""
    return RationalMatrix([[x if i == j else Fraction(0) for i in range(len(column))] for x in column])


def _box_of(ends: list[list[tuple[Fraction, Fraction]]]) -> IntervalMatrix:
    return IntervalMatrix(
        tuple(tuple(low for low, _ in row) for row in ends), tuple(tuple(high for _, high in row) for row in ends)
    )
