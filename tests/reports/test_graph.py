"""The picture of what rests on what: complete, readable, reachable, and drawn from the document alone."""

import re
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tdcert.claims.paper import ENTRIES
from tdcert.reports.graph import Drawing, drawing, kind_of
from tests.effort import examples
from tests.reports import sample
from tests.reports.pages import Page
from tests.reports.sample import claim

RESTS = {
    "prop_4_1": ["weight_matrix_rows", "n_step_special_case"],
    "thm_4_4_g_negative_definite": ["prop_4_1", "weight_matrix_rows"],
    "n_step_special_case": ["td_lambda_weights"],
}
DRAWN = ["td_lambda_weights", "weight_matrix_rows", "n_step_special_case", "prop_4_1", "thm_4_4_g_negative_definite"]


def document(rests: dict[str, list[str]] | None = None) -> dict[str, Any]:
    made = sample.verdicts()
    for each in made["claims"]:
        each["rests_on"] = (RESTS if rests is None else rests).get(each["id"], [])
    return made


def drawn(rests: dict[str, list[str]] | None = None) -> Drawing:
    found = drawing(sample.run(document(rests)).claims)
    assert found is not None
    return found


# ---- the claims themselves -----------------------------------------------------------------------------


def test_claims_rest_on_claims_that_exist_and_never_on_themselves() -> None:
    rests = {entry.id: entry.load().rests_on for entry in ENTRIES if not entry.is_open}
    known = {entry.id for entry in ENTRIES}
    for name, lemmas in rests.items():
        assert set(lemmas) <= known, f"claims/{name}.py rests on {set(lemmas) - known}, which no row of the table names"
        assert len(set(lemmas)) == len(lemmas)
    left = {name: set(lemmas) for name, lemmas in rests.items()}
    while left:
        free = [name for name, lemmas in left.items() if not lemmas & set(left)]
        assert free, f"these claims rest on each other in a circle, or on one: {sorted(left)}"
        for name in free:
            del left[name]


# ---- the drawing ---------------------------------------------------------------------------------------


def test_only_claims_with_an_edge_are_drawn_and_every_edge_is() -> None:
    found = drawn()
    assert [node.id for node in found.nodes] == DRAWN  # the document's order is the keyboard's
    edges = {(edge.source, edge.target) for edge in found.edges}
    assert edges == {(lemma, name) for name, lemmas in RESTS.items() for lemma in lemmas}
    assert dict(found.rests) == {name: tuple(lemmas) for name, lemmas in RESTS.items()}


def check_layout(found: Drawing) -> None:
    for a, b in combinations(found.nodes, 2):
        apart = a.x + a.width <= b.x or b.x + b.width <= a.x or a.y + a.height <= b.y or b.y + b.height <= a.y
        assert apart, f"{a.id} and {b.id} overlap"
    places = {node.id: node for node in found.nodes}
    for node in found.nodes:
        assert node.x >= 0 and node.y >= 0
        assert node.x + node.width <= found.width and node.y + node.height <= found.height
        for chip in node.chips:
            assert chip.x > 0 and chip.x + chip.width <= node.width
            assert chip.y > 0 and chip.y + 16 <= node.height
    for edge in found.edges:
        assert places[edge.source].x + places[edge.source].width < places[edge.target].x
        passing = re.findall(r"(-?[\d.]+),(-?[\d.]+) H(-?[\d.]+)", edge.path)
        for start, y, end in ((float(x), float(y), float(to)) for x, y, to in passing):
            for node in found.nodes:
                beside = node.x >= end or node.x + node.width <= start
                assert beside or not node.y < y < node.y + node.height, f"an edge crosses {node.id}"


def test_nothing_overlaps_and_arrows_lead_to_the_right() -> None:
    check_layout(drawn())


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 23), st.integers(0, 23)), min_size=1, max_size=60), st.randoms())
def test_any_graph_is_laid_out(pairs: list[tuple[int, int]], random: Any) -> None:
    names = [f"claim_{k}" for k in range(24)]
    template = claim(document(), "prop_4_1")
    claims = [{**template, "id": name, "rests_on": []} for name in names]
    for user, lemma in pairs:
        claims[user]["rests_on"].append(names[lemma])
    for each in claims:
        each["hypotheses"] = [
            {
                "id": "h" * random.randint(1, 40),
                "statement": "",
                "needed": random.choice([True, False, None]),
                "scopes": [],
            }
            for _ in range(random.randint(0, 6))
        ]
    typed = sample.run({**sample.verdicts(), "claims": claims}).claims
    found = drawing(typed)  # circles lose an edge, and nothing is left of a claim that rests on itself alone
    if found is None:
        assert all(user == lemma for user, lemma in pairs)
    else:
        check_layout(found)
        assert drawing(typed) == found
        if all(user > lemma for user, lemma in pairs):
            assert {(edge.source, edge.target) for edge in found.edges} == {(names[b], names[a]) for a, b in pairs}


def test_sixty_claims_stay_readable() -> None:
    template = claim(document(), "prop_4_1")
    name = "a_claim_with_quite_a_long_name_{}".format
    claims = [{**template, "id": name(k), "rests_on": [name(k // 3)] if k else []} for k in range(60)]
    found = drawing(sample.run({**sample.verdicts(), "claims": claims}).claims)
    assert found is not None and len(found.nodes) == 60
    check_layout(found)
    assert found.width < 2500 and found.height < 60 * 150


# ---- what colours it -----------------------------------------------------------------------------------


def colour(made: dict[str, Any], claim_id: str) -> str:
    return kind_of(next(claim for claim in sample.run(made).claims if claim.entry.id == claim_id))


def test_the_colour_follows_the_verdict() -> None:
    made = document()
    prop = claim(made, "prop_4_1")
    assert colour(made, prop["id"]) == "proved" and colour(made, "td_lambda_weights") == "open"
    proved = [s for s in prop["stated"]["scopes"] if s["grade"] == "proved"]
    assert [scope["scope"] for scope in proved] == ["all_sizes"] and " wide" in picture(made)
    prop["stated"]["scopes"] = [s for s in prop["stated"]["scopes"] if s["grade"] != "proved"]
    assert colour(made, prop["id"]) == "certified"
    prop["stated"]["scopes"] = [s for s in prop["stated"]["scopes"] if s["grade"] == "consistent"]
    assert colour(made, prop["id"]) == "consistent"
    prop["stated"]["status"] = "undecided"
    assert colour(made, prop["id"]) == "undecided"
    g = claim(made, "thm_4_4_g_negative_definite")
    assert colour(made, g["id"]) == "certified"  # of the corrected reading; the refutation as printed is proved
    g["corrected"]["status"] = "refuted"
    assert colour(made, g["id"]) == "refuted"
    found = drawing(sample.run(made).claims)
    assert found is not None
    assert {node.id: node.kind for node in found.nodes}["prop_4_1"] == "undecided"
    assert found.kinds == (("proved", True), ("refuted", False), ("undecided", False), ("open", False))


def test_hypotheses_are_chips_that_say_whether_they_are_needed() -> None:
    chips = next(node for node in drawn().nodes if node.id == "prop_4_1").chips
    assert [(chip.text, chip.need) for chip in chips] == [
        ("irreducible", "needed"),
        ("aperiodic", "not needed"),
        ("rewards", "undecided"),
    ]


# ---- on the page ---------------------------------------------------------------------------------------


def picture(made: dict[str, Any]) -> str:
    html = sample.page(made)
    assert Page(html).faults == []
    return html.split('<section id="graph">')[1].split("</section>")[0]


def test_every_node_is_a_link_that_resolves_and_has_a_title() -> None:
    page = Page(sample.page(document()))
    inside = picture(document())
    nodes = re.findall(r'<a class="node (\w+)(?: wide)?" href="#([^"]+)"><title>([^<]+)</title>', inside)
    assert [target for _, target, _ in nodes] == DRAWN
    assert {target for _, target, _ in nodes} <= set(page.ids)
    assert all(title.strip() for _, _, title in nodes)
    # Colour is never alone: the sign and the word stand on the node and in the legend.
    for kind, sign in (("proved", "■"), ("certified", "◆"), ("open", "○")):
        assert kind in {found for found, _, _ in nodes} and inside.count(f"{sign} {kind}") >= 2
    for name, lemmas in RESTS.items():
        links = [f'<a href="#{x}">{x}</a>' for x in (name, *lemmas)]
        assert f"{links[0]} rests on {', '.join(links[1:])}" in inside


def test_claims_name_what_they_rest_on_and_what_rests_on_them() -> None:
    html = sample.page(document())
    article = html.split('<article class="claim" id="prop_4_1">')[1].split("</article>")[0]
    assert 'Rests on <a href="#weight_matrix_rows">' in article
    assert 'Used by <a href="#thm_4_4_g_negative_definite">' in article


@pytest.mark.parametrize("rests", [{}, {"prop_4_1": ["not_in_this_run"]}, {"prop_4_1": ["prop_4_1"]}])
def test_without_an_edge_there_is_no_picture(rests: dict[str, list[str]]) -> None:
    page = Page(sample.page(document(rests)))
    assert "graph" not in page.ids and ("a", "#graph") not in page.links and page.faults == []


def test_it_works_with_no_decided_claims_and_without_the_key() -> None:
    made = document({"thm_4_5_conditions": ["td_lambda_weights"]})
    made["claims"] = [c for c in made["claims"] if c["finding"] == "open"]
    assert "○ open" in picture(made)
    assert drawing([]) is None and drawing(sample.run().claims) is None


def test_a_circle_in_a_document_still_gives_a_picture() -> None:
    found = drawn({"prop_4_1": ["weight_matrix_rows"], "weight_matrix_rows": ["prop_4_1"]})
    assert len(found.edges) == 1
    check_layout(found)
