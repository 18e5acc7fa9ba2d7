r"""The judge that looks as samples come, and stops when it has seen enough. Both error rates hold whenever it looks.

Declared beforehand for each coordinate: the mean μ, a bound σ² on the variance, and a deviation Δ that must not go
unnoticed. ``N`` is the most samples that may be drawn. After every batch, n samples being there:

**Contradiction** as soon as |S_n| ≥ n a²σ²/2 + ℓ, ℓ = log(2k/α), a made for N (``tdcert.sims.judge.catoni``). Ville's
inequality, both signs and k coordinates: a true hypothesis is *ever* contradicted with probability at most α. It costs
no power: at n = N this is the test that looks once.

**Agreement** as soon as every coordinate has excluded both μ + Δ and μ − Δ at level m = log(2/η), η = ``MISS``:
U_n = Σ ψ(b(X_i − μ − Δ)) ≤ −(n b²σ²/2 + m) at some look so far, and the mirror image. That is: the confidence
sequence at level η/2 around the estimate has come to lie within Δ of μ. *If the mean is μ + Δ', Δ' ≥ Δ, and the
variance at most σ²*, then −U_n ≤ −Σ ψ(b(X_i − μ − Δ')), since ψ increases, and by Ville's inequality the right side
ever reaches the line with probability at most η/2.

**At n = N** the comparison agrees unless contradicted. By ``catoni.detectable`` with miss η/2, a shift by Δ' ≥ Δ is
not contradicted at N with probability at most η/2, Δ being at least the deviation detectable with N samples. So in
all **a deviation of the declared size in any coordinate is missed with probability at most η**; the early looks cost
it no more than the log 2 in m.

What is saved: without deviation U_n falls by about bΔ a sample, and the line by b²σ²/2; any b would do, and
b = Δ/(σ² + Δ²) is near the best for small Δ. Agreement then takes about 2mσ²/Δ² samples, whereas
N ≈ (3ℓ + m)²σ²/(2ℓΔ²): for ℓ = 20 an eighth. A deviation as large as σ is contradicted after about √(ℓN/2) samples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, log

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdcert.sims.judge.agreement import MISS, Agreement, MeanTest
from tdcert.sims.judge.catoni import Scores

Array = NDArray[np.float64]

Draw = Callable[[int, int], tuple[ArrayLike, ArrayLike]]
"""draw(first, last): rows first … last − 1 of the sample, (last − first, k), and bounds (k) on their rounding."""


def usual_looks(most: int) -> tuple[int, ...]:
    """After about a sixteenth of the samples, which shows gross mistakes, then a quarter, a half, and all."""
    return tuple(sorted({ceil(most / part) for part in (16, 4, 2, 1)}))


def judge_sequentially(
    draw: Draw,
    mean: ArrayLike,
    variance: ArrayLike,
    *,
    alpha: float,
    max_samples: int,
    name: str,
    deviation: ArrayLike | None = None,
    looks: Sequence[int] | None = None,
    labels: Sequence[str] | None = None,
    mean_slack: ArrayLike = 0.0,
    variance_slack: ArrayLike = 0.0,
    law_distance: float = 0.0,
    covariance: ArrayLike | None = None,
) -> Agreement:
    """Test H0: rows are independent with this ``mean`` and ``variance`` (k, or one for all), on as few as it takes.

    A true H0 is contradicted with probability at most ``alpha``; a shift of a coordinate's mean by
    ``deviation`` (k; default: the least that ``max_samples`` can promise) or more, the variance being no
    larger, goes unnoticed with probability at most ``MISS``. ``looks``: increasing numbers of samples after
    which to decide, the last one being ``max_samples`` (default :func:`usual_looks`); ``draw`` is asked for the
    rows between two looks, in order. ``law_distance`` is over ``max_samples``; the other arguments are those of
    ``judge_mean``. Raises ValueError for samples that are not finite, looks that do not increase to
    ``max_samples``, and a deviation too small to be promised.
    """
    k = np.broadcast(np.atleast_1d(mean), np.atleast_1d(variance)).size
    times = tuple(looks) if looks is not None else usual_looks(max_samples)
    if times[-1] != max_samples or any(b <= a for a, b in zip((0, *times), times, strict=False)):
        raise ValueError(f"'{name}' looks after {list(times)} samples; give numbers that increase to {max_samples}")
    test = MeanTest(name, k, max_samples, mean, variance, alpha, labels, mean_slack, variance_slack, law_distance)
    least = test.detectable(MISS / 2)
    declared = least if deviation is None else np.broadcast_to(np.asarray(deviation, dtype=np.float64), k)
    if (declared < least).any():
        j = int((declared < least).argmax())
        raise ValueError(
            f"'{name}' is to notice a deviation of {declared[j]:.3g} in {test.labels[j]}, but {max_samples} samples "
            f"promise only {least[j]:.3g}; give more samples or a larger deviation"
        )
    exclusion = Exclusion(test, declared)
    seen = 0
    for last in times:
        rows, data_slack = draw(seen, last)
        batch = np.asarray(rows, dtype=np.float64)
        if batch.shape != (last - seen, k):
            raise ValueError(f"'{name}' drew samples of shape {batch.shape}; {last - seen} rows of {k} were asked for")
        seen = last
        test.add(batch, data_slack)
        if test.contradicted.any() or last == max_samples:
            break
        exclusion.add(batch)
        if exclusion.complete.all():
            break
    return test.result(MISS / 2, covariance, declared)


class Exclusion:
    """Which of μ ± ``declared`` (k) the samples have excluded so far, beside the comparison that they go to first.

    Coordinates without variance are settled by their first sample.
    """

    def __init__(self, test: MeanTest, declared: Array) -> None:
        self.test, self.level = test, log(2 / MISS)
        moving = test.moving
        finite = np.isfinite(declared[moving])
        delta = np.where(finite, declared[moving], 0.0)
        rate = np.where(finite, delta / (test.variance[moving] + delta**2), 1.0)
        self.reach = np.where(finite, 0.0, np.inf)
        self.sides = [(sign, Scores(test.mean[moving] + sign * delta, rate)) for sign in (1, -1)]
        self.excluded = np.zeros((2, len(delta)), dtype=bool)

    def add(self, batch: Array) -> None:
        """Score the rows about both centers."""
        moving = self.test.moving
        for row, (sign, side) in enumerate(self.sides):
            side.add(batch[:, moving])
            margin = side.radius(self.test.variance[moving], self.level) + self.test.slack[moving]
            self.excluded[row] |= -sign * side.deviation >= margin + self.reach

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Which coordinates lie within their declared deviation, shape (k)."""
        found = ~self.test.moving
        found[self.test.moving] = self.excluded.all(axis=0)
        return found
