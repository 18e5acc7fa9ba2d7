"""JSON without floats, and the numbers, lists and objects in it."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NoReturn

from . import limits
from .budget import Rejected, spend

RATIONAL = re.compile(r"(-?)(0|[1-9][0-9]*)(?:/([1-9][0-9]*))?")
Object = dict[str, object]
SparseRow = dict[int, Fraction]
Table = list[Fraction] | list[SparseRow]  # depends on the state left, or on the transition


def show(value: object) -> str:
    """A short printable name for anything that JSON can hold."""
    if isinstance(value, list | dict):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    if not isinstance(value, str):
        return json.dumps(value)
    return ascii(value) if len(value) <= 60 else f"{value[:40]!a}... ({len(value)} characters)"


def refuse(token: str) -> NoReturn:
    raise Rejected(f"the file holds {show(token)}: a JSON number must be an integer from 0 to 10^20")


class Integers(dict[str, int]):
    """The integers of a file by their digits: most stand there many times."""

    def __missing__(self, token: str) -> int:
        self[token] = int(token) if token.isdigit() and len(token) <= 20 else refuse(token)
        return self[token]


class ModelRead:
    """The model of a file, and the texts that stand for it: as `tdcert` writes it, and canonical, for the digest."""

    def __init__(self, value: object):
        self.value, self.text = value, json.dumps(value, sort_keys=True)
        self.canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        self.digest = hashlib.sha256(self.canonical.encode("ascii")).hexdigest()


def parse(text: str | bytes, before: ModelRead | None = None) -> object:
    """JSON with no floats, no duplicate keys, no negative or long integers, at most limits.MAX_DEPTH deep.

    `before`: the model of a file that was parsed before. Where its text stands in this file, it is not parsed again.
    """
    if len(text) > limits.MAX_BYTES:
        raise Rejected(f"the file is longer than the bound of {limits.MAX_BYTES} bytes")
    spend(50 * len(text))
    try:
        text = (text.encode() if isinstance(text, str) else text).decode()
        if (found := text.count("[") + text.count("{")) > limits.MAX_CONTAINERS:
            raise Rejected(f"the file holds {found} lists and objects, and the bound is {limits.MAX_CONTAINERS}")
        if before is not None and (value := parse_around(text, before)) is not None:
            return value
        value = loads(text, refuse)
    except UnicodeDecodeError as error:
        raise Rejected(f"the file is not UTF-8 text: byte {error.start} cannot be decoded") from None
    except UnicodeEncodeError as error:  # halves of a character, which `json` would write as the whole one
        raise Rejected(f"the file is not UTF-8 text: character {error.start} cannot be encoded") from None
    except json.JSONDecodeError as error:
        raise Rejected(f"the file is not JSON: {error.msg}, at character {error.pos}") from None
    except RecursionError:
        raise Rejected(f"the file nests deeper than the bound of {limits.MAX_DEPTH}") from None
    require_shallow(value)
    return value


def loads(text: str, constant: Callable[[str], object]) -> object:
    """JSON; `constant`: what stands for NaN and the like, which are no JSON."""

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        result: dict[str, object] = {}
        for key, value in pairs:
            if key in result:
                raise Rejected(f"the file holds an object with the key {show(key)} twice")
            result[key] = value
        return result

    found: object = json.loads(
        text, object_pairs_hook=unique, parse_int=Integers().__getitem__, parse_float=refuse, parse_constant=constant
    )
    return found


def parse_around(text: str, before: ModelRead) -> object:
    """The file that holds the text of the model of `before` as its model; None where that is not so, or not seen.

    The text of a value stands where one value may stand: so NaN may take its place. The file holds no other NaN: if
    that comes out as its model, its text stood there. It was as deep there as it is here, and not too deep.
    """
    head, found, tail = text.partition(before.text)
    if not found or "NaN" in head or "NaN" in tail:
        return None
    try:
        value = loads(f"{head}NaN{tail}", lambda token: before if token == "NaN" else refuse(token))
    except (json.JSONDecodeError, RecursionError, Rejected):
        return None  # read as it stands, it says why
    if not isinstance(value, dict) or value.get("model") is not before:
        return None
    require_shallow(value)
    value["model"] = before.value
    return value


def require_shallow(value: object) -> None:
    """At most limits.MAX_DEPTH deep."""
    deeper = {list, dict}
    level: list[Any] = [value] if type(value) in deeper else []
    for _ in range(limits.MAX_DEPTH):
        inner = (x.values() if isinstance(x, dict) else x for x in level)
        level = [y for x in inner if not deeper.isdisjoint(map(type, x)) for y in x if type(y) in deeper]
    if level:
        raise Rejected(f"the file nests deeper than the bound of {limits.MAX_DEPTH}")


def record(value: object, where: str, needed: Iterable[str], allowed: Iterable[str] = ()) -> Object:
    """An object with the keys that are needed, perhaps some of those allowed, and no others."""
    if not isinstance(value, dict):
        raise Rejected(f"{where}: {show(value)} stands where an object is needed")
    for key in needed:
        if key not in value:
            raise Rejected(f"{where}: the key {show(key)} is missing")
    if unknown := value.keys() - {*needed, *allowed}:
        raise Rejected(f"{where}: the key {show(min(unknown))} is not known here")
    return value


def items(value: object, where: str, length: int | None = None) -> list[object]:
    if not isinstance(value, list):
        raise Rejected(f"{where}: {show(value)} stands where a list is needed")
    if length not in (None, len(value)):
        raise Rejected(f"{where}: the list has {len(value)} entries and needs {length}")
    return value


def index(value: object, where: str, low: int, high: int) -> int:
    """A JSON integer with low <= value < high (a bool is not an integer)."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise Rejected(f"{where}: {show(value)} stands where an integer is needed")
    if not low <= value < high:
        raise Rejected(f"{where}: {value} is outside the range from {low} to {high - 1}")
    return value


def choice(value: object, where: str, allowed: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise Rejected(f"{where}: {show(value)} is none of {', '.join(allowed)}")
    return value


def states(value: object, where: str, n: int) -> list[int]:
    """A non-empty list of distinct states."""
    found = [index(x, f"{where}[{i}]", 0, n) for i, x in enumerate(items(value, where))]
    if not found or len(set(found)) < len(found):
        raise Rejected(f"{where}: the list of states is empty or repeats a state")
    return found


def integer(digits: str) -> int:
    """Decimal digits of any length, in pieces below every limit that Python may put on `int`."""
    if len(digits) <= 600:
        return int(digits)
    half = len(digits) // 2
    power: int = 10**half
    return integer(digits[:-half]) * power + integer(digits[-half:])


def decode(text: str) -> Fraction:
    match = RATIONAL.fullmatch(text)
    if match is None:
        raise Rejected(f"{show(text)} is not a rational string")
    sign, top, bottom = match.groups("")
    digits = max(len(top), len(bottom))
    if digits > limits.MAX_DIGITS:
        raise Rejected(f"a number has {digits} digits, and the bound is {limits.MAX_DIGITS}")
    spend(2000 + digits * digits // 20)
    p, q = integer(top), integer(bottom or "1")
    if math.gcd(p, q) != 1 or bottom == "1" or (sign and not p):
        raise Rejected(f"{show(text)} is not in lowest terms")
    return Fraction(-p if sign else p, q)


decode_short = lru_cache(maxsize=2**16)(decode)  # a large model repeats a few short strings


def read_number(value: object, where: str, *position: int) -> Fraction:
    try:
        if isinstance(value, str):
            return decode_short(value) if len(value) < 40 else decode(value)
        raise Rejected(f"{show(value)} stands where a rational string is needed")
    except Rejected as error:
        raise Rejected(f"{where}{''.join(f'[{i}]' for i in position)}: {error}") from None


def read_vector(value: object, where: str, length: int, *position: int) -> list[Fraction]:
    spend(0, 1000 * length)
    return [read_number(x, where, *position, i) for i, x in enumerate(items(value, where, length))]


def read_matrix(value: object, where: str, height: int, width: int) -> list[SparseRow]:
    """Rows without their zeros."""
    found = []
    for i, row in enumerate(items(value, where, height)):
        entries = items(row, f"{where}[{i}]", width)
        spend(0, 1300 * (width - entries.count("0")))
        found.append({j: read_number(x, where, i, j) for j, x in enumerate(entries) if x != "0"})
    return found


def read_table(value: object, where: str, n: int) -> Table:
    """n x n, or one number for each state."""
    by_state = all(isinstance(x, str) for x in items(value, where, n))
    return read_vector(value, where, n) if by_state else read_matrix(value, where, n, n)


def brief(value: object) -> str:
    return value if isinstance(value, str) and len(value) <= 60 else show(value)


def listed(value: object) -> str:
    return brief(f"({', '.join(map(str, items(value, 'a list')))})")


def read_weights(value: object, where: str, length: int, *, within_one: bool = False) -> list[Fraction]:
    """A vector of numbers that are not negative, nor above one if asked."""
    found = read_vector(value, where, length)
    if any(x < 0 or (within_one and x > 1) for x in found):
        raise Rejected(f"{where}: a number is {'outside [0, 1]' if within_one else 'negative'}")
    return found


def entry(values: Table, s: int, t: int) -> Fraction:
    row = values[s]
    return row if isinstance(row, Fraction) else row.get(t, Fraction(0))
