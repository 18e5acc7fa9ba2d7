"""Midpoints and radii: extreme members of the operands give results inside, in every branch, and radii are small."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from tdcert.sims.streams import generator
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import UNIT, MidRadMatrix, gamma
from tdcert.theory.errors import SingularMatrixError

SEED = 53_077

Family = Callable[[np.random.Generator, int, int], MidRadMatrix]


def _exact(rng: np.random.Generator, n: int, k: int) -> MidRadMatrix:
    return MidRadMatrix(rng.standard_normal((n, k)) * (rng.random((n, k)) < 0.8))


def _relative(rng: np.random.Generator, n: int, k: int) -> MidRadMatrix:
    mid = rng.random((n, k)) * (rng.random((n, k)) < 0.8)
    return MidRadMatrix(mid, mid * UNIT)


def _wide(rng: np.random.Generator, n: int, k: int) -> MidRadMatrix:
    return MidRadMatrix(rng.standard_normal((n, k)), rng.random((n, k)) * 1e-3)


def _tiny(rng: np.random.Generator, n: int, k: int) -> MidRadMatrix:
    """Products of such entries fall below the range of floats."""
    mid = rng.standard_normal((n, k)) * np.exp2(rng.integers(-1070, 60, (n, k)))
    return MidRadMatrix(mid, np.abs(mid) * (rng.random((n, k)) < 0.5) * 0.25)


FAMILIES: dict[str, Family] = {"exact": _exact, "relative": _relative, "wide": _wide, "tiny": _tiny}


def _rational(values: np.ndarray) -> RationalMatrix:
    return RationalMatrix([[Fraction(float(x)) for x in row] for row in values])


def _member(X: MidRadMatrix, rng: np.random.Generator) -> RationalMatrix:
    """A member at a corner: every entry at one end of its interval."""
    signs = rng.integers(0, 2, X.shape) * 2 - 1
    return _rational(X.mid) + _rational(X.rad).hadamard(RationalMatrix(signs.tolist()))


@pytest.mark.parametrize("left", FAMILIES)
@pytest.mark.parametrize("right", FAMILIES)
def test_results_on_members_are_inside(left: str, right: str) -> None:
    rng = generator(SEED, f"{left} {right}")
    for _ in range(4):
        X, Y = FAMILIES[left](rng, 4, 5), FAMILIES[right](rng, 5, 3)
        Z, c = FAMILIES[right](rng, 4, 5), FAMILIES[right](rng, 4, 1)
        x, y, z, d = (_member(M, rng) for M in (X, Y, Z, c))
        third = Fraction(-1, 3)
        assert (X @ Y).contains(x @ y)
        assert (X + Z).contains(x + z) and (X - Z).contains(x - z)
        assert X.hadamard(Z).contains(x.hadamard(z)) and X.scale_rows(c).contains(x.scale_rows(d))
        assert X.scaled(third).contains(x.scaled(third))
        assert X.take([2, 0], [1]).contains(x.take([2, 0], [1])) and X.T.contains(x.T)


def test_aligned_corners_leave_no_room_for_a_missing_term() -> None:
    """All entries positive and at their upper ends: |X|R_Y, R_X|Y| and R_X R_Y all point the same way."""
    k = 6
    for rx, ry in ((0.0, 0.25), (0.25, 0.0), (0.25, 0.25), (2.0**-51, 2.0**-51)):
        X, Y = MidRadMatrix(np.ones((2, k)), rx), MidRadMatrix(np.ones((k, 2)), ry)
        top = _rational(X.mid + X.rad) @ _rational(Y.mid + Y.rad)
        product = X @ Y
        assert product.contains(top)
        assert np.max(product.rad) <= (float(top[0, 0]) - k) * (1 + 1e-9) + 3 * k * gamma(k)


def test_roundings_are_counted() -> None:
    """1/3 is not a float: without the term of its rounding, nothing here would be inside."""
    third = RationalMatrix([[Fraction(1, 3)] * 5] * 5)
    X = MidRadMatrix.enclosing(third)
    point = MidRadMatrix(X.mid)
    assert X.contains(third) and not point.contains(third)
    assert np.max(X.rad) <= UNIT / 2
    assert (point @ point).contains(_rational(X.mid) @ _rational(X.mid))
    assert not MidRadMatrix((point @ point).mid).contains(_rational(X.mid) @ _rational(X.mid))


@pytest.mark.parametrize("n", [1, 3, 8, 20])
def test_solve_contains_and_is_tight(n: int) -> None:
    rng = generator(SEED, f"solve {n}")
    B = MidRadMatrix(rng.integers(-9, 10, (n, n)) + 12.0 * np.eye(n) * n, 2.0**-50)
    c = MidRadMatrix(rng.integers(-9, 10, (n, 2)).astype(float), 2.0**-50)
    found = B.solve(c)
    for _ in range(3):
        assert found.contains(_member(B, rng).solve(_member(c, rng)))
    assert np.max(found.rad) <= 2.0**-45


def test_a_singular_member_is_never_solved_with() -> None:
    for rad in (0.0, 1e-9, 1.0):
        with pytest.raises(SingularMatrixError):
            _ = MidRadMatrix(np.array([[1.0, 2.0], [2.0, 4.0]]), rad).approximate_inverse
    near = MidRadMatrix(np.array([[1.0, 2.0], [2.0, 4.0 + 2.0**-20]]))
    assert near.solve(MidRadMatrix(np.ones((2, 1)))).contains(_rational(near.mid).solve(RationalMatrix.column([1, 1])))
    with pytest.raises(SingularMatrixError):
        MidRadMatrix(near.mid, 2.0**-22).solve(MidRadMatrix(np.ones((2, 1))))


def test_beyond_the_range_of_floats_nothing_is_said() -> None:
    huge = MidRadMatrix(np.full((2, 2), 1e300))
    assert np.all(np.isinf((huge @ huge).rad)) and np.all(np.isinf(huge.hadamard(huge).rad))
    small = RationalMatrix([[Fraction(1, 10**400), 0]])
    assert MidRadMatrix.enclosing(small).contains(small)
    assert MidRadMatrix.enclosing(small).rad[0, 1] == 0
