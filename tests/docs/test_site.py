"""The parts of the documentation site that are ours: the pages about the claims, and what a page may not load."""

from __future__ import annotations

import re
import sys

import pytest

from tdcert.claims.paper import SEED, papers
from tests.docs.fences import ROOT

sys.path.insert(0, str(ROOT / "docs" / "_site"))
try:
    import claim_pages
    import mathml_renderer
    import offline
finally:
    sys.path.pop(0)

PAGES = claim_pages.pages()


def test_every_claim_stands_on_the_page_of_its_section_in_order() -> None:
    for paper in papers().values():
        for section in dict.fromkeys(entry.section for entry in paper.entries):
            page = PAGES[f"{claim_pages.slug(section, paper)}.md"]
            expected = [entry.id for entry in paper.entries if entry.section == section]
            assert re.findall(r"^\((\w+)\)=$", page, re.MULTILINE) == expected
            assert f"\n{claim_pages.slug(section, paper)}\n" in PAGES["index.md"]
            assert page.startswith("# On the subject of ") is paper.is_unread
            assert (claim_pages.escaped(paper.which_text) in page) is (paper is not SEED)


def test_every_paper_has_a_row_with_its_findings() -> None:
    rows = {line.split("*")[1]: line for line in PAGES["papers.md"].splitlines() if line.startswith("| [*")}
    read = [paper for paper in papers().values() if not paper.is_unread]
    unread = [paper for paper in papers().values() if paper not in read]
    assert list(rows) == [claim_pages.escaped(paper.title) for paper in (*read, *unread)]
    first, second = PAGES["papers.md"].split("\n## ")
    assert all(claim_pages.escaped(paper.title) in first for paper in read) and "| not seen |" not in first
    assert "as printed" not in second and "nothing is said of them" in second
    assert "| seen | 8 | 8 | 0 | 0 | 0 | 0 | 0 |" in rows["True Online TD\\(λ\\)"]


@pytest.mark.parametrize(
    "entry", [x for p in papers().values() for x in p.entries if not x.is_open], ids=lambda entry: entry.id
)
def test_a_claim_is_told_in_full(entry: claim_pages.Entry) -> None:
    page = PAGES[f"{claim_pages.slug(entry.section, papers()[entry.paper])}.md"]
    told = page.split(f"({entry.id})=\n")[1].split("\n(")[0]
    first = ("As printed", "Quote") if entry.load().stated.quote else ("Statement",)
    for part in (*first, "Hypotheses", "Model", "Check", "Closed form", "General evidence"):
        assert re.search(rf"^:{part}: \S", told, re.MULTILINE), part
    assert (":Corrected" in told) == (entry.load().corrected is not None)
    for ablation in entry.load().ablations:
        assert ablation.hypothesis.id.replace("_", " ") in told
    assert f"tdcert show {entry.id}" in told and f"](../../{entry.source})" in told


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("a*bc_de [x] <y> #1", r"a\*bc\_de \[x\] \<y\> \#1"),
        ("the law d^μ of X_t, s_{t+1}", "the law d^μ of $X_{t}$, $s_{t+1}$"),
        (r"where $A_{ij} < 0$ or `a_b`", r"where $A_{ij} < 0$ or `a_b`"),
        ("ρ_tδ_t and Σ_n", r"ρ\_tδ\_t and Σ\_n"),
    ],
)
def test_text_shows_as_it_was_written(text: str, markdown: str) -> None:
    assert claim_pages.escaped(text) == markdown


@pytest.mark.parametrize(
    "page",
    [
        '<script src="https://cdn.example/x.js"></script>',
        "<img alt=x src='//example.org/x.png'>",
        '<link rel="stylesheet" href="https://example.org/x.css">',
        '<link href="https://example.org/x.css" rel="stylesheet">',
        "@font-face { src: url(https://example.org/x.woff2) }",
        '@import "https://example.org/x.css";',
    ],
)
def test_what_a_page_would_load_from_elsewhere_is_found(page: str) -> None:
    assert len(offline.fetched(page)) == 1


def test_links_that_a_reader_follows_are_free() -> None:
    page = (
        '<a href="https://example.org">x</a><script src="_static/x.js"></script><link rel="canonical" href="https://x">'
    )
    assert offline.fetched(page) == []


def test_mathematics_becomes_mathml() -> None:
    from docutils import nodes

    assert mathml_renderer._mathml(nodes.math("", r"\lambda_1")).startswith("<math")
