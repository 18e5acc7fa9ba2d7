r"""How often independent runs of an experiment show what is said of them: exact, whatever the law of a run is.

If a run shows it with probability at most p, the number X of n independent runs that do has P(X ≥ k) ≤ Σ_{j≥k} C(n, j)
p^j (1 − p)^{n−j} (Clopper and Pearson 1934, *The use of confidence or fiducial limits illustrated in the case of the
binomial*, Biometrika 26). That sum is computed in rationals: no moment, no normal law, and no float decides.

A simulation shows that most runs behave so, never that all do, nor why.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.judge.agreement import MISS

GRAIN = 1000
"""Probabilities are told in thousandths, rounded to the safe side."""


@dataclass(frozen=True)
class Share:
    """``shown`` of ``n`` independent runs show what is said of them; the claim is that more than ``claimed`` of all do.
    ``unit``: what a run is called, such as a group of runs that are averaged.

    ``alpha_spent``: probability that :attr:`agrees` is true although the claim is not, at most. ``law_distance``: total
    variation between what was sampled, all runs together, and the law meant; it is taken off ``alpha_spent``. Raises
    ValueError where the numbers do not fit together.
    """

    name: str
    what: str
    shown: int
    n: int
    alpha_spent: float
    claimed: Fraction = Fraction(1, 2)
    law_distance: float = 0.0
    unit: str = "runs"

    def __post_init__(self) -> None:
        if not (0 <= self.shown <= self.n and self.n >= 1 and 0 <= self.claimed < 1):
            raise ValueError(f"'{self.name}': {self.shown} of {self.n} runs, more than {self.claimed} claimed")
        if not 0 <= self.law_distance < self.alpha_spent < 1:
            raise ValueError(f"'{self.name}' needs law_distance {self.law_distance:.2g} < alpha {self.alpha_spent:.2g}")

    @property
    def level(self) -> Fraction:
        """What may be spent on chance: α without the distance of the laws."""
        return Fraction(self.alpha_spent) - Fraction(self.law_distance)

    @property
    def agrees(self) -> bool:
        """Whether the runs show the claim."""
        return self.shown >= needed(self.n, self.claimed, self.level)

    @property
    def contradicts(self) -> bool:
        """Never: too few runs that show a claim leave it open."""
        return False

    @property
    def at_least(self) -> Fraction:
        """The largest p, in thousandths, that a claim could have named and still been shown by these runs; zero if
        there is none.
        """
        below, above = 0, GRAIN
        while above - below > 1:
            middle = (below + above) // 2
            if tail(self.n, self.shown, Fraction(middle, GRAIN)) <= self.level:
                below = middle
            else:
                above = middle
        return Fraction(below, GRAIN)

    @property
    def enough(self) -> Fraction:
        """A true share, in thousandths, with which n runs show the claim with probability at least 1 − MISS; one if no
        smaller share does.
        """
        return enough(self.n, needed(self.n, self.claimed, self.level))

    def sentence(self) -> str:
        """The result in one line."""
        verb = "is shown" if self.agrees else "is not shown"
        return f"{self.name}: that more than {float(self.claimed):g} of all {self.unit} are so {verb}; {self.summary()}"

    def summary(self) -> str:
        """What was said of a run, how many showed it, and what follows."""
        return (
            f"{self.what}: {self.shown} of {self.n} {self.unit}, so at least {float(self.at_least):g} of all "
            f"(false-alarm rate {self.alpha_spent:.1g}; a true share of {float(self.enough):g} would be seen to exceed "
            f"{float(self.claimed):g} with probability {1 - MISS:g})"
        )


def tail(n: int, k: int, p: Fraction) -> Fraction:
    """P(X ≥ k) for X binomial with n trials of probability p, in rationals."""
    a, b = p.numerator, p.denominator - p.numerator
    return Fraction(sum(comb(n, j) * a**j * b ** (n - j) for j in range(k, n + 1)), p.denominator**n)


@cache
def needed(n: int, claimed: Fraction, level: Fraction) -> int:
    """The least k with P(X ≥ k) ≤ ``level`` at p = ``claimed``; n + 1 if n runs cannot show it."""
    return next((k for k in range(n + 1) if tail(n, k, claimed) <= level), n + 1)


@cache
def enough(n: int, k: int) -> Fraction:
    """A share p, in thousandths, with P(X ≥ k) ≥ 1 − MISS for X binomial with n trials; one if no smaller does."""
    below, above = 0, GRAIN
    while above - below > 1:
        middle = (below + above) // 2
        if tail(n, k, Fraction(middle, GRAIN)) >= 1 - Fraction(MISS):
            above = middle
        else:
            below = middle
    return Fraction(above, GRAIN)


@cache
def beyond_median(n: int, miss: Fraction) -> int:
    """How many of n independent numbers may be left out at either end so that the next one lies beyond the median of
    their law, whatever it is, with probability at most ``miss``; −1 where n numbers are too few.

    At least k + 1 of n being needed below or at a median m, the next smallest exceeds m with probability P(X ≤ k), X
    binomial with p ≥ ½, a law with atoms included.
    """
    # P(X ≤ k) = 1 − P(X ≥ k + 1) at p = ½
    return next((k for k in range(n) if 1 - tail(n, k + 1, Fraction(1, 2)) > miss), n) - 1


BAND = 0.999
"""Confidence of a band in a figure, at each of its points."""


def median_band(samples: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """(low, median, high) of independent runs ``samples`` (n, …), over the first axis: the order statistics number
    k + 1 and n − k, which have the median of the law between them with probability at least :data:`BAND`, whatever
    the law is. Raises ValueError where n runs are too few for that.
    """
    n = len(samples)
    k = beyond_median(n, (1 - Fraction(BAND)) / 2)
    if k < 0:
        raise ValueError(f"{n} runs are too few for a band of confidence {BAND:g}")
    ordered = np.sort(samples, axis=0)
    return ordered[k], np.asarray(np.median(samples, axis=0)), ordered[n - 1 - k]
