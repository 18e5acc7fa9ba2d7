"""Rational matrices, exactly or modulo a prime, and the tests that have a theorem behind them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import compress
from operator import mul

from . import limits
from .budget import ONE, Rejected, passing, products_work, quotient, spend, spend_products
from .reading import SparseRow, index, items, read_matrix, read_vector, record

LIFT = 2**521 - 1  # a prime


def integers(values: Sequence[Fraction], prime: int | None = None) -> tuple[list[int], int]:
    """Integers over one positive denominator; given a prime: the residues, over 1."""
    ratios = [x.as_integer_ratio() for x in values]
    denominators = {q for _, q in ratios}
    if prime is not None:
        if any(x % prime == 0 for x in denominators):
            raise Rejected(f"a denominator in the model or the witness is divisible by the prime {prime}")
        inverse = {x: pow(x, -1, prime) for x in denominators}
        return [p * inverse[q] % prime for p, q in ratios], 1
    common = 1
    for x in denominators:
        spend_products(6, common.bit_length(), x.bit_length())
        common = math.lcm(common, x)
    bits = common.bit_length() + max((p.bit_length() for p, _ in ratios), default=0)
    spend_products(2 * len(values), bits, bits)
    spend(0, len(values) * bits)
    return [p * (common // q) for p, q in ratios], common


def stochastic(value: object, where: str, height: int, width: int) -> list[SparseRow]:
    rows = read_matrix(value, where, height, width)
    for s, row in enumerate(rows):
        numbers, common = integers(list(row.values()))
        if sum(numbers) != common or any(x < 0 for x in numbers):
            raise Rejected(f"{where}[{s}]: the row is not a probability law")
    return rows


def without_zeros(row: Iterable[int], prime: int | None) -> tuple[list[int], list[int]]:
    """The places and the values of what is not zero, modulo the prime where there is one; a row () is all zeros."""
    row = list(row) if prime is None else [x % prime for x in row]
    return list(compress(range(len(row)), row)), list(filter(None, row))


def hold(matrix: Matrix) -> Matrix:
    """Charge the memory of a matrix that stays: two lists for each row, two integers for each entry."""
    spend(0, 1_600 * len(matrix.rows) + matrix.filled * (matrix.bits + 650))
    return matrix


def ask(places: int, bits: int) -> None:
    """Whether so many entries of so many bits could be held: they may be gone soon."""
    spend(0, places * (bits + 100), ahead=True)


class Matrix:
    """A rational matrix: integer rows without their zeros, over one positive denominator.

    Or, given a prime, its residues over the denominator 1: then digits never grow.
    """

    def __init__(self, dense: Iterable[Iterable[int]], width: int, over: int = 1, prime: int | None = None):
        rows = [without_zeros(row, prime) for row in dense]
        self.shape, self.prime = (len(rows), width), prime
        self.fill(rows, over)

    def fill(self, rows: list[tuple[list[int], list[int]]], over: int) -> Matrix:
        """The places and the values of what is not zero in each row, which are counted."""
        self.rows, self.denominator = rows, over
        entries = [x for _, values in rows for x in values]
        self.filled, self.bits = len(entries), max(map(int.bit_length, entries), default=0)
        return self

    def like(self, rows: list[tuple[list[int], list[int]]], over: int) -> Matrix:
        """A matrix of the same shape."""
        made = object.__new__(Matrix)
        made.shape, made.prime = self.shape, self.prime
        return made.fill(rows, over)

    @staticmethod
    def of(rows: Sequence[SparseRow], width: int, prime: int | None = None) -> Matrix:
        flat, over = integers([x for row in rows for x in row.values()], prime)
        stream = iter(flat)
        return Matrix.sparse((zip(row, stream, strict=False) for row in rows), width, over, prime)

    @staticmethod
    def sparse(rows: Iterable[Iterable[tuple[int, int]]], width: int, over: int, prime: int | None = None) -> Matrix:
        """By the places and the values in each row."""
        placed = [[(j, x) for j, x in sorted(row) if x] for row in rows]
        made = Matrix((), width, over, prime)
        made.shape = len(placed), width
        return made.fill([([j for j, _ in row], [x for _, x in row]) for row in placed], over)

    @staticmethod
    def column(values: Sequence[Fraction]) -> Matrix:
        return Matrix.of([{0: x} for x in values], 1)

    @staticmethod
    def identity(n: int, prime: int | None = None) -> Matrix:
        return Matrix(([int(i == j) for j in range(n)] for i in range(n)), n, 1, prime)

    def dense(self) -> list[list[int]]:
        dense = [[0] * self.shape[1] for _ in self.rows]
        for row, (where, values) in zip(dense, self.rows, strict=True):
            for j, x in zip(where, values, strict=True):
                row[j] = x
        return dense

    def columns(self) -> list[list[int]]:
        return [list(column) for column in zip(*self.dense(), strict=True)]

    @property
    def T(self) -> Matrix:
        return Matrix(self.columns(), self.shape[0], self.denominator, self.prime)

    def part(self, chosen: list[int]) -> Matrix:
        """The rows and columns with these numbers."""
        dense = self.dense()
        rows = ([dense[i][j] for j in chosen] for i in chosen)
        return Matrix(rows, len(chosen), self.denominator, self.prime)

    def __matmul__(self, other: Matrix) -> Matrix:
        """Only the entries of the left factor that are not zero cost anything."""
        height, width = self.shape[0], other.shape[1]
        over = products_work(self.denominator.bit_length(), other.denominator.bit_length())
        spend((self.filled + 5 * height) * width * products_work(self.bits, other.bits) + over)
        ask(height * width, self.bits + other.bits)
        if width > 1 and self.filled > 4 * len(other.rows):
            # A row as one integer, `size` bytes for each entry: with `half` added no sum of products leaves its place.
            size = (self.bits + other.bits + len(other.rows).bit_length() + 1) // 8 + 1
            half = 1 << (8 * size - 1)
            halves = int.from_bytes(half.to_bytes(size, "little") * width, "little")
            packed = (b"".join((x + half).to_bytes(size, "little") for x in row) for row in other.dense())
            whole = [int.from_bytes(row, "little") - halves for row in packed].__getitem__
            sums = (sum(map(mul, row, map(whole, where))) + halves for where, row in self.rows)
            parts = (x.to_bytes(size * width, "little") for x in sums)
            places = range(0, size * width, size)
            rows = ([int.from_bytes(x[j : j + size], "little") - half for j in places] for x in parts)
            return Matrix(rows, width, self.denominator * other.denominator, self.prime)
        entries = [column.__getitem__ for column in other.columns()]
        sums_of = (
            [sum(map(mul, row, map(entry, where))) for entry in entries] if row else () for where, row in self.rows
        )
        return Matrix(sums_of, width, self.denominator * other.denominator, self.prime)

    def __rmul__(self, x: Fraction) -> Matrix:
        ((p,), q) = ((x.numerator,), x.denominator) if self.prime is None else integers([x], self.prime)
        each = self.shape[0] * self.shape[1] * products_work(self.bits, p.bit_length())
        spend(each + products_work(self.denominator.bit_length(), q.bit_length()))
        ask(self.filled, self.bits + p.bit_length())
        over = self.denominator * q
        if not p:
            return Matrix(([] for _ in self.rows), self.shape[1], over, self.prime)
        prime = self.prime  # a field has no divisors of zero
        rows = [
            (where, [p * y for y in row] if prime is None else [p * y % prime for y in row]) for where, row in self.rows
        ]
        return self.like(rows, over)

    def __add__(self, other: Matrix) -> Matrix:
        over = products_work(self.denominator.bit_length(), other.denominator.bit_length())
        common = math.lcm(self.denominator, other.denominator)
        s, t = common // self.denominator, common // other.denominator
        each = products_work(self.bits, s.bit_length()) + products_work(other.bits, t.bit_length())
        spend(6 * over + 3 * self.shape[0] * self.shape[1] * each)
        ask(self.filled + other.filled, max(self.bits + s.bit_length(), other.bits + t.bit_length()))
        rows, width = [], self.shape[1]
        for mine, theirs in zip(self.rows, other.rows, strict=True):
            if mine[0] and theirs[0]:
                few, most = sorted(((mine, s), (theirs, t)), key=lambda one: len(one[0][0]))
                is_full = len(most[0][0]) == width
                dense = [most[1] * x for x in most[0][1]] if is_full else [0] * width
                for (where, values), factor in (few,) if is_full else (few, most):
                    for j, x in zip(where, values, strict=True):
                        dense[j] += factor * x
                rows.append(without_zeros(dense, self.prime))
            else:  # it costs nothing where nothing is added
                (where, values), factor = (mine, s) if mine[0] else (theirs, t)
                rows.append((where, values if factor == 1 else [factor * x for x in values]))
        return self.like(rows, common)

    def __neg__(self) -> Matrix:
        return -ONE * self

    def __sub__(self, other: Matrix) -> Matrix:
        return self + -other

    def entries(self) -> Iterator[int]:
        """The entries that are not zero, times the denominator: a positive number, so signs are right."""
        return (x for _, values in self.rows for x in values)

    def is_zero(self) -> bool:
        return not any(self.entries())


def read_prime(value: object, where: str) -> int:
    """Miller-Rabin; with the first twelve primes as bases it makes no error below 2^64."""
    p = index(value, where, 2**20, 2**62)
    twos = ((p - 1) & (1 - p)).bit_length() - 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        x = pow(base, (p - 1) >> twos, p)
        if x != 1 and all(pow(x, 1 << i, p) != p - 1 for i in range(twos)):
            raise Rejected(f"{where}: {p} is not a prime")
    return p


def solve_modulo(rows: list[list[int]], right: list[list[int]], p: int) -> list[list[int]] | None:
    """The columns X with ``rows X = right`` modulo the prime p, or None if the determinant is 0 modulo p.

    Elimination: an answer other than None means that every pivot is a unit modulo p, so the determinant is
    not zero modulo p -- and then neither is that of any rational matrix with these residues.
    """
    n, m = len(rows), len(right)
    spend(0, n * (n + m) * (p.bit_length() + 300), ahead=True)
    spend_products(n * n * (n // 3 + m + 1) + n * m, 2 * p.bit_length(), p.bit_length())
    rest = [[x % p for x in row] + [column[i] % p for column in right] for i, row in enumerate(rows)]
    done = []
    for _ in range(n):
        chosen = next((i for i, row in enumerate(rest) if row[0]), None)
        if chosen is None:
            return None
        first, *pivot = rest.pop(chosen)
        inverse = pow(first, -1, p)
        pivot = [x * inverse % p for x in pivot]
        for i, (factor, *row) in enumerate(rest):
            rest[i] = [(x - factor * y) % p for x, y in zip(row, pivot, strict=True)] if factor else row
        done.append(pivot)
    found: list[list[int]] = [[] for _ in right]  # from the last entry to the first
    for row in reversed(done):
        known, values = row[: len(row) - m][::-1], row[len(row) - m :]
        for column, x in zip(found, values, strict=True):
            column.append((x - sum(map(mul, known, column))) % p)
    return [column[::-1] for column in found]


def eliminate(rows: list[list[int]], right: list[list[int]]) -> tuple[int, list[list[int]]]:
    """The determinant of integer rows, and the columns X with ``rows X = right`` times it: integers (Cramer).

    None of them where it is zero. By elimination without fractions: what stands in the k-th step are minors of order
    k + 1 (Bareiss).
    """
    n, m, last, sign = len(rows), len(right), 1, 1
    bits = max((x.bit_length() for row in [*rows, *right] for x in row), default=0) + n.bit_length()
    spend_products(4 * n**2 * (n + m), n * bits, n * bits, ahead=True)
    with passing():
        spend(0, n * (n + m) * (n * bits + 300))
    rest = [[*row, *(column[i] for column in right)] for i, row in enumerate(rows)]
    for k in range(n):
        chosen = next((i for i in range(k, n) if rest[i][k]), None)
        if chosen is None:
            return 0, []
        if chosen != k:
            rest[k], rest[chosen], sign = rest[chosen], rest[k], -sign
        pivot = rest[k]
        spend_products(4 * (n - k) * (n + m - k), (k + 1) * bits, (k + 1) * bits)
        for row in rest[k + 1 :]:
            pairs = zip(row[k + 1 :], pivot[k + 1 :], strict=True)
            row[k:] = [0, *((pivot[k] * x - row[k] * y) // last for x, y in pairs)]
        last = pivot[k]
    spend_products(2 * n * n * m, n * bits, n * bits)
    found: list[list[int]] = [[] for _ in right]  # from the last entry to the first, times `last`
    for k in reversed(range(n)):
        known, values = rest[k][k + 1 : n][::-1], rest[k][n:]
        for column, x in zip(found, values, strict=True):
            column.append((last * x - sum(map(mul, known, column))) // rest[k][k])
    return sign * last, [[sign * x for x in reversed(column)] for column in found]


def determinant(matrix: Matrix) -> Fraction:
    """The determinant of a square matrix."""
    n = matrix.shape[0]
    below = n * matrix.denominator.bit_length()
    spend_products(4, below, below)
    return quotient(eliminate(matrix.dense(), [])[0], matrix.denominator**n)


def is_singular(rows: list[list[int]]) -> bool:
    """Whether the determinant of integer rows is zero. Modulo a prime first, for that is fast where it is not."""
    return solve_modulo(rows, [], LIFT) is None and not eliminate(rows, [])[0]


def solve(W: Matrix, U: Matrix) -> Matrix:
    """The only X with W X = U; a rejection where W is singular.

    In exact arithmetic, lifting modulo powers of LIFT only *proposes* X: the last test multiplies back. Where the
    determinant is zero modulo LIFT, an elimination in integers proposes it, or finds the determinant zero.
    """
    if W.prime is not None:
        residues = solve_modulo(W.dense(), U.columns(), W.prime)
        if residues is None:
            raise Rejected(f"the matrix to be inverted is singular modulo the prime {W.prime}")
        return Matrix(residues, W.shape[0], 1, W.prime).T
    # W / w X = U / u: divide row i of W and w by what they have in common, and find u X in integers.
    common = [math.gcd(W.denominator, *values) for _, values in W.rows]
    rows = [[x // g for x in row] for row, g in zip(W.dense(), common, strict=True)]
    spend_products(2 * U.shape[0] * U.shape[1], U.bits, W.denominator.bit_length())
    factors = [W.denominator // g for g in common]
    right = [[x * f for x, f in zip(column, factors, strict=True)] for column in U.columns()]
    inverse = solve_modulo(rows, Matrix.identity(len(rows)).columns(), LIFT)
    below, columns = eliminate(rows, right) if inverse is None else lift(rows, right, inverse)
    if not below:
        raise Rejected("the matrix to be inverted is singular")
    over = U.denominator * abs(below)
    X = Matrix(([x if below > 0 else -x for x in column] for column in columns), len(rows), over).T
    if not (W @ X - U).is_zero():
        raise Rejected("a linear system could not be solved")
    return X


def lift(rows: list[list[int]], right: list[list[int]], inverse: list[list[int]]) -> tuple[int, list[list[int]]]:
    """An e > 0 and e X in integers, X the columns with ``rows X = right``. `inverse`: modulo LIFT, by columns.

    A proposal: where numbers of this length solve the system, it is they.
    """
    by_row = list(zip(*inverse, strict=True))
    # Cramer: the entries are quotients of integers, the lower below 2^width and the upper below 2^top.
    width = sum(sum(map(abs, row)).bit_length() for row in rows)
    bits = max((x.bit_length() for row in rows for x in row), default=0)
    longest = max((x.bit_length() for column in right for x in column), default=0)
    top = width + longest + len(rows).bit_length()
    steps = (width + top + 2) // 520 + 1
    spend_products(2 * len(rows) ** 2 * len(right) * steps, max(bits, longest, 521) + 10, 521)
    spend(0, 3 * len(rows) * len(right) * (width + top))
    lifted = []
    for column in right:
        total, rest, power = [0] * len(rows), column, 1
        for _ in range(steps):
            digits = [sum(map(mul, row, rest)) % LIFT for row in by_row]
            rest = [(x - sum(map(mul, row, digits))) // LIFT for x, row in zip(rest, rows, strict=True)]
            total = [x + power * y for x, y in zip(total, digits, strict=True)]
            power *= LIFT
        lifted.append(total)
    modulus, e = LIFT**steps, 1
    for column in lifted:
        for x in column:
            spend_products(6, width, width + top)
            y = e * x % modulus
            if min(y, modulus - y) >> top:  # not an integer yet: Euclid finds what e still lacks
                spend(8 * ((width + top) // 30 + 60) ** 2)
                (a, s), (b, t) = (modulus, 0), (y, 1)
                while b >> top:
                    quotient = a // b
                    (a, s), (b, t) = (b, t), (a - quotient * b, s - quotient * t)
                e *= abs(t)
    return e, [[(e * x + modulus // 2) % modulus - modulus // 2 for x in column] for column in lifted]


def require_positive_definite(matrix: Matrix, witness: object, where: str) -> None:
    """The symmetric matrix S is positive definite.

    With T = diag(scale) and R = rows / 2^bits, the residual E = T S T - R R' is formed exactly, times one
    positive integer.  If E_ii > sum_{j != i} |E_ij| in every row, all eigenvalues of E are positive
    (Gershgorin); R R' is never negative, so T S T = R R' + E > 0, and S > 0 as T is diagonal and positive.
    """
    S, size = matrix.dense(), matrix.shape[0]
    given = record(witness, where, ("scale", "bits", "rows"))
    bits = index(given["bits"], f"{where}.bits", 0, limits.MAX_BITS + 1)
    scale = read_vector(given["scale"], f"{where}.scale", size)
    lists = items(given["rows"], f"{where}.rows", size)
    R = [integers(read_vector(row, f"{where}.rows[{i}]", i + 1)) for i, row in enumerate(lists)]
    if min(scale) <= 0 or any(denominator != 1 for _, denominator in R):
        raise Rejected(f"{where}: an entry of scale is not positive, or an entry of rows not an integer")
    t, common = integers(scale)
    unit = common**2 * matrix.denominator  # E * unit * 4^bits is the matrix of integers below
    r_bits = max(x.bit_length() for row, _ in R for x in row)
    t_bits = max(x.bit_length() for x in t)
    spend_products(size**2 * (size + 6) // 6, r_bits, r_bits)
    spend_products(size**2, t_bits, matrix.bits + t_bits)
    spend_products(size**2, unit.bit_length(), 2 * r_bits + 10)
    spend_products(4 * size**2, matrix.bits + 2 * (t_bits + bits), 1)
    slack = [0] * size
    for i in range(size):
        for j in range(i + 1):
            product = sum(map(mul, R[j][0], R[i][0]))  # stops with the shorter row j: beyond it stand zeros
            residual = (t[i] * (t[j] * S[i][j]) << 2 * bits) - unit * product
            if i == j:
                slack[i] += residual
            else:
                slack[i] -= abs(residual)
                slack[j] -= abs(residual)
    for i, x in enumerate(slack):
        if x <= 0:
            raise Rejected(f"{where}: the residual T S T - R R' is not diagonally dominant in row {i}")


def require_semidefinite(S: Matrix, witness: object, where: str) -> None:
    """The symmetric S is Z' S_BB Z for the rows and columns B, and S_BB is positive definite; or S is zero."""
    given = record(witness, where, ("columns", "coordinates", "factor"))
    B = [index(x, f"{where}.columns", 0, S.shape[0]) for x in items(given["columns"], f"{where}.columns")]
    left = S
    if B:
        Z = Matrix.of(read_matrix(given["coordinates"], f"{where}.coordinates", len(B), S.shape[0]), S.shape[0])
        require_positive_definite(S.part(B), given["factor"], f"{where}.factor")
        left = S - Z.T @ (S.part(B) @ Z)
    elif (given["coordinates"], given["factor"]) != ([], None):
        raise Rejected(f"{where}: without columns there are neither coordinates nor a factor")
    if not left.is_zero():
        raise Rejected(f"{where}.coordinates: the matrix is not what they make of the chosen rows and columns")


def read_symmetric(value: object, where: str, size: int) -> Matrix:
    X = Matrix.of(read_matrix(value, where, size, size), size)
    if not (X - X.T).is_zero():
        raise Rejected(f"{where}: the matrix is not symmetric")
    return X
