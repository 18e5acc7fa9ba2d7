r"""The symbolic identity behind the long-run covariance: what is to come, given the window, through P alone.

It returns True exactly if the identity holds, by normal form.
"""

from __future__ import annotations

from tdcert.theory.identities.symbols import free
from tdcert.theory.model.schedule import trace_weights


def sum_ahead_identity(length: int, steps: int) -> bool:
    """H_T(x) − E[H_{T−1}(x') | x] = E[ε | x] on two states, one feature, for H_T = X_T + Σ_l p_l φ_{−l} q_{l,T}.

    Free: P, N, g, φ, λ_1 … λ_L, and what the window holds, p_l and φ_{−l} for l = 1 … L. On the way to s' lag l
    becomes l + 1 and takes the factor ρΓ, whose mean with 1{s'} is N(s, s'); so E[ε | x] = Σ_l c_l p_l φ_{−l} g(s).
    """
    shapes = {"P": (2, 2), "N": (2, 2), "g": (2, 1), "phi": (2, 1), "lam": length, "p": length, "old": length}
    _, P, N, g, phi, lambdas, products, older = free(**shapes)
    c, zero = trace_weights(lambdas), g.scaled(0)
    held = [p * f for p, f in zip(products, older, strict=True)]
    X, q = zero, [zero] * (length + 2)
    for _ in range(steps):
        X_before, moved = X, [N @ column for column in q[1:]]
        q = [*(g.scaled(c[k]) + moved[k] for k in range(length + 1)), zero]
        X = q[0].hadamard(phi) + P @ X_before
        gap = X - P @ X_before - (moved[0] + g).hadamard(phi)
        for k, factor in enumerate(held, start=1):
            gap = gap + (q[k] - moved[k] - g.scaled(c[k])).scaled(factor)
        if not gap.is_zero():
            return False
    return True
