"""Processor time of the mean of an update, exact, on models of whole-number weights; :mod:`benchmarks.waits` asks it.

From a function to [A_k b_k] for each step size, with the stationary law and whether the memory has a mean. Random
models are those of one seed.
"""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np

from tdcert.algorithms import for_model, named
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.means import stationary
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule


def drawn(states: int, features: int, successors: int, actions: int) -> Model:
    """A model with γ = 9/10 and λ = 1/2, each action with as many successors in each state."""
    words = np.random.default_rng(1)

    def law(size: int, support: int) -> list[Fraction]:
        weights = np.zeros(size, dtype=np.int64)
        weights[words.choice(size, support, replace=False)] = words.integers(1, 10, support)
        return [Fraction(int(x), int(weights.sum())) for x in weights]

    kernels = [[law(states, successors) for _ in range(states)] for _ in range(actions)]
    rewards = [[[Fraction(int(x))] for x in words.integers(-3, 4, states)] for _ in range(actions)]
    policies = [[law(actions, actions) for _ in range(states)] for _ in range(2)]
    return Model(
        ("left", "right")[:actions],
        tuple(map(RationalMatrix, kernels)),
        tuple(map(RationalMatrix, rewards)),
        (RationalMatrix([[Fraction(9, 10)]] * states),) * actions,
        *map(RationalMatrix, policies),
        RationalMatrix(words.integers(-2, 3, (states, features)).tolist()),
        Schedule((), Fraction(1, 2)),
    )


def seconds(name: str, model: Model) -> float:
    """Of the second answer."""
    algorithm, began = for_model(named(name), model)[0], 0.0
    for _ in range(2):
        began = time.process_time()
        found = stationary(model, algorithm, model.behaviour_chain.recurrent_classes[0])
        assert found.has_mean is True and found.means
    return time.process_time() - began
