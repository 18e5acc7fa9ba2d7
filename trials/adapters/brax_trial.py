"""brax: compute_gae of its PPO, taken out of its file."""

import jax
import jax.numpy as jnp

from taken import taken

_gae = taken("brax", "training/agents/ppo/losses.py", "compute_gae", jax=jax, jnp=jnp)


def compute_gae(*given):
    return _gae(*given)
