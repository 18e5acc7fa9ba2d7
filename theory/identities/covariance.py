r"""The symbolic identity behind the long-run covariance: what is to come, given the window, through P alone.

It returns True exactly if the identity holds, by normal form.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from tdcert.theory.arithmetic import SymbolicRing


def sum_ahead_identity(length: int, steps: int) -> bool:
    """H_T(x) − E[H_{T−1}(x') | x] = E[ε | x] on two states, one feature, for H_T = X_T + Σ_l p_l φ_{−l} q_{l,T}.

    Free: P, N, g, φ, λ_1 … λ_L, and what the window holds, p_l and φ_{−l} for l = 1 … L. On the way to s' lag l
    becomes l + 1 and takes the factor ρΓ, whose mean with 1{s'} is N(s, s'); so E[ε | x] = Σ_l c_l p_l φ_{−l} g(s).
    """
    pairs = list(product(range(2), repeat=2))
    names = [*(f"P{s}{t}" for s, t in pairs), *(f"N{s}{t}" for s, t in pairs), "g0", "g1", "f0", "f1"]
    lags = range(1, length + 1)
    ring = SymbolicRing(*names, *(f"l{k}" for k in lags), *(f"p{k}" for k in lags), *(f"o{k}" for k in lags))
    free = list(ring.symbols)
    P, N = (dict(zip(pairs, free[4 * k : 4 * k + 4], strict=True)) for k in range(2))
    g, phi = free[8:10], free[10:12]
    lambdas, products, older = (free[12 + k * length : 12 + (k + 1) * length] for k in range(3))
    one, zero = ring.element(1), ring.element(0)
    c = [one]
    for lam in lambdas:
        c.append(c[-1] * lam)
    weights, features = [one, *products], older

    def expected(kernel: dict[tuple[int, ...], Any], values: list[Any], s: int) -> Any:
        return kernel[s, 0] * values[0] + kernel[s, 1] * values[1]

    X, q = [zero, zero], [[zero, zero] for _ in range(length + 2)]
    for _ in range(steps):
        before_X, before_q = X, q
        q = [[c[k] * g[s] + expected(N, before_q[k + 1], s) for s in range(2)] for k in range(length + 1)]
        q.append([zero, zero])
        X = [q[0][s] * phi[s] + expected(P, before_X, s) for s in range(2)]
        for s in range(2):
            held = [phi[s], *features]
            now = X[s] + sum((weights[k] * held[k] * q[k][s] for k in lags), start=zero)
            later = expected(P, before_X, s)
            for k in range(length):
                later += weights[k] * held[k] * expected(N, before_q[k + 1], s)
            if now - later != sum((c[k] * weights[k] * held[k] * g[s] for k in range(length + 1)), start=zero):
                return False
    return True
