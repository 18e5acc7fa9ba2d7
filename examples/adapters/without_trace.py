"""Gradient learners without a trace: parameters in a dictionary, ρ on the update, φ' = 0 after the last state.

The convention of https://github.com/rlai-lab/Regularized-GradientTD (``experiments/prediction/agents``): ``update(x, a,
r, xp, rho)`` with ``params["gamma"]``, ``["alpha"]``, ``["eta"]``. ``reset`` of the adapters takes no λ, so the trial
asks for λ = 0 alone. GTD2 is GTD(λ)-schedule there. TDC with ρ on all of its update is the TDC(λ) of textbooks; the
paper's has φφᵀw without ρ, and ``--algorithm tdc`` says so. The code is our own.

    tdcert conform examples/adapters/without_trace.py:OnTrialGTD2 --algorithm gtd
    tdcert conform examples/adapters/without_trace.py:OnTrialTDC --algorithm tdc_lambda
"""

import numpy as np


class GTD2:
    def __init__(self, features, params):
        self.params = params
        self.w, self.h = np.zeros(features), np.zeros(features)

    def update(self, x, a, r, xp, rho):
        gamma, alpha = self.params["gamma"], self.params["alpha"]
        delta, delta_hat = r + gamma * self.w @ xp - self.w @ x, self.h @ x
        w = self.w + alpha * rho * self.direction(x, xp, delta, delta_hat)
        self.h = self.h + self.params["eta"] * alpha * (rho * delta - delta_hat) * x
        self.w = w

    def direction(self, x, xp, delta, delta_hat):
        return delta_hat * x - self.params["gamma"] * delta_hat * xp


class TDC(GTD2):
    def direction(self, x, xp, delta, delta_hat):
        return delta * x - self.params["gamma"] * delta_hat * xp


class OnTrialGTD2:
    learner_class = GTD2

    def reset(self, *, n_features, gamma, theta0):
        self.params = {"gamma": gamma}
        self.learner = self.learner_class(n_features, self.params)
        self.learner.w = theta0.copy()

    def step(self, t, alpha, beta):
        self.params |= {"alpha": alpha, "eta": beta / alpha}
        ahead = np.zeros_like(t.phi) if t.terminated else t.phi_next
        self.learner.update(t.phi, t.action, t.reward, ahead, t.rho)

    @property
    def theta(self):
        return self.learner.w

    @property
    def w(self):
        return self.learner.h


class OnTrialTDC(OnTrialGTD2):
    learner_class = TDC
