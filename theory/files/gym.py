r"""Tables of transitions as exact models, alone or of a toy-text environment of Gymnasium (optional extra ``gym``).

The table ``env.unwrapped.P`` holds for each state and action tuples (probability, successor, reward, terminated).
Such a table is read without an environment, too; its states may be any keys then, numbered in its order unless they
are 0, …, n − 1. Where episodes begin is ``env.unwrapped.initial_state_distrib``, or is given. The floats stand for
rationals: the rational with denominator at most 1000 nearest to a float is taken, if the two differ by at most 2⁻⁵²
and if all rows sum to exactly one. (A float below one that went through four roundings, each of at most 2⁻⁵⁴, is
that near; two such rationals are 10⁻⁶ apart: no other is.)

Episodes are as :mod:`tdcert.theory.model.episodes` has them: a terminal state stays a state, with the feature vector
zero, and leaving it is a restart to the start law. A time limit ends no episode, and is named. States that no choice of
actions reaches from the start law are dropped, and named.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any
from urllib.parse import parse_qsl

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.deferred import read_now
from tdcert.theory.errors import InputError
from tdcert.theory.extras import require
from tdcert.theory.files.arrays import Rows, count, to_matrix
from tdcert.theory.files.document import one_line
from tdcert.theory.files.given import kind_of, number
from tdcert.theory.files.interest import with_interest
from tdcert.theory.files.loaded import LoadedModel
from tdcert.theory.files.numerals import Exact, quoted
from tdcert.theory.files.overrides import OverrideError, Overrides
from tdcert.theory.files.sampling import with_sampling
from tdcert.theory.model.chain import require_stochastic
from tdcert.theory.model.episodes import named_states, said_of_ends, tabular_rows, zero_at_the_ends
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import LambdaByState, Schedule

PREFIX = "gymnasium:"
KNOWN = ("FrozenLake-v1", "FrozenLake8x8-v1", "CliffWalking-v1", "Taxi-v4")
DEFAULT_DISCOUNT = Fraction(99, 100)
MAX_DENOMINATOR = 1000
RECOGNITION_BOUND = Fraction(1, 2**52)

_ACTIONS = {
    "FrozenLake": ("left", "down", "right", "up"),
    "CliffWalking": ("up", "right", "down", "left"),
    "Taxi": ("south", "north", "east", "west", "pickup", "dropoff"),
}

TableOutcome = tuple[Exact, int, Exact, bool]
"""Probability, successor, reward, terminated."""


@dataclass
class _Recogniser:
    """Turns float probabilities into the rationals they stand for, and remembers how many there were."""

    seen: dict[Fraction, dict[str, int]] = field(default_factory=dict)
    known: dict[float, Exact] = field(default_factory=dict)

    def __call__(self, probability: Any, where: str) -> Exact:
        if isinstance(probability, str | Decimal) or type(probability) is Fraction:
            return self.exactly(Fraction(number(probability, where)), where)
        value = float(probability)
        if value not in self.known:
            self.known[value] = self.recognise(value, where)
        rational = self.known[value]
        if rational != value:  # an exact comparison
            counts = self.seen.setdefault(Fraction(rational), {})
            counts[repr(value)] = counts.get(repr(value), 0) + 1
        return rational

    @staticmethod
    def exactly(value: Fraction, where: str) -> Exact:
        if not 0 <= value <= 1:
            raise InputError(f"{where} has the probability {value}; a model needs numbers from 0 to 1")
        return int(value) if value.denominator == 1 else value

    def recognise(self, value: float, where: str) -> Exact:
        if not 0 <= value <= 1:
            raise InputError(f"{where} has the probability {value!r}; a model needs numbers from 0 to 1")
        rational = Fraction(value).limit_denominator(MAX_DENOMINATOR)
        if abs(Fraction(value) - rational) > RECOGNITION_BOUND or (value > 0 and rational == 0):
            raise InputError(
                f"{where} has the probability {value!r}, which stands for no rational with a denominator "
                f"up to {MAX_DENOMINATOR}; write the model as a tdcert-model/1 file"
            )
        return int(rational) if rational.denominator == 1 else rational

    def notes(self) -> list[str]:
        return [
            f"read {' and '.join(sorted(counts))} as {rational} in {sum(counts.values())} places"
            for rational, counts in sorted(self.seen.items())
        ]


@dataclass(frozen=True)
class _Table:
    """A table in exact numbers: outcomes[state][action], and the start law; ``names`` of states other than numbers, and
    the states themselves, ``keys``, as the user wrote them.
    """

    name: str
    actions: tuple[str, ...]
    outcomes: list[list[list[TableOutcome]]]
    start: dict[int, Exact]
    notes: list[str]
    time_limit: int | None = None
    names: tuple[str, ...] | None = None
    keys: tuple[Any, ...] = ()


def load_environment(source: str, overrides: Overrides) -> LoadedModel:
    """The model of ``gymnasium:ID``; constructor arguments may follow as ``?is_slippery=false&map_name=8x8``.

    Without overrides: discount 99/100, TD(0), tabular features, uniform policy. Arrays in overrides have
    one row for each state of the environment, in its order; rows of dropped states are ignored. Raises
    :class:`InputError` for an unknown environment, one without a table, or one whose table is not exact.
    """
    with _about(source):
        env, name = _make(source.removeprefix(PREFIX))
        try:
            table = _of_environment(env, name, overrides.start)
        finally:
            env.close()
        return _model(table, source, overrides)


def environment_model(env: Any, overrides: Overrides) -> LoadedModel:
    """The model of an environment object, which stays open; everything else as in :func:`load_environment`."""
    spec = getattr(env, "spec", None)
    name = str(getattr(spec, "id", None) or type(getattr(env, "unwrapped", env)).__name__)
    with _about(name):
        return _model(_of_environment(env, name, overrides.start), name, overrides)


def table_model(table: Mapping[Any, Any], overrides: Overrides, name: str = "", what: str = "the table") -> LoadedModel:
    """The model of a table ``{state: {action: [(probability, successor, reward, terminated), …]}}``.

    ``overrides.start`` says where episodes begin; it may be left out where none ends: all states are kept then.
    Where states have names, functions and mappings of the state are of these. ``what``: the table, for messages.
    """
    with _about(name):
        start = overrides.start
        if start is None:
            if any(bool(one[3]) for s in table.values() for row in _rows(s) for one in row if len(one) == 4):
                raise InputError(
                    f"{what} says where episodes end and not where they begin; give start=, a state, a law over the "
                    "states, or {state: probability}"
                )
            start = dict.fromkeys(table, Fraction(1, len(table)))
        return _model(_table(table, start, name), name or "a table of transitions", overrides)


def _rows(actions: Any) -> list[Any]:
    """The outcomes of each action of a state; nothing where they are not lists of tuples, which the reader refuses."""
    listed = list(actions.values()) if isinstance(actions, Mapping) else []
    sequences = [row for row in listed if isinstance(row, list | tuple)]
    return [[one for one in row if isinstance(one, list | tuple)] for row in sequences]


def is_table(value: object) -> bool:
    """Whether a mapping is a table of transitions: of states to mappings of actions to lists of tuples."""
    if not isinstance(value, Mapping) or not value:
        return False
    first = next(iter(value.values()))
    if not isinstance(first, Mapping) or not first:
        return False
    row = next(iter(first.values()))
    return isinstance(row, list | tuple) and all(isinstance(one, list | tuple) and len(one) == 4 for one in row)


def is_environment(value: object) -> bool:
    """Whether an object is used as an environment is: it can be reset and stepped."""
    return all(callable(getattr(value, name, None)) for name in ("reset", "step")) and not isinstance(value, type)


@contextmanager
def _about(source: str) -> Iterator[None]:
    """Complaints open with the environment, but for those about what was given beside it."""
    try:
        yield
    except OverrideError:
        raise
    except InputError as error:
        raise InputError(f"{quoted(source)}: {error}" if source else str(error)) from None


def _model(table: _Table, source: str, overrides: Overrides) -> LoadedModel:
    kept, terminal = _reachable(table)
    n, m, size = len(kept), len(table.actions), len(table.outcomes)
    position = {state: i for i, state in enumerate(kept)}
    notes = list(table.notes)
    transitions, rewards = [], []
    restart = {position[state]: p for state, p in table.start.items()}
    averaged = 0
    for a in range(m):
        P: Rows = [[0] * n for _ in kept]
        R: Rows = [[0] * n for _ in kept]
        for i, state in enumerate(kept):
            if state in terminal:
                for j, p in restart.items():
                    P[i][j] = p
                continue
            merged = _merge(table.outcomes[state][a])
            averaged += sum(outcome.mixed for outcome in merged.values())
            for successor, outcome in merged.items():
                P[i][position[successor]] = outcome.probability
                R[i][position[successor]] = outcome.reward
        rewards.append(_reward_matrix(P, R))
        transitions.append(to_matrix(P, f"the transitions of action '{table.actions[a]}'"))
    if averaged:
        notes.append(
            f"{count(averaged, 'transition')} with several rewards: the expected one is taken, "
            "so means are exact and variances of rewards are not"
        )
    ends = [position[state] for state in sorted(terminal)]
    overrides = overrides.of_states(table.keys, size, table.actions)
    given = overrides.read_features(size)
    rows = tabular_rows(n, ends) if given is None else [given[state] for state in kept]
    features, replaced = zero_at_the_ends(rows, ends)
    notes += said_of_ends(sorted(terminal), [kept[s] for s in replaced], table.names)
    if table.time_limit is not None:
        notes.append(
            f"the time limit of {table.time_limit:,} steps is a truncation, not a termination: it is not a part of the "
            "model, and a loop that resets there visits the states in other proportions"
        )
    dropped = [state for state in range(size) if state not in position]
    if dropped:
        named = named_states(dropped, table.names)
        notes.append(f"dropped {count(len(dropped), 'state')} that cannot be reached: {named}")

    defaults: list[str] = []
    gamma = overrides.read_discount()
    if gamma is None:
        gamma = DEFAULT_DISCOUNT
        defaults.append("discount = 0.99")
    discount = RationalMatrix.column([Fraction(0) if state in terminal else gamma for state in kept])
    schedule = overrides.read_schedule()
    if schedule is None:
        schedule = Schedule.n_step(1)
        defaults.append('schedule = {"n_step": 1}')
    if isinstance(schedule, LambdaByState):
        if len(schedule.by_state) != size:
            raise InputError(f"λ is given by state for {len(schedule.by_state)} states; give {size} numbers")
        schedule = LambdaByState([schedule.by_state[state] for state in kept])
    if overrides.features is None:
        defaults.append('features = "tabular"')
    behaviour = _policy(
        "behaviour" if overrides.from_python else "--policy", overrides.read_policy(size, table.actions), kept, size
    )
    if behaviour is None:
        behaviour = RationalMatrix([[Fraction(1, m)] * m] * n)
        defaults.append('behaviour = "uniform"')
    target = _policy(
        "target" if overrides.from_python else "--target", overrides.read_target(size, table.actions), kept, size
    )
    if target is None:
        defaults.append("target = behaviour")
    Phi = to_matrix(features, "the features")
    moves, target = (tuple(transitions), tuple(rewards), (discount,) * m), behaviour if target is None else target
    model = Model(table.actions, *moves, behaviour, target, Phi, schedule, table.name)
    names = tuple(f"s{state}" if table.names is None else table.names[state] for state in kept)
    said = [*overrides.said, *notes]
    by_function = overrides.features_by_function
    keys = tuple(table.keys[state] for state in kept) if table.keys else ()
    loaded = LoadedModel(model, names, defaults, said, source, tuple(replaced), by_function, tuple(kept), size, keys)
    return with_interest(with_sampling(loaded, overrides), overrides)


def _policy(option: str, rows: Rows | None, kept: list[int], size: int) -> RationalMatrix | None:
    """The rows of the states that are kept; complaints count rows as the user's file does."""
    if rows is None:
        return None
    matrix = to_matrix(rows, "the policy")
    for state in kept:
        try:
            require_stochastic(matrix.take(rows=[state]), "the policy")
        except InputError as error:
            raise OverrideError(f"{option}, row s{state} of {size}: {error}") from None
    return matrix.take(rows=kept)


# ---- reading the environment ----------------------------------------------------------------------


def _of_environment(env: Any, name: str, start: Any) -> _Table:
    inner = getattr(env, "unwrapped", env)
    table = getattr(inner, "P", None)
    given = getattr(inner, "initial_state_distrib", None) if start is None else start
    if getattr(inner, "fickle_passenger", False):
        raise InputError("a fickle passenger is not in the table P; leave fickle_passenger out")
    if table is None:
        raise InputError(
            f"this environment has no transition table P; give a toy-text one ({', '.join(KNOWN)}), "
            "tdcert.enumerate_env(env) where its steps are deterministic, tdcert.sample(env, steps=…) for verdicts "
            "from transitions, or P, rewards and discount as arrays"
        )
    if given is None:
        raise InputError(
            "this environment has a transition table P and no start law initial_state_distrib; give start=, a state, a "
            "law over the states, or {state: probability}"
        )
    limit = getattr(getattr(env, "spec", None), "max_episode_steps", None)
    return replace(_table(table, given, name), time_limit=limit)


def _table(table: Any, start: Any, name: str) -> _Table:
    try:
        return _read(name, table, start)
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"its transition table is not in the toy-text form ({one_line(repr(error))}); "
            "write the model as a tdcert-model/1 file"
        ) from None


def _make(text: str) -> tuple[Any, str]:
    """The environment that ``ID?key=value&…`` names; whatever its making raises becomes one sentence."""
    require("an environment by its id", "gymnasium")
    import gymnasium

    name, _, query = text.partition("?")
    arguments = {key: _argument(value) for key, value in parse_qsl(query, keep_blank_values=True)}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # deprecation notices: an outdated id raises in any case
            with _importable(name):
                return gymnasium.make(name, **arguments), name
    except Exception as error:  # a third party's constructor may raise anything; all of it means: not here
        raise InputError(
            f"this environment cannot be made ({one_line(error)}); the toy-text environments known to work "
            f"are {', '.join(KNOWN)}"
        ) from None


@contextmanager
def _importable(name: str) -> Iterator[None]:
    """The module of ``MODULE:ID`` is looked for in the current folder too, behind what is installed."""
    here = os.getcwd() if ":" in name else None
    if here is not None:
        sys.path.append(here)
        read_now()
    try:
        yield
    finally:
        if here in sys.path:
            sys.path.remove(here)


def _argument(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _read(name: str, table: Any, start: Any) -> _Table:
    recognise = _Recogniser()
    states = _numbered(table)
    size = len(states)
    actions = _numbered(table[next(iter(states))])
    m = len(actions)
    if not m:
        raise InputError(f"state {_word(next(iter(states)))} has no actions; give each state the same, one at least")
    outcomes: list[list[list[TableOutcome]]] = []
    for s in states:
        if len(table[s]) != m:
            raise InputError(
                f"state {_word(s)} has {len(table[s])} actions, state {_word(next(iter(states)))} has {m}; give both "
                "the same"
            )
        outcomes.append([])
        for a in actions:
            where = f"action {_word(a)} in state {_word(s)}"
            row = [
                (recognise(p, where), _state(successor, states, where), _reward(reward), bool(terminated))
                for p, successor, reward, terminated in table[s][a]
            ]
            total = sum((p for p, *_ in row), start=Fraction(0))
            if total != 1:
                raise InputError(f"the probabilities of {where} sum to {total}, not to exactly one")
            outcomes[-1].append([outcome for outcome in row if outcome[0]])
    plain = list(actions) == list(range(m))
    names = _action_names(name, m) if plain else tuple(_word(a) for a in actions)
    said = None if list(states) == list(range(size)) else tuple(_word(s) for s in states)
    for what, words in (("states", said or ()), ("actions", names)):
        if len(set(words)) < len(words):
            raise InputError(f"two {what} of the table are written alike; give names that differ")
    keys = () if said is None else tuple(states)
    return _Table(name, names, outcomes, _start_law(start, states, recognise), recognise.notes(), names=said, keys=keys)


def _numbered(keys: Any) -> dict[Any, int]:
    """States or actions with their numbers: 0, …, n − 1 are their own, whatever the order; others count in order."""
    listed = list(keys) if isinstance(keys, Mapping) else list(range(len(keys)))
    plain = list(range(len(listed)))
    if all(isinstance(key, Integral) for key in listed) and sorted(listed) == plain:
        return {key: key for key in plain}
    if any(isinstance(key, Integral) for key in listed):
        missing = next((k for k in plain if k not in listed), len(plain))
        raise InputError(
            f"its transition table is not in the toy-text form (of {len(plain)} states or actions there is no "
            f"{missing}); number them from 0, without gaps, or name all of them"
        )
    return {key: i for i, key in enumerate(listed)}


def _word(key: Any) -> str:
    return one_line(str(key))


def _state(value: Any, states: Mapping[Any, int], where: str) -> int:
    if value not in states:
        raise InputError(f"{where} leads to state {_word(value)}, which is not in the table of {len(states)} states")
    return states[value]


def _start_law(start: Any, states: Mapping[Any, int], recognise: _Recogniser) -> dict[int, Exact]:
    """A state, a law over all states in their order, or a mapping of states to probabilities."""
    size = len(states)
    wanted = f"give one of the {size} states of the table, a law over them, or {{state: probability}}"
    wrong = f"the start law does not sum to exactly one over the states of the table; {wanted}"
    if isinstance(start, Mapping):
        pairs = [(_state(s, states, "the start"), p) for s, p in start.items()]
    elif _is_key(start, states):
        pairs = [(states[start], 1)]
    elif isinstance(start, Iterable) and not isinstance(start, str):
        listed = list(start)
        if len(listed) != size and any(listed[size:]):
            raise InputError(wrong)
        pairs = list(enumerate(listed))
    else:
        raise InputError(f"start is {kind_of(start)}; {wanted}")
    law = {s: recognise(p, "the start law") for s, p in pairs if p}
    if sum(law.values(), start=Fraction(0)) != 1:
        raise InputError(wrong)
    return law


def _is_key(value: Any, states: Mapping[Any, int]) -> bool:
    try:
        return value in states and not isinstance(value, bool)
    except TypeError:  # it cannot be hashed, so it is no state
        return False


def _reward(value: Any) -> Exact:
    """An integer as it is, a float as the decimal that it prints."""
    if isinstance(value, Integral):
        return int(value)
    number = Fraction(str(value) if isinstance(value, Rational) else repr(float(value)))
    return int(number) if number.denominator == 1 else number


def _action_names(name: str, m: int) -> tuple[str, ...]:
    """The names of the environment's documentation where they are known, else numbers."""
    for known, names in _ACTIONS.items():
        if name.startswith(known) and len(names) == m:
            return names
    return tuple(str(a) for a in range(m))


# ---- episodes -------------------------------------------------------------------------------------


def _reachable(table: _Table) -> tuple[list[int], set[int]]:
    """The states reached from the start law, in the environment's order; and those that end episodes."""
    continuing, terminal = set(table.start), set[int]()
    waiting = list(continuing)
    while waiting:
        for outcomes in table.outcomes[waiting.pop()]:
            for _, successor, _, terminated in outcomes:
                if terminated:
                    terminal.add(successor)
                elif successor not in continuing:
                    continuing.add(successor)
                    waiting.append(successor)
    if both := sorted(continuing & terminal):
        raise InputError(
            f"state {both[0]} ends an episode on one transition and continues on another; "
            "write the model as a tdcert-model/1 file with two states for it"
        )
    return sorted(continuing | terminal), terminal


@dataclass
class _Merged:
    """One successor of a state and an action: probability, expected reward, whether rewards differed."""

    probability: Exact
    reward: Exact
    mixed: bool = False


def _merge(outcomes: list[TableOutcome]) -> dict[int, _Merged]:
    """One entry for each successor; several rewards become their mean, which keeps expectations exact."""
    merged: dict[int, _Merged] = {}
    for p, successor, reward, _ in outcomes:
        entry = merged.get(successor)
        if entry is None:
            merged[successor] = _Merged(p, reward)
            continue
        total = entry.probability + p
        if reward != entry.reward:
            entry.reward = (Fraction(entry.reward) * entry.probability + Fraction(reward) * p) / total
            entry.mixed = True
        entry.probability = total
    return merged


def _reward_matrix(P: Rows, R: Rows) -> RationalMatrix:
    """n×1 if, where the probability is positive, rewards depend on the state left alone; else n×n."""
    column: list[Exact] = []
    for probabilities, rewards in zip(P, R, strict=True):
        met = {reward for p, reward in zip(probabilities, rewards, strict=True) if p}
        if len(met) > 1:
            return to_matrix(R, "the rewards")
        column.append(met.pop())
    return RationalMatrix.column(column)
