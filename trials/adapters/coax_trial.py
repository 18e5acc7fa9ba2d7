"""coax: its n-step tracer, taken out of its file and fed one step after another; a state is its value."""

import ast
from collections import deque
from itertools import islice
from types import SimpleNamespace

import numpy as np

from taken import file_of

NAMES = {
    "onp": np,
    "deque": deque,
    "islice": islice,
    "BaseRewardTracer": object,
    "TransitionBatch": SimpleNamespace(from_single=lambda **given: given),
    "InsufficientCacheError": RuntimeError,
    "EpisodeDoneError": RuntimeError,
}
TREE = ast.parse(file_of("coax", "reward_tracing/_nstep.py").read_text(encoding="utf-8"))
CLASS = next(node for node in TREE.body if isinstance(node, ast.ClassDef))
CLASS.decorator_list = []
exec(compile(ast.Module([CLASS], type_ignores=[]), "coax", "exec"), NAMES)


def n_step(rewards, values, gamma, n):
    tracer = NAMES[CLASS.name](n=n, gamma=gamma)
    for t, (reward, value) in enumerate(zip(rewards, values, strict=True)):
        tracer.add(value, 0, reward, t + 1 == len(rewards))
    found = []
    while tracer:
        x = tracer.pop()
        found.append(x["r"] + (0.0 if x["done"] else x["gamma"] * x["s_next"]))
    return np.array(found, dtype=rewards.dtype)
