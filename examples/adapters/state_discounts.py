"""A learner with discounts and λ's of its own for every state: ``gm`` of the state left, ``gm_p`` of the state entered.

The convention of https://github.com/rldotai/rl-algorithms (``py3/td.py``): ``update(x, r, xp, alpha, gm, gm_p, lm)``.
Γ_{t−1} is ``gm`` and Γ_t is ``gm_p``, so discounts may change and nothing else says where an episode ends. The code is
our own.

    tdcert conform examples/adapters/state_discounts.py:OnTrial --algorithm td --schedules constant
"""

import numpy as np


class TD:
    def __init__(self, n):
        self.w, self.z = np.zeros(n), np.zeros(n)

    def update(self, x, r, xp, alpha, gm, gm_p, lm):
        self.z = x + gm * lm * self.z
        delta = r + gm_p * self.w @ xp - self.w @ x
        self.w = self.w + alpha * delta * self.z
        return delta


class OnTrial:
    def reset(self, *, n_features, lambdas, theta0):
        self.learner, self.lam, self.before = TD(n_features), lambdas[0], 0.0
        self.learner.w = theta0.copy()

    def step(self, t, alpha, beta):
        self.learner.update(t.phi, t.reward, t.phi_next, alpha, self.before, t.discount, self.lam)
        self.before = t.discount

    @property
    def theta(self):
        return self.learner.w
