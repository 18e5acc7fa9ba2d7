r"""The noise of an update where it rests: its covariance in the long run, and what averages and small steps make of it.
Exact or enclosed, by one formula for every memory with second moments.

At rest the increment on an edge, less its mean, is ε = E n, affine in the memory: n = (m, 1), n' = N n. (The mean is
the drift of what no update sees.) What is still to come from a context with memory n is H n, by one linear system along
the edges,

    H = Σ_{h → h'} p (E + H' N)        (the column of 1 up to a constant, as E ε = 0),

So with S(h) = E[n nᵀ 1{h}]

    Σ = Σ_k E[ε_0 ε_kᵀ] (over all integers) = V + W + Wᵀ,
    V = Σ_{h → h'} p E S(h) Eᵀ,    W = Σ_{h → h'} p E S(h) Nᵀ H'ᵀ.

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
from typing import Any

from flint import fmpq

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.protocol import Dense
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.check.fixed_point import Rest
from tdcert.theory.check.stability import lyapunov_solution
from tdcert.theory.engine.dynamics import TimeScales, predictor, quotient
from tdcert.theory.engine.means import Stationary
from tdcert.theory.engine.memory import Scalar, Unknown, Weights, solved
from tdcert.theory.engine.tables import Edge, Fan, valued
from tdcert.theory.laws.long_run_covariance import averaged_covariance


@dataclass(frozen=True)
class Noise:
    """``long_run``: Σ (D×D). ``averaged``: t times the covariance of averages over t updates; ``at_small_steps``: of
    the parameters at a constant step, divided by that step, in the limit; both D×D, None where updates do not see all
    parameters. ``predictions``: ``averaged`` of Φθ at the states of the class, None where that is not determined.
    ``of_seen``: both matrices, of what updates see; ``slow``: both, of the slow parameters on two time scales; None
    where mean dynamics are not stable, at these ratios or on two time scales. ``ahead``: H for each context.
    """

    long_run: Any
    averaged: Any
    at_small_steps: Any
    predictions: Any
    of_seen: tuple[Any, Any] | None
    slow: tuple[Any, Any] | None
    ahead: tuple[Any, ...]


def noise_of(
    found: Stationary[Dense],
    ratios: Sequence[Fraction],
    rest: Rest,
    stable: bool = True,
    scales: TimeScales[Dense] | None = None,
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
    lifted: Any = found.kind.enclosing(T)
    of_seen, read, predictions = _spread(B, lifted @ Sigma @ lifted.T), predictor(found, T), None
    if read is not None:
        Phi: Any = found.kind.enclosing(read.take(columns=columns))
        predictions = Phi @ of_seen[0] @ Phi.T
    averaged, small = map(found.covariance_at, of_seen) if len(columns) == found.tables.D else (None, None)
    return Noise(Sigma, averaged, small, predictions, of_seen, slow, ahead)


def _spread(B: Any, noise: Any) -> tuple[Any, Any]:
    """B⁻¹ΣB⁻ᵀ, and X with BX + XBᵀ + Σ = 0, for a Hurwitz matrix; in balls None where they do not determine X."""
    return averaged_covariance(B, noise), lyapunov_solution(B.T, -noise)


def slow_noise(scales: TimeScales[Dense], Sigma: Any, ratios: Sequence[Fraction]) -> tuple[Any, Any]:
    """The slow matrix and LΣLᵀ, Σ being in units of the first step size, as ``ratios`` make it."""
    (slow, fast), carried = scales.places, scales.carried
    assert carried is not None and scales.slow is not None
    L = carried.identity(len(slow)).beside(carried.scaled(1 / ratios[1]))
    order = [*slow, *fast]
    return scales.slow, L @ Sigma.take(order, order) @ L.T


def long_run_covariance(
    found: Stationary[Dense], ratios: Sequence[Fraction], rest: Rest
) -> tuple[Any, tuple[Any, ...]]:
    """Σ (D×D), and H for each context. Needs what :func:`noise_of` needs."""
    tables = found.tables
    unit, increments = _increments(found, ratios, rest)
    H = still_to_come(found, increments)
    kind: Any = found.kind
    of = dict(zip(tables.edges, increments, strict=True))
    at_once: list[tuple[fmpq, Any]] = []
    ahead: list[list[tuple[fmpq, Any]]] = [[] for _ in tables.contexts]  # p E S Nᵀ, by where it leads
    for move in tables.moves:
        S = found.memory.second[move.source]
        after = S @ kind.enclosing(tables.affine(move).T)
        # exactly, E is mostly a long number, the error of the prediction, times short ones that edges share
        shared = defaultdict[Any, list[tuple[fmpq, Edge]]](list)
        for edge in move.edges:
            E = kind.of_scalars([x for row in of[edge] for x in row], tables.M + 1)
            x, E = E.parted() if kind is RationalMatrix else (fmpq(1), E)
            shared[E].append((x, edge))
        for E, parts in shared.items():
            probabilities = [to_fmpq(edge.outcome.probability) for _, edge in parts]
            square = sum((p * x * x for p, (x, _) in zip(probabilities, parts, strict=True)), start=fmpq(0))
            at_once.append((square, E @ S @ E.T))
            product = E @ after
            for p, (x, edge) in zip(probabilities, parts, strict=True):
                ahead[edge.target].append((p * x, product))
    later = kind.combined([(fmpq(1), kind.combined(Q) @ h.T) for Q, h in zip(ahead, H, strict=True)])
    Sigma = kind.combined(at_once) + later + later.T
    return Sigma.scaled(1 / unit**2), tuple(X.scaled(1 / unit) for X in H)


def still_to_come(found: Stationary[Dense], increments: Sequence[Sequence[Sequence[Scalar]]]) -> list[Any]:
    """H for each context: of what is E n on each edge (``increments``, each r×(M+1)), and zero in the mean."""
    tables, memory = found.tables, found.memory
    rows, M, last = len(increments[0]), tables.M, len(tables.contexts) - 1
    none: list[Scalar] = [fmpq(0)] * rows
    # through the memory
    into: Weights = defaultdict(fmpq)
    known: dict[Unknown, list[Scalar]] = defaultdict(lambda: list(none))
    # and without it: zero at the last context, for one equation depends on the others
    chain: Weights = defaultdict(fmpq)
    plain: dict[Unknown, list[Scalar]] = defaultdict(lambda: list(none))
    for edge, E in zip(tables.edges, increments, strict=True):
        h, p = edge.source, to_fmpq(edge.outcome.probability)
        for j in range(M):
            if (h, j) in memory.reached:
                known[h, j] = [x + p * row[j] for x, row in zip(known[h, j], E, strict=True)]
        for (i, j), x in edge.recursion[0].items():
            if (h, j) in memory.reached:
                into[(h, j), (edge.target, i)] += p * x
        plain[h,] = [x + p * row[M] for x, row in zip(plain[h,], E, strict=True)]
        if last not in (h, edge.target):
            chain[(h,), (edge.target,)] += p
    ahead = solved(memory.reached, into, known, rows, found.kind)
    for edge in tables.edges:
        for i, s in edge.recursion[1].items():
            weight, values = to_fmpq(edge.outcome.probability) * s, ahead[edge.target, i]
            plain[edge.source,] = [x + weight * y for x, y in zip(plain[edge.source,], values, strict=True)]
    constant = {**solved([(h,) for h in range(last)], chain, plain, rows, found.kind), (last,): none}
    columns = ([*(ahead.get((h, j), none) for j in range(M)), constant[h,]] for h in range(last + 1))
    return [found.kind.of_scalars([x for row in zip(*part, strict=True) for x in row], M + 1) for part in columns]


def _increments(
    found: Stationary[Dense], ratios: Sequence[Fraction], rest: Rest
) -> tuple[Scalar, list[list[list[Scalar]]]]:
    """A number k, and kE (D×(M+1)) of each edge, in units of the first step size: such k that digits are few."""
    tables, (columns, _) = found.tables, found.visible
    D, M = tables.D, tables.M
    assert rest.seen is not None and rest.drift is not None
    unit = fmpq(rest.seen.denominator) if isinstance(rest.seen, RationalMatrix) else fmpq(1)
    y: list[Scalar] = [fmpq(0)] * D + [unit]  # any point that updates do not tell from the one of rest
    for column, (value,) in zip(columns, rest.seen.scalars, strict=True):
        y[column] = value * unit
    at_rest: dict[Fan, dict[tuple[int, int], list[tuple[int, Scalar]]]] = {}
    made = []
    for edge in tables.edges:
        if edge.fan not in at_rest:
            entries = at_rest[edge.fan] = defaultdict[tuple[int, int], list[tuple[int, Scalar]]](list)
            for exponents, part in edge.fan.G.items():
                for (entry, row, column), parts in part.items():
                    if any(exponents):
                        factor = to_fmpq(ratios[exponents.index(1)]) * y[column]
                        entries[row, M if entry is None else entry] += [(k, x * factor) for k, x in parts]
        E: list[list[Scalar]] = [[*[fmpq(0)] * M, -value * unit] for (value,) in rest.drift.scalars]
        for (i, j), parts in at_rest[edge.fan].items():
            E[i][j] += valued(parts, edge.at)
        made.append(E)
    return unit, made
