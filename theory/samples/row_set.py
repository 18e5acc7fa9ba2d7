r"""The set of a row of transition probabilities, made of counts, valid at all times at once.

Let a row have k possible successors, counts N_j of what came after it, n = Σ N_j. A rule that gives after any past a
(sub)probability q(j | counts) to the next successor has the product Q of what it gave to what came. If given all that
was before, the next successor has the law p, then M = Q / Π p_j^{N_j} is multiplied at every visit by q/p of what
came, whose mean is at most one: a non-negative supermartingale that starts at 1. Ville's inequality: with probability
at least 1 − δ, M < 1/δ after every visit, however behaviour adapts and whenever collecting stops. All laws p with
M < 1/δ are a set that holds the true one:

.. math::
    n\,KL(\hat p \| p) < \log(1/δ) + \log(\textstyle\prod (N_j/n)^{N_j} / Q).

Two rules are averaged, which is a rule again (Q is the mean of both):

* *Dirichlet ½* (Krichevsky and Trofimov): q = (N_j + ½)/(n + k/2);
* *few of many*: a successor that was seen gets N_j/(n + 1), each of the k − m others 1/((n + 1)(k − m)), so that
  Q = (k − m)!/k! · Π (N_j − 1)!/n!, products over the m that were seen.

Half of δ goes to that set, half to the entries one by one, each against the rest with the Dirichlet rule of two
categories at δ/(2k); of two successors one entry is enough. As n·kl(N_j/n ‖ p_j) ≤ n·KL(p̂ ‖ p), the first set bounds
each entry too, and the narrower interval is taken. An entry that was never seen keeps an upper end above zero.

The ends are dyadic numbers, rounded outward: an end is accepted where balls show that it lies outside the set, on the
side away from p̂, from where on everything does, as N log p + (n − N) log(1 − p) rises up to N/n and then falls.
What balls leave open counts as inside, which only enlarges the set.

Sources: J. Ville, *Étude critique de la notion de collectif* (1939); R. Krichevsky and V. Trofimov, *The performance of
universal encoding*, IEEE Trans. Inf. Theory 27 (1981).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

from flint import arb

from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.errors import InputError, short

BITS = 128
"""Precision of the balls: their radii lie far below the width of any interval of up to 2^60 visits."""
GRID = 24
"""Ends of intervals are multiples of 2^−(GRID + the bits of n): finer than the shortest interval of n visits."""
HALF = Fraction(1, 2)
Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class RowSet:
    """The laws of the next state after one row that its counts do not exclude, at the error probability ``delta``.

    ``counts``: how often each of the S states came next. ``possible``: the successors that were declared possible
    before any was seen, in increasing order; all other entries are zero. ``delta``: of this row alone, in (0, 1).
    Raises :class:`InputError` where the counts contradict the declaration.
    """

    counts: tuple[int, ...]
    possible: tuple[int, ...]
    delta: Fraction

    def __post_init__(self) -> None:
        if not 0 < self.delta < 1:
            raise InputError(f"delta is {short(self.delta)}; give a probability above 0 and below 1")
        inside = set(self.possible)
        if not inside or sorted(inside) != list(self.possible) or not inside <= set(range(len(self.counts))):
            raise InputError(f"the possible successors must be some of the {len(self.counts)} states, in order")
        if any(count < 0 for count in self.counts):
            raise InputError("a count is negative; give how often each state came next")
        odd = next((j for j, count in enumerate(self.counts) if count and j not in inside), None)
        if odd is not None:
            raise InputError(f"state {odd} came next, which was declared impossible; declare it, and read anew")

    @property
    def n(self) -> int:
        """How often the row was visited."""
        return sum(self.counts)

    @property
    def k(self) -> int:
        """How many successors are possible."""
        return len(self.possible)

    @cached_property
    def centre(self) -> tuple[Fraction, ...]:
        """The frequencies p̂, a law of the set; the even law where there was no visit."""
        if self.n == 0:
            return tuple(Fraction(int(j in self.possible), self.k) for j in range(len(self.counts)))
        return tuple(Fraction(count, self.n) for count in self.counts)

    # ---- the set as a whole -------------------------------------------------------------------

    @cached_property
    def log_mixture(self) -> arb:
        """log Q of the averaged rule, in a ball of :data:`BITS` bits."""
        return log_mixture([self.counts[j] for j in self.possible if self.counts[j]], self.k)

    def excludes(self, law: Sequence[Fraction]) -> bool:
        """Whether a law of the S states is known to lie outside the set: of the row as a whole, or of an entry."""
        inside = set(self.possible)
        if sum(law) != 1 or any(p < 0 or (p and j not in inside) for j, p in enumerate(law)):
            return True
        if any(count and not law[j] for j, count in enumerate(self.counts)):
            return True
        if self.k == 1 or self.n == 0:
            return False
        with precision(BITS):
            likelihood = sum(
                (count * arb(to_fmpq(law[j])).log() for j, count in enumerate(self.counts) if count), start=arb(0)
            )
            if self.log_mixture - likelihood >= _log(2 / self.delta):
                return True
        return any(self._outside(count, p) for count, p in {(self.counts[j], law[j]) for j in self.possible})

    # ---- its entries --------------------------------------------------------------------------

    def _threshold(self, count: int) -> arb | None:
        """c with: an entry p that came ``count`` times is excluded where count log p + (n − count) log(1 − p) ≤ c.

        The larger of two, of the entry alone and of the row, each valid; None where neither lies below the largest
        value of the left-hand side.
        """
        parts = 2 * (1 if self.k == 2 else self.k)
        rest = self.n - count
        with precision(BITS):
            top = _power(count, self.n) + _power(rest, self.n)
            alone = _log_dirichlet([count, rest], self.n, 2) - _log(parts / self.delta)
            of_row = top - (_log(2 / self.delta) + log_largest(self.counts) - self.log_mixture)
            below = [c for c in (alone, of_row) if c < top]
            return max(below, key=lambda c: float(c.mid()), default=None)

    @cached_property
    def _thresholds(self) -> dict[int, arb | None]:
        return {count: self._threshold(count) for count in {self.counts[j] for j in self.possible}}

    def _outside(self, count: int, p: Fraction) -> bool:
        """Whether an entry that came ``count`` times is known not to be p."""
        c, rest = self._thresholds[count], self.n - count
        if (count and p == 0) or (rest and p == 1):
            return True
        if c is None:
            return False
        with precision(BITS):
            value = count * arb(to_fmpq(p)).log() if count else arb(0)
            value += rest * arb(to_fmpq(1 - p)).log() if rest else arb(0)
            return bool(value <= c)

    @cached_property
    def _alone(self) -> dict[int, Interval]:
        """Intervals of entries by their counts."""
        return {count: self._interval(count) for count in self._thresholds}

    def _interval(self, count: int) -> Interval:
        if self.n == 0 or self._thresholds[count] is None:
            return Fraction(0), Fraction(1)
        unit = self._unit
        middle = count * unit // self.n
        low, high = 0, middle  # the lower end is known to be outside at low, or zero
        while high - low > 1:
            m = (low + high) // 2
            low, high = (m, high) if self._outside(count, Fraction(m, unit)) else (low, m)
        least = low
        low, high = -(-count * unit // self.n), unit  # the upper end is known to be outside at high, or one
        while high - low > 1:
            m = (low + high) // 2
            low, high = (low, m) if self._outside(count, Fraction(m, unit)) else (m, high)
        return Fraction(least, unit), Fraction(high, unit)

    @cached_property
    def bounds(self) -> tuple[Interval, ...]:
        """For each of the S states, an interval that holds its probability in every law of the set."""
        zero = (Fraction(0), Fraction(0))
        if self.k == 1:
            return tuple((Fraction(1), Fraction(1)) if j in self.possible else zero for j in range(len(self.counts)))
        inside = set(self.possible)
        return tuple(self._alone[count] if j in inside else zero for j, count in enumerate(self.counts))

    # ---- expectations -------------------------------------------------------------------------

    @cached_property
    def _unit(self) -> int:
        """The ends of intervals are multiples of 1/unit."""
        return 1 << (GRID + self.n.bit_length())

    @cached_property
    def _ends(self) -> tuple[int, list[int], list[int]]:
        """The unit, and in it the lower ends and the widths of the possible successors, all whole numbers."""
        unit = self._unit
        ends = [self.bounds[j] for j in self.possible]
        return unit, [int(low * unit) for low, _ in ends], [int((high - low) * unit) for low, high in ends]

    def most(self, values: Sequence[Fraction | int]) -> Fraction:
        """An upper bound of Σ p_j v_j over the set: the largest over all laws within the intervals."""
        unit, lows, widths = self._ends
        given = [values[j] for j in self.possible]
        total, left = sum(low * v for low, v in zip(lows, given, strict=True)), unit - sum(lows)
        for i in sorted(range(self.k), key=lambda i: given[i], reverse=True):
            if left <= 0:
                break
            step = min(left, widths[i])
            total += step * given[i]
            left -= step
        return Fraction(total) / unit

    def least(self, values: Sequence[Fraction | int]) -> Fraction:
        """A lower bound of Σ p_j v_j over the set."""
        return -self.most([-x for x in values])

    def extreme(self, values: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """A law within the intervals with the largest Σ p_j v_j: what is left above the lower ends goes to the largest
        values first. It need not be in the set, whose intervals these are.
        """
        law = [low for low, _ in self.bounds]
        left = 1 - sum(law, start=Fraction(0))
        for j in sorted(self.possible, key=lambda j: values[j], reverse=True):
            if left == 0:
                break
            low, high = self.bounds[j]
            step = min(left, high - low)
            law[j] += step
            left -= step
        return tuple(law)

    @cached_property
    def corners(self) -> tuple[tuple[Fraction, ...], ...]:
        """All corners of the laws within the intervals: all entries but one at an end. At most k 2^(k−1)."""
        found, inside = set(), self.possible
        for free in inside:
            others = [j for j in inside if j != free]
            for picked in product(*(set(self.bounds[j]) for j in others)):
                law = dict(zip(others, picked, strict=True))
                law[free] = 1 - sum(picked, start=Fraction(0))
                if self.bounds[free][0] <= law[free] <= self.bounds[free][1]:
                    found.add(tuple(law.get(j, Fraction(0)) for j in range(len(self.counts))))
        return tuple(sorted(found))

    def towards(self, law: Sequence[Fraction]) -> tuple[Fraction, ...] | None:
        """A law of the set on the way from the centre to the given one, as far as eighths go; None where none is."""
        for eighths in range(8, 0, -1):
            t = Fraction(eighths, 8)
            found = tuple(c + t * (p - c) for c, p in zip(self.centre, law, strict=True))
            if not self.excludes(found):
                return found
        return None


def log_mixture(seen: Sequence[int], k: int) -> arb:
    """log Q of the averaged rule for the counts of the successors that were seen, of k, in a ball."""
    n = sum(seen)
    with precision(BITS):
        dirichlet = _log_dirichlet(seen, n, k)
        few = _factorial(k - len(seen)) - _factorial(k) - _factorial(n)
        few += sum((_factorial(count - 1) for count in seen), start=arb(0))
        return log_mean(dirichlet, few)


def log_largest(seen: Sequence[int]) -> arb:
    """log of the largest likelihood of counts, Π (N_j/n)^{N_j}."""
    n = sum(seen)
    with precision(BITS):
        return sum((_power(count, n) for count in seen if count), start=arb(0))


def _log(x: Fraction) -> arb:
    return arb(to_fmpq(x)).log()


def _factorial(n: int) -> arb:
    """log n!."""
    return arb(n + 1).lgamma()


def _power(count: int, n: int) -> arb:
    """log (count/n)^count."""
    return count * _log(Fraction(count, n)) if count else arb(0)


def _log_dirichlet(counts: Sequence[int], n: int, k: int) -> arb:
    """log of Π_j Π_{i<N_j} (i + ½) / Π_{i<n} (i + k/2); counts that are zero may be left out."""
    half, all_k = to_fmpq(HALF), to_fmpq(Fraction(k, 2))
    above = sum((arb(half + count).lgamma() - arb(half).lgamma() for count in counts if count), start=arb(0))
    return above - (arb(all_k + n).lgamma() - arb(all_k).lgamma())


def log_mean(x: arb, y: arb) -> arb:
    """log((eˣ + eʸ)/2), without the exponential of either."""
    larger, smaller = (x, y) if x.mid() > y.mid() else (y, x)
    return larger + (1 + (smaller - larger).exp()).log() - arb(2).log()
