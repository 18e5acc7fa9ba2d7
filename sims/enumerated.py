"""The table of transitions of a small simulator with deterministic resets and steps, found by breadth-first search.

A state is the whole content of the simulator, read attribute by attribute, but for random number generators, for what a
time limit counts and for what the checks of Gymnasium's own wrappers remember. So two contents that are equal have the
same future, and the table is exact if three things are true:

* resets and steps draw no random numbers: refused where a generator that the simulator holds, or a global one of
  ``random`` or NumPy, has moved;
* they depend on nothing else that is outside the simulator, such as a clock, a file or a class attribute: every step is
  taken twice, from two copies, and every state is reached again by its own path from a fresh reset, on one environment
  that is never copied; refused where anything differs;
* a copy (:func:`copy.deepcopy`) is a copy: the same comparison. An object whose content cannot be read is refused.

Many simulators draw a number where only one outcome is possible. Where the caller says that what is drawn decides
nothing (``unused_draws``), draws are allowed: that is the caller's word, and no repetition proves it. Every reset is
then repeated under :data:`DRAWS` seeds and every step with as many further draws, and refused where they differ; the
table notes whose word it rests on.

What reads a clock and gives the same answer on all these occasions is not found out. Where the content holds more than
the state (a count of steps), ``state`` gives the state of an environment. Then that function is trusted with one
exception: wherever a state is met again, all its steps are taken again, and refused where they differ.
"""

from __future__ import annotations

import copy
import random
import warnings
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from tdcert.theory.errors import InputError
from tdcert.theory.files.document import one_line
from tdcert.theory.files.given import kind_of

MOST = 700
"""States that are read as exact numbers in seconds (:data:`tdcert.theory.files.limits.LARGEST_EXACT`)."""
DRAWS = 8
"""How often resets and steps are repeated with other draws, where these are said to decide nothing: of two outcomes of
probability ½ each, one is overlooked with probability 1/256 at each step."""
_REMEMBER = {"TimeLimit", "OrderEnforcing", "PassiveEnvChecker"}
"""Gymnasium's wrappers that :func:`gymnasium.make` adds, whose own attributes say nothing about what comes."""
_SEED = "_np_random_seed"
"""Where a Gymnasium environment keeps the seed of its last reset, which it does not read."""
_SIMPLE = (bool, int, float, complex, str, bytes, type(None), type, np.dtype, np.generic)
_GENERATORS = (random.Random, np.random.Generator, np.random.RandomState, np.random.BitGenerator)

Outcome = tuple[int, int, Any, bool]
"""Probability 1, successor, reward, terminated."""


@dataclass(frozen=True)
class Enumerated:
    """A table of transitions: ``P[s][a] = [(1, s', reward, terminated)]``, read wherever a model is.

    ``initial_state_distrib``: one on state 0, where every reset leads. ``states``: for each state what was observed in
    it, in the order of ``P``. ``notes``: what the table does not hold.
    """

    P: dict[int, dict[int, list[Outcome]]]
    initial_state_distrib: list[int]
    states: list[Any]
    notes: list[str] = field(default_factory=list)


def enumerate_env(
    env: Any, state: Callable[[Any], Hashable] | None = None, most: int = MOST, unused_draws: bool = False
) -> Enumerated:
    """The table of an environment whose reset and steps are deterministic, as the module docstring says; up to ``most``
    states. ``unused_draws``: the caller says that what is drawn decides nothing. The environment is reset, and stays
    open. Raises :class:`InputError`.
    """
    search = _Search(env, state, most, unused_draws)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the checks of Gymnasium's wrappers, about types of observations
        return search.run()


class _Search:
    def __init__(self, env: Any, state: Callable[[Any], Hashable] | None, most: int, unused_draws: bool) -> None:
        if not all(callable(getattr(env, name, None)) for name in ("reset", "step")) or isinstance(env, type):
            raise InputError(f"the environment is {kind_of(env)}; give an object that can be reset and stepped")
        space = getattr(env, "action_space", None)
        number, first = getattr(space, "n", None), getattr(space, "start", 0)
        if not isinstance(number, Integral) or number < 1:
            raise InputError(
                "the actions of the environment are not a finite list; give one with a Discrete action_space"
            )
        if state is not None and not callable(state):
            raise InputError(f"state is {kind_of(state)}; give a function of the environment, or leave it out")
        self.env, self.state, self.most, self.unused_draws = env, state, most, unused_draws
        self.actions = range(int(first), int(first) + int(number))
        self.truncated = False

    def run(self) -> Enumerated:
        self.reset(seed=0)
        observed = self.reset()
        start = self.key(self.env)
        for seed in (*range(1, DRAWS if self.unused_draws else 3), None):
            again = self.reset() if seed is None else self.reset(seed=seed)
            if self.key(self.env) != start or _frozen(again) != _frozen(observed):
                raise InputError("two resets of the environment differ; enumerate_env needs a deterministic reset")
        place: dict[Any, int] = {(start, False): 0}
        states, origin = [copy.deepcopy(observed)], [self.copied(self.env)]
        paths: list[tuple[int, ...]] = [()]
        P: dict[int, dict[int, list[Outcome]]] = {}
        s = 0
        while s < len(states):
            here = origin[s]
            if here is None:  # an end: the reader restarts from it
                P[s] = {a: [(1, s, 0, True)] for a in range(len(self.actions))}
                s += 1
                continue
            P[s] = {}
            for a, action in enumerate(self.actions):
                after, seen, reward, ended = self.step_twice(here, action, s)
                key = (self.key(after), ended)
                if key not in place:
                    if len(states) == self.most:
                        raise InputError(
                            f"more than {self.most} states were found, the last {len(paths[s]) + 1} steps from the "
                            "start; give most= for more, or state=, a function of the environment, where it remembers "
                            "more than its state (a count of steps, say)"
                        )
                    place[key] = len(states)
                    states.append(copy.deepcopy(seen))
                    origin.append(None if ended else after)
                    paths.append((*paths[s], action))
                elif self.state is not None and not ended:
                    self.require_same_steps(origin[place[key]], after, place[key])
                P[s][a] = [(1, place[key], reward, ended)]
            s += 1
        self.replayed(paths, place, P)
        notes = []
        if self.truncated:
            notes.append("truncations are not a part of the table: a time limit ends no episode")
        if self.unused_draws:
            notes.append(
                f"random numbers are drawn, and that they decide nothing is your word: {DRAWS} resets and "
                f"{DRAWS + 1} draws of each step agree"
            )
        if self.state is not None:
            notes.append(
                "states are told apart by the function that was given; steps were compared where they met again"
            )
        alike = len(states) - len({_frozen(seen) for seen in states})
        if alike:
            notes.append(
                f"{alike} of {len(states)} states are observed as others are: what is observed is not the state"
            )
        return Enumerated(P, [1] + [0] * (len(states) - 1), states, notes)

    @property
    def instead(self) -> str:
        """What may be given where random numbers are drawn."""
        if getattr(getattr(self.env, "unwrapped", self.env), "P", None) is not None:
            return "this environment has a table P: give the environment itself where a model is asked for"
        return "give unused_draws=True if you know that what is drawn decides nothing"

    # ---- what is done to the environment ----

    def reset(self, **seed: int) -> Any:
        before = None if seed else _draws(self.env)
        try:
            found = self.env.reset(**seed)
        except Exception as error:  # a simulator may raise anything
            raise InputError(f"a reset of the environment raised {type(error).__name__} ({one_line(error)})") from error
        if before is not None and not self.unused_draws and _draws(self.env) != before:
            raise InputError(
                "a reset of the environment draws random numbers, so its start law cannot be read off resets; "
                f"enumerate_env needs a deterministic reset; {self.instead}"
            )
        if not isinstance(found, tuple) or len(found) != 2:
            raise InputError(
                f"a reset of the environment gives {kind_of(found)}; give (observation, info) as Gymnasium has it"
            )
        return found[0]

    def step(self, env: Any, action: int, s: int) -> tuple[Any, Any, bool]:
        where = f"action {action} in state {s}"
        before = _draws(env)
        try:
            found = env.step(action)
        except Exception as error:  # a simulator may raise anything
            raise InputError(f"{where} raised {type(error).__name__} ({one_line(error)})") from error
        if not self.unused_draws and _draws(env) != before:
            raise InputError(
                f"{where} draws random numbers, so its law cannot be read off steps; enumerate_env needs deterministic "
                f"steps, others a table P; {self.instead}"
            )
        if not isinstance(found, tuple) or len(found) != 5:
            raise InputError(f"{where} gives {kind_of(found)}; give the five values that a step of Gymnasium has")
        self.truncated |= bool(found[3])
        return found[0], found[1], bool(found[2])

    def copied(self, env: Any) -> Any:
        try:
            return copy.deepcopy(env)
        except Exception as error:  # whatever the simulator holds may refuse
            raise InputError(
                f"the environment cannot be copied ({type(error).__name__}: {one_line(error)}); "
                "enumerate_env steps from copies"
            ) from error

    def step_twice(self, here: Any, action: int, s: int) -> tuple[Any, Any, Any, bool]:
        first = self.copied(here)
        one = self.step(first, action, s)
        for _ in range(DRAWS if self.unused_draws else 1):
            if self.unused_draws:
                _move_draws(here)
            second = self.copied(here)
            two = self.step(second, action, s)
            if _frozen(one) != _frozen(two) or self.key(first) != self.key(second):
                drawn = ", which depend on what is drawn" if self.unused_draws else ""
                raise InputError(
                    f"action {action} in state {s} was taken from two copies of the environment, with two "
                    f"outcomes{drawn}; enumerate_env needs deterministic steps"
                )
        return first, *one

    def require_same_steps(self, first: Any, second: Any, s: int) -> None:
        """The steps of an environment whose state was met before are those of the one it was met in."""
        for action in self.actions:
            one, two = self.copied(first), self.copied(second)
            (_, *left), (_, *right) = self.step(one, action, s), self.step(two, action, s)
            if _frozen(left) != _frozen(right) or self.key(one) != self.key(two):
                raise InputError(
                    f"action {action} has two outcomes in state {s}, which state= does not tell apart; give a function "
                    "that does"
                )

    def replayed(self, paths: list[tuple[int, ...]], place: Mapping[Any, int], P: Mapping[int, Any]) -> None:
        """Every state is where its path leads from a reset."""
        for target, path in enumerate(paths):
            self.reset()
            s = 0
            for action in path:
                _, reward, ended = self.step(self.env, action, s)
                found = place.get((self.key(self.env), ended))
                ((_, after, rewarded, _),) = P[s][action - self.actions[0]]
                if found != after or _frozen(reward) != _frozen(rewarded):
                    raise InputError(
                        f"action {action} in state {s}, on the way to state {target}, has another outcome without "
                        "copies; the environment depends on something outside itself"
                    )
                s = after
        self.reset()

    def key(self, env: Any) -> Hashable:
        if self.state is None:
            return _frozen(env)
        try:
            found = self.state(env)
            hash(found)
        except Exception as error:  # the user's own function may raise anything
            raise InputError(
                f"the function given as state fails: {type(error).__name__} ({one_line(error)}); give one whose "
                "values can be hashed"
            ) from error
        return found


# ---- contents -------------------------------------------------------------------------------------


def _draws(env: Any) -> Hashable:
    """The states of all random number generators within reach, and of the global ones."""
    glob = np.random.get_state(legacy=False)
    return tuple(map(_state_of, _generators(env))), random.getstate(), _frozen(glob)


def _generators(env: Any) -> list[Any]:
    """All random number generators within reach."""
    found: list[Any] = []
    _frozen(env, found)
    return found


def _move_draws(env: Any) -> None:
    """Every generator within reach, and the global ones, goes on by a number, and forgets what it keeps of earlier
    ones: half a word (PCG64 and others), the second of a pair of normal numbers. What is kept would come next, the same
    in each copy.
    """
    for one in _generators(env):
        if isinstance(one, random.Random):
            one.random()
            version, words, _ = one.getstate()
            one.setstate((version, words, None))
        elif isinstance(one, np.random.RandomState):
            one.random_sample()
            one.set_state(_with_nothing_kept(one.get_state(legacy=False)))
        else:
            bits = getattr(one, "bit_generator", one)
            bits.random_raw()
            bits.state = _with_nothing_kept(bits.state)
    random.random()
    np.random.random_sample()


def _with_nothing_kept(state: Mapping[str, object]) -> dict[str, object]:
    """The state of one of NumPy's generators without parts of numbers that were drawn before."""
    return {**state, **dict.fromkeys(state.keys() & {"has_uint32", "uinteger", "has_gauss"}, 0)}


def _frozen(value: Any, draws: list[Any] | None = None, above: tuple[int, ...] = ()) -> Hashable:
    """The content of a value, equal for equal contents; the states of generators go to ``draws`` and not into it."""
    if isinstance(value, _SIMPLE):
        if isinstance(value, float | np.floating):
            return type(value).__name__, repr(value)
        return type(value).__name__, value
    if id(value) in above:
        return ("above", above[::-1].index(id(value)))
    deeper = (*above, id(value))
    if isinstance(value, _GENERATORS):
        if draws is not None:
            draws.append(value)
        return "a generator"
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "O":
            return "array", value.shape, tuple(_frozen(x, draws, deeper) for x in value.ravel())
        return "array", str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, Mapping):
        parts = [(_frozen(k, draws, deeper), _frozen(x, draws, deeper)) for k, x in value.items()]
        return type(value).__name__, tuple(parts)
    if isinstance(value, list | tuple):
        return type(value).__name__, tuple(_frozen(x, draws, deeper) for x in value)
    if isinstance(value, set | frozenset):
        return type(value).__name__, frozenset(_frozen(x, draws, deeper) for x in value)
    if isinstance(value, range | slice):
        return repr(value)
    if isinstance(value, FunctionType | BuiltinFunctionType):  # its own copy
        return "itself", id(value)
    held, inner = _attributes(value), _behind_attributes(value, draws is None)
    if type(value).__name__ in _REMEMBER and type(value).__module__.startswith("gymnasium."):
        held, inner = {name: part for name, part in held.items() if name == "env"}, ()
    held.pop(_SEED, None)
    named = tuple((name, _frozen(held[name], draws, deeper)) for name in sorted(held))
    return type(value).__qualname__, named, _frozen(inner, draws, deeper)


def _attributes(value: Any) -> dict[str, object]:
    """All attributes of an object that it holds itself."""
    held = dict(getattr(value, "__dict__", {}))
    slots = [name for kind in type(value).__mro__ for name in _slots(kind)]
    return held | {name: getattr(value, name) for name in slots if hasattr(value, name)}


def _behind_attributes(value: Any, needed: bool) -> tuple[Any, ...]:
    """What an object of a type in C holds and pickles besides its attributes. Where it pickles nothing and this is
    ``needed``, raises :class:`InputError`.
    """
    try:
        reduced = value.__reduce_ex__(4)
    except Exception as error:  # types refuse in several ways, and so may those of the user
        if not needed:
            return ()
        raise InputError(
            f"the environment holds {kind_of(value)}, whose content cannot be compared ({one_line(error)}); give "
            "state=, a function of the environment whose value is its state"
        ) from error
    kind: Any = type(value)
    plain: Any = object
    if kind.__reduce__ is plain.__reduce__ and kind.__reduce_ex__ is plain.__reduce_ex__:
        return ()
    if isinstance(reduced, str):
        return (reduced,)
    return tuple(list(x) if i > 2 and x else x for i, x in enumerate(reduced))  # items come as iterators


def _slots(kind: type) -> tuple[str, ...]:
    named = vars(kind).get("__slots__", ())
    return tuple(n for n in ((named,) if isinstance(named, str) else named) if n not in ("__dict__", "__weakref__"))


def _state_of(generator: Any) -> Hashable:
    if isinstance(generator, random.SystemRandom):  # it has no state, and a simulator that holds it cannot be copied
        return "the system's"
    if isinstance(generator, random.Random):
        return generator.getstate()
    if isinstance(generator, np.random.RandomState):
        return _frozen(generator.get_state(legacy=False))
    return _frozen(getattr(generator, "bit_generator", generator).state)
