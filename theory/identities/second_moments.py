r"""Symbolic identities behind the second moments under constant steps (``tdcert.theory.laws.mean_square``).

Each returns True exactly if the identity holds, by normal form.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, permutations, product
from typing import Any

from tdcert.theory.arithmetic import SymbolicRing
from tdcert.theory.arithmetic.symbolic import SymbolicMatrix


def small_step_identity(d: int) -> bool:
    """X(a) − 𝓛X(a) = a(F − aG − a²H) for X_h(a) = X + aT_h: two windows, d coordinates, everything free.

    Free: symmetric X, T_0, T_1, the maps K_gh and the weights p_g0 = 1 − p_g1. F = T_h − ΣpT' − Σp(KᵀX + XK), G =
    Σp(KᵀT' + T'K + KᵀXK), H = ΣpKᵀT'K.
    """
    pairs = list(product(range(2), repeat=2))
    upper = list(combinations_with_replacement(range(d), 2))
    symmetric = [f"{name}{i}{j}" for name in ("x", "s", "t") for i, j in upper]
    maps = [f"k{g}{h}{i}{j}" for g, h in pairs for i, j in product(range(d), repeat=2)]
    ring = SymbolicRing("a", "p0", "p1", *symmetric, *maps)
    free = iter(ring.symbols)
    a, *to_one = (next(free) for _ in range(3))

    def square() -> SymbolicMatrix:
        entries = {pair: next(free) for pair in upper}
        return ring.matrix([[entries[min(i, j), max(i, j)] for j in range(d)] for i in range(d)])

    X, *T = (square() for _ in range(3))
    K = {pair: ring.matrix([[next(free) for _ in range(d)] for _ in range(d)]) for pair in pairs}
    p = {(g, h): to_one[g] if h else 1 - to_one[g] for g, h in pairs}
    eye = X.identity(d)
    for g in range(2):
        X_g = X + T[g].scaled(a)
        decrease, F = X_g, T[g]
        G, H = X.scaled(ring.element(0)), X.scaled(ring.element(0))
        for h in range(2):
            k, weight = K[g, h], p[g, h]
            B = eye + k.scaled(a)
            decrease = decrease + (B.T @ (X + T[h].scaled(a)) @ B).scaled(-weight)
            F = F + (T[h] + k.T @ X + X @ k).scaled(-weight)
            G = G + (k.T @ T[h] + T[h] @ k + k.T @ X @ k).scaled(weight)
            H = H + (k.T @ T[h] @ k).scaled(weight)
        if not (decrease - (F + G.scaled(-a) + H.scaled(-a * a)).scaled(a)).is_zero():
            return False
    return True


def concavity_identity() -> bool:
    """f(sb) − (1 − s)f(0) − s f(b) = s(1 − s)b²H for f(a) = F − aG − a²H: with H ⪰ 0 two ends decide all between."""
    ring = SymbolicRing("s", "b", "F", "G", "H")
    s, b, F, G, H = ring.symbols

    def f(a: Any) -> Any:
        return F - a * G - a * a * H

    return bool(f(s * b) - (1 - s) * F - s * f(b) == s * (1 - s) * b**2 * H)


def determinant_identity(d: int) -> bool:
    """det(I + aK) = 1 + a tr K + O(a²) for a free d×d matrix K: where tr K ≠ 0 it is no constant in a."""
    ring = SymbolicRing("a", *(f"k{i}{j}" for i, j in product(range(d), repeat=2)))
    a, *free = ring.symbols
    B = [[ring.element(int(i == j)) + a * free[i * d + j] for j in range(d)] for i in range(d)]
    determinant = ring.element(0)
    for order in permutations(range(d)):
        inversions = sum(order[i] > order[j] for i in range(d) for j in range(i + 1, d))
        term = ring.element((-1) ** inversions)
        for i, j in enumerate(order):
            term = term * B[i][j]
        determinant = determinant + term
    rest = determinant - 1 - a * sum((free[i * d + i] for i in range(d)), start=ring.element(0))
    # no term of `rest` is of order 0 or 1 in a: rest / a² is a polynomial
    return bool(rest == 0 or (rest / a**2).denom == 1)
