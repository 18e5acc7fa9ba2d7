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

**Blocks that are hardly ever left** make H as large as the time to leave them, and the bound as bad. There the parts of
r are told apart. Let s_I be a state of each block I, s = s_1, O all other states, G = (I − P_OO)^{-1}, u_I(i) the
probability to hit s_I first of these states, from i in O:

    r'(I − P')^{-1} = r_O G + Σ_{I≠1} ρ_I (row s_I of (I − P')^{-1}),   ρ_I = r_{s_I} + Σ_{i∈O} r_i u_I(i)
                                                                             = b_I + Σ_{i∈O} r_i (u_I(i) − 1[i ∈ I]),

b_I = Σ_{i∈I} r_i, which is what flows into I less what flows out, sums of products without subtraction. v_i, the
probability to leave the block of i before its s_I, is at least |u_I(i) − 1| for i in I, and Σ u_I(i) over other I. So

    ‖e‖_1 ≤ 2 (Σ_{i∈O} |r_i| G1_i + Σ_{I≠1} |b_I| H_{s_I} + 2 max_I H_{s_I} Σ_{i∈O} |r_i| v_i) :

what is large, H, meets only what is small. Test vectors bound G1, H as before, and v: with ℓ the probabilities to step
out of a block, v ≤ Gℓ ≤ w where (I − P_OO)w ≥ ℓ. H's is η + z, η constant on blocks, of which (I − P)η needs only the
transitions between blocks.

Small chains, chains whose graph is long and narrow, and those for which all this gives no good bound are eliminated
without subtraction (:mod:`tdcert.theory.enclose.sparse_elimination`): every probability has a small relative error,
however slowly the chain mixes.

If nothing passes, the law is ``None`` with the reason.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

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
MOST_BLOCKS = 200
"""Most blocks of states that are told apart."""

THRESHOLDS = tuple(2.0**-k for k in range(8, 60, 4))
"""Below one of these a transition may be one between blocks."""

RARE = 2.0**-20
"""With a transition below this, blocks are looked for before Krylov iteration on the whole chain is tried."""

ROUNDS = 3
"""How often laws of blocks are weighted anew."""

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
class Mass:
    """An enclosed vector of weights of states, ``mid`` (n,), with ‖mid − x‖_1 ≤ ``distance``."""

    mid: Floats
    distance: float


@dataclass(frozen=True, eq=False)
class EnclosedLaw(Mass):
    """An enclosed stationary law, and how it was bounded. ``entrywise`` (n,): |mid − d| entry by entry."""

    entrywise: Floats
    method: str


def structure(W: Any, listed: int | None = None) -> Structure:
    """Recurrent classes and their periods, and the transient states, of a CSR array W without stored zeros (n×n).

    ``listed``: most recurrent classes whose states are listed (None: all).
    """
    n = W.shape[0]
    count, labels = scipy.sparse.csgraph.connected_components(W, directed=True, connection="strong")
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
    others = np.arange(chain.n) != s
    if not (np.isfinite(h[others]).all() and (h[others] > 0).all() and (x >= 0).all()):
        return None
    test = np.where(others, h, 0.0)
    c = float(_decrease(chain, test)[others].min())
    if not c > 2.0**-80:  # so far from zero that no product below is lost before it is divided
        return None
    r, mass = _residual(chain, x)
    total = float((r * test).sum()) / c
    return upward(2 * total * (1 + 2 * mass) + mass)


def _decrease(chain: SparseKernel, h: Floats) -> Floats:
    """h − Ph (n,), from below, for h ≥ 0: first line of :func:`law_error`."""
    t = chain.weights @ h
    return np.asarray(np.nextafter(h - (t + 2 * chain.product_error * t + 2.0**-960), -np.inf))


def _residual(chain: SparseKernel, x: Floats) -> tuple[Floats, float]:
    """|r| (n,), and |Σx − 1|, from above: the other lines."""
    W = chain.weights
    column = gammas(np.bincount(W.indices, minlength=chain.n) + 2)
    flow = W.T @ x
    r = np.abs(flow - x) + column * flow + (1 + 2 * column) * (W.T @ (chain.entry_error * x))
    return upward(r), abs(float(x.sum()) - 1) + gamma(chain.n)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of states, ``labels`` (n,) from 0; transitions between them: ``source``, ``target``, ``weight``."""

    labels: Any
    count: int
    source: Any
    target: Any
    weight: Floats

    @staticmethod
    def of(W: Any, labels: Any) -> Blocks:
        """The blocks of these labels in the chain with the CSR array W."""
        rows = np.repeat(np.arange(W.shape[0]), np.diff(W.indptr))
        between = labels[rows] != labels[W.indices]
        return Blocks(labels, int(labels.max()) + 1, rows[between], W.indices[between], W.data[between])

    def flows(self, x: Floats) -> Floats:
        """Σ x_i W_ij over i in the one block and j in the other (count × count), zero on the diagonal."""
        places = self.labels[self.source] * self.count + self.labels[self.target]
        return np.asarray(
            np.bincount(places, x[self.source] * self.weight, self.count**2).reshape(self.count, -1), float
        )

    def by_state(self, values: Floats) -> Floats:
        """Σ_j W_ij v over the transitions of each state (n,), v given for each transition."""
        return np.asarray(np.bincount(self.source, self.weight * values, len(self.labels)), float)


@dataclass(frozen=True, eq=False)
class BlockVectors:
    """What is proposed for :func:`block_error`. ``states``: s_I of each block, s_1 that of block ``root``; ``h`` (n,):
    about G1; ``w`` (n,): about Gℓ; ``eta`` (count,), ``z`` (n,), both ≥ 0: H is about η + z.
    """

    states: Any
    root: int
    h: Floats
    w: Floats
    eta: Floats
    z: Floats


def block_error(chain: SparseKernel, blocks: Blocks, x: Floats, given: BlockVectors) -> float | None:
    """‖x − d‖_1 at most, by what the module's docstring says of blocks; None where the vectors prove nothing.

    Beside the lines of :func:`law_error`: sums of m products of entries of W, relative errors ε, with exact factors
    are off by at most p = γ_{m+4} + ε(1 + γ_{m+4}) times the sum of their absolute values; differences of η round once.
    Where (I − P_OO)w falls short of ℓ by f at most, (I − P_OO)(w + f h/c) does not.
    """
    n, labels = chain.n, blocks.labels
    outside = np.ones(n, dtype=bool)
    outside[given.states] = False
    others = np.arange(n) != given.states[given.root]
    h, w = np.where(outside, given.h, 0.0), np.where(outside, np.maximum(given.w, 0.0), 0.0)
    large = given.eta[labels] + given.z
    if not all(np.isfinite(v).all() for v in (x, h, w, large)) or (x < 0).any() or len(blocks.source) > 2**22:
        return None
    if not ((h[outside] > 0).all() and (given.eta >= 0).all() and (given.z >= 0).all() and (large[others] > 0).all()):
        return None
    many = gamma(len(blocks.source) + 4)
    wrong = upward(many + float(chain.entry_error.max()) * (1 + many))
    leaving = upward(blocks.by_state(np.ones(len(blocks.source))) * (1 + 2 * wrong))
    rise = given.eta[labels[blocks.source]] - given.eta[labels[blocks.target]]
    coarse = blocks.by_state(rise) - upward(2 * wrong * blocks.by_state(np.abs(rise)))
    c_h = float(_decrease(chain, h)[outside].min(initial=1.0))
    c_large = float(np.nextafter(_decrease(chain, given.z) + np.nextafter(coarse, -np.inf), -np.inf)[others].min())
    if not min(c_h, c_large) > 2.0**-80:
        return None
    short = max(0.0, -float(np.nextafter(_decrease(chain, w) - leaving, -np.inf)[outside].min(initial=0.0)))
    r, mass = _residual(chain, x)
    near = upward(float((r * h).sum()) / c_h)
    escaped = upward(float((r * w).sum()) + short * near)
    flows = blocks.flows(x)
    into, out = flows.sum(axis=0), flows.sum(axis=1)
    balance = upward(np.abs(into - out) + 2 * wrong * (into + out))
    back = upward(large[given.states] / c_large)
    back[given.root] = 0.0
    total = near + float((balance * back).sum()) + 2 * float(back.max()) * escaped
    return upward(2 * total * (1 + 2 * mass) + mass)


def _law_of_class(chain: SparseKernel) -> tuple[EnclosedLaw | None, str]:
    first = chain.n <= SMALL_STATES or len(levels(chain.weights, 0)[1]) >= DEEP
    ways = (_by_elimination, _verified, _by_blocks) if first else (_verified, _by_blocks, _by_elimination)
    if not first and chain.weights.data.min() < RARE:
        ways = (_by_blocks, _verified, _by_elimination)
    best: EnclosedLaw | None = None
    reasons: list[str] = []
    for way in ways:
        law, why = way(chain)
        if law is None:
            reasons.append(why)
        elif way is _by_elimination or law.distance <= COARSE:
            return law, why
        elif best is None or law.distance < best.distance:
            best = law
    return (None, "; ".join(reasons)) if best is None else (best, best.method)


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


def _by_blocks(chain: SparseKernel) -> tuple[EnclosedLaw | None, str]:
    labels = nearly_closed(chain.weights)
    if labels is None:
        return None, "no blocks of states were found that are hardly ever left"
    blocks = Blocks.of(chain.weights, labels)
    try:
        x, vectors = _aggregated(chain, blocks)
        distance = block_error(chain, blocks, x, vectors)
    except (BudgetExceededError, np.linalg.LinAlgError):
        distance = None
    if distance is not None and distance < 1:
        method = f"{blocks.count} blocks that are hardly ever left, each by Krylov iteration, verified by hitting times"
        return EnclosedLaw(x, distance, np.full(chain.n, distance), method), method
    return None, f"the {blocks.count} blocks of states that are hardly ever left mix too slowly themselves"


def nearly_closed(W: Any) -> Any:
    """Labels (n,) of the strong components of the transitions above a threshold, those that most thresholds find;
    None where no threshold finds from 2 to :data:`MOST_BLOCKS`.
    """
    rows = np.repeat(np.arange(W.shape[0]), np.diff(W.indptr))
    found: dict[int, tuple[int, Any]] = {}
    for threshold in THRESHOLDS:
        kept = W.data >= threshold
        pattern = scipy.sparse.csr_array(
            (np.ones(int(kept.sum()), dtype=np.int8), (rows[kept], W.indices[kept])), shape=W.shape
        )
        count, labels = scipy.sparse.csgraph.connected_components(pattern, directed=True, connection="strong")
        found[count] = (found.get(count, (0, None))[0] + 1, labels)  # equal counts are equal blocks: they are nested
    few = [seen for count, seen in found.items() if 2 <= count <= MOST_BLOCKS]
    return max(few, key=lambda seen: seen[0])[1] if few else None


def _aggregated(chain: SparseKernel, blocks: Blocks) -> tuple[Floats, BlockVectors]:
    """Laws of blocks weighted by their flows (Koury, McAllister and Stewart 1984), and what may bound them: floats."""
    W, labels, k = chain.weights, blocks.labels, blocks.count
    members = [np.flatnonzero(labels == block) for block in range(k)]
    inner = [_normalised(_restricted(W, states)) for states in members]
    x = np.empty(chain.n)
    for states, P in zip(members, inner, strict=True):
        x[states] = _krylov_law(P)
    x = _balanced(blocks, x)
    for _ in range(ROUNDS):
        x = _balanced(blocks, _polished(W, x))
    mass = np.bincount(labels, x)
    rates, root = blocks.flows(x) / mass[:, None], int(mass.argmax())
    rest = np.delete(np.arange(k), root)
    eta = np.zeros(k)
    eta[rest] = np.linalg.solve((np.diag(rates.sum(axis=1)) - rates)[np.ix_(rest, rest)], np.ones(k - 1))
    load = 1 + blocks.by_state(eta[labels[blocks.target]] - eta[labels[blocks.source]])
    leaving = blocks.by_state(np.ones(len(blocks.source)))
    chosen = np.array([states[x[states].argmax()] for states in members])
    h, w, z = np.empty(chain.n), np.empty(chain.n), np.empty(chain.n)
    for block, (states, P) in enumerate(zip(members, inner, strict=True)):
        own, s = x[states] / mass[block], int(x[states].argmax())
        h[states] = _hitting_times(P, own, s, np.ones(len(states)))
        w[states] = _hitting_times(P, own, s, leaving[states], 1e-8 * float(leaving[states].max()))
        here = load[states]
        z[states] = _hitting_times(P, own, s, here if block == root else here - own @ here)
        lowest = float(z[states].min())
        z[states] -= lowest
        eta[block] += lowest
    eta += max(0.0, -float(eta.min()))
    z += 1.0 - min(1.0, float(np.delete(z, chosen[root]).min()))
    return x, BlockVectors(chosen, root, h, w, eta, z)


def _balanced(blocks: Blocks, x: Floats) -> Floats:
    """x with the masses of blocks for which as much flows into each as out of it, without subtraction."""
    mass = np.bincount(blocks.labels, x)
    rates = blocks.flows(x) / mass[:, None]
    weights, _ = eliminated(SparseKernel(scipy.sparse.csr_array(rates), np.zeros(blocks.count), np.ones(blocks.count)))
    x = x * (weights / mass)[blocks.labels]
    return np.asarray(x / x.sum())


def _normalised(W: Any) -> Any:
    return scipy.sparse.csr_array(
        (W.data / np.repeat(W.sum(axis=1), np.diff(W.indptr)), W.indices, W.indptr), shape=W.shape
    )


def _by_krylov(chain: SparseKernel) -> tuple[Floats, int, Floats]:
    """x, its most probable state, and the mean times to hit that."""
    x = _krylov_law(chain.weights)
    s = int(x.argmax())
    h = _hitting_times(chain.weights, x, s, np.ones(chain.n))
    h[s] = 1.0
    h += max(0.0, 1.0 - float(h.min()))  # a constant does no harm: (I − P')1 ≥ 0
    return x, s, h


def _krylov_law(W: Any) -> Floats:
    """x by Arnoldi's method and polishing; where that needs more vectors than there are states, by elimination."""
    n = W.shape[0]
    backward = scipy.sparse.linalg.LinearOperator((n, n), matvec=lambda v: W.T @ v, dtype=np.float64)
    if n <= KRYLOV_VECTORS:
        return eliminated(SparseKernel(W, np.zeros(n), np.ones(n)))[0]
    x = np.ones(n)
    with suppress(scipy.sparse.linalg.ArpackError):
        found = scipy.sparse.linalg.eigs(
            backward, k=1, which="LR", v0=x, ncv=KRYLOV_VECTORS, maxiter=KRYLOV_RESTARTS, tol=1e-10
        )
        x = np.abs(found[1][:, 0].real)
    return _polished(W, x / x.sum())


def _hitting_times(W: Any, x: Floats, s: int, cost: Floats, within: float = 1 / 16) -> Floats:
    """The z with z_s = 0 and z = cost + Wz elsewhere (the mean cost until s is hit), up to ``within``: by GMRES on the
    Poisson equation.
    """
    forward = scipy.sparse.linalg.LinearOperator(W.shape, matvec=lambda v: v - W @ v, dtype=np.float64)
    right = -x[s] * cost
    right[s] += float(x @ cost)
    z, _ = scipy.sparse.linalg.gmres(
        forward, right, rtol=0.0, atol=x[s] * within, restart=KRYLOV_VECTORS, maxiter=KRYLOV_RESTARTS
    )
    return np.asarray((z[s] - z) / x[s])


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
    return W if len(states) == W.shape[0] else scipy.sparse.csr_array(W[states][:, states])


def _period(W: Any) -> int:
    """gcd of ℓ(i) + 1 − ℓ(j) over all transitions i → j, ℓ the breadth-first level from the first state."""
    n = W.shape[0]
    order, ends = levels(W, 0)
    level = np.empty(n, dtype=np.int64)
    level[order] = np.searchsorted(ends, np.arange(n), side="right")
    rows = np.repeat(np.arange(n), np.diff(W.indptr))
    return int(np.gcd.reduce(level[rows] + 1 - level[W.indices]))
