"""Semidefiniteness against matrices whose signs are known from how they are made (Sylvester's law)."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.definiteness import accepts
from tdcert.theory.check.semidefiniteness import decide_positive_semidefinite
from tests.effort import examples

F = Fraction
DIAGONALS = st.lists(
    st.sampled_from([F(0), F(1), F(-1), F(5, 3), F(-2), F(1, 10**30), F(-1, 10**30)]), min_size=1, max_size=6
)


def congruent(diagonal: list[Fraction], entries: list[int]) -> RationalMatrix:
    """Uᵀ diag U with U unit triangular: as many positive, negative and zero eigenvalues as the diagonal has."""
    n = len(diagonal)
    above = iter(entries)
    U = RationalMatrix([[int(i == j) if i >= j else next(above) for j in range(n)] for i in range(n)])
    return U.T @ U.scale_rows(RationalMatrix.column(diagonal))


@settings(max_examples=examples(80), deadline=None)
@given(DIAGONALS, st.lists(st.integers(-3, 3), min_size=15, max_size=15))
def test_signs_are_those_of_the_diagonal(diagonal: list[Fraction], entries: list[int]) -> None:
    S = congruent(diagonal, entries)
    negative = sum(x < 0 for x in diagonal)
    answer = decide_positive_semidefinite(S)
    assert answer.positive is (negative == 0)
    if answer.vector is not None:
        assert S.quadratic_form(answer.vector) < 0
        return
    assert answer.coordinates is not None
    inner = S.take(answer.columns, answer.columns)
    assert answer.coordinates.T @ inner @ answer.coordinates == S
    assert answer.factor is None if S.is_zero() else answer.factor is not None and accepts(inner, answer.factor)


def test_a_form_that_is_zero_on_the_proposed_vector() -> None:
    """[[0, 1], [1, 0]] has a zero diagonal and the eigenvalues ±1."""
    S = RationalMatrix([[0, 1], [1, 0]])
    answer = decide_positive_semidefinite(S)
    assert answer.vector is not None and S.quadratic_form(answer.vector) < 0


@pytest.mark.parametrize("prime", [2**61 - 1, (2**61 - 1) * (2**61 - 31)])
def test_a_matrix_that_vanishes_modulo_a_prime(prime: int) -> None:
    """The basis is asked modulo 2^61 − 1 first; what is zero there is not zero."""
    S = RationalMatrix([[prime, 0, prime], [0, 1, 0], [prime, 0, prime]])
    assert S.rank == 2 and S.column_basis[0] == (0, 1)
    assert decide_positive_semidefinite(S).positive
    assert S.null_vector() == RationalMatrix.column([-1, 0, 1])


def test_semidefinite_beyond_the_size_of_polynomials() -> None:
    """The second difference of 80 rows with the corner 79/80 has rank 79; 10^−30 less is indefinite."""
    n = 80
    rows = [[F(2 * (i == j) - (abs(i - j) == 1)) for j in range(n)] for i in range(n)]
    rows[0][0] = F(n - 1, n)
    assert decide_positive_semidefinite(RationalMatrix(rows)).positive
    rows[0][0] -= F(1, 10**30)
    assert not decide_positive_semidefinite(RationalMatrix(rows)).positive
