"""An algorithm's name stands in ``algorithms/``, in the claims about it, and where a reason is given here.

So a new algorithm is a file of ``algorithms/`` and nothing else. Strings count; docstrings do not: examples may name
it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tdcert.algorithms import NAMES

ROOT = Path(__file__).parents[2]
ROOMS = ("theory", "sims", "analysis", "verification", "sweeps", "reports", "src")
EXCEPTIONS = {
    "theory/certificate/checker/windows.py": "words of the file format, and the checker shares nothing",
    "theory/certificate/checker/convergence.py": "the same",
    "theory/check/convergence.py": "words of the file format: what is proved in Coq is proved of these four",
    "sims/kernels": "compiled code, registered by name",
    "sims/mistakes/gradient.py": "mistakes made by hand in the functions",
    "sims/experiments": "what the paper's experiments run",
    "sims/phases/baird_diagram.py": "the same",
    "theory/model/estimator": "estimators of returns, some of which are called as algorithms are",
    "theory/identities/estimators.py": "the same",
    "sims/estimators": "the same",
    "reports/cli/estimator_options.py": "the same",
}
WORD = re.compile(rf"(?<![\w<{{/\[])({'|'.join(NAMES)})(?![\w>])")


def strings(code: str) -> Iterator[str]:
    """The string constants of a module that are not docstrings."""
    tree = ast.parse(code)
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def test_no_name_stands_elsewhere() -> None:
    # rglob does not follow the links to the rooms in src/
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    places = {str(path.relative_to(ROOT)) for path in files}
    assert {"theory/laws/windows.py", "reports/labels.py", "src/tdcert/_face.py"} <= places
    found = set()
    for place in places:
        code = (ROOT / place).read_text(encoding="utf-8")
        if WORD.search(code) and not place.startswith(tuple(EXCEPTIONS)):
            found |= {f"{place}: {text!r}" for text in strings(code) if WORD.search(text)}
    assert not found
    pages = (ROOT / "reports/templates").glob("*.html")  # where td is a tag
    assert not [page for page in pages if set(WORD.findall(page.read_text(encoding="utf-8"))) - {"td"}]


def test_every_exception_exists() -> None:
    assert all(any((ROOT / place).parent.glob(f"{Path(place).name}*")) for place in EXCEPTIONS)


def test_a_name_is_seen() -> None:
    code = (
        '"""Docstring: gtd."""\nx = 1\n"""Said of x: tdc."""\ny = "give gtd, or another", "<td>", "htdocs", f"{x} td"\n'
    )
    assert [bool(WORD.search(text)) for text in strings(code)].count(True) == 2
