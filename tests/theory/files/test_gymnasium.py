"""Toy-text environments: exact tables, restarts, dropped states, and what is refused."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import pytest

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.files import LoadedModel, Overrides, load_model
from tdcert.theory.model.key_matrices import value_function
from tdcert.theory.model.schedule import Schedule

EXAMPLES = Path(__file__).parents[3] / "examples"
THIRD = Fraction(1, 3)
CI = (pytest.mark.thorough,)


def environment(name: str, **overrides: Any) -> LoadedModel:
    return load_model(f"gymnasium:{name}", Overrides(**overrides))


def refusal(source: str, **overrides: Any) -> str:
    with pytest.raises(InputError) as caught:
        load_model(source, Overrides(**overrides))
    message = str(caught.value)
    assert message.isprintable() and len(message) < 700
    return message


# States: FrozenLake 4·4 and 8·8, all reached. CliffWalking 48 less 10 cells of the cliff, which send
# the walker back to the start at once. Taxi: 25 places × 4 destinations × 4 (the passenger
# waits at one of 3 other stands, or is aboard) = 400, and the 4 states in which the passenger is delivered.
SIZES = [
    ("FrozenLake-v1", 16, 5),
    ("FrozenLake8x8-v1", 64, 11),
    ("CliffWalking-v1", 38, 1),
    pytest.param("Taxi-v4", 404, 4, marks=pytest.mark.thorough),
]


@pytest.mark.parametrize(("name", "states", "terminal"), SIZES)
def test_every_state_that_can_be_reached_is_kept(name: str, states: int, terminal: int) -> None:
    loaded = environment(name)
    model = loaded.model
    assert model.n == len(loaded.state_names) == states
    assert model.behaviour_chain.recurrent_classes == (tuple(range(states)),)
    ends = [s for s in range(states) if model.discounts[0][s, 0] == 0]
    assert len(ends) == terminal
    for P, R, G in zip(model.transitions, model.rewards, model.discounts, strict=True):
        assert model.discounts[0] == G and set(G.column_entries()) == {Fraction(0), Fraction(99, 100)}
        for s in ends:  # leaving a terminal state: the same start law whatever the action, and no reward
            assert P.rows[s] == model.transitions[0].rows[ends[0]]
            assert all(reward == 0 for reward in R.rows[s])
    assert value_function(model).take(rows=ends).is_zero()


def test_defaults_are_named() -> None:
    loaded = environment("FrozenLake-v1")
    assert loaded.defaults_used == [
        "discount = 0.99",
        'schedule = {"n_step": 1}',
        'features = "tabular"',
        'behaviour = "uniform"',
        "target = behaviour",
    ]
    assert loaded.source == "gymnasium:FrozenLake-v1" and loaded.model.name == "FrozenLake-v1"
    options = {"discount": "1/2", "schedule": "n_step:2", "features": "tabular", "policy": "uniform"}
    given = environment("FrozenLake-v1", **options)
    assert given.defaults_used == ["target = behaviour"]
    assert given.model.schedule == Schedule.n_step(2)
    assert given.model.behaviour == RationalMatrix([[Fraction(1, 4)] * 4] * 16)


def test_frozen_lake_rows() -> None:
    """On ice one goes where one wants, or to either side, each with 1/3. Left from the upper left corner:
    against the wall (left, up) twice, down once. Right from s14: into the goal s15 with 1/3, and only that is
    rewarded."""
    loaded = environment("FrozenLake-v1")
    model = loaded.model
    assert model.actions == ("left", "down", "right", "up")
    assert model.transitions[0].rows[0] == (2 * THIRD, 0, 0, 0, THIRD, *[0] * 11)
    right = model.actions.index("right")
    from_14 = {j: p for j, p in enumerate(model.transitions[right].rows[14]) if p}
    assert from_14 == {10: THIRD, 14: THIRD, 15: THIRD}
    assert [(i, j) for i in range(16) for j in range(16) if model.rewards[right][i, j]] == [(14, 15)]
    assert model.transitions[right].rows[15] == (1, *[0] * 15)


@pytest.mark.thorough
def test_recognised_numbers_are_counted() -> None:
    """11 states of the small lake (16 less 4 holes and the goal) × 4 actions × 3 outcomes = 132 thirds."""
    notes = environment("FrozenLake-v1").notes
    assert notes[0] == "read 0.3333333333333333 and 0.33333333333333337 as 1/3 in 132 places"
    assert "5 terminal states" in notes[1] and "s5, s7, s11, s12, s15" in notes[1]
    assert "read 0.0033333333333333335 as 1/300 in 300 places" in environment("Taxi-v4").notes


def test_cliff_walking_drops_the_cliff() -> None:
    loaded = environment("CliffWalking-v1")
    assert "dropped 10 states that cannot be reached: s37–s46" in loaded.notes
    assert loaded.state_names == tuple(f"s{s}" for s in range(48) if not 37 <= s <= 46)
    model = loaded.model
    start, goal = loaded.state_names.index("s36"), loaded.state_names.index("s47")
    right = model.actions.index("right")
    assert model.transitions[right][start, start] == 1 and model.rewards[right][start, 0] == -100
    assert model.transitions[right][goal, start] == 1


def test_rewards_that_depend_on_the_state_alone_are_columns() -> None:
    assert [R.shape for R in environment("CliffWalking-v1").model.rewards] == [(38, 1)] * 4
    assert [R.shape for R in environment("FrozenLake-v1").model.rewards] == [(16, 1), *[(16, 16)] * 3]


def test_arguments_of_the_environment() -> None:
    loaded = environment("FrozenLake-v1?is_slippery=false&map_name=8x8")
    assert loaded.model.n == 64
    entries = {entry for P in loaded.model.transitions for row in P.rows[:19] for entry in row}
    assert entries == {Fraction(0), Fraction(1)}


def test_slippery_cliff_walking_averages_rewards_and_says_so() -> None:
    """Up from the start: slips left and right both end in the start, with −1 (wall) and −100 (cliff)."""
    loaded = environment("CliffWalking-v1?is_slippery=true")
    assert any("expect" in note and "variances" in note for note in loaded.notes)
    start = loaded.state_names.index("s36")
    up = loaded.model.actions.index("up")
    assert loaded.model.transitions[up][start, start] == 2 * THIRD
    assert loaded.model.rewards[up][start, start] == Fraction(-101, 2)


# ---- overrides with one row for each state of the environment --------------------------------------


def taxi_features(state: int) -> list[int]:
    """What examples/taxi_features.json holds: passenger waits, passenger aboard, steps to the passenger,
    steps from there to the destination, steps to the destination when aboard (as if there were no walls); all
    zero once delivered. States are ((row · 5 + column) · 5 + passenger) · 4 + destination; 4 means aboard."""
    stands = [(0, 0), (0, 4), (4, 0), (4, 3)]
    rest, destination = divmod(state, 4)
    place, passenger = divmod(rest, 5)
    taxi = divmod(place, 5)

    def steps(a: tuple[int, int], b: tuple[int, int]) -> int:
        return abs(a[0] - b[0]) + abs(a[1] - b[1])

    if passenger == 4:
        return [0, 1, 0, 0, steps(taxi, stands[destination])]
    if passenger == destination:
        return [0] * 5
    return [1, 0, steps(taxi, stands[passenger]), steps(stands[passenger], stands[destination]), 0]


@pytest.mark.thorough
def test_taxi_with_hand_made_features() -> None:
    assert json.loads((EXAMPLES / "taxi_features.json").read_text()) == [taxi_features(s) for s in range(500)]
    loaded = environment("Taxi-v4", features=str(EXAMPLES / "taxi_features.json"))
    kept = [int(name.removeprefix("s")) for name in loaded.state_names]
    assert loaded.model.features == RationalMatrix([taxi_features(s) for s in kept])
    assert loaded.model.features.rank == 5


def test_rows_of_dropped_states_are_ignored(tmp_path: Path) -> None:
    rows = [[1, 0, 0, 0]] * 37 + [[7, 7, 7, 7]] * 10 + [[0, 1, 0, 0]]
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(rows))
    loaded = environment("CliffWalking-v1", policy=str(path), target="uniform")
    assert loaded.model.behaviour == RationalMatrix([[1, 0, 0, 0]] * 37 + [[0, 1, 0, 0]])
    assert not loaded.model.is_on_policy and loaded.model.uncovered


def test_bad_overrides(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([[1, 0, 0, 0]] * 47 + [[1, 1, 0, 0]]))
    message = refusal("gymnasium:CliffWalking-v1", policy=str(path))
    assert "--policy" in message and "row s47" in message and "sums to 2" in message
    path.write_text(json.dumps([[1]] * 38))  # rows for the kept states only
    message = refusal("gymnasium:CliffWalking-v1", features=str(path))
    assert "--features" in message and "38 rows" in message and "48" in message
    assert "--discount" in refusal("gymnasium:CliffWalking-v1", discount="2")


WINDY = """
import gymnasium
from gymnasium.spaces import Discrete

class Windy(gymnasium.Env):
    observation_space, action_space = Discrete(2), Discrete(1)
    initial_state_distrib = [1.0, 0.0]
    P = {0: {0: [(0.5, 0, 0.0, False), (0.5, 1, 1.0, True)]}, 1: {0: [(1.0, 1, 0.0, True)]}}

gymnasium.register(id="Windy-v0", entry_point=Windy)
"""


def test_a_module_in_the_current_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As ``python`` finds it for a script that lies there; the command is a script that lies elsewhere."""
    (tmp_path / "windy_of_a_test.py").write_text(WINDY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    before = list(sys.path)
    assert environment("windy_of_a_test:Windy-v0").model.n == 2
    assert sys.path == before
    assert "no_such_module" in refusal("gymnasium:no_such_module:X-v0") and sys.path == before


# ---- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["", "Nowhere-v1", "Taxi-v3", "no_such_module:X-v0", "FrozenLake-v1?foo=1", "FrozenLake-v1?map_name=9x9"],
)
def test_unknown_environments(name: str) -> None:
    message = refusal(f"gymnasium:{name}")
    assert f"'gymnasium:{name}'" in message and "Taxi-v4" in message


@pytest.mark.parametrize("name", ["Blackjack-v1", "CartPole-v1"])
def test_environments_without_a_table(name: str) -> None:
    message = refusal(f"gymnasium:{name}")
    assert name in message and "transition table" in message


def test_a_fickle_passenger_is_not_in_the_table() -> None:
    assert "fickle" in refusal("gymnasium:Taxi-v4?fickle_passenger=true")


def test_missing_gymnasium_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    assert "pip install 'tdcert[gym]' brings it" in refusal("gymnasium:Taxi-v4")


STAY = {0: [(1.0, 0, 0, False)]}
TABLES: dict[str, tuple[Any, Any, str]] = {
    "no rational": ({0: {0: [(0.1234567, 0, 0, False), (0.8765433, 0, 0, False)]}}, [1.0], "0.1234567"),
    "nearly a third": (
        {0: {0: [(0.3333333333333, 0, 0, False), (2 / 3, 0, 0, False)]}},
        [1.0],
        "0.3333333333333",
    ),
    "tiny": ({0: {0: [(1.0, 0, 0, False), (1e-20, 0, 0, False)]}}, [1.0], "1e-20"),
    "negative": ({0: {0: [(1.5, 0, 0, False), (-0.5, 0, 0, False)]}}, [1.0], "1.5"),
    "not a number": ({0: {0: [(float("nan"), 0, 0, False)]}}, [1.0], "nan"),
    "row sum": ({0: {0: [(0.5, 0, 0, False), (1 / 3, 0, 0, False)]}}, [1.0], "5/6"),
    "start law": ({0: STAY}, [0.5], "start law"),
    "start law elsewhere": ({0: STAY}, [0.0, 1.0], "start law"),
    "infinite reward": ({0: {0: [(1.0, 0, float("inf"), False)]}}, [1.0], "toy-text form"),
    "unknown successor": ({0: {0: [(1.0, 1, 0, False)]}}, [1.0], "state 1"),
    "missing actions": ({0: {0: STAY[0], 1: STAY[0]}, 1: STAY}, [1.0], "state 1"),
    "states with gaps": ({0: STAY, 2: STAY}, [1.0], "toy-text form"),
    "short tuples": ({0: {0: [(1.0, 0, 0)]}}, [1.0], "toy-text form"),
    "no table": (7, [1.0], "toy-text form"),
    "terminal and not": (
        {0: {0: [(0.5, 1, 0, True), (0.5, 1, 0, False)]}, 1: {0: [(1.0, 0, 0, False)]}},
        [1.0],
        "state 1 ends an episode",
    ),
}


def pretend(monkeypatch: pytest.MonkeyPatch, table: Any, start: Any) -> None:
    """Let Gymnasium make an environment with this table."""
    unwrapped = SimpleNamespace(P=table, initial_state_distrib=start)
    made = SimpleNamespace(unwrapped=unwrapped, close=lambda: None)
    monkeypatch.setattr(gymnasium, "make", lambda name, **_: made)


@pytest.mark.parametrize("case", TABLES)
def test_tables_that_are_not_exact(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table, start, named = TABLES[case]
    pretend(monkeypatch, table, start)
    message = refusal("gymnasium:Pretended-v0")
    assert named in message and "Pretended-v0" in message, message


def test_merged_successors_and_decimal_rewards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two ways from state 0 to 1, with 1/4 and 1/2 and rewards 0.1 and 0.4: probability 3/4, reward
    (1/4·1/10 + 1/2·4/10)/(3/4) = 3/10. An outcome of probability zero leads nowhere: state 2 is dropped."""
    table = {
        0: {0: [(0.25, 1, 0.1, True), (0.5, 1, 0.4, True), (0.25, 0, 0, False), (0.0, 2, 9, False)]},
        1: {0: [(1.0, 1, 5, True)]},
        2: STAY,
    }
    pretend(monkeypatch, table, [1.0, 0.0, 0.0])
    loaded = environment("Pretended-v0")
    assert loaded.model.transitions[0] == RationalMatrix([[Fraction(1, 4), Fraction(3, 4)], [1, 0]])
    assert loaded.model.rewards[0] == RationalMatrix([[0, Fraction(3, 10)], [0, 0]])
    assert "dropped 1 state that cannot be reached: s2" in loaded.notes
    assert any(note.startswith("1 transition with several rewards") for note in loaded.notes)
