"""GTD(λ) of Maei.

``gtd2_lambda`` has (φᵀw)φ for δz in the direction of θ, ``tdrc`` adds a ridge to w, and ``htd`` corrects along
φ − γφ'. ``tdc`` at λ = 0 adds (ρ − 1)(φᵀw)φ to the direction of θ; where μ covers π its mean is zero.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d", "w": "d"}, memory={"z": "d"}, steps=("alpha", "beta"), schedule="lam")
def gtd_lambda(t: Any, theta: Any, w: Any, z: Any, alpha: Any, beta: Any, *, lam: Any = 0) -> Any:
    """GTD(λ), at λ = 0 TDC: Maei, Gradient Temporal-Difference Learning Algorithms, 2011, chapter 6."""
    z = t.rho * (t.phi + lam * z)
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    gain = delta * z
    return (
        theta + alpha * (gain - t.discount * (1 - t.at_next(lam)) * (z @ w) * t.phi_next),
        w + beta * (gain - (t.phi @ w) * t.phi),
        t.discount * z,
    )
