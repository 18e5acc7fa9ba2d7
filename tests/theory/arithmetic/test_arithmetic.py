"""The number systems: exact matrices against lists of fractions, and one protocol in all three systems."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np
import pytest
import sympy
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tdcert.theory.arithmetic import FloatMatrix, RationalMatrix, SymbolicMatrix, SymbolicRing
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.arithmetic.symbolic import RationalFunction
from tdcert.theory.errors import SingularMatrixError
from tests.effort import examples

F = Fraction
Rows = list[list[Fraction]]

NUMBERS = st.builds(Fraction, st.integers(-6, 6), st.integers(1, 6))
few = settings(max_examples=examples(40), deadline=None)


def tables(rows: int, columns: int) -> SearchStrategy[Rows]:
    """Tables of small fractions."""
    return st.lists(st.lists(NUMBERS, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


@st.composite
def products(draw: DrawFn) -> tuple[Rows, Rows]:
    """Two tables that can be multiplied."""
    m, n, k = (draw(st.integers(1, 4)) for _ in range(3))
    return draw(tables(m, n)), draw(tables(n, k))


@st.composite
def pairs(draw: DrawFn) -> tuple[Rows, Rows]:
    """Two tables of equal shape."""
    m, n = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    return draw(tables(m, n)), draw(tables(m, n))


@st.composite
def low_rank(draw: DrawFn) -> tuple[Rows, int]:
    """A product of an m×k and a k×n table: rank at most k."""
    m, n, k = draw(st.integers(1, 5)), draw(st.integers(1, 5)), draw(st.integers(1, 3))
    return multiplied(draw(tables(m, k)), draw(tables(k, n))), k


def multiplied(left: Rows, right: Rows) -> Rows:
    """The product, entry by entry."""
    columns = list(zip(*right, strict=True))
    return [[sum((a * b for a, b in zip(row, c, strict=True)), F(0)) for c in columns] for row in left]


def determinant(rows: Rows) -> Fraction:
    """Leibniz's formula."""
    n, total = len(rows), F(0)
    for order in itertools.permutations(range(n)):
        inversions = sum(order[i] > order[j] for i, j in itertools.combinations(range(n), 2))
        term = F((-1) ** inversions)
        for i, j in enumerate(order):
            term *= rows[i][j]
        total += term
    return total


def rank_by_minors(rows: Rows) -> int:
    """The size of the largest square part with a determinant that is not zero."""
    m, n = len(rows), len(rows[0])
    for size in range(min(m, n), 0, -1):
        for kept in itertools.combinations(range(m), size):
            for columns in itertools.combinations(range(n), size):
                if determinant([[rows[i][j] for j in columns] for i in kept]) != 0:
                    return size
    return 0


def listed(matrix: RationalMatrix) -> Rows:
    return [list(row) for row in matrix.rows]


# ---- rational matrices against lists of fractions -------------------------------------------------


@few
@given(products())
def test_product_and_transpose(tables_: tuple[Rows, Rows]) -> None:
    left, right = tables_
    assert listed(RationalMatrix(left) @ RationalMatrix(right)) == multiplied(left, right)
    assert listed(RationalMatrix(left).T) == [list(column) for column in zip(*left, strict=True)]


@few
@given(pairs(), NUMBERS)
def test_entrywise_operations(tables_: tuple[Rows, Rows], scalar: Fraction) -> None:
    left, right = tables_
    A, B = RationalMatrix(left), RationalMatrix(right)

    def entrywise(operation: Callable[[Fraction, Fraction], Fraction]) -> Rows:
        return [list(map(operation, p, q)) for p, q in zip(left, right, strict=True)]

    assert listed(A + B) == entrywise(lambda a, b: a + b)
    assert listed(A - B) == entrywise(lambda a, b: a - b)
    assert listed(-A) == [[-a for a in row] for row in left]
    assert listed(A.hadamard(B)) == entrywise(lambda a, b: a * b)
    assert listed(A.scaled(scalar)) == [[scalar * a for a in row] for row in left]
    assert A.scaled(to_fmpq(scalar)) == A.scaled(scalar)
    first = [row[0] for row in right]
    assert listed(A.scale_rows(B.take(columns=[0]))) == [
        [x * a for a in row] for x, row in zip(first, left, strict=True)
    ]
    assert A.is_zero() == all(a == 0 for row in left for a in row)
    assert A.is_nonnegative() == all(a >= 0 for row in left for a in row)


@few
@given(pairs())
def test_equal_values_are_equal_and_hash_alike_however_they_were_made(tables_: tuple[Rows, Rows]) -> None:
    """Lowest terms as a whole: one representation a matrix."""
    left, right = tables_
    A, B = RationalMatrix(left), RationalMatrix(right)
    back = (A + B) - B
    assert back == A and hash(back) == hash(A)
    assert (A == B) == (left == right)
    first = B.take(columns=[0])
    for made in (back, A.hadamard(B), A @ B.T, A.scaled(6), A.scaled(F(3, 2)), A.scale_rows(first), first.scaled(0)):
        common = gcd(int(made.denominator), *(int(entry) for entry in made.numerator.entries()))
        assert made.denominator > 0 and common == 1
    assert (left == A) is False


@few
@given(pairs())
def test_reading_entries(tables_: tuple[Rows, Rows]) -> None:
    left, right = tables_
    A = RationalMatrix(left)
    m, n = A.shape
    assert (m, n) == (len(left), len(left[0]))
    assert [[A[i, j] for j in range(n)] for i in range(m)] == left
    assert A.column_entries(n - 1) == tuple(row[-1] for row in left)
    assert A.to_strings() == [[str(a) for a in row] for row in left]
    assert A.from_rationals(right) == RationalMatrix(right)
    order, kept = list(range(m))[::-1], [n - 1, 0]
    assert listed(A.take(order, kept)) == [[left[i][j] for j in kept] for i in order]
    assert A.take() == A and A.take(rows=[0]).rows == (tuple(left[0]),)
    # Division of fractions by Python rounds correctly, as floats of fractions do.
    assert A.to_float().tolist() == [[float(a) for a in row] for row in left]
    assert repr(A) == f"RationalMatrix({A.to_strings()!r})"


def test_block_puts_four_parts_together() -> None:
    def row(*entries: int | Fraction) -> RationalMatrix:
        return RationalMatrix([entries])

    made = row(1, F(1, 2)).block(right=row(3), below=row(4, 5), corner=row(F(-1, 3)))
    assert made == RationalMatrix([[1, F(1, 2), 3], [4, 5, F(-1, 3)]])
    with pytest.raises(ValueError, match=r"shorter|longer"):
        row(1).block(right=RationalMatrix([[1], [2]]), below=row(1), corner=row(1))


def test_zeros_identity_and_columns() -> None:
    assert RationalMatrix.zeros(2, 3).rows == ((0, 0, 0), (0, 0, 0))
    assert RationalMatrix([[7]]).identity(2).rows == ((1, 0), (0, 1))
    assert RationalMatrix.column([1, F(1, 2)]).rows == ((1,), (F(1, 2),))
    assert to_fraction(fmpq(-6, 4)) == F(-3, 2) and to_fmpq(3) == 3 and to_fmpq(F(3, 7)) == fmpq(3, 7)


def test_hadamard_refuses_other_shapes() -> None:
    with pytest.raises(ValueError, match="equal shapes"):
        RationalMatrix([[1, 2]]).hadamard(RationalMatrix([[1], [2]]))


@few
@given(st.integers(1, 4).flatmap(lambda n: st.tuples(tables(n, n), tables(n, 2))))
def test_solve_solves_and_refuses_singular_systems(tables_: tuple[Rows, Rows]) -> None:
    left, right = tables_
    A, B = RationalMatrix(left), RationalMatrix(right)
    if determinant(left) == 0:
        with pytest.raises(SingularMatrixError, match="singular"):
            A.solve(B)
    else:
        assert multiplied(left, listed(A.solve(B))) == right


@pytest.mark.parametrize("content", [7**300, F(1, 7**300), F(-(11**200), 13**190)], ids=["long", "tiny", "negative"])
def test_solve_with_rows_of_huge_common_content(content: Fraction) -> None:
    """Scaling an equation changes no solution: [[2,1],[1,3]] x = (3,5) has x = (4/5, 7/5)."""
    plain, right = [[F(2), F(1)], [F(1), F(3)]], [F(3), F(5)]
    factors = [F(content), F(5, 3)]
    A = RationalMatrix([[f * a for a in row] for f, row in zip(factors, plain, strict=True)])
    b = RationalMatrix.column([f * x for f, x in zip(factors, right, strict=True)])
    assert A.solve(b).column_entries() == (F(4, 5), F(7, 5))


def test_solve_refuses_a_zero_row_even_where_the_equation_is_true() -> None:
    with pytest.raises(SingularMatrixError):
        RationalMatrix([[1, 1], [0, 0]]).solve(RationalMatrix.column([1, 0]))


@few
@given(low_rank())
def test_rank_null_vector_and_independent_columns(drawn: tuple[Rows, int]) -> None:
    rows, bound = drawn
    A = RationalMatrix(rows)
    rank = rank_by_minors(rows)
    assert A.rank == rank <= bound
    vector = A.null_vector()
    assert (vector is None) == (rank == len(rows[0]))
    if vector is not None:
        entries = vector.column_entries()
        assert multiplied(rows, [[x] for x in entries]) == [[0]] * len(rows)
        assert all(x.denominator == 1 for x in entries)
        assert gcd(*(x.numerator for x in entries)) == 1
    # The pivots are the columns that raise the rank of those before them.
    ranks = [rank_by_minors([row[:j] for row in rows]) if j else 0 for j in range(len(rows[0]) + 1)]
    assert A.independent_columns() == tuple(j for j in range(len(rows[0])) if ranks[j + 1] > ranks[j])


@few
@given(st.integers(1, 4).flatmap(lambda n: st.tuples(tables(n, n), tables(n, 1))))
def test_symmetric_part_and_quadratic_form(tables_: tuple[Rows, Rows]) -> None:
    rows, column = tables_
    A, x = RationalMatrix(rows), [entry for (entry,) in column]
    n = range(len(rows))
    assert listed(A.symmetric_part()) == [[(rows[i][j] + rows[j][i]) / 2 for j in n] for i in n]
    expected = sum((x[i] * rows[i][j] * x[j] for i in n for j in n), F(0))
    assert A.quadratic_form(RationalMatrix(column)) == expected


def test_floats_of_entries_beyond_their_range() -> None:
    """A view for searching: infinite or zero beyond the range, right where only the parts are beyond it."""
    long = 10**400
    entries = [F(long), F(-long), F(1, long), F(3 * long, long + 1), F(0)]
    assert RationalMatrix([entries]).to_float().tolist() == [[np.inf, -np.inf, 0.0, 3.0, 0.0]]


@pytest.mark.parametrize("entry", [F(1), F(3, 7), F(-5), F(10**400), F(-1, 10**400), F(2**64 - 1, 3)])
def test_magnitude_is_the_binary_exponent_of_the_largest_entry(entry: Fraction) -> None:
    e = RationalMatrix([[entry / 3, entry]]).magnitude
    assert F(2) ** (e - 1) < abs(entry) < F(2) ** (e + 1)
    assert RationalMatrix.zeros(2, 2).magnitude == 0


# ---- one protocol, three number systems -----------------------------------------------------------


def protocol_tour(A: Any, B: Any, x: Any, scalar: Fraction) -> Any:
    """Every operation of the protocol, once, on square matrices and a column."""
    n = A.shape[0]
    mixed = (A @ B + A.T.hadamard(B) - B.scaled(scalar)).scale_rows(x)
    other = A.from_rationals([[F(i - 2 * j, 3) for j in range(n)] for i in range(n)])
    return mixed @ A.solve(x) + (other - A.identity(n)) @ x


@few
@given(st.integers(1, 3).flatmap(lambda n: st.tuples(tables(n, n), tables(n, n), tables(n, 1))), NUMBERS)
def test_symbols_and_floats_agree_with_fractions(parts: tuple[Rows, Rows, Rows], scalar: Fraction) -> None:
    """The same function on the same rationals: symbols exactly; floats to rounding.

    A is made strictly diagonally dominant (entries up to 6, diagonal 20 to 26), so its condition number is at
    most 38/(20 − 12) < 5 in the row sum norm. No intermediate result exceeds 10⁴, each entry of the result
    comes from fewer than 100 roundings, each at most 2^−53 of that, times 5 through the solve: 10^−9.
    """
    left, right, column = parts
    for i, row in enumerate(left):
        row[i] = 20 + abs(row[i])
    exact = protocol_tour(RationalMatrix(left), RationalMatrix(right), RationalMatrix(column), scalar)
    assert isinstance(exact, RationalMatrix)
    ring = SymbolicRing("g")
    symbolic = protocol_tour(ring.matrix(left), ring.matrix(right), ring.matrix(column), scalar)
    assert isinstance(symbolic, SymbolicMatrix) and symbolic.shape == exact.shape
    assert all(symbolic[i, 0] == ring.element(x) for i, x in enumerate(exact.column_entries()))
    X, Y, Z = (FloatMatrix(np.array(rows, dtype=np.float64)) for rows in (left, right, column))
    floats = protocol_tour(X, Y, Z, scalar)
    assert isinstance(floats, FloatMatrix) and floats.shape == exact.shape
    assert np.max(np.abs(floats.array - exact.to_float())) < 1e-9


@pytest.mark.parametrize("system", ["rational", "symbolic", "float"])
def test_every_system_refuses_a_singular_system(system: str) -> None:
    rows, right = [[F(1), F(2)], [F(2), F(4)]], [[F(1)], [F(2)]]
    with pytest.raises(SingularMatrixError):
        match system:
            case "rational":
                RationalMatrix(rows).solve(RationalMatrix(right))
            case "symbolic":
                ring = SymbolicRing()
                ring.matrix(rows).solve(ring.matrix(right))
            case _:
                FloatMatrix(np.array(rows, dtype=float)).solve(FloatMatrix(np.array(right, dtype=float)))


def test_symbolic_singularity_is_decided_in_the_field() -> None:
    """det [[g, 1], [g², g]] = 0 for every g, though no entry is zero; with one entry changed it is g."""
    ring = SymbolicRing("g")
    (g,) = ring.symbols
    right = ring.matrix([[1], [0]])
    with pytest.raises(SingularMatrixError):
        ring.matrix([[g, 1], [g**2, g]]).solve(right)
    solution = ring.matrix([[g, 1], [g**2, g + 1]]).solve(right)
    assert solution[0, 0] == (g + 1) / g and solution[1, 0] == -g


def test_symbolic_equality_is_by_normal_form() -> None:
    ring = SymbolicRing("g", "l")
    g, lam = ring.symbols
    assert (1 - (g * lam) ** 3) / (1 - g * lam) == 1 + g * lam + (g * lam) ** 2
    assert (g**2 - lam**2) / (g - lam) == g + lam
    assert (g + lam) ** 2 != g**2 + lam**2
    half = ring.element(F(1, 2))
    assert half + half == 1 and ring.element(3) == 3 and ring.element(g) == g
    zero = ring.matrix([[(g + lam) ** 2 - g**2 - 2 * g * lam - lam**2]])
    assert zero.is_zero() and not ring.matrix([[g - lam]]).is_zero()


def every_operation(x: Any, y: Any) -> list[Any]:
    """Every operation of a field, with integers and fractions on both sides."""
    half = Fraction(1, 2)
    found = [x + y, x - y, x * y, 3 - x, 2 * x, x + 1, -x, x**3, x - x, (x * x - y * y) / (x * y + y * y + 1)]
    if isinstance(x, RationalFunction):
        found += [half * x, x - half, half - x]
    else:
        found += [x / 2, x - x.field.one / 2, x.field.one / 2 - x]
    return [
        *found,
        *(one / other for one, other in ((x, y), (2, y), (x * y, y**-2 if y != 0 else 0 * y)) if other != 0),
    ]


@few
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=4), st.data())
def test_rational_functions_are_those_of_sympy(terms: list[tuple[int, int, int]], data: st.DataObject) -> None:
    """The same operations on Σ c gⁱ lʲ over 1 + g, in SymPy's field: numerator and denominator up to one factor."""
    k = data.draw(st.integers(1, len(terms) - 1))

    def of(g: Any, lam: Any) -> list[Any]:
        sums = [sum((c * g**i * lam**j for c, i, j in part), 0 * g) for part in (terms[:k], terms[k:])]
        return every_operation(sums[0] / (1 + g), sums[1])

    field, *symbols = sympy.field("g,l", sympy.QQ)
    theirs, ours = of(*symbols), of(*SymbolicRing("g", "l").symbols)
    for one, other in zip(ours, map(field, theirs), strict=True):  # SymPy: 0 + 1 is an integer
        above, below = (
            field.ring.from_dict({m: sympy.QQ(int(c.p), int(c.q)) for m, c in part.terms()})
            for part in (one.numer, one.denom)
        )
        assert above * other.denom == below * other.numer
        assert one.denom.leading_coefficient() == 1 and one.numer.gcd(one.denom).is_one()
        assert one == one.taken(one) and bool(one) == bool(other)


def test_what_is_not_of_the_field_is_refused() -> None:
    """A float is an approximation, and an element is none; nothing divides by zero."""
    (g,) = SymbolicRing("g").symbols
    for odd in (0.5, "g", None):
        with pytest.raises(TypeError):
            g + odd
        with pytest.raises(TypeError):
            SymbolicRing("g").element(odd)
        assert g != odd
    for above, below in ((g, g - g), (1, 0 * g), (g, 0), (0 * g, 0 * g)):
        with pytest.raises(ZeroDivisionError):
            above / below


def test_a_ring_without_names_holds_constants() -> None:
    ring = SymbolicRing()
    assert ring.symbols == ()
    assert (ring.matrix([[F(1, 3)]]) + ring.matrix([[F(2, 3)]]))[0, 0] == 1


@few
@given(st.integers(1, 3).flatmap(lambda n: tables(n, n)))
def test_symbolic_solve_against_sympy(rows: Rows) -> None:
    """(rows + gI) x = e_1 by sympy's adjugate; det(rows + gI) has degree n in g, so it is not zero."""
    n = len(rows)
    ring = SymbolicRing("g")
    (g,) = ring.symbols
    A = ring.matrix([[rows[i][j] + g * int(i == j) for j in range(n)] for i in range(n)])
    found = A.solve(ring.matrix([[int(i == 0)] for i in range(n)]))
    symbol = sympy.Symbol("g")
    S = sympy.Matrix(n, n, lambda i, j: sympy.Rational(rows[i][j].numerator, rows[i][j].denominator))
    S += symbol * sympy.eye(n)
    expected = S.adjugate()[:, 0] / S.det()
    taken = [sympy.sympify(f"({found[i, 0].numer})/({found[i, 0].denom})") for i in range(n)]
    assert all(sympy.cancel(x - y) == 0 for x, y in zip(taken, expected, strict=True))
