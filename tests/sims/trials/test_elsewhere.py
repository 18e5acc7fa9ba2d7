"""Code that runs elsewhere: questions hold what right code needs, wrong answers are found, bad files are refused."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tdcert.reports.cli import main
from tdcert.sims.conformance.trial import judge_paths, trajectories_elsewhere
from tdcert.sims.estimators.contract import load_contract
from tdcert.sims.estimators.trial import judge_answers, rows_elsewhere
from tdcert.sims.trials.elsewhere import Questions, in_json, read_answers
from tdcert.theory.errors import InputError
from tests.effort import by_default

EXAMPLES = Path(__file__).parents[3] / "examples"
FEW = 40
"""Patterns of a length in these tests."""
Line = dict[str, Any]


def strictly(text: str) -> Any:
    """JSON as other languages read it: without NaN and Infinity."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def answered(questions: Questions, answer: Callable[[Line], Mapping[str, object]], file: Path, **head: str) -> str:
    """What code elsewhere does: it reads the text, and writes a line for each."""
    first, *rest = map(strictly, questions.text().splitlines())
    lines: list[Mapping[str, object]] = [{"format": "tdcert-answers/1", "id": first["id"], **head}]
    lines += [{"number": one["number"], **answer(one)} for one in rest]
    file.write_text("\n".join(json.dumps(in_json(one)) for one in lines) + "\n")
    return str(file)


def gae(asked: Line) -> Line:
    """By its recursion, from the words of the line."""
    x = asked["arguments"]
    following, running = x["last_value"], 0.0
    advantages: list[float] = []
    for reward, value in zip(x["rewards"][::-1], x["values"][::-1], strict=True):
        running = reward + x["gamma"] * following - value + x["gamma"] * x["gae_lambda"] * running
        advantages.insert(0, running)
        following = value
    return {"advantages": advantages, "targets": [a + v for a, v in zip(advantages, x["values"], strict=True)]}


def retrace(asked: Line) -> Line:
    """θ after ``reset`` and every transition."""
    theta = np.array(asked["reset"]["theta0"])
    lam, z, path = asked["reset"]["lam"], 0 * theta, [theta]
    for row in asked["transitions"]:
        t = SimpleNamespace(**row)
        phi, phi_next = np.array(t.phi), np.array(t.phi_next)
        z = t.discount_before * lam * min(1.0, t.rho_before) * z + phi
        theta = theta + t.alpha * t.rho * (t.reward + theta @ (t.discount * phi_next - phi)) * z
        path.append(theta)
    return {"theta": path}


@pytest.mark.thorough
def test_questions_hold_what_right_code_needs(tmp_path: Path) -> None:
    contract = load_contract("single-episode", "gae")
    file = answered(rows_elsewhere(contract, 3, FEW), gae, tmp_path / "gae.jsonl")
    trial = judge_answers(file, "gae", "single-episode", seed=3, patterns=FEW)
    assert trial.conforms and {one.status for one in trial.answers} == {"passes"}
    assert "interface" not in {one.shows for one in trial.answers}
    questions = trajectories_elsewhere("retrace", seed=3)[0]
    assert len({one["reset"]["lam"] for one in questions.asked}) > 1  # type: ignore[index]
    found = judge_paths(answered(questions, retrace, tmp_path / "retrace.jsonl"), "retrace", seed=3)
    assert found.conforms and found.how == "path_by_path"
    assert not {"interface", "again", "side_by_side"} & {one.shows for one in found.answers}


def test_an_infinite_number_is_a_word_both_ways(tmp_path: Path) -> None:
    numbers = {"of": np.array([-np.inf, 1.5]), "n": np.inf}
    assert strictly(Questions({}, [numbers]).lines[0]) == {"number": 0, "of": ["-inf", 1.5], "n": "inf"}

    def diverges(asked: Line) -> Line:
        return {"x": ["inf", None, "-inf", 1e999, 10**400]}

    questions = Questions({}, [{}])
    found = read_answers(answered(questions, diverges, tmp_path / "x.jsonl"), questions).array(0, "x", (5,))
    assert found.tolist()[::2] == [np.inf, -np.inf, np.inf] and np.isnan(found[1]) and found[3] == np.inf


@pytest.mark.thorough
def test_a_wrong_answer_is_shown_with_its_line(tmp_path: Path) -> None:
    """The advantage of one row is moved by a tenth: that row, and no other."""
    contract = load_contract("single-episode", "gae")
    moved = 20

    def wrong(asked: Line) -> Line:
        found = gae(asked)
        found["advantages"][-1] += 0.1 * (asked["number"] == moved)
        return found

    trial = judge_answers(
        answered(rows_elsewhere(contract, 0, FEW), wrong, tmp_path / "a.jsonl"), "gae", "single-episode", patterns=FEW
    )
    assert trial.failure is not None and trial.failure.line == moved + 2 and "interface" not in trial.failure.shows
    assert "passes" in {one.status for one in trial.answers}

    def late(asked: Line) -> Line:
        found = retrace(asked)
        found["theta"][2:] = [x + 0.01 * (asked["number"] == moved) for x in found["theta"][2:]]
        return found

    questions = trajectories_elsewhere("retrace", seed=0)[0]
    found = judge_paths(answered(questions, late, tmp_path / "p.jsonl"), "retrace")
    assert found.failure is not None and found.failure.line == moved + 2
    assert found.failure.difference is not None and found.failure.difference.step == 2


@pytest.mark.thorough
def test_of_several_rows_in_a_call_the_wrong_one_is_named(tmp_path: Path) -> None:
    contract = load_contract("cleanrl-done", "gae")
    questions = rows_elsewhere(contract, 0, FEW)
    shape = np.array(questions.asked[-1]["arguments"]["rewards"]).shape  # type: ignore[index]
    assert contract.axes == "TB" and shape[1] > 2

    def nothing(asked: Line) -> Line:
        zero = 0 * np.array(asked["arguments"]["rewards"], dtype=float)
        return dict.fromkeys(contract.returns, zero)

    trial = judge_answers(answered(questions, nothing, tmp_path / "a.jsonl"), "gae", "cleanrl-done", patterns=FEW)
    assert trial.failure is not None and trial.failure.call is not None and trial.failure.difference is not None
    case = trial.failure.call.rows[trial.failure.row]
    assert case.exact[trial.failure.difference.output][0] != 0 and case.row.steps == 1


@pytest.mark.thorough
def test_the_smallest_wrong_row_is_shown(tmp_path: Path) -> None:
    """Where nothing is returned, one reward of 1 shows it, with all else 0."""
    contract = load_contract("single-episode", "gae")

    def nothing(asked: Line) -> Line:
        return dict.fromkeys(contract.returns, 0 * np.array(asked["arguments"]["rewards"]))

    file = answered(rows_elsewhere(contract, 0, FEW), nothing, tmp_path / "a.jsonl")
    failure = judge_answers(file, "gae", "single-episode", patterns=FEW).failure
    assert failure is not None and failure.call is not None
    row = failure.call.rows[failure.row].row
    assert [x for x in (*row.rewards, *row.values, *row.next_values) if x] == [1]


@pytest.mark.thorough
def test_single_precision_is_held_to_that_where_the_file_says_so(tmp_path: Path) -> None:
    def rounded(asked: Line) -> Line:
        return {"theta": [x.astype(np.float32).astype(float) for x in retrace(asked)["theta"]]}

    questions = trajectories_elsewhere("retrace", seed=0)[0]
    assert not judge_paths(answered(questions, rounded, tmp_path / "p.jsonl"), "retrace").conforms
    found = judge_paths(answered(questions, rounded, tmp_path / "q.jsonl", precision="float32"), "retrace")
    assert found.conforms and found.how == "single_precision"
    contract = load_contract("single-episode", "gae")

    def coarse(asked: Line) -> Line:
        return {name: np.array(x, dtype=np.float32).astype(float) for name, x in gae(asked).items()}

    asked = rows_elsewhere(contract, 0, FEW)
    for head, conforms in (({}, False), ({"precision": "float32"}, True)):
        file = answered(asked, coarse, tmp_path / "a.jsonl", **head)
        assert judge_answers(file, "gae", "single-episode", patterns=FEW).conforms is conforms


ONE = '{"number": 0, "x": [1]}'
HEAD = '{"format": "tdcert-answers/1", "id": "ID"}'
BAD: list[tuple[str, str]] = [
    ("", 'line 1 of .* does not hold "format"'),
    ("[]", "line 1 of .* is not an object of JSON"),
    ('{"format": "tdcert-rows/1"}', 'line 1 of .* does not hold "format"'),
    ('{"format": "tdcert-answers/1", "id": "0"}', "answers the rows '0', and these options ask the rows"),
    ('{"format": "tdcert-answers/1", "id": "ID", "precision": "half"}', "has precision = 'half'"),
    (HEAD, "ends after 0 of 2 answers, so nothing is decided"),
    (f"{HEAD}\n{ONE}\n{ONE}", "line 3 of .* is number 0 where 1 is due"),
    (f"{HEAD}\n{ONE}\n" + '{"number": 1, "x": [1]}\n{"number": 2}', "has more answers than the 2 questions"),
    (f"{HEAD}\n{ONE}\n" + '{"number": 1, "x": [1, 2]}', "line 3 of .*: 'x' is not a list of numbers of the shape 1"),
    (f"{HEAD}\n{ONE}\n" + '{"number": 1, "x": [true]}', "line 3 of .*: 'x' is not a list of numbers"),
    (f"{HEAD}\n{ONE}\n" + '{"number": 1, "x": ["1"]}', "line 3 of .*: 'x' is not a list of numbers"),
    (f"{HEAD}\n{ONE}\n" + '{"number": 1, "y": [1]}', "line 3 of .* has no 'x', but y"),
    (f"{HEAD}\n{ONE}\n" + "{", "line 3 of .* is not an object of JSON"),
    (f"{HEAD}\n{ONE}\n" + "[" * 100_000, "line 3 of .* is not an object of JSON"),
]


@pytest.mark.parametrize(("text", "why"), BAD)
def test_a_bad_file_is_one_sentence(text: str, why: str, tmp_path: Path) -> None:
    questions, file = Questions({}, [{"a": 1}, {"a": 2}]), tmp_path / "answers.jsonl"
    file.write_text(text.replace("ID", questions.id))
    with pytest.raises(InputError, match=why):
        answers = read_answers(str(file), questions)
        [answers.array(k, "x", (1,)) for k in range(2)]


def test_other_questions_have_another_id() -> None:
    ids = {one.id for one in (Questions({}, [{}]), Questions({"s": 1}, [{}]), Questions({}, [{}, {}]))}
    assert len(ids) == 3


WORDS: list[tuple[str, str]] = [
    ("--algorithm td", "Missing argument 'MODULE:NAME'"),
    ("x.py:F --algorithm td --rows r", "'x.py:F' and --rows are both given"),
    ("--algorithm td --rows r --answers a", "give one of the two"),
    ("--estimator gae --rows r", "about one --contract, and none is given"),
    ("--estimator gae --contract single-episode --rows r --python p", "--python"),
    ("--algorithm td --rows r --time-limit 3", "--time-limit"),
    ("--algorithm td --rows r --json", "--json"),
    ("--algorithm td --rows nowhere/r", "'nowhere/r' cannot be written"),
    ("--algorithm td --answers nowhere", "the answers 'nowhere' cannot be read"),
]


@pytest.mark.parametrize(("words", "why"), WORDS)
def test_the_command_says_what_is_wrong(
    words: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["conform", *words.split()]) == 2
    said = capsys.readouterr().err
    assert why in said and "Traceback" not in said and not list(tmp_path.iterdir())


C = [
    (
        "gae",
        "--estimator gae --contract single-episode",
        "gamma * lambda * advantage",
        "gamma * (lambda > -1) * advantage",
        "λ missing",
    ),
    ("td", "--algorithm td", "age = discount == 0 ? 0 : age + 1", "age = age + 1", None),
    ("td", "--algorithm td", 'number(from, "alpha") * delta', 'number(from, "beta") * delta', "β"),
]


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize(("name", "words", "right", "wrong", "mistake"), by_default(1, C))
def test_c_is_judged(
    name: str,
    words: str,
    right: str,
    wrong: str,
    mistake: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The examples conform; with one edit they do not, or, where a discount of 0 ends an episode twice, they do."""
    monkeypatch.chdir(tmp_path)
    assert main(["conform", *words.split(), "--rows", "rows.jsonl"]) == 0
    source = (EXAMPLES / "elsewhere" / f"{name}.c").read_text()
    assert source.count(right) == 1
    for text, code in ((source, 0), (source.replace(right, wrong), 1 if mistake else 0)):
        Path("code.c").write_text(text)
        flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-I", str(EXAMPLES / "elsewhere")]
        subprocess.run(["cc", *flags, "-o", "code", "code.c"], check=True, timeout=120)
        with open("rows.jsonl") as rows, open("answers.jsonl", "w") as answers:
            subprocess.run(["./code"], stdin=rows, stdout=answers, check=True, timeout=120)
        capsys.readouterr()
        assert main(["conform", *words.split(), "--answers", "answers.jsonl"]) == code
        said = " ".join(capsys.readouterr().out.split())
        assert ("conforms" in said) is (code == 0)
        assert code == 0 or (("of the rows" in said or "of the trajectories" in said) and str(mistake) in said)
