r"""Symbolic identities behind the margins: what sharpens Proposition 4.1, and what replaces it off-policy.

Each returns True exactly if the identity holds, by normal form; see :mod:`tdcert.theory.identities.forms_and_norms`.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.arithmetic import SymbolicMatrix
from tdcert.theory.identities.forms_and_norms import HALF
from tdcert.theory.identities.symbols import free, inner, kappa_of, spread
from tdcert.theory.model.key_matrices import KeyMatrices, apply_M, apply_S
from tdcert.theory.model.schedule import return_weights, trace_weights


def ones_are_an_eigenvector(n: int, length: int) -> bool:
    """M1 = κ1 by the suite's own M, for a symbolic stochastic P (n×n), γ and λ_1 … λ_L."""
    ring, P, gamma, lambdas = free(p=("stochastic", n), g=(), l=length)
    ones = ring.matrix([[1]] * n)
    return bool((apply_M(P.scaled(gamma), lambdas, 0, ones) - ones.scaled(kappa_of(gamma, lambdas))).is_zero())


def kappa_slope(length: int, j: int) -> bool:
    """κ is affine in λ_j with the slope −(1 − γ) c_{j−1} Σ_{k≥j} γᵏ λ_{j+1}…λ_k (1 ≤ j ≤ L).

    With λ's and γ in [0,1] it is never positive; its first term is −(1 − γ)γʲ c_{j−1}, so for 0 < γ < 1 it is
    negative exactly if c_{j−1} > 0.
    """
    _, gamma, lambdas, other = free(g=(), l=length, y=())
    changed = [*lambdas[: j - 1], other, *lambdas[j:]]
    ahead = sum(gamma ** (j + k) * c for k, c in enumerate(trace_weights(lambdas[j:])))
    slope = -(1 - gamma) * trace_weights(lambdas)[j - 1] * ahead
    return bool(kappa_of(gamma, changed) - kappa_of(gamma, lambdas) == (other - lambdas[j - 1]) * slope)


def dominance_identity(n: int) -> bool:
    """xᵀZx = Σ_i (Z1)_i x_i² + ½ Σ_{i≠j} (−Z_ij)(x_i − x_j)² for free symmetric Z (n×n) and x."""
    ring, Z, x = free(z=("symmetric", n), x=(n, 1))
    return bool(inner(x, Z @ x) == inner(x, x, Z @ ring.matrix([[1]] * n)) - HALF * spread(Z, x))


def margin_identity(n: int, d: int, length: int) -> bool:
    """−sym A − (1 − κ)C = Φᵀ(κD − sym DM)Φ by the suite's own A and C, everything free: N, D, Φ, λ, κ."""
    keys, _, kappa = _free_keys(n, d, length, k=())
    M = keys.M(keys.N.identity(n)).scale_rows(keys.d)
    Z = keys.N.identity(n).scale_rows(keys.d).scaled(kappa) - (M + M.T).scaled(HALF)
    left = (keys.A + keys.A.T).scaled(-HALF) - keys.C.scaled(1 - kappa)
    return bool((left - keys.Phi.T @ Z @ keys.Phi).is_zero())


def rest_point_identity(n: int, d: int, length: int) -> bool:
    """ΦᵀD(I − M)(V − Φθ) = Aθ + b for any D, N, Φ, V, θ, λ with r = (I − N)V, by the suite's own A, b and M.

    At θ = θ* it is zero: the error e = V − Φθ* has the same projection as Me.
    """
    keys, _, V, theta = _free_keys(n, d, length, v=(n, 1), t=(d, 1))
    keys = KeyMatrices(keys.d, keys.N, V - keys.N @ V, keys.Phi, keys.lambdas)
    error = V - keys.Phi @ theta
    left = keys.Phi.T @ (error - keys.M(error)).scale_rows(keys.d)
    return bool((left - (keys.A @ theta + keys.b)).is_zero())


def projection_identity(n: int, d: int) -> bool:
    """ΠΦ = Φ, and ‖X‖² = ‖ΠX‖² + ‖X − ΠX‖² in the D-norm, for free D, Φ, X: projecting does not lengthen."""
    keys, _, x = _free_keys(n, d, 0, v=(n, 1))

    def project(Y: SymbolicMatrix) -> Any:
        return keys.Phi @ keys.C.solve(keys.Phi.T @ Y.scale_rows(keys.d))

    def square(Y: SymbolicMatrix) -> Any:
        return inner(Y, Y, keys.d)

    kept = (project(keys.Phi) - keys.Phi).is_zero()
    return bool(kept and square(x) == square(project(x)) + square(x - project(x)))


def polar_identity(n: int) -> bool:
    """2xᵀD(I − M)x = (‖x‖² − ‖Mx‖²) + ‖x − Mx‖² in the D-norm, for free D, M, x (n×n).

    ‖M‖_D < 1 makes D(I − M) positive.
    """
    _, M, d, x = free(m=(n, n), d=(n, 1), x=(n, 1))
    image, rest = M @ x, x - M @ x
    return bool(2 * inner(x, rest, d) == inner(x, x, d) - inner(image, image, d) + inner(rest, rest, d))


def stationary_gap_identity(length: int) -> bool:
    """−xᵀAx − (1 − κ)xᵀCx = ½ Σ_n w_n E[Γ_n (f_0 − f_n)² + (γⁿ − Γ_n)(f_0² + f_n²)] for a stationary process, f = xᵀφ.

    Stationarity enters through A = Σ w_n E[Γ_n φ_0 φ_nᵀ] − C and E[f_n²] = E[f_0²] = c: with free moments
    E[Γ_n f_0 f_n] = a_n and E[Γ_n (f_0² + f_n²)] = e_n both sides agree, for symbolic γ, λ. No Markov property is used.
    """
    _, gamma, lambdas, c, a, e = free(g=(), l=length, c=(), a=length + 1, e=length + 1)
    lags = list(enumerate(zip(return_weights(lambdas), a, e, strict=True), start=1))
    A = sum(w * a_n for _, (w, a_n, _) in lags) - c
    # E[Γ_n (f_0 − f_n)²] = e_n − 2a_n, and E[(γⁿ − Γ_n)(f_0² + f_n²)] = 2γⁿ c − e_n
    right = sum(HALF * w * ((e_n - 2 * a_n) + (2 * gamma**n * c - e_n)) for n, (w, a_n, e_n) in lags)
    return bool(-A - (1 - kappa_of(gamma, lambdas)) * c == right)


def _free_keys(n: int, d: int, length: int, **more: Any) -> list[Any]:
    """Key matrices with free D, N (n×n), Φ (n×d), λ_1 … λ_L and r = 0; the ring, and the further symbols asked for."""
    ring, N, law, Phi, lambdas, *rest = free(N=(n, n), d=(n, 1), f=(n, d), l=length, **more)
    return [KeyMatrices(law, N, law.scaled(0), Phi, tuple(lambdas), 0), ring, *rest]


def basis_identity(n: int, d: int, length: int) -> bool:
    """With features ΦT: A, b, C become TᵀAT, Tᵀb, TᵀCT, by the suite's own formulas, everything free."""
    keys, _, r, T = _free_keys(n, d, length, r=(n, 1), t=(d, d))
    old = KeyMatrices(keys.d, keys.N, r, keys.Phi, keys.lambdas)
    new = KeyMatrices(keys.d, keys.N, r, keys.Phi @ T, keys.lambdas)
    gaps = (new.A - T.T @ old.A @ T, new.b - T.T @ old.b, new.C - T.T @ old.C @ T)
    return all(gap.is_zero() for gap in gaps)


def split_identity(n: int, length: int) -> bool:
    """The last of n states split with the shares q and 1 − q, one feature: A, b, C stay, everything else free."""
    keys, ring, r, q = _free_keys(n, 1, length, r=(n, 1), q=())
    copies = ring.matrix([[int(j == min(i, n - 1)) for j in range(n)] for i in range(n + 1)])
    shares = ring.matrix([[1]] * (n - 1) + [[q], [1 - q]])
    old = KeyMatrices(keys.d, keys.N, r, keys.Phi, keys.lambdas)
    N, law = copies @ keys.N @ copies.scale_rows(shares).T, (copies @ keys.d).scale_rows(shares)
    new = KeyMatrices(law, N, copies @ r, copies @ keys.Phi, keys.lambdas)
    return all(gap.is_zero() for gap in (new.A - old.A, new.b - old.b, new.C - old.C))


def padding_identity(length: int) -> bool:
    """A zero after λ_L, and anything after it, changes neither S nor M (one symbol N stands for any matrix)."""
    ring, kernel, lambdas, beyond = free(N=(1, 1), l=length, y=())
    one, padded = ring.matrix([[1]]), [*lambdas, ring.element(0), beyond]
    return all(
        (apply(kernel, padded, 0, one) - apply(kernel, lambdas, 0, one)).is_zero() for apply in (apply_S, apply_M)
    )


def discounted_walks_meet_every_component(n: int, steps: int) -> bool:
    """For every irreducible graph on n states, each of its transitions e and each walk length m ≤ ``steps``: every
    component of the graph of m-step walks (directions forgotten) has a state from which some walk of m steps uses e.

    So, with one discounted transition e, D − sym DN^m has no null vector: one would be constant on each component, and
    zero where a row sum is positive. Only the pattern of positive entries matters, so all irreducible chains of n
    states are covered.
    """
    pairs = [(i, j) for i in range(n) for j in range(n)]
    for chosen in range(1, 2 ** len(pairs)):
        edges = {pair for k, pair in enumerate(pairs) if chosen >> k & 1}
        if len(_components(edges, n, directed=True)) > 1:
            continue
        for e in edges:
            walks, using = {(i, i) for i in range(n)}, set[tuple[int, int]]()
            for _ in range(steps):
                using = _then(using, edges) | _then(walks, {e})
                walks = _then(walks, edges)
                starts = {i for i, _ in using}
                if any(not starts & component for component in _components(walks, n, directed=False)):
                    return False
    return True


def _then(first: set[tuple[int, int]], second: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The composition of two relations."""
    return {(i, m) for i, j in first for k, m in second if j == k}


def _components(edges: set[tuple[int, int]], n: int, directed: bool) -> list[set[int]]:
    """States that reach each other (``directed``), or that are linked at all."""
    linked = {(i, i) for i in range(n)} | edges | (set() if directed else {(j, i) for i, j in edges})
    for _ in range(n):
        linked = linked | _then(linked, linked)
    found: list[set[int]] = []
    for i in range(n):
        members = {j for j in range(n) if (i, j) in linked and (j, i) in linked}
        if members not in found:
            found.append(members)
    return found


def cycle_symbol_identity(q: int, length: int) -> bool:
    """On the cycle of q states, xᵀMx = Σ_n w_n γⁿ Σ_k x_k x_{k+n}, by the suite's own M with symbolic x, γ, λ."""
    ring, gamma, lambdas, x = free(g=(), l=length, x=(q, 1))
    P = ring.matrix([[int(j == (i + 1) % q) for j in range(q)] for i in range(q)])
    total = ring.element(0)
    for n, w in enumerate(return_weights(lambdas), start=1):
        total += w * gamma**n * sum(x[k, 0] * x[(k + n) % q, 0] for k in range(q))
    return bool(inner(x, apply_M(P.scaled(gamma), lambdas, 0, x)) == total)
