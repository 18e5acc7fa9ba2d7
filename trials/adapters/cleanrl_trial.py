"""CleanRL: the lines of its training loops that make advantages and returns, run on what the loops would hold."""

from types import SimpleNamespace

import jax
import torch

from taken import lines, taken

PPO = lines("cleanrl", "cleanrl/ppo.py", "lastgaelam")
RND = lines("cleanrl", "cleanrl/ppo_rnd_envpool.py", "int_lastgaelam")
PQN = lines("cleanrl", "cleanrl/pqn.py", "nextnonterminal")
_once = taken("cleanrl", "cleanrl/ppo_atari_envpool_xla_jax_scan.py", "compute_gae_once")


def ppo(rewards, values, dones, next_value, next_done, gamma, gae_lambda):
    names = {
        "rewards": rewards, "values": values, "dones": dones, "next_done": next_done, "next_obs": None,
        "agent": SimpleNamespace(get_value=lambda obs: next_value),
        "args": SimpleNamespace(num_steps=len(rewards), gamma=gamma, gae_lambda=gae_lambda),
        "torch": torch, "device": "cpu",
    }  # fmt: skip
    exec(PPO, names)
    return names["advantages"], names["returns"]


def _rnd(rewards, values, dones, next_value, next_done, gamma, gae_lambda):
    names = {
        "rewards": rewards, "curiosity_rewards": rewards, "ext_values": values, "int_values": values, "dones": dones,
        "next_done": next_done, "next_obs": None,
        "agent": SimpleNamespace(get_value=lambda obs: (next_value, next_value)),
        "args": SimpleNamespace(num_steps=len(rewards), gamma=gamma, int_gamma=gamma, gae_lambda=gae_lambda),
        "torch": torch, "device": "cpu",
    }  # fmt: skip
    exec(RND, names)
    return names


def rnd_extrinsic(rewards, values, dones, next_value, next_done, gamma, gae_lambda):
    names = _rnd(rewards, values, dones, next_value, next_done, gamma, gae_lambda)
    return names["ext_advantages"], names["ext_returns"]


def rnd_intrinsic(rewards, values, next_value, gamma, gae_lambda):
    none = torch.zeros_like(rewards)
    names = _rnd(rewards, values, none, next_value, none[0], gamma, gae_lambda)
    return names["int_advantages"], names["int_returns"]


def pqn(rewards, values, dones, next_value, next_done, gamma, q_lambda):
    names = {
        "rewards": rewards, "values": values, "dones": dones, "next_done": next_done, "next_obs": next_value[:, None],
        "q_network": lambda obs: obs, "torch": torch, "device": "cpu",
        "args": SimpleNamespace(num_steps=len(rewards), gamma=gamma, q_lambda=q_lambda),
    }  # fmt: skip
    exec(PQN, names)
    return names["returns"]


def ppo_scan(rewards, values, dones, next_value, next_done, gamma, gae_lambda):
    after = jax.numpy.concatenate([values[1:], next_value[None]])
    flags = jax.numpy.concatenate([dones[1:], next_done[None]])

    def once(carry, given):
        return _once(carry, given, gamma, gae_lambda)

    return jax.lax.scan(once, jax.numpy.zeros_like(next_value), (flags, after, values, rewards), reverse=True)[1]
