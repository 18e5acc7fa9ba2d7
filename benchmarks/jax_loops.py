"""TD with a constant λ without end as one would write it in JAX: ``lax.scan`` over time, ``vmap`` over runs.

Only what JAX's users have at hand: no schedule has a recursion there but this one. Imported where JAX is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tdcert.sims.trajectories import Sampler


def compiled_loop(sampler: Sampler, lam: float, alpha: float, runs: int, steps: int, seed: int) -> Callable[[], Any]:
    """θ (runs, d) of so many runs from state 0, by a function that is compiled already; one run without ``vmap``."""
    jax.config.update("jax_enable_x64", True)
    shape, bits = sampler.steps.alias.shape, sampler.steps.bits
    padded = ((0, 0), (0, shape[1] - sampler.next_states.shape[1]))
    keep = jnp.asarray(sampler.steps.keep / 2.0 ** (64 - bits))
    alias, Phi = jnp.asarray(sampler.steps.alias), jnp.asarray(sampler.Phi)
    after, rewards, discounts = (
        jnp.asarray(np.pad(x, padded)) for x in (sampler.next_states, sampler.rewards, sampler.discounts)
    )

    def step(carried: Any, uniform: Any) -> Any:
        theta, z, s = carried
        column = (uniform[0] * shape[1]).astype(jnp.int32)
        outcome = jnp.where(uniform[1] < keep[s, column], column, alias[s, column])
        following, gamma, phi = after[s, outcome], discounts[s, outcome], Phi[s]
        z = z + phi
        delta = rewards[s, outcome] + gamma * (Phi[following] @ theta) - phi @ theta
        return (theta + alpha * delta * z, lam * gamma * z, following), None

    def one(key: Any) -> Any:
        zeros = jnp.zeros(Phi.shape[1])
        (theta, _, _), _ = jax.lax.scan(step, (zeros, zeros, after[0, 0] * 0), jax.random.uniform(key, (steps, 2)))
        return theta

    keys = jax.random.split(jax.random.key(seed), runs)
    loop = jax.jit(one if runs == 1 else jax.vmap(one))
    given = keys[0] if runs == 1 else keys
    loop(given).block_until_ready()
    return lambda: loop(given).block_until_ready()
