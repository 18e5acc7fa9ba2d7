"""skrl: compute_gae of its PPO, taken out of its file."""

import torch

from taken import taken

_gae = taken("skrl", "agents/torch/ppo/ppo.py", "compute_gae", torch=torch)
_gae_multi = taken("skrl", "multi_agents/torch/mappo/mappo.py", "compute_gae", torch=torch)


def compute_gae(**given):
    return _gae(**given)


def compute_gae_time_limit(**given):
    return _gae(**given, time_limit_bootstrap=True)


def compute_gae_mappo(**given):
    return _gae_multi(**given)
