"""The page of the public trial is written from its results; what is tried is pinned, promised and laid out."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from tdcert.sims.estimators.contract import load_contract, shipped

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def writer() -> Any:
    spec = importlib.util.spec_from_file_location("write_trials", ROOT / "docs" / "write_trials.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_results_say(writer: Any) -> None:
    table, results = writer.read()
    assert writer.PAGE.read_text(encoding="utf-8") == writer.page(table, results)
    ran = [result for result in results if not result["cannot"]]
    assert len(ran) >= 12 and sum(len(result["functions"]) for result in ran) >= 40
    for result in ran:
        own = table[result["library"]]
        pin = own.get("package") or f"{result['library']}=={own['commit'][:7]}"
        assert pin == f"{result['package']}=={result['version']}"
        for row in result["functions"]:
            asked = own["functions"][row["function"]]["contracts"]
            assert {found["contract"] for found in row["contracts"]} <= set(asked)


def test_every_library_is_pinned_and_every_contract_loads(writer: Any) -> None:
    table, _ = writer.read()
    used = set()
    for library, given in table.items():
        pins = [*given.get("with", []), *([given["package"]] if "package" in given else [])]
        assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in pins), library
        assert "package" in given or re.fullmatch(r"[0-9a-f]{40}", given["commit"])
        for row in given["functions"].values():
            assert row["promise"] and row["source"]
            for name in row["contracts"]:
                file = ROOT / "trials" / "contracts" / f"{name}.toml"
                load_contract(name if name in shipped() else str(file), row["estimator"])
                used.add(name)
    assert {path.stem for path in (ROOT / "trials" / "contracts").glob("*.toml")} <= used


def test_a_failure_is_called_one_only_against_documentation(writer: Any) -> None:
    wrong = {"conforms": False, "failure": {"property": "boundary"}}
    stops = {"conforms": False, "failure": {"property": "interface"}}
    right = {"conforms": True, "failure": None}
    assert writer.verdict({"documented": True, "found": [wrong]}, wrong) == "fails"
    assert writer.verdict({"documented": True, "found": [wrong, right]}, wrong) == "not this one"
    assert writer.verdict({"documented": False, "found": [wrong]}, wrong) == "convention not documented"
    assert writer.verdict({"documented": True, "found": [stops, right]}, stops) == "stops"
