"""GTD with heavy-ball momentum.

It is ``gtd_2008`` with momentum times the last change of θ added.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d", "old": "d", "w": "d"}, steps=("alpha", "beta"))
def gtd_momentum(t: Any, theta: Any, old: Any, w: Any, alpha: Any, beta: Any, *, momentum: Any = 0.5) -> Any:
    """GTD-M: Deb, Bhatnagar, AAAI 2022 (arXiv 2111.11004), at a constant ``momentum``, its η; mean for steps → 0."""
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    gradient = t.rho * (t.phi @ w) * (t.phi - t.discount * t.phi_next)
    return theta + alpha * gradient + momentum * (theta - old), theta, w + beta * (t.rho * delta * t.phi - w)
