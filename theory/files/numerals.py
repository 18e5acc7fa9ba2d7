"""Numbers as they are printed: exact rationals from JSON numbers and from strings "p/q", nothing in between.

A JSON number stands for the decimal it prints (0.1 is 1/10, not the nearest binary fraction).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from tdcert.theory.errors import InputError
from tdcert.theory.files.limits import MAX_DIGITS, MAX_EXPONENT

_DECIMAL = re.compile(r"-?([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
_RATIO = re.compile(r"-?([0-9]+)/([0-9]+)")

Exact = int | Fraction


@dataclass(frozen=True)
class Refused:
    """What stands where a number may stand and is none; the complaint waits until its place is known."""

    text: str
    reason: str


@lru_cache(maxsize=65536)
def exact(text: str) -> Exact | Refused:
    """The number that ``text`` prints: an integer, a decimal with or without exponent, or "p/q"."""
    if ratio := _RATIO.fullmatch(text):
        if max(map(len, ratio.groups())) > MAX_DIGITS:
            return Refused(text, f"has more than {MAX_DIGITS} digits")
        if int(ratio[2]) == 0:
            return Refused(text, "has the denominator zero")
        return Fraction(text)
    decimal = _DECIMAL.fullmatch(text)
    if decimal is None:
        return Refused(text, 'is not a finite number; give a decimal such as 0.9, or a string "p/q"')
    whole, fraction, exponent = decimal.groups()
    if len(whole) + len(fraction or "") > MAX_DIGITS:
        return Refused(text, f"has more than {MAX_DIGITS} digits")
    if exponent is not None and (len(exponent) > MAX_DIGITS or abs(int(exponent)) > MAX_EXPONENT):
        return Refused(text, f"has an exponent beyond ±{MAX_EXPONENT}")
    return int(text) if fraction is None and exponent is None else Fraction(text)


def number(value: Any, where: str) -> Exact:
    """A leaf of a JSON document as an exact number; InputError names ``where`` it stood."""
    read = exact(value) if type(value) is str else value
    if isinstance(read, int | Fraction) and not isinstance(read, bool):
        return read
    if isinstance(read, Refused):
        raise InputError(f"{where}: {quoted(read.text)} {read.reason}")
    raise InputError(f'{where} is {describe(value)}; give a number or a string "p/q"')


def whole_number(value: Any, where: str) -> int:
    """A leaf of a JSON document as an integer."""
    given = number(value, where)
    if given.denominator != 1:
        raise InputError(f"{where} is {quoted(str(given))}; give a whole number")
    return int(given)


def unit_number(value: Any, where: str) -> Fraction:
    """A leaf of a JSON document as a number from 0 to 1."""
    given = Fraction(number(value, where))
    if not 0 <= given <= 1:
        raise InputError(f"{where} is {quoted(str(given))}; give a number from 0 to 1")
    return given


def require_name(text: str) -> None:
    """InputError where a text cannot name an action."""
    if not text or not text.isprintable() or len(text) > 200:
        raise InputError(f"{quoted(text)} cannot name an action; give 1 to 200 printable characters")


def quoted(text: str, limit: int = 60) -> str:
    """Foreign text fit for one line of a message: shortened, control characters escaped, in quotes."""
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return f"'{short}'" if short.isprintable() else ascii(short)


def describe(value: Any) -> str:
    """What a JSON value is, in words; never its whole content."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, str):
        return f"the string {quoted(value)}"
    if isinstance(value, Refused):
        return quoted(value.text)
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, dict):
        return "an object"
    return f"the number {quoted(written(str, value))}"


def written(how: Callable[[Any], str], value: Any) -> str:
    """``how(value)``, for ``str`` or ``repr``; the name of the type where that raises, as any class's own may."""
    try:
        return how(value)
    except Exception:
        return f"<{type(value).__name__}>"
