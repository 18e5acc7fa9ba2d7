r"""The symbol of a schedule, f(φ) = Re Σ_n w_n γⁿ e^{inφ}, against one: for which φ, decided exactly.

On-policy N/γ does not lengthen the D-norm, so it dilates to a unitary (Sz.-Nagy) and xᵀDMx ≤ max f · ‖x‖²_D (von
Neumann): f < 1 everywhere makes D(I − M) positive definite for every chain. The cycle of q states attains f at the
angles 2πp/q: f > 1 somewhere makes some cycle break it. In x = cos φ the symbol is the polynomial Σ w_n γⁿ T_n(x)
(Chebyshev), and Sturm's sequence counts the places where it passes one on [−1, 1].

A constant λ without end (|λγ| < 1) has f = (1 − λ)γ (x − λγ)/(1 − 2λγx + λ²γ²), monotone in x: its two ends decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import cos, pi

from flint import fmpq, fmpq_poly

from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.model.schedule import Schedule, return_weights

LONGEST_CYCLE = 400
"""Longest cycle that is tried."""


@dataclass(frozen=True)
class BreakingCycle:
    """A cycle of ``length`` states and a vector x (integers) with Σ_n w_n γⁿ ρ_n ≥ ρ_0, ρ_n = Σ_k x_k x_{k+n}.

    D(I − M) is not positive there.
    """

    length: int
    vector: tuple[int, ...]

    def correlation(self, n: int) -> int:
        """ρ_n."""
        x, q = self.vector, self.length
        return sum(x[k] * x[(k + n) % q] for k in range(q))


def symbol_sign(schedule: Schedule, gamma: Fraction) -> int:
    """−1 if f < 1 everywhere, 0 if max f = 1, +1 if f > 1 somewhere; exact."""
    if schedule.tail == 1:
        return -1  # every w_n is zero, and so is f
    if schedule.tail:
        t = schedule.tail * gamma
        if abs(t) >= 1:
            raise InputError("the series of the symbol has no sum, as |λγ| ≥ 1: give the schedule a length")
        ends = [(1 - schedule.tail) * gamma * (x - t) / (1 - 2 * t * x + t * t) for x in (-1, 1)]
        return (max(ends) > 1) - (max(ends) < 1)
    weights = return_weights(schedule.lambdas)
    if min(weights) >= 0 and 0 <= gamma <= 1:  # they sum to one: f ≤ f(0) ≤ γ, and f(0) = 1 for γ = 1
        return 0 if gamma == 1 else -1
    p = _chebyshev_sum([Fraction(-1), *(w * gamma**n for n, w in enumerate(weights, start=1))])
    if p.degree() <= 0:
        value = p(fmpq(0))
        return (value > 0) - (value < 0)
    # Sign changes inside (−1, 1) sit at roots of odd multiplicity.
    if any(order % 2 == 1 and roots_inside(factor) > 0 for factor, order in _square_free(p)):
        return 1
    roots_and_ends = p(fmpq(-1)) == 0 or p(fmpq(1)) == 0 or roots_inside(radical(p)) > 0
    sign = _sign_between(p)
    return 0 if sign < 0 and roots_and_ends else sign


def breaking_cycle(schedule: Schedule, gamma: Fraction) -> BreakingCycle:
    """The shortest cycle met on which D(I − M) is not positive definite, for a finite schedule whose symbol exceeds
    one.

    Floats propose the angle, integers decide. Raises :class:`BudgetExceededError` beyond :data:`LONGEST_CYCLE`.
    """
    weights = [w * gamma**n for n, w in enumerate(return_weights(schedule.lambdas), start=1)]
    floats = [float(w) for w in weights]
    for q in range(1, LONGEST_CYCLE + 1):
        values = [
            (sum(w * cos(2 * pi * p * n / q) for n, w in enumerate(floats, start=1)), p) for p in range(q // 2 + 1)
        ]
        best, p = max(values)
        if best < 1 - 1e-9:
            continue
        for size in (1, 2, 4, 16, 256, 2**16, 2**30):
            cycle = BreakingCycle(q, tuple(round(size * cos(2 * pi * p * k / q)) for k in range(q)))
            form = sum((w * cycle.correlation(n) for n, w in enumerate(weights, start=1)), start=Fraction(0))
            if any(cycle.vector) and form > cycle.correlation(0):
                return cycle
    raise BudgetExceededError(f"the symbol exceeds one, but on no cycle of up to {LONGEST_CYCLE} states")


def _chebyshev_sum(coefficients: list[Fraction]) -> fmpq_poly:
    """Σ a_n T_n."""
    x, before, now = fmpq_poly([0, 1]), fmpq_poly([1]), fmpq_poly([0, 1])
    total = before * to_fmpq(coefficients[0])
    for a in coefficients[1:]:
        total = total + now * to_fmpq(a)
        before, now = now, 2 * x * now - before
    return total


def _square_free(p: fmpq_poly) -> list[tuple[fmpq_poly, int]]:
    """Square-free factors of positive degree with their multiplicities (Yun)."""
    factors, order = [], 1
    common = p.gcd(p.derivative())
    rest, other = p // common, p.derivative() // common
    while rest.degree() > 0:
        other = other - rest.derivative()
        factor = rest.gcd(other)
        if factor.degree() > 0:
            factors.append((factor, order))
        rest, other, order = rest // factor, other // factor, order + 1
    return factors


def radical(p: fmpq_poly) -> fmpq_poly:
    """The product of the distinct factors."""
    return p // p.gcd(p.derivative())


def roots_inside(p: fmpq_poly) -> int:
    """How many roots of the square-free p lie in the open interval (−1, 1).

    Sturm, after roots at the ends are divided out.
    """
    for end in (-1, 1):
        if p(fmpq(end)) == 0:
            p = p // fmpq_poly([-end, 1])
    sequence = [p, p.derivative()]
    while sequence[-1].degree() > 0:
        sequence.append(-(sequence[-2] % sequence[-1]))
    counts = []
    for end in (-1, 1):
        signs = [s for s in (_sign(q(fmpq(end))) for q in sequence) if s]
        counts.append(sum(1 for a, b in pairwise(signs) if a != b))
    return counts[0] - counts[1]


def _sign_between(p: fmpq_poly) -> int:
    """The sign of p on (−1, 1) away from its roots, where it does not change."""
    for k in range(1, p.degree() + 3):
        sign = _sign(p(fmpq(2 * k, p.degree() + 3) - 1))
        if sign:
            return sign
    raise AssertionError("a polynomial with more roots than its degree")


def _sign(value: fmpq) -> int:
    exact = to_fraction(value)
    return (exact > 0) - (exact < 0)
