"""Off-policy TD(λ)-schedule.

It is ``td`` with ρ before the trace, z_t = ρ_t (φ_t + …).
"""

from __future__ import annotations

from typing import Any

from tdcert.algorithms.traces import MEMORY, schedule_trace
from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d"}, memory=MEMORY, steps=("alpha",), schedule=("lambdas", "tail"))
def off_policy_td(t: Any, theta: Any, z: Any, e: Any, alpha: Any, *, lambdas: Any = (), tail: Any = ()) -> Any:
    """Off-policy TD(λ)-schedule: Deb, Gandhi, Bhatnagar, AISTATS 2022, equation (offPolicy_z)."""
    trace, z, e = schedule_trace(t, z, e, lambdas, tail, t.rho)
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * delta * trace, z, e
