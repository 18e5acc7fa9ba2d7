"""Gradient TD without a second set of weights."""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d"}, memory={"before": ("d", "d")}, steps=("alpha",))
def direct_gtd(t: Any, theta: Any, before: Any, alpha: Any) -> Any:
    """A_tᵀTD with a gap of one step: Qian, Zhang, Revisiting a Design Choice in Gradient TD Learning, 2023, rev. 2024.

    ``before`` is Aᵀ of the transition before: ρ(φ − γφ')φᵀ. The paper lets the gap grow like ln² t.
    """
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    change = t.rho * (t.phi - t.discount * t.phi_next)
    return theta + alpha * t.rho * delta * (before @ t.phi), [[x * y for y in t.phi] for x in change]
