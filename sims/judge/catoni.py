r"""Catoni's score: a bounded-influence sum whose tails are proven from the variance alone, at one time or at all.

**One number of samples** (Catoni 2012, *Challenging the empirical mean and empirical variance*, Prop. 2.4; see also
Devroye, Lerasle, Lugosi and Oliveira 2016, *Sub-Gaussian mean estimators*). X_1, X_2, … independent, mean μ and
variance at most σ². With ψ(x) = sign(x) log(1 + |x| + x²/2) one has −log(1 − x + x²/2) ≤ ψ(x) ≤ log(1 + x + x²/2), so
for S_n = Σ_{i≤n} ψ(a(X_i − μ))

    E exp(S_n) ≤ (1 + a²σ²/2)^n ≤ exp(n a²σ²/2),   and the same for −S_n.

**All numbers of samples at once** (Wang and Ramdas 2023, *Catoni-style confidence sequences for heavy-tailed mean
estimation*). The same line for one factor, given the past, says that exp(±S_n − n a²σ²/2) are non-negative
supermartingales that start at 1. So by Ville's inequality

    P(|S_n| ≥ n a²σ²/2 + ℓ for some n) ≤ 2 e^{−ℓ},

at whatever times, chosen however, one looks. No moment beyond the variance is used, and nothing is asymptotic. As a
deviation of the mean, S_n/(a n), the line is the **radius** aσ²/2 + ℓ/(a n). It is smallest at n = N for
a = √(2ℓ/(Nσ²)), where it is σ√(2ℓ/N): a test made for N samples may look earlier, and pays nothing for it.

**Power.** If the mean is μ + Δ and the variance still at most σ², then E exp(−S_N) ≤ (1 − aΔ + a²(σ² + Δ²)/2)^N, so
with probability at least 1 − η, S_N ≥ N(aΔ − a²(σ² + Δ²)/2) − log(1/η). That exceeds 2ℓ from the smaller root of
x²/2 − x + ℓ/N + (2ℓ + log(1/η))/N = 0, x = aΔ, on, and (S grows with every X_i) for every larger shift of such a law
too. That Δ is the **detectable** deviation; it is infinite below N = 6ℓ + 2 log(1/η).

**Rounding.** Data and a mean known up to slacks move S_n/(a n) by at most the sum of the slacks, since |ψ'| ≤ 1; the
variance enters by its upper end. S is summed with a relative error of at most γ_{n+16} of Σ|ψ|. All this widens the
radius, none is estimated.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tdcert.theory.arithmetic.float_enclosures import gamma

Array = NDArray[np.float64]

BLOCK = 4096
"""Rows that are scored together, few enough to stay in cache."""


def psi(x: Array) -> Array:
    """ψ(x) = sign(x) log(1 + |x| + x²/2), entry by entry."""
    size = np.abs(x)
    return np.asarray(np.copysign(np.log1p(size + 0.5 * size * size), x))


def best_rate(level: float, samples: int, variance: Array) -> Array:
    """a = √(2ℓ/(Nσ²)), for which the radius is smallest after ``samples``; the variances (k) are positive."""
    return np.sqrt(2 * level / (samples * variance))


def detectable(level: float, samples: int, variance: Array, miss: float, slack: Array) -> Array:
    """The deviations (k) that are caught with probability at least 1 − ``miss`` after ``samples`` (module
    docstring). ``slack``: what rounding may take off on either side.
    """
    a = best_rate(level, samples, variance)
    need = (3 * level - np.log(miss)) / samples + 2 * a * slack
    return np.where(need <= 0.5, (1 - np.sqrt(np.maximum(1 - 2 * need, 0.0))) / a, np.inf)


class Scores:
    """S_n of k columns about ``center`` (k) at the rates a = ``rate`` (k), as samples come in."""

    def __init__(self, center: Array, rate: Array) -> None:
        self.center, self.rate, self.n = center, rate, 0
        self._sum, self._size, self._farthest = (np.zeros(len(center)) for _ in range(3))

    def add(self, samples: Array) -> None:
        """Take in rows, shape (any, k)."""
        for first in range(0, len(samples), BLOCK):
            rows = samples[first : first + BLOCK]
            scores = psi(self.rate * (rows - self.center))
            self._sum += scores.sum(axis=0)
            self._size += np.abs(scores).sum(axis=0)
            self._farthest = np.maximum(self._farthest, np.abs(rows).max(axis=0))
        self.n += len(samples)

    @property
    def deviation(self) -> Array:
        """S_n/(a n), an estimate of the mean minus the center."""
        return np.asarray(self._sum / (self.rate * self.n))

    def radius(self, variance: Array, level: float) -> Array:
        """What |deviation| reaches, at this or any other n, with probability at most 2 e^{−level}."""
        return self.rate * variance / 2 + level / (self.rate * self.n) + self.rounding

    @property
    def rounding(self) -> Array:
        """How far rounding here may have moved the deviation: of X − center, and of the sum."""
        return np.asarray(
            2.0**-52 * (self._farthest + np.abs(self.center)) + gamma(self.n + 16) * self._size / (self.rate * self.n)
        )
