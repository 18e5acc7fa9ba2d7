"""What expressions are worth: numbers and matrices, charged as they grow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from .budget import Rejected, quotient, spend, spend_products
from .matrices import Matrix, ask, hold
from .reading import SparseRow


def charge(*matrices: Matrix) -> None:
    """Once through all places."""
    spend(300 * sum(matrix.shape[0] * matrix.shape[1] for matrix in matrices))


def kept(matrix: Matrix) -> Matrix:
    """Charged for, as if for good."""
    charge(matrix)
    return hold(matrix)


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


def beside(parts: Sequence[Matrix]) -> Matrix:
    """One matrix, the parts from left to right; they have one height."""
    common = 1
    for part in parts:
        spend_products(6, common.bit_length(), part.denominator.bit_length())
        common = math.lcm(common, part.denominator)
    for part in parts:
        spend_products(part.shape[0] * part.shape[1], part.bits, common.bit_length())
    ask(sum(part.filled for part in parts), max(part.bits for part in parts) + common.bit_length())
    tables = [[[x * (common // part.denominator) for x in row] for row in part.dense()] for part in parts]
    rows = ([x for row in place for x in row] for place in zip(*tables, strict=True))
    return Matrix(rows, sum(part.shape[1] for part in parts), common)


def pairs(matrix: Matrix) -> Matrix:
    """The second additive compound, x^y -> (Xx)^y + x^(Xy). Its rows belong to pairs of rows of X."""
    n, count = matrix.shape[0], math.comb(matrix.shape[0], 2)
    spend(1_500 * count**2)
    spend_products(8 * n * count, matrix.bits, 1)  # two pairs have an index in common: fewer than 2n for each pair
    ask(2 * n * count, matrix.bits + 1)
    X, places = matrix.dense(), list(combinations(range(n), 2))
    rows = (
        [(j == m) * X[i][k] - (j == k) * X[i][m] - (i == m) * X[j][k] + (i == k) * X[j][m] for k, m in places]
        for i, j in places
    )
    return Matrix(rows, len(places), matrix.denominator)
