"""The advantages of a PPO, lifted out of its training loop into functions; docs/estimators.md puts them on trial."""

import numpy as np


def advantages(rewards, values, dones, next_value, next_done, gamma, gae_lambda):
    """``dones[t]``: state t begins an episode; ``next_done``: so does the state after the last step."""
    found = np.zeros_like(rewards)
    carried = np.zeros_like(next_value)
    for t in reversed(range(len(rewards))):
        last = t == len(rewards) - 1
        goes_on = 1.0 - (next_done if last else dones[t + 1])
        following = next_value if last else values[t + 1]
        delta = rewards[t] + gamma * following * goes_on - values[t]
        carried = delta + gamma * gae_lambda * goes_on * carried
        found[t] = carried
    return found, found + values


def wrong_flag(rewards, values, dones, next_value, next_done, gamma, gae_lambda):
    """The same with the flag of this step, where the next one's is meant."""
    found = np.zeros_like(rewards)
    carried = np.zeros_like(next_value)
    for t in reversed(range(len(rewards))):
        last = t == len(rewards) - 1
        goes_on = 1.0 - (next_done if last else dones[t])
        following = next_value if last else values[t + 1]
        delta = rewards[t] + gamma * following * goes_on - values[t]
        carried = delta + gamma * gae_lambda * goes_on * carried
        found[t] = carried
    return found, found + values


def time_limits(rew, val, val_next, terminal, timeout, gamma, lam):
    """With time limits: after one the value of the last state is bootstrapped from. Here it is not."""
    found, carried = np.zeros_like(rew), 0.0
    for t in reversed(range(len(rew))):
        goes_on = 1.0 - (terminal[t] | timeout[t])
        delta = rew[t] + gamma * goes_on * val_next[t] - val[t]
        carried = delta + gamma * lam * goes_on * carried
        found[t] = carried
    return found
