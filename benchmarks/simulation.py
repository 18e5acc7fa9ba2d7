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
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks import results
from benchmarks.numpy_loops import clear_loop, lean_loop
from benchmarks.peer import FLAGS, Peer, compiler
from tdcert.algorithms.schedules import PAPER
from tdcert.sims.kernels import simulate
from tdcert.sims.kernels.recursions import recursion
from tdcert.sims.kernels.run_kernels import law_of, way_of
from tdcert.sims.random_models import assemble, connected, features, garnet, rewards
from tdcert.sims.step_sizes import Constant, StepSizes
from tdcert.sims.streams import generator, run_states, xoshiro
from tdcert.sims.trajectories import Sampler
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

F = Fraction
Clock = Callable[[], float]
Job = Callable[[], object]
ALONE, TOGETHER = time.thread_time, time.perf_counter
"""Clocks: of this thread's work, whatever else runs on the machine; and of the wall, for work on two threads."""
PATIENCE = 4
"""Times as many repetitions on two threads."""
STATES = 100
ALPHA = 1e-3
DISCOUNT = F(9, 10)
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
    return assemble(transitions, rewards(rng, STATES, 2, True), DISCOUNT, behaviour, target, phi, schedule, "benchmark")


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


@dataclass(frozen=True)
class TimingRow:
    """Nanoseconds per update, one thread, two, C, C with d compiled in; ``off``: how far C's θ is away, relative."""

    features: str
    algorithm: str
    schedule: str
    each: tuple[float, ...]
    off: float | None

    def line(self) -> str:
        shown = f"{self.features:>7}  {self.schedule:<22} {self.algorithm:<14} "
        shown += " ".join(f"{x:8.1f}" for x in self.each)
        if self.off is None:
            return shown
        return f"{shown} {self.each[0] / self.each[2]:8.2f} {self.each[0] / self.each[3]:8.2f}   {self.off:.0e}"


def measured(
    d: int, schedule: Schedule, algorithm: str, size: argparse.Namespace, with_c: bool
) -> tuple[tuple[float, ...], float | None]:
    """``each`` and ``off`` of a row."""
    given = model(d, schedule, algorithm != "td")
    start = [F(1)] + [F(0)] * (STATES - 1)
    steps = StepSizes(Constant(ALPHA))
    alphas, betas = steps.arrays(size.steps)
    thetas: dict[str, NDArray[np.float64]] = {}

    def kernels(threads: int) -> Job:
        def job() -> None:
            found = simulate(
                given, algorithm, steps, [size.steps], size.runs, 1, "benchmark", start=start, threads=threads
            )
            thetas["kernels"] = found.thetas[:, 0]

        return job

    # threads wait for a moment with both cores free: more often, then, to meet one
    jobs: list[tuple[Clock, Job]] = [(ALONE, kernels(1)), *[(TOGETHER, kernels(2))] * PATIENCE]
    if with_c:
        sampler = Sampler.of(given, start)
        law, code, seeds = law_of(sampler), PAPER.index(algorithm), peer_seeds(size.runs)
        way, trace = way_of(sampler.Phi, algorithm, given, np.empty(0))

        def peer(compiled_for: int | None) -> Job:
            loop = Peer(code, trace, way, compiled_for)

            def job() -> None:
                thetas["C"] = loop.run(law, np.ascontiguousarray(sampler.Phi), alphas, betas, seeds)

            return job

        jobs += [(ALONE, peer(None)), (ALONE, peer(d))]
    alone, *others = (1e9 * seconds / (size.runs * size.steps) for seconds in best(jobs, size.repetitions))
    each = alone, min(others[:PATIENCE]), *others[PATIENCE:]
    if not with_c:
        return each, None
    off = np.abs(thetas["kernels"] - thetas["C"]).max() / max(1.0, np.abs(thetas["C"]).max())
    return each, float(off)


def numpy_rows(size: argparse.Namespace) -> list[str]:
    """Microseconds of the two loops, TD."""
    shown = []
    few = 2000
    for d, name in ((4, "one step"), (20, "EqualWeights(30, 60)")):
        schedule = Schedule() if name == "one step" else Schedule.equal_weights(30, 60)
        given = model(d, schedule, False)
        sampler = Sampler.of(given, [F(1)] + [F(0)] * (STATES - 1))
        laws = [
            np.array(
                [
                    float(mu * p)
                    for a, mu in enumerate(given.behaviour.rows[s])
                    if mu
                    for p in given.transitions[a].rows[s]
                    if p
                ]
            )
            for s in range(STATES)
        ]
        arguments = sampler, laws, recursion(schedule).c, ALPHA, few, 1
        loops: list[tuple[Clock, Job]] = [(ALONE, partial(loop, *arguments)) for loop in (clear_loop, lean_loop)]
        clear, lean = (1e6 * x / few for x in best(loops, size.repetitions))
        shown.append(f"{d:>7}  {name:<22} {'td':<14} {clear:8.1f} {lean:8.1f}")
    return shown


def jax_rows(size: argparse.Namespace) -> list[str]:
    """JAX's ``lax.scan`` with constant λ, one run and many; or why not."""
    if importlib.util.find_spec("jax") is None:
        return ["JAX is not installed (pip install jax): not compared"]
    from benchmarks.jax_loops import compiled_loop

    shown = ["JAX, nanoseconds per update (processor time): lax.scan for one run, and vmap over all"]
    for d in (4, 20):
        sampler = Sampler.of(model(d, Schedule.constant(F(9, 10)), False), [F(1)] + [F(0)] * (STATES - 1))
        counts = 1, size.runs
        loops = [compiled_loop(sampler, 0.9, ALPHA, runs, size.steps, 1) for runs in counts]
        seconds = best([(time.process_time, loop) for loop in loops], size.repetitions)
        one, many = (1e9 * x / (runs * size.steps) for x, runs in zip(seconds, counts, strict=True))
        shown.append(f"{d:>7}  {'constant, without end':<22} {'td':<14} {one:8.0f} {many:8.0f}")
    return shown


def draw(rows: list[TimingRow], file: str) -> None:
    """Bars of the TD rows: the kernels on one thread, and C."""
    from matplotlib.figure import Figure

    shown = [row for row in rows if row.algorithm == "td"][::-1]
    figure = Figure(figsize=(7, 0.35 * len(shown) + 1), layout="constrained")
    axes = figure.subplots()
    for shift, column, label in ((0.2, 0, "kernels, one thread"), (-0.2, 2, "C, d an argument")):
        drawn = [row.each[column] if column < len(row.each) else 0.0 for row in shown]
        axes.barh([k + shift for k in range(len(shown))], drawn, height=0.4, label=label)
    axes.set_yticks(range(len(shown)), [f"{row.features}, {row.schedule}" for row in shown])
    axes.set_xscale("log")
    axes.set_xlabel("ns per update of TD, 100 states, sampling included")
    axes.legend()
    figure.savefig(file)


KEPT = (
    (4, "one step", "td"),
    (20, "EqualWeights(30, 60)", "td"),
    (20, "EqualWeights(30, 60)", "tdc"),
    *((ONE_HOT, name, "td") for name in ("one step", "30-step", "EqualWeights(30, 60)", "constant, without end")),
)
"""Settings whose ratios to the C loop are kept in ``benchmarks/results``."""


SIZE = argparse.Namespace(runs=256, steps=2000, repetitions=5)
"""Of the runs whose ratios are kept, whatever the other options say."""


def ratios() -> results.Ratios:
    """Kernels on one thread over C with d as an argument."""
    if compiler() is None:
        raise SystemExit("gcc was not found: there is nothing to compare with")
    found = {}
    for d, name, schedule, algorithm in SETTINGS:
        if (d, name, algorithm) in KEPT:
            each, _ = measured(d, schedule, algorithm, SIZE, True)
            found[f"kernels over C: {algorithm}, d = {d}, {name}"] = each[0] / each[2]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Nanoseconds per update of the kernels and of their peers.")
    parser.add_argument("--runs", type=int, default=512)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--only", default="", help="settings whose line contains this")
    parser.add_argument("--plot", metavar="FILE", help="draw the columns of TD, for instance to docs/images/x.svg")
    results.add_options(parser)
    size = parser.parse_args()
    if results.asked("simulation", size, ratios):
        return
    found = compiler()
    print(f"{os.cpu_count()} cores; {size.runs} runs of {size.steps} steps, {STATES} states")
    print(f"C: {found}, gcc {' '.join(FLAGS[:3])}" if found else "C: gcc was not found, its columns are left out")
    print(HEADING)
    rows: list[TimingRow] = []
    for d, name, schedule, algorithm in SETTINGS:
        label = "one-hot" if d == ONE_HOT else str(d)
        if size.only in f"{d} {name} {algorithm}":
            rows.append(TimingRow(label, algorithm, name, *measured(d, schedule, algorithm, size, found is not None)))
            print(rows[-1].line(), flush=True)
    if not size.only:
        print("\nNumPy loops, microseconds per update: clear, lean")
        print("\n".join(numpy_rows(size)))
        print()
        print("\n".join(jax_rows(size)))
    if size.plot:
        draw(rows, size.plot)


if __name__ == "__main__":
    main()
