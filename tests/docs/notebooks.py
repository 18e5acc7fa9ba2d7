"""Notebooks run as Jupyter runs them: cell after cell in one namespace, the last expression of a cell shown.

    python -m tests.docs.notebooks examples/tutorial.ipynb        writes the outputs into the notebook

A tiny reader of the format (nbformat 4) in the place of a kernel: what a cell printed and the value it ends with, as
text and as HTML where the value has it; a semicolon at the end shows nothing. Pictures are drawn, and not stored.
"""

from __future__ import annotations

import ast
import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

Output = dict[str, Any]


def cells(path: Path) -> list[dict[str, Any]]:
    """The cells of a notebook."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    return list(notebook["cells"])


def outputs_of(source: str, namespace: dict[str, Any], count: int) -> list[Output]:
    """What a code cell shows."""
    tree, printed = ast.parse(source), io.StringIO()
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = None
    with redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)
    found: list[Output] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None and not source.rstrip().endswith(";"):
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data = {"text/html": lines(value._repr_html_()), **data}
        found.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return found


def lines(text: str) -> list[str]:
    """As notebooks store text."""
    return text.splitlines(keepends=True)


def run(path: Path) -> list[tuple[dict[str, Any], list[Output]]]:
    """Each code cell with what it shows now."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    code = [cell for cell in cells(path) if cell["cell_type"] == "code"]
    return [(cell, outputs_of("".join(cell["source"]), namespace, k)) for k, cell in enumerate(code, start=1)]


def main(path: Path) -> None:
    """Stores what the cells show."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    shown = iter(run(path))
    for count, cell in enumerate((cell for cell in notebook["cells"] if cell["cell_type"] == "code"), start=1):
        cell["execution_count"], cell["outputs"] = count, next(shown)[1]
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(Path(sys.argv[1]))
