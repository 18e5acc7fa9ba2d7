"""Step sizes α_t = a/(t + t0)^p, t = 0, 1, …, and constants (Assumptions 1, 4 and 5 of §4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tdcert.theory.errors import InputError

StepSize = Callable[[int], float]


@dataclass(frozen=True)
class Polynomial:
    """α_t = a/(t + t0)^p with a > 0, t0 > 0, p ≥ 0. Assumption 1 holds exactly for 1/2 < p ≤ 1."""

    a: float
    t0: float
    p: float

    def __post_init__(self) -> None:
        if not (self.a > 0 and self.t0 > 0 and self.p >= 0):
            raise InputError(f"the step sizes {self.a}/(t + {self.t0})^{self.p} need a > 0, t0 > 0 and p ≥ 0")

    def __call__(self, t: int) -> float:
        return float(self.a / (t + self.t0) ** self.p)


@dataclass(frozen=True)
class Constant:
    """α_t = a for every t (outside Assumption 1, but common in experiments)."""

    a: float

    def __post_init__(self) -> None:
        if not self.a >= 0:
            raise InputError(f"the constant step size is {self.a}; give a number that is not negative")

    def __call__(self, t: int) -> float:
        return float(self.a)


@dataclass(frozen=True)
class StepSizes:
    """α_t for θ and, for GTD and TDC, β_t for w (None: β_t = α_t)."""

    alpha: StepSize
    beta: StepSize | None = None

    @staticmethod
    def only_at(t: int) -> StepSizes:
        """1 at time t, and 0 at every other."""
        return StepSizes(lambda k: 1.0 if k == t else 0.0)

    def arrays(self, steps: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(α_0 … α_{steps−1}), (β_0 … β_{steps−1})."""
        beta = self.beta or self.alpha
        alphas = np.array([self.alpha(t) for t in range(steps)], dtype=np.float64)
        betas = np.array([beta(t) for t in range(steps)], dtype=np.float64)
        return alphas, betas
