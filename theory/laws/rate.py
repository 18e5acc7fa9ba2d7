r"""How fast TD(λ)-schedule converges with steps a/(t + t_0): the numbers of the general bound, on one model.

With x_t = θ_t − θ*, V = |x|², xᵀ(A + Aᵀ)x ≤ −c|x|² and ca > 1 (machine-checked: ``theory/formal/almost_sure_rate.v``,
here with Q = I),

    E|x_t|² ≤ 6(M + κ_0)/(t + t_0),
    P(|x_t|² ≥ ε for some t ≥ N) ≤ 24(M + 600κ_0)/(ε(N + t_0 − 1))  where N + t_0 − 1 ≥ 1200κ_0, ε(N + t_0)² ≥ 12κ_0,

for γ_0a² ≤ κ_0, γ_0a² ≤ κ_0², t_0 ≥ ca, (ca − 1)t_0 ≥ 1200κ_0, t_0² ≥ 6κ_0, (ca − 1)M ≥ 1200κ_0 and
M ≥ 3(2|x_0|² + κ_0/t_0²)t_0. γ_0 bounds |G|², |f|² (G = A(X_t), f = Gθ* + b(X_t)), |A|² and the squares of the
solutions of the Poisson equations ĝ(h) = E_h[G − A + ĝ], f̂(h) = E_h[f + f̂] on nodes; of matrices the Frobenius norm
is taken. The constants are those of the proof for all chains, hence large.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt

import numpy as np

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.check.step_size_ratio import simplest_between, squares
from tdcert.theory.laws.nodes import Array, NodeChain
from tdcert.theory.limits import RATE_NODES, LimitError, raised
from tdcert.theory.model.chain import Chain


@dataclass(frozen=True)
class Rate:
    """Numbers that the general bound accepts; see the module docstring. ``start``: |x_0|²."""

    c: Fraction
    gamma0: Fraction
    start: Fraction
    a: Fraction
    t0: int
    kappa0: int
    M: int

    def unmet(self) -> list[str]:
        """The conditions of the theorem that these numbers do not meet, in its words."""
        over, noise = self.c * self.a - 1, self.gamma0 * self.a**2
        conditions = {
            "ca > 1": over > 0,
            "γ_0a² ≤ κ_0": noise <= self.kappa0,
            "γ_0a² ≤ κ_0²": noise <= self.kappa0**2,
            "t_0 ≥ ca": self.t0 >= over + 1,
            "(ca − 1)t_0 ≥ 1200κ_0": over * self.t0 >= 1200 * self.kappa0,
            "t_0² ≥ 6κ_0": self.t0**2 >= 6 * self.kappa0,
            "(ca − 1)M ≥ 1200κ_0": over * self.M >= 1200 * self.kappa0,
            "M ≥ 3(2|x_0|² + κ_0/t_0²)t_0": 3 * (2 * self.start * self.t0 + Fraction(self.kappa0, self.t0)) <= self.M,
        }
        return [name for name, met in conditions.items() if not met]

    def step(self, t: int) -> Fraction:
        """α_t."""
        return self.a / (t + self.t0)

    def mean_square(self, t: int) -> Fraction:
        """A bound on E|θ_t − θ*|²."""
        return Fraction(6 * (self.M + self.kappa0), t + self.t0)

    def ever_after(self, epsilon: Fraction, delta: Fraction) -> int:
        """The least N for which the bound on P(|θ_t − θ*|² ≥ ``epsilon`` for some t ≥ N) is at most ``delta``."""
        apart = max(Fraction(1200 * self.kappa0), 24 * (self.M + 600 * self.kappa0) / (epsilon * delta))
        square = ceil(12 * self.kappa0 / epsilon)
        root = isqrt(square - 1) + 1  # the least integer whose square is at least that
        return max(0, ceil(apart) + 1 - self.t0, root - self.t0)


def descent(A: RationalMatrix) -> Fraction:
    """2/tr((−sym A)⁻¹), a lower bound c of xᵀ(−A − Aᵀ)x/|x|² for a negative definite A: 1/tr S⁻¹ ≤ 1/λ_max(S⁻¹)."""
    return 2 / (-A.symmetric_part()).solve(A.identity(A.shape[0])).trace()


def poisson_solution(chain: NodeChain, values: Array) -> Array:
    """g with g(h) = E_h[v − v̄ + g(h')] for each column of ``values`` (one row per transition), one row per node.

    v̄ is the stationary mean; g is zero in one node that recurs. One recurrent class of nodes is needed.
    """
    count, p = len(chain.nodes), [to_fraction(x) for x in chain.exact.probability]
    leaves, arrives = (RationalMatrix(np.eye(count, dtype=int)[ends].tolist()) for ends in (chain.source, chain.target))
    chosen, ones = leaves.scale_rows(RationalMatrix.column(p)).T, RationalMatrix.column([1] * count)
    transitions, means = chosen @ arrives, chosen @ RationalMatrix(values.tolist())
    ((held, *_),) = Chain(transitions).recurrent_classes
    at_held = RationalMatrix([[int(j == held) for j in range(count)]])
    # (I − P + 1eᵀ)g = E[v]: multiplied by the stationary law, eᵀg = v̄, so (I − P)g = E[v] − v̄
    solution = (ones.identity(count) - transitions + ones @ at_held).solve(means)
    found = np.array([list(row) for row in solution.rows], dtype=object)
    return np.asarray(found - found[held])


def rate_of_td(chain: NodeChain, A: RationalMatrix, theta: RationalMatrix) -> Rate:
    """Numbers for TD(λ)-schedule from θ_0 = 0, with the mean matrix A < 0 and θ* (d×1) on the one recurrent class.

    a is chosen so that ca = 2. Raises :class:`BudgetExceededError` where nodes are more than :data:`RATE_NODES`.
    """
    if len(chain.nodes) > raised(RATE_NODES):
        said = f"there are more than {raised(RATE_NODES)} values of state and memory"
        raise LimitError(said, len(chain.nodes) / RATE_NODES)
    below = descent(A)
    c = simplest_between(below * Fraction(3, 4), below)
    a = 2 / c
    gamma0 = _noise(chain, A, theta)
    noise = gamma0 * a**2
    kappa0 = max(1, ceil(noise))
    t0 = max(2, 1200 * kappa0)
    x0 = squares(theta)
    M = max(1200 * kappa0, ceil(3 * (2 * x0 * t0 + Fraction(kappa0, t0))))
    return Rate(c, gamma0, x0, a, t0, kappa0, M)


def _noise(chain: NodeChain, A: RationalMatrix, theta: RationalMatrix) -> Fraction:
    """γ_0: the largest of |G|², |f|², |A|² and of the squares of both Poisson solutions."""
    d, (U, *_) = A.shape[0], chain.exact.parts
    G, star = U[:, :d, :d].reshape(-1, d * d), np.array([to_fmpq(x) for x in theta.column_entries()], dtype=object)
    f = U[:, :d, :d] @ star + U[:, :d, d]
    G = G[:, (G != 0).any(axis=0)]  # an entry that is zero in every transition is zero in the solution too
    largest = [_square(row) for values in (G, f) for rows in (values, poisson_solution(chain, values)) for row in rows]
    return max(*largest, squares(A))


def _square(row: Array) -> Fraction:
    return sum((x**2 for x in map(to_fraction, map(to_fmpq, row)) if x), start=Fraction(0))
