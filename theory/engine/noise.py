r"""The noise of an update where it rests, exact: its covariance in the long run, and what averages and small steps make
of it. One formula for every memory with second moments.

At rest the increment on an edge is ε = E n, affine in the memory: n = (m, 1), n' = N n. What is still to come from a
context with memory n is H n, by one linear system along the edges,

    H = Σ_{h → h'} p (E + H' N)        (the column of 1 up to a constant, as E ε = 0),

and D n with D = E + H' N − H are martingale differences. So with S(h) = E[n nᵀ 1{h}]

    Σ = Σ_k E[ε_0 ε_kᵀ] (over all integers) = Σ_{h → h'} p D S(h) Dᵀ.

With u = T y what updates see, u' = B u + … and TΣTᵀ its noise: averages of y have the covariance B⁻¹TΣTᵀB⁻ᵀ / t, and at
constant steps α → 0 the stationary covariance of u is αX with BX + XBᵀ + TΣTᵀ = 0.

On two time scales (step_1/step_2 → 0) the fast parameters follow the slow ones, and carry their noise over to them: of
the slow ones the same holds with the slow matrix for B and the noise LΣLᵀ, L = (I, −J_sf F⁻¹), per step_1. (Averages of
the slow parameters vary at every ratio as they do there.)

Sources: Polyak, Juditsky, SIAM J. Control Optim. 1992; Benveniste, Métivier, Priouret, *Adaptive Algorithms and
Stochastic Approximations*, 1990, part II, chapter 4; two time scales: Konda, Tsitsiklis, Annals of Applied Probability
2004. Of the paper's algorithms:
``tdcert.theory.laws.long_run_covariance``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from flint import fmpq

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.check.stability import lyapunov_solution
from tdcert.theory.engine.dynamics import Rest, TimeScales, predictor, quotient
from tdcert.theory.engine.means import Stationary
from tdcert.theory.engine.memory import Unknown, Weights, solved
from tdcert.theory.laws.long_run_covariance import averaged_covariance


@dataclass(frozen=True)
class Noise:
    """``long_run``: Σ (D×D). ``averaged``: t times the covariance of averages over t updates; ``at_small_steps``: of
    the parameters at a constant step, divided by that step, in the limit; both D×D, None where updates do not see all
    parameters. ``predictions``: ``averaged`` of Φθ at the states of the class, None where that is not determined.
    ``of_seen``: both matrices, of what updates see; ``slow``: both, of the slow parameters on two time scales; None
    where mean dynamics are not stable, at these ratios or on two time scales. ``ahead``: H for each context.
    """

    long_run: RationalMatrix
    averaged: RationalMatrix | None
    at_small_steps: RationalMatrix | None
    predictions: RationalMatrix | None
    of_seen: tuple[RationalMatrix, RationalMatrix] | None
    slow: tuple[RationalMatrix, RationalMatrix] | None
    ahead: tuple[RationalMatrix, ...]


def noise_of(
    found: Stationary, ratios: Sequence[Fraction], rest: Rest, stable: bool = True, scales: TimeScales | None = None
) -> Noise:
    """At these ratios (one for each step size, the first being 1), where mean dynamics rest at one point; ``stable``:
    and are stable. ``scales``: of the update, where both are stable, and updates see all parameters.

    The memory must have second moments. Raises :class:`InputError` for an update that is not linear in its steps.
    """
    columns, T = found.visible
    B = quotient(found, ratios)
    assert B is not None
    Sigma, ahead = long_run_covariance(found, ratios, rest)
    slow = None if scales is None else _spread(*slow_noise(scales, Sigma, ratios))
    if not stable:
        return Noise(Sigma, None, None, None, None, slow, ahead)
    of_seen, Phi, predictions = _spread(B, T @ Sigma @ T.T), predictor(found, T), None
    if Phi is not None:
        Phi = Phi.take(columns=columns)
        predictions = Phi @ of_seen[0] @ Phi.T
    averaged, small = of_seen if len(columns) == found.tables.D else (None, None)
    return Noise(Sigma, averaged, small, predictions, of_seen, slow, ahead)


def _spread(B: RationalMatrix, noise: RationalMatrix) -> tuple[RationalMatrix, RationalMatrix]:
    """B⁻¹ΣB⁻ᵀ, and X with BX + XBᵀ + Σ = 0, for a Hurwitz matrix."""
    small = lyapunov_solution(B.T, -noise)
    assert small is not None
    return averaged_covariance(B, noise), small


def slow_noise(
    scales: TimeScales, Sigma: RationalMatrix, ratios: Sequence[Fraction]
) -> tuple[RationalMatrix, RationalMatrix]:
    """The slow matrix and LΣLᵀ, Σ being in units of the first step size, as ``ratios`` make it."""
    (slow, fast), carried = scales.places, scales.carried
    assert carried is not None and scales.slow is not None
    L = RationalMatrix(
        [[*(int(i == j) for j in range(len(slow))), *row] for i, row in enumerate(carried.scaled(1 / ratios[1]).rows)]
    )
    order = [*slow, *fast]
    return scales.slow, L @ Sigma.take(order, order) @ L.T


def long_run_covariance(
    found: Stationary, ratios: Sequence[Fraction], rest: Rest
) -> tuple[RationalMatrix, tuple[RationalMatrix, ...]]:
    """Σ (D×D), and H for each context. Needs what :func:`noise_of` needs."""
    tables = found.tables
    unit, increments = _increments(found, ratios, rest)
    H = still_to_come(found, increments)
    Sigma = RationalMatrix.zeros(tables.D, tables.D)
    for edge, E in zip(tables.edges, increments, strict=True):
        here = RationalMatrix([[to_fraction(x) for x in row] for row in E])
        change = here + H[edge.target] @ tables.affine(edge) - H[edge.source]
        Sigma = Sigma + (change @ found.memory.second[edge.source] @ change.T).scaled(edge.outcome.probability)
    return Sigma.scaled(1 / Fraction(unit) ** 2), tuple(X.scaled(1 / Fraction(unit)) for X in H)


def still_to_come(found: Stationary, increments: Sequence[Sequence[Sequence[fmpq]]]) -> list[RationalMatrix]:
    """H for each context: of what is E n on each edge (``increments``, each r×(M+1)), and zero in the mean."""
    tables, memory = found.tables, found.memory
    rows, M, last = len(increments[0]), tables.M, len(tables.contexts) - 1
    none = [fmpq(0)] * rows
    # through the memory
    into: Weights = defaultdict(fmpq)
    known: dict[Unknown, list[fmpq]] = defaultdict(lambda: list(none))
    # and without it: zero at the last context, for one equation depends on the others
    chain: Weights = defaultdict(fmpq)
    plain: dict[Unknown, list[fmpq]] = defaultdict(lambda: list(none))
    for edge, E in zip(tables.edges, increments, strict=True):
        h, p = edge.source, to_fmpq(edge.outcome.probability)
        for j in range(M):
            if (h, j) in memory.reached:
                known[h, j] = [x + p * row[j] for x, row in zip(known[h, j], E, strict=True)]
        for (i, j), x in tables.recursions[edge][0].items():
            if (h, j) in memory.reached:
                into[(h, j), (edge.target, i)] += p * x
        plain[h,] = [x + p * row[M] for x, row in zip(plain[h,], E, strict=True)]
        if last not in (h, edge.target):
            chain[(h,), (edge.target,)] += p
    ahead = solved(memory.reached, into, known, rows)
    for edge in tables.edges:
        for i, s in tables.recursions[edge][1].items():
            weight, values = to_fmpq(edge.outcome.probability) * s, ahead[edge.target, i]
            plain[edge.source,] = [x + weight * y for x, y in zip(plain[edge.source,], values, strict=True)]
    constant = {**solved([(h,) for h in range(last)], chain, plain, rows), (last,): none}
    columns = ([*(ahead.get((h, j), none) for j in range(M)), constant[h,]] for h in range(last + 1))
    return [RationalMatrix([[to_fraction(x) for x in row] for row in zip(*part, strict=True)]) for part in columns]


def _increments(found: Stationary, ratios: Sequence[Fraction], rest: Rest) -> tuple[int, list[list[list[fmpq]]]]:
    """A whole number k, and kE (D×(M+1)) of each edge, in units of the first step size: such k that digits are few."""
    tables, (columns, _) = found.tables, found.visible
    D, M = tables.D, tables.M
    assert rest.seen is not None
    values = rest.seen.column_entries()
    unit = lcm(*(x.denominator for x in values))
    y = [fmpq(0)] * D + [fmpq(unit)]  # any point that updates do not tell from the one of rest
    for column, value in zip(columns, values, strict=True):
        y[column] = to_fmpq(value * unit)
    made = []
    for edge in tables.edges:
        E = [[fmpq(0)] * (M + 1) for _ in range(D)]
        for exponents, part in tables.increments(edge.parameters).items():
            ratio = to_fmpq(ratios[exponents.index(1)])
            for (entry, row, column), x in part.items():
                E[row][M if entry is None else entry] += ratio * x * y[column]
        made.append(E)
    return unit, made
