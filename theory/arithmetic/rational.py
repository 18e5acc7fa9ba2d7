"""Exact rational matrices: an integer matrix of python-flint with one common denominator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations
from math import inf, lcm
from typing import Any, Self, TypeVar

from flint import fmpq, fmpq_mat, fmpz, fmpz_mat, fmpz_poly, nmod_mat

from tdcert.theory.errors import SingularMatrixError

T = TypeVar("T")

PRIME = 2**61 - 1
"""A prime modulo which ranks are asked first."""


def to_fmpq(value: Fraction | int | fmpq) -> fmpq:
    """The value as a rational scalar of python-flint."""
    if isinstance(value, fmpq):
        return value
    if isinstance(value, int):
        return fmpq(value)
    return fmpq(value.numerator, value.denominator)


def to_fraction(value: fmpq | fmpz) -> Fraction:
    """The value as a Fraction (python-flint keeps lowest terms, so no gcd is taken again)."""
    exact = fmpq(value)
    return Fraction(int(exact.p), int(exact.q))


def to_float(value: fmpq | fmpz) -> float:
    """The value rounded once. Raises :class:`OverflowError` beyond the largest float."""
    exact = fmpq(value)
    return int(exact.p) / int(exact.q)


class QuotientMatrix:
    """An immutable matrix ``numerator / denominator`` of integers over a positive one, whether in lowest terms or not.

    Integer products with one denominator cost far less than fractions entry by entry, and let integer algorithms
    (modular solving, characteristic polynomials) work on ``numerator`` as it is.
    """

    __slots__ = ("__dict__", "denominator", "numerator")

    numerator: fmpz_mat
    denominator: fmpz

    @classmethod
    def _plain(cls, numerator: fmpz_mat, denominator: fmpz) -> Self:
        """The matrix with these parts, which are taken as they are."""
        made = cls.__new__(cls)
        made.numerator, made.denominator = numerator, denominator
        return made

    @classmethod
    def _make(cls, numerator: fmpz_mat, denominator: fmpz) -> Self:
        """The integer matrix over a non-zero denominator, in the form of this class."""
        return cls._plain(numerator, denominator)

    @property
    def shape(self) -> tuple[int, int]:
        return self.numerator.nrows(), self.numerator.ncols()

    @property
    def T(self) -> Self:
        return self._plain(self.numerator.transpose(), self.denominator)

    def __matmul__(self, other: Self) -> Self:
        return self._make(self.numerator * other.numerator, self.denominator * other.denominator)

    def scaled(self, scalar: Fraction | int | fmpq) -> Self:
        return self._make(self.numerator * scalar.numerator, self.denominator * scalar.denominator)

    def scale_rows(self, column: Self) -> Self:
        factors, denominator = column.numerator.entries(), self.denominator * column.denominator
        if factors and factors.count(factors[0]) == len(factors):
            return self._make(self.numerator * factors[0], denominator)
        rows = zip(factors, self.numerator.table(), strict=True)
        entries = [factor * entry if entry else entry for factor, row in rows for entry in row]
        return self._make(fmpz_mat(*self.shape, entries), denominator)

    def hadamard(self, other: Self) -> Self:
        if other.shape != self.shape:
            raise ValueError(f"hadamard needs equal shapes, got {self.shape} and {other.shape}")
        pairs = zip(self.numerator.entries(), other.numerator.entries(), strict=True)
        entries = [a * b if a else a for a, b in pairs]
        return self._make(fmpz_mat(*self.shape, entries), self.denominator * other.denominator)

    def block(self, *, right: Self, below: Self, corner: Self) -> Self:
        """``[[self, right], [below, corner]]``."""
        return self.beside(right).T.beside(below.beside(corner).T).T

    def beside(self, *others: Self) -> Self:
        """``[self, others[0], others[1], …]``."""
        parts = (self, *others)
        common = lcm(*(int(part.denominator) for part in parts))
        tables = ((part.numerator * (common // part.denominator)).table() for part in parts)
        return self._make(fmpz_mat([list(chain(*rows)) for rows in zip(*tables, strict=True)]), fmpz(common))

    def identity(self, n: int) -> Self:
        return self._plain(fmpz_mat(n, n, [int(i == j) for i in range(n) for j in range(n)]), fmpz(1))


class RationalMatrix(QuotientMatrix):
    """A rational matrix, in lowest terms as a whole."""

    def __init__(self, rows: Sequence[Sequence[Fraction | int]]) -> None:
        common = lcm(*(entry.denominator for row in rows for entry in row)) if rows and len(rows[0]) else 1
        entries = [entry.numerator * (common // entry.denominator) for row in rows for entry in row]
        self.numerator = fmpz_mat(len(rows), len(rows[0]) if rows else 0, entries)
        self.denominator = fmpz(common)

    @classmethod
    def _make(cls, numerator: fmpz_mat, denominator: fmpz) -> Self:
        # Most often a few entries show that nothing cancels; dividing through costs far more than asking.
        if denominator == 1:
            return cls._plain(numerator, denominator)
        content = abs(denominator)
        for j in range(numerator.ncols() if numerator.nrows() else 0):
            content = content.gcd(numerator[0, j])
            if content == 1:
                break
        else:
            content = fmpz_poly(numerator.entries()).content().gcd(content)
        if denominator < 0:
            content = -content
        if content == 1:
            return cls._plain(numerator, denominator)
        return cls._plain(numerator / content, denominator // content)

    @classmethod
    def quotient(cls, numerator: fmpz_mat, denominator: fmpz) -> RationalMatrix:
        """An integer matrix over a non-zero integer."""
        return cls._make(numerator, denominator)

    @classmethod
    def from_flint(cls, matrix: fmpq_mat) -> RationalMatrix:
        """The matrix of python-flint's own rational matrix, whose least common denominator leaves nothing to cancel."""
        return cls._plain(*matrix.numer_denom())

    @classmethod
    def from_integers(cls, size: int, entries: Sequence[fmpz]) -> RationalMatrix:
        """A square matrix of integers, row after row."""
        return cls._plain(fmpz_mat(size, size, entries), fmpz(1))

    @classmethod
    def column(cls, entries: Iterable[Fraction | int]) -> RationalMatrix:
        """A column vector."""
        return cls([[entry] for entry in entries])

    @classmethod
    def enclosing(cls, matrix: RationalMatrix) -> RationalMatrix:
        """The matrix itself: what exact and enclosed arithmetic do alike takes the class of its matrices."""
        return matrix

    @classmethod
    def combined(cls, parts: Sequence[tuple[fmpq, RationalMatrix]]) -> RationalMatrix:
        """Σ x W, of at least one pair (x, W)."""
        factors = [x / W.denominator for x, W in parts]
        common = fmpz(lcm(*(int(x.q) for x in factors)))
        numerators = (W.numerator * (x.p * (common // x.q)) for x, (_, W) in zip(factors, parts, strict=True))
        return RationalMatrix._make(sum(numerators, start=fmpz_mat(*parts[0][1].shape)), common)

    @classmethod
    def of_scalars(cls, entries: Sequence[fmpq], columns: int = 1) -> RationalMatrix:
        """The matrix with these python-flint scalars, row after row; a column unless ``columns`` says otherwise."""
        if len(entries) == 1:
            return cls._plain(fmpz_mat(1, 1, [entries[0].p]), entries[0].q)
        return cls.from_flint(fmpq_mat(len(entries) // columns if columns else 0, columns, entries))

    @classmethod
    def zeros(cls, rows: int, columns: int) -> RationalMatrix:
        """The zero matrix."""
        return cls._make(fmpz_mat(rows, columns), fmpz(1))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies hold Python integers: matrices of python-flint cannot be pickled. Caches stay out."""
        entries = [int(entry) for entry in self.numerator.entries()]
        return _rebuilt, (*self.shape, entries, int(self.denominator))

    # ---- the protocol -------------------------------------------------------------------------

    def __add__(self, other: RationalMatrix) -> RationalMatrix:
        if self.denominator == other.denominator:
            return self._make(self.numerator + other.numerator, self.denominator)
        common = self.denominator.lcm(other.denominator)
        left = self.numerator * (common // self.denominator)
        return self._make(left + other.numerator * (common // other.denominator), common)

    def __sub__(self, other: RationalMatrix) -> RationalMatrix:
        return self + (-other)

    def __neg__(self) -> RationalMatrix:
        return self._plain(-self.numerator, self.denominator)

    def scaled(self, scalar: Fraction | int | fmpq) -> RationalMatrix:
        if scalar.denominator != 1:
            return super().scaled(scalar)
        content = self.denominator.gcd(scalar.numerator)  # it has no divisor in common with all entries
        return self._plain(self.numerator * (scalar.numerator // content), self.denominator // content)

    def solve(self, right: RationalMatrix) -> RationalMatrix:
        """The X with ``self @ X == right``.

        Each equation is first divided by the content of its row: a row scaled by a long number (a
        stationary probability, say) then costs no more than the unscaled one.
        """
        left_rows, right_rows = [], []
        for left_row, right_row in zip(self.numerator.table(), right.numerator.table(), strict=True):
            content = _content([*left_row, *right_row])
            left_rows.append([entry // content for entry in left_row])
            right_rows.append([entry // content for entry in right_row])
        try:
            solution = fmpz_mat(left_rows).solve(fmpz_mat(right_rows))
        except ZeroDivisionError as error:
            raise SingularMatrixError("the matrix of the linear system is singular") from error
        exact: Any = solution * fmpq(self.denominator, right.denominator)  # type: ignore[operator]
        return self.from_flint(exact)

    def from_rationals(self, rows: Sequence[Sequence[Fraction]]) -> RationalMatrix:
        return RationalMatrix(rows)

    # ---- what only exact matrices can answer --------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RationalMatrix):
            return NotImplemented
        return bool(self.denominator == other.denominator and self.numerator == other.numerator)

    def __hash__(self) -> int:
        return hash((self.shape, str(self.numerator), int(self.denominator)))

    def __repr__(self) -> str:
        return f"RationalMatrix({self.to_strings()!r})"

    def __getitem__(self, index: tuple[int, int]) -> Fraction:
        return Fraction(int(self.numerator[index]), int(self.denominator))

    @cached_property
    def rows(self) -> tuple[tuple[Fraction, ...], ...]:
        """All entries as fractions."""
        common = int(self.denominator)
        return tuple(map(tuple, self._each(lambda entry: Fraction(int(entry), common))))

    @cached_property
    def scalars(self) -> list[list[fmpq]]:
        """All entries as scalars of python-flint."""
        return self._each(lambda entry: fmpq(entry, self.denominator))

    def _each(self, made: Callable[[fmpz], T]) -> list[list[T]]:
        """What is made of the numerators, row by row; of equal ones once: large matrices are mostly zeros."""
        known: dict[fmpz, T] = {}
        return [
            [known[entry] if entry in known else known.setdefault(entry, made(entry)) for entry in row]
            for row in self.numerator.table()
        ]

    def column_entries(self, index: int = 0) -> tuple[Fraction, ...]:
        """One column as fractions."""
        return tuple(self[i, index] for i in range(self.shape[0]))

    def to_strings(self) -> list[list[str]]:
        """Entries as ``"p"`` or ``"p/q"`` in lowest terms."""
        return [list(row) for row in self._texts]

    @cached_property
    def _texts(self) -> list[list[str]]:
        """Kept, as documents and pages show the same matrices."""
        return self._each(lambda entry: str(fmpq(entry, self.denominator)))

    @cached_property
    def magnitude(self) -> int:
        """The exponent e with largest absolute entry between 2^(e − 1) and 2^(e + 1); 0 for a zero matrix."""
        largest = max((abs(int(entry)) for entry in self.numerator.entries()), default=0)
        return largest.bit_length() - int(self.denominator).bit_length() if largest else 0

    def to_float(self) -> Any:
        """The nearest floats, a NumPy array; infinite beyond their range (a view for searching only)."""
        import numpy as np

        values = self._each(lambda entry: _quotient(entry, self.denominator))
        return np.array(values, dtype=np.float64).reshape(self.shape)

    def take(self, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None) -> RationalMatrix:
        """The submatrix with these rows and columns, in this order (None: all)."""
        row_index = range(self.shape[0]) if rows is None else rows
        column_index = range(self.shape[1]) if columns is None else columns
        if (list(row_index), list(column_index)) == tuple(map(list, map(range, self.shape))):
            return self
        table = self.numerator.table()
        entries = [table[i][j] for i in row_index for j in column_index]
        return self._make(fmpz_mat(len(row_index), len(column_index), entries), self.denominator)

    @cached_property
    def rank(self) -> int:
        """The exact rank."""
        full = min(self.shape)
        # Minors that are not zero modulo a prime are not zero: the rank there is never above the rank.
        return full if int(nmod_mat(self.numerator, PRIME).rank()) == full else len(self.column_basis[0])

    @property
    def is_regular(self) -> bool:
        """Whether it is nonsingular (n×n)."""
        return self.rank == self.shape[0]

    @property
    def nonzero_rows(self) -> set[int]:
        """The rows in which an entry differs from zero."""
        return {i for i, row in enumerate(self.numerator.table()) if any(row)}

    @cached_property
    def column_basis(self) -> tuple[tuple[int, ...], RationalMatrix]:
        """(columns, T) with ``self == self.take(columns=columns) @ T``, those columns being independent.

        The first columns that are independent modulo a prime are independent. That they are enough is seen by
        multiplying back; only finitely many primes fail, then the next one is asked.
        """
        prime = PRIME
        while True:
            columns = _pivots(nmod_mat(self.numerator, prime))
            basis = self.take(columns=columns)
            if not columns:
                T = self.zeros(0, self.shape[1])
            else:
                rows = _pivots(nmod_mat(basis.numerator.transpose(), prime))
                T = basis.take(rows=rows).solve(self.take(rows=rows))
            if basis @ T == self:
                return columns, T
            prime = next(p for p in range(prime - 2, 1, -2) if fmpz(p).is_prime())

    def determinant(self) -> Fraction:
        """The exact determinant of a square matrix."""
        return Fraction(int(self.numerator.det()), int(self.denominator) ** self.shape[0])

    def additive_compound(self) -> RationalMatrix:
        """The second additive compound of a square matrix X of n ≥ 2 rows, of n(n − 1)/2 rows: one for each pair i < j.

        It is x∧y ↦ Xx∧y + x∧Xy, so that its eigenvalues are the sums λ_i + λ_j, i < j, of those of X.
        """
        pairs = list(combinations(range(self.shape[0]), 2))
        place = {pair: k for k, pair in enumerate(pairs)}
        rows = [[Fraction(0)] * len(pairs) for _ in pairs]
        for (i, j), row in zip(pairs, rows, strict=True):
            for k in range(self.shape[0]):  # e_i∧e_j is hit by e_k∧e_j through X_ik, and by e_i∧e_k through X_jk
                for first, second, entry in ((k, j, self[i, k]), (i, k, self[j, k])):
                    if first != second:
                        row[place[min(first, second), max(first, second)]] += entry if first < second else -entry
        return RationalMatrix(rows)

    def trace(self) -> Fraction:
        """Σ_i X_ii of a square matrix."""
        return Fraction(int(sum(self.numerator[i, i] for i in range(self.shape[0]))), int(self.denominator))

    def is_zero(self) -> bool:
        """Whether every entry is zero."""
        return bool(self.numerator.is_zero())

    def is_nonnegative(self) -> bool:
        """Whether no entry is negative."""
        return all(entry >= 0 for entry in self.numerator.entries())

    def symmetric_part(self) -> RationalMatrix:
        """``(self + self.T) / 2``."""
        return (self + self.T).scaled(Fraction(1, 2))

    def quadratic_form(self, vector: RationalMatrix) -> Fraction:
        """``vectorᵀ self vector``."""
        return (vector.T @ self @ vector)[0, 0]

    def null_vector(self) -> RationalMatrix | None:
        """A non-zero integer x with ``self @ x == 0``, or None where the columns are independent.

        It says how the first column that is not in the basis depends on those that are.
        """
        if self.rank == self.shape[1]:
            return None
        columns, T = self.column_basis
        free = next(j for j in range(self.shape[1]) if j not in columns)
        column = (-T).take(columns=[free])
        entries = dict(zip(columns, column.numerator.entries(), strict=True))
        entries[free] = column.denominator
        whole = [entries.get(j, fmpz(0)) for j in range(self.shape[1])]
        return self._make(fmpz_mat(self.shape[1], 1, whole), fmpz(1)).primitive()

    def primitive(self) -> RationalMatrix:
        """The shortest integer multiple with the same signs, of a matrix that is not zero."""
        return self._make(self.numerator, _content(self.numerator.entries()))

    def parted(self) -> tuple[fmpq, RationalMatrix]:
        """(x, W) with ``self == W.scaled(x)``, W of integers without a common divisor, the first of them positive."""
        content = _content(self.numerator.entries())
        content = next((content if x > 0 else -content for x in self.numerator.entries() if x != 0), content)
        return fmpq(content, self.denominator), self._make(self.numerator, content)

    def independent_columns(self) -> tuple[int, ...]:
        """Columns that form a basis of the column space."""
        columns = _pivots(nmod_mat(self.numerator, PRIME))
        return columns if len(columns) == min(self.shape) else self.column_basis[0]


def _rebuilt(rows: int, columns: int, entries: Sequence[int], denominator: int) -> RationalMatrix:
    """The matrix that :meth:`RationalMatrix.__reduce__` took apart."""
    return RationalMatrix._plain(fmpz_mat(rows, columns, list(entries)), fmpz(denominator))


def _pivots(matrix: nmod_mat) -> tuple[int, ...]:
    """The pivot columns of the echelon form modulo a prime."""
    echelon, rank = matrix.rref()
    table = echelon.table()
    return tuple(next(j for j in range(echelon.ncols()) if int(table[i][j]) != 0) for i in range(rank))


def _content(entries: Iterable[fmpz]) -> fmpz:
    """The greatest common divisor of integers, one where all are zero."""
    content = fmpz(0)
    for entry in entries:
        content = content.gcd(entry)
        if content == 1:
            break
    return content if content != 0 else fmpz(1)


def _quotient(numerator: fmpz, denominator: fmpz) -> float:
    """The nearest float, right for integers beyond the float range; infinite where the quotient is not."""
    try:
        return float(int(numerator) / int(denominator))
    except OverflowError:
        return inf if numerator > 0 else -inf
