"""The readable twins with hooks, one of which a variant replaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from tdcert.algorithms.schedules import PAPER, scheduled
from tdcert.sims.algorithms import Algorithm, Array, Transition
from tdcert.sims.experiments.gtd_lambda import EVERY as ALGORITHMS
from tdcert.sims.experiments.gtd_lambda import ONE_LAMBDA, WITHOUT_RATIOS

EVERY: tuple[str, ...] = tuple(ALGORITHMS)
WITH_RHO = tuple(name for name in EVERY if name not in WITHOUT_RATIOS)
ONE_VECTOR = tuple(name for name in PAPER if scheduled(name).blocks == 1)
GRADIENT = tuple(name for name in PAPER if name not in ONE_VECTOR)
TEXTBOOK = tuple(ONE_LAMBDA)
OF_A_SCHEDULE = tuple(name for name in EVERY if name not in ONE_LAMBDA)
"""For what is not a mistake where all λ's are one number."""
WITH_W = (*GRADIENT, *TEXTBOOK)


class Variant(Algorithm):
    """An algorithm with hooks; each is the identity here."""

    words: ClassVar[str] = ""
    made_for: ClassVar[tuple[str, ...]] = EVERY
    gamma: float | None = None
    """The one discount of code that is given one; None where each transition brings its own."""

    def reset(self, *, n_features: int, lambdas: Sequence[float], theta0: ArrayLike, tail: float = 0.0) -> None:
        super().reset(n_features=n_features, lambdas=self.schedule(list(lambdas)), theta0=theta0, tail=tail)
        self.before: Transition | None = None
        self.sizes_before = (0.0, 0.0)

    def schedule(self, lambdas: list[float]) -> list[float]:
        """The λ's that are used."""
        return lambdas

    def in_trace(self, t: Transition) -> Transition:
        """What the trace sees."""
        return t

    def in_delta(self, t: Transition) -> Transition:
        """What δ sees."""
        return t

    def sizes(self, alpha: float, beta: float) -> tuple[float, float]:
        """The step sizes that are used."""
        return alpha, beta

    def trace(self, t: Transition) -> Array:
        return super().trace(self.in_trace(t))

    def delta(self, t: Transition) -> Array:
        return super().delta(self.in_delta(t))

    def step(self, t: Transition, alpha: float, beta: float) -> None:
        super().step(t, *self.sizes(alpha, beta))
        self.before, self.sizes_before = t, (alpha, beta)

    @property
    def reward_before(self) -> float:
        """R_t; 0 at the start."""
        return float(self.before.reward) if self.before else 0.0


def row(words: str, made_for: Sequence[str] = EVERY, of: type[Variant] = Variant, **replaced: Any) -> type[Variant]:
    """A variant with some hooks or settings replaced."""
    return type(of.__name__, (of,), {"words": words, "made_for": tuple(made_for), **replaced})
