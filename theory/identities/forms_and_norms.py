r"""Symbolic identities behind the algebraic claims, each decided by normal form in a field of functions.

Every function returns True exactly if the identity holds; none uses ``simplify``, none a numeric test point.
Where the identity is about a formula of :mod:`tdcert.theory.model`, that formula itself is run on symbols, so what
is proved is what the rest of the suite computes.
"""

from __future__ import annotations

from fractions import Fraction

from tdcert.theory.arithmetic import SymbolicRing
from tdcert.theory.identities.symbols import free, inner, kappa_of, spread, stationary_law
from tdcert.theory.model.key_matrices import KeyMatrices, apply_M, apply_S, horner_M, horner_S
from tdcert.theory.model.schedule import return_weights, trace_weights

HALF = Fraction(1, 2)


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
    ring, P, gamma, lambdas = free(P=(), g=(), l=length)
    one, N = ring.matrix([[1]]), ring.matrix([[gamma * P]])
    printed_sum, printed_M, product = ring.element(0), ring.element(0), ring.element(1)
    for k, following in enumerate([*lambdas, ring.element(0)]):
        printed_sum += product * gamma**k * (gamma * P ** (k + 1) - P**k)
        printed_M += gamma ** (k + 1) * product * (1 - following) * P ** (k + 1)
        product *= following
    S, M = apply_S(N, lambdas, 0, one)[0, 0], apply_M(N, lambdas, 0, one)[0, 0]
    telescoped = S * (gamma * P - 1)
    return bool(telescoped == printed_sum and printed_M == M and telescoped + 1 == M)


def stationary_norm_identity(n: int) -> bool:
    """‖V‖²_D − ‖PV‖²_D as a sum of squares, with the two hypotheses as explicit multipliers.

    For free P, d, V (nothing assumed), with squares entry by entry:
    ‖V‖² − ‖PV‖² − ½ Σ_jk (PᵀDP)_jk (V_j − V_k)² = (V²)ᵀ(d − Pᵀd) + (P V²)ᵀD(1 − P1).
    The right side vanishes for a stochastic P with law d.
    """
    ring, P, d, V = free(p=(n, n), d=(n, 1), v=(n, 1))
    square, ones, image = V.hadamard(V), ring.matrix([[1]] * n), P @ V
    left = inner(V, V, d) - inner(image, image, d) - HALF * spread(P.T @ P.scale_rows(d), V)
    return bool(left == inner(square, d - P.T @ d) + inner(P @ square, ones - P @ ones, d))


def dirichlet_identity(n: int) -> bool:
    """xᵀD(I − Q)x as a sum of squares, with the two hypotheses on Q as explicit multipliers.

    For free Q, d, x: xᵀD(I − Q)x − ½ Σ_ij d_i q_ij (x_i − x_j)² = ½ (x²)ᵀD(1 − Q1) + ½ (x²)ᵀ(d − Qᵀd).
    Used with Q = Pⁿ, stochastic with the same law.
    """
    ring, Q, d, x = free(q=(n, n), d=(n, 1), x=(n, 1))
    square, ones = x.hadamard(x), ring.matrix([[1]] * n)
    left = inner(x, x - Q @ x, d) - HALF * spread(Q.scale_rows(d), x)
    return bool(left == HALF * (inner(square, ones - Q @ ones, d) + inner(square, d - Q.T @ d)))


def powers_keep_row_sums_and_law(n: int) -> bool:
    """If Q and P are stochastic with law d, so is QP: (QP)1 = 1 and dQP = d, by multiples of the hypotheses.

    (QP)1 − 1 = Q(P1 − 1) + (Q1 − 1) and dQP − d = (dQ − d)P + (dP − d), as identities of free entries.
    """
    ring, P, Q, d = free(p=(n, n), q=(n, n), d=(1, n))
    ones = ring.matrix([[1]] * n)
    row_sums = (Q @ P @ ones - ones) - (Q @ (P @ ones - ones) + (Q @ ones - ones))
    law = (d @ Q @ P - d) - ((d @ Q - d) @ P + (d @ P - d))
    return bool(row_sums.is_zero() and law.is_zero())


def modulus_identity(length: int) -> bool:
    """γ − κ = γ(1 − γ) Σ_{k=1}^L γ^{k−1} c_k for symbolic γ, λ: so κ ≤ γ for λ, γ in [0,1]."""
    _, gamma, lambdas = free(g=(), l=length)
    gap = sum(gamma**k * c for k, c in enumerate(trace_weights(lambdas)[1:]))
    return bool(gamma - kappa_of(gamma, lambdas) == gamma * (1 - gamma) * gap)


def key_matrix_identity(n: int, length: int) -> bool:
    """−xᵀAx for tabular features as (1 − κ)‖x‖² plus squares, by the suite's own formula for A, all symbolic.

    P (n×n stochastic, free entries), its law as rational functions, γ, λ_1 … λ_L, x free:
    −xᵀD(M − I)x = (1 − κ) Σ d_i x_i² + Σ_m w_m γᵐ ½ Σ_ij d_i (Pᵐ)_ij (x_i − x_j)².
    """
    ring, P, gamma, lambdas, x = free(p=("stochastic", n), g=(), l=length, x=(n, 1))
    law, power = stationary_law(P), P.identity(n)
    keys = KeyMatrices(law, P.scaled(gamma), ring.matrix([[0]] * n), power, tuple(lambdas), 0)
    total = (1 - kappa_of(gamma, lambdas)) * inner(x, x, law)
    for m, w in enumerate(return_weights(lambdas), start=1):
        power = power @ P
        total += w * gamma**m * HALF * spread(power.scale_rows(law), x)
    return bool(-inner(x, keys.A @ x) == total)


def saddle_form_identity(d: int) -> bool:
    """ξᵀGξ = −s wᵀCw for G = [[−sC, A], [−Aᵀ, 0]] and ξ = (w, θ), all entries free: blind to θ."""
    _, A, C, s, w, theta = free(a=(d, d), c=(d, d), s=(), w=(d, 1), t=(d, 1))
    G = [[C.scaled(-s), A], [A.T.scaled(-1), A.scaled(0)]]
    form = sum(inner(x, G[i][j] @ y) for i, x in enumerate((w, theta)) for j, y in enumerate((w, theta)))
    return bool(form == -s * inner(w, C @ w))


def tdc_form_identity(d: int) -> bool:
    """xᵀ(AᵀC⁻¹A)x = (Ax)ᵀC⁻¹(Ax) for free A, x and free symmetric C: TDC's form is that of C⁻¹ at Ax."""
    _, A, C, x = free(a=(d, d), c=("symmetric", d), x=(d, 1))
    return bool(inner(x, A.T @ C.solve(A) @ x) == inner(A @ x, C.solve(A @ x)))


def gradient_lyapunov_identity(d: int) -> bool:
    """d/dt of ½‖Aθ + b‖² along θ' = Aθ + b is (Aθ + b)ᵀ sym(A) (Aθ + b), entries free.

    It is the Lyapunov function of Theorem 4.3.
    """
    _, A, h = free(a=(d, d), h=(d, 1))
    # ∇V = Aᵀh with h = Aθ + b, and θ' = h; the derivative is (Aᵀh)ᵀ h.
    return bool(inner(A.T @ h, h) == inner(h, (A + A.T).scaled(HALF) @ h))
