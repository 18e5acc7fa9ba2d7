"""``tdcert conform``: exit codes, JSON, the fixture of the pytest plugin."""

from __future__ import annotations

import json
import pickle
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import tdcert
from tdcert.reports import cli, conform
from tdcert.sims.conformance.updates import updates
from tdcert.sims.experiments.gtd_lambda import EVERY, ONE_LAMBDA
from tdcert.theory.files import loads_model
from tests.reports.plugged import with_the_plugin

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "conformance"
PAGE = ROOT / "docs" / "conformance.md"


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")


def test_every_example_is_documented() -> None:
    named = set(re.findall(r"^\$ tdcert conform (\S+)", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    own = {
        f"examples/conformance/{path.name}:{name}"
        for path in EXAMPLES.glob("*.py")
        for name in re.findall(r"tdcert conform \S+:(\w+) ", path.read_text(encoding="utf-8"))
    }
    assert own == {name for name in named if name.startswith("examples/conformance/")} and len(own) == 5
    pages = PAGE.read_text(encoding="utf-8").split("## Real code")[1]
    assert all(f"| `{path.name}` |" in pages for path in (ROOT / "examples" / "adapters").glob("*.py"))


def test_the_page_shows_the_updates_as_the_code_has_them() -> None:
    page = PAGE.read_text(encoding="utf-8")
    block = page.split("<!-- updates: begin -->")[1].split("<!-- updates: end -->")[0].strip().strip("`")
    shown = {part.split()[0]: tuple(line[16:] for line in part.splitlines()) for part in block.strip().split("\n\n")}
    assert shown == {
        name: updates(name, "constant" if name in ONE_LAMBDA else "any") for name in EVERY if name != "tdc_lambda"
    }


BROKEN = "examples/conformance/broken.py:LateReward"


@pytest.mark.thorough
def test_json_holds_the_whole_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["conform", BROKEN, "--algorithm", "td", "--json"]) == 1
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert next(iter(found)) == "format" and found["format"] == "tdcert-conformance/1"
    assert found == (tried := tdcert.conform(BROKEN, algorithm="td")) == json.loads(json.dumps(tried))
    assert repr(tried).startswith(f"<Trial: {BROKEN} as td") and "does not conform" in tried._repr_html_()
    assert "does not conform. First failure: " in repr(tried)
    assert [row["id"] for row in tried.rows()] == [one["id"] for one in found["properties"]]
    assert pickle.loads(pickle.dumps(tried)).words == tried.words == str(tried)
    assert (found["conforms"], found["how"], found["grade"], found["law"]) == (False, None, None, [])
    failure = found["failure"]
    assert failure["mistake"] == "R_t used for R_{t+1}" and failure["property"] == "first_update"
    # what it says can be checked by hand: θ_1 = θ_0 + α (R + γφ'θ_0 − φθ_0) φ, and with R = 0 what was found
    (t,), (theta0,), difference = failure["transitions"], failure["theta0"], failure["difference"]
    along = (t["discount"] * t["phi_next"][0] - t["phi"][0]) * theta0
    for reward, theta in ((t["reward"], difference["right"]), (0.0, difference["found"])):
        assert theta == [theta0 + t["alpha"] * (reward + along) * t["phi"][0]]
    assert difference["allowed"][0] < 1e-12
    assert loads_model(json.dumps(failure["model"])).model.n == 1
    _, documented = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8").split("## Conformance: ")
    keys = (*found, *found["properties"][0], *failure, *failure["difference"], *failure["transitions"][0])
    assert [key for key in keys if not re.search(rf"\b{key}\b", documented)] == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        pytest.param(
            *(
                ["examples/conformance/broken.py:Missing", "--algorithm", "td"],
                "has no class 'Missing'; it has Windowed, ",
            ),
            marks=pytest.mark.thorough,
        ),
        (["nowhere:Missing", "--algorithm", "td"], "there is no module 'nowhere'"),
        (["nowhere", "--algorithm", "td"], "'nowhere' names no class"),
        ([BROKEN, "--algorithm", "sarsa"], "there is no algorithm 'sarsa'"),
        ([BROKEN], "Missing option '--algorithm'"),
        ([BROKEN, "--algorithm", "td", "--time-limit", "0"], "the time limit is 0 s"),
        ([BROKEN, "--algorithm", "td", "--time-limit", "nan"], "the time limit is nan s"),
        ([BROKEN, "--algorithm", "td", "--seed", str(2**32)], "the seed is 4294967296"),
    ],
)
def test_bad_usage_is_one_sentence_and_exit_2(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["conform", *arguments]) == 2
    printed = capsys.readouterr()
    assert not printed.out and printed.err.count("\n") == 1 and sentence in printed.err


def test_numbers_beyond_json_are_words() -> None:
    assert conform._numbers([1.5, float("inf"), float("nan")]) == (1.5, "inf", "nan")


TESTS = """
from plain_td import PlainTD

from broken import EagerTDC

def test_good(conforms):
    assert conforms(PlainTD, algorithm="td", schedules="n_step")["conforms"]

def test_by_name(conforms):
    conforms("broken:EagerTDC", algorithm="tdc", schedules="n_step")

def test_missing(conforms):
    conforms("broken:Missing", algorithm="tdc")
"""


@pytest.mark.thorough
def test_the_fixture_fails_with_the_sentence(tmp_path: Path) -> None:
    said = with_the_plugin(TESTS, tmp_path, EXAMPLES)
    assert "broken:EagerTDC as tdc (schedules: n_step, discounts: any) does not conform." in said
    assert "it looks like w updated with the new θ." in said
    shown = r"reset: λ = \(\), θ_0 = \(1\)\n\n t   s   φ .*\n ─+\n 0   0   \("
    assert re.search(shown, re.sub(r"^E +", "", said, flags=re.M)), said
    assert "has no class 'Missing'; it has Windowed" in said


def test_the_plugin_is_declared() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert declared["project"]["entry-points"]["pytest11"] == {"tdcert": "tdcert.pytest_plugin"}
