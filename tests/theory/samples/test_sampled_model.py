"""The set of models: its boxes hold what exact models of it have, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tdcert.sims.streams import generator
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.samples.intervals import IntervalMatrix, RowKernel
from tdcert.theory.samples.sampled_model import SampledModel
from tests.effort import by_default
from tests.theory.samples.sampled import EPISODES, TWO, Log, some_laws, walk

F = Fraction
SEED = 7
OFF: dict[str, Any] = {"delta": "1/20", "discount": "19/20", "behaviour": "uniform"}


def noisy_two(steps: int, **given: Any) -> SampledModel:
    given = {**OFF, "target": [1, 1], "features": [[1], [2]], **given}
    return walk(TWO, generator(SEED, "two"), steps).sampled(TWO, **given)


def episodes(steps: int, **given: Any) -> SampledModel:
    given = {**OFF, "target": [[F(1, 4), F(3, 4)]] * 4, "terminal": [3], **given}
    return walk(EPISODES, generator(SEED, "episodes"), steps, [3]).sampled(EPISODES, **given)


def seen_once(after: int, **given: Any) -> SampledModel:
    """One transition, from state 0."""
    given = {**OFF, "features": [[1], [2]], **given}
    return Log([0], [0], [after], [False]).sampled(TWO, **given)


@pytest.mark.parametrize("schedule", [None, "n_step:3", Schedule((F(1, 2), F(1, 3)))])
@pytest.mark.parametrize("make", by_default(1, [noisy_two, episodes]))
def test_the_box_holds_the_matrix_of_models_of_the_set(make: Callable[..., SampledModel], schedule: Any) -> None:
    found = make(4000, schedule=schedule)
    rng, bounds, d = generator(SEED, "members"), [], found.features.shape[1]
    L = RationalMatrix([[F(int(x)) for x in row] for row in rng.integers(-3, 4, size=(d, d))])
    X = L + L.T
    for k in range(6):
        laws = found.centre_laws if k == 0 else some_laws(found, rng)
        assert found.contains(laws)
        model = found.model_of(laws)
        (states,) = model.behaviour_chain.recurrent_classes
        keys = behaviour_matrices(model, states)
        assert found.A.contains(keys.A) and found.times(L).contains(L @ keys.A)
        assert found.form(X, L).contains(L.T @ (X @ keys.A + (X @ keys.A).T) @ L)
        bounds.append(keys.A[0, 0])
    low, high = found.A.lower[0][0], found.A.upper[0][0]
    assert max(bounds) - min(bounds) > (high - low) / 20  # the box is not wider than models of the set by an order more


def test_more_data_narrow_the_boxes() -> None:
    widths = [noisy_two(steps).A.radius[0, 0] for steps in (300, 3000)]
    assert 2 * widths[1] < widths[0]


def test_the_true_model_is_in_the_set_and_a_far_one_is_not() -> None:
    found = episodes(4000)
    assert found.contains(EPISODES)
    far = tuple((row[1], row[0]) for row in EPISODES)
    assert not found.contains(far)


def test_a_kernel_times_a_box_is_found_by_its_corners() -> None:
    found = noisy_two(200)
    kernel = RowKernel(found.rows, found.target.rows, (F(1, 2), F(0)))
    moved = kernel @ IntervalMatrix(((F(0),), (F(-1),)), ((F(1),), (F(3),)))
    low, high = found.rows[0][1].bounds[1]
    # ½ p·x with x = (0, −1) at the lower ends, (1, 3) at the upper ones; row 1 has the factor 0
    assert moved.upper[1] == moved.lower[1] == (0,)
    assert abs(moved.lower[0][0] + high / 2) < F(1, 2**59) and moved.lower[0][0] <= -high / 2
    top = (1 - high + 3 * high) / 2
    assert 0 <= moved.upper[0][0] - top < F(1, 2**59) and low < high


def test_the_core_is_what_certain_transitions_lead_to_from_everywhere() -> None:
    assert noisy_two(2000).core == (0, 1) and episodes(2000).core == (0, 1, 2, 3)
    assert seen_once(0).core == ()  # nothing is known of where state 1 leads
    assert seen_once(1).core == (1,)  # which state 0 leads to, whatever state 1 does


def test_shares_of_delta_are_of_the_declared_rows() -> None:
    """Four pairs with two successors each; of episodes six pairs and the start, each of four or three states; the
    question whether states are Markov takes a tenth.
    """
    assert {row.delta for row in noisy_two(10).distinct_rows} == {F(9, 10) / 80}
    found = episodes(10)
    assert found.markov_test is not None and found.markov_test.level == F(1, 200)
    assert len(found.distinct_rows) == 7 and sum(row.delta for row in found.distinct_rows) == F(9, 200)
    known = episodes(10, start=[0, 1], possible=lambda s, a: [j for j in range(4) if EPISODES[s][a][j]])
    assert [row.k for row in known.distinct_rows] == [2] * 7 and known.rows[0][1].possible == (1, 2)


def broken(**parts: Any) -> Callable[[], SampledModel]:
    return lambda: replace(noisy_two(20), **parts)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (broken(behaviour=RationalMatrix([[1, 0], [F(1, 2), F(1, 2)]])), "the behaviour policy never does"),
        (broken(discount=F(3, 2)), "the discount 3/2"),
        (broken(features=RationalMatrix([[1]])), "the features have shape 1×1; give 2 rows"),
        (broken(delta=F(1, 100)), "add up to more than delta"),
        (broken(delta=F(1)), "delta is 1; give a probability above 0 and below 1"),
        (broken(terminal=(1,)), "a terminal state has features that are not zero"),
        (broken(target=RationalMatrix([[F(1, 2), F(1, 3)]] * 2)), "sums to"),
        (broken(rows=()), "there must be a row for each of the 2 states and 2 actions"),
    ],
)
def test_what_is_no_set_of_models(make: Callable[[], SampledModel], said: str) -> None:
    with pytest.raises(InputError, match=said):
        make()


def test_a_box_whose_ends_are_crossed_is_refused() -> None:
    with pytest.raises(ValueError, match="lower end"):
        IntervalMatrix(((F(1),),), ((F(0),),))


@pytest.mark.parametrize("make", [noisy_two, episodes])
def test_the_ends_of_the_box_are_nearly_attained(make: Callable[..., SampledModel]) -> None:
    """At λ = 0 the laws that the bound was found with, within the rows' intervals, have its value."""
    found = make(1000)
    d = found.features.shape[1]
    for W in (RationalMatrix([[int(i == j == 0) for j in range(d)] for i in range(d)]), -found.features.identity(d)):
        asked = (found.features @ W).to_float()
        c = -np.sum(asked * found.features.to_float(), axis=1)
        gamma = np.array([float(x) for x in found.discounts])
        slopes = np.einsum("s,sa,sl,jl->saj", gamma, found.target.to_float(), asked, found.features.to_float())
        values = slopes + found.behaviour.to_float()[:, :, None] * found.walk.proposed(c, slopes)
        laws = tuple(
            tuple(row.extreme([F(float(x)) for x in v]) for row, v in zip(rows, of_state, strict=True))
            for rows, of_state in zip(found.rows, values, strict=True)
        )
        keys = behaviour_matrices(found.model_of(laws), tuple(range(found.n)))
        value = (W.T @ keys.A).trace()
        assert 0 <= found.ends(W)[1] - value < F(1, 10**6)
