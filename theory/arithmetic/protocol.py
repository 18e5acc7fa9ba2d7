"""What a matrix must be able to do for the theory to be written once, for every number system.

No module of the model layer names a library's matrix type: it sees this protocol alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from flint import fmpq

    from tdcert.theory.arithmetic.rational import RationalMatrix


class Matrix(Protocol):
    """An immutable matrix over one number system.

    ``scalar`` arguments are elements of that number system, or rationals. ``solve`` raises
    :class:`~tdcert.theory.errors.SingularMatrixError` where there is not exactly one solution.
    """

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def T(self) -> Self: ...

    def __matmul__(self, other: Self) -> Self: ...

    def __add__(self, other: Self) -> Self: ...

    def __sub__(self, other: Self) -> Self: ...

    def scaled(self, scalar: Any) -> Self:
        """``scalar · self``."""
        ...

    def scale_rows(self, column: Self) -> Self:
        """``diag(column) @ self``; ``column`` has shape (rows, 1)."""
        ...

    def hadamard(self, other: Self) -> Self:
        """Entry-wise product."""
        ...

    def solve(self, right: Self) -> Self:
        """The X with ``self @ X == right``; self is square."""
        ...

    def identity(self, n: int) -> Self:
        """The n×n identity of the same number system."""
        ...

    def from_rationals(self, rows: Sequence[Sequence[Fraction]]) -> Self:
        """A matrix of the same number system with these entries."""
        ...


class Enclosing(Matrix, Protocol):
    """What else a matrix of results can do, exact or enclosed. ``take``: the submatrix with these rows and columns, in
    this order (None: all); ``beside``: ``[self, others[0], …]``; ``is_regular``: whether it is known to be nonsingular;
    ``nonzero_rows``: those in which an entry may differ from zero.
    """

    @classmethod
    def enclosing(cls, matrix: RationalMatrix) -> Self: ...

    def __neg__(self) -> Self: ...

    def take(self, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None) -> Self: ...

    def beside(self, *others: Self) -> Self: ...

    @property
    def is_regular(self) -> bool: ...

    @property
    def nonzero_rows(self) -> set[int]: ...


class Flint(Enclosing, Protocol):
    """A matrix of python-flint's scalars, rational ones or balls. ``of_scalars``: the matrix with these entries, row
    after row; ``combined``: Σ x W, of at least one pair (x, W).
    """

    @classmethod
    def of_scalars(cls, entries: Sequence[Any], columns: int = 1) -> Self: ...

    @classmethod
    def combined(cls, parts: Sequence[tuple[fmpq, Self]]) -> Self: ...

    @property
    def scalars(self) -> list[list[Any]]: ...

    def to_float(self) -> Any: ...


Dense = TypeVar("Dense", bound=Flint)
"""The matrices of results in one arithmetic, exact or in balls."""
