"""Ball matrices contain what they should, and are no wider than they must be."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.errors import SingularMatrixError

A = RationalMatrix([[Fraction(1, 3), 2, 0], [1, Fraction(1, 7), 5], [-1, 4, Fraction(2, 9)]])
B = RationalMatrix([[1, Fraction(-1, 11)], [0, 3], [Fraction(5, 13), 1]])
COLUMN = RationalMatrix.column([Fraction(1, 3), -2, Fraction(1, 9)])


def test_every_operation_contains_the_exact_result() -> None:
    with precision(80):
        a, b, column = (BallMatrix.enclosing(x) for x in (A, B, COLUMN))
        pairs = [
            (a @ b, A @ B),
            (a + a.T, A + A.T),
            (a - a.T, A - A.T),
            (b.scaled(Fraction(1, 3)), B.scaled(Fraction(1, 3))),
            (b.scale_rows(column), B.scale_rows(COLUMN)),
            (a.hadamard(a.T), A.hadamard(A.T)),
            (a.solve(b), A.solve(B)),
            (a.take([0, 2], [1]), A.take([0, 2], [1])),
            (a.identity(3), A.identity(3)),
            (BallMatrix(B.rows), B),
            (BallMatrix(b.rows), B),
            (a.from_rationals(B.rows), B),
        ]
        for ball, exact in pairs:
            assert ball.shape == exact.shape and ball.contains(exact)
            assert ball.radius().max() < 2.0**-52 * max(1.0, abs(exact.to_float()).max())
            assert not ball.contains(exact.scaled(Fraction(1001, 1000)))
        assert a[1, 2] == 5 and (a @ b).T.contains((A @ B).T)


def test_radii_hold_the_rounding_to_floats() -> None:
    with precision(200):
        third = BallMatrix([[Fraction(1, 3)]])
        assert abs(Fraction(float(third.to_float()[0, 0])) - Fraction(1, 3)) <= Fraction(float(third.radius()[0, 0]))
        wide = third.scaled(0) + BallMatrix([[third[0, 0].__class__(0, 2)]])
        assert wide.radius()[0, 0] >= 2.0


def test_more_bits_make_smaller_balls_and_the_precision_is_given_back() -> None:
    import flint

    before = flint.ctx.prec
    sizes = []
    for bits in (60, 120):
        with precision(bits):
            ball = BallMatrix.enclosing(A)
            sizes.append(float(ball.solve(BallMatrix.enclosing(B))[0, 0].rad()))
    assert sizes[1] < sizes[0] * 2.0**-50 and flint.ctx.prec == before


def test_what_cannot_be_done_is_said() -> None:
    with pytest.raises(SingularMatrixError, match="singular within its balls"):
        BallMatrix([[1, 2], [2, 4]]).solve(BallMatrix([[1], [1]]))
    with pytest.raises(ValueError, match="equal shapes"):
        BallMatrix([[1, 2]]).hadamard(BallMatrix([[1], [2]]))
