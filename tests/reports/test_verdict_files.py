"""A report's verdict files, and the checker beside them: what a judge replays who has only the folder."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tdcert.reports import cli
from tdcert.reports.schema import FOLDER as SCHEMAS
from tdcert.theory.certificate import checker
from tdcert.verification.verify import DEFAULT_SEED

CLAIM = "ls_prop3"
Edit = Callable[[dict[str, Any], Path], None]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of one claim."""
    place = tmp_path_factory.mktemp("verdicts") / "report"
    assert cli.main(["verify", CLAIM, "--profile", "quick", "--quiet", "--out", str(place)]) == 0
    return place


@pytest.fixture
def report(kept: Path, tmp_path: Path) -> Path:
    """A copy of it that may be changed."""
    return Path(shutil.copytree(kept, tmp_path / "copy"))


def asked(folder: Path) -> list[tuple[int, str]]:
    return list(checker.replayed(str(folder), lambda path: checker.answer(path, patient=False)))


@pytest.mark.thorough
def test_the_folder_alone_is_replayed(report: Path) -> None:
    before = [path.relative_to(report) for path in report.rglob("*")]
    command = [sys.executable, "-I", "-S", "checker/", "."]
    ran = subprocess.run(command, cwd=report, capture_output=True, text=True, encoding="utf-8", timeout=120)
    count = len(list((report / "certificates").rglob("*.json")))
    assert ran.returncode == 0 and ran.stderr == ""
    (line,) = ran.stdout.splitlines()
    assert f"{CLAIM}: {count} of {count} certificates accepted; it says: stated refuted; corrected holds; not" in line
    added = {path.relative_to(report) for path in report.rglob("*")} - set(before)
    assert all(path.parts[:2] == ("checker", "__pycache__") for path in added)
    assert cli.main(["verify", CLAIM, "--profile", "quick", "--quiet", "--out", str(report)]) == 0  # it may be replaced


def test_a_verdict_file_says_what_was_decided_and_which_text_was_read(kept: Path) -> None:
    document = json.loads((kept / "verdicts" / f"{CLAIM}.json").read_bytes())
    assert document["claim"] == json.loads((kept / "verdicts.json").read_bytes())["claims"][0]
    assert document["paper"]["id"] == "ls18" and "not yet asked" in document["read"]
    assert document["claim"]["variant"]["status"] == "refuted" and document["claim"]["stated"]["quote"]
    again = f"tdcert verify {CLAIM} --profile quick --seed {DEFAULT_SEED}"
    assert document["replay"] == ["python -I -S checker/ .", again]
    for row in document["certificates"]:
        assert hashlib.sha256((kept / row["path"]).read_bytes()).hexdigest() == row["sha256"]
    assert (SCHEMAS / "tdcert-verdict-1.json").is_file()


def _drop_digest(document: dict[str, Any], folder: Path) -> None:
    del document["certificates"][0]


def _certified_by_nothing(document: dict[str, Any], folder: Path) -> None:
    for scope in document["claim"]["variant"]["scopes"]:
        scope["certificates"] = []


def _leave_the_folder(document: dict[str, Any], folder: Path) -> None:
    document["certificates"][0]["path"] = "certificates/../../secret.json"


def _lose_a_file(document: dict[str, Any], folder: Path) -> None:
    (folder / document["certificates"][0]["path"]).unlink()


def _change_a_file(document: dict[str, Any], folder: Path) -> None:
    place = folder / document["certificates"][0]["path"]
    place.write_bytes(place.read_bytes() + b"\n")


def _forge(document: dict[str, Any], folder: Path) -> None:
    """Another statement in the file of a certificate, with its digest."""
    row = next(row for row in document["certificates"] if "relation" in row["path"])
    certificate = json.loads((folder / row["path"]).read_bytes())
    certificate["witness"]["relations"][0] = ["1", "=", "2"]
    content = json.dumps(certificate).encode()
    (folder / row["path"]).write_bytes(content)
    row["sha256"] = hashlib.sha256(content).hexdigest()


def _another_format(document: dict[str, Any], folder: Path) -> None:
    document["format"] = "tdcert-verdict/2"


def _a_key_more(document: dict[str, Any], folder: Path) -> None:
    document["trusted"] = True


def _no_claim(document: dict[str, Any], folder: Path) -> None:
    document["claim"] = None


def _paths_that_are_numbers(document: dict[str, Any], folder: Path) -> None:
    document["claim"]["stated"]["scopes"][0]["certificates"] = 3


def _another_statement(document: dict[str, Any], folder: Path) -> None:
    document["claim"]["id"] = "ls_thm1"


def _a_line_of_its_own(document: dict[str, Any], folder: Path) -> None:
    document["claim"]["stated"]["status"] = "holds\naccepted: verdicts/ls_thm1.json"


def _a_grade_of_its_own(document: dict[str, Any], folder: Path) -> None:
    document["claim"]["variant"]["scopes"][0]["grade"] = "checked"


def _evidence_without_files(document: dict[str, Any], folder: Path) -> None:
    del document["claim"]["variant"]["scopes"][0]["certificates"]


def _two_digests(document: dict[str, Any], folder: Path) -> None:
    document["certificates"].insert(0, {**document["certificates"][0], "sha256": "0" * 64})


def _made_for_another(document: dict[str, Any], folder: Path) -> None:
    """A certificate that is accepted, and belongs to another statement."""
    row = document["certificates"][0]
    content = (folder / row["path"]).read_bytes().replace(CLAIM.encode(), b"ls_thm1")
    (folder / row["path"]).write_bytes(content)
    row["sha256"] = hashlib.sha256(content).hexdigest()


def _a_link_out_of_the_folder(document: dict[str, Any], folder: Path) -> None:
    place = folder / document["certificates"][0]["path"]
    place.replace(outside := folder.parent / "outside.json")
    place.symlink_to(outside)


def _a_folder_for_a_file(document: dict[str, Any], folder: Path) -> None:
    _lose_a_file(document, folder)
    (folder / document["certificates"][0]["path"]).mkdir()


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (_another_statement, "claim.id: 'ls_thm1' is none of ls_prop3"),
        (_a_line_of_its_own, "stated.status: 'holds\\naccepted: verdicts/ls_thm1.json' is none of holds, refuted"),
        (_a_grade_of_its_own, "grade: 'checked' is none of proved, certified"),
        (_evidence_without_files, "certificates: null stands where paths are needed"),
        (_two_digests, "is listed twice"),
        (_made_for_another, "was made for 'ls_thm1'"),
        (_a_link_out_of_the_folder, "is not a file of the folder"),
        (_a_folder_for_a_file, "is not a file of the folder"),
        (_drop_digest, "its digest is not listed"),
        (_certified_by_nothing, "evidence of the grade certified names no certificate"),
        (_leave_the_folder, "is not a file in certificates/"),
        (_lose_a_file, "is not a file of the folder"),
        (_change_a_file, "and not the one that is listed"),
        (_forge, "certificates accepted"),
        (_another_format, "format"),
        (_a_key_more, "'trusted' is not known here"),
        (_no_claim, "claim: null stands where an object is needed"),
        (_paths_that_are_numbers, "certificates: 3 stands where paths are needed"),
    ],
)
def test_what_was_changed_is_rejected(report: Path, edit: Edit, why: str) -> None:
    place = report / "verdicts" / f"{CLAIM}.json"
    document = json.loads(place.read_bytes())
    edit(document, report)
    place.write_text(json.dumps(document), encoding="utf-8")
    code, line = asked(report)[-1]
    assert code == checker.REJECTED and line.startswith("rejected: ") and why in line.replace('"', "'")


def test_a_reading_without_certificates_is_told_from_one_with(report: Path) -> None:
    place = report / "verdicts" / f"{CLAIM}.json"
    document = json.loads(place.read_bytes())
    document["claim"]["corrected"]["scopes"] = []
    place.write_text(json.dumps(document), encoding="utf-8")
    ((code, line),) = asked(report)
    assert code == checker.ACCEPTED and "it says: stated refuted; corrected holds (by no certificate); not" not in line
    assert line.endswith("it says: stated refuted; corrected holds (by no certificate)")


def test_a_key_that_stands_twice_is_no_verdict(report: Path) -> None:
    place = report / "verdicts" / f"{CLAIM}.json"
    text = place.read_text(encoding="utf-8")
    place.write_text(text.replace('"claim":', '"claim": null, "claim":', 1), encoding="utf-8")
    ((code, line),) = asked(report)
    assert code == checker.REJECTED and line.endswith("the file is not JSON that can be read")


@pytest.mark.parametrize("content", [b"", b"[" * 10**5, b"\xff", b"[]"])
def test_what_is_no_verdict_is_rejected_in_a_sentence(report: Path, content: bytes) -> None:
    (report / "verdicts" / f"{CLAIM}.json").write_bytes(content)
    ((code, line),) = asked(report)
    assert code == checker.REJECTED and line.count("\n") == 0


def test_a_folder_without_verdicts_is_its_certificates(report: Path) -> None:
    found = asked(report / "certificates")
    assert len(found) > 1 and all(code == checker.ACCEPTED for code, _ in found)
    (report / "empty").mkdir()
    assert asked(report / "empty")[0][0] == checker.REJECTED


@pytest.mark.thorough
def test_check_speaks_of_the_verdicts_of_a_report(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(report)]) == 0
    told = capsys.readouterr().out
    assert f"{CLAIM}.json: {CLAIM}: " in told and "it says: stated refuted; corrected holds" in told
    _change_a_file(json.loads((report / "verdicts" / f"{CLAIM}.json").read_bytes()), report)
    assert cli.main(["check", str(report)]) == checker.REJECTED
    assert "and not the one that is listed" in capsys.readouterr().out
