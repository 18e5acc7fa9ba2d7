"""Simulators whose table is found by stepping them: against tables that are known, and what is refused."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import tdcert
from tdcert.theory.files import LoadedModel


class Corridor:
    """States 0 … 3; action 1 goes right, 0 left; the step into 3 ends the episode with reward 1/2."""

    action_space = SimpleNamespace(n=2)

    def __init__(self) -> None:
        self.place = 0

    def reset(self, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        self.place = 0
        return self.place, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.place = self.place + 1 if action else max(self.place - 1, 0)
        return self.place, 0.5 * (self.place == 3), self.place == 3, False, {}


class Hidden(Corridor):
    """What is observed is no state: one observation for two places."""

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        seen, *rest = super().step(action)
        return seen // 2, *rest  # type: ignore[return-value]


class Counting(Corridor):
    """It counts its steps, which changes nothing."""

    steps = 0

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        return super().step(action)


def test_a_corridor() -> None:
    found = tdcert.enumerate_env(Corridor())
    assert found.P == {
        0: {0: [(1, 0, 0.0, False)], 1: [(1, 1, 0.0, False)]},
        1: {0: [(1, 0, 0.0, False)], 1: [(1, 2, 0.0, False)]},
        2: {0: [(1, 1, 0.0, False)], 1: [(1, 3, 0.5, True)]},
        3: {0: [(1, 3, 0, True)], 1: [(1, 3, 0, True)]},
    }
    assert found.states == [0, 1, 2, 3] and found.initial_state_distrib == [1, 0, 0, 0] and found.notes == []
    right = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0]]
    by_hand = tdcert.load_model(
        P={"0": [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]], "1": right},
        rewards={"0": 0, "1": [0, 0, "1/2", 0]},
        discount=0.9,
        terminal=[3],
        behaviour="uniform",
    )
    read = tdcert.load_model(found, discount=0.9)
    assert isinstance(read, LoadedModel) and isinstance(by_hand, LoadedModel)
    assert tdcert.analyze(read, what="verdict").theta_star == pytest.approx(
        tdcert.analyze(by_hand, what="verdict").theta_star, rel=1e-12
    )


def test_the_content_is_the_state_and_not_what_is_observed() -> None:
    found = tdcert.enumerate_env(Hidden())
    assert found.states == [0, 0, 1, 1]
    assert found.notes == ["2 of 4 states are observed as others are: what is observed is not the state"]
    assert tdcert.enumerate_env(Hidden()).P == tdcert.enumerate_env(Corridor()).P


class Deep(Corridor):
    """It keeps a part of its state in objects that say nothing of it in their attributes."""

    kind: Any

    def reset(self, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        self.held = self.kind(0)
        return super().reset()

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.held = self.kind(action)
        return (0, *super().step(action)[1:])


@pytest.mark.parametrize(
    "kind",
    [
        lambda a: partial(max, a),
        lambda a: deque([a]),
        lambda a: iter([0] * (a + 1)),
        lambda a: Corridor().reset if a else Corridor().step,
        lambda a: np.array([a, None]),
        lambda a: {"a": [({a},)]},
    ],
)
def test_what_is_held_out_of_sight_belongs_to_the_state(kind: Callable[[int], Any]) -> None:
    """Whether the last step went right: 0 and 1 are met after either, 2 after the step right, and so is the end."""
    found = tdcert.enumerate_env(type("Env", (Deep,), {"kind": staticmethod(kind)})())
    assert len(found.states) == 5
    assert len(tdcert.enumerate_env(Corridor()).states) == 4


def test_a_count_of_steps_is_left_out_by_a_function() -> None:
    with pytest.raises(tdcert.InputError, match=r"more than 50 states were found, the last \d+ steps .*state="):
        tdcert.enumerate_env(Counting(), most=50)
    assert tdcert.enumerate_env(Counting(), state=lambda env: env.place).P == tdcert.enumerate_env(Corridor()).P
    with pytest.raises(tdcert.InputError, match="two outcomes in state 0, which state= does not tell apart"):
        tdcert.enumerate_env(Counting(), state=lambda env: env.place // 2)


@pytest.mark.parametrize("name", ["FrozenLake-v1", pytest.param("CliffWalking-v1", marks=pytest.mark.thorough)])
def test_an_environment_with_a_table_is_found_again(name: str) -> None:
    """Its steps draw random numbers, though nothing depends on them: the same steps without drawing give its table."""
    env = gymnasium.make(name, is_slippery=False)
    with pytest.raises(tdcert.InputError, match="draws random numbers"):
        tdcert.enumerate_env(env)
    table: Any = env.unwrapped

    class Quiet:
        action_space = env.action_space

        def __init__(self) -> None:
            self.s = 0

        def reset(self, seed: int | None = None) -> tuple[int, dict[str, Any]]:
            self.s = int(np.argmax(table.initial_state_distrib))
            return self.s, {}

        def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
            ((_, after, reward, ended),) = table.P[self.s][action]
            self.s = int(after)
            return self.s, reward, ended, False, {}

    found = tdcert.enumerate_env(Quiet())
    read, known = (tdcert.load_model(one, discount=0.9) for one in (found, env))
    assert isinstance(read, LoadedModel) and isinstance(known, LoadedModel)
    order = [int(name[1:]) for name in read.state_names]
    at = [[int(name[1:]) for name in known.state_names].index(found.states[s]) for s in order]
    assert sorted(at) == list(range(known.model.n)) == list(range(read.model.n))
    for mine, theirs in zip(read.model.transitions, known.model.transitions, strict=True):
        assert all(mine[i, j] == theirs[at[i], at[j]] for i in range(len(at)) for j in range(len(at)))


@pytest.mark.thorough
def test_draws_that_decide_nothing_are_allowed_on_the_callers_word() -> None:
    """The lake without slipping draws a number for its one outcome; that which slips depends on what is drawn."""

    def place(env: Any) -> int:
        return int(env.unwrapped.s)

    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    with pytest.raises(tdcert.InputError, match="this environment has a table P: give the environment itself"):
        tdcert.enumerate_env(env, state=place)
    found, table = tdcert.enumerate_env(env, state=place, unused_draws=True), env.unwrapped.P  # type: ignore[attr-defined]
    assert sorted(found.states) == list(range(16)) and "is your word: 8 resets and 9 draws" in found.notes[0]
    for s, row in found.P.items():
        for a, ((_, after, reward, ended),) in row.items():
            ((_, to, own, over),) = table[found.states[s]][a]
            if found.states[s] not in (5, 7, 11, 12, 15):
                assert (found.states[after], float(reward), ended) == (to, own, over)
    with pytest.raises(tdcert.InputError, match="with two outcomes, which depend on what is drawn"):
        tdcert.enumerate_env(gymnasium.make("FrozenLake-v1"), state=place, unused_draws=True)

    def drawn(env: Any, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        env.place = int(np.random.default_rng(seed).integers(2))
        return env.place, {}

    with pytest.raises(tdcert.InputError, match="two resets of the environment differ"):
        tdcert.enumerate_env(changed(Corridor.step, reset=drawn), unused_draws=True)
    with pytest.raises(tdcert.InputError, match="give unused_draws=True if you know"):
        tdcert.enumerate_env(changed(_global))


@pytest.mark.parametrize(
    ("rng", "draw"),
    [
        (np.random.default_rng(0), lambda rng: rng.integers(2) == 1),
        (np.random.RandomState(0), lambda rng: rng.standard_normal() > 0),
        (random.Random(0), lambda rng: rng.gauss(0, 1) > 0),
    ],
    ids=["half a word", "RandomState", "random"],
)
def test_what_a_generator_keeps_of_an_earlier_draw_is_drawn_anew(rng: Any, draw: Callable[[Any], bool]) -> None:
    """The second step has the outcome of what the generator keeps since the first: of the half of a word that PCG64
    has left, or the other of a pair of normal numbers.
    """

    def step(env: Any, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        right = draw(env.rng)
        env.place += 1 + int(right and env.place > 0)
        return env.place, 0.0, env.place > 1, False, {}

    env: Any = changed(step)
    env.rng = rng
    with pytest.raises(tdcert.InputError, match=r"in state 1 was taken from two copies .* on what is drawn"):
        tdcert.enumerate_env(env, unused_draws=True)


def test_wrappers_of_gymnasium_add_no_states() -> None:
    class Env(gymnasium.Env[Any, Any]):
        action_space = gymnasium.spaces.Discrete(2)
        observation_space = gymnasium.spaces.Discrete(4)

        def __init__(self) -> None:
            self.inner = Corridor()

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
            super().reset(seed=seed)
            return self.inner.reset()

        def step(self, action: Any) -> Any:
            return self.inner.step(int(action))

    limited = gymnasium.wrappers.TimeLimit(gymnasium.wrappers.OrderEnforcing(Env()), 2)
    found = tdcert.enumerate_env(limited)
    assert found.P == tdcert.enumerate_env(Corridor()).P
    assert found.notes == ["truncations are not a part of the table: a time limit ends no episode"]


def changed(step: Callable[[Any, int], Any], **more: Any) -> Any:
    return type("Env", (Corridor,), {"step": step, **more})()


CALLS = [0]


def _outside(env: Any, action: int) -> Any:
    CALLS[0] += 1
    return CALLS[0] % 7, 0.0, False, False, {}


def _class_attribute(env: Any, action: int) -> Any:
    """Steps of two copies agree, and another road to the same place gives another reward."""
    type(env).roads = getattr(type(env), "roads", 0) + 1
    seen, _, *rest = Corridor.step(env, action)
    return seen, float(type(env).roads > 12), *rest


def _raises(env: Any, action: int) -> Any:
    raise RuntimeError("out of fuel")


def _global(env: Any, action: int) -> Any:
    random.random()
    return Corridor.step(env, action)


def _numpy(env: Any, action: int) -> Any:
    np.random.random()
    return Corridor.step(env, action)


REFUSED = [
    (_outside, {}, "two outcomes; enumerate_env needs deterministic steps"),
    (_class_attribute, {}, "has another outcome without copies"),
    (_raises, {}, "action 0 in state 0 raised RuntimeError .out of fuel."),
    (_global, {}, "action 0 in state 0 draws random numbers"),
    (_numpy, {}, "action 0 in state 0 draws random numbers"),
    (lambda env, action: (0, 0.0, False, {}), {}, "give the five values"),
    (Corridor.step, {"action_space": SimpleNamespace(shape=(1,))}, "not a finite list"),
    (Corridor.step, {"reset": lambda env, seed=None: (random.random(), {})}, "reset of the environment draws"),
    (Corridor.step, {"reset": lambda env, seed=None: 0}, "gives the number '0'"),
    (Corridor.step, {"reset": lambda env, seed=None: (env.place, env.__setattr__("place", seed or 0))}, "two resets"),
    (Corridor.step, {"held": None, "__deepcopy__": lambda env, memo: 1 / 0}, "cannot be copied .ZeroDivisionError"),
]


@pytest.mark.parametrize(("step", "more", "said"), REFUSED)
def test_what_is_refused(step: Any, more: dict[str, Any], said: str) -> None:
    with pytest.raises(tdcert.InputError, match=said) as caught:
        tdcert.enumerate_env(changed(step, **more))
    assert "\n" not in str(caught.value)


def test_a_content_that_cannot_be_compared() -> None:
    env = Corridor()
    env.road = (x for x in (1, 2, 3))  # type: ignore[attr-defined]
    with pytest.raises(tdcert.InputError, match=r"holds a generator, whose content cannot be compared .* give state="):
        tdcert.enumerate_env(env)
    drawn = Corridor()
    drawn.rng = random.SystemRandom()  # type: ignore[attr-defined]
    with pytest.raises(tdcert.InputError, match=r"cannot be copied .NotImplementedError"):
        tdcert.enumerate_env(drawn, unused_draws=True)
    with pytest.raises(tdcert.InputError, match="the environment is the number '3'; give an object"):
        tdcert.enumerate_env(3)
    with pytest.raises(tdcert.InputError, match="state is the number '3'; give a function"):
        tdcert.enumerate_env(Corridor(), state=3)  # type: ignore[arg-type]
    with pytest.raises(tdcert.InputError, match="most is 0"):
        tdcert.enumerate_env(Corridor(), most=0)
