"""Look-ups that name what there is where something is asked for that is not there."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NoReturn, TypeVar

from tdcert.theory.errors import InputError
from tdcert.theory.files.given import did_you_mean

Value = TypeVar("Value")

MEANT = {
    "theta": "theta_star",
    "fixed_point": "theta_star",
    "v": "value",
    "true_value": "value",
    "values": "value",
    "predictions": "values_at_fixed_point",
    "d": "stationary",
    "mu": "stationary",
    "stationary_distribution": "stationary",
    "error": "fixed_point_error_squared",
    "bound": "error_bound_squared",
    "verdict": "mean_dynamics",
    "converges": "is_stable",
    "stable": "is_stable",
    "plots": "plot",
    "json": "to_dict",
}
"""What people call the parts of an analysis, for messages."""


class MissingKeyError(InputError, KeyError):
    """A key that is not there."""

    __str__ = Exception.__str__  # a KeyError shows its message in quotes


def sentence(what: str, name: object, known: Iterable[str]) -> str:
    """``there is no claim 'nope'; there are …``, or what was meant."""
    there = list(known)
    meant = did_you_mean(str(name), there, {word: one for word, one in MEANT.items() if one in there})
    return f"there is no {what} '{name}'" + (meant or f"; there are {', '.join(there) or 'none'}")


class Named(dict[str, Value]):
    """A dictionary of things of one kind, ``what``."""

    def __init__(self, what: str, items: Iterable[tuple[str, Value]] = ()) -> None:
        super().__init__(items)
        self.what = what

    def __missing__(self, name: str) -> NoReturn:
        raise MissingKeyError(sentence(self.what, name, self))

    def __reduce__(self) -> tuple[type[Named[Value]], tuple[str, list[tuple[str, Value]]]]:
        return Named, (self.what, list(self.items()))


class ByName(Mapping[str, Value]):
    """A view of what a dictionary of named things holds."""

    @property
    @abstractmethod
    def _named(self) -> Named[Value]:
        """The things by their names."""

    def __getitem__(self, name: str) -> Value:
        return self._named[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)


class WithNames:
    """An object whose attributes are looked up in this way, and that is shown by them where it has no other words."""

    if not TYPE_CHECKING:  # a type checker knows the attributes, and would take every name for one

        def __getattr__(self, name: str) -> NoReturn:
            known = [one for one in dir(self) if not one.startswith("_")]
            if name.startswith("_") or name in known:
                raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
            raise AttributeError(f"in {type(self).__name__} {sentence('attribute', name, known)}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(one for one in dir(self) if not one.startswith('_'))}>"
