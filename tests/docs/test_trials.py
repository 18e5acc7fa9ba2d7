"""The page of the public trial is written from its results; what is tried is pinned, promised and laid out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tdcert.sims.estimators.cases import TrialRow, battery
from tdcert.sims.estimators.contract import Contract, load_contract, shipped
from tdcert.sims.estimators.mistakes import Mistake, mistakes_in
from tests.docs.programs import program

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def writer() -> Any:
    return program("write_trials")


@pytest.mark.thorough
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


def silent(contract: Contract, rows: Sequence[TrialRow], mistake: Mistake) -> bool:
    """Whether a function with the mistake returns right numbers on all rows."""
    made = ((mistake.outputs(contract, case), case.exact) for case in rows)
    return not any(
        abs(x - float(y)) > 1e-6
        for found, right in made
        for name in contract.returns
        for x, y in zip(found[name], right[name], strict=True)
    )


BRIEF = ("rlax-off-policy", "dm-env-truncation")


@pytest.mark.parametrize(
    "brief", [pytest.param(True, marks=pytest.mark.thorough), pytest.param(False, marks=pytest.mark.thorough)]
)
def test_readings_are_alike_under_the_contracts_that_the_page_names(writer: Any, brief: bool) -> None:
    """What is the same under a contract is what no row of it tells apart, and the other way round."""
    table, _ = writer.read()
    asked = [(x.name, x.estimator) for x in writer.contracts_of(table) if (x.name in BRIEF) == brief]
    if brief:
        asked = [key for key in asked if key[1] == "vtrace"]
    assert len(asked) >= (2 if brief else 40)
    for name, estimator in asked:
        contract = writer.contract_named(name, estimator)
        rows = [
            case for call in battery(contract, 0, 6).calls if call.dtype == contract.dtypes[0] for case in call.rows
        ]
        for words, mistake, rule in writer.READINGS:
            for known in (x for x in mistakes_in(estimator) if x.words == mistake):
                assert rule(contract) == silent(contract, rows, known), (name, estimator, words)


def test_a_failure_is_called_one_only_against_documentation(writer: Any) -> None:
    wrong = {"conforms": False, "failure": {"property": "boundary"}}
    stops = {"conforms": False, "failure": {"property": "interface"}}
    right = {"conforms": True, "failure": None}
    assert writer.verdict({"documented": True, "found": [wrong]}, wrong) == "fails"
    assert writer.verdict({"documented": True, "found": [wrong, right]}, wrong) == "not this one"
    assert writer.verdict({"documented": False, "found": [wrong]}, wrong) == "convention not documented"
    assert writer.verdict({"documented": True, "found": [stops, right]}, stops) == "stops"
