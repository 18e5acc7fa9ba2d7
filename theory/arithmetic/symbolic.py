"""Symbolic matrices: SymPy's domain matrices over a field of rational functions.

Equality is decided by normal forms of the field, never by ``simplify``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sympy import QQ, Symbol
from sympy.polys.matrices import DomainMatrix
from sympy.polys.matrices.exceptions import DMNonInvertibleMatrixError

from tdcert.theory.errors import SingularMatrixError


class SymbolicRing:
    """The field Q(x_1, …, x_k) of rational functions in named symbols.

    >>> ring = SymbolicRing("g", "l1")
    >>> g, l1 = ring.symbols
    >>> (g + l1) ** 2 == g**2 + 2 * g * l1 + l1**2
    True
    """

    def __init__(self, *names: str) -> None:
        # Without names a spare symbol keeps the elements of one type: rational functions, all constant.
        self.domain: Any = QQ.frac_field(*(Symbol(name) for name in names or ("spare",)))
        self.symbols: tuple[Any, ...] = tuple(self.domain.gens) if names else ()

    def matrix(self, rows: Sequence[Sequence[Any]]) -> SymbolicMatrix:
        """A matrix of elements of this field (integers and fractions are taken in)."""
        entries = [[self.element(entry) for entry in row] for row in rows]
        return SymbolicMatrix(DomainMatrix(entries, (len(rows), len(rows[0])), self.domain), self)

    def element(self, value: Any) -> Any:
        """The value as an element of the field."""
        if isinstance(value, Fraction):
            return self.domain.convert(QQ(value.numerator, value.denominator))
        if isinstance(value, int):
            return self.domain.convert(QQ(value))
        return value


@dataclass(frozen=True, eq=False)
class SymbolicMatrix:
    """A matrix of rational functions behind the :class:`~tdcert.theory.arithmetic.protocol.Matrix` protocol."""

    matrix: DomainMatrix
    ring: SymbolicRing

    def _wrap(self, matrix: DomainMatrix) -> SymbolicMatrix:
        return SymbolicMatrix(matrix, self.ring)

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.matrix.shape
        return rows, columns

    @property
    def T(self) -> SymbolicMatrix:
        return self._wrap(self.matrix.transpose())

    def __matmul__(self, other: SymbolicMatrix) -> SymbolicMatrix:
        return self._wrap(self.matrix * other.matrix)

    def __add__(self, other: SymbolicMatrix) -> SymbolicMatrix:
        return self._wrap(self.matrix + other.matrix)

    def __sub__(self, other: SymbolicMatrix) -> SymbolicMatrix:
        return self._wrap(self.matrix - other.matrix)

    def scaled(self, scalar: Any) -> SymbolicMatrix:
        return self._wrap(self.matrix.scalarmul(self.ring.element(scalar)))

    def scale_rows(self, column: SymbolicMatrix) -> SymbolicMatrix:
        factors = column.matrix.to_list_flat()
        return self._wrap(DomainMatrix.diag(factors, self.ring.domain) * self.matrix)

    def hadamard(self, other: SymbolicMatrix) -> SymbolicMatrix:
        pairs = zip(self.matrix.to_list(), other.matrix.to_list(), strict=True)
        return self.ring.matrix([[a * b for a, b in zip(p, q, strict=True)] for p, q in pairs])

    def solve(self, right: SymbolicMatrix) -> SymbolicMatrix:
        try:
            return self._wrap(self.matrix.to_dense().lu_solve(right.matrix.to_dense()))
        except DMNonInvertibleMatrixError as error:
            raise SingularMatrixError("the matrix of the linear system is singular") from error

    def identity(self, n: int) -> SymbolicMatrix:
        return self._wrap(DomainMatrix.eye(n, self.ring.domain).to_dense())

    def from_rationals(self, rows: Sequence[Sequence[Fraction]]) -> SymbolicMatrix:
        return self.ring.matrix(rows)

    def is_zero(self) -> bool:
        """Whether every entry is the zero of the field: a decision, by normal form."""
        return bool(self.matrix.is_zero_matrix)

    @property
    def rows(self) -> list[list[Any]]:
        """All entries."""
        rows: list[list[Any]] = self.matrix.to_list()
        return rows

    def __getitem__(self, index: tuple[int, int]) -> Any:
        return self.rows[index[0]][index[1]]
