"""Q(σ, λ) for state values.

It is ``tree_backup`` with the trace coefficient λ(σρ + (1 − σ)π) for λπ; at σ = 1 it is off-policy TD(λ).
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d"}, memory={"z": "d"}, steps=("alpha",), schedule="lam")
def q_sigma(t: Any, theta: Any, z: Any, alpha: Any, *, lam: Any = 0, sigma: Any = 1) -> Any:
    """Q(σ, λ): De Asis et al., AAAI 2018; Yang et al., IJCAI 2018; state values, coefficient λ(σρ + (1 − σ)π)."""
    z = t.phi + z
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * t.rho * delta * z, t.discount * t.at_next(lam) * (sigma * t.rho + (1 - sigma) * t.pi) * z
