r"""Mean and covariance of one update in the stationary regime, for models of any size.

At a fixed (θ, w) they need u_s = E[1{s_t = s} z̃] and U_s = E[1{s_t = s} z̃ z̃ᵀ] of the trace without its last ρ_t,

    z̃_t = Σ_{k=0}^L c_k p_k φ(s_{t−k}),   p_k = Π_{i=t−k}^{t−1} ρ_i Γ_i,

and E[1{s_t = s} p_j p_k φ_{t−j} φ_{t−k}ᵀ] for j ≤ k is: k − j steps of the kernel N (ρΓ-weighted, once), then
j steps of the kernel N₂ (weighted with (ρΓ)²). Horner's rule in N₂ makes that L products with an n×n matrix.

Sources: A(X_t), b(X_t) in §4; updates (tdLambdaSchedule), (offPolicy_z), (GTDLambdaSchedule), (TDCLambdaScehdule).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tdcert.theory.errors import InputError
from tdcert.theory.laws.moments import gamma
from tdcert.theory.laws.nodes import Array
from tdcert.theory.laws.schedule_update import CHANGE, REWARD, TRACE, ScheduleUpdate
from tdcert.theory.laws.windows import state_outcomes
from tdcert.theory.limits import MOMENT_ENTRIES, LimitError, raised
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import trace_weights


@dataclass(frozen=True)
class IncrementMoments:
    """Stationary mean (D) and covariance (D×D) of the increment of (θ, w) for α = β = 1, with rounding bounds.

    D = d for each vector (θ first).
    """

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]
    mean_rounding: NDArray[np.float64]
    covariance_rounding: NDArray[np.float64]


def increment_moments(
    model: Model,
    algorithm: ScheduleUpdate,
    theta: Sequence[float] | NDArray[np.float64],
    w: Sequence[float] | NDArray[np.float64] | None = None,
    states: Sequence[int] | None = None,
) -> IncrementMoments:
    """One update at fixed (θ, w) (w = 0 unless given) in the stationary regime of a recurrent class (None:
    the only one).

    At θ* and w = 0 the mean is zero, and the covariance is E[δ_t² z_t z_tᵀ]. Raises :class:`InputError` for a
    schedule without end, several classes and none named, and :class:`BudgetExceededError` beyond
    :data:`MOMENT_ENTRIES` entries in n×d×d.
    """
    algorithm.require(model)
    if (entries := model.n * model.d**2) > raised(MOMENT_ENTRIES):
        said = f"the trace's second moments have {entries} entries; at most {raised(MOMENT_ENTRIES)}"
        raise LimitError(said, entries / MOMENT_ENTRIES)
    chain = model.behaviour_chain
    if states is None:
        if len(chain.recurrent_classes) != 1:
            raise InputError(f"the chain has {len(chain.recurrent_classes)} recurrent classes; say which one is meant")
        states = chain.recurrent_classes[0]
    d = chain.stationary_law(tuple(states)).to_float()[:, 0]
    at = (np.asarray(theta, dtype=np.float64), np.zeros(model.d) if w is None else np.asarray(w, dtype=np.float64))
    mean, second = _increment(model, algorithm, d, *at, plain=False)
    mean_plain, second_plain = _increment(model, algorithm, d, *at, plain=True)
    # Longest chain of roundings: two traces (each L steps of ≤ n + 3 with weights c_k), two updates of
    # width ≤ 2d, the sum over outcomes; rounded up, since γ_m only has to be far below a standard error.
    L = len(model.schedule.lambdas)
    m = 4 * (L + 1) * (model.n + L + 6) + 8 * (model.d + 6) + model.n * model.n * len(model.actions)
    g = gamma(m)
    covariance = second - np.outer(mean, mean)
    return IncrementMoments(
        mean, covariance, g * mean_plain, g * second_plain + gamma(m * 2 + 4) * np.outer(mean_plain, mean_plain)
    )


def _increment(
    model: Model, algorithm: ScheduleUpdate, law: Array, theta: Array, w: Array, plain: bool
) -> tuple[Array, Array]:
    """Mean and second moment of the increment; ``plain``: with magnitudes everywhere."""
    n, d = model.n, model.d
    size = np.abs if plain else np.asarray
    minus = 1.0 if plain else -1.0
    Phi, y = size(model.features.to_float()), (size(theta), size(w))
    c = size(np.array([float(x) for x in trace_weights(model.schedule.lambdas)]))
    origin, arrival, p, reward, discount, rho = _outcome_arrays(model, importance=algorithm.off_policy)
    reward = size(reward)
    N, N2 = np.zeros((n, n)), np.zeros((n, n))
    np.add.at(N, (origin, arrival), p * rho * discount)
    np.add.at(N2, (origin, arrival), p * (rho * discount) ** 2)
    # H[m](s) = E[1{s_t = s} p_m φ(s_{t−m})]; u = Σ c_m H[m]
    H = [law[:, None] * Phi]
    for _ in range(len(c) - 1):
        H.append(N.T @ H[-1])
    u = sum((c[m] * H[m] for m in range(len(c))), start=np.zeros((n, d)))
    flat = np.zeros((n, d * d))
    for j in reversed(range(len(c))):
        older = sum((c[j] * c[j + m] * H[m] for m in range(1, len(c) - j)), start=np.zeros((n, d)))
        pair = np.einsum("si,sj->sij", older, Phi)
        own = c[j] ** 2 * law[:, None, None] * np.einsum("si,sj->sij", Phi, Phi)
        flat = (own + pair + pair.transpose(0, 2, 1)).reshape(n, d * d) + N2.T @ flat
    second = flat.reshape(n, d, d)
    # the increment after outcome o is F_o z̃ + g_s
    width = algorithm.blocks * d
    total, products = np.zeros(width), np.zeros((width, width))
    eye = np.eye(d)
    for s in range(n):
        here = np.flatnonzero(origin == s)
        if law[s] == 0 or len(here) == 0:
            continue
        x = discount[here, None] * Phi[arrival[here]] + minus * Phi[s]
        along, F, g = np.zeros((algorithm.blocks, len(here))), np.zeros((len(here), width, d)), np.zeros(width)
        for term in algorithm.terms:  # those of the reward come first in each block
            rows, factor = slice(term.row * d, (term.row + 1) * d), float(size(np.float64(term.factor)))
            before = y[term.column]
            if term.b == REWARD:
                along[term.row] += factor * reward[here]
            elif (term.a, term.b) == (TRACE, CHANGE):
                value = discount[here] * (Phi[arrival[here]] @ before) + minus * (Phi[s] @ before)
                along[term.row] += factor * value
            elif (term.a, term.b) == (CHANGE, TRACE):
                F[:, rows] += factor * rho[here, None, None] * x[:, :, None] * before
            else:
                g[rows] += factor * Phi[s] * (Phi[s] @ before)
        for row in range(algorithm.blocks):
            F[:, row * d : (row + 1) * d] += (rho[here] * along[row])[:, None, None] * eye
        q = p[here]
        mean_F = np.tensordot(q, F, axes=1)
        total += mean_F @ u[s] + law[s] * g
        cross = np.outer(mean_F @ u[s], g)
        products += np.tensordot(q, F @ second[s] @ F.transpose(0, 2, 1), axes=1) + cross + cross.T
        products += law[s] * np.outer(g, g)
    return total, products


def _outcome_arrays(model: Model, importance: bool) -> tuple[Array, ...]:
    """The outcomes of all states as flat arrays: state, next state, probability, reward, discount, ρ."""
    every = [o for here in state_outcomes(model, importance) for o in here]
    states = (np.array([getattr(o, name) for o in every], dtype=np.int64) for name in ("state", "after"))
    numbers = ("probability", "reward", "discount", "rho")
    return *states, *(np.array([float(getattr(o, name)) for o in every]) for name in numbers)
