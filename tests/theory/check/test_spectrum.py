"""Spectra enclosed in floats, against spectra known in advance and against the exact characteristic polynomial."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.check.spectrum import (
    Decomposition,
    abscissa_bounds,
    decomposed,
    gtd_abscissa_bounds,
    tdc_abscissa_bounds,
)
from tdcert.theory.check.stability import spectral_abscissa
from tdcert.theory.enclose.mean_matrix import abscissa
from tdcert.theory.limits import SPECTRUM_ROWS
from tdcert.theory.model.key_matrices import gtd_matrix, tdc_matrix
from tests.effort import examples
from tests.theory.check.test_stability import Block, hidden, matrices

F = Fraction
ONE_PERCENT = F(1, 100)

some = settings(max_examples=examples(60), deadline=None)


def close(bounds: tuple[float, float], exact: Fraction) -> bool:
    """Whether the bounds enclose the number and lie within 1 % of each other."""
    low, high = map(F, bounds)
    return low <= exact <= high and high - low <= ONE_PERCENT * abs(exact)


def enclosing(B: RationalMatrix) -> MidRadMatrix:
    return MidRadMatrix.enclosing(B)


def disguise(blocks: list[Block]) -> RationalMatrix:
    count = sum(len(block.rows) for block in blocks) ** 2
    return hidden(blocks, [(3 * k) % 5 - 2 for k in range(count)], [(2 * k + 1) % 5 - 2 for k in range(count)])


# ---- against spectra known in advance -------------------------------------------------------------


@some
@given(matrices())
def test_prescribed_spectra_are_enclosed(drawn: tuple[RationalMatrix, Fraction]) -> None:
    B, largest = drawn
    low, high = abscissa_bounds(enclosing(B))
    assert low <= largest <= high


@pytest.mark.parametrize(
    ("blocks", "largest"),
    [
        ([Block(F(-1)), Block(F(-2)), Block(F(-3))], F(-1)),
        ([Block(F(-1, 3), F(7)), Block(F(-1, 2), F(7)), Block(F(-4))], F(-1, 3)),
        ([Block(F(5), F(1)), Block(F(5), F(2)), Block(F(5))], F(5)),
        ([Block(F(-1)), Block(F(-1)), Block(F(-1)), Block(F(-2))], F(-1)),
        ([Block(F(-1) - F(k, 10**9)) for k in range(6)], F(-1)),
        ([Block(F(-1, 10**7)), Block(F(-3), F(2))], F(-1, 10**7)),
        ([Block(F(1, 10**7)), Block(F(-1, 10**7)), Block(F(-3), F(2))], F(1, 10**7)),
        ([Block(F(-2), F(1), chain=2), Block(F(-3))], F(-2)),
        ([Block(F(-2), chain=3), Block(F(-3))], F(-2)),
        ([Block(F(4), chain=2), Block(F(1))], F(4)),
    ],
    ids=[
        *("real", "complex", "the same real part", "a multiple eigenvalue", "a cluster", "barely stable"),
        *("barely unstable", "a defective pair", "a chain of three", "a defective unstable one"),
    ],
)
def test_abscissas_are_enclosed_to_one_per_cent(blocks: list[Block], largest: Fraction) -> None:
    assert close(abscissa(enclosing(disguise(blocks)), 53), largest)


@pytest.mark.parametrize("block", [Block(F(-2), chain=6), Block(F(-2), F(1), chain=4)])
def test_where_vectors_say_little_lyapunov_is_asked(block: Block) -> None:
    """One Jordan chain: floats see eigenvalues in a circle, and a Lyapunov matrix of each shift decides.

    A real chain of four is too short: on some processors LAPACK's vectors bound it to 1 %.
    """
    B = enclosing(disguise([block]))
    low, high = abscissa_bounds(B)
    assert low <= -2 <= high and high - low > 1
    low, high = abscissa(B, 53)
    assert low <= -2 <= high and high - low < 1 / 2


@pytest.mark.parametrize("blocks", [[Block(F(0), F(1)), Block(F(-1))], [Block(F(0)), Block(F(-1), F(3))]])
def test_a_zero_abscissa_gets_no_sign(blocks: list[Block]) -> None:
    low, high = abscissa_bounds(enclosing(disguise(blocks)))
    assert -1e-9 < low < 0 < high < 1e-9


def test_a_triangular_matrix_is_no_harder_than_its_diagonal() -> None:
    """−(I − γN)/n with N the shift of n = 100 states, one Jordan block: a decomposition of the whole says nothing."""
    n = 100
    B = MidRadMatrix((-np.eye(n) + 0.875 * np.eye(n, k=1)) / 256)
    assert close(abscissa_bounds(B), F(-1, 256))
    back = B.mid.copy()
    back[-1, 0] = 2.0**-20  # one entry closes the circle: roots of (256x + 1)^n = 256·γ^(n − 1)·2^−20, up to signs
    radius = (256 * 2.0**-20) ** (1 / n) * 0.875 ** (1 - 1 / n)
    low, high = abscissa_bounds(MidRadMatrix(back))
    assert low <= (radius - 1) / 256 <= high


def test_beyond_the_limit_nothing_is_said() -> None:
    assert abscissa_bounds(MidRadMatrix(-np.eye(SPECTRUM_ROWS + 1))) == (-np.inf, np.inf)
    assert abscissa_bounds(MidRadMatrix(np.array([[np.nan]]))) == (-np.inf, np.inf)


# ---- against the characteristic polynomial --------------------------------------------------------

ENTRIES = st.integers(-9, 9)


@st.composite
def squares(draw: st.DrawFn, size: int = 7) -> RationalMatrix:
    n = draw(st.integers(1, size))
    return RationalMatrix(draw(st.lists(st.lists(ENTRIES, min_size=n, max_size=n), min_size=n, max_size=n)))


@some
@given(squares(), st.integers(0, 2**32))
def test_every_member_is_enclosed(B: RationalMatrix, seed: int) -> None:
    """Corners of B ± 1/16 entry by entry: the bounds hold for each, and without a radius they are those of B."""
    n = B.shape[0]
    bounds = abscissa_bounds(MidRadMatrix(B.to_float(), np.full((n, n), 1 / 16)))
    signs = np.random.default_rng(seed).choice([-1, 1], size=(n, n))
    corner = B + RationalMatrix([[F(int(x), 16) for x in row] for row in signs])
    exact = spectral_abscissa(corner, 30)
    assert bounds[0] <= exact.upper and exact.lower <= bounds[1]
    low, high = abscissa_bounds(MidRadMatrix(B.to_float()))
    middle = spectral_abscissa(B, 30)
    assert low <= middle.upper and middle.lower <= high


@pytest.mark.parametrize("n", [2, 5, 9, 14])
def test_random_matrices_are_resolved(n: int) -> None:
    draw = np.random.default_rng(n)
    for _ in range(5):
        B = draw.integers(-9, 10, size=(n, n))
        exact = spectral_abscissa(RationalMatrix(B.tolist()), 60)
        assert close(abscissa_bounds(MidRadMatrix(B.astype(float))), exact.lower)


def test_eigenvalues_right_of_a_line_are_counted() -> None:
    """Real parts 3, 1, 1, −2, −2 (one pair −2 ± 5i, one pair 1 ± i): blocks right of c, pairs once."""
    found = decomposed(enclosing(disguise([Block(F(3)), Block(F(1), F(1)), Block(F(-2), F(5))])))
    assert found is not None
    assert [found.right_of(c) for c in (4.0, 2.0, 0.0, -3.0)] == [0, 1, 2, 3]
    assert found.right_of(found.largest) is None
    wide = Decomposition(found.real_parts, found.majorant + 0.8)
    assert wide.right_of(2.0) is None and wide.right_of(100.0) == 0
    # nearly singular: the y of the solve is positive, and its inequality within the roundings of its two sides
    nearly = Decomposition(np.zeros(2), np.array([[0.0, 1 - 2.0**-51], [1 - 2.0**-51, 0.0]]))
    assert nearly.right_of(1.0) is None and nearly.right_of(1.25) == 0


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_gradient_methods_on_small_models(size: int, weighted: bool) -> None:
    """G and −WAᵀC⁻¹A, W on the quotient, for random A, C = XXᵀ + I and W = YYᵀ + I, with the exact polynomial."""
    draw = np.random.default_rng(10 * size + weighted)
    for _ in range(4):
        A, X, Y = (RationalMatrix(draw.integers(-4, 5, size=(size, size)).tolist()) for _ in range(3))
        one = A.identity(size)
        A, C, W = A - one.scaled(9), X @ X.T + one, Y @ Y.T + one if weighted else one
        G, zero = gtd_matrix(A, C), one.scaled(0)
        given = [enclosing(M) for M in ((A, C, W) if weighted else (A, C))]
        exact = spectral_abscissa(W.block(right=zero, below=zero, corner=W) @ G, 60)
        assert close(gtd_abscissa_bounds(*given), exact.upper)
        exact = spectral_abscissa(W @ tdc_matrix(A, C), 60)
        assert close(tdc_abscissa_bounds(*given), exact.upper)


def test_a_badly_conditioned_A_costs_tdc_its_digits_once() -> None:
    """A = Q diag(1, 2⁻³⁰) Q and C = I for the reflection Q = I − ⅖vvᵀ, v = (1, 2): −AᵀC⁻¹A has −2⁻⁶⁰ beside −1."""
    Q = RationalMatrix([[F(3, 5), F(-4, 5)], [F(-4, 5), F(-3, 5)]])
    A = Q @ RationalMatrix([[1, 0], [0, F(1, 2**30)]]) @ Q
    assert close(tdc_abscissa_bounds(enclosing(A), enclosing(A.identity(2))), F(-1, 2**60))
    assert tdc_abscissa_bounds(MidRadMatrix(np.zeros((2, 2))), enclosing(A.identity(2))) == (-np.inf, np.inf)
