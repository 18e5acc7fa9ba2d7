r"""θ* and its error as ranges over a set of models: what they are for every model of the set, with the set's δ.

**θ\*.** With θ_0 the fixed point of the centre, R near A⁻¹ and g = R(Aθ_0 + b), every model of the set has

.. math::
    \theta^* - \theta_0 = -g + (I - RA)(\theta^* - \theta_0).

g is linear in A and b together, a stationary mean of R φ_s times the mean TD error at θ_0, so that its range is found
at once (:meth:`~tdcert.theory.samples.sampled_model.SampledModel.ends_with`) and is narrow where that error is small.
Let E ≥ |I − RA| on the set, entry by entry. Where (I − E)x = 1 has a positive solution, E x < x, so E has spectral
radius below one, RA is nonsingular for every model, and |θ* − θ_0| ≤ (I − E)⁻¹ |g|, which goes into the equation again:
θ*_i lies within (E (I − E)⁻¹ |g|)_i of the range of θ_0 − g at i. All in rational numbers. (Krawczyk's operator:
A. Neumaier, *Interval Methods for Systems of Equations*, 1990, §5.1.)

**Values.** v of the target policy lies below every V with V_s ≥ r_s + γ Σ_a π(a|s) max_p p·V, the maximum over the
row's set: v ≤ V follows from v − V ≤ γ P_π (v − V), γ < 1. V comes from policy iteration in floats, raised by a
constant until the inequality holds in rational numbers; from below the same.

**Error.** √(Σ_s d_s (φ_sᵀθ* − v_s)²), d the law of the behaviour chain: each difference lies in a range, the stationary
mean of the largest and the least squares over the set is bounded as every such mean (:mod:`.extremes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.samples.intervals import GRID, rounded_down, rounded_up
from tdcert.theory.samples.sampled_model import SampledModel
from tdcert.theory.samples.verdict import distance_from_one, near, not_begun, unfounded, weights_below_one
from tdcert.theory.words import Told

SWEEPS = 50
"""How often laws are chosen anew for the values, at most; policy iteration ends long before."""

Range = tuple[Fraction, Fraction]


@dataclass(frozen=True, repr=False)
class ConfidentRanges(Told):
    """Ranges that hold what the true model has, all at once, with probability at least 1 − ``delta`` over the data.

    ``theta_star``: for each parameter; ``values``: of the target policy, for each state; ``error``: the root of the
    mean square of Φθ* − v under the behaviour chain. Each is None where it is not bounded, and ``why`` says the
    reason.
    """

    theta_star: tuple[Range, ...] | None
    values: tuple[Range, ...] | None
    error: Range | None
    why: str
    delta: Fraction
    markov: bool

    @property
    def sentence(self) -> str:
        """The ranges in words, with their δ and what they rest on."""
        if self.theta_star is None:
            return f"θ* is not bounded: {self.why}."
        on = "" if self.markov else ", if these states are Markov"
        shown = ", ".join(f"[{float(low):.4g}, {float(high):.4g}]" for low, high in self.theta_star)
        said = (
            f"With probability at least 1 − {self.delta} over the data, at all times at once{on}, θ* is unique and its "
            f"parameters lie in {shown}"
        )
        if self.error is None:
            return f"{said}. The error is not bounded: {self.why}."
        low, high = self.error
        return f"{said}; the root of the mean square error of its values lies in [{float(low):.4g}, {float(high):.4g}]."


def ranges(found: SampledModel) -> ConfidentRanges:
    """The ranges of θ*, the values and the error over the set."""
    theta, why = theta_range(found)
    values, because = value_range(found)
    error = None if theta is None or values is None else _error(found, theta, values)
    return ConfidentRanges(theta, values, error, why or because, found.delta, found.markov)


def theta_range(found: SampledModel) -> tuple[tuple[Range, ...] | None, str]:
    """The range of each parameter of θ*, or the reason why there is none."""
    if found.reward_bounds is None:
        return None, "nothing is declared of rewards; give reward_range, the least and the largest that may come"
    if why := unfounded(found) or not_begun(found):
        return None, why
    unit = Fraction(2) ** found.features.magnitude
    found = found.in_unit
    middle, d = found.A.middle, found.features.shape[1]
    try:
        R = near(middle.solve(middle.identity(d)))
    except SingularMatrixError:
        return None, "A is singular in the middle of the set"
    b = RationalMatrix.column([sum(found.ends_with(found.zero, _unit(d, k)), start=Fraction(0)) / 2 for k in range(d)])
    start = near(-(R @ b))
    E = distance_from_one(found.times(R))
    if weights_below_one(E) is None:
        return None, "the set is still too wide for a bound of the inverse of A on all of it"
    theta = start.column_entries()
    g = [found.ends_with(RationalMatrix([[x * t for t in theta] for x in row]), row) for row in R.rows]
    reach = (middle.identity(d) - E).solve(RationalMatrix.column([max(-low, high) for low, high in g]))
    more = (E @ reach).column_entries()
    around = [
        ((x - high - extra) / unit, (x - low + extra) / unit)
        for x, (low, high), extra in zip(theta, g, more, strict=True)
    ]
    return tuple((rounded_down(low), rounded_up(high)) for low, high in around), ""


def _unit(d: int, k: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(int(i == k)) for i in range(d))


def value_range(found: SampledModel) -> tuple[tuple[Range, ...] | None, str]:
    """The range of the target policy's value of each state, or the reason why there is none."""
    if found.reward_bounds is None:
        return None, "nothing is declared of rewards; give reward_range, the least and the largest that may come"
    if found.discount == 1:
        return None, "values at discount 1 are not bounded over a set; give a discount below 1"
    if why := unfounded(found) or not_begun(found):
        return None, why
    low, high = found.state_rewards
    upper, lower = _above(found, high), _above(found, [-x for x in low])
    made = [(rounded_down(-a), rounded_up(b)) for a, b in zip(lower, upper, strict=True)]
    return tuple((Fraction(0), Fraction(0)) if s in found.terminal else x for s, x in enumerate(made)), ""


def _above(found: SampledModel, r: Sequence[Fraction]) -> list[Fraction]:
    """V above every solution of v = r + N v, N of the set under the target policy; ``r``: upper bounds, n numbers."""
    kernel, corners = found.kernel, found.walk.corners if found.follows else None
    V, rewards = np.zeros(found.n), np.array([float(x) for x in r])
    gamma, weights = np.array([float(x) for x in found.discounts]), found.target.to_float()
    for _ in range(SWEEPS):
        laws = found.walk.best_laws(V)
        if corners is not None:
            ends = [np.array(some, dtype=np.float64) for some in corners]
            weights = np.array([some[np.argmax(some @ (laws[s] @ V))] for s, some in enumerate(ends)])
        N = np.einsum("s,sa,saj->sj", gamma, weights, laws)
        V, before = np.linalg.solve(np.eye(found.n) - N, rewards), V
        if np.max(np.abs(V - before)) <= 1e-12 * np.max(np.abs(V)):
            break
    exact = [rounded_up(Fraction(float(x))) for x in V]
    short = max(r[s] + kernel.most(s, exact) - exact[s] for s in range(found.n))
    raised = max(short, Fraction(0)) / (1 - found.discount)
    return [x + raised for x in exact]


def _error(found: SampledModel, theta: Sequence[Range], values: Sequence[Range]) -> Range:
    most, least = [], []
    for s, phi in enumerate(found.features.rows):
        low = sum((x * (a if x > 0 else b) for x, (a, b) in zip(phi, theta, strict=True)), start=Fraction(0))
        high = sum((x * (b if x > 0 else a) for x, (a, b) in zip(phi, theta, strict=True)), start=Fraction(0))
        below, above = low - values[s][1], high - values[s][0]
        if s in found.terminal:
            below = above = Fraction(0)
        most.append(max(below**2, above**2))
        least.append(Fraction(0) if below <= 0 <= above else min(below**2, above**2))
    zero = [[Fraction(0)] * found.n] * found.n
    none = [[Fraction(0)] * found.behaviour.shape[1]] * found.n
    top = found.walk.most(most, zero, none)
    bottom = -found.walk.most([-x for x in least], zero, none)
    return _root(max(bottom, Fraction(0)))[0], _root(top)[1]


def _root(x: Fraction) -> Range:
    """Multiples of 1/GRID below and above √x."""
    scaled = isqrt(x.numerator * GRID * GRID // x.denominator)
    return Fraction(scaled, GRID), Fraction(scaled + 1, GRID)
