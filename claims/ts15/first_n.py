r"""n_0(δ) of Theorem 1, enclosed: the least n from which on (7) holds.

With one feature, so d = 1; L = max|φ|, ν = ΦᵀDΦ. A stationary chain has β_i ≤ max_s d_TV(Pⁱ(s, ·), μ), so that
Assumption
2 holds with κ = 1, β = m and b = log(1/ρ) for the m, ρ of :mod:`tdcert.theory.laws.mixing`. With m_n between log(n −
1)/log(1/(λγ)) and one more than it, (7) lies between two functions of n; the upper one falls with n as soon as log n is
above 8, so n_0 is at most any n at which it is below 1, and above any at which the lower one is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from tdcert.claims.kit import InputError, LinearTD, Model, ball, precision

BITS = 128
SMALLEST = 3_000
"""e⁸ is below it: from here on the upper function falls."""


@dataclass(frozen=True)
class FirstN:
    """A model with one feature, its λ, and δ. Raises InputError as LinearTD does, and where λγ is not in (0, 1)."""

    td: LinearTD
    lam: Fraction
    delta: Fraction

    @staticmethod
    def of(model: Model, lam: Fraction, delta: Fraction = Fraction(1, 10)) -> FirstN:
        found = FirstN(LinearTD(model), lam, delta)
        if not 0 < lam * found.td.gamma < 1 or found.td.C[0, 0] == 0:
            raise InputError("give λγ from (0, 1) and a feature that does not vanish on the class")
        return found

    def left(self, n: int, up: bool) -> arb:
        """A bound of the left side of (7) at n, from above or from below."""
        with precision(BITS):
            mixing, gamma, decay = self.td.mixing, self.td.gamma, self.lam * self.td.gamma
            size, count = ball(n - 1), ball(n - 1)
            m = size.log() / ball(1 / decay).log() + int(up)
            e = arb(1).exp()
            large = (4 * e**2).max(count * ball(mixing.m))
            Lambda = (8 * size**2 / ball(self.delta)).log() + large.log()
            inner = 32 * Lambda * (Lambda / ball(1 / mixing.rho).log()).max(arb(1))
            most = max(x * x for x in self.td.model.features.take(rows=self.td.states).column_entries())
            lead = ball(2 * most / ((1 - gamma) * self.td.C[0, 0]))
            return lead * (2 * ((m + 1) * inner).sqrt() / size.sqrt() + 1 / (size * ball(1 - decay)) + 2 * m / size)

    def enclosed(self) -> tuple[int, int]:
        """low < n_0 ≤ high."""
        return self._last(up=False), self._last(up=True) + 1

    def _is_below(self, n: int, up: bool) -> bool:
        """Whether the upper bound is below 1; or whether the lower one is not seen to be at least 1."""
        return bool(self.left(n, up) < 1) if up else not self.left(n, up) >= 1

    def _last(self, up: bool) -> int:
        """An n, from :data:`SMALLEST` on, at which this bound of (7) is not below 1, and at n + 1 it is, by halving."""
        low, high = SMALLEST, 2 * SMALLEST
        if self._is_below(low, up):
            raise InputError(f"(7) may hold from {low:,} on, and smaller numbers are not asked for")
        while not self._is_below(high, up):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._is_below(middle, up) else (middle, high)
        return low
