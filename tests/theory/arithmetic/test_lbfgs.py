"""The search of least values by SciPy's routine, against the same by ``scipy.optimize.minimize``, bit by bit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import scipy

from tdcert.theory.arithmetic import lbfgs
from tdcert.theory.arithmetic.float_enclosures import Floats

Slope = lbfgs.Slope


def bowl(k: int, seed: int) -> Slope:
    """A logarithm of a sum of exponentials, as the bounds of paths are; from k = 6 on it has no least value."""
    A = np.random.default_rng(seed).normal(size=(12, k))

    def at(u: Floats) -> tuple[float, Floats]:
        z = A @ u
        w = np.exp(z - z.max())
        return float(z.max() + np.log(w.sum())), A.T @ (w / w.sum())

    return at


def valley(k: int, seed: int) -> Slope:
    """Rosenbrock's, without a value beyond a wall."""

    def at(u: Floats) -> tuple[float, Floats]:
        if u.max(initial=0) > 1 + seed % 3 / 4:
            return 1e6, np.zeros(k)
        steps = u[1:] - u[:-1] ** 2
        gradient = -2 * (1 - u)
        gradient[:-1] -= 400 * u[:-1] * steps
        gradient[1:] += 200 * steps
        return float((100 * steps**2).sum() + ((1 - u) ** 2).sum()), gradient

    return at


def searched(at: Slope, start: Floats, steps: int) -> tuple[Floats, list[Floats]]:
    """Where the search ends, and where it asked for a value."""
    asked: list[Floats] = []

    def told(u: Floats) -> tuple[float, Floats]:
        asked.append(u.copy())
        return at(u)

    return lbfgs.least_near(told, start, steps=steps, fall=1e-12, slope=1e-9), asked


@pytest.mark.thorough
@pytest.mark.parametrize("function", [bowl, valley])
def test_the_routine_asks_and_ends_where_minimize_does(
    function: Callable[[int, int], Slope], monkeypatch: pytest.MonkeyPatch
) -> None:
    if scipy.__version__ != lbfgs.CALLED_ALIKE:
        pytest.skip("the calls of this SciPy were not compared")
    assert lbfgs._routine() is not None
    for seed in range(8):
        k, steps = 2 + 3 * seed, 1 + 5 * seed
        start = np.random.default_rng(seed).normal(size=k) / 2
        own, asked = searched(function(k, seed), start, steps)
        with monkeypatch.context() as patched:
            patched.setattr(lbfgs, "CALLED_ALIKE", "another")
            theirs, others = searched(function(k, seed), start, steps)
        assert np.array_equal(own, theirs)
        assert len(asked) == len(others) and all(map(np.array_equal, asked, others))


def test_the_least_value_of_a_square_is_found() -> None:
    found = lbfgs.least_near(lambda u: (float((u - 3) @ (u - 3)), 2 * (u - 3)), np.zeros(4), steps=9, fall=0, slope=0)
    assert np.allclose(found, 3)
