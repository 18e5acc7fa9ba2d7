"""Averaged iterates of independent draws: the numbers that the bounds of App. A are made of, for TD(0) with ratios.

The paper's A_t, b_t are −A(X), b(X) here, and α is half of 1/B², B² the largest ‖φ‖² on the recurrent class.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from flint import arb

from tdcert.claims import kit
from tdcert.claims.bounds import least_eigenvalue
from tdcert.claims.kit import Fraction, InputError, LinearTD, Model, RationalMatrix, Reply

FEATURES = 4
"""Most features for which moments of averages are raised to powers."""


@dataclass(frozen=True)
class Averages:
    """TD(0) on independent draws of a model, at a step α."""

    td: LinearTD
    alpha: Fraction

    @staticmethod
    def of(model: Model) -> Averages:
        """At half of 1/B²; raises InputError as LinearTD does."""
        td = LinearTD(model)
        largest = max(sum(x * x for x in model.features.rows[s]) for s in td.states)
        return Averages(td, Fraction(1, 2) / largest if largest else Fraction(1))

    @cached_property
    def _mean(self) -> RationalMatrix:
        return self.td.A.scaled(-1)

    @cached_property
    def sampled(self) -> RationalMatrix:
        """A + Aᵀ − αE[A_tᵀA_t], whose least eigenvalue is ρ_s."""
        d = self.td.model.d
        squares = [(p, K.take(columns=range(d))) for _, _, p, K in self.td.draws]
        total = sum((K.T @ K.scaled(p) for p, K in squares), start=self._mean.scaled(0))
        return self._mean + self._mean.T - total.scaled(self.alpha)

    @cached_property
    def deterministic(self) -> RationalMatrix:
        """A + Aᵀ − αAᵀA, whose least eigenvalue is ρ_d."""
        return self._mean + self._mean.T - (self._mean.T @ self._mean).scaled(self.alpha)

    @property
    def rho_s(self) -> arb:
        """ρ_s."""
        return least_eigenvalue(self.sampled)

    @property
    def rho_d(self) -> arb:
        """ρ_d."""
        return least_eigenvalue(self.deterministic)

    @cached_property
    def noise(self) -> Fraction:
        """σ_1² = 2(σ_A²‖θ*‖² + σ_b²), the variances in the Frobenius norm, which is above the spectral norm."""
        d = self.td.model.d
        A, b = self.td.A, self.td.A @ self.td.target.scaled(-1)
        parts = [(p, K.take(columns=range(d)) - A, K.take(columns=[d]) - b) for _, _, p, K in self.td.draws]
        of_A, of_b = (sum((p * _square(part[k]) for p, *part in parts), Fraction(0)) for k in (0, 1))
        return 2 * (of_A * _square(self.td.target) + of_b)


def _square(matrix: RationalMatrix) -> Fraction:
    return sum((x * x for row in matrix.rows for x in row), Fraction(0))


def unstable() -> Model:
    """θ→2θ, γ = 9/10, reward 1 in the first state: A = 1/5, ρ_s < 0."""
    return kit.theta_to_two_theta(Fraction(9, 10), rewards=(1, 0))


@kit.hypothesis("rho_s_positive", r"$\rho_s(\alpha, P_A) > 0$", "App. A, Theorem 9, which prints ≥")
def RHO_POSITIVE(model: Model) -> Reply:
    try:
        found = kit.is_positive_definite(Averages.of(model).sampled)
    except InputError as error:
        return Reply(False, str(error))
    return Reply(found, f"ρ_s is {'positive' if found else 'not positive'} at half of 1/B²")


@kit.hypothesis("few_features", f"at most {FEATURES} features", "not in the paper: what is evaluated here")
def FEW_FEATURES(model: Model) -> Reply:
    return Reply(model.d <= FEATURES, f"the model has {model.d} features")
