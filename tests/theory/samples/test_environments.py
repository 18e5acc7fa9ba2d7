"""Rollouts of environments whose exact model is known: what is said of their sets is true of it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import gymnasium
import pytest

import tdcert
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_dynamics import td_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.samples.sampled_model import SampledModel

F = Fraction
CARDS = {card: F(4 if card == 10 else 1, 13) for card in range(1, 11)}
END = 36
"""Blackjack without the dealer's card: the hand's total 4 … 21, 18 more with a usable ace."""


def drawn(total: int, ace: int, card: int) -> tuple[int, int]:
    """The hand after a card: an ace counts eleven while that does not bust."""
    total, ace = (total + 11, 1) if card == 1 and not ace and total <= 10 else (total + card, ace)
    return (total - 10, 0) if total > 21 and ace else (total, ace)


def state(total: int, ace: int) -> int:
    return END if total > 21 else 18 * ace + total - 4


def hand(s: int) -> tuple[int, int]:
    return s % 18 + 4, s // 18


@cache
def dealer(total: int, ace: int) -> dict[int, Fraction]:
    """The law of the dealer's last total, 0 for a bust: cards are drawn below 17."""
    if total >= 17:
        return {total if total <= 21 else 0: F(1)}
    law: dict[int, Fraction] = {}
    for card, p in CARDS.items():
        for end, q in dealer(*drawn(total, ace, card)).items():
            law[end] = law.get(end, F(0)) + p * q
    return law


def dealt() -> dict[tuple[int, int], Fraction]:
    law: dict[tuple[int, int], Fraction] = {}
    for first, p in CARDS.items():
        for second, q in CARDS.items():
            two = drawn(*drawn(0, 0, first), second)
            law[two] = law.get(two, F(0)) + p * q
    return law


def blackjack(found: SampledModel) -> tuple[Model, tuple[RationalMatrix, ...]]:
    """The exact model with the policies and features of a set, and its mean rewards: both by hand."""
    stick: dict[int, Fraction] = {}
    for two, p in dealt().items():
        for end, q in dealer(*two).items():
            stick[end] = stick.get(end, F(0)) + p * q
    laws, rewards = [], []
    for s in range(END):
        total, ace = hand(s)
        hit, lost = [F(0)] * (END + 1), F(0)
        for card, p in CARDS.items():
            hit[state(*drawn(total, ace, card))] += p
        lost = hit[END]
        won = sum((p * ((total > end) - (total < end)) for end, p in stick.items()), start=F(0))
        laws.append((tuple(F(int(j == END)) for j in range(END + 1)), tuple(hit)))
        rewards.append([won, -lost])
    start = [F(0)] * (END + 1)
    for two, p in dealt().items():
        start[state(*two)] += p
    laws.append((tuple(start),) * 2)
    exact = found.model_of(tuple(laws))
    columns = tuple(RationalMatrix.column([*(row[a] for row in rewards), F(0)]) for a in range(2))
    assert found.contains(tuple(laws))
    return exact, columns


def possible(s: int, a: int) -> set[int]:
    return {state(*drawn(*hand(s), card)) for card in CARDS} if a else {END}


@cache
def rolled_out() -> Any:
    world = gymnasium.make("Blackjack-v1", sab=False)
    seen = lambda x: 18 * int(x[2]) + min(int(x[0]), 21) - 4  # noqa: E731
    return tdcert.sample(world, "uniform", steps=50_000, seed=0, discretise=seen, n_states=END)


def given(target: Any, **more: Any) -> SampledModel:
    features = [[1, F(hand(s)[0] - 13, 4), hand(s)[1]] for s in range(END)]
    declared: dict[str, Any] = {"delta": 0.05, "discount": 1, "possible": possible, "reward_range": [-1, 1], **more}
    return tdcert.from_transitions(rolled_out(), markov=True, features=features, target=target, **declared)


@pytest.mark.thorough
@pytest.mark.parametrize("schedule", [None, "n_step:2"])
def test_blackjack_agrees_with_the_exact_model(schedule: Any) -> None:
    """The dealer's card says nothing of the player's next card, so that hands alone are Markov; off-policy, "hit below
    17" from an even behaviour.
    """
    found = given([[int(hand(s)[0] >= 17), int(hand(s)[0] < 17)] for s in range(END)], schedule=schedule)
    assert not found.markov_refuted
    verdicts, ranges = tdcert.confident_verdicts(found), tdcert.confident_ranges(found)
    exact, rewards = blackjack(found)
    (states,) = exact.behaviour_chain.recurrent_classes
    said = td_dynamics(exact, states).mean_dynamics
    assert verdicts["TD"].answer is said is MeanDynamics.STABLE
    assert verdicts["GTD"].answer is verdicts["TDC"].answer is MeanDynamics.STABLE
    keys = behaviour_matrices(replace(exact, rewards=rewards), states)
    assert keys.A.is_regular and ranges.theta_star is not None
    for (low, high), x in zip(ranges.theta_star, keys.theta_star.column_entries(), strict=True):
        assert low <= x <= high


@pytest.mark.thorough
def test_a_frozen_lake_agrees_with_its_table() -> None:
    """Gymnasium's own table, read exactly, is in the set of a rollout, and its verdict is that of the set."""
    exact = tdcert.load_model("FrozenLake-v1", discount=0.9, behaviour="uniform").model
    assert isinstance(exact, Model)
    ends = [5, 7, 11, 12, 15]

    def neighbours(s: int, a: int) -> set[int]:
        row, column = divmod(s, 4)
        moves = ((0, 1), (1, 0), (0, -1), (-1, 0))
        return {4 * min(max(row + i, 0), 3) + min(max(column + j, 0), 3) for i, j in moves}

    log = tdcert.sample("FrozenLake-v1", "uniform", steps=60_000, seed=0, terminal=ends)
    declared: dict[str, Any] = {"start": [0], "possible": neighbours, "reward_range": [0, 1]}
    features = [[1, s // 4, s % 4] for s in range(16)]
    found = tdcert.from_transitions(log, delta=0.05, discount=0.9, features=features, **declared)
    laws = tuple(zip(*(P.rows for P in exact.transitions), strict=True))
    assert found.contains(laws) and not found.markov_refuted
    assert tdcert.confident_verdicts(found)["TD"].answer is MeanDynamics.STABLE
    ranges = tdcert.confident_ranges(found)
    (states,) = exact.behaviour_chain.recurrent_classes
    keys = behaviour_matrices(exact.with_features(found.features), states)
    assert ranges.theta_star is not None
    for (low, high), x in zip(ranges.theta_star, keys.theta_star.column_entries(), strict=True):
        assert low <= x <= high


@pytest.mark.thorough
def test_cart_pole_in_boxes_is_answered_under_an_assumption_that_the_data_refute() -> None:
    edges = [[], [], [-0.05, 0.05], [-0.5, 0.5]]
    log = tdcert.sample("CartPole-v1", "uniform", steps=60_000, seed=0, discretise=edges)
    features = [[1, s // 3 - 1, s % 3 - 1] for s in range(9)]
    found = tdcert.from_transitions(log, delta=0.05, discount=0.95, features=features, target=[[0.45, 0.55]] * 9)
    said = tdcert.confident_verdicts(found)["TD"]
    assert said.answer is MeanDynamics.STABLE and said.grade == ""
    assert "if these states are Markov (which the data refute):" in said.sentence
