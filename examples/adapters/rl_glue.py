"""An agent in the style of RL-Glue: ``agent_start``, ``agent_step`` and, with the last reward alone, ``agent_end``.

The convention of https://github.com/andnp/coursera-rl-glue (``RLGlue/agent.py``): ``agent_start(observation)``,
``agent_step(reward, observation)``, ``agent_end(reward)``. The end of an episode is a call of its own, with no state
after it. The code is our own.

    tdcert conform examples/adapters/rl_glue.py:OnTrial --algorithm td
"""

import numpy as np


class PredictionAgent:
    def __init__(self, discount, trace_decay, weights):
        self.discount, self.trace_decay, self.weights = discount, trace_decay, weights
        self.step_size = 0.0

    def agent_start(self, observation):
        self.trace = np.zeros_like(self.weights)
        self.last = observation

    def agent_step(self, reward, observation):
        self.learn(reward + self.discount * self.weights @ observation)
        self.last = observation

    def agent_end(self, reward):
        self.learn(reward)

    def learn(self, target):
        self.trace = self.discount * self.trace_decay * self.trace + self.last
        self.weights = self.weights + self.step_size * (target - self.weights @ self.last) * self.trace


class OnTrial:
    def reset(self, *, n_features, lam, gamma, theta0):
        self.agent = PredictionAgent(gamma, lam, theta0)

    def step(self, t, alpha, beta):
        self.agent.step_size = alpha
        if t.first:
            self.agent.agent_start(t.phi)
        if t.terminated:
            self.agent.agent_end(t.reward)
        else:
            self.agent.agent_step(t.reward, t.phi_next)

    @property
    def theta(self):
        return self.agent.weights
