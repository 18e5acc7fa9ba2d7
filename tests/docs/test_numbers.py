"""Numbers about the repository in its pages are those of the code; counts that nothing holds are not written."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

import pytest

from tdcert.analysis import exact_analysis
from tdcert.analysis import limits as analysis_limits
from tdcert.analysis.advice import compare_schedules, model_numbers
from tdcert.sims.trials import limits as trial_limits
from tdcert.theory import limits as largest
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.checker import limits
from tdcert.theory.files import limits as file_limits

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "tests" / "README.md", *ROOT.glob("docs/*.md"))
    if not page.name.startswith("benchmarks")
)
"""Those of benchmarks are held against recorded runs (``tests/quality/test_benchmark_results.py``)."""

BOUNDS = [
    ("certificates.md", f"File at most {limits.MAX_BYTES // 2**20} MiB, nesting depth at most {limits.MAX_DEPTH}"),
    (
        "certificates.md",
        f"at most {limits.MAX_STATES:,} states, {limits.MAX_FEATURES:,} features and {limits.MAX_ACTIONS} actions, "
        f"{limits.MAX_LAMBDAS:,} λ's, {limits.MAX_DIGITS:,} digits a number",
    ),
    (
        "certificates.md",
        f"`bits` at most {limits.MAX_BITS:,}, updates of at most {limits.MAX_PARAMETERS - 1:,} parameters, "
        f"{limits.MAX_PARAMETERS - 1:,} entries of memory and {limits.MAX_STEPS} step sizes, expressions of at most "
        f"{limits.MAX_NODES:,} nodes",
    ),
    ("certificates.md", f"at most {limits.MAX_PATHS:,} paths under an `E`"),
    ("formats.md", f"n×d; may be left out (tabular) up to {file_limits.TABULAR_STATES:,} states"),
    ("formats.md", f"a model above {exact_analysis.EVERY_CLAIM_STATES} states is not asked"),
    (
        "formats.md",
        f"above {model_numbers.EXACT_STATES} states TD alone, up to {analysis_limits.COMPARED_FEATURES} features",
    ),
    ("formats.md", f"or balls of {compare_schedules.BITS} bits where these"),
    ("formats.md", f"other model files and environments; {largest.ENCLOSED_STATES:,} states at most"),
    ("formats.md", f"Up to {largest.MOST_CLASSES} recurrent classes are asked about"),
    ("conformance.md", f"`--time-limit` ({trial_limits.CLASS_SECONDS:.0f} s for each process by default"),
    (
        "your_own_algorithm.md",
        f"An update is evaluated on at most {largest.EVALUATED_TRANSITIONS:,} different transitions",
    ),
]


@pytest.mark.parametrize(("page", "words"), BOUNDS)
def test_bounds_in_pages_are_those_of_the_code(page: str, words: str) -> None:
    text = " ".join((ROOT / "docs" / page).read_text(encoding="utf-8").split())
    assert words in text, f"docs/{page} should say '{words}'"


NUMBER = r"(?:\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty|hundreds)"
COUNTS = rf"{NUMBER}\s+(?:lines|tests|mutants|kinds|modules|files)\b"
TIMES = rf"(?:takes?|in|of|about) {NUMBER} (?:seconds|minutes|hours)\b|{NUMBER} minutes on "
ALLOWED = {
    "the ten lines": "an example of what an update is, in words",
    "about ten lines": "how long an adapter is",
    "at most 40 lines": "held by tests/reports/test_answer.py",
    "after ten minutes": "what an option in the same sentence asks for",
    "three kinds of proc": "those of the table above it",
    "core seconds: 17 minutes": "arithmetic in the same sentence",
    "two mutants at a time": "how they are run",
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_counts_what_grows(page: Path) -> None:
    """Lines, tests, mutants and kinds, and how long a command takes, change unseen: what a page says is soon wrong."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = [match for what in (COUNTS, TIMES) for match in re.finditer(what, text)]
    said = [text[max(0, match.start() - 30) : match.end() + 10].replace("\n", " ") for match in found]
    assert not [words for words in said if not any(allowed in words for allowed in ALLOWED)]


def test_the_checker_is_a_folder_of_the_standard_library() -> None:
    """docs/trust.md says so, without a count of lines."""
    source = "".join(path.read_text(encoding="utf-8") for path in Path(inspect.getfile(checker)).parent.glob("*.py"))
    imported = set(re.findall(r"^(?:from|import) ([a-z_]+)", source, re.MULTILINE))
    assert imported <= sys.stdlib_module_names | {"__future__"}
