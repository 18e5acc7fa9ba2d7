r"""How far two correct implementations of a declared update may drift apart along one path.

An update is y' = F(y, m), m' = M(m): F is affine in the parameters y, with coefficients affine in the memory m, and M
is affine in m. As in :mod:`tdcert.sims.rounding`, a float evaluation in any order of additions and multiplications
returns the monomials of F, each times at most μ factors (1 + ε), |ε| ≤ u: so it is off by at most γ_μ F̄(|y|, |m|), F̄
the sum of the magnitudes that are added. Two implementations, D_y and D_m apart, are after an update at most

    D_m' = |M_m| D_m + 2 γ_μ M̄(m̄),
    D_y' = |J d| + N,  J = ∂F/∂y (m),  N = (∂F̄/∂m)(|y| + D_y) D_m + 2 γ_μ F̄(|y| + D_y, m̄)

apart, where d, |d| ≤ D_y, is their difference before. |J| in place of J would grow where the update shrinks what it has
(a momentum θ + κ(θ − θ_{t−1}) would double it every other step), so products are kept: the difference after t updates
is Σ_s W_s n_s, W_s = J_{t−1} … J_{s+1} as it is computed and |n_s| ≤ N_s, hence at most Σ_s |W_s| N_s. Computing J W_s
for K parameters is off by at most γ_K |J| |W_s|; what that leaves out, γ_K |J| Σ_s |W_s| N_s, is added to N_t.

The memory's magnitude m̄ is carried on, m̄' = M̄(m̄), and never replaced by |m|: so implementations that sum their
trace anew in each step, or in another order, are covered too.

Both parts are read off one evaluation of the declared function, on numbers that carry two first-order jets: the value
with its derivatives by (y, m), and the magnitude with its own. ``chain`` is the longest chain of operations from an
input to a result; μ is four times that, so an implementation may compute in other ways than the function does.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdcert.theory.arithmetic.reflected import Reflected

Array = NDArray[np.float64]

FREEDOM = 4
"""μ over the chain of the declared function."""


class Jet(Reflected):
    """``jet`` (2, 1 + K): value and derivatives above, magnitude and its derivatives below; (2, 1) without any."""

    __slots__ = ("chain", "jet")

    def __init__(self, jet: Array, chain: int) -> None:
        self.jet, self.chain = jet, chain

    @property
    def value(self) -> float:
        """The number itself."""
        return float(self.jet[0, 0])

    def _like(self, x: Any) -> Jet | None:
        if isinstance(x, Jet):
            return x
        return constant(float(x)) if isinstance(x, float | int | Fraction | np.floating | np.integer) else None

    def _plus(self, y: Jet) -> Jet:
        chain = max(self.chain, y.chain) + 1
        if self.jet.shape == y.jet.shape:
            return Jet(self.jet + y.jet, chain)
        few, many = (self.jet, y.jet) if self.jet.shape[1] == 1 else (y.jet, self.jet)
        total = many.copy()
        total[:, :1] += few
        return Jet(total, chain)

    def __neg__(self) -> Jet:
        return Jet(self.jet * NEGATED, self.chain)

    def _times(self, y: Jet) -> Jet:
        if self.jet.shape[1] == 1 or y.jet.shape[1] == 1:
            return Jet(self.jet * y.jet, self.chain + y.chain + 1)
        product = self.jet[:, :1] * y.jet + y.jet[:, :1] * self.jet
        product[:, 0] = self.jet[:, 0] * y.jet[:, 0]
        return Jet(product, self.chain + y.chain + 1)

    def _over(self, y: Jet) -> Jet:
        # the divisor is a number of the transition, an option or a step size
        return self._times(Jet(np.array([[1 / y.value], [y.jet[1, 0] / y.value**2]]), y.chain))

    def __abs__(self) -> Jet:
        return self if self.value >= 0 else -self

    def _compared(self, other: Any, how: Callable[[float, float], bool]) -> Any:
        y = self._like(other)
        return NotImplemented if y is None else how(self.value, y.value)

    def __bool__(self) -> bool:
        return self.value != 0

    def __hash__(self) -> int:
        return hash(self.value)


NEGATED = np.array([[-1.0], [1.0]])


def constant(x: float) -> Jet:
    """An input without derivatives, rounded once."""
    return Jet(np.array([[x], [abs(x)]]), 1)


def variable(x: float, magnitude: float, place: int, width: int) -> Jet:
    """Parameter or entry of the memory number ``place``; ``width``: 1 + K."""
    found = np.zeros((2, width))
    found[:, 0] = x, magnitude
    found[:, 1 + place] = 1.0
    return Jet(found, 0)
