r"""Sparse kernels applied to tall blocks of columns, every rounding bounded in the maximum norm.

A :class:`Columns` stands for all n×k blocks X̃ with |X̃_ij − X_ij| ≤ e_j: one bound a column, because a stochastic
matrix does not expand the maximum norm, so that e passes through a product with N = diag(γ)P unchanged but for the
factor max γ. That keeps the memory at one block and the bound within a small multiple of what n-fold entry-wise
bounds would give.

What it rests on, with u and γ_k of :mod:`tdcert.theory.arithmetic.float_enclosures` (rules 1, 2, 4 there hold for
SciPy's sparse products as well: each entry of WX is a sum of at most k products, k the longest row of W):

1. P_ij = W_ij (1 + η), |η| ≤ ε_i, W the stored floats: ε covers that the rows of W sum to one only nearly, and how W
   was made.
2. |fl(W X)_ij − (P X)_ij| ≤ (γ_{k+2} + ε_i(1 + γ_{k+2})) Σ_l W_il |X_lj|, k the length of row i; and Σ_l W_il ≤ 1 +
   2ε_i, since Σ_l P_il = 1. Two roundings are left for the factor γ_i and its own error as a float.
3. Bounds are computed from non-negative floats without subtractions that matter, by expressions of depth at most 2²²:
   :func:`upward` lifts the result by 1 + 2⁻³⁰ > (1 − u)^{−2²²}, and by 2⁻⁹⁶⁰ for what underflow could lose.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from tdcert.theory.arithmetic.float_enclosures import UNIT, Floats

Bound = TypeVar("Bound", float, Floats)

LARGEST_DEPTH = 2**22
"""Longest chain of roundings in a bound, and so the largest number of states."""


def upward(bound: Bound) -> Bound:
    """At least the value of the non-negative expression of depth up to 2²² that ``bound`` was computed from."""
    return bound * (1.0 + 2.0**-30) + 2.0**-960


def gammas(counts: Any) -> Floats:
    """γ_k for an array of k's up to 2²², rounded up."""
    many: Floats = np.asarray(counts, dtype=np.float64)
    return many * (UNIT * (1.0 + 2.0**-30))


@dataclass(frozen=True, eq=False)
class Columns:
    """An n×k block of floats ``mid`` and an error bound for each column, ``error`` (k,); never infinite ones."""

    mid: Floats
    error: Floats

    @staticmethod
    def exactly(block: Floats) -> Columns:
        """A block without error."""
        return Columns(block, np.zeros(block.shape[1]))

    @property
    def largest(self) -> Floats:
        """‖X_j‖_∞ of the midpoints, (k,)."""
        sizes: Floats = np.maximum(self.mid.max(axis=0), -self.mid.min(axis=0))
        return sizes

    def scaled(self, scalar: Fraction | int) -> Columns:
        """``scalar · self``: the scalar as a float is off by u, the product by u."""
        factor = float(scalar)
        size = abs(factor)
        return Columns(self.mid * factor, upward(size * self.error * (1 + 2 * UNIT) + 3 * UNIT * size * self.largest))

    def __add__(self, other: Columns) -> Columns:
        return self._sum(self.mid + other.mid, other)

    def __sub__(self, other: Columns) -> Columns:
        return self._sum(self.mid - other.mid, other)

    def _sum(self, mid: Floats, other: Columns) -> Columns:
        return Columns(mid, upward(self.error + other.error + UNIT * (self.largest + other.largest)))


@dataclass(frozen=True, eq=False)
class SparseKernel:
    """N = diag(γ)P for a stochastic n×n matrix P, through its stored entries.

    ``weights``: SciPy CSR array W ≥ 0 without stored zeros; ``entry_error``: ε (n,) with P_ij = W_ij(1 + η), |η| ≤
    ε_i, for an exactly stochastic P; ``discount``: γ as (n,) floats in [0,1], each off by at most u relatively.
    """

    weights: Any
    entry_error: Floats
    discount: Floats

    @property
    def n(self) -> int:
        """Number of states."""
        return int(self.weights.shape[0])

    @property
    def largest_discount(self) -> float:
        """max γ, rounded up but never above one."""
        return min(1.0, float(self.discount.max()) * (1 + 2 * UNIT))

    @cached_property
    def product_error(self) -> Floats:
        """Relative error (n,) of the rows of a product with non-negative floats (rule 2)."""
        rounding = gammas(np.diff(self.weights.indptr) + 2)
        return upward(rounding + self.entry_error * (1 + rounding))

    def __matmul__(self, X: Columns) -> Columns:
        """N X (rule 2)."""
        mid = self.weights @ X.mid
        mid *= self.discount[:, None]
        worst = float((self.product_error * (1 + 2 * self.entry_error)).max())
        return Columns(mid, upward(self.largest_discount * (X.error + worst * X.largest)))
