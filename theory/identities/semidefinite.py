r"""Symbolic identities behind the margins: what sharpens Proposition 4.1, and what replaces it off-policy.

Each returns True exactly if the identity holds, by normal form; see :mod:`tdcert.theory.identities.forms_and_norms`.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.arithmetic import SymbolicMatrix, SymbolicRing
from tdcert.theory.identities.forms_and_norms import HALF, stochastic_matrix, stochastic_symbols
from tdcert.theory.model.key_matrices import KeyMatrices, apply_M, apply_S
from tdcert.theory.model.schedule import return_weights, trace_weights


def schedule_symbols(length: int) -> list[str]:
    """γ and λ_1 … λ_L."""
    return ["g", *(f"l{j}" for j in range(1, length + 1))]


def kappa_of(gamma: Any, lambdas: list[Any], ring: SymbolicRing) -> Any:
    """κ = Σ w_n γⁿ."""
    return sum((w * gamma**n for n, w in enumerate(return_weights(lambdas), start=1)), start=ring.element(0))


def ones_are_an_eigenvector(n: int, length: int) -> bool:
    """M1 = κ1 by the suite's own M, for a symbolic stochastic P (n×n), γ and λ_1 … λ_L."""
    ring = SymbolicRing(*stochastic_symbols(n), *schedule_symbols(length))
    free = list(ring.symbols)
    count = n * (n - 1)
    gamma, lambdas = free[count], free[count + 1 :]
    N = stochastic_matrix(ring, free[:count], n).scaled(gamma)
    ones = ring.matrix([[1]] * n)
    return (apply_M(N, lambdas, 0, ones) - ones.scaled(kappa_of(gamma, lambdas, ring))).is_zero()


def kappa_slope(length: int, j: int) -> bool:
    """κ is affine in λ_j with the slope −(1 − γ) c_{j−1} Σ_{k≥j} γᵏ λ_{j+1}…λ_k (1 ≤ j ≤ L).

    With λ's and γ in [0,1] it is never positive; its first term is −(1 − γ)γʲ c_{j−1}, so for 0 < γ < 1 it is negative
    exactly if c_{j−1} > 0.
    """
    ring = SymbolicRing(*schedule_symbols(length), "y")
    gamma, *lambdas, other = ring.symbols
    changed = [*lambdas[: j - 1], other, *lambdas[j:]]
    ahead = ring.element(0)
    product = ring.element(1)
    for k in range(j, length + 1):
        product = product * lambdas[k - 1] if k > j else product
        ahead += gamma**k * product
    slope = -(1 - gamma) * trace_weights(lambdas)[j - 1] * ahead
    difference = kappa_of(gamma, changed, ring) - kappa_of(gamma, lambdas, ring)
    return bool(difference == (other - lambdas[j - 1]) * slope)


def dominance_identity(n: int) -> bool:
    """xᵀZx = Σ_i (Z1)_i x_i² + ½ Σ_{i≠j} (−Z_ij)(x_i − x_j)² for free symmetric Z (n×n) and x."""
    lower = [(i, j) for i in range(n) for j in range(i + 1)]
    ring = SymbolicRing(*(f"z{i}{j}" for i, j in lower), *(f"x{i}" for i in range(n)))
    entries = dict(zip(lower, ring.symbols, strict=False))
    x = ring.symbols[len(lower) :]
    zero, rows = ring.element(0), range(n)
    Z = [[entries[max(i, j), min(i, j)] for j in rows] for i in rows]
    form = sum((Z[i][j] * x[i] * x[j] for i in rows for j in rows), start=zero)
    sums = sum((sum(Z[i], start=zero) * x[i] ** 2 for i in rows), start=zero)
    squares = sum(
        (-ring.element(HALF) * Z[i][j] * (x[i] - x[j]) ** 2 for i in rows for j in rows if i != j), start=zero
    )
    return bool(form == sums + squares)


def margin_identity(n: int, d: int, length: int) -> bool:
    """−sym A − (1 − κ)C = Φᵀ(κD − sym DM)Φ by the suite's own A and C, everything free: N, D, Φ, λ, κ."""
    _, keys, free = _free_keys(n, d, length, "k")
    M = keys.M(keys.N.identity(n)).scale_rows(keys.d)
    Z = keys.N.identity(n).scale_rows(keys.d).scaled(free[0]) - (M + M.T).scaled(HALF)
    left = (keys.A + keys.A.T).scaled(-HALF) - keys.C.scaled(1 - free[0])
    return (left - keys.Phi.T @ Z @ keys.Phi).is_zero()


def rest_point_identity(n: int, d: int, length: int) -> bool:
    """ΦᵀD(I − M)(V − Φθ) = Aθ + b for any D, N, Φ, V, θ, λ with r = (I − N)V, by the suite's own A, b and M.

    At θ = θ* it is zero: the error e = V − Φθ* has the same projection as Me.
    """
    more = [*(f"v{i}" for i in range(n)), *(f"t{i}" for i in range(d))]
    ring, keys, free = _free_keys(n, d, length, *more)
    V = ring.matrix([[v] for v in free[:n]])
    theta = ring.matrix([[t] for t in free[n:]])
    keys = KeyMatrices(keys.d, keys.N, V - keys.N @ V, keys.Phi, keys.lambdas)
    error = V - keys.Phi @ theta
    left = keys.Phi.T @ (error - keys.M(error)).scale_rows(keys.d)
    return (left - (keys.A @ theta + keys.b)).is_zero()


def projection_identity(n: int, d: int) -> bool:
    """ΠΦ = Φ, and ‖X‖² = ‖ΠX‖² + ‖X − ΠX‖² in the D-norm, for free D, Φ, X: projecting does not lengthen."""
    ring, keys, X = _free_keys(n, d, 0, *(f"v{i}" for i in range(n)))
    x = ring.matrix([[v] for v in X])

    def project(Y: SymbolicMatrix) -> SymbolicMatrix:
        return keys.Phi @ keys.C.solve(keys.Phi.T @ Y.scale_rows(keys.d))

    def square(Y: SymbolicMatrix) -> Any:
        return (Y.T @ Y.scale_rows(keys.d))[0, 0]

    kept = (project(keys.Phi) - keys.Phi).is_zero()
    return bool(kept and square(x) == square(project(x)) + square(x - project(x)))


def polar_identity(n: int) -> bool:
    """2xᵀD(I − M)x = (‖x‖² − ‖Mx‖²) + ‖x − Mx‖² in the D-norm, for free D, M, x (n×n).

    ‖M‖_D < 1 makes D(I − M) positive.
    """
    names = [
        *(f"m{i}{j}" for i in range(n) for j in range(n)),
        *(f"d{i}" for i in range(n)),
        *(f"x{i}" for i in range(n)),
    ]
    ring = SymbolicRing(*names)
    free = list(ring.symbols)
    M = ring.matrix([free[i * n : (i + 1) * n] for i in range(n)])
    d = ring.matrix([[entry] for entry in free[n * n : n * n + n]])
    x = ring.matrix([[entry] for entry in free[n * n + n :]])

    def square(X: SymbolicMatrix) -> Any:
        return (X.T @ X.scale_rows(d))[0, 0]

    image = M @ x
    form = (x.T @ (x - image).scale_rows(d))[0, 0]
    return bool(2 * form == square(x) - square(image) + square(x - image))


def stationary_gap_identity(length: int) -> bool:
    """−xᵀAx − (1 − κ)xᵀCx = ½ Σ_n w_n E[Γ_n (f_0 − f_n)² + (γⁿ − Γ_n)(f_0² + f_n²)] for a stationary process, f = xᵀφ.

    Stationarity enters through A = Σ w_n E[Γ_n φ_0 φ_nᵀ] − C and E[f_n²] = E[f_0²] = c: with free moments E[Γ_n f_0
    f_n] = a_n and E[Γ_n (f_0² + f_n²)] = e_n both sides agree, for symbolic γ, λ. No Markov property is used.
    """
    lags = range(1, length + 2)
    ring = SymbolicRing(*schedule_symbols(length), "c", *(f"a{n}" for n in lags), *(f"e{n}" for n in lags))
    gamma, *rest = ring.symbols
    lambdas, c, a, e = rest[:length], rest[length], rest[length + 1 : 2 * length + 2], rest[2 * length + 2 :]
    w = return_weights(lambdas)
    zero = ring.element(0)
    A = sum((w[n - 1] * a[n - 1] for n in lags), start=zero) - c
    left = -A - (1 - kappa_of(gamma, lambdas, ring)) * c
    # E[Γ_n (f_0 − f_n)²] = e_n − 2a_n, and E[(γⁿ − Γ_n)(f_0² + f_n²)] = 2γⁿ c − e_n
    right = sum(
        (HALF * w[n - 1] * ((e[n - 1] - 2 * a[n - 1]) + (2 * gamma**n * c - e[n - 1])) for n in lags), start=zero
    )
    return bool(left == right)


def _free_keys(n: int, d: int, length: int, *more: str) -> tuple[SymbolicRing, KeyMatrices[SymbolicMatrix], list[Any]]:
    """Key matrices with free D, N (n×n), Φ (n×d), λ_1 … λ_L and r = 0; and the further symbols asked for."""
    names = [*(f"n{i}{j}" for i in range(n) for j in range(n)), *(f"d{i}" for i in range(n))]
    names += [*(f"f{i}{j}" for i in range(n) for j in range(d)), *(f"l{j}" for j in range(1, length + 1)), *more]
    ring = SymbolicRing(*names)
    free = list(ring.symbols)
    N = ring.matrix([free[i * n : (i + 1) * n] for i in range(n)])
    law = ring.matrix([[entry] for entry in free[n * n : n * n + n]])
    start = n * n + n
    Phi = ring.matrix([free[start + i * d : start + (i + 1) * d] for i in range(n)])
    start += n * d
    lambdas = tuple(free[start : start + length])
    return ring, KeyMatrices(law, N, ring.matrix([[0]] * n), Phi, lambdas, 0), free[start + length :]


def basis_identity(n: int, d: int, length: int) -> bool:
    """With features ΦT: A, b, C become TᵀAT, Tᵀb, TᵀCT, by the suite's own formulas, everything free."""
    more = [*(f"r{i}" for i in range(n)), *(f"t{i}{j}" for i in range(d) for j in range(d))]
    ring, keys, free = _free_keys(n, d, length, *more)
    r = ring.matrix([[x] for x in free[:n]])
    T = ring.matrix([free[n + i * d : n + (i + 1) * d] for i in range(d)])
    old = KeyMatrices(keys.d, keys.N, r, keys.Phi, keys.lambdas)
    new = KeyMatrices(keys.d, keys.N, r, keys.Phi @ T, keys.lambdas)
    gaps = (new.A - T.T @ old.A @ T, new.b - T.T @ old.b, new.C - T.T @ old.C @ T)
    return all(gap.is_zero() for gap in gaps)


def split_identity(n: int, length: int) -> bool:
    """The last of n states split with the shares q and 1 − q, one feature: A, b, C stay, everything else free."""
    ring, keys, free = _free_keys(n, 1, length, *(f"r{i}" for i in range(n)), "q")
    *r, q = free
    origin = [*range(n), n - 1]
    weights = [*([ring.element(1)] * (n - 1)), q, 1 - q]
    N = ring.matrix([[keys.N[i, j] * weights[k] for k, j in enumerate(origin)] for i in origin])
    law = ring.matrix([[keys.d[i, 0] * weight] for i, weight in zip(origin, weights, strict=True)])
    Phi = ring.matrix([[keys.Phi[i, 0]] for i in origin])
    old = KeyMatrices(keys.d, keys.N, ring.matrix([[x] for x in r]), keys.Phi, keys.lambdas)
    new = KeyMatrices(law, N, ring.matrix([[r[i]] for i in origin]), Phi, keys.lambdas)
    return all(gap.is_zero() for gap in (new.A - old.A, new.b - old.b, new.C - old.C))


def padding_identity(length: int) -> bool:
    """A zero after λ_L, and anything after it, changes neither S nor M (one symbol N stands for any matrix)."""
    ring = SymbolicRing("N", *(f"l{j}" for j in range(1, length + 1)), "y")
    N, *lambdas, beyond = ring.symbols
    one, kernel = ring.matrix([[1]]), ring.matrix([[N]])
    padded = [*lambdas, ring.element(0), beyond]
    gaps = (
        apply_S(kernel, padded, 0, one) - apply_S(kernel, lambdas, 0, one),
        apply_M(kernel, padded, 0, one) - apply_M(kernel, lambdas, 0, one),
    )
    return all(gap.is_zero() for gap in gaps)


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
    ring = SymbolicRing(*schedule_symbols(length), *(f"x{k}" for k in range(q)))
    gamma, *rest = ring.symbols
    lambdas, x = rest[:length], rest[length:]
    P = ring.matrix([[int(j == (i + 1) % q) for j in range(q)] for i in range(q)])
    column = ring.matrix([[entry] for entry in x])
    form = (column.T @ apply_M(P.scaled(gamma), lambdas, 0, column))[0, 0]
    total = ring.element(0)
    for n, w in enumerate(return_weights(lambdas), start=1):
        total += w * gamma**n * sum((x[k] * x[(k + n) % q] for k in range(q)), start=ring.element(0))
    return bool(form == total)
