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
from tdcert.theory.model.key_matrices import apply_M, apply_S, horner_M, horner_S
from tdcert.theory.model.returns import control_variate_gap, delta_expansion, schedule_return, td_errors, trace


@dataclass(frozen=True)
class Steps:
    """What one path meets: states, rewards, ratios, by step, and its probability from its first state."""

    states: tuple[int, ...]
    probability: Any
    rewards: list[Any]
    rhos: list[Any]


@dataclass(frozen=True)
class SymbolicDecisions:
    """A decision process of n states and m actions, everything free; features have one entry, values are free too."""

    ring: SymbolicRing
    outcomes: list[list[Any]]
    """x_so, outcome o = a·n + s'."""
    rhos: list[list[Any]]
    rewards: list[list[Any]]
    features: list[Any]
    values: list[Any]
    gamma: Any
    lambdas: list[Any]

    @staticmethod
    def of(n: int, m: int, length: int) -> SymbolicDecisions:
        """n states, m actions, a schedule of that length."""
        places = range(n * m)
        names = [f"x{s}_{o}" for s in range(n) for o in places[:-1]] + [f"h{s}_{a}" for s in range(n) for a in range(m)]
        names += [f"r{s}_{o}" for s in range(n) for o in places]
        names += [f"{letter}{s}" for letter in "fv" for s in range(n)]
        ring = SymbolicRing(*names, "g", *(f"l{j}" for j in range(1, length + 1)))
        free = iter(ring.symbols)
        outcomes = []
        for _ in range(n):
            row = [next(free) for _ in places[:-1]]
            outcomes.append([*row, 1 - sum(row, start=ring.element(0))])
        rhos = [[next(free) for _ in range(m)] for _ in range(n)]
        rewards = [[next(free) for _ in places] for _ in range(n)]
        features, values = [next(free) for _ in range(n)], [next(free) for _ in range(n)]
        return SymbolicDecisions(ring, outcomes, rhos, rewards, features, values, next(free), list(free))

    @property
    def n(self) -> int:
        """Number of states."""
        return len(self.features)

    def paths(self, start: int, steps: int) -> Iterator[Steps]:
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
            yield Steps(tuple(states), probability, rewards, rhos)

    def kernel(self) -> tuple[SymbolicMatrix, SymbolicMatrix, SymbolicMatrix]:
        """N (discounted), r and q of the target policy as the behaviour policy sees it."""
        zero, places = self.ring.element(0), range(len(self.outcomes[0]))
        weights = [[self.outcomes[s][o] * self.rhos[s][o // self.n] for o in places] for s in range(self.n)]
        N = [[self.gamma * sum(w[t :: self.n], start=zero) for t in range(self.n)] for w in weights]
        r = [[sum((weights[s][o] * self.rewards[s][o] for o in places), start=zero)] for s in range(self.n)]
        q = [[sum(w, start=zero)] for w in weights]
        return self.ring.matrix(N), self.ring.matrix(r), self.ring.matrix(q)

    def law(self) -> list[Any]:
        """The stationary law of two states up to a factor: (P_21, P_12), a polynomial."""
        assert self.n == 2
        zero = self.ring.element(0)
        return [sum(self.outcomes[1 - s][s::2], start=zero) for s in range(2)]


def mean_return_identity(n: int, m: int, length: int) -> bool:
    """E_μ[G_t^ρ | s_t = s] = (S r + M V)(s) for the covered kernel: the recursion of §3 summed over all paths.

    With ρ = 1 it is E_π[G_t | s_t = s]. Under coverage both kernels are the target's, and the two means are equal.
    """
    process = SymbolicDecisions.of(n, m, length)
    N, r, _ = process.kernel()
    V = process.ring.matrix([[v] for v in process.values])
    expected = apply_S(N, process.lambdas, 0, r) + apply_M(N, process.lambdas, 0, V)
    discounts = [process.gamma] * (length + 1)
    for s in range(n):
        mean = process.ring.element(0)
        for path in process.paths(s, length + 1):
            values = [process.values[k] for k in path.states]
            mean += path.probability * schedule_return(path.rewards, discounts, values, process.lambdas, path.rhos)
        if mean != expected[s, 0]:
            return False
    return True


def backward_view_identity(m: int, length: int) -> bool:
    """E_μ[δ_t z_t] = φᵀD S(r + NV − q∘V) and E_μ[δ_t^ρ φ_t] − E_μ[δ_t z_t] = φᵀD S((q − 1)∘V), two states.

    D is the stationary law. The difference vanishes under coverage, q = 1.
    """
    process = SymbolicDecisions.of(2, m, length)
    N, r, q = process.kernel()
    law, V = process.law(), process.ring.matrix([[v] for v in process.values])
    discounts, lambdas = [process.gamma] * (length + 1), process.lambdas
    forward = backward = process.ring.element(0)
    for s in range(2):
        for path in process.paths(s, length + 1):
            values, features = [process.values[k] for k in path.states], [[process.features[k]] for k in path.states]
            weight = law[s] * path.probability
            found = schedule_return(path.rewards, discounts, values, lambdas, path.rhos)
            forward += weight * (found - values[0]) * features[0][0]
            delta = td_errors(path.rewards, discounts, values)[-1]
            backward += weight * delta * trace(features, discounts, lambdas, length, path.rhos)[0]
    weighted = process.ring.matrix([[d * f] for d, f in zip(law, process.features, strict=True)]).T
    closed = (weighted @ apply_S(N, lambdas, 0, r + N @ V - V.scale_rows(q)))[0, 0]
    gap = (weighted @ apply_S(N, lambdas, 0, V.scale_rows(q) - V))[0, 0]
    return bool(backward == closed and forward - backward == gap)


def expansion_view_identity(m: int, length: int) -> bool:
    """E_μ[φ_t Σ γᵏc_k ρ_t…ρ_{t+k} δ_{t+k}] = E_μ[δ_t z_t], two states, free mass q: no coverage is used."""
    process = SymbolicDecisions.of(2, m, length)
    law, discounts, lambdas = process.law(), [process.gamma] * (length + 1), process.lambdas
    forward = backward = process.ring.element(0)
    for s in range(2):
        for path in process.paths(s, length + 1):
            values, features = [process.values[k] for k in path.states], [[process.features[k]] for k in path.states]
            weight = law[s] * path.probability
            forward += weight * delta_expansion(path.rewards, discounts, values, lambdas, path.rhos) * features[0][0]
            delta = td_errors(path.rewards, discounts, values)[-1]
            backward += weight * delta * trace(features, discounts, lambdas, length, path.rhos)[0]
    return bool(forward == backward)


def pathwise_expansion_identity(length: int) -> bool:
    """G_t^ρ − V(s_t) = Σ γᵏc_k ρ_t…ρ_{t+k} δ_{t+k} + Σ γᵏc_k ρ_t…ρ_{t+k−1}(ρ_{t+k} − 1)V(s_{t+k}), all free."""
    steps = range(length + 1)
    names = [f"{letter}{k}" for letter in ("r", "g", "h") for k in steps] + [f"v{k}" for k in range(length + 2)]
    ring = SymbolicRing(*names, *(f"l{j}" for j in range(1, length + 1)))
    free = list(ring.symbols)
    rewards, discounts, rhos = (free[i * (length + 1) : (i + 1) * (length + 1)] for i in range(3))
    values, lambdas = free[3 * (length + 1) : 3 * (length + 1) + length + 2], free[3 * (length + 1) + length + 2 :]
    found = schedule_return(rewards, discounts, values, lambdas, rhos) - values[0]
    expansion = delta_expansion(rewards, discounts, values, lambdas, rhos)
    return bool(found - expansion == control_variate_gap(discounts, values, lambdas, rhos))


def expansion_step() -> bool:
    """Induction step over L for X = G^ρ − V(s_t), X' that of λ_2, …: X = ρδ + (ρ − 1)V + ργλ_1 X', all free."""
    ring = SymbolicRing("h", "R", "g", "l", "v", "w", "X")
    rho, R, gamma, lam, v, after, X = ring.symbols
    found = rho * (R + gamma * ((1 - lam) * after + lam * (X + after))) - v
    return bool(found == rho * (R + gamma * after - v) + (rho - 1) * v + rho * gamma * lam * X)


def bellman_base() -> bool:
    """L = 0: T V = r + N V is S r + M V."""
    ring = SymbolicRing("N", "r", "V")
    N, r, V = (ring.matrix([[x]]) for x in ring.symbols)
    return (apply_S(N, (), 0, r) + apply_M(N, (), 0, V) - (r + N @ V)).is_zero()


def bellman_step() -> bool:
    """Induction over L, on the two Horner steps: T V = r + N((1 − λ_1)V + λ_1 T'V) is S r + M V if T'V = S'r + M'V.

    S'r and M'V are free columns here (one symbol each stands for them: everything is linear in them).
    """
    ring = SymbolicRing("N", "l", "r", "V", "Sr", "MV")
    (N, r, V, inner_S, inner_M), lam = (ring.matrix([[ring.symbols[k]]]) for k in (0, 2, 3, 4, 5)), ring.symbols[1]
    recursion = r + N @ (V.scaled(1 - lam) + (inner_S + inner_M).scaled(lam))
    return (horner_S(N, lam, r, inner_S) + horner_M(N, lam, V, inner_M) - recursion).is_zero()


def fixed_point_of_bellman() -> bool:
    """T V − V = S(r + N V − V), by M − I = S(N − I): so V = r + N V is a fixed point for every schedule."""
    ring = SymbolicRing("N", "S", "r", "V")
    N, S, r, V = ring.symbols
    M = 1 + S * (N - 1)
    return bool(S * r + M * V - V == S * (r + N * V - V)) and telescoping_base() and telescoping_step()


def index_shift_identity(n: int, m: int, length: int) -> bool:
    """E[f at t = 1 | s_0 = s] = Σ_j P_μ(s, j) g_j with g_j = E[f at t = 0 | s_0 = j], for the f of Lemma 3.3.

    Averaged over a law d: E_d[f at 1] − E_d[f at 0] = (dP_μ − d)g, which is zero if d is stationary.
    """
    process = SymbolicDecisions.of(n, m, length)
    zero = process.ring.element(0)

    def mean(s: int, t: int) -> Any:
        weighted = (path.probability * shifted_error(path, process, t) for path in process.paths(s, length + 1 + t))
        return sum(weighted, start=zero)

    g = [mean(s, 0) for s in range(n)]
    onward = [[sum(row[j::n], start=zero) for j in range(n)] for row in process.outcomes]
    return all(mean(s, 1) == sum((onward[s][j] * g[j] for j in range(n)), start=zero) for s in range(n))


def shifted_error(path: Steps, process: SymbolicDecisions, t: int) -> Any:
    """ρ_tγλ_1(G_{t+1}^{[λ_2:λ_L],ρ} − V(s_{t+1}))φ_t on a path, by the suite's own return."""
    gamma, lambdas = process.gamma, process.lambdas
    values = [process.values[s] for s in path.states[t + 1 :]]
    rewards, rhos = path.rewards[t + 1 :], path.rhos[t + 1 :]
    found = schedule_return(rewards, [gamma] * len(rewards), values, lambdas[1:], rhos)
    return path.rhos[t] * gamma * lambdas[0] * (found - values[0]) * process.features[path.states[t]]


def window_law_identity(n: int, m: int, length: int) -> bool:
    """L + 1 steps of the window chain from any law ν end in the product law m(s_0)x_{s_0 o_1}…, m of ν's last state.

    Windows are (s_0, o_1, …, o_{L+1}), o = (action, successor); ν is free. So a law of windows that the chain keeps is
    a product law, its m is stationary for P, and m = d if there is one law.
    """
    places = range(n * m)
    windows = [(s, *path) for s in range(n) for path in product(places, repeat=length + 1)]
    ring = SymbolicRing(*(f"x{s}_{o}" for s in range(n) for o in places), *(f"u{k}" for k in range(len(windows))))
    free = list(ring.symbols)
    x = [free[s * n * m : (s + 1) * n * m] for s in range(n)]
    start = dict(zip(windows, free[n * n * m :], strict=True))

    def last(window: Sequence[int]) -> int:
        return window[-1] % n if len(window) > 1 else window[0]

    law = dict(start)
    for _ in range(length + 1):
        following = dict.fromkeys(windows, ring.element(0))
        for window, weight in law.items():
            for o in places:
                following[window[1] % n, *window[2:], o] += weight * x[last(window)][o]
        law = following
    ends = [sum((w for window, w in start.items() if last(window) == s), start=ring.element(0)) for s in range(n)]
    for window in windows:
        expected, s = ends[window[0]], window[0]
        for o in window[1:]:
            expected, s = expected * x[s][o], o % n
        if law[window] != expected:
            return False
    return True
