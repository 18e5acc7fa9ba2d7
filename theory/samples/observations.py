"""Numbers of states from observations: of spaces that are finite, by edges of boxes, or by a function of the caller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from numbers import Integral
from typing import Any

import numpy as np

from tdcert.theory.errors import InputError
from tdcert.theory.files.given import kind_of, number
from tdcert.theory.files.numerals import whole_number

Number = Callable[[Any], Any]


@dataclass(frozen=True)
class Numbering:
    """Observations as states: ``number`` gives each its state, a whole number from 0 to ``n`` − 1. ``tells_apart``:
    whether observations that differ have different numbers; else the states are aggregated.
    """

    n: int
    number: Number
    tells_apart: bool

    def __call__(self, observation: Any) -> int:
        """The state of an observation. Raises :class:`InputError` for what is no number of a state."""
        found = self.number(observation)
        if not isinstance(found, Integral) or isinstance(found, bool | np.bool_) or not 0 <= int(found) < self.n:
            raise InputError(
                f"an observation has the state {kind_of(found)}; each needs a whole number from 0 to {self.n - 1}"
            )
        return int(found)


def numbering(discretise: Any, n_states: Any, space: Any = None) -> Numbering:
    """How observations become states.

    ``discretise``: a function of the observation, with ``n_states`` beside it; or for each coordinate the increasing
    edges between its boxes, which say the number of states; or None, for observations that are whole numbers and for a
    ``space`` (Gymnasium's) of finitely many. Raises :class:`InputError`.
    """
    if callable(discretise):
        if n_states is None:
            raise InputError("discretise is a function, and n_states is not given; give how many states it may answer")
        return Numbering(positive("n_states", n_states), discretise, tells_apart=False)
    if discretise is not None:
        edges = _edges(discretise)
        return _agreeing(Numbering(prod(len(e) + 1 for e in edges), _by_edges(edges), tells_apart=False), n_states)
    if space is None:
        if n_states is None:
            raise InputError("n_states is not given; give how many states may occur, those that were never seen too")
        return Numbering(positive("n_states", n_states), _whole_observation, tells_apart=True)
    return _agreeing(_of_space(space), n_states)


def positive(what: str, value: Any) -> int:
    """A whole number from 1 on."""
    found = whole_number(number(value, what), what)
    if found < 1:
        raise InputError(f"{what} is {found}; give 1 or more")
    return found


def _agreeing(made: Numbering, n_states: Any) -> Numbering:
    if n_states is not None and positive("n_states", n_states) != made.n:
        raise InputError(f"n_states is {n_states}, and the observations have {made.n} states; leave it out")
    return made


def _edges(given: Any) -> list[np.ndarray[Any, np.dtype[np.float64]]]:
    if not isinstance(given, Sequence | np.ndarray) or isinstance(given, str) or not len(given):
        raise InputError(
            f"discretise is {kind_of(given)}; give a function of the observation, or for each coordinate a list of "
            "edges"
        )
    found = []
    for i, part in enumerate(given):
        try:
            edges = np.asarray(part, dtype=np.float64)
        except (TypeError, ValueError):
            edges = np.full((1, 1), np.nan)
        if edges.ndim != 1 or not np.all(np.isfinite(edges)) or np.any(np.diff(edges) <= 0):
            raise InputError(
                f"the edges of coordinate {i} are no list of increasing numbers; give such, or an empty one"
            )
        found.append(edges)
    return found


def _by_edges(edges: list[np.ndarray[Any, np.dtype[np.float64]]]) -> Number:
    sizes = [len(part) + 1 for part in edges]

    def number_of(observation: Any) -> int:
        try:
            values = np.asarray(observation, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"an observation is {kind_of(observation)}; boxes need one of numbers") from None
        if values.shape != (len(edges),) or not np.all(np.isfinite(values)):
            raise InputError(f"an observation is {kind_of(observation)}; the edges are of {len(edges)} finite numbers")
        boxes = [int(np.searchsorted(part, x, side="right")) for part, x in zip(edges, values, strict=True)]
        return _mixed(boxes, sizes)

    return number_of


def _whole_observation(observation: Any) -> Any:
    array = np.asarray(observation)
    return int(array) if array.ndim == 0 and array.dtype.kind in "iu" else observation


def _mixed(digits: Sequence[int], sizes: Sequence[int]) -> int:
    """The number with these digits, the first counting most."""
    found = 0
    for digit, size in zip(digits, sizes, strict=True):
        found = found * size + digit
    return found


def _of_space(space: Any) -> Numbering:
    """The states of a space that is finite: Discrete, MultiDiscrete, or a Tuple of such."""
    size = getattr(space, "n", None)
    if isinstance(size, Integral):
        first = int(getattr(space, "start", 0))
        return Numbering(int(size), lambda seen: int(seen) - first, tells_apart=True)
    if (sizes := getattr(space, "nvec", None)) is not None and np.ndim(sizes) == 1:
        lengths, firsts = [int(x) for x in sizes], [int(x) for x in np.zeros(len(sizes)) + getattr(space, "start", 0)]
        return Numbering(
            prod(lengths),
            lambda seen: _mixed([int(x) - first for x, first in zip(seen, firsts, strict=True)], lengths),
            tells_apart=True,
        )
    if (parts := getattr(space, "spaces", None)) and not isinstance(parts, dict):
        made = [_of_space(part) for part in parts]
        lengths = [part.n for part in made]
        return Numbering(
            prod(lengths),
            lambda seen: _mixed([part(x) for part, x in zip(made, seen, strict=True)], lengths),
            tells_apart=True,
        )
    raise InputError(f"its observations are {kind_of(space)}, which has no list of states; give discretise")
