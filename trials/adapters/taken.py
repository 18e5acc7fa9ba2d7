"""One function out of an installed file, without importing the package around it (and all that it needs)."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any


def file_of(package: str, inside: str) -> Path:
    """The file ``inside`` of an installed package."""
    for folder in sys.path:
        found = Path(folder or ".") / package / inside
        if found.is_file():
            return found
    raise ImportError(f"{package}/{inside} is not installed")


def taken(package: str, inside: str, *names: str, **namespace: Any) -> Any:
    """The functions or methods of these names (the last is returned), run in ``namespace``; decorators are dropped."""
    tree = ast.parse(file_of(package, inside).read_text(encoding="utf-8"))
    for name in names:
        found = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name)
        found.decorator_list, found.returns = [], None
        for argument in [*found.args.args, *found.args.kwonlyargs]:
            argument.annotation = None
        exec(compile(ast.Module([found], type_ignores=[]), f"{package}/{inside}", "exec"), namespace)
    return namespace[names[-1]]


def lines(package: str, inside: str, name: str) -> Any:
    """The statements of the innermost ``with`` block in which ``name`` is set, compiled."""
    tree = ast.parse(file_of(package, inside).read_text(encoding="utf-8"))
    blocks = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.With)
        and any(isinstance(x, ast.Name) and x.id == name and isinstance(x.ctx, ast.Store) for x in ast.walk(node))
    ]
    return compile(ast.Module(blocks[-1].body, type_ignores=[]), f"{package}/{inside}", "exec")
