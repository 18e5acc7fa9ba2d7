"""Rows of numbers from a JSON tree, checked for shape; the place of every complaint is named."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.files.limits import MAX_MATRIX_BITS
from tdcert.theory.files.numerals import Exact, describe, number
from tdcert.theory.limits import beyond, raised

Rows = list[list[Exact]]


def read_rows(value: Any, where: str, rows: int | None, columns: int | None, meaning: str) -> Rows:
    """A list of lists of numbers; ``rows`` and ``columns`` are the expected counts (None: at least one, the
    same in every row), ``meaning`` says what the expected shape stands for."""
    if not isinstance(value, list):
        raise InputError(f"{where} is {describe(value)}; give a list of rows ({meaning})")
    if not value:
        raise InputError(f"{where} has no rows; give {rows or 'at least one'} ({meaning})")
    if rows is not None and len(value) != rows:
        raise InputError(f"{where} has {count(len(value), 'row')}; give {rows} ({meaning})")
    made = []
    for i, row in enumerate(value):
        if not isinstance(row, list):
            raise InputError(f"row s{i} of {where} is {describe(row)}; give a list of numbers ({meaning})")
        if columns is None:
            columns = len(row) or 1
        if len(row) != columns:
            raise InputError(
                f"row s{i} of {where} has {count(len(row), 'entry', 'entries')}; give {columns} ({meaning})"
            )
        made.append(_numbers(row, f"column {{}} in row s{i} of {where}"))
    return made


def read_vector(value: list[Any], where: str, length: int, meaning: str) -> list[Exact]:
    """A list of ``length`` numbers."""
    if len(value) != length:
        raise InputError(f"{where} has {count(len(value), 'entry', 'entries')}; give {length} ({meaning})")
    return _numbers(value, f"entry s{{}} of {where}")


def is_vector(value: Any) -> bool:
    """Whether a list is meant as numbers rather than as rows: its first element decides."""
    return isinstance(value, list) and bool(value) and not isinstance(value[0], list)


def to_matrix(rows: Sequence[Sequence[Exact]], where: str) -> RationalMatrix:
    """The exact matrix, unless its common denominator would fill the memory."""
    common, entries = 1, sum(len(row) for row in rows)
    denominators = {entry.denominator for row in rows for entry in row}
    for denominator in denominators:
        common = lcm(common, denominator)
        if common.bit_length() * entries > raised(MAX_MATRIX_BITS):
            said = f"the common denominator of the entries of {where} is too long to work with"
            most = sum(x.bit_length() for x in denominators) * entries  # that of their product
            raise InputError(beyond(f"{said}; give decimals with fewer digits", most / MAX_MATRIX_BITS))
    return RationalMatrix(rows)


def normalised(rows: Rows, where: str) -> tuple[Rows, Fraction]:
    """Rows divided by their exact sums, and the largest |sum − 1|; rows with a negative entry stay."""
    made: Rows = []
    largest = Fraction(0)
    for i, row in enumerate(rows):
        total = sum(map(Fraction, row), start=Fraction(0))
        if any(entry < 0 for entry in row) or total == 1:
            made.append(row)
            continue
        if total == 0:
            raise InputError(f"row s{i} of {where} sums to 0, which no division mends; give a positive entry")
        largest = max(largest, abs(total - 1))
        made.append([entry / total for entry in row])
    return made, largest


def count(number_of: int, singular: str, plural: str = "") -> str:
    """``1 row``, ``2 rows``."""
    return f"{number_of} {singular if number_of == 1 else plural or singular + 's'}"


def _numbers(values: list[Any], where: str) -> list[Exact]:
    """The numbers of a list; ``where`` has a gap for the position, filled only when something is wrong."""
    plain = [value for value in values if type(value) is int or type(value) is Fraction]
    if len(plain) == len(values):  # the common case, and far quicker
        return plain
    return [number(value, where.replace("{}", str(i), 1)) for i, value in enumerate(values)]
