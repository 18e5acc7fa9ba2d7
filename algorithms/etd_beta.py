"""Emphatic TD whose emphasis decays at a rate of its own.

It is ``etd`` with ``decay`` for γ in the follow-on trace.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d"}, memory={"z": "d", "follow_on": 1}, steps=("alpha",), schedule="lam")
def etd_beta(t: Any, theta: Any, z: Any, follow_on: Any, alpha: Any, *, lam: Any = 0, decay: Any = 0) -> Any:
    """ETD(λ, β): Hallak, Tamar, Munos, Mannor, AAAI 2016; ``decay`` is its β, 0 gives off-policy TD(λ).

    The paper has one γ and no ends of episodes; a discount of zero ends the follow-on trace, as in ETD, which is β = γ.
    """
    follow_on = follow_on + t.interest
    emphasis = lam * t.interest + (1 - lam) * follow_on
    z = t.rho * (emphasis * t.phi + lam * z)
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * delta * z, t.discount * z, (t.discount > 0) * decay * t.rho * follow_on
