"""``tdcert sweep``: what it prints and writes, its exit codes, and a sentence for whatever is asked wrongly."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tdcert.reports.cli import main
from tdcert.reports.cli.sweep_command import engine_of, seconds_of
from tdcert.reports.terminal import progress, show_table, sweep_progress
from tdcert.sweeps.question import ResultTable
from tdcert.sweeps.run import SweepProgress
from tdcert.theory.errors import InputError
from tdcert.theory.workers import available, inline
from tests.quality.edits import ROOT
from tests.sweeps import tiny


@pytest.fixture(autouse=True)
def _tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every spec asks the tiny question, in a folder of its own."""
    monkeypatch.setitem(sys.modules, "tdcert.sweeps.questions", SimpleNamespace(question_of=tiny.question_of))
    monkeypatch.chdir(tmp_path)


def spec(**told: object) -> str:
    Path("spec.toml").write_text(tiny.spec_text(**told))  # type: ignore[arg-type]
    return "spec.toml"


def test_a_sweep_says_where_its_report_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", spec(figure=True), "--workers", "1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("14 rows; the sum of the draws is ")
    assert re.search(r"Words\s+word\s+rows\s+─+\s+index 0\s+2\s+2\s*<\s*3\s+–\s", out), out
    assert out.endswith("\nComplete: 10 indices.\nreport: sweep-tiny/index.html\n")
    place = Path("sweep-tiny")
    names = {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()}
    figures = {f"figures/draws.{end}" for end in ("svg", "png", "csv")}
    assert figures | {"result.json", "index.html", "manifest.json", "finds/last.txt"} < names
    document = json.loads((place / "result.json").read_text())
    assert document["format"] == "tdcert-sweep-result/1" and document["complete"] is True
    page = (place / "index.html").read_text()
    for word in ("14 rows", "index 0", 'href="finds/last.txt"', "<svg", document["digest"]):
        assert word in page


def test_the_same_spec_gives_the_same_folder(capsys: pytest.CaptureFixture[str]) -> None:
    for place in ("a", "b"):
        assert main(["sweep", spec(), "--workers", "1", "--out", place]) == 0
    assert main(["sweep", spec(), "--workers", "1", "--out", "b", "--json"]) == 0
    assert capsys.readouterr().out.endswith(Path("a/result.json").read_text())
    files = [
        {path.relative_to(place).as_posix(): path.read_bytes() for path in Path(place).rglob("*.*") if path.is_file()}
        for place in ("a", "b")
    ]
    assert [files[0].pop(".lock"), files[1].pop(".lock")] and files[0] == files[1]
    assert files[0] == files[1]


@pytest.mark.thorough
def test_a_budget_is_a_partial_answer_and_the_same_command_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    told = {"count": 30, "shard": 1, "pause": 0.01}
    assert main(["sweep", spec(**told), "--workers", "1", "--budget", "0.05s"]) == 0
    assert " of 30 indices; the same command goes on from here." in capsys.readouterr().out
    page = Path("sweep-tiny/index.html").read_text()
    assert "partial" in page and "stopped early" in page
    assert main(["sweep", spec(**told), "--workers", "1"]) == 0
    assert "Complete: 30 indices." in capsys.readouterr().out
    assert "stopped early" not in Path("sweep-tiny/index.html").read_text()


def test_ctrl_c_ends_with_130_and_an_answer(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def rows(self: tiny.Tiny, first: int, count: int) -> dict[str, list[object]]:
        if first >= 6:
            raise KeyboardInterrupt
        return real(self, first, count)  # type: ignore[return-value]

    real = tiny.Tiny.rows
    monkeypatch.setattr(tiny.Tiny, "rows", rows)
    assert main(["sweep", spec(), "--workers", "1"]) == 130
    said = capsys.readouterr()
    assert said.err.endswith("tdcert: interrupted; what is done is kept, and the same command goes on from there\n")
    assert "Partial: 6 of 10 indices" in said.out
    assert json.loads(Path("sweep-tiny/result.json").read_text())["indices"] == {"asked": 10, "done": 6}


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_signal_ends_the_real_command_with_130_and_an_answer(number: int, workers: str) -> None:
    question = '[refute]\nclaims = ["prop_4_1"]\ndrop = ["on_policy"]\nmodels = 200\n'
    family = '[[family]]\nkind = "garnet"\nstates = 3\nwidth = 2\n'
    told = tiny.spec_text(count=100_000, shard=2).replace("survey", "refute").replace("[tiny]\n", question + family)
    Path("spec.toml").write_text(told)
    command = [sys.executable, "-m", "tdcert", "sweep", "spec.toml", "--workers", workers]
    child = subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    until = time.monotonic() + 300
    while len(list(Path("sweep-tiny/shards").glob("*.parquet"))) < 4:
        assert child.poll() is None and time.monotonic() < until
        time.sleep(0.05)
    os.killpg(child.pid, number)
    out, err = child.communicate(timeout=300)
    lines = [line for line in err.splitlines() if " shards, " not in line]
    assert lines == ["tdcert: interrupted; what is done is kept, and the same command goes on from there"]
    assert child.returncode == 130 and "Partial: " in out
    done = json.loads(Path("sweep-tiny/result.json").read_text())["indices"]["done"]
    assert done == 2 * len(list(Path("sweep-tiny/shards").glob("*.parquet"))) >= 8


def test_what_contradicts_the_theory_is_said_and_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", spec(unexpected=["2 + 2 is 5"]), "--workers", "1"]) == 1
    assert "against expectation: 2 + 2 is 5\n" in capsys.readouterr().out
    assert "2 + 2 is 5" in Path("sweep-tiny/index.html").read_text()


def test_a_damaged_shard_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", spec(), "--workers", "1"]) == 0
    victim = min(Path("sweep-tiny/shards").glob("*.parquet"))
    victim.write_bytes(b"")
    assert main(["sweep", spec(), "--workers", "1"]) == 0
    assert f"tdcert: the shard '{victim}' is damaged" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["no.toml"], "the sweep 'no.toml' cannot be read (No such file or directory); give the path of a TOML file"),
        (["spec.toml", "--budget", "soon"], "--budget is 'soon'; give a time such as 90s, 10m or 1h30m"),
        (["spec.toml", "--budget", "0"], "--budget is '0'; give a time such as 90s, 10m or 1h30m"),
        (["spec.toml", "--workers", "2", "--scheduler", "tcp://a:1"], "--workers and --scheduler exclude each other"),
        (["spec.toml", "--workers", "0"], "Invalid value for '--workers'"),
        (["spec.toml", "--out", "spec.toml", "--workers", "1"], "'spec.toml' is not a folder"),
        (["spec.toml", "--out", ".", "--workers", "1"], "the folder '.' holds 'spec.toml' and no sweep of tdcert"),
    ],
)
def test_one_sentence_for_whatever_is_asked_wrongly(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spec()
    assert main(["sweep", *words]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and said.err.startswith(f"tdcert: {sentence}")


@pytest.mark.parametrize(("option", "library"), [("--workers", "pyarrow"), ("--scheduler", "distributed")])
def test_a_missing_extra(
    option: str, library: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tdcert.theory.extras.find_spec", lambda name: None if name == library else True)
    assert main(["sweep", spec(), option, "1"]) == 2
    assert f"needs {library}, which is not installed; pip install 'tdcert[" in capsys.readouterr().err


def test_where_folders_cannot_be_locked(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tdcert.reports.cli.sweep_command.find_spec", lambda name: None if name == "fcntl" else True)
    assert main(["sweep", spec()]) == 2
    assert "Windows" in capsys.readouterr().err and os.listdir() == ["spec.toml"]


def test_who_does_the_work() -> None:
    assert engine_of(1, None) is inline
    assert engine_of(7, None).keywords == {"workers": 7}  # type: ignore[attr-defined]
    cores = available()
    found = engine_of(None, None)
    assert found is inline if cores == 1 else found.keywords == {"workers": cores}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "seconds"), [("90", 90), ("90s", 90), ("10m", 600), ("1h30m", 5400), ("2h", 7200), ("0.5s", 0.5)]
)
def test_times(words: str, seconds: float) -> None:
    assert seconds_of(words) == seconds


@pytest.mark.parametrize("words", ["", "m", "10 minutes", "-3s", "1m1h", "0m", "inf", "1e3"])
def test_what_is_no_time(words: str) -> None:
    with pytest.raises(InputError, match="give a time such as"):
        seconds_of(words)


def test_long_tables_are_cut_in_the_terminal_and_cells_are_read_by_people(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = tuple((k, 1 / 3, True, None, "$\\kappa$") for k in range(1000, 1043))
    show_table(ResultTable("Many", tuple("abcde"), rows))
    out = capsys.readouterr().out
    assert "1,039" in out and "1,040" not in out and "and 3 more rows in the report" in out
    assert re.search(r"1,000 +0\.333333 +yes +– +κ", out), out


def test_progress_in_words() -> None:
    assert sweep_progress(SweepProgress(12, 100, 120_000, 1_000_000, 5432.1, 162.0)) == (
        "12 of 100 shards, 120,000 of 1,000,000, 5,432 a second, 2 min 42 s left"
    )
    assert sweep_progress(SweepProgress(0, 100, 0, 100, 0.0, None)) == "0 of 100 shards, 0 of 100"
    assert (
        sweep_progress(SweepProgress(1, 9, 1, 9, 0.001, 8000.0))
        == "1 of 9 shards, 1 of 9, 0.001 a second, 2 h 13 min left"
    )


def test_where_nobody_looks_at_a_terminal_no_progress_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("tiny") as told:
        for shards in (0, 1, 2, 2):
            told(shards, 2, sweep_progress(SweepProgress(shards, 2, shards, 2, 1.0, float(2 - shards))))
    assert capsys.readouterr().err == ""
