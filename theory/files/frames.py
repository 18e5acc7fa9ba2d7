"""Data frames whose index names the states: their rows are put into the order of P's. Nothing is imported for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tdcert.theory.errors import InputError
from tdcert.theory.files.document import one_line
from tdcert.theory.files.given import kind_of


def _labels(index: Any, what: str) -> list[Any] | None:
    """The entries of an index; None where it is not one, or counts 0, 1, …"""
    if not hasattr(index, "tolist"):
        return None
    found = index.tolist()
    if found == list(range(len(found))):
        return None
    words = [one_line(str(label)) for label in found]
    if len(set(words)) < len(words):
        twice = next(word for i, word in enumerate(words) if word in words[:i])
        raise InputError(f"the index of {what} names '{twice}' twice; give each state a name of its own")
    return list(found)


def index_of(value: Any, what: str) -> list[Any] | None:
    """The labels of a data frame's rows, or of a series; None for anything else and where rows are numbered."""
    return _labels(getattr(value, "index", None), what) if hasattr(value, "to_numpy") else None


def in_order(value: Any, labels: Sequence[Any], what: str, columns: bool) -> Any:
    """The array of a data frame with the rows of ``labels``; where ``columns`` name states, these in that order too.

    What has no names is left as it is. Raises :class:`InputError` where the names are others.
    """
    own = index_of(value, what)
    if own is None:
        return value
    array = np.asarray(value.to_numpy())[_places(own, labels, f"the index of {what}")]
    across = getattr(value, "columns", None)
    if not columns or across is None:
        return array
    names = _labels(across, f"the columns of {what}")
    if what == "P" or (names is not None and set(map(str, names)) == set(map(str, labels))):
        if names is None:
            raise InputError(f"the rows of {what} are named and its columns are not; give both the names of the states")
        array = array[:, _places(names, labels, f"the columns of {what}")]
    return array


def actions_in_order(policy: Any, actions: Sequence[str]) -> Any:
    """A data frame whose columns name the actions, as its array in their order; anything else as it is.

    Its index stays beside it (:class:`_Indexed`), for :func:`in_order`.
    """
    names = (
        _labels(getattr(policy, "columns", None), "the columns of a policy") if hasattr(policy, "to_numpy") else None
    )
    if names is None or {*map(str, names)} != {*actions}:
        return policy
    place = {str(name): i for i, name in enumerate(names)}
    return _Indexed(np.asarray(policy.to_numpy())[:, [place[action] for action in actions]], policy.index)


@dataclass(frozen=True)
class _Indexed:
    """An array beside the index of its rows."""

    values: Any
    index: Any

    def to_numpy(self) -> Any:
        return self.values

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values


def _places(own: Sequence[Any], labels: Sequence[Any], where: str) -> list[int]:
    place = {label: i for i, label in enumerate(own)}
    odd = next((x for x in (*own, *labels) if (x in place) != (x in labels)), None)
    if odd is not None or len(own) != len(labels):
        raise InputError(f"{where} and that of P must name the same states, and '{one_line(str(odd))}' is in one only")
    return [place[label] for label in labels]


def numbers_of(terminal: Any, labels: Sequence[Any]) -> Any:
    """Terminal states that are given by name, by their numbers; a series of truths in the order of ``labels``."""
    if terminal is None or callable(terminal):
        return terminal
    if hasattr(terminal, "to_numpy"):
        return in_order(terminal, labels, "terminal", columns=False)
    listed = [terminal] if isinstance(terminal, str) else terminal
    if not isinstance(listed, list | tuple | set | frozenset) or not any(isinstance(x, str) for x in listed):
        return terminal
    place = {label: i for i, label in enumerate(labels)}
    for one in listed:
        if one not in place:
            raise InputError(f"terminal lists {kind_of(one)}, which the index of P does not name")
    return [place[one] for one in listed]
