"""Words that messages, evidence and reports share."""

from __future__ import annotations

from abc import ABC, abstractmethod


class Told(ABC):
    """A result that one sentence tells: Python and notebooks show that, not its fields."""

    @property
    @abstractmethod
    def sentence(self) -> str:
        """The result in words."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.sentence}>"

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(self.sentence)}</p>"


def counted(count: int, one: str, many: str = "") -> str:
    """``1 claim``, ``2 claims``; thousands are separated."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
