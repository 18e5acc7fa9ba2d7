"""A check receives a model, never a claim's id: below the claims no id stands in the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tdcert.claims.paper import ENTRIES

ROOT = Path(__file__).resolve().parents[2]
IDS = {row.id for row in ENTRIES}


def strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The string constants of a module but its docstrings, of hypotheses all but the id (some are called alike)."""
    passed_over: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            passed_over.add(id(node.value))  # documents what stands before or around it
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hypothesis":
            passed_over.add(id(node.args[0]))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in passed_over:
            yield node.lineno, node.value


def ids_in(text: str) -> set[str]:
    return IDS & set(re.findall(r"\w+", text))


@pytest.mark.parametrize("room", ["theory", "sims", "sweeps"])
def test_no_claim_is_named_in_the_code_of(room: str) -> None:
    files = sorted((ROOT / room).rglob("*.py"))
    assert len(files) > 20
    named = {path: text for path in files if ids_in(text := path.read_text(encoding="utf-8"))}
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path, source in named.items()
        for line, text in strings(ast.parse(source))
        if ids_in(text)
    ]
    assert not found, "get the claim from claims/paper.py, or receive its form:\n" + "\n".join(found)


def test_a_named_claim_is_seen_and_words_about_it_are_not() -> None:
    source = '"""prop_4_1"""\nX = 1\n"""as prop_4_1"""\nY = {"prop_4_1": f"see {X}, negative_margin"}\n'
    assert [node[1] for node in strings(ast.parse(source))] == ["prop_4_1", "see ", ", negative_margin"]
    assert not list(strings(ast.parse('@hypothesis("representable_value")\ndef H(model): ...')))
