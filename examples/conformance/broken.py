"""Three implementations, each with one mistake of the kind that runs, learns something, and is wrong.

tdcert conform examples/conformance/broken.py:LateReward --algorithm td
tdcert conform examples/conformance/broken.py:WrongEnd --algorithm td --schedules constant
tdcert conform examples/conformance/broken.py:EagerTDC --algorithm tdc
"""

import numpy as np


class Windowed:
    """z = Σ c_k Γ… ρ… φ_{t−k}, by its window: what two of the three get right."""

    def reset(self, *, n_features, lambdas, theta0):
        self.theta, self.w = theta0.copy(), np.zeros(n_features)
        self.c = np.cumprod([1.0, *lambdas])
        self.window = []
        self.reward = 0.0

    def trace(self, t):
        self.window = [t.rho * x for x in [t.phi, *self.window][: len(self.c)]]
        z = sum(c * x for c, x in zip(self.c[: len(self.window)], self.window, strict=True))
        self.window = [t.discount * x for x in self.window]
        return z

    def delta(self, t):
        return t.reward + t.discount * (t.phi_next @ self.theta) - t.phi @ self.theta


class LateReward(Windowed):
    """Takes the reward that arrived with the state, not the one that leaving it brings."""

    def step(self, t, alpha, beta):
        delta = self.delta(t) - t.reward + self.reward
        self.theta = self.theta + alpha * delta * self.trace(t)
        self.reward = t.reward


class WrongEnd(Windowed):
    """The usual recursion, with the discount that is at hand: the next transition's instead of the last one's."""

    def reset(self, *, n_features, lambdas, theta0):
        super().reset(n_features=n_features, lambdas=lambdas, theta0=theta0)
        self.lam, self.z = lambdas[0], np.zeros(n_features)

    def step(self, t, alpha, beta):
        self.z = t.phi if t.first else t.phi + t.discount * self.lam * self.z
        self.theta = self.theta + alpha * self.delta(t) * self.z


class EagerTDC(Windowed):
    """TDC whose second line already sees what the first one wrote."""

    def step(self, t, alpha, beta):
        z = self.trace(t)
        correction = (t.discount * t.phi_next - t.phi) * (z @ self.w) + t.phi * (t.phi @ self.w)
        self.theta = self.theta + alpha * (self.delta(t) * z - correction)
        self.w = self.w + beta * (self.delta(t) * z - t.phi * (t.phi @ self.w))
