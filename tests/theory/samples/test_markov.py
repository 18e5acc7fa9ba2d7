"""Do data refute that states are Markov: the number against its definition, its mean, how often it fires when it must
not, and that it does when it should."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import exp, log
from typing import Any

import numpy as np
import pytest
from scipy import stats

import tdcert
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.streams import generator
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.samples.markov import Histories, markov_test
from tdcert.theory.samples.row_set import BITS
from tests.theory.samples.sampled import TWO, walk
from tests.theory.samples.test_row_set import q_by_the_rules
from tests.theory.samples.test_verdict import least_tried

F = Fraction
SEED = 31
SHARE = 1e-9
LEVEL = F(1, 5)
PAIRS = {(s, a): 2 for s in range(2) for a in range(2)}
"""Two states, two actions, two successors each."""

Steps = Sequence[tuple[int, int, int]]
"""State, action, next state of one long episode."""


def histories(steps: Steps) -> Histories:
    """Counts by the pair before, one step after the other."""
    found: Histories = {}
    before = (-1, -1)
    for s, a, after in steps:
        counts = found.setdefault((s, a), {}).setdefault(before, {})
        counts[after] = counts.get(after, 0) + 1
        before = (s, a)
    return found


def by_definition(steps: Steps, k: int, rows: int) -> Fraction:
    """E as it is defined, from the draws in their order and in rational numbers."""
    draws: dict[Any, list[int]] = {}
    contexts: dict[Any, list[dict[Any, list[int]]]] = {}
    before = (-1, -1)
    for s, a, after in steps:
        draws.setdefault((s, a), []).append(after)
        kinds = contexts.setdefault((s, a), [{}, {}, {}])
        context: Any
        for kind, context in zip(kinds, (before[0], before[1], before), strict=True):
            kind.setdefault(context, []).append(after)
        before = (s, a)
    even = sparse = F(1)
    for pair, came in draws.items():
        rule = F(0)
        for kind in contexts[pair]:
            q = F(1)
            for part in kind.values():
                q *= q_by_the_rules(part, k)
            rule += q / 3
        for j in set(came):
            rule /= F(came.count(j), len(came)) ** came.count(j)
        even *= (1 + rule) / 2
        sparse *= 1 - F(1, rows) + rule / rows
    return (even + sparse) / 2


def test_the_evidence_is_what_its_definition_says() -> None:
    rng = generator(SEED, "definition")
    for length in (0, 1, 2, 7, 40):
        log_ = walk(TWO, rng, max(length, 1))
        steps = list(zip(log_.states, log_.actions, log_.next_states, strict=True))[:length]
        found = markov_test(histories(steps), PAIRS, LEVEL)
        with precision(BITS):
            value = float(found.log_evidence.exp().mid())
        assert value == pytest.approx(float(by_definition(steps, 2, 4)), rel=1e-12)


@pytest.mark.thorough
def test_its_mean_under_every_markov_law_is_at_most_one() -> None:
    """All 2⁹ ways of nine steps of a chain of two states, in rational numbers."""
    for p in (F(1, 2), F(1, 5)):
        law = ((1 - p, p), (F(1, 3), F(2, 3)))
        mean = F(0)
        for path in product(range(2), repeat=9):
            probability, s, steps = F(1), 0, []
            for after in path:
                probability *= law[s][after]
                steps.append((s, 0, after))
                s = after
            mean += probability * by_definition(steps, 2, 2)
        assert mean <= 1


def fires(steps: Steps, looks: int, evidence: Callable[[Histories], bool]) -> bool:
    """Whether it does at one of the looks, one after so many steps."""
    return any(evidence(histories(steps[:t])) for t in range(looks, len(steps) + 1, looks))


def as_it_is(found: Histories) -> bool:
    return markov_test(found, PAIRS, LEVEL).refuted


def with_laws_fitted_to_the_same_data(found: Histories) -> bool:
    """Known-wrong: the likelihood ratio of the best laws by context, with no rule fixed before."""
    ratio = 0.0
    for by in found.values():
        row = np.sum([[counts.get(j, 0) for j in range(2)] for counts in by.values()], axis=0)
        for counts in by.values():
            for j, times in counts.items():
                ratio += times * (log(times / sum(counts.values())) - log(row[j] / row.sum()))
    return exp(ratio) >= 1 / LEVEL


@pytest.mark.parametrize("sets", [25, pytest.param(300, marks=pytest.mark.thorough)])
def test_it_refutes_states_that_are_markov_as_seldom_as_said(sets: int, error_budget: ErrorBudget) -> None:
    """Behaviour that adapts to the states before, and twelve looks; the ratio of fitted laws is caught."""
    rng, fired, caught = generator(SEED, f"level {sets}"), 0, 0
    for _ in range(sets):
        log_ = walk(TWO, rng, 120, choose=least_tried)
        steps = list(zip(log_.states, log_.actions, log_.next_states, strict=True))
        fired += fires(steps, 10, as_it_is)
        caught += fires(steps, 10, with_laws_fitted_to_the_same_data)
    allowed = stats.binom.isf(error_budget.spend(f"samples: Markov, {sets} sets", SHARE), sets, float(LEVEL))
    assert fired <= allowed < caught


def hidden(rng: np.random.Generator, steps: int) -> tuple[list[int], list[int]]:
    """Two hidden states that last ten steps on average, each with an observation that is right nine times in ten."""
    h, seen = 0, []
    for _ in range(steps + 1):
        h ^= int(rng.random() < 0.1)
        seen.append(h ^ int(rng.random() < 0.1))
    return seen, [0] * steps


def delayed(rng: np.random.Generator, steps: int) -> tuple[list[int], list[int]]:
    """Each action takes effect one step later, four times in five."""
    actions = rng.integers(2, size=steps + 1).tolist()
    return [0, 0] + [a if rng.random() < 0.8 else 1 - a for a in actions[: steps - 1]], actions[:steps]


def read(world: tuple[list[int], list[int]], **given: Any) -> Any:
    seen, actions = world
    declared = {"n_states": 2, "n_actions": max(actions) + 1, "delta": "1/20", "discount": "1/2", **given}
    return tdcert.from_transitions(seen[:-1], actions, None, seen[1:], behaviour="uniform", **declared)


@pytest.mark.parametrize("world", [hidden, delayed])
def test_it_fires_on_a_planted_world_with_memory(world: Any) -> None:
    """Ten times of ten within 3,000 steps, at the level 1/200."""
    rng = generator(SEED, world.__name__)
    found = [read(world(rng, 3000)) for _ in range(10)]
    assert all(one.markov_refuted for one in found)
    assert not read(world(rng, 20)).markov_refuted
    said = found[0].markov_test.sentence
    assert "the data refute that these states are Markov" in said and "with probability at most 1/200" in said


def test_one_row_of_many_is_enough() -> None:
    """Forty rows of which one depends on the state before, and many say a little against."""
    rng = generator(SEED, "one of many")
    rows: Histories = {}
    for r in range(40):
        for before in range(2):
            ones = int(rng.binomial(60, (0.8, 0.2)[before] if r == 7 else 0.5))
            rows[r, 0] = {**rows.get((r, 0), {}), (before, 0): {0: 60 - ones, 1: ones}}
    alone = {pair: by for pair, by in rows.items() if pair != (7, 0)}
    successors = dict.fromkeys(rows, 2)
    found = markov_test(rows, successors, F(1, 200))
    assert found.refuted and found.strongest == (7, 0)
    assert not markov_test(alone, successors, F(1, 200)).refuted


def test_rows_without_a_choice_say_nothing() -> None:
    """One possible successor: no evidence, whatever came before."""
    assert not markov_test({(0, 0): {(0, 0): {1: 50}}}, {(0, 0): 1}, F(1, 2)).refuted
    assert "do not refute" in markov_test({}, {}, F(1, 2)).sentence


def test_the_first_step_of_an_episode_has_nothing_before() -> None:
    """After a cut and after an end the step before counts for nothing."""
    ends = {"terminated": [0, 1, 0, 0, 0], "truncated": [0, 0, 0, 1, 0], "terminal": [2], "n_states": 3}
    found = tdcert.from_transitions(
        [0, 1, 0, 1, 1], [0] * 5, None, [1, 2, 1, 0, 0],
        n_actions=1, delta=0.1, discount=0.5, behaviour="uniform", **ends,
    )  # fmt: skip
    expected = {(0, 0): {(-1, -1): {1: 2}}, (1, 0): {(0, 0): {2: 1, 0: 1}, (-1, -1): {0: 1}}}
    test = markov_test(expected, dict.fromkeys(expected, 3), F(1, 100))
    with precision(BITS):
        assert found.markov_test is not None and found.markov_test.log_evidence.overlaps(test.log_evidence)


def test_verdicts_say_what_the_data_say_of_their_states() -> None:
    world = hidden(generator(SEED, "said"), 2000)
    claimed = tdcert.confident_verdicts(read(world))["TD"]
    assert claimed.answer is MeanDynamics.UNDECIDED and "the data refute that these states are Markov" in claimed.why
    open_ = tdcert.confident_verdicts(read(world, markov=False))["TD"]
    assert open_.answer is MeanDynamics.STABLE and open_.grade == ""
    assert "with confidence, if these states are Markov (which the data refute):" in open_.sentence
