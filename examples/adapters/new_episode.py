"""A value function that remembers the last state and learns when the next one is reached.

The convention of https://github.com/ShangtongZhang/reinforcement-learning-an-introduction (``TemporalDifferenceLambda``
in ``chapter12/random_walk.py``): ``new_episode()``, then ``learn(state, reward)`` for every state that is reached;
``rate`` is λ. There γ is 1 and the weights are a table; here γ is given, and a state is its features. The code is our
own.

    tdcert conform examples/adapters/new_episode.py:OnTrial --algorithm td
"""

import numpy as np


class TemporalDifferenceLambda:
    def __init__(self, rate, discount, weights):
        self.rate, self.discount, self.step_size = rate, discount, 0.0
        self.weights = weights

    def value(self, state):
        return self.weights @ state

    def new_episode(self, state):
        self.eligibility = np.zeros_like(self.weights)
        self.last_state = state

    def learn(self, state, reward):
        self.eligibility *= self.rate * self.discount
        self.eligibility += self.last_state
        delta = reward + self.discount * self.value(state) - self.value(self.last_state)
        self.weights += self.step_size * delta * self.eligibility
        self.last_state = state


class OnTrial:
    def reset(self, *, n_features, lam, gamma, theta0):
        self.values = TemporalDifferenceLambda(lam, gamma, theta0.copy())

    def step(self, t, alpha, beta):
        self.values.step_size = alpha
        if t.first:
            self.values.new_episode(t.phi)
        self.values.learn(np.zeros_like(t.phi) if t.terminated else t.phi_next, t.reward)

    @property
    def theta(self):
        return self.values.weights
