"""What the machine-checked proofs do to a verdict, from the record to the page: graded only while they match."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tdcert.verification.formal_evidence
from tdcert.claims.paper import entry
from tdcert.reports import terminal
from tdcert.reports.output import OutputFolder
from tdcert.reports.verdicts_json import verdicts_document
from tdcert.reports.verification_page import verification_files, verification_page
from tdcert.theory.formal.record import NOT_REPLAYED, REPLAYED, read_record
from tdcert.theory.formal.sources import ACCEPTED, AS_STATED, CORRECTED, PART, STATED_REFUTED
from tdcert.verification.verification import Verification
from tdcert.verification.verify import verify
from tests.reports.pages import Page

CLAIM = "n_step_special_case"  # false as printed, and quick to decide


def decided(changed: Callable[[pytest.MonkeyPatch], None] | None = None) -> Verification:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tdcert.verification.formal_evidence, "replay_state", lambda record: NOT_REPLAYED)
        if changed:
            changed(patch)
        return verify([CLAIM], "quick", 7, lambda done, total, label: None)


@pytest.fixture(scope="module")
def run() -> Verification:
    return decided()


@pytest.fixture(scope="module")
def document(run: Verification) -> dict[str, Any]:
    return verdicts_document(run)


def from_coq(reading: dict[str, Any]) -> list[dict[str, Any]]:
    return [scope for scope in reading["scopes"] if "theorems" in scope]


def test_each_reading_has_its_own_theorems(document: dict[str, Any]) -> None:
    (claim,) = document["claims"]
    (refuted,), (proved,) = from_coq(claim["stated"]), from_coq(claim["corrected"])
    assert (proved["scope"], proved["grade"]) == ("all_sizes", "proved")
    assert proved["theorems"] == ["TD.n_step_special_case.n_step_special_case_corrected"]
    assert "TD.n_step_special_case.n_step_special_case_stated_refuted" in refuted["theorems"]
    assert refuted["scope"] == "sizes"
    assert document["formal"]["valid"] and document["environment"]["proofs"] == NOT_REPLAYED


def test_no_proof_counts_where_the_sources_have_changed(document: dict[str, Any]) -> None:
    why = "changed since they were replayed: Schedule.v"
    without = verdicts_document(
        decided(lambda patch: patch.setattr(tdcert.verification.formal_evidence, "valid_record", lambda: (None, why)))
    )
    assert without["formal"] == {"valid": False, "why": why} and why in without["environment"]["proofs"]
    (before,), (after,) = document["claims"], without["claims"]
    assert after["formal"] == []
    for reading in ("stated", "corrected"):
        kept = [scope for scope in before[reading]["scopes"] if "theorems" not in scope]
        assert after[reading]["scopes"] == kept and after[reading]["status"] == before[reading]["status"]


def test_readings_of_the_theorems_are_readings_of_the_claims() -> None:
    """A theorem that refutes what is printed stands beside a claim with a corrected reading, and the reverse."""
    by_claim: dict[str, set[str]] = {}
    for theorem in read_record().theorems:
        if theorem.reading == ACCEPTED:
            assert theorem.claim == ""
            continue
        by_claim.setdefault(theorem.claim, set()).add(theorem.reading)
    for claim_id, readings in by_claim.items():
        if entry(claim_id).is_open:
            continue
        corrected = entry(claim_id).load().corrected is not None
        if readings != {PART}:
            assert (STATED_REFUTED in readings) == corrected, claim_id
            assert readings & {AS_STATED, CORRECTED} == ({CORRECTED} if corrected else {AS_STATED}), claim_id


@pytest.mark.thorough
def test_the_page_prints_the_formal_statement_and_links_its_file(run: Verification, tmp_path: Path) -> None:
    page = Page(verification_page(run))
    (claim,) = run.claims
    theorem = next(row for row in claim.theorems if row.name.endswith("_corrected"))
    assert " ".join(theorem.statement.split()) in " ".join(page.text.split())
    assert ("a", f"formal/{theorem.file}") in page.links
    assert NOT_REPLAYED in page.text and "stochastic approximation" in page.text.lower()
    assert not page.faults
    files = verification_files(run)
    with OutputFolder(tmp_path / "report") as folder:
        folder.write(files)
        folder.commit()
    with OutputFolder(tmp_path / "report"):  # what a run writes, the next one may replace
        pass
    assert f"formal/{theorem.file}" in files and files["formal/proofs.json"] == read_record().text().encode()
    fewer = replace(claim, theorems=tuple(other for other in claim.theorems if other is not theorem))
    assert theorem.statement not in Page(verification_page(replace(run, claims=(fewer,)))).text


def test_the_same_on_every_machine_but_for_the_environment(document: dict[str, Any]) -> None:
    replayed = verdicts_document(
        decided(lambda patch: patch.setattr(tdcert.verification.formal_evidence, "replay_state", lambda _: REPLAYED))
    )
    assert replayed["environment"]["proofs"] == REPLAYED
    first, second = ({**d, "environment": None, "format": d["format"]} for d in (document, replayed))
    assert json.dumps(first) == json.dumps(second)


def test_the_terminal_says_how_far_the_proof_reaches(run: Verification, capsys: pytest.CaptureFixture[str]) -> None:
    terminal.show_claim(run.claims[0], "decided just now", proofs=NOT_REPLAYED)
    shown = capsys.readouterr().out
    assert "proved (all sizes, Coq)" in shown and f"In Coq ({NOT_REPLAYED})" in shown
    assert "theory/formal/n_step_special_case.v: n_step_special_case_corrected" in shown
    terminal.show_verification(run)
    version = read_record().assistant["coq"]
    assert f"1 claim with a proof in Coq {version} for all sizes: {NOT_REPLAYED}" in capsys.readouterr().out
