"""A class or a function out of a notebook: its own text, and what that needs of the other cells.

A notebook is a record of work, and running all of it may train for hours. So only the statements that define it are
taken, with those that define the names they use, and so on: imports, functions, classes, assignments. Magics are left
out.
"""

from __future__ import annotations

import ast
import json
import symtable
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tdcert.theory.errors import InputError

TIMED = ("%%time", "%%timeit", "%%capture", "%%prun")
"""Cell magics that run the rest of the cell as Python."""


def cells_of(file: Path) -> list[str]:
    """The sources of the code cells of an ``.ipynb`` file (nbformat 3 and 4); raises :class:`InputError` otherwise."""
    try:
        notebook = json.loads(file.read_text(encoding="utf-8"))
        sheets = notebook["cells"] if "cells" in notebook else [c for s in notebook["worksheets"] for c in s["cells"]]
        sources = [c.get("source", c.get("input")) for c in sheets if c["cell_type"] == "code"]
        return ["".join(source) for source in sources]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"'{file}' cannot be read as a notebook ({type(error).__name__}); give an .ipynb") from None


DEFINED_BY: Mapping[str, type[ast.ClassDef | ast.FunctionDef]] = {"class": ast.ClassDef, "function": ast.FunctionDef}


def definition(cells: Sequence[str], qualname: str, place: str, kind: str) -> str:
    """Python source that defines the class or function ``qualname`` and what it needs, from the cells of ``place``.

    Raises :class:`InputError` where no cell defines it.
    """
    name, of_kind = qualname.split(".")[0], DEFINED_BY[kind]
    statements = [statement for cell in cells for statement in _statements(cell)]
    known = list(dict.fromkeys(x.name for x in statements if isinstance(x, of_kind)))
    if name not in known:
        has = f"it has {', '.join(known[:5])}" if known else f"and defines no {kind} at the top level of a cell"
        raise InputError(f"{place} has no {kind} '{name}'; {has}")
    needed, taken = {name}, [False] * len(statements)
    while True:
        before = list(taken)
        for i, statement in enumerate(statements):
            if not taken[i] and (needed & set(_defined(statement)) or _imports_everything(statement)):
                taken[i] = True
                needed |= set(_used(symtable.symtable(ast.unparse(statement), place, "exec")))
        if taken == before:
            return "\n".join(ast.unparse(x) for x, wanted in zip(statements, taken, strict=True) if wanted)


def _statements(cell: str) -> list[ast.stmt]:
    """The statements of a cell without its magics; none where it is in another language, or broken."""
    first = cell.lstrip().split(maxsplit=1)[:1]
    if first and first[0].startswith("%%") and first[0] not in TIMED:
        return []
    kept = [line for line in cell.splitlines() if not line.lstrip().startswith(("%", "!", "?"))]
    try:
        return ast.parse("\n".join(kept)).body
    except (SyntaxError, ValueError):
        return []


def _imports_everything(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and (
        statement.module == "__future__" or any(x.name == "*" for x in statement.names)
    )


def _defined(node: ast.AST) -> Iterator[str]:
    """The names that a statement binds at the top level, in its blocks too; a bare expression binds none."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((x.asname or x.name).split(".")[0] for x in node.names)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif not isinstance(node, ast.Lambda | ast.Expr):
        for child in ast.iter_child_nodes(node):
            yield from _defined(child)


def _used(scope: symtable.SymbolTable) -> Iterator[str]:
    """The names that a statement reads from the top level, from inside its functions and classes too."""
    for symbol in scope.get_symbols():
        if symbol.is_referenced() and (scope.get_type() == "module" or symbol.is_global()):
            yield symbol.get_name()
    for inner in scope.get_children():
        yield from _used(inner)
