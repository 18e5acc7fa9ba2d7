"""The algorithms of a λ-schedule by their terms: what is read off a function, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tdcert.algorithms import NAMES, named
from tdcert.algorithms.schedules import PAPER, TITLES, applicable, scheduled, terms_of
from tdcert.algorithms.traces import MEMORY, schedule_trace
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.errors import InputError
from tdcert.theory.laws.schedule_update import ScheduleTerm
from tdcert.theory.model.gallery import HALF, one_state, theta_to_two_theta

F = Fraction
ERROR = {(0, 0, -1, "z", "R", 1), (0, 0, 0, "z", "x", 1)}
OF_W = {(1, 1, -1, "z", "R", 1), (1, 1, 0, "z", "x", 1), (1, 1, 1, "φ", "φ", -1)}
BY_HAND = {
    "td": ERROR,
    "off_policy_td": ERROR,
    "gtd": {(0, 0, 1, "x", "z", -1), *OF_W},
    "tdc": {*ERROR, (0, 0, 1, "x", "z", -1), (0, 0, 1, "φ", "φ", -1), *OF_W},
}
"""(row, step, column, a, b, factor) of the updates as §3 prints them."""


@pytest.mark.parametrize("name", PAPER)
def test_the_terms_of_the_four(name: str) -> None:
    update = scheduled(name)
    assert set(update.terms) == {ScheduleTerm(*term[:5], F(term[5])) for term in BY_HAND[name]}
    assert update.off_policy == (name != "td") and update.title == TITLES[name]
    assert update.certified_as == ("off_policy_td" if name == "td" else name)
    assert update.follows_error == {"gtd": (1,), "tdc": (0, 1)}.get(name, (0,))


def test_which_apply() -> None:
    assert applicable(one_state(HALF)) == ("td", "gtd", "tdc")
    assert applicable(theta_to_two_theta(HALF)) == ("off_policy_td", "gtd", "tdc")


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(PAPER)))
def test_others_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="is not a sum of outer products"):
        terms_of(named(name))
    with pytest.raises(InputError, match=f"there is no algorithm '{name}'"):
        scheduled(name)


Changed = Callable[[Any, Any, Any], Any]


def own(change: Changed) -> Algorithm:
    """TD with another increment, from (t, θ, its trace)."""

    @algorithm(parameters={"theta": "d"}, memory=MEMORY)
    def mine(t: Any, theta: Any, z: Any, e: Any, alpha: Any, *, lambdas: Any = (), tail: Any = ()) -> Any:
        trace, z, e = schedule_trace(t, z, e, lambdas, tail, t.rho)
        return theta + alpha * change(t, theta, trace), z, e

    return mine


def delta(t: Any, theta: Any) -> Any:
    return t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta


def test_an_update_of_ones_own() -> None:
    """Twice the error along z, less φφᵀθ/3."""
    found = terms_of(own(lambda t, theta, z: 2 * delta(t, theta) * z - (t.phi @ theta) * t.phi / 3))
    assert {(term.column, term.a, term.b, term.factor) for term in found.terms} == {
        (-1, "z", "R", F(2)),
        (0, "z", "x", F(2)),
        (0, "φ", "φ", F(-1, 3)),
    }
    assert found.off_policy and found.blocks == found.steps == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda t, theta, z: delta(t, theta) * t.phi,  # φR
        lambda t, theta, z: t.rho * delta(t, theta) * z,  # a ratio too many
        lambda t, theta, z: delta(t, theta) * z / 2 + t.discount * t.reward * z,  # γ without φ'
        lambda t, theta, z: (t.reward + t.phi_next @ theta - t.phi @ theta) * z,  # φ' without γ
        lambda t, theta, z: delta(t, theta) * z + z,  # neither a reward nor a parameter
        lambda t, theta, z: delta(t, theta) * z - theta,  # a ridge: no product of vectors
        lambda t, theta, z: (z @ t.phi) * theta,  # the identity times a number
        lambda t, theta, z: np.array([(t.phi @ theta) * t.phi[0], 0 * t.reward]),  # the first entry alone
        lambda t, theta, z: delta(t, theta) * z if t.reward > 0 else z,
    ],
)
def test_what_is_no_such_sum(change: Changed) -> None:
    with pytest.raises(InputError, match="is not a sum of outer products"):
        terms_of(own(change))
