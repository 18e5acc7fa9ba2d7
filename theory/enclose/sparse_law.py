r"""The stationary law of a large sparse chain, with an error bound that a candidate does not need to be trusted for.

For any x ≥ 0 with Σx = 1, let r = xP − x, s a state, P' = P without the row and column s, H_i the mean time from i
to s. With e = x − d, e(I − P) = −r and Σe = 0:

    e' = e_s/d_s d' − r'(I − P')^{-1},   d' = d_s p_s (I − P')^{-1}      (rows without s; p_s: row s of P)
    0 = Σe = e_s/d_s − r'H,              so ‖e‖_1 ≤ |r'H| + |r'|H ≤ 2 Σ_{i≠s} |r_i| H_i .

A residual alone says nothing; H is what turns it into a bound, and H is bounded by a test vector that anyone may
propose:

    h > 0 and (I − P')h ≥ c > 0   ⟹   I − P' is a nonsingular M-matrix, (I − P')^{-1} ≥ 0, H = (I − P')^{-1}1 ≤ h/c .

(Berman and Plemmons, Nonnegative Matrices, 1994, theorem 6.2.3, condition I27.) Both sides are computed with every
rounding counted (:func:`law_error`), so the candidates may come from anywhere:

* where a reordering makes the matrix narrow, sparse elimination gives x and h;
* else Krylov methods: x an eigenvector, h from the Poisson equation (I − P)z = e_s − x_s 1, h = (z_s − z)/x_s, which
  need only be right to about x_s/2.

Up to :data:`SMALL_STATES` states, and to :data:`DENSE_STATES` where that bound is poor because the chain mixes slowly,
elimination without subtraction gives every probability with a small relative error, however slowly the chain mixes
(:mod:`tdcert.theory.enclose.dense_law`).

If no candidate passes, the law is ``None`` with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array, eye_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, reverse_cuthill_mckee
from scipy.sparse.linalg import ArpackError, LinearOperator, eigs, gmres, splu

from tdcert.theory.arithmetic.float_enclosures import Floats, MidRadMatrix, gamma
from tdcert.theory.arithmetic.sparse_products import SparseKernel, gammas, upward
from tdcert.theory.enclose.dense_law import stationary_enclosure
from tdcert.theory.errors import BudgetExceededError

SMALL_STATES = 500
"""Up to this size the law is eliminated densely at once."""

DENSE_STATES = 4000
"""Largest class whose law is eliminated densely where nothing else gives a good bound: n³ operations in all."""

COARSE = 1e-7
"""A verified distance above this is worth a dense elimination, if the size allows it."""

FACTOR_BYTES = 2**30
"""Most memory for the two factors of a narrow matrix."""

NARROW = 20
"""A matrix is narrow if its bandwidth, reordered, is at most this part of its size."""

KRYLOV_VECTORS = 30
KRYLOV_RESTARTS = 40
POLISHING = 400
"""Most steps x ← (x + xP)/2, each kept only if the residual falls."""


@dataclass(frozen=True, eq=False)
class Structure:
    """Classes of a chain, from the pattern of its matrix.

    ``recurrent``: the states of each recurrent class, of the first that were to be listed; ``periods``: theirs;
    ``count``: how many there are in all; ``transient``: the states in none.
    """

    recurrent: tuple[Any, ...]
    periods: tuple[int, ...]
    count: int
    transient: Any
    irreducible: bool


@dataclass(frozen=True, eq=False)
class EnclosedLaw:
    """An enclosed stationary law: ``mid`` (n,), its distance ‖mid − d‖_1 ≤ ``distance``, how it was bounded.

    ``entrywise`` (n,): |mid − d| entry by entry.
    """

    mid: Floats
    distance: float
    entrywise: Floats
    method: str


def structure(W: Any, listed: int | None = None) -> Structure:
    """Recurrent classes and their periods, and the transient states, of a CSR array W without stored zeros (n×n).

    ``listed``: most recurrent classes whose states are listed (None: all).
    """
    n = W.shape[0]
    count, labels = connected_components(W, directed=True, connection="strong")
    rows = np.repeat(np.arange(n), np.diff(W.indptr))
    leaving = np.zeros(count, dtype=bool)
    leaving[labels[rows[labels[rows] != labels[W.indices]]]] = True
    closed = np.flatnonzero(~leaving)
    recurrent = tuple(sorted((np.flatnonzero(labels == k) for k in closed[:listed]), key=lambda x: int(x[0])))
    periods = tuple(_period(_restricted(W, states)) for states in recurrent)
    return Structure(recurrent, periods, len(closed), np.flatnonzero(leaving[labels]), count == 1)


def stationary_law(chain: SparseKernel, states: Any) -> tuple[EnclosedLaw | None, str]:
    """The law carried by one recurrent class (its states, increasing), or None; and how, or why not."""
    W = _restricted(chain.weights, states)
    inner = SparseKernel(W, chain.entry_error[states], np.ones(W.shape[0]))
    law, why = _law_of_class(inner)
    if law is None or len(states) == chain.n:
        return law, why
    full, entrywise = np.zeros(chain.n), np.zeros(chain.n)
    full[states], entrywise[states] = law.mid, law.entrywise
    return EnclosedLaw(full, law.distance, entrywise, law.method), why


def law_error(chain: SparseKernel, x: Floats, s: int, h: Floats) -> float | None:
    """‖x − d‖_1 at most, by the test vector h (n,; entry s is not looked at); None where h proves nothing.

    Line by line, u and γ_k as in :mod:`tdcert.theory.arithmetic.float_enclosures`, ε_i the relative error of row i
    of W, k its length:

    * (Ph)_i ≤ t_i (1 + p_i), t = fl(Wh), p_i = γ_{k+2} + ε_i(1 + γ_{k+2}); fl(t + 2pt) is above, since p ≥ 3u and
      the sum loses at most ut(1 + 2p). The difference from h rounds once, and the next float below is below.
    * |r_j| ≤ |f_j − x_j| + γ_{c+2} f_j + (1 + γ_{c+2}) fl(Wᵀ(ε ∘ x))_j, f = fl(Wᵀx), c the length of column j.
    * products of r and h lose 2⁻¹⁰⁷⁴ to underflow, n times, which over c > 2⁻⁸⁰ is less than what :func:`upward` adds;
    * Σx = 1 up to n roundings: x/Σx is what is bounded, and ‖x − x/Σx‖_1 = |Σx − 1| is added.
    """
    W = chain.weights
    others = np.arange(chain.n) != s
    if not (np.isfinite(h[others]).all() and (h[others] > 0).all() and (x >= 0).all()):
        return None
    test = np.where(others, h, 0.0)
    t = W @ test
    above = t + 2 * chain.product_error * t + 2.0**-960
    c = float(np.nextafter((test - above)[others], -np.inf).min())
    if not c > 2.0**-80:  # so far from zero that no product below is lost before it is divided
        return None
    column = gammas(np.bincount(W.indices, minlength=chain.n) + 2)
    flow = W.T @ x
    r = np.abs(flow - x) + column * flow + (1 + 2 * column) * (W.T @ (chain.entry_error * x))
    mass = abs(float(x.sum()) - 1) + gamma(chain.n)
    total = float((upward(r) * test).sum()) / c
    return upward(2 * total * (1 + 2 * mass) + mass)


def _law_of_class(chain: SparseKernel) -> tuple[EnclosedLaw | None, str]:
    n = chain.n
    law, why = (None, "") if n <= SMALL_STATES else _verified(chain)
    if n <= DENSE_STATES and (law is None or law.distance > COARSE):
        return _by_dense_elimination(chain)
    return law, why


def _by_dense_elimination(chain: SparseKernel) -> tuple[EnclosedLaw | None, str]:
    dense = chain.weights.toarray()
    try:
        radii = upward(chain.entry_error[:, None] * dense) * (dense > 0)
        enclosed = stationary_enclosure(MidRadMatrix(dense, radii))
    except BudgetExceededError as error:
        return None, str(error)
    mid, entrywise = enclosed.mid[:, 0], enclosed.rad[:, 0]
    method = "elimination without subtraction, every entry with a bound of its relative error"
    return EnclosedLaw(mid, upward(float(entrywise.sum())), entrywise, method), method


def _verified(chain: SparseKernel) -> tuple[EnclosedLaw | None, str]:
    n = chain.n
    order = reverse_cuthill_mckee(chain.weights, symmetric_mode=False)
    bandwidth = _bandwidth(chain.weights, order)
    if NARROW * bandwidth <= n and 2 * bandwidth * n * 16 <= FACTOR_BYTES:
        x, s, h = _by_sparse_elimination(chain, order)
        method = "sparse elimination, verified by a bound of the mean hitting times"
    else:
        x, s, h = _by_krylov(chain)
        method = "Krylov iteration, verified by a bound of the mean hitting times"
    distance = law_error(chain, x, s, h)
    if distance is None or not distance < 1:
        return None, (
            f"no bound of the mean hitting times of state {s} was found ({method.split(',')[0]}, {n} states): "
            "the chain mixes too slowly for it, and a residual is not a bound; aggregate states, or give a class of at "
            f"most {DENSE_STATES}, which is eliminated without subtraction"
        )
    return EnclosedLaw(x, distance, np.full(n, distance), method), method


def _by_sparse_elimination(chain: SparseKernel, order: Any) -> tuple[Floats, int, Floats]:
    """x and h by sparse LU without pivoting, which an M-matrix does not need; s the most probable state."""
    n = chain.n
    s = int(order[0])
    for _ in range(2):  # once with any state removed, then again with the most probable one
        kept = order[order != s]
        inner = chain.weights[kept][:, kept]
        factors = splu(
            csc_array(eye_array(n - 1) - inner),
            permc_spec="NATURAL",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        x = np.zeros(n)
        x[s] = 1.0
        x[kept] = np.maximum(factors.solve(chain.weights[[s]].toarray()[0, kept], trans="T"), 0.0)
        x /= x.sum()
        h = np.zeros(n)
        h[kept] = factors.solve(np.ones(n - 1))
        removed, s = s, int(x.argmax())
        if removed == s:
            break
    return x, removed, h


def _by_krylov(chain: SparseKernel) -> tuple[Floats, int, Floats]:
    """x by Arnoldi's method and polishing; h by GMRES on the Poisson equation of the most probable state."""
    n, W = chain.n, chain.weights
    forward = LinearOperator((n, n), matvec=lambda v: v - W @ v, dtype=np.float64)
    backward = LinearOperator((n, n), matvec=lambda v: W.T @ v, dtype=np.float64)
    try:
        vectors = eigs(backward, k=1, which="LR", v0=np.ones(n), ncv=KRYLOV_VECTORS, maxiter=KRYLOV_RESTARTS, tol=1e-10)
        x = np.abs(vectors[1][:, 0].real)
    except ArpackError:
        x = np.ones(n)
    x = _polished(W, x / x.sum())
    s = int(x.argmax())
    right = np.full(n, -x[s])
    right[s] += 1.0
    z, _ = gmres(forward, right, rtol=0.0, atol=x[s] / 16, restart=KRYLOV_VECTORS, maxiter=KRYLOV_RESTARTS)
    h = (z[s] - z) / x[s]
    h[s] = 1.0
    h += max(0.0, 1.0 - float(h.min()))  # a constant does no harm: (I − P')1 ≥ 0
    return x, s, h


def _polished(W: Any, x: Floats) -> Floats:
    """Lazy steps of the chain while they reduce the residual; each restores x ≥ 0 and Σx = 1."""
    transposed = W.T.tocsr()
    best, residual = x, np.inf
    for _ in range(POLISHING):
        moved = transposed @ x
        found = float(np.abs(moved - x).sum())
        if not found < 0.98 * residual:
            break
        best, residual = x, found
        x = (x + moved) / 2
        x /= x.sum()
    return best


def _restricted(W: Any, states: Any) -> Any:
    return W if len(states) == W.shape[0] else csr_array(W[states][:, states])


def _bandwidth(W: Any, order: Any) -> int:
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    rows = np.repeat(np.arange(len(order)), np.diff(W.indptr))
    return int(np.abs(place[rows] - place[W.indices]).max(initial=0))


def _period(W: Any) -> int:
    """gcd of ℓ(i) + 1 − ℓ(j) over all transitions i → j, ℓ the breadth-first level from the first state."""
    n = W.shape[0]
    order, parents = breadth_first_order(W, 0, directed=True, return_predecessors=True)
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    parent_place = place[parents[order[1:]]]  # never falls: children are met in the order of their parents
    ends = [1]
    while ends[-1] < n:
        ends.append(1 + int(np.searchsorted(parent_place, ends[-1], side="left")))
    level = np.empty(n, dtype=np.int64)
    level[order] = np.searchsorted(np.asarray(ends), np.arange(n), side="right")
    rows = np.repeat(np.arange(n), np.diff(W.indptr))
    return int(np.gcd.reduce(level[rows] + 1 - level[W.indices]))
