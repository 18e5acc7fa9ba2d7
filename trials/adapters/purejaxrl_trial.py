"""PureJaxRL: the functions inside its training loops; their settings are a dictionary there."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp

from taken import taken

CONFIG = {}


def _of(file):
    return taken("purejaxrl", f"purejaxrl/{file}", "_calculate_gae", jax=jax, jnp=jnp, config=CONFIG)


_ppo, _dpo = _of("ppo.py"), _of("dpo_continuous_action.py")
_rnn = _of("ppo_rnn.py")


class Transitions(SimpleNamespace):
    """A row of transitions, as a tree that can be scanned over."""


def _parts(x):
    return (x.done, x.value, x.reward), None


def _whole(_, x):
    return Transitions(done=x[0], value=x[1], reward=x[2])


jax.tree_util.register_pytree_node(Transitions, _parts, _whole)


def _run(function, rewards, values, dones, gamma, gae_lambda, *last):
    CONFIG.update(GAMMA=gamma, GAE_LAMBDA=gae_lambda)
    return function(Transitions(done=dones, value=values, reward=rewards), *last)


def ppo(rewards, values, dones, last_value, gamma, gae_lambda):
    return _run(_ppo, rewards, values, dones, gamma, gae_lambda, last_value)


def dpo(rewards, values, dones, last_value, gamma, gae_lambda):
    return _run(_dpo, rewards, values, dones, gamma, gae_lambda, last_value)


def ppo_rnn(rewards, values, dones, next_value, next_done, gamma, gae_lambda):
    return _run(_rnn, rewards, values, dones, gamma, gae_lambda, next_value, next_done)
