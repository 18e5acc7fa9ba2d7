"""A class name stands for one thing: no two classes of the product share one.

The checker is counted by itself: it is copied and read without the rest, so it has words of its own.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("theory", "algorithms", "sims", "claims", "analysis", "verification", "sweeps", "reports", "src")
CHECKER = ROOT / "theory/certificate/checker"


def used_twice(sources: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Class names that more than one ``class`` statement of these (place, source) defines, with the places."""
    places = defaultdict[str, list[str]](list)
    for place, source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{place}:{node.lineno}")
    return {name: found for name, found in places.items() if len(found) > 1}


@pytest.mark.thorough
def test_no_two_classes_share_a_name() -> None:
    # rglob does not follow the links to the rooms in src/
    files = {path for room in ROOMS for path in (ROOT / room).rglob("*.py")}
    checker = {path for path in files if path.is_relative_to(CHECKER)}
    assert len(checker) > 5 and len(files) > 300
    for some in (files - checker, checker):
        sources = [(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in sorted(some)]
        assert used_twice(sources) == {}


def test_a_second_class_of_a_name_is_found() -> None:
    first, second = "class Move:\n    pass\n", "def f():\n    class Move:\n        pass\n"
    assert used_twice([("a.py", first), ("b.py", second)]) == {"Move": ["a.py:1", "b.py:2"]}
    assert used_twice([("a.py", first)]) == {}
