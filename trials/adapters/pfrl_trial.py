"""pfrl: an episode is a list of transitions; nonterminal is 0 where the step terminated."""

import numpy as np

from taken import taken

_add = taken("pfrl", "agents/ppo.py", "_add_advantage_and_value_target_to_episode")


def ppo_gae(rewards, values, last_value, gamma, gae_lambda):
    following = np.append(values[1:], last_value)
    episode = [
        {"reward": r, "v_pred": v, "next_v_pred": w, "nonterminal": 1.0}
        for r, v, w in zip(rewards, values, following, strict=True)
    ]
    _add(episode, gamma, gae_lambda)
    return tuple(np.array([x[name] for x in episode], dtype=rewards.dtype) for name in ("adv", "v_teacher"))
