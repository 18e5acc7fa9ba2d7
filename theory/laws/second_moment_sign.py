r"""Constant steps: do second moments of differences die out? Long windows, no matrix of 𝓛, every rounding bounded.

The question and the operator 𝓛 are those of :mod:`tdcert.theory.laws.mean_square`: X − 𝓛X ≻ 0 in every window and X ≻ 0
in every window show r < 1; X − 𝓛X ≻ 0 and xᵀX_h x < 0 for one window and one x show r > 1 (take −X there). So one X
decides both ways, and any X will do.

**Proposed.** First X with X − 𝓛X ≈ I by GMRES, 𝓛 applied window by window: a move costs 4D³ multiplications, where the
matrix of 𝓛 has windows × D(D+1)/2 rows. Else by powers: 𝓛 keeps the cone of semidefinite families, so that 𝓛ᵏI turns
to the family V with 𝓛V = rV, and V (−V) shows r < 1 (r > 1) wherever V ≻ 0; that is soon where r is not close to one.
The preconditioner splits windows from their mean: with P the kernel of the windows and π its law, 𝓛 → P as α → 0,
so that (I − P)⁺ solves what differs between windows, and π(I − 𝓛), one matrix of order D(D+1)/2, what they share.
Windows forget: after a few steps all that is left of one is its state, and (I − P)⁺ = I + P + … + P^{m−1} +
(I − P_s)⁺P^m with P_s the kernel of the states: nothing of the size of the windows is factored. Nothing rests on its
convergence.

**Decided.** X is symmetric and made of floats, so it is known exactly. With u = 2⁻⁵³, γ_k = ku/(1 − ku), B = I + αWK:
entries of U, V are off by at most γ_r times those of their plain forms (:class:`~tdcert.theory.laws.nodes.Updates`);
η, U + ηV make γ_{r+3}; W, rounded, and the product with it γ_{D+r+4}; α, αWK, the sum with I γ_{D+r+7} times
B̂ = I + α|W|K̂, K̂ = Û + ηV̂. In Y = Σ p BᵀXB each product meets both B's, two inner products of length D, p, its
rounding, and a sum over the moves that leave the window:

    |fl(Y) − Y| ≤ γ_m Σ p B̂ᵀ|X|B̂,   m = 2(D + r + 7) + 2D + 2 + (moves of a window),

and X − Y one rounding more. What such a bound itself rounds is covered by :data:`COVER`, underflow by :data:`LOST`: all
magnitudes are below :data:`LARGE`, or nothing is concluded. S with radii R is positive definite, S scaled to a diagonal
near one by powers of two, if F = S − GGᵀ is strictly diagonally dominant for some G, radii and roundings (γ_{D+2} times
|G||G|ᵀ + |S|) counted: a semidefinite matrix plus a definite one (as in :mod:`tdcert.theory.enclose.definite`). xᵀX_h x
is computed in fractions.

**A memory without end.** Where nodes stand for what is near them (:mod:`tdcert.theory.engine.near_nodes`), K is off by
a matrix E of at most norm e, and with M ⪰ ±X, for any τ > 0,

    (B + αE)ᵀX(B + αE) ⪯ BᵀXB + τBᵀMB + α²e²(1 + 1/τ)‖M‖ I,

as 2uᵀXv ≤ τuᵀMu + vᵀMv/τ for all u, v. τ = αe times one of :data:`LOOSE`: a large one where X grows, as BᵀMB is small
where BᵀXB is. Where nodes are followed up to a time and moves out of the last ones are left out, e is infinite there:
with fewer paths V_t = E[yᵀXy] still grows if (𝓛X − X)_h ≻ 0, so growth that is found is growth, and nothing else is
concluded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from tdcert.theory.arithmetic.float_enclosures import Floats, gamma
from tdcert.theory.laws.mean_square import JumpSystem

Sign = int | None

COVER = 1 + 2.0**-20
"""Covers the rounding of a bound, a sum and product of fewer than 2³⁰ non-negative terms."""
LARGE = 1e60
"""No magnitude beyond it is looked at."""
LOST = 1e-180
"""More than 2⁻¹⁰⁷⁴·LARGE²·10²³: what underflow can lose in one entry, on the way multiplied by two entries of B."""
POWERS = 40
"""Most steps of the power method."""
LOOSE = (1.0, 8.0, 64.0, 512.0, 4096.0)
"""Factors of αe to which cross terms are estimated, tried in turn."""
MORE = (2.0**-3, 2.0**-6, 2.0**-9, 2.0**-12, 2.0**-16)
"""Multiples of I that are added to what it finds, whose largest entry is one."""
ITERATIONS, MOST_ITERATIONS = 60, 300
"""GMRES makes as many as the first, up to the second where ``STEPS`` moves × (D³ + 30) are not passed, and fewer where
so many vectors pass ``HELD`` numbers.
"""
STEPS, HELD = 10_000_000, 20_000_000
MEMORY = 12
"""Most steps after which windows are taken to have forgotten all but their state."""
FORGOTTEN = 1e-3
"""What is left then of numbers near one; proposals alone depend on it."""


@dataclass(frozen=True)
class SecondMoments:
    """𝓛 for a chain of nodes on the quotient by the null space of Φ, in floats.

    Moves are sorted by ``source``: ``target``, ``p`` (E), ``K`` and ``K_plain`` (E×D×D, K̂ ≥ |K|, both after W);
    ``off`` (E): K is off by a matrix of at most this norm; infinite: not to be used; ``roundings``: of
    the parts of K that each step size multiplies. ``states``: of each window, a
    number each, such that the next state depends on the state alone.
    """

    states: NDArray[np.int64]
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    p: Floats
    K: Floats
    K_plain: Floats
    off: Floats
    roundings: int = 5

    @property
    def count(self) -> int:
        """How many windows."""
        return len(self.states)

    @property
    def size(self) -> int:
        """D."""
        return int(self.K.shape[1])

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """Where the moves of each window begin; every window has one."""
        return np.searchsorted(self.source, np.arange(self.count))

    @property
    def degree(self) -> int:
        """The most moves that leave one window."""
        return int(np.bincount(self.source).max())

    @cached_property
    def used(self) -> Floats:
        """p of the moves that are used, else 0."""
        return np.where(np.isfinite(self.off), self.p, 0.0)

    @cached_property
    def weighted(self) -> scipy.sparse.csr_array:
        """windows × moves: p of each move in the row of its source; a product sums the moves of each window."""
        return scipy.sparse.csr_array(
            (self.used, (self.source, np.arange(len(self.p)))), shape=(self.count, len(self.p))
        )

    @property
    def is_whole(self) -> bool:
        """Whether all moves are used."""
        return bool(np.isfinite(self.off).all())

    def apply(self, X: Floats, B: Floats, factor: Floats | None = None) -> Floats:
        """𝓛X = Σ p BᵀX_{h'}B (windows × D × D); each move times its ``factor``."""
        moved = B.transpose(0, 2, 1) @ (X[self.target] @ B)
        if factor is not None:
            moved *= factor[:, None, None]
        return np.asarray(self.weighted @ moved.reshape(len(moved), -1)).reshape(X.shape)

    @cached_property
    def unknown(self) -> Floats:
        """e of the moves that are used, else 0."""
        return np.where(np.isfinite(self.off), self.off, 0.0)


def moments_of(system: JumpSystem) -> SecondMoments:
    """𝓛 of a jump linear system, whatever update it is of: each number is rounded once."""
    source, target, p, K = system.floats
    order = np.argsort(source, kind="stable")
    K = K[order]
    place = np.array([context for context, _ in system.windows])
    plain = COVER * np.abs(K) + LOST
    return SecondMoments(place, source[order], target[order], p[order], K, plain, np.zeros(len(order)))


def decide_sign(moments: SecondMoments, alpha: Fraction) -> Sign:
    """The sign of log r at one step, or None where the X that was found decides nothing."""
    D = moments.size
    B, plain = np.eye(D) + float(alpha) * moments.K, np.eye(D) + float(alpha) * moments.K_plain
    for X in _proposed(moments, B):
        if (sign := _shown(moments, X, B, plain, float(alpha))) is not None:
            return sign
    return None


def _shown(moments: SecondMoments, X: Floats, B: Floats, plain: Floats, alpha: float) -> Sign:
    """What X shows, its roundings counted; ``plain``: B̂."""
    D = moments.size
    if not max(float(np.abs(X).max()), float(plain.max())) < LARGE:
        return None
    decrease = X - moments.apply(X, B)
    spread = gamma(2 * (D + moments.roundings + 7) + 2 * D + 3 + moments.degree)
    radius = COVER * spread * (moments.apply(np.abs(X), plain) + np.abs(X)) + LOST
    if not (_positive(decrease, radius) and _despite_unknown(moments, X, B, plain, alpha, decrease, radius)):
        return None
    if moments.is_whole and _positive(X, np.zeros_like(X)):
        return -1
    values, vectors = np.linalg.eigh(X)
    window = int(np.argmin(values[:, 0]))
    x = [Fraction(float(value)) for value in vectors[window, :, 0]]
    form = sum(a * Fraction(float(X[window, i, j])) * b for i, a in enumerate(x) for j, b in enumerate(x))
    return 1 if form < 0 else None


def _despite_unknown(
    moments: SecondMoments, X: Floats, B: Floats, plain: Floats, alpha: float, decrease: Floats, radius: Floats
) -> bool:
    """Whether X − 𝓛X ≻ 0 whatever the parts of traces are that are known up to e alone."""
    e = COVER * alpha * moments.unknown
    if not e.any():
        return True
    values, vectors = np.linalg.eigh(X)
    sizes = np.abs(values) + (2.0**-30 * np.abs(values).max(axis=1) + LOST)[:, None]
    M = (vectors * sizes[:, None, :]) @ vectors.transpose(0, 2, 1)
    M = (M + M.transpose(0, 2, 1)) / 2  # ⪰ ±X, with room for what is rounded
    rounded = 2.0**-52 * (np.abs(M) + np.abs(X))
    if not (_positive(M - X, rounded) and _positive(M + X, rounded)):
        return False
    size = spectral_norms(M)[moments.target]
    spread = gamma(2 * (moments.size + moments.roundings + 7) + 2 * moments.size + 6 + moments.degree)
    for loose in LOOSE:
        more = moments.apply(M, B, loose * e)
        # e²(1 + 1/τ) is e² + e/loose
        each = COVER * moments.used * size * (e * e + e / loose)
        free = COVER * np.add.reduceat(each, moments.first)
        wrong = spread * moments.apply(np.abs(M), plain, loose * e) + 2.0**-50 * (np.abs(decrease) + np.abs(more))
        if _positive(decrease - more, radius + COVER * wrong + LOST + free[:, None, None] * np.eye(moments.size)):
            return True
    return False


def spectral_norms(matrices: Floats) -> Floats:
    """‖S‖₂ of each matrix, from above by less than a fifth for n ≤ 16: ‖S‖₂⁸ = ‖(SᵀS)⁴‖₂ ≤ ‖(SᵀS)⁴‖_F."""
    scale = np.abs(matrices).max(axis=(1, 2)) + LOST
    S = matrices / scale[:, None, None]
    square = S.transpose(0, 2, 1) @ S
    fourth = square @ square
    # each entry of a product of eight is off by at most γ_{8n} n⁷, entries of S being at most 1 + u
    n = S.shape[1]
    wrong = gamma(8 * n + 8) * float(n) ** 8 * COVER
    return np.asarray(COVER * scale * (np.linalg.norm(fourth @ fourth, axis=(1, 2)) + wrong) ** 0.125)


def _positive(S: Floats, R: Floats) -> bool:
    """Whether every symmetric matrix within R of S, window by window, is positive definite: the module's last rule."""
    n = S.shape[1]
    diagonal = S.diagonal(axis1=1, axis2=2)
    if not (np.isfinite(S).all() and np.isfinite(R).all() and (diagonal > 0).all()):
        return False
    powers = np.exp2(-np.rint(np.log2(diagonal) / 2))
    scale = powers[:, :, None] * powers[:, None, :]
    S, R = (S + S.transpose(0, 2, 1)) / 2 * scale, R * scale
    noise = (1 + 2.0**-10) * R.sum(axis=2).max(axis=1) + 8 * (n + 4) * n * 2.0**-53
    try:
        G = np.linalg.cholesky(S - noise[:, None, None] * np.eye(n))
    except np.linalg.LinAlgError:
        return False
    F = S - G @ G.transpose(0, 2, 1)
    size = np.abs(G) @ np.abs(G).transpose(0, 2, 1) + np.abs(S)
    wrong = np.abs(F) * (1 - np.eye(n)) + COVER * (gamma(n + 3) * size + R) + LOST
    return bool((F.diagonal(axis1=1, axis2=2) > COVER * wrong.sum(axis=2)).all())


# ---- floats, which only propose ---------------------------------------------------------------------------


def _proposed(moments: SecondMoments, B: Floats) -> Iterator[Floats]:
    """Families X (windows × D × D, symmetric) with X − 𝓛X near positive definite, the cheapest first."""
    X = _by_equation(moments, B)
    if X is not None:
        yield X
        if moments.unknown.any() and np.linalg.eigvalsh(X - moments.apply(X, B))[:, 0].min() > 0:
            return  # it falls as it should, so what is unknown stands in the way: a finer grid is cheaper than powers
    V = _by_powers(moments, B)
    if V is not None:
        # where V_h is next to nothing, as B is there, a multiple of I makes room for what is rounded or unknown
        yield from (V + more * np.eye(moments.size) for more in (0.0, *MORE))


def _by_powers(moments: SecondMoments, B: Floats) -> Floats | None:
    """V or −V, a few steps after it decides; None where it does not within :data:`POWERS` steps."""
    X, decided = np.tile(np.eye(moments.size), (moments.count, 1, 1)), 0
    for step in range(1, POWERS + 1):
        moved = moments.apply(X, B)
        moved = (moved + moved.transpose(0, 2, 1)) / 2
        if not np.isfinite(moved).all() or not moved.any():
            return None
        change = np.linalg.eigvalsh(X - moved)
        sign = 1 if (change[:, 0] > 0).all() else -1 if (change[:, -1] < 0).all() else 0
        decided = decided or step * abs(sign)
        if decided and step >= 2 * decided:
            return sign * X if sign else None
        X = X + moved  # of 𝓛 + I, which has no other eigenvalue as large
        X /= np.abs(X).max()
    return None


def _by_equation(moments: SecondMoments, B: Floats) -> Floats | None:
    """An X with X − 𝓛X near I; None where the iteration ends elsewhere."""
    count, D = moments.count, moments.size
    i, j = np.triu_indices(D)
    shape = count, len(i)

    def full(halves: Floats) -> Floats:
        X = np.empty((count, D, D))
        X[:, i, j] = X[:, j, i] = halves.reshape(shape)
        return X

    def change(halves: Floats) -> Floats:
        """X − 𝓛X on the upper triangles."""
        X = full(halves)
        return np.asarray((X - moments.apply(X, B))[:, i, j])

    between = _Between(moments)
    try:
        shared = np.linalg.inv(_shared(moments, B, between.law))
    except np.linalg.LinAlgError:
        return None

    def precondition(wanted: Any) -> Floats:
        rest = wanted.reshape(shape)
        found = between(rest)
        found = found + shared @ (between.law @ (rest - change(found)))
        return np.asarray(found + between(rest - change(found)))

    one = np.tile((i == j) * 1.0, count)
    system = scipy.sparse.linalg.LinearOperator(
        (one.size,) * 2, matvec=lambda x: change(precondition(x)).ravel(), dtype=np.float64
    )
    with np.errstate(all="ignore"):
        # a residual below a quarter of one window's identity: X − 𝓛X stays well positive
        cheap = min(MOST_ITERATIONS, STEPS // (len(B) * (D**3 + 30)))
        steps = max(20, min(max(ITERATIONS, cheap), HELD // one.size))
        x, _ = scipy.sparse.linalg.gmres(system, one, rtol=0.25 / np.linalg.norm(one), restart=steps, maxiter=1)
        X = full(precondition(x))
    return X if np.isfinite(X).all() else None


class _Between:
    """(I − P)⁺, nearly: what differs between windows. ``law``: the one that P keeps, nearly."""

    def __init__(self, moments: SecondMoments) -> None:
        count = moments.count
        kept, first, state = np.unique(moments.states, return_index=True, return_inverse=True)
        self.P = scipy.sparse.csr_array((moments.p, (moments.source, moments.target)), shape=(count, count))
        self.onto = scipy.sparse.csr_array((np.ones(count), (np.arange(count), state)), shape=(count, len(kept)))
        rest = np.eye(len(kept)) - (self.P[first] @ self.onto).toarray()
        ones = np.ones((1, len(kept)))
        at = np.linalg.lstsq(np.vstack([rest.T, ones]), np.append(np.zeros(len(kept)), 1.0), rcond=None)[0]
        self.inverse = np.linalg.pinv(rest + at)
        values, self.steps = np.cos(np.arange(count)), 0
        while self.steps < MEMORY and float(np.abs(values - values[first][state]).max()) > FORGOTTEN:
            values, self.steps = self.P @ values, self.steps + 1
        self.law = np.zeros(count)
        self.law[first] = at
        for _ in range(self.steps):
            self.law = self.P.T @ self.law
        total = self.onto.T @ self.law
        share = np.divide(self.law, total[state], out=np.zeros(count), where=total[state] > 0)
        self.mean = scipy.sparse.csr_array((share, (state, np.arange(count))), shape=(len(kept), count))

    def __call__(self, values: Floats) -> Floats:
        values = values - self.law @ values
        found = np.zeros_like(values)
        for _ in range(self.steps):
            found, values = found + values, np.asarray(self.P @ values)
        found = found + self.onto @ (self.inverse @ (self.mean @ values))
        return np.asarray(found - self.law @ found)


def _shared(moments: SecondMoments, B: Floats, law: Floats) -> Floats:
    """The matrix of X ↦ Σ_h π_h (X − 𝓛X)_h for one X in all windows, on upper triangles."""
    D = moments.size
    i, j = np.triu_indices(D)
    rows = B.reshape(len(B), -1)
    # Σ p B_ra B_cb for all r, a, c, b: one product of matrices
    total = ((law[moments.source] * moments.p)[:, None] * rows).T @ rows
    pairs = total.reshape((D,) * 4).transpose(0, 2, 1, 3)[i, j]  # by (r, c), r ≤ c, and then a, b
    moved = (pairs + pairs.transpose(0, 2, 1) * (i != j)[:, None, None])[:, i, j]
    return np.asarray(np.eye(len(i)) - moved.T)
