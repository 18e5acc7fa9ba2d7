"""Where one parameter can get to: every path of a few steps, and paths that stay or leave."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import pytest

from tdcert.claims.bounds import LinearTD, fast_chain, slow_chain
from tdcert.claims.brs18.projected import Projected
from tdcert.theory.arithmetic.ball import exact_value
from tdcert.theory.errors import InputError
from tdcert.theory.laws.reach import largest_value
from tdcert.theory.model.gallery import HALF, fair_coin_chain, flip_chain, one_state
from tdcert.theory.model.mdp import Model

F = Fraction


@pytest.mark.parametrize(
    "model", [fast_chain(), slow_chain(), fair_coin_chain(HALF), flip_chain(HALF)], ids=lambda m: m.name
)
def test_the_largest_value_is_that_of_all_paths(model: Model) -> None:
    td, steps = LinearTD(model), [F(3), F(2), F(2), F(3)]
    affine = {(h, g): (K[0, 0], K[0, 1]) for h, g, _, K in td.moves}
    largest = F(0)
    for states in product((0, 1), repeat=len(steps) + 1):
        theta = F(0)
        for alpha, move in zip(steps, pairwise(states), strict=True):
            if move not in affine:
                break
            K, k = affine[move]
            theta += alpha * (K * theta + k)
            largest = max(largest, abs(theta))
    found = largest_value(td.moves, (0, 1), F(0), steps)
    assert abs(exact_value(found.mid()) - largest) <= exact_value(found.rad()) < F(1, 10**30)


def test_radii_do_not_grow_where_the_update_contracts() -> None:
    """One state, γ = ½: θ' = θ + α(1 − θ/2) stays below 2, after 20,000 updates too."""
    td = LinearTD(one_state(HALF))
    found = largest_value(td.moves, (0,), F(0), [F(1, 7)] * 20_000)
    assert found < 2 + 1e-9 and found.rad() < 1e-30


def test_the_radius_of_the_draft_is_left_on_the_slow_pair_alone() -> None:
    for model, leaves in ((fast_chain(), False), (slow_chain(), True)):
        of = Projected.of(model)
        assert (of.td.largest(of.decreasing(200)) > of.printed_radius) is leaves
    R = Projected.of(fast_chain()).printed_radius
    square = F(4) / (F(5, 8) * F(3, 4) * F(1, 4))
    assert square <= R * R < square * F(1001, 1000)


def test_several_features_are_refused() -> None:
    td = LinearTD(flip_chain(HALF, features=((1, 0), (0, 1))))
    with pytest.raises(InputError, match="one feature"):
        largest_value(td.moves, (0, 1), F(0), [F(1)])
