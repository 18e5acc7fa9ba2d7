"""The place where the code that is put on trial lies, by name, by file or by the object itself."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from tdcert.sims.trials.notebooks import cells_of, definition
from tdcert.theory.errors import InputError


@dataclass(frozen=True)
class CodePlace:
    """Where a ``class`` or a ``function`` (``kind``) is found: ``module`` (its name) or ``file`` or both, and
    ``qualname`` in it.

    ``source``: of what lies in a notebook, what defines it there; empty elsewhere.
    """

    kind: str
    label: str
    module: str | None
    file: str | None
    qualname: str
    source: str = ""

    @property
    def holder(self) -> str:
        """The file, module or notebook, for a sentence."""
        return self.file or (f"the module {self.module}" if self.module else "this notebook")

    @staticmethod
    def of(given: object, kind: str) -> CodePlace:
        """From ``module:NAME``, ``path/to/file.py:NAME``, ``notebook.ipynb:NAME``, or an object at the top level of a
        file or of the notebook that is running.

        Raises :class:`InputError` where that names nothing of this kind in a file.
        """
        ways = f"MODULE:{kind.upper()}, path/to/file.py:{kind.upper()} or notebook.ipynb:{kind.upper()}"
        if isinstance(given, str):
            return _named(given, kind, ways)
        called = callable(given) and hasattr(given, "__qualname__")
        if isinstance(given, type) != (kind == "class") or not called:
            raise InputError(
                f"an object of type {type(given).__name__} is not a {kind}; give the {kind} itself, {ways}"
            )
        return _of_object(given, str(getattr(given, "__qualname__", "")), kind)


def _named(given: str, kind: str, ways: str) -> CodePlace:
    place, colon, qualname = given.rpartition(":")
    if not colon or not place or not all(name.isidentifier() for name in qualname.split(".")):
        raise InputError(f"'{given}' names no {kind}; give {ways}")
    if not place.endswith((".py", ".ipynb")) and os.sep not in place:
        return CodePlace(kind, given, place, None, qualname)
    file = Path(place)
    if not file.is_file():
        raise InputError(f"there is no file '{place}'; give MODULE:{kind.upper()} or path/to/file.py:{kind.upper()}")
    source = definition(cells_of(file), qualname, place, kind) if place.endswith(".ipynb") else ""
    return CodePlace(kind, given, None, str(file.resolve()), qualname, source)


def _of_object(given: object, qualname: str, kind: str) -> CodePlace:
    module = sys.modules.get(given.__module__)
    file, cells = getattr(module, "__file__", None), getattr(module, "In", None)
    if "<locals>" in qualname:
        raise InputError(
            f"the {kind} {qualname} is made inside a function, where no other process finds it; "
            "define it at the top level of a file"
        )
    if file is None and isinstance(cells, list):  # IPython keeps every input of the notebook that is running there
        source = definition([str(cell) for cell in cells], qualname, "this notebook", kind)
        return CodePlace(kind, f"NOTEBOOK.ipynb:{qualname}", None, None, qualname, source)
    if file is None:
        raise InputError(f"the {kind} {qualname} lies in no file; save it and give path/to/file.py:{kind.upper()}")
    name = None if given.__module__ == "__main__" else given.__module__
    return CodePlace(kind, f"{given.__module__}:{qualname}", name, os.path.realpath(file), qualname)
