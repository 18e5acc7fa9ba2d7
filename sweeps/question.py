"""The seam between the engine and what sweeps compute: what a question must be, and what it answers with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Protocol

import pyarrow as pa

from tdcert.theory.figures import Picture

TYPES = {"int64": pa.int64(), "float64": pa.float64(), "string": pa.string(), "bool": pa.bool_()}
"""The column types of shards."""


PARTIAL = "The sweep is not complete: these are the shards that are done."


@dataclass(frozen=True)
class ResultTable:
    """A table of an answer, as page and terminal show it; cells are texts, numbers, booleans or None."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | bool | None, ...], ...]


@dataclass(frozen=True)
class Result:
    """What a merged table says: sentences and tables to be shown, and in ``details`` what documents add to them: by
    key, rows that are dataclasses. ``files``: by path below the sweep's folder, such as ``finds/001.json``.
    ``unexpected``: sentences about what contradicts the theory, such as a counterexample to a claim with all its
    hypotheses; the exit code is then 1.
    """

    summary: tuple[str, ...]
    tables: tuple[ResultTable, ...] = ()
    details: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    figures: tuple[Picture, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    unexpected: tuple[str, ...] = ()


class SweepQuestion(Protocol):
    """What a sweep asks. Both methods are pure functions of the spec and their arguments."""

    @property
    def columns(self) -> tuple[tuple[str, str], ...]:
        """Name and type of each column, types from :data:`TYPES`."""

    def rows(self, first: int, count: int) -> Mapping[str, Sequence[Any]]:
        """The rows of the indices first … first + count − 1, in order: one sequence for each column, all of one
        length, any number of rows an index. The rows of an index depend on it alone, not on the shard."""

    def finish(self, table: pa.Table, complete: bool) -> Result:
        """What the rows of all finished shards say, in the order of the indices; ``complete``: whether none is
        missing. The table of a sweep that was stopped early may be empty."""


def by_column(columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    """Rows as a sequence for each column."""
    turned = list(zip(*rows, strict=True)) or [()] * len(columns)
    return {name: column for (name, _), column in zip(columns, turned, strict=True)}


def by_index(
    columns: Sequence[tuple[str, str]], rows: Callable[[int], Iterable[Sequence[Any]]], first: int, count: int
) -> Mapping[str, Sequence[Any]]:
    """The rows of these indices, each by itself, as a sequence for each column."""
    return by_column(columns, chain.from_iterable(map(rows, range(first, first + count))))


def table_of(question: SweepQuestion, first: int, count: int) -> pa.Table:
    """The rows of a range of indices as a table with the question's columns. Raises TypeError for other columns."""
    rows = question.rows(first, count)
    names = [name for name, _ in question.columns]
    if sorted(rows) != sorted(names):
        raise TypeError(f"the question promised the columns {names} and gave {sorted(rows)}")
    return pa.table({name: rows[name] for name in names}, schema=schema_of(question))


def schema_of(question: SweepQuestion) -> pa.Schema:
    """The columns as Arrow knows them."""
    return pa.schema([(name, TYPES[kind]) for name, kind in question.columns])
