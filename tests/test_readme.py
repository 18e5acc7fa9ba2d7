"""The README's index is current, the links of the pages resolve, CI runs every test. What the pages show is run in
tests/docs/.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tdcert.claims.paper import ENTRIES
from tests.docs.programs import program

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


@pytest.mark.parametrize("thorough", [True, False])
def test_ci_leaves_no_test_out(thorough: bool) -> None:
    """A test that nothing runs rots."""
    (marks,) = re.findall(r"make test ARGS=\"-m '(.+)'\"", (ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    assert eval(marks, {"thorough": thorough})


def test_the_index_of_claims_is_current() -> None:
    module = program("update_readme")
    text = README.read_text(encoding="utf-8")
    assert module.replaced(text, "index", module.index()) == text, "run python docs/update_readme.py"


def test_the_findings_are_those_of_the_claims() -> None:
    """Every run compares its verdicts with the predictions and names what differs."""
    predicted = json.loads((ROOT / "claims" / "dgb22" / "predictions.json").read_text(encoding="utf-8"))
    findings = Counter(predicted[entry.id]["finding"] for entry in ENTRIES if entry.is_of_the_paper)
    said = (
        f"Of its {findings.total()} statements {findings['as_stated']} hold as printed, "
        f"{findings['implicit_hypothesis']} need a hypothesis that is not printed, {findings['false']} are false, "
        f"{findings['misprint']} have a misprint, and {findings['empirical']} are about experiments."
    )
    assert said in " ".join(README.read_text(encoding="utf-8").split())


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
)
def test_relative_links_resolve(page: str) -> None:
    place = ROOT / page
    for target in re.findall(r"\]\(([^)#]+)", place.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (place.parent / target).exists(), f"{page} links to {target}"
