"""Retrace for state values.

It is ``tree_backup`` with the trace coefficient λ min(1, ρ) for λπ.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d"}, memory={"z": "d"}, steps=("alpha",), schedule="lam")
def retrace(t: Any, theta: Any, z: Any, alpha: Any, *, lam: Any = 0) -> Any:
    """Retrace(λ): Munos, Stepleton, Harutyunyan, Bellemare, NIPS 2016, for state values; coefficient λ min(1, ρ)."""
    z = t.phi + z
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * t.rho * delta * z, t.discount * t.at_next(lam) * min(1, t.rho) * z
