"""Bound ÷ truth: the page says what its data say, and cells of each bound are evaluated anew."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tdcert.claims.bounds import chains
from tdcert.claims.paper import papers
from tests.docs.programs import program


@pytest.fixture(scope="module")
def writer() -> Any:
    return program("write_bounds")


def test_the_page_is_written_from_the_data(writer: Any) -> None:
    text = writer.page(writer.read())
    assert writer.PAGE.read_text(encoding="utf-8") == text, "run python docs/write_bounds.py"
    assert f"](images/{writer.PICTURE.name})" in text and writer.PICTURE.read_bytes().startswith(b"\x89PNG")


def test_every_bound_is_asked_of_every_chain_and_belongs_to_a_claim_with_bounds(writer: Any) -> None:
    rows = writer.read()["bounds"]
    assert [(row["bound"], row["claim"], row["chain"]) for row in rows] == [
        (line.label, line.claim, model.name) for line in writer.LINES for model in chains()
    ]
    known = {row.id: row for one in papers().values() for row in one.entries if not row.is_open}
    for line in writer.LINES:
        assert known[line.claim].load().bounds is not None
    with_bounds = {name for name, row in known.items() if row.load().bounds is not None}
    assert with_bounds - {line.claim for line in writer.LINES} == {"ls_lemma8", "sy_lemma5", "brs_projection"}


def test_a_moment_above_its_bound_is_found_in_the_theorem_that_is_false_alone(writer: Any) -> None:
    rows = writer.read()["bounds"]
    assert {row["claim"] for row in rows if row.get("holds") is False} == {"kp_thm1"}
    for row in rows:
        if writer.is_number(row.get("ratio", "–")):
            assert (float(row["ratio"]) < 1) is (row["holds"] is False)
        if writer.is_number(row.get("certify_ratio", "–")):
            assert float(row["certify_ratio"]) >= 1


def again(writer: Any, label: str, claim: str, place: int) -> None:
    """The cell is what the data say."""
    line = next(one for one in writer.LINES if (one.label, one.claim) == (label, claim))
    model = chains()[place]
    wanted = next(
        row
        for row in writer.read()["bounds"]
        if (row["bound"], row["claim"], row["chain"]) == (label, claim, model.name)
    )
    assert writer.asked(line, model) == wanted


@pytest.mark.parametrize("place", range(5))
def test_cells_are_evaluated_anew(writer: Any, place: int) -> None:
    again(writer, "averages, t = 100,000", "ls_thm9", place)
    again(writer, "constant step, k = 2⁴⁰", "sy_thm7", place)


@pytest.mark.thorough
@pytest.mark.parametrize("place", range(5))
def test_further_cells_are_evaluated_anew(writer: Any, place: int) -> None:
    for line in writer.LINES:
        if "100,000" not in line.label and "102,400" not in line.label:
            again(writer, line.label, line.claim, place)
    found = [writer.first_n(chains()[place], Fraction(x)) for x in ("1/2", "9/10")]
    assert found == [row for row in writer.read()["first_n"] if row["chain"] == chains()[place].name]
