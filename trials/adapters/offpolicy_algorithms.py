"""Classes of the suite OffpolicyAlgorithms on trial, each as ``tdcert conform`` asks for it; the code is our own.

``OFFPOLICY_ALGORITHMS`` holds the path of a copy of https://github.com/sinaghiassian/OffpolicyAlgorithms. Its learners
look features and policies up in a task, with fixed λ and γ; ``learn(s, s_p, r, is_terminal)`` makes an update,
``reset()`` begins an episode. Its w is θ here, its v is w.
"""

import os
import sys
from importlib import import_module
from types import ModuleType

sys.path.insert(0, os.environ["OFFPOLICY_ALGORITHMS"])
tasks, base = ModuleType("Tasks"), ModuleType("Tasks.BaseTask")
base.BaseTask = object  # named in annotations alone; the real one needs its environments
sys.modules |= {"Tasks": tasks, "Tasks.BaseTask": base}


class Task:
    """What the learners look up."""

    num_policies, ABTD_xi_zero, ABTD_xi_max = 1, 1.0, 2.0

    def __init__(self, n_features, gamma):
        self.num_features, self.GAMMA, self.features = n_features, gamma, {}
        self.pi, self.mu = 1.0, 1.0

    def load_state_values(self):
        return None

    def load_behavior_dist(self):
        return None

    def get_state_feature_rep(self, s):
        return self.features[s]

    def get_pi(self, s, a):
        return self.pi

    def get_mu(self, s, a):
        return self.mu


class Adapter:
    """``name``: of the class and its module."""

    name = ""

    def begin(self, n_features, gamma, theta0, **given):
        kind = getattr(import_module(f"Algorithms.{self.name}"), self.name)
        self.task = Task(n_features, gamma)
        self.learner = kind(self.task, alpha=0.0, eta=1.0, **given)
        self.learner.w = theta0.copy()
        self.learner.reset()

    def learn(self, t, alpha, beta):
        self.task.features |= {t.state: t.phi, t.next_state: t.phi_next}
        self.task.pi, self.task.mu = t.pi, t.mu
        self.learner.alpha, self.learner.eta = alpha, beta / alpha
        self.learner.learn(t.state, t.next_state, t.reward, t.terminated)
        if t.terminated:
            self.learner.reset()

    @property
    def theta(self):
        return self.learner.w

    @property
    def w(self):
        return self.learner.v


class OneStep(Adapter):
    def reset(self, *, n_features, gamma, theta0, lam):
        self.begin(n_features, gamma, theta0, lmbda=lam)

    def step(self, t, alpha, beta=1.0):
        self.learn(t, alpha, beta)


class TwoSteps(OneStep):
    def step(self, t, alpha, beta):
        self.learn(t, alpha, beta)


class TD(OneStep):
    name = "TD"


class TB(OneStep):
    name = "TB"


class Vtrace(OneStep):
    name = "Vtrace"


class ETD(OneStep):
    name = "ETD"


class ETDLB(OneStep):
    name = "ETDLB"

    def reset(self, *, n_features, gamma, theta0, lam, decay):
        self.begin(n_features, gamma, theta0, lmbda=lam, beta=decay)


class ABTD(OneStep):
    name = "ABTD"

    def reset(self, *, n_features, gamma, theta0, psi):
        self.begin(n_features, gamma, theta0, zeta=psi / 2)  # its ψ is 2ζ·ABTD_xi_zero for ζ up to a half


class GTD(TwoSteps):
    name = "GTD"


class GTD2(TwoSteps):
    name = "GTD2"


class HTD(TwoSteps):
    name = "HTD"


class PGTD2(TwoSteps):
    name = "PGTD2"

    def reset(self, *, n_features, gamma, theta0):
        self.begin(n_features, gamma, theta0, lmbda=0.0)


class TDRC(TwoSteps):
    name = "TDRC"

    def reset(self, *, n_features, gamma, theta0, lam, ridge):
        self.begin(n_features, gamma, theta0, lmbda=lam, tdrc_beta=ridge)
