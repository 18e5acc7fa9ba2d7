"""V-trace.

It is ``retrace`` with min(c̄, ρ) for min(1, ρ) in the trace, and with min(ρ̄, ρ) for ρ before δ.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d"}, memory={"z": "d"}, steps=("alpha",), schedule="lam")
def vtrace(t: Any, theta: Any, z: Any, alpha: Any, *, lam: Any = 0, clip_trace: Any = 1, clip_error: Any = 1) -> Any:
    """V-trace: Espeholt et al., ICML 2018, equation (1); ``clip_trace``, ``clip_error`` are c̄ and ρ̄."""
    z = t.phi + z
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * min(clip_error, t.rho) * delta * z, t.discount * t.at_next(lam) * min(clip_trace, t.rho) * z
