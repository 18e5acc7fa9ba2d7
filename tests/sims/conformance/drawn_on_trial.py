"""Classes that learn from independent draws, as from a replay buffer: right ones, and what goes wrong there."""

from typing import Any

import numpy as np


class Replay:
    """Off-policy TD(0)."""

    def reset(self, *, n_features: int, theta0: Any) -> None:
        self.theta = theta0.copy()

    def step(self, t: Any, alpha: float) -> None:
        delta = t.reward + t.discount * t.phi_next @ self.theta - t.phi @ self.theta
        self.theta = self.theta + alpha * t.rho * delta * t.phi


class Stale(Replay):
    """φ(s_t) is what φ(s_{t+1}) was in the call before."""

    def reset(self, *, n_features: int, theta0: Any) -> None:
        self.theta, self.last = theta0.copy(), None

    def step(self, t: Any, alpha: float) -> None:
        phi = t.phi if self.last is None else self.last
        self.last = t.phi_next
        delta = t.reward + t.discount * t.phi_next @ self.theta - phi @ self.theta
        self.theta = self.theta + alpha * t.rho * delta * phi


class Trace:
    """TD(λ), whose trace goes on from draw to draw."""

    def reset(self, *, n_features: int, theta0: Any, lam: float) -> None:
        self.theta, self.z, self.lam, self.discount = theta0.copy(), np.zeros(n_features), lam, 0.0

    def step(self, t: Any, alpha: float) -> None:
        self.z, self.discount = self.discount * self.lam * self.z + t.phi, t.discount
        delta = t.reward + t.discount * t.phi_next @ self.theta - t.phi @ self.theta
        self.theta = self.theta + alpha * delta * self.z


class TraceOfDraws(Trace):
    """The trace begins anew at each draw."""

    def step(self, t: Any, alpha: float) -> None:
        self.discount = 0.0 if t.first else self.discount
        super().step(t, alpha)


class Emphatic:
    """ETD(0) with the follow-on trace of the draws before."""

    def reset(self, *, n_features: int, theta0: Any) -> None:
        self.theta, self.follow_on, self.last = theta0.copy(), 0.0, (0.0, 1.0)

    def step(self, t: Any, alpha: float) -> None:
        discount, rho = self.last
        self.follow_on, self.last = discount * rho * self.follow_on + 1.0, (t.discount, t.rho)
        delta = t.reward + t.discount * t.phi_next @ self.theta - t.phi @ self.theta
        self.theta = self.theta + alpha * t.rho * self.follow_on * delta * t.phi


class EmphaticOfDraws(Emphatic):
    """ETD(0), whose emphasis is the interest at each draw."""

    def step(self, t: Any, alpha: float) -> None:
        self.follow_on = 0.0 if t.first else self.follow_on
        super().step(t, alpha)


class Single(Replay):
    """Off-policy TD(0) in single precision."""

    def step(self, t: Any, alpha: float) -> None:
        x = np.float32
        theta, phi, ahead = (np.asarray(y, dtype=x) for y in (self.theta, t.phi, t.phi_next))
        delta = x(t.reward) + x(t.discount) * (ahead @ theta) - phi @ theta
        self.theta = np.asarray(theta + x(alpha) * x(t.rho) * delta * phi, dtype=np.float64)
