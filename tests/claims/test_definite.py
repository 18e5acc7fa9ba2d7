"""Definiteness, norms and stability of expressions and tables, each against numbers by hand or by NumPy."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tdcert.claims.definite import blocks, decide_definite, decide_hurwitz, literal, norm_bound
from tdcert.claims.kolter11.lmi import lmi
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.write import document, text
from tdcert.theory.expressions.notation import Name, diagonal, its
from tdcert.theory.expressions.relations import Context, evaluate
from tdcert.theory.model.gallery import HALF, bairds_star, flip_chain, one_state
from tdcert.theory.verdict import Status, Verdict
from tests.replay import replay

F = Fraction
ALTERNATING = flip_chain(HALF, features=((1,), (-1,)))
BOTH = Context(ALTERNATING, (0, 1))


def hurwitz(rows: list[list[int]]) -> Verdict:
    return decide_hurwitz(one_state(HALF), literal(RationalMatrix(rows)), (0,), "it")


def replayed(found: Verdict, model: Any = None) -> list[Any]:
    """The relations of all certificates, which the checker accepts."""
    for kept in found.certificates:
        replay(kept, one_state(HALF) if model is None else model, "it")
    witnesses: list[Any] = [kept.witness["relations"] for kept in found.certificates]
    return [relation for relations in witnesses for relation in relations]


@pytest.mark.parametrize(
    ("rows", "status"),
    [
        ([[-1]], Status.HOLDS),
        ([[-1, 100], [0, -1]], Status.HOLDS),
        ([[-1, 2], [-2, -1]], Status.HOLDS),
        ([[0, 1], [-1, 0]], Status.UNDECIDED),
        ([[1, 0], [0, -2]], Status.REFUTED),
        ([[1, 5], [-5, 1]], Status.REFUTED),
        ([[-1, 1], [1, -1]], Status.REFUTED),
    ],
)
def test_stability_by_hand(rows: list[list[int]], status: Status) -> None:
    found = hurwitz(rows)
    assert found.status is status and bool(replayed(found)) is (status is not Status.UNDECIDED)


def test_stability_is_that_of_eigenvalues() -> None:
    """Whole numbers up to 3: a real part below 10⁻⁶ in size, above NumPy's error on 3×3, is left out."""
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(30):
        B = rng.integers(-3, 4, (3, 3)) - rng.integers(0, 3) * np.eye(3, dtype=int)
        largest = max(np.linalg.eigvals(B).real)
        if abs(largest) > 1e-6:
            found = hurwitz(B.tolist())
            assert found.status is (Status.HOLDS if largest < 0 else Status.REFUTED)
            seen.add(found.status)
    assert seen == {Status.HOLDS, Status.REFUTED}


def test_a_null_vector_is_shown() -> None:
    found = hurwitz([[-1, 1], [2, -2]])
    assert found.witness["x"] == ["1", "1"] and len(replayed(found)) == 2


def test_stability_needs_a_positive_form_that_falls() -> None:
    """B = −1: X > 0 and 2X > 0, two relations each; with B = 1 in the second they are rejected."""
    found = hurwitz([[-1]])
    relations = replayed(found)
    assert len(found.certificates) == 2 and len(relations) == 4
    (falls,) = found.certificates[1:]
    told = text(document(falls, one_state(HALF), "it")).replace('"-1"', '"1"')
    with pytest.raises(checker.Rejected):
        checker.check_text(told)


def test_a_form_that_grows_is_shown() -> None:
    """B = diag(1, −2): the shift s of the certificate is between 0 and 1, and vᵀXv > 0."""
    found = hurwitz([[1, 0], [0, -2]])
    witness: Any = found.witness
    X = RationalMatrix([[F(cell) for cell in row] for row in witness["X"]])
    v = RationalMatrix.column([F(cell) for cell in witness["v"]])
    B = RationalMatrix([[1, 0], [0, -2]])
    shift = F(found.detail.rpartition(" ")[2])
    change = X @ B + B.T @ X - X.scaled(2 * shift)
    assert 0 <= shift < 1 and X.quadratic_form(v) > 0
    assert change[0, 0] > 0 and change[0, 0] * change[1, 1] > change[0, 1] ** 2


def test_blocks_by_hand() -> None:
    """diag(φ)P = ((0, 1), (−1, 0))."""
    found = evaluate(blocks([[0, diagonal(its.Phi) @ its.P_mu], [Name(HALF) * its.I, -2]], 2), BOTH)
    assert found == RationalMatrix([[0, 0, 0, 1], [0, 0, -1, 0], [HALF, 0, -2, 0], [0, HALF, 0, -2]])


def test_norms_by_hand() -> None:
    """‖Pv‖ = ‖v‖ in the even law; in the weights (½, ½) + (1, 0) the square of the norm of P is 3, at v = (0, 1), and
    so is that of its first row alone.
    """

    def asked(X: object, norm: object, square: Fraction) -> Verdict:
        return decide_definite(ALTERNATING, norm_bound(X, norm, Name(square)), (0, 1), "it", strict=False)

    weights = its.d + its.r
    for X, norm, square in (
        (its.P_mu, its.d, F(1)),
        (its.P_mu, weights, F(3)),
        (diagonal(its.r) @ its.P_mu, weights, F(3)),
    ):
        less = asked(X, norm, square * F(99, 100))
        assert asked(X, norm, square).status is Status.HOLDS
        assert less.status is Status.REFUTED and replayed(less, ALTERNATING)


def test_a_long_vector_is_written_down_in_one_relation() -> None:
    """Eight entries of a vector of 16, for Baird's star."""
    model = bairds_star(F(9, 10))
    found = decide_definite(model, lmi(8), tuple(range(7)), "it", strict=False)
    assert found.status is Status.REFUTED and sum(entry != "0" for entry in found.witness["x"]) == 8
    assert len(replayed(found, model)) == 1


def test_a_form_at_its_vector_is_what_is_shown() -> None:
    """I + 2P of two states that alternate has the eigenvalue −1, at x = (1, −1) up to a factor."""
    E = its.I + 2 * its.P_mu
    found = decide_definite(ALTERNATING, E, (0, 1), "it")
    x, value = [F(entry) for entry in found.witness["x"]], F(found.witness["xᵀSx"])
    assert value < 0 and value == 2 * (x[0] ** 2 + x[1] ** 2) + 8 * x[0] * x[1]
    (kept,) = found.certificates
    ((left, sign, right),) = replayed(found, ALTERNATING)
    column = literal(RationalMatrix.column(x))
    assert evaluate(column.T @ E @ column, BOTH)[0, 0] == value / 2 and sign == "<="
    changed = document(replace(kept, witness={"relations": [[["+", left, "99"], sign, right]]}), ALTERNATING, "it")
    with pytest.raises(checker.Rejected):
        checker.check_text(text(changed))
