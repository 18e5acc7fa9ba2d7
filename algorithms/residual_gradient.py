"""Residual gradient.

It is off-policy TD(0) with φ − γφ' for φ before δ.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def residual_gradient(t: Any, theta: Any, alpha: Any) -> Any:
    """Residual gradient from single samples: Baird, ICML 1995; off-policy by ρ."""
    change = t.phi - t.discount * t.phi_next
    return theta + alpha * t.rho * (t.reward - change @ theta) * change
