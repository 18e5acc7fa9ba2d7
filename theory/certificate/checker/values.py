"""What expressions are worth: numbers and matrices, charged as they grow."""

from __future__ import annotations

from fractions import Fraction

from .budget import Rejected, spend, spend_products
from .matrices import Matrix, hold
from .reading import SparseRow


def charge(matrix: Matrix) -> None:
    """Once through all its places."""
    spend(300 * matrix.shape[0] * matrix.shape[1])


def kept(matrix: Matrix) -> Matrix:
    """Charged for, as if for good."""
    charge(matrix)
    return hold(matrix)


def quotient(top: int, bottom: int) -> Fraction:
    """In lowest terms, which takes a greatest common divisor."""
    spend(3000 + (top.bit_length() // 30) * (bottom.bit_length() // 30) // 2)
    return Fraction(top, bottom)


def scalar(x: Fraction) -> Matrix:
    return Matrix([[x.numerator]], 1, x.denominator)


def number(x: Matrix) -> Fraction:
    """The sum of all entries: the number, where there is one."""
    return quotient(sum(x.entries()), x.denominator)


def column_of(row: SparseRow, size: int) -> Matrix:
    return Matrix.of([{0: row[j]} if row.get(j) else {} for j in range(size)], 1)


def power(base: Matrix, k: int, where: str) -> Matrix:
    """One product after the other, all asked for before the first: the entries of the i-th have i times the bits."""
    n = base.shape[0]
    if base.shape[1] != n:
        raise Rejected(f"{where}: a power of a matrix with {n} rows and {base.shape[1]} columns")
    spend(300 * n * n)
    if n == 1:
        (x,), over = base.dense()[0], base.denominator
        bits = k * max(base.bits, over.bit_length())
        spend_products(4, bits, bits)
        return Matrix([[x**k]], 1, over**k)
    grown = k * (base.bits + n.bit_length())
    spend_products(k * n * (sum(len(row) for row, _ in base.rows) + 5 * n), base.bits, grown // 2, ahead=True)
    spend_products(k, base.denominator.bit_length(), k * base.denominator.bit_length() // 2, ahead=True)
    result = Matrix.identity(n)
    for _ in range(k):
        result = base @ result
    return result
