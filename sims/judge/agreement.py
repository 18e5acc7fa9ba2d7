"""Does a simulation agree with theory? Judged with proven error rates, far in the tails and for heavy tails too.

**The test** is Catoni's (``tdcert.sims.judge.catoni``: statement, proof, rounding), one for each of k coordinates whose
mean and variance are known, at ℓ = log(2k/α): a true hypothesis is contradicted with probability at most α, the union
over both sides and all coordinates included. A coordinate of variance zero must equal its mean within the slacks.

**Two forms.** :func:`judge_mean` looks once, at all samples. ``tdcert.sims.judge.sequential`` looks as they come and
stops early.

**Sampling.** The law that is sampled differs from the model's by a stated total variation; that distance is taken off
α before the test is made, so that α bounds the false-alarm rate under the model's own law.

**χ².** Where the covariance of some coordinates is given, n (X̄ − μ)ᵀ Cov⁻¹ (X̄ − μ) is reported beside the verdict. It
decides nothing: only the central limit theorem speaks for its law, and not at the rates used here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, log

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdcert.sims.judge.catoni import Scores, best_rate, detectable

Array = NDArray[np.float64]

SUITE_TOTAL = 1e-6
"""Probability that a full run of everything raises a false alarm, at most."""

TESTS_SHARE = SUITE_TOTAL / 2
"""What one run of pytest may spend of it."""

VERIFY_SHARE = SUITE_TOTAL / 2
"""What one run of ``tdcert verify`` may spend of it."""

ASSUMED = (
    "The rates are over the seed: the bits of xoshiro256** and PCG64 are taken for fair and independent, and the seed "
    "for one that was not chosen by what it gives. How far the law sampled is from the model's is taken off each rate.",
    "Means, variances and bounds of rounding come from the theory that is compared; no law is taken for normal.",
    "Signs of paths and shares of runs are about runs as floats compute them, up to the stated update. What exact "
    "numbers would do there, and what becomes of a run later, is not bounded.",
    "Where bounds of exponents of random systems are held against runs (in the tests), a run is taken to lie below its "
    "mean, and above it, with probability at most .53 each.",
)
"""What the rates of comparisons rest on, besides proof: printed with every ledger of them."""

MISS = 1e-3
"""A deviation counts as detectable if it is caught with probability at least 1 − this."""


@dataclass
class ErrorBudget:
    """False-alarm probability, spent by name: the sum of all shares never exceeds ``total``."""

    total: float = SUITE_TOTAL
    spent: dict[str, float] = field(default_factory=dict)

    def spend(self, name: str, share: float) -> float:
        """Take ``share`` for the comparison ``name``; ValueError if the name was used or too little is left."""
        if not 0 < share < 1:
            raise ValueError(f"the share {share} of '{name}' is not a probability between 0 and 1")
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
    """One comparison: k coordinates, each with a deviation, the radius it may have, and the deviation it would show.

    ``statistic``: the largest |deviation|/radius, in agreement up to 1. ``alpha_spent``: false-alarm rate of the whole
    comparison. ``n``: independent samples used, of at most ``most``. ``worst``: label of the coordinate with the
    largest ratio. ``sampling_radius``: the radius without any widening for rounding. ``detectable``: deviations that
    this comparison catches with probability at least 1 − :data:`MISS`; ``power``: the largest of them in standard
    deviations of one sample (0 where nothing varies). ``chi_square``: χ² of the means and its degrees of freedom where
    a covariance was given; a diagnostic that decides nothing.
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
    most: int
    power: float
    chi_square: tuple[float, int] | None = None

    @property
    def contradicts(self) -> bool:
        """Whether theory is contradicted: the other of two answers."""
        return not self.agrees

    def sentence(self) -> str:
        """The result in one line."""
        place = self.labels.index(self.worst)
        verb = "agrees with" if self.agrees else "contradicts"
        return (
            f"{self.name}: simulation {verb} theory; largest deviation {self.deviation[place]:.3g} in "
            f"{self.worst}, allowed {self.radius[place]:.3g}, {self.detectable[place]:.3g} would be caught with "
            f"probability {1 - MISS:g} ({self.used}, false-alarm rate {self.alpha_spent:.1g}{self._diagnostic})"
        )

    def summary(self) -> str:
        """What was used, found, and would have been found, without units."""
        return (
            f"{self.used}, largest deviation {self.statistic:.2f} of what is allowed, {self.power:.2g} standard "
            f"deviations would be caught with probability {1 - MISS:g}{self._diagnostic}"
        )

    @property
    def used(self) -> str:
        """How many samples, of how many."""
        count = f"{self.n}" if self.n == self.most else f"{self.n} of at most {self.most}"
        return f"{count} independent samples"

    @property
    def _diagnostic(self) -> str:
        return "" if self.chi_square is None else ", χ² {:.3g} on {}".format(*self.chi_square)


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
    covariance: ArrayLike | None = None,
) -> Agreement:
    """Test H0: the rows of ``samples`` (N, k) are independent with this mean (k) and variance (k).

    Rejects a true H0 with probability at most ``alpha`` (union over the coordinates included). The slacks
    bound rounding, ``law_distance`` the total variation between the law sampled and the law meant, over all N
    samples. ``covariance`` (m, m), of the first m coordinates, is for the χ² beside the verdict. Raises
    ValueError for samples that are not finite, and where ``law_distance`` leaves nothing of ``alpha``.
    """
    X = np.asarray(samples, dtype=np.float64)
    test = MeanTest(name, X.shape[1], len(X), mean, variance, alpha, labels, mean_slack, variance_slack, law_distance)
    test.add(X, data_slack)
    return test.result(MISS, covariance)


class MeanTest:
    """The test of k coordinates at rate α, made for ``most`` samples that come in batches.

    The arguments are those of :func:`judge_mean`; α is shared by ``shared_by`` coordinates (all k unless
    given). Whether it is contradicted may be asked after every batch.
    """

    def __init__(
        self,
        name: str,
        k: int,
        most: int,
        mean: ArrayLike,
        variance: ArrayLike,
        alpha: float,
        labels: Sequence[str] | None = None,
        mean_slack: ArrayLike = 0.0,
        variance_slack: ArrayLike = 0.0,
        law_distance: float = 0.0,
        shared_by: int | None = None,
    ) -> None:
        if not 0 <= law_distance < alpha < 1:
            raise ValueError(f"'{name}' needs law_distance {law_distance:.2g} < alpha {alpha:.2g} < 1")
        self.name, self.most, self.alpha, self.n = name, most, alpha, 0
        self.labels = tuple(labels) if labels is not None else tuple(str(j) for j in range(k))
        self.mean, error, spread, unsure = (
            np.broadcast_to(np.asarray(given, dtype=np.float64), k)
            for given in (mean, mean_slack, variance, variance_slack)
        )
        self.level = log(2 * (shared_by or k) / (alpha - law_distance))
        self.variance_given = np.maximum(spread, 0.0)
        self.variance = np.maximum(spread + unsure, 0.0)
        self.moving = self.variance > 0
        self.mean_slack, self.data_slack = error, np.zeros(k)
        self.scores = Scores(self.mean[self.moving], best_rate(self.level, most, self.variance[self.moving]))
        self.sum, self.farthest_off, self.size = np.zeros(k), np.zeros(k), np.abs(self.mean)

    def add(self, samples: Array, data_slack: ArrayLike) -> None:
        """Take in rows, shape (any, k), whose entries are known up to ``data_slack`` (k)."""
        if not np.isfinite(samples).all():
            raise ValueError(f"'{self.name}' holds samples that are not finite; a diverged run has no mean to compare")
        self.n += len(samples)
        self.data_slack = np.maximum(self.data_slack, data_slack)
        self.scores.add(samples[:, self.moving])
        offsets = samples - self.mean
        self.sum += offsets.sum(axis=0)
        most_off = offsets[np.abs(offsets).argmax(axis=0), np.arange(len(self.mean))]
        self.farthest_off = np.where(np.abs(most_off) > np.abs(self.farthest_off), most_off, self.farthest_off)
        self.size = np.maximum(self.size, np.abs(samples).max(axis=0))

    @property
    def slack(self) -> Array:
        """What rounding of data and mean may have moved, and of X − μ where nothing moves."""
        return np.asarray(self.data_slack + self.mean_slack + np.where(self.moving, 0.0, 2.0**-51 * self.size))

    def deviation(self) -> Array:
        """By how much each coordinate's mean seems to be off, shape (k); the farthest sample without variance."""
        found = self.farthest_off.copy()
        found[self.moving] = self.scores.deviation
        return found

    def radius(self) -> Array:
        """What the deviation may be, shape (k)."""
        found = self.slack
        found[self.moving] += self.scores.radius(self.variance[self.moving], self.level)
        return found

    def ratio(self) -> Array:
        """|deviation|/radius; 0/0 counts as 0."""
        deviation, radius = np.abs(self.deviation()), self.radius()
        return np.divide(deviation, radius, out=np.where(deviation == 0, 0.0, inf), where=radius > 0)

    def detectable(self, miss: float) -> Array:
        """The deviation of each coordinate that all ``most`` samples would show but with probability ``miss``."""
        slack = self.slack
        found = 2 * slack
        blur = slack[self.moving] + (self.scores.rounding if self.n else 0.0)
        found[self.moving] = detectable(self.level, self.most, self.variance[self.moving], miss, blur)
        return found

    @property
    def contradicted(self) -> NDArray[np.bool_]:
        """Which coordinates contradict theory as it stands, shape (k)."""
        return np.asarray(self.ratio() > 1.0)

    def result(self, miss: float, covariance: ArrayLike | None = None, declared: ArrayLike = 0.0) -> Agreement:
        """The comparison as it stands. ``declared`` (k): deviations below which nothing is promised."""
        ratio = self.ratio()
        worst = int(ratio.argmax())
        plain = np.sqrt(self.variance_given)
        detectable = np.maximum(self.detectable(miss), declared)
        rate = best_rate(self.level, self.most, np.ones(1))[0]
        return Agreement(
            name=self.name,
            agrees=not self.contradicted.any(),
            statistic=float(ratio[worst]),
            worst=self.labels[worst],
            deviation=tuple(self.deviation().tolist()),
            radius=tuple(self.radius().tolist()),
            sampling_radius=tuple((plain * (rate / 2 + self.level / (rate * self.n))).tolist()),
            detectable=tuple(detectable.tolist()),
            labels=self.labels,
            alpha_spent=self.alpha,
            n=self.n,
            most=self.most,
            power=float((detectable[self.moving] / np.sqrt(self.variance[self.moving])).max(initial=0.0)),
            chi_square=None if covariance is None else chi_square(self.sum / self.n, covariance, self.n),
        )


def chi_square(deviation: Array, covariance: ArrayLike, n: int) -> tuple[float, int]:
    """n dᵀ Cov⁺ d for the deviation d of a mean of ``n`` samples, on the rank of the covariance (m, m).

    Only the first m entries of ``deviation`` are read. Asymptotically χ² with that many degrees of freedom. The
    rank is that of the directions with more than 10⁻⁹ of the largest variance: in others rounding would speak.
    """
    cov = np.asarray(covariance, dtype=np.float64)
    values, vectors = np.linalg.eigh(cov)
    kept = values > 1e-9 * np.abs(values).max(initial=0.0)
    along = vectors.T[kept] @ deviation[: len(cov)]
    return float(n * np.sum(along**2 / values[kept])), int(kept.sum())
