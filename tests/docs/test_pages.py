"""The pages come true: every ``python`` and ``console`` block of the README and of docs/ does what it shows."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from matplotlib import pyplot

from tdcert.claims.paper import ENTRIES
from tdcert.reports import cli
from tests.docs import notebooks
from tests.docs.fences import ROOT, RUN, PageError, Reader, blocks

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "docs/api/tdcert.md",
]
LATER = (
    *("adding_a_claim.md", "conformance.md", "convergence.md", "episodes.md", "getting_started.md", "own_chain.md"),
    *("property_tests.md", "recipes.md", "samples.md", "sweeps.md", "your_own_algorithm.md"),
    *("by_state.md", "limits.md", "questions.md", "sampling.md"),
)
"""They take longer than all other pages: they are read with the long examples."""
ALONE = (
    *("README.md", "getting_started.md", "own_chain.md", "questions.md", "certify.md", "samples.md", "trust.md"),
    *("by_state.md", "episodes.md", "index.md", "install.md", "recipes.md", "sampling.md"),
)
"""What they show comes true in an empty folder: they are for readers who have installed a wheel."""
LONG = [
    pytest.param(page, marks=pytest.mark.thorough, id=page.name)
    for page in PAGES
    if page.name in LATER or any("thorough" in block.said for block in blocks(page))
]


@pytest.fixture
def reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], sketched: None
) -> Iterator[Reader]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("COLUMNS", "100")

    def tdcert(arguments: list[str]) -> tuple[int, str]:
        capsys.readouterr()
        code = cli.main(arguments)
        printed = capsys.readouterr()
        return code, printed.err if code == cli.BAD_INPUT else printed.out  # progress goes to stderr

    # a loaded machine must not fail a page by the clock: test_strategies.py holds the time of an example, in CPU
    hypothesis.settings.register_profile(
        "pages", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
    )
    before = hypothesis.settings.get_current_profile_name()
    hypothesis.settings.load_profile("pages")
    yield Reader(tmp_path, tdcert)
    hypothesis.settings.load_profile(before)
    written = [name for name, module in sys.modules.items() if str(tmp_path) in str(getattr(module, "__file__", ""))]
    for name in written:  # the next page writes modules of its own
        del sys.modules[name]


def read(reader: Reader, page: Path, *, thoroughly: bool) -> None:
    if page.name in ALONE and page.is_relative_to(ROOT):
        reader.sit_alone()
    for block in blocks(page):
        if thoroughly or "thorough" not in block.said:
            reader.run(block)


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in LATER], ids=lambda page: page.name)
def test_a_page_comes_true(page: Path, reader: Reader) -> None:
    read(reader, page, thoroughly=False)


@pytest.mark.parametrize("page", LONG)
def test_a_page_comes_true_with_what_takes_long(page: Path, reader: Reader) -> None:
    read(reader, page, thoroughly=True)


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        ("```python\n>>> 1 + 1\n3\n```\n", "Expected:\n    3\nGot:\n    2\n"),
        ("```python\n1 / 0\n```\n", "division by zero"),
        ("```console\n$ tdcert --version\nanother\n```\n", "prints\ntdcert"),
        ("```console\n$ tdcert show nothing\n```\n", "ended with 2, not 0"),
        ("```console exit=2\n$ tdcert --version\n```\n", "ended with 0, not 2"),
        ("```console exit=2\n$ tdcert show nothing\nanother sentence\n```\n", "no claim"),
        ("```console\n$ python -c 'print(1)'\n2\n```\n", "prints\n1"),
        ("```\n$ tdcert --version\n```\n", "a block with prompts is python or console"),
        ("```python not-run=no\nx = 1\n```\n", "why is this block not run"),
        ("```python skip\nx = 1\n```\n", "says something unknown"),
    ],
)
def test_a_page_that_shows_what_is_not_so_fails(page: str, complaint: str, reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(page, encoding="utf-8")
    with pytest.raises((PageError, ZeroDivisionError)) as told:
        read(reader, tmp_path / "page.md", thoroughly=False)
    assert complaint in str(told.value)


def test_no_block_is_left_out_for_the_time_it_takes() -> None:
    left = {block.place: block.said["not-run"] for page in PAGES for block in blocks(page) if "not-run" in block.said}
    assert left and not [place for place, why in left.items() if re.search(r"minute|second|hour|long|slow|time", why)]


def test_blocks_share_names_and_files(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(
        "```python file=mine.py\nX = 2\n```\n```python\nfrom mine import X\n```\n```python\n>>> X\n2\n```\n"
        '```python not-run="it would stop the run"\nraise SystemExit\n```\n'
        "```console\n$ tdcert \\\n    --version\ntdcert ...\n$ cat mine.py\nX = 2\n```\n",
        encoding="utf-8",
    )
    read(reader, tmp_path / "page.md", thoroughly=False)
    assert [block.language for block in blocks(tmp_path / "page.md")] == ["python"] * 4 + ["console"]
    assert all(block.language in RUN and block.line for block in blocks(tmp_path / "page.md"))


def test_the_table_of_hypotheses_says_what_has_changed_since() -> None:
    """Its pairs are those that the present claims ask, but for what the paragraph above it names."""
    spec = importlib.util.spec_from_file_location("write_sweeps_results", ROOT / "docs" / "write_sweeps_results.py")
    assert spec is not None and spec.loader is not None
    written = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(written)
    page = (ROOT / "docs" / "sweeps-results.md").read_text(encoding="utf-8")
    pairs = re.findall(r"^\| `(\w+)` \| `(\w+)` \| [\d,]+ \|", page, re.MULTILINE)
    said = written.since(pairs)
    assert len(pairs) > 90 and said in page.split("\n")
    asked = [(row.id, h.id) for row in ENTRIES if not row.is_open for h in row.load().hypotheses]
    assert written.since(asked) == ""
    assert "`trace_window` without `coverage`." in written.since([*asked, ("trace_window", "coverage")])
    assert "hypotheses: `trace_window`." in written.since([pair for pair in asked if pair[0] != "trace_window"])


def plain(output: notebooks.Output) -> str:
    """What is shown as text; the table of a notebook holds sentences that are tested elsewhere."""
    return "".join(output.get("text") or output["data"]["text/plain"])


@pytest.mark.thorough
@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.ipynb")), ids=lambda path: path.name)
def test_a_notebook_shows_what_it_stores(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for cell, shown in notebooks.run(path):
        stored, now = ([plain(output) for output in outputs] for outputs in (cell["outputs"], shown))
        assert stored == now, "".join(cell["source"])
    drawn = sum("plot." in "".join(cell["source"]) for cell in notebooks.cells(path))
    assert len(pyplot.get_fignums()) == drawn > 2 and (tmp_path / "walk-report" / "index.html").is_file()
    pyplot.close("all")
