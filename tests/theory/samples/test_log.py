"""Logs of every kind give the set that their arrays give; what is not whole is refused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tdcert

DECLARED: dict[str, Any] = {"n_actions": 2, "delta": 0.05, "discount": 0.9, "behaviour": "uniform"}
ARRAYS: dict[str, Any] = {
    "states": [0, 0, 1, 1, 1],
    "actions": [0, 1, 0, 0, 1],
    "rewards": [0.0, 2.0, 5.0, 0.0, 4.0],
    "next_states": [0, 1, 2, 1, 0],
    "terminated": [False, False, True, False, False],
    "truncated": [False, False, False, False, True],
}
EPISODES: list[dict[str, Any]] = [
    {
        "observations": [0, 0, 1, 2],
        "actions": [0, 1, 0],
        "rewards": [0, 2, 5],
        "terminations": [False, False, True],
        "truncations": [False] * 3,
    },
    {
        "observations": np.array([1, 1, 0]),
        "actions": np.array([0, 1]),
        "rewards": np.array([0.0, 4.0]),
        "terminations": np.array([False, False]),
        "truncations": np.array([False, True]),
    },
]


class Frame:
    """What is used of a data frame: pandas is not among the dependencies of the tests."""

    columns = tuple(ARRAYS)

    def __contains__(self, name: str) -> bool:
        return name in ARRAYS

    def __getitem__(self, name: str) -> Any:
        return np.array(ARRAYS[name])


def same(one: Any, other: Any) -> bool:
    keys = ("rows", "rewards", "behaviour", "target", "features", "terminal")
    return all(getattr(one, key) == getattr(other, key) for key in keys)


def test_arrays_columns_and_episodes_give_the_same_set() -> None:
    arrays = tdcert.from_transitions(**ARRAYS, n_states=3, terminal="end", **DECLARED)
    for given in (ARRAYS, Frame()):
        assert same(tdcert.from_transitions(given, n_states=3, terminal="end", **DECLARED), arrays)
    for episodes in (EPISODES, iter(EPISODES), [SimpleNamespace(**episode) for episode in EPISODES]):
        assert same(tdcert.from_transitions(episodes, n_states=3, **DECLARED), arrays)
    assert arrays.terminal == (3,) and arrays.rows[1][0].counts == (0, 1, 0, 1)


def test_terminal_states_that_are_named_keep_their_numbers() -> None:
    arrays = tdcert.from_transitions(**ARRAYS, n_states=3, terminal=[2], **DECLARED)
    assert same(tdcert.from_transitions(EPISODES, n_states=3, terminal=[2], **DECLARED), arrays)
    assert arrays.n == 3 and arrays.rows[1][0].counts == (0, 1, 1)


def test_observations_of_episodes_are_discretised_and_then_aggregated() -> None:
    wide = [{**part, "observations": [[x + 0.25] for x in part["observations"]]} for part in EPISODES]
    boxed = tdcert.from_transitions(wide, discretise=[[1, 2]], **DECLARED)
    plain = tdcert.from_transitions(EPISODES, n_states=3, **DECLARED)
    assert same(boxed, plain) and plain.markov and not boxed.markov


def without(name: str) -> list[dict[str, Any]]:
    return [{key: value for key, value in EPISODES[0].items() if key != name}]


@pytest.mark.parametrize(
    ("log", "given", "said"),
    [
        (without("actions"), {}, "episode 0 is a dict without a list of actions"),
        ([{**EPISODES[0], "observations": [0, 0, 1]}], {}, "3 actions and 3 observations; give one observation more"),
        (
            [{**EPISODES[0], "terminations": [False] * 3}, EPISODES[1]],
            {},
            "episode 0 is neither terminated nor truncated",
        ),
        ([{**EPISODES[0], "truncations": [True, False, False]}], {}, "goes on after a step that is terminated or"),
        ([{**EPISODES[0], "observations": [0, 0, 1, 0.5]}], {}, "whole number from 0 to 2"),
        ([{**EPISODES[0], "observations": [0, 0, 1, 3]}], {}, "whole number from 0 to 2"),
        ([], {}, "the log has no transition"),
        (EPISODES, {"n_states": None}, "n_states is not given"),
        (EPISODES, {"terminated": [True] * 5}, "terminated is given beside a log"),
        (ARRAYS, {"discretise": [[1]]}, "discretise is given beside numbers of states"),
        ({"states": [0]}, {}, "the columns have no 'actions'"),
        ("log.csv", {}, r"the transitions 'log.csv' cannot be read \(No such file or directory\)"),
        (3, {}, "states is the number '3'; give arrays"),
        (ARRAYS, {"delta": None}, "delta is not given; declare it before the data are seen"),
        (ARRAYS, {"n_actions": None}, "n_actions is not given"),
        ({**ARRAYS, "next_states": [0, 1, 7, 1, 0]}, {"terminal": "end"}, "next_states holds 7 in transition 2"),
        ({**ARRAYS, "states": [0, 0, 1, 3, 1]}, {"terminal": "end"}, "states holds 3 in transition 3"),
        ({**ARRAYS, "terminated": [True]}, {"terminal": "end"}, "have different lengths"),
    ],
)
def test_a_log_that_is_not_whole_is_refused_in_one_sentence(log: Any, given: dict[str, Any], said: str) -> None:
    with pytest.raises(tdcert.InputError, match=said) as raised:
        tdcert.from_transitions(log, **{"n_states": 3, **DECLARED, **given})
    assert "\n" not in str(raised.value)


def test_discretise_beside_arrays_is_refused() -> None:
    with pytest.raises(tdcert.InputError, match="it is for episodes of observations"):
        tdcert.from_transitions(**ARRAYS, n_states=3, discretise=[[1]], **DECLARED)
