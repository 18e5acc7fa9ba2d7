"""What the benchmark programs measured, as data: ``benchmarks/results/PROGRAM.json``, and when a run is a regression.

Ratios and exponents alone are kept, which other work on the machine moves little: both sides of a ratio are timed in
one run. ``--record N`` measures N ≥ 3 times and writes, for each, the median as ``value``, and the ``bound`` beyond
which a later run is a regression: one whole range beyond the worst, in logarithms (worst²/best), and at least
:data:`LEAST` times the worst, since so few runs understate their range. ``--check`` measures once and compares.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

import numpy as np

FOLDER = Path(__file__).with_name("results")
FORMAT = "tdcert-benchmark/1"
LEAST = 1.25

Ratios = Mapping[str, float]
"""By name; the smaller, the better."""


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The slope of the logarithm of seconds over that of sizes, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def bound_of(values: list[float]) -> float:
    """Beyond what a later run is a regression."""
    worst, best = max(values), min(values)
    return worst * max(worst / best, LEAST)


def recorded(measure: Callable[[], Ratios], repetitions: int) -> dict[str, dict[str, float]]:
    """``value``, ``bound`` and ``least`` and ``largest`` of each ratio."""
    runs = [measure() for _ in range(repetitions)]
    columns = {name: [run[name] for run in runs] for name in runs[0]}
    return {
        name: {
            "value": float(f"{median(values):.3g}"),
            "bound": float(f"{bound_of(values):.3g}"),
            "least": float(f"{min(values):.3g}"),
            "largest": float(f"{max(values):.3g}"),
        }
        for name, values in columns.items()
    }


def regressions(document: Mapping[str, Mapping[str, Mapping[str, float]]], found: Ratios) -> list[str]:
    """A sentence for each ratio beyond its bound, and for each that is no longer measured."""
    said = []
    for name, row in document["measures"].items():
        if name not in found:
            said.append(f"{name} is not measured any more")
        elif not found[name] <= row["bound"]:
            said.append(f"{name} is {found[name]:.3g}, beyond {row['bound']:.3g} (recorded: {row['value']:.3g})")
    return said


def add_options(parser: argparse.ArgumentParser) -> None:
    """``--record N`` and ``--check``."""
    parser.add_argument("--record", type=int, metavar="N", help="measure N times and write benchmarks/results")
    parser.add_argument("--check", action="store_true", help="measure once; exit code 1 beyond a recorded bound")


def asked(program: str, given: argparse.Namespace, measure: Callable[[], Ratios]) -> bool:
    """Do what the options ask for; whether they asked for anything. Exits with 1 for a regression."""
    path = FOLDER / f"{program}.json"
    if given.record is not None:
        if given.record < 3:
            sys.exit("--record takes at least 3 runs")
        document = {
            "format": FORMAT,
            "program": f"python -m benchmarks.{program} --record {given.record}",
            "measures": recorded(measure, given.record),
        }
        FOLDER.mkdir(exist_ok=True)
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        print(f"written: {path.relative_to(FOLDER.parents[1])}")
    if given.check:
        said = regressions(json.loads(path.read_text(encoding="utf-8")), measure())
        print("\n".join(said) or "no ratio is beyond its bound")
        if said:
            sys.exit(1)
    return given.record is not None or given.check
