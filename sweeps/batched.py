"""Thousands of small float matrices as one: arrays of shape (rows, columns, batch) behind the Matrix protocol.

The formulas of ``tdcert.theory.model.key_matrices`` run on them as they are. Every operation is +, −, ×, ÷ or √, entry
by entry and in a fixed order, so results are the same floats on every machine, however many models share a batch. They
never decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SWEEPS = (0, 0, 1, 5, 6, 8)
"""Rounds of Jacobi rotations by size, the last for all larger: convergence is quadratic, so one round more than enough
in thousands of random matrices puts what is left below rounding."""


@dataclass(frozen=True, eq=False)
class BatchMatrix:
    """One float matrix for each model of a batch, ``array`` of shape (rows, columns, batch); batch 1 serves all."""

    array: Floats

    @property
    def shape(self) -> tuple[int, int]:
        return self.array.shape[0], self.array.shape[1]

    @property
    def T(self) -> BatchMatrix:
        return BatchMatrix(self.array.transpose(1, 0, 2))

    def __matmul__(self, other: BatchMatrix) -> BatchMatrix:
        total = self.array[:, :1] * other.array[None, 0]
        for k in range(1, self.shape[1]):
            total += self.array[:, k, None] * other.array[None, k]
        return BatchMatrix(total)

    def __add__(self, other: BatchMatrix) -> BatchMatrix:
        return BatchMatrix(self.array + other.array)

    def __sub__(self, other: BatchMatrix) -> BatchMatrix:
        return BatchMatrix(self.array - other.array)

    def scaled(self, scalar: Any) -> BatchMatrix:
        """``scalar`` a number, or one for each model."""
        return BatchMatrix((float(scalar) if isinstance(scalar, Fraction) else scalar) * self.array)

    def scale_rows(self, column: BatchMatrix) -> BatchMatrix:
        return BatchMatrix(column.array * self.array)

    def hadamard(self, other: BatchMatrix) -> BatchMatrix:
        return BatchMatrix(self.array * other.array)

    def solve(self, right: BatchMatrix) -> BatchMatrix:
        """By elimination with partial pivoting; where the matrix is singular in floats the result is not finite."""
        n, width = self.shape[0], right.shape[1]
        batch = max(self.array.shape[2], right.array.shape[2])
        rows = np.empty((n, n + width, batch))
        rows[:, :n], rows[:, n:] = self.array, right.array
        every = np.arange(batch)
        for k in range(n):
            pivot = k + np.argmax(np.abs(rows[k:, k]), axis=0)
            kept = rows[k].copy()
            rows[k] = rows[pivot, :, every].T
            rows[pivot, :, every] = kept.T
            rows[k, k:] /= rows[k, k].copy()
            for i in range(n):
                if i != k:
                    rows[i, k:] -= rows[i, k].copy() * rows[k, k:]
        return BatchMatrix(rows[:, n:])

    def block(self, *, right: BatchMatrix, below: BatchMatrix, corner: BatchMatrix) -> BatchMatrix:
        """``[[self, right], [below, corner]]``, of one batch size."""
        top = np.concatenate([self.array, right.array], axis=1)
        bottom = np.concatenate([below.array, corner.array], axis=1)
        return BatchMatrix(np.concatenate([top, bottom], axis=0))

    def identity(self, n: int) -> BatchMatrix:
        return BatchMatrix(np.eye(n)[:, :, None])

    def from_rationals(self, rows: Sequence[Sequence[Fraction]]) -> BatchMatrix:
        return BatchMatrix(np.array([[float(x) for x in row] for row in rows])[:, :, None])

    def symmetric_part(self) -> BatchMatrix:
        """(X + Xᵀ)/2."""
        return (self + self.T).scaled(0.5)

    def trace(self) -> Floats:
        """One trace for each model."""
        total = np.array(self.array[0, 0])
        for i in range(1, self.shape[0]):
            total += self.array[i, i]
        return total


def stationary_law(P: BatchMatrix) -> BatchMatrix:
    """The law d = dP of each chain (n×1), by state reduction without subtractions (Grassmann, Taksar, Heyman 1985).

    Not finite where some state is not left to those before it, which no irreducible chain has.
    """
    n = P.shape[0]
    rows = np.array(P.array)
    for k in range(n - 1, 0, -1):
        out = rows[k, 0].copy()
        for j in range(1, k):
            out += rows[k, j]
        rows[:k, k] /= out
        rows[:k, :k] += rows[:k, k, None] * rows[k, None, :k]
    law = np.zeros((n, rows.shape[2]))
    law[0] = 1.0
    total = law[0].copy()
    for k in range(1, n):
        for i in range(k):
            law[k] += law[i] * rows[i, k]
        total += law[k]
    return BatchMatrix((law / total)[:, None])


def smallest_eigenvalue(S: BatchMatrix) -> Floats:
    """The smallest eigenvalue of each symmetric matrix (n×n), by cyclic Jacobi."""
    diagonal = _diagonalised(np.array(S.array), None)
    least = diagonal[0]
    for value in diagonal[1:]:
        least = np.minimum(least, value)
    return np.asarray(least)


def weakest_direction(S: BatchMatrix) -> Floats:
    """A unit vector of the smallest eigenvalue of each symmetric matrix, shape (n, batch)."""
    n, batch = S.shape[0], S.array.shape[2]
    V = np.repeat(np.eye(n)[:, :, None], batch, axis=2)
    least = np.argmin(_diagonalised(np.array(S.array), V), axis=0)
    return np.asarray(V[:, least, np.arange(batch)])


def _diagonalised(X: Floats, V: Floats | None) -> Floats:
    """The eigenvalues of X (n, batch); X is overwritten, and V multiplied by the rotations where it is given."""
    n = X.shape[0]
    for _ in range(SWEEPS[min(n, len(SWEEPS) - 1)]):
        for p in range(n - 1):
            for q in range(p + 1, n):
                _rotate(X, V, p, q)
    return np.array([X[i, i] for i in range(n)])


def _rotate(X: Floats, V: Floats | None, p: int, q: int) -> None:
    """The rotation in the plane (p, q) that puts X_pq to zero, of the smaller angle."""
    off, gap = X[p, q], X[q, q] - X[p, p]
    size = np.abs(gap) + np.sqrt(gap * gap + 4.0 * off * off)
    t = np.where(size > 0.0, 2.0 * np.where(gap < 0.0, -off, off) / np.where(size > 0.0, size, 1.0), 0.0)
    c = 1.0 / np.sqrt(1.0 + t * t)
    s = t * c
    transposed = [X, X.transpose(1, 0, 2)] if V is None else [X, X.transpose(1, 0, 2), V.transpose(1, 0, 2)]
    for rows in transposed:
        first, second = rows[p].copy(), rows[q].copy()
        rows[p], rows[q] = c * first - s * second, s * first + c * second


def hurwitz_margin(B: BatchMatrix) -> Floats:
    """Positive exactly if all eigenvalues have negative real part (in exact arithmetic): the least of Routh's numbers.

    B is first divided by its norm; zero or less where the matrix is not Hurwitz, not a number where it is none.
    """
    n = B.shape[0]
    norm = np.sqrt((B.T @ B).trace())
    scaled = B.scaled(1.0 / np.where(norm > 0.0, norm, 1.0))
    coefficients = _characteristic(scaled)
    width = n // 2 + 1
    above = np.zeros((width + 1, norm.size))
    below = np.zeros((width + 1, norm.size))
    for i, c in enumerate(coefficients):
        (above if i % 2 == 0 else below)[i // 2] = c
    least = np.full(norm.size, np.inf)
    for _ in range(n):
        least = np.minimum(least, below[0])
        ratio = above[0] / np.where(below[0] > 0.0, below[0], 1.0)
        row = np.zeros_like(above)
        row[:-1] = above[1:] - ratio * below[1:]
        above, below = below, row
    return least


def _characteristic(B: BatchMatrix) -> list[Floats]:
    """Coefficients of det(zI − B), highest power first (Faddeev and LeVerrier)."""
    n = B.shape[0]
    one = B.identity(n)
    found = [np.ones(B.array.shape[2])]
    M = one.scaled(found[0])
    for k in range(1, n + 1):
        product = B @ M
        found.append(product.trace() / -float(k))
        M = product + one.scaled(found[-1])
    return found
