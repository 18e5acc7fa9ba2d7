"""Transitions of an environment that is stepped: in order, whole, and the same for the same seed."""

from __future__ import annotations

from contextlib import closing, nullcontext
from numbers import Integral
from typing import Any

import numpy as np

from tdcert.sims.streams import generator
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.extras import require
from tdcert.theory.files.document import one_line
from tdcert.theory.files.given import kind_of, policy_rows
from tdcert.theory.files.gym import PREFIX
from tdcert.theory.model.chain import require_stochastic
from tdcert.theory.samples.log import END, Log
from tdcert.theory.samples.observations import numbering

SINGLE = 2.0**-24
"""Half a unit in the last place of a number near one in single precision, in which networks answer."""
ROUNDINGS, MOST_ROUNDINGS = 4, 16
"""Roundings of a probability beside those of its divisor, a sum of m numbers: the exponential (two), the quotient, the
number itself; and how many are allowed for in all, as long sums are made in parts.
"""


def roll_out(env: Any, policy: Any, steps: int, seed: int, discretise: Any, n_states: Any, terminal: Any) -> Log:
    """So many transitions of an environment, as :func:`tdcert.sample` describes it. Raises :class:`InputError`."""
    if steps < 1:
        raise InputError(f"steps is {steps}; give 1 or more")
    if seed < 0:
        raise InputError(f"the seed is {seed}; give 0 or more")
    made = _made(env) if isinstance(env, str) else None
    with nullcontext(env) if made is None else closing(made) as world:
        return _rolled_out(world, policy, steps, seed, numbering_of(world, discretise, n_states), terminal)


def numbering_of(env: Any, discretise: Any, n_states: Any) -> Any:
    """How the observations of an environment become states."""
    if not all(callable(getattr(env, name, None)) for name in ("reset", "step")) or isinstance(env, type):
        raise InputError(f"the environment is {kind_of(env)}; give an object that can be reset and stepped, or its id")
    if hasattr(env, "num_envs"):
        raise InputError("the environment is several at once; give a single one, whose transitions come in order")
    return numbering(discretise, n_states, None if discretise is not None else getattr(env, "observation_space", None))


def _rolled_out(env: Any, policy: Any, steps: int, seed: int, state: Any, terminal: Any) -> Log:
    space = getattr(env, "action_space", None)
    m, first = getattr(space, "n", None), int(getattr(space, "start", 0))
    if not isinstance(m, Integral) or isinstance(m, bool) or m < 1:
        raise InputError(f"its actions are {kind_of(space)}; give an environment with discrete actions")
    m, rng = int(m), generator(seed, "rollout")
    table = None if callable(policy) else policy_rows(policy, state.n, tuple(map(str, range(m))), "policy", [])
    rows = None
    if table is not None:
        require_stochastic(RationalMatrix(table), "the policy")
        rows = np.array([[float(p) for p in row] for row in table]).cumsum(axis=1)
    log: list[tuple[int, int, float, int, bool, bool]] = []
    seen, _ = _two(env.reset(seed=seed))
    s = state(seen)
    for _ in range(steps):
        row = _answer(policy(seen), m, first) if rows is None else rows[s]
        a = min(int(np.searchsorted(row, rng.random(), side="right")), m - 1)
        seen, reward, terminated, truncated = _step(env, a + first)
        after = state(seen)
        log.append((s, a, reward, after, terminated, truncated))
        if terminated or truncated:
            seen, _ = _two(env.reset())
            after = state(seen)
        s = after
    states, actions, rewards, next_states, ended, cut = map(np.array, zip(*log, strict=True))
    own = END if terminal is None else terminal
    return Log(states, actions, rewards, next_states, ended, cut, state.n, m, own, table, state.tells_apart)


def _answer(given: Any, m: int, first: int) -> Any:
    """What a policy answered as cumulative probabilities: of an action of the environment, or of a row of m."""
    array = np.asarray(given)
    if array.ndim == 0 and array.dtype.kind in "iu" and 0 <= int(array) - first < m:
        return (np.arange(m) >= int(array) - first).astype(np.float64)
    if array.shape == (m,) and array.dtype.kind in "fiu" and np.all(array >= 0):
        row = array.astype(np.float64)
        if abs(row.sum() - 1) <= min(m + ROUNDINGS, MOST_ROUNDINGS) * SINGLE:
            return row.cumsum()
    raise InputError(f"the policy answered {kind_of(given)}; give an action, or a row of {m} probabilities")


def _two(found: Any) -> tuple[Any, Any]:
    if not isinstance(found, tuple) or len(found) != 2:
        raise InputError(f"reset gave {kind_of(found)}; Gymnasium's gives the observation and a dictionary")
    return found


def _step(env: Any, action: int) -> tuple[Any, float, bool, bool]:
    found = env.step(action)
    if not isinstance(found, tuple) or len(found) != 5:
        raise InputError(
            f"step gave {kind_of(found)}; Gymnasium's gives observation, reward, terminated, truncated and a dictionary"
        )
    seen, reward, terminated, truncated, _ = found
    return seen, float(reward), bool(terminated), bool(truncated)


def _made(name: str) -> Any:
    require("an environment by its id", "gymnasium")
    import gymnasium

    try:
        return gymnasium.make(name.removeprefix(PREFIX))
    except Exception as error:  # a third party's constructor may raise anything
        raise InputError(
            f"the environment '{name}' cannot be made ({one_line(error)}); give an id or an object"
        ) from None
