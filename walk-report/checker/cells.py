"""The kind about almost every path in two dimensions: f = log |y| + h, with h constant on cells of directions.

The projective line is cut into cells, the same in every node, by the directions (N, 2k - N) and (N - 2k, N), k < N. A
direction between two cells counts as two, one for each side: f is a function of node, direction and side. A matrix with
det B > 0 keeps the sides, one with det B < 0 exchanges them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, pairwise
from typing import NamedTuple

from . import limits
from .budget import Rejected, spend, spend_products
from .matrices import Matrix, determinant, integers
from .model import Case
from .paths import Class, log, open_class
from .reading import brief, choice, index, items, read_number, read_vector

BITS = 64  # logarithms are enclosed in integers over 2^64
MOST_CELLS = 10**6  # of one node
Direction = tuple[int, int]


class Position(NamedTuple):
    """Where a direction lies, counter-clockwise from 0 to 2N: top / bottom, bottom > 0; cell k is from k to k + 1."""

    top: int
    bottom: int

    @property
    def floor(self) -> int:
        return self.top // self.bottom

    @property
    def ceiling(self) -> int:
        return -(-self.top // self.bottom)


def directions(N: int) -> list[Direction]:
    """The ends of the cells; the last is the first, turned round."""
    return [(N, 2 * k - N) for k in range(N)] + [(N - 2 * k, N) for k in range(N + 1)]


def position(of: Direction, N: int) -> Position:
    x, y = of
    top, bottom = ((x + y) * N, 2 * x) if abs(x) >= abs(y) else ((3 * y - x) * N, 2 * y)
    return Position(top, bottom) if bottom > 0 else Position(-top, -bottom)


def arc(begin: Position, end: Position, N: int) -> tuple[int, int]:
    """The first cell, and the number of cells, from behind one direction to before another one, counter-clockwise."""
    turned = end.top * begin.bottom <= begin.top * end.bottom
    return begin.floor, min(2 * N, end.ceiling + 2 * N * turned - begin.floor)


def arcs(moved: Sequence[Direction], sign: Fraction, N: int) -> list[tuple[int, int]]:
    """The cells that the image of each cell meets, given the images of ends and the sign of the determinant."""
    if not sign:  # one direction, wherever it is not zero: a border is in both cells
        one = position(next((of for of in moved if any(of)), (1, 0)), N)
        return [(one.ceiling - 1, one.floor - one.ceiling + 2)] * (2 * N)
    at = [position(of, N) for of in moved]
    return [arc(a, b, N) if sign > 0 else arc(b, a, N) for a, b in pairwise(at)]


def ratio(a: Direction, b: Direction, u: Direction, v: Direction, upper: bool) -> tuple[int, int]:
    """A bound of |Bx|^2 / |x|^2 over x = (1 - r) a + r b, u = Ba, v = Bb: top and bottom.

    Both are quadratic in r. Their coefficients in the basis (1 - r)^2, 2 r (1 - r), r^2 are |u|^2, u.v, |v|^2 and
    |a|^2, a.b, |b|^2, the latter positive: so the ratio is between the least and the largest ratio of coefficients.
    """
    best = None
    for (s, t), (x, y) in (((u, u), (a, a)), ((u, v), (a, b)), ((v, v), (b, b))):
        top, bottom = s[0] * t[0] + s[1] * t[1], x[0] * y[0] + x[1] * y[1]
        if best is None or (top * best[1] > best[0] * bottom) == upper:
            best = top, bottom
    assert best is not None
    return best


class Cell(NamedTuple):
    """The arc that the image of a cell meets, and 2^(BITS + 1) times the bound of log(|Bx| / |x|) over it."""

    first: int
    length: int
    growth: int


def images(B: Matrix, N: int, upper: bool) -> list[Cell]:
    """What one matrix makes of each cell."""
    (a, b), (c, d) = B.dense()
    bits, ends = B.bits + N.bit_length() + 2, directions(N)
    spend(2 * N * 15_000, 2 * N * (4_000 + 2 * bits))
    spend_products(2 * N * 40, bits, bits)
    moved = [(a * x + b * y, c * x + d * y) for x, y in ends]
    found, square = [], B.denominator**2
    for k, (first, length) in enumerate(arcs(moved, determinant(B), N)):
        top, bottom = ratio(ends[k], ends[k + 1], moved[k], moved[k + 1], upper)
        found.append(Cell(first % (2 * N), length, log(Fraction(top, bottom * square), BITS)[upper]))
    return found


def read_heights(case: Case, found: Class) -> tuple[list[list[int]], int, int]:
    """h of each node and cell in units of 2^-bits, bits, and N."""
    where, count = "witness.heights", index(case.witness["cells"], "witness.cells", 4, MOST_CELLS)
    bits = index(case.witness["bits"], "witness.bits", 0, limits.MAX_BITS + 1)
    if count % 2:
        raise Rejected("witness.cells: the number of cells is to be even")
    heights = []
    for k, row in enumerate(items(case.witness["heights"], where, len(found.members))):
        units, over = integers(read_vector(row, f"{where}[{k}]", count))
        if over != 1:
            raise Rejected(f"{where}[{k}]: integers are needed")
        heights.append(units)
    return heights, bits, count // 2


def path_exponent_cells(case: Case) -> str:
    """Lower: sum p_e (least log(|Bx| / |x|) over the cell + least h of its arc) >= h + bound in each node and cell,
    with no singular B. So E f(y_{n+1}) >= f(y_n) + bound from wherever y_n != 0 is, on either side of a border;
    increments are bounded, so liminf f(y_n) / n >= bound by the law of large numbers for martingales, and
    |f - log |y|| is bounded.

    Upper: the same with "largest" and <=; f(0) is minus infinity, and singular matrices do not matter, as increments
    cut at -K have means of at most the bound for large K.
    """
    found = open_class(case, "bound side", "cells bits heights")
    upper = choice(case.about["side"], "about.side", ["lower", "upper"]) == "upper"
    if found.nodes.size != 2:
        raise Rejected(f"about: differences have the dimension {found.nodes.size}, not 2")
    if not upper and not all(determinant(move.B) for move in found.moves):
        raise Rejected("about.side: a matrix is singular, so some differences become zero")
    heights, bits, N = read_heights(case, found)
    bound, worst = read_number(case.about["bound"], "about.bound"), max if upper else min
    weights, over = integers([move.p for move in found.moves])
    # in units of 2^-unit / over
    unit = max(bits, BITS + 1)
    h = [[x << (unit - bits) for x in row] for row in heights]
    longest = unit + over.bit_length() + max(x.bit_length() for row in h for x in row)
    spend(0, 2 * N * len(h) * (2 * longest + 1_000))
    rest = [[-over * x for x in row] for row in h]
    known: dict[tuple[int, ...], list[Cell]] = {}
    for move, weight in zip(found.moves, weights, strict=True):
        key = (*chain(*move.B.dense()), move.B.denominator)
        if key not in known:
            known[key] = images(move.B, N, upper)
        around, row = h[move.target] * 2, rest[move.source]
        spend_products(6 * 2 * N, longest, longest)
        for k, (first, length, growth) in enumerate(known[key]):
            spend(2_000 + 40 * length)
            row[k] += weight * ((growth << (unit - BITS - 1)) + worst(around[first : first + length]))
    least = bound * over * 2**unit
    if any(x > least if upper else x < least for row in rest for x in row):
        raise Rejected("about.bound: the cells show less")
    return f"on almost every path {words(case, found, bound, upper)}, {found.nodes.words(case)}"


def words(case: Case, found: Class, bound: Fraction, upper: bool) -> str:
    """Which differences have which rate."""
    if upper:
        who, rate, sign = "every difference of two runs", "limsup of log |difference| / n, of at most", ": it dies out"
    else:
        regular = all(determinant(Matrix.identity(2) + K) for _, _, _, K in found.nodes.moves)
        who = f"every difference of two runs{'' if regular else ' under way'} that is not zero"
        rate, sign = "liminf of log |difference| / n, of at least", ": it grows"
    decided = sign if (bound < 0 if upper else bound > 0) else ""
    return f"{who} has a growth rate, {rate} {brief(case.about['bound'])} a step{decided}"
