r"""How fast a recurrent class forgets its start, in rational numbers.

Three notions that printed bounds use, on a class with the matrix P (n×n) and the stationary law π:

* d(t) = max_s d_TV(Pᵗ(s, ·), π), exact (:func:`distance`);
* constants m, ρ with d(t) ≤ m ρᵗ for every t ≥ 0 (:func:`geometric`). With Dobrushin's δ(Q) = max_{s,s'} d_TV(Q(s, ·),
  Q(s', ·)), d(j + kq) ≤ d(j) δ(Pᵏ)^q, since d_TV(xQ, yQ) ≤ δ(Q) d_TV(x, y); so ρ ≥ δ(Pᵏ)^{1/k} and
  m = max_{j<k} d(j)/ρʲ will do for any k with δ(Pᵏ) < 1;
* the least τ ≥ 1 after which the conditional means of a matrix function of the state are within ε of their mean
  (:func:`least_time`): with f_t(s) = E[f(s_t) | s_0 = s], max_s ‖f_t(s) − πf‖ does not grow with t, because each row of
  P averages, so the first t serves for all later ones.

Sources: Levin and Peres, *Markov Chains and Mixing Times*, chapter 4; Dobrushin (1956).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.semidefiniteness import decide_positive_semidefinite
from tdcert.theory.errors import InputError, short
from tdcert.theory.laws.decreasing_steps import power
from tdcert.theory.limits import MIXING_STEPS, LimitError, raised
from tdcert.theory.model.chain import Chain

POWERS = 16
"""So many powers of P are tried beyond the first with δ < 1."""
BETTER = 0.99
"""A larger power is taken where its rate is below so much of the rate before."""
INSTANT = Fraction(1, 1024)
"""ρ where a power of P has equal rows: any number in (0, 1) will do."""


@dataclass(frozen=True)
class Mixing:
    """d(t) ≤ m ρᵗ for every t ≥ 0; 0 < ρ < 1, m > 0."""

    m: Fraction
    rho: Fraction

    def time(self, epsilon: Fraction) -> int:
        """The least t ≥ 0 with m ρᵗ ≤ ε; raises InputError unless ε > 0."""
        if epsilon <= 0:
            raise InputError(f"the distance is {epsilon}; give one above zero")
        low, high = 0, 1
        while self.m * self.rho**high > epsilon:
            low, high = high, 2 * high
        if self.m <= epsilon:
            return 0
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.m * self.rho**middle > epsilon else (low, middle)
        return high


def total_variation(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    """½Σ|x − y| of two laws on the same states."""
    return sum((abs(x - y) for x, y in zip(one, other, strict=True)), Fraction(0)) / 2


def within(chain: Chain, states: Sequence[int]) -> tuple[RationalMatrix, RationalMatrix]:
    """P and π (column) of a recurrent class alone."""
    return chain.P.take(states, states), chain.stationary_law(tuple(states)).take(rows=states)


def distance(chain: Chain, states: Sequence[int], t: int) -> Fraction:
    """d(t), exact."""
    P, law = within(chain, states)
    Q = P.identity(P.shape[0])
    for _ in range(t):
        Q = Q @ P
    return max(total_variation(row, law.column_entries()) for row in Q.rows)


def dobrushin(Q: RationalMatrix) -> Fraction:
    """δ(Q): the largest distance of two rows."""
    return max(total_variation(one, other) for one in Q.rows for other in Q.rows)


def geometric(chain: Chain, states: Sequence[int]) -> Mixing | None:
    """m and ρ, from the power of P that gives the smallest ρ of those that are tried; None where the class has a
    period, so that d(t) does not tend to zero.
    """
    if chain.period(tuple(states)).period != 1:
        return None
    P, law = within(chain, states)
    Q, distances, best, last = P.identity(P.shape[0]), [], None, 0
    while best is None or last < best[0] + POWERS:
        distances.append(max(total_variation(row, law.column_entries()) for row in Q.rows))
        Q, last = Q @ P, last + 1
        delta = dobrushin(Q)
        if delta == 0:
            return Mixing(*_constants(distances, INSTANT))
        if delta < 1 and (best is None or float(delta) ** (1 / last) < BETTER * float(best[1]) ** (1 / best[0])):
            best = last, delta
    k, delta = best
    return Mixing(*_constants(distances[:k], delta if k == 1 else power(delta, Fraction(1, k), up=True)))


def _constants(distances: Sequence[Fraction], rho: Fraction) -> tuple[Fraction, Fraction]:
    """m = max_j d(j)/ρʲ, and ρ; m = ρ where the class has one state, whose distances are zero."""
    return max(x / rho**j for j, x in enumerate(distances)) or rho, rho


def least_time(
    chain: Chain, states: Sequence[int], functions: Sequence[Sequence[RationalMatrix]], epsilon: Fraction
) -> int | None:
    """The least τ ≥ 1 with ‖E[f(s_t) | s_0 = s] − πf‖ ≤ ε, the spectral norm, for each of the ``functions`` (a matrix
    for each state of the class), every s and every t ≥ τ − 1. So τ counts steps of the pairs (s_t, s_{t+1}), of which
    f(s_t) is a conditional mean.

    None where the class has a period and no such τ exists. Raises BudgetExceededError beyond :data:`MIXING_STEPS`
    steps.
    """
    P, law = within(chain, states)
    shapes = [of_state[0].shape for of_state in functions]
    held = [_centred(of_state, law) for of_state in functions]
    period = chain.period(tuple(states))
    for phase in range(period.period) if period.period > 1 else ():
        chosen = [int(period.phase[k] == phase) * period.period for k in range(len(states))]
        kept = law.column_entries()
        mean = RationalMatrix([[w * p for w, p in zip(chosen, kept, strict=True)]])
        if not all(_is_small((mean @ F).rows[0], shape, epsilon) for F, shape in zip(held, shapes, strict=True)):
            return None
    longest = raised(MIXING_STEPS)
    for t in range(1, longest + 1):
        if all(_is_small(row, shape, epsilon) for F, shape in zip(held, shapes, strict=True) for row in F.rows):
            return t
        held = [P @ F for F in held]
    said = f"conditional means are not within {short(epsilon)} of their mean after {longest:,} steps"
    raise LimitError(said, 2 * longest / MIXING_STEPS)


def _centred(of_state: Sequence[RationalMatrix], law: RationalMatrix) -> RationalMatrix:
    """A row for each state: the entries of f(s) − πf."""
    table = RationalMatrix([[x for row in matrix.rows for x in row] for matrix in of_state])
    return table - RationalMatrix([[1]] * len(of_state)) @ (law.T @ table)


def _is_small(entries: Sequence[Fraction], shape: tuple[int, int], epsilon: Fraction) -> bool:
    """Whether a matrix, by its entries in a row, has a spectral norm of at most ε: ε²I − MᵀM ⪰ 0."""
    if 1 in shape:
        return sum((x * x for x in entries), Fraction(0)) <= epsilon**2
    M = RationalMatrix([entries[i * shape[1] : (i + 1) * shape[1]] for i in range(shape[0])])
    gap = M.identity(shape[1]).scaled(epsilon**2) - M.T @ M
    return decide_positive_semidefinite(gap).vector is None
