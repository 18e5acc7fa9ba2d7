"""Symbolic matrices over a field of rational functions, on FLINT's polynomials.

Equality is decided by normal forms of the field, never by ``simplify``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps
from operator import add, mul
from typing import Any

from flint import fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from tdcert.theory.errors import SingularMatrixError


def _of_the_field(
    act: Callable[[RationalFunction, RationalFunction], RationalFunction],
) -> Callable[[RationalFunction, Any], RationalFunction]:
    """An operation that takes in integers and fractions."""

    @wraps(act)
    def taken_in(self: RationalFunction, value: Any) -> RationalFunction:
        other = self.taken(value)
        return NotImplemented if other is None else act(self, other)

    return taken_in


class RationalFunction:
    """``numer``/``denom``: polynomials over Q without a common factor, the leading coefficient below the bar 1.

    So equal functions are equal pairs. Integers and fractions are taken in by every operation. Raises
    ZeroDivisionError where it divides by the zero of the field.
    """

    __slots__ = ("denom", "numer")
    numer: fmpq_mpoly
    denom: fmpq_mpoly

    def __init__(self, numer: fmpq_mpoly, denom: fmpq_mpoly) -> None:
        if not denom.is_one():
            common = numer.gcd(denom)
            if not common.is_one():
                numer, denom = numer / common, denom / common
            leading = denom.leading_coefficient()
            if leading != 1:
                numer, denom = numer / leading, denom / leading
        self.numer, self.denom = numer, denom

    def taken(self, value: Any) -> RationalFunction | None:
        """An integer, a fraction or an element of this field as an element; None for anything else, floats too."""
        if isinstance(value, RationalFunction):
            return value
        if not isinstance(value, (Fraction, int)):
            return None
        context = self.numer.context()
        return RationalFunction(context.constant(fmpq(value.numerator, value.denominator)), context.constant(1))

    @_of_the_field
    def __add__(self, other: RationalFunction) -> RationalFunction:
        if self.denom == other.denom:
            return RationalFunction(self.numer + other.numer, self.denom)
        above = self.numer * other.denom + other.numer * self.denom
        return RationalFunction(above, self.denom * other.denom)

    @_of_the_field
    def __sub__(self, other: RationalFunction) -> RationalFunction:
        return self + -other

    @_of_the_field
    def __rsub__(self, other: RationalFunction) -> RationalFunction:
        return other + -self

    @_of_the_field
    def __mul__(self, other: RationalFunction) -> RationalFunction:
        return RationalFunction(self.numer * other.numer, self.denom * other.denom)

    __radd__, __rmul__ = __add__, __mul__

    @_of_the_field
    def __truediv__(self, other: RationalFunction) -> RationalFunction:
        return RationalFunction(self.numer * other.denom, self.denom * other.numer)

    @_of_the_field
    def __rtruediv__(self, other: RationalFunction) -> RationalFunction:
        return other / self

    def __neg__(self) -> RationalFunction:
        return RationalFunction(-self.numer, self.denom)

    def __pow__(self, n: int) -> RationalFunction:
        return 1 / self**-n if n < 0 else RationalFunction(self.numer**n, self.denom**n)

    def __eq__(self, other: object) -> bool:
        taken = self.taken(other)
        return taken is not None and bool(self.numer == taken.numer and self.denom == taken.denom)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return not self.numer.is_zero()

    def __repr__(self) -> str:
        return f"({self.numer})/({self.denom})"


class SymbolicRing:
    """The field Q(x_1, …, x_k) of rational functions in named symbols.

    >>> ring = SymbolicRing("g", "l1")
    >>> g, l1 = ring.symbols
    >>> (g + l1) ** 2 == g**2 + 2 * g * l1 + l1**2
    True
    """

    def __init__(self, *names: str) -> None:
        self.context = fmpq_mpoly_ctx.get(names, "lex")
        self.zero, self.one = (RationalFunction(self.context.constant(k), self.context.constant(1)) for k in (0, 1))
        self.symbols: tuple[RationalFunction, ...] = tuple(
            RationalFunction(symbol, self.one.denom) for symbol in self.context.gens()
        )

    def matrix(self, rows: Sequence[Sequence[Any]]) -> SymbolicMatrix:
        """A matrix of elements of this field (integers and fractions are taken in)."""
        return SymbolicMatrix(tuple(tuple(map(self.element, row)) for row in rows), self)

    def element(self, value: Any) -> RationalFunction:
        """The value as an element of the field. Raises TypeError for what is not an integer, a fraction or one."""
        taken = self.one.taken(value)
        if taken is None:
            raise TypeError(f"a {type(value).__name__} is not an element of this field")
        return taken


@dataclass(frozen=True, eq=False)
class SymbolicMatrix:
    """A matrix of rational functions behind the :class:`~tdcert.theory.arithmetic.protocol.Matrix` protocol."""

    rows: tuple[tuple[RationalFunction, ...], ...]
    ring: SymbolicRing

    def _wrap(self, rows: Iterable[Iterable[RationalFunction]]) -> SymbolicMatrix:
        return SymbolicMatrix(tuple(map(tuple, rows)), self.ring)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.rows[0])

    @property
    def T(self) -> SymbolicMatrix:
        return self._wrap(zip(*self.rows, strict=True))

    def __matmul__(self, other: SymbolicMatrix) -> SymbolicMatrix:
        return self._wrap(
            [[sum(map(mul, row, column), self.ring.zero) for column in other.T.rows] for row in self.rows]
        )

    def __add__(self, other: SymbolicMatrix) -> SymbolicMatrix:
        return self._wrap(map(add, *pair) for pair in zip(self.rows, other.rows, strict=True))

    def __sub__(self, other: SymbolicMatrix) -> SymbolicMatrix:
        return self + other.scaled(-1)

    def scaled(self, scalar: Any) -> SymbolicMatrix:
        return self._wrap([[scalar * x for x in row] for row in self.rows])

    def scale_rows(self, column: SymbolicMatrix) -> SymbolicMatrix:
        return self._wrap([[factor * x for x in row] for (factor,), row in zip(column.rows, self.rows, strict=True)])

    def hadamard(self, other: SymbolicMatrix) -> SymbolicMatrix:
        return self._wrap(map(mul, *pair) for pair in zip(self.rows, other.rows, strict=True))

    def solve(self, right: SymbolicMatrix) -> SymbolicMatrix:
        """Gauss and Jordan's elimination; every non-zero element of a field is a pivot as good as any."""
        rows = [[*row, *given] for row, given in zip(self.rows, right.rows, strict=True)]
        for k in range(len(rows)):
            pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
            if pivot is None:
                raise SingularMatrixError("the matrix of the linear system is singular")
            rows[k], rows[pivot] = rows[pivot], rows[k]
            rows[k] = [x / rows[k][k] for x in rows[k]]
            for i, row in enumerate(rows):
                if i != k and row[k]:
                    rows[i] = [x - row[k] * y for x, y in zip(row, rows[k], strict=True)]
        return self._wrap(row[len(rows) :] for row in rows)

    def identity(self, n: int) -> SymbolicMatrix:
        return self.ring.matrix([[int(i == j) for j in range(n)] for i in range(n)])

    def from_rationals(self, rows: Sequence[Sequence[Fraction]]) -> SymbolicMatrix:
        return self.ring.matrix(rows)

    def is_zero(self) -> bool:
        """Whether every entry is the zero of the field: a decision, by normal form."""
        return not any(x for row in self.rows for x in row)

    def __getitem__(self, index: tuple[int, int]) -> RationalFunction:
        return self.rows[index[0]][index[1]]
