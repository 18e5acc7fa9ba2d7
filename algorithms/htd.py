"""Hybrid TD.

It is ``gtd_lambda`` with the correction ((z − own)ᵀw)(φ − γφ') of θ, and with (ownᵀw)(φ − γφ') for (φᵀw)φ in w. Where
ρ is 1 the traces are equal, and θ follows TD(λ).
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d", "w": "d"}, memory={"z": "d", "own": "d"}, steps=("alpha", "beta"), schedule="lam")
def htd(t: Any, theta: Any, w: Any, z: Any, own: Any, alpha: Any, beta: Any, *, lam: Any = 0) -> Any:
    """HTD(λ): Hackman 2012; White, White, AAMAS 2016. ``own`` is the trace of the behaviour policy."""
    z = t.rho * (t.phi + lam * z)
    own = t.phi + lam * own
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    gain = delta * z
    change = t.phi - t.discount * t.phi_next
    return (
        theta + alpha * (gain + ((z - own) @ w) * change),
        w + beta * (gain - (own @ w) * change),
        t.discount * z,
        t.discount * own,
    )
