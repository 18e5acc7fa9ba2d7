"""A page holds the program that is proved correct and certificates that it knows; a browser checks them there."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tdcert.reports import check_here as packing
from tdcert.reports.analysis_page import analysis_files
from tdcert.reports.check_here import CheckHere, check_here
from tdcert.reports.proved_checker import CONVERGENCE, reads
from tdcert.reports.verification_page import verification_files
from tdcert.theory.certificate.checker import check_text
from tdcert.theory.certificate.shelf import FiledCertificate
from tdcert.theory.formal.record import read_record
from tests.reports import sample
from tests.reports.browser import Browser, Tab
from tests.reports.pages import Page
from tests.reports.test_browser import NARROW, PAPER, WIDE, cut_off, serious_faults
from tests.theory.certificate.by_hand import Json, certify, factor
from tests.theory.certificate.test_checker import FORGED, SINGLE, TRUE
from tests.theory.certificate.updates_by_hand import told_by_terms

FORGERY = FORGED["convergence: theta -> 2 theta"][0]
OTHER = TRUE["update, mean square"]
NAMES = ("convergence of td", "convergence of gtd", "convergence of tdc", "update, mean square")


def filed(*certificates: Json) -> tuple[FiledCertificate, ...]:
    return tuple(
        FiledCertificate(f"certificates/{k:03d}-{one['kind']}.json", one) for k, one in enumerate(certificates, 1)
    )


GENUINE = filed(*(TRUE[name] for name in NAMES))
WITH_A_FORGERY = filed(TRUE["convergence of td"], FORGERY)


def page(kept: tuple[FiledCertificate, ...], kind: str = "analysis") -> str:
    made: Any = analysis_files(replace(sample.analysis(), certificates=kept))
    if kind == "verification":
        made = verification_files(sample.run(certificates=kept))
    return str(made["index.html"].decode())


def unpacked(packed: str) -> str:
    return zlib.decompress(base64.b64decode(packed)).decode()


def certificates(found: CheckHere) -> dict[str, Json]:
    bundle = json.loads(unpacked(found.packed_certificates))
    models, files = bundle["models"], bundle["files"]
    return {one["path"]: {**json.loads(one["body"]), "model": json.loads(models[one["digest"]])} for one in files}


def test_updates_by_terms_are_left_to_the_command() -> None:
    of_updates = filed(*told_by_terms(SINGLE, certify, factor))
    assert all(reads(one.body) for one in of_updates) and check_here(of_updates) is None
    found = check_here((*GENUINE[:1], *of_updates))
    assert found is not None and (found.count, found.others) == (1, len(of_updates))


def test_it_holds_the_program_of_the_record_and_the_certificates_as_they_are() -> None:
    found = check_here(GENUINE)
    assert found is not None and found.count == 3 and found.left_out == () and (found.more, found.others) == (0, 1)
    assert unpacked(found.packed_program) == found.program
    program = hashlib.sha256(found.program.encode())
    assert program.hexdigest() == read_record().program["verified/page.js"]
    assert certificates(found) == {one.path: one.body for one in GENUINE[:3]}
    allowed = base64.b64encode(program.digest()).decode()
    for kind in ("analysis", "verification"):
        (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page(GENUINE, kind))
        assert policy.startswith("default-src 'none'; ") and policy.count("sha256-") == 2
        assert f"'sha256-{allowed}'" in policy and "unsafe-eval" not in policy and "blob:" not in policy


def test_those_of_convergence_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    both = filed(TRUE["law"], TRUE["reducible"], TRUE["convergence of td"], OTHER)
    found = check_here(both)
    assert found is not None and (found.count, found.left_out, found.more, found.others) == (3, (), 0, 1)
    assert certificates(found) == {one.path: one.body for one in both[:3]}
    monkeypatch.setattr(packing, "ROOM", 550)
    less = check_here(both)
    assert less is not None and (less.count, less.left_out, less.more, less.others) == (1, (), 2, 1)
    assert list(certificates(less)) == [both[2].path]
    text = " ".join(Page(page(both)).text.split())
    assert "1 certificate is in this page" in text and "It knows 2 more that have no room here." in text
    assert "1 other certificate is checked by the Python checker." in text


def test_a_page_without_certificates_of_a_known_kind_is_as_before() -> None:
    assert check_here(filed(OTHER)) is None and check_here(()) is None
    assert page(()) == page(filed(OTHER)) and "check_here" not in re.sub("#check_here button", "", page(()))


def test_a_page_grows_by_less_than_eighty_kilobytes(monkeypatch: pytest.MonkeyPatch) -> None:
    many = filed(*({**TRUE["convergence of td"], "claim": hashlib.sha512(bytes([k])).hexdigest()} for k in range(250)))
    found = check_here(many)
    assert found is not None and 0 < found.count < 250 and found.count + len(found.left_out) == 250
    grown = page(many)
    links = sum(len(f'<a href="{path}">{path}</a>, ') for path in found.left_out)
    assert len(grown) - len(page(())) - links < 80_000  # 4/3 of 40,000 bytes of program and ROOM, as text
    assert all(f'<a href="{path}">' in grown for path in found.left_out)
    monkeypatch.setattr(packing, "ROOM", 10)
    none = check_here(GENUINE)
    assert none is not None and none.count == 0 and len(none.left_out) == 3


@pytest.mark.parametrize("kind", ["analysis", "verification"])
def test_the_page_is_well_formed(kind: str) -> None:
    found = Page(page(GENUINE, kind))
    assert found.faults == [] and "check_here" in found.ids and ("a", "#check_here") in found.links
    assert found.elements.count("script") == 1
    assert "3 certificates are in this page" in found.text


# ---- in a browser ----------------------------------------------------------------------------------------------


def opened(chromium: Browser, folder: Path, text: str, width: int = WIDE, **more: Any) -> Tab:
    place = folder / "index.html"
    place.write_text(text, encoding="utf-8")
    return chromium.open(place, width, **more)


def answers(tab: Tab) -> tuple[str, dict[str, str]]:
    """What the page says after the button is pressed: of all, and of each file."""
    tab.run("document.querySelector('#check_here button').focus()")
    tab.press("Enter")
    said = "document.querySelector('#check_here [role=status]').textContent"
    tab.run(
        f"new Promise((done) => {{ const look = () => /[.]$/.test({said}) ? done() : setTimeout(look, 20); look() }})"
    )
    rows = tab.run("[...document.querySelectorAll('#check_here li')].map(e => [...e.children].map(x => x.textContent))")
    return tab.run(said), dict(rows)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["analysis", "verification"])
def test_a_browser_checks_genuine_certificates(chromium: Browser, tmp_path: Path, kind: str) -> None:
    tab = opened(chromium, tmp_path, page(GENUINE, kind))
    said, rows = answers(tab)
    assert said == "3 of 3 accepted by a proved program; tdcert check reads 1 more." and list(rows) == [
        one.path for one in GENUINE[:3]
    ]
    td, gtd, tdc = rows.values()
    assert td.startswith("accepted: for every law of the first state, every start, and all deterministic α_t > 0")
    assert "θ_t of TD(λ)-schedule → θ* with probability one" in td and "w_t" not in td
    assert all(row.endswith("; checked by a proved program") for row in rows.values())
    assert "β_t = ηα_t with η > 0" in gtd and "α_t/β_t → 0" in tdc
    assert answers(tab)[1] == rows  # once more
    assert tab.complaints() == [] and tab.requests() == [(tmp_path / "index.html").as_uri()]
    assert tab.run("document.documentElement.scrollWidth") <= WIDE
    tab.close()


@pytest.mark.thorough
def test_a_browser_checks_certificates_about_the_chain_and_the_features(chromium: Browser, tmp_path: Path) -> None:
    known = [one for one in TRUE.values() if reads(one) and one["kind"] != CONVERGENCE]
    said, rows = answers(tab := opened(chromium, tmp_path, page(filed(*known))))
    assert said == f"{len(known)} of {len(known)} accepted by a proved program."
    for one, row in zip(known, rows.values(), strict=True):
        words = check_text(json.dumps(one)).rpartition(" (model ")[0]
        assert row == f"accepted: {words}; checked by a proved program"
    assert tab.complaints() == []
    tab.close()


@pytest.mark.thorough
def test_a_browser_refuses_a_forged_certificate(chromium: Browser, tmp_path: Path) -> None:
    tab = opened(chromium, tmp_path, page(WITH_A_FORGERY), NARROW, dark=True)
    said, rows = answers(tab)
    assert said == "1 of 2 accepted by a proved program."
    genuine, forged = rows.values()
    assert genuine.startswith("accepted: ") and forged == "refused: no conclusion; the checker does not accept it"
    assert tab.complaints() == [] and serious_faults(tab) == []
    assert tab.run("document.documentElement.scrollWidth") <= NARROW
    tab.look(PAPER, 1000, media="print")
    assert cut_off(tab) == []
    tab.close()


@pytest.mark.thorough
def test_another_program_does_not_run(chromium: Browser, tmp_path: Path) -> None:
    """In its place the page holds one that accepts everything: the content policy knows only the proved one."""
    found = check_here(WITH_A_FORGERY)
    assert found is not None
    other = base64.b64encode(zlib.compress(b"globalThis.tdcertConvergence = () => 'accepted: anything';")).decode()
    tab = opened(chromium, tmp_path, page(WITH_A_FORGERY).replace(found.packed_program, other))
    said, rows = answers(tab)
    assert said.startswith("This browser could not run the program") and rows == {}
    assert "Content Security Policy" in tab.complaints()[0]
    tab.close()


@pytest.mark.thorough
def test_without_a_script_there_is_no_button(chromium: Browser, tmp_path: Path) -> None:
    tab = opened(chromium, tmp_path, page(GENUINE), script=False)
    assert tab.run("document.querySelector('#check_here button').checkVisibility()") is False
    assert tab.run("document.querySelector('#check_here').checkVisibility()") is True and tab.complaints() == []
    tab.close()
