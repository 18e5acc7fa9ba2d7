"""The page of algorithms that were asked for says what the answer says, and loads nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from tdcert.analysis.analyse import Request, analyse
from tdcert.analysis.result import AnalysisResult
from tdcert.reports.analysis_figures import row_figures
from tdcert.reports.analysis_page import analysis_page
from tdcert.reports.answer_words import limit
from tdcert.reports.labels import MEAN_DYNAMICS
from tdcert.theory.files.python_model import Parts, read_model
from tdcert.theory.model.gallery import theta_to_two_theta

NAMES = "off_policy_td,tdrc[ridge=1/10],etd,gtd2_mp,gtd_momentum[momentum=1]"


@cache
def answer() -> AnalysisResult:
    model = replace(theta_to_two_theta(Fraction(9, 10), rewards=(1, -1)), name="a <b>model</b>")
    request = Request.of_words(None, algorithms=NAMES, steps="1/100")
    return analyse(read_model(model, Parts()), lambda *_: None, request)


@pytest.mark.thorough
def test_every_row_is_there_with_what_was_found() -> None:
    found = answer()
    html = analysis_page(found)
    assert "a &lt;b&gt;model&lt;/b&gt;" in html and "<b>model" not in html
    assert not re.search(r'(src|href)="(https?:|//)', html)
    answers = html[: html.index('id="algorithms"')]
    rows = re.findall(r'<tr id="row-(\d+)">(.*?)</tr>', html, re.S)
    assert [int(k) for k, _ in rows] == list(range(1, len(found.rows) + 1))
    for (_, text), row in zip(rows, found.rows, strict=True):
        words = MEAN_DYNAMICS[row.answer.mean_dynamics][1] if row.answer else "none"
        assert words in text and f"{limit(row)}<" in answers
    assert "tdrc[ridge=1/10]" in html
    assert html.count("At the step 1/100") == len(found.rows)
    slow = found.rows[1].rest
    assert slow is not None and slow.parameters is not None
    assert f'theta at rest</span><span class="mono">{slow.parameters[0, 0]}<' in html


@pytest.mark.thorough
def test_figures_hold_the_numbers_of_the_answer() -> None:
    found = answer()
    drawn = {figure.name: figure for figure in row_figures(found)}
    largest = {k: row.largest for k, row in enumerate(found.rows, start=1) if row.largest}
    upto, beyond = drawn["largest_steps"].series
    assert upto.x == beyond.x == tuple(map(float, largest)) and len(largest) == 2
    assert upto.y == tuple(float(one.low) for one in largest.values())
    assert all(a < b for a, b in zip(upto.y, beyond.y, strict=True))
    (rates,) = drawn["rates"].series
    assert [y > 0 for y in rates.y] == [True, False, False, False] and rates.x == (1.0, 2.0, 3.0, 4.0)
    (errors,) = drawn["errors"].series
    assert {figure.x_names for figure in drawn.values()} == {("off-policy TD", *NAMES.split(",")[1:])}
    assert errors.y == tuple(float(row.error_squared) for row in found.rows if isinstance(row.error_squared, Fraction))


@pytest.mark.thorough
def test_a_page_without_figures_is_a_page() -> None:
    bare = replace(answer(), rows_asked_for=answer().rows[4:])
    assert row_figures(bare) == [] and "Largest constant step" not in analysis_page(bare)
