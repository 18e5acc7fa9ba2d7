r"""Symbolic identities behind the law of the iterates.

Each returns True exactly if the identity holds, by normal form.
"""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

from tdcert.theory.arithmetic import SymbolicRing

Square = list[list[Any]]


def jump_moments_identity(steps: int) -> bool:
    """The propagated second moments of a jump linear system are the sums over all its paths.

    Two windows, free weights p_gh, free affine maps y → a_gh y + c_gh of a scalar (so y = (θ, 1) and B = [[a, c], [0,
    1]]), a free start:
    Y_{t+1}(h) = Σ_g p_gh B_gh Y_t(g) B_ghᵀ, ``steps`` times, against Σ over paths of their weight times y yᵀ.
    """
    pairs = list(product(range(2), repeat=2))
    ring = SymbolicRing(*(f"{letter}{g}{h}" for letter in "pac" for g, h in pairs), "m0", "m1", "y")
    free = list(ring.symbols)
    p, a, c = (dict(zip(pairs, free[4 * k : 4 * k + 4], strict=True)) for k in range(3))
    start, y = free[12:14], free[14]
    one, zero = ring.element(1), ring.element(0)
    Y: list[Square] = [[[start[g] * y * y, start[g] * y], [start[g] * y, start[g]]] for g in range(2)]
    for _ in range(steps):
        moved: list[Square] = [[[zero, zero], [zero, zero]] for _ in range(2)]
        for g, h in pairs:
            B = [[a[g, h], c[g, h]], [zero, one]]
            for i, j, k, m in product(range(2), repeat=4):
                moved[h][i][j] += p[g, h] * B[i][k] * Y[g][k][m] * B[j][m]
        Y = moved
    walked: list[Square] = [[[zero, zero], [zero, zero]] for _ in range(2)]
    for path in product(range(2), repeat=steps + 1):
        weight, value = start[path[0]], y
        for g, h in pairwise(path):
            weight, value = weight * p[g, h], a[g, h] * value + c[g, h]
        vector = [value, one]
        for i, j in pairs:
            walked[path[-1]][i][j] += weight * vector[i] * vector[j]
    return walked == Y


def trace_step_identity() -> bool:
    """U'(h) = λ² Σ_g N₂(g, h) U(g) + 2λ φ(h) Σ_g N(g, h) u(g) + φ(h)² d(h): one step of E[1{s = h} z̃²], two states,
    one feature.

    z̃' = λ x_gh z̃ + φ(h) on the way from g to h, which has probability p_gh and x = ρΓ; U(g) = E[1{s = g} z̃²], u(g)
    = E[1{s = g} z̃], free,
    and d(h) = Σ_g d(g) p_gh. Each state is given two values of z̃, with free weights.
    """
    pairs = list(product(range(2), repeat=2))
    names = [*(f"p{g}{h}" for g, h in pairs), *(f"x{g}{h}" for g, h in pairs), "f0", "f1", "l"]
    ring = SymbolicRing(*names, *(f"{letter}{g}{i}" for letter in "qy" for g, i in pairs))
    free = list(ring.symbols)
    p, x = (dict(zip(pairs, free[4 * k : 4 * k + 4], strict=True)) for k in range(2))
    f, lam = free[8:10], free[10]
    q, y = (dict(zip(pairs, free[11 + 4 * k : 15 + 4 * k], strict=True)) for k in range(2))
    zero, two = ring.element(0), range(2)
    d, u, U = ([sum((q[g, i] * y[g, i] ** m for i in two), start=zero) for g in two] for m in range(3))
    for h in two:
        direct = sum((q[g, i] * p[g, h] * (lam * x[g, h] * y[g, i] + f[h]) ** 2 for g in two for i in two), start=zero)
        squared = sum((p[g, h] * x[g, h] ** 2 * U[g] for g in two), start=zero)
        single = sum((p[g, h] * x[g, h] * u[g] for g in two), start=zero)
        law = sum((p[g, h] * d[g] for g in two), start=zero)
        if direct != lam**2 * squared + 2 * lam * f[h] * single + f[h] ** 2 * law:
            return False
    return True


def trace_square_identity(length: int) -> bool:
    """(Σ_k c_k p_k f_k)² = Σ_j p_j² (c_j² f_j² + 2 Σ_{m≥1} c_j c_{j+m} (p_{j+m}/p_j) f_j f_{j+m}), p_k = x_1…x_k.

    All of λ, x and f free.
    """
    lags = range(length + 1)
    names = [
        *(f"l{k}" for k in range(1, length + 1)),
        *(f"x{k}" for k in range(1, length + 1)),
        *(f"f{k}" for k in lags),
    ]
    ring = SymbolicRing(*names)
    free = list(ring.symbols)
    lambdas, x, f = free[:length], free[length : 2 * length], free[2 * length :]
    c, p = ([ring.element(1)] for _ in range(2))
    for k in range(length):
        c.append(c[-1] * lambdas[k])
        p.append(p[-1] * x[k])
    square = sum((c[k] * p[k] * f[k] for k in lags), start=ring.element(0)) ** 2
    total = ring.element(0)
    for j in lags:
        ahead, inner = ring.element(1), c[j] ** 2 * f[j] ** 2
        for m in range(1, length + 1 - j):
            ahead = ahead * x[j + m - 1]
            inner += 2 * c[j] * c[j + m] * ahead * f[j] * f[j + m]
        total += p[j] ** 2 * inner
    return bool(square == total)


def ratio_form_identity(d: int) -> bool:
    """TDC's joint mean dynamics: d/dt (|v|² + η|w|²) = 2η wᵀ(A − ηC)w for v = ηθ − w, A and symmetric C free.

    θ' = Aθ − (Aᵀ + C)w and w' = η(Aθ − Cw). On w = 0 for good, w' = Av = 0.
    """
    lower = [(i, j) for i in range(d) for j in range(i + 1)]
    names = [*(f"a{i}{j}" for i in range(d) for j in range(d)), *(f"c{i}{j}" for i, j in lower), "e"]
    ring = SymbolicRing(*names, *(f"t{i}" for i in range(d)), *(f"w{i}" for i in range(d)))
    free = list(ring.symbols)
    A = ring.matrix([free[i * d : (i + 1) * d] for i in range(d)])
    entries = dict(zip(lower, free[d * d : d * d + len(lower)], strict=True))
    C = ring.matrix([[entries[max(i, j), min(i, j)] for j in range(d)] for i in range(d)])
    eta = free[d * d + len(lower)]
    theta, w = (ring.matrix([[x] for x in free[len(free) - k * d : len(free) - (k - 1) * d]]) for k in (2, 1))
    slow, fast = A @ theta - (A.T + C) @ w, (A @ theta - C @ w).scaled(eta)
    v, dv = theta.scaled(eta) - w, slow.scaled(eta) - fast
    change = ((v.T @ dv).scaled(2) + (w.T @ fast).scaled(2 * eta))[0, 0]
    kept = (fast - (A @ v + (A - C.scaled(eta)) @ w)).is_zero()
    return bool(kept and change == 2 * eta * (w.T @ (A - C.scaled(eta)) @ w)[0, 0])


def same_theta_block_identity(d: int) -> bool:
    """J⁻¹ noise = (A⁻¹ε, 0) for GTD and TDC at every η: the joint matrices times (A⁻¹ε, 0) are their noises, A, C, ε
    free.

    At θ* and w = 0 the increments are (0, ηε) for GTD and (ε, ηε) for TDC, ε = δ_t z_t; their mean matrices in the
    order (θ, w) are [[0, −Aᵀ], [ηA, −ηC]] and [[A, −(Aᵀ + C)], [ηA, −ηC]].
    """
    names = [f"{letter}{i}{j}" for letter in "ac" for i in range(d) for j in range(d)]
    ring = SymbolicRing(*names, "e", *(f"n{i}" for i in range(d)))
    free = list(ring.symbols)
    A, C = (ring.matrix([free[k * d * d + i * d : k * d * d + (i + 1) * d] for i in range(d)]) for k in (0, 1))
    eta, noise = free[2 * d * d], ring.matrix([[x] for x in free[2 * d * d + 1 :]])
    x, zero = A.solve(noise), ring.matrix([[0]] * d)
    gtd = (zero - A.T @ zero, (A @ x - C @ zero).scaled(eta))
    tdc = (A @ x - (A.T + C) @ zero, (A @ x - C @ zero).scaled(eta))
    wanted = {"gtd": (zero, noise.scaled(eta)), "tdc": (noise, noise.scaled(eta))}
    return all(
        (a - b).is_zero()
        for found, name in ((gtd, "gtd"), (tdc, "tdc"))
        for a, b in zip(found, wanted[name], strict=True)
    )


def poisson_identity() -> bool:
    """E[ε²] + 2E[εH'] = E[(ε + H' − H)²] for two windows: free law ν and moves p with νp = ν and rows one, free H and
    ε with H − pH = E[ε | ·].

    The constraints are solved for: rows and law through the free entries, ε on the move 0 → 1 and 1 → 0 through the
    Poisson equation.
    """
    ring = SymbolicRing("a", "b", "h0", "h1", "e00", "e11")
    a, b, h0, h1, e00, e11 = ring.symbols
    p = [[1 - a, a], [b, 1 - b]]
    law, H = [b / (a + b), a / (a + b)], [h0, h1]
    e01 = (h0 - (p[0][0] * h0 + a * h1) - p[0][0] * e00) / a
    e10 = (h1 - (b * h0 + p[1][1] * h1) - p[1][1] * e11) / b
    e = [[e00, e01], [e10, e11]]
    zero = ring.element(0)
    pairs = list(product(range(2), repeat=2))
    lagged = sum((law[g] * p[g][k] * (e[g][k] ** 2 + 2 * e[g][k] * H[k]) for g, k in pairs), start=zero)
    martingale = sum((law[g] * p[g][k] * (e[g][k] + H[k] - H[g]) ** 2 for g, k in pairs), start=zero)
    return bool(lagged == martingale)
