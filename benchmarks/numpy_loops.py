"""TD(λ)-schedule as one would write it in NumPy: a clear loop, and a lean one."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.trajectories import Sampler

Array = NDArray[np.float64]


def clear_loop(sampler: Sampler, laws: list[Array], c: Array, alpha: float, steps: int, seed: int) -> Array:
    """θ after so many steps from state 0; ``laws``: the law of the outcomes of each state."""
    rng = np.random.default_rng(seed)
    theta, s = np.zeros(sampler.Phi.shape[1]), 0
    seen: list[Array] = []
    discounts: list[float] = []
    for _ in range(steps):
        outcome = rng.choice(len(laws[s]), p=laws[s])
        reward, gamma = sampler.rewards[s, outcome], sampler.discounts[s, outcome]
        after = sampler.next_states[s, outcome]
        seen.append(sampler.Phi[s])
        z, product = np.zeros_like(theta), 1.0
        for k in range(min(len(c), len(seen))):
            z += c[k] * product * seen[-1 - k]
            if k < len(discounts):
                product *= discounts[-1 - k]
        delta = reward + gamma * sampler.Phi[after] @ theta - sampler.Phi[s] @ theta
        theta += alpha * delta * z
        discounts.append(gamma)
        s = after
    return theta


def lean_loop(sampler: Sampler, laws: list[Array], c: Array, alpha: float, steps: int, seed: int) -> Array:
    """The same for one discount, without what can be left out of the loop: uniform numbers at once, bisection, the
    window as one product."""
    uniform = np.random.default_rng(seed).random(steps).tolist()
    cumulative = [np.cumsum(law).tolist()[:-1] for law in laws]
    after, rewards = sampler.next_states.tolist(), sampler.rewards.tolist()
    gamma = float(sampler.discounts[0, 0])
    Phi, L = sampler.Phi, len(c) - 1
    weights = (c * gamma ** np.arange(L + 1))[::-1].copy()
    rows, values = list(Phi), [gamma * row for row in Phi]
    window = np.zeros((L + 1 + steps, Phi.shape[1]))
    theta, s = np.zeros(Phi.shape[1]), 0
    for t in range(steps):
        outcome = bisect_right(cumulative[s], uniform[t])
        following = after[s][outcome]
        window[L + t] = rows[s]
        z = weights @ window[t : t + L + 1] if L else rows[s]
        theta += (alpha * (rewards[s][outcome] + (values[following] - rows[s]) @ theta)) * z
        s = following
    return theta
