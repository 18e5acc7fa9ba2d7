"""Acme: the sums of its n-step transition adder, taken out of their file; the replay buffer around them is left out."""

from types import SimpleNamespace

import numpy as np
import tree

from taken import taken

_broadcast = taken("acme", "utils/tree_utils.py", "broadcast_structures", tree=tree)
_sums = taken(
    "acme", "adders/reverb/transition.py", "_compute_cumulative_quantities",
    np=np, tree=tree, tree_utils=SimpleNamespace(broadcast_structures=_broadcast),
)  # fmt: skip


def n_step(rewards, discounts, values, gamma, n):
    found = []
    for t in range(len(rewards)):
        end = min(t + n, len(rewards))
        adder = SimpleNamespace(_n_step=end - t, _discount=gamma)
        total, discount = _sums(adder, rewards[t:end], discounts[t:end])
        found.append(total + gamma * discount * values[end])  # the learner's own discount
    return np.array(found, dtype=rewards.dtype)
