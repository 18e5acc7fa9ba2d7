"""``tdcert conform --estimator``: exit codes, JSON, the table, the script without tdcert, the fixture."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

import tdcert
from tdcert.reports import cli
from tdcert.sims.estimators import cases
from tdcert.sims.estimators.contract import HOLDS, Contract, shipped
from tdcert.theory.model.estimators import FORWARD
from tests.effort import by_default
from tests.reports.plugged import with_the_plugin

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "estimators"
PAGE = ROOT / "docs" / "estimators.md"
WRONG = "examples/estimators/ppo.py:wrong_flag"
RIGHT = "examples/estimators/ppo.py:advantages"


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few patterns: what is shown does not depend on how many are tried."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("tdcert.sims.estimators.trial.prepared", few)


@lru_cache
def few(contract: Contract, seed: int, _: int) -> cases.Battery:
    return cases.battery(contract, seed, 10)


@pytest.fixture
def outcome() -> dict[str, Any]:
    return tdcert.conform_estimator(WRONG, estimator="gae", contract="cleanrl-done")


@pytest.mark.thorough
def test_json_holds_the_whole_failure(outcome: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["conform", WRONG, "--estimator", "gae", "--contract", "cleanrl-done", "--time-limit", "120", "--json"]
    assert cli.main(asked) == 1
    found = json.loads(capsys.readouterr().out)
    assert found == outcome and next(iter(found)) == "format"
    assert (found["conforms"], found["grade"]) == (False, None)
    (row,) = found["contracts"]
    assert row["failure"]["property"] == "one_episode" and row["failure"]["difference"]["output"] == "advantages"
    _, documented = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8").split("## Estimators: ")
    keys = (*found, *row, *row["failure"], *row["failure"]["difference"], *row["properties"][0])
    assert [key for key in keys if not re.search(rf"\b{key}\b", documented)] == []


@pytest.mark.thorough
def test_the_script_shows_the_same_without_tdcert(outcome: dict[str, Any]) -> None:
    failure = outcome["contracts"][0]["failure"]
    assert "tdcert" not in failure["script"] and failure["script"].count("\n") <= 16
    ran = subprocess.run(
        [sys.executable, "-c", failure["script"]], capture_output=True, text=True, check=True, cwd=ROOT
    )
    printed = [float(x) for x in re.findall(r"-?\d+\.?\d*", ran.stdout)]
    rows = [line.split(" | ") for line in failure["table"].splitlines() if re.match(r"\| \d", line)]
    names = next(line for line in failure["table"].splitlines() if line.startswith("| t")).strip("| ").split(" | ")
    column = names.index("advantages, returned")
    assert printed == [float(row[column]) for row in rows]
    assert failure["difference"]["found"] in printed


@pytest.mark.thorough
def test_several_contracts_are_tried_and_the_answer_says_which(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--contract", "single-episode", "--contract", "cleanrl-done"]
    assert cli.main(["conform", RIGHT, "--estimator", "gae", *given]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "It satisfies cleanrl-done of 2 contracts." in printed
    assert "under the contract single-episode does not conform" in printed
    assert "cannot be called as (rewards, values, last_value" in printed


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    by_default(
        6,
        [
            ([RIGHT, "--estimator", "gae"], "--estimator needs a --contract"),
            ([RIGHT, "--estimator", "gae", "--contract", "nowhere"], "there is no contract 'nowhere'"),
            ([RIGHT, "--estimator", "profit", "--contract", "cleanrl-done"], "there is no estimator 'profit'"),
            ([RIGHT, "--estimator", "vtrace", "--contract", "cleanrl-done"], "has no table [vtrace]; it has gae"),
            ([RIGHT], "Missing option '--algorithm'"),
            ([RIGHT, "--estimator", "gae", "--algorithm", "td", "--contract", "x"], "are both given"),
            (
                ["examples/estimators/ppo.py:no", "--estimator", "gae", "--contract", "cleanrl-done"],
                "has no function 'no'",
            ),
            ([RIGHT, "--estimator", "gae", "--contract", "dm-env-discounts"], "jax cannot be imported"),
        ],
    ),
)
def test_bad_usage_is_one_sentence_and_exit_2(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["conform", *arguments]) == 2
    printed = capsys.readouterr()
    assert not printed.out and printed.err.count("\n") == 1 and sentence in printed.err


@pytest.mark.thorough
def test_contracts_are_listed_and_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert cli.main(["conform", "--contracts"]) == 0
    listed = capsys.readouterr().out
    assert [line.partition(":")[0] for line in listed.splitlines()] == list(shipped())
    assert cli.main(["conform", "--print-contract", "cleanrl-done"]) == 0
    (tmp_path / "mine.toml").write_text(capsys.readouterr().out, encoding="utf-8")
    found = tdcert.conform_estimator(RIGHT, estimator="gae", contract=tmp_path / "mine.toml")
    assert found["conforms"] and found["grade"] == "consistent"


def test_the_page_names_every_contract_word_and_estimator() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in (*shipped(), *HOLDS, *FORWARD) if f"`{name}`" not in text] == []
    assert (EXAMPLES / "time_limits.toml").read_text(encoding="utf-8") in text


TESTS = """
from ppo import advantages

def test_good(conforms):
    assert conforms(advantages, estimator="gae", contract="cleanrl-done", time_limit=60)["conforms"]

def test_by_name(conforms):
    conforms("ppo:wrong_flag", estimator="gae", contract="cleanrl-done")

def test_missing(conforms):
    conforms(advantages, estimator="gae", contract="nowhere")
"""


@pytest.mark.thorough
def test_the_fixture_fails_with_the_sentence(tmp_path: Path) -> None:
    said = with_the_plugin(TESTS, tmp_path, EXAMPLES)
    assert "the flag of the step before used" in said and "| t | rewards |" in said
    assert "there is no contract 'nowhere'" in said
