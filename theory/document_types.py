"""What the fields of documents hold: a document is a frozen dataclass of these, and its JSON Schema follows from them.

``tdcert.reports.schema`` makes the schema. A key that a document need not have is ``UNSET`` where it is absent. This
module imports msgspec, which takes 10 ms: only those who read or write documents import it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

__all__ = [
    "UNSET",
    "Ball",
    "Count",
    "Digest",
    "Json",
    "Number",
    "Positive",
    "Rational",
    "UnsetType",
    "plain",
]

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
"""What JSON holds."""

Rational = Annotated[str, Meta(pattern=r"^-?\d+(/[1-9]\d*)?$")]
"""An exact number, ``"p/q"`` in lowest terms or ``"p"``."""
Ball = Annotated[str, Meta(pattern=r"^-?\d[\d.e+-]*( \+/- \d[\d.e+-]*)?$")]
"""A number with a bound of its error, ``"0.25 +/- 1.22e-17"``; without one the decimal is exact."""
Number = Annotated[str, Meta(pattern=r"^-?\d+(/[1-9]\d*)?$|^-?\d[\d.e+-]*( \+/- \d[\d.e+-]*)?$")]
"""A :data:`Rational` or a :data:`Ball`: documents of every arithmetic have it."""
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
"""SHA-256 in hexadecimal digits."""
Count = Annotated[int, Meta(ge=0)]
"""How many, or which, from 0."""
Positive = Annotated[int, Meta(ge=1)]
"""How many, one at least."""


def plain(document: object) -> dict[str, Any]:
    """A document as what JSON holds, keys in the order of its fields; a fraction is ``"p/q"``, and what is
    ``UNSET`` is left out.

    Raises :class:`TypeError` for a value that JSON has no form for.
    """
    found: dict[str, Any] = msgspec.to_builtins(document, enc_hook=_fraction)
    return found


def _fraction(value: object) -> str:
    if isinstance(value, Fraction):
        return str(value)
    raise TypeError(f"a document holds {type(value).__name__}, which has no form in JSON")
