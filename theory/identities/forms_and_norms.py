r"""Symbolic identities behind the algebraic claims, each decided by normal form in a field of functions.

Every function returns True exactly if the identity holds; none uses ``simplify``, none a numeric test point.
Where the identity is about a formula of :mod:`tdcert.theory.model`, that formula itself is run on symbols, so what
is proved is what the rest of the suite computes.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tdcert.theory.arithmetic import SymbolicMatrix, SymbolicRing
from tdcert.theory.model.key_matrices import KeyMatrices, apply_M, apply_S, horner_M, horner_S
from tdcert.theory.model.schedule import return_weights, trace_weights

HALF = Fraction(1, 2)


def stochastic_symbols(n: int) -> list[str]:
    """Names of n(n−1) free transition probabilities; each row's last entry is one minus the others."""
    return [f"p{i}{j}" for i in range(n) for j in range(n - 1)]


def stochastic_matrix(ring: SymbolicRing, symbols: list[Any], n: int) -> SymbolicMatrix:
    """The n×n matrix with these free entries and rows that sum to one."""
    rows = []
    for i in range(n):
        free = symbols[i * (n - 1) : (i + 1) * (n - 1)]
        rows.append([*free, 1 - sum(free, start=ring.element(0))])
    return ring.matrix(rows)


def stationary_symbols(ring: SymbolicRing, P: SymbolicMatrix) -> list[Any]:
    """The stationary law of a symbolic chain, from its linear system (a rational function of the entries)."""
    n = P.shape[0]
    balance = (P.identity(n) - P).T.matrix.to_list()
    rows = [*balance[: n - 1], [ring.element(1)] * n]
    right = ring.matrix([[0]] * (n - 1) + [[1]])
    return list(ring.matrix(rows).solve(right).matrix.to_list_flat())


def telescoping_step() -> bool:
    """Induction step of S(N − I) = M − I, run on the two Horner steps with symbols.

    If S'(N − I) = M' − I for the schedule λ_2, …, then for λ_1, λ_2, …: with S = 1 + λNS' and
    M = N((1 − λ) + λM'), S(N − I) − (M − I) = λN (S'(N − I) − (M' − I)), which is zero. S' and M' are
    polynomials in N, so commuting symbols lose nothing.
    """
    ring = SymbolicRing("N", "l", "S", "M")
    N, lam, S, M = ring.symbols
    one = ring.matrix([[1]])
    outer_S = horner_S(ring.matrix([[N]]), lam, one, ring.matrix([[S]]))[0, 0]
    outer_M = horner_M(ring.matrix([[N]]), lam, one, ring.matrix([[M]]))[0, 0]
    return bool(outer_S * (N - 1) - (outer_M - 1) == lam * N * (S * (N - 1) - (M - 1)))


def telescoping_base() -> bool:
    """Base of the induction, L = 0: S = I and M = N, so S(N − I) = M − I."""
    ring = SymbolicRing("N")
    (N,) = ring.symbols
    N_matrix, one = ring.matrix([[N]]), ring.matrix([[1]])
    S, M = apply_S(N_matrix, (), 0, one), apply_M(N_matrix, (), 0, one)
    return bool(S[0, 0] == 1 and M[0, 0] == N and S[0, 0] * (N - 1) == M[0, 0] - 1)


def horner_equals_printed_sums(length: int) -> bool:
    """The Horner forms equal the sums printed in A4.1, for symbols P (hence any matrix), γ and λ_1 … λ_L.

    Printed: Σ_k (Π_j γλ_j)(γP^{k+1} − P^k) and M = Σ_n γⁿ λ_1…λ_{n−1}(1 − λ_n) Pⁿ + γ^{L+1} λ_1…λ_L P^{L+1}.
    """
    ring = SymbolicRing("P", "g", *(f"l{j}" for j in range(1, length + 1)))
    P, gamma, *lambdas = ring.symbols
    one = ring.matrix([[1]])
    N = ring.matrix([[gamma * P]])
    printed_sum, printed_M, product = ring.element(0), ring.element(0), ring.element(1)
    for k in range(length + 1):
        printed_sum += product * gamma**k * (gamma * P ** (k + 1) - P**k)
        following = lambdas[k] if k < length else ring.element(0)
        printed_M += gamma ** (k + 1) * product * (1 - following) * P ** (k + 1)
        product *= following
    S, M = apply_S(N, lambdas, 0, one)[0, 0], apply_M(N, lambdas, 0, one)[0, 0]
    telescoped = S * (gamma * P - 1)
    return bool(telescoped == printed_sum and printed_M == M and telescoped + 1 == M)


def stationary_norm_identity(n: int) -> bool:
    """‖V‖²_D − ‖PV‖²_D as a sum of squares, with the two hypotheses as explicit multipliers.

    For free p_ij, d_i, V_j (nothing assumed): ‖V‖² − ‖PV‖² − ½ Σ_i d_i Σ_jk p_ij p_ik (V_j − V_k)²
    = Σ_j V_j² (d_j − Σ_i d_i p_ij) + Σ_ij d_i p_ij V_j² (1 − Σ_k p_ik).
    The right side vanishes for a stochastic P with law d.
    """
    ring, P, d, V = _free_chain(n)
    rows = range(n)
    squares = sum((d[j] * V[j] ** 2 for j in rows), start=ring.element(0))
    image = sum((d[i] * sum(P[i][j] * V[j] for j in rows) ** 2 for i in rows), start=ring.element(0))
    half = _half(ring)
    sos = sum(
        (half * d[i] * P[i][j] * P[i][k] * (V[j] - V[k]) ** 2 for i in rows for j in rows for k in rows),
        start=ring.element(0),
    )
    multiples = sum((V[j] ** 2 * (d[j] - sum(d[i] * P[i][j] for i in rows)) for j in rows), start=ring.element(0))
    multiples += sum(
        (d[i] * P[i][j] * V[j] ** 2 * (1 - sum(P[i][k] for k in rows)) for i in rows for j in rows),
        start=ring.element(0),
    )
    return bool(squares - image - sos == multiples)


def dirichlet_identity(n: int) -> bool:
    """xᵀD(I − Q)x as a sum of squares, with the two hypotheses on Q as explicit multipliers.

    For free q_ij, d_i, x_i: Σ d_i x_i² − Σ d_i q_ij x_i x_j − ½ Σ d_i q_ij (x_i − x_j)²
    = ½ Σ_i d_i x_i² (1 − Σ_j q_ij) + ½ Σ_j x_j² (d_j − Σ_i d_i q_ij).
    Used with Q = Pⁿ, stochastic with the same law.
    """
    ring, Q, d, x = _free_chain(n)
    half, rows = _half(ring), range(n)
    form = sum((d[i] * x[i] ** 2 for i in rows), start=ring.element(0))
    form -= sum((d[i] * Q[i][j] * x[i] * x[j] for i in rows for j in rows), start=ring.element(0))
    sos = sum((half * d[i] * Q[i][j] * (x[i] - x[j]) ** 2 for i in rows for j in rows), start=ring.element(0))
    multiples = sum((half * d[i] * x[i] ** 2 * (1 - sum(Q[i][j] for j in rows)) for i in rows), start=ring.element(0))
    multiples += sum(
        (half * x[j] ** 2 * (d[j] - sum(d[i] * Q[i][j] for i in rows)) for j in rows), start=ring.element(0)
    )
    return bool(form - sos == multiples)


def powers_keep_row_sums_and_law(n: int) -> bool:
    """If Q and P are stochastic with law d, so is QP: (QP)1 = 1 and dQP = d, by multiples of the hypotheses.

    (QP)1 − 1 = Q(P1 − 1) + (Q1 − 1) and dQP − d = (dQ − d)P + (dP − d), as identities of free entries.
    """
    names = [f"{letter}{i}{j}" for letter in "pq" for i in range(n) for j in range(n)]
    names += [f"d{i}" for i in range(n)]
    ring = SymbolicRing(*names)
    symbols = list(ring.symbols)
    P = ring.matrix([symbols[i * n : (i + 1) * n] for i in range(n)])
    Q = ring.matrix([symbols[n * n + i * n : n * n + (i + 1) * n] for i in range(n)])
    d = ring.matrix([symbols[2 * n * n :]])
    ones = ring.matrix([[1]] * n)
    row_sums = (Q @ P @ ones - ones) - (Q @ (P @ ones - ones) + (Q @ ones - ones))
    law = (d @ Q @ P - d) - ((d @ Q - d) @ P + (d @ P - d))
    return row_sums.is_zero() and law.is_zero()


def modulus_identity(length: int) -> bool:
    """γ − κ = γ(1 − γ) Σ_{k=1}^L γ^{k−1} c_k for symbolic γ, λ: so κ ≤ γ for λ, γ in [0,1]."""
    ring = SymbolicRing("g", *(f"l{j}" for j in range(1, length + 1)))
    gamma, *lambdas = ring.symbols
    weights = return_weights(lambdas)
    kappa = sum((w * gamma**n for n, w in enumerate(weights, start=1)), start=ring.element(0))
    c = trace_weights(lambdas)
    gap = sum((gamma ** (k - 1) * c[k] for k in range(1, length + 1)), start=ring.element(0))
    return bool(gamma - kappa == gamma * (1 - gamma) * gap)


def key_matrix_identity(n: int, length: int) -> bool:
    """−xᵀAx for tabular features as (1 − κ)‖x‖² plus squares, by the suite's own formula for A, all symbolic.

    P (n×n stochastic, free entries), its law as rational functions, γ, λ_1 … λ_L, x free:
    −xᵀD(M − I)x = (1 − κ) Σ d_i x_i² + Σ_m w_m γᵐ ½ Σ_ij d_i (Pᵐ)_ij (x_i − x_j)².
    """
    names = [*stochastic_symbols(n), "g", *(f"l{j}" for j in range(1, length + 1))]
    names += [f"x{i}" for i in range(n)]
    ring = SymbolicRing(*names)
    free = list(ring.symbols)
    count = n * (n - 1)
    gamma, lambdas, x = free[count], free[count + 1 : count + 1 + length], free[count + 1 + length :]
    P = stochastic_matrix(ring, free[:count], n)
    d = stationary_symbols(ring, P)
    keys = KeyMatrices(
        d=ring.matrix([[entry] for entry in d]),
        N=P.scaled(gamma),
        r=ring.matrix([[0]] * n),
        Phi=P.identity(n),
        lambdas=tuple(lambdas),
        tail=0,
    )
    vector = ring.matrix([[entry] for entry in x])
    form = (vector.T @ keys.A @ vector)[0, 0]
    weights = return_weights(lambdas)
    kappa = sum((w * gamma**m for m, w in enumerate(weights, start=1)), start=ring.element(0))
    total = (1 - kappa) * sum((d[i] * x[i] ** 2 for i in range(n)), start=ring.element(0))
    power = P.identity(n)
    for m, w in enumerate(weights, start=1):
        power = power @ P
        spread = sum(
            (d[i] * power[i, j] * (x[i] - x[j]) ** 2 for i in range(n) for j in range(n)), start=ring.element(0)
        )
        total += w * gamma**m * _half(ring) * spread
    return bool(-form == total)


def saddle_form_identity(d: int) -> bool:
    """ξᵀGξ = −s wᵀCw for G = [[−sC, A], [−Aᵀ, 0]] and ξ = (w, θ), all entries free: blind to θ."""
    names = [f"{letter}{i}{j}" for letter in "ac" for i in range(d) for j in range(d)]
    ring = SymbolicRing(*names, "s", *(f"w{i}" for i in range(d)), *(f"t{i}" for i in range(d)))
    free = list(ring.symbols)
    A = [free[i * d : (i + 1) * d] for i in range(d)]
    C = [free[d * d + i * d : d * d + (i + 1) * d] for i in range(d)]
    s, rest = free[2 * d * d], free[2 * d * d + 1 :]
    w, theta = rest[:d], rest[d:]
    G = [[-s * C[i][j] for j in range(d)] + A[i] for i in range(d)]
    G += [[-A[j][i] for j in range(d)] + [ring.element(0)] * d for i in range(d)]
    xi = [*w, *theta]
    form = sum((xi[i] * G[i][j] * xi[j] for i in range(2 * d) for j in range(2 * d)), start=ring.element(0))
    expected = -s * sum((w[i] * C[i][j] * w[j] for i in range(d) for j in range(d)), start=ring.element(0))
    return bool(form == expected)


def tdc_form_identity(d: int) -> bool:
    """xᵀ(AᵀC⁻¹A)x = (Ax)ᵀC⁻¹(Ax) for free A, x and free symmetric C: TDC's form is that of C⁻¹ at Ax."""
    lower = [(i, j) for i in range(d) for j in range(i + 1)]
    names = [f"a{i}{j}" for i in range(d) for j in range(d)] + [f"c{i}{j}" for i, j in lower]
    ring = SymbolicRing(*names, *(f"x{i}" for i in range(d)))
    free = list(ring.symbols)
    A = ring.matrix([free[i * d : (i + 1) * d] for i in range(d)])
    entries = dict(zip(lower, free[d * d : d * d + len(lower)], strict=True))
    C = ring.matrix([[entries[max(i, j), min(i, j)] for j in range(d)] for i in range(d)])
    x = ring.matrix([[entry] for entry in free[d * d + len(lower) :]])
    image = A @ x
    return bool((x.T @ (A.T @ C.solve(A)) @ x)[0, 0] == (image.T @ C.solve(image))[0, 0])


def gradient_lyapunov_identity(d: int) -> bool:
    """d/dt of ½‖Aθ + b‖² along θ' = Aθ + b is (Aθ + b)ᵀ sym(A) (Aθ + b), entries free.

    It is the Lyapunov function of Theorem 4.3.
    """
    names = [f"a{i}{j}" for i in range(d) for j in range(d)]
    ring = SymbolicRing(*names, *(f"h{i}" for i in range(d)))
    free = list(ring.symbols)
    A = ring.matrix([free[i * d : (i + 1) * d] for i in range(d)])
    h = ring.matrix([[entry] for entry in free[d * d :]])
    # ∇V = Aᵀh with h = Aθ + b, and θ' = h; the derivative is (Aᵀh)ᵀ h.
    derivative = ((A.T @ h).T @ h)[0, 0]
    symmetric = (A + A.T).scaled(HALF)
    return bool(derivative == (h.T @ symmetric @ h)[0, 0])


def _free_chain(n: int) -> tuple[SymbolicRing, list[list[Any]], list[Any], list[Any]]:
    """n² free entries, n free weights and an n-vector of free values."""
    names = [f"p{i}{j}" for i in range(n) for j in range(n)]
    ring = SymbolicRing(*names, *(f"d{i}" for i in range(n)), *(f"v{i}" for i in range(n)))
    free = list(ring.symbols)
    matrix = [free[i * n : (i + 1) * n] for i in range(n)]
    return ring, matrix, free[n * n : n * n + n], free[n * n + n :]


def _half(ring: SymbolicRing) -> Any:
    """½ as an element of the ring."""
    return ring.element(HALF)
