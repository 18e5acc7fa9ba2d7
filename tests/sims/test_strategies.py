"""The strategies: what they promise holds by construction, odd cases are reached, and they shrink to the
smallest."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, seed, settings
from hypothesis.strategies import SearchStrategy

import tdcert.strategies
from tdcert.claims.claim import decide
from tdcert.claims.dgb22 import prop_4_1, thm_4_3
from tdcert.sims import strategies as own
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.model.chain import Chain
from tdcert.theory.model.key_matrices import theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status
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


@pytest.mark.thorough
@CHECK
@given(own.models(policy="on"), own.models(policy="off"), own.models(policy="uncovered"))
def test_models_have_the_policies_asked_for(on: Model, off: Model, uncovered: Model) -> None:
    assert on.is_on_policy and not off.is_on_policy and not off.uncovered and uncovered.uncovered
    assert all(model.behaviour_chain.is_irreducible for model in (on, off, uncovered))
    assert all(model.features.rank == model.d for model in (on, off, uncovered))


@CHECK
@given(own.unstable_models())
def test_unstable_models_are_unstable(model: Model) -> None:
    assert not model.uncovered and theorem_matrices(model, (0, 1)).A[0, 0] > 0


@CHECK
@given(own.near_threshold_models())
def test_models_near_the_threshold_are_covered_and_of_full_rank(model: Model) -> None:
    assert not model.uncovered and not model.is_on_policy and model.behaviour_chain.is_irreducible
    k, p, kappa = model.features[1, 0], model.behaviour[0, 1], model.kappa
    assert kappa is not None
    assert theorem_matrices(model, (0, 1)).A[0, 0] == (1 - p) * (k * kappa - 1) + p * k**2 * (kappa - 1)


@pytest.mark.thorough
def test_the_threshold_is_reached_and_crossed() -> None:
    """The formula by hand: k = 2, p = 1/2, TD(0): A = (6κ − 5)/2, zero at 5/6."""
    for sign in (-1, 0, 1):

        def there(model: Model, sign: int = sign) -> bool:
            A = theorem_matrices(model, (0, 1)).A[0, 0]
            return (A > 0) - (A < 0) == sign

        model = find(own.near_threshold_models(), there, settings=settings(SEARCH, max_examples=200))
        if sign == 0:
            assert model.gamma == Fraction(5, 6) and model.features[1, 0] == 2 and model.schedule == Schedule()


# ---- a property that does not hold is refuted, quickly ------------------------------------------------------------


def refuted(number: int) -> bool:
    """Whether 'off-policy A is negative definite' fails under this seed, with the default number of examples and no
    help; also asks that no example takes longer than the default deadline, in seconds of CPU."""

    @seed(number)
    @settings(database=None, deadline=None, phases=[Phase.generate], max_examples=100)
    @given(own.models(policy="off"))
    def holds(model: Model) -> None:
        began = time.process_time()
        verdict = prop_4_1.check(model)
        assert time.process_time() - began < DEADLINE
        assert verdict.status is Status.HOLDS, "refuted"

    try:
        holds()
    except AssertionError as error:
        return "refuted" in str(error)
    return False


SEEDS = [0, 1, *(pytest.param(k, marks=pytest.mark.thorough) for k in range(2, 20))]
DEADLINE = settings.get_profile("default").deadline.total_seconds()  # type: ignore[union-attr]


@pytest.mark.parametrize("number", SEEDS)
def test_off_policy_a_is_not_always_negative_definite(number: int) -> None:
    assert refuted(number)


@CHECK
@given(own.models(discount="any", policy="any", endless=True))
def test_what_the_page_asks_of_a_model_meets_the_deadline(model: Model) -> None:
    began = time.process_time()
    assert decide(thm_4_3.CLAIM, model).verdict.status in (Status.HOLDS, Status.HYPOTHESIS_VIOLATED)
    assert time.process_time() - began < DEADLINE


# ---- NumPy ---------------------------------------------------------------------------------------------------------


@CHECK
@given(own.arrays(own.models(discount="any", endless=True)))
def test_arrays_are_the_model_in_floats(found: own.ModelArrays) -> None:
    model = found.model
    n, m, d = model.n, len(model.actions), model.d
    assert found.P.shape == found.rewards.shape == (m, n, n) and found.features.shape == (n, d)
    assert found.behaviour.shape == found.target.shape == (n, m)
    assert np.allclose(found.P.sum(axis=2), 1, rtol=0, atol=1e-12) and np.allclose(found.target.sum(axis=1), 1)
    chain = np.einsum("sa,asj->sj", found.behaviour, found.P)
    assert np.allclose(chain, model.behaviour_chain.P.to_float(), rtol=0, atol=1e-12)
    assert isinstance(found.discount, float) == (model.gamma is not None)
    assert found.lambdas.shape == (len(model.schedule.lambdas),) and found.tail == float(model.schedule.tail)
    a, s = m - 1, n - 1
    right = float(model.rewards[a][s, 0]) if model.rewards[a].shape[1] == 1 else float(model.rewards[a][s, n - 1])
    assert found.rewards[a, s, n - 1] == right


@pytest.mark.thorough
def test_arrays_of_the_parts() -> None:
    chain, policies, schedule = (
        smallest(own.arrays(strategy))
        for strategy in (own.periodic_chains(), own.covered_policies(2, 2, distinct=True), own.schedules())
    )
    assert chain.tolist() == [[0, 1], [1, 0]] and schedule.shape == (0,)
    behaviour, target = policies
    assert target.tolist() == [[1, 0], [1, 0]] and behaviour.tolist() == [[0.5, 0.5], [1, 0]]
    with pytest.raises(InputError, match="a str has no arrays; give a strategy of models"):
        own.as_arrays("P")


@pytest.mark.parametrize("word", [{"policy": "off_policy"}, {"rank": "any"}, {"discount": "fixed"}])
def test_an_unknown_word_is_one_sentence(word: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"'\w+' is not a kind of model; give one of \w+, "):
        own.models(**word)


def test_the_public_module_has_them_all() -> None:
    defined = {name for name, x in vars(own).items() if getattr(x, "__module__", "") == own.__name__}
    hidden = {"as_arrays", "theta_to_k_theta"}
    assert set(tdcert.strategies.__all__) == {name for name in defined if not name.startswith("_")} - hidden


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
def test_chains_shrink_to_the_smallest() -> None:
    assert rows(smallest(own.irreducible_chains())) == [[1]]
    assert rows(smallest(own.irreducible_chains(), lambda c: c.n >= 3)) == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert rows(smallest(own.periodic_chains())) == [[0, 1], [1, 0]]
    assert rows(smallest(own.reducible_chains())) == [[1, 0], [1, 0]]
    assert rows(smallest(own.reducible_chains(), lambda c: len(c.recurrent_classes) == 2)) == [[1, 0], [0, 1]]
    assert smallest(own.chains()).n == 1


@pytest.mark.thorough
def test_policies_and_features_shrink_to_the_smallest() -> None:
    always_first = RationalMatrix([[1, 0], [1, 0]])
    assert smallest(own.policies(2, 2)) == always_first
    assert smallest(own.covered_policies(2, 2)) == (always_first, always_first)
    behaviour, target = smallest(own.uncovered_policies(1, 2))
    assert behaviour.rows == ((1, 0),) and target.rows == ((0, 1),)
    assert smallest(own.full_rank_features(2)) == RationalMatrix([[1], [0]])
    assert smallest(own.deficient_features(2)) == RationalMatrix([[0], [0]])


@pytest.mark.thorough
def test_schedules_shrink_to_the_smallest() -> None:
    assert smallest(own.schedules()) == Schedule()
    assert smallest(own.schedules(), lambda s: s.length == 2) == Schedule.n_step(3)
    assert smallest(own.schedules(), lambda s: 0 < sum(s.lambdas) < 1) == Schedule((Fraction(1, 2),))


@pytest.mark.thorough
def test_models_shrink_to_one_state_and_nothing_in_it() -> None:
    model = smallest(own.models())
    assert model.n == model.d == len(model.actions) == 1
    assert model.gamma == 0 and model.schedule == Schedule() and model.rewards[0].is_zero()
