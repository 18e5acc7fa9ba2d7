"""GTD2.

It is ``gtd_2008`` with (φᵀw)φ for w in the increment of w. ``gtd_lambda`` at λ = 0 has ρδφ − γρ(φᵀw)φ' for the
direction ρ(φᵀw)(φ − γφ') of θ.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d", "w": "d"}, steps=("alpha", "beta"))
def gtd2(t: Any, theta: Any, w: Any, alpha: Any, beta: Any) -> Any:
    """GTD2: Sutton, Maei, Precup, Bhatnagar, Silver, Szepesvári, Wiewiora, ICML 2009, with importance ratios."""
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return (
        theta + alpha * t.rho * (t.phi @ w) * (t.phi - t.discount * t.phi_next),
        w + beta * (t.rho * delta - t.phi @ w) * t.phi,
    )
