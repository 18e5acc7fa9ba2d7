r"""The numbers of Theorem 1 for TD(0) with one feature: steps γ_n = c_0c/(c + n), n = 1, 2, …, and the B of (A6).

c_0 is the largest 1/k below μ(1 − β)/(2(1 + β)²), and c the least whole number with x = μ(1 − β)c_0c ≥ 3; β is the
discount, μ = ΦᵀΨΦ. (A6) asks for all m ≥ 0 at once; from m = :data:`LAGS` on, E[φ(s_{τ+m}) | s_τ] is within 2d(LAGS)
of its mean, d(t) the distance of Pᵗ from the law.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor

from flint import arb

from tdcert.claims import kit
from tdcert.claims.kit import BITS, ONE_FEATURE, Evaluated, LinearTD, Model, RationalMatrix, Reply, ball, precision
from tdcert.theory.check.hypotheses import APERIODIC, C_POSITIVE, CONSTANT_DISCOUNT, DISCOUNTED, IRREDUCIBLE, ON_POLICY
from tdcert.theory.laws.many_steps import MomentPowers
from tdcert.theory.laws.mixing import distance, within

LAGS = 30
TERMS = 120
"""Least number of terms of the series in (A6) that are summed one by one."""


@dataclass(frozen=True)
class Rates:
    """A model, θ_0 and x; raises InputError as LinearTD does."""

    td: LinearTD
    first: Fraction = Fraction(100)
    least: int = 3

    @staticmethod
    def of(model: Model, first: Fraction = Fraction(100)) -> Rates:
        return Rates(LinearTD(model), first)

    @cached_property
    def mu(self) -> Fraction:
        """μ(1 − β)."""
        return self.td.C[0, 0] * (1 - self.td.gamma)

    @cached_property
    def c_0(self) -> Fraction:
        """The largest 1/k below μ(1 − β)/(2(1 + β)²)."""
        return Fraction(1, floor(2 * (1 + self.td.gamma) ** 2 / self.mu) + 1)

    @cached_property
    def c(self) -> int:
        """The least whole c with x ≥ ``least``."""
        return ceil(self.least / (self.mu * self.c_0))

    @property
    def x(self) -> Fraction:
        """μ(1 − β)c_0c."""
        return self.mu * self.c_0 * self.c

    def steps(self, n: int) -> list[Fraction]:
        """γ_1 … γ_n."""
        return [self.c_0 * self.c / (self.c + k) for k in range(1, n + 1)]

    @cached_property
    def B(self) -> arb:
        """An upper bound of the series of (A6), for every first state and every m."""
        chain, states = self.td.model.behaviour_chain, self.td.states
        P, law = within(chain, states)
        phi = self.td.model.features.take(rows=states)
        mean, lagged, functions = (law.T @ phi)[0, 0], phi, []
        for _ in range(LAGS):
            functions.append(phi.hadamard(lagged))
            lagged = P @ lagged
        rest = 2 * distance(chain, states, LAGS) * max(x * x for x in phi.column_entries())
        functions += [phi.scaled(mean), phi.hadamard(self.td.model.target_kernel.r.take(rows=states))]
        table = functions[0].beside(*functions[1:])
        table = table - RationalMatrix([[1]] * len(states)) @ (law.T @ table)
        return self._series(P, table, rest)

    def _series(self, P: RationalMatrix, table: RationalMatrix, rest: Fraction) -> arb:
        """Σ_τ w_τ(‖deviations‖ + 2d(τ)·rest), w_τ = exp(3(1 + β)Σ_{j<τ}γ_j); its tail by d(τ) ≤ mρ^τ and the ratio of
        neighbouring terms, which falls with τ.
        """
        mixing, gain = self.td.mixing, 3 * (1 + self.td.gamma) * self.c_0 * self.c
        with precision(BITS):
            m, rho, power = ball(mixing.m), ball(mixing.rho), ball(Fraction(0))
            held = [[ball(x) for x in row] for row in table.rows]
            moves = [[ball(x) for x in row] for row in P.rows]
            widest = max(abs(x) for row in table.rows for x in row)
            sums = [[arb(0) for _ in row] for row in held]
            tau = 0
            while tau < TERMS or not ball(gain / (self.c + tau)).exp() * rho < 1:
                weight, far = power.exp(), 2 * m * rho**tau * ball(rest)
                sums = [
                    [s + weight * (abs(x) + far) for s, x in zip(*rows, strict=True)]
                    for rows in zip(sums, held, strict=True)
                ]
                held = [
                    [sum((p * held[j][k] for j, p in enumerate(row)), arb(0)) for k in range(len(held[0]))]
                    for row in moves
                ]
                tau += 1
                power += ball(gain / (self.c + tau - 1)) if tau > 1 else 0
            ratio = ball(gain / (self.c + tau)).exp() * rho
            tail = power.exp() * 2 * m * rho**tau * ball(widest + rest) / (1 - ratio)
            largest = sums[0][0]
            for row in sums:
                for s in row:
                    largest = largest.max(s)
            return largest + tail

    def theorem_1(self, n: int, *, squared: bool = False, power: bool = False) -> Evaluated:
        """K_1(n)²/(n + c) beside E‖θ_n − θ*‖², which is above the square of the mean norm that is bounded, or, where
        that is above the bound, beside ‖E θ_n − θ*‖², which is below it. ``squared``: with ‖·‖² in the first two norms;
        ``power``: with cˣ for the first c.
        """
        star = self.td.target
        first = star.scaled(0) + star.identity(1).scaled(self.first)
        moments = MomentPowers(self.td.moves, self.td.path().start, star, first)
        errors = moments.along(self.steps(n), self.td.weight)
        with precision(BITS):
            start, size = abs(ball(self.first - star[0, 0])), abs(ball(star[0, 0]))
            C = (
                6 * self.B * ((abs(ball(self.first)) + 1 + size) / ball(1 - self.td.gamma)) ** 2
                if self.B != 0
                else arb(0)
            )
            whole, x = self.c_0 * self.c, ball(self.x)
            lead = ball(self.c) ** x if power else ball(self.c)
            head = lead * ((start**2 if squared else start) + C) / ball(n + self.c) ** (x - 1)
            ends = ((1 + (size**2 if squared else size)) * ball(whole**2) + C * ball(whole)) / (x - 1)
            bound = (head + ends) / (n + self.c)
        exact = errors.last.union(errors.mean)  # the squared mean norm lies between
        exact = errors.last if errors.last <= bound else errors.mean if errors.mean > bound else exact
        said = f"c_0 = {self.c_0}, c = {self.c}, θ_0 = {self.first}, B = {self.B.str(3, radius=False)}"
        return Evaluated("(E‖θ_n − θ*‖)²", exact, bound, n, "γ_n = c_0c/(c + n)", said)


@kit.hypothesis("bounded", r"$\|\phi(s)\| \le 1$ and $|r| \le 1$", "§3.1, (A2) and (A4)")
def BOUNDED(model: Model) -> Reply:
    largest = max(sum(x * x for x in row) for row in model.features.rows)
    earned = max(abs(x) for R in model.rewards for row in R.rows for x in row)
    return Reply(largest <= 1 and earned <= 1, f"the largest ‖φ‖² is {largest}, the largest |r| is {earned}")


CONDITIONS = (ONE_FEATURE, BOUNDED, ON_POLICY, IRREDUCIBLE, APERIODIC, DISCOUNTED, CONSTANT_DISCOUNT, C_POSITIVE)
"""(A1) to (A4), and one feature."""
