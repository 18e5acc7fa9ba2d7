r"""Sums of logarithms f = Σ a ½ log yᵀVy whose drift is positive on all directions: floats, which only propose.

With the matrices V of a dictionary given, the drift at a direction is linear in the coefficients a, so a linear
programme finds those with the largest least drift on finitely many directions, Σ a = 1 and Σ |a| at most
:data:`SIZE`. Directions at which the drift found is less are added until it is not much less anywhere
(cutting planes).

The dictionary: with ℓ the left vector of the slowest mode of the mean of Π, or a turn of it, (ℓt)² + w²|t|² + v p² for
several widths w and spreads v. f is nearly log |ℓt|, with its poles smoothed. Where that mode turns, or is not much
slower than the next, ℓ runs through the plane of both. So t is in coordinates in which the mean turns without change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy
from numpy.typing import NDArray

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.enclose.drift_forms import Coordinates, PlainForm, Weighted, mean_of, nearest, rounded_form
from tdcert.theory.enclose.least_mean import least_means

Numbers = NDArray[np.int64]
"""Positions in a dictionary."""

SIZES = (4.0, 10.0, 30.0)
"""Most Σ |a|, tried in turn: the larger, the smaller the boxes on which the drift is then enclosed."""
ROUNDS = 12
"""Most linear programmes of each."""
FIRST, POOL, WORST, KEPT = 200, 5_000, 100, 1_000
"""Directions in the first programme; those among which worse ones are sought; that are added; that stay."""
ENOUGH = 0.6
"""Part of the programme's drift that all directions sought must have."""
LIKELY = 1e-5
"""Words of less probability are left out of the search."""
PLACES = 25
"""Places of z, an odd number, closer at the ends, where one of the block is apart from all others."""
TURNS = (0.0, 0.1, -0.1)
"""Tangents of the angles by which ℓ is turned a little."""
WIDTHS = (0.03, 0.1, 0.3, 1.0), (0.0001, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""w there, and v where there is a block."""
WIDE = (0.2, 0.5, 1.0), (0.02, 0.05, 0.1, 0.3, 1.0)
"""w and v of forms that vary slowly, which are tried first: their logarithms take fewer and larger boxes, and at large
steps, where moves are nearly singular, those of narrow forms have valleys that are narrower than any box.
"""
ANGLES, PLANE_WIDTHS = 12, (0.1, 0.3, 1.0)
"""Angles in the plane of two coordinates, and w there."""
LATTICE = 80
"""Other ℓ, evenly spread, where there is no block."""
THIN = 1e-4
"""Axes that are shorter are none."""
DIGITS = 1e-9
"""Coefficients below it are left out."""


@dataclass(frozen=True)
class DriftFunction:
    """f = Σ ``coefficients`` ½ log of the ``forms``; Σ a = 1 exactly. ``drift``: about the least, in floats."""

    forms: tuple[PlainForm, ...]
    coefficients: tuple[Fraction, ...]
    drift: float


def turned(words: Weighted, start: Coordinates) -> Coordinates:
    """Plain coordinates of which the first runs along the left vector of the slowest mode of the mean, the others
    across it; where it turns, or two modes are all, the second is so long that both move alike.
    """
    frame = slow_frame(mean_of(words, start))
    return start.turned(RationalMatrix([[nearest(float(x)) for x in row] for row in frame]))


def slow_frame(mean: Floats) -> Floats:
    """Rows: the left vector of the eigenvalue with the largest real part, of length one; then, for a pair, the other
    axis of the ellipse that it runs through; in two dimensions what the other left vector has across it; then unit
    vectors.
    """
    values, vectors = np.linalg.eig(mean.T)
    order = np.argsort(-values.real)
    v, n = vectors[:, order[0]], len(mean)
    if abs(values[order[0]].imag) > DIGITS * abs(values[order[0]]):
        v = v * np.exp(-0.5j * np.angle(v @ v))
        rows = [v.real, v.imag]
    else:
        rows = [v.real]
        if n == 2:
            other, unit = vectors[:, order[1]].real, v.real / np.linalg.norm(v.real)
            rows.append(np.linalg.norm(v.real) * (other - (other @ unit) * unit) / np.linalg.norm(other))
    slow = np.array(rows) / np.linalg.norm(rows[0])
    slow = slow[np.linalg.norm(slow, axis=1) > THIN]
    across = np.linalg.qr(np.column_stack([slow.T, np.eye(n)]))[0].T[len(slow) : n]
    return np.concatenate([slow, across])


def dictionary(n: int, block: bool, widths: tuple[Sequence[float], Sequence[float]] = WIDTHS) -> list[PlainForm]:
    """Forms in these coordinates, n of them plain, of these w and v."""
    found = list[PlainForm | None]()
    own, spreads = widths

    def add(line: Floats, width: float) -> None:
        unit = line / np.linalg.norm(line)
        plain = np.outer(unit, unit) + width**2 * np.eye(n)
        found.extend(rounded_form(plain, v) for v in (spreads if block else (1.0,)))

    first = np.eye(n)[0]
    for turn in TURNS:
        for side in np.eye(n)[1:] if turn else np.eye(n)[:1]:
            for width in own:
                add(first + turn * side, width)
    for k in range(1, ANGLES) if n == 2 else ():
        for width in PLANE_WIDTHS:
            add(np.array([np.cos(np.pi * k / ANGLES), np.sin(np.pi * k / ANGLES)]), width)
    if not block:
        for line in scipy.special.ndtri(evenly(LATTICE, n, 0.5)):
            for width in PLANE_WIDTHS:
                add(line, width)
    return [form for form in found if form is not None]


def evenly(count: int, d: int, start: float) -> Floats:
    """Points in the unit cube: Kronecker's sequence of the powers of 1/x, x^(d+1) = x + 1."""
    x = 2.0
    for _ in range(64):
        x = (1 + x) ** (1 / (d + 1))
    return np.asarray((start + np.outer(np.arange(1, count + 1), x ** -np.arange(1.0, d + 1))) % 1)


def directions(count: int, n: int, block: bool, start: float) -> Floats:
    """Directions (t, p) with a largest entry of size one, entries of all sizes from 1 to 10⁻³."""
    width = n + block
    u = evenly(count, width + 1, start)
    x = np.where(u[:, -1:] < 0.5, 1 - u[:, :width], 10 ** (-3 * u[:, :width]))
    x[:, :n] *= np.where(evenly(count, n, start + 0.3) < 0.5, -1.0, 1.0)
    return np.asarray(x / np.abs(x).max(axis=1, keepdims=True))


class Search:
    """The drift of every form of a dictionary, with the ``sign`` that is to be shown."""

    def __init__(self, words: Weighted, at: Coordinates, forms: Sequence[PlainForm], sign: int) -> None:
        self.at, self.sign, self.forms, self.block = at, sign, list(forms), bool(at.block)
        L, projection = at.L.to_float(), at.projection.to_float()
        V = np.array([L.T @ form.plain.to_float() @ L + float(form.spread) * projection for form in forms])
        fixed, self.single = (
            [(float(x.p), at.reduced_floats(V, x.product.to_float())) for x in some if abs(x.p) > LIKELY]
            for some in (words.fixed, words.single)
        )
        self.fixed = [(p, S[:, :-1, :-1] if self.block else S) for p, S in fixed]
        if not self.block:
            return
        most = ((at.m - 1) / at.m) ** 0.5
        pairs = [(-((k / (at.m * (at.m - k))) ** 0.5), ((at.m - k) / (k * at.m)) ** 0.5) for k in range(1, at.m)]
        even = most * np.cos(np.pi * np.arange(PLACES) / (PLACES - 1))
        self.z = np.unique(np.concatenate([np.array(pairs).ravel(), even]))
        self.laws = np.zeros((len(pairs), len(self.z)))  # k of the m coordinates are one number, the others another
        for law, (low, high) in zip(self.laws, pairs, strict=True):
            law[np.argmin(abs(self.z - low))], law[np.argmin(abs(self.z - high))] = (
                high / (high - low),
                -low / (high - low),
            )

    def values(self, X: Floats, keep: Numbers | slice) -> tuple[Floats, Floats]:
        """What of the drift of each form at each direction does not depend on z, and what does, at each z."""
        base = self.sign * sum((p * _logs(X, S[keep]) for p, S in self.fixed), start=np.zeros(1))
        if not self.block:
            return base, np.zeros((len(X), 0, base.shape[1]))
        Y = np.column_stack([np.repeat(X, len(self.z), axis=0), (X[:, -1:] * self.z).ravel()])
        more = self.sign * sum((p * _logs(Y, S[keep]) for p, S in self.single), start=np.zeros(1))
        return base, more.reshape(len(X), len(self.z), -1)

    def drift(self, X: Floats, keep: Numbers, a: Floats) -> Floats:
        """About the least drift at each direction: over some laws of z."""
        base, more = self.values(X, keep)
        return np.asarray(base @ a + ((more @ a) @ self.laws.T).min(axis=1) if self.block else base @ a)

    def rows(self, X: Floats) -> Floats:
        """The drift of each form at each direction, under each of some laws of z."""
        base, more = self.values(X, slice(None))
        if not self.block:
            return base
        return np.asarray((base[:, None] + np.einsum("kz,xzf->xkf", self.laws, more)).reshape(-1, base.shape[1]))

    def worst_rows(self, X: Floats, keep: Numbers, a: Floats) -> Floats:
        """The drift of each form at each direction under the law of z that is worst for these coefficients."""
        base, more = self.values(X, slice(None))
        if not self.block:
            return base
        y, z = more[:, :, keep] @ a, np.tile(self.z, (len(X), 1))
        middle = int(np.argmin(np.abs(self.z)))
        law = least_means(z, y, 1 / self.at.m, (0, middle, len(self.z) - 1))
        return np.asarray(base + np.einsum("xk,xkf->xf", law.weights, more[np.arange(len(X))[:, None], law.points]))


def _logs(X: Floats, S: Floats) -> Floats:
    i, j = np.triu_indices(X.shape[1])
    flat = S[:, i, j] * np.where(i == j, 1.0, 2.0)
    found = (X[:, i] * X[:, j]) @ flat.T
    np.maximum(found, np.finfo(float).tiny, out=found)
    np.log(found, out=found)
    found *= 0.5
    return np.asarray(found)


def best_coefficients(rows: Floats, size: float) -> tuple[Floats, float] | None:
    """a with Σ |a| ≤ ``size`` and the largest least drift on the rows, and that; None where the solver fails."""
    n, count = rows.shape
    left = np.zeros((n + 1, 2 * count + 1))
    left[:n, :count], left[:n, count:-1], left[:n, -1] = -rows, rows, 1
    left[n, :-1] = 1
    one = np.concatenate([np.ones(count), -np.ones(count), [0.0]])
    got = scipy.optimize.linprog(
        np.append(np.zeros(2 * count), -1.0),
        A_ub=left,
        b_ub=np.append(np.zeros(n), size),
        A_eq=one[None],
        b_eq=[1],
        bounds=[(0, None)] * (2 * count) + [(None, None)],
        method="highs",
    )
    return None if got.x is None else (got.x[:count] - got.x[count:-1], float(-got.fun))


def _kinds(X: Floats) -> Numbers:
    """A number for each direction, the same for those of one face, signs and rough sizes."""
    rough = np.sign(X) * np.floor(8 + 2 * np.log10(np.maximum(np.abs(X), 1e-4)))
    return np.asarray(np.unique(rough, axis=0, return_inverse=True)[1].ravel())


def _worse(search: Search, X: Floats, keep: Numbers, a: Floats, start: float) -> Floats:
    """From each direction to a near one with less drift, a few times."""
    width, least = X.shape[1], search.drift(X, keep, a)
    for k in range(5):
        u = evenly(12 * len(X), width + 1, start + 0.07 * k)
        Y = np.repeat(X, 12, axis=0)
        Y = Y + (2 * u[:, :-1] - 1) * np.maximum(np.abs(Y), 0.01) * 10.0 ** (-0.3 - 0.3 * k - u[:, -1:])
        Y[:, search.at.n :] = np.abs(Y[:, search.at.n :])
        Y /= np.abs(Y).max(axis=1, keepdims=True)
        found = search.drift(Y, keep, a).reshape(len(X), 12)
        best = found.argmin(axis=1)
        X = np.where((found.min(axis=1) < least)[:, None], Y.reshape(len(X), 12, width)[np.arange(len(X)), best], X)
        least = np.minimum(least, found.min(axis=1))
    return X


class Proposals:
    """Sums of logarithms with positive drift (``sign`` 1), or negative (−1), on all directions that are sought, one
    after the other: a direction on which the last one failed is given back.
    """

    def __init__(
        self, words: Weighted, at: Coordinates, sign: int, widths: tuple[Sequence[float], Sequence[float]] = WIDTHS
    ) -> None:
        self.search = Search(words, at, dictionary(at.n, bool(at.block), widths), sign)
        self.rows = self.search.rows(directions(FIRST, at.n, self.search.block, 0.5))
        self.pool = directions(POOL, at.n, self.search.block, 0.1)
        self.sizes, self.rounds = list(SIZES), 0
        self.last: tuple[float, Numbers, Floats] | None = None

    def next(self, failed: Floats | None = None) -> DriftFunction | None:
        """The next one, None where none is found. ``failed``: a direction on which the last one did."""
        if failed is not None and self.last is not None:
            _, keep, a = self.last
            X = np.concatenate([failed[None], _worse(self.search, failed[None], keep, a, 0.4)])
            self.rows = np.concatenate([self.rows, self.search.worst_rows(X, keep, a)])
        self.last = None
        for _ in range(ROUNDS):
            got = best_coefficients(self.rows, self.sizes[0])
            while (got is None or got[1] <= 0) and len(self.sizes) > 1:
                del self.sizes[0]
                got, self.last = best_coefficients(self.rows, self.sizes[0]), None
            if got is None or got[1] <= 0:
                break
            keep = np.flatnonzero(np.abs(got[0]) > DIGITS)
            least, new = self._worst(keep, got[0])
            if least > 0 and (self.last is None or least > self.last[0]):
                self.last = least, keep, got[0][keep]
            if least > ENOUGH * got[1]:
                break
            self.rows = np.concatenate([self.rows[np.argsort(self.rows @ got[0])[:KEPT]], new])
        if self.last is None:
            return None
        least, keep, a = self.last
        numbers = [Fraction(round(float(x) * 2**40), 2**40) for x in a]
        largest = max(range(len(a)), key=lambda i: abs(a[i]))
        numbers[largest] += 1 - sum(numbers)
        return DriftFunction(tuple(self.search.forms[i] for i in keep), tuple(numbers), least)

    def _worst(self, keep: Numbers, whole: Floats) -> tuple[float, Floats]:
        """About the least drift on all directions, and the rows of those that have nearly as little."""
        a = whole[keep]
        drift = self.search.drift(self.pool, keep, a)
        order = np.argsort(drift)
        first = order[np.unique(_kinds(self.pool)[order], return_index=True)[1]]  # the worst of each kind
        begin = self.pool[first[np.argsort(drift[first])][:WORST]]
        X = _worse(self.search, begin, keep, a, 0.2 + 0.013 * self.rounds)
        self.rounds += 1
        self.pool = np.concatenate([self.pool, X])
        new = self.search.worst_rows(X, keep, a)
        return float((new @ whole).min()), new
