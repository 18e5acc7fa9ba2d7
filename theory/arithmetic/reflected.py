"""Operators that follow from a few: for the kinds of numbers on which updates are evaluated."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any


class Reflected:
    """Numbers of one kind, with numbers of other kinds on either side.

    A subclass says by ``_like`` what a number of another kind is, and has ``_plus``, ``__neg__``, ``_times`` and
    ``_over`` for numbers of its own, and ``_compared`` or its own comparisons.
    """

    __slots__ = ()

    def _like(self, x: Any) -> Any:
        """``x`` as such a number; None for what is not a number."""
        raise NotImplementedError

    def _plus(self, y: Any) -> Any:
        raise NotImplementedError

    def _times(self, y: Any) -> Any:
        raise NotImplementedError

    def _over(self, y: Any) -> Any:
        raise NotImplementedError

    def _compared(self, other: Any, how: Callable[[Any, Any], Any]) -> Any:
        """``how`` of both, by their values."""
        raise NotImplementedError

    def __neg__(self) -> Any:
        raise NotImplementedError

    def __pos__(self) -> Any:
        return self

    def __add__(self, other: Any) -> Any:
        y = self._like(other)
        return NotImplemented if y is None else self._plus(y)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        y = self._like(other)
        return NotImplemented if y is None else self._plus(-y)

    def __rsub__(self, other: Any) -> Any:
        y = self._like(other)
        return NotImplemented if y is None else y._plus(-self)

    def __mul__(self, other: Any) -> Any:
        y = self._like(other)
        return NotImplemented if y is None else self._times(y)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        y = self._like(other)
        return NotImplemented if y is None else self._over(y)

    def __rtruediv__(self, other: Any) -> Any:
        y = self._like(other)
        return NotImplemented if y is None else y._over(self)

    def __pow__(self, power: Any) -> Any:
        result = self._like(1)
        for _ in range(abs(int(power))):
            result = result * self
        return result if power >= 0 else 1 / result

    def __eq__(self, other: object) -> Any:
        return self._compared(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._compared(other, operator.ne)

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._compared(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, operator.ge)
