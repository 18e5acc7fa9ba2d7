"""TD with action-dependent bootstrapping.

It is ``tree_backup`` with the trace coefficient π min(ψ, 1/max(μ, π)) for λπ.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d"}, memory={"z": "d"}, steps=("alpha",))
def abtd(t: Any, theta: Any, z: Any, alpha: Any, *, psi: Any = 1) -> Any:
    """ABTD(ζ): Mahmood, Yu, Sutton, 2017; ``psi`` is ψ_ζ, the trace coefficient π min(ψ_ζ, 1/max(μ, π))."""
    z = t.phi + z
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * t.rho * delta * z, t.discount * t.pi * min(psi, 1 / max(t.mu, t.pi)) * z
