"""``tdcert check`` runs the checker that is proved correct beside the Python checker, and tells which checked what."""

from __future__ import annotations

import itertools
import json
import shutil
import stat
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from tdcert.reports import cli, proved_checker
from tdcert.reports.cli.check_command import PROVED
from tdcert.reports.proved_checker import CONVERGENCE, ProvedChecker, reads, says_the_same
from tdcert.theory.certificate import checker
from tdcert.theory.formal.program import NATIVE
from tdcert.theory.formal.sources import proved_kinds, read_sources
from tests.effort import by_default
from tests.theory.certificate.by_hand import certify, factor, seal
from tests.theory.certificate.test_checker import FORGED, SINGLE, TRUE
from tests.theory.certificate.updates_by_hand import told_by_terms

GENUINE, OTHER = TRUE["convergence of td"], TRUE["update, mean square"]
ANSWERS = """
import sys
for line in sys.stdin.buffer:
    sys.stdin.buffer.read(int(line))
    {body}
"""


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("genuine.json").write_text(json.dumps(GENUINE))
    Path("forged.json").write_text(json.dumps(FORGED["convergence: theta -> 2 theta"][0]))
    Path("other.json").write_text(json.dumps(OTHER))


def only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str | None) -> None:
    """The PATH holds a program that answers like this, and nothing else; None: nothing at all."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    if body is not None:
        place = folder / NATIVE
        place.write_text(f"#!{sys.executable}{ANSWERS.format(body=body)}")
        place.chmod(place.stat().st_mode | stat.S_IXUSR)


def said(capsys: pytest.CaptureFixture[str], *names: str) -> tuple[int, list[str]]:
    code = cli.main(["check", *names])
    return code, capsys.readouterr().out.splitlines()


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed here")
def test_node_runs_it(capsys: pytest.CaptureFixture[str]) -> None:
    code, (genuine, other, counts) = said(capsys, "genuine.json", "other.json")
    assert code == 0 and counts == "checked by a proved program: 1, by the Python checker: 1"
    assert genuine.startswith("accepted: genuine.json: for every law")
    assert genuine.endswith("; checked by a proved program") and other.endswith("; checked by the Python checker")
    code, (forged, other, counts) = said(capsys, "forged.json", "other.json")
    assert code == 1 and forged.startswith("rejected: forged.json: ") and other.startswith("accepted: ")
    assert counts == "checked by a proved program: 0, by the Python checker: 1"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed here")
def test_every_kind_with_a_theorem_is_checked_by_it(capsys: pytest.CaptureFixture[str]) -> None:
    kinds = {"convergence", *(kind for text in read_sources().values() for kind in proved_kinds(text))}
    some = [*TRUE.values(), *told_by_terms(SINGLE, certify, factor)]
    known = {one["kind"]: one for one in some if one["kind"] in kinds and reads(one)}
    for kind, one in known.items():
        Path(f"{kind}.json").write_text(json.dumps(one))
    code, lines = said(capsys, *(f"{kind}.json" for kind in known), "other.json")
    assert set(known) == kinds and code == 0
    assert lines[-1] == f"checked by a proved program: {len(known)}, by the Python checker: 1"
    for kind, line in zip(known, lines, strict=False):
        assert line.startswith(f"accepted: {kind}.json: ") and line.endswith("; checked by a proved program")


def test_where_there_is_none_the_python_checker_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(tmp_path, monkeypatch, None)
    code, (line,) = said(capsys, "genuine.json")
    assert code == 0 and line.endswith("; checked by the Python checker")
    assert cli.main(["check", "--quiet", "genuine.json", "other.json"]) == 0 and capsys.readouterr().out == ""


@pytest.mark.parametrize(("answer", "name"), [("refused: no", "genuine.json"), ("accepted: x", "forged.json")])
def test_a_disagreement_is_an_error_that_shows_both_answers(
    answer: str, name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(tmp_path, monkeypatch, f"print({answer!r}, flush=True)")
    code, (line,) = said(capsys, name)
    python = "accepted" if name == "genuine.json" else "rejected"
    assert code == 1 and line.startswith(f"disagreement: {name}: {python}: {name}: ")
    assert line.endswith(f"; a proved program: {answer}")
    assert said(capsys, "other.json")[0] == 0, "of a kind that it does not know it is not asked"


def test_both_have_to_accept_the_same_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two readers of one file could each read a true statement, and not the same."""
    Path("law.json").write_text(json.dumps(TRUE["law"]))
    for path in ("genuine.json", "law.json"):
        assert checker.answer(path, patient=False)[0] == checker.ACCEPTED
    true = f"accepted: {checker.check_file('law.json').rpartition(' (model ')[0]}"
    only(tmp_path, monkeypatch, f"print({true!r}, flush=True)")
    assert said(capsys, "law.json") == (
        0,
        [f"accepted: law.json: {checker.check_file('law.json')}; checked by {PROVED}"],
    )
    code, (line,) = said(capsys, "genuine.json")
    assert code == 1 and line.startswith("disagreement: genuine.json: accepted: ") and line.endswith(true)


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed here")
def test_of_convergence_they_have_to_name_one_algorithm_and_one_point() -> None:
    some = {name: one for name, one in TRUE.items() if one["kind"] == CONVERGENCE}
    far = json.loads(json.dumps(GENUINE))  # a point of more digits than the Python checker prints
    far["model"]["rewards"] = {a: [times(x) for x in rewards] for a, rewards in far["model"]["rewards"].items()}
    far["witness"]["theta"] = [times(x) for x in far["witness"]["theta"]]
    with proved_checker.proved_checker() as found:
        assert found is not None
        told = {
            name: (f"accepted: x: {checker.check_text(json.dumps(one))}", found.ask(json.dumps(one).encode()))
            for name, one in (some | {"far": seal(far)}).items()
        }
    assert len(told["far"][1]) > 200 and [name for name, both in told.items() if not says_the_same(*both)] == []
    names = [f"convergence of {name}" for name in ("td", "off-policy td", "gtd", "tdc")]
    for first, second in itertools.permutations(names, 2):
        assert not says_the_same(told[first][0], told[second][1])
    for line, answer in told.values():
        assert not says_the_same(line, answer.replace("θ* = (", "θ* = (1"))


def times(x: str) -> str:
    return str(Fraction(x) * 10**70)


@pytest.mark.parametrize(
    "body",
    by_default(2, ["print('not read: a text', flush=True)", "sys.exit(1)", "__import__('time').sleep(60)"]),
)
def test_without_an_answer_the_python_checker_stands(
    body: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proved_checker, "SECONDS", 0.5)
    only(tmp_path, monkeypatch, body)
    code, (first, second, counts) = said(capsys, "genuine.json", "genuine.json")
    assert code == 0 and first == second and first.endswith("; checked by the Python checker")
    assert counts == "checked by a proved program: 0, by the Python checker: 2"


def test_a_process_that_has_ended_is_started_again(tmp_path: Path) -> None:
    program = tmp_path / "once.py"
    program.write_text(ANSWERS.format(body="print('accepted: once', flush=True); sys.exit()"))
    checker = ProvedChecker((sys.executable, str(program)))
    assert checker.ask(b"x") == "accepted: once"
    assert checker.process is not None and checker.process.wait(10) == 0
    assert checker.ask(b"y") == "accepted: once"
    checker.end()
    assert checker.process is None


@pytest.mark.thorough
def test_a_process_that_answers_no_more_is_not_asked_again(tmp_path: Path) -> None:
    program, mark = tmp_path / "ends.py", tmp_path / "mark"
    slow = f"import os, time; made = os.path.exists({str(mark)!r}); open({str(mark)!r}, 'w').close()"
    ends = "made or (os.close(1), time.sleep(60)); print('accepted: next', flush=True)"
    program.write_text(ANSWERS.format(body=f"{slow}; {ends}"))
    checker = ProvedChecker((sys.executable, str(program)))
    assert (checker.ask(b"x"), checker.ask(b"y")) == ("", "accepted: next")
    checker.end()
