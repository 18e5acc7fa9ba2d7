"""The first gradient-TD algorithm.

``gtd2`` has (φᵀw)φ for w in the increment of w, ``gtd_momentum`` adds momentum.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d", "w": "d"}, steps=("alpha", "beta"))
def gtd_2008(t: Any, theta: Any, w: Any, alpha: Any, beta: Any) -> Any:
    """GTD: Sutton, Szepesvári, Maei, NIPS 2008, equations (7) and (8)."""
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return (
        theta + alpha * t.rho * (t.phi @ w) * (t.phi - t.discount * t.phi_next),
        w + beta * (t.rho * delta * t.phi - w),
    )
