"""Implicit TD.

It is TD(0) with the step α/(1 + α|φ|²).
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def implicit_td(t: Any, theta: Any, alpha: Any) -> Any:
    """Implicit TD(0), on-policy: Tamar, Toulis, Mannor, Airoldi, 2014; mean for steps → 0.

    Its step solves θ' = θ + α(R + γφ'ᵀθ − φᵀθ')φ; convergence: Kim, Toulis, Laber, 2025 (arXiv 2505.01361).
    """
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha / (1 + alpha * (t.phi @ t.phi)) * delta * t.phi
