"""Exact confidence limits: shares after Clopper and Pearson, quantiles from order statistics.

Both rest on the binomial law alone, whatever the distribution of the quantity: for every sample size the limits miss
with probability at most 1 − level.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, inf

from scipy.stats import beta, binom


def share_limits(successes: int, trials: int, level: float) -> tuple[float, float]:
    """Limits of a probability after ``successes`` in ``trials`` ≥ 1 (Clopper and Pearson 1934)."""
    tail = (1 - level) / 2
    lower = 0.0 if successes == 0 else float(beta.ppf(tail, successes, trials - successes + 1))
    upper = 1.0 if successes == trials else float(beta.isf(tail, successes + 1, trials - successes))
    return lower, upper


def quantile(ordered: Sequence[float], p: Fraction) -> float:
    """The p-quantile of n ≥ 1 ordered values: the smallest that at least a share p does not exceed (0 < p ≤ 1)."""
    return ordered[ceil(p * len(ordered)) - 1]


def quantile_limits(ordered: Sequence[float], p: Fraction, level: float) -> tuple[float, float]:
    """Limits of the p-quantile, two order statistics; infinite where there are too few values.

    The number of values at most q is no smaller than a Bin(n, p), that of values below q no larger: the l-th value
    exceeds q with probability at most P(Bin ≤ l − 1), and the u-th is below q with probability at most P(Bin ≥ u).
    """
    n, tail, share = len(ordered), (1 - level) / 2, float(p)
    low = int(binom.ppf(tail, n, share)) + 1
    while low > 0 and binom.cdf(low - 1, n, share) > tail:
        low -= 1
    high = int(binom.isf(tail, n, share))
    while high <= n and binom.sf(high - 1, n, share) > tail:
        high += 1
    return (ordered[low - 1] if low >= 1 else -inf), (ordered[high - 1] if high <= n else inf)
