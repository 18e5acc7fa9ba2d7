"""A predictor whose step sizes are iterators, and whose trace is deleted between episodes; TDC(λ) with one λ.

The convention of https://github.com/chrodan/tdlearn (``td.py``): ``update_V(s0, s1, r, f0, f1, rho)``, ``next`` of
``alpha`` and ``beta`` at every update, ``reset_trace()``. The code is our own.

    tdcert conform examples/adapters/step_size_iterators.py:OnTrial --algorithm tdc_lambda
"""

import numpy as np


class TDCLambda:
    def __init__(self, alpha, beta, lam, gamma, theta0):
        self.alpha, self.beta, self.lam, self.gamma = alpha, beta, lam, gamma
        self.theta, self.w = theta0.copy(), np.zeros_like(theta0)

    def reset_trace(self):
        if hasattr(self, "z"):
            del self.z

    def update_V(self, s0, s1, r, f0, f1, rho=1):
        self.z = rho * (f0 + self.gamma * self.lam * getattr(self, "z", np.zeros_like(f0)))
        delta = r + self.gamma * self.theta @ f1 - self.theta @ f0
        theta, w = self.theta.copy(), self.w.copy()
        theta += next(self.alpha) * (delta * self.z - self.gamma * (1 - self.lam) * (self.z @ self.w) * f1)
        w += next(self.beta) * (delta * self.z - (f0 @ self.w) * f0)
        self.theta, self.w = theta, w


class OnTrial:
    def reset(self, *, n_features, lam, gamma, theta0):
        self.sizes = {"alpha": 0.0, "beta": 0.0}
        alphas, betas = (iter(lambda name=name: self.sizes[name], None) for name in ("alpha", "beta"))
        self.predictor = TDCLambda(alphas, betas, lam, gamma, theta0)

    def step(self, t, alpha, beta):
        self.sizes = {"alpha": alpha, "beta": beta}
        ahead = np.zeros_like(t.phi) if t.terminated else t.phi_next
        self.predictor.update_V(t.state, t.next_state, t.reward, t.phi, ahead, rho=t.rho)
        if t.terminated:
            self.predictor.reset_trace()

    @property
    def theta(self):
        return self.predictor.theta

    @property
    def w(self):
        return self.predictor.w
