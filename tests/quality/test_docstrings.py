"""A docstring names its subject: none begins with a word that leaves the reader to look for it elsewhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.quality.test_class_names import ROOMS, ROOT

NO_SUBJECT = re.compile(r"(The same|Same|Of|As|Them|Those|That|Likewise|Ditto|And|Or|But)\b")


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Those of modules, classes and functions, and strings that stand behind a statement; with the line."""
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", ())
        for part in body if isinstance(body, list) else ():
            match part:
                case ast.Expr(ast.Constant(str(text))):
                    yield part.lineno, text.strip()


@pytest.mark.thorough
def test_docstrings_of_the_product_begin_with_their_subject() -> None:
    read, bad = 0, []
    for path in sorted({path for room in ROOMS for path in (ROOT / room).rglob("*.py")}):
        for line, text in docstrings(path.read_text(encoding="utf-8")):
            read += 1
            if NO_SUBJECT.match(text):
                bad.append(f"{path.relative_to(ROOT)}:{line}: {text.splitlines()[0]}")
    assert read > 3000 and bad == []


def test_such_a_docstring_is_found_wherever_it_stands() -> None:
    source = 'x = 1\n"""Of y."""\n\nclass A:\n    y: int\n    """As x."""\n\n    def f(self):\n        """The sum."""\n'
    found = [(line, bool(NO_SUBJECT.match(text))) for line, text in docstrings(source)]
    assert sorted(found) == [(2, True), (6, True), (9, False)]
