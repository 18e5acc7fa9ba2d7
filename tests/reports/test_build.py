"""Pages are built from the document alone: well-formed, self-contained, safe, the same bytes every time."""

import hashlib
import json
import re
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tdcert.analysis.facts import ClaimAnswer
from tdcert.analysis.result import AnalysisResult
from tdcert.claims.paper import BEYOND, EXPERIMENTS
from tdcert.reports import mathml, pages, pictures
from tdcert.reports.analysis_json import analysis_document
from tdcert.reports.analysis_page import analysis_files
from tdcert.reports.documents import Checked, certificate_files, with_side_files
from tdcert.reports.evidence_lines import certificates_of
from tdcert.reports.verdicts_json import verdicts_document
from tdcert.reports.verification_page import verification_files
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.shelf import FiledCertificate
from tdcert.theory.figures import Figure, Series
from tdcert.theory.verdict import Grade, Status, Verdict
from tests.reports import sample
from tests.reports.pages import Page

OTHER = Figure("other", None, "Other", "x", "y", (Series("one", (0.0, 1.0), (0.0, 1.0)),), "")


def verification(document: dict[str, Any] | None = None) -> Page:
    return Page(sample.page(document))


def analysis(run: AnalysisResult | None = None) -> Page:
    return Page(analysis_files(run or sample.analysis())["index.html"].decode())


@pytest.mark.parametrize("make", [verification, analysis])
def test_pages_are_well_formed_and_load_nothing(make: Any) -> None:
    page = make()
    assert page.faults == []
    assert page.html.startswith("<!DOCTYPE html>")
    assert len(set(page.ids)) == len(page.ids)
    for tag, link in page.links:
        if link.startswith("#"):
            assert link[1:] in page.ids, f"{link} leads nowhere"
        else:
            # Relative links lead to files of the report; nothing is loaded but the empty icon.
            assert (tag, link) == ("link", "data:,") or (tag == "a" and re.fullmatch(r"[\w./-]+", link)), link
    assert not re.search(r"@import|url\((?!#)|https?:|//\w", page.html)
    assert not {"script", "iframe", "img", "object", "embed"} & set(page.elements)
    assert {"math", "svg"} <= set(page.elements)


def test_every_file_that_the_page_links_to_is_written() -> None:
    paths = dict.fromkeys(path for claim in sample.run().claims for path in certificates_of(claim))
    run = sample.run(certificates=tuple(FiledCertificate(path, sample.certificate()) for path in paths))
    files = {**certificate_files(run.certificates), **verification_files(run)}
    links = {link for tag, link in Page(files["index.html"].decode()).links if tag == "a" and link[0] != "#"}
    assert links <= set(files) and sample.FIRST in links
    assert files["figures/convergence_td.png"].startswith(b"\x89PNG")
    assert json.loads(files["verdicts.json"]) == verdicts_document(run)
    assert files["verdicts.json"].startswith(b'{\n  "format": "tdcert-verdicts/1"')


@pytest.mark.thorough
def test_the_same_document_gives_the_same_bytes(drawn: dict[str, Any]) -> None:
    def built() -> tuple[dict[str, bytes], dict[str, bytes]]:
        drawn.clear()
        kept = FiledCertificate(sample.FIRST, sample.certificate())
        return verification_files(sample.run(certificates=(kept,))), analysis_files(sample.analysis())

    assert built() == built()


def test_every_claim_has_its_anchor_and_open_ones_look_open() -> None:
    document = sample.verdicts()
    page = verification(document)
    assert {claim["id"] for claim in document["claims"]} <= set(page.ids)
    assert "6 statements in this run" in page.text and "2 not examined" in page.text
    for claim in document["claims"]:
        if claim["finding"] == "open":
            article = page.html.split(f'id="{claim["id"]}">')[1].split("</article>")[0]
            assert "○ open" in article and not re.search("holds|refuted|proved|certified", article)


def test_an_undecided_claim_that_carries_evidence_is_named_and_not_called_wrong() -> None:
    document = sample.verdicts()
    claim = sample.claim(document, "prop_4_1")
    claim["finding"] = "open"
    claim["stated"] |= {"status": "undecided", "why": "the budget was exhausted"}
    page = verification(document)
    article = page.html.split('id="prop_4_1">')[1].split("</article>")[0]
    assert "undecided as printed" in article and "? undecided" in article and "the budget was exhausted" in article
    assert "1 undecided as printed, 2 not examined" in page.text and page.faults == []
    assert "need a hypothesis" not in page.text and 'id="mend_prop_4_1"' not in page.html
    listed = page.html.split('<section id="corrections">')[1].split("</section>")[0]
    assert "Undecided as printed, so not listed here" in listed and 'href="#prop_4_1"' in listed


def test_a_verdict_removed_from_the_document_vanishes_from_the_page() -> None:
    document = sample.verdicts()
    document["claims"] = [claim for claim in document["claims"] if claim["id"] != "thm_4_4_g_negative_definite"]
    page = verification(document)
    assert "thm_4_4_g_negative_definite" in verification().html
    assert "thm_4_4_g_negative_definite" not in page.html
    assert "5 statements in this run" in page.text and "2 not examined" in page.text


def test_what_the_page_says_follows_the_document() -> None:
    document = sample.verdicts()
    document["summary"]["differences"] = ["prop_4_1: predicted 'as_stated', found 'false'"]
    text = Page(sample.page(document, Checked(9, ("x: y",)))).text
    assert "1 verdict differs from the prediction" in text and "found 'false'" in text
    assert "accepted 9 and rejected 1" in text and "The independent checker rejected 1 certificate" in text


def test_it_says_why_models_were_not_used_and_what_the_tests_may_cost() -> None:
    document = sample.verdicts()
    claim = sample.claim(document, "prop_4_1")
    claim["skipped"] = {"irreducible": 5, "coverage": 2}
    document["error_budget"] = [{"name": f"test {k}", "false_alarm": 1e-8} for k in range(3)]
    text = " ".join(verification(document).text.split())
    assert "Why other models were not used" in text
    assert "The behaviour chain is irreducible 5" in text or "The behaviour chain is irreducible5" in text
    assert "coverage2" in text.replace(" ", "")
    assert "1×10⁻⁸" in text and "3×10⁻⁸" in text
    document["error_budget_assumes"] = ["Bits are fair."]
    assert "3×10⁻⁸, over the seeds. Bits are fair." in " ".join(verification(document).text.split())


@pytest.mark.thorough
def test_a_full_run_stays_below_five_megabytes_and_opens_folded() -> None:
    """57 decided claims that meet 33 models each, five certificates a model."""
    document = sample.verdicts()
    templates = [claim for claim in document["claims"] if claim["finding"] != "open"]
    claims = []
    for k in range(57):
        name = f"a_claim_with_quite_a_long_name_{k}"
        claim = json.loads(json.dumps(templates[k % len(templates)])) | {"id": name, "figures": []}
        paths = [f"certificates/{name}/{i:03d}-full_column_rank.json" for i in range(33 * 5)]
        claim["stated"]["scopes"].append(sample.scope("instances", "certified", 33, "33 models", *paths))
        claim["models"] = [
            {"name": f"Garnet {i}", "states": 9, "features": 4, "actions": 2, "digest": "ab" * 32} for i in range(33)
        ]
        claims.append(claim)
    document["claims"] = claims
    page = verification(document)
    assert len(page.html.encode()) < 5_000_000
    assert page.faults == [] and "<details open" not in page.html
    folded = re.sub(r"<details>.*?</details>", "", page.html, flags=re.DOTALL)
    assert "full_column_rank.json" not in folded and "Garnet" not in folded


HOSTILE = "<script>alert(1)</script>\" onload='x' $\\text{<img src=x onerror=alert(2)>}$ {{ 7 * 7 }}"


def test_hostile_names_are_only_text() -> None:
    run, part = sample.analysis(state_names=(HOSTILE,) * 7, notes=(HOSTILE,)), sample.class_facts()
    td = part.algorithms["td"]
    assert td is not None
    hostile = Verdict(Status.HOLDS, Grade.CERTIFIED, HOSTILE, {HOSTILE: HOSTILE})
    facts = replace(
        run.facts,
        model=replace(run.facts.model, name=HOSTILE),
        classes=(replace(part, algorithms={**part.algorithms, "td": replace(td, matrix=HOSTILE)}),),
        claims=(ClaimAnswer("prop_4_1", hostile),),
    )
    page = analysis(replace(run, source=HOSTILE, defaults_used=(HOSTILE,), facts=facts))
    assert page.faults == [] and not {"script", "img"} & set(page.elements)
    assert "<script>alert(1)</script>" in page.text and "{{ 7 * 7 }}" in page.text

    verdicts = sample.verdicts()
    claim = sample.claim(verdicts, "prop_4_1")
    claim["models"][0]["name"] = claim["title"] = claim["notes"] = HOSTILE
    claim["hypotheses"][0]["counterexample"]["description"] = HOSTILE
    verdicts["environment"]["platform"] = HOSTILE
    page = verification(verdicts)
    assert page.faults == [] and not {"script", "img"} & set(page.elements)


def test_mathematics_becomes_mathml_and_what_is_none_stays_as_written() -> None:
    assert mathml.rich_text("so $x < y$ & z") == (
        'so <math display="inline"><mrow><mi>x</mi><mo>&#x0003C;</mo><mi>y</mi></mrow></math> &amp; z'
    )
    assert mathml.rich_text("`a < b`") == "<code>a &lt; b</code>"
    assert "<script>" not in mathml.rich_text(r"$\text{<script>}$")
    assert mathml.rich_text(r"$x^a^b & $") == "<code>x^a^b &amp; </code>"
    assert 'class="matrix"' in mathml.rich_text(r"$\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}$")


def test_a_long_formula_may_break_before_its_signs() -> None:
    latex = r"x^T A x \le -(1 - \kappa) x^T C x + \frac{1 + a}{b} \sum_{j = 1}^{n} (c_j - c_{j+1}) (d_j + e_j) = 0"
    whole, parted = mathml.math(latex), mathml.rich_text(f"${latex}$")
    pieces = parted.split("<wbr>")
    assert len(pieces) > 3 and all(re.fullmatch("<math .*</math>", piece) for piece in pieces)
    signs = {re.findall(r"^<math display=\"inline\"><mrow><mo[^>]*>(.)</mo>", piece)[0] for piece in pieces[1:]}
    assert signs <= set("≤−+∑=(") and Page(parted).faults == []
    assert Page(parted).text == Page(whole).text
    assert mathml.rich_text("$x < y$") == mathml.math("x < y")


def test_names_of_symbols_are_shown_as_symbols() -> None:
    assert mathml.symbol("lambda_1") == mathml.math(r"\lambda_{1}") != mathml.math(r"\lambda")
    assert mathml.symbol("x") == mathml.math("x")
    assert mathml.symbol("weights of the returns") == "weights of the returns"
    assert mathml.symbol("<b>") == "&lt;b&gt;"


def test_a_small_model_is_shown_as_equations_and_a_large_one_is_not() -> None:
    shown = "".join(mathml.model_equations(sample.TWO_STATES))
    assert shown.count("<math>") == 5  # P, r, γ, Φ, λ
    assert '<mn>1</mn><mo lspace="0" rspace="0">/</mo><mn>2</mn>' in shown
    assert mathml.model_equations({**sample.TWO_STATES, "features": [["1"] * 100] * 2}) == []


@pytest.mark.thorough
@pytest.mark.parametrize("large", [True, False])
def test_matrices_above_100000_entries_go_to_a_side_file(large: bool) -> None:
    n = 317 if large else 316  # 317² > 100,000 ≥ 316²
    part = replace(sample.class_facts(), A=RationalMatrix([[Fraction(1, 2)] * n] * n))
    document = analysis_document(sample.analysis(classes=(part,)))
    document["classes"] = [{"states": [0], "A": document["A"]}]
    before = json.dumps(document)
    written, files = with_side_files(document, "matrices/")
    assert json.dumps(document) == before
    if not large:
        assert written == document and files == {}
        return
    assert set(files) == {"matrices/A.json", "matrices/classes-0-A.json"}
    content = files["matrices/A.json"]
    assert json.loads(content) == document["A"]
    sha256 = hashlib.sha256(content).hexdigest()
    assert written["A"] == {"file": "matrices/A.json", "sha256": sha256, "shape": [317, 317]}
    page = analysis(sample.analysis(classes=(part,)))
    assert page.faults == [] and ("a", "matrices/A.json") in page.links
    assert "has 317 × 317 entries" in page.text and sha256[:16] in page.text
    page = analysis(sample.analysis(classes=(part, part)))
    assert ("a", "matrices/classes-1-A.json") in page.links


def test_an_analysis_with_several_recurrent_classes() -> None:
    part = sample.class_facts()
    several = replace(sample.analysis().facts.chain, irreducible=False, recurrent_classes=((0, 1), (2,)), count=2)
    run = sample.analysis(
        chain=several, classes=(replace(part, states=(0, 1)), replace(part, states=(2,), theta_star=None))
    )
    page = analysis(run)
    assert page.faults == []
    assert "Recurrent class 2" in page.text and "not unique: one for each recurrent class" in page.text
    assert page.text.count("is not unique, not defined or not known here") == 1


def test_the_rate_is_rounded_outwards() -> None:
    text = analysis().text
    assert "−0.18181819 to −0.16666666" in text  # -2/11 and -1/6
    assert "−0.57142858 to −0.57142857" in text or "−0.57142857" in text  # -4/7


@pytest.mark.thorough
def test_only_the_first_hundred_states_are_tabled() -> None:
    n = 150
    column = RationalMatrix.column([Fraction(1, 150)] * n)
    part = replace(sample.class_facts(), stationary=column, values_at_fixed_point=column)
    names = tuple(f"state<{s}>" for s in range(n))
    text = analysis(sample.analysis(classes=(part,), value=column, state_names=names)).text
    assert "state<99>" in text and "state<100>" not in text and "The first 100 of 150 states" in text


def test_pictures_follow_the_page_and_keep_their_ids_apart() -> None:
    drawn = pictures.inline_svg(sample.FIGURE)
    assert drawn.startswith('<svg role="img"') and drawn.endswith("</svg>")
    assert "currentColor" in drawn and "var(--series-2)" in drawn and "#0072b2" not in drawn
    assert re.search(r">steps<", drawn)
    alone = pictures.standalone_svg(sample.FIGURE)
    heights = [float(re.findall(r'viewBox="0 0 [\d.]+ ([\d.]+)"', text)[0]) for text in (drawn, alone)]
    title = f">{sample.FIGURE.title}</text>"
    assert title in alone and title not in drawn and heights[0] < heights[1]
    first, second = (set(re.findall(r'id="([^"]*)"', pictures.inline_svg(fig))) for fig in (sample.FIGURE, OTHER))
    assert first and second and not first & second


def test_png_files_of_an_analysis_are_written_where_they_are_asked_for() -> None:
    run = sample.analysis()
    usual, asked = (analysis_files(run, png=png) for png in (False, True))
    figures = {name for name in asked if name.startswith("figures/")}
    assert {name for name in asked if name not in usual} == {name for name in figures if name.endswith(".png")} != set()
    pages = [files["index.html"].decode() for files in (usual, asked)]
    assert ["--png" in page for page in pages] == [True, False] and [".png" in page for page in pages] == [False, True]


def test_an_empty_picture_is_still_a_picture() -> None:
    empty = Figure("empty", None, "t", "x", "y", (Series("$ a $", (0.0,), (-1.0,)),), "", log_x=True, log_y=True)
    assert pictures.inline_svg(empty).startswith("<svg") and pictures.png(empty).startswith(b"\x89PNG")


def test_a_diagram_of_cells_stands_beside_its_table() -> None:
    page = verification()
    section = page.html.split('id="figure_phases"')[1].split("</figure>")[0]
    table = Page(section[section.index("<table") : section.index("</table>") + len("</table>")])
    assert " ".join(table.text.split()) == (
        "TD schedule1/29/10 TD(0)✓ stable in the mean✗ unstable in the mean 3-step✓ stable in the mean"
        "✓ stable in the mean"
    )
    assert table.elements.count("td") == 4 and "<svg" in section


def test_experiments_have_a_section_of_their_own() -> None:
    document = sample.verdicts()
    assert 'id="experiments"' not in verification(document).html
    claim = sample.claim(document, "prop_4_1")
    claim["section"] = EXPERIMENTS
    html = verification(document).html
    experiments = html.split('<section id="experiments">')[1].split("</section>")[0]
    assert 'id="experiment_prop_4_1"' in experiments and 'id="figure_phases"' in experiments
    assert html.count('id="figure_phases"') == 1 and 'href="#experiment_prop_4_1"' in html
    assert 'id="simulations"' not in html


@pytest.mark.parametrize(
    ("status", "words"), [("holds", "Yes, as printed"), ("refuted", "Not as printed"), ("undecided", "Undecided")]
)
def test_an_experiment_says_whether_it_is_reproduced_and_what_it_depends_on(status: str, words: str) -> None:
    document = sample.verdicts()
    claim = sample.claim(document, "n_step_special_case")
    claim |= {"section": EXPERIMENTS, "finding": "empirical"}
    claim["stated"]["status"] = status
    claim["corrected"]["added_hypotheses"] = ["a start far from the fixed point"]
    html = verification(document).html.split('id="experiment_n_step_special_case"')[1].split("</article>")[0]
    step = html.split("<h4>Reproduced</h4>")[1]
    assert words in step and "depends on:" in step and "a start far from the fixed point" in step


def test_evidence_of_many_parts_is_a_list_and_a_short_one_is_none() -> None:
    document = sample.verdicts()
    scopes = sample.claim(document, "prop_4_1")["stated"]["scopes"]
    plain = verification(document).html
    scopes[-1]["parts"] = ["mean at $t = 5$", "<b>covariance</b>"]
    html = verification(document).html
    assert html.count("<li>") == plain.count("<li>") + 2
    assert "<li>&lt;b&gt;covariance&lt;/b&gt;</li>" in html


def test_the_summary_stops_after_ten_lines() -> None:
    document = sample.verdicts()
    undecided, beyond = document["claims"][1], document["claims"][2]
    undecided["finding"], undecided["stated"]["status"] = "open", "undecided"
    beyond["section"] = BEYOND
    summary = verification(document).html.split('<section id="summary">')[1].split("</section>")[0]
    assert summary.count("<li>") == 10


@pytest.mark.thorough
def test_templates_are_compiled_once_where_python_keeps_byte_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is the same with and without, in a folder that cannot be made too; nothing is kept unasked."""
    texts = set[str]()
    (tmp_path / "a file").touch()
    for name, unasked in (("kept", False), ("kept", False), ("none", True), ("a file", False)):
        monkeypatch.setattr(sys, "dont_write_bytecode", unasked)
        monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / name))
        pages._environment.cache_clear()
        texts.add(sample.page())
        assert bool(list(tmp_path.glob(f"{name}/**/templates-*.cache"))) == (name == "kept")
    pages._environment.cache_clear()
    assert len(texts) == 1
