"""``python -m benchmarks.updates [NAME…]``: processor time of updates, of those that ship by default.

One algorithm on 20 states and 8 features, λ = 1/2, two actions that lead to three or to all states. Verdict: the table
of the update, the mean matrix, and whether the mean dynamics are stable; asked for are 0.5 s. All: what
``analyse_updates`` finds besides (second moments, covariances, ratios, constant steps). Runs: microseconds per update
and run of 1,000 runs side by side on the first of these models, for algorithms without a kernel; asked for are 2.
Random models are those of one seed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from tdcert.algorithms import NAMES, for_model, named
from tdcert.analysis.updates import analyse_updates
from tdcert.sims.trajectories import uniform_start
from tdcert.sims.updates.runs import UpdateRuns
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.dynamics import Decided, at_ratios
from tdcert.theory.engine.means import stationary
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.progress import silently

STATES, FEATURES, RUNS, UPDATES = 20, 8, 1_000, 200


def drawn(successors: int, states: int = STATES, features: int = FEATURES, actions: int = 2) -> Model:
    """A model of whole-number weights, each action with as many successors in each state."""
    words = np.random.default_rng(1)

    def law(size: int, support: int) -> list[Fraction]:
        weights = np.zeros(size, dtype=np.int64)
        weights[words.choice(size, support, replace=False)] = words.integers(1, 10, support)
        return [Fraction(int(x), int(weights.sum())) for x in weights]

    kernels = [[law(states, successors) for _ in range(states)] for _ in range(actions)]
    rewards = [[[Fraction(int(x))] for x in words.integers(-3, 4, states)] for _ in range(actions)]
    policies = [[law(actions, actions) for _ in range(states)] for _ in range(2)]
    return Model(
        ("left", "right")[:actions],
        tuple(map(RationalMatrix, kernels)),
        tuple(map(RationalMatrix, rewards)),
        (RationalMatrix([[Fraction(9, 10)]] * states),) * actions,
        *map(RationalMatrix, policies),
        RationalMatrix(words.integers(-2, 3, (states, features)).tolist()),
        Schedule((), Fraction(1, 2)),
    )


def seconds_of(asked: Callable[[], object]) -> str:
    """Of the second of two answers: the first one loads what is needed."""
    try:
        for _ in range(2):
            began = time.process_time()
            asked()
    except InputError:  # it has no mean dynamics
        return "–"
    return f"{time.process_time() - began:.2f} s"


def verdict(name: str, model: Model) -> Decided:
    """Of the mean dynamics at equal steps."""
    algorithm = for_model(named(name), model)[0]
    return at_ratios(stationary(model, algorithm, range(model.n)), [Fraction(1)] * len(algorithm.steps))


def microseconds_of_an_update(name: str, model: Model) -> float:
    """For each update and run."""
    algorithm = for_model(named(name), model)[0]
    simulation = UpdateRuns(model, algorithm, [Fraction(1)] * len(algorithm.steps), uniform_start(model))
    began = time.process_time()
    simulation.run([1e-3] * UPDATES, RUNS, 1, "benchmark")
    return (time.process_time() - began) / RUNS / UPDATES * 1e6


def main(arguments: Sequence[str] | None = None) -> None:
    """The table."""
    parser = argparse.ArgumentParser(description="Processor time of declared updates.")
    parser.add_argument("names", nargs="*", default=NAMES, metavar="NAME")
    few, all_states = drawn(3), drawn(STATES)
    print(f"{'':18} {'3 successors':>20} {f'{STATES} successors':>20} {'runs':>10}")
    print(f"{'':18} {'verdict':>10} {'all':>9} {'verdict':>10} {'all':>9}")
    for name in parser.parse_args(arguments).names:
        answers = [
            f"{seconds_of(asked):>9}"
            for model in (few, all_states)
            for asked in (partial(verdict, name, model), partial(analyse_updates, model, [named(name)], silently))
        ]
        try:
            took = f"{microseconds_of_an_update(name, few):.2f} µs"
        except InputError as error:
            took = str(error)
        print(f"{name:18} {' '.join(answers)} {took:>10}", flush=True)


if __name__ == "__main__":
    main()
