"""Laws of mean 0 and variance 1 to try the judge on, and repetitions side by side: one column each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.stats import binom

from tdcert.sims.streams import generator

Array = np.ndarray
Draw = Callable[[np.random.Generator, tuple[int, int]], Array]

SIDE_BY_SIDE = 4000
"""Repetitions that are held in memory together."""


def normal(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return rng.standard_normal(shape)


def pareto(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Pareto with exponent 2.5 on [1, ∞): mean 5/3, second moment 5, no third moment."""
    return np.asarray((rng.pareto(2.5, shape) + 1 - 5 / 3) / np.sqrt(5 - 25 / 9))


def rare(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """0, and with probability 1/1000 a spike."""
    p = 1e-3
    return np.asarray(((rng.random(shape) < p) - p) / np.sqrt(p * (1 - p)))


HIGH = np.array([k.bit_count() for k in range(1 << 10)])
PRODUCTS = (1.8**HIGH * 0.2 ** (10 - HIGH) - 1) / np.sqrt(1.64**10 - 1)


def ratios(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Products of ten importance ratios, ρ = 9/5 or 1/5 with probability 1/2 each: E ρ = 1, E ρ² = 41/25."""
    return np.asarray(PRODUCTS[rng.integers(0, 1 << 10, shape)])


LAWS: dict[str, Draw] = {"normal": normal, "pareto": pareto, "rare": rare, "ratios": ratios}


def chunks(law: str, repeats: int, n: int, seed: int, what: str) -> Iterator[Array]:
    """Samples of ``repeats`` repetitions, in arrays (n, at most SIDE_BY_SIDE); each its own stream."""
    for first in range(0, repeats, SIDE_BY_SIDE):
        rng = generator(seed, f"{what}, {law}, from {first}")
        yield LAWS[law](rng, (n, min(SIDE_BY_SIDE, repeats - first)))


def most(repeats: int, rate: float, false_alarm: float) -> int:
    """The smallest k with P(Binomial(repeats, rate) > k) ≤ false_alarm."""
    return int(binom.isf(false_alarm, repeats, rate))


def least(repeats: int, rate: float, false_alarm: float) -> int:
    """The largest k with P(Binomial(repeats, rate) < k) ≤ false_alarm."""
    k = int(binom.ppf(false_alarm, repeats, rate))
    return k if binom.cdf(k - 1, repeats, rate) <= false_alarm else k - 1
