"""All mutants, and a program that runs them: ``python -m tests.quality.mutants``.

    --default       only those of the default profile
    --only TEXT     only those whose name holds the text (may be repeated)
    --find TEST…    run these tests to the end instead of the named ones, and say which of them fail: to choose a killer

Of the 711 mutants that commit 5699291 had by default, 616 are in :data:`DEFAULT`; 95 deleted an entry from a list that
is no longer there (``python -m tests.quality.same_mutants`` compares).

A new mutant is one row in one of the tables imported below; a new table is one more line in :data:`DEFAULT`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tests.quality import (
    mutants_of_algorithms,
    mutants_of_certify,
    mutants_of_claims,
    mutants_of_convergence,
    mutants_of_deciding,
    mutants_of_enclosures,
    mutants_of_estimators,
    mutants_of_experiments,
    mutants_of_kernels,
    mutants_of_own_code,
    mutants_of_phases,
    mutants_of_sampling,
    mutants_of_sparse,
    mutants_of_sweeps,
    mutants_of_the_advice,
    mutants_of_the_checker,
    mutants_of_the_edges,
    mutants_of_the_engine,
    mutants_of_the_face,
    mutants_of_the_judge,
    mutants_of_the_questions,
    mutants_of_the_updates,
    mutants_of_theory,
)
from tests.quality.edits import Mutant
from tests.quality.runner import Outcome, Runner

DEFAULT: tuple[Mutant, ...] = (
    *mutants_of_claims.MUTANTS,
    *mutants_of_convergence.MUTANTS,
    *mutants_of_deciding.MUTANTS,
    *mutants_of_enclosures.MUTANTS,
    *mutants_of_estimators.MUTANTS,
    *mutants_of_sparse.MUTANTS,
    *mutants_of_experiments.MUTANTS,
    *mutants_of_theory.MUTANTS,
    *mutants_of_algorithms.MUTANTS,
    *mutants_of_sampling.MUTANTS,
    *mutants_of_kernels.MUTANTS,
    *mutants_of_the_checker.MUTANTS,
    *mutants_of_the_edges.MUTANTS,
    *mutants_of_the_face.MUTANTS,
    *mutants_of_the_judge.MUTANTS,
    *mutants_of_the_questions.MUTANTS,
    *mutants_of_phases.MUTANTS,
    *mutants_of_certify.MUTANTS,
    *mutants_of_the_engine.MUTANTS,
    *mutants_of_the_advice.MUTANTS,
    *mutants_of_the_updates.MUTANTS,
    *mutants_of_own_code.MUTANTS,
)
"""Those of the default profile."""
MUTANTS: tuple[Mutant, ...] = (
    *DEFAULT,
    *mutants_of_enclosures.MORE,
    *mutants_of_the_checker.MORE,
    *mutants_of_the_engine.MORE,
    *mutants_of_sparse.MORE,
    *mutants_of_sweeps.MORE,
    *mutants_of_the_advice.MORE,
    *mutants_of_phases.MORE,
)
"""All, as the thorough profile runs them."""


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
    parser.add_argument("--default", action="store_true")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT")
    parser.add_argument("--find", nargs="+", default=[], metavar="TEST")
    given = parser.parse_args(arguments)
    table = DEFAULT if given.default else MUTANTS
    chosen = [mutant for mutant in table if not given.only or any(text in mutant.id for text in given.only)]
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
