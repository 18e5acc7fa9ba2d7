"""The conformance kit and the mutants call a mistake by the same words."""

from __future__ import annotations

import pytest

from tdcert.sims.algorithms import ALGORITHMS
from tdcert.sims.mistakes import mistakes_in
from tests.quality.mutants_of_algorithms import MUTANTS


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_mistake_that_the_kit_names_is_a_mutant_caught_for_that_algorithm(algorithm: str) -> None:
    """So each has been seen to break the law of the iterates; the words are those after ``GTD:`` and the like."""
    caught = [mutant.what for mutant in MUTANTS if any(killer.endswith(f"[{algorithm}]") for killer in mutant.killers)]
    words = {what.removeprefix("TD: ").removeprefix(f"{algorithm.upper()}: ") for what in caught}
    assert {mistake.words for mistake in mistakes_in(algorithm)} <= words
