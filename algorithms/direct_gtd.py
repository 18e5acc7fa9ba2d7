"""Gradient TD without a second set of weights.

It is ``gtd_2008`` with ρδφ of the transition before, at the present θ, for w.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d"}, memory={"m": "d", "v": 1}, steps=("alpha",))
def direct_gtd(t: Any, theta: Any, m: Any, v: Any, alpha: Any) -> Any:
    """A_tᵀTD with a gap of one step: Qian, Zhang, Revisiting a Design Choice in GTD, ICLR 2025.

    v − mᵀθ is φᵀ times δφ of the transition before, at the present θ: φ is φ' there, and with it only the dot product
    φᵀφ' is kept. In the paper (arXiv 2308.01170) the gap grows like ln² t.
    """
    change = t.rho * (t.phi - t.discount * t.phi_next)
    overlap = t.phi @ t.phi_next
    return theta + alpha * (v - m @ theta) * change, overlap * change, overlap * t.rho * t.reward
