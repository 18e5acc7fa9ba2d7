"""Emphatic TD.

It is off-policy TD(λ) with the emphasis M before φ in the trace, z = ρ(Mφ + γλz).
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d"}, memory={"z": "d", "follow_on": 1}, steps=("alpha",), schedule="lam")
def etd(t: Any, theta: Any, z: Any, follow_on: Any, alpha: Any, *, lam: Any = 0) -> Any:
    """ETD(λ): Sutton, Mahmood, White, JMLR 2016, equations (17) to (20)."""
    follow_on = follow_on + t.interest
    emphasis = lam * t.interest + (1 - lam) * follow_on
    z = t.rho * (emphasis * t.phi + lam * z)
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * delta * z, t.discount * z, t.discount * t.rho * follow_on
