"""Results with rows: the same as dictionaries, as a data frame, and as a table in notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape
from typing import Any

from tdcert.reports.documents import Row
from tdcert.reports.lookups import WithNames
from tdcert.theory.errors import InputError


class Tabled(WithNames, ABC):
    """A result whose ``rows`` are dictionaries with the same keys."""

    @abstractmethod
    def rows(self) -> list[Row]:
        """One dictionary for each row, numbers as floats; None for what is not known."""

    def to_frame(self) -> Any:
        """The rows as a pandas data frame. Raises :class:`InputError` where pandas is not installed."""
        try:
            from pandas import DataFrame
        except ImportError:
            raise InputError(
                "pandas is not installed, and to_frame() makes a pandas data frame; install pandas, or read .rows(), "
                "which are the same as dictionaries"
            ) from None
        return DataFrame(self.rows())

    def _repr_html_(self) -> str:
        """The rows as an HTML table, for notebooks; where there are none, the result in words."""
        rows = self.rows()
        if not rows:
            return f"<p>{escape(str(self))}</p>"
        head = "".join(f'<th style="text-align:left">{escape(key)}</th>' for key in rows[0])
        body = "".join(f"<tr>{''.join(map(_cell, row.values()))}</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    text = "" if value is None else f"{value:.5g}" if isinstance(value, float) else str(value)
    return f'<td style="text-align:left">{escape(text)}</td>'
