"""How long ``tdcert.analyze`` takes from Python on five states: the verdict alone, and everything.

    python -m benchmarks.face [--models 5] [--repeats 5]

CPU seconds of this process, after one warm-up each, medians over seeded random models; beside them the same number of
CPU seconds of a peer that does not change, products of integer matrices in python-flint, so that runs on machines under
load can be compared by their ratios. What is asked: at most 20 ms for the verdict alone, at most 0.5 s for everything.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from flint import fmpz_mat

import tdcert

STATES, FEATURES = 5, 2
ASKED = {"verdict": 0.020, "everything": 0.5}


def model(seed: int) -> dict[str, Any]:
    """A dense random chain with floats, features of small integers, and three-step returns."""
    rng = np.random.default_rng(seed)
    P = rng.random((STATES, STATES))
    return {
        "P": P / P.sum(axis=1, keepdims=True),
        "rewards": rng.integers(-2, 3, STATES),
        "discount": 0.9,
        "features": rng.integers(-2, 3, (STATES, FEATURES)) + np.eye(STATES, FEATURES, dtype=int),
        "schedule": tdcert.NStep(3),
    }


def peer() -> None:
    """A fixed piece of work: about ten milliseconds."""
    A = fmpz_mat([[(7 * i + 11 * j) % 97 for j in range(60)] for i in range(60)])
    B = A
    for _ in range(12):
        B = B * A


def seconds(work: Callable[[], object], repeats: int) -> float:
    """The median CPU time."""
    work()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return median(times)


WORKS: dict[str, Callable[[dict[str, Any]], object]] = {
    "verdict": lambda model: tdcert.analyze(**model, what="verdict"),
    "everything": lambda model: tdcert.analyze(**model),
    "document": lambda model: tdcert.analyze(**model).to_dict(),
}


def main() -> None:
    """Prints the table as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    models = [model(seed) for seed in range(given.models)]
    unit = seconds(peer, 4 * given.repeats)
    found = {name: median(seconds(partial(work, m), given.repeats) for m in models) for name, work in WORKS.items()}
    rows = {
        name: {"seconds": round(x, 4), "asked": ASKED.get(name), "peers": round(x / unit, 2)}
        for name, x in found.items()
    }
    print(json.dumps({"peer": round(unit, 5), **rows}, indent=1))


if __name__ == "__main__":
    main()
