"""Tables of transitions, models that ship, data frames that name states, features of pairs; and what is refused."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import tdcert
from tdcert.theory.files import LoadedModel
from tdcert.theory.files.examples import EXAMPLES
from tdcert.theory.model import gallery
from tests.theory.files.test_python_model import read

F = Fraction
FILES = Path(__file__).parents[3] / "examples"
TABLE: dict[int, Any] = {
    0: {0: [(0.25, 0, 2, False), (0.75, 1, 1, False)], 1: [(1.0, 1, 0, False)]},
    1: {0: [(1.0, 0, 0, False)], 1: [(0.5, 2, 5, True), (0.5, 0, 0, False)]},
    2: {0: [(1.0, 2, 0, True)], 1: [(1.0, 2, 0, True)]},
}
BY_HAND: dict[str, Any] = {
    "P": {"0": [["1/4", "3/4", 0], [1, 0, 0], [1, 0, 0]], "1": [[0, 1, 0], ["1/2", 0, "1/2"], [1, 0, 0]]},
    "rewards": {"0": [[2, 1, 0], [0, 0, 0], [0, 0, 0]], "1": [[0, 0, 0], [0, 0, 5], [0, 0, 0]]},
    "discount": "99/100",
    "terminal": [2],
    "behaviour": "uniform",
}


def refused(*given: Any, **parts: Any) -> str:
    with pytest.raises(tdcert.InputError) as caught:
        tdcert.load_model(*given, **parts)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def theta_star(found: LoadedModel) -> list[Any]:
    return list(tdcert.analyze(found, what="verdict").exact.theta_star)


class WithTable:
    """An environment of one's own, whose table is an attribute and which says no start."""

    def __init__(self, **held: Any) -> None:
        vars(self).update(held)

    def reset(self) -> None: ...

    def step(self, action: int) -> None: ...


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ((TABLE,), {"start": 0}),
        ((), {"P": TABLE, "start": 0}),
        ((), {"P": TABLE, "start": [1, 0, 0]}),
        ((dict(reversed(TABLE.items())),), {"start": {0: 1}}),
        ((SimpleNamespace(P=TABLE, initial_state_distrib=np.array([1.0, 0, 0])),), {}),
        ((WithTable(P=TABLE),), {"start": 0}),
        ((WithTable(P=TABLE, initial_state_distrib=[0, 1, 0]),), {"start": 0}),
    ],
)
def test_a_table_is_the_model_of_its_arrays(given: tuple[Any, ...], parts: dict[str, Any]) -> None:
    found, by_hand = read(*given, **parts), read(**BY_HAND)
    assert found.model.transitions == by_hand.model.transitions
    assert theta_star(found) == theta_star(by_hand)


def test_the_start_is_where_ends_lead() -> None:
    found = read(TABLE, start={0: F(1, 3), 1: F(2, 3)})
    assert found.model.transitions[0].rows[2] == found.model.transitions[1].rows[2] == (F(1, 3), F(2, 3), 0)
    assert read("FrozenLake-v1", start=14).model.transitions[0].rows[5].index(1) == 14
    command = tdcert.analyze("FrozenLake-v1", start=14, what="verdict")["reproduce"]
    assert command is None  # no command says where to start
    endless = {s: {0: [(1, 1 - s, s, False)]} for s in (0, 1)} | {2: {0: [(1, 0, 0, False)]}}
    assert read(endless, discount=0.9).model.n == 3


def test_states_and_actions_by_name() -> None:
    named = {
        "A": {"on": [(1, "B", 0, False)], "stay": [(1, "A", 0, False)]},
        "B": {"on": [(F(1, 3), "A", 0, False), (F(2, 3), "end", 1, True)], "stay": [(1, "B", 0, False)]},
        "end": {"on": [(1, "end", 0, True)], "stay": [(1, "end", 0, True)]},
    }
    found = read(named, start="A")
    assert found.state_names == ("A", "B", "end") and found.model.actions == ("on", "stay")
    assert found.model.transitions[0].rows == ((0, 1, 0), (F(1, 3), 0, F(2, 3)), (1, 0, 0))
    assert "restart with discount 0: end;" in found.notes[0]


def changed(s: int, a: int, row: Any) -> dict[int, Any]:
    return {**TABLE, s: {**TABLE[s], a: row}}


@pytest.mark.parametrize(
    ("given", "parts", "said"),
    [
        (TABLE, {}, "the table says where episodes end and not where they begin; give start="),
        (TABLE, {"start": 3}, "start is the number '3'; give one of the 3 states"),
        (TABLE, {"start": "A"}, "start is the text 'A'; give one of"),
        (TABLE, {"start": {5: 1}}, "the start leads to state 5, which is not in the table of 3 states"),
        (TABLE, {"start": [0.5, 0.25, 0]}, "the start law does not sum to exactly one"),
        (TABLE, {"start": [0]}, "over the states of the table; give one of the 3 states of the table, a law over them"),
        (TABLE, {"start": [0, 0, 0, 1]}, "the start law does not sum to exactly one"),
        (TABLE, {"start": 0, "rewards": 1}, "rewards is given beside a table of transitions"),
        (changed(0, 1, [(1.0, 7, 0, False)]), {"start": 0}, "action 1 in state 0 leads to state 7"),
        (changed(0, 1, [(0.5, 1, 0, False)]), {"start": 0}, "action 1 in state 0 sum to 1/2"),
        (changed(0, 1, [(F(-1, 2), 1, 0, False)]), {"start": 0}, "the probability -1/2"),
        (changed(0, 1, 3), {"start": 0}, "not in the toy-text form"),
        ({**TABLE, 1: {0: [(1, 0, 0, False)]}}, {"start": 0}, "state 1 has 1 actions, state 0 has 2"),
        (SimpleNamespace(P=TABLE), {}, "P, which has no initial_state_distrib beside it, says where episodes end"),
        (WithTable(), {}, "tdcert.sample(env, steps=…) for verdicts from transitions"),
        (WithTable(P=TABLE), {}, "has a transition table P and no start law initial_state_distrib; give start="),
        (WithTable(), {}, "has no transition table P; give a toy-text one"),
        ("example:baird", {"start": 0}, "start is given beside 'example:baird'"),
        (None, {**BY_HAND, "start": 0}, "start is for a table of transitions"),
    ],
)
def test_what_is_refused(given: Any, parts: dict[str, Any], said: str) -> None:
    assert said in refused(given, **parts)


# ---- models that ship -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["boyan_chain", "random_walk_5", "two_state_theta_2theta"])
def test_examples_are_the_files(name: str) -> None:
    assert tdcert.example(name).model.digest == read(FILES / f"{name}.json").model.digest


def test_every_model_of_the_gallery_has_a_name() -> None:
    made = [x for x, f in vars(gallery).items() if getattr(f, "__module__", "") == gallery.__name__ and x[0] != "_"]
    assert len(EXAMPLES) == len([name for name in made if callable(getattr(gallery, name))])
    for name, make in EXAMPLES.items():
        assert tdcert.example(name).model.digest == make().digest
        assert tdcert.example(name).source == f"example:{name}"
        assert tdcert.example(name).model.name == make().name != ""
    assert tdcert.example("baird").model.digest == gallery.bairds_star(F(9, 10)).digest
    assert read("example:baird", discount="1/2").model.digest == gallery.bairds_star(F(1, 2)).digest


def test_unknown_examples() -> None:
    assert refused("example:bairds_star") == "there is no example 'bairds_star'; did you mean 'baird'?"
    assert "the examples are baird, baird_full_rank, boyan_chain" in refused("example:zzz")
    with pytest.raises(tdcert.InputError, match="the example is the number '3'; give a name"):
        tdcert.example(3)  # type: ignore[arg-type]


# ---- data frames ----------------------------------------------------------------------------------


class Index(list[Any]):
    def tolist(self) -> list[Any]:
        return list(self)


class Frame:
    """What is used of a pandas data frame or series: pandas is not among the dependencies of the tests."""

    def __init__(self, values: Any, index: Any, columns: Any = None) -> None:
        self.values, self.index = np.array(values), Index(index)
        if columns is not None:
            self.columns = Index(columns)

    def to_numpy(self) -> Any:
        return self.values

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values


ROWS = [[0.5, 0.5, 0], [0, 0, 1], [1, 0, 0]]
ABC = ["a", "b", "c"]


def test_the_index_of_a_data_frame_names_the_states() -> None:
    plain = read(P=ROWS, rewards=[1, 2, 3], discount=0.9, features=[[1], [2], [4]])
    named = read(
        P=Frame(ROWS, ABC, ABC),
        rewards=Frame([3, 1, 2], ["c", "a", "b"]),
        discount=0.9,
        features=Frame([[2], [1], [4]], ["b", "a", "c"], ["size"]),
    )
    assert named.state_names == ("a", "b", "c") and named.model.digest == plain.model.digest
    turned = read(P=Frame(np.array(ROWS)[:, [2, 0, 1]], ABC, ["c", "a", "b"]), rewards=[1, 2, 3], discount=0.9)
    assert turned.model.transitions == plain.model.transitions
    numbered = read(P=Frame(ROWS, range(3), range(3)), rewards=[1, 2, 3], discount=0.9)
    assert numbered.state_names == ("s0", "s1", "s2")
    ends = read(P=Frame(ROWS, ABC, ABC), rewards=[1, 2, 0], discount=0.9, terminal=["c"])
    assert ends.model.discounts[0].rows[2] == (0,)
    assert list(tdcert.analyze(named, what="verdict").state_names) == ABC


def test_functions_and_mappings_are_of_the_names() -> None:
    P = {"left": Frame(ROWS, ABC, ABC), "right": Frame(np.eye(3), ABC, ABC)}
    size, ends = {"a": 1, "b": 2, "c": 4}, {"a": False, "b": False, "c": True}
    policy = [[1, 0], [0.5, 0.5], [0, 1]]
    end = {name: Frame([*np.array(frame.values)[:2], [1, 0, 0]], ABC, ABC) for name, frame in P.items()}
    plain = read(P=end, rewards=0, discount=0.9, features=[1, 2, 0], behaviour=policy, terminal=[2])
    swapped = Frame([[1, 0], [0.5, 0.5], [0, 1]], ["c", "b", "a"], ["right", "left"])
    by_state: list[Any] = [
        swapped,
        lambda s: dict(zip(ABC, policy, strict=True))[s],
        {"c": "right", "b": [0.5, 0.5], "a": "left"},
    ]
    for behaviour in by_state:
        parts: dict[str, Any] = {"features": size.__getitem__, "behaviour": behaviour, "terminal": ends.__getitem__}
        assert read(P=end, rewards=0, discount=0.9, **parts).model.digest == plain.model.digest
    unnamed = {name: frame.values for name, frame in end.items()}
    numbered = Frame(np.array(policy)[:, ::-1], range(3), ["right", "left"])
    named_columns = read(P=unnamed, rewards=0, discount=0.9, features=[1, 2, 0], behaviour=numbered, terminal=[2])
    assert named_columns.model.digest == plain.model.digest
    assert repr(read(P=P["left"], rewards=0, discount=1)) == "<LoadedModel of arrays: 3 states, 1 action, 3 features>"


def test_so_they_are_of_the_names_of_a_table() -> None:
    table = {
        ("up", 1): {"go": [(1, ("up", 2), 0, False)], "stay": [(1, ("up", 1), 0, False)]},
        ("up", 2): {"go": [(1, "end", 1, True)], "stay": [(1, ("up", 1), 0, False)]},
        "end": {"go": [(1, "end", 0, True)], "stay": [(1, "end", 0, True)]},
    }
    place = {("up", 1): 0, ("up", 2): 1, "end": 2}
    start = {"start": ("up", 1), "discount": "1/2"}
    plain = read(table, **start, features=[[1], [3], [0]], behaviour=[0, 1, 0])
    rows = Frame([[3], [0], [1]], [("up", 2), "end", ("up", 1)], ["size"])
    law = Frame([[0, 1], [1, 0], [0, 1]], list(table), ["stay", "go"])
    for features, behaviour in (
        (lambda s: [1, 3, 0][place[s]], lambda s: place[s] % 2),
        (dict(zip(table, [[1], [3], [0]], strict=True)), [0, 1, 0]),
        (rows, dict(zip(table, ["go", "stay", "go"], strict=True))),
        ([1, 3, 0], law),
    ):
        assert read(table, **start, features=features, behaviour=behaviour).model.digest == plain.model.digest
    by_pair = tdcert.state_action(table, lambda s, a: [[1, 3, 0][place[s]] * (a + 1)], **start)
    assert by_pair.features.rows == ((1,), (2,), (3,), (6,), (0,), (0,))
    for parts, said in (
        ({"features": lambda s: s + 1}, "the function given as features fails in state '('up', 1)': TypeError"),
        ({"behaviour": {("up", 1): 0, "end": 1}}, "behaviour has no entry for '('up', 2)'; give one for each state"),
        ({"behaviour": {**place, "top": 1}}, "behaviour has an entry for what is no state, 'top'"),
        (
            {"features": Frame([[1]] * 3, [("up", 1), ("up", 2), "top"], ["size"])},
            "must name the same states, and 'top'",
        ),
    ):
        assert said in refused(table, **start, **parts)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"P": Frame(ROWS, ["a", "b", "b"], ABC)}, "the index of P names 'b' twice"),
        ({"P": Frame(ROWS, ABC, ["a", "b", "d"])}, "the columns of P and that of P must name the same states, and 'd'"),
        ({"P": Frame(ROWS, ABC, range(3))}, "the rows of P are named and its columns are not"),
        (
            {"rewards": Frame([1, 2, 3], ["a", "b", "x"])},
            "the index of rewards and that of P must name the same states",
        ),
        ({"P": ROWS, "rewards": Frame([1, 2, 3], ABC)}, "rewards is indexed by names and P is not"),
        ({"terminal": ["z"]}, "terminal lists the text 'z', which the index of P does not name"),
        ({"P": Frame([[1, 0, 0], [0, 1, 1], [0, 0, 1]], ABC, ABC)}, "row s1 of the transition matrix sums to 2, not"),
        ({"P": Frame([[1, 0, 0], [0, 1, 1], [0, 0, 1]], ABC, ABC)}, " (s1 is b)"),
        ({"terminal": lambda s: s == "c"}, "leaving the terminal state s2 is rewarded; "),
    ],
)
def test_names_that_do_not_fit(parts: dict[str, Any], said: str) -> None:
    assert said in refused(**{"P": Frame(ROWS, ABC, ABC), "rewards": [1, 2, 3], "discount": 0.9, **parts})


# ---- features of pairs ----------------------------------------------------------------------------


def test_pairs_of_an_environment_in_one_call() -> None:
    lake = gymnasium.make("FrozenLake-v1", is_slippery=False)
    pairs = tdcert.state_action(lake, lambda s, a: [1, s, a], discount="9/10")
    rows = [[int(s not in (5, 7, 11, 12, 15)) * x for x in (1, s, a)] for s in range(16) for a in range(4)]
    assert pairs.digest == tdcert.state_action(lake, rows, discount="9/10").digest
    assert pairs.d == 3 and pairs.n == 11 * 4 + 5 * 4
    assert pairs.features.rows[0] == (1, 0, 0) and (1, 6, 3) in pairs.features.rows
    assert (1, 5, 3) not in pairs.features.rows  # a hole
    assert {x for G in pairs.discounts for row in G.rows for x in row} == {0, F(9, 10)}
    cliff = gymnasium.make("CliffWalking-v1")  # rows of dropped states are ignored
    assert tdcert.state_action(cliff, [[s + 1] for s in range(48) for _ in range(4)]).features.rows[-1] == (48,)


def test_features_of_pairs_that_cannot_be_read() -> None:
    for features, said in (
        (lambda s, a: s, "gives numbers; give a list of numbers for each"),
        (lambda s, a: [1 / (s - 2)], "fails in state 2, action 0: ZeroDivisionError"),
        ([1, 2], "features is a list; give"),
        ([[1], [2]], "the features of pairs have shape 2×1"),
    ):
        with pytest.raises(tdcert.InputError, match=said):
            tdcert.state_action(TABLE, features, start=0)
