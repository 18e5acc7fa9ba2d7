"""Dependent features of large models: the rank is exact, and what follows is what dense and exact analyses say."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from tdcert.claims.paper import asked_in_enclosures
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_dynamics import MEAN_A
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.enclose import sparse_rank
from tdcert.theory.enclose.dense import analyse_enclosed
from tdcert.theory.enclose.sparse import analyse_sparse
from tdcert.theory.enclose.sparse_rank import dependence
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.model.sparse_model import Ratios, SparseModel
from tdcert.theory.verdict import Status

SEED = 1_905


def model(Phi: Any, P: Any = None, **ratios: Ratios) -> SparseModel:
    n = len(Phi)
    rng = np.random.default_rng(SEED)
    W = rng.random((n, n)) + 0.1
    chain = csr_array(W / W.sum(axis=1, keepdims=True)) if P is None else P
    ones, lambdas = np.ones((n, 1)), Schedule((Fraction(1, 2),))
    r = np.linspace(-1, 1, n)[:, None]
    return SparseModel(("only",), (chain,), r, Fraction(9, 10), ones, ones, np.asarray(Phi, float), lambdas, "", ratios)


def dependent(n: int) -> Any:
    """Three columns, then twice the first less the second, and one of zeros."""
    Phi = np.random.default_rng(SEED).integers(-3, 4, (n, 3)).astype(float)
    return np.hstack([Phi, 2 * Phi[:, :1] - Phi[:, 1:2], 0 * Phi[:, :1]])


def test_one_row_among_many_makes_columns_independent(monkeypatch: pytest.MonkeyPatch) -> None:
    """By less than the products of floats round elsewhere, so that no float leads to that row."""
    monkeypatch.setattr(sparse_rank, "CHUNK", 7)
    n, rng = 40, np.random.default_rng(SEED)
    a, b = rng.integers(100, 1000, (2, n)).astype(float)
    Phi = np.stack([3 * a + 1, 3 * b + 2, a + b + 1], axis=1)
    for row in (0, 13, 39):
        nearly = Phi.copy()
        nearly[row] = [3 * 2.0**-60, 0, 2.0**-60]
        found = dependence(model(nearly), np.arange(n))
        assert found is not None and found.columns == (0, 1) and not found.is_full
        nearly[row, 2] *= 1 + 2.0**-52
        found = dependence(model(nearly), np.arange(n))
        assert found is not None and found.is_full and "rank 3 with 3 columns" in found.why("all states")
        others = dependence(model(nearly), np.delete(np.arange(n), row))
        assert others is not None and others.columns == (0, 1)


def test_columns_are_combinations_of_a_basis_exactly() -> None:
    Phi = dependent(9)
    found = dependence(model(Phi), np.arange(9))
    exact = RationalMatrix([[Fraction(x) for x in row] for row in Phi.tolist()])
    assert found is not None and len(found.columns) == 3 == exact.rank
    assert exact.take(columns=found.columns) @ found.T == exact
    assert "x_0 = -2, x_1 = 1, x_3 = 1, other entries zero" in found.why("all states")
    assert dependence(model(np.zeros((9, 2))), np.arange(9)) == sparse_rank.Dependence((), RationalMatrix.zeros(0, 2))


def test_fractions_are_dependent_though_their_floats_are_not() -> None:
    p = np.array([[1, 1], [2, 2], [5, 5], [7, 7]])
    exact = Ratios(p, np.array([[3, 9], [7, 21], [11, 33], [13, 39]]))
    given = model(exact.nearest(), features=exact)
    found, floats = dependence(given, np.arange(4)), dependence(replace(given, ratios={}), np.arange(4))
    assert found is not None and found.columns == (0,) and floats is not None and floats.is_full


@pytest.mark.thorough
def test_the_quotient_is_that_of_the_dense_analysis() -> None:
    given = model(dependent(9))
    asked = {name: asked_in_enclosures()[name] for name in ("prop_4_1", "thm_4_4", "error_bound", "negative_margin")}
    (found,) = analyse_sparse(given).classes
    dense = analyse_enclosed(given.exact(), 53, asked)
    (there,) = dense.classes
    assert found.theta_star is None is there.theta_star
    for name, row in there.dynamics.items():
        mine = found.dynamics[name]
        assert (mine.mean_dynamics, mine.matrix) == (row.mean_dynamics, row.matrix)
        assert row.rate is not None and mine.rate is not None
        assert max(row.rate[0], mine.rate[0]) <= min(row.rate[1], mine.rate[1]) and mine.rate[1] < 0
    distances = (there.projection_error_squared, there.fixed_point_error_squared, there.error_bound_squared)
    for part, other in zip(
        (found.errors.projection, found.errors.fixed_point, found.errors.bound), distances, strict=True
    ):
        assert part is not None and other is not None
        assert abs(part.mid - other[0])[0, 0] <= (part.rad + other[1])[0, 0] < 1e-6
    violated = 0
    for name, verdict in analyse_sparse(given, asked).verdicts.items():
        assert verdict.status in (dense.verdicts[name].status, Status.UNDECIDED)
        violated += verdict.status is Status.HYPOTHESIS_VIOLATED
    assert violated == 3


def test_what_vanishes_on_the_class_does_not_move_there_and_may_be_independent_elsewhere() -> None:
    P = csr_array(np.array([[0.5, 0.5, 0, 0], [0.25, 0.25, 0.25, 0.25], [0, 0, 0.5, 0.5], [0, 0, 0.75, 0.25]]))
    (part,) = analyse_sparse(model([[1.0, 0], [0, 1], [0, 0], [0, 0]], P)).classes
    assert part.hypotheses["C_positive"].holds is False and part.hypotheses["full_column_rank"].holds is True
    td = part.dynamics[MEAN_A]
    assert td.mean_dynamics is MeanDynamics.STABLE_MODULO_NULL_SPACE and td.rate == (0.0, 0.0)
    (part,) = analyse_sparse(model([[1.0, 1], [2, 2], [0, 0], [0, 0]], P)).classes
    assert part.hypotheses["full_column_rank"].holds is False


def test_beyond_the_entries_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse_rank, "EXACT_ENTRIES", 44)
    (part,) = analyse_sparse(model(dependent(9))).classes
    assert part.hypotheses["C_positive"].holds is None and part.hypotheses["A_nonsingular"].holds is None
