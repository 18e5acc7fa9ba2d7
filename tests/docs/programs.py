"""The programs of docs/ that write a page, as modules."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"


def program(name: str) -> Any:
    """``docs/NAME.py``, loaded."""
    spec = spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
