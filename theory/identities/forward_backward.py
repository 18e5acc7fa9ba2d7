r"""Forward and backward views off-policy, on symbols: §3 of the paper, along all paths of a free decision process.

A step from state s has an outcome o = (action, successor) with free probability x_so under the behaviour policy (the
last one is one minus the others), and a free importance ratio ρ_sa for its action. So N = Σ x ρ γ and r = Σ x ρ R are
what the behaviour policy sees of the target (the covered kernel), with a free mass q_s = Σ_o x_so ρ_sa; coverage is
q = 1. All expectations are finite sums over paths, formed with the suite's own returns and traces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from tdcert.theory.arithmetic import SymbolicMatrix, SymbolicRing
from tdcert.theory.identities.forms_and_norms import telescoping_base, telescoping_step
from tdcert.theory.identities.symbols import free, stationary_law
from tdcert.theory.model.key_matrices import apply_M, apply_S, horner_M, horner_S
from tdcert.theory.model.returns import control_variate_gap, delta_expansion, schedule_return, td_errors, trace


@dataclass(frozen=True)
class StateWalk:
    """What one path meets, by step: states, rewards, ratios, discounts, values, features; and its probability."""

    states: tuple[int, ...]
    probability: Any
    rewards: list[Any]
    rhos: list[Any]
    discounts: list[Any]
    values: list[Any]
    features: list[list[Any]]
    lambdas: list[Any]

    def forward(self) -> Any:
        """(G_t^ρ − V(s_t))φ_t at the first step."""
        found = schedule_return(self.rewards, self.discounts, self.values, self.lambdas, self.rhos)
        return (found - self.values[0]) * self.features[0][0]

    def backward(self) -> Any:
        """δ_t z_t at the last step."""
        z = trace(self.features, self.discounts, self.lambdas, len(self.rewards) - 1, self.rhos)[0]
        return td_errors(self.rewards, self.discounts, self.values)[-1] * z

    def expanded(self) -> Any:
        """φ_t Σ γᵏc_k ρ_t…ρ_{t+k} δ_{t+k} at the first step."""
        found = delta_expansion(self.rewards, self.discounts, self.values, self.lambdas, self.rhos)
        return found * self.features[0][0]


@dataclass(frozen=True)
class SymbolicDecisions:
    """A decision process of n states and m actions, everything free; features have one entry, values are free too.

    ``outcomes``: x_so (n×nm), outcome o = a·n + s'; ``rewards``: n×nm; ``rhos``: n×m.
    """

    ring: SymbolicRing
    outcomes: list[list[Any]]
    rhos: list[list[Any]]
    rewards: list[list[Any]]
    features: list[Any]
    values: list[Any]
    gamma: Any
    lambdas: list[Any]

    @staticmethod
    def of(n: int, m: int, length: int) -> SymbolicDecisions:
        """n states, m actions, a schedule of that length."""
        shapes = {"x": (n, n * m - 1), "h": (n, m), "r": (n, n * m), "f": n, "v": n, "g": (), "l": length}
        ring, free_outcomes, rhos, rewards, features, values, gamma, lambdas = free(**shapes)
        outcomes = [[*row, 1 - sum(row)] for row in free_outcomes.rows]
        return SymbolicDecisions(ring, outcomes, rhos.rows, rewards.rows, features, values, gamma, lambdas)

    @staticmethod
    def on_policy(n: int, length: int) -> SymbolicDecisions:
        """A reward process: one action, every ratio one."""
        shapes = {"p": ("stochastic", n), "r": (n, n), "f": n, "v": n, "g": (), "l": length}
        ring, P, rewards, features, values, gamma, lambdas = free(**shapes)
        ones = [[ring.element(1)]] * n
        return SymbolicDecisions(ring, P.rows, ones, rewards.rows, features, values, gamma, lambdas)

    @property
    def n(self) -> int:
        """Number of states."""
        return len(self.features)

    def paths(self, start: int, steps: int) -> Iterator[StateWalk]:
        """Every path of that many steps from one state."""
        for path in product(range(len(self.outcomes[0])), repeat=steps):
            states, probability = [start], self.ring.element(1)
            rewards, rhos = [], []
            for o in path:
                s = states[-1]
                probability = probability * self.outcomes[s][o]
                rewards.append(self.rewards[s][o])
                rhos.append(self.rhos[s][o // self.n])
                states.append(o % self.n)
            values, features = [self.values[s] for s in states], [[self.features[s]] for s in states]
            discounts = [self.gamma] * steps
            yield StateWalk(tuple(states), probability, rewards, rhos, discounts, values, features, self.lambdas)

    def stationary_paths(self, steps: int) -> list[tuple[Any, StateWalk]]:
        """Every path of that many steps with its probability from the :attr:`law`."""
        return [(d * walk.probability, walk) for s, d in enumerate(self.law) for walk in self.paths(s, steps)]

    def kernel(self) -> tuple[SymbolicMatrix, SymbolicMatrix, SymbolicMatrix]:
        """N (discounted), r and q of the target policy as the behaviour policy sees it."""
        places = range(len(self.outcomes[0]))
        weights = [[self.outcomes[s][o] * self.rhos[s][o // self.n] for o in places] for s in range(self.n)]
        N = [[self.gamma * sum(w[t :: self.n]) for t in range(self.n)] for w in weights]
        r = [[sum(w * x for w, x in zip(*rows, strict=True))] for rows in zip(weights, self.rewards, strict=True)]
        return self.ring.matrix(N), self.ring.matrix(r), self.ring.matrix([[sum(w)] for w in weights])

    @property
    def P(self) -> SymbolicMatrix:
        """The behaviour chain."""
        return self.ring.matrix([[sum(row[t :: self.n]) for t in range(self.n)] for row in self.outcomes])

    @property
    def law(self) -> list[Any]:
        """The stationary law; of two states up to a factor: (P_21, P_12), polynomials."""
        P = self.P
        return [P[1, 0], P[0, 1]] if self.n == 2 else [row[0] for row in stationary_law(P).rows]

    def column(self, entries: Sequence[Any]) -> SymbolicMatrix:
        """The entries as a column."""
        return self.ring.matrix([[x] for x in entries])


def mean_return_identity(n: int, m: int, length: int) -> bool:
    """E_μ[G_t^ρ | s_t = s] = (S r + M V)(s) for the covered kernel: the recursion of §3 summed over all paths.

    With ρ = 1 it is E_π[G_t | s_t = s]. Under coverage both kernels are the target's, and the two means are equal.
    """
    process = SymbolicDecisions.of(n, m, length)
    N, r, _ = process.kernel()
    expected = apply_S(N, process.lambdas, 0, r) + apply_M(N, process.lambdas, 0, process.column(process.values))
    for s in range(n):
        mean = process.ring.element(0)
        for walk in process.paths(s, length + 1):
            found = schedule_return(walk.rewards, walk.discounts, walk.values, walk.lambdas, walk.rhos)
            mean += walk.probability * found
        if mean != expected[s, 0]:
            return False
    return True


def backward_view_identity(m: int, length: int) -> bool:
    """E_μ[δ_t z_t] = φᵀD S(r + NV − q∘V) and E_μ[δ_t^ρ φ_t] − E_μ[δ_t z_t] = φᵀD S((q − 1)∘V), two states.

    D is the stationary law. The difference vanishes under coverage, q = 1.
    """
    process = SymbolicDecisions.of(2, m, length)
    N, r, q = process.kernel()
    V, lambdas, paths = process.column(process.values), process.lambdas, process.stationary_paths(length + 1)
    forward = sum(weight * walk.forward() for weight, walk in paths)
    backward = sum(weight * walk.backward() for weight, walk in paths)
    weighted = process.column(process.features).scale_rows(process.column(process.law)).T
    closed = (weighted @ apply_S(N, lambdas, 0, r + N @ V - V.scale_rows(q)))[0, 0]
    gap = (weighted @ apply_S(N, lambdas, 0, V.scale_rows(q) - V))[0, 0]
    return bool(backward == closed and forward - backward == gap)


def expansion_view_identity(m: int, length: int) -> bool:
    """E_μ[φ_t Σ γᵏc_k ρ_t…ρ_{t+k} δ_{t+k}] = E_μ[δ_t z_t], two states, free mass q: no coverage is used."""
    paths = SymbolicDecisions.of(2, m, length).stationary_paths(length + 1)
    return bool(sum(p * walk.expanded() for p, walk in paths) == sum(p * walk.backward() for p, walk in paths))


def pathwise_expansion_identity(length: int) -> bool:
    """G_t^ρ − V(s_t) = Σ γᵏc_k ρ_t…ρ_{t+k} δ_{t+k} + Σ γᵏc_k ρ_t…ρ_{t+k−1}(ρ_{t+k} − 1)V(s_{t+k}), all free."""
    shapes = {"r": length + 1, "g": length + 1, "h": length + 1, "v": length + 2, "l": length}
    _, rewards, discounts, rhos, values, lambdas = free(**shapes)
    found = schedule_return(rewards, discounts, values, lambdas, rhos) - values[0]
    expansion = delta_expansion(rewards, discounts, values, lambdas, rhos)
    return bool(found - expansion == control_variate_gap(discounts, values, lambdas, rhos))


def expansion_step() -> bool:
    """Induction step over L for X = G^ρ − V(s_t), X' that of λ_2, …: X = ρδ + (ρ − 1)V + ργλ_1 X', all free."""
    rho, R, gamma, lam, v, after, X = SymbolicRing("h", "R", "g", "l", "v", "w", "X").symbols
    found = rho * (R + gamma * ((1 - lam) * after + lam * (X + after))) - v
    return bool(found == rho * (R + gamma * after - v) + (rho - 1) * v + rho * gamma * lam * X)


def bellman_base() -> bool:
    """L = 0: T V = r + N V is S r + M V."""
    _, N, r, V = free(N=(1, 1), r=(1, 1), V=(1, 1))
    return bool((apply_S(N, (), 0, r) + apply_M(N, (), 0, V) - (r + N @ V)).is_zero())


def bellman_step() -> bool:
    """Induction over L, on the two Horner steps: T V = r + N((1 − λ_1)V + λ_1 T'V) is S r + M V if T'V = S'r + M'V.

    S'r and M'V are free columns here (one symbol each stands for them: everything is linear in them).
    """
    _, N, lam, r, V, inner_S, inner_M = free(N=(1, 1), l=(), r=(1, 1), V=(1, 1), Sr=(1, 1), MV=(1, 1))
    recursion = r + N @ (V.scaled(1 - lam) + (inner_S + inner_M).scaled(lam))
    return bool((horner_S(N, lam, r, inner_S) + horner_M(N, lam, V, inner_M) - recursion).is_zero())


def fixed_point_of_bellman() -> bool:
    """T V − V = S(r + N V − V), by M − I = S(N − I): so V = r + N V is a fixed point for every schedule."""
    N, S, r, V = SymbolicRing("N", "S", "r", "V").symbols
    M = 1 + S * (N - 1)
    return bool(S * r + M * V - V == S * (r + N * V - V)) and telescoping_base() and telescoping_step()


def index_shift_identity(n: int, m: int, length: int) -> bool:
    """E[f at t = 1 | s_0 = s] = Σ_j P_μ(s, j) g_j with g_j = E[f at t = 0 | s_0 = j], for the f of Lemma 3.3.

    Averaged over a law d: E_d[f at 1] − E_d[f at 0] = (dP_μ − d)g, which is zero if d is stationary.
    """
    process = SymbolicDecisions.of(n, m, length)

    def mean(t: int) -> SymbolicMatrix:
        walks = [process.paths(s, length + 1 + t) for s in range(n)]
        return process.column([sum(walk.probability * shifted_error(walk, t) for walk in here) for here in walks])

    return (mean(1) - process.P @ mean(0)).is_zero()


def shifted_error(walk: StateWalk, t: int) -> Any:
    """ρ_tγλ_1(G_{t+1}^{[λ_2:λ_L],ρ} − V(s_{t+1}))φ_t on a path, by the suite's own return."""
    rewards, discounts, rhos = walk.rewards[t + 1 :], walk.discounts[t + 1 :], walk.rhos[t + 1 :]
    found = schedule_return(rewards, discounts, walk.values[t + 1 :], walk.lambdas[1:], rhos)
    return walk.rhos[t] * walk.discounts[t] * walk.lambdas[0] * (found - walk.values[t + 1]) * walk.features[t][0]


def window_law_identity(n: int, m: int, length: int) -> bool:
    """L + 1 steps of the window chain from any law ν end in the product law m(s_0)x_{s_0 o_1}…, m of ν's last state.

    Windows are (s_0, o_1, …, o_{L+1}), o = (action, successor); ν is free. So a law of windows that the chain keeps is
    a product law, its m is stationary for P, and m = d if there is one law.
    """
    places = range(n * m)
    windows = [(s, *path) for s in range(n) for path in product(places, repeat=length + 1)]
    ring, outcomes, masses = free(x=(n, n * m), u=len(windows))
    x, start = outcomes.rows, dict(zip(windows, masses, strict=True))

    def last(window: Sequence[int]) -> int:
        return window[-1] % n if len(window) > 1 else window[0]

    law = dict(start)
    for _ in range(length + 1):
        following = dict.fromkeys(windows, ring.element(0))
        for window, weight in law.items():
            for o in places:
                following[window[1] % n, *window[2:], o] += weight * x[last(window)][o]
        law = following
    ends = [sum(w for window, w in start.items() if last(window) == s) for s in range(n)]
    for window in windows:
        expected, s = ends[window[0]], window[0]
        for o in window[1:]:
            expected, s = expected * x[s][o], o % n
        if law[window] != expected:
            return False
    return True
