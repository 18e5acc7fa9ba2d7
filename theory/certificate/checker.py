"""Check certificates about temporal-difference learning: standard library alone, exact integers alone.

    python -I -S checker.py [--patient] FILE...

A certificate carries a finite model, a statement about it and a witness.  Everything the statement speaks of
is rebuilt here from the model; the witness is only ever *tested*: a false one can waste time, never convince.

Letters.  ``P_mu`` is the behaviour chain, ``d`` its stationary law on one recurrent class (zero elsewhere),
``D = diag(d)``.  ``N(s,t) = sum_a pi(a|s) P_a(s,t) Gamma_a(s,t)``, ``q(s) = sum_a pi(a|s)`` and
``r(s) = sum_a pi(a|s) sum_t P_a(s,t) R_a(s,t)``; the sums run over all actions (kernel "target") or over
those with ``mu(a|s) > 0`` (kernel "covered").  With ``c_k = lambda_1 ... lambda_k``: ``S = sum_k c_k N^k``,
``K = S (N - diag(q))``, ``A = Phi' D K Phi``, ``C = Phi' D Phi``, ``b = Phi' D S r``.  For the kernel "target"
``q = 1``, so ``K = M - I`` with ``M = sum_n w_n N^n``; "D(I-M)" names ``-D K`` for this kernel alone.

Reading order: input; numbers and matrices; the three tests with a theorem behind them (`solve_modulo`: a
determinant is not zero, `solve`, `require_positive_definite`); the model; and, last, one function for each
kind of statement, which says why what it tests is enough.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from fractions import Fraction
from functools import cached_property, lru_cache, partial, reduce
from itertools import compress, pairwise
from operator import add as add_up
from operator import mul
from typing import NamedTuple, NoReturn

MAX_BYTES, MAX_CONTAINERS, MAX_DEPTH = 128 * 2**20, 2_000_000, 40
MAX_STATES, MAX_FEATURES, MAX_ACTIONS, MAX_LAMBDAS = 1_000, 1_000, 64, 2_000
MAX_DIGITS, MAX_BITS = 200_000, 100_000
MAX_NODES, MAX_PATHS = 2_000, 200_000  # of the expressions of one certificate; under one expectation
MAX_WORK = 10**10  # estimated nanoseconds: ten seconds, unless the caller is patient
MAX_MEMORY = 2**34  # estimated bits: two gibibytes

RATIONAL = re.compile(r"(-?)(0|[1-9][0-9]*)(?:/([1-9][0-9]*))?")
LIFT = 2**521 - 1  # a prime

Object = dict[str, object]
SparseRow = dict[int, Fraction]
Table = list[Fraction] | list[SparseRow]  # depends on the state left, or on the transition
ONE = Fraction(1)


class Rejected(Exception):  # noqa: N818 -- it is an answer, not an error
    """The certificate does not prove its statement; the message is one sentence: where, what, why."""


class NotChecked(Exception):  # noqa: N818 -- it is an answer, not an error
    """Nothing is said about the statement: to check it would take more time or memory than is granted."""


# ------------------------------------------------ bounds: charged before the work; docs/certificates.md derives them

SPENT: ContextVar[list[int]] = ContextVar("SPENT")  # nanoseconds and bits of the certificate being checked
BUDGET: ContextVar[int | None] = ContextVar("BUDGET")  # nanoseconds; None: however many it takes


def spend(nanoseconds: int, bits: int = 0, ahead: bool = False) -> None:
    """Charge an estimate; `ahead`: only ask whether it could be paid (it is charged piece by piece later)."""
    spent, budget = SPENT.get(), BUDGET.get()
    time, memory = spent[0] + nanoseconds, spent[1] + bits
    if budget is not None and time > budget:
        least, granted = (-(-min(x, 10**18) // 10**9) for x in (time, budget))
        raise NotChecked(
            f"the work is estimated at {least} s or more, and {granted} s are granted; "
            "--patient takes the time it needs"
        )
    if memory > MAX_MEMORY:
        least, bound = (min(x, 2**60) // 2**23 for x in (memory, MAX_MEMORY))
        raise NotChecked(f"the numbers are estimated at {least} MiB or more, and the bound is {bound} MiB")
    if not ahead:
        spent[:] = time, memory


@lru_cache
def products_work(bits: int, other: int) -> int:
    """One product of numbers of so many bits (limbs of 30 bits; Karatsuba beyond 70 of them: log2(3) - 1 = 0.585)."""
    small, large = sorted((bits // 30 + 1, other // 30 + 1))
    return 70 + large * min(small, int(70 * (min(small, 10**12) / 70) ** 0.585))


def spend_products(count: int, bits: int, other: int, ahead: bool = False) -> None:
    spend(count * products_work(bits, other), ahead=ahead)


def fraction_work(bits: int) -> int:
    """One sum or product of fractions with so many bits in all, with its greatest common divisors."""
    return 3000 + (bits // 30) ** 2 // 2


def bits_of(*values: Fraction) -> int:
    return sum(x.numerator.bit_length() + x.denominator.bit_length() for x in values)


def spend_fractions(*values: Fraction) -> None:
    spend(fraction_work(bits_of(*values)))


def foresee_chain(count: int, bits: int) -> None:
    """Ask for `count` sums or products, each of which makes the fraction longer by so many bits.

    The i-th costs 3000 + (i bits / 30)^2 / 2, and the sum of i^2 is at least count^3 / 3.
    """
    spend(count * (3000 + (count * bits // 30) ** 2 // 6), ahead=True)


# ------------------------------------------------------------------------------------------------------ input


def show(value: object) -> str:
    """A short printable name for anything that JSON can hold."""
    if isinstance(value, list | dict):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    if not isinstance(value, str):
        return json.dumps(value)
    return ascii(value) if len(value) <= 60 else f"{value[:40]!a}... ({len(value)} characters)"


def parse(text: str | bytes) -> object:
    """JSON with no floats, no duplicate keys, no negative or long integers, at most MAX_DEPTH deep."""

    def refuse(token: str) -> NoReturn:
        raise Rejected(f"the file holds {show(token)}: a JSON number must be an integer from 0 to 10^20")

    def short(token: str) -> int:
        return int(token) if token.isdigit() and len(token) <= 20 else refuse(token)

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        result: dict[str, object] = {}
        for key, value in pairs:
            if key in result:
                raise Rejected(f"the file holds an object with the key {show(key)} twice")
            result[key] = value
        return result

    if len(text) > MAX_BYTES:
        raise Rejected(f"the file is longer than the bound of {MAX_BYTES} bytes")
    spend(50 * len(text))
    try:
        text = text if isinstance(text, str) else text.decode()
        if (found := text.count("[") + text.count("{")) > MAX_CONTAINERS:
            raise Rejected(f"the file holds {found} lists and objects, and the bound is {MAX_CONTAINERS}")
        value = json.loads(text, object_pairs_hook=unique, parse_int=short, parse_float=refuse, parse_constant=refuse)
    except UnicodeDecodeError as error:
        raise Rejected(f"the file is not UTF-8 text: byte {error.start} cannot be decoded") from None
    except json.JSONDecodeError as error:
        raise Rejected(f"the file is not JSON: {error.msg}, at character {error.pos}") from None
    except RecursionError:
        raise Rejected(f"the file nests deeper than the bound of {MAX_DEPTH}") from None
    deeper = {list, dict}
    level = [value] if type(value) in deeper else []
    for _ in range(MAX_DEPTH):
        inner = (x.values() if isinstance(x, dict) else x for x in level)
        level = [y for x in inner if not deeper.isdisjoint(map(type, x)) for y in x if type(y) in deeper]
    if level:
        raise Rejected(f"the file nests deeper than the bound of {MAX_DEPTH}")
    return value


def record(value: object, where: str, needed: Iterable[str], allowed: Iterable[str] = ()) -> Object:
    """An object with the keys that are needed, perhaps some of those allowed, and no others."""
    if not isinstance(value, dict):
        raise Rejected(f"{where}: {show(value)} stands where an object is needed")
    for key in needed:
        if key not in value:
            raise Rejected(f"{where}: the key {show(key)} is missing")
    if unknown := value.keys() - {*needed, *allowed}:
        raise Rejected(f"{where}: the key {show(min(unknown))} is not known here")
    return value


def items(value: object, where: str, length: int | None = None) -> list[object]:
    if not isinstance(value, list):
        raise Rejected(f"{where}: {show(value)} stands where a list is needed")
    if length not in (None, len(value)):
        raise Rejected(f"{where}: the list has {len(value)} entries and needs {length}")
    return value


def index(value: object, where: str, low: int, high: int) -> int:
    """A JSON integer with low <= value < high (a bool is not an integer)."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise Rejected(f"{where}: {show(value)} stands where an integer is needed")
    if not low <= value < high:
        raise Rejected(f"{where}: {value} is outside the range from {low} to {high - 1}")
    return value


def choice(value: object, where: str, allowed: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise Rejected(f"{where}: {show(value)} is none of {', '.join(allowed)}")
    return value


def states(value: object, where: str, n: int) -> list[int]:
    """A non-empty list of distinct states."""
    found = [index(x, f"{where}[{i}]", 0, n) for i, x in enumerate(items(value, where))]
    if not found or len(set(found)) < len(found):
        raise Rejected(f"{where}: the list of states is empty or repeats a state")
    return found


def integer(digits: str) -> int:
    """Decimal digits of any length, in pieces below every limit that Python may put on `int`."""
    if len(digits) <= 600:
        return int(digits)
    half = len(digits) // 2
    power: int = 10**half
    return integer(digits[:-half]) * power + integer(digits[-half:])


def decode(text: str) -> Fraction:
    match = RATIONAL.fullmatch(text)
    if match is None:
        raise Rejected(f"{show(text)} is not a rational string")
    sign, top, bottom = match.groups("")
    digits = max(len(top), len(bottom))
    if digits > MAX_DIGITS:
        raise Rejected(f"a number has {digits} digits, and the bound is {MAX_DIGITS}")
    spend(2000 + digits * digits // 20)
    p, q = integer(top), integer(bottom or "1")
    if math.gcd(p, q) != 1 or bottom == "1" or (sign and not p):
        raise Rejected(f"{show(text)} is not in lowest terms")
    return Fraction(-p if sign else p, q)


decode_short = lru_cache(maxsize=2**16)(decode)  # a large model repeats a few short strings


def read_number(value: object, where: str, *position: int) -> Fraction:
    try:
        if isinstance(value, str):
            return decode_short(value) if len(value) < 40 else decode(value)
        raise Rejected(f"{show(value)} stands where a rational string is needed")
    except Rejected as error:
        raise Rejected(f"{where}{''.join(f'[{i}]' for i in position)}: {error}") from None


def read_vector(value: object, where: str, length: int, *position: int) -> list[Fraction]:
    spend(0, 1000 * length)
    return [read_number(x, where, *position, i) for i, x in enumerate(items(value, where, length))]


def read_matrix(value: object, where: str, height: int, width: int) -> list[SparseRow]:
    """Rows without their zeros."""
    found = []
    for i, row in enumerate(items(value, where, height)):
        entries = items(row, f"{where}[{i}]", width)
        spend(0, 1300 * (width - entries.count("0")))
        found.append({j: read_number(x, where, i, j) for j, x in enumerate(entries) if x != "0"})
    return found


def read_table(value: object, where: str, n: int) -> Table:
    """n x n, or one number for each state."""
    by_state = all(isinstance(x, str) for x in items(value, where, n))
    return read_vector(value, where, n) if by_state else read_matrix(value, where, n, n)


# --------------------------------------------------------------------------------------- numbers and matrices


def integers(values: Sequence[Fraction], prime: int | None = None) -> tuple[list[int], int]:
    """Integers over one positive denominator; given a prime: the residues, over 1."""
    denominators = {x.denominator for x in values}
    if prime is not None:
        if any(x % prime == 0 for x in denominators):
            raise Rejected(f"a denominator in the model or the witness is divisible by the prime {prime}")
        inverse = {x: pow(x, -1, prime) for x in denominators}
        return [x.numerator * inverse[x.denominator] % prime for x in values], 1
    common = 1
    for x in denominators:
        spend_products(6, common.bit_length(), x.bit_length())
        common = math.lcm(common, x)
    bits = common.bit_length() + max((x.numerator.bit_length() for x in values), default=0)
    spend_products(2 * len(values), bits, bits)
    spend(0, len(values) * bits)
    return [x.numerator * (common // x.denominator) for x in values], common


def without_zeros(row: Iterable[int], prime: int | None) -> tuple[list[int], list[int]]:
    """The places and the values of what is not zero, modulo the prime where there is one; a row () is all zeros."""
    row = list(row) if prime is None else [x % prime for x in row]
    return list(compress(range(len(row)), row)), list(filter(None, row))


class Matrix:
    """A rational matrix: integer rows without their zeros, over one positive denominator.

    Or, given a prime, its residues over the denominator 1: then digits never grow.
    """

    def __init__(self, dense: Iterable[Iterable[int]], width: int, over: int = 1, prime: int | None = None):
        rows = [without_zeros(row, prime) for row in dense]
        self.shape, self.prime = (len(rows), width), prime
        self.fill(rows, over)

    def fill(self, rows: list[tuple[list[int], list[int]]], over: int) -> Matrix:
        """The places and the values of what is not zero in each row."""
        self.rows, self.denominator = rows, over
        self.bits = max((max(map(int.bit_length, values)) for _, values in rows if values), default=0)
        return self

    @staticmethod
    def of(rows: Sequence[SparseRow], width: int, prime: int | None = None) -> Matrix:
        flat, over = integers([x for row in rows for x in row.values()], prime)
        stream = iter(flat)
        placed = [[(j, x) for j, x in sorted(zip(row, stream, strict=False)) if x] for row in rows]
        made = Matrix((), width, over, prime)
        made.shape = len(rows), width
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
        spend_products((sum(len(row) for row, _ in self.rows) + 5 * height) * width, self.bits, other.bits)
        spend(0, height * width * (self.bits + other.bits + 100), ahead=True)  # it may be gone soon
        spend_products(1, self.denominator.bit_length(), other.denominator.bit_length())
        if width > 1 and sum(len(row) for row, _ in self.rows) > 4 * len(other.rows):
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
        (p,), q = integers([x], self.prime)
        spend_products(self.shape[0] * self.shape[1], self.bits, p.bit_length())
        spend_products(1, self.denominator.bit_length(), q.bit_length())
        over = self.denominator * q
        if p and self.prime is None:
            return copy.copy(self).fill([(where, [p * y for y in row]) for where, row in self.rows], over)
        return Matrix(([p * y for y in row] for row in self.dense()), self.shape[1], over, self.prime)

    def __add__(self, other: Matrix) -> Matrix:
        spend_products(6, self.denominator.bit_length(), other.denominator.bit_length())
        common = math.lcm(self.denominator, other.denominator)
        s, t = common // self.denominator, common // other.denominator
        for a, factor in ((self, s), (other, t)):
            spend_products(3 * self.shape[0] * self.shape[1], a.bits, factor.bit_length())
        rows, width = [], self.shape[1]
        for mine, theirs in zip(self.rows, other.rows, strict=True):
            if mine[0] and theirs[0]:
                dense = [0] * width
                for (where, values), factor in ((mine, s), (theirs, t)):
                    for j, x in zip(where, values, strict=True):
                        dense[j] += factor * x
                rows.append(without_zeros(dense, self.prime))
            else:  # it costs nothing where nothing is added
                (where, values), factor = (mine, s) if mine[0] else (theirs, t)
                rows.append((where, values if factor == 1 else [factor * x for x in values]))
        return copy.copy(self).fill(rows, common)

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


def solve(W: Matrix, U: Matrix) -> Matrix:
    """The only X with W X = U; W is shown to be nonsingular: its determinant is not zero modulo a prime.

    In exact arithmetic, lifting modulo powers of LIFT only *proposes* X: the last test multiplies back.
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
    if inverse is None:
        raise Rejected("the matrix to be inverted is singular modulo 2^521 - 1")
    by_row = list(zip(*inverse, strict=True))
    # Cramer: the entries are quotients of integers, the lower below 2^width and the upper below 2^top.
    width = sum(sum(map(abs, row)).bit_length() for row in rows)
    longest = max((x.bit_length() for column in right for x in column), default=0)
    top = width + longest + len(rows).bit_length()
    steps = (width + top + 2) // 520 + 1
    spend_products(2 * len(rows) ** 2 * len(right) * steps, max(W.bits, longest, 521) + 10, 521)
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
    signed = ((e * x + modulus // 2) % modulus - modulus // 2 for column in lifted for x in column)
    X = Matrix(zip(*[signed] * len(rows), strict=True), len(rows), U.denominator * e).T
    if not (W @ X - U).is_zero():
        raise Rejected("a linear system could not be solved")
    return X


def require_positive_definite(matrix: Matrix, witness: object, where: str) -> None:
    """The symmetric matrix S is positive definite.

    With T = diag(scale) and R = rows / 2^bits, the residual E = T S T - R R' is formed exactly, times one
    positive integer.  If E_ii > sum_{j != i} |E_ij| in every row, all eigenvalues of E are positive
    (Gershgorin); R R' is never negative, so T S T = R R' + E > 0, and S > 0 as T is diagonal and positive.
    """
    S, size = matrix.dense(), matrix.shape[0]
    given = record(witness, where, ("scale", "bits", "rows"))
    bits = index(given["bits"], f"{where}.bits", 0, MAX_BITS + 1)
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


# ------------------------------------------------------------------------------------------------------ model


def entry(values: Table, s: int, t: int) -> Fraction:
    row = values[s]
    return row if isinstance(row, Fraction) else row.get(t, Fraction(0))


def add(row: SparseRow, key: int, first: Fraction, *factors: Fraction) -> None:
    """Add a product to an entry of a row."""
    before = row.get(key)
    spend_fractions(before or ONE, first, *factors)
    product = math.prod(factors, start=first)
    row[key] = before + product if before else product


def stochastic(value: object, where: str, height: int, width: int) -> list[SparseRow]:
    rows = read_matrix(value, where, height, width)
    for s, row in enumerate(rows):
        numbers, common = integers(list(row.values()))
        if sum(numbers) != common or any(x < 0 for x in numbers):
            raise Rejected(f"{where}[{s}]: the row is not a probability law")
    return rows


class Model:
    """The model, in canonical form and found valid."""

    def __init__(self, value: object):
        keys = "format actions transitions rewards discount behaviour target features schedule"
        model = record(value, "model", keys.split())
        choice(model["format"], "model.format", ["tdcert-model/1"])
        names = [x for x in items(model["actions"], "model.actions") if isinstance(x, str)]
        m = len(items(model["actions"], "model.actions"))
        if not 1 <= m <= MAX_ACTIONS or len(set(names)) != m:
            raise Rejected(f"model.actions: this is not a list of 1 to {MAX_ACTIONS} distinct names")

        def per_action(key: str) -> list[tuple[object, str]]:
            values = record(model[key], f"model.{key}", names)
            return [(values[a], f"model.{key}[{show(a)}]") for a in names]

        n = len(items(*per_action("transitions")[0]))
        if not 1 <= n <= MAX_STATES:
            raise Rejected(f"model.transitions: there are {n} states, and the bounds are 1 and {MAX_STATES}")
        self.P = [stochastic(x, where, n, n) for x, where in per_action("transitions")]
        self.R = [read_table(x, where, n) for x, where in per_action("rewards")]
        self.gamma: Fraction | None = None  # the discount, where one number stands for all transitions
        if isinstance(model["discount"], str):
            self.gamma = read_number(model["discount"], "model.discount")
            self.Gamma: list[Table] = [[self.gamma] * n] * m
        else:
            self.Gamma = [read_table(x, where, n) for x, where in per_action("discount")]
        rows = ([x] if isinstance(x, Fraction) else x.values() for values in self.Gamma for x in values)
        if any(not 0 <= x <= 1 for row in rows for x in row):
            raise Rejected("model.discount: an entry is outside [0, 1]")
        self.mu = stochastic(model["behaviour"], "model.behaviour", n, m)
        self.pi = stochastic(model["target"], "model.target", n, m)
        d = len(items(items(model["features"], "model.features", n)[0], "model.features[0]"))
        if not 1 <= d <= MAX_FEATURES:
            raise Rejected(f"model.features: there are {d} features, and the bounds are 1 and {MAX_FEATURES}")
        self.Phi = read_matrix(model["features"], "model.features", n, d)
        self.n, self.m, self.d = n, m, d
        self.read_schedule(model["schedule"])
        self.P_mu: list[SparseRow] = [{} for _ in range(n)]
        for s in range(n):
            for a, weight in self.mu[s].items():
                for t, x in self.P[a][s].items():
                    add(self.P_mu[s], t, weight, x)

    def read_schedule(self, value: object) -> None:
        """`lambdas`: lambda_1 ... lambda_L; `constant`: None, or the lambda of an infinite schedule."""
        self.lambdas: list[Fraction] = []
        self.constant: Fraction | None = None
        if isinstance(value, dict) and "constant" in value:
            where = "model.schedule.constant"
            given = record(record(value, "model.schedule", ["constant"])["constant"], where, ["lambda"])
            self.constant = read_number(given["lambda"], f"{where}.lambda")
            if not 0 < self.constant <= 1:
                raise Rejected(f"{where}.lambda: the number is outside (0, 1]")
            return
        where = "model.schedule.lambdas"
        numbers = items(record(value, "model.schedule", ["lambdas"])["lambdas"], where)
        if len(numbers) > MAX_LAMBDAS:
            raise Rejected(f"{where}: there are {len(numbers)}, and the bound is {MAX_LAMBDAS}")
        self.lambdas = read_vector(numbers, where, len(numbers))
        if self.lambdas[-1:] == [0]:
            raise Rejected(f"{where}: the last one is zero")

    def lam(self, k: int) -> Fraction:
        """lambda_k, k >= 1."""
        if self.constant is not None:
            return self.constant
        return self.lambdas[k - 1] if k <= len(self.lambdas) else Fraction(0)

    @cached_property
    def products(self) -> list[Fraction]:
        """c_0 ... c_L of a finite schedule."""
        found = [ONE]
        foresee_chain(len(self.lambdas), max(map(bits_of, self.lambdas), default=0))
        for x in self.lambdas:
            spend_fractions(found[-1], x)
            found.append(found[-1] * x)
            spend(0, found[-1].numerator.bit_length() + found[-1].denominator.bit_length())
        return found

    def c(self, k: int) -> Fraction:
        """c_k = lambda_1 ... lambda_k."""
        if self.constant is not None:
            bits = k * max(self.constant.numerator.bit_length(), self.constant.denominator.bit_length())
            spend_products(4, bits, bits)
            return self.constant**k
        return self.products[k] if k < len(self.products) else Fraction(0)

    def weight(self, k: int) -> Fraction:
        """w_k = c_{k-1} - c_k."""
        before, after = self.c(k - 1), self.c(k)
        spend_fractions(before, after)
        return before - after

    def reach(self, start: int, backward: bool = False) -> set[int]:
        """The states that P_mu can reach from `start`, or from which it can reach `start`."""
        follow: list[list[int]] = [[] for _ in range(self.n)]
        for s, row in enumerate(self.P_mu):
            for t in row:
                follow[t if backward else s].append(s if backward else t)
        return reached(follow, [start])


def reached(follow: Sequence[Iterable[int]], start: Iterable[int]) -> set[int]:
    """The states that `follow` leads to from some of `start`, themselves included."""
    found = set(start)
    waiting = list(found)
    while waiting:
        new = set(follow[waiting.pop()]) - found
        found |= new
        waiting.extend(new)
    return found


class Case:
    """One certificate: its model, what it is about, its witness, and the tests that several kinds share."""

    def __init__(self, model: Model, about: object, witness: object):
        self.model, self.given = model, (about, witness)
        self.about: Mapping[str, object] = {}
        self.witness: Mapping[str, object] = {}

    def open(self, about: str, witness: str, about_too: str = "", witness_too: str = "") -> None:
        """Name the keys that this kind needs, and those it allows."""
        self.about = record(self.given[0], "about", about.split(), about_too.split())
        self.witness = record(self.given[1], "witness", witness.split(), witness_too.split())

    def vector(self, key: str, length: int) -> list[Fraction]:
        if key not in self.witness:
            raise Rejected(f"witness: the key {show(key)} is missing, and the statement needs it")
        return read_vector(self.witness[key], f"witness.{key}", length)

    def nonzero_vector(self, length: int) -> Matrix:
        x = Matrix.column(self.vector("vector", length))
        if x.is_zero():
            raise Rejected("witness.vector: the vector is zero")
        return x

    def require_definite(self, matrix: Matrix, key: str) -> None:
        require_positive_definite(matrix, self.witness[key], f"witness.{key}")

    @cached_property
    def support(self) -> list[int]:
        """about.class: closed and strongly connected under P_mu, hence a recurrent class."""
        if "class" not in self.about:
            raise Rejected("about: the key 'class' is missing, and the statement needs it")
        found = states(self.about["class"], "about.class", self.model.n)
        if found != sorted(found):
            raise Rejected("about.class: the states are not in increasing order")
        if self.model.reach(found[0]) != set(found):
            raise Rejected(f"about.class: this is not the set of states that state {found[0]} leads to")
        if not set(found) <= self.model.reach(found[0], backward=True):
            raise Rejected(f"about.class: not every state of it leads to state {found[0]}")
        return found

    @cached_property
    def law(self) -> list[Fraction]:
        """witness.stationary: on a recurrent class d P = d and sum d = 1 have one solution only."""
        law, where = self.vector("stationary", self.model.n), "witness.stationary"
        for s, x in enumerate(law):
            if (x <= 0) if s in self.support else (x != 0):
                raise Rejected(f"{where}[{s}]: the law must be positive on the class and zero outside it")
        if sum(integers(law)[0]) != integers(law)[1]:
            raise Rejected(f"{where}: the entries do not sum to one")
        d = Matrix.column(law)
        P = Matrix.of([row if x else {} for row, x in zip(self.model.P_mu, law, strict=True)], self.model.n)
        if not (P.T @ d - d).is_zero():
            raise Rejected(f"{where}: d P = d fails")
        return law

    @cached_property
    def theta(self) -> list[Fraction]:
        return self.vector("theta", self.model.d)

    def quotient(self) -> Matrix | None:
        """T T', where `about.columns` asks for the predictions alone: the model keeps these columns B of Phi.

        Phi = Phi_B T on the class, which the kernel does not leave: so u = T theta obeys an equation of its own,
        u' = T T' (A_B u + b_B) for TD and the like for the others, and the predictions there are Phi_B u. The columns
        of Phi_B are independent on the class: so u is determined by the predictions, and T has full row rank, as
        Phi_B = Phi_B T_B leaves only T_B = I. They are, because their Gram determinant is not zero modulo LIFT.
        """
        if ("columns" in self.about) != ("coordinates" in self.witness):
            raise Rejected("about.columns and witness.coordinates: one is given without the other")
        if "columns" not in self.about:
            return None
        d, where = self.model.d, "witness.coordinates"
        columns = states(self.about["columns"], "about.columns", d)
        T = Matrix.of(read_matrix(self.witness["coordinates"], where, len(columns), d), d)
        before, self.model = self.model, copy.copy(self.model)
        self.model.Phi = [{i: row[j] for i, j in enumerate(columns) if j in row} for row in before.Phi]
        self.model.d = len(columns)
        basis = Matrix.of([self.model.Phi[s] for s in self.support], self.model.d)
        if not (basis @ T - Matrix.of([before.Phi[s] for s in self.support], d)).is_zero():
            raise Rejected(f"{where}: Phi is not the chosen columns times these coordinates on the class")
        if solve_modulo((basis.T @ basis).dense(), [], LIFT) is None:
            raise Rejected("about.columns: these columns of Phi are dependent on the class")
        N = System(self).N
        if any(set(N.rows[s][0]) - set(self.support) for s in self.support):
            raise Rejected("about.columns: the kernel leaves the class")
        return T @ T.T

    @property
    def kernel_name(self) -> str:
        return choice(self.about.get("kernel", "target"), "about.kernel", ["target", "covered"])

    def require_rank(self, support: Iterable[int]) -> None:
        """Phi restricted to `support` has full column rank: a d x d minor is not zero, modulo a prime."""
        given, where = record(self.witness["rank"], "witness.rank", ("prime", "rows")), "witness.rank.rows"
        p, d = read_prime(given["prime"], "witness.rank.prime"), self.model.d
        rows = states(items(given["rows"], where, d), where, self.model.n)
        if not set(rows) <= set(support):
            raise Rejected(f"{where}: a state lies outside the class")
        if solve_modulo(Matrix.of([self.model.Phi[s] for s in rows], d, p).dense(), [], p) is None:
            raise Rejected(f"{where}: the determinant of these rows of Phi is zero modulo {p}")

    def require_A_nonsingular(self) -> None:
        """det A is a rational number without p in its denominator, and it is not zero modulo p."""
        p = read_prime(self.witness["prime"], "witness.prime")
        if solve_modulo(System(self, p).A().dense(), [], p) is None:
            raise Rejected(f"witness.prime: the determinant of A is zero modulo {p}")

    def place(self) -> str:
        """In words: the states meant, and the kernel where it is not the target's."""
        if "class" not in self.about:
            return "all states"
        some = ", ".join(map(str, self.support[:6])) + (", ..." if len(self.support) > 6 else "")
        modulo = ", modulo the null space of Phi" if "columns" in self.about else ""
        name = f"of all {self.model.n} states" if len(self.support) == self.model.n else f"{{{some}}}"
        return f"the recurrent class {name}{', kernel covered' if self.kernel_name == 'covered' else ''}{modulo}"


class System:
    """N, Q = diag(q), r, Phi and D, exactly or modulo a prime, and what is built of them."""

    def __init__(self, case: Case, prime: int | None = None):
        self.model, self.case, self.prime = case.model, case, prime
        model, n = case.model, case.model.n
        N: list[SparseRow] = [{} for _ in range(n)]
        q: list[SparseRow] = [{} for _ in range(n)]
        self.policy = [
            (s, a, x)
            for s in range(n)
            for a, x in model.pi[s].items()
            if case.kernel_name == "target" or a in model.mu[s]
        ]
        for s, a, weight in self.policy:
            add(q[s], s, weight)
            for t, x in model.P[a][s].items():
                if gamma := entry(model.Gamma[a], s, t):
                    add(N[s], t, weight, x, gamma)
        self.ways: dict[tuple[str, str, int], int] = {}  # paths under an expectation, counted once
        self.N, self.Q = Matrix.of(N, n, prime), Matrix.of(q, n, prime)
        self.rows = N
        self.Phi = Matrix.of(model.Phi, model.d, prime)

    @cached_property
    def support(self) -> list[int]:
        return self.case.support

    @cached_property
    def D(self) -> Matrix:
        rows: list[SparseRow] = [{s: x} if x else {} for s, x in enumerate(self.case.law)]
        return Matrix.of(rows, self.model.n, self.prime)

    def r(self) -> Matrix:
        r: list[SparseRow] = [{} for _ in range(self.model.n)]
        for s, a, weight in self.policy:
            for t, x in self.model.P[a][s].items():
                add(r[s], 0, weight, x, entry(self.model.R[a], s, t))
        return Matrix.of(r, 1)

    @cached_property
    def N_from_class(self) -> Matrix:
        """N with zeros in the rows of the states that it does not lead to from the class."""
        kept = reached(self.rows, self.support)
        rows = [row if s in kept else {} for s, row in enumerate(self.rows)]
        return Matrix.of(rows, self.model.n, self.prime)

    def S(self, U: Matrix, everywhere: bool = False) -> Matrix:
        """S U.  Finite schedule, Horner: S U = U + lambda_1 N (U + lambda_2 N (U + ...)).

        Infinite constant schedule: S U solves (I - lambda N) Y = U.  N is non-negative, with row sums at most
        one, so once I - lambda N is nonsingular the series for S converges: the spectral radius of lambda N
        is one of its eigenvalues, is at most one and is not one.

        `everywhere`: the rows of all states. Otherwise those of the states that N leads to from the class alone are
        S U: the powers of N have the same rows there without its other rows, and D S needs no more.
        """
        if self.model.constant is not None:
            N = self.N if everywhere else self.N_from_class
            return solve(Matrix.identity(self.model.n, self.prime) - self.model.constant * N, U)
        self.spend_horner(U)
        Y = U
        for x in reversed(self.model.lambdas):
            Y = U + (x * self.N) @ Y
        return Y

    def spend_horner(self, U: Matrix) -> None:
        """Ask whether one product with N for each lambda could be paid."""
        growth = [(x.denominator * self.N.denominator).bit_length() for x in self.model.lambdas]
        terms = (sum(len(row) for row, _ in self.N.rows) + 8 * self.model.n) * U.shape[1] * len(growth)
        spend_products(terms, self.N.bits, 0 if self.prime else sum(growth) // 2, ahead=True)

    def K(self, X: Matrix) -> Matrix:
        return self.S((self.N - self.Q) @ X)

    def M(self, X: Matrix, everywhere: bool = True) -> Matrix:
        """M X = sum_n w_n N^n X from the weights themselves, by Horner; `everywhere` as for S.

        Without end: w_n = (1 - lambda) lambda^(n-1), so (I - lambda N) M = (1 - lambda) N.
        """
        if (x := self.model.constant) is not None:
            N = self.N if everywhere else self.N_from_class
            return solve(Matrix.identity(self.model.n, self.prime) - x * N, (1 - x) * (N @ X))
        self.spend_horner(X)
        Y = Fraction(0) * X
        for k in range(len(self.model.lambdas) + 1, 0, -1):
            Y = self.N @ (self.model.weight(k) * X + Y)
        return Y

    def A(self) -> Matrix:
        return self.Phi.T @ (self.D @ self.K(self.Phi))

    def C(self) -> Matrix:
        return self.Phi.T @ (self.D @ self.Phi)

    def K_on_class(self) -> Matrix:
        """K restricted to the class; rejected if K has an entry from the class to a state outside it."""
        K, inside = self.K(Matrix.identity(self.model.n)), set(self.support)
        for s in self.support:
            if outside := set(K.rows[s][0]) - inside:
                raise Rejected(f"about.class: K leads from state {s} to {min(outside)} outside the class")
        return K.part(self.support)

    def D_on_class(self) -> Matrix:
        return self.D.part(self.support)

    def D_I_minus_M(self) -> Matrix:
        return -(self.D_on_class() @ self.K_on_class())

    def words(self, name: str) -> str:
        """The matrix of a definiteness; without the kernel "target" K is not M - I."""
        return "-DK" if name == "D(I-M)" and self.case.kernel_name == "covered" else name


# ------------------------------------------------------------------------------------------------------ kinds


def stationary_law(case: Case) -> str:
    """A state of another recurrent class could never reach this one, and every state reaches some class."""
    case.open("class", "stationary", "unique")
    unique = case.about.get("unique", False)
    if not isinstance(unique, bool):
        raise Rejected(f"about.unique: {show(unique)} stands where true or false is needed")
    _ = case.law  # reading it verifies it
    if unique and len(case.model.reach(case.support[0], backward=True)) < case.model.n:
        raise Rejected("about.unique: there is another recurrent class")
    return f"the stationary law of the behaviour chain on {case.place()}{', the only one' if unique else ''}"


def irreducible(case: Case) -> str:
    """Every state is reached from the root (tree of predecessors) and reaches it (tree of successors)."""
    case.open("", "root from_root to_root")
    n, P = case.model.n, case.model.P_mu
    root = index(case.witness["root"], "witness.root", 0, n)
    for key in ("from_root", "to_root"):
        given = items(case.witness[key], f"witness.{key}", n)
        if given[root] is not None:
            raise Rejected(f"witness.{key}[{root}]: null is needed at the root")
        tree = [root if s == root else index(x, f"witness.{key}[{s}]", 0, n) for s, x in enumerate(given)]
        spend(50 * n * n)
        for s, t in enumerate(tree):
            if s != root and not (s in P[t] if key == "from_root" else t in P[s]):
                raise Rejected(f"witness.{key}[{s}]: the chain has no such transition between {s} and {t}")
            for _ in range(n):
                t = tree[t]
            if t != root:
                raise Rejected(f"witness.{key}[{s}]: the path from here does not end at the root")
    return f"the behaviour chain on {n} states is irreducible"


def reducible(case: Case) -> str:
    case.open("", "closed_set")
    n, closed = case.model.n, set(states(case.witness["closed_set"], "witness.closed_set", case.model.n))
    if len(closed) == n or any(case.model.P_mu[s].keys() - closed for s in closed):
        raise Rejected("witness.closed_set: the chain leaves this set, or it is every state")
    return f"the behaviour chain on {n} states is reducible: it never leaves a set of {len(closed)}"


def period(case: Case) -> str:
    """The phase grows by one along every edge: `period` divides the length of every closed walk in the class.

    The period of the class is the greatest common divisor of all these lengths.  So `period` divides it, and
    it divides the greatest common divisor of the lengths given, which is `period`.
    """
    case.open("class", "period phase closed_walks")
    support, P = case.support, case.model.P_mu
    length = index(case.witness["period"], "witness.period", 1, case.model.n + 1)
    given = items(case.witness["phase"], "witness.phase", len(support))
    phase = {s: index(x, "witness.phase", 0, length) for s, x in zip(support, given, strict=True)}
    if any((phase[s] + 1 - phase[t]) % length for s in support for t in P[s]):
        raise Rejected("witness.phase: a transition does not move the phase on by one")
    common = 0
    for i, value in enumerate(items(case.witness["closed_walks"], "witness.closed_walks")):
        where = f"witness.closed_walks[{i}]"
        spend(300 * len(items(value, where)))
        walk = [index(x, where, 0, case.model.n) for x in items(value, where)]
        closed = len(walk) > 1 and walk[0] == walk[-1] and walk[0] in phase
        if not closed or any(t not in P[s] for s, t in pairwise(walk)):
            raise Rejected(f"{where}: this is not a closed walk of the chain in the class")
        common = math.gcd(common, len(walk) - 1)
    if common != length:
        raise Rejected(f"witness.closed_walks: the lengths have the common divisor {common}, not {length}")
    return f"{case.place()} of the behaviour chain has period exactly {length}"


def full_column_rank(case: Case) -> str:
    case.open("", "rank", "class")
    case.require_rank(case.support if "class" in case.about else range(case.model.n))
    return f"Phi has full column rank {case.model.d} on {case.place()}"


def rank_deficient(case: Case) -> str:
    case.open("", "vector", "class")
    rows = [case.model.Phi[s] for s in (case.support if "class" in case.about else range(case.model.n))]
    if not (Matrix.of(rows, case.model.d) @ case.nonzero_vector(case.model.d)).is_zero():
        raise Rejected("witness.vector: Phi x is not zero")
    return f"Phi does not have full column rank {case.model.d} on {case.place()}"


def missing_coverage(case: Case) -> str:
    case.open("", "state action", "class")
    s = index(case.witness["state"], "witness.state", 0, case.model.n)
    a = index(case.witness["action"], "witness.action", 0, case.model.m)
    if a not in case.model.pi[s] or a in case.model.mu[s]:
        raise Rejected("witness: the target never takes this action there, or the behaviour does")
    if "class" in case.about and s not in case.support:
        raise Rejected("witness.state: the state lies outside the class")
    where = f" of {case.place()}" if "class" in case.about else ""
    return f"coverage fails: in state {s}{where} the target takes action number {a}, the behaviour never does"


def definite(case: Case) -> str:
    """By a factor of + or - the symmetric part; or, with `rank`, in two cases without forming the matrix.

    C > 0: x'Cx is the sum of d(s) (Phi x)(s)^2 over the class; d > 0, and by rank Phi x = 0 only for x = 0.
    A < 0: K does not leave the class, so x'Ax = -y' D(I-M) y with y = Phi x on the class, and by rank y = 0
    only for x = 0.
    """
    case.open("matrix sign class", "stationary", "kernel", "rank factor")
    name = choice(case.about["matrix"], "about.matrix", ["A", "C", "D(I-M)"])
    sign, system = choice(case.about["sign"], "about.sign", ["positive", "negative"]), System(case)
    match name, sign, sorted(case.witness.keys() - {"stationary"}):
        case "C", "positive", ["rank"]:
            _ = case.law  # that there is one is known; the one given is verified all the same
            case.require_rank(case.support)
        case "A", "negative", ["factor", "rank"]:
            case.require_rank(case.support)
            case.require_definite(symmetric_part(system.D_I_minus_M()), "factor")
        case _, _, ["factor"]:
            form = {"A": system.A, "C": system.C, "D(I-M)": system.D_I_minus_M}[name]
            part = symmetric_part(form())
            case.require_definite(part if sign == "positive" else -part, "factor")
        case _, _, keys:
            raise Rejected(f"witness: the keys {keys} do not prove that {name} is {sign} definite")
    return f"the symmetric part of {system.words(name)} is {sign} definite, on {case.place()}"


def symmetric_part(matrix: Matrix) -> Matrix:
    return Fraction(1, 2) * (matrix + matrix.T)


def not_definite(case: Case) -> str:
    """One vector x != 0 with x'Sx on the wrong side, or zero.

    GTD's form at x = (w, v): -eta w'Cw + eta w'Av - v'A'w = -eta w'Cw + (eta - 1) w'Av.
    """
    case.open("matrix sign class", "stationary vector", "kernel eta")
    name = choice(case.about["matrix"], "about.matrix", ["A", "C", "D(I-M)", "GTD"])
    sign = choice(case.about["sign"], "about.sign", ["positive", "negative"])
    if (name == "GTD") != ("eta" in case.about):
        raise Rejected("about.eta: a positive number is needed for GTD, and none for other matrices")
    system, d = System(case), case.model.d
    if name == "D(I-M)":
        x = case.nonzero_vector(len(case.support))
        value = x.T @ -(system.D_on_class() @ (system.K_on_class() @ x))
    elif name == "GTD":
        if (eta := read_number(case.about["eta"], "about.eta")) <= 0:
            raise Rejected("about.eta: the number is not positive")
        x = case.nonzero_vector(2 * d)
        given = case.vector("vector", 2 * d)
        w, v = Matrix.column(given[:d]), Matrix.column(given[d:])
        value = -eta * (w.T @ system.C() @ w) + (eta - 1) * (w.T @ system.A() @ v)
    else:
        x = case.nonzero_vector(d)
        value = x.T @ ((system.C() if name == "C" else system.A()) @ x)
    total = sum(value.entries())
    if total > 0 if sign == "positive" else total < 0:
        raise Rejected(f"witness.vector: at this x the form of {name} has the sign of a {sign} definite one")
    return f"the symmetric part of {system.words(name)} is not {sign} definite, on {case.place()}"


def nonsingular(case: Case) -> str:
    case.open("matrix class", "stationary prime", "kernel")
    choice(case.about["matrix"], "about.matrix", ["A"])
    case.require_A_nonsingular()
    return f"A is nonsingular, on {case.place()}"


def singular(case: Case) -> str:
    case.open("matrix class", "stationary vector", "kernel columns", "coordinates")
    choice(case.about["matrix"], "about.matrix", ["A"])
    case.quotient()
    system, x = System(case), case.nonzero_vector(case.model.d)
    if not (system.Phi.T @ (system.D @ system.K(system.Phi @ x))).is_zero():
        raise Rejected("witness.vector: A x is not zero")
    return f"A is singular, on {case.place()}"


def gradient_stable(case: Case) -> str:
    """C > 0 (by rank, see `definite`) and A nonsingular: both gradient methods have stable mean dynamics.

    TDC: -A'C^-1 A is negative definite.  GTD, [[-eta C, eta A], [-A', 0]]: for an eigenvector (w, x) the real
    part of the eigenvalue times |w|^2 + eta |x|^2 is -eta w*Cw: negative, unless w = 0, and then A x = 0, so
    x = 0, which no eigenvector is.  With `columns`, of (T w, T x): the norm is that of W^-1 = (T T')^-1, and T has full
    row rank (see `Case.quotient`).
    """
    case.open("class", "stationary rank prime", "kernel columns", "coordinates")
    case.quotient()
    case.require_rank(case.support)
    case.require_A_nonsingular()
    hence = "GTD's mean matrix is Hurwitz for every eta > 0 and -A'C^-1 A is negative definite"
    return f"C is positive definite and A nonsingular, hence {hence}, on {case.place()}"


def lyapunov(case: Case, keys: str) -> tuple[Matrix, Matrix, str, str]:
    """`growth_of` the matrix that is named, and words for it and the bound."""
    case.open("matrix class shift", f"stationary lyapunov {keys}", "kernel eta columns", "coordinates")
    names = ["A"] if "columns" in case.about else ["A", "GTD", "TDC", "TDC joint"]
    name, weight = choice(case.about["matrix"], "about.matrix", names), case.quotient()
    d = case.model.d
    eta = read_number(case.about.get("eta", "1"), "about.eta")
    joint = name in ("GTD", "TDC joint")
    if eta <= 0 or joint != ("eta" in case.about):
        raise Rejected("about.eta: a positive number is needed for GTD and TDC joint, and none for other matrices")
    size = 2 * d if joint else d
    system = System(case)
    A = system.A()
    B = A if weight is None else weight @ A
    above, below = (Matrix(([int(i == j + k) for j in range(d)] for i in range(size)), d) for k in (0, d))
    if name == "GTD":  # [[-eta C, eta A], [-A', 0]], from its blocks
        B = above @ (-eta * system.C()) @ above.T + above @ (eta * A) @ below.T - below @ A.T @ above.T
    elif name == "TDC joint":  # [[A, -(A' + C)], [eta A, -eta C]]
        C = system.C()
        right = above @ (A.T + C) + eta * (below @ C)
        B = (above + eta * below) @ A @ above.T - right @ below.T
    elif name == "TDC":
        B = -(A.T @ solve(system.C(), A))
    words = f"{name} at eta = {brief(case.about['eta'])}" if joint else name
    return *growth_of(case, B), words, f"{brief(case.about['shift'])}, on {case.place()}"


def growth_of(case: Case, matrix: Matrix) -> tuple[Matrix, Matrix]:
    """X of the witness and B'X + XB, B = matrix - shift I."""
    shift, size = read_number(case.about.get("shift", "0"), "about.shift"), matrix.shape[0]
    X = read_symmetric(case.witness["lyapunov"], "witness.lyapunov", size)
    XB = X @ (matrix - shift * Matrix.identity(size))
    return X, XB + XB.T


def brief(value: object) -> str:
    return value if isinstance(value, str) and len(value) <= 60 else show(value)


def listed(value: object) -> str:
    return brief(f"({', '.join(map(str, items(value, 'a list')))})")


def hurwitz(case: Case) -> str:
    """X > 0 and B'X + XB < 0 (Lyapunov): every eigenvalue of B = matrix - shift I has negative real part."""
    return all_below(case, *lyapunov(case, "factor_lyapunov factor_decrease"))


def all_below(case: Case, X: Matrix, growth: Matrix, name: str, bound: str) -> str:
    case.require_definite(X, "factor_lyapunov")
    case.require_definite(-growth, "factor_decrease")
    return f"every eigenvalue of {name} has real part below {bound}"


def unstable(case: Case) -> str:
    """Along x' = Bx the form x'Xx grows at least like a positive multiple of |x|^2, hence of itself.

    A start where it is positive runs away exponentially: some eigenvalue of B has positive real part.
    """
    return one_above(case, *lyapunov(case, "factor_growth vector"))


def one_above(case: Case, X: Matrix, growth: Matrix, name: str, bound: str) -> str:
    x = case.nonzero_vector(X.shape[0])
    if read_number(case.about["shift"], "about.shift") < 0 or sum((x.T @ X @ x).entries()) <= 0:
        raise Rejected("about.shift is negative, or x'Xx is not positive at witness.vector")
    case.require_definite(growth, "factor_growth")
    return f"some eigenvalue of {name} has real part above {bound}"


def fixed_point(case: Case) -> str:
    """A theta + b = Phi' D S ((N - Q) Phi theta + r), one column; A nonsingular: no other theta does it."""
    case.open("class", "stationary theta prime", "kernel")
    theta, system = Matrix.column(case.theta), System(case)
    column = system.S((system.N - system.Q) @ (system.Phi @ theta) + system.r())
    if not (system.Phi.T @ (system.D @ column)).is_zero():
        raise Rejected("witness.theta: A theta + b is not zero")
    case.require_A_nonsingular()
    return f"A theta + b = 0 at theta = {listed(case.witness['theta'])} and nowhere else, on {case.place()}"


def contraction(case: Case) -> str:
    """|MV|_D <= modulus |V|_D on the class: Z = modulus^2 D - M'DM is positive semidefinite.

    Shown as such; or by `weights`, where M >= 0, so that Z has no positive entry off the diagonal: with y > 0 and
    Z y >= 0 the matrix diag(y) Z diag(y) has row sums y_i (Zy)_i >= 0: it is diagonally dominant, so it is positive
    semidefinite, and so is Z.
    """
    case.open("class modulus", "stationary", "", "weights semidefinite")
    modulus, system = read_number(case.about["modulus"], "about.modulus"), System(case)
    size = len(case.support)
    if modulus < 0 or ("weights" in case.witness) == ("semidefinite" in case.witness):
        raise Rejected("about.modulus is negative, or the witness has not one of weights and semidefinite")
    D, M = system.D_on_class(), system.K_on_class() + Matrix.identity(size)  # kernel "target", so q = 1
    if "semidefinite" in case.witness:
        Z = modulus**2 * D - M.T @ (D @ M)
        require_semidefinite(Z, case.witness["semidefinite"], "witness.semidefinite")
    else:
        y = Matrix.column(case.vector("weights", size))
        if len([x for x in y.entries() if x > 0]) < size:
            raise Rejected("witness.weights: an entry is not positive")
        if any(x < 0 for x in M.entries()):
            raise Rejected("about.class: M has a negative entry")
        if any(x < 0 for x in (modulus**2 * (D @ y) - M.T @ (D @ (M @ y))).entries()):
            raise Rejected("witness.weights: (modulus^2 D - M'DM) y has a negative entry")
    return f"|MV|_D <= {brief(case.about['modulus'])} |V|_D for every V, on {case.place()}"


def not_contraction(case: Case) -> str:
    """One V, on all states: the class need not be closed under M, and D is zero outside it."""
    case.open("class modulus", "stationary vector")
    modulus, system = read_number(case.about["modulus"], "about.modulus"), System(case)
    V = case.nonzero_vector(case.model.n)
    MV = system.K(V) + V  # kernel "target", so q = 1
    if sum((MV.T @ (system.D @ MV) - modulus**2 * (V.T @ (system.D @ V))).entries()) <= 0:
        raise Rejected("witness.vector: |MV|_D <= modulus |V|_D at this V")
    return f"|MV|_D > {brief(case.about['modulus'])} |V|_D for some V, on {case.place()}"


# ----------------------------------------------------------------------------------- second moments, fixed steps


def require_positive(matrix: Matrix, where: str) -> None:
    """A small symmetric matrix is positive definite: its leading minors are positive (Sylvester; Bareiss)."""
    if not (matrix - matrix.T).is_zero():
        raise Rejected(f"{where}: the matrix is not symmetric")
    rows, before = matrix.dense(), 1
    n = len(rows)
    spend_products(n**3, n * (matrix.bits + n), n * (matrix.bits + n))
    for k in range(n):
        pivot = rows[k][k]
        if pivot <= 0:
            raise Rejected(f"{where}: the matrix is not positive definite (leading minor {k + 1})")
        for i in range(k + 1, n):
            rows[i] = [(x * pivot - rows[i][k] * y) // before for x, y in zip(rows[i], rows[k], strict=True)]
        before = pivot


class Moves:
    """A finite chain and one matrix K for each move: (from, to, probability, K), from every place some."""

    size: int
    count: int
    moves: list[tuple[int, int, Fraction, Matrix]]

    def mean(self, of: Callable[[Matrix, int], Matrix]) -> list[Matrix]:
        """For each place the sum of p times `of` (K, next place)."""
        shape = self.moves[0][3].shape[1]
        total = [Matrix.of([{}] * shape, shape)] * self.count
        for h, g, p, K in self.moves:
            total[h] = total[h] + p * of(K, g)
        return total

    def family(self, value: object, where: str, size: int) -> list[Matrix]:
        """One symmetric matrix for each place."""
        given = enumerate(items(value, where, self.count))
        return [read_symmetric(x, f"{where}[{h}]", size) for h, x in given]


class Windows(Moves):
    """What the next update depends on besides the iterates, and one matrix K for each move from window to window.

    A window is the state s and the pairs (s_k, p_k) of the L states before it, newest first: p_k is the product of rho
    gamma from s_k on, and where it is zero the window ends, for the trace sees no further. Windows are numbered as they
    are met, breadth first, from the states `first` without a past; actions and successors in increasing order.
    """

    def __init__(self, case: Case, first: list[int], products: int):
        """`products`: how many of numbers as long as a trace entry, times size^3, the kind takes for each move."""
        model, about = case.model, case.about
        self.algorithm = choice(about["algorithm"], "about.algorithm", ["off_policy_td", "gtd", "tdc"])
        if (self.algorithm == "off_policy_td") == ("eta" in about):
            raise Rejected("about.eta: a positive number is needed for gtd and tdc, and none for off_policy_td")
        self.eta = read_number(about.get("eta", "1"), "about.eta")
        if self.eta <= 0:
            raise Rejected("about: eta and the step are to be positive")
        if model.constant is not None:
            raise Rejected("model.schedule: without an end there are no windows")
        self.size = model.d * (1 if self.algorithm == "off_policy_td" else 2)
        self.foreseen = self.foresee(model, first, products * self.size**3)
        order: list[tuple[int, tuple[tuple[int, Fraction], ...]]] = [(s, ()) for s in first]
        found = {window: i for i, window in enumerate(order)}
        self.moves = []
        for place, (s, past) in enumerate(order):  # grows as it is read
            trace: SparseRow = {}
            for k, (j, p) in enumerate([(s, ONE), *past]):
                for i, x in model.Phi[j].items():
                    add(trace, i, model.c(k), p, x)
            for a, mu in model.mu[s].items():
                rho = model.pi[s].get(a, Fraction(0)) / mu
                for t, x in model.P[a][s].items():
                    gamma = entry(model.Gamma[a], s, t)
                    spend(60_000 + 15_000 * len(past))
                    spend(sum(2 * fraction_work(bits_of(rho, gamma, p)) for _, p in past))
                    held = [(s, rho * gamma), *((j, p * rho * gamma) for j, p in past)][: len(model.lambdas)]
                    window = (t, tuple(held) if rho * gamma else ())
                    if window not in found:
                        found[window] = len(order)
                        order.append(window)
                        spend(0, 20_000 * (1 + len(held)))
                    K = self.change(model, (s, a, t), gamma, {i: rho * y for i, y in trace.items()})
                    self.moves.append((place, found[window], mu * x, K))
        self.count = len(order)

    def foresee(self, model: Model, support: list[int], products: int) -> tuple[int, int]:
        """Ask for all windows and their moves before the first is made; how many there will be.

        The window of s_t with k states before it is the walk (s_{t-k}, g), ..., (s_{t-1}, g), s_t, where g != 0 is
        rho gamma of a step: so the walks of k such steps are counted, by their last state, for k up to the length.
        """
        ahead: dict[int, set[tuple[int, Fraction]]] = {s: set() for s in support}
        moves, longest = dict.fromkeys(support, 0), 0
        for s in support:
            for a, mu in model.mu[s].items():
                for t in model.P[a][s]:
                    gamma, pi = entry(model.Gamma[a], s, t), model.pi[s].get(a, Fraction(0))
                    spend_fractions(pi, mu, gamma)
                    g = pi / mu * gamma
                    moves[s] += 1
                    if g:
                        ahead[s].add((t, g))
                        longest = max(longest, bits_of(g))
        width = max(map(len, model.Phi))
        walks, work, memory = dict.fromkeys(support, 1), 0, 0
        windows = steps = 0
        for k in range(len(model.lambdas) + 1):
            entry_bits = bits_of(model.c(k)) + k * longest
            each = 60_000 + 50_000 * self.size**2 + k * (15_000 + 2 * fraction_work(k * longest // 2))
            each += 3 * width**2 * fraction_work(entry_bits) + products * products_work(entry_bits, entry_bits)
            here, leaving = sum(walks.values()), sum(count * moves[s] for s, count in walks.items())
            windows, steps = windows + here, steps + leaving
            work, memory = work + each * leaving, memory + 20_000 * (1 + k) * here
            spend(work, memory, ahead=True)
            longer = dict.fromkeys(support, 0)
            for s, count in walks.items():
                for t, _ in ahead[s]:
                    longer[t] += count
            walks = longer
        return windows, steps

    def change(self, model: Model, move: tuple[int, int, int], gamma: Fraction, z: SparseRow) -> Matrix:
        """K of the transition (s, a, t) with the trace z (ratio included): the updates without their rewards."""
        s, _, t = move
        d, phi, ahead = model.d, model.Phi[s], dict(model.Phi[s])
        for i, x in model.Phi[t].items():
            add(ahead, i, -gamma, x)
        K: list[SparseRow] = [{} for _ in range(self.size)]

        def put(i: int, j: int, factor: Fraction, left: SparseRow, right: SparseRow) -> None:
            for k, x in left.items():
                for m, y in right.items():
                    add(K[i + k], j + m, factor, x, y)

        if self.algorithm != "gtd":
            put(0, 0, -ONE, z, ahead)  # delta z, with delta = -ahead' theta
        if self.algorithm != "off_policy_td":
            put(0, d, ONE, ahead, z)  # (phi - gamma phi') z'w
            put(d, 0, -self.eta, z, ahead)
            put(d, d, -self.eta, phi, phi)
        if self.algorithm == "tdc":
            put(0, d, -ONE, phi, phi)
        spend(50_000 * self.size**2, 300 * self.size**2)
        return Matrix.of(K, self.size)


def read_symmetric(value: object, where: str, size: int) -> Matrix:
    X = Matrix.of(read_matrix(value, where, size, size), size)
    if not (X - X.T).is_zero():
        raise Rejected(f"{where}: the matrix is not symmetric")
    return X


class Differences(Moves):
    """y' = (I + alpha K) y: the difference of two runs along one trajectory, K a function of the place alone.

    `every`: alpha is every step up to `step`, or it is that step; `name`: of the algorithm, in words.
    """

    every: bool
    step: Fraction
    name: str
    places = "window"

    def parts(self, X: list[Matrix], T: list[Matrix]) -> tuple[list[Matrix], list[Matrix], list[Matrix]]:
        """T - mean T' - mean (K'X' + X'K); mean (K'T' + T'K + K'X'K); mean K'T'K. X', T' are those one step on."""
        zero = self.mean(lambda K, g: T[g] + K.T @ X[g] + X[g] @ K)
        one = self.mean(lambda K, g: K.T @ T[g] + T[g] @ K + K.T @ X[g] @ K)
        return [t - x for t, x in zip(T, zero, strict=True)], one, self.mean(lambda K, g: K.T @ T[g] @ K)

    def words(self, case: Case) -> str:
        over = "every step up to" if self.every else "the step"
        step = brief(case.about["upto" if self.every else "step"])
        return f"under {self.name} with {over} {step}, on {case.place()}"


class Jumps(Differences, Windows):
    """With steps alpha and eta alpha; y is theta for TD, (theta, w) for GTD and TDC; K depends on the window."""

    def __init__(self, case: Case):
        self.every = "upto" in case.about  # every step up to a bound, or one
        super().__init__(case, case.support, 16 if self.every else 4)
        self.step = read_number(case.about["upto" if self.every else "step"], "about.upto or about.step")
        if self.step <= 0:
            raise Rejected("about: eta and the step are to be positive")
        self.name = self.algorithm + (f" at eta = {brief(case.about['eta'])}" if "eta" in case.about else "")


def mean_square_bounded(case: Case) -> str:
    """E y'X y decreases by a factor per step, so r, the spectral radius of the second-moment operator, is below one.

    One step: X_h > 0 and X - L X > 0 in every window, L X the mean of (I + alpha K)'X'(I + alpha K).
    Every step up to a bound: X + alpha T_h in the place of X_h. With X > 0, T_h > 0 and the three `parts`,
    (X(alpha) - L X(alpha)) / alpha = zero - alpha one - alpha^2 two. As two >= 0 this is concave in alpha, so it is
    positive on the whole interval once it is at 0 and at the end.
    """
    return bounded(case, open_jumps(case, "", ""))


def bounded(case: Case, jumps: Differences) -> str:
    where = "witness.lyapunov"
    if not jumps.every:
        require_falling(case, jumps, "lyapunov")
    else:
        X, (zero, one, two) = near_zero(case, jumps)
        require_positive(X, where)
        for h in range(jumps.count):
            require_positive(zero[h], f"{where}: the decrease at 0 in window {h}")
            end = zero[h] - jumps.step * one[h] - jumps.step**2 * two[h]
            require_positive(end, f"{where}: the decrease at the end in window {h}")
    return f"second moments of differences go to zero, those of the iterates stay bounded, {jumps.words(case)}"


def mean_square_unbounded(case: Case) -> str:
    """E y'X y grows by a factor per step from where it is positive. As in `mean_square_bounded`, signs turned.

    -(zero - alpha one - alpha^2 two) >= -zero + alpha one, which is positive in between if it is at both ends.
    At one step the growth begins in the window named, with the difference `vector`: a run without a past may never
    bring this difference there. For every step up to a bound it begins in any window, as every T_h > 0.
    """
    return unbounded(case, open_jumps(case, "vector", "vector window"))


def unbounded(case: Case, jumps: Differences) -> str:
    x, where = case.nonzero_vector(jumps.size), "witness.lyapunov"
    if not jumps.every:
        X = require_growing(case, jumps)[index(case.witness["window"], "witness.window", 0, jumps.count)]
    else:
        X, (zero, one, _) = near_zero(case, jumps)
        for h in range(jumps.count):
            require_positive(-zero[h], f"{where}: the growth at 0 in window {h}")
            require_positive(jumps.step * one[h] - zero[h], f"{where}: the growth at the end in window {h}")
    if sum((x.T @ X @ x).entries()) <= 0:
        raise Rejected("witness.vector: x'Xx is not positive")
    start = f"any {jumps.places}" if jumps.every else f"{jumps.places} {case.witness['window']}"
    return f"second moments of differences grow without bound from some difference in {start}, {jumps.words(case)}"


def open_jumps(case: Case, every: str, one: str) -> Jumps:
    """The keys of a statement about every step up to a bound, or about one step; `every`, `one`: those it has more."""
    if isinstance(case.given[0], dict) and "upto" in case.given[0]:
        case.open("class algorithm upto", f"lyapunov tilt {every}", "eta")
    else:
        case.open("class algorithm step", f"lyapunov {one}", "eta")
    return Jumps(case)


def require_falling(case: Case, jumps: Differences, key: str) -> None:
    """X > 0 and X - L X > 0 in every place: the spectral radius of the second-moment operator is below one."""
    where = f"witness.{key}"
    family = jumps.family(case.witness[key], where, jumps.size)
    for h, (X, change) in enumerate(zip(family, decreases(jumps, family), strict=True)):
        require_positive(X, f"{where}[{h}]")
        require_positive(change, f"{where}: the decrease in {jumps.places} {h}")


def require_growing(case: Case, jumps: Differences) -> list[Matrix]:
    """The X of the witness, with L X - X > 0 in every place."""
    where = "witness.lyapunov"
    family = jumps.family(case.witness["lyapunov"], where, jumps.size)
    for h, change in enumerate(decreases(jumps, family)):
        require_positive(-change, f"{where}: the growth in {jumps.places} {h}")
    return family


def decreases(jumps: Differences, X: list[Matrix]) -> list[Matrix]:
    """X - L X at the step."""
    I = Matrix.identity(jumps.size)  # noqa: E741 -- the field's name

    def moved(K: Matrix, g: int) -> Matrix:
        B = I + jumps.step * K
        return B.T @ X[g] @ B

    return [x - y for x, y in zip(X, jumps.mean(moved), strict=True)]


def near_zero(case: Case, jumps: Differences) -> tuple[Matrix, tuple[list[Matrix], list[Matrix], list[Matrix]]]:
    """X of the witness, and the `parts` of X and T, with T > 0."""
    X = read_symmetric(case.witness["lyapunov"], "witness.lyapunov", jumps.size)
    tilt = jumps.family(case.witness["tilt"], "witness.tilt", jumps.size)
    for h, T in enumerate(tilt):
        require_positive(T, f"witness.tilt[{h}]")
    return X, jumps.parts([X] * jumps.count, tilt)


# ------------------------------------------------------------------------------- updates, given by their tables

MAX_PARAMETERS = 2_000  # of an update, and entries of its memory
TABLES = ("name", "parameters", "memory", "steps", "at", "contexts", "starts", "moves")

Terms = dict[tuple[int, int, int], Fraction]  # by entry of the memory (last: without it), row, column (last: g)
Exponents = tuple[int, ...]  # of the step sizes


class Move(NamedTuple):
    """To the context `target`: memory' = R memory + s, and the increments of the parameters by `Exponents`."""

    target: int
    p: Fraction
    R: dict[tuple[int, int], Fraction]
    s: dict[int, Fraction]
    increments: dict[Exponents, Terms]


class Update:
    """What an update does in each context, on each move: its tables.

    A context is a state with what the update still knows of the move before. The moves out of it are the
    model's: actions and successors of positive probability, in increasing order. On each of them

        memory' = R memory + s,    parameters' = parameters + sum_k steps^k (G_k parameters + g_k),

    G_k and g_k affine in the memory. That some function does this is not asked here: all below is about the tables.
    """

    def __init__(self, case: Case, starts: list[int], within: Collection[int]):
        """`starts`: the first contexts are those of time zero, one for each of these states; `within`: all states."""
        where, n = "about.update", case.model.n
        given = record(case.about["update"], where, TABLES)
        if not isinstance(given["name"], str):
            raise Rejected(f"{where}.name: {show(given['name'])} stands where a name is needed")
        self.name = f"the update {show(given['name'])}"
        self.size = index(given["parameters"], f"{where}.parameters", 1, MAX_PARAMETERS)
        self.held = index(given["memory"], f"{where}.memory", 0, MAX_PARAMETERS)
        self.steps = [x for x in items(given["steps"], f"{where}.steps") if isinstance(x, str)]
        if not self.steps or len(set(self.steps)) != len(items(given["steps"], f"{where}.steps")):
            raise Rejected(f"{where}.steps: this is not a list of distinct names, one or more")
        self.at = given["at"]  # step sizes as numbers that are in the tables already, or null
        if self.at is not None:
            read_vector(self.at, f"{where}.at", len(self.steps))
        contexts = items(given["contexts"], f"{where}.contexts")
        self.contexts = [index(s, f"{where}.contexts[{h}]", 0, n) for h, s in enumerate(contexts)]
        self.starts = index(given["starts"], f"{where}.starts", 0, n + 1)
        if self.contexts[: self.starts] != starts or not self.contexts:
            raise Rejected(f"{where}.starts: the contexts of time zero are not {'the' if starts else 'no'} states")
        lists = enumerate(items(given["moves"], f"{where}.moves", len(contexts)))
        for h, s in enumerate(self.contexts):
            if s not in within:
                raise Rejected(f"{where}.contexts[{h}]: state {s} is not in the class")
        self.moves = [self.leaving(case, h, moves, f"{where}.moves[{h}]") for h, moves in lists]

    def leaving(self, case: Case, h: int, value: object, where: str) -> list[Move]:
        """The moves out of a context, held against those of the model."""
        s, model = self.contexts[h], case.model
        ways = [(t, mu, x) for a, mu in model.mu[s].items() for t, x in model.P[a][s].items()]
        found = []
        for k, (one, (t, mu, x)) in enumerate(zip(items(value, where, len(ways)), ways, strict=True)):
            here = f"{where}[{k}]"
            target, memory, increments = items(one, here, 3)
            g = index(target, f"{here}[0]", 0, len(self.contexts))
            if self.contexts[g] != t:
                raise Rejected(f"{here}[0]: context {g} is of state {self.contexts[g]}, and the move is to state {t}")
            spend_fractions(mu, x)
            R, s_ = self.recursion(memory, f"{here}[1]")
            found.append(Move(g, mu * x, R, s_, self.increments(increments, f"{here}[2]")))
        return found

    def recursion(self, value: object, where: str) -> tuple[dict[tuple[int, int], Fraction], dict[int, Fraction]]:
        R, s, held = {}, {}, self.held
        for k, one in enumerate(items(value, where)):
            row, column, x = items(one, f"{where}[{k}]", 3)
            i, j = index(row, f"{where}[{k}][0]", 0, held), index(column, f"{where}[{k}][1]", 0, held + 1)
            if (i, j) in R or (j == held and i in s):
                raise Rejected(f"{where}[{k}]: the entry stands there twice")
            number = read_number(x, where, k, 2)
            if j < held:
                R[i, j] = number
            else:
                s[i] = number
        return R, s

    def increments(self, value: object, where: str) -> dict[Exponents, Terms]:
        found: dict[Exponents, Terms] = {}
        for k, part in enumerate(items(value, where)):
            powers, terms = items(part, f"{where}[{k}]", 2)
            given = enumerate(items(powers, f"{where}[{k}][0]", len(self.steps)))
            exponents = tuple(index(x, f"{where}[{k}][0][{i}]", 0, 100) for i, x in given)
            here, place = found.setdefault(exponents, {}), f"{where}[{k}][1]"
            for i, one in enumerate(items(terms, place)):
                entry, row, column, x = items(one, f"{place}[{i}]", 4)
                key = (
                    index(entry, f"{place}[{i}][0]", 0, self.held + 1),
                    index(row, f"{place}[{i}][1]", 0, self.size),
                    index(column, f"{place}[{i}][2]", 0, self.size + 1),
                )
                if key in here:
                    raise Rejected(f"{place}[{i}]: the entry stands there twice")
                here[key] = read_number(x, place, i, 3)
        return found

    @cached_property
    def alive(self) -> set[tuple[int, int]]:
        """The (context, entry) where the memory may differ from zero, if it began with zero."""
        names = [(h, i) for h in range(len(self.contexts)) for i in range(self.held)]
        follow: list[set[int]] = [set() for _ in names]
        first = set()
        for h, moves in enumerate(self.moves):
            for move in moves:
                first |= {move.target * self.held + i for i, x in move.s.items() if x}
                for (i, j), x in move.R.items():
                    if x:
                        follow[h * self.held + j].add(move.target * self.held + i)
        return {names[k] for k in reached(follow, first)}

    def affine(self, h: int, move: Move) -> Matrix:
        """The map of (memory, 1) on a move from the context h, on what may differ from zero."""
        rows: list[SparseRow] = [{} for _ in range(self.held)]
        for (i, j), x in move.R.items():
            if (h, j) in self.alive:
                rows[i][j] = x
        for i, x in move.s.items():
            rows[i][self.held] = x
        spend(20_000 + 1_000 * self.held**2)
        return Matrix.of([*rows, {self.held: ONE}], self.held + 1)

    def increment(self, move: Move, weights: dict[Exponents, Fraction], memory: Sequence[Fraction]) -> list[SparseRow]:
        """The rows of [G g] at a memory."""
        rows: list[SparseRow] = [{} for _ in range(self.size)]
        for exponents, part in move.increments.items():
            for (entry, row, column), x in part.items():
                if entry == self.held or memory[entry]:
                    held = [] if entry == self.held else [memory[entry]]
                    add(rows[row], column, weights[exponents], x, *held)
        return rows

    def parts(self, move: Move, weights: dict[Exponents, Fraction]) -> list[Matrix]:
        """What each entry of the memory multiplies in [G g], and last what does not depend on it."""
        rows: list[list[SparseRow]] = [[{} for _ in range(self.size)] for _ in range(self.held + 1)]
        for exponents, part in move.increments.items():
            for (entry, row, column), x in part.items():
                add(rows[entry][row], column, weights[exponents], x)
        spend(20_000 + 1_000 * (self.held + 1) * self.size**2)
        return [Matrix.of(part, self.size + 1) for part in rows]

    def following(self, move: Move, memory: Sequence[Fraction]) -> tuple[int, tuple[Fraction, ...]]:
        """The next context and the next memory."""
        new: SparseRow = dict.fromkeys(range(self.held), Fraction(0))
        for i, x in move.s.items():
            add(new, i, x)
        for (i, j), x in move.R.items():
            add(new, i, x, memory[j])
        return move.target, tuple(new[i] for i in range(self.held))

    def weights(self, case: Case, key: str) -> tuple[dict[Exponents, Fraction], str]:
        """What multiplies the increments: products of about.steps, or about.ratios, of which there are no products."""
        sizes = read_vector(case.about[key], f"about.{key}", len(self.steps))
        if key == "ratios" and any(sum(e) != 1 for moves in self.moves for move in moves for e in move.increments):
            raise Rejected("about.update.moves: an increment is not linear in the step sizes")
        if min(sizes) <= 0:
            raise Rejected(f"about.{key}: the step sizes are to be positive")
        if self.at is not None and (key == "ratios" or self.at != case.about["steps"]):
            raise Rejected("about.update.at: the tables are about other step sizes")
        found: dict[Exponents, Fraction] = {}
        for exponents in {e for moves in self.moves for move in moves for e in move.increments}:
            spend(fraction_work(sum(k * bits_of(x) for x, k in zip(sizes, exponents, strict=True))))
            found[exponents] = math.prod((x**k for x, k in zip(sizes, exponents, strict=True)), start=ONE)
        pairs = zip(self.steps, items(case.about[key], f"about.{key}"), strict=True)
        return found, ", ".join(f"{show(name)[1:-1]} = {brief(x)}" for name, x in pairs)

    def kept(self, case: Case) -> tuple[list[int], list[SparseRow]]:
        """about.seen, witness.coordinates: columns B and T with T_B = I, so that T has full row rank; or all, and I."""
        if ("seen" in case.about) != ("coordinates" in case.witness):
            raise Rejected("about.seen and witness.coordinates: one is given without the other")
        if "seen" not in case.about:
            return list(range(self.size)), [{i: ONE} for i in range(self.size)]
        B = states(case.about["seen"], "about.seen", self.size)
        T = read_matrix(case.witness["coordinates"], "witness.coordinates", len(B), self.size)
        if any({j: x for j, x in row.items() if j in B} != {B[i]: ONE} for i, row in enumerate(T)):
            raise Rejected("witness.coordinates: they are not those of the unit vectors in the columns seen")
        return B, T


def require_seen(row: SparseRow, B: list[int], T: list[SparseRow], where: str) -> None:
    """A row of G is its entries in the columns B, times T: so parameters y enter through T y alone."""
    made: SparseRow = {}
    for b, coordinates in zip(B, T, strict=True):
        for j, x in coordinates.items() if row.get(b) else ():
            add(made, j, row[b], x)
    if {j: x for j, x in made.items() if x} != {j: x for j, x in row.items() if x}:
        raise Rejected(f"witness.coordinates: {where} depends on more of the parameters")


class Regime:
    """An update in the stationary regime: the law of its contexts, the mean of its memory, its mean increments."""

    def __init__(self, case: Case):
        self.case, self.update = case, Update(case, [], case.support)
        self.B, self.T = self.update.kept(case)
        self.read_law(case.vector("law", len(self.update.contexts)))
        self.read_memory()
        self.require_seen()

    def read_law(self, law: list[Fraction]) -> None:
        """On contexts that lead to each other d P = d and sum d = 1 have one solution, and it is positive."""
        follow = [[move.target for move in moves] for moves in self.update.moves]
        back: list[list[int]] = [[] for _ in follow]
        flow: SparseRow = {}
        for h, moves in enumerate(self.update.moves):
            for move in moves:
                back[move.target].append(h)
                add(flow, move.target, law[h], move.p)
        if len(reached(follow, [0])) < len(follow) or len(reached(back, [0])) < len(follow):
            raise Rejected("about.update.contexts: they do not all lead to each other")
        if sum(integers(law)[0]) != integers(law)[1] or any(flow.get(h) != x for h, x in enumerate(law)):
            raise Rejected("witness.law: the entries do not sum to one, or d P = d fails")
        self.law = law

    def read_memory(self) -> None:
        """witness.mean, u = E[memory 1{context}], by its equation; it has one solution, and that is the mean.

        Sizes obey |memory'| <= |R| |memory| + |s|. With w > 0 (witness.weights) and B w < w for the non-negative map B
        of these sizes, on all that may differ from zero, the radius of B is below one (Collatz): E |memory| is finite,
        the start is forgotten, and no other u obeys the equation.
        """
        update, count = self.update, len(self.update.contexts)
        weights = read_matrix(self.case.witness["weights"], "witness.weights", count, update.held)
        self.u = read_matrix(self.case.witness["mean"], "witness.mean", count, update.held)
        sizes: list[SparseRow] = [{} for _ in range(count)]
        made: list[SparseRow] = [{} for _ in range(count)]
        for h, moves in enumerate(update.moves):
            for move in moves:
                for (i, j), x in move.R.items():
                    if (h, j) in update.alive:
                        add(sizes[move.target], i, move.p, abs(x), weights[h].get(j, Fraction(0)))
                    if j in self.u[h]:
                        add(made[move.target], i, move.p, x, self.u[h][j])
                for i, x in move.s.items():
                    add(made[move.target], i, move.p, x, self.law[h])
        for h, i in update.alive:
            if not max(Fraction(0), sizes[h].get(i, Fraction(0))) < weights[h].get(i, Fraction(0)):
                raise Rejected(f"witness.weights[{h}][{i}]: the sizes of the memory do not become smaller")
        for h in range(count):
            if any((h, i) not in update.alive for i, x in self.u[h].items() if x):
                raise Rejected(f"witness.mean[{h}]: an entry that is always zero has another mean")
            if {i: x for i, x in made[h].items() if x} != {i: x for i, x in self.u[h].items() if x}:
                raise Rejected(f"witness.mean[{h}]: the equation of the mean fails")

    def require_seen(self) -> None:
        """Every row of G, at every memory of the stationary regime, is its columns B times T."""
        if "seen" not in self.case.about:
            return
        spans = self.read_spans() if "spans" in self.case.witness else None
        seen: set[frozenset[tuple[int, Fraction]]] = set()
        for h, moves in enumerate(self.update.moves):
            for part in (part for move in moves for part in move.increments.values()):
                rows: dict[tuple[int, int], SparseRow] = {}
                if spans is None:
                    for (entry, row, column), x in part.items():
                        if column < self.update.size:
                            rows.setdefault((entry, row), {})[column] = x
                else:
                    for k, vector in enumerate(spans[h]):
                        for (entry, row, column), x in part.items():
                            if column < self.update.size and entry in vector:
                                add(rows.setdefault((k, row), {}), column, x, vector[entry])
                for found in rows.values():
                    key = frozenset(found.items())
                    if key not in seen:
                        require_seen(found, self.B, self.T, f"an increment in context {h}")
                        seen.add(key)

    def read_spans(self) -> list[list[SparseRow]]:
        """witness.spans: in each context vectors (memory, 1) whose span holds all of the stationary regime.

        Moves take the span into that of the next context, and in some context it holds a memory, which is zero wherever
        the memory always is: a run that begins there stays in the spans, and forgets where it began.
        """
        update, where = self.update, "witness.spans"
        spans = []
        for h, value in enumerate(items(self.case.witness["spans"], where, len(update.contexts))):
            height = len(items(value, f"{where}[{h}]"))
            spans.append(read_matrix(value, f"{where}[{h}]", height, update.held + 1))
            if any(i < update.held and x and (h, i) not in update.alive for row in spans[h] for i, x in row.items()):
                raise Rejected(f"{where}[{h}]: an entry that is always zero is not zero")
        if not any(row.get(update.held) for rows in spans for row in rows):
            raise Rejected(f"{where}: no span holds a memory")
        for h, moves in enumerate(update.moves):
            for move in moves:
                for row in spans[h]:
                    rest: SparseRow = {}
                    for i, x in move.s.items():
                        add(rest, i, x, row.get(update.held, Fraction(0)))
                    for (i, j), x in move.R.items():
                        add(rest, i, x, row.get(j, Fraction(0)))
                    rest[update.held] = row.get(update.held, Fraction(0))
                    for known in spans[move.target]:  # subtracts what begins where each of them begins
                        pivot = next((i for i in sorted(known) if known[i]), None)
                        factor = Fraction(0) if pivot is None else rest.get(pivot, Fraction(0)) / known[pivot]
                        for i, x in known.items() if factor else ():
                            add(rest, i, -factor, x)
                    if any(rest.values()):
                        raise Rejected(f"{where}[{move.target}]: a move from context {h} leaves the span")
        return spans

    @cached_property
    def means(self) -> list[list[SparseRow]]:
        """The rows of [A_k b_k] for each step size: the mean increment is the sum of step_k (A_k y + b_k)."""
        update = self.update
        units = [tuple(int(i == k) for i in range(len(update.steps))) for k in range(len(update.steps))]
        flat = [
            x for h, x in enumerate(self.law) for x in (x, *(self.u[h].get(i, Fraction(0)) for i in range(update.held)))
        ]
        weights, common = integers(flat)
        found = {unit: [SparseRow() for _ in range(update.size)] for unit in units}
        for h, moves in enumerate(update.moves):
            total: dict[Exponents, dict[tuple[int, int, int], Fraction]] = {}
            for move in moves:
                for exponents, part in move.increments.items():
                    into = total.setdefault(exponents, {})
                    for key, x in part.items():
                        spend_fractions(x, move.p)
                        into[key] = into.get(key, Fraction(0)) + x * move.p
            at = h * (update.held + 1)
            for exponents, sums in total.items():
                if exponents not in found:
                    raise Rejected(
                        "about.update.moves: an increment is not linear in the step sizes, so there is no mean"
                    )
                for (entry, row, column), x in sums.items():
                    weight = weights[at if entry == update.held else at + 1 + entry]
                    if weight:
                        add(found[exponents][row], column, x, Fraction(weight))
        scale = Fraction(1, common)
        return [[{j: x * scale for j, x in row.items() if x} for row in found[unit]] for unit in units]

    def joint(self) -> tuple[Matrix, Matrix, str]:
        """T J_B and T g, [J g] the sum of ratio_k [A_k b_k]; and words."""
        ratios = read_vector(self.case.about["ratios"], "about.ratios", len(self.update.steps))
        if min(ratios) <= 0:
            raise Rejected("about.ratios: the ratios of step sizes are to be positive")
        total: list[SparseRow] = [{} for _ in range(self.update.size)]
        for ratio, mean in zip(ratios, self.means, strict=True):
            for row, part in zip(total, mean, strict=True):
                for j, x in part.items():
                    add(row, j, ratio, x)
        given = " : ".join(map(brief, items(self.case.about["ratios"], "about.ratios")))
        words = f" with step sizes {given}" if len(ratios) > 1 else ""
        return *self.projected(total), f"{self.update.name}{words}"

    def projected(self, rows: list[SparseRow]) -> tuple[Matrix, Matrix]:
        size = self.update.size
        spend(200 * size * len(self.B), 200 * size * len(self.B))
        T = Matrix.of(self.T, size)
        J = Matrix.of([{i: row[b] for i, b in enumerate(self.B) if b in row} for row in rows], len(self.B))
        return T @ J, T @ Matrix.of([{0: row[size]} if size in row else {} for row in rows], 1)

    def apart(self) -> tuple[list[int], list[int]]:
        """The places in B of the slow parameters and of the fast ones, step_2 being much larger than step_1."""
        if len(self.means) != 2:
            raise Rejected("about.matrix: two time scales need two step sizes")
        slow_rows, fast_rows = ({i for i, row in enumerate(A) if row} for A in self.means)
        if slow_rows & fast_rows:
            raise Rejected("about.matrix: both step sizes move one parameter, so the time scales are not apart")
        fast = [i for i, b in enumerate(self.B) if b in fast_rows]
        slow = [i for i, b in enumerate(self.B) if b not in fast_rows]
        if not fast or not slow:
            raise Rejected("about.matrix: one of the time scales has no parameters")
        for i, row in enumerate(self.T):
            if any(x and (j in fast_rows) != (i in fast) for j, x in row.items()):
                raise Rejected("witness.coordinates: slow and fast parameters are not seen apart")
        return slow, fast

    def scales(self, name: str) -> tuple[Matrix, str]:
        """The fast matrix F, or the slow one, S_ss - S_sf F^-1 S_fs."""
        slow, fast = self.apart()
        J, _ = self.projected([a | b for a, b in zip(*self.means, strict=True)])  # of each row one has a part of J
        words = f"the {name} time scale of {self.update.name}"
        if name == "fast":
            return block(J, fast, fast), words
        return carried_over(J, slow, fast) @ block(J, [*slow, *fast], slow), words


def block(matrix: Matrix, rows: list[int], columns: list[int]) -> Matrix:
    dense = matrix.dense()
    return Matrix(([dense[i][j] for j in columns] for i in rows), len(columns), matrix.denominator)


def carried_over(J: Matrix, slow: list[int], fast: list[int]) -> Matrix:
    """(I, -J_sf F^-1): what slow parameters make of the increments of slow and fast ones, which follow them."""
    carried = solve(block(J, fast, fast).T, block(J, slow, fast).T).T
    over = carried.denominator
    rows = ([over * (i == j) for j in range(len(slow))] + [-x for x in row] for i, row in enumerate(carried.dense()))
    return Matrix(rows, len(slow + fast), over)


def update_lyapunov(case: Case, keys: str) -> tuple[Matrix, Matrix, str, str]:
    """As `lyapunov`, of the mean matrix of an update, on what updates see of the parameters."""
    case.open("class update matrix shift", f"law mean weights lyapunov {keys}", "ratios seen", "coordinates spans")
    name = choice(case.about["matrix"], "about.matrix", ["joint", "fast", "slow"])
    if (name == "joint") != ("ratios" in case.about):
        raise Rejected("about.ratios: they are needed for the joint matrix, and not allowed for time scales")
    regime = Regime(case)
    B, words = regime.joint()[::2] if name == "joint" else regime.scales(name)
    words = f"the mean matrix of {words}" if name == "joint" else words
    return *growth_of(case, B), words, f"{brief(case.about['shift'])}, on {case.place()}{unseen(case)}"


def unseen(case: Case) -> str:
    return ", modulo what no update sees" if "seen" in case.about else ""


def update_hurwitz(case: Case) -> str:
    """As `hurwitz`."""
    return all_below(case, *update_lyapunov(case, "factor_lyapunov factor_decrease"))


def update_unstable(case: Case) -> str:
    """As `unstable`."""
    return one_above(case, *update_lyapunov(case, "factor_growth vector"))


def update_rest(case: Case) -> str:
    """T (J_B u + g) = 0, and T J_B is nonsingular modulo a prime: no other u does it."""
    case.open("class update ratios", "law mean weights rest", "seen", "coordinates spans")
    J, name = at_rest(case, Regime(case))
    if solve_modulo(J.dense(), [], LIFT) is None:
        raise Rejected("witness.rest: the mean matrix is singular modulo 2^521 - 1")
    return f"the mean increment of {name} is zero at these parameters and at no others, on {case.place()}{unseen(case)}"


def at_rest(case: Case, regime: Regime) -> tuple[Matrix, str]:
    """T J_B, with the mean increment zero at witness.rest; and words."""
    J, g, name = regime.joint()
    if not (J @ Matrix.column(case.vector("rest", J.shape[0])) + g).is_zero():
        raise Rejected("witness.rest: the mean increment is not zero there")
    return J, name


class Walk(Moves):
    """A node is a context with a memory; numbered breadth first from the contexts of time zero with memory zero."""

    def follow(self, update: Update, weights: dict[Exponents, Fraction], most: int) -> None:
        """`weights`: of the increments; `most`: how many nodes the witness speaks of, where there are more it ends."""
        order = [(h, (Fraction(0),) * update.held) for h in range(update.starts)]
        found = {node: i for i, node in enumerate(order)}
        self.moves = []
        for place, (h, memory) in enumerate(order):  # grows while it is read
            if len(order) > most:
                raise Rejected(f"witness: there are more than {most} contexts with a memory")
            for move in update.moves[h]:
                node = update.following(move, memory)
                if node not in found:
                    found[node] = len(order)
                    order.append(node)
                rows = update.increment(move, weights, memory)
                self.moves.append((place, found[node], move.p, self.matrix(place, rows)))
                spend(60_000 + 2_000 * (update.size + update.held), 20_000 + 1_000 * (self.size + update.held))
        self.count = len(order)

    def matrix(self, place: int, rows: list[SparseRow]) -> Matrix:
        """K of a move from a node, of the increments [G g]."""
        raise NotImplementedError


def read_upto(case: Case) -> Fraction:
    if (upto := read_number(case.about["upto"], "about.upto")) <= 0:
        raise Rejected("about.upto: the step sizes are to be positive")
    return upto


class Nodes(Differences, Walk):
    """At given `steps` K is the whole increment, and alpha is one."""

    places = "node"

    def __init__(self, case: Case, most: int):
        update, about = Update(case, case.support, case.support), case.about
        self.B, self.T = update.kept(case)
        self.every, self.step, self.size, self.name = "upto" in about, ONE, len(self.B), update.name
        self.seen = "seen" in about
        if self.every:
            self.step = read_upto(case)
        weights, self.sizes = update.weights(case, "ratios" if self.every else "steps")
        spend(200 * update.size * self.size, 200 * update.size * self.size)
        self.project = Matrix.of(self.T, update.size)
        self.follow(update, weights, most)

    def matrix(self, place: int, rows: list[SparseRow]) -> Matrix:
        for increment in rows if self.seen else ():
            increment.pop(len(rows), None)
            require_seen(increment, self.B, self.T, f"an increment in node {place}")
        K = Matrix.of([{i: row[b] for i, b in enumerate(self.B) if b in row} for row in rows], len(self.B))
        return self.project @ K if self.seen else K

    def words(self, case: Case) -> str:
        over = f"every step up to {brief(case.about['upto'])} times" if self.every else "the steps"
        return f"under {self.name} with {over} {self.sizes}, on {case.place()}{unseen(case)}"


def open_nodes(case: Case, every: str, one: str) -> Nodes:
    """As `open_jumps`."""
    if isinstance(case.given[0], dict) and "upto" in case.given[0]:
        case.open("class update ratios upto", f"lyapunov tilt {every}", "seen", "coordinates")
        return Nodes(case, len(items(case.witness["tilt"], "witness.tilt")))
    case.open("class update steps", f"lyapunov {one}", "seen", "coordinates")
    return Nodes(case, len(items(case.witness["lyapunov"], "witness.lyapunov")))


def update_mean_square_bounded(case: Case) -> str:
    """As `mean_square_bounded`, along contexts with a memory."""
    return bounded(case, open_nodes(case, "", ""))


def update_mean_square_unbounded(case: Case) -> str:
    """As `mean_square_unbounded`, along contexts with a memory."""
    return unbounded(case, open_nodes(case, "vector", "vector window"))


def mean_map(case: Case, keys: str) -> tuple[Matrix, Matrix, Nodes]:
    """The witness's symmetric X, X - L'XL, and the nodes: m' = L m for the means of differences in each node."""
    case.open("class update steps", f"lyapunov {keys}", "seen", "coordinates")
    height = len(items(case.witness["lyapunov"], "witness.lyapunov"))
    nodes = Nodes(case, height)
    size = nodes.size
    L: list[SparseRow] = [{} for _ in range(nodes.count * size)]
    for h, g, p, K in nodes.moves:
        for i, (where, values) in enumerate(K.rows):
            add(L[g * size + i], h * size + i, p)
            for j, x in zip(where, values, strict=True):
                add(L[g * size + i], h * size + j, p, quotient(x, K.denominator))
    X = read_symmetric(case.witness["lyapunov"], "witness.lyapunov", len(L))
    of = Matrix.of(L, len(L))
    return X, X - of.T @ X @ of, nodes


def update_mean_bounded(case: Case) -> str:
    """X > 0 and X - L'XL > 0 (Stein): every eigenvalue of L is inside the unit circle."""
    X, decrease, nodes = mean_map(case, "factor_lyapunov factor_decrease")
    case.require_definite(X, "factor_lyapunov")
    case.require_definite(decrease, "factor_decrease")
    return f"the mean of differences goes to zero {nodes.words(case)}"


def update_mean_unbounded(case: Case) -> str:
    """m'Xm grows by a factor per step from where it is positive, for all means m of differences in the nodes."""
    X, decrease, nodes = mean_map(case, "factor_growth vector")
    m = case.nonzero_vector(X.shape[0])
    if sum((m.T @ X @ m).entries()) <= 0:
        raise Rejected("witness.vector: x'Xx is not positive")
    case.require_definite(-decrease, "factor_growth")
    return f"the mean of differences grows without bound from some start, {nodes.words(case)}"


# ------------------------------------------------------------------------------------- for ever, decreasing steps

LATEST, GRID, DIGITS, LOSS = 10**19, 80, 64, Fraction(1, 2**32)
Coefficients = dict[tuple[int, int], list[Matrix]]  # (i, j): of alpha^i theta^j, in every node


def real_power(base: Fraction, exponent: Fraction, up: bool) -> Fraction:
    """base^exponent for base > 0, rounded up or down to some DIGITS binary digits; exact for whole exponents."""
    if exponent < 0:
        return real_power(1 / base, -exponent, up)
    u, v = exponent.numerator, exponent.denominator
    bits = u * bits_of(base) + v * DIGITS
    spend(3000 + 4 * v.bit_length() * (v + bits // 200) * products_work(bits, bits))
    top, bottom = base.numerator**u, base.denominator**u
    if v == 1:
        return Fraction(top, bottom)
    digits = DIGITS + max(0, (bottom.bit_length() - top.bit_length()) // v + 1)
    return Fraction(whole_root((top << v * digits) // bottom, v) + up, 1 << digits)


def whole_root(x: int, v: int) -> int:
    """The whole part of x^(1/v), x > 0: Newton from above, beginning at the root of the leading digits."""
    half = x.bit_length() // (2 * v)
    root = 1 << -(-x.bit_length() // v) if half < 3 else (whole_root(x >> half * v, v) + 1) << half
    while (better := ((v - 1) * root + x // root ** (v - 1)) // v) < root:
        root = better
    return root


def rounded(x: Fraction) -> Fraction:
    """Not below x >= 0, with some DIGITS binary digits."""
    spend_fractions(x)
    unit = Fraction(2) ** (x.numerator.bit_length() - x.denominator.bit_length() - DIGITS)
    return math.ceil(x / unit) * unit


class Steps:
    """alpha_t = a / (t + t0)^p with 1/2 < p <= 1, so the sum is infinite and that of the squares is finite.

    With alpha_{t+1} = alpha_t (1 - theta_t alpha_t): s^-p is convex, so 0 <= theta_t <= (p/a) (t + t0)^(p-1), which
    does not grow; and the squares from t on sum to at most a^2 (t + t0 - 1/2)^(1-2p) / (2p - 1) (midpoints).
    """

    def __init__(self, value: object):
        self.a, self.t0, self.p = read_vector(value, "about.steps", 3)
        if self.a <= 0 or self.t0 <= 0 or not 1 < 2 * self.p <= 2 or self.p.denominator > 100:
            raise Rejected("about.steps: a > 0, t0 > 0 and 1/2 < p <= 1 are needed, the denominator of p at most 100")

    def at(self, t: int, up: bool) -> Fraction:
        return self.a * real_power(t + self.t0, -self.p, up)

    def variation(self, t: int) -> Fraction:
        """At least theta_i for all i >= t."""
        return self.p / self.a * real_power(t + self.t0, self.p - 1, True)

    def squares_from(self, t: int) -> Fraction:
        if 2 * (t + self.t0) <= 1:
            raise Rejected("about.time: t + t0 > 1/2 is needed")
        return self.a**2 * real_power(t + self.t0 - Fraction(1, 2), 1 - 2 * self.p, True) / (2 * self.p - 1)


def from_start(case: Case) -> tuple[list[Fraction], Update, list[Fraction]]:
    """about.start, the law of the first state; the update from there; about.begin, where the parameters begin."""
    law = read_vector(case.about["start"], "about.start", case.model.n)
    if min(law) < 0 or sum(integers(law)[0]) != integers(law)[1]:
        raise Rejected("about.start: this is not a probability law")
    update = Update(case, [s for s, x in enumerate(law) if x], range(case.model.n))
    return law, update, read_vector(case.about["begin"], "about.begin", update.size)


class Errors(Walk):
    """x' = (I + alpha_t H) x for x = (y - y*, 1): H = [[K, K y* + k], [0, 0]], [K k] the sum of ratio_k [G_k g_k].

    That y* is a fixed point is not asked: without it no witness passes. Every context of time zero has a state from
    which a run may start.
    """

    def __init__(self, case: Case, most: int):
        law, update, begin = from_start(case)
        weights, self.ratios = update.weights(case, "ratios")
        if items(case.about["ratios"], "about.ratios")[0] != "1":
            raise Rejected("about.ratios: the first is to be 1")
        self.size, self.name = update.size, update.name
        self.measured = states(case.about["measured"], "about.measured", self.size)
        self.rest = case.vector("rest", self.size)
        self.y0 = [*(x - y for x, y in zip(begin, self.rest, strict=True)), ONE]
        self.follow(update, weights, most)
        self.first = [x for x in law if x]
        self.first += [Fraction(0)] * (self.count - len(self.first))

    def matrix(self, place: int, rows: list[SparseRow]) -> Matrix:
        for row in rows:
            for j, x in [(j, x) for j, x in row.items() if j < self.size]:
                add(row, self.size, x, self.rest[j])
        return Matrix.of([*({j: x for j, x in row.items() if x} for row in rows), {}], self.size + 1)


class Forms:
    """Matrix polynomials in alpha and theta, one for each node, on [0, alpha] x [0, theta].

    The blocks (xx, x1, 11) are divided by powers of alpha; below them nothing may be left. A matrix polynomial is a
    mean of its Bernstein coefficients on the box, so it is positive definite where they are. `corner`: the last place
    is divided by the upper end of alpha once more, where alpha itself would divide: that makes it smaller.
    """

    def __init__(self, coefficients: Coefficients, divisors: tuple[int, int, int], corner: bool, where: str):
        self.corner, self.where = corner, where
        self.size = next(iter(coefficients.values()))[0].shape[0]
        self.count = len(next(iter(coefficients.values())))
        self.terms: dict[tuple[int, int, bool], list[dict[tuple[int, int], Fraction]]] = {}
        for (i, j), family in coefficients.items():
            for h, matrix in enumerate(family):
                spend(2_000 * self.size**2)
                for row, (places, values) in enumerate(matrix.rows):
                    for column, x in zip(places, values, strict=True):
                        last = (row == self.size - 1) + (column == self.size - 1)
                        if i < divisors[last]:
                            raise Rejected(f"{where}: order {i} of alpha does not vanish in node {h}")
                        key = (i - divisors[last], j, last == 2)
                        into = self.terms.setdefault(key, [{} for _ in range(self.count)])[h]
                        add(into, (row, column), quotient(x, matrix.denominator))  # type: ignore[arg-type]

    def require_positive(self, alpha: Fraction, theta: Fraction) -> None:
        top = [max((key[k] for key in self.terms), default=0) for k in (0, 1)]
        keys = list(self.terms)
        spend_products(20 * (top[0] + 1) * (top[1] + 1) * self.count * len(keys) * self.size**2, 300, 300, ahead=True)
        share = fraction_work(top[0] * bits_of(alpha) + top[1] * bits_of(theta) + 2 * bits_of(alpha))
        spend((top[0] + 1) * (top[1] + 1) * len(keys) * 8 * share)
        windows = [self.dense(h, keys) for h in range(self.count)]
        for k in range(top[0] + 1):
            for m in range(top[1] + 1):
                shares = [
                    Fraction(math.comb(k, i) * math.comb(m, j), math.comb(top[0], i) * math.comb(top[1], j))
                    * alpha**i
                    * theta**j
                    / (alpha if one and self.corner else 1)
                    for i, j, one in keys
                ]
                factors, _ = integers(shares)
                for h, places in enumerate(windows):
                    require_well_positive(
                        [[sum(map(mul, factors, place)) for place in row] for row in places],
                        f"{self.where} in node {h}",
                    )

    def dense(self, h: int, keys: list[tuple[int, int, bool]]) -> list[list[list[int]]]:
        """For every place of the matrix the integers of all terms, over one denominator."""
        places = [(i, j) for i in range(self.size) for j in range(self.size)]
        flat, _ = integers([self.terms[key][h].get(place, Fraction(0)) for place in places for key in keys])
        bits = max(x.bit_length() for x in flat)
        spend_products(len(flat), bits, bits)
        step = len(keys)
        cut = [flat[i * step : (i + 1) * step] for i in range(len(places))]
        return [cut[i * self.size : (i + 1) * self.size] for i in range(self.size)]


def require_well_positive(rows: list[list[int]], where: str) -> None:
    """A symmetric integer matrix S is positive definite, with a margin of 2^-40 of its diagonal or so.

    With T of powers of two, T S T has a diagonal between 1/4 and 4. Times 2^DIGITS and cut to integers it loses a
    matrix with entries in [0, 1), at least -n I: what is left without n I is positive definite, hence so is S.
    """
    n = len(rows)
    if any(rows[i][i] <= 0 for i in range(n)):
        raise Rejected(f"{where}: a diagonal entry is not positive")
    half = [rows[i][i].bit_length() // 2 for i in range(n)]
    spend_products(4 * n * n, max(half) * 2 + DIGITS, 30)

    def cut(i: int, j: int) -> int:
        shift = DIGITS - half[i] - half[j]
        return (rows[i][j] << shift if shift >= 0 else rows[i][j] >> -shift) - n * (i == j)

    require_positive(Matrix(([cut(i, j) for j in range(n)] for i in range(n)), n), where)


def update_for_ever(case: Case) -> str:
    """P(|y_t - y*| > within for some t >= time) <= 1 - probability, |.| of the parameters `measured` alone.

    W_t(h) = Q + alpha_t T_h + alpha_t^2 S_h, forms of x = (y - y*, 1); Q does not see the last place. From the start
    t_k of a phase on E W_{t+1} <= (1 - c alpha_t) W_t + n alpha_t^2, from the first t_1 on W_t >= 0, and from `time` on
    W_t >= floor |y - y*|^2. So e_t = E W_t obeys, with theta_k < c, m theta_k <= c, m >= 1 and c alpha <= 1,

        e_t <= M alpha_t + (e_{t_k} - M alpha_{t_k})^+ (alpha_t / alpha_{t_k})^m,    M = n / (c - theta_k),

    by induction: (1 - c alpha) M alpha + n alpha^2 = M alpha (1 - theta_k alpha) <= M alpha', and 1 - c alpha <=
    (1 - theta alpha)^m (Bernoulli). From `time` on W_t + n (the squares from t on) is a non-negative supermartingale,
    and Ville's inequality gives the chance. Up to t_1 second moments are propagated, rounded upwards.
    """
    about = "update ratios steps start begin measured within probability time"
    case.open(about, "rest lyapunov first second floor phases")
    steps, errors = Steps(case.about["steps"]), Errors(case, len(items(case.witness["first"], "witness.first")))
    width = errors.size + 1
    time = index(case.about["time"], "about.time", 0, LATEST)
    within, probability = (read_number(case.about[key], f"about.{key}") for key in ("within", "probability"))
    floor = read_number(case.witness["floor"], "witness.floor")
    if within <= 0 or not 0 < probability < 1 or floor <= 0:
        raise Rejected("about: within > 0, 0 < probability < 1 and a floor > 0 are needed")
    Q = read_symmetric(case.witness["lyapunov"], "witness.lyapunov", errors.size)
    inside = Matrix(([int(i == j) for j in range(width - 1)] for i in range(width)), width - 1)
    parts = [[inside @ Q @ inside.T] * errors.count]
    parts += [errors.family(case.witness[key], f"witness.{key}", width) for key in ("first", "second")]
    phases = [read_phase(x, i, steps) for i, x in enumerate(items(case.witness["phases"], "witness.phases"))]
    starts = [start for start, _, _, _ in phases]
    if not phases or any(a >= b for a, b in pairwise([*starts, time + 1])):
        raise Rejected("witness.phases: their starts must increase, up to about.time")
    unit = Matrix(([int(i == j and i in errors.measured) for j in range(width)] for i in range(width)), width)
    value: Coefficients = {(k, 0): X for k, X in enumerate(parts)}
    Forms(value, (0, 1, 2), False, "W").require_positive(steps.at(starts[0], True), Fraction(0))
    value[0, 0] = [X - floor * unit for X in parts[0]]
    Forms(value, (0, 1, 2), False, "W less its floor").require_positive(steps.at(time, True), Fraction(0))
    last = Matrix(([int(i == j == width - 1) for j in range(width)] for i in range(width)), width)
    plain, before = decrease(errors, parts), SPENT.get()[0]
    for i, (start, c, n, _) in enumerate(phases):
        if i == 1:  # the others cost what the first did
            spend((len(phases) - 1) * (SPENT.get()[0] - before), ahead=True)
        whole = dict(plain)
        for k, X in enumerate(parts):
            whole[k + 1, 0] = [x - c * y for x, y in zip(plain[k + 1, 0], X, strict=True)]
        whole[2, 0] = [x + n * last for x in whole[2, 0]]
        forms = Forms(whole, (1, 2, 2), True, f"the step from {start} on")
        forms.require_positive(steps.at(start, True), steps.variation(start))
    e = mean(errors, steps, parts, starts[0])
    for (start, c, n, m), end in zip(phases, [*starts[1:], time], strict=True):
        M = n / (c - steps.variation(start))
        excess = max(Fraction(0), e - M * steps.at(start, False))
        e = rounded(
            M * steps.at(end, True) + excess * real_power((start + steps.t0) / (end + steps.t0), steps.p * m, True)
        )
    if e + phases[-1][2] * steps.squares_from(time) > (1 - probability) * floor * within**2:
        raise Rejected("about.time: the bound of the chance is above 1 - probability at this time")
    a, t0, p = (brief(x) for x in items(case.about["steps"], "about.steps"))
    begin, law = listed(case.about["begin"]), listed(case.about["start"])
    of = (
        "the parameters"
        if len(errors.measured) == errors.size
        else f"parameters {', '.join(map(str, errors.measured))}"
    )
    return (
        f"with probability at least {brief(case.about['probability'])} {of} stay within {brief(case.about['within'])} "
        f"of their values at rest for ever from t = {time} on, under {errors.name} with the steps {a}/(t + {t0})^{p} "
        f"times {errors.ratios}, from {begin} and a state of the law {law}"
    )


def read_phase(value: object, i: int, steps: Steps) -> tuple[int, Fraction, Fraction, Fraction]:
    """Its start, c, n and m."""
    where = f"witness.phases[{i}]"
    given = record(value, where, ("start", "decay", "noise", "order"))
    start = index(given["start"], f"{where}.start", 0, LATEST)
    c, n, m = (read_number(given[key], f"{where}.{key}") for key in ("decay", "noise", "order"))
    theta = steps.variation(start)
    if n < 0 or theta >= c or not 1 <= m <= 64 or m.denominator > 64 or m * theta > c or c * steps.at(start, True) > 1:
        raise Rejected(f"{where}: decay, noise and order do not fit the steps")
    return start, c, n, m


def decrease(errors: Errors, parts: list[list[Matrix]]) -> Coefficients:
    """W_t less the mean of B'W_{t+1}B, with alpha_{t+1} = alpha (1 - theta alpha), by orders of alpha and theta."""
    found: Coefficients = {}

    def put(i: int, j: int, factor: Fraction, family: list[Matrix]) -> None:
        before = found.get((i, j))
        terms = [factor * X for X in family]
        found[i, j] = terms if before is None else [x + y for x, y in zip(before, terms, strict=True)]

    for k, X in enumerate(parts):
        put(k, 0, ONE, X)
        ahead = [
            errors.mean(lambda _, g, X=X: X[g]),  # type: ignore[misc]
            errors.mean(lambda H, g, X=X: H.T @ X[g] + X[g] @ H),  # type: ignore[misc]
            errors.mean(lambda H, g, X=X: H.T @ (X[g] @ H)),  # type: ignore[misc]
        ]
        for order, family in enumerate(ahead):
            for j in range(k + 1):
                put(k + order + j, j, Fraction(-math.comb(k, j) * (-1) ** j), family)
    return found


def mean(errors: Errors, steps: Steps, parts: list[list[Matrix]], t: int) -> Fraction:
    """At least E W_t, from Y_h >= E[x x' 1{node h}] in integers over 2^GRID.

    A step between low and low + e takes (B + e H) Y (B + e H)' <= (1 + LOSS) B Y B' + (1 + 1/LOSS) e^2 H Y H'.
    """
    size = errors.size + 1
    chances, over = integers([p for _, _, p, _ in errors.moves])
    q = math.lcm(*(H.denominator for _, _, _, H in errors.moves))
    changes = [
        [{j: x * (q // H.denominator) for j, x in zip(*row, strict=True)} for row in H.rows] for *_, H in errors.moves
    ]
    terms = sum(len(row) + 1 for rows in changes for row in rows)
    bits = q.bit_length() + 2 * DIGITS

    def each(grown: int) -> int:
        """One step, with so many bits of the moments."""
        products = 2 * terms * size * products_work(bits, 2 * bits + grown)
        return (len(changes) * (60_000 + 3_000 * size**2) + products) * (1 if steps.p == 1 else 2)

    spend(t * each(GRID), ahead=True)
    y0 = Matrix.column(errors.y0)
    starts = [p * (y0 @ y0.T) for p in errors.first]
    Y = [on_grid(X.dense(), Fraction(2**GRID, X.denominator)) for X in starts]
    for step in range(t):
        spend(each(max(X[i][i].bit_length() for X in Y for i in range(size))))
        low, high = steps.at(step, False), steps.at(step, True)
        top, scale = low.numerator, low.denominator * q
        loss = LOSS if high > low else Fraction(0)
        total, rest = ([[[0] * size for _ in range(size)] for _ in Y] for _ in range(2))
        for (h, g, *_), chance, rows in zip(errors.moves, chances, changes, strict=True):
            B = [{j: top * x for j, x in row.items()} for row in rows]
            for i, row in enumerate(B):
                row[i] = row.get(i, 0) + scale
            conjugate(total[g], B, Y[h], chance)
            if loss:
                conjugate(rest[g], rows, Y[h], chance)
        Y = [on_grid(X, (1 + loss) / (scale**2 * over)) for X in total]
        if loss:
            more = (on_grid(X, (1 + 1 / loss) * (high - low) ** 2 / (q**2 * over)) for X in rest)
            Y = [[list(map(add_up, a, b)) for a, b in zip(X, Z, strict=True)] for X, Z in zip(Y, more, strict=True)]
    bound = Fraction(0)
    for k, family in enumerate(parts):
        part = sum((trace(X, Matrix(Z, size, 2**GRID)) for X, Z in zip(family, Y, strict=True)), Fraction(0))
        bound += part * steps.at(t, part > 0) ** k
    return rounded(max(bound, Fraction(0)))


def conjugate(total: list[list[int]], rows: list[dict[int, int]], Y: list[list[int]], weight: int) -> None:
    """Add weight B Y B' for the B with these rows."""
    sparse = [(list(row), list(row.values())) for row in rows]
    columns = [[sum(map(mul, values, [Y[k][j] for k in places])) for places, values in sparse] for j in range(len(Y))]
    for i, (places, values) in enumerate(sparse):
        weighted = [weight * x for x in values]
        for j, into in enumerate(total):
            into[i] += sum(map(mul, weighted, [columns[k][j] for k in places]))


def on_grid(rows: list[list[int]], unit: Fraction) -> list[list[int]]:
    """unit times a symmetric matrix in whole numbers, rounded upwards: cutting loses entries in [0, 1), at most n I."""
    n, top, bottom = len(rows), unit.numerator, unit.denominator
    return [[x * top // bottom + n * (i == j) for j, x in enumerate(row)] for i, row in enumerate(rows)]


def trace(X: Matrix, Y: Matrix) -> Fraction:
    """Of the product of two symmetric matrices."""
    total = sum(sum(map(mul, a, b)) for a, b in zip(X.dense(), Y.dense(), strict=True))
    spend_products(X.shape[0] ** 2, X.bits, Y.bits)
    return quotient(total, X.denominator * Y.denominator)


# --------------------------------------------------------------------------------- updates, memory without an end


class Remembered(Differences):
    """m' = R m: the difference of two memories, in contexts. `maps`: of (memory, 1), with each move and its source."""

    places, every, step = "context", False, ONE

    def __init__(self, update: Update):
        self.count, self.size, self.name = len(update.contexts), update.held, update.name
        self.maps = [(h, move, update.affine(h, move)) for h, moves in enumerate(update.moves) for move in moves]
        unit, kept = Matrix.identity(self.size), list(range(self.size))
        self.moves = [(h, move.target, move.p, N.part(kept) - unit) for h, move, N in self.maps]


def update_memory_bounded(case: Case) -> str:
    """Two memories come together in mean square: E m'Xm falls by a factor per step for their difference m.

    So the start is forgotten, and the memory is a sum over the past that converges in mean square.
    """
    case.open("class update", "lyapunov")
    memory = Remembered(Update(case, [], case.support))
    require_falling(case, memory, "lyapunov")
    return f"the second moments of the memory of {memory.name} are finite, on {case.place()}"


def update_memory_unbounded(case: Case) -> str:
    """Were they finite, W = T W + beta >= 0 for their covariances in each context, weighted with the law.

    T W is the mean of R W R', and beta of b b', b = R g + s - g' the jump of the means g = u / d. With T*X - X > 0 and
    <X, beta> > 0: <X, W> = <T*X, W> + <X, beta> > <X, W>. In runs, whose means tend to g, the form <X, W> grows so.
    """
    case.open("class update", "law mean weights lyapunov")
    regime = Regime(case)
    memory, last, gain = Remembered(regime.update), regime.update.held, Fraction(0)
    X = require_growing(case, memory)
    means = [column_of({**u, last: d}, last + 1) for u, d in zip(regime.u, regime.law, strict=True)]
    drop = Matrix(([int(i == j) for j in range(last + 1)] for i in range(last)), last + 1)
    g = [1 / d * mean for mean, d in zip(means, regime.law, strict=True)]
    for h, move, N in memory.maps:
        b = drop @ (N @ g[h] - g[move.target])
        gain += move.p * regime.law[h] * number(b.T @ (X[move.target] @ b))
    if gain <= 0:
        raise Rejected("witness.lyapunov: the form of what the memory gains in each step is not positive")
    return f"the second moments of the memory of {memory.name} are infinite, on {case.place()}"


def update_covariance(case: Case) -> str:
    """The noise where mean dynamics rest, and the two equations for what averages and small steps make of it.

    The increment is E n there, n = (memory, 1), n' = N n. With H the mean of E + H'N, D = E + H'N - H leaves martingale
    differences D n, whose sums differ from those of the increments by H n at both ends. So the covariance of sums over
    t updates, divided by t, tends to Sigma = sum p D S D', S = E n n' 1{context}, whatever H is. S is the sum of the
    p N S N', its last column is (u, d), and as the memory contracts in mean square (`memory`) no other S is.
    """
    about, stable = (
        "class update matrix ratios noise averaged at_small_steps",
        "lyapunov factor_lyapunov factor_decrease",
    )
    case.open(about, f"law mean weights rest memory moments ahead {stable}", "seen", "coordinates spans")
    regime = Regime(case)
    update, memory, (J, name) = regime.update, Remembered(regime.update), at_rest(case, regime)
    require_falling(case, memory, "memory")
    size, last, (ratios, _) = update.size, update.held, update.weights(case, "ratios")
    S, given = memory.family(case.witness["moments"], "witness.moments", last + 1), case.witness["ahead"]
    H = [
        Matrix.of(read_matrix(x, f"witness.ahead[{h}]", size, last + 1), last + 1)
        for h, x in enumerate(items(given, "witness.ahead", memory.count))
    ]
    rest = dict(zip([*regime.B, size], [*case.vector("rest", len(regime.B)), ONE], strict=True))
    point, units = column_of(rest, size + 1), Matrix.identity(last + 1).dense()
    Sigma, moved, left = Matrix.of([{}] * size, size), [Fraction(0) * X for X in S], [Fraction(0) * X for X in H]
    for h, move, N in memory.maps:
        D = H[move.target] @ N - H[h]
        for j, part in enumerate(update.parts(move, ratios)):
            if j == last or (h, j) in update.alive:
                D = D + part @ point @ Matrix([units[j]], last + 1)
        left[h] = left[h] + move.p * D
        moved[move.target] = moved[move.target] + move.p * (N @ S[h] @ N.T)
        Sigma = Sigma + move.p * (D @ S[h] @ D.T)
    for h, X in enumerate(S):
        known = column_of({**regime.u[h], last: regime.law[h]}, last + 1)
        if not (X @ column_of({last: ONE}, last + 1) - known).is_zero() or not (X - moved[h]).is_zero():
            raise Rejected(f"witness.moments[{h}]: the equation of the second moments fails")
        if not left[h].is_zero():
            raise Rejected(f"witness.ahead[{h}]: the equation of what is still to come fails")
    noise = read_symmetric(case.about["noise"], "about.noise", size)
    if not (noise - Sigma).is_zero():
        raise Rejected("about.noise: this is not the covariance of the increments in the long run")
    T = Matrix.of(regime.T, size)
    seen, which = T @ noise @ T.T, choice(case.about["matrix"], "about.matrix", ["joint", "slow"])
    if which == "slow":
        slow, fast = regime.apart()
        L, order = carried_over(J, slow, fast), [*slow, *fast]
        J, seen = L @ block(J, order, slow), L @ seen.part(order) @ L.T
    all_below(case, *growth_of(case, J), "", "")  # so each of the two equations has one solution
    C, X = (read_symmetric(case.about[key], f"about.{key}", J.shape[0]) for key in ("averaged", "at_small_steps"))
    if not (J @ C @ J.T - seen).is_zero():
        raise Rejected("about.averaged: B C B' is not the noise")
    if not (J @ X + X @ J.T + seen).is_zero():
        raise Rejected("about.at_small_steps: B X + X B' is not minus the noise")
    one, two, three = (
        text if len(text := json.dumps(case.about[key])) <= 60 else f"given as {show(key)}"
        for key in ("noise", "averaged", "at_small_steps")
    )
    of, how = (" of slow parameters", ", the first one faster,") if which == "slow" else ("", "")
    return (
        f"at rest the increments of {name} have the long-run covariance {one}, averages{of} over t updates {two} / t "
        f"and constant steps going to zero{how} {three} per step, on {case.place()}{unseen(case)}"
    )


def sizes(parts: Sequence[Matrix], bounds: Sequence[Fraction]) -> Matrix:
    """At least the sum of the parts, times numbers within the bounds, in every entry and sign."""
    total = Fraction(0) * parts[0]
    for part, bound in zip(parts, bounds, strict=True):
        absolute = ([abs(x) for x in row] for row in part.dense())
        total = total + bound * Matrix(absolute, part.shape[1], part.denominator)
    return total


def row_sums(matrix: Matrix) -> Matrix:
    """Their diagonal is at least every symmetric matrix whose entries have at most these sizes."""
    n = matrix.shape[0]
    rows = ([sum(row) if i == j else 0 for j in range(n)] for i, row in enumerate(matrix.dense()))
    return Matrix(rows, n, matrix.denominator)


def update_safe_steps(case: Case) -> str:
    """|memory| <= w in each context from zero memory on; there V = y'(P + alpha T)y falls by a factor per step.

    T, affine in the memory, is the sum of T_j n_j for n = (memory, 1), and so is K. With T' after a move, (V - E V') /
    alpha has the matrix F - alpha mean (K'PK + K'T' + T'K + alpha K'T'K), F = T - mean T' - mean (K'P + PK). What of F
    depends on the memory, and what alpha multiplies, is bounded entry by entry, hence by the diagonal of the row sums
    of these bounds. They grow with alpha, so the largest alpha is enough. V > 0 at alpha = 0, and for the first alpha
    where some V were singular, V y = 0, all V >= 0 and 0 = y'Vy > E V'. On almost every path: Borel and Cantelli.
    """
    case.open("class update ratios upto", "bounds lyapunov tilt")
    update, upto = Update(case, case.support, case.support), read_upto(case)
    (ratios, words), last, size = update.weights(case, "ratios"), update.held, update.size
    P = read_symmetric(case.witness["lyapunov"], "witness.lyapunov", size)
    bounds, tilts = (items(case.witness[key], f"witness.{key}", len(update.contexts)) for key in ("bounds", "tilt"))
    w = [[*read_vector(x, f"witness.bounds[{h}]", last), ONE] for h, x in enumerate(bounds)]
    if min(map(min, w)) < 0:
        raise Rejected("witness.bounds: a bound is negative")
    require_positive(P, "witness.lyapunov")
    wheres = [f"witness.tilt[{h}]" for h in range(len(w))]
    lists = [items(x, where, last + 1) for x, where in zip(tilts, wheres, strict=True)]
    T = [[read_symmetric(x, where, size) for x in part] for part, where in zip(lists, wheres, strict=True)]
    large = [sizes(part, bound) for part, bound in zip(T, w, strict=True)]
    for h, moves in enumerate(update.moves):
        F, rest = list(T[h]), Fraction(0) * P
        for move in moves:
            N, ahead = update.affine(h, move), large[move.target]
            over = sizes([N], [ONE]) @ Matrix.column(w[h]) - Matrix.column(w[move.target])
            if any(x > 0 for x in over.entries()):
                raise Rejected(f"witness.bounds[{move.target}]: a move from context {h} leaves them")
            K = [part.part(list(range(size))) for part in update.parts(move, ratios)]
            F = [f - move.p * (k.T @ P + P @ k) for f, k in zip(F, K, strict=True)]
            for i, (places, values) in enumerate(N.rows):
                for j, x in zip(places, values, strict=True):
                    F[j] = F[j] - move.p * quotient(x, N.denominator) * T[move.target][i]
            k = sizes(K, w[h])
            rest = rest + move.p * (k.T @ sizes([P], [ONE]) @ k + k.T @ ahead + ahead @ k + upto * (k.T @ ahead @ k))
        least = F[last] - row_sums(sizes([*F[:last], Fraction(0) * P], w[h]) + upto * rest)
        require_positive(least, f"{wheres[h]}: the decrease")
    return (
        f"second moments of differences go to zero, and differences do on almost every path, under {update.name} with "
        f"every step up to {brief(case.about['upto'])} times {words}, on {case.place()}"
    )


def update_no_safe_step(case: Case) -> str:
    """A cycle of moves with the map N multiplies a part of a memory that is met by r, |r| > 1, and the rest by less.

    The memory m after `walk` is annihilated by (N - r) prod (N - o) for smaller |o|: so k rounds make it a multiple of
    r^k a and what is small beside it, a = prod (N - o) m, N a = r a. So round k multiplies differences by r^(kL) times
    Gamma, up to what falls geometrically, L the number of moves and Gamma the product along the cycle, from a, of the
    parts of G that are linear in the memory. As Gamma is not nilpotent, from some round on the directions of its
    largest eigenvalues stay in a cone in which products of k rounds grow like r^(Lk^2/2), up to an exponential, with a
    probability that is exponentially small. So from some difference in that round on the mean square has no bound.
    """
    key = "steps" if isinstance(case.given[0], dict) and "steps" in case.given[0] else "ratios"
    case.open(f"class update {key}", "start walk cycle factor others")
    update = Update(case, case.support, case.support)
    (weights, words), last, size = update.weights(case, key), update.held, update.size
    h, before = index(case.witness["start"], "witness.start", 0, update.starts), -1
    ways: dict[str, list[tuple[Move, Matrix]]] = {"walk": [], "cycle": []}
    for name, found in ways.items():
        before = h
        for k, x in enumerate(items(case.witness[name], f"witness.{name}")):
            move = update.moves[h][index(x, f"witness.{name}[{k}]", 0, len(update.moves[h]))]
            found.append((move, update.affine(h, move)))
            h = move.target
    if h != before:
        raise Rejected("witness.cycle: it does not end where it begins")
    a, N, Gamma = column_of({last: ONE}, last + 1), Matrix.identity(last + 1), Matrix.identity(size)
    for _, one in ways["walk"]:
        a = one @ a
    for _, one in ways["cycle"]:
        N = one @ N
    r, others = read_number(case.witness["factor"], "witness.factor"), items(case.witness["others"], "witness.others")
    for other in read_vector(others, "witness.others", len(others)):
        if abs(other) >= abs(r):
            raise Rejected("witness.others: a factor is not smaller than the one of the growth")
        a = N @ a - other * a
    if abs(r) <= 1 or a.is_zero() or not (N @ a - r * a).is_zero():
        raise Rejected("witness.factor: the cycle multiplies no part of the memory by it, or it is not above one")
    for move, one in ways["cycle"]:
        linear = Fraction(0) * Gamma
        for part, (x,) in zip(update.parts(move, weights)[:last], a.dense(), strict=False):
            linear = linear + quotient(x, a.denominator) * part.part(list(range(size)))
        Gamma, a = linear @ Gamma, one @ a
    for _ in range(size.bit_length()):
        Gamma = Gamma @ Gamma
    if Gamma.is_zero():
        raise Rejected("witness.cycle: what the memory makes of differences along it is nilpotent")
    steps = f"the steps {words}" if key == "steps" else f"every multiple of the steps {words}"
    how = f"under {update.name} with {steps}, on {case.place()}"
    return f"second moments of differences of runs under way grow without bound from some difference, {how}"


def update_moments(case: Case) -> str:
    """E (y, 1)(y, 1)' in each context with each memory, one step after the other."""
    case.open("update steps start begin time mean covariance", "")
    law, update, begin = from_start(case)
    weights, words = update.weights(case, "steps")
    width, time = update.size + 1, index(case.about["time"], "about.time", 0, LATEST)
    y = Matrix.column([*begin, ONE])
    first = [p for p in law if p]
    now = {(h, (Fraction(0),) * update.held): p * (y @ y.T) for h, p in enumerate(first)}
    for _ in range(time):
        after: dict[tuple[int, tuple[Fraction, ...]], Matrix] = {}
        for (h, memory), Y in now.items():
            for move in update.moves[h]:
                spend(60_000 + 2_000 * (update.size + update.held), 20_000 + 1_000 * (width + update.held))
                B = Matrix.of([*update.increment(move, weights, memory), {}], width) + Matrix.identity(width)
                node, part = update.following(move, memory), move.p * (B @ Y @ B.T)
                after[node] = after[node] + part if node in after else part
        now = after
    total = reduce(add_up, now.values())
    mean = Matrix.column([*read_vector(case.about["mean"], "about.mean", update.size), ONE])
    if not (total @ column_of({update.size: ONE}, width) - mean).is_zero():
        raise Rejected("about.mean: this is not the mean at that time")
    covariance = read_symmetric(case.about["covariance"], "about.covariance", update.size)
    if not ((total - mean @ mean.T).part(list(range(update.size))) - covariance).is_zero():
        raise Rejected("about.covariance: this is not the covariance at that time")
    return f"mean and covariance of the parameters after {time} updates, under {update.name} with the steps {words}"


# -------------------------------------------------------------------------------------------------- relations

Path = tuple[list[int], list[int]]  # s_0 ... s_T and a_0 ... a_{T-1}
NAME = re.compile(r"([A-Za-z_]+)(?::(0|[1-9][0-9]{0,3}))?")
MATRICES = {"I", "Phi", "P_mu", "P_pi", "N", "M", "S", "D", "A", "C"}
PLAIN = MATRICES | {"r", "q", "d", "b", "theta", "V", "ones", "gamma", "kappa", "L"}
NUMBERED = {"lambda", "c", "w", "Lambda", "ones"}  # with a number, from 1 on (c: from 0)
LOCAL = {"R", "gamma", "rho", "phi", "v", "delta", "state"}  # on a path, with a step: one state or one transition
AT_STEP = LOCAL | {"z", "zrho"}
RETURNS = {"G", "Grho"}  # on a path, from its start


class Scene:
    """Where expressions are evaluated: a case, and inside `on` and `E` a path. Every value is an exact matrix."""

    def __init__(self, case: Case, system: System, known: dict[object, Matrix], path: Path | None = None):
        self.case, self.model, self.system, self.known, self.path = case, case.model, system, known, path
        self.done: dict[object, Matrix] = {}  # operations, by identity (see `shared`), and names along the path

    def along(self, path: Path) -> Scene:
        return Scene(self.case, self.system, self.known, path)

    def value(self, x: object, where: str, weighted: bool = False) -> Matrix:
        """A name, a number, or an operation, whose result is kept.

        `weighted`: it stands right of D, so that its rows outside the class are never seen.
        """
        spend(20_000)
        if x in ("S", "M") and weighted:
            return self.operator(x, weighted)(Matrix.identity(self.model.n))
        if isinstance(x, str):
            if x not in self.known and RATIONAL.fullmatch(x):
                self.known[x] = scalar(read_number(x, where))
            return self.known[x] if x in self.known else self.name(x, where)
        if (id(x), weighted) not in self.done:
            self.done[id(x), weighted] = kept(self.operation(items(x, where), where, weighted))
        return self.done[id(x), weighted]

    def operation(self, expression: list[object], where: str, weighted: bool) -> Matrix:
        head, *rest = expression or [None]
        inner = [f"{where}[{i}]" for i in range(1, len(rest) + 1)]
        match head, len(rest):
            case "E", 4:
                return self.expectation(rest, where)
            case "on", 2:
                return self.along(self.read_path(rest[0], inner[0])).value(rest[1], inner[1])
            case "@", count if count > 1:
                product = self.value(rest[-1], inner[-1], rest[-2] == "D")
                for i in range(count - 2, -1, -1):
                    part, place, seen = rest[i], inner[i], rest[i - 1] == "D" if i else weighted
                    factor = None if part in ("S", "M") else self.value(part, place, seen)
                    width = factor.shape[1] if factor else self.model.n
                    if width != product.shape[0]:
                        raise Rejected(f"{place}: {width} columns meet {product.shape[0]} rows")
                    product = factor @ product if factor else self.operator(part, seen)(product)
                return product
            case "^", 2:
                return power(self.value(rest[0], inner[0]), index(rest[1], inner[1], 0, 200), where)
            case "entry", 3:
                matrix = self.value(rest[0], inner[0])
                i, j = (index(rest[k], inner[k], 0, matrix.shape[k - 1]) for k in (1, 2))
                charge(matrix)
                return scalar(quotient(matrix.dense()[i][j], matrix.denominator))
        if head in ("E", "on", "^", "entry"):
            raise Rejected(f"{where}: {show(head)} is not an operation on {len(rest)} operands")
        kept = weighted and head in ("+", "-", "*")
        values = [self.value(part, place, kept) for part, place in zip(rest, inner, strict=True)]
        for value in values:
            charge(value)
        shapes = [value.shape for value in values]
        match head, values:
            case "+", [first, _, *_] if len(set(shapes)) == 1:
                for other in values[1:]:
                    first = first + other
                return first
            case "-", [first]:
                return -first
            case "-", [first, second] if first.shape == second.shape:
                return first - second
            case "*", [first, second] if first.shape == (1, 1):
                return number(first) * second
            case "T", [first]:
                return first.T
            case "sum", [first]:
                return scalar(number(first))
            case "diag", [first] if first.shape[1] == 1:
                spend(300 * first.shape[0] ** 2)
                rows = [{i: x} if x else {} for i, (x,) in enumerate(first.dense())]
                width = first.shape[0]
                return Matrix(([row.get(j, 0) for j in range(width)] for row in rows), width, first.denominator)
            case "solve", [first, second] if first.shape == (second.shape[0], second.shape[0]):
                return solve(first, second)
        given = ", ".join(f"{height}x{width}" for height, width in shapes[:4]) + (", ..." if len(shapes) > 4 else "")
        raise Rejected(f"{where}: {show(head)} is not an operation on {len(rest)} operands ({given or 'none'})")

    def operator(self, name: object, weighted: bool = False) -> Callable[[Matrix], Matrix]:
        return partial(self.system.S if name == "S" else self.system.M, everywhere=not weighted)

    def name(self, text: str, where: str) -> Matrix:
        match = NAME.fullmatch(text)
        word, digits = match.groups() if match else ("", None)
        k = None if digits is None else int(digits)
        if (k is not None and word in AT_STEP) or (k is None and word in RETURNS):
            if self.path is None:
                raise Rejected(f"{where}: the name {show(word)} needs a path around it")
            walk, actions = self.path
            step = k or 0
            here = (word, *walk[step : step + 2], *actions[step : step + 1]) if word in LOCAL else text
            store = self.known if word in LOCAL else self.done
            if here not in store:
                store[here] = kept(self.on_path(word, step, walk, actions, where))
            return store[here]
        if word not in (PLAIN if k is None else NUMBERED):
            raise Rejected(f"{where}: {show(text)} is neither a rational string nor a name")
        if text not in self.known:
            self.known[text] = self.named(word, k, where)
        return self.known[text]

    def named(self, word: str, k: int | None, where: str) -> Matrix:
        """A name that no path changes; the number k may be as large as the L + 2 of the longest schedule."""
        model, system, n = self.model, self.system, self.model.n
        ones = Matrix.column([ONE] * (n if k is None else min(k, MAX_LAMBDAS + 2)))
        match word:
            case "I":
                return Matrix.identity(n)
            case "ones" if k is None or 0 < k <= MAX_LAMBDAS + 2:
                return ones
            case "Phi":
                return system.Phi
            case "P_mu":
                return Matrix.of(model.P_mu, n)
            case "P_pi":
                rows: list[SparseRow] = [{} for _ in range(n)]
                for s, a, weight in system.policy:
                    for t, x in model.P[a][s].items():
                        add(rows[s], t, weight, x)
                return Matrix.of(rows, n)
            case "N":
                return system.N
            case "M" | "S":
                return self.operator(word)(Matrix.identity(n))
            case "r":
                return system.r()
            case "q":
                return system.Q @ ones
            case "d":
                return Matrix.column(self.case.law)
            case "D":
                return system.D
            case "A":
                return system.A()
            case "b":
                return system.Phi.T @ (system.D @ system.S(system.r()))
            case "C":
                return system.C()
            case "theta":
                return Matrix.column(self.case.theta)
            case "V":
                return solve(Matrix.identity(n) - system.N, system.r())
            case "gamma" if model.gamma is not None:
                return scalar(model.gamma)
            case "kappa" if model.gamma is not None:
                return scalar(self.kappa(model.gamma, where))
            case "L" if model.constant is None:
                return scalar(Fraction(len(model.lambdas)))
            case "lambda" if k and k <= MAX_LAMBDAS + 2:
                return scalar(model.lam(k))
            case "c" if k is not None and k <= MAX_LAMBDAS + 2:
                return scalar(model.c(k))
            case "w" if k and k <= MAX_LAMBDAS + 2:
                return scalar(model.weight(k))
            case "Lambda" if k and k <= MAX_LAMBDAS + 2:
                half = k * bits_of(model.constant or ONE) // 4  # bits of the power in the middle: the work is convex
                spend_products(8 * k, half, half, ahead=True)
                last = [model.c(i) for i in range(k)]
                share = [last[j] - model.c(j + 1) for j in range(k)]
                spend(500 * k * k, 100 * k * k)
                return Matrix.of([dict(enumerate([*share[:i], last[i]])) for i in range(k)], k)
        raise Rejected(f"{where}: {show(word if k is None else f'{word}:{k}')} has no value for this model")

    def kappa(self, gamma: Fraction, where: str) -> Fraction:
        """sum_n w_n gamma^n, by Horner; for a constant lambda without end the sum of the series."""
        if (x := self.model.constant) is not None:
            if x * gamma == 1:
                raise Rejected(f"{where}: the series of kappa has no sum, as lambda = gamma = 1")
            return gamma * (1 - x) / (1 - x * gamma)
        total = Fraction(0)
        foresee_chain(len(self.model.lambdas), bits_of(gamma))
        for k in range(len(self.model.lambdas) + 1, 0, -1):
            w = self.model.weight(k)
            spend_fractions(total, w, gamma)
            total = gamma * (w + total)
        return total

    def read_path(self, value: object, where: str) -> Path:
        """Every transition must have positive probability."""
        first, *rest = items(value, where) or [None]
        walk, actions = [index(first, f"{where}[0]", 0, self.model.n)], []
        for i, step in enumerate(rest, start=1):
            a, t = items(step, f"{where}[{i}]", 2)
            actions.append(index(a, f"{where}[{i}][0]", 0, self.model.m))
            t = index(t, f"{where}[{i}][1]", 0, self.model.n)
            if t not in self.model.P[actions[-1]][walk[-1]]:
                raise Rejected(f"{where}[{i}]: this action never leads there")
            walk.append(t)
        return walk, actions

    def paths(self, rest: list[object], where: str) -> tuple[int, list[Fraction], list[SparseRow], int]:
        """How many paths an expectation walks, their law at the start, the policy, and their steps."""
        model, n = self.model, self.model.n
        policy = {"mu": model.mu, "pi": model.pi}[choice(rest[0], f"{where}[1]", ["mu", "pi"])]
        start = rest[1] if rest[1] == "d" else index(rest[1], f"{where}[2]", 0, n)
        law = self.case.law if start == "d" else [Fraction(int(s == start)) for s in range(n)]
        steps = index(rest[2], f"{where}[3]", 0, 100)
        key = (str(rest[0]), str(start), steps)
        if key not in self.system.ways:
            ways = {s: 1 for s, x in enumerate(law) if x}  # the paths so far, by their last state
            for _ in range(steps):
                longer: dict[int, int] = {}
                for s, count in ways.items():
                    for a in policy[s]:
                        spend(200 * len(model.P[a][s]))
                        for t in model.P[a][s]:
                            longer[t] = longer.get(t, 0) + count
                ways = longer
                if sum(ways.values()) > MAX_PATHS:
                    raise Rejected(f"{where}: there are more than {MAX_PATHS} paths of {steps} steps")
            self.system.ways[key] = sum(ways.values())
        return self.system.ways[key], law, policy, steps

    def outlook(self, x: object, where: str) -> int:
        """Nanoseconds of an expression, were all its numbers short: what stands under an `E` is done for every path."""
        if not isinstance(x, list):
            return 20_000
        if x[:1] == ["E"] and len(x) == 5:
            count, _, _, steps = self.paths(x[1:], where)
            return count * (self.outlook(x[4], f"{where}[4]") + 50_000 + 10_000 * steps)
        return 20_000 + sum(self.outlook(part, f"{where}[{i}]") for i, part in enumerate(x))

    def expectation(self, rest: list[object], where: str) -> Matrix:
        """The sum over all paths of positive probability, each with its probability; counted before they are walked."""
        model = self.model
        count, law, policy, steps = self.paths(rest, where)
        spend(self.outlook(["E", *rest], where), ahead=True)
        waiting: list[tuple[Fraction, Path]] = [(x, ([s], [])) for s, x in enumerate(law) if x]
        total = None
        while waiting:
            weight, (walk, actions) = waiting.pop()
            if len(actions) < steps:
                for a, p in policy[walk[-1]].items():
                    for t, x in model.P[a][walk[-1]].items():
                        spend(10_000)
                        spend_fractions(weight, p, x)
                        waiting.append((weight * p * x, ([*walk, t], [*actions, a])))
                continue
            spend(50_000)
            before, held = SPENT.get()
            term = weight * self.along((walk, actions)).value(rest[3], f"{where}[4]")
            if total is None:  # the first path says what the numbers cost on each
                spend((count - 1) * (SPENT.get()[0] - before), ahead=True)
            SPENT.get()[1] = held  # what a path needed is gone after it
            total = term if total is None else total + term
        if total is None:
            raise Rejected(f"{where}: there is no path")
        return total

    def on_path(self, word: str, k: int, walk: list[int], actions: list[int], where: str) -> Matrix:
        """A name along the path; k is its step."""
        model = self.model

        def step(i: int) -> tuple[int, int, int]:
            if i >= len(actions):
                raise Rejected(f"{where}: the path has no transition number {i}")
            return walk[i], actions[i], walk[i + 1]

        def reward(i: int) -> Fraction:
            s, a, t = step(i)
            return entry(model.R[a], s, t)

        def discount(i: int) -> Fraction:
            s, a, t = step(i)
            return entry(model.Gamma[a], s, t)

        def ratio(i: int) -> Fraction:
            s, a, _ = step(i)
            if a not in model.mu[s]:
                raise Rejected(f"{where}: mu never takes the action of transition number {i}")
            spend_fractions(model.pi[s].get(a, Fraction(0)), model.mu[s][a])
            return model.pi[s].get(a, Fraction(0)) / model.mu[s][a]

        def phi(i: int) -> SparseRow:
            if i >= len(walk):
                raise Rejected(f"{where}: the path has no state number {i}")
            return model.Phi[walk[i]]

        def v(i: int) -> Fraction:
            total: SparseRow = {0: Fraction(0)}
            for j, x in phi(i).items():
                add(total, 0, x, self.case.theta[j])
            return total[0]

        def ahead(i: int, rest: Fraction) -> Fraction:
            """Reward and discounted rest of transition i."""
            spend_fractions(reward(i), discount(i), rest)
            return reward(i) + discount(i) * rest

        match word:
            case "R" | "gamma" | "rho" | "v":
                return scalar({"R": reward, "gamma": discount, "rho": ratio, "v": v}[word](k))
            case "phi":
                return column_of(phi(k), model.d)
            case "state":
                phi(k)  # there is such a state
                return column_of({walk[k]: ONE}, model.n)
            case "delta":
                return scalar(ahead(k, v(k + 1)) - v(k))
            case "z" | "zrho":
                total: SparseRow = {}
                phi(k)
                product = ratio(k) if word == "zrho" else ONE
                last = 0 if model.constant is not None else max(0, k - len(model.lambdas))
                longest = max((bits_of(discount(i), model.lam(k - i)) for i in range(last, k)), default=0)
                foresee_chain(k - last, bits_of(product) + longest)
                spend(6_000 * (k - last))
                for i in range(k, last - 1, -1):
                    if i < k:
                        factors = (product, discount(i), ratio(i) if word == "zrho" else ONE)
                        spend_fractions(*factors)
                        product = math.prod(factors, start=ONE)
                    for j, x in phi(i).items():
                        add(total, j, model.c(k - i), product, x)
                return column_of(total, model.d)
        if model.constant is not None:
            raise Rejected(f"{where}: the return needs a schedule of finite length")
        result = Fraction(0)
        length = len(model.lambdas)
        foresee_chain(length, max(bits_of(model.lam(i + 1), reward(i), discount(i)) for i in range(length + 1)))
        spend(10_000 * length)
        for i in range(length, -1, -1):
            lam = model.lam(i + 1)
            spend_fractions(lam, v(i + 1), result)
            result = ahead(i, (1 - lam) * v(i + 1) + lam * result)
            if word == "Grho":
                result *= ratio(i)
        return scalar(result)


def charge(matrix: Matrix) -> None:
    """Once through all its places."""
    spend(300 * matrix.shape[0] * matrix.shape[1])


def kept(matrix: Matrix) -> Matrix:
    """Charged for, as if for good."""
    charge(matrix)
    spend(0, sum(len(row) for row, _ in matrix.rows) * (matrix.bits + 350))
    return matrix


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


def count_nodes(*expressions: object) -> int:
    waiting, nodes = list(expressions), 0
    while waiting:
        nodes += 1
        node = waiting.pop()
        waiting.extend(node if isinstance(node, list) else [])
    return nodes


def shared(x: object, known: dict[tuple[object, ...], object]) -> object:
    """Parts of expressions that are written alike become one object, and a scene evaluates each object once."""
    if isinstance(x, list):
        x = [shared(part, known) for part in x]
    elif not isinstance(x, str | int):
        return x
    return known.setdefault(tuple(map(id, x)) if isinstance(x, list) else (type(x), x), x)


def relation(case: Case) -> str:
    """Both sides of every relation are evaluated from the model up, and compared entry by entry."""
    case.open("", "relations", "class kernel", "stationary theta")
    given, where = items(case.witness["relations"], "witness.relations"), "witness.relations"
    nodes = count_nodes(*given)
    if not given or nodes > MAX_NODES:
        raise Rejected(f"{where}: there are {nodes} nodes in the expressions, and the bounds are 1 and {MAX_NODES}")
    scene, parts = Scene(case, System(case), {}), dict[tuple[object, ...], object]()
    for i, item in enumerate([shared(x, parts) for x in given]):
        left, sign, right = items(item, f"{where}[{i}]", 3)
        choice(sign, f"{where}[{i}][1]", ["=", "!=", "<", "<="])
        a, b = scene.value(left, f"{where}[{i}][0]"), scene.value(right, f"{where}[{i}][2]")
        if a.shape != b.shape:
            raise Rejected(f"{where}[{i}]: the sides have the shapes {a.shape} and {b.shape}")
        entries = [x for row in (b - a).dense() for x in row]
        holds = {"=": not any(entries), "!=": any(entries), "<": min(entries) > 0, "<=": min(entries) >= 0}
        if not holds[str(sign)]:
            raise Rejected(f"{where}[{i}]: the left side {show(sign)} the right side is false")
    for key in ("stationary", "theta"):  # what is given is verified, used or not
        if key in case.witness:
            _ = case.law if key == "stationary" else case.theta
    first = json.dumps(given[0])
    return f"{len(given)} relation{'s' if len(given) > 1 else ''}, the first {brief(first)}, on {case.place()}"


LAWS = (stationary_law, irreducible, reducible, period, full_column_rank, rank_deficient, missing_coverage)
SIGNS = (definite, not_definite, nonsingular, singular, gradient_stable, hurwitz, unstable)
NUMBERS = (fixed_point, contraction, not_contraction, mean_square_bounded, mean_square_unbounded, relation)
UPDATES = (update_hurwitz, update_unstable, update_rest, update_mean_square_bounded, update_mean_square_unbounded)
AT_STEPS = (update_mean_bounded, update_mean_unbounded, update_for_ever, update_moments)
MEMORY = (update_memory_bounded, update_memory_unbounded, update_covariance, update_safe_steps, update_no_safe_step)
ALL = LAWS + SIGNS + NUMBERS + UPDATES + AT_STEPS + MEMORY
KINDS: dict[str, Callable[[Case], str]] = {kind.__name__: kind for kind in ALL}


# ---------------------------------------------------------------------------------------------------- running


LAST: dict[str, tuple[Model, int, int]] = {}
"""The model that was read last, by its whole text, and what it was charged: the files of one report mostly share it."""


def read_model(value: object, canonical: str) -> Model:
    """The model; where this very text was read last, what was read then, at the same charge. No check changes it."""
    found = LAST.get(canonical)
    if found is None:
        time, memory = SPENT.get()
        model = Model(value)
        found = model, SPENT.get()[0] - time, SPENT.get()[1] - memory
        LAST.clear()
        LAST[canonical] = found
    else:
        spend(*found[1:])
    return copy.copy(found[0])  # what a check adds to its model stays its own


def check_text(text: str | bytes, budget: int | None = MAX_WORK) -> str:
    """What the certificate establishes, in words; raises `Rejected` or `NotChecked`, and nothing else.

    `budget`: estimated nanoseconds; None: however many it takes.
    """
    SPENT.set([0, 0])
    BUDGET.set(budget)
    try:
        keys = "format kind claim model digest about witness"
        value = record(parse(text), "the file", keys.split())
        choice(value["format"], "format", ["tdcert-certificate/1"])
        kind = choice(value["kind"], "kind", list(KINDS))
        if not isinstance(value["claim"], str | None):
            raise Rejected(f"claim: {show(value['claim'])} stands where a name or null is needed")
        canonical = json.dumps(value["model"], sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        model = read_model(value["model"], canonical)
        digest = hashlib.sha256(canonical.encode("ascii")).hexdigest()
        if value["digest"] != digest:
            raise Rejected(f"digest: {show(value['digest'])} is not that of the model, {digest}")
        return f"{KINDS[kind](Case(model, value['about'], value['witness']))} (model {digest[:12]})"
    except (Rejected, NotChecked):
        raise
    except MemoryError:
        raise NotChecked("the file needs more memory than there is") from None
    except Exception as error:  # the last net: no input may end in a traceback
        raise Rejected(f"the checker met something unexpected ({type(error).__name__})") from error


def check_file(path: str, budget: int | None = MAX_WORK) -> str:
    """`check_text` of a file."""
    try:
        with open(path, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise Rejected(f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return check_text(content, budget)


ACCEPTED, REJECTED, NOT_CHECKED = 0, 1, 4  # exit codes: rejected if any file is, else not checked if any is not


def answer(path: str, patient: bool) -> tuple[int, str]:
    """The exit code that one file asks for, and its line."""
    name = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in path)
    try:
        return ACCEPTED, f"accepted: {name}: {check_file(path, None if patient else MAX_WORK)}"
    except Rejected as reason:
        return REJECTED, f"rejected: {name}: {reason}"
    except NotChecked as reason:
        return NOT_CHECKED, f"not checked: {name}: {reason}"


def overall(codes: Iterable[int]) -> int:
    """The exit code of several files."""
    return min((code for code in codes if code != ACCEPTED), default=ACCEPTED)


def main(argv: Sequence[str]) -> int:
    """One line for each file; `--patient`: the work has no bound."""
    paths, codes = [x for x in argv if x != "--patient"], []
    for path in paths:
        code, line = answer(path, len(paths) < len(argv))
        codes.append(code)
        encoding = sys.stdout.encoding or "ascii"
        print(line.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    if not paths:
        print("rejected: no file was named; give certificates as arguments", file=sys.stderr)
        return REJECTED
    return overall(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
