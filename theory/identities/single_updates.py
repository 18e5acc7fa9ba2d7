r"""Mean updates along stationary paths, on symbols: forward against backward, and Algorithm 1 as it is printed.

The chain has free transition probabilities and its law as rational functions of them; rewards r_ij, features (d = 1),
values, γ and λ_1 … λ_L are free. Expectations are sums over all paths, formed with the suite's own returns and traces.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from tdcert.theory.arithmetic import SymbolicMatrix
from tdcert.theory.identities.forward_backward import SymbolicDecisions
from tdcert.theory.identities.symbols import free, inner
from tdcert.theory.laws.schedule_update import ScheduleUpdate
from tdcert.theory.model.key_matrices import KeyMatrices
from tdcert.theory.model.returns import trace
from tdcert.theory.model.schedule import trace_weights


def mean_updates_agree(n: int, length: int) -> bool:
    """E[(G_t − V(s_t))φ_t] = E[δ_t z_t] under the stationary law: forward and backward view make one mean update."""
    paths = SymbolicDecisions.on_policy(n, length).stationary_paths(length + 1)
    return bool(sum(p * walk.forward() for p, walk in paths) == sum(p * walk.backward() for p, walk in paths))


def previous_reward_closed_form(n: int, length: int) -> bool:
    """E[z_t R_t] = Σ_ij d_i p_ij r_ij φ_j + Σ_{k≥1} γᵏc_k φᵀDP^{k−1}r̄, r̄_i = Σ_j p_ij r_ij: printed line 7.

    Three ways: the sum over paths, the closed form, and b of the chain of pairs (s_{t−1}, s_t) with the reward of the
    transition that led to s_t, whose A is A. So the algorithm with R_t is the right one on another reward process.
    """
    chain = SymbolicDecisions.on_policy(n, length)
    gamma, P, c = chain.gamma, chain.P, trace_weights(chain.lambdas)
    by_paths = chain.ring.element(0)
    for probability, walk in chain.stationary_paths(length + 1):
        z = trace(walk.features, walk.discounts, walk.lambdas, length + 1)[0]
        by_paths += probability * z * walk.rewards[-1]
    column, law, ones = chain.column(chain.features), chain.column(chain.law), chain.column([1] * n)
    step = P.hadamard(chain.ring.matrix(chain.rewards))
    closed, ahead = inner(step.T @ law, column), step @ ones
    for k in range(1, length + 1):
        closed += gamma**k * c[k] * inner(column, ahead, law)
        ahead = P @ ahead
    pairs = _pair_chain(chain)
    single = KeyMatrices(d=law, N=P.scaled(gamma), r=ahead, Phi=column, lambdas=tuple(chain.lambdas))
    return bool(by_paths == closed == pairs.b[0, 0] and pairs.A[0, 0] == single.A[0, 0])


def _pair_chain(chain: SymbolicDecisions) -> KeyMatrices[SymbolicMatrix]:
    """The chain of (s_{t−1}, s_t): features and discounts of s_t, the reward of the transition into it."""
    ring, P, law = chain.ring, chain.P.rows, chain.law
    pairs = list(product(range(chain.n), repeat=2))
    N = [[chain.gamma * P[s][after] if s == before else 0 for before, after in pairs] for _, s in pairs]
    return KeyMatrices(
        d=chain.column([law[p] * P[p][s] for p, s in pairs]),
        N=ring.matrix(N),
        r=chain.column([chain.rewards[p][s] for p, s in pairs]),
        Phi=chain.column([chain.features[s] for _, s in pairs]),
        lambdas=tuple(chain.lambdas),
    )


def length_zero_identity(gtd: ScheduleUpdate, tdc: ScheduleUpdate, d: int) -> bool:
    """With L = 0, z = ρφ: GTD(λ)-schedule is GTD2, and TDC(λ)-schedule is TDC but for (ρ − 1)φφᵀw, one free transition.

    GTD2: θ moves by αρ(φ − γφ')φᵀw; TDC: by αρ(δφ − γφ'φᵀw); in both w by β(ρδ − φᵀw)φ (Sutton, Maei and others 2009,
    *Fast gradient-descent methods for temporal-difference learning with linear function approximation*, with δ
    weighted by ρ). Everything free.
    """
    ring, rho, gamma, reward, phi, after, theta, w = free(h=(), g=(), r=(), p=d, q=d, t=d, w=d)
    y = np.array([*theta, *w, ring.element(1)], dtype=object)
    x = [gamma * b - a for a, b in zip(phi, after, strict=True)]
    given = np.array([[rho * a for a in phi]], object), np.array([x], object), np.array([phi], object)
    along = sum(a * b for a, b in zip(phi, w, strict=True))
    delta = reward + sum(a * b for a, b in zip(x, theta, strict=True))
    pairs = list(zip(phi, after, strict=True))
    moved = (
        (gtd, [rho * (a - gamma * b) * along for a, b in pairs]),
        (tdc, [rho * (delta * a - gamma * b * along) + (rho - 1) * a * along for a, b in pairs]),
    )
    for algorithm, expected in moved:
        U, V = algorithm.matrices(*given, np.array([reward], object))
        found = [sum(row[k] * y[k] for k in range(len(y))) for row in (*U[0][:d], *V[0][d : 2 * d])]
        wanted = [*expected, *((rho * delta - along) * a for a in phi)]
        if any(a - b != 0 for a, b in zip(found, wanted, strict=True)):
            return False
    return True
