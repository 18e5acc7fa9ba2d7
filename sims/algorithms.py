r"""The paper's four functions of ``algorithms/`` along recorded trajectories: the readable twins, against which
everything faster is held.

One ``step`` takes one transition. All arrays may have a leading axis of independent runs side by side; vectors have
length d on the last axis. A discount of zero lets the memory begin anew by itself, and ``first`` does so too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdcert.algorithms import named
from tdcert.algorithms.schedules import PAPER
from tdcert.sims.trajectories import Trajectory
from tdcert.sims.updates.lanes import Lanes
from tdcert.theory.engine.declare import Algorithm

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SimulatedTransition:
    """What an algorithm sees at time t. Scalars or shape (…); ``phi`` = φ_t and ``phi_next`` = φ_{t+1}: (…, d)."""

    state: Any
    action: Any
    reward: Any
    next_state: Any
    phi: Array
    phi_next: Array
    rho: Any
    discount: Any
    first: bool

    def side_by_side(self) -> SimulatedTransition:
        """The transition with its numbers as the function takes them."""
        if self.phi.ndim == 1:
            return self
        reward, rho, discount = (Lanes(np.atleast_1d(x)) for x in (self.reward, self.rho, self.discount))
        phi, phi_next = side_by_side(self.phi), side_by_side(self.phi_next)
        return replace(self, phi=phi, phi_next=phi_next, reward=reward, rho=rho, discount=discount)

    def at_next(self, lam: Any) -> Any:
        """λ at the next state: the same, under a λ-schedule."""
        return lam


def side_by_side(vectors: Array) -> Any:
    """Vectors of many runs (runs, d) as a declared function takes them, and one vector as it is."""
    return vectors if vectors.ndim == 1 else Lanes(vectors.T)


class Twin:
    """A declared function with its parameters θ, and w where it has them, and its memory."""

    declared: ClassVar[Algorithm]

    theta: Array
    w: Array

    def reset(self, *, lambdas: Sequence[float], theta0: ArrayLike, tail: float = 0.0) -> None:
        """Start from θ_0, w_0 = 0 and nothing remembered. ``tail`` is λ for the constant schedule without end."""
        self.theta = np.array(theta0, dtype=np.float64)
        self.w = np.zeros_like(self.theta)
        names = self.declared.schedule
        one = tail or (lambdas[0] if len(lambdas) else 0.0)
        held: tuple[Any, ...] = (tuple(lambdas), (tail,) if tail else ()) if len(names) > 1 else (one,)
        self.options = dict(zip(names, held, strict=True))
        self.memory = self._nothing()

    def _nothing(self) -> list[Any]:
        """The memory at the start."""
        slots = self.declared.with_options(**self.options).slots(self.theta.shape[-1])[1]
        return [np.zeros(slot.shape) for slot in slots]

    def step(self, t: SimulatedTransition, alpha: float, beta: float) -> None:
        """One update with step sizes α_t (θ) and β_t (w)."""
        memory = self._nothing() if t.first else self.memory
        learnt = self.theta, self.w
        self.theta, self.w, self.memory = moved(self.declared, self.options, t, *learnt, memory, alpha, beta)

    def trace(self, t: SimulatedTransition) -> Array:
        """z_t (…, d), in place of a step: what an update from zero, with δ = 1 and steps 1, makes of θ, or of w."""
        memory, zero = self._nothing() if t.first else self.memory, np.zeros_like(t.phi)
        rewarded = replace(t, reward=np.ones_like(t.reward))
        theta, w, self.memory = moved(self.declared, self.options, rewarded, zero, zero, memory, 1.0, 1.0)
        return w if len(self.declared.parameters) > 1 else theta


def moved(
    declared: Algorithm,
    options: Mapping[str, Any],
    t: SimulatedTransition,
    theta: Array,
    w: Array,
    memory: Sequence[Any],
    alpha: float,
    beta: float,
) -> tuple[Array, Array, list[Any]]:
    """The new θ, w and memory; w as it is where there is none."""
    count, steps = len(declared.parameters), (alpha, beta)[: len(declared.steps)]
    held = [side_by_side(x) for x in (theta, w)[:count]]
    new = declared.function(t.side_by_side(), *held, *memory, *steps, **options)
    learnt = [x.value.T if isinstance(x, Lanes) else np.asarray(x) for x in new[:count]]
    return learnt[0], learnt[1] if count > 1 else w, list(new[count:])


class TD(Twin):
    """TD(λ)-schedule, equation (tdLambdaSchedule) of §2."""

    declared = named(PAPER[0])


class OffPolicyTD(Twin):
    """Off-policy TD(λ)-schedule, equation (offPolicy_z) of §3."""

    declared = named(PAPER[1])


class GTD(Twin):
    """GTD(λ)-schedule, equation (GTDLambdaSchedule) of §3."""

    declared = named(PAPER[2])


class TDC(Twin):
    """TDC(λ)-schedule, equation (TDCLambdaScehdule) of §3."""

    declared = named(PAPER[3])


ALGORITHMS: dict[str, type[Twin]] = dict(zip(PAPER, (TD, OffPolicyTD, GTD, TDC), strict=True))


def transitions(trajectory: Trajectory) -> list[SimulatedTransition]:
    """The transitions of a recorded trajectory, in order; the first one starts the trace, and each that is drawn."""
    left, reached, phi, phi_next = trajectory.left, trajectory.reached, trajectory.phi, trajectory.phi_next
    return [
        SimulatedTransition(
            left[..., t],
            trajectory.actions[..., t],
            trajectory.rewards[..., t],
            reached[..., t],
            phi[..., t, :],
            phi_next[..., t, :],
            trajectory.rho[..., t],
            trajectory.discounts[..., t],
            trajectory.drawn or t == 0,
        )
        for t in range(trajectory.steps)
    ]


def run(
    algorithm: Twin,
    trajectory: Trajectory,
    lambdas: Sequence[float],
    alphas: Sequence[float] | Array,
    betas: Sequence[float] | Array,
    theta0: ArrayLike | None = None,
    tail: float = 0.0,
    w0: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """(θ_0 … θ_T), (w_0 … w_T), each (T+1, …, d), along a recorded trajectory; θ_0 = 0 unless given."""
    shape = (*trajectory.rewards.shape[:-1], trajectory.Phi.shape[1])
    start = np.zeros(shape) if theta0 is None else np.broadcast_to(np.asarray(theta0, dtype=np.float64), shape)
    algorithm.reset(lambdas=lambdas, theta0=start, tail=tail)
    if w0 is not None:
        algorithm.w = np.broadcast_to(np.asarray(w0, dtype=np.float64), shape)
    thetas, ws = [algorithm.theta], [algorithm.w]
    for t, alpha, beta in zip(transitions(trajectory), alphas, betas, strict=True):
        algorithm.step(t, float(alpha), float(beta))
        thetas.append(algorithm.theta)
        ws.append(algorithm.w)
    return np.array(thetas), np.array(ws)
