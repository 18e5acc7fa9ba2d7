"""No two modules need each other, not even by an import inside of a function."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("theory", "algorithms", "sims", "claims", "analysis", "verification", "sweeps", "reports")


def modules() -> dict[str, Path]:
    """Every module of the product by its name."""
    paths = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    parts = {path: ("tdcert", *path.relative_to(ROOT).with_suffix("").parts) for path in paths}
    return {".".join(name[:-1] if name[-1] == "__init__" else name): path for path, name in parts.items()}


def imported(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """What of the product a module imports as it runs, wherever the line stands; not what only type checkers read."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unread = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in unread:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = name.split(".")[: len(name.split(".")) - node.level + (path.name == "__init__.py")]
            base = ".".join([*(above if node.level else []), *([node.module] if node.module else [])])
            inside = {f"{base}.{alias.name}" for alias in node.names}
            found |= (inside & known.keys()) or {base}
    return found & known.keys() - {name}


def in_order(graph: dict[str, set[str]]) -> list[str]:
    return list(TopologicalSorter(graph).static_order())


@pytest.mark.thorough
def test_imports_have_no_circle() -> None:
    known = modules()
    graph = {name: imported(name, path, known) for name, path in known.items()}
    assert sum(map(len, graph.values())) > len(graph)
    in_order(graph)
    graph["tdcert.theory.verdict"].add("tdcert.reports.cli")
    with pytest.raises(CycleError):
        in_order(graph)
