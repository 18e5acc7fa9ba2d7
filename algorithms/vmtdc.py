"""TDC for the variance of the projected error.

It is ``gtd_lambda`` at λ = 0 with ρδ − ω for ρδ, where ω follows the mean of ρδ.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d", "omega": 1, "u": "d"}, steps=("alpha", "beta", "zeta"))
def vmtdc(t: Any, theta: Any, omega: Any, u: Any, alpha: Any, beta: Any, zeta: Any) -> Any:
    """VMTDC: Chen et al., A Variance Minimization Approach to Temporal-Difference Learning, 2024, its algorithm 1."""
    delta = t.rho * (t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta)
    return (
        theta + alpha * ((delta - omega) * t.phi - t.discount * t.rho * (t.phi @ u) * t.phi_next),
        omega + beta * (delta - omega),
        u + zeta * (delta - omega - t.phi @ u) * t.phi,
    )
