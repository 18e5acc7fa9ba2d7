"""What users wait for: ``python -m benchmarks.waits [--only TEXT]``, processor time beside what is asked.

Each command runs in a process of its own, from start-up to the last line of the report, and the time of what it starts
is counted too. A fixed piece of work (:func:`benchmarks.face.peer`), timed before and after, tells how fast the machine
is then: ratios to it are what is recorded. Seconds asked for are those of a machine where that work takes 5.7 ms.
Commands choose how many threads OpenBLAS has; byte code is kept, as where a package is installed. Engine means
(:mod:`benchmarks.means`) are timed in this process, after a first one that loads the code.

Models: five states is :func:`benchmarks.face.model` with probabilities in thousandths; tabular ones are
:func:`benchmarks.exact.random_model` with ten λ's; the sparse archive has 10⁵ states and 20 features.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks import results
from benchmarks.exact import random_model
from benchmarks.face import STATES, model, peer, seconds
from benchmarks.means import drawn
from benchmarks.means import seconds as seconds_of_mean
from benchmarks.scale_chains import model as sparse_model
from tdcert.theory.files.npz import save_npz

PEER = 0.0057
"""Seconds of the fixed work on the machine that goals are stated for."""
COMMANDS = {
    "analyze five.json --what verdict --json": 0.8,
    "analyze five.json": 1.5,
    "analyze tabular20.json --algorithms td,gtd,tdc": 1.5,
    "analyze tabular100.json": 3,
    "analyze gymnasium:FrozenLake8x8-v1": 3,
    "analyze gymnasium:CliffWalking-v1": 6,
    "analyze gymnasium:Taxi-v4": 12,
    "analyze sparse.npz": 15,
}
"""Seconds asked for."""
MEANS = {(100, 20, 6, 1): 0.1, (100, 60, 100, 1): 1.0}
"""Seconds asked for of the mean of TD, by states, features, successors and actions."""


def write_models(folder: Path) -> None:
    """The model files that commands name."""
    weights = np.random.default_rng(0).multinomial(1000, np.full(STATES, 1 / STATES), STATES)
    given = model(0)
    five = {
        "format": "tdcert-model/1",
        "name": "five states",
        "transitions": [[f"{x}/1000" for x in row] for row in weights],
        "rewards": given["rewards"].tolist(),
        "discount": "9/10",
        "features": given["features"].tolist(),
        "schedule": {"n_step": 3},
    }
    documents = {"five": five} | {
        f"tabular{n}": {**random_model(n, n, 10, tabular=True).canonical, "name": f"{n} tabular states"}
        for n in (20, 100)
    }
    for name, document in documents.items():
        (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    save_npz(folder / "sparse.npz", sparse_model(100_000, 20, 5))


def used(words: str, folder: Path) -> float:
    """Processor seconds of one command and of what it starts."""
    command = [str(Path(sys.executable).with_name("tdcert")), *words.split()]
    report = [] if "--json" in words else ["--quiet", "--out", tempfile.mkdtemp(dir=folder)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*command, *report],
        cwd=folder,
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode > 1:
        sys.exit(f"tdcert {words} ended with {done.returncode}: {done.stderr.decode()[-500:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(only: str, repeats: int) -> results.Ratios:
    """Each command over the fixed work; the table is printed."""
    found: dict[str, float] = {}
    print(f"{'':60} {'seconds':>9} {'ratio':>8} {'asked':>8} {'on the machine':>15} {'asked':>7}", flush=True)

    def row(name: str, took: list[float], units: list[float], asked: float) -> None:
        found[name] = ratio = median(took) / median(units)
        met = "met" if ratio * PEER <= asked else "beyond"
        ratios = f"{ratio:8.0f} {asked / PEER:8.0f} {ratio * PEER:13.2f} s {asked:5} s"
        print(f"{name:60} {median(took):7.2f} s {ratios} {met}", flush=True)

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        commands = {words: asked for words, asked in COMMANDS.items() if only in words}
        if commands:
            write_models(folder)
            used(next(iter(COMMANDS)), folder)  # byte code is written
        for words, asked in commands.items():
            units, took = [seconds(peer, 20)], list[float]()
            for _ in range(repeats):
                took.append(used(words, folder))
                units.append(seconds(peer, 20))
            row(words, took, units, asked)
    for shape, asked in MEANS.items():
        name = f"mean of TD, {shape[0]} states, {shape[1]} features"
        if only in name:
            units = [seconds(peer, 20)]
            took = [seconds_of_mean("td", drawn(*shape)) for _ in range(repeats)]
            row(name, took, [*units, seconds(peer, 20)], asked)
    return found


def main() -> None:
    """Measures, and records or compares where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="rows that hold the text")
    parser.add_argument("--repeats", type=int, default=1, metavar="N", help="medians of so many (1)")
    results.add_options(parser)
    given = parser.parse_args()
    measure = partial(measured, given.only, given.repeats)
    if not results.asked("waits", given, measure):
        measure()


if __name__ == "__main__":
    main()
