"""``python -m benchmarks.sweep_engine``: what the engine of sweeps costs, apart from what sweeps compute.

The work of an index is a fixed number of steps, measured beforehand to take about a second, so that two processes can
be compared with one. The work of every shard is timed where it is done: what a process of the engine did not spend in
work is the engine's.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from tdcert.sweeps.folder import SweepFolder
from tdcert.sweeps.question import Result
from tdcert.sweeps.run import run
from tdcert.sweeps.spec import Spec
from tdcert.theory.workers import Engine, inline, processes

ASK = "benchmarks.sweep_engine:question_of"
LOG = "TDCERT_BENCHMARK_LOG"
ROWS = 10_000
"""Rows of one shard: as many as a survey of 10,000 models writes."""


@dataclass(frozen=True)
class StepsQuestion:
    """The question: counts so many steps, then gives ten thousand rows. Its times go to the file that LOG names."""

    steps: int
    columns = (("index", "int64"), ("value", "float64"))

    def rows(self, first: int, count: int) -> Mapping[str, Sequence[Any]]:
        """Of one index."""
        start = time.perf_counter()
        total = spend(self.steps * count)
        rows = {"index": [first] * ROWS, "value": [float(k * total % 1009) for k in range(ROWS)]}
        with open(os.environ[LOG], "a") as log:
            log.write(f"{start} {time.perf_counter()}\n")
        return rows

    def finish(self, table: pa.Table, complete: bool) -> Result:
        """Nothing."""
        return Result({"rows": table.num_rows})


def question_of(spec: Spec) -> StepsQuestion:
    """Of a spec that says how many steps an index takes."""
    return StepsQuestion(int(spec.question["steps"]["steps"]))


def spend(steps: int) -> int:
    """So many steps of plain Python."""
    total = 0
    for k in range(steps):
        total = (total * 31 + k) % 1_000_003
    return total


@dataclass(frozen=True)
class Timing:
    """Of a sweep in a steady state, its first and last ``workers`` shards left out: shards per second, and the share
    of the workers' time that was not work."""

    workers: int
    seconds_per_shard: float
    shards_per_second: float
    overhead: float


def timing(engine: Engine, workers: int, steps: int, shards: int) -> Timing:
    """Runs a sweep of so many shards in a fresh folder."""
    with tempfile.TemporaryDirectory() as scratch, _logging(Path(scratch) / "log") as log:
        spec = Spec("steps", "survey", 0, shards, 1, {"steps": {"steps": steps}})
        with SweepFolder(Path(scratch) / "sweep", spec) as folder:
            run(folder, engine, ask=ASK)
        times = sorted(tuple(map(float, line.split())) for line in log.read_text().splitlines())
    # From the first start behind the start-up to the last start: in between every worker has always something to do.
    begin, end = times[workers][0], times[-workers][0]
    busy = sum(max(0.0, min(stop, end) - max(start, begin)) for start, stop in times)
    wall = end - begin
    each = sum(stop - start for start, stop in times) / shards
    return Timing(workers, each, (shards - 2 * workers) / wall, 1 - busy / wall / workers)


def engine_lines(shards: int = 14) -> list[str]:
    """The engine's lines of the benchmark: overhead at one-second shards, and two processes beside one."""
    start = time.perf_counter()
    spend(1_000_000)
    steps = int(1_000_000 / (time.perf_counter() - start))
    one = timing(partial(processes, workers=1), 1, steps, shards)
    two = timing(partial(processes, workers=2), 2, steps, shards)
    lines = []
    for name, found in (
        ("in the process itself", timing(inline, 1, steps, shards // 2)),
        ("one process", one),
        ("two processes", two),
    ):
        lines.append(
            f"{name:<22} {found.shards_per_second:6.3f} shards per second of {found.seconds_per_shard:5.3f} s each, "
            f"{100 * found.overhead:5.2f} % of the workers' time is the engine's"
        )
    lines.append(f"two processes are {two.shards_per_second / one.shards_per_second:.2f} times one")
    return lines


def per_shard_lines(shards: int = 2_000) -> list[str]:
    """What a shard costs those of whom there is one: seconds of processor of the scheduler and of the client, and of
    the disk. On two workers of fifty threads in all, with shards that take no work and hold 100 kB."""
    from distributed import Client
    from distributed.deploy.subprocess import SubprocessCluster

    from tdcert.sweeps.cluster import cluster

    quiet = {"dashboard_address": ":0"}
    with (
        SubprocessCluster(host="127.0.0.1", n_workers=2, threads_per_worker=25, scheduler_kwargs=quiet) as running,
        Client(running.scheduler_address, set_as_default=False) as client,
    ):
        client.wait_for_workers(2)
        before = client.run_on_scheduler(time.process_time), time.process_time()
        for _ in cluster(_hundred_kilobytes, range(shards), running.scheduler_address):
            pass
        after = client.run_on_scheduler(time.process_time), time.process_time()
    found = {
        "the scheduler, processor": (after[0] - before[0]) / shards,
        "the client on a cluster, processor": (after[1] - before[1]) / shards,
    }
    start = time.process_time()
    for _ in processes(_hundred_kilobytes, range(shards), 2):
        pass
    found["the client with local processes, processor"] = (time.process_time() - start) / shards
    spec = Spec("files", "survey", 0, shards, 1, {})
    with tempfile.TemporaryDirectory(dir=".") as scratch, SweepFolder(scratch, spec) as folder:
        start = time.perf_counter()
        for number in range(shards // 10):
            folder.add(number, _hundred_kilobytes(number))
        found["a file of 100 kB, brought to the disk"] = (time.perf_counter() - start) / (shards // 10)
    return [f"{name:<44} {1e3 * cost:6.2f} ms per shard: {1 / cost:7,.0f} per second" for name, cost in found.items()]


def _hundred_kilobytes(number: int) -> bytes:
    return number.to_bytes(4, "little") * 25_000


@contextmanager
def _logging(log: Path) -> Iterator[Path]:
    log.touch()
    os.environ[LOG] = str(log)
    try:
        yield log
    finally:
        del os.environ[LOG]


if __name__ == "__main__":
    print(*engine_lines(), *per_shard_lines(), sep="\n")
