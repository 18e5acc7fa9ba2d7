"""The algorithms that a sweep names: those that ship, and a user's own by FILE.py:NAME."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from tdcert.algorithms import find, under
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.means import Stationary
from tdcert.theory.errors import InputError
from tdcert.theory.model.gallery import theta_to_two_theta
from tdcert.theory.model.schedule import Schedule

SMALL = theta_to_two_theta(Fraction(1, 2))
"""Where it is looked whether an update has mean dynamics."""


def asked_algorithms(named: Sequence[str]) -> tuple[tuple[str, Algorithm], ...]:
    """The algorithms with the names under which a sweep speaks of them: files are named without their folders.

    Raises :class:`InputError` as :func:`tdcert.algorithms.find`, and for two files of one name.
    """
    found: dict[str, Algorithm] = {}
    for words in named:
        for algorithm in find(words):
            whole, bracket, options = words.partition("[")
            place, colon, name = whole.rpartition(":")
            file = f"{Path(place).name}:{name}{bracket}{options}"
            asked = file if colon else words if whole == algorithm.name else algorithm.name
            if asked in found and colon:
                raise InputError(f"two algorithms of the sweep are called '{asked}'; give their files other names")
            found[asked] = algorithm
    return tuple(found.items())


def mean_of(algorithm: Algorithm) -> Stationary[RationalMatrix]:
    """The mean dynamics on a small model. Raises :class:`InputError` for an update that has none, or fails."""
    try:
        return with_mean_dynamics(SMALL, algorithm, (0, 1))
    except InputError as error:
        raise InputError(f"stability is asked of mean dynamics: {error}") from None


def without_schedule(algorithms: Mapping[str, Algorithm], schedules: Sequence[Schedule]) -> list[str]:
    """What is to be said of algorithms, by their names, that do not take each of the schedules."""
    fixed = [name for name, x in algorithms.items() if not x.schedule] if len(schedules) > 1 else []
    said = [f"Updates that take no schedule are the same under each: {', '.join(fixed)}."] if fixed else []
    notes = dict.fromkeys(under(x, schedule)[1] for x in algorithms.values() for schedule in schedules)
    return [*said, *(f"{note[0].upper()}{note[1:]}." for note in notes if note)]
