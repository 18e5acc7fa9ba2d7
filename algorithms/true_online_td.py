"""True online TD.

It is on-policy TD(λ) with −α(zᵀφ)φ in the trace e, and with α(φᵀθ − φᵀold)(e − φ) in the increment; at λ = 0 it is
TD(0).
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d", "old": "d"}, memory={"z": "d"}, steps=("alpha",), schedule="lam")
def true_online_td(t: Any, theta: Any, old: Any, z: Any, alpha: Any, *, lam: Any = 0) -> Any:
    """True online TD(λ): van Seijen et al., JMLR 2016, on-policy; ``old`` is θ one step before; mean for steps → 0.

    In the form of Sutton and Barto, 2018, §12.5, with the trace (12.11); δ at ``old`` joins its two terms in e.
    """
    e = z + t.phi - alpha * (z @ t.phi) * t.phi
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ old
    new = theta + alpha * delta * e - alpha * (t.phi @ theta - t.phi @ old) * t.phi
    return new, theta, t.discount * t.at_next(lam) * e
