"""Random models: valid, rational, reproducible from their seed, and of the kind that was asked for."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tdcert.sims import random_models as rm
from tdcert.sims.streams import generator
from tdcert.theory.errors import InputError
from tdcert.theory.model.chain import Chain


def test_garnet_has_the_branching_asked_for() -> None:
    transitions = rm.garnet(generator(0, "garnet"), 9, 3, 4)
    assert len(transitions) == 3
    assert all(len(after) == 4 for P in transitions for after in Chain(P).successors)
    with pytest.raises(InputError, match="branching 10"):
        rm.garnet(generator(0, "garnet"), 9, 3, 10)


def test_uniform_mdp_of_the_paper() -> None:
    model, start = rm.uniform_mdp(generator(0, "A5.1"), 20, 5)
    assert model.n == model.d == 20 and len(model.actions) == 5 and model.is_on_policy
    assert model.gamma == Fraction(19, 20) and sum(start) == 1
    assert all(entry > 0 for P in model.transitions for row in P.rows for entry in row)
    assert all(0 <= entry <= 1 for R in model.rewards for row in R.rows for entry in row)


@pytest.mark.parametrize(("kind", "d", "rank"), [("random", 3, 3), ("one_hot", 6, 6), ("aggregated", 4, 4)])
def test_features_of_full_rank(kind: str, d: int, rank: int) -> None:
    for seed in range(20):
        phi = rm.features(generator(seed, kind), 6, d, kind)
        assert phi.shape == (6, d) and phi.rank == rank


def test_features_of_deficient_rank() -> None:
    assert all(rm.features(generator(seed, "deficient"), 6, 3, "deficient").rank < 3 for seed in range(20))


def test_features_that_cannot_exist_are_refused() -> None:
    for n, d, kind in ((3, 4, "random"), (3, 2, "one_hot"), (3, 2, "unknown")):
        with pytest.raises(InputError):
            rm.features(generator(0, "x"), n, d, kind)


def test_policies_with_and_without_coverage() -> None:
    for seed in range(10):
        rng = generator(seed, "policies")
        assert not rm.random_model(rng, 4, 2, 1, actions=3).uncovered
        assert rm.random_model(rng, 4, 2, 1, actions=3, coverage=False).uncovered
        assert rm.random_model(rng, 4, 2, 1, on_policy=True).is_on_policy
    with pytest.raises(InputError, match="at least two"):
        rm.uncovered_policies(generator(0, "one"), 3, 1)


def test_random_models_are_irreducible_and_reproducible() -> None:
    one, two, other = (rm.random_model(generator(s, "model"), 6, 3, 2, branching=1) for s in (1, 1, 2))
    assert one.digest == two.digest != other.digest
    assert one.behaviour_chain.is_irreducible and one.schedule.length == 2


def test_discounts_per_transition_include_restarts() -> None:
    model = rm.random_model(generator(0, "episodes"), 5, 2, 1, gamma=None)
    assert model.gamma is None
    assert any(entry == 0 for G in model.discounts for row in G.rows for entry in row)
