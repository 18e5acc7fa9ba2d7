"""What the fields of documents hold: a document is a frozen dataclass of these, and its JSON Schema follows from them.

``tdcert.reports.schema`` makes the schema. A key that a document need not have is ``UNSET`` where it is absent. This
module imports msgspec, which takes 10 ms: only those who read or write documents import it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

__all__ = [
    "ALIKE",
    "UNSET",
    "Ball",
    "Count",
    "Digest",
    "Json",
    "Number",
    "Positive",
    "Rational",
    "UnsetType",
    "filled",
    "one_of",
    "pattern",
    "plain",
]

Made = TypeVar("Made")

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
"""What JSON holds."""


ONE_OF = "one of"
"""The key under which the types of :func:`one_of` stand."""


def pattern(expression: str) -> Meta:
    """The condition that a text matches a regular expression; ``Meta(pattern=…)`` in a union with a list lets msgspec
    0.22 free memory that is not its own.
    """
    return Meta(extra_json_schema={"pattern": expression})


def one_of(*types: type) -> Meta:
    """The condition that an object is one of these typed dictionaries, which msgspec has no union of."""
    return Meta(
        extra_json_schema={"anyOf": [{"$ref": f"#/$defs/{one.__name__}"} for one in types]}, extra={ONE_OF: types}
    )


Rational = Annotated[str, pattern(r"^-?\d+(/[1-9]\d*)?$")]
"""An exact number, ``"p/q"`` in lowest terms or ``"p"``."""
Ball = Annotated[str, pattern(r"^-?\d[\d.e+-]*( \+/- \d[\d.e+-]*)?$")]
"""A number with a bound of its error, ``"0.25 +/- 1.22e-17"``; without one the decimal is exact."""
Number = Annotated[str, pattern(r"^-?\d+(/[1-9]\d*)?$|^-?\d[\d.e+-]*( \+/- \d[\d.e+-]*)?$")]
"""A :data:`Rational` or a :data:`Ball`: documents of every arithmetic have it."""
Digest = Annotated[str, pattern("^[0-9a-f]{64}$")]
"""SHA-256 in hexadecimal digits."""
Count = Annotated[int, Meta(ge=0)]
"""How many, or which, from 0."""
Positive = Annotated[int, Meta(ge=1)]
"""How many, one at least."""

ALIKE = Meta(extra_json_schema={"alike": True})
"""On a list of unions: either all entries are lists, or none is."""


def filled(document: type[Made], source: object, **others: object) -> Made:
    """A document, or a part of one, whose fields are those of ``source`` that have the same names, and ``others``.

    Raises :class:`TypeError` for a field without a value.
    """
    given = getattr(document, "__struct_fields__", getattr(document, "__dataclass_fields__", ()))
    taken = {name: getattr(source, name) for name in given if name not in others and hasattr(source, name)}
    return document(**taken, **others)


def plain(document: object) -> dict[str, Any]:
    """A document as what JSON holds, keys in the order of its fields; a fraction is ``"p/q"``, a tuple a list, and
    what is ``UNSET`` is left out.

    Raises :class:`TypeError` for a value that JSON has no form for.
    """
    return {key: _with_lists(entry) for key, entry in msgspec.to_builtins(document, enc_hook=_builtin).items()}


def _with_lists(value: object) -> object:
    if isinstance(value, dict):
        return {key: _with_lists(entry) for key, entry in value.items()}
    return [_with_lists(entry) for entry in value] if isinstance(value, list | tuple) else value


def _builtin(value: object) -> object:
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    for kind in (str, int, float):  # of NumPy, say
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(f"a document holds {type(value).__name__}, which has no form in JSON")
