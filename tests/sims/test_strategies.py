"""The strategies: what they promise holds by construction, odd cases are reached, and they shrink to the
smallest."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis.strategies import SearchStrategy

from tdcert.sims import strategies as own
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.model.chain import Chain
from tdcert.theory.model.key_matrices import theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.effort import examples

SEARCH = settings(
    max_examples=2000, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
REACH = settings(SEARCH, max_examples=5000, phases=[Phase.generate])
CHECK = settings(max_examples=examples(60), derandomize=True, database=None, deadline=None, phases=[Phase.generate])


def smallest(strategy: SearchStrategy[Any], condition: Callable[[Any], bool] = lambda _: True) -> Any:
    """The smallest value that satisfies the condition; NoSuchExample if it is never reached."""
    return find(strategy, condition, settings=SEARCH)


def rows(chain: Chain) -> list[list[int]]:
    """The transition matrix of a deterministic chain."""
    return [[int(entry) for entry in row] for row in chain.P.rows]


@CHECK
@given(own.irreducible_chains())
def test_irreducible_chains_are_irreducible(chain: Chain) -> None:
    assert chain.is_irreducible


@CHECK
@given(own.irreducible_chains(period=1))
def test_aperiodic_chains_are_aperiodic(chain: Chain) -> None:
    assert chain.is_irreducible and chain.period(tuple(range(chain.n))).period == 1


@CHECK
@given(own.periodic_chains())
def test_periodic_chains_are_periodic(chain: Chain) -> None:
    assert chain.is_irreducible and chain.period(tuple(range(chain.n))).period > 1


@CHECK
@given(own.reducible_chains())
def test_reducible_chains_are_reducible(chain: Chain) -> None:
    assert not chain.is_irreducible
    assert len(chain.recurrent_classes) > 1 or chain.transient_states


@CHECK
@given(own.covered_policies(3, 3))
def test_covered_policies_are_covered(policies: tuple[RationalMatrix, RationalMatrix]) -> None:
    behaviour, target = policies
    assert all(behaviour[s, a] > 0 for s in range(3) for a in range(3) if target[s, a] > 0)


@CHECK
@given(own.uncovered_policies(2, 2))
def test_uncovered_policies_miss_an_action(policies: tuple[RationalMatrix, RationalMatrix]) -> None:
    behaviour, target = policies
    assert any(behaviour[s, a] == 0 < target[s, a] for s in range(2) for a in range(2))


@CHECK
@given(own.full_rank_features(4))
def test_full_rank_features_have_full_column_rank(phi: RationalMatrix) -> None:
    assert phi.rank == phi.shape[1]


@CHECK
@given(own.deficient_features(3))
def test_deficient_features_have_dependent_columns(phi: RationalMatrix) -> None:
    assert phi.rank < phi.shape[1]


@CHECK
@given(own.schedules(endless=True))
def test_schedules_stay_in_the_unit_interval(schedule: Schedule) -> None:
    assert all(0 <= x <= 1 for x in (*schedule.lambdas, schedule.tail))


@CHECK
@given(own.models(policy="on"), own.models(policy="off"), own.models(policy="uncovered"))
def test_models_have_the_policies_asked_for(on: Model, off: Model, uncovered: Model) -> None:
    assert on.is_on_policy and not off.uncovered and uncovered.uncovered
    assert all(model.behaviour_chain.is_irreducible for model in (on, off, uncovered))
    assert all(model.features.rank == model.d for model in (on, off, uncovered))


@CHECK
@given(own.unstable_models())
def test_unstable_models_are_unstable(model: Model) -> None:
    assert not model.uncovered and theorem_matrices(model, (0, 1)).A[0, 0] > 0


REACHED: list[tuple[str, SearchStrategy[Any], Callable[[Any], bool]]] = [
    ("one state", own.irreducible_chains(), lambda c: c.n == 1),
    ("four states", own.irreducible_chains(), lambda c: c.n == 4),
    ("period three", own.periodic_chains(), lambda c: c.period(tuple(range(c.n))).period == 3),
    ("full matrix", own.irreducible_chains(min_states=3), lambda c: all(len(s) == c.n for s in c.successors)),
    (
        "two classes and transient states",
        own.reducible_chains(),
        lambda c: len(c.recurrent_classes) == 2 and len(c.transient_states) > 0,
    ),
    ("deterministic target", own.covered_policies(2, 2), lambda p: all(max(row) == 1 for row in p[1].rows)),
    ("behaviour unlike target", own.models(policy="off"), lambda m: not m.is_on_policy),
    ("ratio above two", own.covered_policies(1, 2), lambda p: any(p[1][0, a] > 2 * p[0][0, a] > 0 for a in range(2))),
    ("square features", own.full_rank_features(3), lambda phi: phi.shape == (3, 3)),
    ("more features than states", own.deficient_features(2), lambda phi: phi.shape[1] > 2),
    (
        "no zero column, deficient",
        own.deficient_features(3),
        lambda phi: phi.shape[1] > 1 and all(any(phi.column_entries(j)) for j in range(phi.shape[1])),
    ),
    ("λ in the open interval", own.schedules(), lambda s: any(0 < x < 1 for x in s.lambdas)),
    ("increasing λ's", own.schedules(), lambda s: len(s.lambdas) > 1 and s.lambdas[0] < s.lambdas[1]),
    ("without end", own.schedules(endless=True), lambda s: not s.is_finite),
    ("discount per transition", own.models(discount="any"), lambda m: m.gamma is None),
    (
        "some discount one",
        own.models(discount="transitions"),
        lambda m: any(x == 1 for G in m.discounts for row in G.rows for x in row),
    ),
]


@pytest.mark.parametrize(("strategy", "condition"), [case[1:] for case in REACHED], ids=[case[0] for case in REACHED])
def test_odd_cases_are_reached(strategy: SearchStrategy[Any], condition: Callable[[Any], bool]) -> None:
    assert condition(find(strategy, condition, settings=REACH))


@pytest.mark.thorough
@pytest.mark.ci
def test_chains_shrink_to_the_smallest() -> None:
    assert rows(smallest(own.irreducible_chains())) == [[1]]
    assert rows(smallest(own.irreducible_chains(), lambda c: c.n >= 3)) == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert rows(smallest(own.periodic_chains())) == [[0, 1], [1, 0]]
    assert rows(smallest(own.reducible_chains())) == [[1, 0], [1, 0]]
    assert rows(smallest(own.reducible_chains(), lambda c: len(c.recurrent_classes) == 2)) == [[1, 0], [0, 1]]
    assert smallest(own.chains()).n == 1


@pytest.mark.thorough
@pytest.mark.ci
def test_policies_and_features_shrink_to_the_smallest() -> None:
    always_first = RationalMatrix([[1, 0], [1, 0]])
    assert smallest(own.policies(2, 2)) == always_first
    assert smallest(own.covered_policies(2, 2)) == (always_first, always_first)
    behaviour, target = smallest(own.uncovered_policies(1, 2))
    assert behaviour.rows == ((1, 0),) and target.rows == ((0, 1),)
    assert smallest(own.full_rank_features(2)) == RationalMatrix([[1], [0]])
    assert smallest(own.deficient_features(2)) == RationalMatrix([[0], [0]])


def test_schedules_shrink_to_the_smallest() -> None:
    assert smallest(own.schedules()) == Schedule()
    assert smallest(own.schedules(), lambda s: s.length == 2) == Schedule.n_step(3)
    assert smallest(own.schedules(), lambda s: 0 < sum(s.lambdas) < 1) == Schedule((Fraction(1, 2),))


@pytest.mark.thorough
@pytest.mark.ci
def test_models_shrink_to_one_state_and_nothing_in_it() -> None:
    model = smallest(own.models())
    assert model.n == model.d == len(model.actions) == 1
    assert model.gamma == 0 and model.schedule == Schedule() and model.rewards[0].is_zero()
