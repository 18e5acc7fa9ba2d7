r"""Drift of sums of logarithms along the products between two visits, in few coordinates.

With V ≻ 0 that no permutation of a block of coordinates changes (:func:`~tdcert.theory.laws.return_words.orbits`; a
block of m, or none), and a product Π that singles out at most the coordinate s of the block, yᵀΠᵀVΠy depends on

    t = L y, the plain coordinates: L y is linear, and sees of the block its mean alone,
    p² = Σ (y_i − mean)² over the block,   q = y_s − mean,

and is a quadratic form in (t, p, q) with p in its square alone. Without a block y = t.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.check.definiteness import is_positive_definite
from tdcert.theory.laws.return_words import Orbits, ReturnWord, ReturnWords

BITS = 24
"""Binary digits of what floats propose."""


@dataclass(frozen=True)
class PlainForm:
    """V = Lᵀ ``plain`` L + ``spread`` (projection of the block onto sums that vanish)."""

    plain: RationalMatrix
    spread: Fraction


@dataclass(frozen=True)
class Coordinates:
    """(t, p, q) of words of size D. ``place``: y of plain coordinates (D×n, regular with the spread);
    ``block``, of ``m`` coordinates, empty where there is no symmetry.
    """

    place: RationalMatrix
    block: tuple[int, ...]

    @property
    def n(self) -> int:
        """The number of plain coordinates."""
        return self.place.shape[1]

    @property
    def m(self) -> int:
        """The size of the block."""
        return len(self.block)

    @classmethod
    def plain_of(cls, size: int, block: tuple[int, ...]) -> Coordinates:
        """The mean of the block, times about the root of m, and all other coordinates."""
        others = [i for i in range(size) if i not in block]
        columns = [[Fraction(int(i == k)) for i in range(size)] for k in others]
        if block:
            unit = nearest(len(block) ** -0.5)
            columns.insert(0, [unit * (i in block) for i in range(size)])
        return cls(RationalMatrix(columns).T, block)

    def turned(self, rows: RationalMatrix) -> Coordinates:
        """With the plain coordinates ``rows`` t (n×n, regular) in place of t."""
        return Coordinates(self.place @ rows.solve(rows.identity(self.n)), self.block)

    @cached_property
    def L(self) -> RationalMatrix:
        """t of y (n×D)."""
        square = self.place.T @ self.place
        return square.solve(self.place.T)  # columns of the block are equal there, so this sees its mean alone

    @cached_property
    def projection(self) -> RationalMatrix:
        """The form p²."""
        size, m = self.place.shape[0], max(1, self.m)
        inside = [i in self.block for i in range(size)]
        return RationalMatrix(
            [
                [
                    Fraction(int(i == j)) - Fraction(1, m) if inside[i] and inside[j] else Fraction(0)
                    for j in range(size)
                ]
                for i in range(size)
            ]
        )

    @cached_property
    def axes(self) -> RationalMatrix:
        """y of (t, q), the rest of the block even (D×n or D×(n + 1))."""
        if not self.block:
            return self.place
        first, *rest = self.block
        q = [Fraction(0)] * self.place.shape[0]
        q[first] = Fraction(1)
        for i in rest:
            q[i] = Fraction(-1, self.m - 1)
        return self.place.beside(RationalMatrix.column(q))

    def matrix(self, form: PlainForm) -> RationalMatrix:
        """V."""
        return self.L.T @ form.plain @ self.L + self.projection.scaled(form.spread)

    def reduced(self, V: RationalMatrix, product: RationalMatrix) -> RationalMatrix:
        """yᵀΠᵀVΠy in (t), or (t, p, q)."""
        S = product.T @ V @ product
        X = self.axes.T @ S @ self.axes
        if not self.block:
            return X
        _, i, j, *_ = self.block
        even = S[i, i] - S[i, j]  # of the block's other coordinates, whose squares sum to p² − q² m/(m − 1)
        n = self.n
        rows = [[X[a, b] for b in range(n)] + [Fraction(0), X[a, n]] for a in range(n)]
        rows.append([Fraction(0)] * n + [even, Fraction(0)])
        rows.append([*X.rows[n][:n], Fraction(0), X[n, n] - even * Fraction(self.m, self.m - 1)])
        return RationalMatrix(rows)

    def reduced_floats(self, V: Floats, product: Floats) -> Floats:
        """yᵀΠᵀVΠy in the same coordinates in floats, of many V (K×D×D), to propose."""
        E = self.axes.to_float()
        S = product.T @ V @ product
        X = E.T @ S @ E
        if not self.block:
            return np.asarray(X)
        _, i, j, *_ = self.block
        n, even = self.n, S[:, i, i] - S[:, i, j]
        made, kept = np.zeros((len(V), n + 2, n + 2)), [*range(n), n + 1]
        made[np.ix_(range(len(V)), kept, kept)] = X
        made[:, n + 1, n + 1] -= even * self.m / (self.m - 1)
        made[:, n, n] += even
        return made


def nearest(x: float) -> Fraction:
    """A dyadic with some twenty significant bits."""
    mantissa, exponent = np.frexp(x)
    return Fraction(round(float(mantissa) * 2**BITS), 2**BITS) * Fraction(2) ** int(exponent)


def rounded_form(plain: Floats, spread: float) -> PlainForm | None:
    """The form near it, None where it is not positive definite."""
    rows = [[nearest(float(x)) for x in row] for row in (plain + plain.T) / 2]
    form = PlainForm(RationalMatrix(rows), nearest(spread))
    return form if form.spread > 0 and is_positive_definite(form.plain) else None


@dataclass(frozen=True)
class Weighted:
    """Words with what the sum of logarithms at them is multiplied by in the drift: ``fixed`` once, ``single`` in the
    mean over the coordinates of the block.
    """

    fixed: tuple[ReturnWord, ...]
    single: tuple[ReturnWord, ...]


def weighted(of: ReturnWords, found: Orbits) -> Weighted:
    """The drift E f(Πy) − f(y) as such a sum: of the identity the probability less one."""
    one = of.steps[0].identity(of.size)
    same = sum((word.p for word in found.fixed if word.product == one), start=Fraction(0))
    fixed = [ReturnWord(same - 1, one), *(word for word in found.fixed if word.product != one)]
    single = (ReturnWord(word.p * len(found.block), word.product) for word in found.single)
    return Weighted(tuple(fixed), tuple(single))


def mean_of(words: Weighted, at: Coordinates) -> Floats:
    """The mean of Π − 1 on the plain coordinates (n×n), each of size one at most, in floats: with the few words that
    emphasis has made large there is no mean, and they hardly turn the direction along which differences grow.
    """
    L, place = at.L.to_float(), at.place.to_float()
    total = np.zeros((at.n, at.n))
    for word in (*words.fixed, *words.single):
        # the mean over the block sees of a product that singles out s the same on even vectors, for each s, but for
        # places; the identity moves nothing
        change = L @ word.product.to_float() @ place - np.eye(at.n)
        total += float(word.p) * change / max(1.0, float(np.linalg.norm(change, 2)))
    return np.asarray(total)
