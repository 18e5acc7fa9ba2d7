"""Mean square at a constant step by floats with bounded roundings, for updates that are not those of the paper."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tdcert.algorithms import named
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.engine.jumps import moments_along
from tdcert.theory.engine.second_moments import at_constant_step, mean_square_sign
from tdcert.theory.model.gallery import theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.abilities_model import two_policies

F = Fraction
WORK = 2_000_000


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def to_reward(t: Any, theta: Any, alpha: Any) -> Any:
    """Draws parameters to the features, whatever they predict."""
    return theta + alpha * (t.reward * t.phi - theta)


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def normalised(t: Any, theta: Any, alpha: Any) -> Any:
    """Predicts rewards, each increment over the square of the feature vector."""
    return theta + alpha * (t.reward - t.phi @ theta) * t.phi / (t.phi @ t.phi)


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def towards_expected(t: Any, theta: Any, alpha: Any) -> Any:
    """Predicts rewards at the next state of the target policy, of which the class may know nothing."""
    return theta + alpha * (t.reward - t.expected_phi_next @ theta) * t.expected_phi_next


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def apart(t: Any, theta: Any, alpha: Any) -> Any:
    """Moves the first parameter alone."""
    new = alpha * (t.reward * t.phi - theta)
    return theta + [x if k == 0 else 0 * x for k, x in enumerate(new)]


@algorithm(parameters={"theta": "d"}, memory={"z": "d"}, steps=("alpha",))
def traced_td(t: Any, theta: Any, z: Any, alpha: Any) -> Any:
    """TD(1/2) with a trace of its own, whatever the schedule of the model."""
    z = t.phi + t.discount * z / 2
    return theta + alpha * (t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta) * z, z


@algorithm(parameters={"u": ()}, memory={"z": "d"}, steps=("alpha",))
def by_size(t: Any, u: Any, z: Any, alpha: Any) -> Any:
    """One number that is multiplied by 1 − αφᵀz with an accumulating trace z."""
    z = t.phi + t.discount * z
    return u - alpha * (t.phi @ z) * u, z


def one_state(row: list[int]) -> Model:
    one = RationalMatrix([[F(1)]])
    return Model.reward_process(one, one, F(9, 10), RationalMatrix([[F(x) for x in row]]))


def sign_of(model: Model, update: Algorithm, alpha: Fraction) -> int | None:
    return mean_square_sign(model, update, alpha, [F(1)], range(model.n), WORK)[0]


@pytest.mark.parametrize("update", [to_reward, normalised])
@pytest.mark.parametrize(("alpha", "sign"), [(F(3, 2), -1), (F(5, 2), 1)])
def test_a_feature_given_twice_changes_no_sign(update: Algorithm, alpha: Fraction, sign: int) -> None:
    """On one state each multiplies θ₁ + θ₂ by 1 − α, which is small exactly up to α = 2."""
    assert sign_of(one_state([1, 1]), update, alpha) == sign_of(one_state([1]), update, alpha) == sign


def test_features_that_are_only_expected_are_seen() -> None:
    """The target policy goes where the behaviour policy does not: φ is zero there, and θ is multiplied by 1 − α."""
    stay, go, zero = [F(1), F(0)], [F(0), F(1)], RationalMatrix.column([F(0), F(0)])
    P = tuple(RationalMatrix([row, row]) for row in (stay, go))
    discounts, features = (P[0].scaled(F(1, 2)),) * 2, RationalMatrix.column([F(0), F(1)])
    model = Model(("stay", "go"), P, (zero, zero), discounts, P[0], P[1], features, Schedule())
    assert mean_square_sign(model, towards_expected, F(3, 2), [F(1)], (0,), WORK) == (-1, "")
    assert mean_square_sign(model, towards_expected, F(5, 2), [F(1)], (0,), WORK) == (1, "")


def test_what_is_taken_apart_is_not_reduced() -> None:
    """θ₂ stays as it is, and θ₁ + θ₂ with it: differences do not die out."""
    assert sign_of(one_state([1, 1]), apart, F(1, 2)) is None
    assert sign_of(one_state([1]), apart, F(1, 2)) == -1


def test_where_windows_are_too_many_bounds_of_the_memory_tell() -> None:
    """Bounded: small steps are safe, and 2 is beyond the safe one; growing along a cycle: no step is."""
    bounded, growing = two_policies(F(1, 2), Schedule()), theta_to_two_theta(F(9, 10))
    for model, alpha, sign in ((bounded, F(1, 100), -1), (bounded, F(2), None), (growing, F(1, 100), 1)):
        states = tuple(range(model.n))
        assert at_constant_step(model, named("etd"), states, [F(1)], alpha, 8, bounded=1000).mean_square == sign


@pytest.mark.parametrize("schedule", [Schedule(), Schedule.constant(F(1, 2), 2), Schedule.constant(F(1, 2))])
@pytest.mark.parametrize("alpha", [F(1, 20), F(4)])
def test_the_memory_of_the_update_counts_and_not_the_schedule(schedule: Schedule, alpha: Fraction) -> None:
    """Both updates leave the model's schedule unread, so that their signs are those under any other one."""
    model = two_policies(F(1, 2), schedule)
    plain = at_constant_step(model, normalised, range(model.n), [F(1)], alpha, 10_000).mean_square
    assert sign_of(model, normalised, alpha) == plain is not None
    assert sign_of(model, traced_td, alpha) == (-1 if alpha < 1 else 1)


def test_one_number_beside_longer_features_is_off_by_what_its_trace_is() -> None:
    """Two states in turn: φᵀz grows to 100/19 = 1 + γ² + γ⁴ + …, the nodes of a coarse grid stay below it, and at the
    step 2/5 the size of 1 − αφᵀz is 21/19 there.
    """
    P = RationalMatrix([[F(0), F(1)], [F(1), F(0)]])
    model = Model.reward_process(P, RationalMatrix.column([0, 0]), F(9, 10), P.identity(2))
    moments = moments_along(model, by_size, [F(1)], (0, 1), WORK, spacing=0.25)
    assert all(abs(K + 100 / 19) <= off for K, off in zip(moments.K[-2:].ravel(), moments.off[-2:], strict=True))
    assert sign_of(model, by_size, F(2, 5)) == 1
    assert sign_of(model, by_size, F(1, 3)) == -1
