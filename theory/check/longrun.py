r"""The long-run covariance of the increments at the rest point, exact, and what averaging makes of it.

With x_t the window, ε_t = δ_t(θ*) z_t has mean zero in the stationary regime, and Σ = Σ_k E[ε_0 ε_kᵀ] (k over all
integers) comes from the Poisson equation

    H(g) − E[H(g') | g] = h(g) = E[ε | g],   Σ = E[εεᵀ] + E[ε H(g')ᵀ] + E[H(g') εᵀ].

m = ε + H(g') − H(g) is a martingale difference, and Σ = E[m mᵀ] as well. Polyak–Ruppert averages of θ_{t+1} = θ_t +
α_t(J θ_t + …) have the limit covariance J⁻¹ΣJ⁻ᵀ. Source of the window: §4, X_t.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from theory.arithmetic import RationalMatrix
from theory.check.windows import WindowChain, window_chain
from theory.errors import BudgetExceededError
from theory.model.chain import Chain
from theory.model.key_matrices import KeyMatrices, behaviour_matrices
from theory.model.mdp import Model

LARGEST = 60
"""Most recurrent windows for which the Poisson equation is solved."""


@dataclass(frozen=True)
class LongRun:
    """``mean`` of ε (zero at the rest point), ``covariance`` Σ from the Poisson equation, ``martingale`` E[m mᵀ]."""

    mean: RationalMatrix
    covariance: RationalMatrix
    martingale: RationalMatrix


def long_run_covariance(model: Model, states: tuple[int, ...]) -> LongRun:
    """Σ at θ* on a recurrent class, for a finite schedule.

    Raises :class:`BudgetExceededError` beyond :data:`LARGEST` windows, SingularMatrixError where A is singular.
    """
    keys = behaviour_matrices(model, states)
    start = [Fraction(int(s == states[0])) for s in range(model.n)]
    windows = window_chain(model, "off_policy_td", start)
    moves = _moves(windows, keys, model.d)
    count = len(windows.windows)
    rows = [[Fraction(0)] * count for _ in range(count)]
    for g, g2, p, _ in moves:
        rows[g][g2] += p
    chain = Chain(RationalMatrix(rows))
    (inside,) = chain.recurrent_classes
    if len(inside) > LARGEST:
        raise BudgetExceededError(f"the Poisson equation has {len(inside)} windows; at most {LARGEST}")
    law = chain.stationary_law(inside).take(rows=inside)
    place = {g: i for i, g in enumerate(inside)}
    moves = [(place[g], place[g2], p, e) for g, g2, p, e in moves if g in place]
    size, d = len(inside), model.d
    h = [[Fraction(0)] * d for _ in range(size)]
    for g, _, p, e in moves:
        h[g] = [x + p * y for x, y in zip(h[g], e, strict=True)]
    drift = RationalMatrix(h)
    eye = drift.identity(size)
    pinned = eye - chain.P.take(inside, inside) + RationalMatrix.column([1] * size) @ law.T
    mean = law.T @ drift
    H = pinned.solve(drift - RationalMatrix.column([1] * size) @ mean).rows
    covariance, martingale = ([[Fraction(0)] * d for _ in range(d)] for _ in range(2))
    weights = law.column_entries()
    for g, g2, p, e in moves:
        m = [x + after - before for x, after, before in zip(e, H[g2], H[g], strict=True)]
        for i in range(d):
            for j in range(d):
                covariance[i][j] += weights[g] * p * (e[i] * e[j] + e[i] * H[g2][j] + H[g2][i] * e[j])
                martingale[i][j] += weights[g] * p * m[i] * m[j]
    return LongRun(mean.T, RationalMatrix(covariance), RationalMatrix(martingale))


def _moves(
    windows: WindowChain, keys: KeyMatrices[RationalMatrix], d: int
) -> list[tuple[int, int, Fraction, list[Fraction]]]:
    """Every window transition with its probability and ε = δ(θ*) z."""
    y = [*keys.theta_star.column_entries(), Fraction(1)]
    found = []
    updates = windows.exact
    for g, g2, p, U in zip(windows.source, windows.target, updates.probability, updates.U, strict=True):
        e = [sum((Fraction(U[i, k]) * y[k] for k in range(d + 1)), start=Fraction(0)) for i in range(d)]
        found.append((int(g), int(g2), Fraction(p), e))
    return found


def averaged_covariance(J: RationalMatrix, noise: RationalMatrix) -> RationalMatrix:
    """J⁻¹ noise J⁻ᵀ."""
    return J.solve(J.solve(noise).T).T


def gradient_pieces(
    algorithm: str, A: RationalMatrix, C: RationalMatrix, S: RationalMatrix, eta: Fraction
) -> tuple[RationalMatrix, RationalMatrix]:
    """Mean matrix and noise covariance of (θ, w) for ``gtd`` or ``tdc`` at the ratio η, S the covariance of ε."""
    zero = RationalMatrix.zeros(*A.shape)
    if algorithm == "gtd":
        noise = zero.block(right=zero, below=zero, corner=S.scaled(eta * eta))
        return zero.block(right=-A.T, below=A.scaled(eta), corner=C.scaled(-eta)), noise
    noise = S.block(right=S.scaled(eta), below=S.scaled(eta), corner=S.scaled(eta * eta))
    return A.block(right=-(A.T + C), below=A.scaled(eta), corner=C.scaled(-eta)), noise
