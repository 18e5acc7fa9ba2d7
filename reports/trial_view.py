"""What :func:`tdcert.conform` and :func:`tdcert.conform_estimator` return: the document, and the answer in words."""

from __future__ import annotations

from html import escape
from typing import Any

from tdcert.reports.documents import Row
from tdcert.reports.tabled import Tabled
from tdcert.reports.terminal import printable


class Trial(Tabled, dict[str, Any]):
    """The outcome of a trial: the dictionary that ``tdcert conform --json`` prints, and ``words``, the answer."""

    def __init__(self, document: Row, words: str) -> None:
        super().__init__(document)
        self.words = words

    def rows(self) -> list[Row]:
        """One dictionary for each property that was asked; of an estimator, for each contract too."""
        if "contracts" not in self:
            return [dict(one) for one in self["properties"]]
        return [{"contract": x["contract"], **one} for x in self["contracts"] for one in x["properties"]]

    def _repr_html_(self) -> str:
        """The answer and the properties as HTML, for notebooks."""
        return f"<p><b>{escape(self.words)}</b></p>{super()._repr_html_()}"

    def __repr__(self) -> str:
        return printable(f"<{type(self).__name__}: {' '.join(self.words.splitlines())}>")

    def __str__(self) -> str:
        return printable(self.words)

    def __reduce__(self) -> tuple[type[Trial], tuple[Row, str]]:
        return Trial, (dict(self), self.words)
