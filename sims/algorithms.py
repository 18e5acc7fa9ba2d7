r"""The four algorithms as the paper prints them: the readable twins, against which everything faster is held.

One ``step`` takes one transition. All arrays may have leading axes (many independent runs side by side);
vectors have length d on the last axis. The trace weight of φ_k at time t is c_{t−k}·Γ_k…Γ_{t−1}, off-policy
times ρ_k…ρ_t; before time L the window is shorter. γ is the discount of the transition, so that a restart
(discount 0) begins the trace anew by itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdcert.algorithms.schedules import PAPER
from tdcert.sims.trajectories import Trajectory
from tdcert.theory.errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Transition:
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


class Algorithm:
    """What the four have in common: θ, w, and the eligibility trace."""

    importance = True
    """Whether ρ enters the trace (all but on-policy TD)."""

    theta: Array
    w: Array

    def reset(self, *, n_features: int, lambdas: Sequence[float], theta0: ArrayLike, tail: float = 0.0) -> None:
        """Start from θ_0, w_0 = 0 and an empty window. ``tail`` is λ for the constant schedule without end."""
        self.theta = np.array(theta0, dtype=np.float64)
        self.w = np.zeros_like(self.theta)
        self.c = np.cumprod([1.0, *lambdas])  # c_k = λ_1…λ_k
        self.tail = tail
        self.window: deque[Transition] = deque(maxlen=len(self.c))
        self.z = np.zeros(n_features)

    def step(self, t: Transition, alpha: float, beta: float) -> None:
        """One update with step sizes α_t (θ) and β_t (w)."""
        raise TypeError("step belongs to one of the four algorithms")

    def trace(self, t: Transition) -> Array:
        """z_t (…, d): equation (trace_eq) of §2; with ρ, equation (offPolicy_z) and Theorem 3.4 of §3."""
        if self.tail:
            return self._recursive_trace(t)
        self.window.append(t)
        z = np.zeros_like(t.phi)
        product = np.ones_like(np.asarray(t.rho, dtype=np.float64))
        for k in range(len(self.window)):  # the transition at time t − k
            past = self.window[-1 - k]
            if k > 0:
                product = product * past.discount  # Γ_{t−k}
            if self.importance:
                product = product * past.rho  # ρ_{t−k}
            z = z + _times(self.c[k] * product, past.phi)
            if past.first:
                break
        return z

    def _recursive_trace(self, t: Transition) -> Array:
        """z_t = ρ_t (φ_t + λ Γ_{t−1} z_{t−1}): observation (3) of §2, the classical TD(λ)."""
        z = t.phi
        if self.window and not t.first:
            z = z + _times(self.tail * self.window[-1].discount, self.z)
        self.z = _times(t.rho, z) if self.importance else z
        self.window.append(t)
        return self.z

    def delta(self, t: Transition) -> Array:
        """δ_t = R_{t+1} + γ φ_{t+1}ᵀθ_t − φ_tᵀθ_t (§2)."""
        return np.asarray(t.reward + t.discount * _dot(t.phi_next, self.theta) - _dot(t.phi, self.theta))


class TD(Algorithm):
    """TD(λ)-schedule, equation (tdLambdaSchedule) of §2."""

    importance = False

    def step(self, t: Transition, alpha: float, beta: float) -> None:
        z = self.trace(t)
        delta = self.delta(t)
        self.theta = self.theta + alpha * _times(delta, z)  # θ_{t+1} = θ_t + α_t δ_t z_t


class OffPolicyTD(TD):
    """Off-policy TD(λ)-schedule, equation (offPolicy_z) of §3: the same update, ρ in the trace."""

    importance = True


class GTD(Algorithm):
    """GTD(λ)-schedule, equation (GTDLambdaSchedule) of §3."""

    def step(self, t: Transition, alpha: float, beta: float) -> None:
        z = self.trace(t)
        delta = self.delta(t)
        zw, phi_w = _dot(z, self.w), _dot(t.phi, self.w)
        # θ_{t+1} = θ_t + α_t (φ_t − γφ_{t+1}) z_tᵀw_t
        self.theta = self.theta + alpha * _times(zw, t.phi - _times(t.discount, t.phi_next))
        # w_{t+1} = w_t + β_t (δ_t(θ_t) z_t − φ_t φ_tᵀ w_t)
        self.w = self.w + beta * (_times(delta, z) - _times(phi_w, t.phi))


class TDC(Algorithm):
    """TDC(λ)-schedule, equation (TDCLambdaScehdule) of §3."""

    def step(self, t: Transition, alpha: float, beta: float) -> None:
        z = self.trace(t)
        delta = self.delta(t)
        zw, phi_w = _dot(z, self.w), _dot(t.phi, self.w)
        # θ_{t+1} = θ_t + α_t δ_t(θ_t) z_t − α_t ((γφ_{t+1} − φ_t) z_tᵀw_t + φ_t φ_tᵀ w_t)
        correction = _times(zw, _times(t.discount, t.phi_next) - t.phi) + _times(phi_w, t.phi)
        self.theta = self.theta + alpha * _times(delta, z) - alpha * correction
        # w_{t+1} = w_t + β_t (δ_t(θ_t) z_t − φ_t φ_tᵀ w_t)
        self.w = self.w + beta * (_times(delta, z) - _times(phi_w, t.phi))


ALGORITHMS: dict[str, type[Algorithm]] = dict(zip(PAPER, (TD, OffPolicyTD, GTD, TDC), strict=True))


def algorithm_named(name: str) -> type[Algorithm]:
    """The class of one of ``td``, ``off_policy_td``, ``gtd``, ``tdc``."""
    if name not in ALGORITHMS:
        raise InputError(f"there is no algorithm '{name}'; give one of {', '.join(ALGORITHMS)}")
    return ALGORITHMS[name]


def transitions(trajectory: Trajectory) -> list[Transition]:
    """The transitions of a recorded trajectory, in order; the first one starts the trace."""
    states, phi, phi_next = trajectory.states, trajectory.phi, trajectory.phi_next
    return [
        Transition(
            states[..., t],
            trajectory.actions[..., t],
            trajectory.rewards[..., t],
            states[..., t + 1],
            phi[..., t, :],
            phi_next[..., t, :],
            trajectory.rho[..., t],
            trajectory.discounts[..., t],
            t == 0,
        )
        for t in range(trajectory.steps)
    ]


def run(
    algorithm: Algorithm,
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
    algorithm.reset(n_features=shape[-1], lambdas=lambdas, theta0=start, tail=tail)
    if w0 is not None:
        algorithm.w = np.broadcast_to(np.asarray(w0, dtype=np.float64), shape)
    thetas, ws = [algorithm.theta], [algorithm.w]
    for t, alpha, beta in zip(transitions(trajectory), alphas, betas, strict=True):
        algorithm.step(t, float(alpha), float(beta))
        thetas.append(algorithm.theta)
        ws.append(algorithm.w)
    return np.array(thetas), np.array(ws)


def _dot(x: Array, y: Array) -> Array:
    """xᵀy on the last axis."""
    return np.asarray(np.sum(x * y, axis=-1))


def _times(scalar: Any, vector: Array) -> Array:
    """scalar · vector, one scalar per run."""
    return np.asarray(scalar)[..., np.newaxis] * vector
