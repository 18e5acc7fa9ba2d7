r"""Symbolic identities behind the law of the iterates.

Each returns True exactly if the identity holds, by normal form.
"""

from __future__ import annotations

from functools import reduce
from itertools import pairwise, product
from operator import add

from tdcert.theory.arithmetic import SymbolicRing
from tdcert.theory.identities.symbols import free, inner
from tdcert.theory.model.schedule import trace_weights


def jump_moments_identity(steps: int) -> bool:
    """The propagated second moments of a jump linear system are the sums over all its paths.

    Two windows, free weights p_gh, free affine maps y → a_gh y + c_gh of a scalar (so y = (θ, 1) and
    B = [[a, c], [0, 1]]), a free start: Y_{t+1}(h) = Σ_g p_gh B_gh Y_t(g) B_ghᵀ, ``steps`` times, against Σ over paths
    of their weight times y yᵀ.
    """
    ring, p, a, c, start, value = free(p=(2, 2), a=(2, 2), c=(2, 2), m=2, y=())
    B = {(g, h): ring.matrix([[a[g, h], c[g, h]], [0, 1]]) for g, h in product(range(2), repeat=2)}
    y = ring.matrix([[value], [1]])
    Y = [(y @ y.T).scaled(mass) for mass in start]
    for _ in range(steps):
        Y = [reduce(add, ((B[g, h] @ Y[g] @ B[g, h].T).scaled(p[g, h]) for g in range(2))) for h in range(2)]
    for path in product(range(2), repeat=steps + 1):
        weight, walked = start[path[0]], y
        for move in pairwise(path):
            weight, walked = weight * p[move], B[move] @ walked
        Y[path[-1]] = Y[path[-1]] - (walked @ walked.T).scaled(weight)
    return all(rest.is_zero() for rest in Y)


def trace_step_identity() -> bool:
    """U'(h) = λ² Σ_g N₂(g, h) U(g) + 2λ φ(h) Σ_g N(g, h) u(g) + φ(h)² d(h): one step of E[1{s = h} z̃²], two states,
    one feature.

    z̃' = λ x_gh z̃ + φ(h) on the way from g to h, which has probability p_gh and x = ρΓ; U(g) = E[1{s = g} z̃²],
    u(g) = E[1{s = g} z̃], free, and d(h) = Σ_g d(g) p_gh. Each state is given two values of z̃, with free weights.
    """
    _, p, x, f, lam, q, y = free(p=(2, 2), x=(2, 2), f=2, l=(), q=(2, 2), y=(2, 2))
    two = range(2)
    d, u, U = ([sum(q[g, i] * y[g, i] ** m for i in two) for g in two] for m in range(3))
    for h in two:
        direct = sum(q[g, i] * p[g, h] * (lam * x[g, h] * y[g, i] + f[h]) ** 2 for g in two for i in two)
        squared = sum(p[g, h] * x[g, h] ** 2 * U[g] for g in two)
        single = sum(p[g, h] * x[g, h] * u[g] for g in two)
        law = sum(p[g, h] * d[g] for g in two)
        if direct != lam**2 * squared + 2 * lam * f[h] * single + f[h] ** 2 * law:
            return False
    return True


def trace_square_identity(length: int) -> bool:
    """(Σ_k c_k p_k f_k)² = Σ_j p_j² (c_j² f_j² + 2 Σ_{m≥1} c_j c_{j+m} (p_{j+m}/p_j) f_j f_{j+m}), p_k = x_1…x_k.

    All of λ, x and f free.
    """
    _, lambdas, x, f = free(l=length, x=length, f=length + 1)
    c, p = trace_weights(lambdas), trace_weights(x)
    square = sum(c[k] * p[k] * f[k] for k in range(length + 1)) ** 2
    total = 0 * f[0]
    for j in range(length + 1):
        own, ahead = c[j] ** 2 * f[j] ** 2, trace_weights(x[j:])
        pairs = sum(c[j] * c[j + m] * ahead[m] * f[j] * f[j + m] for m in range(1, length + 1 - j))
        total += p[j] ** 2 * (own + 2 * pairs)
    return bool(square == total)


def ratio_form_identity(d: int) -> bool:
    """TDC's joint mean dynamics: d/dt (|v|² + η|w|²) = 2η wᵀ(A − ηC)w for v = ηθ − w, A and symmetric C free.

    θ' = Aθ − (Aᵀ + C)w and w' = η(Aθ − Cw). On w = 0 for good, w' = Av = 0.
    """
    _, A, C, eta, theta, w = free(a=(d, d), c=("symmetric", d), e=(), t=(d, 1), w=(d, 1))
    slow, fast = A @ theta - (A.T + C) @ w, (A @ theta - C @ w).scaled(eta)
    v, dv = theta.scaled(eta) - w, slow.scaled(eta) - fast
    change = 2 * inner(v, dv) + 2 * eta * inner(w, fast)
    kept = (fast - (A @ v + (A - C.scaled(eta)) @ w)).is_zero()
    return bool(kept and change == 2 * eta * inner(w, (A - C.scaled(eta)) @ w))


def same_theta_block_identity(d: int) -> bool:
    """J⁻¹ noise = (A⁻¹ε, 0) for GTD and TDC at every η: the joint matrices times (A⁻¹ε, 0) are their noises, A, C, ε
    free.

    At θ* and w = 0 the increments are (0, ηε) for GTD and (ε, ηε) for TDC, ε = δ_t z_t; their mean matrices in the
    order (θ, w) are [[0, −Aᵀ], [ηA, −ηC]] and [[A, −(Aᵀ + C)], [ηA, −ηC]].
    """
    _, A, C, eta, noise = free(a=(d, d), c=(d, d), e=(), n=(d, 1))
    x, zero = A.solve(noise), noise.scaled(0)
    fast = (A @ x - C @ zero).scaled(eta) - noise.scaled(eta)
    return all(rest.is_zero() for rest in (A.T @ zero, A @ x - (A.T + C) @ zero - noise, fast))


def poisson_identity() -> bool:
    """E[ε²] + 2E[εH'] = E[(ε + H' − H)²] for two windows: free law ν and moves p with νp = ν and rows one, free H and
    ε with H − pH = E[ε | ·].

    The constraints are solved for: rows and law through the free entries, ε on the move 0 → 1 and 1 → 0 through the
    Poisson equation.
    """
    a, b, h0, h1, e00, e11 = SymbolicRing("a", "b", "h0", "h1", "e00", "e11").symbols
    p = [[1 - a, a], [b, 1 - b]]
    law, H = [b / (a + b), a / (a + b)], [h0, h1]
    e01 = (h0 - (p[0][0] * h0 + a * h1) - p[0][0] * e00) / a
    e10 = (h1 - (b * h0 + p[1][1] * h1) - p[1][1] * e11) / b
    e = [[e00, e01], [e10, e11]]
    pairs = list(product(range(2), repeat=2))
    lagged = sum(law[g] * p[g][k] * (e[g][k] ** 2 + 2 * e[g][k] * H[k]) for g, k in pairs)
    martingale = sum(law[g] * p[g][k] * (e[g][k] + H[k] - H[g]) ** 2 for g, k in pairs)
    return bool(lagged == martingale)
