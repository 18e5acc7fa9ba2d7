r"""The constants of Section 2 for TD(0) with one feature, centred: Θ = θ − θ*, A(X) = φ(γφ' − φ), b(X) = φr + A(X)θ*.

X_k = (s_k, s_{k+1}), with importance ratios where the policies differ. P = 1/(2|Ā|), γ_max = γ_min = P, and for
Corollary 15 P = I. τ(ε) is the least time from which conditional means are within ε
(:func:`tdcert.theory.laws.mixing.least_time`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tdcert.claims import kit
from tdcert.claims.kit import BITS, Evaluated, Fraction, InputError, LinearTD, Model, RationalMatrix, Reply, ball
from tdcert.theory.check import hypotheses as shared
from tdcert.theory.laws.mixing import least_time

LIMIT = Fraction(1, 20)
"""The 0.05 of Theorem 7."""
FAR = 2**40
"""So many updates that the first term is nothing."""


@dataclass(frozen=True)
class CentredTD:
    """A model at P = ``P``, the solution of the Lyapunov equation unless given. Raises InputError as LinearTD does, and
    where Ā is not negative.
    """

    td: LinearTD
    P: Fraction

    @staticmethod
    def of(model: Model, P: Fraction | None = None) -> CentredTD:
        td = LinearTD(model)
        if td.A[0, 0] >= 0:
            raise InputError(f"Ā = {td.A[0, 0]} is not Hurwitz")
        return CentredTD(td, 1 / (-2 * td.A[0, 0]) if P is None else P)

    @cached_property
    def b(self) -> list[Fraction]:
        """b(X) of each move."""
        return [K[0, 0] * self.td.target[0, 0] + K[0, 1] for *_, K in self.td.moves]

    @property
    def b_max(self) -> Fraction:
        """The largest ‖b(X)‖."""
        return max(map(abs, self.b))

    @property
    def kappa_1(self) -> Fraction:
        """62γ_max(1 + b_max)."""
        return 62 * self.P * (1 + self.b_max)

    @property
    def kappa_2(self) -> Fraction:
        """55γ_max(1 + b_max)³."""
        return 55 * self.P * (1 + self.b_max) ** 3

    @property
    def noise(self) -> Fraction:
        """κ̃_2 = 2(κ_2 + γ_max b_max²)."""
        return 2 * (self.kappa_2 + self.P * self.b_max**2)

    @cached_property
    def means(self) -> tuple[list[RationalMatrix], list[RationalMatrix]]:
        """E[A(X) | s] and E[b(X) | s] for each state of the class."""
        found = [[Fraction(0)] * len(self.td.states) for _ in (0, 1)]
        for (h, _, p, K), b in zip(self.td.moves, self.b, strict=True):
            found[0][h] += p * K[0, 0]
            found[1][h] += p * b
        return [RationalMatrix([[x]]) for x in found[0]], [RationalMatrix([[x]]) for x in found[1]]

    def tau(self, epsilon: Fraction) -> int:
        """τ(ε). Raises InputError where there is none, as on a chain with a period."""
        found = least_time(self.td.model.behaviour_chain, self.td.states, self.means, epsilon)
        if found is None:
            raise InputError("conditional means do not tend to their mean, as the chain has a period: τ does not exist")
        return found

    def largest_step(self, limit: Fraction = LIMIT) -> tuple[Fraction, int]:
        """The largest ε = limit/(κ_1τ + γ_max) with τ(ε) ≤ τ, and that τ: what the theorem allows."""
        tau = 1
        while (needed := self.tau(epsilon := limit / (self.kappa_1 * tau + self.P))) > tau:
            tau = needed
        return epsilon, tau

    def start(self) -> Fraction:
        """‖Θ_0‖, θ_0 being zero."""
        return abs(self.td.target[0, 0])


def bound(of: CentredTD, k: int, decay: Fraction, rest: Fraction, epsilon: Fraction, tau: int) -> Evaluated:
    """(1 − decay)^{k−τ}(1.5‖Θ_0‖ + 0.5b_max)² + rest, beside E‖Θ_k‖²."""
    exact = of.td.path().after(k, epsilon, of.td.weight).last
    with kit.precision(BITS):
        first = ball(((3 * of.start() + of.b_max) / 2) ** 2) * ball(1 - decay) ** (k - tau)
        value = first + ball(rest)
    said = f"τ = {tau}, b_max = {float(of.b_max):.4g}, γ_max = {float(of.P):.4g}"
    return Evaluated("E‖θ_k − θ*‖²", exact, value, k, f"ε = {float(epsilon):.3g}", said)


def theorem_7(model: Model, noise: int = 1) -> list[Evaluated]:
    """Theorem 7 at its largest ε: after τ + γ_max/ε updates, and after very many. ``noise``: a factor of κ̃_2."""
    of = CentredTD.of(model)
    epsilon, tau = of.largest_step()
    rest = noise * of.noise * epsilon * tau * 10 / 9
    times = tau + int(of.P / epsilon), FAR
    return [bound(of, k, Fraction(9, 10) * epsilon / of.P, rest, epsilon, tau) for k in times]


@kit.hypothesis("normalised", r"$\|A(X)\| \le 1$", "§2.1, Assumption 2")
def NORMALISED(model: Model) -> Reply:
    if model.d != 1:
        return Reply(False, "it is asked of one feature")
    largest = max(abs(K[0, 0]) for *_, K in LinearTD(model).moves)
    return Reply(largest <= 1, f"the largest ‖A(X)‖ is {largest}")


@kit.hypothesis("hurwitz", r"$\bar A$ is Hurwitz", "§2.1, Assumption 3")
def HURWITZ(model: Model) -> Reply:
    if model.d != 1 or len(model.behaviour_chain.recurrent_classes) > 1:
        return Reply(False, "it is asked of one feature and one class")
    mean = LinearTD(model).A[0, 0]
    return Reply(mean < 0, f"Ā = {mean}")


CONDITIONS = kit.ONE_FEATURE, HURWITZ, shared.APERIODIC
"""What the bounds ask of a model, beside NORMALISED: one feature, Ā Hurwitz, no period."""
