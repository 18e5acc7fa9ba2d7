"""What users wait for: ``python -m benchmarks.waits [--only TEXT]``, processor seconds beside what is asked.

Each command runs in a process of its own, and its seconds count those of the processes it starts. A fixed piece of work
(:func:`benchmarks.face.peer`), timed right before, tells how fast the machine is then: the ratios are what is recorded.
The sparse archive has 10⁵ states and 20 features.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks import results
from benchmarks.face import peer, seconds
from benchmarks.scale_chains import model
from tdcert.theory.files.npz import save_npz

ASKED = {
    "analyze gymnasium:FrozenLake8x8-v1": 3,
    "analyze gymnasium:CliffWalking-v1": 6,
    "analyze gymnasium:Taxi-v4": 10,
    "analyze sparse.npz": 15,
}
"""Seconds asked for on an idle machine."""


def used(words: str, folder: Path) -> float:
    """Processor seconds of one command and of what it starts."""
    if "sparse.npz" in words:
        save_npz(folder / "sparse.npz", model(100_000, 20, 5))
    command = [
        str(Path(sys.executable).with_name("tdcert")),
        *words.split(),
        "--quiet",
        "--out",
        str(folder / "report"),
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=False, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(only: str) -> results.Ratios:
    """Each command over the fixed work; the table is printed."""
    found = {}
    for words, asked in ASKED.items():
        if only in words:
            unit = seconds(peer, 40)
            with tempfile.TemporaryDirectory() as folder:
                took = used(words, Path(folder))
            found[words] = took / unit
            print(f"{words:36} {took:7.1f} s of {asked} asked, {found[words]:8.0f} times {unit:.4f} s", flush=True)
    return found


def main() -> None:
    """Measures, and records or compares where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="commands that hold the text")
    results.add_options(parser)
    given = parser.parse_args()
    if not results.asked("waits", given, partial(measured, given.only)):
        measured(given.only)


if __name__ == "__main__":
    main()
