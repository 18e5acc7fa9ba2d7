r"""Constant steps: do second moments of differences die out? Long windows, no matrix of 𝓛, every rounding bounded.

The question and the operator 𝓛 are those of :mod:`tdcert.theory.laws.mean_square`: X − 𝓛X ≻ 0 in every window and X ≻ 0
in every window show r < 1; X − 𝓛X ≻ 0 and xᵀX_h x < 0 for one window and one x show r > 1 (take −X there). So one X
decides both ways, and any X will do.

**Proposed.** X with X − 𝓛X ≈ I by GMRES, 𝓛 applied window by window: a move costs 4D³ multiplications, where the
matrix of 𝓛 has windows × D(D+1)/2 rows. The preconditioner splits windows from their mean: with P the kernel of the
windows and π its law, 𝓛 → P as α → 0, so that (I − P)⁺ solves what differs between windows, and π(I − 𝓛), one matrix of
order D(D+1)/2, what they share. Nothing rests on its convergence.

**Decided.** X is symmetric and made of floats, so it is known exactly. With u = 2⁻⁵³, γ_k = ku/(1 − ku), B = I + αWK:
entries of U, V are off by at most γ_5 times those of their plain forms (:class:`~tdcert.theory.laws.windows.Updates`);
η, U + ηV make γ_8; W, rounded, and the product with it γ_{D+9}; α, αWK, the sum with I γ_{D+12} times B̂ = I + α|W|K̂,
K̂ = Û + ηV̂. In Y = Σ p BᵀXB each product meets both B's, two inner products of length D, p, its rounding, and a sum over
the moves that leave the window:

    |fl(Y) − Y| ≤ γ_m Σ p B̂ᵀ|X|B̂,   m = 2(D + 12) + 2D + 2 + (moves of a window),

and X − Y one rounding more. What such a bound itself rounds is covered by :data:`COVER`, underflow by :data:`LOST`: all
magnitudes are below :data:`LARGE`, or nothing is concluded. S with radii R is positive definite, S scaled to a diagonal
near one by powers of two, if F = S − GGᵀ is strictly diagonally dominant for some G, radii and roundings (γ_{D+2} times
|G||G|ᵀ + |S|) counted: a semidefinite matrix plus a definite one (as in :mod:`tdcert.theory.enclose.definite`). xᵀX_h x
is computed in fractions.

**λ without end.** Windows are cut after ℓ steps; only those of full length lack a part of their trace,

    |Σ_{k>ℓ} λᵏ p_k φ(s_{t−k})| ≤ τ_h = λ^ℓ p_ℓ · max|φ| · Σ_{j≥1} λʲ G_j,   G_j: the largest product of j factors ρΓ,

a sum that is bounded where λᵐ G_m < 1 for one m, as G_{i+j} ≤ G_i G_j. Then K is off by a matrix E of norm at most
e = ‖W‖ ρ τ_h |x| times 1 (TD), max(1, η) (GTD) or 2 + η (TDC), and X − 𝓛X by one of norm at most Σ p (2αe ‖X‖ ‖B‖ +
α²e² ‖X‖): it joins the radii. Where there is no bound, moves out of windows of full length are left out instead: with
fewer paths V_t = E[yᵀXy] still grows if (𝓛X − X)_h ≻ 0, so growth that is found is growth, and nothing else is
concluded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array
from scipy.sparse import identity as sparse_identity
from scipy.sparse.linalg import LinearOperator, gmres, splu

from tdcert.theory.arithmetic.float_enclosures import Floats, gamma
from tdcert.theory.check.mean_dynamics import reduce_features
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.mean_square import JumpSystem
from tdcert.theory.laws.schedule_update import ScheduleUpdate
from tdcert.theory.laws.windows import StepOutcome, WindowChain, state_outcomes, window_chain
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

Sign = int | None

COVER = 1 + 2.0**-20
"""Covers the rounding of a bound, a sum and product of fewer than 2³⁰ non-negative terms."""
LARGE = 1e60
"""No magnitude beyond it is looked at."""
LOST = 1e-180
"""More than 2⁻¹⁰⁷⁴·LARGE²·10²³: what underflow can lose in one entry, on the way multiplied by two entries of B."""
ITERATIONS = 300
"""Of GMRES, after which it begins anew, once; fewer where that many vectors pass :data:`HELD` numbers."""
HELD = 20_000_000
CUTS = (3, 6, 12, 24, 48, 96, 192)
"""Where a λ without end is cut, tried in turn, if what is missing has a bound."""
FOLLOWED = tuple(range(3, 13))
"""How many steps paths are followed from where their trace began, if it has none: growth shows as soon as r > 1."""


@dataclass(frozen=True)
class SecondMoments:
    """𝓛 for a window chain on the quotient by the null space of Φ, in floats.

    Moves are sorted by ``source``: ``target``, ``p`` (E), ``K`` and ``K_plain`` (E×D×D, K̂ ≥ |K|, both after W);
    ``off`` (E): K is off by a matrix of at most this norm; infinite: not to be used.
    """

    count: int
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    p: Floats
    K: Floats
    K_plain: Floats
    off: Floats

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
    def weighted(self) -> csr_array:
        """windows × moves: p of each move in the row of its source; a product sums the moves of each window."""
        return csr_array((self.used, (self.source, np.arange(len(self.p)))), shape=(self.count, len(self.p)))

    @property
    def is_whole(self) -> bool:
        """Whether all moves are used."""
        return bool(np.isfinite(self.off).all())

    def apply(self, X: Floats, B: Floats) -> Floats:
        """𝓛X = Σ p BᵀX_{h'}B (windows × D × D)."""
        moved = B.transpose(0, 2, 1) @ (X[self.target] @ B)
        return np.asarray(self.weighted @ moved.reshape(len(moved), -1)).reshape(X.shape)

    def unknown(self, X: Floats, B: Floats, alpha: float) -> Floats:
        """Σ p (2αe ‖X‖ ‖B‖ + α²e² ‖X‖) for each window: what the end of a λ without end can change."""
        e = alpha * np.where(np.isfinite(self.off), self.off, 0.0)
        X_size, B_size = spectral_norms(X)[self.target], spectral_norms(B)
        return COVER * np.add.reduceat(self.used * X_size * (2 * e * B_size + e * e), self.first)


def mean_square_sign(
    model: Model, algorithm: ScheduleUpdate, alpha: Fraction, eta: Fraction, states: Sequence[int], work: int
) -> tuple[Sign, str]:
    """Whether second moments of differences die out (−1) or grow (+1) at the step α; None, and why, where undecided.

    β = ηα; signs are those of the quotient by the null space of Φ on the recurrent class ``states``. ``work``: most
    moves × D³, D numbers in (θ, w). Raises :class:`InputError` where the features vanish on the class.
    """
    depths: tuple[int | None, ...] = (None,)
    why = "no quadratic form decides"
    if not model.schedule.is_finite:
        outcomes = [outcome for here in state_outcomes(model, importance=algorithm.off_policy) for outcome in here]
        depths = CUTS
        if not np.isfinite(_later(outcomes, abs(float(model.schedule.tail)), states)):
            depths, why = FOLLOWED, "the trace has no bound, and no growth was found on the paths that were followed"
    for depth in depths:
        try:
            moments = second_moments(model, algorithm, eta, states, work, depth)
        except BudgetExceededError:
            return None, "too many windows for the work allowed"
        if (sign := decide_sign(moments, alpha)) is not None:
            return sign, ""
    return None, why


def second_moments(
    model: Model, algorithm: ScheduleUpdate, eta: Fraction, states: Sequence[int], work: int, depth: int | None = None
) -> SecondMoments:
    """𝓛 of an algorithm; BudgetExceededError beyond ``work`` moves × D³.

    ``depth``: where a λ without end is cut.
    """
    reduced = reduce_features(model, tuple(states))
    if reduced is None:
        raise InputError("the features vanish on the recurrent class, so no update ever moves anything")
    model, chosen, tail = reduced.model, set(states), model.schedule.tail
    if depth is not None:
        model = model.with_schedule(Schedule.constant(tail, depth))
    D = algorithm.blocks * model.d
    start = [Fraction(int(s in chosen), len(chosen)) for s in range(model.n)]
    chain = window_chain(model, algorithm, start, most=work // D**3)
    order = np.argsort(chain.source, kind="stable")
    updates = chain.floats
    K = (updates.U + float(eta) * updates.V)[order, :D, :D]
    plain = (updates.U_plain + float(eta) * updates.V_plain)[order, :D, :D]
    W = np.kron(np.eye(D // model.d), reduced.weight.to_float())
    if not reduced.is_full:
        K, plain = W @ K, np.abs(W) @ plain
    off = np.zeros(len(order))
    if depth is not None:
        off = _off(chain, tail, depth, eta, states)[order] * float(np.linalg.norm(W)) * COVER
    return SecondMoments(
        len(chain.windows), chain.source[order], chain.target[order], updates.probability[order], K, plain, off
    )


def moments_of(system: JumpSystem) -> SecondMoments:
    """𝓛 of a jump linear system, whatever update it is of: each number is rounded once."""
    source, target, p, K = system.floats
    order = np.argsort(source, kind="stable")
    K = K[order]
    return SecondMoments(
        len(system.windows), source[order], target[order], p[order], K, COVER * np.abs(K) + LOST, np.zeros(len(order))
    )


def _off(chain: WindowChain, tail: Fraction, depth: int, eta: Fraction, states: Sequence[int]) -> Floats:
    """e without ‖W‖, for each move of the chain that was cut at ``depth``."""
    Phi = chain.model.features.to_float()
    lam, later = abs(float(tail)), _later(chain.outcomes, abs(float(tail)), states)
    missing = np.array(
        [abs(past[-1][1] / chain.scale**depth) * lam**depth if len(past) == depth else 0.0 for _, past in chain.windows]
    )
    missing[missing > 0] *= later * float(np.linalg.norm(Phi[list(states)], axis=1).max())
    ends = [(o.state, o.after, float(o.discount), abs(float(o.rho))) for o in chain.outcomes]
    size = np.linalg.norm(Phi, axis=1)  # 2⁻⁵⁰ of it covers what the difference rounds
    x = np.array(
        [rho * float(np.linalg.norm(g * Phi[t] - Phi[s]) + 2.0**-50 * (g * size[t] + size[s])) for s, t, g, rho in ends]
    )
    more = chain.algorithm.size_in_trace(eta)
    off, moved = missing[chain.source], x[chain.outcome]
    return np.asarray(np.multiply(off, COVER * more * moved, out=np.zeros_like(off), where=(off > 0) & (moved > 0)))


def _later(outcomes: Sequence[StepOutcome], lam: float, states: Sequence[int]) -> float:
    """Σ_{j≥1} λʲ G_j, from above; infinite where no m up to twice the number of states has λᵐ G_m < 1."""
    place = {s: k for k, s in enumerate(states)}
    factor = np.zeros((len(place),) * 2)
    for o in outcomes:
        if o.state in place and o.after in place:
            at = place[o.state], place[o.after]
            factor[at] = max(factor[at], COVER * lam * abs(float(o.rho * o.discount)))
    products, total = np.ones(len(place)), 0.0
    for _ in range(2 * len(place)):
        products = (products[:, None] * factor).max(axis=0)
        largest = float(products.max()) * COVER
        total += largest
        if largest < 1:
            return COVER * total / (1 - largest)
    return float("inf")


def decide_sign(moments: SecondMoments, alpha: Fraction) -> Sign:
    """The sign of log r at one step, or None where the X that was found decides nothing."""
    D = moments.size
    B, plain = np.eye(D) + float(alpha) * moments.K, np.eye(D) + float(alpha) * moments.K_plain
    X = _proposed(moments, B)
    if X is None or not max(float(np.abs(X).max()), float(plain.max())) < LARGE:
        return None
    decrease = X - moments.apply(X, B)
    spread = gamma(2 * (D + 12) + 2 * D + 3 + moments.degree)
    radius = COVER * spread * (moments.apply(np.abs(X), plain) + np.abs(X)) + LOST
    radius += moments.unknown(X, plain, float(alpha))[:, None, None] * np.eye(D)
    if not _positive(decrease, radius):
        return None
    if moments.is_whole and _positive(X, np.zeros_like(X)):
        return -1
    values, vectors = np.linalg.eigh(X)
    window = int(np.argmin(values[:, 0]))
    x = [Fraction(float(value)) for value in vectors[window, :, 0]]
    form = sum(a * Fraction(float(X[window, i, j])) * b for i, a in enumerate(x) for j, b in enumerate(x))
    return 1 if form < 0 else None


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


def _proposed(moments: SecondMoments, B: Floats) -> Floats | None:
    """An X with X − 𝓛X near I (windows × D × D), symmetric; None where the iteration ends elsewhere."""
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
    system = LinearOperator((one.size,) * 2, matvec=lambda x: change(precondition(x)).ravel(), dtype=np.float64)
    with np.errstate(all="ignore"):
        # a residual below a quarter of one window's identity: X − 𝓛X stays well positive
        x, _ = gmres(
            system, one, rtol=0.25 / np.linalg.norm(one), restart=max(20, min(ITERATIONS, HELD // one.size)), maxiter=2
        )
        X = full(precondition(x))
    return X if np.isfinite(X).all() else None


class _Between:
    """(I − P)⁺: what differs between windows."""

    def __init__(self, moments: SecondMoments) -> None:
        count = moments.count
        P = csc_array((moments.p, (moments.source, moments.target)), shape=(count, count))
        visits = np.full(count, 1.0 / count)
        for _ in range(50):
            visits = (visits + P.T @ visits) / 2
        ground = int(np.argmax(visits))  # a window that is visited for ever, so that the others form a regular system
        self.others = np.delete(np.arange(count), ground)
        system = csc_array(sparse_identity(count) - P)
        self.law = np.ones(count)
        if count > 1:
            self.factor = splu(csc_array(system[self.others][:, self.others]))
            self.law[self.others] = self.factor.solve(-system[[ground]].toarray()[0, self.others], trans="T")
        self.law /= self.law.sum()

    def __call__(self, values: Floats) -> Floats:
        found = np.zeros_like(values)
        if len(values) > 1:
            found[self.others] = self.factor.solve((values - self.law @ values)[self.others])
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
