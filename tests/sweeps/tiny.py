"""A question small enough to be known by heart, for tests of what runs it; and a sweep as a program of its own.

python -m tests.sweeps.tiny SPEC.toml FOLDER [--workers N | --scheduler ADDRESS] [--budget SECONDS]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from tdcert.sims.streams import generator
from tdcert.sweeps.folder import SweepFolder
from tdcert.sweeps.question import Result, ResultTable
from tdcert.sweeps.run import SweepRun, run
from tdcert.sweeps.spec import Spec, read_spec
from tdcert.theory.errors import InputError
from tdcert.theory.figures import Figure, Series
from tdcert.theory.workers import Engine, inline, processes

ASK = "tests.sweeps.tiny:question_of"
LOG = "TINY_LOG"
"""In the environment: a file that gets a line for each shard that is begun."""


@dataclass(frozen=True)
class Tiny:
    """Of each index a normal draw from its own stream; every third index has a second row.

    ``pause``: seconds each index takes. ``deadly``: an index that ends the process it is computed in, as long as the
    file ``poison`` exists; that is removed first unless it is called ``always``. ``faulty``: an index that raises.
    """

    spec: Spec
    pause: float = 0.0
    deadly: int = -1
    poison: str = ""
    faulty: int = -1
    columns = (("index", "int64"), ("draw", "float64"), ("even", "bool"), ("word", "string"))

    def rows(self, first: int, count: int) -> Mapping[str, Sequence[Any]]:
        if LOG in os.environ:
            with open(os.environ[LOG], "a") as log:
                log.write(f"{first}\n")
        found: dict[str, list[Any]] = {name: [] for name, _ in self.columns}
        for index in range(first, first + count):
            time.sleep(self.pause)
            if index == self.deadly and os.path.exists(self.poison):
                if not self.poison.endswith("always"):
                    os.remove(self.poison)
                os.kill(os.getpid(), 9)
            if index == self.faulty:
                raise ZeroDivisionError(f"index {index}")
            draws = generator(self.spec.seed, f"{self.spec.digest}/{index}").standard_normal(2 if index % 3 == 0 else 1)
            for draw in draws:
                for name, value in zip(found, (index, float(draw), index % 2 == 0, f"index {index}"), strict=True):
                    found[name].append(value)
        return found

    def finish(self, table: pa.Table, complete: bool) -> Result:
        draws = table["draw"].to_pylist()
        series = Series("draw", tuple(map(float, range(len(draws)))), tuple(draws))
        figure = Figure("draws", None, "Draws", "row", "draw", (series,), "Every draw.")
        figures = (figure,) if self.spec.question["tiny"].get("figure") else ()
        summary = f"{len(draws)} rows; the sum of the draws is {sum(draws):.6f}."
        words = ResultTable("Words", ("word", "rows"), (("index 0", 2), ("$2 < 3$", None)))
        files = {"finds/last.txt": str(draws[-1]).encode()} if draws else {}
        return Result((summary,), (words,), {}, figures, files, tuple(self.spec.question["tiny"].get("unexpected", ())))


def question_of(spec: Spec) -> Tiny:
    told = spec.question["tiny"]
    numbers = {key: int(told[key]) for key in ("deadly", "faulty") if key in told}
    return Tiny(spec, float(told.get("pause", 0)), poison=told.get("poison", ""), **numbers)


def spec_text(count: int = 10, shard: int = 3, seed: int = 5, **told: object) -> str:
    """A spec as TOML."""
    lines = [f"{key} = {repr(value).lower() if isinstance(value, bool) else value!r}" for key, value in told.items()]
    head = ['format = "tdcert-sweep/1"', 'name = "tiny"', 'kind = "survey"']
    head += [f"seed = {seed}", f"count = {count}", f"shard = {shard}", "[tiny]"]
    return "\n".join([*head, *lines]) + "\n"


def tiny_spec(count: int = 10, shard: int = 3, seed: int = 5, **told: object) -> Spec:
    """The same, read: decimals stay text."""
    question = {key: repr(value) if isinstance(value, float) else value for key, value in told.items()}
    return Spec("tiny", "survey", seed, count, shard, {"tiny": question})


def swept(place: Path, spec: Spec, engine: Engine = inline, budget: float | None = None) -> SweepRun:
    """A run of a tiny sweep; the answer's files are those of the question."""
    with SweepFolder(place, spec) as folder:
        outcome = run(folder, engine, budget, ask=ASK)
        folder.answer(outcome.result.files)
    return outcome


def shards(place: Path) -> dict[str, bytes]:
    """The files of the finished shards."""
    return {path.name: path.read_bytes() for path in sorted((place / "shards").glob("*.parquet"))}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("spec")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--scheduler", default="")
    parser.add_argument("--budget", type=float)
    given = parser.parse_args()
    engine: Engine = inline
    if given.scheduler:
        from tdcert.sweeps.cluster import cluster

        engine = partial(cluster, address=given.scheduler)
    elif given.workers > 1:
        engine = partial(processes, workers=given.workers)
    try:
        outcome = swept(given.folder, read_spec(given.spec), engine, given.budget)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 130 if outcome.interrupted else 0


if __name__ == "__main__":
    sys.exit(main())
