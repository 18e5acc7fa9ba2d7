"""rl_games: a method of its agent, taken out of its file and given an object with its three settings."""

from types import SimpleNamespace

import torch

from taken import taken

_discount_values = taken("rl_games", "common/a2c_common.py", "discount_values", torch=torch)


def discount_values(rewards, values, dones, next_value, next_done, gamma, gae_lambda):
    agent = SimpleNamespace(horizon_length=len(rewards), gamma=gamma, tau=gae_lambda)
    given = [torch.tensor(x) for x in (next_done, next_value, dones, values, rewards)]
    last_done, last_value, dones, values, rewards = given
    found = _discount_values(agent, last_done, last_value[:, None], dones, values[..., None], rewards[..., None])
    return found[..., 0].numpy(), (found[..., 0] + values).numpy()
