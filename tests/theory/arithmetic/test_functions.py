"""Matrices of rational functions, against their values and against SymPy."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
import sympy
from flint import fmpq, fmpq_poly

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.functions import THE_NUMBER, UNIT, FunctionMatrix, determinant_of
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.errors import SingularMatrixError

F = Fraction
VALUES = (F(1, 3), F(-2), F(7, 5))


def drawn(draw: Random, rows: int, columns: int) -> FunctionMatrix:
    """Polynomials of degree 2 or less, over 1 + 2x or 3 + x²."""
    table = [[fmpq_poly([draw.randint(-3, 3) for _ in range(3)]) for _ in range(columns)] for _ in range(rows)]
    return FunctionMatrix(table, fmpq_poly(draw.choice(([1, 2], [3, 0, 1]))), columns)


@pytest.mark.parametrize("seed", range(4))
def test_every_operation_is_that_of_the_values(seed: int) -> None:
    draw = Random(seed)
    A, B, c = drawn(draw, 3, 3), drawn(draw, 3, 3), drawn(draw, 3, 1)
    factor, wide = FunctionMatrix.of_scalars([c.scalars[0][0]]), drawn(draw, 3, 2)
    for x in VALUES:
        a, b, column = A.at(x), B.at(x), c.at(x)
        assert (A @ B).at(x) == a @ b and (A + B).at(x) == a + b and (A - B).at(x) == a - b and (-A).at(x) == -a
        assert (
            A.T.at(x) == a.T and A.hadamard(B).at(x) == a.hadamard(b) and A.scale_rows(c).at(x) == a.scale_rows(column)
        )
        assert A.scaled(factor).at(x) == a.scaled(column[0, 0]) and A.scaled(THE_NUMBER).at(x) == a.scaled(x)
        assert A.beside(wide).at(x) == a.beside(wide.at(x)) and A.take([2, 0], [1]).at(x) == a.take([2, 0], [1])
        assert A.reduced.at(x) == a and A.identity(2).at(x) == a.identity(2)
        assert a @ A.solve(wide).at(x) == wide.at(x)
        assert FunctionMatrix.combined([(fmpq(2), A), (fmpq(-1), B)]).at(x) == a.scaled(2) - b
    assert wide.T.shape == (2, 3) and FunctionMatrix.of_scalars([1, F(1, 2), THE_NUMBER, 0], 2).at(
        F(5)
    ) == RationalMatrix([[1, F(1, 2)], [5, 0]])


def test_what_is_singular_for_every_value_is_seen() -> None:
    x = THE_NUMBER
    A = FunctionMatrix([[x, x * x], [UNIT, x]])
    assert not A.is_regular and not determinant_of(A.table)
    with pytest.raises(SingularMatrixError, match="for every value"):
        A.solve(A)
    once = FunctionMatrix([[x, UNIT], [UNIT, x]])
    assert once.is_regular and once.determinant in (x * x - 1, 1 - x * x)


def test_lowest_terms_have_no_common_divisor_and_a_monic_denominator() -> None:
    common = fmpq_poly([1, 1])
    found = FunctionMatrix([[common * THE_NUMBER, 3 * common]], 2 * common * fmpq_poly([2, 1])).reduced
    assert found.below == fmpq_poly([2, 1]) and found.table == [[THE_NUMBER / 2, fmpq_poly([fmpq(3, 2)])]]


@pytest.mark.parametrize(("seed", "n"), [(5, 1), (6, 2), (7, 4)])
def test_the_characteristic_polynomial_is_sympys(seed: int, n: int) -> None:
    A, x, z = drawn(Random(seed), n, n), sympy.Symbol("x"), sympy.Symbol("z")
    rows = [
        [sum(sympy.Rational(int(c.p), int(c.q)) * x**k for k, c in enumerate(p.coeffs())) for p in row]
        for row in A.table
    ]
    wanted = sympy.Matrix(rows).charpoly(z).all_coeffs()
    for ours, theirs in zip(A.characteristic, wanted, strict=True):
        coefficients = sympy.Poly(theirs, x).all_coeffs()[::-1]
        assert [to_fraction(c) for c in ours.coeffs()] == (
            [F(str(c)) for c in coefficients] if any(coefficients) else []
        )
