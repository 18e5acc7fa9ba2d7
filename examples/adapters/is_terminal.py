"""Learners that are told ``is_terminal`` and look features and policies up in their task; γ, λ and η = β/α are fixed.

The convention of https://github.com/sinaghiassian/OffpolicyAlgorithms (``Algorithms/BaseTD.py``): ``learn(s, s_p, r,
is_terminal)``, φ' = 0 at the end, ``reset()`` between episodes empties the trace. The code is our own.

    tdcert conform examples/adapters/is_terminal.py:OnTrialTD --algorithm off_policy_td
    tdcert conform examples/adapters/is_terminal.py:OnTrialGTD --algorithm gtd_lambda
"""

import numpy as np


class Task:
    """What the learners look up: features by state, and the probabilities of the action taken."""

    def __init__(self, gamma):
        self.GAMMA = gamma
        self.features = {}
        self.pi, self.mu = 1.0, 1.0


class OffPolicyTD:
    def __init__(self, task, num_features, lmbda):
        self.task, self.lmbda, self.alpha = task, lmbda, 0.0
        self.w = np.zeros(num_features)
        self.reset()

    def reset(self):
        self.z = np.zeros_like(self.w)

    def learn(self, s, s_p, r, is_terminal):
        x = self.task.features[s]
        x_p = np.zeros_like(x) if is_terminal else self.task.features[s_p]
        delta = r + self.task.GAMMA * self.w @ x_p - self.w @ x
        self.z = (self.task.pi / self.task.mu) * (x + self.task.GAMMA * self.lmbda * self.z)
        self.correct(delta, x, x_p)

    def correct(self, delta, x, x_p):
        self.w = self.w + self.alpha * delta * self.z


class GTD(OffPolicyTD):
    """GTD(λ) of the textbooks."""

    def __init__(self, task, num_features, lmbda):
        super().__init__(task, num_features, lmbda)
        self.v, self.eta = np.zeros(num_features), 1.0

    def correct(self, delta, x, x_p):
        ahead = self.task.GAMMA * (1 - self.lmbda) * (self.z @ self.v)
        self.w = self.w + self.alpha * (delta * self.z - ahead * x_p)
        self.v = self.v + self.eta * self.alpha * (delta * self.z - (x @ self.v) * x)


class OnTrialTD:
    learner_class = OffPolicyTD

    def reset(self, *, n_features, lam, gamma, theta0):
        self.task = Task(gamma)
        self.learner = self.learner_class(self.task, n_features, lam)
        self.learner.w = theta0.copy()

    def step(self, t, alpha, beta):
        self.task.features |= {t.state: t.phi, t.next_state: t.phi_next}
        self.task.pi, self.task.mu = t.rho, 1.0
        self.learner.alpha, self.learner.eta = alpha, beta / alpha
        self.learner.learn(t.state, t.next_state, t.reward, t.terminated)
        if t.terminated:
            self.learner.reset()

    @property
    def theta(self):
        return self.learner.w


class OnTrialGTD(OnTrialTD):
    learner_class = GTD

    @property
    def w(self):
        return self.learner.v
