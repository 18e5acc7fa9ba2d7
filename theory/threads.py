"""How many threads one product of matrices takes in a process of the command.

On matrices of a hundred rows two threads of OpenBLAS take up to twice the processor time of one and no less time on the
clock, and several times as much where other work runs beside them; from a thousand rows on they share the work.
"""

from __future__ import annotations

import ctypes
import os

VARIABLE = "OPENBLAS_NUM_THREADS"
ROWS = 1_000
"""Rows from which on products are shared."""
NAMES = tuple(f"{name}openblas_{{}}_num_threads{bits}" for name in ("scipy_", "") for bits in ("64_", ""))
"""What builds of OpenBLAS call the functions that get and set the number of threads."""
_chosen = False


def one_thread() -> None:
    """Lets products take one thread, unless the user says otherwise. NumPy reads it once, when it is imported."""
    global _chosen
    if VARIABLE not in os.environ:
        os.environ[VARIABLE] = "1"
        _chosen = True


def threads_for(rows: int) -> None:
    """Lets products of so many rows take all cores, if they are large and :func:`one_thread` has chosen one."""
    if rows >= ROWS and _chosen:
        _ask("set", os.cpu_count() or 1)


def threads() -> int | None:
    """How many threads a product takes; None where NumPy is not linked with OpenBLAS."""
    return _ask("get")


def _ask(verb: str, *given: int) -> int | None:
    from numpy.linalg import _umath_linalg as linked

    library = ctypes.CDLL(linked.__file__)  # finds what NumPy itself is linked with
    name = next((name for each in NAMES if hasattr(library, name := each.format(verb))), None)
    return None if name is None else int(getattr(library, name)(*given))
