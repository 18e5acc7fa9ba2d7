"""Reading the tables of a sweep's file: every key known, every value of its kind, else one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tdcert.theory.errors import InputError
from tdcert.theory.files.numerals import describe, number, quoted


class Table:
    """One table, ``where`` it stands; :meth:`done` refuses keys that were never asked for."""

    def __init__(self, values: Any, where: str) -> None:
        if not isinstance(values, Mapping):
            raise InputError(f"{where} is {describe(values)}; give a table")
        self.values, self.where = values, where
        self._asked: set[str] = set()

    def whole(self, key: str, default: int, least: int = 1, most: int = 10**9) -> int:
        """A whole number from ``least`` to ``most``."""
        value = self._get(key, default)
        if type(value) is not int or not least <= value <= most:
            raise self._refused(key, f"a whole number from {least} to {most}")
        return value

    def wholes(self, key: str, default: list[int], least: int = 1, most: int = 10**9) -> list[int]:
        """A list of whole numbers, or one."""
        listed = self._list(key, default)
        if not listed or not all(type(x) is int and least <= x <= most for x in listed):
            raise self._refused(key, f"whole numbers from {least} to {most}")
        return listed

    def word(self, key: str, default: str, known: tuple[str, ...] | None = None) -> str:
        """A text, one of ``known`` if they are given."""
        value = self._get(key, default)
        if not isinstance(value, str) or (known is not None and value not in known):
            raise self._refused(key, "a text" if known is None else f"one of {', '.join(known)}")
        return value

    def words(self, key: str, default: list[str]) -> list[str]:
        """A list of texts, or one."""
        listed = self._list(key, default)
        if not listed or not all(isinstance(x, str) for x in listed):
            raise self._refused(key, "a list of texts")
        return listed

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self._get(key, default)
        if type(value) is not bool:
            raise self._refused(key, "true or false")
        return value

    def numbers(self, key: str, default: list[Fraction]) -> list[Fraction]:
        """A list of exact numbers, or one: whole numbers, decimals, or texts such as "9/10"."""
        if self._get(key, None) is None:
            return default
        listed = self._list(key, [])
        if not listed:
            raise InputError(f"{key} in {self.where} is an empty list; give numbers")
        return [Fraction(number(x, f"{key} in {self.where}")) for x in listed]

    def table(self, key: str) -> Table:
        """A table below this one; empty where there is none."""
        return Table(self._get(key, {}), f"{key} in {self.where}")

    def tables(self, key: str) -> list[Table]:
        """A list of tables, or one; none where the key is missing."""
        listed = self._list(key, [])
        many = len(listed) > 1
        return [Table(x, f"[{key}]" + (f" number {i}" if many else "")) for i, x in enumerate(listed, start=1)]

    def raw(self, key: str) -> Any:
        """The value as it stands, None where there is none."""
        return self._get(key, None)

    def done(self) -> None:
        """Raises :class:`InputError` for a key that is not among those asked for."""
        for key in self.values:
            if key not in self._asked:
                known = ", ".join(sorted(self._asked))
                raise InputError(f"{self.where} has the unknown key {quoted(str(key))}; it can have {known}")

    def _get(self, key: str, default: Any) -> Any:
        self._asked.add(key)
        return self.values.get(key, default)

    def _list(self, key: str, default: list[Any]) -> list[Any]:
        value = self._get(key, default)
        return value if isinstance(value, list) else [value]

    def _refused(self, key: str, instead: str) -> InputError:
        value = self.values.get(key)
        shown = str(value) if type(value) is int else describe(value)
        return InputError(f"{key} in {self.where} is {shown}; give {instead}")
