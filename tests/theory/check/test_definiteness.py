"""Definiteness against Sylvester's criterion, and every witness checked again in plain fractions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.definiteness import (
    Definiteness,
    Factor,
    accepts,
    decide_positive_definite,
    is_positive_definite,
)
from tdcert.theory.errors import BudgetExceededError
from tests.effort import examples

F = Fraction
Rows = list[list[Fraction]]

some = settings(max_examples=examples(80), deadline=None)
ENTRIES = st.builds(Fraction, st.integers(-5, 5), st.integers(1, 4))


def minor(rows: Rows, size: int) -> Fraction:
    """The leading principal minor, by Laplace expansion."""

    def determinant(part: Rows) -> Fraction:
        if not part:
            return F(1)
        total = F(0)
        for j, entry in enumerate(part[0]):
            if entry:
                rest = [row[:j] + row[j + 1 :] for row in part[1:]]
                total += (-1) ** j * entry * determinant(rest)
        return total

    return determinant([row[:size] for row in rows[:size]])


def sylvester(rows: Rows) -> bool:
    """Positive definite exactly if every leading principal minor is positive."""
    return all(minor(rows, size) > 0 for size in range(1, len(rows) + 1))


def residual_is_dominant(rows: Rows, factor: Factor) -> bool:
    """docs/certificates.md, "factor": E = T S T − R Rᵀ with E_ii > Σ |E_ij|, in fractions."""
    n, one = range(len(rows)), F(1, 2**factor.bits)
    if any(t <= 0 for t in factor.scale) or [len(row) for row in factor.rows] != [i + 1 for i in n]:
        return False
    R = [[one * row[j] if j < len(row) else F(0) for j in n] for row in factor.rows]
    T = factor.scale
    E = [[T[i] * rows[i][j] * T[j] - sum(R[i][k] * R[j][k] for k in n) for j in n] for i in n]
    return all(E[i][i] > sum(abs(E[i][j]) for j in n if j != i) for i in n)


def assert_proved(rows: Rows, answer: Definiteness) -> None:
    """The witness, whichever it is, proves the answer."""
    if answer.positive:
        assert answer.factor is not None and answer.vector is None
        assert residual_is_dominant(rows, answer.factor)
        assert accepts(RationalMatrix(rows), answer.factor)
    else:
        assert answer.vector is not None and answer.factor is None
        x = answer.vector.column_entries()
        assert any(x)
        n = range(len(rows))
        assert sum(x[i] * rows[i][j] * x[j] for i in n for j in n) <= 0


@st.composite
def symmetric(draw: DrawFn) -> Rows:
    """Any symmetric table."""
    n = draw(st.integers(1, 5))
    lower = [[draw(ENTRIES) for _ in range(i + 1)] for i in range(n)]
    return [[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]


@st.composite
def gram(draw: DrawFn) -> Rows:
    """B Bᵀ: positive semidefinite, of any rank."""
    n, k = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    B = [[draw(ENTRIES) for _ in range(k)] for _ in range(n)]
    return [[sum((a * b for a, b in zip(p, q, strict=True)), F(0)) for q in B] for p in B]


def shifted(rows: Rows, shift: Fraction) -> Rows:
    return [[x + shift * (i == j) for j, x in enumerate(row)] for i, row in enumerate(rows)]


@some
@given(st.one_of(symmetric(), gram()))
def test_decision_is_sylvesters(rows: Rows) -> None:
    answer = decide_positive_definite(RationalMatrix(rows))
    assert answer.positive is sylvester(rows) is is_positive_definite(RationalMatrix(rows))
    assert_proved(rows, answer)


def test_definite_without_a_witness() -> None:
    """By hand: minors 2, 3, 4, … of the second difference; the all-ones matrix; a border that spoils the last minor."""
    for n in (1, 2, 5, 8, 9):
        second = [[F(2 * (i == j) - (abs(i - j) == 1)) for j in range(n)] for i in range(n)]
        assert is_positive_definite(RationalMatrix(second))
        assert not is_positive_definite(RationalMatrix(second).scaled(-1))
        second[-1][-1] = F(n - 1, n)  # det = n x − (n − 1) for the last entry x: zero
        assert not is_positive_definite(RationalMatrix(second))
        second[-1][-1] += F(1, 10**40)
        assert is_positive_definite(RationalMatrix(second))
    assert not is_positive_definite(RationalMatrix([[F(1, 3), 1], [1, F(5, 2)]]))  # 5/6 < 1


@some
@given(gram(), st.sampled_from([F(1, 10**30), F(-1, 10**30), F(1, 10**8), F(-1, 10**14), F(1, 10**90)]))
def test_margins_thinner_than_floats(rows: Rows, margin: Fraction) -> None:
    """A semidefinite matrix moved by ±10^−30: the sign of the smallest eigenvalue is beyond any float."""
    thin = shifted(rows, margin)
    answer = decide_positive_definite(RationalMatrix(thin))
    assert answer.positive is sylvester(thin) is is_positive_definite(RationalMatrix(thin))
    assert_proved(thin, answer)


@some
@given(gram(), st.data())
def test_positive_scaling_keeps_the_answer(rows: Rows, data: st.DataObject) -> None:
    """Congruence with a diagonal of 10^±200 keeps the signs of all minors."""
    scale = [F(10) ** data.draw(st.integers(-200, 200)) for _ in rows]
    for plain in (rows, shifted(rows, F(1, 3)), shifted(rows, F(-1, 7))):
        n = range(len(rows))
        scaled = [[scale[i] * plain[i][j] * scale[j] for j in n] for i in n]
        answer = decide_positive_definite(RationalMatrix(scaled))
        assert answer.positive is sylvester(plain)
        assert_proved(scaled, answer)


@pytest.mark.parametrize("exponent", [200, -200, 700, -700])
@pytest.mark.parametrize("off", [F(1, 2), F(1), F(2)])
def test_scales_up_to_and_beyond_floats(exponent: int, off: Fraction) -> None:
    """c·[[1, x], [x, 1]] is positive definite exactly for |x| < 1."""
    c = F(10) ** exponent
    rows = [[c, c * off], [c * off, c]]
    answer = decide_positive_definite(RationalMatrix(rows))
    assert answer.positive is (off < 1)
    assert_proved(rows, answer)


@pytest.mark.parametrize("large", [10**20, 10**400])
def test_an_entry_too_large_for_its_diagonal(large: int) -> None:
    """1 · 1 < x²: refuted, also where x is not a float."""
    rows = [[F(1), F(0), F(0)], [F(0), F(1), F(-large)], [F(0), F(-large), F(1)]]
    answer = decide_positive_definite(RationalMatrix(rows))
    assert not answer.positive
    assert_proved(rows, answer)


@pytest.mark.parametrize("n", [4, 8, 12])
@pytest.mark.parametrize("sign", [1, 0, -1])
def test_hilbert_matrices_less_their_smallest_pivot(n: int, sign: int) -> None:
    """H_ij = 1/(i + j + 1) has 1/(H⁻¹)_nn as its last Schur complement, (H⁻¹)_nn = (2n − 1) C(2n−2, n−1)².

    Taking that off the last entry leaves det = 0; 10^−40 more or less decides.
    """
    last = F(1, (2 * n - 1) * comb(2 * n - 2, n - 1) ** 2)
    rows = [[F(1, i + j + 1) for j in range(n)] for i in range(n)]
    rows[-1][-1] -= last - sign * F(1, 10**40)
    answer = decide_positive_definite(RationalMatrix(rows))
    assert answer.positive is (sign > 0)
    assert_proved(rows, answer)


@pytest.mark.parametrize("index", [0, 2])
def test_a_diagonal_entry_that_is_not_positive(index: int) -> None:
    rows = [[F(int(i == j)) for j in range(3)] for i in range(3)]
    for entry in (F(0), F(-1, 10**50)):
        rows[index][index] = entry
        answer = decide_positive_definite(RationalMatrix(rows))
        assert not answer.positive
        assert_proved(rows, answer)


SIZE = 64


def second_difference(n: int) -> Rows:
    """2 on the diagonal, −1 beside it: minors 2, 3, 4, …, n + 1, so positive definite."""
    return [[F(2 * (i == j) - (abs(i - j) == 1)) for j in range(n)] for i in range(n)]


@pytest.mark.thorough
def test_a_larger_matrix() -> None:
    """The float route with an exact check. Minors taken from the other end are k + 1,
    so det = 64 x − 63 with the corner x: 1 for x = 1, and −1 for x = 62/64."""
    for corner, positive in ((F(2), True), (F(1), True), (F(62, 64), False)):
        rows = second_difference(SIZE)
        rows[0][0] = corner
        answer = decide_positive_definite(RationalMatrix(rows))
        assert answer.positive is positive
        assert_proved(rows, answer)


@pytest.mark.thorough
@pytest.mark.parametrize("sign", [1, 0, -1])
def test_a_larger_matrix_with_a_margin_beyond_floats(sign: int) -> None:
    """The corner 63/64 makes the second difference of 64 rows singular; 10^−40 more or less decides."""
    rows = second_difference(SIZE)
    rows[0][0] = F(SIZE - 1, SIZE) + sign * F(1, 10**40)
    answer = decide_positive_definite(RationalMatrix(rows))
    assert answer.positive is (sign > 0)
    assert_proved(rows, answer)


def test_too_thin_for_the_limit_of_work_is_never_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    """96 bits do not tell 10^−40 from zero: a factor needs twice the bits of its margin."""
    monkeypatch.setattr("tdcert.theory.check.definiteness.DEFINITE_WORK", 100 * SIZE**3)
    rows = second_difference(SIZE)
    rows[0][0] = F(SIZE - 1, SIZE) + F(1, 10**40)
    with pytest.raises(BudgetExceededError, match="too thin for the 96 bits"):
        decide_positive_definite(RationalMatrix(rows))


# ---- factors are not taken on trust ---------------------------------------------------------------


def damaged(factor: Factor) -> list[Factor]:
    """The factor with one entry doubled, one sign changed, another scale, fewer bits."""
    rows = [list(row) for row in factor.rows]
    double = [list(row) for row in rows]
    double[-1][-1] *= 2
    crossed = [list(row) for row in rows]
    crossed[-1][0] = -crossed[-1][0]

    def with_rows(changed: list[list[int]]) -> Factor:
        return replace(factor, rows=tuple(tuple(row) for row in changed))

    return [
        with_rows(double),
        with_rows(crossed),
        replace(factor, scale=(factor.scale[0] / 4, *factor.scale[1:])),
        replace(factor, scale=(F(0), *factor.scale[1:])),
        replace(factor, bits=factor.bits - 1),
    ]


def test_perturbed_factors_are_rejected() -> None:
    """Each damage breaks the residual of [[2, 1], [1, 2]]: E_ii is then below zero, or below |E_12|."""
    rows = [[F(2), F(1)], [F(1), F(2)]]
    S = RationalMatrix(rows)
    factor = decide_positive_definite(S).factor
    assert factor is not None and accepts(S, factor)
    for wrong in damaged(factor):
        assert not residual_is_dominant(rows, wrong)
        assert not accepts(S, wrong)


@some
@given(gram(), st.data())
def test_accepts_is_the_residual_test(rows: Rows, data: st.DataObject) -> None:
    """On any factor, sound or not; and a factor it accepts is never one of an indefinite matrix."""
    thick = shifted(rows, F(1, 2))
    factor = decide_positive_definite(RationalMatrix(thick)).factor
    assert factor is not None
    unit = 2**factor.bits
    bumped = replace(
        factor,
        rows=tuple(tuple(x + data.draw(st.integers(-unit, unit)) // 4 for x in row) for row in factor.rows),
    )
    for candidate in (factor, bumped):
        for table in (thick, rows, shifted(rows, F(-1))):
            accepted = accepts(RationalMatrix(table), candidate)
            assert accepted is residual_is_dominant(table, candidate)
            assert not accepted or sylvester(table)


def test_witness_of_a_factor() -> None:
    """The sub-witness `factor`: rational strings, positive scale, lower triangle of integers."""
    factor = Factor((F(1), F(1, 2)), 3, ((5,), (-2, 7)))
    assert factor.as_witness == {"scale": ["1", "1/2"], "bits": 3, "rows": [["5"], ["-2", "7"]]}
