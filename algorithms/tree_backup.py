"""Tree backup for state values.

The increment is αρδz, and the trace γc(φ + z) with c = λπ. Only c differs in ``retrace``, where it is λ min(1, ρ), in
``abtd``, π min(ψ, 1/max(μ, π)), in ``q_sigma``, λ(σρ + (1 − σ)π), and in off-policy TD(λ), λρ. ``vtrace`` clips the ρ
before δ, too.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d"}, memory={"z": "d"}, steps=("alpha",), schedule="lam")
def tree_backup(t: Any, theta: Any, z: Any, alpha: Any, *, lam: Any = 0) -> Any:
    """Tree-backup(λ): Precup, Sutton, Singh, ICML 2000, for state values; trace coefficient λπ."""
    z = t.phi + z
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * t.rho * delta * z, t.discount * t.at_next(lam) * t.pi * z
