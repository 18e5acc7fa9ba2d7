r"""Symbolic identities behind the second moments under constant steps (``tdcert.theory.laws.mean_square``).

Each returns True exactly if the identity holds, by normal form.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

from tdcert.theory.arithmetic import SymbolicRing
from tdcert.theory.identities.positive import determinant
from tdcert.theory.identities.symbols import free


def small_step_identity(d: int) -> bool:
    """X(a) − 𝓛X(a) = a(F − aG − a²H) for X_h(a) = X + aT_h: two windows, d coordinates, everything free.

    Free: symmetric X, T_0, T_1, the maps K_gh and the weights p_g0 = 1 − p_g1. F = T_h − ΣpT' − Σp(KᵀX + XK), G =
    Σp(KᵀT' + T'K + KᵀXK), H = ΣpKᵀT'K.
    """
    symmetric = ("symmetric", d)
    maps = {f"k{g}{h}": (d, d) for g, h in product(range(2), repeat=2)}
    ring, a, to_one, X, *rest = free(a=(), p=2, x=symmetric, s=symmetric, t=symmetric, **maps)
    T, K = rest[:2], dict(zip(product(range(2), repeat=2), rest[2:], strict=True))
    p = {(g, h): to_one[g] if h else 1 - to_one[g] for g, h in K}
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
    s, b, F, G, H = SymbolicRing("s", "b", "F", "G", "H").symbols

    def f(a: Any) -> Any:
        return F - a * G - a * a * H

    return bool(f(s * b) - (1 - s) * F - s * f(b) == s * (1 - s) * b**2 * H)


def jensen_identity(count: int, d: int) -> bool:
    """Σ p_k |x_k|² − |Σ p_k x_k|² = Σ_{k<l} p_k p_l |x_k − x_l|², free p of sum one, ``count`` free x of d rows."""
    _, first, x = free(p=count - 1, x=(d, count))
    p = [*first, 1 - sum(first)]
    columns = x.T.rows

    def square(y: Sequence[Any]) -> Any:
        return sum(entry**2 for entry in y)

    mean = [sum(weight * entry for weight, entry in zip(p, row, strict=True)) for row in x.rows]
    gaps = (
        p[k] * p[m] * square([a - b for a, b in zip(columns[k], columns[m], strict=True)])
        for k, m in combinations(range(count), 2)
    )
    spread = sum(weight * square(y) for weight, y in zip(p, columns, strict=True)) - square(mean)
    return bool(spread == sum(gaps))


def determinant_identity(d: int) -> bool:
    """det(I + aK) = 1 + a tr K + O(a²) for a free d×d matrix K: where tr K ≠ 0 it is not a constant in a."""
    _, a, K = free(a=(), k=(d, d))
    rest = determinant((K.identity(d) + K.scaled(a)).rows) - 1 - a * sum(K[i, i] for i in range(d))
    # no term of `rest` is of order 0 or 1 in a: rest / a² is a polynomial
    return bool(rest == 0 or (rest / a**2).denom.is_one())
