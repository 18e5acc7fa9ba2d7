"""Doubled runs of λ's are Horner's steps: equal as polynomials in N, hence for every matrix of every size."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.floating import FloatMatrix
from tdcert.theory.model.doubling import apply_run, runs, worth_doubling
from tdcert.theory.model.key_matrices import KeyMatrices, apply_M, apply_S, apply_S_by_runs
from tdcert.theory.model.schedule import Schedule

F = Fraction
SCHEDULES = {
    "n-step": Schedule.n_step(23),
    "constant": Schedule.constant(F(2, 3), 21),
    "equal weights": Schedule.equal_weights(1, 24),
    "equal weights, later": Schedule.equal_weights(7, 22),
    "harmonic, cut short": Schedule(tuple(1 - F(1, 40 - k) for k in range(19))),
    "joined": Schedule((F(1, 3),) * 9 + (F(5),) + tuple(1 - F(2, 25 - 2 * k) for k in range(10))),
    "outside": Schedule((F(-2),) * 13 + (F(3, 2), F(4, 3))),
    "none": Schedule((F(1, 2), F(1, 3), F(1, 5))),
}


def shift(size: int) -> RationalMatrix:
    """The nilpotent Jordan block: two polynomials of degree below its size agree exactly if they agree on it."""
    return RationalMatrix([[int(j == i + 1) for j in range(size)] for i in range(size)])


@pytest.mark.parametrize("name", SCHEDULES)
def test_doubling_is_horner_as_a_polynomial(name: str) -> None:
    lambdas = SCHEDULES[name].lambdas
    N = shift(len(lambdas) + 2)
    one = N.identity(len(lambdas) + 2)
    result = one
    for run in reversed(tuple(runs(lambdas))):
        result = apply_run(N, run, one, result)
    assert result == apply_S(N, lambdas, 0, one)


@pytest.mark.parametrize("length", range(1, 18))
def test_every_length_of_a_run(length: int) -> None:
    """Each kind alone, with any start Y."""
    for lambdas in ((F(3, 4),) * length, tuple(1 - F(1, 30 - k) for k in range(length))):
        (run,) = runs(lambdas)
        N = shift(length + 1)
        X, Y = N.identity(length + 1), (N + N.T).scaled(F(1, 3))
        expected = Y
        for lam in reversed(lambdas):
            expected = X + (N @ expected).scaled(lam)
        assert apply_run(N, run, X, Y) == expected


def test_runs_are_found() -> None:
    found = {name: [len(run.lambdas) for run in runs(schedule.lambdas)] for name, schedule in SCHEDULES.items()}
    assert found == {
        "n-step": [22],
        "constant": [21],
        "equal weights": [23],
        "equal weights, later": [6, 15],
        "harmonic, cut short": [19],
        "joined": [9, 1, 10],
        "outside": [13, 1, 1],
        "none": [1, 1, 1],
    }
    assert [len(run.lambdas) for run in runs((0.5, 0.5, 0.5))] == [1, 1, 1]


def test_long_schedules_take_the_short_way_and_mean_the_same() -> None:
    """Exactly, and in floats at the length 1,999, for the matrices of a model."""
    n = 4
    P = RationalMatrix([[F((3 * i + 5 * j) % 7 + 1) for j in range(n)] for i in range(n)])
    P = P.scale_rows(RationalMatrix.column([1 / sum(row, start=F(0)) for row in P.rows]))
    one, column = P.identity(n), RationalMatrix.column([F(1, n)] * n)
    for schedule in (Schedule.equal_weights(5, 80), Schedule.n_step(70), Schedule.constant(F(9, 10), 64)):
        assert any(worth_doubling(len(run.lambdas), n, n) for run in runs(schedule.lambdas))
        N = P.scaled(F(19, 20))
        keys = KeyMatrices(d=column, N=N, r=column, Phi=one, lambdas=schedule.lambdas)
        assert keys.S(one) == apply_S_by_runs(N, schedule.lambdas, one) == apply_S(N, schedule.lambdas, 0, one)
        assert keys.M(one) == apply_M(N, schedule.lambdas, 0, one)
    lambdas = Schedule.equal_weights(10, 2000).lambdas
    floats, X = FloatMatrix(P.to_float()), FloatMatrix(np.eye(n))
    # Both sums have 2,000 positive terms, in products with entries up to 1: relative errors stay below 2,000·n·2^−52.
    np.testing.assert_allclose(
        apply_S_by_runs(floats, lambdas, X).array, apply_S(floats, lambdas, 0, X).array, rtol=2 * 2000 * n * 2.0**-52
    )
