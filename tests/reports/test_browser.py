"""The pages in a real browser, as a user sees them: from the disk, by keyboard, in both colours, on paper."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tdcert.reports.analysis_page import analysis_files
from tdcert.reports.sweep_page import sweep_files
from tdcert.reports.verification_page import verification_files
from tests.reports import sample
from tests.reports.browser import Browser, Tab
from tests.sweeps.tiny import swept, tiny_spec

pytestmark = pytest.mark.thorough
"""The browser takes seconds to start."""

WIDE, NARROW = 1400, 390
PAPER = 718  # A4 less margins of a centimetre, in CSS pixels


def verdicts() -> dict[str, Any]:
    document = sample.verdicts()
    document["claims"][3]["rests_on"] = ["weight_matrix_rows", "n_step_special_case"]
    wrong = sample.claim(document, "n_step_special_case")
    wrong["stated"]["witness"]["the other schedule has the lower error until step"] = "20,000 (α = 0.005)"
    return document


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    found = {}
    made = {
        "verification": verification_files(sample.run(verdicts())),
        "analysis": analysis_files(sample.analysis()),
    }
    done = swept(tmp_path_factory.mktemp("swept"), tiny_spec(figure=True, unexpected=["2 + 2 is 5"]))
    made["sweep"] = sweep_files(done)
    for kind, files in made.items():
        found[kind] = tmp_path_factory.mktemp(kind) / "index.html"
        found[kind].write_bytes(files["index.html"])
    return found


EACH = pytest.mark.parametrize("kind", ["verification", "analysis", "sweep"])


def serious_faults(tab: Tab) -> list[str]:
    """What axe-core calls serious or critical."""
    spec = find_spec("axe_core_python")
    assert spec is not None and spec.submodule_search_locations
    axe = Path(next(iter(spec.submodule_search_locations))) / "axe.min.js"
    tab.run("for (const folded of document.querySelectorAll('details')) folded.open = true")
    tab.run(
        "document.head.append(Object.assign(document.createElement('style'), "
        "{textContent: '.claim { content-visibility: visible !important }'}))"
    )  # axe sees what is laid out
    tab.run(axe.read_text(encoding="utf-8") + "; 0")
    found = tab.run("axe.run(document, {resultTypes: ['violations']}).then(r => r.violations)")
    return [
        f"{fault['id']}: {node['html'][:160]}: {node['failureSummary'][:200]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


def cut_off(tab: Tab) -> list[str]:
    """What is wider than the page, or than the box that it would have to be scrolled in."""
    return list(
        tab.run("""
        [...document.querySelectorAll('table, pre, figure svg, .graph svg, math, p, li, .scroll, .equation')]
            .filter(e => e.checkVisibility() && !e.closest('.unseen'))
            .filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1
                         || (!e.closest('svg, math') && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0
                             && getComputedStyle(e).overflowX !== 'visible'))
            .map(e => e.outerHTML.slice(0, 120))
    """)
    )


@pytest.mark.thorough
@EACH
def test_it_opens_without_a_complaint_and_asks_for_nothing(
    chromium: Browser, pages: dict[str, Path], kind: str
) -> None:
    for width, dark in ((WIDE, False), (NARROW, True)):
        tab = chromium.open(pages[kind], width, dark=dark)
        tab.run("window.scrollTo(0, document.body.scrollHeight)")
        assert tab.complaints() == []
        assert tab.requests() == [pages[kind].as_uri()]
        assert tab.run("document.documentElement.scrollWidth") <= width
        tab.run("for (const folded of document.querySelectorAll('details')) folded.open = true")
        assert tab.run("document.documentElement.scrollWidth") <= width
        assert tab.picture().startswith(b"\x89PNG")
        tab.close()


def test_complaints_and_requests_are_really_seen(chromium: Browser, tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text(
        '<!DOCTYPE html><title>x</title><img src="gone.png"><script>console.error("seen"); absent()</script>'
    )
    tab = chromium.open(page)
    assert len(tab.complaints()) == 3 and any("seen" in line for line in tab.complaints())
    assert tab.requests() == [page.as_uri(), (tmp_path / "gone.png").as_uri()]
    tab.close()


@pytest.mark.thorough
def test_the_content_policy_lets_no_other_script_run(chromium: Browser, pages: dict[str, Path], tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    added = "<script>document.title = 'changed'</script></body>"
    page.write_text(pages["verification"].read_text().replace("</body>", added))
    tab = chromium.open(page)
    assert tab.run("document.title") != "changed" and "Content Security Policy" in tab.complaints()[0]
    assert tab.run("document.getElementById('filter').hidden") is False
    tab.close()


@EACH
def test_every_link_leads_somewhere(chromium: Browser, pages: dict[str, Path], kind: str) -> None:
    tab = chromium.open(pages[kind])
    links = set(tab.run("[...document.querySelectorAll('a[href^=\"#\"]')].map(a => a.getAttribute('href').slice(1))"))
    ids = set(tab.run("[...document.querySelectorAll('[id]')].map(e => e.id)"))
    assert links and links <= ids
    if kind == "verification":
        assert {claim["id"] for claim in verdicts()["claims"]} <= links
        assert {"summary", "corrections", "claims", "simulations", "graph", "limits", "environment"} <= links
        tab.run(
            "document.querySelector('.graph a[href=\"#prop_4_1\"]')"
            ".dispatchEvent(new MouseEvent('click', {bubbles: true}))"
        )
        assert tab.run("location.hash") == "#prop_4_1"
        assert 0 <= tab.run("document.getElementById('prop_4_1').getBoundingClientRect().top") < 120
    tab.close()


def shown(tab: Tab) -> tuple[list[str], list[str], str]:
    """The claims that are seen in the table and below it, and what a screen reader is told."""
    rows = tab.run(
        "[...document.querySelectorAll('tr[data-claim]')].filter(e => e.checkVisibility()).map(e => e.dataset.claim)"
    )
    articles = tab.run("[...document.querySelectorAll('.claim')].filter(e => e.checkVisibility()).map(e => e.id)")
    return rows, articles, tab.run("document.querySelector('#filter [role=status]').innerText")


def test_the_filter_works_by_keyboard(chromium: Browser, pages: dict[str, Path]) -> None:
    everything = [claim["id"] for claim in verdicts()["claims"]]
    tab = chromium.open(pages["verification"])
    assert shown(tab) == (everything, everything, "6 claims")
    for _ in range(60):
        tab.press("Tab")
        if tab.run("document.activeElement.name") == "text":
            break
    tab.press("Negative Definite")
    assert shown(tab) == (["prop_4_1", "thm_4_4_g_negative_definite"],) * 2 + ("2 of 6 claims",)
    tab.press("Tab")  # as printed: the first status after "any" holds
    tab.press("ArrowDown")
    assert shown(tab) == (["prop_4_1"], ["prop_4_1"], "1 of 6 claims")
    assert tab.run("[...document.querySelectorAll('#claim_table tbody')].map(e => e.hidden)") == [True, False]
    tab.press("Tab", "ArrowDown")  # evidence: proved
    assert shown(tab)[2] == "1 of 6 claims"
    tab.press("Tab", "ArrowDown")  # finding: as printed, which this claim is not
    assert shown(tab) == ([], [], "0 of 6 claims")
    tab.press("Tab", "Enter")  # show all
    assert shown(tab) == (everything, everything, "6 claims")
    tab.close()


def test_a_link_to_a_hidden_claim_shows_it(chromium: Browser, pages: dict[str, Path]) -> None:
    tab = chromium.open(pages["verification"])
    tab.run("document.querySelector('#filter input').focus()")
    tab.press("nothing has these words")
    assert shown(tab)[2] == "0 of 6 claims"
    tab.run("document.querySelector('#corrections a[href=\"#n_step_special_case\"]').focus()")
    tab.press("Enter")
    assert shown(tab)[2] == "6 claims"
    assert 0 <= tab.run("document.getElementById('n_step_special_case').getBoundingClientRect().top") < 120
    tab.close()


def test_without_a_script_all_claims_are_there_and_no_filter(chromium: Browser, pages: dict[str, Path]) -> None:
    tab = chromium.open(pages["verification"], script=False)
    rows, articles, _ = shown(tab)
    assert rows == articles == [claim["id"] for claim in verdicts()["claims"]]
    assert tab.run("document.getElementById('filter').checkVisibility()") is False
    assert tab.complaints() == []
    tab.close()


@pytest.mark.thorough
@EACH
def test_axe_finds_nothing_serious(chromium: Browser, pages: dict[str, Path], kind: str) -> None:
    for width, dark in ((WIDE, False), (NARROW, True)):
        tab = chromium.open(pages[kind], width, dark=dark)
        assert serious_faults(tab) == []
        tab.close()


def test_axe_is_really_asked(chromium: Browser, tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text('<!DOCTYPE html><html lang="en"><title>x</title><p style="color: #ccc">faint</p><img src="data:,">')
    tab = chromium.open(page)
    assert {line.split(":")[0] for line in serious_faults(tab)} == {"color-contrast", "image-alt"}
    tab.close()


@EACH
def test_no_words_are_squeezed_to_letters(chromium: Browser, pages: dict[str, Path], kind: str) -> None:
    squeezed = """
        [...document.querySelectorAll('dd, dt, td, li, p, h3')]
            .filter(e => e.checkVisibility() && !e.closest('.unseen') && e.textContent.trim().length > 8)
            .filter(e => e.getBoundingClientRect().width < 48).map(e => e.outerHTML.slice(0, 120))
    """  # 48 pixels: some six letters
    tab = chromium.open(pages[kind], NARROW)
    assert tab.run(squeezed) == []
    tab.run("document.querySelector('main').insertAdjacentHTML('beforeend', '<p style=width:1em>squeezed text</p>')")
    assert len(tab.run(squeezed)) == 1
    tab.close()


@EACH
def test_paper_cuts_nothing(chromium: Browser, pages: dict[str, Path], kind: str) -> None:
    tab = chromium.open(pages[kind], PAPER)
    tab.look(PAPER, 1000, media="print")
    assert cut_off(tab) == []
    tab.run(
        "document.querySelector('main').insertAdjacentHTML('beforeend', "
        "'<div class=scroll><table><tr><td style=\"min-width:900px\">wide</td></tr></table></div>')"
    )
    assert len(cut_off(tab)) == 1  # a table that is too wide would be seen
    tab.close()
