"""``python -m benchmarks.means [NAME…]``: processor time of the mean of an update, by whole vectors and by entries.

From a function to [A_k b_k] for each step size, exact, with the stationary law and whether the memory has a mean: the
second of two answers. By entries: from tables, as for updates that take vectors apart, without the largest model, which
takes them more than 25 s. The ratio is of one run. Asked for are 0.1 s at 20 features and 1 s at 60.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.updates import drawn
from tdcert.algorithms import for_model, named
from tdcert.theory.engine.means import stationary
from tdcert.theory.model.mdp import Model

SHAPES = ((20, 8, 3, 2), (50, 10, 5, 2), (100, 20, 6, 1), (100, 60, 100, 1))
"""States, features, successors of each state by each action, actions."""
NAMES = ("td", "tdc", "etd", "retrace")


def drawn_as(shape: tuple[int, int, int, int]) -> Model:
    """The model of a row of :data:`SHAPES`."""
    states, features, successors, actions = shape
    return drawn(successors, states, features, actions)


def seconds(name: str, model: Model, *, entries: bool) -> float:
    """Of the second answer."""
    algorithm, began = for_model(named(name), model)[0], 0.0
    for _ in range(2):
        began = time.process_time()
        found = stationary(model, algorithm, model.behaviour_chain.recurrent_classes[0])
        found = replace(found, terms=None) if entries else found
        assert found.has_mean is True and found.means
    return time.process_time() - began


def main(arguments: Sequence[str] | None = None) -> None:
    """The table."""
    parser = argparse.ArgumentParser(description="Processor time of means of updates.")
    parser.add_argument("names", nargs="*", default=NAMES, metavar="NAME")
    names = parser.parse_args(arguments).names
    print(f"{'':10} {'states':>7} {'features':>9} {'successors':>11} {'vectors':>9} {'entries':>9} {'ratio':>7}")
    for shape in SHAPES:
        states, features, successors, actions = shape
        model = drawn_as(shape)
        for name in names:
            whole = seconds(name, model, entries=False)
            rest = ""
            if shape != SHAPES[-1]:
                apart = seconds(name, model, entries=True)
                rest = f"{apart:>7.2f} s {apart / whole:>7.1f}"
            print(f"{name:10} {states:>7} {features:>9} {actions * successors:>11} {whole:>7.3f} s {rest}", flush=True)


if __name__ == "__main__":
    main()
