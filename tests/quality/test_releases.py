"""A release is one version wherever it is named, with a section of its own that can be read: RELEASING.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import tdcert

ROOT = Path(__file__).parents[2]
MOST_LINES = 60
SECTIONS = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
RELEASES = [re.match(r"(\d+\.\d+\.\d+)(?: – (\d{4}-\d\d-\d\d))?\n", section) for section in SECTIONS[1:]]


def test_the_newest_section_is_of_this_version() -> None:
    newest = RELEASES[0]
    assert SECTIONS[0].startswith("Unreleased\n") and newest is not None
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert newest.groups() == (tdcert.__version__, str(cited["date-released"])) and cited["version"] == newest[1]
    order = [tuple(map(int, one[1].split("."))) for one in RELEASES if one is not None]
    assert len(order) == len(RELEASES) and order == sorted({*order}, reverse=True)


@pytest.mark.parametrize(
    ("page", "written"), [("action.yml", r"tdcert==(\S+?)\.?\n"), ("docs/conformance.md", r"tdcert@v(\S+)|rev: v(\S+)")]
)
def test_examples_name_this_version(page: str, written: str) -> None:
    found = [name for groups in re.finditer(written, (ROOT / page).read_text()) for name in groups.groups() if name]
    assert found and {*found} == {tdcert.__version__}


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.split("\n")[0].split(" ")[0])
def test_a_section_can_be_read(section: str) -> None:
    assert len(section.strip().split("\n")) <= MOST_LINES
