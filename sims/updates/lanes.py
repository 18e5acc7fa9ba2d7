r"""Floats of many runs side by side, with a running bound of their rounding.

A :class:`Lanes` is an array of shape (…, runs): what an update takes for a number, a vector or a matrix is the part
before the last axis. ``error`` bounds |computed − exact| entry by entry, the exact value being that of the exact inputs
(running error analysis: Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, §3.3). Its own roundings are
covered by whoever reads it, in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdcert.theory.arithmetic.reflected import Reflected
from tdcert.theory.laws.moments import gamma

UNIT = 2.0**-53

Array = NDArray[np.float64]


class DependsOnRun(Exception):  # noqa: N818 -- not a fault: the runs are then taken apart
    """An update asks for one answer where runs differ; ``which`` (runs): those with one answer, others have another."""

    def __init__(self, which: NDArray[np.bool_]) -> None:
        super().__init__()
        self.which = which


class Lanes(Reflected):
    """See the module docstring; ``error`` None: not followed."""

    __slots__ = ("error", "value")

    def __init__(self, value: Array, error: Array | None = None) -> None:
        self.value, self.error = value, error

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape without the axis of runs."""
        return self.value.shape[:-1]

    @property
    def ndim(self) -> int:
        """The number of axes without that of runs."""
        return self.value.ndim - 1

    @property
    def T(self) -> Lanes:
        """The transpose."""
        axes = (*range(self.ndim)[::-1], self.ndim)
        return self._each(lambda x: x.transpose(axes))

    def _each(self, change: Callable[[Array], Array]) -> Lanes:
        """Entries moved about, nothing computed."""
        return Lanes(change(self.value), None if self.error is None else change(self.error))

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Lanes]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, key: Any) -> Lanes:
        keys = key if isinstance(key, tuple) else (key,)
        whole = (*keys, slice(None)) if Ellipsis in keys else (*keys, Ellipsis)
        return self._each(lambda x: x[whole])

    # ---- arithmetic -----------------------------------------------------------------------------

    def _like(self, x: Any) -> Lanes | None:
        return lanes(x, self)

    def _plus(self, y: Lanes) -> Lanes:
        value = self.value + y.value
        return Lanes(value, _sum(self, y, value))

    def __neg__(self) -> Lanes:
        return Lanes(-self.value, self.error)

    def _times(self, y: Lanes) -> Lanes:
        value = self.value * y.value
        if self.error is None or y.error is None:
            return Lanes(value)
        return Lanes(value, _spread(self, y, np.multiply) + UNIT * np.abs(value))

    def _over(self, y: Lanes) -> Lanes:
        least = np.abs(y.value) - (0.0 if y.error is None else y.error)
        if not (least > 0).all():
            raise ZeroDivisionError("division by a number that may be zero")
        value = self.value / y.value
        if self.error is None or y.error is None:
            return Lanes(value)
        return Lanes(value, (self.error + np.abs(value) * y.error) / least + UNIT * np.abs(value))

    def __matmul__(self, other: Any) -> Any:
        y = lanes(other, self)
        return NotImplemented if y is None else _product(self, y)

    def __rmatmul__(self, other: Any) -> Any:
        y = lanes(other, self)
        return NotImplemented if y is None else _product(y, self)

    def sum(self) -> Any:
        """The sum of all entries of each run."""
        return sum((row.sum() for row in self), start=0) if self.ndim else self

    # ---- what NumPy's functions and comparisons ask for -------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        how = _UFUNCS.get(ufunc.__name__)
        if method == "outer" and ufunc.__name__ == "multiply":
            return _outer(*self._all(inputs))
        if method != "__call__" or how is None or keywords:
            return NotImplemented
        return how(*self._all(inputs))

    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        known: dict[str, Callable[..., Any]] = {"outer": _outer, "dot": _product, "sum": Lanes.sum}
        how = known.get(function.__name__)
        if how is None or keywords:
            return NotImplemented
        return how(*self._all(arguments))

    def _all(self, given: Iterable[Any]) -> list[Lanes]:
        found = [lanes(x, self) for x in given]
        if any(x is None for x in found):
            raise TypeError("something that is not a number")
        return [x for x in found if x is not None]

    def _compared(self, other: Any, how: Callable[[Array, Array], NDArray[np.bool_]]) -> bool:
        """One answer for all runs. Raises :class:`DependsOnRun` where there are two."""
        y = lanes(other, self)
        if y is None or self.ndim or y.ndim:
            raise TypeError("only numbers are compared, one with another")
        answers = how(self.value, y.value)
        if answers.any() and not answers.all():
            raise DependsOnRun(answers)
        return bool(answers.all())

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __index__(self) -> int:
        """The number of a state or an action, to look something up."""
        first = self.value.ravel()[0]
        if not self == first or first != int(first):
            raise TypeError("only states and actions are whole numbers")
        return int(first)

    def __hash__(self) -> int:
        return hash(self.__index__())

    def __abs__(self) -> Lanes:
        return Lanes(np.abs(self.value), self.error)


def lanes(x: Any, like: Lanes) -> Lanes | None:
    """A number or an array without runs as lanes, followed if ``like`` is; None for what is neither."""
    if isinstance(x, Lanes):
        return x
    try:
        value = np.asarray(x, dtype=np.float64)[..., np.newaxis]
    except (TypeError, ValueError):
        return None
    if like.error is None:
        return Lanes(value)
    whole = isinstance(x, int) and abs(x) < 2**53
    return Lanes(value, np.zeros_like(value) if whole else UNIT * np.abs(value))


def _sum(x: Lanes, y: Lanes, value: Array) -> Array | None:
    if x.error is None or y.error is None:
        return None
    return np.asarray(x.error + y.error + UNIT * np.abs(value))


def _spread(x: Lanes, y: Lanes, times: Callable[[Array, Array], Array]) -> Array:
    """|x| e_y + e_x |y| + e_x e_y, for a product that is linear in both."""
    assert x.error is not None and y.error is not None
    return times(np.abs(x.value) + x.error, y.error) + times(x.error, np.abs(y.value))


def _product(x: Lanes, y: Lanes) -> Lanes:
    """x @ y of vectors and matrices, run by run."""
    letters = {(1, 1): "ir,ir->r", (2, 1): "ijr,jr->ir", (1, 2): "ir,ijr->jr", (2, 2): "ijr,jkr->ikr"}
    how = letters.get((x.ndim, y.ndim))
    if how is None:
        raise TypeError("@ is for vectors and matrices")

    def times(a: Array, b: Array) -> Array:
        return np.asarray(np.einsum(how, a, b))

    value = times(x.value, y.value)
    if x.error is None or y.error is None:
        return Lanes(value)
    terms = y.shape[0]
    return Lanes(value, _spread(x, y, times) + gamma(terms + 1) * times(np.abs(x.value), np.abs(y.value)))


def _outer(x: Lanes, y: Lanes) -> Any:
    return x[:, None] * y[None, :]


def _choice(larger: bool) -> Callable[[Lanes, Lanes], Lanes]:
    def chosen(x: Lanes, y: Lanes) -> Lanes:
        value = np.maximum(x.value, y.value) if larger else np.minimum(x.value, y.value)
        if x.error is None or y.error is None:
            return Lanes(value)
        return Lanes(value, np.maximum(x.error, y.error))  # both maps move by no more than their arguments do

    return chosen


_UFUNCS: dict[str, Callable[..., Any]] = {
    "add": Lanes._plus,
    "subtract": Lanes.__sub__,
    "multiply": Lanes._times,
    "true_divide": Lanes._over,
    "divide": Lanes._over,
    "matmul": _product,
    "negative": Lanes.__neg__,
    "positive": Lanes.__pos__,
    "absolute": Lanes.__abs__,
    "maximum": _choice(larger=True),
    "minimum": _choice(larger=False),
}
