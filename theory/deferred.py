"""Modules of libraries that a process of the command reads when something of them is first used.

SciPy copies all names of NumPy, so NumPy reads what is left for its users to import: its tools for Fortran, its tests.
SciPy's optimisation reads its geometry, and the standard library's words for XML its web client. No command uses any of
it, and reading it takes a tenth of a small analysis.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

DEFERRED = frozenset(
    ("numpy.ctypeslib", "numpy.f2py", "numpy.polynomial", "numpy.testing", "scipy.spatial", "urllib.request")
)
"""Modules that others import whole, and take nothing from while they are imported."""


class DeferredModules(MetaPathFinder):
    """Finds the modules of :data:`DEFERRED` as Python does, with a loader that runs them at their first attribute."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where such a module is; None for all others."""
        if fullname not in DEFERRED:
            return None
        found = PathFinder.find_spec(fullname, path, target)
        if found is not None and found.loader is not None:
            found.loader = LazyLoader(found.loader)
        return found


def defer() -> None:
    """Defers the modules of :data:`DEFERRED` in this process, those that are not imported yet."""
    sys.meta_path.insert(0, DeferredModules())


def read_now() -> None:
    """Reads what :func:`defer` has deferred, and defers no more; nothing where it was not called.

    For code that is not ours: it may run in threads, and before Python 3.12.3 a thread sees a module half-read that
    another one is reading.
    """
    finders = [finder for finder in sys.meta_path if isinstance(finder, DeferredModules)]
    for finder in finders:
        sys.meta_path.remove(finder)
    for module in [sys.modules[name] for name in sorted(DEFERRED) if name in sys.modules] if finders else ():
        getattr(module, "__doc__", None)
