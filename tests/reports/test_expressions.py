"""Relation witnesses as mathematics: what the writer of relations writes is read back, anything else is left alone."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tdcert.claims.paper import Entry, papers
from tdcert.reports import mathml
from tdcert.reports.latex_to_text import plain
from tdcert.theory.expressions.relations import Path, written


@pytest.mark.parametrize(
    "expression",
    [
        "kappa",
        ("-", ("T", "Phi"), ("@", "D", "M", "Phi")),
        ("E", "mu", "d", 3, ("*", "rho:0", "delta:2")),
        ("E", "pi", 1, 2, "Grho"),
        ("on", Path((0, 1, 0), (0, 0)), ("+", "R:0", ("*", "gamma:0", "v:1"))),
        ("^", "gamma", 2),
        ("solve", "C", ("-", "b")),
        ("entry", "Lambda:4", 3, 0),
        ("sum", ("diag", "d")),
        ("det", ("over", ("beside", "A", "b"), ("beside", ("T", "b"), "-1/2"))),
        ("@", "zrho:3", ("T", "ones:2")),
        "-3/4",
    ],
    ids=str,
)
def test_whatever_relations_write_is_mathematics(expression: object) -> None:
    found = mathml.expression(expression)
    assert found.count("<") == 2 * found.count("</")
    letters = re.sub(r"<[^>]*>", "", found)
    assert found.count("<mtext>") == found.count("<mtext> along") and letters.count("(") == letters.count(")")
    assert [sign in letters for sign in "[·=|"] == [sign in written(expression) for sign in "[·=|"]


def test_a_table_is_in_brackets_and_its_rows_are_not() -> None:
    found = mathml.expression(("over", ("beside", "A", "b"), ("beside", "1", "2")))
    assert re.sub(r"<[^>]*>", "", found) == "[A,b;1,2]" and "></mo>" not in found


def test_names_become_the_letters_of_the_paper() -> None:
    assert mathml.expression("w:1") == "<mrow><msub><mi>w</mi><mn>1</mn></msub></mrow>"
    assert "<mi>R</mi><mn>1</mn>" in str(mathml.expression("R:0"))  # the reward after step 0
    assert "<mi>z</mi><mn>3</mn><mi>ρ</mi>" in str(mathml.expression("zrho:3"))
    assert mathml.expression(("+", "w:1", "1")).startswith("<mrow><msub>")  # no brackets around the whole
    assert mathml.rich_text("so w:1 = 0") == f"so {mathml.math('w_{1}')} = 0"
    assert mathml.rich_text("γΛ_22 of R_{t+2}") == f"γ{mathml.math('Λ_{22}')} of {mathml.math('R_{t+2}')}"
    assert mathml.rich_text("at 12:30, thm_4_4, A_nonsingular, 3:1") == "at 12:30, thm_4_4, A_nonsingular, 3:1"
    assert plain("lambda:2 > 0, R:0 = 1, thm_4_4") == "λ_2 > 0, R_1 = 1, thm_4_4"
    assert plain(r"$\dot\theta = -A^{-1} b$, $\frac12 \|x\|^2$") == "θ̇ = -A⁻¹ b, 1/2 ‖x‖²"
    assert plain(r"$\frac{2}{1 + B^2 d^2}$, $\frac{1}{2B^2d}$") == "2/(1 + B² d²), 1/(2B^2d)"
    assert plain(r"$\frac{1 - \gamma}{B^2}$, $\frac{-1}{\alpha}$") == "(1 - γ)/B², -1/α"
    assert plain(r"$\hat\theta \mapsto \bar{x}$, $\max(1, \dots, n)$, $\unknown$") == "θ̂ ↦ x̄, max(1, …, n), \\unknown"


@pytest.mark.parametrize(
    "entry",
    [entry for paper in papers().values() for entry in paper.entries if not entry.is_open],
    ids=lambda entry: entry.id,
)
def test_every_formula_of_the_claims_reads_in_a_terminal(entry: Entry) -> None:
    claim = entry.load()
    readings = [reading for reading in (claim.stated, claim.corrected) if reading]
    texts = [entry.title, *claim.notes, *(hypothesis.statement for hypothesis in claim.hypotheses)]
    texts += [text for reading in readings for text in (reading.statement, *reading.added_hypotheses)]
    assert "\\" not in "".join(map(plain, texts))


def test_values_are_rationals_and_matrices_of_them() -> None:
    assert mathml.value("-1/2") == mathml.number("-1/2")
    assert mathml.value(["1", "2"]) == mathml.matrix(["1", "2"])
    assert mathml.value((("1", "1/2"), ("0", "-3"))) == mathml.matrix([["1", "1/2"], ["0", "-3"]])
    others: tuple[Any, ...] = (
        "two",
        "[[1], [2]]",
        [],
        [["1"], ["x"]],
        [["1", "2"], ["3"]],
        {"a": "1"},
        None,
        True,
        [[["1"]]],
        ["1"] * 65,
    )
    for other in others:
        assert not mathml.has_value(other) and mathml.value(other).startswith("<mtext>"), other


@given(st.text(alphabet="wE_mu:[]()^ᵀ0123456789/<>&\"' +-·|,→along", min_size=1, max_size=40))
def test_any_text_is_shown_and_never_breaks_the_page(text: str) -> None:
    for found in (mathml.expression(text), mathml.expression(("+", text, text)), mathml.value(text)):
        assert found.count("<") == 2 * found.count("</") and "<script" not in found
    assert mathml.expression("w" * 1000) == f"<mtext>{'w' * 1000}</mtext>"
