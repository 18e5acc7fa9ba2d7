"""The errors a user can cause, each carrying one sentence: what was given, where, what to give instead."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction


class InputError(ValueError):
    """Input that cannot be read as what it was given for; the command line answers it with exit code 2."""


class SingularMatrixError(ArithmeticError):
    """A linear system without exactly one solution."""


class BudgetExceededError(RuntimeError):
    """A decision that would cost more than its stated budget; the verdict is then ``undecided``, never a skip."""


def by_shape(shape: tuple[int, ...]) -> str:
    """A shape for a sentence: ``3×2``."""
    return "×".join(map(str, shape)) or "of one number"


def short(value: Fraction | int) -> str:
    """A rational for a sentence: exact with its decimal where that is short, else rounded.

    Safe for numbers beyond the float range and beyond Python's limit on printing integers.
    """
    numerator, denominator = value.numerator, value.denominator
    decimal = (Decimal(numerator) / Decimal(denominator)).normalize()
    if numerator.bit_length() + denominator.bit_length() > 200:
        return f"about {decimal:.17g}"
    return str(numerator) if denominator == 1 else f"{numerator}/{denominator} (about {decimal:.6g})"
