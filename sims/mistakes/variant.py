"""The paper's functions, and GTD(λ), with hooks, of which a variant replaces some.

A hooked function is given its trace and its δ: δ is the reward at θ = 0, and z is φ and what λ times the memory is, for
ρ = 1. The trace is a sum over the window.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tdcert.algorithms.schedules import PAPER, scheduled
from tdcert.sims.algorithms import Array, SimulatedTransition, Twin, moved, side_by_side
from tdcert.sims.experiments.gtd_lambda import EVERY as ALGORITHMS
from tdcert.sims.experiments.gtd_lambda import ONE_LAMBDA, WITHOUT_RATIOS
from tdcert.theory.engine.declare import Algorithm

EVERY: tuple[str, ...] = tuple(ALGORITHMS)
WITH_RHO = tuple(name for name in EVERY if name not in WITHOUT_RATIOS)
ONE_VECTOR = tuple(name for name in PAPER if scheduled(name).blocks == 1)
GRADIENT = tuple(name for name in PAPER if name not in ONE_VECTOR)
TEXTBOOK = tuple(ONE_LAMBDA)
OF_A_SCHEDULE = tuple(name for name in EVERY if name not in ONE_LAMBDA)
"""For what is not a mistake where all λ's are one number."""
WITH_W = (*GRADIENT, *TEXTBOOK)
ENDLESS = 100
"""λ's that stand for a schedule without end; more than any trajectory of the battery has steps."""


def dot(x: Array, y: Array) -> Array:
    """xᵀy on the last axis."""
    return np.asarray(np.sum(x * y, axis=-1))


def times(scalar: Any, vector: Array) -> Array:
    """scalar · vector, one scalar per run."""
    return np.asarray(scalar)[..., np.newaxis] * vector


class _Remembered:
    """A memory of which λ times it is what is ``carried``, whatever λ is."""

    __array_ufunc__ = None

    def __init__(self, carried: Any) -> None:
        self.carried = carried

    def __rmul__(self, lam: Any) -> Any:
        return self.carried


@dataclass(frozen=True)
class Given:
    """What an update is made of: ``z`` and ``delta`` as they are here, whatever the transition is."""

    of: Algorithm
    t: SimulatedTransition
    z: Array
    delta: Array
    w: Array
    alpha: float
    beta: float
    lam: float

    @cached_property
    def added(self) -> tuple[Array, Array]:
        """What the function adds to θ and to w."""
        one = len(self.of.schedule) == 1
        carried = _Remembered(side_by_side(self.z - self.t.phi))
        options = dict(zip(self.of.schedule, [self.lam] if one else [(1.0,), ()], strict=True))
        seen = replace(self.t, reward=self.delta, rho=np.ones_like(self.t.rho))
        memory = [carried] if one else [[carried], []]
        theta, w, _ = moved(self.of, options, seen, np.zeros_like(self.w), self.w, memory, self.alpha, self.beta)
        return theta, w - self.w

    @property
    def theta(self) -> Array:
        """What is added to θ."""
        return self.added[0]

    @property
    def dual(self) -> Array:
        """What is added to w."""
        return self.added[1]

    @property
    def without_w(self) -> Given:
        """What is given, with w = 0."""
        return replace(self, w=np.zeros_like(self.w))

    def along(self, x: Array, vector: Array) -> Array:
        """(xᵀw) vector."""
        return times(dot(x, self.w), vector)


class Variant(Twin):
    """An algorithm with hooks; each is the identity here."""

    words: ClassVar[str] = ""
    made_for: ClassVar[tuple[str, ...]] = EVERY
    gamma: float | None = None
    """The one discount of code that is given one; None where each transition brings its own."""
    moves_theta: ClassVar[Callable[[Variant, Given], Array]] = lambda self, given: given.theta
    moves_w: ClassVar[Callable[[Variant, Given], Array]] = lambda self, given: given.dual

    def reset(self, *, lambdas: Sequence[float], theta0: ArrayLike, tail: float = 0.0) -> None:
        self.lambdas = self.schedule([*lambdas, *[tail] * (ENDLESS if tail else 0)])
        super().reset(lambdas=self.lambdas, theta0=theta0)
        self.c: Array = np.cumprod(np.array([1.0, *self.lambdas]))  # c_k = λ_1…λ_k
        self.window: deque[SimulatedTransition] = deque(maxlen=len(self.c))
        self.before: SimulatedTransition | None = None
        self.sizes_before = (0.0, 0.0)
        self.theta_before = self.theta
        self.inside: Any = 1.0

    def schedule(self, lambdas: list[float]) -> list[float]:
        """The λ's that are used."""
        return lambdas

    def in_trace(self, t: SimulatedTransition) -> SimulatedTransition:
        """What the trace sees."""
        return t

    def in_delta(self, t: SimulatedTransition) -> SimulatedTransition:
        """What δ sees."""
        return t

    def sizes(self, alpha: float, beta: float) -> tuple[float, float]:
        """The step sizes that are used."""
        return alpha, beta

    def weights(self, filled: int) -> Array:
        """c_0, c_1, … where so many transitions are in the window."""
        return self.c

    def factor(self, k: int, past: SimulatedTransition) -> Any:
        """γ_{t−k} ρ_{t−k} of the transition ``past``, by which what is k steps old and older is multiplied."""
        return self.discount(k, past) * self.ratio(past)

    def discount(self, k: int, past: SimulatedTransition) -> Any:
        """γ_{t−k}; the discount of the present transition does not count yet."""
        return past.discount if k else 1.0

    def ratio(self, t: SimulatedTransition) -> Any:
        """ρ, where it enters the trace."""
        return np.ones_like(t.rho) if self.declared.name in WITHOUT_RATIOS else t.rho

    def features(self, k: int, past: SimulatedTransition) -> Array:
        """φ_{t−k}."""
        return past.phi

    def trace(self, t: SimulatedTransition) -> Array:
        """z_t: equation (trace_eq) of §2; with ρ, equation (offPolicy_z) and Theorem 3.4 of §3."""
        self.window.append(self.in_trace(t))
        weights, z, product = self.weights(len(self.window)), np.zeros_like(t.phi), 1.0
        for k, past in enumerate(reversed(self.window)):
            product = product * self.factor(k, past)
            z = z + times(weights[k] * product, self.features(k, past))
            if past.first:
                break
        return z

    def delta(self, t: SimulatedTransition) -> Array:
        """δ_t = R_{t+1} + γ φ_{t+1}ᵀθ_t − φ_tᵀθ_t (§2)."""
        return self.error(self.in_delta(t), self.theta, self.theta)

    def error(self, t: SimulatedTransition, ahead: Array, here: Array) -> Array:
        """R + γ φ'ᵀ``ahead`` − φᵀ``here``."""
        return np.asarray(t.reward + t.discount * dot(t.phi_next, ahead) - dot(t.phi, here))

    def step(self, t: SimulatedTransition, alpha: float, beta: float) -> None:
        self.inside = np.where(t.discount == 0, self.gamma or self.inside, t.discount)
        lam, (a, b) = (self.c[1] if len(self.c) > 1 else 0.0), self.sizes(alpha, beta)
        given = Given(self.declared, t, self.trace(t), self.delta(t), self.w, a, b, float(lam))
        self.theta_before = self.theta
        self.theta, self.w = self.theta + self.moves_theta(given), self.w + self.moves_w(given)
        self.before, self.sizes_before = t, (alpha, beta)


def row(words: str, made_for: Sequence[str] = EVERY, of: type[Variant] = Variant, **replaced: Any) -> type[Variant]:
    """A variant with some hooks or settings replaced."""
    return type(of.__name__, (of,), {"words": words, "made_for": tuple(made_for), **replaced})
