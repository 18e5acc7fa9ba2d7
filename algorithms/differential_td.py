"""Differential TD.

It is ``average_reward_td`` at λ = 0 with ρ before δ, and r̄ follows ρδ in the place of R − r̄.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d", "average": 1}, steps=("alpha", "beta"), estimates="differential value")
def differential_td(t: Any, theta: Any, average: Any, alpha: Any, beta: Any) -> Any:
    """Differential TD, off-policy: Wan, Naik, Sutton, ICML 2021; β is its ηα, and no discount enters."""
    delta = t.reward - average + t.phi_next @ theta - t.phi @ theta
    return theta + alpha * t.rho * delta * t.phi, average + beta * t.rho * delta
