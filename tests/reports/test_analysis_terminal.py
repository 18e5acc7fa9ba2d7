"""The answer in the terminal: forty lines whatever the model is, everything on request, and signs in any encoding."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from tdcert.analysis.advice.warnings import Warned
from tdcert.claims.paper import ENTRIES
from tdcert.reports import analysis_terminal, cli, terminal
from tdcert.reports.analysis_terminal import LINES, Block, show_analysis
from tdcert.reports.cli.app import claim_ids
from tdcert.reports.labels import GRADES, MEAN_DYNAMICS, STATUSES
from tests.effort import by_default
from tests.reports import sample
from tests.reports.test_cli import ONE, run

CLASSES = {
    "format": "tdcert-model/1",
    "transitions": [[1 if i == j else 0 for j in range(6)] for i in range(6)],
    "rewards": [1, 2, 3, 4, 5, 6],
    "discount": 0.9,
}
"""Six recurrent classes."""


@pytest.mark.parametrize("columns", [60, 80, 100, 200])
def test_the_longest_answer_has_forty_lines(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every claim undecided, many notes, warnings and sentences: cut, and said so; with --all all of it is there."""
    monkeypatch.setenv("COLUMNS", str(columns))
    answers = tuple(replace(sample.CLAIM_ANSWERS[k % 3], id=entry.id) for k, entry in enumerate(ENTRIES))
    run = sample.analysis(claims=answers, notes=tuple(f"note {k} " * 9 for k in range(30)))
    fired = tuple(Warned(f"w{k}", "serious", f"A warning {k}. " * 12, {}) for k in range(20))
    advice = replace(
        run.advice, sentences=("A sentence. " * 30,) * 9, warnings=replace(run.advice.warnings, fired=fired)
    )
    run = replace(run, advice=advice)
    show_analysis(run)
    short = capsys.readouterr().out.splitlines()
    assert len(short) <= LINES - 3 and max(map(len, short)) <= columns  # the command adds three
    assert sum("more with --all" in line for line in short) >= 3 and "Claims about this model" in short
    show_analysis(run, everything=True)
    whole = capsys.readouterr().out
    assert len(whole.splitlines()) > 100 and "more with --all" not in whole
    assert all(entry.id in whole for entry in ENTRIES) and "A warning 19." in whole and "note 29" in whole


def test_a_block_keeps_its_first_lines() -> None:
    block = Block(list("abcdef"), 3)
    assert block.cut(0) == block.cut(-2) == block and block.cut(1).lines == ("a", "b", "c", "d", analysis_terminal.MORE)
    assert block.cut(99).lines == ("a", "b", analysis_terminal.MORE)


def test_claims_that_say_nothing_about_the_model_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """What holds for every model is not an answer about this one; what fails or is open always is."""
    holds, violated, undecided = sample.CLAIM_ANSWERS
    answers = (
        replace(holds, id="return_coefficients"),
        replace(violated, id="trace_window"),
        replace(holds, id="prop_4_1"),
        replace(undecided, id="delta_expansion"),
        replace(violated, id="m_contraction"),
    )
    show_analysis(sample.analysis(claims=answers))
    said = capsys.readouterr().out
    assert "return_coefficients" not in said and "trace_window" not in said
    places = [said.index(name) for name in ("delta_expansion", "prop_4_1", "m_contraction")]
    assert places == sorted(places)
    assert "delta_expansion: ? undecided: the budget was exhausted" in said


@pytest.mark.thorough
def test_the_command_prints_forty_lines_and_no_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("six.json").write_text(json.dumps(CLASSES))
    done = run("analyze", "six.json")
    assert done.returncode == 0 and done.stderr == ""
    assert len(done.stdout.splitlines()) <= LINES
    assert done.stdout.rstrip().splitlines()[-1] == "report: analysis-six/index.html"


@pytest.mark.thorough
def test_quiet_prints_nothing_and_still_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], sketched: None
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.json").write_text(json.dumps(ONE))
    assert cli.main(["analyze", "one.json", "--quiet"]) == 0 == cli.main(["analyze", "one.json", "-q"])
    assert capsys.readouterr() == ("", "") and Path("analysis-one/index.html").is_file()
    assert cli.main(["check", "-q", "analysis-one"]) == 0 and capsys.readouterr() == ("", "")
    assert cli.main(["analyze", "none.json", "-q"]) == 2 and "none.json" in capsys.readouterr().err


def test_no_two_signs_become_one_where_letters_are_few() -> None:
    """Of statuses, grades and mean dynamics, in ASCII and in the encodings of old terminals."""
    for signs in (
        [sign for sign, _ in STATUSES.values()],
        [sign for sign, _ in GRADES.values()],
        list(dict.fromkeys(sign for sign, _, _ in MEAN_DYNAMICS.values())),
    ):
        for encoding in ("ascii", "cp1252", "latin-1", "cp437"):
            shown = [terminal.within(sign, encoding) for sign in signs]
            assert len(set(shown)) == len(signs) and all(len(sign) == 1 for sign in shown), (encoding, shown)
    assert terminal.within("✗ θ* ≤ ½ x̄ é 🂡", "ascii") == "x theta* <= 1/2 x? e ?"
    assert terminal.within("θ* ✓", "utf-8") == "θ* ✓"


def test_refuted_is_not_undecided_in_ascii() -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    terminal.emit("✗ refuted, ? undecided\n", out)
    assert out.buffer.getvalue() == b"x refuted, ? undecided\n"


def test_columns_stay_straight_where_letters_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """One letter becomes several before the columns are measured, not after."""
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    made = terminal.table("name", "matrix", "rate", rows=[("a", "A", "1/2"), ("b", "G at η = 1, θ", "1/3")])
    lines = [line for line in terminal.rendered(made) if "1/" in line]
    assert len({line.index("1/") for line in lines}) == 1 and "eta = 1, theta  " in lines[1]


@pytest.mark.parametrize("shell", by_default(1, ["bash", "zsh", "fish"]))
def test_shells_complete_commands_and_options(shell: str) -> None:
    """The script of each shell, and what it then asks for."""
    script = run(_TDCERT_COMPLETE=f"source_{shell}")
    assert "_TDCERT_COMPLETE=complete_" in script.stdout
    words = {
        "bash": {"COMP_WORDS": "tdcert analyze --ph", "COMP_CWORD": "2"},
        "zsh": {"_TYPER_COMPLETE_ARGS": "tdcert analyze --ph"},
        "fish": {"_TYPER_COMPLETE_ARGS": "tdcert analyze --ph", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }
    found = run(_TDCERT_COMPLETE=f"complete_{shell}", **words[shell])
    assert found.returncode == 0 and set(re.findall(r"--phase-\w+", found.stdout)) >= {"--phase-diagram", "--phase-x"}


def test_claims_are_completed() -> None:
    assert claim_ids("prop_4") == ["prop_4_1"] and claim_ids("no such") == []


@pytest.mark.thorough
def test_python_dash_m_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "tdcert", "--version"], capture_output=True, text=True, timeout=60)
    assert done.stdout == run("--version").stdout and Fraction(done.returncode) == 0
