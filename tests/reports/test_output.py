"""The folder of a report: refused early where it is not ours, swapped in whole, tidied after a crash."""

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tdcert.reports import cli
from tdcert.reports.output import Analysed, OutputFolder, analysis_folder
from tdcert.theory.errors import InputError

OLD = {"verdicts.json": b'{"format": "tdcert-verdicts/1", "old": 1}', "certificates/a/001-x.json": b"{}"}
NEW = {"verdicts.json": b'{"format": "tdcert-verdicts/1", "new": 1}', "index.html": b"new"}


def write(place: Path, files: dict[str, bytes]) -> None:
    with OutputFolder(place) as folder:
        folder.write(files)
        folder.commit()


def contents(place: Path) -> dict[str, bytes]:
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def test_a_report_replaces_the_previous_one_whole(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "report"
    write(place, OLD)
    assert contents(place) == OLD
    write(place, NEW)
    assert contents(place) == NEW
    assert os.listdir(place.parent) == ["report"]


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, ValueError])
def test_an_interrupted_run_leaves_the_previous_report(tmp_path: Path, interruption: type[BaseException]) -> None:
    place = tmp_path / "report"
    write(place, OLD)
    with pytest.raises(interruption), OutputFolder(place) as folder:
        folder.write(NEW)
        raise interruption
    assert contents(place) == OLD
    assert os.listdir(tmp_path) == ["report"]


def test_an_interrupted_first_run_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), OutputFolder(tmp_path / "a" / "b" / "report") as folder:
        folder.write(NEW)
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == []


def test_an_interruption_between_the_two_renames_puts_the_previous_report_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "report"
    write(place, OLD)
    rename, calls = Path.rename, []

    def interrupted(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(place, NEW)
    assert len(calls) == 3  # away, interrupted, back
    assert contents(place) == OLD and os.listdir(tmp_path) == ["report"]


def dead_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_what_a_killed_run_left_behind_is_tidied_up(tmp_path: Path) -> None:
    place, dead = tmp_path / "report", dead_process()
    write(place, OLD)
    # Killed between the two renames: the previous report lies aside, the new one is not yet in place.
    place.rename(tmp_path / f".report.tdcert-{dead}.previous")
    (tmp_path / f".report.tdcert-{dead}").mkdir()
    (tmp_path / f".other.tdcert-{dead}").mkdir()
    with OutputFolder(place):
        assert contents(place) == OLD
    assert sorted(os.listdir(tmp_path)) == [f".other.tdcert-{dead}", "report"]


def test_the_folder_of_a_run_that_still_lives_is_left_alone(tmp_path: Path) -> None:
    alive = tmp_path / f".report.tdcert-{os.getppid()}"
    alive.mkdir()
    write(tmp_path / "report", NEW)
    assert alive.is_dir()


@pytest.mark.parametrize(
    "files",
    [
        {"notes.txt": b"mine"},
        {"verdicts.json": b'{"format": "something else"}'},
        {"sub/verdicts.json": OLD["verdicts.json"]},
        {**OLD, "notes.txt": b"mine, beside a report"},
        {**OLD, "certificates/mine.txt": b"mine, inside a report"},
    ],
)
def test_a_folder_that_is_not_ours_is_refused_before_the_work(tmp_path: Path, files: dict[str, bytes]) -> None:
    place = tmp_path / "mine"
    for name, content in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
    with pytest.raises(InputError, match="--out"), OutputFolder(place):
        pytest.fail("the work began")
    assert contents(place) == files
    assert os.listdir(tmp_path) == ["mine"]


ANALYSIS = {"analysis.json": b'{"format": "tdcert-analysis/1", "source": "a.json", "model": {"digest": "12"}}'}


@pytest.mark.parametrize(
    ("files", "model", "said"),
    [
        (OLD, Analysed("a.json", "12"), "the report of a verification, and this is an analysis"),
        (ANALYSIS, None, "the report of an analysis, and this is a verification"),
        (ANALYSIS, Analysed("b.json", "13"), "another model, 'a.json'"),
        ({**OLD, **ANALYSIS}, None, "the report of an analysis"),
        ({"analysis.json": b'{"format": "tdcert-analysis/1"'}, Analysed("a.json", "12"), "unknown model"),
        ({"analysis.json": b'{"format": "tdcert-analysis/1", "model": 1}'}, Analysed("a.json", "12"), "unknown model"),
    ],
)
def test_a_report_of_another_kind_or_model_stays(
    files: dict[str, bytes], model: Analysed | None, said: str, tmp_path: Path
) -> None:
    place = tmp_path / "report"
    for name, content in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
    with pytest.raises(InputError, match=said), OutputFolder(place, model):
        pytest.fail("the work began")
    assert contents(place) == files


@pytest.mark.parametrize("model", [Analysed("a.json", "13"), Analysed("elsewhere/a.json", "12")])
def test_an_analysis_of_the_same_source_or_model_replaces_the_last(model: Analysed, tmp_path: Path) -> None:
    place, new = tmp_path / "report", {"analysis.json": b'{"format": "tdcert-analysis/1", "new": 1}'}
    for files in (ANALYSIS, new):
        with OutputFolder(place, model) as folder:
            folder.write(files)
            folder.commit()
    assert contents(place) == new


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("examples/boyan_chain.json", "analysis-boyan_chain"),
        ("ring.npz", "analysis-ring"),
        ("gymnasium:FrozenLake-v1?is_slippery=false&x=../y", "analysis-FrozenLake-v1-is_slippery-false-x-..-y"),
        ("-x.json", "analysis-x"),
        ("/", "analysis-model"),
    ],
)
def test_the_folder_of_an_analysis_is_named_after_its_model(source: str, name: str) -> None:
    assert str(analysis_folder(source)) == name


def test_other_places_that_cannot_be_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    monkeypatch.chdir(tmp_path)
    for place in (file, file / "below", Path("."), Path("/"), "nul\0byte"):
        with pytest.raises(InputError, match="--out") as caught, OutputFolder(place):
            pytest.fail("the work began")
        assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == ["file"]


def test_an_empty_folder_and_a_link_are_fine(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    write(tmp_path / "link", NEW)
    assert (tmp_path / "link").is_symlink()
    assert contents(tmp_path / "real") == NEW


def test_files_stay_inside(tmp_path: Path) -> None:
    with OutputFolder(tmp_path / "report") as folder:
        for name in ("../escaped", "/escaped", "a/../../escaped"):
            with pytest.raises(ValueError, match="leaves its folder"):
                folder.write({name: b""})


_WRITING = """
import sys, time
from pathlib import Path
from tdcert.reports import cli
from tdcert.reports.output import Analysed, OutputFolder, analysis_folder

with OutputFolder(sys.argv[1]) as folder:
    folder.write({"verdicts.json": b"half a rep"})
    print("written", flush=True)
    time.sleep(60)
"""


@pytest.mark.thorough
def test_a_killed_run_leaves_the_previous_report_whole(tmp_path: Path) -> None:
    place = tmp_path / "report"
    write(place, OLD)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITING, str(place)], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stdout.readline() == "written\n"
    process.kill()  # SIGKILL: nothing of it can tidy up
    process.communicate(timeout=60)
    assert contents(place) == OLD and len(os.listdir(tmp_path)) == 2
    write(place, NEW)
    assert contents(place) == NEW and os.listdir(tmp_path) == ["report"]


def test_a_place_that_nobody_asked_for_may_be_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder that cannot be written the report is among the temporary files; what was asked for is refused."""
    there, mkdir = tmp_path / "temporary", Path.mkdir
    there.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(there))

    def refused(self: Path, *given: Any, **also: Any) -> None:
        if not self.is_relative_to(there):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(self))
        mkdir(self, *given, **also)

    monkeypatch.setattr(Path, "mkdir", refused)
    with pytest.raises(InputError, match=r"cannot be written \(Read-only file system\); give --out another folder"):
        write(tmp_path / "report", NEW)
    with OutputFolder(tmp_path / "report", asked=False) as folder:
        folder.write(NEW)
        folder.commit()
    assert contents(Path(folder.shown)) == NEW and Path(folder.shown).is_relative_to(there)
    assert f"report' cannot be written (Read-only file system); the report is in '{folder.shown}'" in folder.elsewhere
    assert not (tmp_path / "report").exists() and sorted(os.listdir(tmp_path)) == ["temporary"]
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match="give --out another folder"), OutputFolder(tmp_path / "report", asked=False):
        pass


def test_commands_answer_where_they_cannot_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "chain.json").write_text(
        '{"format": "tdcert-model/1", "transitions": [[1]], "rewards": [1], "discount": 0.5}'
    )
    monkeypatch.chdir(tmp_path)
    stage = OutputFolder._stage

    def refused(self: OutputFolder) -> None:
        if self.place.parent == tmp_path:
            raise OSError(errno.EACCES, "Permission denied")
        stage(self)

    monkeypatch.setattr(OutputFolder, "_stage", refused)
    assert cli.main(["analyze", "chain.json", "--what", "verdict"]) == 0
    said = capsys.readouterr()
    assert (
        "✓ converges" in said.out
        and "'analysis-chain' cannot be written (Permission denied); the report is in" in said.err
    )
    (line,) = (line for line in said.out.splitlines() if line.startswith("report: "))
    page = Path(line.removeprefix("report: "))
    assert page.is_file() and "accepted" in said.out
    shutil.rmtree(page.parents[1])
    assert cli.main(["analyze", "chain.json", "--out", "asked"]) == 2
    assert cli.main(["analyze", "chain.json", "--what", "verdict", "--json"]) == 0
