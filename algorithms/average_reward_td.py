"""TD for the average reward.

Its δ has R − r̄ for R and no γ. r̄ follows R − r̄, where it follows ρδ in ``differential_td``.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(
    parameters={"theta": "d", "average": 1},
    memory={"z": "d"},
    steps=("alpha", "beta"),
    schedule="lam",
    estimates="differential value",
)
def average_reward_td(t: Any, theta: Any, average: Any, z: Any, alpha: Any, beta: Any, *, lam: Any = 0) -> Any:
    """Average-reward TD(λ): Tsitsiklis, Van Roy, Automatica 1999; no discount enters."""
    z = t.phi + lam * z
    delta = t.reward - average + t.phi_next @ theta - t.phi @ theta
    return theta + alpha * delta * z, average + beta * (t.reward - average), z
