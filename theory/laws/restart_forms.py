r"""Constant steps on paths, with a memory that is cut: upper bounds by weighted second moments, and what is decided.

Contexts, memory, layers and the tail are those of :mod:`tdcert.theory.laws.restart_exponents`; weights and forms those
of :mod:`tdcert.theory.laws.path_exponents`. In the nodes of the layers before a depth stand X ≻ 0, on their moves
weights w > 0. The tail has one form P ≻ 0. Its moves from layer depth + k have the weight 1/(c g²ᵏ), and there

    Σ p w BᵀX'B ⪯ P,    X' = P behind a move without a cut, X of the node behind a cut.

For with g ≥ 1 and |m| ≤ gᵏ E in layer depth + k, entry by entry, B = B₀ + Σ m_j K_j has BᵀX'B ⪯ n g²ᵏ (B₀ᵀX'B₀ +
E² Σ K_jᵀX'K_j), n the number of these terms, so that Σ p n (B₀ᵀX'B₀ + E² Σ K_jᵀX'K_j) ⪯ c P is enough. Then yᵀXy times
the weights met so far is a supermartingale that is not negative, and its logarithm gives, from every start,

    limsup (1/n) log |y_n| ≤ −½ Σ π_e log w_e + ½ (r log c + 2 log g Σ_k k r_k)

with r_k the law of layer depth + k and r = Σ r_k. Both sums are exact. By context the law of the contexts has so much
more than the layers, r_h. And Σ k r_k = Σ_h r_h (τ_h − 1): whoever is in a layer of the tail passes the next ones until
a move cuts, and τ_h = 1 + Σ p τ_{h'} over the moves without a cut is the mean number of moves until then. Nothing is
said per cycle: the law is that of a step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil

import numpy as np

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.laws.mean_square import ByWindow, JumpSystem, WindowMove, positive, show_bounded
from tdcert.theory.laws.path_exponents import SLACK, PathSign, RestartForms, below, log_sum, rounded, smaller
from tdcert.theory.laws.restart_exponents import DEPTHS, SETTLED, ContextMove, Layers, Restarts, by_determinants
from tdcert.theory.laws.tilted_moments import TiltedMoments
from tdcert.theory.limits import WEIGHT_UNKNOWNS, raised

GROWTH_UNIT = 1000
"""The growth of the memory is rounded up to so many parts of one."""
ROOM = 1.0 + 2.0**-10
"""By how much a number that floats find to be enough is enlarged."""


def decide_restarts(of: Restarts, unknowns: int = WEIGHT_UNKNOWNS) -> PathSign:
    """The sign of λ₁ where some moves cut the memory. ``unknowns``: most nodes × D(D + 1)/2 for which weights are
    searched.
    """
    grows = by_determinants(of)
    low = None if grows is None else grows.bound
    if grows is not None and grows.bound > 0:
        return PathSign(1, low, None, (grows,), from_time_zero=grows.regular)
    falls = by_forms(of, unknowns)
    high = None if falls is None else falls.bound
    shown = tuple(x for x in (falls, grows) if x is not None)
    if high is not None and high < 0:
        return PathSign(-1, low, high, shown)
    why = "no bound of the exponent has a sign" if shown else "neither determinants nor forms bound the exponent"
    return PathSign(None, low, high, shown, why=why)


def by_forms(of: Restarts, unknowns: int = WEIGHT_UNKNOWNS) -> RestartForms | None:
    """Weights, forms and a tail; None where the search is too large or fails."""
    chosen = _layers(of, raised(unknowns))
    if chosen is None:
        return None
    depth, layers = chosen
    closed = _closed(of, layers)
    with np.errstate(all="ignore"):
        best = TiltedMoments(closed, _law(closed), 1.0).best_weights()
    if best is None:
        return None
    inner = [k for k, move in enumerate(layers.moves) if move.target is not None]
    for times in SLACK:
        weights = smaller(best[1], times * abs(best[0]))
        weighted = tuple(replace(closed.moves[k], p=closed.moves[k].p * weights[k]) for k in inner)
        kept = replace(closed, moves=weighted)
        shown = show_bounded(kept, Fraction(1))
        found = None if shown is None else _with_tail(of, layers, depth, weights, kept, shown.lyapunov)
        if found is not None:
            return found
    return None


def _layers(of: Restarts, most: int) -> tuple[int, Layers] | None:
    """So many layers that the tail hardly counts, or as many as may be."""
    found: tuple[int, Layers] | None = None
    for depth in DEPTHS:
        layers = of.layers(depth, begun=False)
        if layers is None or len(layers.nodes) * of.D * (of.D + 1) // 2 > most:
            break
        found = depth, layers
        if sum(layers.rest) <= SETTLED:
            break
    return found


def _closed(of: Restarts, layers: Layers) -> JumpSystem:
    """The layers, with the first node in the place of the tail: for the search alone."""
    zero, nothing = RationalMatrix.zeros(of.D, of.D), RationalMatrix.zeros(of.D, 1)
    one = zero.identity(of.D)
    moves = tuple(WindowMove(x.source, x.target or 0, x.passage.p, x.B - one, nothing) for x in layers.moves)
    return JumpSystem("", None, (), layers.nodes, moves, zero, 0)


def _law(system: JumpSystem) -> Floats:
    source, target, p, _ = system.floats
    count = len(system.windows)
    P = np.zeros((count, count))
    np.add.at(P, (source, target), p)
    equations = np.vstack([P.T - np.eye(count), np.ones(count)])
    law = np.linalg.lstsq(equations, np.append(np.zeros(count), 1.0), rcond=None)[0]
    return np.asarray(np.maximum(law, 0.0))


def _with_tail(
    of: Restarts, layers: Layers, depth: int, weights: Sequence[Fraction], kept: JumpSystem, X: ByWindow
) -> RestartForms | None:
    numbers = {node: k for k, node in enumerate(layers.nodes[: layers.first])}
    P = sum(X[1 : layers.first], start=X[0])
    into = _into_the_tail(layers, kept.decrease(X, Fraction(1)), P)
    if into is None:
        return None
    weights = [into[move.source] if move.target is None else w for move, w in zip(layers.moves, weights, strict=True)]
    size = size_of(memory for _, memory in layers.entered)
    growth, left, factor = growth_of(of, size), times_left(of), Fraction(0)
    for moves in of.leaving_in_class:
        total = RationalMatrix.zeros(of.D, of.D)
        for move in moves:
            behind = X[numbers[move.after((Fraction(0),) * of.M)]] if move.cuts else P
            total = total + _largest(of, move, behind, size).scaled(move.p)
        enough = _times(total, P)
        if enough is None or not positive([P.scaled(enough) - total]):
            return None
        factor = max(factor, enough)
    rest = [layers.rest[h] for h in of.members]
    later = sum((r * (t - 1) for r, t in zip(rest, left, strict=True)), Fraction(0))
    flows = [move.flow for move in layers.moves]
    tail = sum(rest, Fraction(0))
    logs = log_sum(zip([*flows, -tail, -2 * later], [*weights, factor, growth], strict=True))
    bound = rounded(-logs / 2, up=True)
    return RestartForms(bound, depth, tuple(weights), X, P, size, growth, factor, left)


def _into_the_tail(layers: Layers, decrease: ByWindow, P: RationalMatrix) -> dict[int, Fraction] | None:
    """By node a weight of the moves into the tail with which the decrease stays positive."""
    added: dict[int, RationalMatrix] = {}
    for move in layers.moves:
        if move.target is None:
            moved = (move.B.T @ P @ move.B).scaled(move.passage.p)
            added[move.source] = added[move.source] + moved if move.source in added else moved
    found = {}
    for h, total in added.items():
        times = _times(total, decrease[h])
        if times is None:
            return None
        found[h] = Fraction(1) if times == 0 else below(float(1 / (2 * times)), 0.0)
        if not positive([decrease[h] - total.scaled(found[h])]):
            return None
    return found


def _times(A: RationalMatrix, X: RationalMatrix) -> Fraction | None:
    """A number a little above the least c with A ⪯ cX, by floats; None where there is none."""
    whole = np.linalg.eigvals(np.linalg.solve(X.to_float(), A.to_float())).real
    top = float(whole.max()) * ROOM
    return Fraction(top) if np.isfinite(top) and top >= 0 else None


def _largest(of: Restarts, move: ContextMove, X: RationalMatrix, size: Fraction) -> RationalMatrix:
    """n (B₀ᵀXB₀ + E² Σ K_jᵀXK_j)."""
    B = move.B((Fraction(0),) * of.M, of.D)
    total, count = B.T @ X @ B, 1
    for j, part in move.parts.items():
        if j < of.M:
            total, count = total + (part.T @ X @ part).scaled(size * size), count + 1
    return total.scaled(Fraction(count))


def size_of(memories: Iterable[Sequence[Fraction]]) -> Fraction:
    """E ≥ 1, at least the size of all their entries."""
    return Fraction(max(1, ceil(max((abs(x) for memory in memories for x in memory), default=Fraction(0)))))


def growth_of(of: Restarts, size: Fraction) -> Fraction:
    """g ≥ 1 by which no move of the class without a cut enlarges a memory of this size by more."""
    most = Fraction(1)
    for move in (x for moves in of.leaving_in_class for x in moves if not x.cuts):
        rows = [abs(move.s.get(i, Fraction(0))) / size for i in range(of.M)]
        for (i, _), x in move.R.items():
            rows[i] += abs(x)
        most = max(most, *rows)
    return Fraction(ceil(most * GROWTH_UNIT), GROWTH_UNIT)


def times_left(of: Restarts) -> tuple[Fraction, ...]:
    """τ of the contexts of the class: the mean number of moves until one cuts."""
    place = {h: k for k, h in enumerate(of.members)}
    rows = [[Fraction(int(i == j)) for j in place] for i in place]
    for moves in of.leaving_in_class:
        for move in moves:
            if not move.cuts:
                rows[place[move.source]][place[move.target]] -= move.p
    return tuple(RationalMatrix(rows).solve(RationalMatrix.column([1] * len(place))).column_entries())
