"""All mutants, and a program that runs them: ``python -m tests.quality.mutants``.

    --only TEXT     only those whose name holds the text (may be repeated)
    --find TEST…    run these tests to the end instead of the named ones, and say which of them fail: to choose a killer

The tables lie in ``tables/``, a file for each folder of the sources (``theory_model.txt`` for ``theory/model/``)::

    # theory/model/key_matrices.py
    ## theory/model/test_known_answers.py::test_absorbing_pair
    A with M + I: `return self.M(X) - X` → `return self.M(X) + X`

A line with ``#`` names the file, one with ``##`` the tests that must fail, separated by ``; ``. Each line below is a
mutant: what is wrong in plain words, the old text, the new text; ``⏎`` stands for the end of a line. Old text that
stands several times in the file is followed by ``(occurrence N)``, counted from 0.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tests.quality.edits import Mutant
from tests.quality.runner import Outcome, Runner

ROW = re.compile(r"(.+): `([^`]+)` → `([^`]*)`(?: \(occurrence (\d+)\))?")


def mutants_of(table: str) -> Iterator[Mutant]:
    """The mutants of one table. Raises :class:`ValueError` for a line that is none of the four kinds."""
    file = ""
    killers: tuple[str, ...] = ()
    for text in table.splitlines():
        if text.startswith("# "):
            file, killers = text.removeprefix("# "), ()
        elif text.startswith("## "):
            killers = tuple(text.removeprefix("## ").split("; "))
        elif (row := ROW.fullmatch(text)) and file and killers:
            old, new = (part.replace("⏎", "\n") for part in row.group(2, 3))
            place = None if row[4] is None else int(row[4])
            yield Mutant(row[1], file, old, new, killers, place, every=len(killers) > 1)
        elif text:
            raise ValueError(f"no file, no tests and no mutant: {text!r}")


MUTANTS = tuple(
    mutant
    for path in sorted(Path(__file__).with_name("tables").glob("*.txt"))
    for mutant in mutants_of(path.read_text(encoding="utf-8"))
)


def killers(mutants: Iterable[Mutant]) -> tuple[str, ...]:
    """Every test that some of the mutants name, once, in a fixed order: they must pass on the code as it is."""
    return tuple(sorted({killer for mutant in mutants for killer in mutant.killers}))


def line(mutant: Mutant, outcome: Outcome) -> str:
    """One line of the table."""
    return f"{outcome.seconds:5.2f}  {mutant.id:<76} {outcome.credit or f'{outcome.status.upper()}: {outcome.why}'}"


def summary(outcomes: Sequence[Outcome], seconds: float) -> str:
    """The last line of the table."""
    counts = Counter(outcome.status for outcome in outcomes)
    return ", ".join(f"{count} {status}" for status, count in sorted(counts.items())) + f"; {seconds:.0f} s"


def main(arguments: Sequence[str]) -> int:
    """Run, print, and return 0 if every mutant was caught."""
    what = "Run every mutant, and say which test caught it."
    parser = argparse.ArgumentParser(prog="python -m tests.quality.mutants", description=what)
    parser.add_argument("--only", action="append", default=[], metavar="TEXT")
    parser.add_argument("--find", nargs="+", default=[], metavar="TEST")
    given = parser.parse_args(arguments)
    chosen = [mutant for mutant in MUTANTS if not given.only or any(text in mutant.id for text in given.only)]
    started, runner, outcomes = time.monotonic(), Runner(), []
    if given.find:
        chosen = [replace(mutant, every=False) for mutant in chosen]
    numbers = {runner.ask(m, given.find or m.killers, to_the_end=bool(given.find)): m for m in chosen}
    for outcome in runner.answers():
        outcomes.append(outcome)
        print(line(numbers[outcome.number], outcome), flush=True)
        if given.find:
            first: dict[str, float] = {}
            for test, seconds in outcome.failed:
                first.setdefault(test.partition("[")[0], seconds)
            print(*(f"       {seconds:5.2f}  {test}" for test, seconds in first.items()), sep="\n", flush=True)
    runner.close()
    print(summary(outcomes, time.monotonic() - started))
    return 0 if all(outcome.caught for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
