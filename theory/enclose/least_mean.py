r"""The least mean of a function over laws of z with given moments 1, 0 and v, in floats, which only propose.

Among points z_j the laws are w ≥ 0 with Σ w = 1, Σ w z = 0, Σ w z² = v; by duality the least Σ w y is the largest
A + C v for which A + B z + C z² ≤ y at all points. The simplex method keeps three points: w is then determined, and the
multipliers interpolate y. Many functions are taken at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tdcert.theory.arithmetic.float_enclosures import Floats

PIVOTS = 40
"""Most steps."""
NEAR = 1e-9
"""Multipliers that are violated by less than this, of the size of y, are taken."""


@dataclass(frozen=True)
class LeastMeans:
    """For each of k functions: ``B``, ``C``, and three ``points`` (k×3, by number) with their ``weights``."""

    B: Floats
    C: Floats
    points: Floats
    weights: Floats


def least_means(z: Floats, y: Floats, v: float, start: tuple[int, int, int]) -> LeastMeans:
    """The least means of functions y at z (k×n each); the points ``start``, increasing, carry such a law."""
    k = np.arange(len(z))
    points = np.tile(start, (len(z), 1))
    for _ in range(PIVOTS):
        a, b, c = (z[k, points[:, i]] for i in range(3))
        first, second = (_slope(z, y, points[:, i], points[:, i + 1]) for i in range(2))
        C = (second - first) / (c - a)
        B = first - C * (a + b)
        over = y - B[:, None] * z - C[:, None] * z * z
        over -= over[k, points[:, 0], None]
        weights, new = _shares(a, b, c, np.zeros_like(a), v), over.argmin(axis=1)
        active = over[k, new] < -NEAR * (1 + np.abs(y).max(axis=1))
        if not active.any():
            break
        column = _shares(a, b, c, z[k, new], 0.0)
        leaves = column > NEAR
        out = np.where(leaves, np.maximum(weights, 0) / np.where(leaves, column, 1.0), np.inf).argmin(axis=1)
        points[k, out] = np.where(active, new, points[k, out])
        points = np.take_along_axis(points, np.argsort(z[k[:, None], points], axis=1), axis=1)
    return LeastMeans(
        B, C, points, _shares(z[k, points[:, 0]], z[k, points[:, 1]], z[k, points[:, 2]], np.zeros(len(z)), v)
    )


def _slope(z: Floats, y: Floats, i: Floats, j: Floats) -> Floats:
    k = np.arange(len(z))
    away = z[k, j] - z[k, i]
    return np.asarray((y[k, j] - y[k, i]) / np.where(away == 0, np.finfo(float).tiny, away))


def _shares(a: Floats, b: Floats, c: Floats, x: Floats, v: float) -> Floats:
    """What Lagrange's polynomials of a, b, c have as mean under a law with mean x and variance v."""
    return np.stack(
        [
            (v + (x - b) * (x - c)) / ((a - b) * (a - c)),
            (v + (x - a) * (x - c)) / ((b - a) * (b - c)),
            (v + (x - a) * (x - b)) / ((c - a) * (c - b)),
        ],
        axis=1,
    )
