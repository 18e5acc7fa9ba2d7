r"""Memory without end, up to a distance: finitely many nodes in the place of infinitely many values of it.

The memory is one vector m with m' = s + c m, s and c numbers of the transition, as the trace of a λ without end is. A
node is a context with a centre, a float vector; a step leads from the centre m to the node that has the place of
s + c m on a grid. Along any path the true memory then lies within r_h of the centre of its node h, where

    r_{h'} ≥ |c| r_h + e,    e = |s + c m_h − m_{h'}|,    on every step h → h',

for it does so at the start, where both are zero. With G_j the largest product of j factors |c|, one such r is
max e · (1 + Σ_{j≥1} G_j); each round of r_{h'} ← max (|c| r_h + e) over the steps into h' gives a smaller one.
All of this is rounded upwards. There are as many nodes as places of the grid that the memory visits: a power of the
accuracy, where windows of ℓ states grow exponentially with ℓ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.arithmetic.rational import to_float, to_fmpq, to_fraction
from tdcert.theory.engine.nodes import Nodes, Values, rules_of, theta_of
from tdcert.theory.engine.terms import KNOWN, Terms
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.laws.nodes import Node

UP = 1 + 2.0**-40
"""Covers what a few operations on floats of one sign round."""
ROUNDS = 200
"""Most rounds in which the distances from the centres are made smaller."""


@dataclass(frozen=True, eq=False)
class NearNodes(Nodes):
    """``radius`` (nodes): how far the memory may be from the centre of its node."""

    radius: Floats


def recursion(found: Terms) -> tuple[list[Values], Floats] | None:
    """s and |c| from above on each passage, where the memory is one vector that moves so; else None."""
    if len(found.memory) != 1 or not found.memory[0].vector:
        return None
    rules = [rule for (rule,) in rules_of(found)]
    if any(rule.products for rule in rules):
        return None
    links = [rule.links[0][1] if rule.links else fmpq(0) for rule in rules]
    return [rule.constant for rule in rules], np.array([UP * abs(to_float(c)) for c in links])


def largest_sum(factor: Floats) -> float:
    """Σ_{j≥1} G_j for the largest |c| from context to context (n×n), from above; infinite where no m up to 2n has
    G_m < 1.
    """
    products, total = np.ones(len(factor)), 0.0
    for _ in range(2 * len(factor)):
        products = (products[:, None] * factor).max(axis=0)
        largest = float(products.max()) * UP
        total += largest
        if largest < 1:
            return UP * total / (1 - largest)
    return float("inf")


def bound_of(found: Terms) -> float:
    """Σ_{j≥1} G_j, infinite where none is seen: what :func:`near_nodes` needs to be finite."""
    moved = recursion(found)
    if moved is None:
        return float("inf")
    factor = np.zeros((len(found.contexts),) * 2)
    for passage, c in zip(found.passages, moved[1], strict=True):
        at = passage.source, passage.target
        factor[at] = max(factor[at], c)
    return largest_sum(factor)


def near_nodes(found: Terms, spacing: float, most: int) -> NearNodes:
    """The nodes that are reached from ``found.states`` at time zero, on a grid of ``spacing`` times the largest s
    over the largest c.

    :func:`bound_of` must be finite. Raises :class:`BudgetExceededError` beyond ``most`` transitions.
    """
    moved = recursion(found)
    assert moved is not None
    s, size = np.array([[to_float(x) for x in row] for row in moved[0]]), moved[1]
    links = [rule.links[0][1] if rule.links else fmpq(0) for (rule,) in rules_of(found)]
    c = np.array([to_float(x) for x in links])
    grid = spacing * (float(np.abs(s).max()) or 1.0) / (float(size.max()) or 1.0)
    leaving: list[list[int]] = [[] for _ in found.contexts]
    for k, passage in enumerate(found.passages):
        leaving[passage.source].append(k)
    ends = [passage.target for passage in found.passages]
    nodes: dict[tuple[int, bytes], int] = {}
    contexts, centres = list[int](), list[Floats]()

    def node(context: int, value: Floats, place: Floats) -> int:
        index = nodes.setdefault((context, place.tobytes()), len(contexts))
        if index == len(contexts):
            contexts.append(context)
            centres.append(value)
        return index

    nothing = np.zeros(s.shape[1])
    for context in range(len(found.states)):  # first, so that their centres are exact
        node(context, nothing, nothing)
    moves = list[tuple[int, int, int]]()
    for h, context in enumerate(contexts):  # grows while it is read
        here = leaving[context]
        ahead = s[here] + c[here, None] * centres[h]
        places = np.rint(ahead / grid) + 0.0  # no -0.0, which is another key
        moves += [(node(ends[k], m, place), h, k) for k, m, place in zip(here, ahead, places, strict=True)]
        if len(moves) > most:
            raise BudgetExceededError(
                f"values of the memory that differ by {grid:.2g} take more than {most} transitions"
            )
    moves.sort()
    target, source, edge = np.array(moves, dtype=np.int64).T
    C = np.array(centres)
    # the three terms of e are rounded by at most 2⁻⁵⁰ of their sizes
    parts = s[edge], c[edge, None] * C[source], C[target]
    off = np.abs(parts[0] + parts[1] - parts[2]) + 2.0**-50 * sum(np.abs(part) for part in parts)
    apart = UP * np.sqrt((off * off).sum(axis=1)) + 2.0**-500
    radius = _radii(source, target, size[edge], apart, bound_of(found))
    count = len(found.states)
    start = np.array([Fraction(1, count)] * count + [Fraction(0)] * (len(C) - count), dtype=object)
    named: tuple[Node, ...] = tuple((context, (k,)) for k, context in enumerate(contexts))
    values = [tuple(to_fmpq(Fraction(x)) for x in row) for row in C.tolist()]
    width = sum(place.width for place in found.parameters) + 1
    return NearNodes(named, source, target, start, width, theta_of(found), found, {}, edge, values, radius)


def _radii(
    source: NDArray[np.int64], target: NDArray[np.int64], factor: Floats, apart: Floats, beyond: float
) -> Floats:
    """r of each node, from above; moves are sorted by ``target``, and every node but those of the start has one."""
    count = int(max(source.max(), target.max())) + 1
    r = np.full(count, UP * float(apart.max()) * (1 + beyond))
    entered = np.unique(target)
    first = np.searchsorted(target, entered)
    for _ in range(ROUNDS):
        smaller = r.copy()
        smaller[entered] = np.minimum(r[entered], UP * np.maximum.reduceat(factor * r[source] + apart, first))
        if (smaller > 0.99 * r).all():
            return smaller
        r = smaller
    return r


def off_by(chain: NearNodes, ratios: Sequence[Fraction]) -> Floats:
    """How far K may be off on each transition, in the spectral norm, from above: ‖N‖₂² ≤ ‖N‖₁‖N‖_∞ for the matrix N of
    the norms of the blocks.
    """
    of, d = chain.of, chain.of.model.d
    assert isinstance(of, Terms)
    blocks, memory = len(of.parameters), len(KNOWN)
    sides = np.zeros((2, len(of.passages), blocks, blocks, d))  # what stands on the other side of m
    rounded, apart = np.zeros((len(of.passages), blocks, blocks)), np.zeros((len(of.passages), blocks, blocks))
    for k, passage in enumerate(of.passages):
        for term in of.evaluations[passage.evaluation]:
            if term.row >= blocks or term.column < 0 or (memory not in (term.a, term.b) and term.weight is None):
                continue
            which, weight = chain.weight_of(term.powers)
            c = float(to_fraction(of.value(passage, term)) * weight * ratios[which])
            at, a, b = (k, term.row, term.column), chain.known(k, term.a), chain.known(k, term.b)
            if term.weight is not None:
                length = np.linalg.norm(a) * np.linalg.norm(b) * np.linalg.norm(chain.known(k, term.weight[1]))
                apart[at] += abs(c) * float(length)
            else:
                other = b if term.a == memory else a
                sides[int(term.a == memory)][at][: len(other)] += c * other
                rounded[at] += abs(c) * float(np.linalg.norm(other))
    N = np.linalg.norm(sides, axis=-1).sum(axis=0) + apart + 2.0**-45 * (rounded + apart)
    norms = UP * np.sqrt(N.sum(axis=1).max(axis=1) * N.sum(axis=2).max(axis=1))
    return np.asarray(UP * norms[chain.edge] * chain.radius[chain.source])
