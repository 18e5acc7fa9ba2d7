"""Transitions of environments that are stepped: against the environment stepped by hand, and what is refused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete, MultiDiscrete, Tuple

import tdcert
from tdcert.sims import rollout
from tdcert.theory.errors import InputError


class Ladder:
    """Places 3 … 6: action 6 goes up with probability 9/10, by a generator of its own, 5 down; the top ends an episode,
    the sixth step cuts it.
    """

    observation_space = Discrete(4, start=3)
    action_space = Discrete(2, start=5)

    def __init__(self) -> None:
        self.place, self.steps, self.rng = 0, 0, np.random.default_rng(0)
        self.taken: list[int] = []

    def reset(self, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.place, self.steps = int(self.rng.integers(2)), 0
        return 3 + self.place, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.taken.append(action)
        up = action == 6 and self.rng.random() < 0.9
        self.place = self.place + 1 if up else max(self.place - 1, 0)
        self.steps += 1
        return 3 + self.place, float(up), self.place == 3, self.steps == 6, {}


def columns(log: Any) -> list[list[Any]]:
    parts = (log.states, log.actions, log.rewards, log.next_states, log.terminated, log.truncated)
    return [part.tolist() for part in parts]


def test_transitions_are_those_of_the_environment_in_order() -> None:
    """A replay of the actions by hand, from the same seed, meets the same states, rewards and ends."""
    log = tdcert.sample(Ladder(), "uniform", steps=300, seed=4)
    assert len(log) == 300 and (log.n_states, log.n_actions, log.terminal) == (4, 2, "end") and log.markov is True
    states, actions, rewards, after, ended, cut = columns(log)
    assert any(ended) and any(cut) and set(actions) == {0, 1}
    world = Ladder()
    seen, _ = world.reset(seed=4)
    for t in range(300):
        assert states[t] == seen - 3
        seen, reward, terminated, truncated, _ = world.step(actions[t] + 5)
        assert (rewards[t], after[t], ended[t], cut[t]) == (reward, seen - 3, terminated, truncated)
        if terminated or truncated:
            seen, _ = world.reset()
    assert columns(tdcert.sample(Ladder(), "uniform", steps=300, seed=4)) == columns(log)
    assert columns(tdcert.sample(Ladder(), "uniform", steps=300, seed=5)) != columns(log)


def test_a_rollout_goes_whole_into_a_set() -> None:
    """Terminal by declaration, and added behind all others: the same counts where the end is no other state's."""
    given: dict[str, Any] = {"delta": 0.05, "discount": 0.9}
    log = tdcert.sample(Ladder(), "uniform", steps=400, seed=1)
    added = tdcert.from_transitions(log, **given)
    assert added.n == 5 and added.terminal == (4,) and added.is_on_policy and added.markov
    named = tdcert.from_transitions(tdcert.sample(Ladder(), "uniform", steps=400, seed=1, terminal=[3]), **given)
    assert named.n == 4 and named.terminal == (3,)
    for s in range(3):
        for a in range(2):
            *inside, top, end = added.rows[s][a].counts
            assert named.rows[s][a].counts == (*inside, end) and top == 0
    assert added.rows[4][0].counts[:2] == named.rows[3][0].counts[:2] and sum(added.rows[4][0].counts) > 10
    assert added.features.shape == (5, 4) and added.features.rows[4] == (0,) * 4
    wide = tdcert.from_transitions(log, features=[[1], [2], [3], [4]], target=[1, 1, 1, 1], **given)
    assert wide.features.rows[3:] == ((4,), (0,)) and wide.target.rows[0] == (0, 1)


def test_a_policy_is_a_table_a_list_of_actions_or_a_function_of_the_observation() -> None:
    for policy in ([[0, 1]] * 4, [1, 1, 1, 1], lambda seen: 6, lambda seen: [0, 1.0]):
        world = Ladder()
        log = tdcert.sample(world, policy, steps=50, seed=0)
        assert set(world.taken) == {6} and set(log.actions.tolist()) == {1}
        assert (log.behaviour is None) is callable(policy)
    with pytest.raises(tdcert.InputError, match="behaviour is not given; declare it before the data are seen"):
        tdcert.from_transitions(log, delta=0.05, discount=0.9)
    rows = tdcert.sample(Ladder(), [[0.25, 0.75]] * 4, steps=4000, seed=0).actions
    # of 4,000 draws with ¾, the share is off by more than 0.06 with probability at most 2 exp(−2·4000·0.06²) < 10⁻¹²
    assert abs(rows.mean() - 0.75) < 0.06


class Observed(Ladder):
    """The same, with other observations."""

    def __init__(self, space: Any, seen: Any) -> None:
        super().__init__()
        self.observation_space, self.seen = space, seen

    def reset(self, seed: int | None = None) -> Any:
        return self.seen(super().reset(seed)[0] - 3), {}

    def step(self, action: int) -> Any:
        place, *others = super().step(action)
        return self.seen(place - 3), *others


@pytest.mark.parametrize(
    ("space", "seen", "n"),
    [
        (MultiDiscrete([2, 2]), lambda s: np.array([s // 2, s % 2]), 4),
        (Tuple((Discrete(2), Discrete(3, start=1))), lambda s: (s // 2, 1 + s % 2), 6),
    ],
)
def test_finite_spaces_are_numbered_by_themselves(space: Any, seen: Any, n: int) -> None:
    plain, other = (tdcert.sample(env, steps=100, seed=2) for env in (Ladder(), Observed(space, seen)))
    assert other.n_states == n and other.markov is True
    width = n // 2
    assert other.states.tolist() == [width * (s // 2) + s % 2 for s in plain.states.tolist()]


def test_boxes_are_counted_from_their_edges_and_are_aggregated() -> None:
    space = Box(-9, 9, (2,))
    env = Observed(space, lambda s: np.array([s - 1.5, 7 * s], dtype=np.float32))
    boxed = tdcert.sample(env, steps=100, seed=2, discretise=[[0.0], [3.5, 7.0]])
    plain = tdcert.sample(Ladder(), steps=100, seed=2)
    # s = 0, 1, 2, 3: first coordinate below 0 for 0 and 1; second below 3.5, at 7 (the upper box), above, above
    assert boxed.states.tolist() == [{0: 0, 1: 2, 2: 5, 3: 5}[s] for s in plain.states.tolist()]
    assert boxed.n_states == 6 and boxed.markov is False
    own = tdcert.sample(env, steps=100, seed=2, discretise=lambda seen: int(seen[1]) // 7, n_states=4)
    assert own.states.tolist() == plain.states.tolist() and own.markov is False
    found = tdcert.from_transitions(own, delta=0.1, discount=0.5)
    assert not found.markov and tdcert.from_transitions(own, delta=0.1, discount=0.5, markov=True).markov


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda: tdcert.sample(3, steps=1, seed=0), "give an object that can be reset and stepped, or its id"),
        (lambda: tdcert.sample(Ladder, steps=1, seed=0), "give an object that can be reset and stepped"),
        (lambda: tdcert.sample("Nowhere-v9", steps=1, seed=0), "the environment 'Nowhere-v9' cannot be made"),
        (lambda: tdcert.sample(Ladder(), steps=0, seed=0), "steps is 0; give 1 or more"),
        (lambda: tdcert.sample(Ladder(), steps=1, seed=-1), "the seed is -1; give 0 or more"),
        (lambda: tdcert.sample(Ladder(), lambda s: 4, steps=1, seed=0), "the policy answered the number '4'"),
        (lambda: tdcert.sample(Ladder(), lambda s: [0.5, 0.2], steps=1, seed=0), "a row of 2 probabilities"),
        (lambda: tdcert.sample(Ladder(), lambda s: [0.5, 0.5 + 1e-6], steps=1, seed=0), "a row of 2 probabilities"),
        (lambda: tdcert.sample(Ladder(), [[1, 1]] * 4, steps=1, seed=0), "the policy"),
        (lambda: tdcert.sample(Ladder(), steps=1, seed=0, n_states=5), "n_states is 5, and the observations have 4"),
        (lambda: tdcert.sample(Observed(Box(0, 1, (1,)), list), steps=1, seed=0), "no list of states; give discretise"),
        (lambda: tdcert.sample(Ladder(), steps=1, seed=0, discretise=len), "n_states is not given"),
        (lambda: tdcert.sample(Ladder(), steps=1, seed=0, discretise=lambda s: s, n_states=2), "number from 0 to 1"),
        (lambda: tdcert.sample(Ladder(), steps=1, seed=0, discretise=3), "for each coordinate a list of edges"),
        (lambda: tdcert.sample(Ladder(), steps=1, seed=0, discretise=[[1, 1]]), "no list of increasing numbers"),
        (lambda: tdcert.sample(Ladder(), steps=1, seed=0, discretise=[[1, 2]]), "the edges are of 1 finite numbers"),
        (lambda: tdcert.sample(gymnasium.make_vec("CartPole-v1"), steps=1, seed=0), "several at once"),
        (lambda: tdcert.sample("Pendulum-v1", steps=1, seed=0, discretise=[[0]] * 3), "discrete actions"),
    ],
)
def test_what_cannot_be_rolled_out_is_refused_in_one_sentence(asked: Any, said: str) -> None:
    with pytest.raises(tdcert.InputError, match=said) as raised:
        asked()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("part", ["reset", "step"])
def test_what_answers_as_older_interfaces_do_is_refused(part: str) -> None:
    world = Ladder()
    setattr(world, part, lambda *args, **given: 3)
    with pytest.raises(tdcert.InputError, match=f"{part} gave the number '3'; Gymnasium's gives"):
        tdcert.sample(world, steps=1, seed=0)


def test_without_gymnasium_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tdcert.theory.extras.find_spec", lambda name: None)
    with pytest.raises(
        tdcert.InputError, match=r"needs gymnasium, which is not installed; pip install 'tdcert\[gym\]'"
    ):
        tdcert.sample("CartPole-v1", steps=1, seed=0)
    bare = SimpleNamespace(
        reset=Ladder().reset, step=lambda a: (3, 0.0, False, False, {}),
        action_space=SimpleNamespace(n=2), observation_space=SimpleNamespace(n=4, start=3),
    )  # fmt: skip
    assert len(tdcert.sample(bare, steps=3, seed=0)) == 3  # an object needs no library


def test_a_row_in_single_precision_is_a_row_of_probabilities() -> None:
    """A softmax of seven logits in float32, off by some units of 2⁻²⁴, is taken; m + 4 such units are what it may be
    off by.
    """
    logits = np.random.default_rng(0).normal(size=(200, 7)).astype(np.float32)
    rows = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    off = np.abs(rows.astype(np.float64).sum(axis=1) - 1)
    assert 0 < off.max() < 11 * 2.0**-24
    for row in rows:
        assert rollout._answer(row, 7, 0)[-1] == pytest.approx(1, abs=11 * 2.0**-24)
    with pytest.raises(InputError, match="a row of 7 probabilities"):
        rollout._answer(rows[0] + np.float32(2e-7), 7, 0)
