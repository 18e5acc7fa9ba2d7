"""TD with a target network that is an average.

It is off-policy TD(0) with φ'ᵀtarget for φ'ᵀθ in δ.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"target": "d", "theta": "d"}, steps=("tau", "alpha"))
def averaging_target(t: Any, target: Any, theta: Any, tau: Any, alpha: Any) -> Any:
    """Averaging TD: Lee, He, ICML 2019; the target follows θ with the step τ."""
    delta = t.reward + t.discount * (t.phi_next @ target) - t.phi @ theta
    return target + tau * (theta - target), theta + alpha * t.rho * delta * t.phi
