"""What transitions come as: arrays, a data frame, a rollout, or episodes as datasets of Minari hold them.

All become a :class:`Log`, arrays in the order in which the transitions came. Nothing is repaired: what is not whole is
refused here or where it is read (:mod:`tdcert.theory.samples.transitions`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypedDict

import numpy as np

from tdcert.theory.errors import InputError
from tdcert.theory.files.given import kind_of
from tdcert.theory.samples.log_file import read_columns
from tdcert.theory.samples.observations import numbering

END = "end"
"""What ``terminal`` is where every terminated transition leads to one state that is added behind all others."""
ADAPTIVE = "adaptive"
"""What ``behaviour`` must not be."""
FIXED = "fixed"
"""What ``behaviour`` is where one unknown policy acted all the time."""
COLUMNS = ("states", "actions", "rewards", "next_states", "terminated", "truncated")
EPISODE = ("observations", "actions", "rewards", "terminations", "truncations")


class Declarations(TypedDict, total=False):
    """What the caller of :func:`tdcert.from_transitions` says beside the transitions, by keyword."""

    n_states: Any
    n_actions: Any
    delta: Any
    discount: Any
    behaviour: Any
    target: Any
    features: Any
    schedule: Any
    terminated: Any
    truncated: Any
    terminal: Any
    start: Any
    possible: Any
    discretise: Any
    reward_range: Any
    markov: Any


@dataclass(frozen=True, eq=False)
class Log:
    """T transitions in order, and what is known of them without looking at them; None for what is not.

    ``states``, ``actions``, ``rewards``, ``next_states``, ``terminated``, ``truncated``: T each. ``n_states``,
    ``n_actions``: all that may occur. ``terminal``: terminal states, or :data:`END`. ``behaviour``: the policy that
    acted, where it is one by state. ``markov``: False where states are aggregated observations.
    """

    states: Any
    actions: Any
    rewards: Any
    next_states: Any
    terminated: Any = None
    truncated: Any = None
    n_states: int | None = None
    n_actions: int | None = None
    terminal: Any = None
    behaviour: Any = None
    markov: bool | None = None

    def __len__(self) -> int:
        return len(self.states)

    def __repr__(self) -> str:
        return f"<{len(self)} transitions between {self.n_states} states>"


def read_log(given: Any, discretise: Any, n_states: Any) -> Log:
    """A log from one value: a :class:`Log`; columns by the names of :data:`COLUMNS` (a data frame, a mapping, the path
    of a file); or episodes, each with what :data:`EPISODE` names, by key or attribute. Raises :class:`InputError`.
    """
    if discretise is not None and (isinstance(given, Log) or _has_columns(given)):
        raise InputError("discretise is given beside numbers of states; it is for episodes of observations")
    if isinstance(given, Log):
        return given
    if isinstance(given, str | PathLike):
        given = read_columns(given)
    if _has_columns(given):
        missing = next((name for name in COLUMNS[:4] if name not in given), None)
        if missing is not None:
            raise InputError(f"the columns have no '{missing}'; give {', '.join(COLUMNS[:4])}")
        states, actions, rewards, after, ended, cut = (
            np.asarray(given[name]) if name in given else None for name in COLUMNS
        )
        return Log(states, actions, rewards, after, ended, cut)
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise InputError(
            f"states is {kind_of(given)}; give arrays states, actions, rewards, next_states, or one log: a data frame "
            "with these columns, what tdcert.sample gave, or episodes with observations"
        )
    return _of_episodes(given, discretise, n_states)


def _has_columns(value: Any) -> bool:
    return (isinstance(value, Mapping) or hasattr(value, "columns")) and "states" in value


def _of_episodes(given: Iterable[Any], discretise: Any, n_states: Any) -> Log:
    state = numbering(discretise, n_states)
    columns: list[list[Any]] = [[] for _ in COLUMNS]
    open_episode = None
    for i, episode in enumerate(given):
        parts = [_part(episode, name, i) for name in EPISODE]
        seen, actions, rewards, ends, cuts = parts
        length = len(actions)
        if len(seen) != length + 1 or any(len(part) != length for part in (rewards, ends, cuts)):
            raise InputError(
                f"episode {i} has {length} actions and {len(seen)} observations; give one observation more, and "
                "as many rewards, terminations and truncations as actions"
            )
        if not length:
            continue
        if open_episode is not None:
            raise InputError(
                f"episode {open_episode} is neither terminated nor truncated, and another follows; mark how it ended"
            )
        if any(ends[t] or cuts[t] for t in range(length - 1)):
            raise InputError(f"episode {i} goes on after a step that is terminated or truncated; give whole episodes")
        open_episode = None if ends[length - 1] or cuts[length - 1] else i
        states = [state(x) for x in seen]
        for column, values in zip(columns, (states[:-1], actions, rewards, states[1:], ends, cuts), strict=True):
            column.extend(values)
    if not columns[0]:
        raise InputError("the log has no transition; give episodes with one at least")
    before, taken, gained, after, ended, cut = map(np.asarray, columns)
    terminal = END if any(columns[4]) else None
    markov = None if state.tells_apart else False
    return Log(before, taken, gained, after, ended, cut, n_states=state.n, terminal=terminal, markov=markov)


def _part(episode: Any, name: str, i: int) -> Any:
    found = episode.get(name) if isinstance(episode, Mapping) else getattr(episode, name, None)
    if found is None or not hasattr(found, "__len__") or isinstance(found, Mapping | str):
        raise InputError(f"episode {i} is {kind_of(episode)} without a list of {name}; give {', '.join(EPISODE)}")
    return found
