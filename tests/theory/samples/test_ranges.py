"""Ranges of θ*, values and errors: those of exact models of the set lie inside, they narrow, and they miss as seldom as
said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import exp, log, sqrt
from typing import Any

import pytest
from scipy import stats

import tdcert
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.streams import generator
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.model.key_matrices import behaviour_matrices, value_function
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.samples.ranges import ranges
from tdcert.theory.samples.reward_set import KAPPA, mean_interval
from tdcert.theory.samples.sampled_model import SampledModel
from tests.effort import by_default
from tests.theory.samples.sampled import EPISODES, TWO, Log, Table, some_laws, walk

F = Fraction
SEED = 43
SHARE = 1e-9
SLOW = pytest.mark.thorough
MEANS = ((F(1, 2), F(-1, 4)), (F(0), F(3, 4)), (F(1, 4), F(-1, 2)), (F(0), F(0)))
"""Mean rewards by state and action; what comes is the mean, and 1/4 more or less."""


def rewarded(table: Table, rng: Any, steps: int, terminal: Any = (), **given: Any) -> SampledModel:
    log = walk(table, rng, steps, terminal)
    return with_rewards(log, rng, table, terminal=list(terminal) or None, **given)


def with_rewards(log: Log, rng: Any, table: Table, **given: Any) -> SampledModel:
    coins = (2 * rng.integers(2, size=len(log.states)) - 1).tolist()
    rewards = [float(MEANS[s][a]) + c / 4 for s, a, c in zip(log.states, log.actions, coins, strict=True)]
    declared: dict[str, Any] = {"delta": "1/20", "discount": "9/10", "behaviour": "uniform", "reward_range": [-1, 1]}
    return tdcert.from_transitions(
        log.states, log.actions, rewards, log.next_states, terminated=log.terminated,
        n_states=len(table), n_actions=2, **{**declared, **given},
    )  # fmt: skip


@cache
def known(steps: int) -> SampledModel:
    return two(steps)


def two(steps: int, **given: Any) -> SampledModel:
    target = [[F(2, 5), F(3, 5)]] * 2
    given = {"target": target, "features": [[1], [2]], **given}
    return rewarded(TWO, generator(SEED, "two"), steps, **given)


def episodes(steps: int, **given: Any) -> SampledModel:
    given = {"target": [[F(2, 5), F(3, 5)]] * 4, "features": [[1, 0], [1, 1], [1, 2], [0, 0]], **given}
    return rewarded(EPISODES, generator(SEED, "episodes"), steps, [3], **given)


def exactly(model: Model) -> tuple[Any, Any, float]:
    """θ*, v and the root of the mean square error of an exact model."""
    (states,) = model.behaviour_chain.recurrent_classes
    keys = behaviour_matrices(model, states)
    off = (model.features @ keys.theta_star - value_function(model)).column_entries()
    law = model.behaviour_chain.stationary_law(states).column_entries()
    square = sum(p * x * x for p, x in zip(law, off, strict=True))
    return keys.theta_star.column_entries(), value_function(model).column_entries(), float(square) ** 0.5


def inside(found: Any, model: Model) -> bool:
    theta, v, error = exactly(model)
    pairs = [*zip(found.theta_star, theta, strict=True), *zip(found.values, v, strict=True)]
    low, high = found.error
    return all(a <= x <= b for (a, b), x in pairs) and float(low) - 1e-9 <= error <= float(high) + 1e-9


def with_means(found: SampledModel, rng: Any) -> SampledModel:
    """The same set, the mean rewards of its models somewhere in their intervals, an end or the middle."""
    assert found.reward_bounds is not None
    picked = rng.integers(3, size=(found.n, 2)).tolist()
    low, high = found.reward_bounds.lower, found.reward_bounds.upper
    return replace(
        found,
        rewards=RationalMatrix(
            [[low[s][a] + (high[s][a] - low[s][a]) * F(picked[s][a], 2) for a in range(2)] for s in range(found.n)]
        ),
    )


@pytest.mark.parametrize("schedule", by_default(1, [None, "n_step:3", Schedule((F(1, 2), F(1, 3)))]))
@pytest.mark.parametrize("make", [two, pytest.param(episodes, marks=SLOW)])
def test_what_models_of_the_set_have_lies_in_the_ranges(make: Callable[..., SampledModel], schedule: Any) -> None:
    found = make(20_000, schedule=schedule)
    said = ranges(found)
    assert said.theta_star is not None and said.values is not None and said.error is not None, said.why
    rng = generator(SEED, "members")
    for k in range(6):
        laws = found.centre_laws if k == 0 else some_laws(found, rng)
        model = found.model_of(laws) if k == 0 else with_means(found, rng).model_of(laws)
        assert found.contains(laws) and inside(said, model)


@SLOW
def test_more_data_narrow_the_ranges() -> None:
    widths = []
    for steps in (2_000, 20_000):
        said = tdcert.confident_ranges(known(steps))
        assert said.theta_star is not None and said.error is not None
        widths.append([b - a for a, b in (*said.theta_star, said.error)])
    assert all(2 * after < before for before, after in zip(*widths, strict=True))


def test_the_truth_lies_in_them_and_the_sentence_says_with_which_probability() -> None:
    found = known(20_000)
    truth = replace(found, rewards=RationalMatrix(MEANS[:2])).model_of(TWO)
    said = tdcert.confident_ranges(found)
    assert inside(said, truth)
    assert "With probability at least 1 − 1/20" in said.sentence and "θ* is unique" in said.sentence
    assert "if these states are Markov, θ*" in tdcert.confident_ranges(replace(found, markov=False)).sentence


def test_the_scale_of_the_features_moves_theta_alone() -> None:
    found = known(20_000)
    plain, large = (ranges(replace(found, features=found.features.scaled(F(c)))) for c in (1, 2**40))
    assert plain.theta_star is not None and large.theta_star is not None and plain.values == large.values
    (a, b), (c, d) = plain.theta_star[0], large.theta_star[0]
    assert a - F(1, 10**3) < 2**40 * c < 2**40 * d < b + F(1, 10**3)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: two(3000, reward_range=None), "give reward_range"),
        (
            lambda: two(100, target=[1, 1], discount="19/20"),
            "the set is still too wide for a bound of the inverse of A",
        ),
        (
            lambda: with_rewards(Log([0], [0], [0], [False]), generator(SEED, "one"), TWO),
            "no state is reached from all others",
        ),
        (lambda: two(3000, schedule="constant:1/2"), "give a schedule with one"),
    ],
)
def test_what_is_not_bounded_says_why(made: Callable[[], SampledModel], said: str) -> None:
    found = tdcert.confident_ranges(made())
    assert found.theta_star is None and said in found.why and found.sentence.startswith("θ* is not bounded: ")


@SLOW
def test_values_without_a_discount_are_not_bounded_but_theta_is() -> None:
    found = tdcert.confident_ranges(episodes(20_000, discount=1))
    assert found.theta_star is not None and found.error is None and "give a discount below 1" in found.sentence


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"reward_range": 3}, "reward_range is the number '3'"),
        ({"reward_range": [1, 0]}, "reward_range goes from 1 to 0"),
        ({"reward_range": [0, 1]}, "which lies outside the declared range"),
    ],
)
def test_a_range_of_rewards_that_is_none_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        two(100, **given)


def test_rewards_take_their_shares_of_delta() -> None:
    """Four rows and four means, nine tenths of δ; known rewards take none."""
    found, known = two(1000), two(1000, reward_range=None)
    assert {row.delta for row in found.distinct_rows} == {F(9, 200) / 8} and found.reward_delta == F(9, 400)
    assert {row.delta for row in known.distinct_rows} == {F(9, 200) / 4} and known.reward_delta == 0
    with pytest.raises(InputError, match="add up to more than delta"):
        replace(found, reward_delta=F(1, 40))


def test_only_verdicts_and_bounds_of_what_was_declared() -> None:
    with pytest.raises(ValueError, match="no bounds of rewards"):
        _ = two(10, reward_range=None).state_rewards
    with pytest.raises(InputError, match=r"give what tdcert\.from_transitions gave"):
        tdcert.confident_ranges(3)  # type: ignore[arg-type]


# ---- means of rewards -------------------------------------------------------------------------------------------


def test_the_interval_of_a_mean_is_where_the_mixture_stays_below_its_bound() -> None:
    """At its ends √(κ/(κ + n)) exp(S²/(2σ²(n + κ))) is 1/δ."""
    low, high = mean_interval(F(30), 100, F(-1), F(3), F(1, 20))
    for end in (low, high):
        s = 30 - 100 * float(end)
        assert sqrt(KAPPA / (KAPPA + 100)) * exp(s * s / (2 * 4 * (100 + KAPPA))) == pytest.approx(20, rel=1e-9)
    assert (
        mean_interval(F(0), 0, F(-1), F(3), F(1, 20)) == (-1, 3) and mean_interval(F(2), 2, F(0), F(1), F(1, 2))[1] == 1
    )
    with pytest.raises(InputError, match="beyond their declared range"):
        mean_interval(F(3), 2, F(0), F(1), F(1, 2))


DELTA = F(1, 5)


@pytest.mark.parametrize("sets", [40, pytest.param(1000, marks=pytest.mark.thorough)])
def test_the_mean_is_missed_as_seldom_as_said(sets: int, error_budget: ErrorBudget) -> None:
    """Coins, a look after every of 100 draws; an interval for one time, looked at always, is caught."""
    coins = generator(SEED, f"means {sets}").integers(2, size=(sets, 400)).cumsum(axis=1)
    ends = [mean_interval(F(n, 2), n, F(0), F(1), DELTA) for n in range(1, 401)]
    missed = caught = 0
    for row in coins.tolist():
        off = [abs(F(ones) - F(n, 2)) for n, ones in enumerate(row, start=1)]
        # an interval around the mean seen holds ½ if and only if the one around ½ holds the mean seen, unless it is cut
        missed += any(x > n * (ends[n - 1][1] - F(1, 2)) for n, x in enumerate(off, start=1) if ends[n - 1][1] < 1)
        caught += any(float(x) > sqrt(n * log(2 / float(DELTA)) / 2) for n, x in enumerate(off, start=1))
    allowed = stats.binom.isf(error_budget.spend(f"samples: mean reward, {sets} sets", SHARE), sets, float(DELTA))
    assert missed <= allowed
    assert caught > (allowed if sets > 500 else 2 * missed)


@pytest.mark.thorough
@pytest.mark.parametrize("behaviour", ["uniform", "fixed"])
def test_theta_star_is_missed_as_seldom_as_said(behaviour: str, error_budget: ErrorBudget) -> None:
    """100 data sets of a known model, on-policy so that a few steps are enough; misses of θ*, v or the error. A policy
    that is not known has its share of δ.
    """
    rng, misses, said, sets = generator(SEED, "theta"), 0, 0, 100
    for _ in range(sets):
        log = walk(TWO, rng, 1500)
        found = with_rewards(log, rng, TWO, delta=DELTA, discount="1/2", features=[[1], [2]], behaviour=behaviour)
        even = RationalMatrix([[F(1, 2)] * 2] * 2)
        truth = replace(found, rewards=RationalMatrix(MEANS[:2]), behaviour=even, target=even).model_of(TWO)
        answer = ranges(found)
        if answer.theta_star is not None:
            said += 1
            misses += not inside(answer, truth)
    allowed = stats.binom.isf(error_budget.spend(f"samples: theta star, {behaviour}", SHARE), sets, float(DELTA))
    assert misses <= allowed and said > sets / 2
