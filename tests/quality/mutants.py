"""All mutants, and a program that runs them: ``python -m tests.quality.mutants``.

    --only TEXT     those whose name holds the text (may be repeated)
    --find TEST…    run these tests to the end instead of the named ones, and say which of them fail: to choose a killer

A new mutant is one row in one of the tables below; a new table (the algorithms of ``sims``, say) is one more line in :data:`MUTANTS`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence

from tests.quality import mutants_of_claims, mutants_of_deciding, mutants_of_the_checker, mutants_of_theory
from tests.quality.edits import Mutant
from tests.quality.runner import Outcome, Runner

MUTANTS: tuple[Mutant, ...] = (
    *mutants_of_claims.MUTANTS,
    *mutants_of_deciding.MUTANTS,
    *mutants_of_theory.MUTANTS,
    *mutants_of_the_checker.MUTANTS,
)


def killers(mutants: Iterable[Mutant] = MUTANTS) -> tuple[str, ...]:
    """Every test that some mutant names, once, in a fixed order: they must pass on the code as it is."""
    return tuple(sorted({killer for mutant in mutants for killer in mutant.killers}))


def line(mutant: Mutant, outcome: Outcome) -> str:
    """One line of the table."""
    by = outcome.by.removeprefix("tests/") if outcome.caught else f"{outcome.status.upper()}: {outcome.why}"
    return f"{outcome.seconds:5.2f}  {mutant.id:<76} {by}"


def summary(outcomes: Sequence[Outcome], seconds: float) -> str:
    """The last line of the table."""
    counts = Counter(outcome.status for outcome in outcomes)
    return ", ".join(f"{count} {status}" for status, count in sorted(counts.items())) + f"; {seconds:.0f} s"


def main(arguments: Sequence[str]) -> int:
    """Run, print, and return 0 if every mutant was caught."""
    parser = argparse.ArgumentParser(prog="python -m tests.quality.mutants", description="Run every mutant, and say who caught it.")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT")
    parser.add_argument("--find", nargs="+", default=[], metavar="TEST")
    given = parser.parse_args(arguments)
    chosen = [mutant for mutant in MUTANTS if not given.only or any(text in mutant.id for text in given.only)]
    started, runner, outcomes = time.monotonic(), Runner(), []
    numbers = {runner.ask(m, given.find or m.killers, to_the_end=bool(given.find)): m for m in chosen}
    for outcome in runner.answers():
        outcomes.append(outcome)
        print(line(numbers[outcome.number], outcome), flush=True)
        if given.find:
            print(*(f"       {seconds:5.2f}  {test}" for test, seconds in outcome.failed), sep="\n")
    runner.close()
    print(summary(outcomes, time.monotonic() - started))
    return 0 if all(outcome.caught for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
