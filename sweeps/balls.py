"""Floats with a bound of their error, for whole batches: what is decided by them is ``enclosed``.

Every operation adds a bound of its own rounding to what the errors of its operands make of it (running error analysis:
Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, §3.3); :data:`COVER` covers the roundings of the bound
itself. Where a divisor may be zero, or a number leaves the floats, the error is infinite and nothing is decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tdcert.sweeps.batched import Floats

UNIT, TINY = 2.0**-53, 2.0**-1000
COVER = 1 + 2.0**-40
"""The factor for the bound of one operation; fewer than 2¹² roundings make that bound, each off by 2⁻⁵³ at most."""


@dataclass(frozen=True, eq=False)
class Ball:
    """|exact − ``value``| ≤ ``error``, entry by entry; arrays of one shape, or such that fit together."""

    value: Floats
    error: Floats

    @staticmethod
    def of(x: Any) -> Ball:
        """Whole numbers below 2⁵³ as they are; a fraction is rounded once."""
        if isinstance(x, Fraction):
            return Ball(np.float64(x), np.float64(0 if x.denominator == 1 else UNIT * abs(x)) * COVER + TINY)  # type: ignore[arg-type]
        value = np.asarray(x, dtype=np.float64)
        return Ball(value, np.zeros_like(value))

    def __add__(self, other: Ball) -> Ball:
        value = self.value + other.value
        return Ball(value, COVER * (self.error + other.error + UNIT * np.abs(value)))

    def __neg__(self) -> Ball:
        return Ball(-self.value, self.error)

    def __sub__(self, other: Ball) -> Ball:
        return self + -other

    def __mul__(self, other: Ball) -> Ball:
        value = self.value * other.value
        spread = (np.abs(self.value) + self.error) * other.error + self.error * np.abs(other.value)
        return Ball(value, COVER * (spread + UNIT * np.abs(value)) + TINY)

    def __truediv__(self, other: Ball) -> Ball:
        least = np.abs(other.value) - other.error
        with np.errstate(all="ignore"):
            value = self.value / other.value
            spread = (self.error + np.abs(value) * other.error) / (least * (1 - 2 * UNIT))
            error = COVER * (spread + UNIT * np.abs(value)) + TINY
        return Ball(value, np.where((least > 0) & np.isfinite(error), error, np.inf))

    def __abs__(self) -> Ball:
        return Ball(np.abs(self.value), self.error)

    def __getitem__(self, key: Any) -> Ball:
        return Ball(self.value[key], self.error[key])

    def reshape(self, *shape: int) -> Ball:
        """Entries in another shape."""
        return Ball(self.value.reshape(shape), self.error.reshape(shape))

    @property
    def positive(self) -> Any:
        """Where it is certainly positive."""
        return self.value - self.error * (1 + 2 * UNIT) > 0

    @property
    def negative(self) -> Any:
        """Where it is certainly negative."""
        return (-self).positive

    def sum(self) -> Ball:
        """Over the first axis, in any order: K terms, off by (K − 1) u (1 + K u) Σ|x| at most."""
        slack = len(self.value) * UNIT
        return Ball(self.value.sum(axis=0), COVER * (self.error.sum(axis=0) + slack * np.abs(self.value).sum(axis=0)))


def stacked(parts: Sequence[Ball]) -> Ball:
    """Along a new first axis."""
    shapes = np.broadcast_shapes(*(part.value.shape for part in parts))
    return Ball(*(np.stack([np.broadcast_to(getattr(p, name), shapes) for p in parts]) for name in ("value", "error")))


def stationary(P: Ball) -> Ball:
    """d = dP of each irreducible chain, (n, n, batch) → (n, batch), without subtractions (Grassmann et al. 1985)."""
    n = P.value.shape[0]
    rows = [[P[i, j] for j in range(n)] for i in range(n)]
    for k in range(n - 1, 0, -1):
        out = stacked(rows[k][:k]).sum()
        for i in range(k):
            rows[i][k] = rows[i][k] / out
            for j in range(k):
                rows[i][j] = rows[i][j] + rows[i][k] * rows[k][j]
    law = [Ball.of(np.ones(P.value.shape[2]))]
    for k in range(1, n):
        law.append(stacked([law[i] * rows[i][k] for i in range(k)]).sum())
    total = stacked(law).sum()
    return stacked([x / total for x in law])


def solved(A: Ball, b: Ball) -> Ball:
    """A⁻¹b, (n, n, batch) and (n, batch) → (n, batch); the error is infinite where A may be singular."""
    n, batch = A.value.shape[0], A.value.shape[2]
    rows = Ball(
        np.concatenate([A.value, b.value[:, None]], axis=1), np.concatenate([A.error, b.error[:, None]], axis=1)
    )
    every = np.arange(batch)
    with np.errstate(all="ignore"):
        for k in range(n):
            pivot = k + np.argmax(np.abs(rows.value[k:, k]), axis=0)
            for part in (rows.value, rows.error):
                part[[k]], part[pivot, :, every] = part[pivot, :, every].T[None], part[k].T.copy()
            top = rows[k] / rows[k, k]
            rows = rows - _column_without(rows, k) * top[None]
            rows.value[k], rows.error[k] = top.value, top.error
    return rows[:, n]


def _column_without(rows: Ball, k: int) -> Ball:
    value, error = rows.value[:, k].copy(), rows.error[:, k].copy()
    value[k] = error[k] = 0.0
    return Ball(value[:, None], error[:, None])


def hurwitz_signs(B: Ball) -> Any:
    """+1 where every eigenvalue of B (n×n×batch) certainly has negative real part, −1 where one certainly has positive
    real part, 0 where that is not decided.

    A monic polynomial with a negative coefficient has a root with positive real part; else Routh's first column
    decides, if none of its numbers may be zero.
    """
    coefficients = _characteristic(B)
    n, batch = B.value.shape[0], B.value.shape[2]
    grown = np.any([c.negative for c in coefficients], axis=0)
    zero = Ball.of(np.zeros(batch))
    above, below = ([*coefficients[k::2], *[zero] * (n + 2)][: n // 2 + 2] for k in (0, 1))
    stable, regular, changes = np.ones(batch, dtype=bool), np.ones(batch, dtype=bool), np.zeros(batch, dtype=bool)
    with np.errstate(all="ignore"):
        for _ in range(n):
            first = below[0]
            stable &= first.positive
            regular &= first.positive | first.negative
            changes |= first.negative
            ratio = above[0] / first
            above, below = below, [x - ratio * y for x, y in zip(above[1:], below[1:], strict=True)] + [zero]
    return np.where(stable, 1, np.where(grown | (regular & changes), -1, 0))


def _characteristic(B: Ball) -> list[Ball]:
    """det(zI − B), highest power first (Faddeev and LeVerrier), each (batch,)."""
    n, batch = B.value.shape[0], B.value.shape[2]
    eye = Ball.of(np.eye(n)[:, :, None])
    found = [Ball.of(np.ones(batch))]
    M = Ball.of(np.repeat(np.eye(n)[:, :, None], batch, axis=2))
    for k in range(1, n + 1):
        product = stacked([B[:, j, None] * M[None, j] for j in range(n)]).sum()
        found.append(stacked([product[i, i] for i in range(n)]).sum() / Ball.of(-float(k)))
        M = product + eye * Ball(found[-1].value[None, None], found[-1].error[None, None])
    return found
