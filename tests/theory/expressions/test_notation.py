"""The notation of expressions: what operators write down, and that it is what relations and certificates take."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from typing import Any

import pytest

from tdcert.theory.expressions import relations
from tdcert.theory.expressions.notation import (
    Name,
    along,
    determinant,
    diagonal,
    entry_of,
    expected,
    its,
    pairs_of,
    solution,
    sum_of,
    table,
)
from tdcert.theory.expressions.relations import Path, decide_relations, list_form, written
from tdcert.theory.model import gallery
from tdcert.theory.verdict import Status

WRITTEN: list[tuple[Any, tuple[Any, ...]]] = [
    (its.S @ its.r + its.M @ its.V, ("+", ("@", "S", "r"), ("@", "M", "V"))),
    (its.Phi.T @ its.D @ its.Phi, ("@", ("T", "Phi"), "D", "Phi")),
    (its.A @ (its.C @ its.b), ("@", "A", ("@", "C", "b"))),
    (its.A + its.C + its.I, ("+", "A", "C", "I")),
    (its.A - its.C - its.I, ("-", ("-", "A", "C"), "I")),
    (its.A - (its.C - its.I), ("-", "A", ("-", "C", "I"))),
    (-its.A, ("-", "A")),
    (-(its.A @ its.b), ("-", ("@", "A", "b"))),
    (1 - its.gamma, ("-", "1", "gamma")),
    (its.gamma - 1, ("-", "gamma", "1")),
    (Fraction(-1, 2) * its.A, ("*", "-1/2", "A")),
    (its.gamma * its.kappa * its.A, ("*", ("*", "gamma", "kappa"), "A")),
    (2 + its.gamma, ("+", "2", "gamma")),
    ("A" @ its.b, ("@", "A", "b")),
    ("A" - its.C, ("-", "A", "C")),
    (its.P_pi**3 @ its.r, ("@", ("^", "P_pi", 3), "r")),
    (its.discount(2) * its.phi(3), ("*", "gamma:2", "phi:3")),
    (its.lambda_(1) * its.z_rho(0), ("*", "lambda:1", "zrho:0")),
    (entry_of(its.Lambda(4), 1, 2), ("entry", "Lambda:4", 1, 2)),
    (solution(its.C, its.b), ("solve", "C", "b")),
    (
        determinant(table([[its.A, its.b], [0, Fraction(1, 2)]])),
        ("det", ("over", ("beside", "A", "b"), ("beside", "0", "1/2"))),
    ),
    (pairs_of(its.N), ("pairs", "N")),
    (sum_of(diagonal(its.d)), ("sum", ("diag", "d"))),
    (expected("mu", "d", 1, its.delta(0) * its.z(0)), ("E", "mu", "d", 1, ("*", "delta:0", "z:0"))),
    (along(Path((0,), ()), its.v(0)), ("on", Path((0,), ()), "v:0")),
]


@pytest.mark.parametrize(("expression", "plain"), WRITTEN, ids=lambda part: written(part))
def test_it_is_the_tuple_that_certificates_hold(expression: Any, plain: tuple[Any, ...]) -> None:
    assert expression == plain and hash(expression) == hash(plain) and written(expression) == written(plain)
    assert json.dumps(list_form(expression)) == json.dumps(list_form(plain))
    assert pickle.loads(pickle.dumps(expression)) == plain


def test_a_number_is_its_own_name() -> None:
    assert [Name(3), Name(Fraction(-1, 2)), Name("2/3")] == ["3", "-1/2", "2/3"]


def test_relations_in_it_are_decided() -> None:
    """Bellman's equation holds with the plus sign, and fails with the minus."""
    model = gallery.flip_chain()
    right = decide_relations(model, [(its.S @ its.r + its.M @ its.V, "=", its.V)])
    wrong = decide_relations(model, [(its.r - its.N @ its.V, "=", its.V)])
    assert right.status is Status.HOLDS and wrong.status is Status.REFUTED


def test_a_part_that_stands_twice_is_evaluated_once_on_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """θ_{k+1} = θ_k + θ_k six times over is 2⁶ leaves, and seven parts; on another path they are evaluated anew."""
    asked: list[str] = []
    on_path = relations._on_path

    def counted(name: str, k: int, context: Any) -> Any:
        asked.append(name)
        return on_path(name, k, context)

    monkeypatch.setattr(relations, "_on_path", counted)
    model = gallery.flip_chain()
    value: Any = its.at("R", 0)
    for _ in range(6):
        value = value + value
    mean = expected("mu", "d", 1, value)
    paths = sum(1 for P in model.transitions for row in P.rows for p in row if p)
    assert decide_relations(model, [(mean, "=", expected("mu", "d", 1, 64 * its.at("R", 0)))]).status is Status.HOLDS
    assert len(asked) == 2 * paths


def test_a_table_is_written_row_by_row() -> None:
    assert written(table([[its.A, its.b], [0, Fraction(-1, 2)]])) == "[A, b; 0, -1/2]"
