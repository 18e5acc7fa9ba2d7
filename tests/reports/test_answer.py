"""The page answers first what the paper is about, from the verdicts alone; a badge says no more than its text."""

from __future__ import annotations

from typing import Any

import pytest

from tdcert.claims.paper import ENTRIES, MAIN
from tdcert.reports.evidence_lines import evidence_words
from tdcert.reports.graph import kind_of
from tests.reports import sample
from tests.reports.pages import Page

SAMPLES = dict(zip(MAIN, ("prop_4_1", "thm_4_4_g_negative_definite", "n_step_special_case"), strict=True))
"""The sample claims that stand in for the theorems."""


def document(**changes: Any) -> dict[str, Any]:
    """The sample with the theorems in it; ``changes`` go into the reading that holds."""
    found = sample.verdicts()
    for name, stand_in in SAMPLES.items():
        claim = next(claim for claim in found["claims"] if claim["id"] == stand_in)
        claim["id"] = name
        (claim["corrected"] or claim["stated"]).update(changes)
    return found


def answer(found: dict[str, Any]) -> str:
    html = sample.page(found)
    assert Page(html).faults == []
    return html.split('<section id="answer">')[1].split("</section>")[0]


def test_it_stands_first_with_a_line_for_each_theorem() -> None:
    found = document()
    html = sample.page(found)
    assert html.index('<section id="answer">') < html.index('<section id="summary">')
    places = [answer(found).index(f'href="#{name}"') for name in MAIN]
    assert places == sorted(places) and answer(found).count("<tr>") == 1 + len(MAIN)


def test_the_title_asks_for_them_and_names_a_kind_once() -> None:
    found = document()
    rows = [next(claim for claim in found["claims"] if claim["id"] == name) for name in MAIN]
    for title, claim in zip(
        ("Theorem 4.3: TD converges", "Theorem 4.4", "Theorem 4.6: so does TDC"), rows, strict=True
    ):
        claim["title"] = title
    assert "<h2>Do Theorems 4.3, 4.4 and 4.6 hold?</h2>" in answer(found)
    rows[1]["title"] = "Lemma 4.4"
    assert "<h2>Do Theorem 4.3, Lemma 4.4 and Theorem 4.6 hold?</h2>" in answer(found)
    found["claims"] = [claim for claim in found["claims"] if claim not in rows[1:]]
    assert "<h2>Does Theorem 4.3 hold?</h2>" in answer(found)
    rows[0]["title"] = "TD converges"
    assert "<h2>Does this statement hold?</h2>" in answer(found)


def test_without_these_theorems_there_is_no_answer() -> None:
    assert 'id="answer"' not in sample.page(sample.verdicts())


def test_each_line_says_what_is_false_what_holds_its_grade_and_its_hypotheses() -> None:
    found = document()
    html = answer(found)
    for claim in (claim for claim in found["claims"] if claim["id"] in MAIN):
        claim["stated"] |= {"status": "refuted", "why": f"{claim['id']} fails there", "witness": {"model": "a model"}}
    html = answer(found)
    assert all(f"{name} fails there (a model)" in html for name in MAIN)
    assert "proved, all sizes" in html and "certified, 3 models" in html and "consistent, 4 simulations" in html
    # needed, not needed, undecided; and what was added
    assert "The behaviour chain is irreducible" in html and "is aperiodic" not in html and "are bounded" not in html
    assert "Not printed:" in html


@pytest.mark.parametrize("status", ["holds", "undecided", "refuted"])
def test_a_part_is_named_in_the_badge_where_it_holds_and_nowhere_else(status: str) -> None:
    whole, part = answer(document(status=status)), answer(document(status=status, decides="mean dynamics"))
    assert "mean dynamics" not in whole
    badges = len(MAIN) + 1  # the first stand-in has one reading, which stands in both columns
    assert part.count("holds: mean dynamics") == (badges if status == "holds" else 0)


def words(scopes: list[dict[str, Any]]) -> list[tuple[str, str]]:
    found = sample.verdicts()
    found["claims"][1]["stated"]["scopes"] = scopes
    reading = sample.run(found).claims[1].stated
    assert reading is not None
    return [(str(grade), said) for grade, said in evidence_words(reading)]


def test_proved_says_for_which_sizes() -> None:
    scopes = [sample.scope("sizes", "proved", 3, "d = 1, 2, 3")]
    assert words(scopes) == [("proved", "proved at some sizes")]
    scopes.append(sample.scope("all_sizes", "proved", 1, "by induction"))
    assert words(scopes) == [("proved", "proved, all sizes")]


def test_what_is_proved_beside_an_experiment_is_named_and_does_not_grade_it() -> None:
    found = sample.verdicts()
    claim = sample.claim(found, "n_step_special_case")
    claim |= {"finding": "empirical", "section": "Appendix A5: experiments"}
    claim["corrected"]["scopes"] = [
        sample.scope("all_sizes", "proved", 1, "M = κP on the star"),
        sample.scope("simulation", "consistent", 2, ""),
    ]
    assert kind_of(sample.run(found).claims[2]) == "consistent"
    html = sample.page(found)
    for place in ("mend", "experiment"):
        article = html.split(f'id="{place}_n_step_special_case">')[1].split("</article>")[0]
        badges = article.split("<h4>Found</h4>")[1].split('<p class="label">')[0]
        assert "consistent" in badges and "proved" not in badges
        assert "for the part that each line names" in article and "M = κP on the star" in article


def test_no_title_promises_convergence_that_is_not_decided() -> None:
    """A claim of which a part is decided says so: in its title, or by not speaking of convergence."""
    parts = {entry: entry.load().decides for entry in ENTRIES if not entry.is_open}
    assert any(parts.values())
    for entry, part in parts.items():
        if part:
            assert "converge" not in entry.title, entry.id
    assert all("(mean dynamics)" in entry.title for entry, part in parts.items() if part == "mean dynamics")
