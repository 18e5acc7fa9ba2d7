"""Classes for ``test_real_code.py`` with one γ, one λ or none, and the mistakes that such code has."""

import random

import numpy as np


class FixedGamma:
    """TD(λ) with a flag at the end of an episode; what is done there is a method, so that mistakes replace it."""

    def reset(self, *, n_features, lam, gamma, theta0):
        self.lam, self.gamma, self.theta = lam, gamma, theta0.copy()
        self.z = np.zeros(n_features)

    def ahead(self, t):
        return np.zeros_like(t.phi) if t.terminated else t.phi_next

    def end(self):
        self.z = np.zeros_like(self.z)

    def step(self, t, alpha, beta):
        self.z = self.gamma * self.lam * self.z + t.phi
        delta = t.reward + self.gamma * (self.ahead(t) @ self.theta) - t.phi @ self.theta
        self.theta = self.theta + alpha * delta * self.z
        if t.terminated:
            self.end()


class Keywords(FixedGamma):
    """Takes whatever there is, and knows an end by its older name."""

    def reset(self, **given):
        super().reset(lam=given.pop("lambdas")[0], **given)

    def ahead(self, t):
        return t.phi_next * (1 - t.done)


class NeverEnds(FixedGamma):
    """The trace goes on into the next episode."""

    def end(self):
        pass


class Bootstraps(FixedGamma):
    """The value after the end of an episode is not zero."""

    def ahead(self, t):
        return t.phi_next


class LambdasAndGamma(FixedGamma):
    """Takes the λ's as a tuple, and γ."""

    def reset(self, *, n_features, lambdas, gamma, theta0):
        super().reset(n_features=n_features, lam=lambdas[0], gamma=gamma, theta0=theta0)


class TDZero:
    """No trace, discounts of the transition."""

    def reset(self, *, n_features, theta0):
        self.theta = theta0.copy()

    def step(self, t, alpha, beta):
        delta = t.reward + t.discount * (t.phi_next @ self.theta) - t.phi @ self.theta
        self.theta = self.theta + alpha * t.rho * delta * t.phi


class Textbook:
    """GTD(λ) of the textbooks; ``correction`` is what mistakes replace."""

    def reset(self, *, n_features, lam, theta0):
        self.lam, self.theta, self.w = lam, theta0.copy(), np.zeros(n_features)
        self.z, self.discount = np.zeros(n_features), 0.0

    def correction(self, t):
        return t.discount * (1 - self.lam) * (self.z @ self.w) * t.phi_next

    def step(self, t, alpha, beta):
        self.z = t.rho * (t.phi + self.discount * self.lam * self.z)
        delta = t.reward + t.discount * (t.phi_next @ self.theta) - t.phi @ self.theta
        theta = self.theta + alpha * (delta * self.z - self.correction(t))
        self.w = self.w + beta * (delta * self.z - (t.phi @ self.w) * t.phi)
        self.theta, self.discount = theta, t.discount


class WithoutOneMinusLambda(Textbook):
    def correction(self, t):
        return t.discount * (self.z @ self.w) * t.phi_next


class SingleTextbook(Textbook):
    """Parameters in single precision."""

    def step(self, t, alpha, beta):
        super().step(t, alpha, beta)
        self.theta, self.w = (x.astype(np.float32).astype(np.float64) for x in (self.theta, self.w))


class RandomTextbook(Textbook):
    """Rounds θ to a grid at random."""

    def step(self, t, alpha, beta):
        super().step(t, alpha, beta)
        self.theta = np.floor(self.theta * 4096 + random.random()) / 4096
