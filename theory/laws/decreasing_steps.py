r"""Steps α_t = a/(t + t0)^p with ½ < p ≤ 1 in rational arithmetic: every number of them enclosed between dyadics.

They satisfy Σ α_t = ∞ and Σ α_t² < ∞ (Assumption 1 of §4), and they are *regular*: with ω_t = 1 − α_{t+1}/α_t and
ϑ_t = ω_t/α_t, convexity of s ↦ s^{−p} gives

    0 ≤ ω_t ≤ p/(t + t0),     0 ≤ ϑ_t ≤ p (t + t0)^{p−1}/a,

and the last bound never grows with t. The squares are summed by the midpoint rule of a convex function,

    Σ_{i≥t} α_i² ≤ a² ∫_{t + t0 − ½}^∞ s^{−2p} ds = a² (t + t0 − ½)^{1−2p}/(2p − 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from tdcert.theory.errors import InputError
from tdcert.theory.files.numerals import number

BITS = 64
"""Binary digits of an enclosure."""
LARGEST_DENOMINATOR = 100
"""The largest denominator of the exponent p; roots of a higher order cost too much."""


def power(base: Fraction, exponent: Fraction, up: bool) -> Fraction:
    """``base ** exponent`` for base > 0, rounded up or down to :data:`BITS` binary digits or so; exact for whole p."""
    return between(base, exponent)[up]


def between(base: Fraction, exponent: Fraction) -> tuple[Fraction, Fraction]:
    """Both roundings of :func:`power`, by one root."""
    if exponent < 0:
        return between(1 / base, -exponent)
    u, v = exponent.numerator, exponent.denominator
    top, bottom = base.numerator**u, base.denominator**u
    if v == 1:
        return base**u, base**u
    digits = BITS + max(0, (bottom.bit_length() - top.bit_length()) // v + 1)
    root = _root((top << v * digits) // bottom, v)
    return Fraction(root, 1 << digits), Fraction(root + 1, 1 << digits)


def rounded(x: Fraction) -> Fraction:
    """A dyadic with :data:`BITS` binary digits not below x ≥ 0."""
    unit = Fraction(2) ** (x.numerator.bit_length() - x.denominator.bit_length() - BITS)
    return ceil(x / unit) * unit


def _root(x: int, v: int) -> int:
    """⌊x^{1/v}⌋ of x > 0, by Newton's method from above, which begins at the root of the leading half of the digits."""
    half = x.bit_length() // (2 * v)
    guess = 1 << -(-x.bit_length() // v) if half < 3 else (_root(x >> half * v, v) + 1) << half
    while (better := ((v - 1) * guess + x // guess ** (v - 1)) // v) < guess:
        guess = better
    return guess


@dataclass(frozen=True)
class DecreasingSteps:
    """α_t = a/(t + t0)^p. Raises :class:`InputError` for steps that are not of this kind, with the reason."""

    a: Fraction
    t0: Fraction
    p: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        steps = f"the steps are {self.a}/(t + {self.t0})^{self.p}"
        if self.a <= 0 or self.t0 <= 0:
            raise InputError(f"{steps}; give A > 0 and T0 > 0, so that every step is positive (Assumption 1)")
        if self.p > 1:
            raise InputError(
                f"{steps}, and Σ α_t = ∞ fails, so runs may stop short of θ*; give a power P with 1/2 < P ≤ 1"
            )
        if 2 * self.p <= 1:
            raise InputError(
                f"{steps}, and Σ α_t² < ∞ fails, so nothing is certified for ever; give a power P with 1/2 < P ≤ 1"
            )
        if self.p.denominator > LARGEST_DENOMINATOR:
            raise InputError(
                f"the power of the steps is {self.p}; give one whose denominator is at most {LARGEST_DENOMINATOR}"
            )

    @staticmethod
    def of_words(words: str) -> DecreasingSteps:
        """From ``"A,T0"`` or ``"A,T0,P"``. Raises :class:`InputError`."""
        numbers = [Fraction(number(part.strip(), "the steps")) for part in words.split(",")]
        if len(numbers) == 1:
            raise InputError(
                f"the step {words} is constant, and Σ α_t² < ∞ fails, so nothing is certified for ever; "
                "give A,T0 for the steps A/(t + T0)"
            )
        if len(numbers) > 3:
            raise InputError(f"the steps are '{words}'; give A,T0 for A/(t + T0), or A,T0,P for A/(t + T0)^P")
        return DecreasingSteps(*numbers)

    def __str__(self) -> str:
        power = "" if self.p == 1 else f"^({self.p})"
        return f"{self.a}/(t + {self.t0}){power}"

    def at(self, t: int, up: bool) -> Fraction:
        """α_t, rounded up or down; exact for p = 1."""
        return self.enclosed(t)[up]

    def enclosed(self, t: int) -> tuple[Fraction, Fraction]:
        """α_t, rounded down and up."""
        low, high = between(t + self.t0, -self.p)
        return self.a * low, self.a * high

    def variation(self, t: int) -> Fraction:
        """An upper bound of ϑ_i for all i ≥ t."""
        return self.p / self.a * power(t + self.t0, self.p - 1, True)

    def squares_from(self, t: int) -> Fraction:
        """An upper bound of Σ_{i≥t} α_i²; t + t0 > ½ is needed."""
        return self.a**2 * power(t + self.t0 - Fraction(1, 2), 1 - 2 * self.p, True) / (2 * self.p - 1)

    def floats(self, count: int) -> list[float]:
        """α_0 … α_{count−1} as floats, for searching."""
        a, t0, p = float(self.a), float(self.t0), float(self.p)
        return [a / (t + t0) ** p for t in range(count)]
