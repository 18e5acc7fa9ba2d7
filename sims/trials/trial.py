"""What every trial answers: property by property, what fails first, and which known mistake that looks like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal, Protocol, TypeAlias, TypeVar

from tdcert.theory.errors import InputError

_Sample = TypeVar("_Sample")
Status: TypeAlias = Literal["passes", "fails", "not_judged"]


@dataclass(frozen=True)
class PropertyAnswer:
    """One property: ``status`` is ``passes``, ``fails`` or ``not_judged``.

    ``tried``: trajectories or rows that were run; ``compared``: updates or numbers on them.
    """

    shows: str
    status: Status
    tried: int
    compared: int


class NamedMistake(Protocol):
    """A known mistake; ``words`` complete "it looks like …"."""

    @property
    def words(self) -> str: ...


_Known = TypeVar("_Known", bound=NamedMistake)


@dataclass(frozen=True)
class Likeness:
    """The known mistake that explains what was returned: all of it (``everywhere``), or most of what is wrong."""

    words: str
    everywhere: bool

    def added_to(self, sentence: str, what: str) -> str:
        """A sentence with the mistake named; ``what``: ``paths`` or ``rows``."""
        return f"{sentence}; {'it looks' if self.everywhere else f'most of its wrong {what} look'} like {self.words}"


def likeness(
    known: Sequence[_Known],
    every: Sequence[_Sample],
    wrong: Sequence[_Sample],
    makes: Callable[[_Known, _Sample], bool],
) -> Likeness | None:
    """The first known mistake that makes every sample.

    Where there is none (two mistakes at once, another start), the one that makes most of the ``wrong`` samples; None if
    that is not more than half.
    """
    for mistake in known:
        if all(makes(mistake, sample) for sample in every):
            return Likeness(mistake.words, True)
    counts = [sum(makes(mistake, sample) for sample in wrong) for mistake in known]
    most = max(counts, default=0)
    return Likeness(known[counts.index(most)].words, False) if 2 * most > len(wrong) else None


def heard(printed: tuple[int, str]) -> list[str]:
    """A note on what the code printed, if it did: the number of lines and the first of them."""
    lines, first = printed
    count = "a line" if lines == 1 else f"{lines:,} lines"
    return [f"it printed {count}, which changes nothing: '{first}'"] if lines else []


def check_limits(seed: int, time_limit: float) -> None:
    """Raises :class:`InputError` for a time limit or a seed of another kind or size."""
    if not isinstance(time_limit, Real) or not 0 < time_limit < 1e6:
        shown = f"{time_limit:g} s" if isinstance(time_limit, Real) else repr(time_limit)
        raise InputError(f"the time limit is {shown}; give seconds above 0, below a million")
    if not isinstance(seed, Integral) or not 0 <= seed < 2**32 - 1:
        raise InputError(f"the seed is {seed!r}; give a whole number from 0, below {2**32 - 1}")
