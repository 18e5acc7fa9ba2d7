"""Sets of rows of transition probabilities: intervals, and that they follow from counts.

Theorem (Ville; docs/trust.md says what it rests on). Let the next successor have the law p of a row with k possible
ones, whatever came before; let Q be the product of what a rule gave to what came, N_j times j, n in all. Then Q is
below prod p_j^N_j / delta after every visit, with probability 1 - delta. Two rules are averaged (`Row.mixture`). Of
each entry against the rest, Q' = H(N_j) H(n - N_j) / n!, H(N) = prod over i < N of (i + 1/2). Half of delta is the
row's, half its entries', evenly; of two entries one is enough. As prod p_j^N_j is at most the largest likelihood with
this entry, an entry p with N = N_j is excluded where one of

    Q' share >= parts n! p^N (1 - p)^(n - N),    Q share N^N (n - N)^(n - N) >= 2 prod N_j^N_j p^N (1 - p)^(n - N).

p^N (1 - p)^(n - N) rises up to N/n and falls from there: a lower end of at most N/n that is excluded excludes all below
it, and an upper end all above. Products are enclosed between integers, so no logarithm is needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from . import limits
from .budget import Rejected, spend
from .matrices import integers
from .reading import index, items, read_vector, record, states

BITS = 192  # of the integers between which products lie
BLOCK = 256  # factors that are multiplied at once


@dataclass(frozen=True)
class Size:
    """A positive number between `low` and `high`, times 2^e."""

    low: int
    high: int
    e: int

    @staticmethod
    def of(x: int, over: int = 1) -> Size:
        """x / over."""
        return Size(x, x, 0).trimmed() if over == 1 else Size.of(x) / Size.of(over)

    def trimmed(self) -> Size:
        shift = max(0, self.high.bit_length() - BITS)
        return Size(self.low >> shift, -(-self.high >> shift), self.e + shift) if shift else self

    def __mul__(self, other: Size) -> Size:
        return Size(self.low * other.low, self.high * other.high, self.e + other.e).trimmed()

    def __truediv__(self, other: Size) -> Size:
        low, high = (self.low << 2 * BITS) // other.high, -((-self.high << 2 * BITS) // other.low)
        return Size(low, high, self.e - other.e - 2 * BITS).trimmed()

    def __add__(self, other: Size) -> Size:
        great, small = (self, other) if self.top >= other.top else (other, self)
        if great.top - small.top > 2 * BITS:
            return Size(great.low << BITS, (great.high << BITS) + 1, great.e - BITS).trimmed()
        e = min(great.e, small.e)
        x, y = great.e - e, small.e - e
        return Size((great.low << x) + (small.low << y), (great.high << x) + (small.high << y), e).trimmed()

    def __pow__(self, n: int) -> Size:
        found = Size(1, 1, 0)
        for bit in bin(n)[2:]:
            found = found * found * self if bit == "1" else found * found
        return found

    @property
    def top(self) -> int:
        """The place of the first bit."""
        return self.high.bit_length() + self.e

    def is_at_least(self, other: Size) -> bool:
        """Whether every number of this one is at least every number of the other."""
        if abs(self.top - other.top) > 4:
            return self.top > other.top
        e = min(self.e, other.e)
        return self.low << (self.e - e) >= other.high << (other.e - e)


class Products:
    """n! and H(n) = prod over i < n of (i + 1/2), from those at multiples of BLOCK."""

    def __init__(self) -> None:
        self.tables = [Size(1, 1, 0)], [Size(1, 1, 0)]

    def factors(self, half: bool, begin: int, end: int) -> Size:
        """The product of the numbers i in [begin, end): i + 1, or i + 1/2 as (2i + 1)/2."""
        if half:
            x = Size.of(math.prod(range(2 * begin + 1, 2 * end + 1, 2)))
            return Size(x.low, x.high, x.e - (end - begin))
        return Size.of(math.prod(range(begin + 1, end + 1)))

    def upto(self, n: int, half: bool) -> Size:
        table = self.tables[half]
        spend(150 * max(0, n - BLOCK * len(table)), 8 * max(0, n - BLOCK * len(table)), ahead=True)
        while len(table) * BLOCK <= n:
            spend(150 * BLOCK, 8 * BLOCK)
            begin = (len(table) - 1) * BLOCK
            table.append(table[-1] * self.factors(half, begin, begin + BLOCK))
        begin = n // BLOCK * BLOCK
        spend(150 * BLOCK)
        return table[n // BLOCK] * self.factors(half, begin, n)

    def factorial(self, n: int) -> Size:
        return self.upto(n, False)

    def halves(self, n: int) -> Size:
        """H(n)."""
        return self.upto(n, True)

    def rising(self, n: int, k: int) -> Size:
        """The product over i < n of (i + k/2), k > 1."""
        half = k % 2 == 1
        first = k // 2 if half else k // 2 - 1
        return self.upto(n + first, half) / self.upto(first, half)


def power(x: Fraction, n: int) -> Size:
    """x^n, 0^0 = 1; x is positive where n is."""
    return Size.of(x.numerator, x.denominator) ** n if n else Size(1, 1, 0)


class Row:
    """One row: its possible successors, how often each came, and an interval for each; found to follow from `share`."""

    def __init__(self, value: object, where: str, size: int, share: Fraction, products: Products):
        given = record(value, where, ("possible", "counts", "low", "high"))
        self.where, self.size = where, size
        self.possible = states(given["possible"], f"{where}.possible", size)
        self.k = len(self.possible)
        if self.possible != sorted(self.possible):
            raise Rejected(f"{where}.possible: the states are not in increasing order")
        self.counts = [
            index(x, f"{where}.counts[{i}]", 0, limits.MAX_COUNT)
            for i, x in enumerate(items(given["counts"], f"{where}.counts", self.k))
        ]
        self.n = sum(self.counts)
        self.low, self.high = (read_vector(given[key], f"{where}.{key}", self.k) for key in ("low", "high"))
        if any(not 0 <= a <= b <= 1 for a, b in zip(self.low, self.high, strict=True)):
            raise Rejected(f"{where}: an interval is empty, or leaves [0, 1]")
        if not sum(self.low) <= 1 <= sum(self.high):
            raise Rejected(f"{where}: no law lies in these intervals")
        self.certain = [j for j, x in zip(self.possible, self.low, strict=True) if x > 0]
        ends, self.unit = integers([*self.low, *self.high])
        self.lows, self.widths = ends[: self.k], [b - a for a, b in zip(ends[: self.k], ends[self.k :], strict=True)]
        if self.k > 1:
            self.require_that_ends_follow(share, products)
        elif self.low[0] != 1:
            raise Rejected(f"{where}: the only successor has the probability one")

    def mixture(self, products: Products) -> Size:
        """Q: the mean of the rule (N_j + 1/2)/(n + k/2), and of the rule N_j/(n + 1) for what was seen, an even part
        of 1/(n + 1) for each of the others.
        """
        seen = [x for x in self.counts if x]
        dirichlet, few = Size(1, 1, 0), products.factorial(self.k - len(seen))
        for x in seen:
            dirichlet, few = dirichlet * products.halves(x), few * products.factorial(x - 1)
        few = few / (products.factorial(self.k) * products.factorial(self.n))
        both = dirichlet / products.rising(self.n, self.k) + few
        return Size(both.low, both.high, both.e - 1)

    def require_that_ends_follow(self, share: Fraction, products: Products) -> None:
        n, parts = self.n, 2 * (1 if self.k == 2 else self.k)
        spend(40_000 * self.k)
        of_share, whole = Size.of(share.numerator, share.denominator), products.factorial(n)
        largest = Size(1, 1, 0)
        for x in self.counts:
            largest = largest * Size.of(x) ** x if x else largest
        row = of_share * self.mixture(products)
        known = set[tuple[int, Fraction, bool]]()
        for j, (count, *ends) in enumerate(zip(self.counts, self.low, self.high, strict=True)):
            for p, lower in zip(ends, (True, False), strict=True):
                if p == (0 if lower else 1) or (count, p, lower) in known:
                    continue
                spend(60_000)
                excluded = p * n <= count if lower else p * n >= count
                if excluded:
                    rest = n - count
                    likelihood = power(p, count) * power(1 - p, rest)
                    alone = of_share * products.halves(count) * products.halves(rest)
                    top = power(Fraction(count), count) * power(Fraction(rest), rest)
                    excluded = alone.is_at_least(Size.of(parts) * whole * likelihood)
                    excluded = excluded or (row * top).is_at_least(Size.of(2) * largest * likelihood)
                if not excluded:
                    end = "lower" if lower else "upper"
                    state = self.possible[j]
                    raise Rejected(f"{self.where}: the {end} end of state {state} does not follow from the counts")
                known.add((count, p, lower))

    def most(self, values: Sequence[int]) -> Fraction:
        """The largest sum of p_j values_j over the laws in the intervals."""
        given = [values[j] for j in self.possible]
        total, left = sum(map(int.__mul__, self.lows, given)), self.unit - sum(self.lows)
        for i in sorted(range(self.k), key=given.__getitem__, reverse=True):
            if left <= 0:
                break
            step = min(left, self.widths[i])
            total, left = total + step * given[i], left - step
        return Fraction(total, self.unit)
