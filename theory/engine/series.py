"""Numbers to first order in the step sizes: c + Σ_k step_k e_k + r, with r of second degree in all steps together.

Where the constant part is a number other than 0 they can be divided by. What is cut off is remembered by its degrees
alone: the products of two steps that divide its terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from flint import fmpq

from tdcert.theory.arithmetic.reflected import Reflected
from tdcert.theory.engine.numbers import Exact, Refusal, exact

Pair = tuple[int, int]
"""Two step sizes by their numbers, the smaller one first (or one of them twice)."""

NO_VALUE = "compare, branch on and round only what does not depend on step sizes"


class OfSteps(Reflected):
    """A number that may depend on step sizes; where it does it has no value to compare or branch on."""

    __slots__ = ()

    def __pow__(self, power: Any) -> Any:
        n = exact(power)
        whole = None if n is None else n.constant
        if whole is None or whole.q != 1:
            raise Refusal(f"raises a step size to the power {power}", "give a whole number as the power")
        return super().__pow__(int(whole.p))

    def _value(self) -> Exact:
        """The number that it is. Raises :class:`Refusal` where it depends on step sizes."""
        raise NotImplementedError

    def _compared(self, other: Any, how: Callable[[Any, Any], Any]) -> Any:
        y = self._like(other)
        return NotImplemented if y is None else how(self._value(), y._value())

    def __hash__(self) -> int:
        return hash(self._value())

    def __bool__(self) -> bool:
        return bool(self._value())

    def __abs__(self) -> Exact:
        return abs(self._value())

    def conjugate(self) -> OfSteps:
        """Returns the number itself; NumPy calls this method."""
        return self


class StepSeries(OfSteps):
    """``still``: c; ``first``: e_k by the number of the step; ``beyond``: products of two steps, such that each term of
    r is divisible by one of them. Neither ``still`` nor ``first`` holds a step size.
    """

    __slots__ = ("beyond", "first", "still")

    def __init__(self, still: Exact, first: Mapping[int, Exact], beyond: frozenset[Pair] = frozenset()) -> None:
        self.still, self.beyond = still, beyond
        self.first = {k: x for k, x in first.items() if x.value != 0}

    @property
    def holds(self) -> int:
        """``holds`` of :class:`~tdcert.theory.engine.numbers.Exact`, over all parts that are not cut off."""
        found = self.still.holds
        for part in self.first.values():
            found |= part.holds
        return found

    def _like(self, x: Any) -> StepSeries | None:
        return series(x)

    def _plus(self, y: StepSeries) -> StepSeries:
        first = {
            k: self.first[k] + y.first[k] if k in self.first and k in y.first else x
            for k, x in (self.first | y.first).items()
        }
        return StepSeries(self.still + y.still, first, self.beyond | y.beyond)

    def __neg__(self) -> StepSeries:
        return StepSeries(-self.still, {k: -x for k, x in self.first.items()}, self.beyond)

    def _times(self, y: StepSeries) -> StepSeries:
        first = {k: x * y.still for k, x in self.first.items()}
        for k, x in y.first.items():
            first[k] = first[k] + self.still * x if k in first else self.still * x
        cut = {(min(pair), max(pair)) for pair in product(self.first, y.first)}
        return StepSeries(self.still * y.still, first, self.beyond | y.beyond | cut)

    def _over(self, y: StepSeries) -> StepSeries:
        if y.first and y.still.constant == 0:
            raise Refusal("divides by what vanishes with its step sizes", "divide by what does not, such as 1 + alpha")
        inverse = 1 / y.still  # refused where it is no number, or zero
        first = {k: -x * inverse * inverse for k, x in y.first.items()}
        cut = {(min(pair), max(pair)) for pair in product(y.first, y.first)}
        return self._times(StepSeries(inverse, first, y.beyond | cut))

    def _value(self) -> Exact:
        if self.first or self.beyond:
            raise Refusal("asks for the value of what depends on a step size", NO_VALUE)
        return self.still

    def __repr__(self) -> str:
        return f"{self.still!r} + {self.first!r}"


def series(x: Any) -> StepSeries | None:
    """The number ``x`` as :class:`StepSeries`; None for what is not a number."""
    if isinstance(x, StepSeries):
        return x
    found = exact(x)
    return None if found is None else StepSeries(found, {})


def steps_as_series(count: int) -> list[StepSeries]:
    """The step sizes as series, ``count`` of them."""
    return [StepSeries(Exact(fmpq(0)), {k: Exact(fmpq(1))}) for k in range(count)]


def graded(x: Exact | StepSeries, count: int) -> list[tuple[tuple[int, ...] | None, Exact]]:
    """The parts of ``x`` by the exponents of the ``count`` step sizes that multiply them.

    The exponents are None for an :class:`Exact`, whose polynomial contains the step sizes itself.
    """
    if isinstance(x, Exact):
        return [(None, x)]
    units = [tuple(int(i == k) for i in range(count)) for k in range(count)]
    return [((0,) * count, x.still), *((units[k], part) for k, part in x.first.items())]
