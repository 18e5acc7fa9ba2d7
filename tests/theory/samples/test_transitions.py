"""Transitions as they are read: what is counted, and one sentence for what is not whole, in order, or declared."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import tdcert
from tdcert.theory.samples.sampled_model import SampledModel

F = Fraction


def read(**parts: Any) -> SampledModel:
    """Two episodes of three states, the last of them terminal; the second is cut."""
    given: dict[str, Any] = {
        "states": [0, 0, 1, 1, 1],
        "actions": [0, 1, 0, 0, 1],
        "rewards": [0, 2, 5, 0, 4],
        "next_states": [0, 1, 2, 1, 0],
        "terminated": [False, False, True, False, False],
        "truncated": [False] * 5,
        "terminal": [2],
        "n_states": 3,
        "n_actions": 2,
        "delta": 0.05,
        "discount": 0.9,
        "behaviour": "uniform",
        **parts,
    }
    return tdcert.from_transitions(**given)


def test_rows_are_counted_and_the_start_after_an_end_alone() -> None:
    found = read()
    assert [[row.counts for row in rows] for rows in found.rows] == [
        [(1, 0, 0), (0, 1, 0)],
        [(0, 1, 1), (1, 0, 0)],
        [(0, 1, 0), (0, 1, 0)],
    ]
    assert found.rewards.rows == ((0, 2), (F(5, 2), 4), (0, 0))
    assert found.features.rows == ((1, 0), (0, 1), (0, 0)) and found.discounts == (F(9, 10), F(9, 10), 0)
    assert found.rows[2][0].possible == (0, 1) and read(start=[1]).rows[2][0].bounds[1] == (1, 1)


def test_a_reset_after_a_cut_is_no_transition_and_the_draw_before_it_counts() -> None:
    cut = read(
        states=[0, 0, 1, 0, 1],
        truncated=[False, False, False, True, False],
        terminated=[0, 0, 1, 0, 0],
        actions=[0, 1, 0, 0, 1],
        next_states=[0, 1, 2, 0, 0],
    )
    assert cut.rows[0][0].counts == (2, 0, 0) and cut.rows[2][0].counts == (1, 0, 0)


def test_arrays_of_numpy_and_lists_are_the_same() -> None:
    arrays = read(states=np.array([0, 0, 1, 1, 1]), rewards=np.array([0.0, 2, 5, 0, 4]))
    assert arrays.rows == read().rows and arrays.rewards == read().rewards


def test_the_set_does_not_depend_on_the_order_of_whole_episodes() -> None:
    """The mixture is the same in every order; only starts are drawn between episodes."""
    first = read(states=[0, 1], actions=[1, 0], rewards=None, next_states=[1, 2], terminated=[0, 1], truncated=None)
    assert first.rows[0][1].counts == (0, 1, 0) and first.rows[2][0].n == 0


ENDLESS: dict[str, Any] = {"terminal": None, "terminated": None, "next_states": [0, 1, 1, 1, 0]}


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"states": [0, 0, 1, 1]}, "have different lengths"),
        ({"states": [0, 0, 1, 1, 3]}, "states holds 3 in transition 4; the numbers go from 0 to 2"),
        ({"actions": [0, 1, 0, -1, 1]}, "actions holds -1 in transition 3"),
        ({"next_states": [0, 1, 2, 0, 0]}, "transition 3 ends in state 0, and transition 4 begins in state 1"),
        ({"terminated": [False] * 5}, "transition 2 leads to a terminal state, and is not terminated"),
        ({"terminal": None}, "transition 2 is terminated, and its next state is not terminal; name it in terminal"),
        ({"states": [0, 0, 1, 2, 1], "next_states": [0, 1, 2, 1, 0]}, "transition 3 leaves a terminal state"),
        ({"terminated": [0, 0, 2, 0, 0]}, "give True or False for each transition"),
        ({"rewards": [0, 1, 2, 3, float("nan")]}, "rewards"),
        ({"states": [[0, 0, 1, 1, 1]]}, "give a list of whole numbers"),
        ({"states": [0, 0, 1, 1, 0.5]}, "give a whole number"),
        ({"states": []}, "give a list of whole numbers, one for each transition"),
        ({"delta": 0}, "delta is 0; give a probability above 0 and below 1"),
        ({"delta": 2}, "delta is '2'; give a number from 0 to 1"),
        ({"n_states": 0}, "n_states is 0; give 1 or more"),
        ({"markov": "yes"}, "give True or False"),
        ({"possible": lambda s, a: [0]}, "after action 1 in state 0, state 1 came next, which was declared impossible"),
        ({"possible": {(0, 0): [0]}}, r"possible has no entry for \(state, action\) = \(0, 1\)"),
        ({"possible": 3}, "give a function of state and action"),
        ({"possible": lambda s, a: [5]}, "possible for state 0 and action 0 must name states from 0 to 2"),
        ({**ENDLESS, "start": [0]}, "start is given, and no state is terminal"),
        ({"start": [2]}, "start names the terminal state 2"),
        ({"start": [0]}, "where an episode began, state 1 came next, which was declared impossible"),
        ({"behaviour": [0, 0, 0], "target": "uniform"}, "takes action 1 in state 0, the behaviour policy never does"),
        ({"discount": 2}, "discount is '2'"),
        ({"policy": "uniform"}, "from_transitions has no argument 'policy'"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(parts: dict[str, Any], said: str) -> None:
    with pytest.raises(tdcert.InputError, match=said) as raised:
        read(**parts)
    assert "\n" not in str(raised.value)
