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
x is an eigenvector by Arnoldi's method, h comes from the Poisson equation (I − P)z = e_s − x_s 1, h = (z_s − z)/x_s,
and need only be right to about x_s/2.

Small chains, chains whose graph is long and narrow, and those that mix too slowly for a good bound are eliminated
without subtraction (:mod:`tdcert.theory.enclose.sparse_elimination`): every probability has a small relative error,
however slowly the chain mixes.

If neither passes, the law is ``None`` with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError, LinearOperator, eigs, gmres

from tdcert.theory.arithmetic.float_enclosures import Floats, gamma
from tdcert.theory.arithmetic.sparse_products import SparseKernel, gammas, upward
from tdcert.theory.enclose.sparse_elimination import eliminated, levels
from tdcert.theory.errors import BudgetExceededError

SMALL_STATES = 500
"""Up to this size the law is eliminated at once."""

DEEP = 40
"""A graph with so many levels, counted from a state, is eliminated first: its separators are small, it mixes slowly."""

COARSE = 1e-7
"""A verified distance above this is worth an elimination."""

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
    first = chain.n <= SMALL_STATES or len(levels(chain.weights, 0)[1]) >= DEEP
    law, why = _by_elimination(chain) if first else _verified(chain)
    if law is not None and (first or law.distance <= COARSE):
        return law, why
    other, reason = _verified(chain) if first else _by_elimination(chain)
    if other is not None:
        return other, reason
    return (None, f"{why}; {reason}") if law is None else (law, why)


def _by_elimination(chain: SparseKernel) -> tuple[EnclosedLaw | None, str]:
    try:
        x, relative = eliminated(chain)
    except BudgetExceededError as error:
        return None, str(error)
    method = "elimination without subtraction, every entry with a bound of its relative error"
    entrywise = upward(x * relative)
    return EnclosedLaw(x, upward(float(entrywise.sum())), entrywise, method), method


def _verified(chain: SparseKernel) -> tuple[EnclosedLaw | None, str]:
    x, s, h = _by_krylov(chain)
    distance = law_error(chain, x, s, h)
    if distance is None or not distance < 1:
        return None, (
            f"no bound of the mean hitting times of state {s} was found (Krylov iteration, {chain.n} states): the "
            "chain mixes too slowly for it, and a residual is not a bound"
        )
    method = "Krylov iteration, verified by a bound of the mean hitting times"
    return EnclosedLaw(x, distance, np.full(chain.n, distance), method), method


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


def _period(W: Any) -> int:
    """gcd of ℓ(i) + 1 − ℓ(j) over all transitions i → j, ℓ the breadth-first level from the first state."""
    n = W.shape[0]
    order, ends = levels(W, 0)
    level = np.empty(n, dtype=np.int64)
    level[order] = np.searchsorted(ends, np.arange(n), side="right")
    rows = np.repeat(np.arange(n), np.diff(W.indptr))
    return int(np.gcd.reduce(level[rows] + 1 - level[W.indices]))
