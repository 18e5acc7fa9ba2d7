"""Terminal states: the fixed point is that of the usual training loop, whatever the features say of a terminal state.

The loop is written here anew, over the tables of Gymnasium and in fractions:

    θ ← θ + α φ(s) (r + γ V(s′)(1 − terminated) − V(s)),   V = φᵀθ; then s′, or a start if the episode has ended.

Its mean update at θ is Σ_s ν(s) Σ_a π(a|s) Σ_s′ p φ(s)(…), ν the law of the states it updates. It is zero at θ*.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import accumulate
from operator import mul
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import tdcert
from tdcert.sims.kernels import replay, sample
from tdcert.sims.rounding import difference_bound
from tdcert.sims.streams import run_states
from tdcert.sims.trajectories import Sampler, uniform_start
from tdcert.theory.errors import InputError
from tdcert.theory.files import LoadedModel, LoadedSparse, Overrides, loads_model
from tdcert.theory.files.npz import load_npz
from tdcert.theory.model import gallery
from tdcert.theory.model.episodes import looks_terminal
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

F = Fraction
GAMMA = F(99, 100)
LONG = pytest.mark.thorough
Row = list[int]
Table = list[list[list[tuple[Fraction, int, Fraction, bool]]]]


def lake(state: int) -> Row:
    return [1, state // 4, state % 4]


def cliff(state: int) -> Row:
    return [1, state // 12, state % 12, (state // 12) * (state % 12)]


def taxi(state: int) -> Row:
    """1, row, column, whether the passenger is aboard, the number of the destination."""
    place, passenger, destination = state // 20, state // 4 % 5, state % 4
    return [1, place // 5, place % 5, int(passenger == 4), destination]


ENVIRONMENTS = [
    pytest.param("FrozenLake-v1", lake, id="FrozenLake"),
    pytest.param("CliffWalking-v1", cliff, id="CliffWalking"),
    pytest.param("Taxi-v4", taxi, marks=LONG, id="Taxi"),
]


def table_of(name: str) -> tuple[Table, list[Fraction]]:
    """Outcomes by state and action as Gymnasium lists them, and the law of the first state; thirds for their floats."""
    env: Any = gymnasium.make(name).unwrapped
    outcomes = [
        [[(near(p), int(t), F(str(r)), bool(end)) for p, t, r, end in env.P[s][a]] for a in range(len(env.P[s]))]
        for s in range(len(env.P))
    ]
    return outcomes, [near(p) for p in env.initial_state_distrib]


def near(x: float) -> Fraction:
    return F(float(x)).limit_denominator(1000)


def updates_law(table: Table, start: Sequence[Fraction], d: dict[int, Fraction]) -> dict[int, Fraction]:
    """``d`` without terminal states, found to be the law of the states that the loop updates, up to a factor.

    That law is the one solution of ν = νP + (mass that ends) · start, P the steps that end no episode.
    """
    ends = {t for row in table for outcomes in row for _, t, _, end in outcomes if end}
    law = {s: x for s, x in d.items() if s not in ends}
    into, ended = dict.fromkeys(law, F(0)), F(0)
    for s, x in law.items():
        for outcomes in table[s]:
            for p, t, _, end in outcomes:
                share = x * p / len(table[s])
                if end:
                    ended += share
                elif p:
                    into[t] += share
    assert all(into[s] + ended * start[s] == x for s, x in law.items())
    return law


def mean_update(table: Table, law: dict[int, Fraction], phi: Callable[[int], Row], theta: Row | Any) -> list[Fraction]:
    """Of the loop, at θ."""
    values = {s: sum((x * y for x, y in zip(phi(s), theta, strict=True)), F(0)) for s in range(len(table))}
    total = [F(0)] * len(theta)
    for s, weight in law.items():
        error = sum(
            (p * (r + GAMMA * values[t] * (1 - end) - values[s]) for outcomes in table[s] for p, t, r, end in outcomes),
            F(0),
        ) / len(table[s])
        total = [x + weight * error * f for x, f in zip(total, phi(s), strict=True)]
    return total


@cache
def fixed_point(name: str, phi: Callable[[int], Row]) -> tuple[tdcert.Analysis, list[Fraction], dict[int, Any]]:
    """The analysis with these features, θ*, and the law of its states by their numbers in the environment."""
    with gymnasium.make(name) as env:
        found = tdcert.analyze(env, features=phi, what="verdict")
    named = [int(name.removeprefix("s")) for name in found.state_names]
    return found, list(found.exact.theta_star), dict(zip(named, found.exact.stationary, strict=True))


@pytest.mark.parametrize(("name", "phi"), ENVIRONMENTS)
def test_the_fixed_point_is_that_of_the_usual_training_loop(name: str, phi: Callable[[int], Row]) -> None:
    found, theta, d = fixed_point(name, phi)
    table, start = table_of(name)
    law = updates_law(table, start, d)
    assert mean_update(table, law, phi, theta) == [0] * len(theta)
    assert any(theta)
    ends = [s for s in d if s not in law]
    assert all(any(phi(s)) for s in ends)  # given, and not what decides
    (said,) = [note for note in found.notes if "replaced by zero" in note]
    assert all(f"s{s}" in said for s in ends)


@pytest.mark.parametrize(
    ("name", "phi", "episodes"),
    [
        pytest.param("FrozenLake-v1", lake, 4_000, marks=LONG, id="FrozenLake"),
        pytest.param("CliffWalking-v1", cliff, 80, marks=LONG, id="CliffWalking"),
        pytest.param("Taxi-v4", taxi, 150, marks=LONG, id="Taxi"),
    ],
)
def test_the_loop_run_on_the_environment_rests_there(name: str, phi: Callable[[int], Row], episodes: int) -> None:
    """Its update at θ*, summed over an episode, is independent from episode to episode and has mean zero: |mean| stays
    below 5.5 standard errors (10⁻⁷ for three to five normal numbers). Where it bootstraps from φ of the terminal
    state, on the lake, it is beyond them.
    """
    _, theta, _ = fixed_point(name, phi)
    sums, bootstrapped = played(name, phi, np.array([float(x) for x in theta]), episodes)
    assert (standard_errors(sums) < 5.5).all()
    if name == "FrozenLake-v1":
        assert (standard_errors(bootstrapped) > 5.5).any()


def played(name: str, phi: Callable[[int], Row], theta: Any, episodes: int) -> tuple[Any, Any]:
    """φ(s)(target − V(s)) summed over each episode under the uniform policy; and as a loop bootstraps at the end, too.

    The environment itself has no time limit: its episodes end by termination alone.
    """
    env: Any = gymnasium.make(name).unwrapped
    rng = np.random.default_rng(7)
    Phi = np.array([phi(s) for s in range(env.observation_space.n)], dtype=float)
    V = Phi @ theta
    state, _ = env.reset(seed=7)
    sums = np.zeros((2, episodes, len(theta)))
    for e in range(episodes):
        terminated = False
        while not terminated:
            after, reward, terminated, truncated, _ = env.step(int(rng.integers(env.action_space.n)))
            assert not truncated
            for k, goes_on in enumerate((1 - terminated, 1)):
                sums[k, e] += Phi[state] * (reward + float(GAMMA) * V[after] * goes_on - V[state])
            state = after
        state, _ = env.reset()
    return sums[0], sums[1]


def standard_errors(sums: Any) -> Any:
    """|mean| over its standard error, by feature."""
    return np.abs(sums.mean(axis=0)) / (sums.std(axis=0, ddof=1) / np.sqrt(len(sums)))


@pytest.mark.parametrize("lambdas", [(), (F(1, 2), F(1), F(3, 4))], ids=["TD(0)", "schedule"])
def test_simulated_runs_are_runs_of_the_loop(lambdas: tuple[Fraction, ...]) -> None:
    """The same transitions, the steps out of the terminal state left out: the same θ.

    There δ = 0 and φ = 0, and the discount 0 empties the trace. With a schedule the loop keeps φ_t … φ_{t−L} of its
    episode. The bound is that on rounding between any two ways to compute the updates.
    """
    model, T = read(discount="1/2").model.with_schedule(Schedule(lambdas)), 60
    path = sample(Sampler.of(model, uniform_start(model)), run_states(3, "episodes", 2), T)
    steps = [0.125] * T, [0.0] * T
    found = replay(path, model, "td", *steps, range(1, T + 1), theta0=[1.0, -0.5])
    c = np.array([float(x) for x in accumulate((F(1), *lambdas), mul)])
    assert (path.states == 3).sum() > 8
    for run in range(2):
        thetas, episode = [np.array([1.0, -0.5])], list[Any]()
        for s, after, r in zip(path.states[run], path.states[run, 1:], path.rewards[run], strict=False):
            theta = thetas[-1]
            if s == 3:
                episode = []
                thetas.append(theta)
                continue
            terminated = after == 3
            episode = [np.array([1.0, s]), *episode][: len(c)]
            delta = r + 0.5 * (np.array([1.0, after]) @ theta) * (1 - terminated) - episode[0] @ theta
            z = sum(x * 0.5**k * phi for k, (x, phi) in enumerate(zip(c, episode, strict=False)))
            thetas.append(theta + 0.125 * delta * z)
        still = np.zeros((T + 1, 2))
        bound, _ = difference_bound("td", path.run(run), c, 0.0, *steps, np.array(thetas), still)
        assert (np.abs(np.array(thetas[1:]) - found.thetas[run]) <= bound[1:]).all() and bound.max() < 1e-9


# ---- files, archives, mappings -----------------------------------------------------------------------------

WALK: dict[str, Any] = {
    "format": "tdcert-model/1",
    "transitions": [["1/2", "1/2", 0, 0], ["1/2", 0, "1/2", 0], [0, "1/2", 0, "1/2"], [1, 0, 0, 0]],
    "rewards": [[0] * 4, [0] * 4, [0, 0, 0, 1], [0] * 4],
    "discount": 0.9,
    "features": [[1, 0], [1, 1], [1, 2], [1, 3]],
    "terminal": [3],
}


def read(**changed: Any) -> LoadedModel:
    loaded = tdcert.load_model({key: value for key, value in {**WALK, **changed}.items() if value is not None})
    assert isinstance(loaded, LoadedModel)
    return loaded


def refused(**changed: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(**changed)
    return str(caught.value)


def theta_of(model: Model) -> tuple[Fraction, ...]:
    (states,) = model.behaviour_chain.recurrent_classes
    return behaviour_matrices(model, states).theta_star.column_entries()


def test_a_terminal_state_of_a_file_by_hand() -> None:
    """ν is (3, 2, 1) up to a factor, for ν = νP and one start per end. With φ = (1, s) and γ = 0.9:
    3(0.45 θ_2 − 0.1 θ_1)(1, 0) + 2(−0.1 θ_1 − 0.1 θ_2)(1, 1) + (0.45(θ_1 + θ_2) + ½ − θ_1 − 2θ_2)(1, 2) = 0.
    """
    model = read().model
    a, b = theta_of(model)
    first, second = 3 * (F(-1, 10) * a + F(9, 20) * b), 2 * (F(-1, 10) * a + F(-1, 10) * b)
    third = F(9, 20) * (a + b) + F(1, 2) - a - 2 * b
    assert first + second + third == 0 and second + 2 * third == 0
    assert model.features.rows[3] == (0, 0) and model.discounts[0].column_entries() == (F(9, 10),) * 3 + (0,)


def test_tabular_features_have_no_column_for_a_terminal_state() -> None:
    for changed in ({"features": None}, {"features": "tabular"}):
        loaded = read(**changed)
        assert loaded.model.features.rows == ((1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0))
        assert not any("replaced" in note for note in loaded.notes)
    assert tdcert.load_model("gymnasium:FrozenLake-v1").model.d == 11  # 16 states less 4 holes and the goal
    loaded = loads_model(json.dumps(WALK), Overrides(features="tabular"))
    assert loaded.model.d == 3


def test_what_was_read_is_said() -> None:
    notes = read().notes
    assert notes[0].startswith("leaving 1 terminal state is a restart with discount 0: s3;")
    assert notes[1] == "features were given for terminal states, and are replaced by zero: s3"
    assert len(read(features=[[1], [2], [3], [0]]).notes) == 1 and read(terminal=[]).notes == []


@pytest.mark.parametrize("discount", [0.9, [0.9, 0.9, 0.9, 0.9], [[0.9] * 4] * 4, {"only": [0.9, 0.9, 0.9, 0]}])
def test_the_discount_on_leaving_is_zero_however_it_is_given(discount: Any) -> None:
    assert read(discount=discount).model.digest == read().model.digest


def test_another_discount_stays_zero_at_the_end() -> None:
    loaded = loads_model(json.dumps(WALK), Overrides(discount="1/2"))
    assert loaded.model.discounts[0].column_entries() == (F(1, 2),) * 3 + (0,)


def test_terminal_states_that_cannot_be() -> None:
    assert "terminal lists the number '4'" in refused(terminal=[4]) and "0 to 3" in refused(terminal=[4])
    assert "1 truths; give one for each of the 4" in refused(terminal=[True])
    assert "terminal lists" in refused(terminal=["s3"]) and "terminal is" in refused(terminal="s3")
    for wrong, said in (([4], "terminal lists"), ([True], "terminal lists"), (["s3"], "terminal lists"), (3, "is the")):
        with pytest.raises(InputError, match=said):
            loads_model(json.dumps({**WALK, "terminal": wrong}))
    absorbing = [*WALK["transitions"][:3], [0, 0, 0, 1]]
    message = refused(transitions=absorbing)
    assert "s3 leads to a terminal state" in message and "episodes begin" in message
    assert "leaving the terminal state s3 is rewarded" in refused(rewards=[0, 0, 0, 1])
    assert "leads to a terminal state" in refused(transitions=[[1]], rewards=[0], features=None, terminal=[0])


def archive(folder: Path, **changed: Any) -> LoadedSparse:
    arrays = {
        "format": "tdcert-model-npz/1",
        "transitions": np.array([[0.5, 0.5, 0, 0], [0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], [1, 0, 0, 0]]),
        "rewards": np.array([0, 0, 0.5, 0]),
        "discount": 0.5,
        "features": np.array([[1.0, s] for s in range(4)]),
        "terminal": np.array([3]),
        **changed,
    }
    np.savez(folder / "walk.npz", **{key: value for key, value in arrays.items() if value is not None})
    return load_npz(folder / "walk.npz")


def test_archives_mean_the_same(tmp_path: Path) -> None:
    sparse = archive(tmp_path)
    same = read(discount="1/2", rewards=[0, 0, "1/2", 0])
    assert sparse.model.exact().digest == same.model.digest and sparse.notes == same.notes
    tabular = archive(tmp_path, features=None, discount="1/2")
    assert tabular.model.exact().digest == read(discount="1/2", rewards=[0, 0, "1/2", 0], features=None).model.digest
    by_state = archive(tmp_path, discount=np.full(4, 0.5))
    assert by_state.model.exact().digest == same.model.digest
    assert "nearest to 9/10" in archive(tmp_path, discount="9/10").notes[0]
    assert looks_terminal(sparse.model) == (3,) and not looks_terminal(archive(tmp_path, terminal=None).model)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"terminal": np.array([4])}, "0 to 3"),
        ({"terminal": np.array([0.5])}, "integers"),
        ({"terminal": np.array([[3]])}, "0 to 3"),
        ({"rewards": np.array([0, 0, 0, 1.0])}, "s3 is rewarded"),
        ({"terminal": np.array([0, 3])}, "leads to a terminal state"),
    ],
)
def test_archives_that_cannot_be(changed: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        archive(tmp_path, **changed)


def test_states_that_are_left_as_terminal_ones() -> None:
    assert looks_terminal(gallery.boyan_chain()) == (0,) and looks_terminal(gallery.random_walk_5()) == (0, 6)
    assert looks_terminal(gallery.random_chain()) == (0, 16) and looks_terminal(gallery.flip_chain(0)) == ()
    assert looks_terminal(read().model) == (3,) and looks_terminal(read(terminal=None).model) == ()


# ---- truncation --------------------------------------------------------------------------------------------


def test_a_time_limit_is_no_termination_and_is_named() -> None:
    for name, limit in (("FrozenLake-v1", 100), ("CliffWalking-v1", None)):
        notes = tdcert.load_model(f"gymnasium:{name}").notes
        said = [note for note in notes if "truncation" in note]
        assert len(said) == (limit is not None)
        assert limit is None or f"{limit} steps is a truncation, not a termination" in said[0]
