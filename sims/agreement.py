r"""Does a simulation agree with theory? Judged with proven error rates, far in the tails and for heavy tails
too.

**The test** (Catoni 2012, *Challenging the empirical mean and empirical variance*, Prop. 2.4; see also
Devroye, Lerasle, Lugosi and Oliveira 2016, *Sub-Gaussian mean estimators*). X_1 … X_N independent, mean μ and
variance at most σ² under H0. With ψ(x) = sign(x) log(1 + |x| + x²/2) one has −log(1 − x + x²/2) ≤ ψ(x) ≤
log(1 + x + x²/2), so for S = Σ ψ(a(X_i − μ))

    E exp(S) ≤ (1 + a²σ²/2)^N ≤ exp(N a²σ²/2),   and the same for −S;   Markov's inequality gives
    P(|S| ≥ N a²σ²/2 + ℓ) ≤ 2 e^{−ℓ}.

No moment beyond the variance is used, and nothing is asymptotic. For k coordinates and a rate α: ℓ =
log(2k/α), and a = √(2ℓ/(Nσ²)) makes the threshold 2ℓ. As a deviation of the mean, S/(aN), that is the
**radius** σ√(2ℓ/N).

**Power.** If the mean is μ + Δ and the variance still at most σ², then E exp(−S) ≤ (1 − aΔ + a²(σ² +
Δ²)/2)^N, so with probability at least 1 − η, S ≥ N(aΔ − a²(σ² + Δ²)/2) − log(1/η). The test fires if that
exceeds 2ℓ: at the smaller root of x²/2 − x + ℓ/N + (2ℓ + log(1/η))/N = 0, x = aΔ, hence (S grows with every
X_i) for every larger shift of such a law too. That Δ, at η = 10⁻³, is the **detectable** deviation; it is
infinite below N = 6ℓ + 2 log(1/η).

**Rounding.** Data known up to ``data_slack`` and a mean known up to ``mean_slack`` move S/(aN) by at most
their sum, since |ψ'| ≤ 1; the variance enters by its upper end. S is summed with a relative error of at most
γ_{N+16} of Σ|ψ|. All three widen the radius, none is estimated. A coordinate of variance zero must equal its
mean within the slacks.

**Sampling.** The law that is sampled differs from the model's by a stated total variation; that distance is
taken off α before the test is made, so that α bounds the false-alarm rate under the model's own law.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sims.rounding import gamma

Array = NDArray[np.float64]

SUITE_TOTAL = 1e-6
"""Probability that a full run of everything raises a false alarm, at most."""

MISS = 1e-3
"""A deviation counts as detectable if it is caught with probability at least 1 − this."""


@dataclass
class ErrorBudget:
    """False-alarm probability, spent by name: the sum of all shares never exceeds ``total``."""

    total: float = SUITE_TOTAL
    spent: dict[str, float] = field(default_factory=dict)

    def spend(self, name: str, share: float) -> float:
        """Take ``share`` for the comparison ``name``; ValueError if the name was used or too little is
        left."""
        if not 0 < share < 1:
            raise ValueError(f"the share {share} of '{name}' is no probability between 0 and 1")
        if name in self.spent:
            raise ValueError(f"'{name}' has already spent its share of the error budget")
        # one part in 10^9 is left for the rounding of the sum
        if sum(self.spent.values()) + share > self.total * (1 + 1e-9):
            raise ValueError(f"'{name}' asks for {share:.3g}, but only {self.left:.3g} of {self.total:.3g} is left")
        self.spent[name] = share
        return share

    def part(self, name: str, share: float) -> ErrorBudget:
        """A budget of its own with total ``share``, taken from this one."""
        return ErrorBudget(self.spend(name, share))

    @property
    def left(self) -> float:
        """What has not been spent."""
        return max(0.0, self.total - sum(self.spent.values()))

    def table(self) -> str:
        """Every share, largest first, and the sum."""
        lines = [f"{share:9.2e}  {name}" for name, share in sorted(self.spent.items(), key=lambda item: -item[1])]
        lines.append(f"{sum(self.spent.values()):9.2e}  spent of {self.total:.2e}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Agreement:
    """One comparison: k coordinates, each with a deviation, the radius it may have, and the deviation it
    would show.

    ``statistic``: the largest |deviation|/radius, in agreement up to 1. ``alpha_spent``: false-alarm rate of
    the whole comparison. ``n``: independent samples. ``worst``: label of the coordinate with the largest
    ratio. ``sampling_radius``: the radius without any widening for rounding.
    """

    name: str
    agrees: bool
    statistic: float
    worst: str
    deviation: tuple[float, ...]
    radius: tuple[float, ...]
    sampling_radius: tuple[float, ...]
    detectable: tuple[float, ...]
    labels: tuple[str, ...]
    alpha_spent: float
    n: int

    def sentence(self) -> str:
        """The result in one line."""
        place = self.labels.index(self.worst)
        verb = "agrees with" if self.agrees else "contradicts"
        return (
            f"{self.name}: simulation {verb} theory; largest deviation {self.deviation[place]:.3g} in "
            f"{self.worst}, allowed {self.radius[place]:.3g}, "
            f"{self.detectable[place]:.3g} would be caught with probability 0.999 "
            f"({self.n} samples, false-alarm rate {self.alpha_spent:.1g})"
        )


def judge_mean(
    samples: ArrayLike,
    mean: ArrayLike,
    variance: ArrayLike,
    *,
    alpha: float,
    name: str,
    labels: Sequence[str] | None = None,
    data_slack: ArrayLike = 0.0,
    mean_slack: ArrayLike = 0.0,
    variance_slack: ArrayLike = 0.0,
    law_distance: float = 0.0,
) -> Agreement:
    """Test H0: the rows of ``samples`` (N, k) are independent with this mean (k) and variance (k).

    Rejects a true H0 with probability at most ``alpha`` (union over the coordinates included). The slacks
    bound rounding, ``law_distance`` the total variation between the law sampled and the law meant, over all N
    samples.
    """
    X = np.asarray(samples, dtype=np.float64)
    N, k = X.shape
    expected, error, blur, spread, unsure = (
        np.broadcast_to(np.asarray(given, dtype=np.float64), k)
        for given in (mean, mean_slack, data_slack, variance, variance_slack)
    )
    if not 0 <= law_distance < alpha < 1:
        raise ValueError(f"'{name}' needs law_distance {law_distance:.2g} < alpha {alpha:.2g} < 1")
    if not np.isfinite(X).all():
        raise ValueError(f"'{name}' holds samples that are not finite; a diverged run has no mean to compare")
    level = log(2 * k / (alpha - law_distance))
    rows = [
        _coordinate(
            X[:, j],
            float(expected[j]),
            max(float(spread[j] + unsure[j]), 0.0),
            float(blur[j] + error[j]),
            level,
        )
        for j in range(k)
    ]
    deviation, radius, detectable = (tuple(column) for column in zip(*rows, strict=True))
    ratios = [abs(dev) / rad if rad > 0 else (0.0 if dev == 0 else inf) for dev, rad, _ in rows]
    worst = max(range(k), key=lambda j: ratios[j])
    names = tuple(labels) if labels is not None else tuple(str(j) for j in range(k))
    return Agreement(
        name=name,
        agrees=ratios[worst] <= 1.0,
        statistic=ratios[worst],
        worst=names[worst],
        deviation=deviation,
        radius=radius,
        sampling_radius=tuple(sqrt(2 * level * max(float(v), 0.0) / N) for v in spread),
        detectable=detectable,
        labels=names,
        alpha_spent=alpha,
        n=N,
    )


def _coordinate(x: Array, mean: float, variance: float, slack: float, level: float) -> tuple[float, float, float]:
    """(deviation, radius, detectable) of one coordinate (module docstring)."""
    N = len(x)
    # X − μ rounds once; the magnitude of X and μ bounds that
    slack = slack + 2.0**-52 * (float(np.abs(x).max()) + abs(mean))
    if variance == 0.0:
        offsets = x - mean
        return float(offsets[np.argmax(np.abs(offsets))]), slack, 2 * slack
    a = sqrt(2 * level / (N * variance))
    u = a * (x - mean)
    size = np.abs(u)
    psi = np.log1p(size + 0.5 * size * size)
    slack = slack + gamma(N + 16) * float(psi.mean()) / a
    deviation = float(np.copysign(psi, u).mean()) / a
    radius = sqrt(2 * level * variance / N) + slack
    need = level / N + (2 * level + log(1 / MISS)) / N + 2 * a * slack
    detectable = (1 - sqrt(1 - 2 * need)) / a if need <= 0.5 else inf
    return deviation, radius, detectable
