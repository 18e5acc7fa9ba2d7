"""The README's index is current, and the links of the pages resolve. What the pages show is run in tests/docs/."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


def test_the_index_of_claims_is_current() -> None:
    spec = importlib.util.spec_from_file_location("update_readme", ROOT / "docs" / "update_readme.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = README.read_text(encoding="utf-8")
    assert module.replaced(text, "index", module.index()) == text, "run python docs/update_readme.py"


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
)
def test_relative_links_resolve(page: str) -> None:
    place = ROOT / page
    for target in re.findall(r"\]\(([^)#]+)", place.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (place.parent / target).exists(), f"{page} links to {target}"
