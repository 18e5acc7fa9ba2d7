"""The section on what is wrong says what the verdicts say: nothing more, nothing of its own, nothing unescaped."""

import copy
from fractions import Fraction
from typing import Any

import pytest

from tdcert.claims.claim import Reading
from tdcert.claims.paper import EXPERIMENTS
from tdcert.reports import mathml
from tdcert.reports.corrections import corrections, worked_out
from tdcert.reports.evidence_lines import tally
from tdcert.theory.expressions.relations import decide_relations
from tdcert.theory.model.gallery import one_state
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import FailedRelation, Status
from tdcert.verification.verification import ReadingVerdict
from tests.reports import sample
from tests.reports.pages import Page
from tests.reports.sample import claim

WRONG = ["n_step_special_case", "prop_4_1", "thm_4_4_g_negative_definite"]


def section(document: dict[str, Any]) -> str:
    html = sample.page(document)
    assert Page(html).faults == []
    return html.split('<section id="corrections">')[1].split("</section>")[0]


def article(document: dict[str, Any], claim_id: str) -> str:
    return section(document).split(f'id="mend_{claim_id}">')[1].split("</article>")[0]


def in_section(document: dict[str, Any]) -> list[str]:
    shown = section(document)
    return [c["id"] for c in document["claims"] if f'id="mend_{c["id"]}"' in shown]


def test_what_is_wrong_as_printed_stands_there_by_kind_in_paper_order_and_nothing_else() -> None:
    document = sample.verdicts()
    assert in_section(document) == WRONG
    html = section(document)
    order = ["wrong_false", "mend_n_step", "mend_thm_4_4_g", "wrong_implicit_hypothesis", "mend_prop_4_1"]
    places = [html.index(f'id="{name}') for name in order]
    assert places == sorted(places) and "wrong_misprint" not in html and "wrong_empirical" not in html
    assert "Of 4 statements of the paper that this run examined" in html
    assert "False as printed: 2" in html and "A hypothesis is missing: 1" in html


@pytest.mark.parametrize("name", WRONG)
def test_what_is_undecided_as_printed_is_not_called_wrong(name: str) -> None:
    """Whatever its finding says, and however well the corrected reading holds."""
    document = sample.verdicts()
    claim(document, name)["stated"]["status"] = "undecided"
    assert in_section(document) == [other for other in WRONG if other != name]


@pytest.mark.parametrize("name", WRONG)
def test_each_shows_both_statements_the_witness_and_where_the_evidence_is(name: str) -> None:
    document = sample.verdicts()
    stated, corrected = claim(document, name)["stated"], claim(document, name)["corrected"]
    stated["scopes"].append(sample.scope("instances", "certified", 1, "", f"certificates/{name}/007-relation.json"))
    html = article(document, name)
    assert mathml.rich_text(stated["statement"]) in html
    assert f'href="#{name}"' in html and f'href="certificates/{name}/007-relation.json"' in html
    if corrected is None:
        assert "No corrected reading is decided" in html
    else:
        assert mathml.rich_text(corrected["statement"]) in html
        for added in corrected["added_hypotheses"]:
            assert mathml.rich_text(added) in html


@pytest.mark.parametrize("name", WRONG)
def test_a_verdict_removed_or_no_longer_wrong_vanishes_from_the_section(name: str) -> None:
    others = [other for other in WRONG if other != name]
    removed = sample.verdicts()
    removed["claims"] = [c for c in removed["claims"] if c["id"] != name]
    assert in_section(removed) == others and name not in section(removed)
    for finding in ("as_stated", "open"):
        mended = sample.verdicts()
        claim(mended, name)["finding"] = finding
        assert in_section(mended) == others
    misprint = sample.verdicts()
    claim(misprint, "weight_matrix_rows")["finding"] = "misprint"
    assert in_section(misprint) == ["weight_matrix_rows", *WRONG]


@pytest.mark.parametrize("grade", ["certified", "consistent"])
def test_a_refuted_sentence_about_an_experiment_is_wrong_too_with_its_grade(grade: str) -> None:
    document = sample.verdicts()
    document["claims"] = [claim(document, "n_step_special_case")]
    (tried,) = document["claims"]
    tried |= {"finding": "empirical", "section": EXPERIMENTS}
    where = "simulation" if grade == "consistent" else "instances"
    tried["stated"] |= {
        "status": "refuted",
        "scopes": [sample.scope(where, grade, 1, "", *[sample.FIRST] * (grade == "certified"))],
    }
    html = section(document)
    assert "Sentences about experiments: 1" in html and "by hand" not in html
    assert "<h4>Found</h4>" in html and f"</span> {grade}</span>" in html
    assert 'href="#experiment_n_step_special_case"' in html
    assert tally(sample.run(document)).witnesses == 0  # what runs show is not checked by hand
    for status in ("holds", "undecided"):
        tried["stated"]["status"] = status
        assert "No statement that this run decided is wrong as printed" in section(document)


def test_it_works_with_nothing_wrong_and_with_nothing_decided() -> None:
    document = sample.verdicts()
    document["claims"] = [c for c in document["claims"] if c["finding"] == "open"]
    assert "No statement that this run decided is wrong as printed" in section(document)
    assert corrections(()) == []
    assert "No statement" in section({**document, "claims": []})


def judged(witness: dict[str, Any], why: str = "", failed: FailedRelation | None = None) -> ReadingVerdict:
    return ReadingVerdict(Reading("a statement"), Status.REFUTED, why, witness, (), failed=failed)


def test_the_witness_of_a_relation_shows_both_sides_and_the_relation_they_have() -> None:
    model = one_state(Fraction(1, 2), Schedule((Fraction(1),)))
    for relation, instead in (("=", "≠"), ("<", "≮"), ("<=", "≰")):
        right = "1" if relation == "=" else "0"
        left = "w:1" if relation == "=" else "w:2"  # all weight is on the two-step return
        verdict = decide_relations(model, [(left, relation, right)])
        assert verdict.status is Status.REFUTED
        found = worked_out(judged({**verdict.witness}, verdict.detail, verdict.failed))
        value = "0" if relation == "=" else "1"
        index = left[-1]
        assert f"<mi>w</mi><mn>{index}</mn>" in found.lines[0] and f"<mn>{value}</mn>" in found.lines[0]
        assert f"<mo>{instead}</mo>" in found.lines[-1]
        assert found.why == "" and not found.rest and len(found.lines) == 2
    matrices = decide_relations(model, [("Phi", "=", ("+", "Phi", "Phi"))])
    found = worked_out(judged({**matrices.witness}, f"1 state: {matrices.detail}", matrices.failed))
    assert found.why == "1 state" and len(found.lines) == 3
    assert "<mi>Φ</mi><mo" in found.lines[1] and "<mn>2</mn>" in found.lines[1]


def test_witnesses_become_equations_where_they_are_some_and_text_elsewhere() -> None:
    witness = {
        "model": "θ→2θ",
        "A": [["0", "1/2"], ["1", "0"]],
        "x": ["1", "0"],
        "λ_1": "1",
        "xᵀAx": "0",
        "the return": "2-step",
    }
    found = worked_out(judged(witness, "so it is"))
    assert found.name == "θ→2θ" and found.why == "so it is" and found.rest == {"the return": "2-step"}
    assert len(found.lines) == 4 and "mtable" in found.lines[0] and "<msup>" in found.lines[3]
    assert worked_out(judged({})).lines == ()
    assert worked_out(judged({"E b(X)": "2", "0": "0", "2": "0"})).rest == {"E b(X)": "2", "2": "0"}
    # What only looks like a relation's witness stays as it is, and its words too.
    sides = {"left": "w:1", "right": "0", "left value": "1", "right value": "0"}
    assert worked_out(judged(sides, "w:1 = 0 fails")).rest == sides
    assert worked_out(judged(sides, "w:1 = 0 fails")).why == "w:1 = 0 fails"


def test_only_hypotheses_that_are_printed_nowhere_are_shown_with_their_counterexamples() -> None:
    document = sample.verdicts()
    hypothesis = claim(document, "prop_4_1")["hypotheses"][0]
    hypothesis["source"] = "Assumption 2"
    assert "not printed with the statement" not in section(document)
    hypothesis["source"] = "implicit in §3"
    html = article(document, "prop_4_1")
    assert "The behaviour chain is irreducible" in html and "not printed with the statement" in html
    assert "Two states, one absorbing" in html and "mtable" in html and sample.FIRST in html
    hypothesis["counterexample"] = None
    assert "not printed with the statement" not in section(document)


def test_a_model_too_large_to_be_written_out_is_still_named() -> None:
    document = sample.verdicts()
    model = copy.deepcopy(sample.TWO_STATES)
    model["features"] = [["1"] * 100] * 2
    claim(document, "n_step_special_case")["stated"]["model"] = model
    html = article(document, "n_step_special_case")
    assert "2 states, 100 features, 1 action" in html and "The model as a file" in html


HOSTILE = "<script>alert(1)</script>\" onload='x' $\\text{<img src=x onerror=alert(2)>}$ {{ 7 * 7 }} </svg>"


def test_hostile_strings_are_only_text() -> None:
    document = sample.verdicts()
    wrong = claim(document, "n_step_special_case")
    wrong["title"] = wrong["place"] = wrong["id"] = HOSTILE
    sides = dict.fromkeys(("left", "right", "left value"), HOSTILE)
    by_action = {
        key: dict.fromkeys((HOSTILE, "b"), sample.TWO_STATES[key]["only"]) for key in ("transitions", "rewards")
    }
    policies = dict.fromkeys(("behaviour", "target"), [["1", "0"]] * 2)
    wrong["stated"] |= {
        "statement": HOSTILE,
        "why": HOSTILE,
        "witness": {"model": HOSTILE, **sides, "right value": "[[<u>]]"},
        "model": {**sample.TWO_STATES, "actions": [HOSTILE, "b"], **by_action, **policies},
    }
    wrong["corrected"]["added_hypotheses"] = [HOSTILE]
    wrong["rests_on"] = ["prop_4_1", HOSTILE]
    prop = claim(document, "prop_4_1")
    prop["stated"]["witness"] = {HOSTILE: HOSTILE, "x": HOSTILE, "A": [[HOSTILE]], "λ_1": {"deep": HOSTILE}}
    for hypothesis in prop["hypotheses"]:
        hypothesis |= {"source": "implicit " + HOSTILE, "statement": HOSTILE, "id": HOSTILE}
    prop["skipped"] = {HOSTILE: 3}
    document["error_budget"][0]["name"] = HOSTILE
    page = Page(sample.page(document))
    assert page.faults == [] and not {"script", "img", "u"} & set(page.elements)
    assert "<script>alert(1)</script>" in page.text and "{{ 7 * 7 }}" in page.text


@pytest.mark.parametrize(
    ("agrees", "contradicts", "chip"),
    [(True, False, "✓ agrees"), (False, True, "✗ disagrees"), (False, False, "? left open")],
)
def test_a_comparison_that_is_left_open_is_not_a_disagreement(agrees: bool, contradicts: bool, chip: str) -> None:
    claim = {**sample.verdicts()["claims"][0], "simulations": []}
    claim["simulations"] = [
        {"what": "signs", "agrees": agrees, "contradicts": contradicts, "false_alarm": 1e-9, "summary": "of 160 runs"}
    ]
    given = {**sample.verdicts(), "claims": [claim]}
    html = sample.page(given)
    assert [found for found in ("✓ agrees", "✗ disagrees", "? left open") if found in html] == [chip]
