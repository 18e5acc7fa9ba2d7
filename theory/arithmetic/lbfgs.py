"""Where a smooth function is about least, in floats, which only propose: the L-BFGS-B of SciPy.

Reading SciPy's optimisation takes a tenth of a small analysis, for it reads transforms, geometry and special functions
first. So the one compiled routine is loaded where it lies and called as ``scipy.optimize.minimize`` calls it, which
gives the same bits; with any other version of SciPy than the one that was compared, ``minimize`` is called.

Source: Zhu, Byrd, Lu and Nocedal, *ACM Transactions on Mathematical Software* 23, 1997.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import Any

import numpy as np
import scipy

from tdcert.theory.arithmetic.float_enclosures import Floats

Slope = Callable[[Floats], tuple[float, Floats]]
"""A value and the gradient at a place."""

CALLED_ALIKE = "1.17.1"
"""The version of SciPy whose ``minimize`` calls the routine as :func:`least_near` does, as a test compares."""
PAIRS, TRIES = 10, 20
"""Steps that the search remembers, and places that it tries on a line."""
_NEW_STEP, _EVALUATE, _STOP, _MOST_STEPS = 1, 3, 5, 504
"""What the routine says that it has made, or asks for; what it is told, and why."""


def least_near(at: Slope, start: Floats, *, steps: int, fall: float, slope: float) -> Floats:
    """Where the search from ``start`` (k floats) ends: after so many ``steps``, where one brings a relative ``fall`` of
    no more than that, or where no entry of the gradient is beyond ``slope``.
    """
    routine = _routine() if scipy.__version__ == CALLED_ALIKE else None
    if routine is None:
        options = {"maxiter": steps, "ftol": fall, "gtol": slope, "maxcor": PAIRS, "maxls": TRIES}
        found = scipy.optimize.minimize(at, start, jac=True, method="L-BFGS-B", options=options)
        return np.asarray(found.x)
    k, m = len(start), PAIRS
    x, value, gradient = np.array(start, dtype=np.float64), 0.0, np.zeros(k)
    work, whole = np.zeros(2 * m * k + 5 * k + 11 * m * m + 8 * m), np.zeros(3 * k, dtype=np.int32)
    task, line, *kept = (np.zeros(n, dtype=np.int32) for n in (2, 2, 4, 44))
    free, floats = (np.zeros(k), np.zeros(k), np.zeros(k, dtype=np.int32)), np.zeros(29)
    asked, made, factor = np.full(k, np.nan), 0, fall / np.finfo(float).eps
    while True:
        routine(m, x, *free, value, gradient, factor, slope, work, whole, task, *kept, floats, TRIES, line)
        if task[0] == _EVALUATE:
            if not np.array_equal(x, asked):
                asked = x.copy()
                value, gradient = at(asked.copy())
            gradient = gradient.astype(np.float64)  # a copy, which the routine may write to
        elif task[0] == _NEW_STEP:
            made += 1
            if made >= steps:
                task[:] = _STOP, _MOST_STEPS
        else:
            return x


@cache
def _routine() -> Any:
    """The compiled routine; None where it is not found."""
    found = PathFinder.find_spec("_lbfgsb", [f"{place}/optimize" for place in scipy.__path__])
    if found is None or found.loader is None:
        return None
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module.setulb
