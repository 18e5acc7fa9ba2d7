"""Stability for all values of one parameter: by hand, against eigenvalues, and certificates that are changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tdcert.claims.definite import decide_hurwitz, literal
from tdcert.claims.parameter import PARAMETER, decide_max_norm, decide_positive, decide_stable, degrees
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import checker
from tdcert.theory.check import one_parameter
from tdcert.theory.check.one_parameter import POSITIVE, Values
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.expressions.notation import Name, determinant, entry_of, expected, its, pairs_of, solution, table
from tdcert.theory.expressions.relations import Context, Expression
from tdcert.theory.model.gallery import HALF, flip_chain, one_state
from tdcert.theory.verdict import Status, Verdict
from tests.effort import examples
from tests.replay import replay

F = Fraction
MODEL = flip_chain(HALF)
BOTH = (0, 1)


def replayed(found: Verdict) -> Verdict:
    """The verdict, its certificates accepted by the checker."""
    for kept in found.certificates:
        replay(kept, MODEL, "it")
    return found


def numbers(rows: list[list[int | Fraction]]) -> Expression:
    return literal(RationalMatrix(rows))


def shaped(rows: Callable[[Expression], list[list[Any]]], k: Expression) -> Expression:
    return table(rows(k))


def test_a_polynomial_in_a_models_numbers() -> None:
    """γ = ½: x² − γx + 1 > 0 always, x − γ from ½ on; below it fails at a value between."""
    found = replayed(decide_positive(MODEL, lambda x: x * x - x * its.gamma + 1, POSITIVE, BOTH, "it"))
    assert found.status is Status.HOLDS and "it: (1 + t)^1 times it" in found.detail
    assert replayed(decide_positive(MODEL, lambda x: x - its.gamma, Values(HALF), BOTH, "")).status is Status.HOLDS
    wrong = replayed(decide_positive(MODEL, lambda x: x - its.gamma, POSITIVE, BOTH, "it"))
    assert wrong.status is Status.REFUTED and F(wrong.witness["value"]) == F(wrong.witness["parameter"]) - HALF <= 0
    square = decide_positive(MODEL, lambda x: (x**2 - 2) ** 2, POSITIVE, BOTH, "it")
    assert square.status is Status.UNDECIDED and "irrational" in square.detail


def test_degrees_are_bounded_by_the_operations() -> None:
    """[[x, 1], [2, x³]] over x + 5 by hand, and no polynomial is one that is divided."""
    x, context = PARAMETER, Context(MODEL, BOTH)
    square = table([[x, 1], [2, x**3]])
    cases = [
        (its.gamma, (0, 0)),
        (x * x - x * its.gamma + 1, (2, 0)),
        (square.T, (3, 0)),
        (determinant(square), (6, 0)),
        (pairs_of(square), (3, 0)),
        (solution(square, literal(RationalMatrix([[1], [0]]))), (3, 6)),
        (solution(x + 5, x * x), (2, 1)),
        (solution(x + 5, x * x) ** 3 + x, (6, 3)),
        (solution(x, Name(1)) + x * x, (3, 1)),
        (entry_of(square, 1, 1) * solution(x, Name(1)), (3, 1)),
        (expected("mu", 0, 1, its.gamma), (0, 0)),
    ]
    for expression, wanted in cases:
        assert degrees(expression, context, HALF) == wanted, expression
    with pytest.raises(ValueError, match="keep it outside"):
        degrees(expected("mu", 0, 1, x), context, HALF)
    with pytest.raises(ValueError, match="the degree of 'exp' is not known"):
        degrees(("exp", x), context, HALF)
    with pytest.raises(ValueError, match="it is no polynomial"):
        decide_positive(MODEL, lambda y: solution(y, Name(1)), POSITIVE, BOTH, "it")
    kept = replayed(decide_positive(MODEL, lambda y: (y - 1) ** 2 * solution(y - 1, y + 1) + 2, POSITIVE, BOTH, "it"))
    assert kept.status is Status.HOLDS  # y² + 1, which has no value at y = 1
    with pytest.raises(SingularMatrixError, match="no value"):
        decide_positive(MODEL, lambda y: solution(y - y, y), POSITIVE, BOTH, "it")


def test_an_exhausted_power_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_parameter, "POLYA_POWER", 3)
    found = decide_positive(MODEL, lambda x: (x - 1) ** 2 + Name("1/1000"), POSITIVE, BOTH, "it")
    assert found.status is Status.UNDECIDED and "(1 + t)^3" in found.detail


def test_every_number_of_the_certificate_counts() -> None:
    """A changed side of any relation is rejected."""
    found = decide_positive(MODEL, lambda x: x * x - x * its.gamma + 1, POSITIVE, BOTH, "it")
    (kept,) = found.certificates
    relations = kept.witness["relations"]
    assert isinstance(relations, list) and len(relations) == 3 + 4
    for k, (left, sign, right) in enumerate(relations):
        wrong = [*relations[:k], [["+", left, "9"], sign, right], *relations[k + 1 :]]
        with pytest.raises(checker.Rejected):
            replay(replace(kept, witness={**kept.witness, "relations": wrong}), MODEL, "it")


def test_a_matrix_that_turns() -> None:
    """[[−1, k], [−k, −1]] is Hurwitz at every k, [[1 − k, 3], [−3, 1 − k]] from one on: at one its roots are ±3i."""
    cases: list[tuple[Callable[[Expression], list[list[Any]]], Values, Status]] = [
        (lambda k: [[-1, k], [-k, -1]], POSITIVE, Status.HOLDS),
        (lambda k: [[1 - k, 3], [-3, 1 - k]], Values(F(1)), Status.HOLDS),
        (lambda k: [[1 - k, 3], [-3, 1 - k]], Values(F(0), F(2)), Status.REFUTED),
        (lambda k: [[k - 1, 3], [-3, k - 1]], Values(F(0), F(2)), Status.REFUTED),
        (lambda k: [[k - 2, 0], [0, -1]], POSITIVE, Status.REFUTED),
    ]
    for rows, values, status in cases:
        found = replayed(decide_stable(MODEL, partial(shaped, rows), 2, values, BOTH, "it"))
        assert found.status is status, found.detail


def test_a_half_turn_is_not_stable_and_not_unstable() -> None:
    assert decide_hurwitz(MODEL, numbers([[0, 1], [-1, 0]]), BOTH, "it").status is Status.UNDECIDED
    still = replayed(decide_hurwitz(MODEL, numbers([[0, 0], [0, -1]]), BOTH, "it"))
    assert still.status is Status.REFUTED and still.witness == {"x": ["1", "0"]}
    grown = replayed(decide_hurwitz(MODEL, numbers([[3, 1], [-1, 3]]), BOTH, "it"))
    assert grown.status is Status.REFUTED and "above" in grown.detail


def test_largest_row_by_hand() -> None:
    rows = numbers([[F(1, 2), F(-1, 3)], [0, F(-2, 3)]])
    assert replayed(decide_max_norm(MODEL, rows, Name("5/6"), BOTH, "")).status is Status.HOLDS
    assert replayed(decide_max_norm(MODEL, rows, Name("82/99"), BOTH, "")).status is Status.REFUTED
    assert decide_max_norm(one_state(HALF), Name(-2) * its.N, Name(1), (0,), "").status is Status.HOLDS


MATRICES = st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=3, max_size=3)


@settings(max_examples=examples(40), deadline=None)
@given(MATRICES, MATRICES)
def test_pencils_against_eigenvalues(base: list[list[int]], slope: list[list[int]]) -> None:
    """B + kK for all k > 0: where it holds no eigenvalue is seen right of zero, where it fails one is, nearly."""

    def at(k: Expression) -> Expression:
        return table([[F(b) + k * s for b, s in zip(*rows, strict=True)] for rows in zip(base, slope, strict=True)])

    found = replayed(decide_stable(MODEL, at, 3, POSITIVE, BOTH, "it"))
    B, K = np.array(base, float), np.array(slope, float)
    largest = [max(np.linalg.eigvals(B + k * K).real) for k in np.geomspace(1e-3, 1e3, 60)]
    if found.status is Status.HOLDS:
        assert max(x / (1 + k) for x, k in zip(largest, np.geomspace(1e-3, 1e3, 60), strict=True)) < 1e-6
    if found.status is Status.REFUTED and "parameter" in found.witness:
        k = float(F(found.witness["parameter"]))
        assert max(np.linalg.eigvals(B + k * K).real) > -1e-4 * (1 + k)
