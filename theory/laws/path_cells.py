r"""Both bounds of the exponent in two dimensions, by a function of the direction that is constant on cells.

The jump linear system y_{t+1} = B_t y_t of :mod:`tdcert.theory.laws.path_exponents` with D = 2, on its one recurrent
class. The projective line is cut into 2N cells by the directions (N, 2k − N) and (N − 2k, N), k < N. With a number
h for each node and each cell let f(node, y) = log |y| + h(node, cell of y). For each node and cell c let

    Σ_e p_e (least of log(|B_e x|/|x|) over c + least of h over the arc of cells that B_e c meets) ≥ h(node, c) + λ,

no B_e singular. Then E f(y_{t+1}) ≥ f(y_t) + λ for every y_t ≠ 0: f(y_n) − nλ is a submartingale with bounded
increments, so liminf (1/n) log |y_n| ≥ λ from **every** start other than 0, on almost every path. With "largest" and ≤
limsup (1/n) log |y_n| ≤ λ from every start, singular matrices allowed: f(0) = −∞, and increments cut at −K have means
of at most λ for K large.

**Borders.** Cells have no common points: a direction between two cells counts as two, one for each side of it, and f is
a function of node, direction and side. A matrix with det B > 0 keeps the sides, one with det B < 0 exchanges them. So
the cell between a and b, counter-clockwise, meets the cells from that behind Ba to that before Bb, or from that behind
Bb to that before Ba where det B < 0. The image of a singular matrix is one direction, and takes both cells if that is
a border. Over a cell x = (1 − r)a + r b, and |Bx|²/|x|² is a ratio of two quadratic forms of (1 − r, r), whose
coefficients in the Bernstein basis are |Ba|², Ba·Bb, |Bb|² and |a|², a·b, |b|²; the latter are positive, so that the
ratio is between the least and the largest ratio of coefficients.

Floats search h: an adversary picks a cell of each arc, by modified policy iteration (Puterman and Shin, 1978), with h
of a coarser grid as a start. Arcs and ratios are exact, logarithms are rounded outwards, and the inequality is tested
in integers. Where directions contract the bounds come as near as O(1/N); where a step moves directions by less than a
cell they are far apart.

Sources: drift conditions as in Meyn and Tweedie, *Markov Chains and Stochastic Stability*, 2009, with the law of large
numbers for martingales; Furstenberg and Kifer, 1983, for functions of the direction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.arithmetic.rational import to_fmpq

FEWEST = 8
"""N that is tried first; it is doubled from there."""
BITS = 30
"""The numbers h, and logarithms, are multiples of 2^−BITS; rounding moves a bound by a few of them."""
_HALF = arb(2) ** (BITS - 1)
LARGEST = 2.0**31
"""Numbers h beyond it are not followed: in such units they fill 61 of 64 bits."""
SWEEPS, PATIENCE = 60, 3
"""Most policies that are tried, and how many without an improvement."""
ROUNDS = 100
"""Steps along which one policy is followed, if it does not settle."""
SETTLED, IMPROVED = 1e-7, 1e-9
"""A policy has settled when all h change alike up to the one; an improvement of a bound is more than the other."""
DAMPING = 0.9
"""The part of a step that is taken, so that policies with a period settle as well."""

Places = NDArray[np.int64]


@dataclass(frozen=True)
class CellMove:
    """A move within the class between nodes 0, 1, …, with p and B (2×2)."""

    source: int
    target: int
    p: Fraction
    B: RationalMatrix


@dataclass(frozen=True)
class Cells:
    """Numbers h, in units of 2^−:data:`BITS`, for each node and each of its 2N cells, that show λ₁ ≥ ``bound``, from
    every start other than 0, or λ₁ ≤ ``bound`` (``upper``).
    """

    bound: Fraction
    upper: bool
    heights: tuple[tuple[int, ...], ...]

    @property
    def has_sign(self) -> bool:
        """Whether the bound decides the sign of λ₁."""
        return self.bound < 0 if self.upper else self.bound > 0

    def is_better_than(self, other: Cells) -> bool:
        """Whether of two bounds from the same side this one says more."""
        return self.bound < other.bound if self.upper else self.bound > other.bound


@dataclass(frozen=True)
class Image:
    """What a matrix makes of each of the 2N cells: the arc that it meets, its first cell and its length, and
    log(|Bx|/|x|) over it from below and above, in units. ``low`` is None where some ratio of coefficients is not
    positive: where the matrix is singular, or turns by a right angle within a cell.
    """

    first: Places
    length: Places
    low: Places | None
    high: Places


def directions(N: int) -> list[tuple[int, int]]:
    """The 2N + 1 directions that bound the cells, counter-clockwise from (N, −N) to (−N, N), the same direction."""
    return [(N, 2 * k - N) for k in range(N)] + [(N - 2 * k, N) for k in range(N + 1)]


def place(x: fmpq, y: fmpq, N: int) -> fmpq:
    """Where a direction lies, from 0 to 2N; cell k is between k and k + 1."""
    if abs(x) >= abs(y):
        return (x + y) * N / (2 * x)
    return N + (y - x) * N / (2 * y)


def image(B: RationalMatrix, N: int) -> Image:
    """What B ≠ 0 makes of the 2N cells."""
    (a, b), (c, d) = ([to_fmpq(x) for x in row] for row in B.rows)
    sign = a * d - b * c
    ends = directions(N)
    moved = [(a * x + b * y, c * x + d * y) for x, y in ends]
    if sign == 0:
        u = next(u for u in moved if any(u))
        at = place(*u, N)
        first = np.full(2 * N, int(at.ceil()) - 1)
        length = np.full(2 * N, int(at.floor()) - int(at.ceil()) + 2)
    else:
        places = [place(*u, N) for u in moved]
        begin, end = (places, places[1:]) if sign > 0 else (places[1:], places)
        first, length = np.array([_arc(*pair, N) for pair in zip(begin, end, strict=False)]).T
    low, high = _growth(ends, moved)
    return Image(first % (2 * N), length, np.array(low) if low else None, np.array(high))


def _arc(begin: fmpq, end: fmpq, N: int) -> tuple[int, int]:
    """The first cell and the number of cells from behind ``begin`` to before ``end``, counter-clockwise."""
    last = end if end > begin else end + 2 * N
    first = int(begin.floor())
    return first, min(2 * N, int(last.ceil()) - first)


def _growth(ends: Sequence[tuple[int, int]], moved: Sequence[tuple[fmpq, fmpq]]) -> tuple[list[int], list[int]]:
    """log(|Bx|/|x|) over each cell from below and above, in units; from below nowhere, if not everywhere."""
    at = [(u * u + v * v) / (x * x + y * y) for (x, y), (u, v) in zip(ends, moved, strict=True)]
    least, most = [], []
    for k in range(len(ends) - 1):
        (x, y), (s, t), (u, v), (w, z) = ends[k], ends[k + 1], moved[k], moved[k + 1]
        ratios = at[k], at[k + 1], (u * w + v * z) / (x * s + y * t)
        least.append(min(ratios))
        most.append(max(ratios))
    with precision(2 * BITS):
        return [] if min(least) <= 0 else [_half_log(x, False) for x in least], [_half_log(x, True) for x in most]


def _half_log(x: fmpq, up: bool) -> int:
    """½ log x in units, rounded outwards from the precision that is set."""
    half = arb(x).log() * _HALF
    end = (half.upper().ceil() if up else half.lower().floor()).unique_fmpz()
    assert end is not None
    return int(end)


class CellGrid:
    """The inequality of a system on 2N cells."""

    def __init__(self, moves: Sequence[CellMove], count: int, N: int, images: dict[RationalMatrix, Image]) -> None:
        self.moves, self.count, self.width = moves, count, 2 * N
        self.images = [images[move.B] for move in moves]
        self.source, self.target = (np.array([getattr(m, end) for m in moves]) for end in ("source", "target"))
        self.p = np.array([float(move.p) for move in moves])
        self.is_regular = all(x.low is not None for x in self.images)

    @cached_property
    def _arcs(self) -> tuple[Places, Places, Places]:
        """The cells of all arcs in a row, as numbers of node and cell; where an arc begins; whose each is."""
        first, length = (np.concatenate([getattr(x, key) for x in self.images]) for key in ("first", "length"))
        begin = np.cumsum(length) - length
        owner = np.repeat(np.arange(len(length)), length)
        cell = (first[owner] + np.arange(len(owner)) - begin[owner]) % self.width
        return self.target[owner // self.width] * self.width + cell, begin, owner

    def _growth(self, upper: bool) -> Places:
        """log(|Bx|/|x|) at its worst, of each move (first) and cell, in units."""
        return np.array([x.high if upper else x.low for x in self.images])

    def _worst(self, h: NDArray[Any], upper: bool) -> NDArray[Any]:
        """The worst h of each arc."""
        cells, begin, _ = self._arcs
        found = (np.maximum if upper else np.minimum).reduceat(h.ravel()[cells], begin)
        return np.asarray(found.reshape(len(self.moves), self.width))

    def _picked(self, h: Floats, upper: bool) -> Places:
        """A worst cell of each arc."""
        cells, _, owner = self._arcs
        hits = np.flatnonzero(h.ravel()[cells] == self._worst(h, upper).ravel()[owner])
        _, first = np.unique(owner[hits], return_index=True)
        return np.asarray(cells[hits[first]])

    def proposed(self, upper: bool, h: Floats) -> Floats:
        """The h of the best bound that floats find, from a first h (nodes × cells)."""
        g, size = self._growth(upper) / 2.0**BITS, self.count * self.width
        row = (self.source[:, None] * self.width + np.arange(self.width)).ravel()
        p = np.repeat(self.p, self.width)
        grown: Floats = np.bincount(row, p * g.ravel(), size).astype(np.float64)
        best, found, waited = -np.inf, h, 0
        for _ in range(SWEEPS):
            h = _followed(row, p, self._picked(h, upper), grown, h.ravel()).reshape(h.shape)
            drift = grown + np.bincount(row, p * self._worst(h, upper).ravel(), size) - h.ravel()
            value = -float(drift.max()) if upper else float(drift.min())
            waited = 0 if value > best + IMPROVED else waited + 1
            if value > best:
                best, found = value, h
            if waited == PATIENCE:
                break
        return found

    def shown(self, upper: bool, h: Floats) -> Cells | None:
        """The bound that h shows, rounded to units; None where its numbers are too large."""
        if not h.max() - h.min() < LARGEST:
            return None
        heights = np.rint((h - h.min()) * 2.0**BITS).astype(np.int64)
        moved = np.asarray(self._growth(upper) + self._worst(heights, upper), dtype=object)
        bounds = []
        for node in range(self.count):
            leaving = [k for k, move in enumerate(self.moves) if move.source == node]
            common = lcm(*(self.moves[k].p.denominator for k in leaving))
            total = sum(
                (int(self.moves[k].p * common) * moved[k] for k in leaving), -common * heights[node].astype(object)
            )
            bounds.append(Fraction(max(total) if upper else min(total), common << BITS))
        return Cells(max(bounds) if upper else min(bounds), upper, tuple(tuple(row) for row in heights.tolist()))


def _followed(row: Places, p: Floats, to: Places, grown: Floats, h: Floats) -> Floats:
    """h after some steps of one policy, less what all of it has in common. Moves lead from ``row`` to ``to`` with the
    probability ``p``.
    """
    for _ in range(ROUNDS):
        change = grown + np.bincount(row, p * h[to], len(h)) - h
        h = h + DAMPING * (change - change.mean())
        if np.ptp(change) < SETTLED:
            break
    return h


def refined(moves: Sequence[CellMove], count: int, most: int) -> Iterator[CellGrid]:
    """Grids of more and more cells, as long as moves × cells are at most ``most``."""
    N = FEWEST
    while len(moves) * 2 * N <= most:
        yield CellGrid(moves, count, N, {B: image(B, N) for B in {move.B for move in moves}})
        N *= 2


def by_cells(moves: Sequence[CellMove], count: int, most: int) -> tuple[Cells, ...]:
    """The best bounds from below and above that are found up to the first grid where one has a sign. None where not
    even the coarsest grid is within ``most``, or a matrix is zero; none from below where a matrix is singular.
    """
    if not all(any(x for row in move.B.rows for x in row) for move in moves):
        return ()
    best: dict[bool, Cells] = {}
    last: dict[bool, Floats] = {}
    for grid in refined(moves, count, most):
        for upper in (False, True) if grid.is_regular else (True,):
            first = np.repeat(last[upper], 2, axis=1) if upper in last else np.zeros((count, grid.width))
            last[upper] = grid.proposed(upper, first)
            shown = grid.shown(upper, last[upper])
            if shown is not None and (upper not in best or shown.is_better_than(best[upper])):
                best[upper] = shown
        if any(shown.has_sign for shown in best.values()):
            break
    return tuple(best.values())
