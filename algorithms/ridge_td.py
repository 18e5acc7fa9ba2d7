"""TD with a ridge.

It is off-policy TD(λ) with −ridge·θ in the increment.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d"}, memory={"z": "d"}, steps=("alpha",), schedule="lam")
def ridge_td(t: Any, theta: Any, z: Any, alpha: Any, *, lam: Any = 0, ridge: Any = 1) -> Any:
    """Off-policy TD(λ) with an ℓ² term: Zhang, Yao, Whiteson, ICML 2021; ``ridge`` is its η."""
    z = t.rho * (t.phi + lam * z)
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * (delta * z - ridge * theta), t.discount * z
