"""mushroom_rl: a state is its value, so that the regressor is the identity."""

import numpy as np

from taken import taken

PLACE = ("mushroom_rl", "utils/value_functions.py")
_gae = taken(*PLACE, "compute_gae", np=np)
_montecarlo = taken(*PLACE, "compute_advantage_montecarlo", np=np)
_one_step = taken(*PLACE, "compute_advantage", np=np)


def value(states):
    return np.atleast_1d(states)


def compute_gae(rewards, next_values, terminated, truncated, values, gamma, lam):
    q, advantages = _gae(value, values, next_values, rewards, terminated, terminated | truncated, gamma, lam)
    return advantages, q


def compute_advantage_montecarlo(rewards, values, last_value, gamma):
    following = np.append(values[1:], last_value)
    return _montecarlo(value, values, following, rewards, np.zeros(len(rewards)), gamma)[0][:, 0]


def compute_advantage(rewards, next_values, terminated, truncated, gamma):
    found = _one_step(value, next_values, next_values, rewards, terminated.astype(float), gamma)
    return found[0][:, 0]
