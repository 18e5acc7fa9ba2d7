r"""Mean updates along stationary paths, on symbols: forward against backward, and Algorithm 1 as it is printed.

The chain has free transition probabilities and its law as rational functions of them; rewards r_ij, features (d = 1),
values, γ and λ_1 … λ_L are free. Expectations are sums over all paths, formed with the suite's own returns and traces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np

from tdcert.theory.arithmetic import SymbolicMatrix, SymbolicRing
from tdcert.theory.identities.forms_and_norms import stationary_symbols, stochastic_matrix, stochastic_symbols
from tdcert.theory.laws.windows import update_matrices
from tdcert.theory.model.key_matrices import KeyMatrices
from tdcert.theory.model.returns import schedule_return, trace
from tdcert.theory.model.schedule import trace_weights


@dataclass(frozen=True)
class SymbolicProcess:
    """A stationary reward process of n states, everything free."""

    ring: SymbolicRing
    P: SymbolicMatrix
    law: list[Any]
    rewards: list[list[Any]]
    features: list[Any]
    values: list[Any]
    gamma: Any
    lambdas: list[Any]

    @staticmethod
    def of(n: int, length: int) -> SymbolicProcess:
        """n states and a schedule of that length."""
        names = [f"r{i}{j}" for i in range(n) for j in range(n)] + [f"{x}{i}" for x in "fv" for i in range(n)]
        ring = SymbolicRing(*stochastic_symbols(n), *names, "g", *(f"l{j}" for j in range(1, length + 1)))
        free = iter(ring.symbols)
        P = stochastic_matrix(ring, [next(free) for _ in range(n * (n - 1))], n)
        rewards = [[next(free) for _ in range(n)] for _ in range(n)]
        features, values = [next(free) for _ in range(n)], [next(free) for _ in range(n)]
        return SymbolicProcess(ring, P, stationary_symbols(ring, P), rewards, features, values, next(free), list(free))

    def paths(self, steps: int) -> Iterator[tuple[Any, tuple[int, ...]]]:
        """Every path with its probability, started from the law."""
        P = self.P.matrix.to_list()
        for path in product(range(len(self.law)), repeat=steps + 1):
            probability = self.law[path[0]]
            for i, j in pairwise(path):
                probability = probability * P[i][j]
            yield probability, path


def mean_updates_agree(n: int, length: int) -> bool:
    """E[(G_t − V(s_t))φ_t] = E[δ_t z_t] under the stationary law: forward and backward view make one mean update."""
    chain = SymbolicProcess.of(n, length)
    discounts = [chain.gamma] * (length + 1)
    forward = backward = chain.ring.element(0)
    for probability, path in chain.paths(length + 1):
        rewards = [chain.rewards[i][j] for i, j in pairwise(path)]
        values, features = [chain.values[s] for s in path], [[chain.features[s]] for s in path]
        found = schedule_return(rewards, discounts, values, chain.lambdas)
        delta = rewards[-1] + chain.gamma * values[-1] - values[-2]
        forward += probability * (found - values[0]) * features[0][0]
        backward += probability * delta * trace(features, discounts, chain.lambdas, length)[0]
    return bool(forward == backward)


def previous_reward_closed_form(n: int, length: int) -> bool:
    """E[z_t R_t] = Σ_ij d_i p_ij r_ij φ_j + Σ_{k≥1} γᵏc_k φᵀDP^{k−1}r̄, r̄_i = Σ_j p_ij r_ij: printed line 7.

    Three ways: the sum over paths, the closed form, and b of the chain of pairs (s_{t−1}, s_t) with the reward of the
    transition that led to s_t, whose A is A. So the algorithm with R_t is the right one on another reward process.
    """
    chain = SymbolicProcess.of(n, length)
    zero, states = chain.ring.element(0), range(n)
    gamma, c = chain.gamma, trace_weights(chain.lambdas)
    by_paths = zero
    for probability, path in chain.paths(length + 1):
        features = [[chain.features[s]] for s in path]
        z = trace(features, [gamma] * (length + 1), chain.lambdas, length + 1)[0]
        by_paths += probability * z * chain.rewards[path[-2]][path[-1]]
    column = chain.ring.matrix([[f] for f in chain.features])
    law = chain.ring.matrix([[x] for x in chain.law])
    step = [[chain.P[i, j] * chain.rewards[i][j] for j in states] for i in states]
    closed = sum((chain.law[i] * step[i][j] * chain.features[j] for i in states for j in states), start=zero)
    ahead = chain.ring.matrix([[sum(row, start=zero)] for row in step])
    for k in range(1, length + 1):
        closed += gamma**k * c[k] * (column.T @ ahead.scale_rows(law))[0, 0]
        ahead = chain.P @ ahead
    pairs = _pair_chain(chain)
    single = KeyMatrices(d=law, N=chain.P.scaled(gamma), r=ahead, Phi=column, lambdas=tuple(chain.lambdas))
    return bool(by_paths == closed == pairs.b[0, 0] and pairs.A[0, 0] == single.A[0, 0])


def _pair_chain(chain: SymbolicProcess) -> KeyMatrices[SymbolicMatrix]:
    """The chain of (s_{t−1}, s_t): features and discounts of s_t, the reward of the transition into it."""
    ring, zero = chain.ring, chain.ring.element(0)
    pairs = list(product(range(len(chain.law)), repeat=2))
    N = [[chain.gamma * chain.P[s, after] if s == before else zero for before, after in pairs] for _, s in pairs]
    return KeyMatrices(
        d=ring.matrix([[chain.law[p] * chain.P[p, s]] for p, s in pairs]),
        N=ring.matrix(N),
        r=ring.matrix([[chain.rewards[p][s]] for p, s in pairs]),
        Phi=ring.matrix([[chain.features[s]] for _, s in pairs]),
        lambdas=tuple(chain.lambdas),
    )


def length_zero_identity(d: int) -> bool:
    """With L = 0, z = ρφ: the suite's GTD is GTD2, and its TDC is TDC but for (ρ − 1)φφᵀw, one free transition.

    GTD2: θ moves by αρ(φ − γφ')φᵀw; TDC: by αρ(δφ − γφ'φᵀw); in both w by β(ρδ − φᵀw)φ (Sutton, Maei and others 2009,
    *Fast gradient-descent methods for temporal-difference learning with linear function approximation*, with δ
    weighted by ρ). Everything free.
    """
    ring = SymbolicRing("rho", "gamma", "r", *(f"{x}{i}" for x in "fgtw" for i in range(d)))
    rho, gamma, reward, *rest = ring.symbols
    phi, after, theta, w = (rest[k * d : (k + 1) * d] for k in range(4))
    y = np.array([*theta, *w, ring.element(1)], dtype=object)
    x = [gamma * b - a for a, b in zip(phi, after, strict=True)]
    given = np.array([[rho * a for a in phi]], object), np.array([x], object), np.array([phi], object)
    along = sum(a * b for a, b in zip(phi, w, strict=True))
    delta = reward + sum(a * b for a, b in zip(x, theta, strict=True))
    moved = {
        "gtd": [rho * (a - gamma * b) * along for a, b in zip(phi, after, strict=True)],
        "tdc": [rho * (delta * a - gamma * b * along) + (rho - 1) * a * along for a, b in zip(phi, after, strict=True)],
    }
    for algorithm, expected in moved.items():
        U, V = update_matrices(algorithm, *given, np.array([reward], object), -1)
        found = [sum(row[k] * y[k] for k in range(len(y))) for row in (*U[0][:d], *V[0][d : 2 * d])]
        wanted = [*expected, *((rho * delta - along) * a for a in phi)]
        if any(a - b != 0 for a, b in zip(found, wanted, strict=True)):
            return False
    return True
