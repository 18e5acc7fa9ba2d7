"""``tdcert samples`` as users meet it: the answer in words and as a document, and one sentence for bad input."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import tdcert
from tdcert.reports.cli import main
from tdcert.reports.documents import Checked
from tdcert.sims.streams import generator
from tests.schemas import require
from tests.theory.samples.sampled import TWO, walk

GIVEN = "--states 2 --actions 2 --delta 0.05 --discount 0.95 --policy uniform"
COLUMNS = ("states", "actions", "rewards", "next_states")


def written(path: Path, steps: int) -> tuple[list[int], ...]:
    """A walk of θ→2θ as a file; the reward is the next state."""
    log = walk(TWO, generator(5, "samples"), steps)
    columns = log.states, log.actions, log.next_states, log.next_states
    if path.suffix == ".npz":
        states, actions, rewards, after = map(np.array, columns)
        np.savez(path, states=states, actions=actions, rewards=rewards, next_states=after)
    else:
        rows = [", ".join(COLUMNS), *(",".join(map(str, row)) for row in zip(*columns, strict=True))]
        path.write_text("\n".join(rows) + "\n")
    return columns


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "features.json").write_text("[[1], [2]]")
    (tmp_path / "second.json").write_text("[[0, 1], [0, 1]]")
    return tmp_path


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["samples", *words, *GIVEN.split(), "--features", "features.json"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", ["log.csv", pytest.param("log.npz", marks=pytest.mark.thorough)])
def test_the_document_is_what_python_says(name: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    states, actions, rewards, after = written(here / name, 3000)
    given = {"n_states": 2, "n_actions": 2, "delta": 0.05, "discount": 0.95, "behaviour": "uniform"}
    assert tdcert.from_transitions(name, **given).rows == tdcert.from_transitions(here / name, **given).rows
    found = json.loads(asked(capsys, name, "--target", "second.json", "--rewards", "0,1", "--json"))
    require(found)
    model = tdcert.from_transitions(
        states, actions, rewards, after, n_states=2, n_actions=2, delta=0.05, discount=0.95, behaviour="uniform",
        target=[1, 1], features=[[1], [2]], reward_range=[0, 1],
    )  # fmt: skip
    verdicts, ranges = tdcert.confident_verdicts(model), tdcert.confident_ranges(model)
    assert [one["answer"] for one in found["verdicts"]] == ["unstable", "stable", "stable"]
    assert [one["sentence"] for one in found["verdicts"]] == [one.sentence for one in verdicts.values()]
    assert [one["grade"] for one in found["verdicts"]] == ["confident"] * 3
    assert ranges.theta_star is not None
    assert [tuple(map(Fraction, ends)) for ends in found["theta_star"]] == list(ranges.theta_star)
    assert (found["transitions"], found["delta"], found["markov_refuted"]) == (3000, "1/20", False)


def test_a_terminal_shows_the_sentences(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(here / "log.csv", 100)
    said = asked(capsys, "log.csv", "--target", "second.json", "--estimate", "--aggregated")
    assert said.startswith("log.csv: 100 transitions, 2 states, 2 actions\nTD: the data do not decide.")
    assert "an estimate, if frequencies stay as they are: TD would be unstable after" in said
    assert "θ* is not bounded: nothing is declared of rewards" in said
    assert said.endswith("The data do not refute that these states are Markov, which confirms nothing.\n")
    document = json.loads(asked(capsys, "log.csv", "--target", "second.json", "--json"))
    assert document["verdicts"][0]["estimate"] is None and document["verdicts"][0]["grade"] is None
    require(document)


@pytest.mark.thorough
def test_a_report_is_judged_by_its_own_folder(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The document names certificates that the checker beside them accepts; the same file may be reported again."""
    written(here / "log.csv", 100)
    words = ["log.csv", "--target", "second.json", "--rewards", "0,1", "--out", "report"]
    for _ in range(2):
        asked(capsys, *words)
    found = json.loads((here / "report/samples.json").read_text())
    require(found)
    assert found["sha256"] == hashlib.sha256((here / "log.csv").read_bytes()).hexdigest()
    files = [one["certificate"] for one in found["verdicts"]]
    assert files == [f"certificates/{k:03d}-set_undecided.json" for k in (1, 2, 3)]
    command = [sys.executable, "-I", "-S", "checker/", *files]
    judged = subprocess.run(command, cwd=here / "report", capture_output=True, text=True, check=False)
    assert judged.returncode == 0 and judged.stdout.count("two models of the set disagree") == 3
    body = json.loads((here / "report" / files[0]).read_text())
    assert body["digest"] == found["digest"]
    page = (here / "report/index.html").read_text()
    assert all(path in page for path in files) and "Two models of the set that disagree about TD" in page
    assert "the data do not decide" in page and found["sha256"] in page and "action 1 in state 0" in page
    written(here / "other.csv", 50)
    given = ["samples", "other.csv", *GIVEN.split(), "--features", "features.json", "--out", "report"]
    assert main(given) == 2 and "holds transitions of another model" in capsys.readouterr().err


@pytest.mark.thorough
def test_a_report_from_python_is_the_same(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = written(here / "log.csv", 3000)
    words = ["log.csv", "--target", "second.json", "--rewards", "0,1", "--out", "report", "--json"]
    said = json.loads(asked(capsys, *words))
    model = tdcert.from_transitions(
        *columns, n_states=2, n_actions=2, delta=0.05, discount=0.95, behaviour="uniform", target=[1, 1],
        features=[[1], [2]], reward_range=[0, 1],
    )  # fmt: skip
    page = tdcert.confident_report(model, here / "again")
    found = json.loads((here / "again/samples.json").read_text())
    assert page == here / "again/index.html" and page.exists()
    assert {key for key in said if said[key] != found[key]} == {"source", "sha256", "reproduce"}
    for one in said["verdicts"]:
        assert (here / "report" / one["certificate"]).read_bytes() == (here / "again" / one["certificate"]).read_bytes()
    assert tdcert.confident_report(model, here / "again") == page
    with pytest.raises(tdcert.InputError, match="give what tdcert"):
        tdcert.confident_report(model.centre, here / "third")  # type: ignore[arg-type]


def test_a_certificate_that_is_rejected_is_said(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the checker does not accept fails the command, and from Python nothing is written."""
    monkeypatch.setattr("tdcert.reports.samples_report.replay", lambda *_: Checked(1, ("certificates/1: no",), 0.1))
    columns = written(here / "log.csv", 50)
    assert main(["samples", "log.csv", *GIVEN.split(), "--out", "report"]) == 1
    out, err = capsys.readouterr()
    assert "a certificate was rejected: certificates/1: no" in err and "accepted 1 of 2 certificates" in out
    given = {"n_states": 2, "n_actions": 2, "delta": 0.05, "discount": 0.95, "behaviour": "uniform"}
    with pytest.raises(tdcert.InputError, match="a certificate was rejected"):
        tdcert.confident_report(tdcert.from_transitions(*columns, **given), here / "again")
    assert not (here / "again").exists()


def test_episodes_of_a_file_end_in_a_state_of_their_own(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "log.csv").write_text(
        "states,actions,rewards,next_states,terminated,truncated\n0,0,0,1,False,0\n1,0,1,1,true,\n0,1,0,1,0,1\n"
    )
    assert json.loads(asked(capsys, "log.csv", "--terminal", "end", "--start", "0", "--json"))["states"] == 3


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ("states,actions\n0,0\n", "", "the columns have no 'rewards'"),
        ("states,actions,rewards,next_states\n0,0,1\n", "", "line 2 of 'log.csv' has not the 4 values"),
        ("states,actions,rewards,next_states\n0,a,1,1\n", "", "the column 'actions' holds 'a'"),
        ("states,actions,rewards,next_states,terminated\n0,0,1,1,2\n", "", "the column 'terminated' holds '2'"),
        ("", "", "the first line of 'log.csv' does not name the column states"),
        ("states,actions,rewards,next_states\n", "", "states"),
        ("states,actions,rewards,next_states\n0,0,1,1\n", "--terminal x", "--terminal is 'x'"),
        ("states,actions,rewards,next_states\n0,0,1,1\n", "--start 0", "start is given, and no state is terminal"),
        ("states,actions,rewards,next_states\n0,0,1,1\n", "--rewards 1", "reward_range"),
        (None, "", "cannot be read (No such file or directory)"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_one_sentence(
    text: str | None, words: str, said: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        (here / "log.csv").write_text(text)
    assert main(["samples", "log.csv", *words.split(), *GIVEN.split()]) == 2
    out, err = capsys.readouterr()
    assert out == "" and said in err and err.count("\n") == 1


def test_an_archive_that_is_none_is_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "log.npz").write_bytes(b"no archive")
    assert main(["samples", "log.npz", *GIVEN.split()]) == 2
    assert "it is no CSV file and no archive of NumPy" in capsys.readouterr().err
