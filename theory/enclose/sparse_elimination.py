r"""The stationary law of a large sparse chain by elimination without subtraction, however slowly the chain mixes.

The elimination is that of :mod:`tdcert.theory.enclose.dense_law`, in another order: the graph of the chain is cut by
separators, the parts are cut again (nested dissection; George 1973), and a separator is eliminated after the parts that
it separates. Then eliminating a state touches few others: those of its *front*, the states left that it has transitions
to or from. A front is eliminated as a dense matrix, its p pivots at once, and hands what is left, the rates between the
states of its boundary, to the front above it (Duff and Reid 1983).

The bound, in the exponents η of :mod:`~tdcert.theory.enclose.dense_law`: with η₀ = u/(1 − u),

1. By the Markov chain tree theorem w_j is a sum of products of entries a_{i,t(i)}, one from each row i ≠ j. If the
   entries of row i change by factors in [e^{−η_i}, e^{η_i}], w_j does by one in [e^{−Σ_i η_i}, e^{Σ_i η_i}]: only the
   rows count that a step touches.
2. A pivot with k states after it in its front changes the entries of these k rows by e^{±4η₀} at most, and the end of a
   block of b pivots with k states after it by e^{±(b+1)η₀} (lines 2 and 3 there).
3. A front adds what its children left to the entries it starts with: one rounding for each row of a child's boundary.
4. Back substitution, x_k = Σ_i x_i c_ik over the states i after k in its front, r of them in the boundary: a product of
   r terms, another of less than p, and their sum, with c_ik off by 2η₀, add (max(r, p) + 3)η₀ to the largest exponent
   before: p times in a front, and so on from the last front down.
5. Rates given with relative errors ε_i in row i add Σ_i ε_i/(1 − ε_i).
6. Normalising doubles the sum of all this and rounds twice.
7. Underflow: the smallest rate, c_ik and product are looked at, block by block. Rates leave a state with 3/2 at most in
   all, so that no quotient is far smaller than its numerator.

So the bound grows with the entries of the factors, about n log n on a grid, where the dense one grows with n².
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from typing import Any

import numpy as np
import scipy

from tdcert.theory.arithmetic.float_enclosures import Floats, round_up
from tdcert.theory.arithmetic.sparse_products import SparseKernel
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.limits import ELIMINATION_BYTES, ELIMINATION_WORK, LimitError, multiple, raised

LEAF = 64
"""Parts of at most so many states are not cut further."""

BLOCK = 32
"""Pivots between two matrix products."""


MIDDLE = (0.3, 0.7)
"""A cut leaves between these parts of the states on one side."""

_NORMAL = 2.0**-1020

Indices = Any
"""A NumPy array of states."""


@dataclass(frozen=True, eq=False)
class Front:
    """``pivots``, ``boundary``: states, in the order of elimination; ``children``: places of fronts in the order."""

    pivots: Indices
    boundary: Indices
    children: tuple[int, ...]

    @property
    def size(self) -> int:
        """f: pivots and boundary."""
        return len(self.pivots) + len(self.boundary)


def eliminated(chain: SparseKernel) -> tuple[Floats, float]:
    """The law (n,) of an irreducible chain, and a bound of the relative error of every entry.

    Raises :class:`~tdcert.theory.errors.BudgetExceededError` where the fronts are too large, or floats too short.
    """
    W = chain.weights
    _require_normal(W.data, np.ones(1))
    fronts = dissection(W)
    with np.errstate(all="ignore"):  # what overflows or underflows is refused
        x = _weights(W, fronts)
        law = x / (fsum(x) if x.max() < 2.0**1000 else np.inf)
    if not (np.isfinite(law).all() and law.min() >= _NORMAL):
        raise BudgetExceededError("the stationary law has probabilities below the range of floats")
    return law, relative_error(fronts, chain.entry_error)


def relative_error(fronts: Sequence[Front], given: Floats) -> float:
    """What lines 2 to 6 add up to; rounded up. e^η − 1 ≤ η/(1 − η) for 0 ≤ η < 1."""
    units, depths = 0, [0] * len(fronts)
    for place in reversed(range(len(fronts))):
        front = fronts[place]
        p, f = len(front.pivots), front.size
        units += 4 * p * (f - 1) - 2 * p * (p - 1)
        units += sum((min(k + BLOCK, p) - k + 1) * (f - min(k + BLOCK, p)) for k in range(0, p, BLOCK))
        units += sum(len(fronts[child].boundary) for child in front.children)
        depths[place] += p * (max(f - p, p) + 3)
        for child in front.children:
            depths[child] = depths[place]
    eta = 2 * (units + max(depths) + 2) * Fraction(1, 2**53 - 1)
    worst = Fraction(float(given.max(initial=0.0)))
    eta += 2 * len(given) * worst / (1 - worst)
    if eta >= Fraction(1, 2):
        raise BudgetExceededError(f"elimination of {len(given):,} states in floats does not determine the law")
    return round_up(eta / (1 - eta) * (1 + Fraction(4, 2**53)))


# ---- the order ------------------------------------------------------------------------------------


def dissection(W: Any) -> list[Front]:
    """Fronts in the order of elimination, children first, for a CSR array W (n×n, irreducible).

    Raises :class:`~tdcert.theory.errors.BudgetExceededError` beyond :data:`ELIMINATION_WORK` and
    :data:`ELIMINATION_BYTES`.
    """
    n = W.shape[0]
    pattern = scipy.sparse.csr_array((np.ones(W.nnz, dtype=np.int8), W.indices, W.indptr), shape=W.shape)
    graph = scipy.sparse.csr_array(pattern + pattern.T)
    degrees = np.diff(graph.indptr)
    hubs = np.flatnonzero(degrees > max(LEAF, 16 * np.sqrt(n)))  # restarts: they would be next to everything
    parts: list[tuple[Indices, tuple[int, ...]]] = []
    rest = np.setdiff1d(np.arange(n), hubs, assume_unique=True)
    roots = _cut(graph, rest, parts)
    if len(hubs):
        parts.append((hubs, tuple(roots)))
    return _with_boundaries(graph, parts)


def _cut(graph: Any, states: Indices, parts: list[tuple[Indices, tuple[int, ...]]]) -> list[int]:
    """Cut the graph on these states until every part is small; the places of the last separators, or parts."""
    if len(states) == 0:
        return []
    inside = graph[states][:, states]
    count, labels = scipy.sparse.csgraph.connected_components(inside, directed=False)
    if count > 1:
        order = np.argsort(labels, kind="stable")
        groups = np.split(states[order], np.cumsum(np.bincount(labels))[:-1])
        small = [group for group in groups if len(group) <= LEAF]
        roots = [root for group in groups if len(group) > LEAF for root in _cut(graph, group, parts)]
        held: list[Indices] = []
        for k, group in enumerate(small):
            held.append(group)
            if k + 1 == len(small) or sum(map(len, held)) + len(small[k + 1]) > LEAF:
                parts.append((np.concatenate(held), ()))
                roots.append(len(parts) - 1)
                held = []
        return roots
    separator = None if len(states) <= LEAF else _separator(inside)
    if separator is None:
        _require(graph.shape[0], float(len(states)) ** 3)
        parts.append((states, ()))
    else:
        _require(graph.shape[0], float(separator.sum()) ** 3)
        children = _cut(graph, states[~separator], parts)
        parts.append((states[separator], tuple(children)))
    return [len(parts) - 1]


def _separator(graph: Any) -> Indices | None:
    """The states (a mask) of the smallest level in the middle, counted from a state far out, that lead to the next."""
    n = graph.shape[0]
    start = int(scipy.sparse.csgraph.breadth_first_order(graph, 0, directed=True, return_predecessors=False)[-1])
    order, ends = levels(graph, start)
    first, last = np.searchsorted(ends, [MIDDLE[0] * n, MIDDLE[1] * n])
    candidates = np.arange(max(first, 1), min(last + 1, len(ends) - 1))
    if len(candidates) == 0:
        return None
    sizes = np.diff(ends, prepend=0)
    level = int(candidates[sizes[candidates].argmin()])
    here, beyond = order[ends[level - 1] : ends[level]], np.zeros(n, dtype=bool)
    beyond[order[ends[level] :]] = True
    mask = np.zeros(n, dtype=bool)
    rows = graph[here]
    leads = np.add.reduceat(beyond[rows.indices].astype(np.int64), rows.indptr[:-1]) > 0
    mask[here[leads]] = True
    return mask


def levels(graph: Any, start: int) -> tuple[Indices, Indices]:
    """The states reached from ``start`` breadth first, and where each level ends in that order."""
    order, parents = scipy.sparse.csgraph.breadth_first_order(graph, start, directed=True, return_predecessors=True)
    place = np.empty(graph.shape[0], dtype=np.int64)
    place[order] = np.arange(len(order))
    parent_place = place[parents[order[1:]]]  # never falls: children are met in the order of their parents
    ends = [1]
    while ends[-1] < len(order):
        ends.append(1 + int(np.searchsorted(parent_place, ends[-1], side="left")))
    return order, np.asarray(ends)


def _with_boundaries(graph: Any, parts: Sequence[tuple[Indices, tuple[int, ...]]]) -> list[Front]:
    """The fronts of the parts; a boundary is what comes later of the neighbours and of children's boundaries."""
    place = np.empty(graph.shape[0], dtype=np.int64)
    place[np.concatenate([pivots for pivots, _ in parts])] = np.arange(graph.shape[0])
    fronts: list[Front] = []
    work = entries = 0.0
    for pivots, children in parts:
        met = np.unique(np.concatenate([graph[pivots].indices, *(fronts[child].boundary for child in children)]))
        boundary = met[place[met] > (place[pivots[-1]] if len(pivots) else -1)]
        boundary = boundary[np.argsort(place[boundary])]
        fronts.append(Front(pivots, boundary, children))
        work += len(pivots) * float(fronts[-1].size) ** 2
        entries += len(pivots) * float(fronts[-1].size)
    _require(graph.shape[0], work, 8 * entries)
    return fronts


def _require(n: int, work: float, held: float = 0.0) -> None:
    """Raises :class:`BudgetExceededError` for too many multiplications, or bytes; one front of all n states is the
    most that elimination can take.
    """
    if work > raised(ELIMINATION_WORK) or held > raised(ELIMINATION_BYTES):
        said = "the graph of the chain has no small separators: elimination would take too long"
        raise LimitError(said, max(multiple(float(n) ** 3, ELIMINATION_WORK), multiple(8.0 * n * n, ELIMINATION_BYTES)))


# ---- elimination ----------------------------------------------------------------------------------


def _weights(W: Any, fronts: Sequence[Front]) -> Floats:
    """The law up to a factor: 1 at the last state."""
    n = W.shape[0]
    into = W.T.tocsr()
    place = np.empty(n, dtype=np.int64)
    place[np.concatenate([front.pivots for front in fronts])] = np.arange(n)
    local = np.empty(n, dtype=np.int64)
    left: dict[int, Floats] = {}
    factors: list[Floats] = []
    for at, front in enumerate(fronts):
        states = np.concatenate([front.pivots, front.boundary])
        local[states] = np.arange(len(states))
        a, p = np.zeros((len(states), len(states))), len(front.pivots)
        start = place[front.pivots[0]]
        _gather(a, W[front.pivots], place, local, start)
        _gather(a.T, into[front.pivots], place, local, start + p)
        for child in front.children:
            there = local[fronts[child].boundary]
            a[np.ix_(there, there)] += left.pop(child)
        _eliminate(a, p - (len(front.boundary) == 0))
        factors.append(a[:, :p].copy())
        left[at] = a[p:, p:]
    x = np.zeros(n)
    for front, c in zip(reversed(fronts), reversed(factors), strict=True):
        p, after = len(front.pivots), x[front.boundary]
        _require_normal(after, c[p:])
        inside = np.zeros(p)
        given = after @ c[p:] if len(after) else np.append(np.zeros(p - 1), 1.0)
        for k in range(p - 1, -1, -1):
            inside[k] = given[k] + inside[k + 1 :] @ c[k + 1 : p, k]
        _require_normal(inside, c[:p])
        x[front.pivots] = inside
    return x


def _gather(a: Floats, rows: Any, place: Indices, local: Indices, start: int) -> None:
    """Put the entries of the rows of the pivots that lie at states from place ``start`` on into the front."""
    kept = place[rows.indices] >= start
    a[np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))[kept], local[rows.indices[kept]]] = rows.data[kept]


def _eliminate(a: Floats, p: int) -> None:
    """Eliminate the first p states of a front (f×f), in place: a_ik becomes c_ik. The diagonal is not looked at."""
    for low in range(0, p, BLOCK):
        high = min(low + BLOCK, p)
        for k in range(low, high):
            total = fsum(a[k, k + 1 :])
            if not 0 < total <= 1.5:
                raise BudgetExceededError("the probabilities of the chain leave the range of floats")
            a[k + 1 :, k] /= total
            column, row = a[k + 1 :, k], a[k, k + 1 :]
            inner = high - k - 1
            a[k + 1 : high, k + 1 :] += np.outer(column[:inner], row)
            a[high:, k + 1 : high] += np.outer(column[inner:], row[:inner])
        _require_normal(np.tril(a[low:, low:high], -1), np.triu(a[low:high, low:], 1))
        a[high:, high:] += a[high:, low:high] @ a[low:high, high:]


def _require_normal(left: Floats, right: Floats) -> None:
    """Line 7 for all products of an entry of the one and an entry of the other."""
    smallest = [float(np.min(v, where=v > 0, initial=1.0)) for v in (left, right)]
    if not (min(smallest) >= _NORMAL and smallest[0] * smallest[1] >= _NORMAL):
        raise BudgetExceededError("the probabilities of the chain leave the range of floats")
