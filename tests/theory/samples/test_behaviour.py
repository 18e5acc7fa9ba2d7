"""One unknown behaviour policy: its rows get sets, and what is said is true for every policy and model of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from scipy import stats

import tdcert
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.streams import generator
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_matrix import MeanDynamics, decided
from tdcert.theory.model.key_matrices import behaviour_matrices, value_function
from tdcert.theory.samples.ranges import ranges
from tdcert.theory.samples.row_set import RowSet
from tdcert.theory.samples.sampled_model import SampledModel
from tdcert.theory.samples.verdict import Update, verdict
from tests.theory.samples.sampled import TWO, Log, some_laws, walk
from tests.theory.samples.test_sampled_model import noisy_two

F = Fraction
SEED = 57
SHARE = 1e-9
STABLE, UNSTABLE, UNDECIDED = MeanDynamics.STABLE, MeanDynamics.UNSTABLE, MeanDynamics.UNDECIDED


def unknown(steps: int, **given: Any) -> SampledModel:
    return noisy_two(steps, behaviour="fixed", **given)


def some_policy(found: SampledModel, rng: Any) -> RationalMatrix:
    """A policy of the set: each row on the way to one of its corners."""
    assert found.acts is not None
    rows = []
    for row in found.acts:
        law = row.towards(row.corners[int(rng.integers(len(row.corners)))])
        rows.append(row.centre if law is None else law)
    return RationalMatrix(rows)


def test_corners_are_the_laws_with_all_but_one_entry_at_an_end() -> None:
    """Their means are the largest of every vector of values, and each is a law within the intervals."""
    row = RowSet((4, 3, 2), (0, 1, 2), F(1, 5))
    for law in row.corners:
        assert sum(law) == 1 and all(low <= p <= high for p, (low, high) in zip(law, row.bounds, strict=True))
    for values in product((F(-2), F(1), F(5)), repeat=3):
        assert max(sum(p * x for p, x in zip(law, values, strict=True)) for law in row.corners) == row.most(values)
    assert RowSet((5, 0, 2), (0, 2), F(1, 5)).corners[0][1] == 0


def test_the_box_holds_the_matrix_of_every_policy_and_model_of_the_set() -> None:
    found = unknown(4000, target=[[F(1, 4), F(3, 4)]] * 2, features=[[1, 0], [1, 1]])
    rng, seen = generator(SEED, "members"), []
    for k in range(8):
        laws = found.centre_laws if k == 0 else some_laws(found, rng)
        mu = found.behaviour if k == 0 else some_policy(found, rng)
        model = replace(found.model_of(laws), behaviour=mu)
        A = behaviour_matrices(model, (0, 1)).A
        assert found.A.contains(A)
        seen.append(A[1, 1])
    width = found.A.upper[1][1] - found.A.lower[1][1]
    assert max(seen) - min(seen) > width / 20
    sure = replace(found, acts=None)
    assert sure.A.upper[1][1] - sure.A.lower[1][1] < width


def test_off_policy_verdicts_are_those_of_all_policies_of_the_set() -> None:
    found = unknown(6000)
    td, gtd = verdict(found, Update.TD), verdict(found, Update.GTD)
    assert td.answer is UNSTABLE and gtd.answer is STABLE and verdict(unknown(60), Update.TD).answer is UNDECIDED
    rng = generator(SEED, "all")
    for _ in range(5):
        model = replace(found.model_of(some_laws(found, rng)), behaviour=some_policy(found, rng))
        assert decided(behaviour_matrices(model, (0, 1)).A).mean_dynamics is UNSTABLE


def test_on_policy_nothing_need_be_known_of_the_policy() -> None:
    found = unknown(300, target=None)
    assert found.follows and found.is_on_policy and verdict(found, Update.TD).for_every_law
    without = verdict(unknown(60, target=None, discount=1), Update.TD)  # where the theorem does not speak
    assert without.answer is STABLE and not without.for_every_law and "a Lyapunov matrix" in without.why


@pytest.mark.parametrize("schedule", [None, "lambdas:1/2,1"])
def test_on_policy_ranges_hold_for_every_policy_and_model_of_the_set(schedule: str | None) -> None:
    """The target policy is the one that acted, whichever of the set it is: θ*, values and error, and the box of A."""
    log = walk(TWO, generator(SEED, "follows"), 6000)
    given = {"delta": "1/20", "discount": "1/2", "features": [[1], [2]], "reward_range": [0, 1], "schedule": schedule}
    found = log.sampled(TWO, behaviour="fixed", **given)
    said = ranges(found)
    assert said.theta_star is not None and said.values is not None and said.error is not None, said.why
    rng, thetas = generator(SEED, "policies"), []
    for k in range(8):
        mu = found.behaviour if k == 0 else some_policy(found, rng)
        model = replace(found.model_of(some_laws(found, rng)), behaviour=mu, target=mu)
        keys = behaviour_matrices(model, (0, 1))
        assert found.A.contains(keys.A)
        thetas.append(keys.theta_star[0, 0])
        low, high = said.theta_star[0]
        assert low <= thetas[-1] <= high
        values = value_function(model).column_entries()
        assert all(a <= x <= b for (a, b), x in zip(said.values, values, strict=True))
    known = ranges(log.sampled(TWO, behaviour="uniform", **given)).theta_star
    assert known is not None and known[0][1] - known[0][0] < said.theta_star[0][1] - said.theta_star[0][0] < F(3, 4)


def test_shares_of_delta_are_of_the_policy_too() -> None:
    """Four rows of states, two of actions."""
    found = unknown(100)
    assert [row.delta for row in found.distinct_rows] == [F(9, 200) / 6] * 6
    assert found.acts is not None and sum(sum(row.counts) for row in found.acts) == 100
    with pytest.raises(tdcert.InputError, match="add up to more than delta"):
        replace(found, acts=tuple(replace(row, delta=F(1, 20)) for row in found.acts))
    with pytest.raises(tdcert.InputError, match="must count the 2 actions in each of the 2 states"):
        replace(found, acts=found.acts[:1])


def test_an_action_that_may_not_be_taken_is_named() -> None:
    log = Log([0, 1, 1] * 50, [0, 1, 0] * 50, [1, 1, 0] * 50, [False] * 150)
    found = log.sampled(TWO, behaviour="fixed", target=[1, 1], delta="1/20", discount="1/2")
    assert "is not known to take action 1 in state 0" in verdict(found, Update.TD).why


def test_many_actions_of_an_unknown_policy_are_not_begun() -> None:
    steps = 700
    states, actions = [k % 2 for k in range(steps)], [(k // 2) % 7 for k in range(steps)]
    found = tdcert.from_transitions(
        states, actions, None, [1 - s for s in states], n_states=2, n_actions=7, delta=0.05, discount=0.5,
        behaviour="fixed", target=[0, 0],
    )  # fmt: skip
    assert "for at most 6 actions; name the policy" in verdict(found, Update.TD).why


def test_behaviour_that_adapts_asks_for_a_policy() -> None:
    with pytest.raises(tdcert.InputError, match=r"a behaviour that adapts has no long run .* name the policy"):
        noisy_two(1, behaviour="adaptive")


@pytest.mark.thorough
def test_the_true_policy_and_model_are_missed_as_seldom_as_said(error_budget: ErrorBudget) -> None:
    """150 data sets of a fixed policy, a look after every step."""
    delta, sets, rng, misses = F(1, 5), 150, generator(SEED, "calibrated"), 0
    mu = ((F(1, 4), F(3, 4)), (F(1, 2), F(1, 2)))
    share = unknown(1, delta=delta).distinct_rows[0].delta
    for _ in range(sets):
        log = walk(TWO, rng, 50, choose=lambda log, s: int(rng.random() >= float(mu[s][0])))
        rows = {(s, a): ([0, 0], TWO[s][a]) for s in range(2) for a in range(2)}
        acts = {s: ([0, 0], mu[s]) for s in range(2)}
        out = False
        for s, a, after in zip(log.states, log.actions, log.next_states, strict=True):
            for (counts, law), came in ((rows[s, a], after), (acts[s], a)):
                counts[came] += 1
                out = out or RowSet((counts[0], counts[1]), (0, 1), share).excludes(law)
        misses += out
    budget = error_budget.spend("samples: unknown policy", SHARE)
    assert misses <= stats.binom.isf(budget, sets, float(delta))
