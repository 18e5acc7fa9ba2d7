"""``python -m benchmarks.simulation``: nanoseconds per update of the kernels, of a C loop and of NumPy loops, in turn
in one run, the least of several repetitions.

Each update draws a transition of a chain of 100 states (two actions, five successors each), finds the trace and updates
θ (and w). The peers run on one core. Ratios are what to look at: other work on the machine moves all columns.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.numpy_loops import clear_loop, lean_loop
from benchmarks.peer import FLAGS, Peer, compiler
from sims.algorithms import ALGORITHMS
from sims.kernels import simulate
from sims.kernels.recursions import recursion
from sims.kernels.simulation import by_entries, law_of
from sims.random_models import assemble, connected, features, garnet, rewards
from sims.step_sizes import Constant, StepSizes
from sims.streams import generator, run_states, xoshiro
from sims.trajectories import Sampler
from theory.arithmetic import RationalMatrix
from theory.model.mdp import Model
from theory.model.schedule import Schedule

F = Fraction
Clock = Callable[[], float]
Job = Callable[[], object]
ALONE, TOGETHER = time.thread_time, time.perf_counter
"""Clocks: of this thread's work, whatever else runs on the machine; and of the wall, for work on two threads."""
STATES = 100
ALPHA = 1e-3
ANY = Schedule(tuple(F(60 - k, 61) + F(1, 50) for k in range(60)))
"""A schedule without a recursion, L = 60."""
ONE_HOT = STATES
SETTINGS = [
    (d, name, schedule, algorithm)
    for d in (4, 20, ONE_HOT)
    for name, schedule, algorithms in (
        ("one step", Schedule(), ("td", "gtd", "tdc")),
        ("30-step", Schedule.n_step(30), ("td",)),
        ("EqualWeights(3, 10)", Schedule.equal_weights(3, 10), ("td",)),
        ("EqualWeights(30, 60)", Schedule.equal_weights(30, 60), ("td", "off_policy_td", "gtd", "tdc")),
        ("constant, without end", Schedule.constant(F(9, 10)), ("td",)),
        ("any, L = 60", ANY, ("td", "gtd", "tdc")),
    )
    for algorithm in algorithms
]


COLUMNS = ("1 thr", "2 thr", "C", "C, d", "1/C", "1/C,d")
HEADING = (
    "ns per update, the least of several repetitions: kernels on one thread (its processor time) and on two (wall\n"
    "time), C with d as an argument and with d compiled in; ratios; the largest difference of θ to C's\n"
    f"{'d':>7}  {'schedule':<22} {'algorithm':<14} {' '.join(f'{name:>8}' for name in COLUMNS)}   diff"
)


def model(d: int, schedule: Schedule, off_policy: bool) -> Model:
    """d = 100: one-hot features; off-policy the ratios are 6/5 and 4/5."""
    rng = generator(1, "benchmark")
    transitions = [connected(P) for P in garnet(rng, STATES, 2, 5)]
    phi = features(rng, STATES, d, "one_hot" if d == ONE_HOT else "random")
    behaviour = RationalMatrix([[F(1, 2), F(1, 2)]] * STATES)
    target = RationalMatrix([[F(3, 5), F(2, 5)]] * STATES) if off_policy else None
    return assemble(
        transitions, rewards(rng, STATES, 2, True), F(9, 10), behaviour, target, phi, schedule, "benchmark"
    )


def best(jobs: list[tuple[Clock, Job]], repetitions: int) -> list[float]:
    """Seconds of each job by its clock, the least of so many, one after the other in turn."""
    found = [float("inf")] * len(jobs)
    for _ in range(repetitions):
        for index, (clock, job) in enumerate(jobs):
            begin = clock()
            job()
            found[index] = min(found[index], clock() - begin)
    return found


def peer_seeds(runs: int) -> NDArray[np.uint64]:
    """The kernels' generators after the word that drew s_0."""
    seeds = run_states(1, "benchmark", runs)
    for row in seeds:
        state = [int(x) for x in row]
        xoshiro(state)
        row[:] = state
    return seeds


def row(d: int, name: str, schedule: Schedule, algorithm: str, size: argparse.Namespace, with_c: bool) -> str:
    given = model(d, schedule, algorithm != "td")
    start = [F(1)] + [F(0)] * (STATES - 1)
    steps = StepSizes(Constant(ALPHA))
    alphas, betas = steps.arrays(size.steps)
    results: dict[str, NDArray[np.float64]] = {}

    def kernels(threads: int) -> Job:
        def job() -> None:
            found = simulate(
                given, algorithm, steps, [size.steps], size.runs, 1, "benchmark", start=start, threads=threads
            )
            results["kernels"] = found.thetas[:, 0]

        return job

    jobs: list[tuple[Clock, Job]] = [(ALONE, kernels(1)), (TOGETHER, kernels(2))]
    if with_c:
        sampler = Sampler.of(given, start)
        law, trace, seeds = law_of(sampler), recursion(schedule), peer_seeds(size.runs)
        code, one_hot = list(ALGORITHMS).index(algorithm), by_entries(sampler.Phi, trace)

        def peer(compiled_for: int | None) -> Job:
            loop = Peer(code, trace, one_hot, compiled_for)

            def job() -> None:
                results["C"] = loop.run(law, np.ascontiguousarray(sampler.Phi), alphas, betas, seeds)

            return job

        jobs += [(ALONE, peer(None)), (ALONE, peer(d))]
    each = [1e9 * seconds / (size.runs * size.steps) for seconds in best(jobs, size.repetitions)]
    shown = f"{'one-hot' if d == ONE_HOT else d:>7}  {name:<22} {algorithm:<14} {each[0]:8.1f} {each[1]:8.1f}"
    if with_c:
        off = np.abs(results["kernels"] - results["C"]).max() / max(1.0, np.abs(results["C"]).max())
        shown += f" {each[2]:8.1f} {each[3]:8.1f} {each[0] / each[2]:8.2f} {each[0] / each[3]:8.2f}   {off:.0e}"
    return shown


def numpy_rows(size: argparse.Namespace) -> list[str]:
    """Microseconds of the two loops, TD."""
    shown = []
    few = 2000
    for d, name in ((4, "one step"), (20, "EqualWeights(30, 60)")):
        schedule = Schedule() if name == "one step" else Schedule.equal_weights(30, 60)
        given = model(d, schedule, False)
        sampler = Sampler.of(given, [F(1)] + [F(0)] * (STATES - 1))
        laws = [
            np.array([float(mu * p) for a, mu in enumerate(given.behaviour.rows[s]) if mu
                      for p in given.transitions[a].rows[s] if p])
            for s in range(STATES)
        ]  # fmt: skip
        arguments = sampler, laws, recursion(schedule).c, ALPHA, few, 1
        loops: list[tuple[Clock, Job]] = [(ALONE, partial(loop, *arguments)) for loop in (clear_loop, lean_loop)]
        clear, lean = (1e6 * x / few for x in best(loops, size.repetitions))
        shown.append(f"{d:>7}  {name:<22} {'td':<14} {clear:8.1f} {lean:8.1f}")
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description="Nanoseconds per update of the kernels and of their peers.")
    parser.add_argument("--runs", type=int, default=512)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--only", default="", help="settings whose line contains this")
    size = parser.parse_args()
    found = compiler()
    print(f"{os.cpu_count()} cores; {size.runs} runs of {size.steps} steps, {STATES} states")
    print(f"C: {found}, gcc {' '.join(FLAGS[:3])}" if found else "C: gcc was not found, its columns are left out")
    print(HEADING)
    for d, name, schedule, algorithm in SETTINGS:
        if size.only in f"{d} {name} {algorithm}":
            print(row(d, name, schedule, algorithm, size, found is not None), flush=True)
    if not size.only:
        print("\nNumPy loops, microseconds per update: clear, lean")
        print("\n".join(numpy_rows(size)))
    for name in ("jax", "rlax"):
        if importlib.util.find_spec(name) is None:
            print(f"{name}: not installed, not compared")


if __name__ == "__main__":
    main()
