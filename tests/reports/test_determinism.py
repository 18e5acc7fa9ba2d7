"""The same inputs and seed give the same bytes but for the environment; no number of a page is not its document's."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tdcert.reports import pictures
from tdcert.theory.figures import Figure, Rule, Series
from tests.reports import sample
from tests.reports.pages import Page

ROOT = Path(__file__).parents[2]
CLAIMS = ["n_step_special_case", "trace_variance"]  # refuted, and simulated with a figure; both are quick
_ENVIRONMENT = re.compile(r'<section id="environment">.*?</section>', re.DOTALL)


def report(folder: Path, hash_seed: str) -> dict[str, bytes]:
    """The files of a run in a process of its own, whose sets and hashes have an order of their own."""
    command = [sys.executable, "-m", "tdcert", "verify", *CLAIMS, "--profile", "quick", "--out", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.thorough
def test_two_runs_differ_in_their_environment_alone(tmp_path: Path) -> None:
    first, second = report(tmp_path / "first", "1"), report(tmp_path / "second", "2")
    assert set(first) == set(second)
    kinds = {Path(name).suffix for name in first}
    assert {".html", ".json", ".svg", ".png", ".csv"} <= kinds
    assert {name for name in first if first[name] != second[name]} <= {"index.html", "verdicts.json"}
    documents = [json.loads(files["verdicts.json"]) for files in (first, second)]
    assert documents[0].pop("environment")["time"] and documents[1].pop("environment")["time"]
    assert json.dumps(documents[0]) == json.dumps(documents[1])  # the order of the keys, too
    pages = [_ENVIRONMENT.subn("", files["index.html"].decode()) for files in (first, second)]
    assert pages[0] == pages[1] and pages[0][1] == 1


def test_nothing_of_the_environment_stands_outside_of_its_block() -> None:
    document = sample.verdicts()
    document["formal"] = {"valid": True, "why": "", "assistant": {"coq": "8.16"}, "digest": "ab" * 32}
    keys = [*document["environment"], "proofs", "seconds_by_claim"]
    document["environment"] = {key: f"sentinel of {key}" for key in keys}
    html = sample.page(document)
    assert "sentinel of proofs" in html and "sentinel" not in _ENVIRONMENT.sub("", html)


def marked(first: int) -> tuple[dict[str, Any], list[str]]:
    """A document in which every number of one claim is one of its own, from ``first`` on; and these numbers as the
    page writes them.
    """
    numbers: list[str] = []

    def number() -> int:
        numbers.append(str(first + len(numbers)))
        return int(numbers[-1])

    document = sample.verdicts()
    claim = sample.claim(document, "prop_4_1")
    claim["title"], claim["place"] = f"Claim {number()}", f"§{number()}"
    for reading in (claim["stated"], claim["hypotheses"][0], claim["hypotheses"][1]):
        for scope in reading["scopes"]:
            scope["count"], scope["detail"] = number(), f"detail {number()}"
            scope["certificates"] = [f"certificates/prop_4_1/{number()}-x.json"]
    claim["stated"] |= {"why": f"why {number()}", "witness": {"x": f"{number()}/{number()}"}}
    claim["hypotheses"][0]["counterexample"] = {
        "description": f"found {number()}",
        "witness": {"y": str(number())},
        "model": {**sample.TWO_STATES, "discount": f"1/{number()}"},
    }
    claim["notes"], claim["skipped"] = [f"note {number()}"], {"irreducible": number()}
    sizes = {"states": number(), "features": number(), "actions": number()}
    claim["models"] = [{"name": "m", **sizes, "digest": "ab" * 32}]
    claim["reproduce"] = f"tdcert verify prop_4_1 --seed {number()}"
    claim["simulations"] = [
        {
            "what": f"E at {number()}",
            "agrees": True,
            "contradicts": False,
            "false_alarm": 1e-9,
            "summary": f"from {number()} runs",
        }
    ]
    x = tuple(float(number()) for _ in range(3))
    figure = Figure(
        "convergence_td",
        "prop_4_1",
        f"Figure {number()}",
        f"x in {number()}",
        f"y in {number()}",
        (Series(f"curve {number()}", x, (0.0, 1.0, 2.0)),),
        f"caption {number()}",
        rules=(Rule(f"rule {number()}", x[1]),),
    )
    document["figures"] = [figure]
    return document, [n for n in numbers if float(n) not in x]


def thousands(html: str) -> str:
    """Text of the page with numbers as they are in the document."""
    return html.replace(",", "").replace(" ", " ")


def test_a_removed_verdict_takes_all_its_numbers_along() -> None:
    document, numbers = marked(710_001)
    html = thousands(sample.page(document))
    assert [number for number in numbers if number not in html] == []
    document["claims"] = [claim for claim in document["claims"] if claim["id"] != "prop_4_1"]
    document["figures"] = []
    left = thousands(sample.page(document))
    assert [number for number in numbers if number in left] == [] and "prop_4_1" not in left
    assert Page(left).faults == []


def test_a_changed_number_is_the_one_that_is_shown() -> None:
    (document, old), (changed, new) = marked(710_001), marked(820_001)
    before, after = (thousands(sample.page(found)) for found in (document, changed))
    assert [number for number in new if number not in after] == [number for number in old if number in after] == []
    assert len(before) == len(after)
    for found, shown, gone in ((document, "71", "82"), (changed, "82", "71")):
        (drawn,) = found["figures"]  # typed, as it is drawn
        words = [*re.findall(r">([^<]+)<", pictures.standalone_svg(drawn)), pictures.table(drawn)]
        assert any(f"Figure {shown}" in text for text in words) and not re.search(rf"\b{gone}\d{{4}}", " ".join(words))


@pytest.mark.parametrize("part", ["open", "decided"])
def test_the_summary_counts_what_is_there(part: str) -> None:
    document = sample.verdicts()
    document["claims"] = [claim for claim in document["claims"] if (claim["finding"] == "open") == (part == "open")]
    text = Page(sample.page(document)).text
    counted = "2 statements in this run: 2 not examined" if part == "open" else "4 statements in this run: 1 holds as"
    assert counted in text and ("not examined" in text) is (part == "open")
