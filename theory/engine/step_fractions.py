"""Numbers over polynomials in the step sizes, for updates that divide by their steps, such as α/(1 + α|φ|²).

Source: such updates are called implicit (Toulis, Airoldi, 2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq, fmpq_mpoly

from tdcert.theory.engine.numbers import Exact, Kind, Refusal, exact, terms
from tdcert.theory.engine.series import NO_VALUE, OfSteps

ONE = Exact(fmpq(1))


class StepFraction(OfSteps):
    """``value`` over ``over``, a polynomial in step sizes alone that is not zero; in lowest terms."""

    __slots__ = ("over", "value")

    def __init__(self, value: Exact, over: Exact = ONE) -> None:
        if isinstance(value.value, fmpq_mpoly) and isinstance(over.value, fmpq_mpoly):
            common = value.value.gcd(over.value)
            value, over = Exact(value.value / common, value.holds), Exact(over.value / common)
        unit = fmpq(1) if value.constant == 0 else over.constant
        self.value: Exact = value if unit is None else value * (1 / unit)
        self.over = over if unit is None else ONE

    @property
    def parts(self) -> list[Exact]:
        """Both numbers."""
        return [self.value, self.over]

    @property
    def holds(self) -> int:
        """``holds`` of :class:`~tdcert.theory.engine.numbers.Exact`."""
        return self.value.holds

    def _like(self, x: Any) -> StepFraction | None:
        return step_fraction(x)

    def _plus(self, y: StepFraction) -> StepFraction:
        if self.over is ONE and y.over is ONE:
            return StepFraction(self.value + y.value)
        return StepFraction(self.value * y.over + y.value * self.over, self.over * y.over)

    def __neg__(self) -> StepFraction:
        return StepFraction(-self.value, self.over)

    def _times(self, y: StepFraction) -> StepFraction:
        return StepFraction(self.value * y.value, self.over * y.over)

    def _over(self, y: StepFraction) -> StepFraction:
        divisor = y.value
        if not divisor.is_of(Kind.STEP):
            raise Refusal("divides by a symbol", "divide by numbers and step sizes only", divisor.symbols)
        if divisor.constant == 0:
            raise Refusal("divides by zero", "say what it is there, for instance 0 where the divisor is 0")
        return StepFraction(self.value * y.over, self.over * divisor)

    def _value(self) -> Exact:
        if self.over is not ONE:
            raise Refusal("asks for the value of what depends on a step size", NO_VALUE)
        return self.value

    def __repr__(self) -> str:
        return f"({self.value!r})/({self.over!r})"


def step_fraction(x: Any) -> StepFraction | None:
    """The number ``x`` as :class:`StepFraction`; None for what is not a number."""
    if isinstance(x, StepFraction):
        return x
    found = exact(x)
    return None if found is None else StepFraction(found)


def over_one(values: Sequence[Any]) -> tuple[list[Exact], Exact]:
    """The numerators over one divisor, and this divisor, which is 1 at steps zero.

    Raises :class:`Refusal` for a divisor that vanishes there.
    """
    found, common = [x for x in map(step_fraction, values) if x is not None], ONE
    for x in found:
        common = common * StepFraction(x.over, common).value if x.over is not ONE else common
    at_zero = next((x for powers, x in terms(common).items() if not any(powers)), fmpq(0))
    if at_zero == 0:
        raise Refusal("divides by what vanishes with its step sizes", "divide by what does not, such as 1 + alpha")
    common = common * (1 / at_zero)
    return [x.value * StepFraction(common, x.over).value for x in found], common
