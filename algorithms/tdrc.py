"""TD with regularised corrections.

It is ``gtd_lambda`` with −ridge·w in the increment of w.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d", "w": "d"}, memory={"z": "d"}, steps=("alpha", "beta"), schedule="lam")
def tdrc(t: Any, theta: Any, w: Any, z: Any, alpha: Any, beta: Any, *, lam: Any = 0, ridge: Any = 1) -> Any:
    """TDRC: Ghiassian, Patterson, Garg, Gupta, White, White, ICML 2020; ``ridge`` is its β, the steps are apart."""
    z = t.rho * (t.phi + lam * z)
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    gain = delta * z
    return (
        theta + alpha * (gain - t.discount * (1 - t.at_next(lam)) * (z @ w) * t.phi_next),
        w + beta * (gain - (t.phi @ w) * t.phi - ridge * w),
        t.discount * z,
    )
