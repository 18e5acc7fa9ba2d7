# Numba carries no types of its own.
# mypy: disable-error-code="no-untyped-call"
"""Loops that Numba compiles once and keeps on disk between processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache


class _Kept(FunctionCache):
    """Numba's cache, where a file that cannot be read counts as none.

    A file names the classes of the arguments it was compiled for. One that is renamed in a later version of tdcert, or
    a file that was cut off, would end the run: Numba reads the names before it compares versions of the source.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever unpickling raises
            self.flush()
            return None


def compiled_once(function: Callable[..., Any]) -> Any:
    """The loop, compiled for the types it is called with; other threads of Python run meanwhile."""
    loop: Any = njit(nogil=True)(function)
    loop._cache = _Kept(function)  # as Numba's option ``cache`` does, with its own class
    return loop
