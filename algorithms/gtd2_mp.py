"""GTD2 with mirror-prox steps.

It is ``gtd2`` with its increments taken at the point to which its own step leads.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d", "w": "d"}, steps=("alpha", "beta"))
def gtd2_mp(t: Any, theta: Any, w: Any, alpha: Any, beta: Any) -> Any:
    """GTD2-MP: Liu, Liu, Ghavamzadeh, Mahadevan, Petrik, UAI 2015; products of steps, hence mean for steps → 0."""
    change = t.phi - t.discount * t.phi_next
    aim, dual = t.rho * (t.reward - change @ theta), t.phi @ w
    w_middle = w + beta * (aim - dual) * t.phi
    theta_middle = theta + alpha * t.rho * dual * change
    aim_middle = t.rho * (t.reward - change @ theta_middle)
    return (
        theta + alpha * t.rho * (t.phi @ w_middle) * change,
        w + beta * (aim_middle - t.phi @ w_middle) * t.phi,
    )
