"""tianshou: its compiled functions, taken out of their file and run uncompiled; indices as its buffer gives them."""

import numpy as np

from taken import taken

PLACE = ("tianshou", "algorithm/algorithm_base.py")
_gae = taken(*PLACE, "_gae", np=np)
_nstep_return = taken(*PLACE, "_nstep_return", np=np)
_return_to_go = taken(*PLACE, "episode_mc_return_to_go", np=np)


def gae(v_s, v_s_, rew, end_flag, gamma, gae_lambda):
    return _gae(v_s, v_s_, rew, end_flag, gamma, gae_lambda)


def nstep_return(rewards, next_values, terminated, truncated, position, gamma, n):
    size = len(rewards)
    done = terminated | truncated
    newest = (position - 1) % size
    end_flag = done.copy()
    end_flag[newest] = True  # unfinished_index
    index = np.arange(size)
    stacked = [index]
    for _ in range(n - 1):  # buffer.next stops at the end of an episode
        stacked.append(np.where(end_flag[stacked[-1]], stacked[-1], (stacked[-1] + 1) % size))
    after = stacked[-1]
    target = np.where(terminated[after], 0.0, next_values[after])[:, None]  # value_mask
    return _nstep_return(rewards, end_flag, target, np.stack(stacked), gamma, n)[:, 0]


def episode_mc_return_to_go(x, discount):
    return _return_to_go(x, discount)
