"""Gradient TD without a second set of weights."""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d"}, memory={"M": ("d", "d"), "v": "d"}, steps=("alpha",))
def direct_gtd(t: Any, theta: Any, M: Any, v: Any, alpha: Any) -> Any:
    """A_tᵀTD with a gap of one step: Qian, Zhang, Revisiting a Design Choice in GTD, ICLR 2025.

    M θ + v is δφ of the transition before, at the present θ. In the paper (arXiv 2308.01170) the gap grows like ln² t.
    """
    change = t.rho * (t.phi - t.discount * t.phi_next)
    new = theta + alpha * (t.phi @ (M @ theta + v)) * change
    return new, [[-x * y for y in change] for x in t.phi], t.rho * t.reward * t.phi
