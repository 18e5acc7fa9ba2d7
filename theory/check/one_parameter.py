r"""Is a polynomial positive for all values of one real parameter? Decided by Sturm's theorem, shown by coefficients.

The values are an interval without its ends, (a, b) or (a, ∞). With x = a + t, or x = (a + bt)/(1 + t), they are those
of t > 0, and (1 + t)^degree p(x) is a polynomial q in t of the same signs. Sturm's chain counts the roots of q in
(0, ∞), so that one value of q decides. Where q is positive there, so are, for some N, all the coefficients of
(1 + t)^N q(t) that are not zero (Pólya): that is the witness, for it needs no chain to be believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import fmpq_poly

from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.check.step_size_ratio import positive_roots, simplest_between
from tdcert.theory.limits import POLYA_POWER, LimitError, raised


@dataclass(frozen=True)
class Values:
    """The values between ``lower`` and ``upper`` (None: without end), both left out. Raises ValueError where there are
    none.
    """

    lower: Fraction
    upper: Fraction | None = None

    def __post_init__(self) -> None:
        if self.upper is not None and self.upper <= self.lower:
            raise ValueError(f"no value lies between {self.lower} and {self.upper}")

    def __str__(self) -> str:
        return f"({self.lower}, {'∞' if self.upper is None else self.upper})"

    def at(self, t: Fraction) -> Fraction:
        """The value that t > 0 stands for."""
        return self.lower + t if self.upper is None else (self.lower + self.upper * t) / (1 + t)

    def some(self, count: int) -> list[Fraction]:
        """So many different values."""
        return [self.at(Fraction(k + 1, 2)) for k in range(count)]


POSITIVE = Values(Fraction(0))


@dataclass(frozen=True)
class Sign:
    """Either ``power`` N and the ``coefficients`` of (1 + t)^N q(t), none negative and not all zero; or a ``value`` in
    the interval at which the polynomial is not positive; or neither, where it is zero at irrational values alone.
    """

    power: int = 0
    coefficients: tuple[Fraction, ...] = ()
    value: Fraction | None = None

    @property
    def positive(self) -> bool:
        """Whether the polynomial is positive at every value."""
        return bool(self.coefficients)


def in_t(p: Sequence[Fraction], values: Values) -> fmpq_poly:
    """q(t) = p(a + t), or (1 + t)^degree p((a + bt)/(1 + t)), for the coefficients p, from the constant one on."""
    a, b = to_fmpq(values.lower), None if values.upper is None else to_fmpq(values.upper)
    top, bottom = (fmpq_poly([a, 1]), fmpq_poly([1])) if b is None else (fmpq_poly([a, b]), fmpq_poly([1, 1]))
    total = fmpq_poly([0])
    for k, x in enumerate(p):
        total += to_fmpq(x) * top**k * bottom ** (len(p) - 1 - k)
    return total


def sturm_count(q: fmpq_poly) -> int:
    """How many different roots q has in (0, ∞); q is not zero at zero."""
    chain = [q, q.derivative()]
    while chain[-1].degree() >= 0:
        chain.append(-(chain[-2] % chain[-1]))
    chain.pop()

    def changes(signs: Sequence[bool]) -> int:
        return sum(first != second for first, second in pairwise(signs))

    at_zero = [x[0] > 0 for x in chain if x[0] != 0]
    at_infinity = [x[x.degree()] > 0 for x in chain]
    return changes(at_zero) - changes(at_infinity)


def sign_on(p: Sequence[Fraction], values: Values) -> Sign:
    """Whether the polynomial with these coefficients is positive at all the values, with what shows it.

    Raises :class:`~tdcert.theory.limits.LimitError` where it is, and no power of 1 + t up to the limit shows it.
    """
    q = in_t(p, values)
    if q.degree() < 0:
        return Sign(value=values.at(Fraction(1)))
    zeros = next(k for k in range(q.degree() + 1) if q[k] != 0)
    rest = fmpq_poly(q.coeffs()[zeros:])
    if sturm_count(rest) == 0 and rest(1) > 0:
        return _shown(q)
    ends = [(Fraction(0), Fraction(0)), *positive_roots(rest)]
    tried = [simplest_between(left[1], right[0]) for left, right in pairwise(ends)]
    tried += [ends[-1][1] + 1, *_rational_roots(rest)]
    for t in tried:
        if t > 0 and rest(to_fmpq(t)) <= 0:
            return Sign(value=values.at(t))
    return Sign()


def _rational_roots(q: fmpq_poly) -> list[Fraction]:
    """Its rational roots, where it may touch zero without a change of sign."""
    linear = [factor for factor, _ in q.numer().factor()[1] if factor.degree() == 1]
    return [Fraction(-int(factor[0]), int(factor[1])) for factor in linear]


def _shown(q: fmpq_poly) -> Sign:
    product = q
    for power in range(raised(POLYA_POWER) + 1):
        found = [to_fraction(x) for x in product.coeffs()]
        if min(found) >= 0:
            return Sign(power, tuple(found))
        product *= fmpq_poly([1, 1])
    power = raised(POLYA_POWER)
    said = (
        f"the polynomial is positive by Sturm's theorem, and (1 + t)^{power} times it still has negative coefficients"
    )
    raise LimitError(said, 4)  # nobody knows which power will do
